/* Composites whose members are quantized, sparse, and laid out each in its own way, read as the one
   tensor that they are. */
#include "values.h"

static hrry_error error;

/* A tensor of the file: a head has no buffers. */
struct part {
    const char *name;
    hrry_descriptor *descriptor;
    hrry_bytes buffers[5];
};

/* Writes a head and its members, a head among them followed by its own. */
static void write_composite(const char *path, const struct part *parts, uint32_t count) {
    const hrry_descriptor *members[8];
    hrry_writer *writer = NULL;
    const hrry_writer_options unsynced = {.struct_size = sizeof unsynced,
                                          .flags = HRRY_WRITE_NO_SYNC};
    CHECK(count <= 9);
    for (uint32_t k = 1; k < count; k++) members[k - 1] = parts[k].descriptor;
    CHECK_OK(hrry_writer_create(path, &unsynced, &writer, &error));
    CHECK_OK(hrry_writer_composite_begin(writer, parts[0].name, strlen(parts[0].name),
                                         parts[0].descriptor, members, count - 1, &error));
    for (uint32_t k = 1; k < count; k++)
        CHECK_OK(hrry_writer_tensor(writer, parts[k].name, strlen(parts[k].name),
                                    parts[k].descriptor, parts[k].buffers,
                                    hrry_descriptor_buffer_count(parts[k].descriptor), &error));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    for (uint32_t k = 0; k < count; k++) hrry_descriptor_free(parts[k].descriptor);
}

static hrry_builder *head(hrry_type type, const uint64_t *shape, hrry_rule rule,
                          hrry_combine combine, uint32_t member_count) {
    const hrry_composite_head fields = {.struct_size = sizeof fields, .rule = rule,
                                        .combine = combine, .member_count = member_count};
    hrry_builder *builder = build(type, 2, shape);
    CHECK_OK(hrry_builder_composite(builder, &fields, &error));
    return builder;
}

/* A member of a partition, or of an overlay with a role. */
static hrry_builder *member(hrry_type type, const uint64_t *shape, const uint64_t *parent,
                            const uint64_t *offset, hrry_member_role role) {
    hrry_builder *builder = build(type, 2, shape);
    CHECK_OK(hrry_builder_shard(builder, parent, offset, &error));
    if (role != HRRY_MEMBER_NONE) CHECK_OK(hrry_builder_member_role(builder, role, &error));
    return builder;
}

/* Reads every box of the first composite of the file, however it is opened, and finds what is
   expected: rank 2, `bits` an element, codes in row-major order. */
static void reads(const char *path, uint32_t bits, const uint64_t *shape, const uint32_t *expected) {
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    uint64_t problems = 7;
    for (int w = 0; w < 3; w++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = ways[w]};
        hrry_file *file = NULL;
        hrry_composite *composite = NULL;
        CHECK_OK(hrry_file_open(path, &options, &file, &error));
        CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
        CHECK_EQ(problems, 0);
        CHECK_OK(hrry_composite_open(file, 0, &composite, &error));
        hrry_file_close(file);
        unsigned step = 0;
        uint64_t lower[2] = {0};
        do {
            const uint64_t most[] = {shape[0] - lower[0] + 1, shape[1] - lower[1] + 1};
            uint64_t extent[2] = {0};
            do {
                const bool is_whole = extent[0] == shape[0] && extent[1] == shape[1];
                if (under_valgrind() && !is_whole && step++ % 41 != 0) continue;
                const uint64_t count = extent[0] * extent[1];
                const size_t len = packed_size(bits, count);
                unsigned char *found = check_malloc(len), *box = check_malloc(len);
                memset(found, 0xFF, len);
                memset(box, 0, len);
                for (uint64_t k = 0; k < count; k++)
                    put_code(box, bits, k,
                             expected[(lower[0] + k / extent[1]) * shape[1] + lower[1] +
                                      k % extent[1]]);
                CHECK_OK(hrry_composite_read(composite, lower, extent, found, len, &error));
                CHECK_BYTES(found, len, box, len);
                free(found);
                free(box);
            } while (next_index(2, most, extent));
        } while (next_index(2, shape, lower));
        hrry_composite_close(composite);
    }
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Halves of small whole numbers, by another way than the library's: the exponent is counted. */
static uint16_t half_of(int number) {
    const unsigned sign = number < 0 ? 0x8000 : 0;
    unsigned size = (unsigned)(number < 0 ? -number : number), exponent = 25;
    if (size == 0) return 0;
    CHECK(size < 2048);
    while (size < 1024) {
        size *= 2;
        exponent--;
    }
    return (uint16_t)(sign + exponent * 1024 + size - 1024);
}

