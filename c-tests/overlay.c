/* Overlays: a base that spans the whole, and corrections that replace or add in the order of the
   file. */
#include "composed.h"

static hrry_error error;

static const uint64_t whole[] = {9, 12};

/* Three corrections; the last two have indices in common. */
static const struct {
    uint64_t offset[2], shape[2];
} boxes[] = {{{1, 1}, {2, 3}}, {{4, 2}, {4, 6}}, {{6, 0}, {3, 12}}};
enum { CORRECTIONS = sizeof boxes / sizeof *boxes };

static bool lies_at(unsigned k, const uint64_t *index) {
    for (unsigned d = 0; d < 2; d++)
        if (index[d] < boxes[k].offset[d] || index[d] >= boxes[k].offset[d] + boxes[k].shape[d])
            return false;
    return true;
}

static float base(const uint64_t *index) { return (float)(index[0] * 12 + index[1]); }

static unsigned added; /* the correction that is being written */

static float correction(const uint64_t *index) {
    return base(index) * (float)(2 + added) + (float)(1000 * (added + 1));
}

static hrry_combine combine;

/* What stands at an index of the whole. */
static float merged(const uint64_t *index) {
    float value = base(index);
    for (added = 0; added < CORRECTIONS; added++) {
        if (!lies_at(added, index)) continue;
        value = combine == HRRY_COMBINE_ADD ? value + correction(index) : correction(index);
    }
    return value;
}

static void replaced_and_added(void) {
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 2, .shape = whole, .combine = combine,
                                               .rule = HRRY_RULE_OVERLAY,
                                               .member_count = 1 + CORRECTIONS}, NULL);
    composed_add(&made, "w.base", (struct composed){.rank = 2, .shape = whole, .parent = whole,
                                                    .offset = AT(0, 0), .role = BASE}, base);
    for (added = 0; added < CORRECTIONS; added++) {
        char name[8];
        snprintf(name, sizeof name, "w.%u", added);
        composed_add(&made, name,
                     (struct composed){.rank = 2, .shape = boxes[added].shape, .parent = whole,
                                       .offset = boxes[added].offset, .role = CORRECTION,
                                       .column_major = added == 1},
                     correction);
    }
    hrry_file *file = composed_open(&made, 0);
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    hrry_composite *composite = open_composite(file, "w");
    CHECK_EQ(hrry_composite_rule(composite), HRRY_RULE_OVERLAY);
    CHECK_EQ(hrry_composite_combine(composite), combine);

    uint64_t index[2] = {0};
    do {
        /* The answer is the overlay itself; what applies there, in order, is another question. */
        uint64_t tensor = 7, local[2], found[8], count = 0, expected[8] = {1}, n = 1;
        CHECK_OK(hrry_composite_locate(composite, index, &tensor, local, &error));
        CHECK_EQ(tensor, hrry_composite_tensor(composite));
        CHECK_BYTES(local, sizeof local, index, sizeof index);
        for (unsigned k = 0; k < CORRECTIONS; k++)
            if (lies_at(k, index)) expected[n++] = 2 + k;
        CHECK_OK(hrry_composite_members_in(composite, index, AT(1, 1), 0, found, 8, &count,
                                           &error));
        CHECK_BYTES(found, count * sizeof *found, expected, n * sizeof *expected);
    } while (next_index(2, whole, index));
    reads_as(composite, 2, AT(0, 0), whole, merged);
    reads_as(composite, 2, AT(2, 1), AT(5, 7), merged);
    reads_as(composite, 2, AT(7, 3), AT(1, 1), merged);

    hrry_composite_close(composite);
    hrry_file_close(file);
    composed_free(&made);
}

/* Sums are rounded one by one, in order: 2^24 + 1 has no float32 and is 2^24 again, twice. */
static float large(const uint64_t *index) {
    (void)index;
    return 16777216;
}

static float one(const uint64_t *index) {
    (void)index;
    return 1;
}

