/* Composites in composites: members that are heads, each followed by its own members. */
#include "composed.h"

static hrry_error error;

/* Where in the whole the tensor that is being written begins, beside its place in its own head. */
static uint64_t start[2];

static float value(const uint64_t *index) {
    return (float)((start[0] + index[0]) * 100 + start[1] + index[1]);
}

static float whole_value(const uint64_t *index) {
    start[0] = start[1] = 0;
    return value(index);
}

/* [6, 10] in a left half that is one tensor, and a right half that is a partition of an overlay above
   and a partition of three below. The index is sorted by name, which is not the order of the file. */
static float corrected(const uint64_t *index) { return -value(index); }

static float merged(const uint64_t *index) {
    const bool in_correction = index[0] >= 1 && index[0] < 3 && index[1] >= 5 && index[1] < 8;
    return in_correction ? -whole_value(index) : whole_value(index);
}

static void put_rule(struct composed_file *made, const char *name, hrry_rule rule, uint32_t members,
                     const uint64_t *shape, const uint64_t *parent, const uint64_t *offset) {
    composed_add(made, name,
                 (struct composed){.rank = 2, .shape = shape, .parent = parent, .offset = offset,
                                   .rule = rule, .member_count = members,
                                   .combine = rule == HRRY_RULE_OVERLAY ? HRRY_COMBINE_REPLACE
                                                                        : HRRY_COMBINE_NONE},
                 NULL);
}

static void put_part(struct composed_file *made, const char *name, enum composed_role role,
                     const uint64_t *shape, const uint64_t *parent, const uint64_t *offset) {
    composed_add(made, name, (struct composed){.rank = 2, .shape = shape, .parent = parent,
                                               .offset = offset, .role = role},
                 role == CORRECTION ? corrected : value);
}

