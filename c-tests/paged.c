/* A cache of keys in pages: sequences that share the page of a prefix, by sequence and token, and as
   one tensor where that is one. */
#include "values.h"

static hrry_error error;

enum { PAGE = 4, PAGES = 5, HEADS = 2, DIM = 3, ENTRIES = 5, SEQUENCES = 3 };

/* Sequences 0 and 1 begin with the same page; sequence 2 has none. */
static const uint32_t table[ENTRIES] = {2, 0, 2, 4, 1}, pointers[SEQUENCES + 1] = {0, 2, 5, 5};
static const uint64_t table64[ENTRIES] = {2, 0, 2, 4, 1}, pointers64[SEQUENCES + 1] = {0, 2, 5, 5};
static float pool[PAGES][PAGE][HEADS][DIM];

static float value(uint64_t page, uint64_t slot, uint64_t head, uint64_t dim) {
    return (float)(page * 1000 + slot * 100 + head * 10 + dim);
}

static void fill_pool(void) {
    for (unsigned p = 0; p < PAGES; p++)
        for (unsigned s = 0; s < PAGE; s++)
            for (unsigned h = 0; h < HEADS; h++)
                for (unsigned d = 0; d < DIM; d++) pool[p][s][h][d] = value(p, s, h, d);
}

/* Of `tokens`: what the tensor says it has; the tables say which. */
static hrry_builder *cache(hrry_type type, uint64_t tokens, uint32_t index_type) {
    const hrry_block_paged block_paged = {
        .struct_size = sizeof block_paged,
        .num_pages = PAGES,
        .page_size = PAGE,
        .num_seqs = SEQUENCES,
        .kv_role = HRRY_KV_ROLE_KEY,
        .layer_index = 0,
        .block_table_index_type = index_type,
    };
    hrry_builder *builder = build(type, 3, AT(tokens, HEADS, DIM));
    CHECK_OK(hrry_builder_block_paged(builder, &block_paged, &error));
    CHECK_OK(hrry_builder_buffer_size(builder, 1, ENTRIES * (index_type == HRRY_INDEX_U32 ? 4 : 8),
                                      &error));
    return builder;
}

static void by_sequence_and_token(const struct subject *subject, const void *context) {
    (void)context;
    for (uint64_t s = 0; s < SEQUENCES; s++) {
        const uint64_t tokens = (pointers[s + 1] - pointers[s]) * PAGE;
        for (uint64_t t = 0; t < tokens; t++) {
            const uint64_t page = table[pointers[s] + t / PAGE], slot = t % PAGE;
            for (uint64_t h = 0; h < HEADS; h++) {
                for (uint64_t d = 0; d < DIM; d++) {
                    hrry_place place = {.struct_size = sizeof place};
                    CHECK_OK(ASK(subject, locate_token, s, t, h, d, &place, &error));
                    CHECK_EQ(place.element, ((page * PAGE + slot) * HEADS + h) * DIM + d);
                    CHECK_EQ(place.byte, (uint64_t)place.element * 4);
                    CHECK(place.is_stored == 1 && place.bit == 0);
                }
            }
            for (uint64_t n = 0; n <= tokens - t; n++) {
                float found[12][HEADS][DIM];
                double values[12][HEADS][DIM];
                const uint64_t count = n * HEADS * DIM;
                CHECK_OK(ASK(subject, copy_tokens, s, t, n, HRRY_AS_STORED, found, count * 4,
                             &error));
                CHECK_OK(ASK(subject, dequantize_tokens, s, t, n, HRRY_TYPE_FLOAT64, values,
                             count * 8, &error));
                for (uint64_t k = 0; k < n; k++)
                    for (uint64_t h = 0; h < HEADS; h++)
                        for (uint64_t d = 0; d < DIM; d++) {
                            const float expected = value(table[pointers[s] + (t + k) / PAGE],
                                                         (t + k) % PAGE, h, d);
                            CHECK(found[k][h][d] == expected);
                            CHECK(values[k][h][d] == expected);
                        }
            }
        }
        hrry_place place = {.struct_size = sizeof place};
        float room[HEADS * DIM];
        CHECK_FAILS(ASK(subject, locate_token, s, tokens, 0, 0, &place, &error), HRRY_ERROR_INDEX);
        CHECK_SAYS("token");
        CHECK_FAILS(ASK(subject, copy_tokens, s, tokens, 1, HRRY_AS_STORED, room, sizeof room,
                        &error), HRRY_ERROR_INDEX);
        CHECK_FAILS(ASK(subject, copy_tokens, s, 1, UINT64_MAX, HRRY_AS_STORED, room, sizeof room,
                        &error), HRRY_ERROR_INDEX);
        CHECK_OK(ASK(subject, copy_tokens, s, tokens, 0, HRRY_AS_STORED, NULL, 0, &error));
    }
    hrry_place place = {.struct_size = sizeof place};
    float room[HEADS * DIM];
    CHECK_FAILS(ASK(subject, locate_token, SEQUENCES, 0, 0, 0, &place, &error), HRRY_ERROR_INDEX);
    CHECK_SAYS("sequence");
    CHECK_FAILS(ASK(subject, locate_token, 0, 0, HEADS, 0, &place, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, locate_token, 0, 0, 0, DIM, &place, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, copy_tokens, SEQUENCES, 0, 1, HRRY_AS_STORED, room, sizeof room,
                    &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, copy_tokens, 0, 0, 1, HRRY_AS_STORED, room, sizeof room - 4, &error),
                HRRY_ERROR_ROOM);
}

