/* Groups: tensors of any kind that belong together. They have members and no places. */
#include "composed.h"

static hrry_error error;

static float value(const uint64_t *index) {
    (void)index;
    return 1;
}

int main(void) {
    /* A weight, its bias, and a group of two more; another tensor stands before, one behind. */
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "before", (struct composed){.rank = 1, .shape = AT(3)}, value);
    composed_add(&made, "layer", (struct composed){.rank = 2, .shape = AT(4, 4), .member_count = 3,
                                                   .rule = HRRY_RULE_GROUP}, NULL);
    composed_add(&made, "weight", (struct composed){.rank = 2, .shape = AT(3, 4)}, value);
    composed_add(&made, "bias", (struct composed){.rank = 1, .shape = AT(3), .parent = AT(30),
                                                  .offset = AT(5)}, value);
    composed_add(&made, "norms", (struct composed){.rank = 0, .member_count = 2,
                                                   .rule = HRRY_RULE_GROUP}, NULL);
    composed_add(&made, "first", (struct composed){.rank = 0}, value);
    composed_add(&made, "second", (struct composed){.rank = 3, .shape = AT(1, 2, 3)}, value);
    composed_add(&made, "behind", (struct composed){.rank = 1, .shape = AT(3)}, value);
    composed_add(&made, "empty", (struct composed){.rank = 0, .rule = HRRY_RULE_GROUP}, NULL);
    hrry_file *file = composed_open(&made, 0);
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);

    /* Who belongs to whom. */
    const struct {
        const char *name, *head;
    } bound[] = {{"before", NULL}, {"layer", NULL}, {"weight", "layer"}, {"bias", "layer"},
                 {"norms", "layer"}, {"first", "norms"}, {"second", "norms"}, {"behind", NULL},
                 {"empty", NULL}};
    for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
        uint64_t head = 7;
        CHECK_OK(hrry_file_composite_of(file, place_of(file, bound[k].name), &head, &error));
        CHECK_EQ(head, bound[k].head == NULL ? HRRY_UNKNOWN : place_of(file, bound[k].head));
    }
    hrry_composite_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_composite_info(file, place_of(file, "norms"), &facts, &error));
    CHECK_EQ(facts.level, 2);
    CHECK_EQ(facts.outer, place_of(file, "layer"));

    hrry_composite *layer = open_composite(file, "layer");
    CHECK_EQ(hrry_composite_rule(layer), HRRY_RULE_GROUP);
    CHECK_EQ(hrry_composite_member_count(layer), 3);
    const char *const members[] = {"weight", "bias", "norms"};
    for (uint64_t k = 0; k < 3; k++) {
        uint64_t tensor = 0;
        CHECK_OK(hrry_composite_member_at(layer, k, &tensor, &error));
        CHECK_EQ(tensor, place_of(file, members[k]));
    }

    /* The shape of its head is advice: nothing has a place in it. */
    uint64_t tensor = 7, local[2], count = 7;
    CHECK_FAILS(hrry_composite_locate(layer, AT(0, 0), &tensor, local, &error), HRRY_ERROR_TYPE);
    CHECK_SAYS("tensor 1 \"layer\": this is a group, not a partition or overlay");
    CHECK_EQ(tensor, HRRY_UNKNOWN);
    CHECK_FAILS(hrry_composite_members_in(layer, AT(0, 0), AT(1, 1), 0, NULL, 0, &count, &error),
                HRRY_ERROR_TYPE);
    CHECK_EQ(count, 0);
    CHECK_FAILS(hrry_composite_read(layer, AT(0, 0), AT(1, 1), local, 4, &error), HRRY_ERROR_TYPE);
    hrry_composite_close(layer);

    hrry_composite *empty = open_composite(file, "empty");
    CHECK(hrry_composite_is_complete(empty));
    CHECK_EQ(hrry_composite_member_count(empty), 0);
    CHECK_FAILS(hrry_composite_locate(empty, NULL, &tensor, NULL, &error), HRRY_ERROR_TYPE);
    hrry_composite_close(empty);
    hrry_file_close(file);
    composed_free(&made);
    return 0;
}
