/* Writes a tensor that never is in memory as a whole: begun, fed in pieces, ended.
 *
 *     stream_large FILE [MEBIBYTES] */
#include <hurray.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE 65536 /* elements */

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [MEBIBYTES]\n", argv[0]);
        return 2;
    }
    uint64_t mebibytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 64;
    uint64_t shape[2] = {mebibytes * 4, PIECE};
    static float piece[PIECE];

    hrry_error error;
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    hrry_writer *writer = NULL;
    int code = 1;

    /* A descriptor says what the tensor is. Without further settings: row-major, one buffer. */
    if (hrry_builder_new(HRRY_TYPE_FLOAT32, 2, shape, &builder, &error) != HRRY_OK ||
        hrry_builder_build(builder, &descriptor, &error) != HRRY_OK ||
        hrry_writer_create(argv[1], NULL, &writer, &error) != HRRY_OK ||
        hrry_writer_begin(writer, "table", 5, descriptor, &error) != HRRY_OK) {
        goto failed;
    }
    for (uint64_t row = 0; row < shape[0]; row++) {
        for (size_t k = 0; k < PIECE; k++) {
            piece[k] = (float)row + (float)k / PIECE;
        }
        if (hrry_writer_write(writer, piece, sizeof piece, &error) != HRRY_OK) {
            goto failed;
        }
    }
    if (hrry_writer_end(writer, &error) != HRRY_OK ||
        hrry_writer_finish(writer, &error) != HRRY_OK) {
        goto failed;
    }
    printf("%s: %" PRIu64 " MiB written through %zu KiB\n", argv[1], mebibytes,
           sizeof piece / 1024);
    code = 0;
    goto done;

failed:
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
done:
    hrry_writer_free(writer); /* unfinished: whatever was at FILE before is still there */
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
    return code;
}