static void rounded_in_order(void) {
    const uint64_t *single = AT(1);
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 1, .shape = single, .member_count = 3,
                                               .rule = HRRY_RULE_OVERLAY,
                                               .combine = HRRY_COMBINE_ADD}, NULL);
    composed_add(&made, "base", (struct composed){.rank = 1, .shape = single, .parent = single,
                                                  .offset = AT(0), .role = BASE}, large);
    composed_add(&made, "one", (struct composed){.rank = 1, .shape = single, .parent = single,
                                                 .offset = AT(0), .role = CORRECTION}, one);
    composed_add(&made, "two", (struct composed){.rank = 1, .shape = single, .parent = single,
                                                 .offset = AT(0), .role = CORRECTION}, one);
    hrry_file *file = composed_open(&made, 0);
    hrry_composite *composite = open_composite(file, "w");
    reads_as(composite, 1, AT(0), single, large);
    hrry_composite_close(composite);
    hrry_file_close(file);
    composed_free(&made);
}

/* The worked example of the format, as SpQR stores weights: a base of int4 in blocks with scales that
   decodes to float16, and the outliers as a sparse tensor. */
static void put_base(hrry_writer *writer, const hrry_descriptor *descriptor) {
    /* Codes of 0, then scales of 1. */
    static uint16_t parts[2][1 << 15];
    for (size_t k = 0; k < 1 << 15; k++) parts[1][k] = 0x3C00;
    CHECK_OK(hrry_writer_begin(writer, "w.base", 6, descriptor, &error));
    for (uint32_t k = 0; k < 2; k++) {
        hrry_buffer_entry buffer = {.struct_size = sizeof buffer};
        CHECK_OK(hrry_descriptor_buffer_at(descriptor, k, &buffer, &error));
        CHECK_EQ(buffer.byte_size % sizeof parts[k], 0);
        for (uint64_t at = 0; at < buffer.byte_size; at += sizeof parts[k])
            CHECK_OK(hrry_writer_write(writer, parts[k], sizeof parts[k], &error));
    }
    CHECK_OK(hrry_writer_end(writer, &error));
}

static void spqr(void) {
    enum { NNZ = 100 };
    const uint64_t *shape = AT(4096, 4096), *origin = AT(0, 0);
    const hrry_composite_head overlay = {
        .struct_size = sizeof overlay, .rule = HRRY_RULE_OVERLAY,
        .combine = HRRY_COMBINE_REPLACE, .member_count = 2};
    const hrry_quantization blocks = {
        .struct_size = sizeof blocks, .scheme = HRRY_SCHEME_PER_BLOCK_AFFINE,
        .flags = HRRY_QUANTIZATION_SYMMETRIC, .axis = 1, .block_size = 64,
        .scale_type = HRRY_TYPE_FLOAT16, .scale_buffer = 1, .zero_point_buffer = HRRY_NO_BUFFER};
    hrry_builder *builder = NULL;
    hrry_descriptor *head = NULL, *base4 = NULL, *outliers = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT16, 2, shape, &builder, &error));
    CHECK_OK(hrry_builder_composite(builder, &overlay, &error));
    CHECK_OK(hrry_builder_build(builder, &head, &error));
    hrry_builder_free(builder);

    CHECK_OK(hrry_builder_new(HRRY_TYPE_INT4, 2, shape, &builder, &error));
    CHECK_OK(hrry_builder_quantization(builder, &blocks, &error));
    CHECK_OK(hrry_builder_shard(builder, shape, origin, &error));
    CHECK_OK(hrry_builder_member_role(builder, HRRY_MEMBER_BASE, &error));
    CHECK_OK(hrry_builder_build(builder, &base4, &error));
    hrry_builder_free(builder);

    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT16, 2, shape, &builder, &error));
    CHECK_OK(hrry_builder_coo(builder, NNZ, true, &error));
    CHECK_OK(hrry_builder_shard(builder, shape, origin, &error));
    CHECK_OK(hrry_builder_member_role(builder, HRRY_MEMBER_CORRECTION, &error));
    CHECK_OK(hrry_builder_build(builder, &outliers, &error));
    hrry_builder_free(builder);

    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create("spqr.hrry", NULL, &writer, &error));
    const hrry_descriptor *const described[] = {base4, outliers};
    CHECK_OK(hrry_writer_composite_begin(writer, "w", 1, head, described, 2, &error));
    put_base(writer, base4);
    /* The outliers of row 40 k, column 7 k: their values, then their coordinates. */
    uint16_t values[NNZ];
    uint64_t coordinates[NNZ][2];
    for (unsigned k = 0; k < NNZ; k++) {
        values[k] = 0x3C00; /* 1.0 */
        coordinates[k][0] = 40 * k;
        coordinates[k][1] = 7 * k;
    }
    const hrry_bytes buffers[] = {{.data = values, .len = sizeof values},
                                  {.data = coordinates, .len = sizeof coordinates}};
    CHECK_OK(hrry_writer_tensor(writer, "w.outliers", 10, outliers, buffers, 2, &error));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(head);
    hrry_descriptor_free(base4);
    hrry_descriptor_free(outliers);

    hrry_file *file = NULL;
    uint64_t problems = 7, members[4], count = 0;
    CHECK_OK(hrry_file_open("spqr.hrry", NULL, &file, &error));
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    hrry_composite *composite = open_composite(file, "w");
    CHECK(hrry_composite_is_complete(composite));
    CHECK_EQ(hrry_composite_member_count(composite), 2);
    CHECK_OK(hrry_composite_members_in(composite, AT(40, 7), AT(1, 1), 0, members, 4, &count,
                                       &error));
    CHECK_EQ(count, 2);
    CHECK_EQ(members[0], place_of(file, "w.base"));
    CHECK_EQ(members[1], place_of(file, "w.outliers"));
    hrry_composite_close(composite);
    hrry_file_close(file);
}

