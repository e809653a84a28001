/* Descriptors: from bytes and back, what each layout and section says. */
#include "made.h"

static hrry_error error;

/* The worked example of the format: float32 [3, 4], row-major, 192 bytes aligned to 64. */
static const unsigned char example[61] = {
    'H', 'R', 'R', 'Y', 1, 0, 0x3D, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 0, 0, 0,
    3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, /* shape */
    0, 0, 0, 0, 0, 0, 0, 0,                         /* byte_offset */
    1, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
};

static hrry_descriptor *decode(const void *bytes, size_t len) {
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_descriptor_decode(bytes, len, 0, &descriptor, &error));
    return descriptor;
}

static void the_example(void) {
    hrry_descriptor *descriptor = decode(example, sizeof example);
    CHECK_EQ(hrry_descriptor_type(descriptor), HRRY_TYPE_FLOAT32);
    CHECK_EQ(hrry_descriptor_layout(descriptor), HRRY_LAYOUT_ROW_MAJOR);
    CHECK_EQ(hrry_descriptor_scheme(descriptor), HRRY_SCHEME_NONE);
    CHECK_EQ(hrry_descriptor_rank(descriptor), 2);
    CHECK_EQ(hrry_descriptor_shape(descriptor)[0], 3);
    CHECK_EQ(hrry_descriptor_shape(descriptor)[1], 4);
    CHECK_EQ(hrry_descriptor_byte_offset(descriptor), 0);
    CHECK_EQ(hrry_descriptor_flags(descriptor), 0);
    CHECK_EQ(hrry_descriptor_version_minor(descriptor), 0);
    CHECK_EQ(hrry_descriptor_element_bits(descriptor), 32);
    CHECK_EQ(hrry_descriptor_buffer_count(descriptor), 1);
    CHECK(!hrry_descriptor_has_dynamic_dimension(descriptor));
    CHECK(!hrry_descriptor_is_composite_head(descriptor));
    CHECK(!hrry_descriptor_is_opaque(descriptor));
    CHECK_EQ(hrry_descriptor_member_role(descriptor), HRRY_MEMBER_NONE);
    CHECK(hrry_descriptor_memory(descriptor) > 0);
    uint64_t number;
    CHECK_OK(hrry_descriptor_element_count(descriptor, &number, &error));
    CHECK_EQ(number, 12);
    CHECK_OK(hrry_descriptor_data_len(descriptor, 4096, &number, &error));
    CHECK_EQ(number, 192);
    CHECK_FAILS(hrry_descriptor_data_len(descriptor, 3, &number, &error), HRRY_ERROR_ARGUMENT);
    CHECK_EQ(number, 0);

    hrry_buffer_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_descriptor_buffer_at(descriptor, 0, &entry, &error));
    CHECK_EQ(entry.byte_size, 192);
    CHECK_EQ(entry.alignment, 64);
    CHECK_EQ(entry.device, HRRY_DEVICE_CPU);
    CHECK_FAILS(hrry_descriptor_buffer_at(descriptor, 1, &entry, &error), HRRY_ERROR_INDEX);

    size_t len;
    CHECK_BYTES(hrry_descriptor_bytes(descriptor, &len), 61, example, 61);
    CHECK_EQ(len, 61);
    hrry_descriptor_free(descriptor);
    hrry_descriptor_free(NULL);
}

