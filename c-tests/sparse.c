/* Sparse tensors: what is stored where, single elements, dense copies, and indices in the data that
   lead nowhere. */
#include "values.h"

static hrry_error error;

/* A sparse tensor of float32 or of another type, with every element as it is when it is dense. */
struct sparse {
    uint32_t rank;
    const uint64_t *shape;
    const float *dense;
    const uint64_t *stored; /* the place of each element among the values; HRRY_UNKNOWN: absent */
};

static uint64_t row_major(const struct sparse *of, const uint64_t *index) {
    uint64_t place = 0;
    for (uint32_t k = 0; k < of->rank; k++) place = place * of->shape[k] + index[k];
    return place;
}

/* Every element by itself, every box, and every range. */
static void is_as_dense(const struct subject *subject, const void *context) {
    const struct sparse *of = context;
    uint64_t index[3] = {0}, lower[3] = {0};
    do {
        const uint64_t k = row_major(of, index);
        const bool is_stored = of->stored[k] != HRRY_UNKNOWN;
        hrry_element element = {.struct_size = sizeof element};
        CHECK_OK(ASK(subject, element, index, &element, &error));
        CHECK_EQ(element.kind, HRRY_ELEMENT_FLOAT);
        CHECK_EQ(element.is_stored, is_stored);
        CHECK(element.real == of->dense[k]);
        hrry_place place = {.struct_size = sizeof place};
        CHECK_OK(ASK(subject, locate, index, &place, &error));
        CHECK_EQ(place.is_stored, is_stored);
        CHECK_EQ(place.element, is_stored ? of->stored[k] : 0);
        CHECK_EQ(place.byte, is_stored ? of->stored[k] * 4 : 0);
        CHECK_EQ(place.bit, 0);
    } while (next_index(of->rank, of->shape, index));

    do {
        uint64_t most[3], extent[3] = {0};
        for (uint32_t k = 0; k < of->rank; k++) most[k] = of->shape[k] - lower[k] + 1;
        do {
            const uint64_t count = elements_of(of->rank, extent);
            if (count == 0 || (under_valgrind() && (lower[0] + extent[1] + count) % 5 != 0))
                continue;
            float expected[24], found[24];
            double doubles[24];
            uint64_t n = 0, whole[3], at[3] = {0};
            do {
                for (uint32_t k = 0; k < of->rank; k++) whole[k] = lower[k] + at[k];
                expected[n++] = of->dense[row_major(of, whole)];
            } while (next_index(of->rank, extent, at));
            memset(found, 0xFF, sizeof found);
            CHECK_OK(ASK(subject, copy, lower, extent, HRRY_AS_STORED, found, count * 4, &error));
            CHECK_BYTES(found, count * 4, expected, count * 4);
            CHECK_OK(ASK(subject, copy, lower, extent, HRRY_TYPE_FLOAT64, doubles, count * 8,
                         &error));
            for (uint64_t k = 0; k < count; k++) CHECK(doubles[k] == expected[k]);
        } while (next_index(of->rank, most, extent));
    } while (next_index(of->rank, of->shape, lower));

    const uint64_t total = elements_of(of->rank, of->shape);
    for (uint64_t first = 0; first <= total; first++) {
        for (uint64_t n = 0; n <= total - first; n += 1 + n / 3) {
            float found[24];
            CHECK_OK(ASK(subject, dequantize, first, n, HRRY_TYPE_FLOAT32, found, n * 4, &error));
            CHECK_BYTES(found, n * 4, of->dense + first, n * 4);
        }
    }
}

#define NO HRRY_UNKNOWN

/* The check of layouts.md: [4, 5] with five elements. */
static const uint64_t matrix_shape[] = {4, 5};
static const float matrix[] = {1, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 5, 0, 0, 0, 0, 0};

