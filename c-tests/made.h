/* A descriptor of every layout and with every section, small ones, for programs that need one. */
#ifndef MADE_H
#define MADE_H

#include "check.h"

enum made {
    MADE_ROW_MAJOR,      /* float32 [2, 3] */
    MADE_COLUMN_MAJOR,   /* float32 [2, 3] */
    MADE_STRIDED,        /* float32 [2, 3], strides 5, -1, byte_offset 8 */
    MADE_TILED,          /* float32 [6, 8], tiles [2, 4], in them strided 4, 1 */
    MADE_MORTON,         /* float32 [4, 4], bits 2, 2 */
    MADE_HILBERT,        /* float32 [4, 4], order 2 */
    MADE_COO,            /* float32 [3, 4], 2 stored, sorted */
    MADE_CSR,            /* float32 [3, 4], 2 stored */
    MADE_CSC,            /* float32 [3, 4], 2 stored */
    MADE_CSF,            /* float32 [2, 3, 4], 2 stored, modes 2, 0, 1 */
    MADE_BLOCK_PAGED,    /* float16 [8, 2, 4], 2 pages of 4 tokens, 1 sequence */
    MADE_COMPOSITE,      /* float32 [4, 4], a partition of 2 */
    MADE_QUANTIZED,      /* int8 [3, 4], per channel, axis 0 */
    MADE_SHARD,          /* float32 [2, 3], at [1, 2] in [4, 6] */
    MADE_STATISTICS,     /* float32 [2, 3] */
    MADE_PRIVATE_TYPE,   /* 0xF0, 24 bits, [2, 3] */
    MADE_MEMBER,         /* float32 [2, 3], base of an overlay that it spans */
    MADE_PRIVATE_LAYOUT, /* permissive: uint8 [4], 0xF0 */
    MADE_OPAQUE,         /* permissive: uint8 [4], layout 0x20 */
    MADE_COUNT
};

#define MADE_LENT(type, ...) ((const type[]){__VA_ARGS__})

/* What no builder makes. Yours to free. */
static inline hrry_descriptor *made_permissive(uint8_t layout, const void *rest, size_t rest_len) {
    hrry_error error;
    hrry_descriptor *descriptor = NULL;
    unsigned char bytes[256] = "HRRY\1\0";
    const size_t len = 20 + 8 + 8 + rest_len;
    bytes[6] = (unsigned char)len;
    bytes[14] = HRRY_TYPE_UINT8;
    bytes[15] = layout;
    bytes[16] = 1; /* rank */
    bytes[20] = 4; /* shape */
    memcpy(bytes + 36, rest, rest_len);
    CHECK_OK(hrry_descriptor_decode(bytes, len, HRRY_DECODE_PERMISSIVE, &descriptor, &error));
    return descriptor;
}

