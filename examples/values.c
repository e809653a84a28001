/* Prints the first values of a tensor as numbers, whatever its type, its layout, and however it is
 * quantized.
 *
 *     values FILE NAME */
#include <hurray.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 6

/* Values are those of the quantization scheme where there is one, what a sparse tensor does not
 * store is 0, and they come in row-major order. Ranges may be split among threads: no lock is held,
 * nothing is allocated for them, and the bytes are the same. */
static hrry_status print_values(const hrry_tensor *tensor, uint64_t first, uint64_t count,
                                hrry_error *error) {
    float values[SHOWN];
    hrry_status status = hrry_tensor_dequantize(tensor, first, count, HRRY_TYPE_FLOAT32, values,
                                                (size_t)count * sizeof *values, error);
    for (uint64_t k = 0; status == HRRY_OK && k < count; k++) {
        printf("%g\n", (double)values[k]);
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE NAME\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    uint64_t count = 0;

    if (hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK ||
        hrry_file_tensor_find(file, argv[2], strlen(argv[2]), &tensor, &error) != HRRY_OK ||
        hrry_descriptor_element_count(hrry_tensor_descriptor(tensor), &count, &error) != HRRY_OK ||
        print_values(tensor, 0, count < SHOWN ? count : SHOWN, &error) != HRRY_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        hrry_file_close(file);
        return 1;
    }
    hrry_file_close(file);
    return 0;
}
