/* Quantized tensors: codes and parameters to floats, scheme by scheme, with values that were worked
   out by hand from quantization.md; ranges split anywhere, boxes, and parameters that are none. */
#include "values.h"

#include <math.h>

static hrry_error error;

/* What every element is worth, in row-major order. */
struct worth {
    uint32_t rank;
    const uint64_t *shape;
    const float *values;
};

static void is_worth(const struct subject *subject, const void *context) {
    const struct worth *of = context;
    const uint64_t total = elements_of(of->rank, of->shape);
    float *found = check_malloc(total * 4);
    double *doubles = check_malloc(total * 8);

    /* Any range, wherever it begins and ends in a block. */
    for (uint64_t first = 0; first <= total; first++) {
        for (uint64_t n = 0; n <= total - first; n += under_valgrind() ? 1 + n / 2 : 1) {
            memset(found, 0xFF, total * 4);
            CHECK_OK(ASK(subject, dequantize, first, n, HRRY_TYPE_FLOAT32, found, n * 4, &error));
            CHECK_BYTES(found, n * 4, of->values + first, n * 4);
        }
    }
    CHECK_OK(ASK(subject, dequantize, 0, total, HRRY_TYPE_FLOAT64, doubles, total * 8, &error));
    for (uint64_t k = 0; k < total; k++) CHECK(doubles[k] == of->values[k]);

    /* Boxes: without the first index of each dimension, and without the last. */
    for (uint64_t at = 0; at < 2; at++) {
        uint64_t lower[4], extent[4], index[4] = {0}, n = 0;
        for (uint32_t k = 0; k < of->rank; k++) {
            lower[k] = of->shape[k] > 1 ? at : 0;
            extent[k] = of->shape[k] > 1 ? of->shape[k] - 1 : 1;
        }
        const uint64_t count = elements_of(of->rank, extent);
        CHECK_OK(ASK(subject, dequantize_box, lower, extent, HRRY_TYPE_FLOAT32, found, count * 4,
                     &error));
        do {
            uint64_t place = 0;
            for (uint32_t k = 0; k < of->rank; k++)
                place = place * of->shape[k] + lower[k] + index[k];
            CHECK_BYTES(&found[n++], 4, &of->values[place], 4);
        } while (next_index(of->rank, extent, index));
    }

    CHECK_FAILS(ASK(subject, dequantize, 0, total, HRRY_TYPE_FLOAT32, found, total * 4 - 4, &error),
                HRRY_ERROR_ROOM);
    CHECK_FAILS(ASK(subject, dequantize, 1, total, HRRY_TYPE_FLOAT32, found, total * 4, &error),
                HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, dequantize, 0, total, HRRY_TYPE_INT64, doubles, total * 8, &error),
                HRRY_ERROR_ARGUMENT);
    free(found);
    free(doubles);
}

/* A descriptor with a scheme; `tell`: a layout, or NULL. */
static hrry_descriptor *quantized(hrry_type type, uint32_t rank, const uint64_t *shape,
                                  hrry_quantization scheme,
                                  hrry_status (*tell)(hrry_builder *, hrry_error *)) {
    scheme.struct_size = sizeof scheme;
    hrry_builder *builder = build(type, rank, shape);
    if (tell != NULL) CHECK_OK(tell(builder, &error));
    CHECK_OK(hrry_builder_quantization(builder, &scheme, &error));
    return built(builder);
}

