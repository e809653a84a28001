/* Partitions: one tensor in several, each a box of it. Where an element is, which of them a slice
   touches, and the slice itself. */
#include "composed.h"

#include <math.h>

static hrry_error error;

static float value(const uint64_t *index) { return (float)(index[0] * 100 + index[1]); }

/* The worked example of the format: [8, 8] in two halves [8, 4]. Element [3, 6] is in member 1, at
   [3, 2]. */
static void worked_example(void) {
    const uint64_t *whole = AT(8, 8), *half = AT(8, 4);
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 2, .shape = whole, .member_count = 2,
                                               .rule = HRRY_RULE_PARTITION}, NULL);
    composed_add(&made, "w.left", (struct composed){.rank = 2, .shape = half, .parent = whole,
                                                    .offset = AT(0, 0)}, value);
    composed_add(&made, "w.right", (struct composed){.rank = 2, .shape = half, .parent = whole,
                                                     .offset = AT(0, 4)}, value);
    hrry_file *file = composed_open(&made, 0);

    /* What a reader finds in a file that it does not know. */
    uint64_t count = 0, head = 0, problems = 7;
    CHECK_OK(hrry_file_composite_count(file, &count, &error));
    CHECK_EQ(count, 1);
    hrry_composite_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_composite_at(file, 0, &facts, &error));
    CHECK_EQ(facts.head, 0);
    CHECK_EQ(facts.outer, HRRY_UNKNOWN);
    CHECK_EQ(facts.promised, 2);
    CHECK_EQ(facts.found, 2);
    CHECK_EQ(facts.level, 1);
    CHECK_EQ(facts.complete, 1);
    CHECK_OK(hrry_file_composite_of(file, 2, &head, &error));
    CHECK_EQ(head, 0);
    CHECK_OK(hrry_file_composite_of(file, 0, &head, &error));
    CHECK_EQ(head, HRRY_UNKNOWN);
    CHECK_FAILS(hrry_file_composite_at(file, 1, &facts, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(hrry_file_composite_info(file, 1, &facts, &error), HRRY_ERROR_TYPE);
    CHECK_SAYS("tensor 1 \"w.left\": this is a plain tensor, not a composite head");
    CHECK_FAILS(hrry_file_composite_info(file, 3, &facts, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(hrry_file_composite_of(file, 3, &head, &error), HRRY_ERROR_INDEX);
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);

    hrry_composite *composite = open_composite(file, "w");
    CHECK_EQ(hrry_composite_tensor(composite), 0);
    CHECK_EQ(hrry_composite_rule(composite), HRRY_RULE_PARTITION);
    CHECK_EQ(hrry_composite_combine(composite), HRRY_COMBINE_NONE);
    CHECK(hrry_composite_is_complete(composite) && hrry_composite_is_exact(composite));
    CHECK_EQ(hrry_composite_member_count(composite), 2);
    uint64_t tensor = 0, local[2], second = 0;
    CHECK_OK(hrry_composite_member_at(composite, 1, &second, &error));
    CHECK_FAILS(hrry_composite_member_at(composite, 2, &tensor, &error), HRRY_ERROR_INDEX);
    CHECK_EQ(tensor, HRRY_UNKNOWN);

    CHECK_OK(hrry_composite_locate(composite, AT(3, 6), &tensor, local, &error));
    CHECK_EQ(tensor, second);
    CHECK_EQ(tensor, place_of(file, "w.right"));
    CHECK_EQ(local[0], 3);
    CHECK_EQ(local[1], 2);

    /* The composite keeps its file open, and all that was borrowed from it. */
    const hrry_tensor *right = NULL;
    CHECK_OK(hrry_file_tensor_at(file, tensor, &right, &error));
    hrry_file_close(file);
    float element = NAN;
    CHECK_OK(hrry_tensor_read(right, 0, (local[0] * 4 + local[1]) * 4, &element, 4, &error));
    CHECK(element == 306);
    reads_as(composite, 2, AT(0, 0), whole, value);
    hrry_composite_close(composite);
    composed_free(&made);
}

/* Seven tensors of rank 3, some of them stored column by column, and boxes of all kinds. */
static float value3(const uint64_t *index) {
    return (float)((index[0] * 7 + index[1]) * 11 + index[2]);
}

static const struct {
    uint64_t offset[3], shape[3];
} parts[] = {
    {{0, 0, 0}, {2, 7, 11}}, {{2, 0, 0}, {3, 3, 11}}, {{2, 3, 0}, {3, 4, 5}}, {{2, 3, 5}, {1, 4, 6}},
    {{3, 3, 5}, {2, 2, 6}},  {{3, 5, 5}, {2, 2, 1}},  {{3, 5, 6}, {2, 2, 5}},
};
enum { PARTS = sizeof parts / sizeof *parts };

static void boxes_of_rank_3(void) {
    const uint64_t *whole = AT(5, 7, 11);
    struct composed_file made;
    composed_begin(&made);
    composed_add(&made, "w", (struct composed){.rank = 3, .shape = whole, .member_count = PARTS,
                                               .rule = HRRY_RULE_PARTITION}, NULL);
    for (unsigned k = 0; k < PARTS; k++) {
        char name[8];
        snprintf(name, sizeof name, "w.%u", k);
        composed_add(&made, name,
                     (struct composed){.rank = 3, .shape = parts[k].shape, .parent = whole,
                                       .offset = parts[k].offset, .column_major = k % 2 != 0},
                     value3);
    }
    hrry_file *file = composed_open(&made, 0);
    hrry_composite *composite = open_composite(file, "w");

    /* Every index, against a look at all the boxes. */
    uint64_t index[3] = {0};
    do {
        uint64_t tensor = 0, local[3];
        CHECK_OK(hrry_composite_locate(composite, index, &tensor, local, &error));
        CHECK(tensor >= 1 && tensor <= PARTS);
        for (unsigned k = 0; k < 3; k++) {
            CHECK_EQ(local[k] + parts[tensor - 1].offset[k], index[k]);
            CHECK(local[k] < parts[tensor - 1].shape[k]);
        }
    } while (next_index(3, whole, index));

    /* Every box: what it touches, against a look at all of them, in two portions; and its elements. */
    uint64_t lower[3] = {0};
    do {
        const uint64_t most[3] = {5 - lower[0], 7 - lower[1], 11 - lower[2]};
        uint64_t less[3] = {0};
        do {
            const uint64_t extent[3] = {less[0] + 1, less[1] + 1, less[2] + 1};
            if (under_valgrind() && (lower[0] + lower[1] * 3 + extent[2] * 5) % 37 != 0) continue;
            uint64_t expected[PARTS], touched[PARTS], count = 0, found = 0, again = 0;
            for (unsigned k = 0; k < PARTS; k++) {
                bool meets = true;
                for (unsigned d = 0; d < 3; d++)
                    meets = meets && lower[d] < parts[k].offset[d] + parts[k].shape[d] &&
                            parts[k].offset[d] < lower[d] + extent[d];
                if (meets) expected[count++] = k + 1;
            }
            CHECK_OK(hrry_composite_members_in(composite, lower, extent, 0, touched, 2, &found,
                                               &error));
            CHECK_OK(hrry_composite_members_in(composite, lower, extent, 2, touched + 2, PARTS - 2,
                                               &again, &error));
            CHECK_EQ(found, count);
            CHECK_EQ(again, count);
            CHECK_BYTES(touched, count * sizeof *touched, expected, count * sizeof *expected);
            reads_as(composite, 3, lower, extent, value3);
        } while (next_index(3, most, less));
    } while (next_index(3, whole, lower));

    /* Boxes without an element, and those that leave the shape. */
    uint64_t count = 7, tensor = 7, local[3];
    CHECK_OK(hrry_composite_members_in(composite, AT(5, 0, 3), AT(0, 7, 2), 0, NULL, 0, &count,
                                       &error));
    CHECK_EQ(count, 0);
    CHECK_OK(hrry_composite_read(composite, AT(5, 0, 3), AT(0, 7, 2), NULL, 0, &error));
    CHECK_FAILS(hrry_composite_members_in(composite, AT(0, 0, 9), AT(1, 1, 3), 0, NULL, 0, &count,
                                          &error), HRRY_ERROR_RANGE);
    CHECK_SAYS("dimension 2");
    CHECK_FAILS(hrry_composite_read(composite, AT(0, 1, 0), AT(1, UINT64_MAX, 1), local, 8, &error),
                HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_composite_read(composite, AT(0, 0, 0), AT(1, 1, 4), local, 12, &error),
                HRRY_ERROR_ROOM);
    CHECK_SAYS("16 bytes");
    CHECK_FAILS(hrry_composite_locate(composite, AT(0, 7, 0), &tensor, local, &error),
                HRRY_ERROR_INDEX);
    CHECK_EQ(tensor, HRRY_UNKNOWN);

    /* The local index may take the place of the one that was asked for. */
    memcpy(local, AT(3, 6, 7), sizeof local);
    CHECK_OK(hrry_composite_locate(composite, local, &tensor, local, &error));
    CHECK_EQ(tensor, 7);
    CHECK_BYTES(local, sizeof local, AT(0, 1, 1), sizeof local);

    hrry_composite_close(composite);
    hrry_file_close(file);
    composed_free(&made);
}

/* A gap and an overlap of the same size: the numbers of elements add up. */
static void gap_and_overlap(void) {
    const uint64_t *whole = AT(8, 8);
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        struct composed_file made;
        composed_begin(&made);
        composed_add(&made, "w", (struct composed){.rank = 2, .shape = whole, .member_count = 2,
                                                   .rule = HRRY_RULE_PARTITION}, NULL);
        composed_add(&made, "a", (struct composed){.rank = 2, .shape = AT(8, 4), .parent = whole,
                                                   .offset = AT(0, 0)}, value);
        composed_add(&made, "b", (struct composed){.rank = 2, .shape = AT(8, 4), .parent = whole,
                                                   .offset = AT(0, 3)}, value);
        hrry_file *file = composed_open(&made, flags);
        hrry_composite *composite = (hrry_composite *)&made;
        hrry_error problem;
        uint64_t problems = 7, tensor = 7, local[2];
        CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &problems, &error));
        if (flags == 0) {
            CHECK_FAILS(hrry_composite_open(file, 0, &composite, &error), HRRY_ERROR_COVER);
            CHECK(composite == NULL);
            CHECK_SAYS("tensor 2 \"b\": member 1 of composite 0 \"w\": overlaps member 0 (tensor 1 "
                       "\"a\"), at index [0, 3]");
            CHECK_EQ(error.tensor, 2);
            CHECK_EQ(problems, 1);
            CHECK_EQ(problem.status, HRRY_ERROR_COVER);
        } else {
            /* The members are there, the merged view is not. */
            CHECK_EQ(problems, 0);
            CHECK_OK(hrry_composite_open(file, 0, &composite, &error));
            CHECK(hrry_composite_is_complete(composite) && !hrry_composite_is_exact(composite));
            CHECK_OK(hrry_composite_locate(composite, AT(3, 6), &tensor, local, &error));
            CHECK_EQ(tensor, 2);
            CHECK_FAILS(hrry_composite_locate(composite, AT(3, 7), &tensor, local, &error),
                        HRRY_ERROR_COVER);
            CHECK_FAILS(hrry_composite_read(composite, AT(0, 0), AT(1, 1), local, 4, &error),
                        HRRY_ERROR_STATE);
        }
        hrry_composite_close(composite);
        hrry_file_close(file);
        composed_free(&made);
    }
}

int main(void) {
    worked_example();
    boxes_of_rank_3();
    gap_and_overlap();
    return 0;
}