/* Everything cut short is an error, and so is each byte taken out, or still a descriptor. */
static void damaged(void) {
    for (size_t len = 0; len < sizeof example; len++) {
        unsigned char *cut = check_malloc(len); /* valgrind sees a step beyond it */
        memcpy(cut, example, len);
        hrry_descriptor *descriptor = (hrry_descriptor *)cut;
        CHECK(hrry_descriptor_decode(cut, len, 0, &descriptor, &error) != HRRY_OK);
        CHECK(descriptor == NULL && error.message[0] != '\0');
        free(cut);
    }
    hrry_descriptor *descriptor;
    unsigned char bytes[sizeof example];
    memcpy(bytes, example, sizeof example);
    bytes[4] = 2;
    CHECK_FAILS(hrry_descriptor_decode(bytes, 61, 0, &descriptor, &error), HRRY_ERROR_VERSION);
    CHECK_EQ(error.offset, 4);
    bytes[4] = 1;
    bytes[14] = 0x47;
    CHECK_FAILS(hrry_descriptor_decode(bytes, 61, 0, &descriptor, &error), HRRY_ERROR_RESERVED_TAG);
    CHECK_SAYS("type_tag 0x47");
    bytes[14] = 3;
    bytes[45] = 47; /* a byte too few: 12 elements of 4 bytes */
    CHECK_FAILS(hrry_descriptor_decode(bytes, 61, 0, &descriptor, &error), HRRY_ERROR_TOO_SMALL);
    CHECK_SAYS("need 48 bytes, have 47");
}

/* What the getters of layouts and sections say, in the order of `enum made`, 1 where it is theirs. */
static void check_only(const hrry_descriptor *descriptor, enum made what) {
    const int64_t *strides;
    const uint32_t *bits;
    uint32_t order;
    const void *data;
    size_t len;
    hrry_tiles tiles;
    hrry_coo coo = {.struct_size = sizeof coo};
    hrry_compressed compressed = {.struct_size = sizeof compressed};
    hrry_csf csf = {.struct_size = sizeof csf};
    hrry_block_paged block_paged = {.struct_size = sizeof block_paged};
    hrry_composite_head head = {.struct_size = sizeof head};
    hrry_private_layout private_layout = {.struct_size = sizeof private_layout};
    hrry_quantization quantization = {.struct_size = sizeof quantization};
    hrry_shard shard = {.struct_size = sizeof shard};
    hrry_statistics statistics = {.struct_size = sizeof statistics};
    hrry_extension_type extension_type = {.struct_size = sizeof extension_type};
#define ONLY(owner, other, call)                                                            \
    do {                                                                                    \
        if (what == (owner)) CHECK_OK(call);                                                \
        else CHECK_FAILS(call, other);                                                      \
    } while (0)
    ONLY(MADE_STRIDED, HRRY_ERROR_TYPE, hrry_descriptor_strides(descriptor, &strides, &error));
    ONLY(MADE_TILED, HRRY_ERROR_TYPE, hrry_descriptor_tiles_at(descriptor, 0, &tiles, &error));
    ONLY(MADE_MORTON, HRRY_ERROR_TYPE, hrry_descriptor_morton_bits(descriptor, &bits, &error));
    ONLY(MADE_HILBERT, HRRY_ERROR_TYPE, hrry_descriptor_hilbert_order(descriptor, &order, &error));
    ONLY(MADE_COO, HRRY_ERROR_TYPE, hrry_descriptor_coo(descriptor, &coo, &error));
    ONLY(MADE_CSR, HRRY_ERROR_TYPE, hrry_descriptor_csr(descriptor, &compressed, &error));
    ONLY(MADE_CSC, HRRY_ERROR_TYPE, hrry_descriptor_csc(descriptor, &compressed, &error));
    ONLY(MADE_CSF, HRRY_ERROR_TYPE, hrry_descriptor_csf(descriptor, &csf, &error));
    ONLY(MADE_BLOCK_PAGED, HRRY_ERROR_TYPE,
         hrry_descriptor_block_paged(descriptor, &block_paged, &error));
    ONLY(MADE_COMPOSITE, HRRY_ERROR_TYPE, hrry_descriptor_composite(descriptor, &head, &error));
    ONLY(MADE_PRIVATE_LAYOUT, HRRY_ERROR_TYPE,
         hrry_descriptor_private_layout(descriptor, &private_layout, &error));
    ONLY(MADE_OPAQUE, HRRY_ERROR_TYPE,
         hrry_descriptor_opaque_bytes(descriptor, &data, &len, &error));
    ONLY(MADE_QUANTIZED, HRRY_ERROR_NOT_FOUND,
         hrry_descriptor_quantization(descriptor, &quantization, &error));
    if (what != MADE_QUANTIZED) CHECK_SAYS("no quantization section");
    if (what != MADE_MEMBER)
        ONLY(MADE_SHARD, HRRY_ERROR_NOT_FOUND, hrry_descriptor_shard(descriptor, &shard, &error));
    ONLY(MADE_STATISTICS, HRRY_ERROR_NOT_FOUND,
         hrry_descriptor_statistics(descriptor, &statistics, &error));
    ONLY(MADE_PRIVATE_TYPE, HRRY_ERROR_NOT_FOUND,
         hrry_descriptor_extension_type(descriptor, &extension_type, &error));
    CHECK_EQ(hrry_descriptor_tile_level_count(descriptor), what == MADE_TILED);
    CHECK_EQ(hrry_descriptor_is_composite_head(descriptor), what == MADE_COMPOSITE);
    CHECK_EQ(hrry_descriptor_is_opaque(descriptor), what == MADE_OPAQUE);
    CHECK_EQ(hrry_descriptor_member_role(descriptor),
             what == MADE_MEMBER ? HRRY_MEMBER_BASE : HRRY_MEMBER_NONE);
}

