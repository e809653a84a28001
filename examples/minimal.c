/* Finds one tensor of a .hrry file and hands out its bytes where they lie. */
#include <hurray.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE TENSOR\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    hrry_tensor_facts facts = {.struct_size = sizeof facts};

    if (hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK ||
        hrry_file_tensor_find(file, argv[2], strlen(argv[2]), &tensor, &error) != HRRY_OK ||
        hrry_tensor_info(tensor, &facts, &error) != HRRY_OK) {
        fprintf(stderr, "%s\n", error.message);
        hrry_file_close(file);
        return 1;
    }
    /* facts.data points into the file and lives as long as `file`. It is NULL where the file could
     * not be mapped (hrry_tensor_read copies there), and for a composite head, which has no data. */
    printf("%s, rank %u, %llu bytes at %p\n", hrry_type_name(facts.type), (unsigned)facts.rank,
           (unsigned long long)facts.size, facts.data);
    hrry_file_close(file);
    return 0;
}
