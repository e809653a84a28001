/* Building descriptors: sizes that the builder knows and sizes that it must be told, changes of
   mind, and what the format does not allow. */
#include "made.h"

#include <float.h>

static hrry_error error;

static hrry_builder *start(hrry_type type, uint32_t rank, const uint64_t *shape) {
    hrry_builder *builder = NULL;
    CHECK_OK(hrry_builder_new(type, rank, shape, &builder, &error));
    return builder;
}

static hrry_descriptor *build(hrry_builder *builder) {
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    return descriptor;
}

static void forbidden(hrry_builder *builder, const char *says) {
    hrry_descriptor *descriptor = (hrry_descriptor *)builder; /* becomes NULL */
    CHECK_FAILS(hrry_builder_build(builder, &descriptor, &error), HRRY_ERROR_FORBIDDEN);
    CHECK(descriptor == NULL);
    CHECK_SAYS(says);
}

static hrry_buffer_entry buffer_of(const hrry_descriptor *descriptor, uint32_t index) {
    hrry_buffer_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_descriptor_buffer_at(descriptor, index, &entry, &error));
    return entry;
}

/* The same tensor in every type: n elements of b bits, below a byte packed. */
static void sizes_by_type(void) {
    const struct {
        hrry_type type;
        uint64_t size; /* of 5 elements */
    } types[] = {
        {HRRY_TYPE_FLOAT128, 80}, {HRRY_TYPE_COMPLEX64, 40}, {HRRY_TYPE_BFLOAT16, 10},
        {HRRY_TYPE_FLOAT8_E5M2, 5}, {HRRY_TYPE_INT4, 3}, {HRRY_TYPE_UINT2, 2},
        {HRRY_TYPE_BOOL, 1}, {HRRY_TYPE_FLOAT6_E2M3, 6}, {HRRY_TYPE_FLOAT4_E2M1, 3},
    };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        hrry_builder *builder = start(types[k].type, 1, MADE_LENT(uint64_t, 5));
        hrry_descriptor *descriptor = build(builder);
        CHECK_EQ(buffer_of(descriptor, 0).byte_size, types[k].size);
        CHECK_EQ(buffer_of(descriptor, 0).alignment, 64);
        hrry_descriptor_free(descriptor);
        hrry_builder_free(builder);
    }
}

/* What was built stays when the builder goes on, or goes. */
static void changes_of_mind(void) {
    hrry_builder *builder = start(HRRY_TYPE_FLOAT32, 2, MADE_LENT(uint64_t, 4, 4));
    hrry_descriptor *rows = build(builder);
    CHECK_OK(hrry_builder_column_major(builder, &error));
    hrry_descriptor *columns = build(builder);
    CHECK_OK(hrry_builder_csr(builder, 3, &error));
    CHECK_OK(hrry_builder_device(builder, HRRY_DEVICE_VULKAN, &error));
    CHECK_OK(hrry_builder_alignment(builder, 256, &error));
    CHECK_OK(hrry_builder_buffer_alignment(builder, 1, 4096, &error));
    hrry_descriptor *sparse = build(builder);
    CHECK_OK(hrry_builder_row_major(builder, &error));
    CHECK_OK(hrry_builder_buffer_size(builder, 0, 1000, &error)); /* more than it needs */
    hrry_descriptor *larger = NULL;
    /* There is no buffer 1 any longer. */
    CHECK_FAILS(hrry_builder_build(builder, &larger, &error), HRRY_ERROR_INDEX);
    hrry_builder_free(builder);
    CHECK_EQ(hrry_descriptor_layout(rows), HRRY_LAYOUT_ROW_MAJOR);
    CHECK_EQ(hrry_descriptor_layout(columns), HRRY_LAYOUT_COLUMN_MAJOR);
    CHECK_EQ(hrry_descriptor_layout(sparse), HRRY_LAYOUT_CSR);
    CHECK_EQ(buffer_of(rows, 0).device, HRRY_DEVICE_CPU);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_EQ(buffer_of(sparse, k).device, HRRY_DEVICE_VULKAN);
        CHECK_EQ(buffer_of(sparse, k).alignment, k == 1 ? 4096 : 256);
    }
    hrry_descriptor_free(rows);
    hrry_descriptor_free(columns);
    hrry_descriptor_free(sparse);

    builder = start(HRRY_TYPE_FLOAT32, 2, MADE_LENT(uint64_t, 4, 4));
    CHECK_OK(hrry_builder_buffer_size(builder, 0, 1000, &error));
    CHECK_OK(hrry_builder_byte_offset(builder, 1000 - 64, &error));
    larger = build(builder);
    CHECK_EQ(buffer_of(larger, 0).byte_size, 1000);
    hrry_descriptor_free(larger);
    CHECK_OK(hrry_builder_byte_offset(builder, 1000 - 63, &error));
    forbidden(builder, "need 1001 bytes, have 1000");
    hrry_builder_free(builder);
}

