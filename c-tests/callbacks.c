/* Functions of the caller: sources that are read, sinks that are written to, progress, release.
   Each may fail at any time; release is called once, and never by a call that failed. */
#include "craft.h"
#include "walk.h"

static hrry_error error;
static struct craft small;

/* What is lent to the library, with a count of what it did. */
struct lent {
    unsigned calls, fail_at; /* the call that fails, counted from 1; 0: none */
    unsigned released;
    struct bytes bytes; /* what was written, or is read */
    size_t place;
};

static int outcome(struct lent *lent) { return ++lent->calls == lent->fail_at ? 1234 : 0; }

static int read_at(void *context, uint64_t offset, void *dst, size_t dst_len) {
    struct lent *lent = context;
    CHECK(lent->released == 0);
    /* Only ever asked for what is there, all of it, and never for nothing. */
    CHECK(offset <= small.file.len && dst_len <= small.file.len - offset);
    const int code = outcome(lent);
    if (code == 0) memcpy(dst, small.file.at + offset, dst_len);
    return code;
}

static int write_on(void *context, const void *data, size_t data_len) {
    struct lent *lent = context;
    CHECK(lent->released == 0);
    const int code = outcome(lent);
    if (code == 0) put(&lent->bytes, data, data_len);
    return code;
}

static int read_on(void *context, void *dst, size_t dst_len, size_t *out_len) {
    struct lent *lent = context;
    CHECK(lent->released == 0);
    const int code = outcome(lent);
    if (code != 0) return code;
    const size_t rest = small.file.len - lent->place;
    *out_len = dst_len < rest ? dst_len : rest;
    memcpy(dst, small.file.at + lent->place, *out_len);
    lent->place += *out_len;
    return 0;
}

static void release(void *context) {
    struct lent *lent = context;
    lent->released++;
}

static hrry_source source_of(struct lent *lent) {
    return (hrry_source){.struct_size = sizeof(hrry_source),
                         .context = lent,
                         .size = small.file.len,
                         .read_at = read_at,
                         .release = release};
}

/* A source that fails at the n-th read, for every n until all reads go well. */
static void sources(void) {
    unsigned opened = 0, n = 0;
    hrry_status status = HRRY_ERROR_CALLBACK;
    while (status != HRRY_OK) {
        struct lent lent = {.fail_at = ++n};
        const hrry_source source = source_of(&lent);
        hrry_file *file = NULL;
        status = hrry_file_open_source(&source, NULL, &file, &error);
        if (status != HRRY_OK) {
            CHECK_EQ(status, HRRY_ERROR_CALLBACK);
            CHECK_EQ(error.os_error, 1234);
            CHECK_SAYS("1234");
            CHECK(file == NULL);
            CHECK_EQ(lent.released, 0);
            continue;
        }
        opened++;
        hrry_file_facts facts = {.struct_size = sizeof facts};
        CHECK_OK(hrry_file_info(file, &facts, &error));
        CHECK_EQ(facts.access, HRRY_ACCESS_READS);
        CHECK_EQ(hrry_file_fd(file), -1);
        /* What fails now, fails alone: the same question has its answer the next time. */
        const struct walk first = walk_file(file);
        lent.fail_at = 0;
        const struct walk second = walk_file(file);
        status = first.status;
        if (status != HRRY_OK) {
            CHECK_EQ(status, HRRY_ERROR_CALLBACK);
            CHECK_EQ(first.error.os_error, 1234);
        }
        CHECK_EQ(second.status, HRRY_OK);
        hrry_file_close(hrry_file_retain(file));
        CHECK_EQ(lent.released, 0);
        hrry_file_close(file);
        CHECK_EQ(lent.released, 1);
    }
    CHECK(opened > 2 && n > opened); /* there were reads in opening and after */

    /* A caller's reads can be brought into memory, once. */
    struct lent lent = {0};
    const hrry_source source = source_of(&lent);
    const hrry_open_options options = {.struct_size = sizeof options, .flags = HRRY_OPEN_MEMORY};
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_source(&source, &options, &file, &error));
    const unsigned calls = lent.calls;
    CHECK_EQ(walk_file(file).status, HRRY_OK);
    CHECK_EQ(lent.calls, calls);
    hrry_file_close(file);
    CHECK_EQ(lent.released, 1);
}

