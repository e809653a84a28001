/* Reads one tensor: what it is, and its first values, straight from the mapped file.
 *
 *     read_tensor FILE NAME */
#include <hurray.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 6

static void print_values(const unsigned char *data, uint64_t size) {
    printf("first values:");
    for (uint64_t k = 0; k < size / sizeof(float) && k < SHOWN; k++) {
        float value;
        /* The format promises where a buffer begins, not that every element suits a pointer of
         * its type; a copy always does. */
        memcpy(&value, data + k * sizeof value, sizeof value);
        printf(" %g", (double)value);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE NAME\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    hrry_buffer buffer = {.struct_size = sizeof buffer};

    if (hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK ||
        hrry_file_tensor_find(file, argv[2], strlen(argv[2]), &tensor, &error) != HRRY_OK ||
        hrry_tensor_info(tensor, &facts, &error) != HRRY_OK ||
        hrry_tensor_buffer(tensor, 0, &buffer, &error) != HRRY_OK) {
        goto failed;
    }
    printf("%s is %s, %s, %" PRIu64 " elements, %" PRIu64 " bytes\n", argv[2],
           hrry_type_name(facts.type), hrry_layout_name(facts.layout), facts.element_count,
           buffer.size);

    unsigned char copy[SHOWN * sizeof(float)];
    const unsigned char *data = buffer.data;
    if (data) {
        printf("mapped, at an address that %" PRIu64 " divides\n", buffer.alignment);
    } else {
        /* A file that cannot be mapped: the same bytes, copied. */
        size_t len = buffer.size < sizeof copy ? (size_t)buffer.size : sizeof copy;
        if (hrry_tensor_read(tensor, 0, 0, copy, len, &error) != HRRY_OK) {
            goto failed;
        }
        data = copy;
    }
    if (facts.type == HRRY_TYPE_FLOAT32) {
        print_values(data, buffer.size);
    }
    hrry_file_close(file);
    return 0;

failed:
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
    hrry_file_close(file);
    return 1;
}