static void csr(void) {
    const float values[] = {1, 2, 3, 4, 5};
    const uint64_t columns[] = {0, 3, 2, 1, 4}, rows[] = {0, 2, 3, 5, 5};
    const uint64_t stored[] = {0, NO, NO, 1, NO, NO, NO, 2, NO, NO, NO, 3, NO, NO, 4, NO, NO, NO, NO, NO};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
    CHECK_OK(hrry_builder_csr(builder, 5, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffers[] = {{values, sizeof values}, {columns, sizeof columns},
                                   {rows, sizeof rows}};
    each_subject(descriptor, buffers, 3, is_as_dense,
                 &(struct sparse){2, matrix_shape, matrix, stored});
    hrry_descriptor_free(descriptor);
}

/* The same, column by column. */
static void csc(void) {
    const float values[] = {1, 4, 3, 2, 5};
    const uint64_t rows[] = {0, 2, 1, 0, 2}, columns[] = {0, 1, 2, 3, 4, 5};
    const uint64_t stored[] = {0, NO, NO, 3, NO, NO, NO, 2, NO, NO, NO, 1, NO, NO, 4, NO, NO, NO, NO, NO};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
    CHECK_OK(hrry_builder_csc(builder, 5, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffers[] = {{values, sizeof values}, {rows, sizeof rows},
                                   {columns, sizeof columns}};
    each_subject(descriptor, buffers, 3, is_as_dense,
                 &(struct sparse){2, matrix_shape, matrix, stored});
    hrry_descriptor_free(descriptor);
}

/* The same as coordinates, in order and in none. */
static void coo(void) {
    const float sorted[] = {1, 2, 3, 4, 5}, unsorted[] = {5, 3, 1, 4, 2};
    const uint64_t in_order[][2] = {{0, 0}, {0, 3}, {1, 2}, {2, 1}, {2, 4}};
    const uint64_t in_none[][2] = {{2, 4}, {1, 2}, {0, 0}, {2, 1}, {0, 3}};
    const uint64_t places[2][20] = {
        {0, NO, NO, 1, NO, NO, NO, 2, NO, NO, NO, 3, NO, NO, 4, NO, NO, NO, NO, NO},
        {2, NO, NO, 4, NO, NO, NO, 1, NO, NO, NO, 3, NO, NO, 0, NO, NO, NO, NO, NO},
    };
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
        hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
        CHECK_OK(hrry_builder_coo(builder, 5, is_sorted != 0, &error));
        hrry_descriptor *descriptor = built(builder);
        const hrry_memory buffers[] = {
            {is_sorted ? sorted : unsorted, sizeof sorted},
            {is_sorted ? in_order : in_none, sizeof in_order},
        };
        each_subject(descriptor, buffers, 2, is_as_dense,
                     &(struct sparse){2, matrix_shape, matrix, places[1 - is_sorted]});
        hrry_descriptor_free(descriptor);
    }
}

/* The check of layouts.md: [2, 3, 4] with four elements, as a tree of dimensions 0, 1, 2; and as one
   of 2, 0, 1. */
static void csf(void) {
    const uint64_t shape[] = {2, 3, 4};
    float dense[24] = {0};
    uint64_t stored[24];
    memset(stored, 0xFF, sizeof stored);
    const uint64_t at[4] = {1, 11, 16, 18}; /* (0,0,1) (0,2,3) (1,1,0) (1,1,2) */
    for (uint64_t k = 0; k < 4; k++) {
        dense[at[k]] = (float)(k + 1);
        stored[at[k]] = k;
    }
    const float values[] = {1, 2, 3, 4};
    const uint64_t pos_0[] = {0, 2}, crd_0[] = {0, 1}, pos_1[] = {0, 2, 3}, crd_1[] = {0, 2, 1},
                   pos_2[] = {0, 1, 2, 4}, crd_2[] = {1, 3, 0, 2};
    const hrry_memory buffers[] = {
        {values, sizeof values}, {pos_0, sizeof pos_0}, {crd_0, sizeof crd_0},
        {pos_1, sizeof pos_1},   {crd_1, sizeof crd_1}, {pos_2, sizeof pos_2},
        {crd_2, sizeof crd_2},
    };
    const uint32_t in_order[] = {0, 1, 2};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 3, shape);
    CHECK_OK(hrry_builder_csf(builder, 4, in_order, &error));
    for (uint32_t k = 1; k < 7; k++)
        CHECK_OK(hrry_builder_buffer_size(builder, k, buffers[k].size, &error));
    hrry_descriptor *descriptor = built(builder);
    each_subject(descriptor, buffers, 7, is_as_dense, &(struct sparse){3, shape, dense, stored});
    hrry_descriptor_free(descriptor);

    /* By dimension 2 first: its coordinates are 0 1 2 3, each with one path through 0 and 1. */
    const float turned[] = {3, 1, 4, 2};
    const uint64_t t_pos_0[] = {0, 4}, t_crd_0[] = {0, 1, 2, 3}, t_pos_1[] = {0, 1, 2, 3, 4},
                   t_crd_1[] = {1, 0, 1, 0}, t_pos_2[] = {0, 1, 2, 3, 4}, t_crd_2[] = {1, 0, 1, 2};
    const hrry_memory turned_buffers[] = {
        {turned, sizeof turned},   {t_pos_0, sizeof t_pos_0}, {t_crd_0, sizeof t_crd_0},
        {t_pos_1, sizeof t_pos_1}, {t_crd_1, sizeof t_crd_1}, {t_pos_2, sizeof t_pos_2},
        {t_crd_2, sizeof t_crd_2},
    };
    const uint64_t order[4] = {1, 3, 0, 2};
    for (uint64_t k = 0; k < 4; k++) stored[at[k]] = order[k];
    const uint32_t modes[] = {2, 0, 1};
    builder = build(HRRY_TYPE_FLOAT32, 3, shape);
    CHECK_OK(hrry_builder_csf(builder, 4, modes, &error));
    for (uint32_t k = 1; k < 7; k++)
        CHECK_OK(hrry_builder_buffer_size(builder, k, turned_buffers[k].size, &error));
    descriptor = built(builder);
    each_subject(descriptor, turned_buffers, 7, is_as_dense,
                 &(struct sparse){3, shape, dense, stored});
    hrry_descriptor_free(descriptor);
}

/* Elements below a byte: packed among the values, packed in a copy. */
static void packed(void) {
    const unsigned char values[] = {0x21, 0x0F}; /* 1 2 15 */
    const uint64_t columns[] = {1, 4, 2}, rows[] = {0, 2, 3};
    hrry_builder *builder = build(HRRY_TYPE_UINT4, 2, AT(2, 5));
    CHECK_OK(hrry_builder_csr(builder, 3, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffers[] = {{values, sizeof values}, {columns, sizeof columns},
                                   {rows, sizeof rows}};
    unsigned char found[10];
    const unsigned char stored[] = {0x10, 0x00, 0x02, 0xF0, 0x00};
    const unsigned char apart[] = {0, 1, 0, 0, 2, 0, 0, 15, 0, 0};
    memset(found, 0xFF, sizeof found);
    CHECK_OK(hrry_values_copy(descriptor, buffers, 3, AT(0, 0), AT(2, 5), HRRY_AS_STORED, found, 5,
                              &error));
    CHECK_BYTES(found, 5, stored, 5);
    CHECK_OK(hrry_values_copy(descriptor, buffers, 3, AT(0, 0), AT(2, 5), HRRY_AS_BYTES, found, 10,
                              &error));
    CHECK_BYTES(found, 10, apart, 10);
    hrry_place place = {.struct_size = sizeof place};
    CHECK_OK(hrry_values_locate(descriptor, buffers, 3, AT(0, 4), &place, &error));
    CHECK(place.is_stored == 1 && place.element == 1 && place.byte == 0 && place.bit == 4);
    hrry_descriptor_free(descriptor);
}

/* A tensor of which nobody could have a dense copy; a part of it is no matter. */
static void enormous(void) {
    const uint64_t huge = (uint64_t)1 << 40;
    const double value = 2.5;
    const uint64_t at[] = {huge - 2, 7};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT64, 2, AT(huge, huge));
    CHECK_OK(hrry_builder_coo(builder, 1, true, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffers[] = {{&value, sizeof value}, {at, sizeof at}};
    float found[3][4];
    CHECK_OK(hrry_values_copy(descriptor, buffers, 2, AT(huge - 3, 6), AT(3, 4), HRRY_TYPE_FLOAT32,
                              found, sizeof found, &error));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) CHECK(found[i][j] == (i == 1 && j == 1 ? 2.5f : 0));
    /* Neither the elements of the whole nor their bytes have a number. */
    CHECK_FAILS(hrry_values_copy(descriptor, buffers, 2, AT(0, 0), AT(huge, huge), HRRY_AS_STORED,
                                 found, sizeof found, &error), HRRY_ERROR_OVERFLOW);
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 2, 0, 1, HRRY_TYPE_FLOAT32, found, 4,
                                       &error), HRRY_ERROR_OVERFLOW);
    hrry_descriptor_free(descriptor);
}

/* ---- Data that breaks the rules ---------------------------------------------------------------
   Not found at open, as data is not read then; whoever follows an index checks it. Buffers are
   exactly as long as they must be, so that valgrind sees a step outside. */

static void broken(const hrry_descriptor *descriptor, const hrry_memory *sound, uint32_t count,
                   uint32_t buffer, uint32_t entry, uint64_t number, const uint64_t *index,
                   hrry_status status, const char *says) {
    hrry_memory buffers[8];
    uint64_t *spoilt = check_malloc(sound[buffer].size);
    memcpy(spoilt, sound[buffer].data, sound[buffer].size);
    spoilt[entry] = number;
    for (uint32_t k = 0; k < count; k++) {
        unsigned char *copy = check_malloc(sound[k].size);
        memcpy(copy, k == buffer ? (void *)spoilt : sound[k].data, sound[k].size);
        buffers[k] = (hrry_memory){copy, sound[k].size};
    }
    const uint32_t rank = hrry_descriptor_rank(descriptor);
    const uint64_t *shape = hrry_descriptor_shape(descriptor);
    float found[24];
    const size_t len = elements_of(rank, shape) * 4;
    CHECK_FAILS(hrry_values_copy(descriptor, buffers, count, AT(0, 0, 0), shape, HRRY_AS_STORED,
                                 found, len, &error), status);
    CHECK_SAYS(says);
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, count, 0, len / 4, HRRY_TYPE_FLOAT32,
                                       found, len, &error), status);
    CHECK_SAYS(says);
    if (index != NULL) {
        /* So does a look for an element that leads through it. */
        hrry_element element = {.struct_size = sizeof element};
        CHECK_FAILS(hrry_values_element(descriptor, buffers, count, index, &element, &error),
                    status);
        CHECK_SAYS(says);
    }
    /* Every other look gives an element or an error, and stays in the buffers. */
    uint64_t at[3] = {0};
    do {
        hrry_element element = {.struct_size = sizeof element};
        const hrry_status any = hrry_values_element(descriptor, buffers, count, at, &element, &error);
        CHECK(any == HRRY_OK || (any >= 200 && any < 300));
    } while (next_index(rank, shape, at));
    for (uint32_t k = 0; k < count; k++) free((void *)(uintptr_t)buffers[k].data);
    free(spoilt);
}