/* The tensor has as many tokens as its block table has slots: row t is slot t % PAGE of page
   table[t / PAGE]. */
static void as_one_tensor(const struct subject *subject, const void *context) {
    enum { TOKENS = ENTRIES * PAGE };
    (void)context;
    float all[TOKENS][HEADS][DIM], values[TOKENS * HEADS * DIM];
    CHECK_OK(ASK(subject, copy, AT(0, 0, 0), AT(TOKENS, HEADS, DIM), HRRY_AS_STORED, all, sizeof all,
                 &error));
    CHECK_OK(ASK(subject, dequantize, 0, TOKENS * HEADS * DIM, HRRY_TYPE_FLOAT32, values,
                 sizeof values, &error));
    CHECK_BYTES(values, sizeof values, all, sizeof all);
    for (uint64_t t = 0; t < TOKENS; t++)
        for (uint64_t h = 0; h < HEADS; h++)
            for (uint64_t d = 0; d < DIM; d++) {
                hrry_element element = {.struct_size = sizeof element};
                CHECK(all[t][h][d] == value(table[t / PAGE], t % PAGE, h, d));
                CHECK_OK(ASK(subject, element, AT(t, h, d), &element, &error));
                CHECK(element.real == all[t][h][d]);
            }
    /* One head of the tokens in the middle. */
    float head[9][1][2];
    CHECK_OK(ASK(subject, copy, AT(6, 1, 1), AT(9, 1, 2), HRRY_TYPE_FLOAT32, head, sizeof head,
                 &error));
    for (int t = 0; t < 9; t++)
        for (int d = 0; d < 2; d++) CHECK(head[t][0][d] == all[t + 6][1][d + 1]);
    by_sequence_and_token(subject, NULL);
}