/* Yours to free. */
static inline hrry_descriptor *made(enum made what) {
    if (what == MADE_PRIVATE_LAYOUT) {
        /* extension_layout_id 7, two bytes of its own, one buffer of 4 bytes, aligned to 64. */
        return made_permissive(0xF0,
                               "\7\0\0\0\0\0\0\0\2\0\0\0hi"
                               "\1\4\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 31);
    }
    if (what == MADE_OPAQUE) return made_permissive(0x20, "whatever", 8);

    hrry_error error;
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    hrry_type type = HRRY_TYPE_FLOAT32;
    uint32_t rank = 2;
    uint64_t shape[3] = {2, 3, 4};
    switch (what) {
    case MADE_TILED: shape[0] = 6; shape[1] = 8; break;
    case MADE_MORTON:
    case MADE_HILBERT:
    case MADE_COMPOSITE: shape[0] = 4; shape[1] = 4; break;
    case MADE_QUANTIZED: type = HRRY_TYPE_INT8; shape[0] = 3; shape[1] = 4; break;
    case MADE_COO:
    case MADE_CSR:
    case MADE_CSC: shape[0] = 3; shape[1] = 4; break;
    case MADE_CSF: rank = 3; break;
    case MADE_BLOCK_PAGED:
        type = HRRY_TYPE_FLOAT16;
        rank = 3;
        shape[0] = 8;
        shape[1] = 2;
        break;
    case MADE_PRIVATE_TYPE: type = 0xF0; break;
    default: break;
    }
    CHECK_OK(hrry_builder_new(type, rank, shape, &builder, &error));
    switch (what) {
    case MADE_COLUMN_MAJOR: CHECK_OK(hrry_builder_column_major(builder, &error)); break;
    case MADE_STRIDED:
        CHECK_OK(hrry_builder_strided(builder, MADE_LENT(int64_t, 5, -1), &error));
        CHECK_OK(hrry_builder_byte_offset(builder, 8, &error));
        break;
    case MADE_TILED: {
        const hrry_tiles tiles = {
            .tile_shape = MADE_LENT(uint64_t, 2, 4),
            .inner_strides = MADE_LENT(int64_t, 4, 1),
            .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
            .inner_layout = HRRY_LAYOUT_STRIDED,
        };
        CHECK_OK(hrry_builder_tiled(builder, &tiles, 1, &error));
        break;
    }
    case MADE_MORTON:
        CHECK_OK(hrry_builder_morton(builder, MADE_LENT(uint32_t, 2, 2), &error));
        break;
    case MADE_HILBERT: CHECK_OK(hrry_builder_hilbert(builder, 2, &error)); break;
    case MADE_COO: CHECK_OK(hrry_builder_coo(builder, 2, true, &error)); break;
    case MADE_CSR: CHECK_OK(hrry_builder_csr(builder, 2, &error)); break;
    case MADE_CSC: CHECK_OK(hrry_builder_csc(builder, 2, &error)); break;
    case MADE_CSF:
        CHECK_OK(hrry_builder_csf(builder, 2, MADE_LENT(uint32_t, 2, 0, 1), &error));
        /* pos and crd of the levels: two paths from one root, which part at once. */
        for (uint32_t level = 0; level < 3; level++) {
            const uint64_t entries = level == 0 ? 2 : 3;
            CHECK_OK(hrry_builder_buffer_size(builder, 2 * level + 1, entries * 8, &error));
            CHECK_OK(hrry_builder_buffer_size(builder, 2 * level + 2, 16, &error));
        }
        break;
    case MADE_BLOCK_PAGED: {
        const hrry_block_paged block_paged = {
            .struct_size = sizeof block_paged,
            .num_pages = 2,
            .page_size = 4,
            .num_seqs = 1,
            .kv_role = HRRY_KV_ROLE_VALUE,
            .layer_index = 11,
            .block_table_index_type = HRRY_INDEX_U32,
        };
        CHECK_OK(hrry_builder_block_paged(builder, &block_paged, &error));
        CHECK_OK(hrry_builder_buffer_size(builder, 1, 8, &error));
        break;
    }
    case MADE_COMPOSITE: {
        const hrry_composite_head head = {
            .struct_size = sizeof head, .rule = HRRY_RULE_PARTITION, .member_count = 2};
        CHECK_OK(hrry_builder_composite(builder, &head, &error));
        break;
    }
    case MADE_QUANTIZED: {
        const hrry_quantization quantization = {
            .struct_size = sizeof quantization,
            .scheme = HRRY_SCHEME_PER_CHANNEL_AFFINE,
            .axis = 0,
            .scale_type = HRRY_TYPE_FLOAT32,
            .scale_buffer = 1,
            .zero_point_buffer = 2,
        };
        CHECK_OK(hrry_builder_quantization(builder, &quantization, &error));
        break;
    }
    case MADE_SHARD:
        CHECK_OK(hrry_builder_shard(builder, MADE_LENT(uint64_t, 4, 6), MADE_LENT(uint64_t, 1, 2),
                                    &error));
        break;
    case MADE_STATISTICS: {
        const hrry_statistics statistics = {
            .struct_size = sizeof statistics,
            .computed_mask = HRRY_STATISTICS_NNZ | HRRY_STATISTICS_VALUE_RANGE,
            .nnz = 5,
            .value_min = -1,
            .value_max = 2,
            .value_abs_max = 2,
        };
        CHECK_OK(hrry_builder_statistics(builder, &statistics, &error));
        break;
    }
    case MADE_PRIVATE_TYPE: {
        const hrry_extension_type extension_type = {
            .struct_size = sizeof extension_type, .bit_width = 24, .is_signed = 1};
        CHECK_OK(hrry_builder_extension_type(builder, &extension_type, &error));
        break;
    }
    case MADE_MEMBER:
        CHECK_OK(hrry_builder_member_role(builder, HRRY_MEMBER_BASE, &error));
        CHECK_OK(hrry_builder_shard(builder, shape, MADE_LENT(uint64_t, 0, 0), &error));
        break;
    default: break;
    }
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    return descriptor;
}

#endif