/* Per tensor: x = scale * (q - zero_point). */
static void per_tensor(void) {
    const uint64_t *shape = AT(2, 3);
    const int8_t codes[] = {-128, 0, 3, 4, 127, -1};
    const float values[] = {-65.5f, -1.5f, 0, 0.5f, 62, -2};
    const hrry_quantization scheme = {
        .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 0.5f, .zero_point = 3};
    const hrry_memory buffer = {codes, sizeof codes};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_INT8, 2, shape, scheme, NULL);
    each_subject(descriptor, &buffer, 1, is_worth, &(struct worth){2, shape, values});

    /* What is copied, and what a single element is, are the codes. */
    int8_t copy[6];
    hrry_element element = {.struct_size = sizeof element};
    CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0, 0), shape, HRRY_AS_STORED, copy, 6,
                              &error));
    CHECK_BYTES(copy, 6, codes, 6);
    CHECK_OK(hrry_values_element(descriptor, &buffer, 1, AT(1, 2), &element, &error));
    CHECK(element.kind == HRRY_ELEMENT_SIGNED && element.signed_value == -1);
    hrry_descriptor_free(descriptor);

    /* The same, column by column. */
    const int8_t columns[] = {-128, 4, 0, 127, 3, -1};
    const hrry_memory by_column = {columns, sizeof columns};
    descriptor = quantized(HRRY_TYPE_INT8, 2, shape, scheme, hrry_builder_column_major);
    each_subject(descriptor, &by_column, 1, is_worth, &(struct worth){2, shape, values});
    hrry_descriptor_free(descriptor);

    /* uint2 and int4, packed; int2 with its sign. */
    const unsigned char two[] = {0xE4, 0x01}, four[] = {0x87, 0xF0}; /* 0 1 2 3 1 0; 7 -8 0 -1 */
    const float of_uint2[] = {-4, -2, 0, 2, -2, -4}, of_int2[] = {0, 3, -6, -3, 3, 0},
                of_int4[] = {1.75f, -2, 0, -0.25f};
    const hrry_memory buffer2 = {two, 2}, buffer4 = {four, 2};
    descriptor = quantized(HRRY_TYPE_UINT2, 2, shape,
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 2,
                                               .zero_point = 2}, NULL);
    each_subject(descriptor, &buffer2, 1, is_worth, &(struct worth){2, shape, of_uint2});
    hrry_descriptor_free(descriptor);
    descriptor = quantized(HRRY_TYPE_INT2, 2, shape,
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 3},
                           NULL);
    each_subject(descriptor, &buffer2, 1, is_worth, &(struct worth){2, shape, of_int2});
    hrry_descriptor_free(descriptor);
    descriptor = quantized(HRRY_TYPE_INT4, 1, AT(4),
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE,
                                               .scale = 0.25f}, NULL);
    each_subject(descriptor, &buffer4, 1, is_worth, &(struct worth){1, AT(4), of_int4});
    hrry_descriptor_free(descriptor);

    /* The difference leaves 32 bits, and is rounded once: -2^31 - 127 to -2^31, -2^31 - 129 to the
       float below. */
    const int32_t wide[] = {INT32_MIN, INT32_MIN + 2, 127};
    const float of_wide[] = {-0x1p31f, -0x1p31f, 0};
    const hrry_memory buffer32 = {wide, sizeof wide};
    descriptor = quantized(HRRY_TYPE_INT32, 1, AT(3),
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 1,
                                               .zero_point = 127}, NULL);
    each_subject(descriptor, &buffer32, 1, is_worth, &(struct worth){1, AT(3), of_wide});
    hrry_descriptor_free(descriptor);
    const int32_t further[] = {INT32_MIN, -1};
    const float of_further[] = {-0x1.000002p31f, -130};
    const hrry_memory buffer_further = {further, sizeof further};
    descriptor = quantized(HRRY_TYPE_INT32, 1, AT(2),
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 1,
                                               .zero_point = 129}, NULL);
    each_subject(descriptor, &buffer_further, 1, is_worth, &(struct worth){1, AT(2), of_further});
    hrry_descriptor_free(descriptor);
}

