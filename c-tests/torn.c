/* Composites that are not whole: files that end before all members have come, and rules of somebody's
   own. Strict refuses them; permissive hands out what is there, and never as the whole. */
#include "composed.h"

static hrry_error error;

static float value(const uint64_t *index) { return (float)(index[0] * 8 + index[1]); }

static const uint64_t whole[] = {8, 8};

static const struct {
    hrry_rule rule;
    hrry_combine combine;
} kinds[] = {{HRRY_RULE_PARTITION, HRRY_COMBINE_NONE},
             {HRRY_RULE_OVERLAY, HRRY_COMBINE_ADD},
             {HRRY_RULE_GROUP, HRRY_COMBINE_NONE}};

/* A head that promises two members, and `members` of them. */
static void write_members(struct composed_file *made, size_t kind, unsigned members) {
    composed_begin(made);
    composed_add(made, "w", (struct composed){.rank = 2, .shape = whole, .member_count = 2,
                                              .rule = kinds[kind].rule,
                                              .combine = kinds[kind].combine}, NULL);
    for (unsigned k = 0; k < members; k++) {
        const bool overlay = kinds[kind].rule == HRRY_RULE_OVERLAY;
        const struct composed member = {
            .rank = 2, .shape = overlay ? whole : AT(8, 4), .parent = whole,
            .offset = AT(0, overlay ? 0 : 4 * k),
            .role = !overlay ? NO_ROLE : k == 0 ? BASE : CORRECTION};
        composed_add(made, k == 0 ? "first" : "second", member, value);
    }
}

static void without_the_last(size_t kind, unsigned members, uint32_t flags) {
    struct composed_file made;
    write_members(&made, kind, members);
    hrry_file *file = composed_open(&made, flags);
    hrry_composite *composite = (hrry_composite *)&made;
    const bool strict = flags == 0, torn = members < 2;
    char says[64];
    snprintf(says, sizeof says, "torn composite: 2 members promised, %u found", members);

    /* What is there is known, whole or not. */
    hrry_composite_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_composite_at(file, 0, &facts, &error));
    CHECK_EQ(facts.promised, 2);
    CHECK_EQ(facts.found, members);
    CHECK_EQ(facts.complete, !torn);

    hrry_error problem;
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &problems, &error));
    CHECK_EQ(problems, strict && torn);
    if (strict && torn) {
        CHECK_EQ(problem.status, HRRY_ERROR_TORN);
        CHECK_EQ(problem.tensor, 0);
        CHECK_FAILS(hrry_composite_open(file, 0, &composite, &error), HRRY_ERROR_TORN);
        CHECK(composite == NULL);
        CHECK_SAYS("tensor 0 \"w\": ");
        CHECK_SAYS(says);
    } else {
        uint64_t tensor = 7, local[2], count = 7;
        CHECK_OK(hrry_composite_open(file, 0, &composite, &error));
        CHECK(hrry_composite_is_complete(composite) == !torn);
        CHECK_EQ(hrry_composite_member_count(composite), members);
        for (uint64_t k = 0; k < members; k++) {
            CHECK_OK(hrry_composite_member_at(composite, k, &tensor, &error));
            CHECK_EQ(tensor, 1 + k);
        }
        const hrry_status status = torn ? HRRY_ERROR_STATE
                                   : kinds[kind].rule == HRRY_RULE_GROUP ? HRRY_ERROR_TYPE
                                                                         : HRRY_OK;
        float element;
        CHECK_EQ(hrry_composite_locate(composite, AT(0, 0), &tensor, local, &error), status);
        CHECK_EQ(hrry_composite_members_in(composite, AT(0, 0), AT(1, 1), 0, NULL, 0, &count,
                                           &error), status);
        CHECK_EQ(hrry_composite_read(composite, AT(0, 0), AT(1, 1), &element, 4, &error), status);
        if (torn) CHECK_SAYS("tensor 0 \"w\": the composite is torn");
        hrry_composite_close(composite);
    }

    /* The members that came are tensors like any other. */
    if (members > 0) {
        const hrry_tensor *first = NULL;
        float element = -1;
        CHECK_OK(hrry_file_tensor_find(file, "first", 5, &first, &error));
        CHECK_OK(hrry_tensor_read(first, 0, 4, &element, 4, &error));
        CHECK(element == 1);
    }
    hrry_file_close(file);
    composed_free(&made);
}