/* The builder lends nothing: what it was given can go. */
static void copies(void) {
    uint64_t *shape = check_malloc(16), *parent = check_malloc(16), *at = check_malloc(16);
    int64_t *strides = check_malloc(16);
    shape[0] = shape[1] = parent[0] = parent[1] = 4;
    at[0] = at[1] = 0;
    strides[0] = 1;
    strides[1] = 4;
    hrry_builder *builder = start(HRRY_TYPE_INT8, 2, shape);
    CHECK_OK(hrry_builder_strided(builder, strides, &error));
    CHECK_OK(hrry_builder_shard(builder, parent, at, &error));
    free(shape);
    free(parent);
    free(at);
    free(strides);
    hrry_descriptor *descriptor = build(builder);
    CHECK_EQ(buffer_of(descriptor, 0).byte_size, 16);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
}

/* Two levels of tiles, and strides in both directions at once. */
static void tiles(void) {
    hrry_builder *builder = start(HRRY_TYPE_UINT8, 2, MADE_LENT(uint64_t, 8, 8));
    const uint64_t outer[] = {4, 4}, inner[] = {2, 2};
    const int64_t outer_strides[] = {1, 2};
    const hrry_tiles levels[] = {
        {.tile_shape = outer, .outer_strides = outer_strides,
         .outer_layout = HRRY_LAYOUT_STRIDED, .inner_layout = HRRY_LAYOUT_TILED},
        {.tile_shape = inner,
         .outer_layout = HRRY_LAYOUT_COLUMN_MAJOR, .inner_layout = HRRY_LAYOUT_ROW_MAJOR},
    };
    CHECK_OK(hrry_builder_tiled(builder, levels, 2, &error));
    hrry_descriptor *descriptor = build(builder);
    CHECK_EQ(hrry_descriptor_tile_level_count(descriptor), 2);
    hrry_tiles tiles;
    CHECK_OK(hrry_descriptor_tiles_at(descriptor, 0, &tiles, &error));
    CHECK_EQ(tiles.outer_strides[1], 2);
    CHECK_EQ(tiles.inner_layout, HRRY_LAYOUT_TILED);
    CHECK(tiles.inner_strides == NULL);
    CHECK_OK(hrry_descriptor_tiles_at(descriptor, 1, &tiles, &error));
    CHECK_EQ(tiles.tile_shape[0], 2);
    CHECK_EQ(tiles.outer_layout, HRRY_LAYOUT_COLUMN_MAJOR);
    CHECK_EQ(buffer_of(descriptor, 0).byte_size, 64);
    hrry_descriptor_free(descriptor);

    /* The last level must say how its elements lie, the others must not. */
    CHECK(hrry_builder_tiled(builder, levels, 1, &error) != HRRY_OK);
    CHECK(hrry_builder_tiled(builder, levels + 1, 0, &error) != HRRY_OK);
    const hrry_tiles no_strides = {
        .tile_shape = outer, .outer_layout = HRRY_LAYOUT_STRIDED, .inner_layout = 1};
    CHECK_FAILS(hrry_builder_tiled(builder, &no_strides, 1, &error), HRRY_ERROR_ARGUMENT);
    const hrry_tiles no_shape = {.outer_layout = 1, .inner_layout = 1};
    CHECK_FAILS(hrry_builder_tiled(builder, &no_shape, 1, &error), HRRY_ERROR_ARGUMENT);
    const hrry_tiles no_layout = {.tile_shape = outer, .outer_layout = 9, .inner_layout = 1};
    CHECK_FAILS(hrry_builder_tiled(builder, &no_layout, 1, &error), HRRY_ERROR_ARGUMENT);
    /* After all that, it is what it was. */
    descriptor = build(builder);
    CHECK_EQ(hrry_descriptor_tile_level_count(descriptor), 2);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
}