static void three_kinds(uint32_t write_flags) {
    const uint64_t *whole = AT(6, 10), *half = AT(6, 5), *upper = AT(4, 5), *lower = AT(2, 5);
    struct composed_file made;
    composed_begin_with(&made, write_flags);
    put_rule(&made, "z", HRRY_RULE_PARTITION, 2, whole, NULL, NULL);
    put_part(&made, "y.left", NO_ROLE, half, whole, AT(0, 0));
    put_rule(&made, "x.right", HRRY_RULE_PARTITION, 2, half, whole, AT(0, 5));
    start[1] = 5;
    put_rule(&made, "w.overlay", HRRY_RULE_OVERLAY, 2, upper, half, AT(0, 0));
    put_part(&made, "v.base", BASE, upper, upper, AT(0, 0));
    put_part(&made, "u.correction", CORRECTION, AT(2, 3), upper, AT(1, 0));
    put_rule(&made, "t.below", HRRY_RULE_PARTITION, 3, lower, half, AT(4, 0));
    start[0] = 4;
    put_part(&made, "s.1", NO_ROLE, AT(2, 2), lower, AT(0, 0));
    put_part(&made, "r.2", NO_ROLE, AT(1, 3), lower, AT(0, 2));
    put_part(&made, "q.3", NO_ROLE, AT(1, 3), lower, AT(1, 2));
    start[0] = start[1] = 0;
    composed_add(&made, "p", (struct composed){.rank = 2, .shape = AT(1, 1)}, value);
    hrry_file *file = composed_open(&made, 0);
    uint64_t problems = 7, count = 0, head = 0;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);

    /* Heads in the order of the file, each before those in it. */
    const struct {
        const char *name, *outer;
        uint32_t level, members;
    } heads[] = {{"z", NULL, 1, 2}, {"x.right", "z", 2, 2}, {"w.overlay", "x.right", 3, 2},
                 {"t.below", "x.right", 3, 3}};
    CHECK_OK(hrry_file_composite_count(file, &count, &error));
    CHECK_EQ(count, 4);
    for (uint64_t k = 0; k < 4; k++) {
        hrry_composite_facts facts = {.struct_size = sizeof facts};
        CHECK_OK(hrry_file_composite_at(file, k, &facts, &error));
        CHECK_EQ(facts.head, place_of(file, heads[k].name));
        CHECK_EQ(facts.outer,
                 heads[k].outer == NULL ? HRRY_UNKNOWN : place_of(file, heads[k].outer));
        CHECK_EQ(facts.level, heads[k].level);
        CHECK_EQ(facts.found, heads[k].members);
        CHECK_EQ(facts.complete, 1);
    }
    CHECK_OK(hrry_file_composite_of(file, place_of(file, "r.2"), &head, &error));
    CHECK_EQ(head, place_of(file, "t.below"));
    CHECK_OK(hrry_file_composite_of(file, place_of(file, "p"), &head, &error));
    CHECK_EQ(head, HRRY_UNKNOWN);

    /* Through both partitions to a plain tensor, or to the overlay. */
    hrry_composite *composite = open_composite(file, "z");
    const struct {
        uint64_t index[2], local[2];
        const char *name;
    } places[] = {{{5, 4}, {5, 4}, "y.left"}, {{5, 9}, {0, 2}, "q.3"}, {{4, 7}, {0, 0}, "r.2"},
                  {{5, 6}, {1, 1}, "s.1"}, {{2, 6}, {2, 1}, "w.overlay"}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        uint64_t tensor = 0, local[2];
        CHECK_OK(hrry_composite_locate(composite, places[k].index, &tensor, local, &error));
        CHECK_EQ(tensor, place_of(file, places[k].name));
        CHECK_BYTES(local, sizeof local, places[k].local, sizeof local);
    }
    uint64_t touched[8];
    const char *const met[] = {"y.left", "w.overlay", "s.1", "r.2"};
    CHECK_OK(hrry_composite_members_in(composite, AT(3, 4), AT(2, 4), 0, touched, 8, &count,
                                       &error));
    CHECK_EQ(count, 4);
    for (size_t k = 0; k < 4; k++) CHECK_EQ(touched[k], place_of(file, met[k]));

    reads_as(composite, 2, AT(0, 0), whole, merged);
    reads_as(composite, 2, AT(1, 3), AT(4, 5), merged);
    hrry_composite_close(composite);

    /* A nested one is opened as any other, and then is the whole. */
    composite = open_composite(file, "w.overlay");
    CHECK_EQ(hrry_composite_member_count(composite), 2);
    CHECK_OK(hrry_composite_members_in(composite, AT(2, 2), AT(1, 1), 0, touched, 8, &count,
                                       &error));
    CHECK_EQ(count, 2);
    CHECK_EQ(touched[1], place_of(file, "u.correction"));
    hrry_composite_close(composite);
    hrry_file_close(file);
    composed_free(&made);
}

/* `levels` partitions, each the last member of the one before: element k is in the k-th tensor. */
static float count_up(const uint64_t *index) { return (float)(start[0] + index[0]); }

static void write_levels(struct composed_file *made, uint64_t levels) {
    composed_begin(made);
    const uint64_t size = levels + 1;
    for (uint64_t level = 0; level < levels; level++) {
        const uint64_t *shape = AT(size - level), *parent = AT(size - level + 1);
        char name[16];
        snprintf(name, sizeof name, "head %u", (unsigned)level + 1);
        composed_add(made, name,
                     (struct composed){.rank = 1, .shape = shape, .member_count = 2,
                                       .parent = level == 0 ? NULL : parent,
                                       .offset = level == 0 ? NULL : AT(1),
                                       .rule = HRRY_RULE_PARTITION},
                     NULL);
        snprintf(name, sizeof name, "%u", (unsigned)level);
        start[0] = level;
        composed_add(made, name, (struct composed){.rank = 1, .shape = AT(1), .parent = shape,
                                                   .offset = AT(0)}, count_up);
    }
    composed_add(made, "last", (struct composed){.rank = 1, .shape = AT(1), .parent = AT(2),
                                                 .offset = AT(1)}, count_up);
    start[0] = 0;
}