static float spot(uint64_t i, uint64_t j) { return (float)(i * 100 + j) / 8; }

/* A weight [8, 12] in five boxes: quantized, sparse, along two curves, and in tiles. */
static void partition(void) {
    const uint64_t *whole = AT(8, 12), *low = AT(4, 6), *square = AT(4, 4);
    uint32_t expected[96];
    float morton[16], hilbert[16], tiles[16];
    int8_t codes[24];
    const float stored[] = {1, 2, 0, 4};
    const uint64_t coordinates[][2] = {{0, 5}, {1, 0}, {3, 2}, {3, 5}};
    static const uint64_t curve[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3},
                                        {1, 3}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 2},
                                        {3, 1}, {2, 1}, {2, 0}, {3, 0}};
    for (uint64_t i = 0; i < 8; i++)
        for (uint64_t j = 0; j < 12; j++) expected[i * 12 + j] = bits_of(i < 4 ? 0 : spot(i, j));
    /* [0, 4) x [0, 6): int8, column by column, 0.25 (q + 7). */
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 6; j++) {
            codes[j * 4 + i] = (int8_t)((int)(i * 6 + j) * 11 - 128);
            expected[i * 12 + j] = bits_of(0.25f * (float)((int)(i * 6 + j) * 11 - 121));
        }
    /* [0, 4) x [6, 12): four elements, one of them a zero. */
    for (int k = 0; k < 4; k++)
        expected[coordinates[k][0] * 12 + 6 + coordinates[k][1]] = bits_of(stored[k]);
    /* Three squares below. */
    for (uint64_t k = 0; k < 16; k++) {
        const uint64_t i = (k & 1) | (k >> 2 & 1) << 1, j = (k >> 1 & 1) | (k >> 3 & 1) << 1;
        morton[k] = spot(4 + i, j);
        hilbert[k] = spot(4 + curve[k][0], 4 + curve[k][1]);
        tiles[k] = spot(4 + k / 8 * 2 + k / 2 % 2, 8 + k / 4 % 2 * 2 + k % 2);
    }

    const hrry_quantization scheme = {.struct_size = sizeof scheme,
                                      .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE,
                                      .scale = 0.25f, .zero_point = -7};
    const hrry_tiles tile = {.tile_shape = AT(2, 2), .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
                             .inner_layout = HRRY_LAYOUT_ROW_MAJOR};
    const uint32_t bits[] = {2, 2};
    hrry_builder *quantized = member(HRRY_TYPE_INT8, low, whole, AT(0, 0), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_column_major(quantized, &error));
    CHECK_OK(hrry_builder_quantization(quantized, &scheme, &error));
    hrry_builder *sparse = member(HRRY_TYPE_FLOAT32, low, whole, AT(0, 6), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_coo(sparse, 4, true, &error));
    hrry_builder *along_z = member(HRRY_TYPE_FLOAT32, square, whole, AT(4, 0), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_morton(along_z, bits, &error));
    hrry_builder *along_h = member(HRRY_TYPE_FLOAT32, square, whole, AT(4, 4), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_hilbert(along_h, 2, &error));
    hrry_builder *in_tiles = member(HRRY_TYPE_FLOAT32, square, whole, AT(4, 8), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_tiled(in_tiles, &tile, 1, &error));
    const struct part parts[] = {
        {"w", built(head(HRRY_TYPE_FLOAT32, whole, HRRY_RULE_PARTITION, 0, 5)), {{NULL, 0}}},
        {"w.quantized", built(quantized), {{codes, sizeof codes}}},
        {"w.sparse", built(sparse), {{stored, sizeof stored}, {coordinates, sizeof coordinates}}},
        {"w.morton", built(along_z), {{morton, sizeof morton}}},
        {"w.hilbert", built(along_h), {{hilbert, sizeof hilbert}}},
        {"w.tiles", built(in_tiles), {{tiles, sizeof tiles}}},
    };
    write_composite("partition.hrry", parts, 6);
    reads("partition.hrry", 32, whole, expected);
}