/* Per channel: a scale and a zero point for each index of the axis. */
static void per_channel(void) {
    const uint64_t *shape = AT(2, 3);
    const uint8_t codes[] = {0, 128, 255, 1, 2, 3};
    const float along_1[] = {0, 0, 0, 1, -63, -63}; /* scales 1, 0.5, 0.25; zeros 0, 128, 255 */
    const float along_0[] = {-20, 236, 490, -9, -8, -7};   /* scales 2, 1; zeros 10, 10 */
    const float symmetric[] = {0, 64, 63.75f, 1, 1, 0.75f};

    struct {
        float scales[3];
        int32_t zeros[3];
    } of_columns = {{1, 0.5f, 0.25f}, {0, 128, 255}};
    hrry_quantization scheme = {.scheme = HRRY_SCHEME_PER_CHANNEL_AFFINE, .axis = 1,
                                .scale_type = HRRY_TYPE_FLOAT32, .scale_buffer = 1,
                                .zero_point_buffer = 2};
    const hrry_memory apart[] = {{codes, 6}, {of_columns.scales, 12}, {of_columns.zeros, 12}};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_UINT8, 2, shape, scheme, NULL);
    each_subject(descriptor, apart, 3, is_worth, &(struct worth){2, shape, along_1});
    hrry_descriptor_free(descriptor);

    /* One buffer for both: all scales, then all zero points. */
    scheme.zero_point_buffer = 1;
    const hrry_memory together[] = {{codes, 6}, {&of_columns, sizeof of_columns}};
    descriptor = quantized(HRRY_TYPE_UINT8, 2, shape, scheme, NULL);
    CHECK_EQ(hrry_descriptor_buffer_count(descriptor), 2);
    CHECK_EQ(buffer_size(descriptor, 1), 24);
    each_subject(descriptor, together, 2, is_worth, &(struct worth){2, shape, along_1});
    hrry_descriptor_free(descriptor);

    const float of_rows[] = {2, 1};
    const int32_t tens[] = {10, 10};
    const hrry_memory rows[] = {{codes, 6}, {of_rows, 8}, {tens, 8}};
    scheme.axis = 0;
    scheme.zero_point_buffer = 2;
    descriptor = quantized(HRRY_TYPE_UINT8, 2, shape, scheme, NULL);
    each_subject(descriptor, rows, 3, is_worth, &(struct worth){2, shape, along_0});
    hrry_descriptor_free(descriptor);

    scheme.axis = 1;
    scheme.flags = HRRY_QUANTIZATION_SYMMETRIC;
    scheme.zero_point_buffer = HRRY_NO_BUFFER;
    descriptor = quantized(HRRY_TYPE_UINT8, 2, shape, scheme, NULL);
    each_subject(descriptor, apart, 2, is_worth, &(struct worth){2, shape, symmetric});
    hrry_descriptor_free(descriptor);
}

