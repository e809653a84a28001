/* Many threads over one file: tensors that all ask for first at once, reads, loads, references that
   come and go; and a writer that two threads use at the same time, which they must not. */
#define _XOPEN_SOURCE 700
#include "craft.h"
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
    CHECK_EQ(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int round = 0; round < (under_valgrind() ? 1 : 50); round++) {
        one_file(0);
        one_file(HRRY_OPEN_READS);
        one_file(HRRY_OPEN_MEMORY);
        one_writer();
    }
    pthread_barrier_destroy(&start);
    craft_free(&craft);
    return 0;
}