static void eight_levels_and_nine(void) {
    struct composed_file made;
    write_levels(&made, 8);
    hrry_file *file = composed_open(&made, 0);
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    hrry_composite *composite = open_composite(file, "head 1");
    for (uint64_t k = 0; k < 9; k++) {
        uint64_t tensor = 0, local = 7;
        CHECK_OK(hrry_composite_locate(composite, &k, &tensor, &local, &error));
        CHECK_EQ(local, 0);
        float element = -1;
        const hrry_tensor *held = NULL;
        CHECK_OK(hrry_file_tensor_at(file, tensor, &held, &error));
        CHECK_OK(hrry_tensor_read(held, 0, 0, &element, 4, &error));
        CHECK(element == (float)k);
    }
    reads_as(composite, 1, AT(0), AT(9), count_up);
    hrry_composite_close(composite);
    composite = open_composite(file, "head 8");
    CHECK_EQ(hrry_composite_member_count(composite), 2);
    hrry_composite_close(composite);
    hrry_file_close(file);
    composed_free(&made);

    /* The ninth is refused, and with it all that it is in; in permissive mode as well. */
    write_levels(&made, 9);
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        file = composed_open(&made, flags);
        hrry_error problem;
        CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &problems, &error));
        CHECK_EQ(problems, 1);
        CHECK_EQ(problem.status, HRRY_ERROR_VALUE);
        for (unsigned level = 1; level <= 9; level++) {
            char name[16];
            snprintf(name, sizeof name, "head %u", level);
            CHECK_FAILS(hrry_composite_open(file, place_of(file, name), &composite, &error),
                        HRRY_ERROR_VALUE);
            CHECK_SAYS("\"head 9\": level of nesting 9 is not in 1 to 8");
        }
        /* Who belongs to whom is still known. */
        hrry_composite_facts facts = {.struct_size = sizeof facts};
        CHECK_OK(hrry_file_composite_info(file, place_of(file, "head 9"), &facts, &error));
        CHECK_EQ(facts.level, 9);
        hrry_file_close(file);
    }
    composed_free(&made);
}

/* Heads in heads without a bound, and then as many tensors: each belongs to another head. */
static float nothing(const uint64_t *index) {
    (void)index;
    return 0;
}

static void without_a_bound(uint64_t deep) {
    struct composed_file made;
    composed_begin(&made);
    for (uint64_t k = 0; k <= 2 * deep; k++) {
        char name[16];
        snprintf(name, sizeof name, "%u", (unsigned)k);
        struct composed of = {.rank = 1, .shape = AT(0)};
        if (k < deep) of = (struct composed){.rule = HRRY_RULE_GROUP, .member_count = 2};
        composed_add(&made, name, of, nothing);
    }
    hrry_file *file = composed_open(&made, 0);
    hrry_composite *composite = NULL;
    uint64_t head = 7, problems = 7;
    for (uint64_t k = 0; k <= 2 * deep; k++) {
        CHECK_OK(hrry_file_composite_of(file, k, &head, &error));
        /* The last head has two of the tensors, then each one outwards has one. */
        CHECK_EQ(head, k == 0 ? HRRY_UNKNOWN : k <= deep ? k - 1 : 2 * deep - k);
        if (k >= deep) continue;
        hrry_composite_facts facts = {.struct_size = sizeof facts};
        CHECK_OK(hrry_file_composite_at(file, k, &facts, &error));
        CHECK_EQ(facts.level, k + 1);
        CHECK_EQ(facts.found, 2);
        CHECK_FAILS(hrry_composite_open(file, k, &composite, &error), HRRY_ERROR_VALUE);
    }
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 1);
    hrry_file_close(file);
    composed_free(&made);
}

int main(void) {
    three_kinds(0);
    three_kinds(HRRY_WRITE_SORTED);
    eight_levels_and_nine();
    without_a_bound(under_valgrind() ? 300 : 20000);
    return 0;
}