/* A float16 weight [6, 8] as SpQR and LoRA would have it: a base of int4 in blocks; an update in a
   box, in tiles; outliers as a sparse tensor, one of them a zero. They replace or are added, in this
   order; what the outliers do not store they leave alone. */
static void overlay(hrry_combine combine) {
    const uint64_t *whole = AT(6, 8), *box = AT(2, 4);
    int merged[6][8];
    unsigned char codes[24];
    uint16_t scales[12], update[8], outliers[3];
    const uint64_t columns[] = {5, 2, 7}, rows[] = {0, 1, 1, 2, 3, 3, 3};
    const int out[] = {100, 0, -300};
    for (unsigned b = 0; b < 12; b++) scales[b] = half_of((int)b + 1);
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < 8; j++) {
            const int code = (int)((i * 8 + j) * 5 % 16) - 8;
            put_code(codes, 4, i * 8 + j, (uint64_t)code & 15);
            merged[i][j] = code * (int)(i * 2 + j / 4 + 1);
        }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 4; j++) {
            const int value = (int)(i * 4 + j) * 9 - 20;
            update[j / 2 * 4 + i * 2 + j % 2] = half_of(value);
            merged[2 + i][3 + j] = combine == HRRY_COMBINE_ADD ? merged[2 + i][3 + j] + value : value;
        }
    for (int k = 0; k < 3; k++) {
        const int i = k == 0 ? 0 : k == 1 ? 2 : 3; /* as rows says */
        outliers[k] = half_of(out[k]);
        int *at = &merged[i][columns[k]];
        *at = combine == HRRY_COMBINE_ADD ? *at + out[k] : out[k];
    }

    const hrry_quantization scheme = {.struct_size = sizeof scheme,
                                      .scheme = HRRY_SCHEME_PER_BLOCK_AFFINE,
                                      .flags = HRRY_QUANTIZATION_SYMMETRIC, .axis = 1,
                                      .block_size = 4, .scale_type = HRRY_TYPE_FLOAT16,
                                      .scale_buffer = 1, .zero_point_buffer = HRRY_NO_BUFFER};
    const hrry_tiles tile = {.tile_shape = AT(2, 2), .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
                             .inner_layout = HRRY_LAYOUT_ROW_MAJOR};
    hrry_builder *base = member(HRRY_TYPE_INT4, whole, whole, AT(0, 0), HRRY_MEMBER_BASE);
    CHECK_OK(hrry_builder_quantization(base, &scheme, &error));
    hrry_builder *in_box = member(HRRY_TYPE_FLOAT16, box, whole, AT(2, 3), HRRY_MEMBER_CORRECTION);
    CHECK_OK(hrry_builder_tiled(in_box, &tile, 1, &error));
    hrry_builder *sparse = member(HRRY_TYPE_FLOAT16, whole, whole, AT(0, 0), HRRY_MEMBER_CORRECTION);
    CHECK_OK(hrry_builder_csr(sparse, 3, &error));
    const struct part parts[] = {
        {"w", built(head(HRRY_TYPE_FLOAT16, whole, HRRY_RULE_OVERLAY, combine, 3)), {{NULL, 0}}},
        {"w.base", built(base), {{codes, sizeof codes}, {scales, sizeof scales}}},
        {"w.update", built(in_box), {{update, sizeof update}}},
        {"w.outliers", built(sparse), {{outliers, sizeof outliers}, {columns, sizeof columns},
                                       {rows, sizeof rows}}},
    };
    write_composite("overlay.hrry", parts, 4);
    uint32_t expected[48];
    for (unsigned k = 0; k < 48; k++) expected[k] = half_of(merged[k / 8][k % 8]);
    reads("overlay.hrry", 16, whole, expected);
}

