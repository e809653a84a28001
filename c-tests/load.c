/* Many ranges at once: in the order of the file, in chunks, with a progress that can cancel. */
#include "check.h"

static hrry_error error;

enum { TENSORS = 20, SIZE = 100000 };

static unsigned char byte_of(uint64_t tensor, uint64_t at) {
    return (unsigned char)(tensor * 31 + at * 7 + at / 251);
}

static void write_file(void) {
    hrry_writer *writer = NULL;
    static unsigned char data[SIZE];
    const uint64_t shape[] = {SIZE};
    CHECK_OK(hrry_writer_create("many.hrry", NULL, &writer, &error));
    for (uint64_t k = 0; k < TENSORS; k++) {
        char name[16];
        const int len = snprintf(name, sizeof name, "tensor %u", (unsigned)k);
        for (uint64_t at = 0; at < SIZE; at++) data[at] = byte_of(k, at);
        CHECK_OK(hrry_writer_dense(writer, name, (size_t)len, HRRY_TYPE_UINT8, 1, shape, data, SIZE,
                                   &error));
    }
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static hrry_file *open_file(uint32_t flags) {
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open("many.hrry", &options, &file, &error));
    return file;
}

/* What a progress function saw, and when it has had enough. */
struct watch {
    unsigned calls;
    uint64_t done, total, stop_at;
};

static int watch_progress(void *context, uint64_t done, uint64_t total) {
    struct watch *watch = context;
    CHECK(done >= watch->done); /* never backwards */
    CHECK(watch->calls == 0 || total == watch->total);
    watch->calls++;
    watch->done = done;
    watch->total = total;
    return done >= watch->stop_at;
}

/* Whole tensors, last first, parts of them, and nothing. */
static void ranges(uint32_t flags, uint64_t chunk) {
    hrry_file *file = open_file(flags);
    unsigned char *memory = check_malloc((size_t)SIZE * 3 + 1000);
    hrry_load requests[] = {
        {.tensor = TENSORS - 1, .dst = memory, .len = SIZE},
        {.tensor = 3, .offset = 77777, .dst = memory + SIZE, .len = 1000},
        {.tensor = 0, .dst = memory + SIZE + 1000, .len = SIZE},
        {.tensor = 5, .offset = SIZE, .dst = NULL, .len = 0},
        {.tensor = 3, .offset = 0, .dst = memory + SIZE * 2 + 1000, .len = SIZE},
    };
    struct watch watch = {.stop_at = UINT64_MAX};
    const hrry_load_options options = {
        .struct_size = sizeof options,
        .chunk = chunk,
        .progress = watch_progress,
        .context = &watch,
    };
    CHECK_OK(hrry_file_load(file, requests, 5, &options, &error));
    CHECK_EQ(watch.total, 3 * SIZE + 1000);
    CHECK_EQ(watch.done, watch.total);
    if (chunk == 4096) CHECK(watch.calls > 70);
    for (size_t k = 0; k < 5; k++) {
        const unsigned char *at = requests[k].dst;
        for (size_t n = 0; n < requests[k].len; n++)
            CHECK_EQ(at[n], byte_of(requests[k].tensor, requests[k].offset + n));
    }
    CHECK_OK(hrry_file_load(file, requests, 1, NULL, &error));
    CHECK_OK(hrry_file_load(file, NULL, 0, NULL, &error));
    free(memory);
    hrry_file_close(file);
}

static void cancelling(void) {
    hrry_file *file = open_file(0);
    unsigned char *memory = check_malloc(SIZE);
    const hrry_load request = {.tensor = 2, .dst = memory, .len = SIZE};
    const uint64_t stops[] = {0, 1, SIZE / 2, SIZE};
    for (size_t k = 0; k < 4; k++) {
        struct watch watch = {.stop_at = stops[k]};
        const hrry_load_options options = {
            .struct_size = sizeof options,
            .chunk = 4096,
            .progress = watch_progress,
            .context = &watch,
        };
        const hrry_status status = hrry_file_load(file, &request, 1, &options, &error);
        if (stops[k] == SIZE && status == HRRY_OK) continue; /* it was done by then */
        CHECK_EQ(status, HRRY_ERROR_CANCELLED);
        CHECK_SAYS("cancelled");
        CHECK(watch.done >= stops[k] && watch.done <= stops[k] + 4096);
        if (stops[k] == 0) CHECK_EQ(watch.calls, 1); /* before the first byte */
    }
    free(memory);
    hrry_file_close(file);
}

/* Every request is checked before the first byte is copied. */
static void refused(void) {
    hrry_file *file = open_file(0);
    unsigned char memory[64] = {0};
    struct {
        hrry_load request;
        hrry_status status;
    } bad[] = {
        {{.tensor = TENSORS, .dst = memory, .len = 1}, HRRY_ERROR_INDEX},
        {{.tensor = UINT64_MAX, .dst = memory, .len = 1}, HRRY_ERROR_INDEX},
        {{.tensor = 1, .buffer = 1, .dst = memory, .len = 1}, HRRY_ERROR_INDEX},
        {{.tensor = 1, .offset = SIZE, .dst = memory, .len = 1}, HRRY_ERROR_RANGE},
        {{.tensor = 1, .offset = UINT64_MAX, .dst = memory, .len = 64}, HRRY_ERROR_RANGE},
        {{.tensor = 1, .offset = SIZE - 63, .dst = memory, .len = 64}, HRRY_ERROR_RANGE},
        {{.tensor = 1, .dst = NULL, .len = 5}, HRRY_ERROR_ARGUMENT},
        {{.tensor = 1, .dst = memory, .len = 1, .reserved = 1}, HRRY_ERROR_ARGUMENT},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        unsigned char good[64] = {0};
        const hrry_load requests[] = {{.tensor = 0, .offset = 1, .dst = good, .len = 64},
                                      bad[k].request};
        CHECK_FAILS(hrry_file_load(file, requests, 2, NULL, &error), bad[k].status);
        for (size_t n = 0; n < 64; n++) CHECK_EQ(good[n], 0);
    }
    hrry_file_close(file);
}

int main(void) {
    write_file();
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    for (size_t k = 0; k < 3; k++) {
        ranges(ways[k], 0);
        ranges(ways[k], 4096);
    }
    ranges(0, UINT64_MAX);
    ranges(HRRY_OPEN_READS, 999);
    cancelling();
    refused();
    return 0;
}
