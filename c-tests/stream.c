/* A tensor larger than memory: begun, fed in pieces, ended. */
#define _XOPEN_SOURCE 700
#include "limit.h"

enum { PIECE = 1 << 16 };

static hrry_error error;

/* What stands at byte `at` of the tensor, 8 at a time. */
static uint64_t word(uint64_t at) { return (at + 1) * 0x9E3779B97F4A7C15u; }

static void fill(uint64_t *words, uint64_t first_byte) {
    for (uint64_t k = 0; k < PIECE / 8; k++) words[k] = word(first_byte / 8 + k);
}

int main(void) {
    /* 192 MiB in 16 MiB of memory; under valgrind less, and no limit. */
    const uint64_t pieces = under_valgrind() ? 32 : 3072, size = pieces * PIECE;
    static uint64_t words[PIECE / 8], copy[PIECE / 8];
    if (!under_valgrind()) limit_memory(16 << 20);

    const uint64_t shape[] = {pieces, PIECE / 8};
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_UINT64, 2, shape, &builder, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);

    const hrry_writer_options options = {
        .struct_size = sizeof options, .flags = HRRY_WRITE_NO_SYNC};
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create("large.hrry", &options, &writer, &error));
    CHECK_OK(hrry_writer_dense(writer, "first", 5, HRRY_TYPE_UINT8, 0, NULL, "1", 1, &error));
    CHECK_OK(hrry_writer_begin(writer, "large", 5, descriptor, &error));
    for (uint64_t k = 0; k < pieces; k++) {
        fill(words, k * PIECE);
        /* Pieces of any size: here one byte apart. */
        const size_t cut = (size_t)(k % PIECE);
        CHECK_OK(hrry_writer_write(writer, words, cut, &error));
        CHECK_OK(hrry_writer_write(writer, (const char *)words + cut, PIECE - cut, &error));
    }
    CHECK_FAILS(hrry_writer_write(writer, words, 1, &error), HRRY_ERROR_RANGE);
    CHECK_OK(hrry_writer_end(writer, &error));
    CHECK_OK(hrry_writer_dense(writer, "last", 4, HRRY_TYPE_UINT8, 0, NULL, "2", 1, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);

    /* It cannot be mapped within the limit, so it is read, which does as well. */
    hrry_file *file = NULL;
    hrry_file_facts facts = {.struct_size = sizeof facts};
    const hrry_tensor *tensor = NULL;
    CHECK_OK(hrry_file_open("large.hrry", NULL, &file, &error));
    CHECK_OK(hrry_file_info(file, &facts, &error));
    CHECK_EQ(facts.access, under_valgrind() ? HRRY_ACCESS_MAPPED : HRRY_ACCESS_READS);
    CHECK_OK(hrry_file_tensor_find(file, "large", 5, &tensor, &error));
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &buffer, &error));
    CHECK_EQ(buffer.size, size);
    CHECK((buffer.data == NULL) == (facts.access == HRRY_ACCESS_READS));
    for (uint64_t k = 0; k < pieces; k++) {
        fill(words, k * PIECE);
        CHECK_OK(hrry_tensor_read(tensor, 0, k * PIECE, copy, PIECE, &error));
        CHECK(memcmp(words, copy, PIECE) == 0);
    }
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    hrry_file_close(file);
    return 0;
}