/* The sizes of the buffers that the format asks for, and where data ends when they are laid out. */
static void check_buffers(const hrry_descriptor *descriptor, const uint64_t *sizes, uint32_t count,
                          uint64_t data_len) {
    CHECK_EQ(hrry_descriptor_buffer_count(descriptor), count);
    for (uint32_t k = 0; k < count; k++) {
        hrry_buffer_entry entry = {.struct_size = sizeof entry};
        CHECK_OK(hrry_descriptor_buffer_at(descriptor, k, &entry, &error));
        CHECK_EQ(entry.byte_size, sizes[k]);
    }
    uint64_t found;
    CHECK_OK(hrry_descriptor_data_len(descriptor, 4096, &found, &error));
    CHECK_EQ(found, data_len);
}

static void dense_layouts(void) {
    hrry_descriptor *descriptor = made(MADE_STRIDED);
    const int64_t *strides;
    CHECK_OK(hrry_descriptor_strides(descriptor, &strides, &error));
    CHECK_EQ(strides[0], 5);
    CHECK_EQ(strides[1], -1);
    CHECK_EQ(hrry_descriptor_byte_offset(descriptor), 8);
    /* From two elements before byte_offset to the fifth behind it: 8 elements. */
    check_buffers(descriptor, MADE_LENT(uint64_t, 32), 1, 32);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_TILED);
    hrry_tiles tiles;
    CHECK_OK(hrry_descriptor_tiles_at(descriptor, 0, &tiles, &error));
    CHECK_EQ(tiles.tile_shape[0], 2);
    CHECK_EQ(tiles.tile_shape[1], 4);
    CHECK_EQ(tiles.outer_layout, HRRY_LAYOUT_ROW_MAJOR);
    CHECK(tiles.outer_strides == NULL);
    CHECK_EQ(tiles.inner_layout, HRRY_LAYOUT_STRIDED);
    CHECK_EQ(tiles.inner_strides[0], 4);
    CHECK_EQ(tiles.inner_strides[1], 1);
    CHECK_FAILS(hrry_descriptor_tiles_at(descriptor, 1, &tiles, &error), HRRY_ERROR_INDEX);
    check_buffers(descriptor, MADE_LENT(uint64_t, 192), 1, 192);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_MORTON);
    const uint32_t *bits;
    CHECK_OK(hrry_descriptor_morton_bits(descriptor, &bits, &error));
    CHECK_EQ(bits[0], 2);
    CHECK_EQ(bits[1], 2);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_HILBERT);
    uint32_t order;
    CHECK_OK(hrry_descriptor_hilbert_order(descriptor, &order, &error));
    CHECK_EQ(order, 2);
    check_buffers(descriptor, MADE_LENT(uint64_t, 64), 1, 64);
    hrry_descriptor_free(descriptor);
}

