/* Composites checked without a file: a head, its members one by one, the end. */
#include "composed.h"

static hrry_error error;

static float value(const uint64_t *index) { return (float)index[0]; }

static hrry_checker *begin(struct composed head, uint32_t flags) {
    hrry_checker *checker = NULL;
    hrry_descriptor *descriptor = composed_descriptor(&head);
    CHECK_OK(hrry_checker_new(descriptor, flags, &checker, &error));
    hrry_descriptor_free(descriptor); /* nothing is kept of it */
    return checker;
}

static hrry_status add(hrry_checker *checker, struct composed member) {
    hrry_descriptor *descriptor = composed_descriptor(&member);
    const hrry_status status = hrry_checker_add(checker, descriptor, &error);
    hrry_descriptor_free(descriptor);
    return status;
}

static const uint64_t whole[] = {8, 8};

static struct composed head(hrry_rule rule, hrry_combine combine, uint32_t member_count) {
    return (struct composed){.rank = 2, .shape = whole, .rule = rule, .combine = combine,
                             .member_count = member_count};
}

/* The columns of an [8, 8] from one on. */
struct columns {
    uint64_t shape[2], offset[2];
};

static struct composed part(struct columns *at, uint64_t first, uint64_t columns) {
    *at = (struct columns){{8, columns}, {0, first}};
    return (struct composed){.rank = 2, .shape = at->shape, .parent = whole,
                             .offset = at->offset};
}

static void good(void) {
    struct columns at;
    hrry_checker *checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), 0);
    CHECK(!hrry_checker_is_complete(checker));
    CHECK_OK(add(checker, part(&at, 3, 5)));
    CHECK_OK(add(checker, part(&at, 0, 3)));
    CHECK(hrry_checker_is_complete(checker));
    CHECK_FAILS(add(checker, part(&at, 0, 3)), HRRY_ERROR_STATE);
    CHECK_OK(hrry_checker_close(checker, &error));
    CHECK(!hrry_checker_is_complete(checker));
    CHECK_FAILS(hrry_checker_close(checker, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(add(checker, part(&at, 0, 3)), HRRY_ERROR_STATE);
    hrry_checker_free(checker);

    checker = begin(head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 0), 0);
    CHECK(hrry_checker_is_complete(checker));
    CHECK_OK(hrry_checker_close(checker, &error));
    hrry_checker_free(checker);

    /* One that is given up is just freed. */
    checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), 0);
    CHECK_OK(add(checker, part(&at, 0, 3)));
    hrry_checker_free(checker);

    struct composed plain = part(&at, 0, 3);
    hrry_descriptor *descriptor = composed_descriptor(&plain);
    checker = (hrry_checker *)&at;
    CHECK_FAILS(hrry_checker_new(descriptor, 0, &checker, &error), HRRY_ERROR_FORBIDDEN);
    CHECK(checker == NULL);
    hrry_descriptor_free(descriptor);
}

/* Members fail when they come; tensors are numbered in the order of their coming. */
static void members(void) {
    struct columns at;
    hrry_checker *checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 3), 0);
    CHECK_OK(add(checker, part(&at, 0, 3)));
    struct composed other = part(&at, 3, 2);
    other.parent = AT(8, 9);
    CHECK_FAILS(add(checker, other), HRRY_ERROR_MISMATCH);
    CHECK_EQ(error.tensor, 2);
    CHECK_SAYS("tensor 2: member 1 of composite 0: parent_shape in dimension 1 is 9, must be 8");
    /* After that nothing makes it good. */
    CHECK_FAILS(add(checker, part(&at, 3, 5)), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_checker_close(checker, &error), HRRY_ERROR_STATE);
    hrry_checker_free(checker);

    checker = begin(head(HRRY_RULE_OVERLAY, HRRY_COMBINE_ADD, 2), 0);
    struct composed base = part(&at, 0, 8);
    base.role = CORRECTION;
    CHECK_FAILS(add(checker, base), HRRY_ERROR_MISMATCH);
    CHECK_SAYS("tensor 1: member 0 of composite 0: member_role is correction, must be base");
    hrry_checker_free(checker);
}

