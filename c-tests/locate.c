/* Where elements are, in tilings of all kinds: against arithmetic on a grid, against a scan of all
   boxes elsewhere. */
#include "composed.h"

static hrry_error error;

enum { MAX_RANK = 5, MAX_BOXES = 1200 };

/* A tiling: box k is member k. */
static struct tiling {
    uint32_t rank;
    uint64_t shape[MAX_RANK];
    unsigned count;
    struct box {
        uint64_t offset[MAX_RANK], shape[MAX_RANK];
    } boxes[MAX_BOXES];
} tiling;

static uint64_t state;

static uint64_t below(uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}

static float number(const uint64_t *index) {
    uint64_t number = 0;
    for (uint32_t k = 0; k < tiling.rank; k++) number = number * tiling.shape[k] + index[k];
    return (float)(number % 100003);
}

static hrry_composite *write_and_open(struct composed_file *made) {
    composed_begin(made);
    composed_add(made, "w", (struct composed){.rank = tiling.rank, .shape = tiling.shape,
                                              .member_count = tiling.count,
                                              .rule = HRRY_RULE_PARTITION}, NULL);
    for (unsigned k = 0; k < tiling.count; k++) {
        char name[16];
        snprintf(name, sizeof name, "w.%u", k);
        composed_add(made, name,
                     (struct composed){.rank = tiling.rank, .shape = tiling.boxes[k].shape,
                                       .parent = tiling.shape,
                                       .offset = tiling.boxes[k].offset},
                     number);
    }
    hrry_file *file = composed_open(made, 0);
    hrry_composite *composite = open_composite(file, "w");
    hrry_file_close(file); /* the composite keeps it */
    return composite;
}

static bool holds(const struct box *box, const uint64_t *index) {
    for (uint32_t k = 0; k < tiling.rank; k++)
        if (index[k] < box->offset[k] || index[k] - box->offset[k] >= box->shape[k]) return false;
    return true;
}

/* One index, against a scan. */
static void scanned(const hrry_composite *composite, const uint64_t *index) {
    uint64_t tensor = 0, local[MAX_RANK], alone[2], count = 0;
    uint64_t ones[MAX_RANK];
    CHECK_OK(hrry_composite_locate(composite, index, &tensor, local, &error));
    unsigned k = 0;
    while (!holds(&tiling.boxes[k], index)) k++;
    CHECK_EQ(tensor, 1 + k);
    for (uint32_t d = 0; d < tiling.rank; d++) {
        CHECK_EQ(local[d], index[d] - tiling.boxes[k].offset[d]);
        ones[d] = 1;
    }
    /* A box of one index touches the tensor that holds it, and no other. */
    CHECK_OK(hrry_composite_members_in(composite, index, ones, 0, alone, 2, &count, &error));
    CHECK_EQ(count, 1);
    CHECK_EQ(alone[0], tensor);
}

static void check_tiling(unsigned samples) {
    struct composed_file made;
    hrry_composite *composite = write_and_open(&made);
    for (unsigned n = 0; n < samples; n++) {
        uint64_t index[MAX_RANK], lower[MAX_RANK], extent[MAX_RANK];
        for (uint32_t d = 0; d < tiling.rank; d++) {
            index[d] = below(tiling.shape[d]);
            lower[d] = below(tiling.shape[d]);
            extent[d] = 1 + below(tiling.shape[d] - lower[d]);
        }
        scanned(composite, index);
        if (n % 16 == 0) reads_as(composite, tiling.rank, lower, extent, number);
    }
    hrry_composite_close(composite);
    composed_free(&made);
}