/* A nested one that is torn tears those that it is in, and only what stands before is whole. */
static void nested(uint32_t flags) {
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "whole", (struct composed){.rank = 0, .member_count = 1,
                                                   .rule = HRRY_RULE_GROUP}, NULL);
    composed_add(&made, "one", (struct composed){.rank = 2, .shape = whole}, value);
    composed_add(&made, "outer", (struct composed){.rank = 0, .member_count = 3,
                                                   .rule = HRRY_RULE_GROUP}, NULL);
    composed_add(&made, "two", (struct composed){.rank = 2, .shape = whole}, value);
    composed_add(&made, "inner", (struct composed){.rank = 2, .shape = whole, .member_count = 2,
                                                   .rule = HRRY_RULE_PARTITION}, NULL);
    composed_add(&made, "part", (struct composed){.rank = 2, .shape = AT(8, 4), .parent = whole,
                                                  .offset = AT(0, 0)}, value);
    hrry_file *file = composed_open(&made, flags);
    hrry_composite *composite = NULL;
    hrry_composite_close(open_composite(file, "whole"));
    for (uint64_t head = 2; head <= 4; head += 2) {
        hrry_composite_facts facts = {.struct_size = sizeof facts};
        CHECK_OK(hrry_file_composite_info(file, head, &facts, &error));
        CHECK_EQ(facts.complete, 0);
        if (flags == 0) {
            CHECK_FAILS(hrry_composite_open(file, head, &composite, &error), HRRY_ERROR_TORN);
        } else {
            CHECK_OK(hrry_composite_open(file, head, &composite, &error));
            CHECK(!hrry_composite_is_complete(composite));
            CHECK_EQ(hrry_composite_member_count(composite), head == 2 ? 2 : 1);
            hrry_composite_close(composite);
        }
    }
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, flags == 0 ? 2 : 0);
    hrry_file_close(file);
    composed_free(&made);
}

/* A rule of somebody's own, 0xF7: what it demands of its members is not known. */
static void private_rule(uint32_t flags) {
    struct composed_file made;
    write_members(&made, 0, 2);
    hrry_file *file = composed_open(&made, 0);
    hrry_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_file_entry_at(file, 0, &entry, &error));
    hrry_file_close(file);
    /* Behind the fixed fields, two sizes and byte_offset. */
    made.bytes.at[entry.descriptor_offset + 20 + 16 + 8] = 0xF7;

    file = composed_open(&made, flags);
    hrry_composite *composite = (hrry_composite *)&made;
    uint64_t heads = 7, head = 7;
    if (flags == 0) {
        /* Not valid, so it binds nothing. */
        CHECK_FAILS(hrry_composite_open(file, 0, &composite, &error), HRRY_ERROR_PRIVATE_TAG);
        CHECK(composite == NULL);
        CHECK_OK(hrry_file_composite_count(file, &heads, &error));
        CHECK_EQ(heads, 0);
        CHECK_OK(hrry_file_composite_of(file, 1, &head, &error));
        CHECK_EQ(head, HRRY_UNKNOWN);
    } else {
        uint64_t tensor = 7, local[2];
        CHECK_OK(hrry_file_composite_of(file, 1, &head, &error));
        CHECK_EQ(head, 0);
        CHECK_OK(hrry_composite_open(file, 0, &composite, &error));
        CHECK_EQ(hrry_composite_rule(composite), 0xF7);
        CHECK(hrry_composite_is_complete(composite));
        CHECK_EQ(hrry_composite_member_count(composite), 2);
        CHECK_FAILS(hrry_composite_locate(composite, AT(0, 0), &tensor, local, &error),
                    HRRY_ERROR_TYPE);
        CHECK_SAYS("private rule");
        hrry_composite_close(composite);
    }
    hrry_file_close(file);
    composed_free(&made);
}

/* As many members as a head can promise cost nothing until they come. */
static void promises(void) {
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 2, .shape = whole, .member_count = UINT32_MAX - 1,
                                               .rule = HRRY_RULE_PARTITION}, NULL);
    hrry_file *file = composed_open(&made, HRRY_OPEN_PERMISSIVE);
    hrry_composite *composite = open_composite(file, "w");
    CHECK(!hrry_composite_is_complete(composite));
    CHECK_EQ(hrry_composite_member_count(composite), 0);
    CHECK(hrry_composite_memory(composite) < 4096);
    hrry_composite_close(composite);

    const hrry_tensor *head = NULL;
    hrry_checker *checker = NULL;
    CHECK_OK(hrry_file_tensor_at(file, 0, &head, &error));
    CHECK_OK(hrry_checker_new(hrry_tensor_descriptor(head), 0, &checker, &error));
    CHECK(!hrry_checker_is_complete(checker));
    CHECK_FAILS(hrry_checker_close(checker, &error), HRRY_ERROR_TORN);
    CHECK_SAYS("4294967294 members promised, 0 found");
    hrry_checker_free(checker);
    hrry_file_close(file);
    composed_free(&made);
}

int main(void) {
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            for (unsigned members = 0; members <= 2; members++)
                without_the_last(kind, members, flags);
        nested(flags);
        private_rule(flags);
    }
    promises();
    return 0;
}