/* Per block, the last of each line in part: stored to its end, the surplus ignored. */
static void per_block(void) {
    /* int4 [2, 5] along 1 in blocks of 2: three a row, six elements are stored of each. */
    const uint64_t *shape = AT(2, 5);
    const unsigned char codes[] = {0x21, 0x43, 0x05, 0xFE, 0xDC, 0x0B}; /* 1..5 _ -2..-5, -5: b */
    struct {
        uint16_t scales[6];
        int32_t zeros[6];
    } parameters = {{0x3C00, 0x3800, 0x4000, 0x4400, 0x3C00, 0x3400}, {0, 1, 5, -2, 0, 3}};
    /* scales 1, 0.5, 2, 4, 1, 0.25 */
    const float values[] = {1, 2, 1, 1.5f, 0, 0, 4, -4, -3, -2};
    hrry_quantization scheme = {.scheme = HRRY_SCHEME_PER_BLOCK_AFFINE, .axis = 1, .block_size = 2,
                                .scale_type = HRRY_TYPE_FLOAT16, .scale_buffer = 1,
                                .zero_point_buffer = 1};
    const hrry_memory buffers[] = {{codes, sizeof codes}, {&parameters, sizeof parameters}};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_INT4, 2, shape, scheme, NULL);
    CHECK_EQ(buffer_size(descriptor, 0), 6);
    CHECK_EQ(buffer_size(descriptor, 1), 36);
    each_subject(descriptor, buffers, 2, is_worth, &(struct worth){2, shape, values});
    hrry_descriptor_free(descriptor);

    /* uint8 [5, 2] along 0 in blocks of 4, column by column: eight are stored of each. Block
       2 j + i / 4. */
    const uint64_t *tall = AT(5, 2);
    const uint8_t columns[] = {1, 2, 3, 4, 5, 0, 0, 0, 10, 20, 30, 40, 50, 0, 0, 0};
    const uint16_t scales[] = {0x3F80, 0x4000, 0x3F00, 0x4040}; /* bfloat16 1, 2, 0.5, 3 */
    const float of_columns[] = {1, 5, 2, 10, 3, 15, 4, 20, 10, 150};
    scheme = (hrry_quantization){.scheme = HRRY_SCHEME_PER_BLOCK_AFFINE, .axis = 0, .block_size = 4,
                                 .flags = HRRY_QUANTIZATION_SYMMETRIC,
                                 .scale_type = HRRY_TYPE_BFLOAT16, .scale_buffer = 1,
                                 .zero_point_buffer = HRRY_NO_BUFFER};
    const hrry_memory by_column[] = {{columns, sizeof columns}, {scales, sizeof scales}};
    descriptor = quantized(HRRY_TYPE_UINT8, 2, tall, scheme, hrry_builder_column_major);
    each_subject(descriptor, by_column, 2, is_worth, &(struct worth){2, tall, of_columns});
    hrry_descriptor_free(descriptor);

    /* The middle dimension of three: the block is outer * B + i / K, outer over the two others. */
    const uint64_t *cube = AT(2, 4, 3);
    int8_t of_cube[24];
    float block_scales[12], worth[24];
    int32_t block_zeros[12];
    for (int b = 0; b < 12; b++) {
        block_scales[b] = (float)(b + 1) / 8;
        block_zeros[b] = b - 6;
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++) {
                const int at = (i * 4 + j) * 3 + k, block = (i * 3 + k) * 2 + j / 2;
                of_cube[at] = (int8_t)(at * 9 - 100);
                worth[at] = block_scales[block] * (float)(of_cube[at] - block_zeros[block]);
            }
    scheme = (hrry_quantization){.scheme = HRRY_SCHEME_PER_BLOCK_AFFINE, .axis = 1, .block_size = 2,
                                 .scale_type = HRRY_TYPE_FLOAT32, .scale_buffer = 1,
                                 .zero_point_buffer = 2};
    const hrry_memory in_three[] = {{of_cube, 24}, {block_scales, 48}, {block_zeros, 48}};
    descriptor = quantized(HRRY_TYPE_INT8, 3, cube, scheme, NULL);
    each_subject(descriptor, in_three, 3, is_worth, &(struct worth){3, cube, worth});
    hrry_descriptor_free(descriptor);
}

/* NF4: x = scale * table[q]. */
static void nf4(void) {
    static const float table[16] = {
        -1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f,
        -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
        0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f, 0.33791524171829224f,
        0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f};
    const uint64_t *shape = AT(24);
    unsigned char codes[12];
    float values[24];
    const float scales[] = {1, 3, 0};
    for (unsigned k = 0; k < 24; k++) {
        put_code(codes, 4, k, k % 16);
        values[k] = scales[k / 8] * table[k % 16];
    }
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_NF4, .axis = 0, .block_size = 8,
                                      .scale_type = HRRY_TYPE_FLOAT32, .scale_buffer = 1,
                                      .zero_point_buffer = HRRY_NO_BUFFER};
    const hrry_memory buffers[] = {{codes, sizeof codes}, {scales, sizeof scales}};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_UINT4, 1, shape, scheme, NULL);
    each_subject(descriptor, buffers, 2, is_worth, &(struct worth){1, shape, values});
    hrry_descriptor_free(descriptor);
}