static void quantized(void) {
    /* MXFP: a power of two for each block of 32; the scales are a buffer of their own. */
    hrry_builder *builder = start(HRRY_TYPE_FLOAT8_E4M3, 2, MADE_LENT(uint64_t, 3, 64));
    hrry_quantization quantization = {
        .struct_size = sizeof quantization,
        .scheme = HRRY_SCHEME_MXFP,
        .axis = 1,
        .block_size = 32,
        .scale_type = HRRY_TYPE_FLOAT8_E8M0,
        .scale_buffer = 1,
        .zero_point_buffer = HRRY_NO_BUFFER,
    };
    CHECK_OK(hrry_builder_quantization(builder, &quantization, &error));
    hrry_descriptor *descriptor = build(builder);
    CHECK_EQ(hrry_descriptor_buffer_count(descriptor), 2);
    CHECK_EQ(buffer_of(descriptor, 0).byte_size, 192);
    CHECK_EQ(buffer_of(descriptor, 1).byte_size, 6);
    hrry_descriptor_free(descriptor);
    quantization.block_size = 48;
    const hrry_status status = hrry_builder_quantization(builder, &quantization, &error);
    if (status == HRRY_OK) forbidden(builder, "block_size");
    else CHECK_EQ(status, HRRY_ERROR_FORBIDDEN);
    hrry_builder_free(builder);

    /* One scale for all: no buffer. */
    builder = start(HRRY_TYPE_INT4, 1, MADE_LENT(uint64_t, 9));
    quantization = (hrry_quantization){
        .struct_size = sizeof quantization,
        .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE,
        .scale = 0.25f,
        .zero_point = -8,
    };
    CHECK_OK(hrry_builder_quantization(builder, &quantization, &error));
    descriptor = build(builder);
    CHECK_EQ(hrry_descriptor_buffer_count(descriptor), 1);
    hrry_quantization told = {.struct_size = sizeof told};
    CHECK_OK(hrry_descriptor_quantization(descriptor, &told, &error));
    CHECK(told.scale > 0.24f && told.scale < 0.26f);
    CHECK_EQ(told.zero_point, -8);
    CHECK_EQ(told.scale_buffer, HRRY_NO_BUFFER);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
}

/* Numbers that stand for nothing are refused where they are said. */
static void unknown_numbers(void) {
    hrry_builder *builder = start(HRRY_TYPE_INT8, 3, MADE_LENT(uint64_t, 4, 4, 4));
    hrry_quantization quantization = {.struct_size = sizeof quantization, .scale = 1};
    const uint32_t schemes[] = {0, 6, 0xFF, 0x100 + HRRY_SCHEME_NF4, 0xFFFFFFFF};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        quantization.scheme = schemes[k];
        const hrry_status status = hrry_builder_quantization(builder, &quantization, &error);
        CHECK(status == HRRY_ERROR_ARGUMENT || status == HRRY_ERROR_FORBIDDEN);
    }
    quantization.scheme = HRRY_SCHEME_PER_TENSOR_AFFINE;
    quantization.reserved = 1;
    CHECK_FAILS(hrry_builder_quantization(builder, &quantization, &error), HRRY_ERROR_ARGUMENT);
    const hrry_statistics statistics = {.struct_size = sizeof statistics, .padding = 1};
    CHECK_FAILS(hrry_builder_statistics(builder, &statistics, &error), HRRY_ERROR_ARGUMENT);

    hrry_composite_head head = {.struct_size = sizeof head, .rule = 0};
    CHECK(hrry_builder_composite(builder, &head, &error) != HRRY_OK);
    head.rule = 0x100 + HRRY_RULE_GROUP;
    CHECK(hrry_builder_composite(builder, &head, &error) != HRRY_OK);
    head.rule = HRRY_RULE_OVERLAY;
    head.combine = 3;
    CHECK(hrry_builder_composite(builder, &head, &error) != HRRY_OK);

    hrry_block_paged paged = {.struct_size = sizeof paged, .page_size = 1, .kv_role = 3};
    CHECK(hrry_builder_block_paged(builder, &paged, &error) != HRRY_OK);
    paged.kv_role = HRRY_KV_ROLE_KEY;
    paged.block_table_index_type = 2;
    CHECK(hrry_builder_block_paged(builder, &paged, &error) != HRRY_OK);

    CHECK_FAILS(hrry_builder_member_role(builder, 2, &error), HRRY_ERROR_ARGUMENT);
    CHECK_FAILS(hrry_builder_member_role(builder, HRRY_MEMBER_NONE, &error), HRRY_ERROR_ARGUMENT);
    CHECK_FAILS(hrry_builder_device(builder, 9, &error), HRRY_ERROR_ARGUMENT);
    hrry_builder_free(builder);
    builder = NULL;
    CHECK_FAILS(hrry_builder_new(0x47, 0, NULL, &builder, &error), HRRY_ERROR_ARGUMENT);
    CHECK_FAILS(hrry_builder_new(HRRY_TYPE_INT8, 65, MADE_LENT(uint64_t, 1), &builder, &error),
                HRRY_ERROR_ARGUMENT);
    CHECK(builder == NULL);
}