/* A load and a validation over a source that fails, and that cancel. */
static int stop(void *context, uint64_t done, uint64_t total) {
    struct lent *lent = context;
    CHECK(done <= total);
    return outcome(lent);
}

static void load_and_validate(void) {
    struct lent lent = {0}, progress = {0};
    const hrry_source source = source_of(&lent);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_source(&source, NULL, &file, &error));
    unsigned char memory[64];
    const hrry_load request = {.tensor = 1, .dst = memory, .len = 64};
    const hrry_load_options load = {.struct_size = sizeof load,
                                    .chunk = 16,
                                    .progress = stop,
                                    .context = &progress};
    for (unsigned n = 1;; n++) {
        progress = (struct lent){.fail_at = n};
        const hrry_status status = hrry_file_load(file, &request, 1, &load, &error);
        if (status == HRRY_OK) break;
        CHECK_EQ(status, HRRY_ERROR_CANCELLED);
        CHECK_EQ(progress.calls, n); /* not asked again */
    }
    progress = (struct lent){0};
    for (unsigned n = 1;; n++) {
        lent.calls = 0;
        lent.fail_at = n;
        const hrry_status status = hrry_file_load(file, &request, 1, &load, &error);
        if (status == HRRY_OK) break;
        CHECK_EQ(status, HRRY_ERROR_CALLBACK);
        CHECK_EQ(error.os_error, 1234);
    }
    const hrry_validate_options check = {
        .struct_size = sizeof check, .progress = stop, .context = &progress};
    for (unsigned n = 1;; n++) {
        uint64_t count = 7;
        lent.calls = 0;
        lent.fail_at = n;
        const hrry_status status = hrry_file_validate(file, &check, NULL, 0, &count, &error);
        CHECK_EQ(count, 0);
        if (status == HRRY_OK) break;
        CHECK_EQ(status, HRRY_ERROR_CALLBACK);
    }
    lent.fail_at = 0;
    for (unsigned n = 1;; n++) {
        uint64_t count = 7;
        progress = (struct lent){.fail_at = n};
        const hrry_status status = hrry_file_validate(file, &check, NULL, 0, &count, &error);
        CHECK_EQ(count, 0);
        if (status == HRRY_OK) break;
        CHECK_EQ(status, HRRY_ERROR_CANCELLED);
        CHECK_EQ(progress.calls, n);
    }
    hrry_file_close(file);
    CHECK_EQ(lent.released, 1);
}

/* The whole of a file to a sink that fails at its n-th write. */
static hrry_status write_all(hrry_writer *writer) {
    static unsigned char data[10000];
    const uint64_t shape[] = {sizeof data};
    hrry_status status = hrry_writer_kv_u64(writer, "k", 1, 1, &error);
    for (char name = 'a'; name < 'e' && status == HRRY_OK; name++)
        status = hrry_writer_dense(writer, &name, 1, HRRY_TYPE_UINT8, 1, shape, data, sizeof data,
                                   &error);
    if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
    return status;
}