/* MXFP: x = 2^(e - 127) * value(q). */
static void mxfp(void) {
    const struct {
        hrry_type type;
        uint32_t bits;
        unsigned char codes[4];
        float values[4];
    } types[] = {
        {HRRY_TYPE_FLOAT4_E2M1, 4, {0x1, 0x7, 0x9, 0xF}, {0.5f, 6, -0.5f, -6}},
        {HRRY_TYPE_FLOAT6_E2M3, 6, {0x01, 0x1F, 0x08, 0x3F}, {0.125f, 7.5f, 1, -7.5f}},
        {HRRY_TYPE_FLOAT6_E3M2, 6, {0x01, 0x1F, 0x0C, 0x3F}, {0.0625f, 28, 1, -28}},
        {HRRY_TYPE_FLOAT8_E4M3, 8, {0x38, 0x7E, 0x01, 0xFE}, {1, 448, 0x1p-9f, -448}},
        {HRRY_TYPE_FLOAT8_E5M2, 8, {0x3C, 0x7B, 0x7C, 0xFB}, {1, 57344, INFINITY, -57344}},
        {HRRY_TYPE_INT8, 8, {0x01, 0x7F, 0x80, 0xFF}, {1, 127, -128, -1}},
        {HRRY_TYPE_INT4, 4, {0x1, 0x7, 0x8, 0xF}, {1, 7, -8, -1}},
    };
    /* [2, 32] along 1 in blocks of 16: 2^1, 2^-1, 2^0, 2^-126. */
    const uint64_t *shape = AT(2, 32);
    const unsigned char scales[] = {128, 126, 127, 1};
    const float powers[] = {2, 0.5f, 1, 0x1p-126f};
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_MXFP, .axis = 1, .block_size = 16,
                                      .scale_type = HRRY_TYPE_FLOAT8_E8M0, .scale_buffer = 1,
                                      .zero_point_buffer = HRRY_NO_BUFFER};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        unsigned char codes[64];
        float values[64];
        for (unsigned k = 0; k < 64; k++) {
            put_code(codes, types[t].bits, k, types[t].codes[k % 4]);
            values[k] = powers[k / 16] * types[t].values[k % 4];
        }
        const hrry_memory buffers[] = {{codes, packed_size(types[t].bits, 64)}, {scales, 4}};
        hrry_descriptor *descriptor = quantized(types[t].type, 2, shape, scheme, NULL);
        each_subject(descriptor, buffers, 2, is_worth, &(struct worth){2, shape, values});
        hrry_descriptor_free(descriptor);
    }
}

static hrry_status tiles_of_2_by_4(hrry_builder *builder, hrry_error *problem) {
    const hrry_tiles tiles = {.tile_shape = AT(2, 4), .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
                              .inner_layout = HRRY_LAYOUT_ROW_MAJOR};
    return hrry_builder_tiled(builder, &tiles, 1, problem);
}

/* Blocks are of the tensor, not of its tiles. */
static void tiled(void) {
    const uint64_t *shape = AT(4, 8);
    unsigned char codes[16];
    float scales[8], values[32];
    int32_t zeros[8];
    for (unsigned b = 0; b < 8; b++) {
        scales[b] = (float)(b + 1);
        zeros[b] = (int32_t)b - 4;
    }
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 8; j++) {
            const unsigned at = i * 8 + j, block = i * 2 + j / 4;
            put_code(codes, 4, (i / 2 * 2 + j / 4) * 8 + i % 2 * 4 + j % 4, at % 16);
            values[at] = scales[block] * (float)((int)(at % 16) - zeros[block]);
        }
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_PER_BLOCK_AFFINE, .axis = 1,
                                      .block_size = 4, .scale_type = HRRY_TYPE_FLOAT32,
                                      .scale_buffer = 1, .zero_point_buffer = 2};
    const hrry_memory buffers[] = {{codes, 16}, {scales, 32}, {zeros, 32}};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_UINT4, 2, shape, scheme, tiles_of_2_by_4);
    each_subject(descriptor, buffers, 3, is_worth, &(struct worth){2, shape, values});
    hrry_descriptor_free(descriptor);
}

/* Sparse: parameters are those of the coordinates; what is absent is 0, whatever the zero point. */
static hrry_status three_by_row(hrry_builder *builder, hrry_error *problem) {
    return hrry_builder_csr(builder, 3, problem);
}