/* A gap, an overlap, and what permissive makes of them. */
static void covers(uint32_t flags) {
    const hrry_status status = flags == 0 ? HRRY_ERROR_COVER : HRRY_OK;
    struct columns at;
    hrry_checker *checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), flags);
    CHECK_OK(add(checker, part(&at, 0, 3)));
    CHECK_OK(add(checker, part(&at, 4, 4)));
    CHECK_EQ(hrry_checker_close(checker, &error), status);
    if (flags == 0) CHECK_SAYS("tensor 0: no member holds an index of the head, at index [0, 3]");
    hrry_checker_free(checker);

    checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), flags);
    CHECK_OK(add(checker, part(&at, 0, 4)));
    CHECK_OK(add(checker, part(&at, 3, 5)));
    CHECK_EQ(hrry_checker_close(checker, &error), status);
    if (flags == 0) CHECK_SAYS("tensor 2: member 1 of composite 0: overlaps member 0 (tensor 1)");
    hrry_checker_free(checker);

    /* Members that are missing are missing in every mode. */
    checker = begin(head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), flags);
    CHECK_OK(add(checker, part(&at, 0, 8)));
    CHECK_FAILS(hrry_checker_close(checker, &error), HRRY_ERROR_TORN);
    CHECK_SAYS("tensor 0: torn composite: 2 members promised, 1 found");
    CHECK_FAILS(hrry_checker_close(checker, &error), HRRY_ERROR_STATE);
    hrry_checker_free(checker);
}

/* A nested one is judged at its last member, and fails there. */
static void nested(void) {
    struct columns at;
    for (uint64_t columns = 4; columns <= 5; columns++) {
        hrry_checker *checker = begin(head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 2), 0);
        CHECK_OK(add(checker, (struct composed){.rank = 0}));
        CHECK_OK(add(checker, head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2)));
        CHECK(!hrry_checker_is_complete(checker));
        CHECK_OK(add(checker, part(&at, 0, columns)));
        if (columns == 4) {
            CHECK_OK(add(checker, part(&at, 4, 4)));
            CHECK(hrry_checker_is_complete(checker));
            CHECK_OK(hrry_checker_close(checker, &error));
        } else {
            CHECK_FAILS(add(checker, part(&at, 4, 4)), HRRY_ERROR_COVER);
            CHECK_SAYS("tensor 4: member 1 of composite 2: overlaps member 0 (tensor 3), at index "
                       "[0, 4]");
        }
        hrry_checker_free(checker);
    }
    /* Eight levels, the head's among them, and not nine. */
    hrry_checker *checker = begin(head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 1), 0);
    for (int level = 2; level <= 8; level++)
        CHECK_OK(add(checker, head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 1)));
    CHECK_FAILS(add(checker, head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 1)), HRRY_ERROR_VALUE);
    CHECK_SAYS("tensor 8: level of nesting 9 is not in 1 to 8");
    hrry_checker_free(checker);
}

/* Shapes of more elements than 64 and 128 bits count: 2^62 in each of `rank` dimensions, in two parts
   that store nothing. A gap of one row is found. */