static void data_that_breaks_the_rules(void) {
    const float values[] = {1, 2, 3, 4, 5};
    const uint64_t columns[] = {0, 3, 2, 1, 4}, rows[] = {0, 2, 3, 5, 5};
    const hrry_memory csr_buffers[] = {{values, sizeof values}, {columns, sizeof columns},
                                       {rows, sizeof rows}};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
    CHECK_OK(hrry_builder_csr(builder, 5, &error));
    hrry_descriptor *descriptor = built(builder);
    broken(descriptor, csr_buffers, 3, 1, 2, 5, NULL, HRRY_ERROR_BOUNDS,
           "col_indices[2] is 5, must be below 5");
    broken(descriptor, csr_buffers, 3, 1, 4, UINT64_MAX, NULL, HRRY_ERROR_BOUNDS, "col_indices[4]");
    broken(descriptor, csr_buffers, 3, 1, 1, 0, NULL, HRRY_ERROR_UNSORTED,
           "col_indices[1] is 0, must be above 0");
    broken(descriptor, csr_buffers, 3, 2, 0, 1, AT(0, 0), HRRY_ERROR_MISMATCH,
           "row_ptr[0] is 1, must be 0");
    broken(descriptor, csr_buffers, 3, 2, 3, 2, AT(2, 0), HRRY_ERROR_UNSORTED,
           "row_ptr[3] is 2, must not be below 3");
    broken(descriptor, csr_buffers, 3, 2, 3, (uint64_t)1 << 61, AT(2, 0), HRRY_ERROR_BOUNDS,
           "row_ptr[3]");
    hrry_descriptor_free(descriptor);

    builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
    CHECK_OK(hrry_builder_csc(builder, 5, &error));
    descriptor = built(builder);
    const float by_column[] = {1, 4, 3, 2, 5};
    const uint64_t row_indices[] = {0, 2, 1, 0, 2}, col_ptr[] = {0, 1, 2, 3, 4, 5};
    const hrry_memory csc_buffers[] = {{by_column, sizeof by_column},
                                       {row_indices, sizeof row_indices},
                                       {col_ptr, sizeof col_ptr}};
    broken(descriptor, csc_buffers, 3, 1, 1, 4, NULL, HRRY_ERROR_BOUNDS,
           "row_indices[1] is 4, must be below 4");
    broken(descriptor, csc_buffers, 3, 2, 5, 6, AT(0, 4), HRRY_ERROR_BOUNDS, "col_ptr[5]");
    hrry_descriptor_free(descriptor);

    const uint64_t coordinates[] = {0, 0, 0, 3, 1, 2, 2, 1, 2, 4};
    const hrry_memory coo_buffers[] = {{values, sizeof values}, {coordinates, sizeof coordinates}};
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
        builder = build(HRRY_TYPE_FLOAT32, 2, matrix_shape);
        CHECK_OK(hrry_builder_coo(builder, 5, is_sorted != 0, &error));
        descriptor = built(builder);
        broken(descriptor, coo_buffers, 2, 1, 3, 5, NULL, HRRY_ERROR_BOUNDS,
               "indices[3] is 5, must be below 5");
        broken(descriptor, coo_buffers, 2, 1, 8, (uint64_t)1 << 63, NULL, HRRY_ERROR_BOUNDS,
               "indices[8]");
        if (is_sorted)
            broken(descriptor, coo_buffers, 2, 1, 4, 0, NULL, HRRY_ERROR_UNSORTED, "indices[4]");
        hrry_descriptor_free(descriptor);
    }

    const float tree[] = {1, 2, 3, 4};
    const uint64_t pos_0[] = {0, 2}, crd_0[] = {0, 1}, pos_1[] = {0, 2, 3}, crd_1[] = {0, 2, 1},
                   pos_2[] = {0, 1, 2, 4}, crd_2[] = {1, 3, 0, 2};
    const hrry_memory csf_buffers[] = {
        {tree, sizeof tree},   {pos_0, sizeof pos_0}, {crd_0, sizeof crd_0}, {pos_1, sizeof pos_1},
        {crd_1, sizeof crd_1}, {pos_2, sizeof pos_2}, {crd_2, sizeof crd_2},
    };
    const uint32_t modes[] = {0, 1, 2};
    builder = build(HRRY_TYPE_FLOAT32, 3, AT(2, 3, 4));
    CHECK_OK(hrry_builder_csf(builder, 4, modes, &error));
    for (uint32_t k = 1; k < 7; k++)
        CHECK_OK(hrry_builder_buffer_size(builder, k, csf_buffers[k].size, &error));
    descriptor = built(builder);
    broken(descriptor, csf_buffers, 7, 2, 1, 2, NULL, HRRY_ERROR_BOUNDS, "crd_0[1] is 2, must be below 2");
    broken(descriptor, csf_buffers, 7, 6, 1, 4, NULL, HRRY_ERROR_BOUNDS, "crd_2[1] is 4, must be below 4");
    broken(descriptor, csf_buffers, 7, 6, 3, 0, NULL, HRRY_ERROR_UNSORTED, "crd_2[3]");
    broken(descriptor, csf_buffers, 7, 3, 2, 4, NULL, HRRY_ERROR_BOUNDS, "pos_1[2]");
    broken(descriptor, csf_buffers, 7, 5, 2, 0, NULL, HRRY_ERROR_UNSORTED, "pos_2[2]");
    broken(descriptor, csf_buffers, 7, 1, 1, UINT64_MAX, AT(1, 1, 0), HRRY_ERROR_BOUNDS, "pos_0[1]");
    hrry_descriptor_free(descriptor);
}

int main(void) {
    csr();
    csc();
    coo();
    csf();
    packed();
    enormous();
    data_that_breaks_the_rules();
    return 0;
}