static void sparse_layouts(void) {
    hrry_descriptor *descriptor = made(MADE_COO);
    hrry_coo coo = {.struct_size = sizeof coo};
    CHECK_OK(hrry_descriptor_coo(descriptor, &coo, &error));
    CHECK_EQ(coo.nnz, 2);
    CHECK_EQ(coo.is_sorted, 1);
    check_buffers(descriptor, MADE_LENT(uint64_t, 8, 32), 2, 4096 + 32);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_CSR);
    hrry_compressed compressed = {.struct_size = sizeof compressed};
    CHECK_OK(hrry_descriptor_csr(descriptor, &compressed, &error));
    CHECK_EQ(compressed.nnz, 2);
    check_buffers(descriptor, MADE_LENT(uint64_t, 8, 16, 32), 3, 2 * 4096 + 32);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_CSC);
    CHECK_OK(hrry_descriptor_csc(descriptor, &compressed, &error));
    CHECK_EQ(compressed.nnz, 2);
    check_buffers(descriptor, MADE_LENT(uint64_t, 8, 16, 40), 3, 2 * 4096 + 40);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_CSF);
    hrry_csf csf = {.struct_size = sizeof csf};
    CHECK_OK(hrry_descriptor_csf(descriptor, &csf, &error));
    CHECK_EQ(csf.nnz, 2);
    CHECK_EQ(csf.mode_order[0], 2);
    CHECK_EQ(csf.mode_order[1], 0);
    CHECK_EQ(csf.mode_order[2], 1);
    check_buffers(descriptor, MADE_LENT(uint64_t, 8, 16, 16, 24, 16, 24, 16), 7, 6 * 4096 + 16);
    hrry_descriptor_free(descriptor);
}

static void other_layouts(void) {
    hrry_descriptor *descriptor = made(MADE_BLOCK_PAGED);
    hrry_block_paged block_paged = {.struct_size = sizeof block_paged};
    CHECK_OK(hrry_descriptor_block_paged(descriptor, &block_paged, &error));
    CHECK_EQ(block_paged.num_pages, 2);
    CHECK_EQ(block_paged.page_size, 4);
    CHECK_EQ(block_paged.num_seqs, 1);
    CHECK_EQ(block_paged.kv_role, HRRY_KV_ROLE_VALUE);
    CHECK_EQ(block_paged.layer_index, 11);
    CHECK_EQ(block_paged.block_table_index_type, HRRY_INDEX_U32);
    check_buffers(descriptor, MADE_LENT(uint64_t, 2 * 4 * 2 * 4 * 2, 8, 8), 3, 2 * 4096 + 8);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_COMPOSITE);
    hrry_composite_head head = {.struct_size = sizeof head};
    CHECK_OK(hrry_descriptor_composite(descriptor, &head, &error));
    CHECK_EQ(head.rule, HRRY_RULE_PARTITION);
    CHECK_EQ(head.combine, HRRY_COMBINE_NONE);
    CHECK_EQ(head.member_count, 2);
    check_buffers(descriptor, NULL, 0, 0);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_PRIVATE_LAYOUT);
    hrry_private_layout private_layout = {.struct_size = sizeof private_layout};
    CHECK_OK(hrry_descriptor_private_layout(descriptor, &private_layout, &error));
    CHECK_EQ(private_layout.id, 7);
    CHECK_BYTES(private_layout.data, private_layout.data_len, "hi", 2);
    check_buffers(descriptor, MADE_LENT(uint64_t, 4), 1, 4);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_OPAQUE);
    const void *data;
    size_t len;
    CHECK_OK(hrry_descriptor_opaque_bytes(descriptor, &data, &len, &error));
    CHECK_BYTES(data, len, "whatever", 8);
    CHECK_EQ(hrry_descriptor_layout(descriptor), 0x20);
    CHECK_EQ(hrry_descriptor_shape(descriptor)[0], 4);
    uint64_t number;
    CHECK_FAILS(hrry_descriptor_data_len(descriptor, 4096, &number, &error),
                HRRY_ERROR_UNSUPPORTED);
    hrry_descriptor_free(descriptor);
}

