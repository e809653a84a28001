/* Validation of what stands in buffers: one broken number in a tensor of each kind, written through
   the library and found again with its place. */
#include "check.h"

static hrry_error error;

#define LENT(type, ...) ((const type[]){__VA_ARGS__})
/* A buffer of these numbers. */
#define NUMBERS(type, ...) \
    {(const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__})}

/* Buffers of one tensor stand at multiples of 4096, the first of them at 4096. */
#define PLACE(buffer, byte) (4096 * ((buffer) + 1) + (uint64_t)(byte))

static hrry_builder *begin(hrry_type type, uint32_t rank, const uint64_t *shape) {
    hrry_builder *builder = NULL;
    CHECK_OK(hrry_builder_new(type, rank, shape, &builder, &error));
    return builder;
}

/* Writes a tensor, frees its builder, and opens the file. */
static hrry_file *written(hrry_builder *builder, const hrry_bytes *buffers, size_t count) {
    hrry_descriptor *descriptor = NULL;
    hrry_writer *writer = NULL;
    hrry_file *file = NULL;
    for (uint32_t k = 0; k < count; k++)
        CHECK_OK(hrry_builder_buffer_size(builder, k, buffers[k].len, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    CHECK_OK(hrry_writer_create("content.hrry", NULL, &writer, &error));
    CHECK_OK(hrry_writer_tensor(writer, "x", 1, descriptor, buffers, count, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
    CHECK_OK(hrry_file_open("content.hrry", NULL, &file, &error));
    return file;
}

/* One problem: its status, place and words. With the check left out there is none. */
static void finds(hrry_builder *builder, const hrry_bytes *buffers, size_t buffer_count,
                  hrry_status status, uint64_t offset, const char *says) {
    hrry_file *file = written(builder, buffers, buffer_count);
    hrry_error problems[2];
    uint64_t count = 7;
    CHECK_OK(hrry_file_validate(file, NULL, problems, 2, &count, &error));
    CHECK_EQ(count, 1);
    CHECK_EQ(problems[0].status, status);
    CHECK_EQ(problems[0].offset, offset);
    CHECK_EQ(problems[0].tensor, 0);
    error = problems[0];
    CHECK_SAYS("tensor 0 \"x\": data: ");
    CHECK_SAYS(says);

    hrry_validate_options options = {.struct_size = sizeof options, .checks = HRRY_CHECK_CONTENT};
    CHECK_OK(hrry_file_validate(file, &options, NULL, 0, &count, &error));
    CHECK_EQ(count, 1);
    options.checks = HRRY_CHECK_DESCRIPTORS | HRRY_CHECK_REGIONS | HRRY_CHECK_PADDING |
                     HRRY_CHECK_COMPOSITES;
    CHECK_OK(hrry_file_validate(file, &options, NULL, 0, &count, &error));
    CHECK_EQ(count, 0);
    hrry_file_close(file);
}

static void coo(void) {
    for (int sorted = 0; sorted < 2; sorted++) {
        hrry_builder *builder = begin(HRRY_TYPE_INT8, 2, LENT(uint64_t, 4, 5));
        CHECK_OK(hrry_builder_coo(builder, 3, sorted, &error));
        const hrry_bytes outside[] = {NUMBERS(int8_t, 1, 2, 3),
                                      NUMBERS(uint64_t, 0, 0, 1, 5, 3, 3)};
        finds(builder, outside, 2, HRRY_ERROR_BOUNDS, PLACE(1, 24),
              "indices[3] is 5, must be below 5, at byte 8216");

        builder = begin(HRRY_TYPE_INT8, 2, LENT(uint64_t, 4, 5));
        CHECK_OK(hrry_builder_coo(builder, 3, sorted, &error));
        const hrry_bytes twice[] = {NUMBERS(int8_t, 1, 2, 3), NUMBERS(uint64_t, 0, 0, 3, 3, 3, 3)};
        finds(builder, twice, 2, HRRY_ERROR_DUPLICATE, PLACE(1, 32),
              "indices[4] begins coordinates that begin at 2 already");
    }
    hrry_builder *builder = begin(HRRY_TYPE_INT8, 2, LENT(uint64_t, 4, 5));
    CHECK_OK(hrry_builder_coo(builder, 3, true, &error));
    const hrry_bytes unsorted[] = {NUMBERS(int8_t, 1, 2, 3), NUMBERS(uint64_t, 3, 3, 0, 0, 3, 4)};
    finds(builder, unsorted, 2, HRRY_ERROR_UNSORTED, PLACE(1, 16),
          "indices[2] begins coordinates that do not come after those before");
}

static void csr_and_csc(void) {
    hrry_builder *builder = begin(HRRY_TYPE_INT8, 2, LENT(uint64_t, 4, 5));
    CHECK_OK(hrry_builder_csr(builder, 3, &error));
    const hrry_bytes order[] = {NUMBERS(int8_t, 1, 2, 3), NUMBERS(uint64_t, 4, 2, 2),
                                NUMBERS(uint64_t, 0, 1, 1, 3, 3)};
    finds(builder, order, 3, HRRY_ERROR_UNSORTED, PLACE(1, 16),
          "col_indices[2] is 2, must be above 2");

    builder = begin(HRRY_TYPE_INT8, 2, LENT(uint64_t, 4, 5));
    CHECK_OK(hrry_builder_csc(builder, 3, &error));
    const hrry_bytes end[] = {NUMBERS(int8_t, 1, 2, 3), NUMBERS(uint64_t, 0, 1, 2),
                              NUMBERS(uint64_t, 0, 1, 1, 3, 3, 4)};
    finds(builder, end, 3, HRRY_ERROR_MISMATCH, PLACE(2, 40), "col_ptr[5] is 4, must be 3");
}

static void csf(void) {
    hrry_builder *builder = begin(HRRY_TYPE_INT8, 3, LENT(uint64_t, 2, 3, 4));
    CHECK_OK(hrry_builder_csf(builder, 2, LENT(uint32_t, 2, 0, 1), &error));
    const hrry_bytes level[] = {
        NUMBERS(int8_t, 1, 2),      NUMBERS(uint64_t, 0, 2), NUMBERS(uint64_t, 0, 3),
        NUMBERS(uint64_t, 0, 1, 2), NUMBERS(uint64_t, 0, 2), NUMBERS(uint64_t, 0, 1, 2),
        NUMBERS(uint64_t, 2, 2)};
    finds(builder, level, 7, HRRY_ERROR_BOUNDS, PLACE(4, 8), "crd_1[1] is 2, must be below 2");

    /* Its first level says that the second has three nodes: decoding cannot know. */
    builder = begin(HRRY_TYPE_INT8, 3, LENT(uint64_t, 2, 3, 4));
    CHECK_OK(hrry_builder_csf(builder, 2, LENT(uint32_t, 2, 0, 1), &error));
    const hrry_bytes size[] = {
        NUMBERS(int8_t, 1, 2),      NUMBERS(uint64_t, 0, 3), NUMBERS(uint64_t, 0, 3),
        NUMBERS(uint64_t, 0, 1, 2), NUMBERS(uint64_t, 0, 1), NUMBERS(uint64_t, 0, 1, 2),
        NUMBERS(uint64_t, 2, 2)};
    finds(builder, size, 7, HRRY_ERROR_TOO_SMALL, PLACE(2, 0),
          "crd too small: need 24 bytes, have 16");
}

static void block_paged(void) {
    const hrry_block_paged layout = {
        .struct_size = sizeof layout,
        .num_pages = 2,
        .page_size = 4,
        .num_seqs = 2,
        .kv_role = HRRY_KV_ROLE_KEY,
        .layer_index = 0,
        .block_table_index_type = HRRY_INDEX_U32,
    };
    static const int8_t pool[16];
    hrry_builder *builder = begin(HRRY_TYPE_INT8, 3, LENT(uint64_t, 12, 1, 2));
    CHECK_OK(hrry_builder_block_paged(builder, &layout, &error));
    const hrry_bytes page[] = {{pool, 16}, NUMBERS(uint32_t, 1, 2, 1), NUMBERS(uint32_t, 0, 1, 3)};
    finds(builder, page, 3, HRRY_ERROR_BOUNDS, PLACE(1, 4), "block_table[1] is 2, must be below 2");

    builder = begin(HRRY_TYPE_INT8, 3, LENT(uint64_t, 12, 1, 2));
    CHECK_OK(hrry_builder_block_paged(builder, &layout, &error));
    const hrry_bytes end[] = {{pool, 16}, NUMBERS(uint32_t, 1, 0, 1), NUMBERS(uint32_t, 0, 1, 2)};
    finds(builder, end, 3, HRRY_ERROR_MISMATCH, PLACE(2, 8), "seq_ptr[2] is 2, must be 3");
}

static void quantization(void) {
    const hrry_quantization channels = {
        .struct_size = sizeof channels,
        .scheme = HRRY_SCHEME_PER_CHANNEL_AFFINE,
        .axis = 0,
        .scale_type = HRRY_TYPE_FLOAT32,
        .scale_buffer = 1,
        .zero_point_buffer = 2,
    };
    hrry_builder *builder = begin(HRRY_TYPE_UINT8, 1, LENT(uint64_t, 3));
    CHECK_OK(hrry_builder_quantization(builder, &channels, &error));
    const hrry_bytes scale[] = {NUMBERS(uint8_t, 1, 2, 3), NUMBERS(float, 1, -2, 0),
                                NUMBERS(int32_t, 0, 255, 128)};
    finds(builder, scale, 3, HRRY_ERROR_VALUE, PLACE(1, 8),
          "scales[2] is 0, must be finite and not 0");

    builder = begin(HRRY_TYPE_UINT8, 1, LENT(uint64_t, 3));
    CHECK_OK(hrry_builder_quantization(builder, &channels, &error));
    const hrry_bytes zero_point[] = {NUMBERS(uint8_t, 1, 2, 3), NUMBERS(float, 1, -2, 3),
                                     NUMBERS(int32_t, 0, 255, -1)};
    finds(builder, zero_point, 3, HRRY_ERROR_VALUE, PLACE(2, 8),
          "zero_points[2] is -1, must be in 0 to 255");

    static const uint8_t codes[32];
    hrry_quantization blocks = {
        .struct_size = sizeof blocks,
        .scheme = HRRY_SCHEME_NF4,
        .axis = 0,
        .block_size = 32,
        .scale_buffer = 1,
    };
    builder = begin(HRRY_TYPE_UINT4, 1, LENT(uint64_t, 64));
    CHECK_OK(hrry_builder_quantization(builder, &blocks, &error));
    const hrry_bytes nf4[] = {{codes, 32}, NUMBERS(float, 0, -1)};
    finds(builder, nf4, 2, HRRY_ERROR_VALUE, PLACE(1, 4),
          "scales[1] is -1, must be finite and at least 0");

    blocks.scheme = HRRY_SCHEME_MXFP;
    builder = begin(HRRY_TYPE_INT4, 1, LENT(uint64_t, 64));
    CHECK_OK(hrry_builder_quantization(builder, &blocks, &error));
    const hrry_bytes mxfp[] = {{codes, 32}, NUMBERS(uint8_t, 127, 255)};
    finds(builder, mxfp, 2, HRRY_ERROR_VALUE, PLACE(1, 1),
          "scales[1] is 0xff, which float8_e8m0 does not have");
}

static void e8m0(void) {
    const hrry_bytes data[] = {NUMBERS(uint8_t, 1, 254, 127, 0)};
    finds(begin(HRRY_TYPE_FLOAT8_E8M0, 1, LENT(uint64_t, 4)), data, 1, HRRY_ERROR_VALUE,
          PLACE(0, 3), "data[3] is 0x00, which float8_e8m0 does not have");
}

int main(void) {
    coo();
    csr_and_csc();
    csf();
    block_paged();
    quantization();
    e8m0();
    return 0;
}