/* Nothing that decode would refuse is built. */
static void rules(void) {
    hrry_builder *builder = start(0xF1, 1, MADE_LENT(uint64_t, 5));
    forbidden(builder, "EXTENSION_TYPE"); /* a private type must say what it is */
    hrry_builder_free(builder);

    builder = start(HRRY_TYPE_INT8, 0, NULL);
    CHECK_OK(hrry_builder_column_major(builder, &error));
    forbidden(builder, "rank");
    hrry_builder_free(builder);

    builder = start(HRRY_TYPE_FLOAT64, 2, MADE_LENT(uint64_t, 1ull << 40, 1ull << 40));
    forbidden(builder, "64 bits");
    hrry_builder_free(builder);

    builder = start(HRRY_TYPE_FLOAT64, 2, MADE_LENT(uint64_t, 4, 4));
    CHECK_OK(hrry_builder_shard(builder, MADE_LENT(uint64_t, 8, 8),
                                MADE_LENT(uint64_t, UINT64_MAX, 0), &error));
    forbidden(builder, "shard");
    CHECK_OK(hrry_builder_shard(builder, MADE_LENT(uint64_t, 8, 8), MADE_LENT(uint64_t, 5, 0),
                                &error));
    forbidden(builder, "shard");
    hrry_builder_free(builder);

    builder = start(HRRY_TYPE_FLOAT64, 2, MADE_LENT(uint64_t, 4, 4));
    CHECK_OK(hrry_builder_strided(builder, MADE_LENT(int64_t, INT64_MAX, INT64_MIN), &error));
    forbidden(builder, "");
    CHECK_OK(hrry_builder_strided(builder, MADE_LENT(int64_t, -4, 1), &error));
    forbidden(builder, ""); /* elements before the buffer */
    CHECK_OK(hrry_builder_byte_offset(builder, 3 * 4 * 8, &error));
    hrry_descriptor_free(build(builder));
    CHECK_OK(hrry_builder_hilbert(builder, 64, &error));
    forbidden(builder, "");
    CHECK_OK(hrry_builder_csf(builder, 1, MADE_LENT(uint32_t, 0, 1), &error));
    forbidden(builder, "rank");
    hrry_builder_free(builder);

    builder = start(HRRY_TYPE_FLOAT64, 2, MADE_LENT(uint64_t, 4, 4));
    CHECK_OK(hrry_builder_alignment(builder, 96, &error));
    forbidden(builder, "alignment 96");
    CHECK_OK(hrry_builder_alignment(builder, 32, &error));
    forbidden(builder, "alignment 32");
    CHECK_OK(hrry_builder_alignment(builder, 64, &error));
    CHECK_OK(hrry_builder_coo(builder, 17, false, &error)); /* of 16 elements */
    forbidden(builder, "nnz");
    hrry_builder_free(builder);

    /* Sizes that only the content says must be told. */
    builder = start(HRRY_TYPE_FLOAT16, 3, MADE_LENT(uint64_t, 8, 2, 4));
    const hrry_block_paged paged = {
        .struct_size = sizeof paged, .num_pages = 2, .page_size = 4, .num_seqs = 1};
    CHECK_OK(hrry_builder_block_paged(builder, &paged, &error));
    hrry_descriptor *descriptor = NULL;
    const hrry_status status = hrry_builder_build(builder, &descriptor, &error);
    if (status == HRRY_OK) CHECK_EQ(buffer_of(descriptor, 1).byte_size, 0);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
}

int main(void) {
    sizes_by_type();
    changes_of_mind();
    copies();
    tiles();
    quantized();
    unknown_numbers();
    rules();
    return 0;
}