static void sections(void) {
    hrry_descriptor *descriptor = made(MADE_QUANTIZED);
    hrry_quantization quantization = {.struct_size = sizeof quantization};
    CHECK_OK(hrry_descriptor_quantization(descriptor, &quantization, &error));
    CHECK_EQ(hrry_descriptor_scheme(descriptor), HRRY_SCHEME_PER_CHANNEL_AFFINE);
    CHECK_EQ(hrry_descriptor_flags(descriptor), HRRY_DESCRIPTOR_HAS_QUANTIZATION);
    CHECK_EQ(quantization.scheme, HRRY_SCHEME_PER_CHANNEL_AFFINE);
    CHECK_EQ(quantization.flags, 0);
    CHECK_EQ(quantization.axis, 0);
    CHECK_EQ(quantization.block_size, 0);
    CHECK_EQ(quantization.scale_type, HRRY_TYPE_FLOAT32);
    CHECK_EQ(quantization.scale_buffer, 1);
    CHECK_EQ(quantization.zero_point_buffer, 2);
    CHECK(quantization.payload == NULL && quantization.payload_len == 0);
    check_buffers(descriptor, MADE_LENT(uint64_t, 12, 12, 12), 3, 2 * 4096 + 12);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_SHARD);
    hrry_shard shard = {.struct_size = sizeof shard};
    CHECK_OK(hrry_descriptor_shard(descriptor, &shard, &error));
    CHECK_EQ(shard.parent_shape[0], 4);
    CHECK_EQ(shard.parent_shape[1], 6);
    CHECK_EQ(shard.shard_offset[0], 1);
    CHECK_EQ(shard.shard_offset[1], 2);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_STATISTICS);
    hrry_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(hrry_descriptor_statistics(descriptor, &statistics, &error));
    CHECK_EQ(statistics.computed_mask, HRRY_STATISTICS_NNZ | HRRY_STATISTICS_VALUE_RANGE);
    CHECK_EQ(statistics.nnz, 5);
    CHECK(statistics.value_min == -1 && statistics.value_max == 2);
    CHECK(statistics.value_abs_max == 2 && statistics.value_mean == 0);
    hrry_descriptor_free(descriptor);

    descriptor = made(MADE_PRIVATE_TYPE);
    hrry_extension_type extension_type = {.struct_size = sizeof extension_type};
    CHECK_OK(hrry_descriptor_extension_type(descriptor, &extension_type, &error));
    CHECK_EQ(hrry_descriptor_type(descriptor), 0xF0);
    CHECK_EQ(hrry_descriptor_element_bits(descriptor), 24);
    CHECK_EQ(extension_type.bit_width, 24);
    CHECK_EQ(extension_type.is_signed, 1);
    CHECK_EQ(extension_type.is_float, 0);
    CHECK_EQ(extension_type.packing_factor, 1);
    check_buffers(descriptor, MADE_LENT(uint64_t, 18), 1, 18);
    hrry_descriptor_free(descriptor);
}