static void sound(void) {
    const hrry_memory buffers[] = {{pool, sizeof pool}, {table, sizeof table},
                                   {pointers, sizeof pointers}};
    const hrry_memory buffers64[] = {{pool, sizeof pool}, {table64, sizeof table64},
                                     {pointers64, sizeof pointers64}};
    hrry_descriptor *descriptor =
        built(cache(HRRY_TYPE_FLOAT32, ENTRIES * PAGE, HRRY_INDEX_U32));
    each_subject(descriptor, buffers, 3, as_one_tensor, NULL);
    hrry_descriptor_free(descriptor);
    descriptor = built(cache(HRRY_TYPE_FLOAT32, ENTRIES * PAGE, HRRY_INDEX_U64));
    each_subject(descriptor, buffers64, 3, as_one_tensor, NULL);
    hrry_descriptor_free(descriptor);

    /* Tokens that do not fill the pages: which are missing nobody says, so only sequences are had. */
    descriptor = built(cache(HRRY_TYPE_FLOAT32, 17, HRRY_INDEX_U32));
    each_subject(descriptor, buffers, 3, by_sequence_and_token, NULL);
    float room[HEADS * DIM];
    hrry_place place = {.struct_size = sizeof place};
    CHECK_FAILS(hrry_values_copy(descriptor, buffers, 3, AT(0, 0, 0), AT(1, HEADS, DIM),
                                 HRRY_AS_STORED, room, sizeof room, &error), HRRY_ERROR_STATE);
    CHECK_SAYS("sequence");
    CHECK_FAILS(hrry_values_locate(descriptor, buffers, 3, AT(0, 0, 0), &place, &error),
                HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 3, 0, 1, HRRY_TYPE_FLOAT32, room, 4,
                                       &error), HRRY_ERROR_STATE);
    hrry_descriptor_free(descriptor);
}