static void sparse(void) {
    const uint64_t *shape = AT(2, 3);
    const int8_t codes[] = {5, -7, 0};
    const uint64_t columns[] = {1, 0, 2}, rows[] = {0, 1, 3};
    const float scales[] = {1, 2, 4};
    const int32_t zeros[] = {1, 2, 3};
    const float values[] = {0, 6, 0, -8, 0, -12};
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_PER_CHANNEL_AFFINE, .axis = 1,
                                      .scale_type = HRRY_TYPE_FLOAT32, .scale_buffer = 3,
                                      .zero_point_buffer = 4};
    const hrry_memory buffers[] = {{codes, 3}, {columns, 24}, {rows, 24}, {scales, 12}, {zeros, 12}};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_INT8, 2, shape, scheme, three_by_row);
    each_subject(descriptor, buffers, 5, is_worth, &(struct worth){2, shape, values});
    hrry_descriptor_free(descriptor);
}

/* From float32 the values are rounded to what was asked for: 127000 is too large for float16, and
   lies between two of bfloat16. */
static void rounded(void) {
    const int8_t codes[] = {127, 1};
    const hrry_memory buffer = {codes, 2};
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 1000};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_INT8, 1, AT(2), scheme, NULL);
    uint16_t halves[2];
    CHECK_OK(hrry_values_dequantize(descriptor, &buffer, 1, 0, 2, HRRY_TYPE_FLOAT16, halves, 4,
                                    &error));
    CHECK(halves[0] == 0x7C00 && halves[1] == 0x63D0);
    CHECK_OK(hrry_values_dequantize_box(descriptor, &buffer, 1, AT(0), AT(2), HRRY_TYPE_BFLOAT16,
                                        halves, 4, &error));
    CHECK(halves[0] == 0x47F8 && halves[1] == 0x447A);
    /* float64 is the float32, widened: 0.1f is not 0.1. */
    double value;
    hrry_descriptor_free(descriptor);
    descriptor = quantized(HRRY_TYPE_INT8, 1, AT(2),
                           (hrry_quantization){.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE,
                                               .scale = 0.1f}, NULL);
    CHECK_OK(hrry_values_dequantize(descriptor, &buffer, 1, 1, 1, HRRY_TYPE_FLOAT64, &value, 8,
                                    &error));
    CHECK(value == (double)0.1f);
    hrry_descriptor_free(descriptor);
}

/* e8m0 00 and FF are no scales: an error for whoever meets them, which says where. */
static void scales_that_are_none(void) {
    static const unsigned char codes[32];
    const hrry_quantization scheme = {.scheme = HRRY_SCHEME_MXFP, .axis = 0, .block_size = 16,
                                      .scale_type = HRRY_TYPE_FLOAT8_E8M0, .scale_buffer = 1,
                                      .zero_point_buffer = HRRY_NO_BUFFER};
    hrry_descriptor *descriptor = quantized(HRRY_TYPE_INT8, 1, AT(32), scheme, NULL);
    for (int k = 0; k < 2; k++) {
        const unsigned char scales[] = {127, k == 0 ? 0x00 : 0xFF};
        const hrry_memory buffers[] = {{codes, 32}, {scales, 2}};
        float found[32];
        CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 2, 0, 32, HRRY_TYPE_FLOAT32, found,
                                           sizeof found, &error), HRRY_ERROR_VALUE);
        CHECK_SAYS("scales[1]");
        CHECK_SAYS(k == 0 ? "0x00" : "0xff");
        CHECK_OK(hrry_values_dequantize(descriptor, buffers, 2, 0, 16, HRRY_TYPE_FLOAT32, found, 64,
                                        &error));
        const hrry_memory too_few[] = {{codes, 32}, {scales, 1}};
        CHECK_FAILS(hrry_values_dequantize(descriptor, too_few, 2, 0, 16, HRRY_TYPE_FLOAT32, found,
                                           64, &error), HRRY_ERROR_ROOM);
    }
    hrry_descriptor_free(descriptor);
}

int main(void) {
    per_tensor();
    per_channel();
    per_block();
    nf4();
    mxfp();
    tiled();
    sparse();
    rounded();
    scales_that_are_none();
    return 0;
}