/* Each sum is rounded to the head's type before the next: in float16 2048 + 1 is 2048, twice, where
   2048 + 2 would be 2050. */
static void rounded_in_order(void) {
    const uint64_t *shape = AT(1, 2);
    const uint16_t base[] = {0x6800, 0x6800}, one[] = {0x3C00, 0x3C00};
    const int8_t quantized[] = {1, 2};
    const hrry_quantization scheme = {.struct_size = sizeof scheme,
                                      .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 1};
    hrry_builder *codes = member(HRRY_TYPE_INT8, shape, shape, AT(0, 0), HRRY_MEMBER_CORRECTION);
    CHECK_OK(hrry_builder_quantization(codes, &scheme, &error));
    const struct part parts[] = {
        {"w", built(head(HRRY_TYPE_FLOAT16, shape, HRRY_RULE_OVERLAY, HRRY_COMBINE_ADD, 3)),
         {{NULL, 0}}},
        {"w.base", built(member(HRRY_TYPE_FLOAT16, shape, shape, AT(0, 0), HRRY_MEMBER_BASE)),
         {{base, sizeof base}}},
        {"w.one", built(member(HRRY_TYPE_FLOAT16, shape, shape, AT(0, 0), HRRY_MEMBER_CORRECTION)),
         {{one, sizeof one}}},
        {"w.codes", built(codes), {{quantized, sizeof quantized}}},
    };
    write_composite("rounded.hrry", parts, 4);
    const uint32_t expected[] = {0x6800, 0x6801};
    reads("rounded.hrry", 16, shape, expected);
}

/* An overlay as a member of a partition. */
static void nested(void) {
    const uint64_t *whole = AT(4, 6), *half = AT(4, 3);
    int8_t codes[12];
    float right[12];
    const float outlier = -1000;
    const uint64_t at[] = {2, 1};
    uint32_t expected[24];
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 3; j++) {
            codes[i * 3 + j] = (int8_t)(i * 3 + j);
            right[j * 4 + i] = spot(i, j + 3); /* column by column */
            expected[i * 6 + j] = bits_of(2 * (float)(i * 3 + j));
            expected[i * 6 + j + 3] = bits_of(spot(i, j + 3));
        }
    expected[2 * 6 + 1] = bits_of(outlier);
    const hrry_quantization scheme = {.struct_size = sizeof scheme,
                                      .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 2};
    hrry_builder *left = head(HRRY_TYPE_FLOAT32, half, HRRY_RULE_OVERLAY, HRRY_COMBINE_REPLACE, 2);
    CHECK_OK(hrry_builder_shard(left, whole, AT(0, 0), &error));
    hrry_builder *base = member(HRRY_TYPE_INT8, half, half, AT(0, 0), HRRY_MEMBER_BASE);
    CHECK_OK(hrry_builder_quantization(base, &scheme, &error));
    hrry_builder *outliers = member(HRRY_TYPE_FLOAT32, half, half, AT(0, 0), HRRY_MEMBER_CORRECTION);
    CHECK_OK(hrry_builder_coo(outliers, 1, false, &error));
    hrry_builder *columns = member(HRRY_TYPE_FLOAT32, half, whole, AT(0, 3), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_column_major(columns, &error));
    const struct part parts[] = {
        {"w", built(head(HRRY_TYPE_FLOAT32, whole, HRRY_RULE_PARTITION, 0, 2)), {{NULL, 0}}},
        {"w.left", built(left), {{NULL, 0}}},
        {"w.left.base", built(base), {{codes, sizeof codes}}},
        {"w.left.outliers", built(outliers), {{&outlier, sizeof outlier}, {at, sizeof at}}},
        {"w.right", built(columns), {{right, sizeof right}}},
    };
    write_composite("nested.hrry", parts, 5);
    reads("nested.hrry", 32, whole, expected);
}