static void huge(uint32_t rank) {
    const uint64_t size = (uint64_t)1 << 62;
    uint64_t shape[64], lower[64], upper[64], zeros[64] = {0}, at[64] = {0};
    for (uint32_t k = 0; k < rank; k++) shape[k] = lower[k] = upper[k] = size;
    for (uint64_t gap = 0; gap <= 1; gap++) {
        lower[rank - 1] = size / 3;
        at[rank - 1] = size / 3 + gap;
        upper[rank - 1] = size - at[rank - 1];
        const struct composed two = {.rank = rank, .shape = shape, .member_count = 2,
                                     .rule = HRRY_RULE_PARTITION};
        hrry_checker *checker = begin(two, 0);
        for (int k = 0; k < 2; k++) {
            hrry_builder *builder = NULL;
            hrry_descriptor *member = NULL;
            CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, rank, k == 0 ? lower : upper, &builder,
                                      &error));
            CHECK_OK(hrry_builder_shard(builder, shape, k == 0 ? zeros : at, &error));
            CHECK_OK(hrry_builder_coo(builder, 0, true, &error));
            CHECK_OK(hrry_builder_build(builder, &member, &error));
            CHECK_OK(hrry_checker_add(checker, member, &error));
            hrry_descriptor_free(member);
            hrry_builder_free(builder);
        }
        CHECK_EQ(hrry_checker_close(checker, &error), gap == 0 ? HRRY_OK : HRRY_ERROR_COVER);
        if (gap == 1) CHECK_SAYS("no member holds an index of the head");
        hrry_checker_free(checker);
    }
}

/* What passes in a stream, checked as it passes: names are not known yet, but the verdict is. */
struct passing {
    const struct bytes *bytes;
    size_t at;
};

static int read_on(void *context, void *dst, size_t dst_len, size_t *out_len) {
    struct passing *passing = context;
    const size_t left = passing->bytes->len - passing->at;
    *out_len = dst_len < left ? dst_len : left;
    memcpy(dst, passing->bytes->at + passing->at, *out_len);
    passing->at += *out_len;
    return 0;
}

static void in_a_stream(void) {
    struct columns at;
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "plain", (struct composed){.rank = 1, .shape = AT(5)}, value);
    composed_add(&made, "good", head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), NULL);
    composed_add(&made, "good.0", part(&at, 0, 3), value);
    composed_add(&made, "good.1", part(&at, 3, 5), value);
    composed_add(&made, "bad", head(HRRY_RULE_PARTITION, HRRY_COMBINE_NONE, 2), NULL);
    composed_add(&made, "bad.0", part(&at, 0, 3), value);
    composed_add(&made, "bad.1", part(&at, 3, 4), value);
    composed_add(&made, "torn", head(HRRY_RULE_GROUP, HRRY_COMBINE_NONE, 2), NULL);
    composed_add(&made, "torn.0", (struct composed){.rank = 0}, value);
    hrry_file_close(composed_open(&made, 0));

    struct passing passing = {.bytes = &made.bytes};
    const hrry_stream_source source = {
        .struct_size = sizeof source, .context = &passing, .read = read_on};
    hrry_stream *stream = NULL;
    const hrry_descriptor *descriptor = NULL;
    hrry_checker *checker = NULL;
    hrry_status verdicts[3];
    unsigned composites = 0;
    CHECK_OK(hrry_stream_open(&source, NULL, &stream, &error));
    for (;;) {
        CHECK_OK(hrry_stream_next(stream, &descriptor, &error));
        if (descriptor == NULL) break;
        if (checker != NULL) {
            CHECK_OK(hrry_checker_add(checker, descriptor, &error));
        } else if (hrry_descriptor_is_composite_head(descriptor)) {
            CHECK_OK(hrry_checker_new(descriptor, 0, &checker, &error));
        }
        if (hrry_checker_is_complete(checker)) {
            verdicts[composites++] = hrry_checker_close(checker, &error);
            hrry_checker_free(checker);
            checker = NULL;
        }
    }
    CHECK_EQ(composites, 2);
    CHECK(checker != NULL);
    verdicts[composites] = hrry_checker_close(checker, &error);
    hrry_checker_free(checker);
    CHECK_EQ(verdicts[0], HRRY_OK);
    CHECK_EQ(verdicts[1], HRRY_ERROR_COVER);
    CHECK_EQ(verdicts[2], HRRY_ERROR_TORN);
    hrry_stream_free(stream);
    composed_free(&made);
}

int main(void) {
    good();
    members();
    covers(0);
    covers(HRRY_DECODE_PERMISSIVE);
    nested();
    huge(1);
    huge(2);
    huge(3);
    huge(64);
    in_a_stream();
    return 0;
}