/* Bytes out, bytes in: the same descriptor. */
static void round_trips(void) {
    for (int what = 0; what < MADE_COUNT; what++) {
        hrry_descriptor *descriptor = made((enum made)what);
        check_only(descriptor, (enum made)what);
        size_t len = 7, again_len;
        /* First for the size. */
        CHECK_FAILS(hrry_descriptor_encode(descriptor, NULL, 0, &len, &error), HRRY_ERROR_ROOM);
        CHECK(len >= 20);
        unsigned char *bytes = check_malloc(len);
        memset(bytes, 0xAA, len);
        CHECK_FAILS(hrry_descriptor_encode(descriptor, bytes, len - 1, &again_len, &error),
                    HRRY_ERROR_ROOM);
        CHECK_EQ(again_len, len);
        CHECK_OK(hrry_descriptor_encode(descriptor, bytes, len, &again_len, &error));
        CHECK_EQ(again_len, len);
        const void *kept = hrry_descriptor_bytes(descriptor, &again_len);
        CHECK_BYTES(kept, again_len, bytes, len);

        hrry_descriptor *again = NULL;
        const bool permissive = what == MADE_PRIVATE_LAYOUT || what == MADE_OPAQUE;
        CHECK_OK(hrry_descriptor_decode(bytes, len, permissive ? HRRY_DECODE_PERMISSIVE : 0,
                                        &again, &error));
        if (permissive) {
            hrry_descriptor *strict = NULL;
            CHECK_FAILS(hrry_descriptor_decode(bytes, len, 0, &strict, &error),
                        what == MADE_OPAQUE ? HRRY_ERROR_RESERVED_TAG : HRRY_ERROR_PRIVATE_TAG);
            CHECK(strict == NULL);
        }
        check_only(again, (enum made)what);
        memset(bytes, 0xAA, len); /* they were copied */
        CHECK_OK(hrry_descriptor_encode(again, bytes, len, &again_len, &error));
        CHECK_BYTES(kept, len, bytes, len);
        free(bytes);
        hrry_descriptor_free(again);
        hrry_descriptor_free(descriptor);
    }
}

/* Rank 0, rank 64, nothing beside huge, sizes that are not known. */
static void shapes(void) {
    uint64_t ones[64];
    for (int k = 0; k < 64; k++) ones[k] = 1;
    const struct {
        uint32_t rank;
        const uint64_t *shape;
        bool counted;
        uint64_t count;
    } shapes[] = {
        {0, NULL, true, 1},
        {64, ones, true, 1},
        {3, MADE_LENT(uint64_t, 0, 1ull << 40, 1ull << 40), true, 0},
        {3, MADE_LENT(uint64_t, 1ull << 40, 1ull << 40, 0), true, 0},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        hrry_builder *builder = NULL;
        hrry_descriptor *descriptor = NULL;
        uint64_t count;
        CHECK_OK(hrry_builder_new(HRRY_TYPE_BOOL, shapes[k].rank, shapes[k].shape, &builder,
                                  &error));
        CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
        CHECK_EQ(hrry_descriptor_rank(descriptor), shapes[k].rank);
        CHECK_OK(hrry_descriptor_element_count(descriptor, &count, &error));
        CHECK_EQ(count, shapes[k].count);
        CHECK((hrry_descriptor_shape(descriptor) == NULL) == (shapes[k].rank == 0));
        hrry_descriptor_free(descriptor);
        hrry_builder_free(builder);
    }

    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    uint64_t count;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT16, 2, MADE_LENT(uint64_t, HRRY_UNKNOWN, 8), &builder,
                              &error));
    CHECK_OK(hrry_builder_buffer_size(builder, 0, 160, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    CHECK(hrry_descriptor_has_dynamic_dimension(descriptor));
    CHECK_EQ(hrry_descriptor_shape(descriptor)[0], HRRY_UNKNOWN);
    CHECK_FAILS(hrry_descriptor_element_count(descriptor, &count, &error), HRRY_ERROR_RULE);
    check_buffers(descriptor, MADE_LENT(uint64_t, 160), 1, 160);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
}

int main(void) {
    the_example();
    damaged();
    dense_layouts();
    sparse_layouts();
    other_layouts();
    sections();
    round_trips();
    shapes();
    return 0;
}
