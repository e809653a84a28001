/* Many threads over one file: tensors that all ask for first at once, reads, loads, references that
   come and go; over one composite, whose first question they all ask; and a writer and a checker that
   two threads use at the same time, which they must not. */
#define _XOPEN_SOURCE 700
#include "composed.h"
#include "walk.h"

#include <pthread.h>

enum { THREADS = 8, TENSORS = 200 };

static struct craft craft;
static unsigned released;
static pthread_mutex_t released_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;

static void release(void *context) {
    CHECK(context == &craft);
    pthread_mutex_lock(&released_lock);
    released++;
    pthread_mutex_unlock(&released_lock);
}

/* One thread's part, and what it saw. */
struct part {
    pthread_t thread;
    hrry_file *file; /* a reference of its own */
    unsigned number;
    const hrry_tensor *tensors[TENSORS];
    uint64_t order[TENSORS];
    struct walk walk;
};

static void *work(void *context) {
    struct part *part = context;
    hrry_error error;
    pthread_barrier_wait(&start);
    /* Each asks for all, half of them from the other end, some by name. */
    for (unsigned n = 0; n < TENSORS; n++) {
        const unsigned k = part->number % 2 == 0 ? n : TENSORS - 1 - n;
        char name[32];
        const int len = snprintf(name, sizeof name, "tensor %u", k);
        if (part->number % 3 == 0)
            CHECK_OK(hrry_file_tensor_find(part->file, name, (size_t)len, &part->tensors[k],
                                           &error));
        else CHECK_OK(hrry_file_tensor_at(part->file, k, &part->tensors[k], &error));
        CHECK_OK(hrry_file_order_at(part->file, k, &part->order[k], &error));
        unsigned char bytes[64];
        CHECK_OK(hrry_tensor_read(part->tensors[k], 0, 0, bytes, 64, &error));
        for (unsigned at = 0; at < 64; at++) CHECK_EQ(bytes[at], at);
        hrry_file_close(hrry_file_retain(part->file));
    }
    unsigned char bytes[128];
    const hrry_load requests[] = {{.tensor = part->number, .dst = bytes, .len = 64},
                                  {.tensor = 100, .dst = bytes + 64, .len = 64}};
    CHECK_OK(hrry_file_load(part->file, requests, 2, NULL, &error));
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(part->file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    part->walk = walk_file(part->file);
    hrry_file_close(part->file);
    return NULL;
}

static void one_file(uint32_t flags) {
    static struct part parts[THREADS];
    hrry_error error;
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    hrry_file *file = NULL;
    released = 0;
    if (flags == 0)
        CHECK_OK(hrry_file_open_memory(craft.file.at, craft.file.len, release, &craft, &options,
                                       &file, &error));
    else CHECK_OK(hrry_file_open("threads.hrry", &options, &file, &error));
    for (unsigned k = 0; k < THREADS; k++) {
        parts[k].number = k;
        parts[k].file = hrry_file_retain(file);
        CHECK_EQ(pthread_create(&parts[k].thread, NULL, work, &parts[k]), 0);
    }
    hrry_file_close(file); /* the last thread closes it */
    for (unsigned k = 0; k < THREADS; k++) CHECK_EQ(pthread_join(parts[k].thread, NULL), 0);
    for (unsigned k = 1; k < THREADS; k++) {
        CHECK(memcmp(parts[k].tensors, parts[0].tensors, sizeof parts[k].tensors) == 0);
        CHECK(memcmp(parts[k].order, parts[0].order, sizeof parts[k].order) == 0);
        CHECK_EQ(parts[k].walk.status, HRRY_OK);
        CHECK_EQ(parts[k].walk.sum, parts[0].walk.sum);
    }
    CHECK_EQ(released, flags == 0 ? 1 : 0);
}

/* A partition of [ROWS, ROWS] in rows, in an overlay's company. Every thread asks who belongs to whom,
   opens the composite for itself, and asks the one that they share. */
enum { ROWS = 20 };

static struct composed_file composed;

static float value(const uint64_t *index) { return (float)(index[0] * ROWS + index[1]); }

static void make_composed(void) {
    const uint64_t *whole = AT(ROWS, ROWS);
    composed_begin(&composed);
    composed_add(&composed, "w", (struct composed){.rank = 2, .shape = whole, .member_count = ROWS,
                                                   .rule = HRRY_RULE_PARTITION}, NULL);
    for (uint64_t row = 0; row < ROWS; row++) {
        char name[16];
        snprintf(name, sizeof name, "w.%u", (unsigned)row);
        composed_add(&composed, name, (struct composed){.rank = 2, .shape = AT(1, ROWS),
                                                        .parent = whole, .offset = AT(row, 0)},
                     value);
    }
    composed_add(&composed, "o", (struct composed){.rank = 2, .shape = whole, .member_count = 1,
                                                   .rule = HRRY_RULE_OVERLAY,
                                                   .combine = HRRY_COMBINE_ADD}, NULL);
    composed_add(&composed, "base", (struct composed){.rank = 2, .shape = whole, .parent = whole,
                                                      .offset = AT(0, 0), .role = BASE}, value);
    hrry_file_close(composed_open(&composed, 0));
}

/* One thread's part of a composite. */
struct sharing {
    pthread_t thread;
    hrry_file *file; /* a reference of its own */
    const hrry_composite *shared;
    unsigned number;
};

static void ask(const hrry_composite *composite, unsigned number) {
    hrry_error error;
    for (uint64_t n = 0; n < ROWS; n++) {
        const uint64_t row = (n * 7 + number) % ROWS;
        uint64_t tensor = 0, local[2], count = 0, touched[ROWS];
        CHECK_OK(hrry_composite_locate(composite, AT(row, n), &tensor, local, &error));
        CHECK_EQ(tensor, 1 + row);
        CHECK_EQ(local[0], 0);
        CHECK_EQ(local[1], n);
        CHECK_OK(hrry_composite_members_in(composite, AT(row, n), AT(ROWS - row, 1), 0, touched,
                                           ROWS, &count, &error));
        CHECK_EQ(count, ROWS - row);
        for (uint64_t k = 0; k < count; k++) CHECK_EQ(touched[k], 1 + row + k);
        if (n % 5 == 0)
            reads_as(composite, 2, AT(row, n), AT(ROWS - row, ROWS - n), value);
    }
}

static void *share(void *context) {
    struct sharing *part = context;
    hrry_error error;
    pthread_barrier_wait(&start);
    uint64_t head = 7, count = 0;
    CHECK_OK(hrry_file_composite_of(part->file, ROWS, &head, &error));
    CHECK_EQ(head, 0);
    CHECK_OK(hrry_file_composite_count(part->file, &count, &error));
    CHECK_EQ(count, 2);
    ask(part->shared, part->number);
    hrry_composite *own = open_composite(part->file, "w"), *other = open_composite(part->file, "o");
    hrry_file_close(part->file);
    ask(own, part->number);
    reads_as(other, 2, AT(0, 0), AT(ROWS, ROWS), value);
    hrry_composite_close(own);
    hrry_composite_close(other);
    return NULL;
}

static void one_composite(void) {
    static struct sharing parts[THREADS];
    hrry_file *file = composed_open(&composed, 0);
    hrry_composite *shared = open_composite(file, "w");
    hrry_file_close(file);
    /* The composite is of another handle than the threads', who are to ask theirs first. */
    file = composed_open(&composed, 0);
    for (unsigned k = 0; k < THREADS; k++) {
        parts[k].number = k;
        parts[k].file = hrry_file_retain(file);
        parts[k].shared = shared;
        CHECK_EQ(pthread_create(&parts[k].thread, NULL, share, &parts[k]), 0);
    }
    hrry_file_close(file);
    for (unsigned k = 0; k < THREADS; k++) CHECK_EQ(pthread_join(parts[k].thread, NULL), 0);
    hrry_composite_close(shared);
}

/* So does a checker: as many members are taken as calls succeed, and the others are told. */
enum { CHECKED = 4000 };

static void *check_some(void *context) {
    hrry_checker *checker = context;
    hrry_error error;
    const struct composed scalar = {.rank = 0};
    hrry_descriptor *member = composed_descriptor(&scalar);
    uintptr_t taken = 0;
    pthread_barrier_wait(&start);
    for (unsigned k = 0; k < CHECKED / THREADS; k++) {
        const hrry_status status = hrry_checker_add(checker, member, &error);
        CHECK(status == HRRY_OK || status == HRRY_ERROR_STATE);
        taken += status == HRRY_OK;
        (void)hrry_checker_is_complete(checker);
    }
    hrry_descriptor_free(member);
    return (void *)taken;
}

static void one_checker(void) {
    hrry_error error;
    hrry_checker *checker = NULL;
    const struct composed group = {.rule = HRRY_RULE_GROUP, .member_count = CHECKED};
    hrry_descriptor *head = composed_descriptor(&group);
    CHECK_OK(hrry_checker_new(head, 0, &checker, &error));
    hrry_descriptor_free(head);
    pthread_t threads[THREADS];
    uintptr_t taken = 0;
    for (unsigned k = 0; k < THREADS; k++)
        CHECK_EQ(pthread_create(&threads[k], NULL, check_some, checker), 0);
    for (unsigned k = 0; k < THREADS; k++) {
        void *some;
        CHECK_EQ(pthread_join(threads[k], &some), 0);
        taken += (uintptr_t)some;
    }
    const struct composed scalar = {.rank = 0};
    hrry_descriptor *member = composed_descriptor(&scalar);
    for (; taken < CHECKED; taken++) CHECK_OK(hrry_checker_add(checker, member, &error));
    CHECK(hrry_checker_is_complete(checker));
    CHECK_OK(hrry_checker_close(checker, &error));
    hrry_descriptor_free(member);
    hrry_checker_free(checker);
}

/* A writer belongs to one thread at a time: two at once get HRRY_ERROR_STATE, and no worse. */
static void *write_some(void *context) {
    hrry_writer *writer = context;
    hrry_error error;
    pthread_barrier_wait(&start);
    uint64_t written = 0;
    for (unsigned k = 0; k < 1000; k++) {
        const hrry_status status = hrry_writer_write(writer, "1234", 4, &error);
        CHECK(status == HRRY_OK || status == HRRY_ERROR_STATE);
        if (status == HRRY_OK) written += 4;
        hrry_writer_tensor_count(writer);
    }
    return (void *)(uintptr_t)written;
}

static void one_writer(void) {
    hrry_error error;
    hrry_writer *writer = NULL;
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    const uint64_t shape[] = {1 << 20};
    CHECK_OK(hrry_builder_new(HRRY_TYPE_UINT8, 1, shape, &builder, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    CHECK_OK(hrry_writer_create("writer.hrry", NULL, &writer, &error));
    CHECK_OK(hrry_writer_begin(writer, "x", 1, descriptor, &error));
    hrry_descriptor_free(descriptor);
    pthread_t threads[THREADS];
    uint64_t written = 0;
    for (unsigned k = 0; k < THREADS; k++)
        CHECK_EQ(pthread_create(&threads[k], NULL, write_some, writer), 0);
    for (unsigned k = 0; k < THREADS; k++) {
        void *some;
        CHECK_EQ(pthread_join(threads[k], &some), 0);
        written += (uintptr_t)some;
    }
    /* Every byte that was taken is there, and no other. */
    static unsigned char rest[1 << 20];
    CHECK_FAILS(hrry_writer_write(writer, rest, (1 << 20) - written + 1, &error), HRRY_ERROR_RANGE);
    CHECK_OK(hrry_writer_write(writer, rest, (1 << 20) - written, &error));
    CHECK_OK(hrry_writer_end(writer, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

int main(void) {
    craft_begin(&craft, CRAFT_KV);
    craft_key(&craft, "k", 1, HRRY_VALUE_BOOL);
    put_number(&craft.kv, 1, 1);
    for (unsigned k = 0; k < TENSORS; k++) {
        char name[32];
        const int len = snprintf(name, sizeof name, "tensor %u", k);
        craft_tensor(&craft, name, (size_t)len, 16);
    }
    craft_end(&craft);
    check_spill("threads.hrry", craft.file.at, craft.file.len);
    make_composed();
    CHECK_EQ(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int round = 0; round < (under_valgrind() ? 1 : 50); round++) {
        one_file(0);
        one_file(HRRY_OPEN_READS);
        one_file(HRRY_OPEN_MEMORY);
        one_composite();
        one_writer();
        one_checker();
    }
    pthread_barrier_destroy(&start);
    craft_free(&craft);
    composed_free(&composed);
    return 0;
}