static void sinks(void) {
    hrry_status status = HRRY_ERROR_CALLBACK;
    for (unsigned n = 1; status != HRRY_OK; n++) {
        struct lent lent = {.fail_at = n};
        const hrry_sink sink = {.struct_size = sizeof sink,
                                .context = &lent,
                                .write = write_on,
                                .release = release};
        hrry_writer *writer = NULL;
        CHECK_OK(hrry_writer_create_sink(&sink, NULL, &writer, &error));
        status = write_all(writer);
        if (status != HRRY_OK) {
            CHECK_EQ(status, HRRY_ERROR_CALLBACK);
            CHECK_EQ(error.os_error, 1234);
            CHECK_EQ(lent.calls, n); /* and not called again: the writer is done for */
            CHECK_FAILS(hrry_writer_dense(writer, "z", 1, HRRY_TYPE_UINT8, 0, NULL, "z", 1, &error),
                        HRRY_ERROR_STATE);
            CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
            CHECK_EQ(lent.calls, n);
        } else {
            hrry_file *file = NULL;
            CHECK_OK(hrry_file_open_memory(lent.bytes.at, lent.bytes.len, NULL, NULL, NULL, &file,
                                           &error));
            CHECK_EQ(walk_file(file).status, HRRY_OK);
            hrry_file_close(file);
        }
        hrry_writer_free(writer);
        CHECK_EQ(lent.released, 1);
        free(lent.bytes.at);
    }

    /* A call that fails has taken nothing. */
    struct lent lent = {0};
    hrry_sink sink = {.struct_size = sizeof sink, .context = &lent, .release = release};
    hrry_writer *writer = NULL;
    CHECK_FAILS(hrry_writer_create_sink(&sink, NULL, &writer, &error), HRRY_ERROR_ARGUMENT);
    sink.write = write_on;
    const hrry_writer_options bad = {.struct_size = sizeof bad, .alignment = 3};
    CHECK(hrry_writer_create_sink(&sink, &bad, &writer, &error) != HRRY_OK);
    CHECK_EQ(hrry_writer_create_sink(&sink, &bad, NULL, NULL), HRRY_ERROR_ARGUMENT);
    CHECK(writer == NULL);
    CHECK_EQ(lent.released, 0);
    /* A writer that is given up gives back what it was lent. */
    CHECK_OK(hrry_writer_create_sink(&sink, NULL, &writer, &error));
    hrry_writer_free(writer);
    CHECK_EQ(lent.released, 1);
}

static void streams(void) {
    hrry_status status = HRRY_ERROR_CALLBACK;
    for (unsigned n = 1; status != HRRY_OK; n++) {
        struct lent lent = {.fail_at = n};
        const hrry_stream_source source = {.struct_size = sizeof source,
                                           .context = &lent,
                                           .read = read_on,
                                           .release = release};
        hrry_stream *stream = NULL;
        hrry_file *file = NULL;
        status = hrry_stream_open(&source, NULL, &stream, &error);
        const bool opened = status == HRRY_OK;
        if (opened) status = hrry_stream_finish(stream, &file, &error);
        if (status != HRRY_OK) {
            CHECK_EQ(status, HRRY_ERROR_CALLBACK);
            CHECK_EQ(error.os_error, 1234);
        }
        hrry_stream_free(stream);
        hrry_file_close(file);
        CHECK_EQ(lent.released, opened ? 1 : 0);
    }
}

/* Memory that is lent. */
static void lent_memory(void) {
    struct lent lent = {0};
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_memory(small.file.at, small.file.len, release, &lent, NULL, &file,
                                   &error));
    hrry_file *again = hrry_file_retain(file);
    hrry_file_close(file);
    CHECK_EQ(lent.released, 0);
    hrry_file_close(again);
    CHECK_EQ(lent.released, 1);

    lent.released = 0;
    for (size_t len = 0; len < small.file.len; len += 7)
        CHECK(hrry_file_open_memory(small.file.at, len, release, &lent, NULL, &file, &error) !=
              HRRY_OK);
    const hrry_open_options bad = {.struct_size = sizeof bad, .flags = 0x100};
    CHECK_FAILS(hrry_file_open_memory(small.file.at, small.file.len, release, &lent, &bad, &file,
                                      &error), HRRY_ERROR_ARGUMENT);
    CHECK_EQ(hrry_file_open_memory(small.file.at, small.file.len, release, &lent, NULL, NULL, NULL),
             HRRY_ERROR_ARGUMENT);
    CHECK_EQ(lent.released, 0);
}

int main(void) {
    craft_begin(&small, CRAFT_KV);
    craft_tensor(&small, "a", 1, 16);
    craft_tensor(&small, "b", 1, 16);
    craft_key(&small, "k", 1, HRRY_VALUE_BOOL);
    put_number(&small.kv, 1, 1);
    craft_end(&small);
    sources();
    load_and_validate();
    sinks();
    streams();
    lent_memory();
    craft_free(&small);
    return 0;
}