/* Numbers in the tables that lead outside: an error that names them, for whoever meets them. */
static void broken(void) {
    hrry_descriptor *descriptor =
        built(cache(HRRY_TYPE_FLOAT32, ENTRIES * PAGE, HRRY_INDEX_U32));
    /* Exactly as long as they must be, so that valgrind sees a step outside. */
    uint32_t *pages = check_malloc(sizeof table), *ends = check_malloc(sizeof pointers);
    float *elements = check_malloc(sizeof pool), room[ENTRIES * PAGE * HEADS * DIM];
    memcpy(elements, pool, sizeof pool);
    memcpy(ends, pointers, sizeof pointers);
    const hrry_memory buffers[] = {{elements, sizeof pool}, {pages, sizeof table},
                                   {ends, sizeof pointers}};
    hrry_place place = {.struct_size = sizeof place};

    const uint32_t nowhere[] = {PAGES, 0x7FFFFFFF, UINT32_MAX};
    for (int k = 0; k < 3; k++) {
        memcpy(pages, table, sizeof table);
        pages[3] = nowhere[k];
        CHECK_FAILS(hrry_values_locate_token(descriptor, buffers, 3, 1, 5, 0, 0, &place, &error),
                    HRRY_ERROR_BOUNDS);
        CHECK_SAYS("block_table[3]");
        CHECK_SAYS("must be below 5");
        CHECK_FAILS(hrry_values_copy_tokens(descriptor, buffers, 3, 1, 3, 2, HRRY_AS_STORED, room,
                                            2 * HEADS * DIM * 4, &error), HRRY_ERROR_BOUNDS);
        CHECK_SAYS("block_table[3]");
        CHECK_FAILS(hrry_values_copy(descriptor, buffers, 3, AT(0, 0, 0),
                                     AT(ENTRIES * PAGE, HEADS, DIM), HRRY_AS_STORED, room,
                                     sizeof room, &error), HRRY_ERROR_BOUNDS);
        /* Nobody who does not meet it is told. */
        CHECK_OK(hrry_values_locate_token(descriptor, buffers, 3, 1, 3, 0, 0, &place, &error));
        CHECK_OK(hrry_values_copy_tokens(descriptor, buffers, 3, 1, 8, 4, HRRY_AS_STORED, room,
                                         4 * HEADS * DIM * 4, &error));
        CHECK(room[0] == value(1, 0, 0, 0));
    }
    memcpy(pages, table, sizeof table);
    const struct {
        uint32_t entry, number;
        uint64_t sequence;
        hrry_status status;
        const char *says;
    } wrong[] = {
        {0, 1, 0, HRRY_ERROR_MISMATCH, "seq_ptr[0] is 1, must be 0"},
        {1, 6, 0, HRRY_ERROR_BOUNDS, "seq_ptr[1]"},
        {2, 1, 1, HRRY_ERROR_UNSORTED, "seq_ptr[2] is 1, must not be below 2"},
        {2, UINT32_MAX, 1, HRRY_ERROR_BOUNDS, "seq_ptr[2]"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        memcpy(ends, pointers, sizeof pointers);
        ends[wrong[k].entry] = wrong[k].number;
        CHECK_FAILS(hrry_values_locate_token(descriptor, buffers, 3, wrong[k].sequence, 0, 0, 0,
                                             &place, &error), wrong[k].status);
        CHECK_SAYS(wrong[k].says);
        CHECK_FAILS(hrry_values_copy_tokens(descriptor, buffers, 3, wrong[k].sequence, 0, 1,
                                            HRRY_AS_STORED, room, HEADS * DIM * 4, &error),
                    wrong[k].status);
        CHECK_SAYS(wrong[k].says);
    }
    free(pages);
    free(ends);
    free(elements);
    hrry_descriptor_free(descriptor);
}

/* Quantized: one scale and zero point for each slot of each page, wherever it is used. */
static int8_t codes[PAGES][PAGE][HEADS][DIM];

static void scales_of_slots(const struct subject *subject, const void *context) {
    (void)context;
    for (uint64_t s = 0; s < SEQUENCES; s++) {
        const uint64_t tokens = (pointers[s + 1] - pointers[s]) * PAGE;
        float found[12][HEADS][DIM];
        int8_t stored[12][HEADS][DIM];
        CHECK_OK(ASK(subject, dequantize_tokens, s, 0, tokens, HRRY_TYPE_FLOAT32, found,
                     tokens * HEADS * DIM * 4, &error));
        CHECK_OK(ASK(subject, copy_tokens, s, 0, tokens, HRRY_AS_STORED, stored,
                     tokens * HEADS * DIM, &error));
        for (uint64_t t = 0; t < tokens; t++) {
            const uint64_t page = table[pointers[s] + t / PAGE], slot = t % PAGE;
            const float scale = (float)(page * PAGE + slot + 1) / 4;
            const int zero_point = (int)slot - 2;
            for (int h = 0; h < HEADS; h++)
                for (int d = 0; d < DIM; d++) {
                    CHECK_EQ(stored[t][h][d], codes[page][slot][h][d]);
                    CHECK(found[t][h][d] ==
                          scale * (float)(codes[page][slot][h][d] - zero_point));
                }
        }
        /* One token of them. */
        float one[HEADS][DIM];
        if (tokens != 0) {
            CHECK_OK(ASK(subject, dequantize_tokens, s, 5, 1, HRRY_TYPE_FLOAT32, one, sizeof one,
                         &error));
            CHECK_BYTES(one, sizeof one, found[5], sizeof one);
        }
    }
}

static void quantized(void) {
    float scales[PAGES * PAGE];
    int32_t zero_points[PAGES * PAGE];
    for (int k = 0; k < PAGES * PAGE * HEADS * DIM; k++)
        codes[k / 24][k / 6 % 4][k / 3 % 2][k % 3] = (int8_t)(k * 37 % 256 - 128);
    for (int k = 0; k < PAGES * PAGE; k++) {
        scales[k] = (float)(k + 1) / 4;
        zero_points[k] = k % PAGE - 2;
    }
    const hrry_quantization blocks = {
        .struct_size = sizeof blocks,
        .scheme = HRRY_SCHEME_PER_BLOCK_AFFINE,
        .axis = 0,
        .block_size = PAGE,
        .scale_type = HRRY_TYPE_FLOAT32,
        .scale_buffer = 3,
        .zero_point_buffer = 4,
    };
    hrry_builder *builder = cache(HRRY_TYPE_INT8, ENTRIES * PAGE, HRRY_INDEX_U32);
    CHECK_OK(hrry_builder_quantization(builder, &blocks, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffers[] = {{codes, sizeof codes},
                                   {table, sizeof table},
                                   {pointers, sizeof pointers},
                                   {scales, sizeof scales},
                                   {zero_points, sizeof zero_points}};
    each_subject(descriptor, buffers, 5, scales_of_slots, NULL);
    hrry_descriptor_free(descriptor);
}

int main(void) {
    fill_pool();
    sound();
    broken();
    quantized();
    return 0;
}