/* Member (r, c) of a grid holds rows 3 r to 3 r + 2 and columns 5 c to 5 c + 4. */
static void grid(uint64_t rows, uint64_t columns) {
    tiling.rank = 2;
    tiling.shape[0] = 3 * rows;
    tiling.shape[1] = 5 * columns;
    tiling.count = 0;
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < columns; c++)
            tiling.boxes[tiling.count++] = (struct box){{3 * r, 5 * c}, {3, 5}};
    struct composed_file made;
    hrry_composite *composite = write_and_open(&made);
    uint64_t index[2] = {0};
    do {
        uint64_t tensor = 0, local[2];
        CHECK_OK(hrry_composite_locate(composite, index, &tensor, local, &error));
        CHECK_EQ(tensor, 1 + index[0] / 3 * columns + index[1] / 5);
        CHECK_EQ(local[0], index[0] % 3);
        CHECK_EQ(local[1], index[1] % 5);
    } while (next_index(2, tiling.shape, index));

    /* A row of the whole touches a row of members. */
    uint64_t *touched = check_malloc(columns * sizeof *touched), count = 0;
    CHECK_OK(hrry_composite_members_in(composite, AT(7, 0), AT(1, 5 * columns), 0, touched, columns,
                                       &count, &error));
    CHECK_EQ(count, columns);
    for (uint64_t c = 0; c < columns; c++) CHECK_EQ(touched[c], 1 + 2 * columns + c);
    free(touched);
    reads_as(composite, 2, AT(2, 3), AT(3 * rows - 4, 5 * columns - 5), number);

    /* What it costs is what it says, within the bounds that it names. */
    const size_t memory = hrry_composite_memory(composite), members = tiling.count;
    CHECK(memory >= members * (8 + 2 * 16));
    CHECK(memory <= members * (2 * (8 + 2 * 16) + 2 * 32) + 4096);
    hrry_composite_close(composite);
    composed_free(&made);
}

/* Cuts a box through, again and again. */
static void guillotine(struct box box, unsigned cuts) {
    const uint32_t d = (uint32_t)below(tiling.rank);
    if (cuts == 0 || box.shape[d] < 2 || tiling.count + 2 * cuts >= MAX_BOXES) {
        tiling.boxes[tiling.count++] = box;
        return;
    }
    struct box low = box, high = box;
    low.shape[d] = 1 + below(box.shape[d] - 1);
    high.offset[d] += low.shape[d];
    high.shape[d] -= low.shape[d];
    guillotine(low, cuts - 1);
    guillotine(high, cuts - 1);
}

/* Four boxes around a fifth, which no cut divides without going through one; the fifth again. */
static void pinwheel(struct box box) {
    const uint64_t rows = box.shape[0], columns = box.shape[1];
    if (rows < 3 || columns < 3) {
        tiling.boxes[tiling.count++] = box;
        return;
    }
    const uint64_t r = box.offset[0], c = box.offset[1];
    const struct box around[] = {
        {{r, c}, {1, columns - 1}},
        {{r, c + columns - 1}, {rows - 1, 1}},
        {{r + rows - 1, c + 1}, {1, columns - 1}},
        {{r + 1, c}, {rows - 1, 1}},
    };
    for (int k = 0; k < 4; k++) tiling.boxes[tiling.count++] = around[k];
    pinwheel((struct box){{r + 1, c + 1}, {rows - 2, columns - 2}});
}

static void shuffle(void) {
    for (unsigned k = tiling.count; k-- > 1;) {
        const unsigned other = (unsigned)below(k + 1);
        const struct box kept = tiling.boxes[k];
        tiling.boxes[k] = tiling.boxes[other];
        tiling.boxes[other] = kept;
    }
}

int main(void) {
    const bool few = under_valgrind();
    if (few) grid(5, 7);
    else grid(30, 40);
    for (unsigned round = 0; round < (few ? 5 : 60); round++) {
        struct box box = {{0}, {0}};
        state = round;
        tiling.rank = 1 + round % MAX_RANK;
        tiling.count = 0;
        for (uint32_t d = 0; d < tiling.rank; d++)
            box.shape[d] = tiling.shape[d] = 1 + below(tiling.rank == 1 ? 400 : 12);
        guillotine(box, 1 + round % 7);
        shuffle();
        check_tiling(few ? 32 : 400);
    }
    tiling.rank = 2;
    tiling.count = 0;
    tiling.shape[0] = tiling.shape[1] = few ? 20 : 200;
    pinwheel((struct box){{0, 0}, {tiling.shape[0], tiling.shape[1]}});
    shuffle();
    check_tiling(few ? 64 : 2000);
    return 0;
}
