/* Writes a small file: metadata, then tensors.
 *
 *     write_file FILE
 *
 * FILE holds the whole new file after hrry_writer_finish, and what it held before until then. */
#include <hurray.h>
#include <stdio.h>

#define TEXT(literal) literal, sizeof literal - 1

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    static const float weight[2][3] = {{1, 2, 3}, {4, 5, 6}};
    static const uint64_t weight_shape[] = {2, 3};
    static const int64_t steps = 20000; /* one number: no dimensions */
    static const unsigned char mask[] = {0x0D}; /* true false true true false: a bit each */
    static const uint64_t mask_shape[] = {5};

    hrry_error error;
    hrry_writer *writer = NULL;
    if (hrry_writer_create(argv[1], NULL, &writer, &error) != HRRY_OK ||
        /* Metadata comes before the first tensor. */
        hrry_writer_kv_string(writer, TEXT("made by"), TEXT("write_file.c"), &error) != HRRY_OK ||
        hrry_writer_kv_f64(writer, TEXT("learning rate"), 3e-4, &error) != HRRY_OK ||
        hrry_writer_dense(writer, TEXT("weight"), HRRY_TYPE_FLOAT32, 2, weight_shape, weight,
                          sizeof weight, &error) != HRRY_OK ||
        hrry_writer_dense(writer, TEXT("steps"), HRRY_TYPE_INT64, 0, NULL, &steps, sizeof steps,
                          &error) != HRRY_OK ||
        hrry_writer_dense(writer, TEXT("mask"), HRRY_TYPE_BOOL, 1, mask_shape, mask, sizeof mask,
                          &error) != HRRY_OK ||
        hrry_writer_finish(writer, &error) != HRRY_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        hrry_writer_free(writer);
        return 1;
    }
    hrry_writer_free(writer);
    printf("%s: 3 tensors written\n", argv[1]);
    return 0;
}