/* What the members of an overlay must be, and what is said of those that are not. */
static void refused(const char *says, hrry_status status, struct composed first,
                    struct composed second) {
    struct composed_file made;
    hrry_composite *composite = (hrry_composite *)&made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 2, .shape = whole, .member_count = 2,
                                               .rule = HRRY_RULE_OVERLAY,
                                               .combine = HRRY_COMBINE_REPLACE}, NULL);
    composed_add(&made, "first", first, base);
    composed_add(&made, "second", second, base);
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        hrry_file *file = composed_open(&made, flags);
        hrry_error problem;
        uint64_t problems = 7;
        CHECK_FAILS(hrry_composite_open(file, 0, &composite, &error), status);
        CHECK(composite == NULL);
        CHECK_SAYS(says);
        CHECK_SAYS("of composite 0 \"w\"");
        CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &problems, &error));
        CHECK(problems >= 1);
        CHECK_EQ(problem.status, status);
        hrry_file_close(file);
    }
    composed_free(&made);
}

static void rules(void) {
    const struct composed good = {.rank = 2, .shape = whole, .parent = whole, .offset = AT(0, 0),
                                  .role = BASE};
    struct composed bad = good, correction_ = good;
    correction_.role = CORRECTION;

    refused("member 0 of", HRRY_ERROR_MISMATCH, correction_, good);
    CHECK_SAYS("member_role is correction, must be base");
    refused("member_role is base, must be correction", HRRY_ERROR_MISMATCH, good, good);
    bad.role = NO_ROLE;
    refused("must carry a composite member section", HRRY_ERROR_RULE, good, bad);
    refused("tensor 1 \"first\"", HRRY_ERROR_RULE, bad, correction_);

    bad = good;
    bad.shape = AT(9, 11);
    refused("shape of the base in dimension 1 is 11, must be 12", HRRY_ERROR_MISMATCH, bad,
            correction_);
    bad.offset = AT(0, 1);
    refused("shard_offset of the base in dimension 1 is 1, must be 0", HRRY_ERROR_MISMATCH, bad,
            correction_);
    bad = correction_;
    bad.parent = AT(9, 13);
    refused("member 1 of", HRRY_ERROR_MISMATCH, good, bad);
    CHECK_SAYS("parent_shape in dimension 1 is 13, must be 12");
    bad = correction_;
    bad.rank = 1;
    refused("rank is 1, must be 2", HRRY_ERROR_MISMATCH, good, bad);
    bad = good;
    bad.rule = HRRY_RULE_PARTITION;
    bad.role = NO_ROLE;
    refused("a composite head cannot be a member of an overlay", HRRY_ERROR_RULE, bad,
            correction_);
}

int main(void) {
    combine = HRRY_COMBINE_REPLACE;
    replaced_and_added();
    combine = HRRY_COMBINE_ADD;
    replaced_and_added();
    rounded_in_order();
    spqr();
    rules();
    return 0;
}