/* Elements below a byte: boxes of members that begin and end inside of bytes. */
static void packed(hrry_type type, uint32_t bits) {
    const uint64_t *whole = AT(3, 7), *left = AT(3, 3), *right = AT(3, 4);
    unsigned char codes[2][12] = {{0}};
    uint32_t expected[21];
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 7; j++) {
            const uint32_t code = (i * 7 + j) * 5 % (1u << bits);
            expected[i * 7 + j] = code;
            if (j < 3) put_code(codes[0], bits, i * 3 + j, code);
            else put_code(codes[1], bits, (j - 3) * 3 + i, code); /* column by column */
        }
    hrry_builder *columns = member(type, right, whole, AT(0, 3), HRRY_MEMBER_NONE);
    CHECK_OK(hrry_builder_column_major(columns, &error));
    const struct part parts[] = {
        {"w", built(head(type, whole, HRRY_RULE_PARTITION, 0, 2)), {{NULL, 0}}},
        {"w.left", built(member(type, left, whole, AT(0, 0), HRRY_MEMBER_NONE)),
         {{codes[0], packed_size(bits, 9)}}},
        {"w.right", built(columns), {{codes[1], packed_size(bits, 12)}}},
    };
    write_composite("packed.hrry", parts, 3);
    reads("packed.hrry", bits, whole, expected);
}

/* A column index in the data that leads outside: an error that names the tensor and the place. */
static void broken(void) {
    const uint64_t *whole = AT(2, 4);
    const float base[8] = {0}, outliers[] = {1, 2};
    const uint64_t columns[] = {3, 4}, rows[] = {0, 1, 2};
    hrry_builder *sparse = member(HRRY_TYPE_FLOAT32, whole, whole, AT(0, 0), HRRY_MEMBER_CORRECTION);
    CHECK_OK(hrry_builder_csr(sparse, 2, &error));
    const struct part parts[] = {
        {"w", built(head(HRRY_TYPE_FLOAT32, whole, HRRY_RULE_OVERLAY, HRRY_COMBINE_REPLACE, 2)),
         {{NULL, 0}}},
        {"w.base", built(member(HRRY_TYPE_FLOAT32, whole, whole, AT(0, 0), HRRY_MEMBER_BASE)),
         {{base, sizeof base}}},
        {"w.outliers", built(sparse), {{outliers, sizeof outliers}, {columns, sizeof columns},
                                       {rows, sizeof rows}}},
    };
    write_composite("broken.hrry", parts, 3);
    hrry_file *file = NULL;
    float found[8];
    CHECK_OK(hrry_file_open("broken.hrry", NULL, &file, &error));
    hrry_composite *composite = open_composite(file, "w");
    CHECK_FAILS(hrry_composite_read(composite, AT(0, 0), whole, found, sizeof found, &error),
                HRRY_ERROR_BOUNDS);
    CHECK_SAYS("col_indices[1] is 4, must be below 4");
    CHECK_SAYS("w.outliers");
    CHECK_EQ(error.tensor, place_of(file, "w.outliers"));
    /* The row before it is not concerned. */
    CHECK_OK(hrry_composite_read(composite, AT(0, 0), AT(1, 4), found, 16, &error));
    CHECK(found[3] == 1 && found[0] == 0);
    hrry_composite_close(composite);
    hrry_file_close(file);
}

int main(void) {
    partition();
    overlay(HRRY_COMBINE_REPLACE);
    overlay(HRRY_COMBINE_ADD);
    rounded_in_order();
    nested();
    packed(HRRY_TYPE_BOOL, 1);
    packed(HRRY_TYPE_UINT2, 2);
    packed(HRRY_TYPE_UINT4, 4);
    packed(HRRY_TYPE_FLOAT6_E3M2, 6);
    broken();
    return 0;
}
