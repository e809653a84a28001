/* Writing files: keys, tensors of every kind, options; what is refused, and what cannot be gone on
   from. What a path holds meanwhile is replace.c. */
#define _XOPEN_SOURCE 700
#include "made.h"
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static hrry_error error;

static hrry_writer *create(const char *path, const hrry_writer_options *options) {
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create(path, options, &writer, &error));
    return writer;
}

static void finish(hrry_writer *writer) {
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static hrry_file *open_file(const char *path) {
    hrry_file *file = NULL;
    uint64_t problems;
    CHECK_OK(hrry_file_open(path, NULL, &file, &error));
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    return file;
}

/* A file with all that a model holds, and back. */
static void a_model(void) {
    hrry_writer *writer = create("model.hrry", NULL);
    const hrry_text tokens[] = {{"<s>", 3}, {"", 0}, {"\xe2\x96\x81the", 6}, {"a\0b", 3}};
    const double f64s[] = {-0.0, 1e300};
    const bool bools[] = {true, false, true};
    CHECK_OK(hrry_writer_kv_string(writer, "name", 4, "small", 5, &error));
    CHECK_OK(hrry_writer_kv_i64(writer, "i64", 3, INT64_MIN, &error));
    CHECK_OK(hrry_writer_kv_u64(writer, "u64", 3, UINT64_MAX, &error));
    CHECK_OK(hrry_writer_kv_f64(writer, "f64", 3, 0.1, &error));
    CHECK_OK(hrry_writer_kv_bool(writer, "bool", 4, true, &error));
    CHECK_OK(hrry_writer_kv_bytes(writer, "bytes", 5, NULL, 0, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "tokens", 6, HRRY_VALUE_STRING, tokens, 4, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "blobs", 5, HRRY_VALUE_BYTES, tokens, 4, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "f64s", 4, HRRY_VALUE_F64, f64s, 2, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "bools", 5, HRRY_VALUE_BOOL, bools, 3, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "i64s", 4, HRRY_VALUE_I64, NULL, 0, &error));

    float weights[6] = {0, 1, 2, 3, 4, 5};
    CHECK_OK(hrry_writer_dense(writer, "weights", 7, HRRY_TYPE_FLOAT32, 2, MADE_LENT(uint64_t, 2, 3),
                               weights, sizeof weights, &error));
    CHECK_OK(hrry_writer_dense(writer, "scalar", 6, HRRY_TYPE_FLOAT32, 0, NULL, weights, 4, &error));
    CHECK_OK(hrry_writer_dense(writer, "empty", 5, HRRY_TYPE_FLOAT32, 2, MADE_LENT(uint64_t, 0, 3),
                               NULL, 0, &error));
    CHECK_OK(hrry_writer_dense(writer, "mask", 4, HRRY_TYPE_BOOL, 1, MADE_LENT(uint64_t, 5),
                               "\xed", 1, &error)); /* bits beyond the fifth are cleared */
    CHECK_EQ(hrry_writer_tensor_count(writer), 4);
    finish(writer);

    hrry_file *file = open_file("model.hrry");
    hrry_file_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_info(file, &facts, &error));
    CHECK_EQ(facts.flags, HRRY_FILE_HAS_KV | HRRY_FILE_HAS_CRC);
    CHECK_EQ(facts.alignment, 4096);
    CHECK_EQ(facts.tensor_count, 4);
    CHECK_EQ(facts.kv_count, 11);
    CHECK_EQ(facts.tensor_count_hint, HRRY_UNKNOWN);
    const hrry_kv *kv;
    const char *text;
    size_t len;
    int64_t i64;
    double f64;
    CHECK_OK(hrry_file_kv_find(file, "tokens", 6, &kv, &error));
    CHECK_EQ(hrry_kv_count(kv), 4);
    for (uint64_t k = 0; k < 4; k++) {
        CHECK_OK(hrry_kv_string_at(kv, k, &text, &len, &error));
        CHECK_BYTES(text, len, tokens[k].data, tokens[k].len);
    }
    CHECK_OK(hrry_file_kv_find(file, "i64", 3, &kv, &error));
    CHECK_OK(hrry_kv_i64(kv, &i64, &error));
    CHECK_EQ(i64, INT64_MIN);
    CHECK_OK(hrry_file_kv_find(file, "f64s", 4, &kv, &error));
    CHECK_OK(hrry_kv_f64_at(kv, 1, &f64, &error));
    CHECK(f64 == 1e300);

    const hrry_tensor *tensor;
    CHECK_OK(hrry_file_tensor_find(file, "weights", 7, &tensor, &error));
    hrry_tensor_facts weights_facts = {.struct_size = sizeof weights_facts};
    CHECK_OK(hrry_tensor_info(tensor, &weights_facts, &error));
    CHECK_EQ(weights_facts.type, HRRY_TYPE_FLOAT32);
    CHECK_EQ(weights_facts.layout, HRRY_LAYOUT_ROW_MAJOR);
    CHECK_EQ(weights_facts.rank, 2);
    CHECK_EQ(weights_facts.shape[1], 3);
    CHECK_BYTES(weights_facts.data, weights_facts.size, weights, sizeof weights);
    CHECK_OK(hrry_file_tensor_find(file, "mask", 4, &tensor, &error));
    unsigned char mask;
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, &mask, 1, &error));
    CHECK_EQ(mask, 0x0D);
    hrry_file_close(file);
}

/* Every layout and section there is: by descriptor, by its bytes, and in pieces of one byte; the
   three are the same. */
static void every_kind(void) {
    static unsigned char data[8192];
    hrry_writer *writer = create("kinds.hrry", NULL);
    char name[32];
    for (int what = 0; what < MADE_PRIVATE_LAYOUT; what++) {
        if (what == MADE_COMPOSITE) continue; /* the next two would be its members */
        hrry_descriptor *descriptor = made((enum made)what);
        size_t len, name_len = (size_t)snprintf(name, sizeof name, "kind %d", what);
        const void *bytes = hrry_descriptor_bytes(descriptor, &len);
        hrry_bytes buffers[8];
        const uint32_t count = hrry_descriptor_buffer_count(descriptor);
        uint64_t total = 0;
        for (uint32_t k = 0; k < count; k++) {
            hrry_buffer_entry entry = {.struct_size = sizeof entry};
            CHECK_OK(hrry_descriptor_buffer_at(descriptor, k, &entry, &error));
            buffers[k] = (hrry_bytes){data, (size_t)entry.byte_size};
            total += entry.byte_size;
        }
        CHECK_OK(hrry_writer_tensor(writer, name, name_len, descriptor, buffers, count, &error));
        name[0] = 'r';
        CHECK_OK(hrry_writer_tensor_raw(writer, name, name_len, bytes, len, buffers, count,
                                        &error));
        name[0] = 'p';
        CHECK_OK(hrry_writer_begin(writer, name, name_len, descriptor, &error));
        for (uint64_t k = 0; k < total; k++) CHECK_OK(hrry_writer_write(writer, data, 1, &error));
        CHECK_FAILS(hrry_writer_write(writer, data, 1, &error), HRRY_ERROR_RANGE);
        CHECK_OK(hrry_writer_end(writer, &error));
        name[0] = 'b';
        CHECK_OK(hrry_writer_begin_raw(writer, name, name_len, bytes, len, &error));
        CHECK_OK(hrry_writer_write(writer, data, (size_t)total, &error));
        CHECK_OK(hrry_writer_end(writer, &error));
        hrry_descriptor_free(descriptor);
    }
    finish(writer);

    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open("kinds.hrry", NULL, &file, &error));
    CHECK_EQ(walk_file(file).status, HRRY_OK);
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k += 4) {
        const hrry_tensor *one, *other;
        size_t one_len, other_len;
        for (uint64_t n = 1; n < 4; n++) {
            CHECK_OK(hrry_file_tensor_at(file, k, &one, &error));
            CHECK_OK(hrry_file_tensor_at(file, k + n, &other, &error));
            const void *one_bytes = hrry_tensor_descriptor_bytes(one, &one_len);
            const void *other_bytes = hrry_tensor_descriptor_bytes(other, &other_len);
            CHECK_BYTES(other_bytes, other_len, one_bytes, one_len);
        }
    }
    hrry_file_close(file);
}

static void options(void) {
    hrry_writer_options options = {
        .struct_size = sizeof options,
        .flags = HRRY_WRITE_SORTED | HRRY_WRITE_NO_CRC | HRRY_WRITE_NO_SYNC,
        .alignment = 65536,
        .count_hint = 2,
    };
    hrry_writer *writer = create("options.hrry", &options);
    CHECK_OK(hrry_writer_dense(writer, "b", 1, HRRY_TYPE_UINT8, 0, NULL, "b", 1, &error));
    CHECK_OK(hrry_writer_dense(writer, "a", 1, HRRY_TYPE_UINT8, 0, NULL, "a", 1, &error));
    finish(writer);
    hrry_file *file = open_file("options.hrry");
    hrry_file_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_info(file, &facts, &error));
    CHECK_EQ(facts.flags, HRRY_FILE_SORTED);
    CHECK_EQ(facts.alignment, 65536);
    CHECK_EQ(facts.tensor_count_hint, 2);
    CHECK_EQ(facts.kv_offset, 0);
    hrry_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_file_entry_at(file, 0, &entry, &error));
    CHECK_TEXT(entry.name, entry.name_len, "a");
    CHECK_EQ(entry.data_offset % 65536, 0);
    hrry_file_close(file);

    /* Fewer than announced, or more: no file. */
    for (int count = 1; count <= 3; count += 2) {
        writer = create("options.hrry", &options);
        hrry_status status = HRRY_OK;
        for (char name = 'a'; name < 'a' + count && status == HRRY_OK; name++)
            status = hrry_writer_dense(writer, &name, 1, HRRY_TYPE_UINT8, 0, NULL, &name, 1, &error);
        if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
        CHECK_EQ(status, HRRY_ERROR_FORBIDDEN);
        hrry_writer_free(writer);
    }
    file = open_file("options.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 2);
    hrry_file_close(file);

    writer = (hrry_writer *)&options; /* becomes NULL */
    options.alignment = 6000;
    CHECK_FAILS(hrry_writer_create("no.hrry", &options, &writer, &error), HRRY_ERROR_FORBIDDEN);
    CHECK(writer == NULL);
    options.alignment = 2048;
    CHECK_FAILS(hrry_writer_create("no.hrry", &options, &writer, &error), HRRY_ERROR_FORBIDDEN);
    options.alignment = 0;
    options.flags = 0x4000;
    CHECK_FAILS(hrry_writer_create("no.hrry", &options, &writer, &error), HRRY_ERROR_ARGUMENT);
    CHECK(access("no.hrry", F_OK) != 0);
}

/* What arrays hold is looked at element by element. */
static void arrays_of_structs(void) {
    hrry_writer *writer = create("arrays.hrry", NULL);
    const hrry_text nothing[] = {{NULL, 0}, {NULL, 5}};
    CHECK_OK(hrry_writer_kv_array(writer, "t", 1, HRRY_VALUE_STRING, nothing, 1, &error));
    CHECK_FAILS(hrry_writer_kv_array(writer, "u", 1, HRRY_VALUE_STRING, nothing, 2, &error),
                HRRY_ERROR_ARGUMENT);
    CHECK_FAILS(hrry_writer_kv_array(writer, "u", 1, HRRY_VALUE_BYTES, nothing, 2, &error),
                HRRY_ERROR_ARGUMENT);
    int64_t numbers[3] = {1, 2, 3};
    CHECK_FAILS(hrry_writer_kv_array(writer, "u", 1, HRRY_VALUE_I64, (const char *)numbers + 1, 2,
                                     &error), HRRY_ERROR_ARGUMENT); /* not aligned */
    /* Memory that holds no bool: not taken for one. */
    hrry_status status = hrry_writer_kv_array(writer, "u", 1, HRRY_VALUE_BOOL, "\2\xff", 2, &error);
    CHECK(status == HRRY_OK || status == HRRY_ERROR_ARGUMENT || status == HRRY_ERROR_FORBIDDEN);
    hrry_descriptor *descriptor = made(MADE_ROW_MAJOR);
    const hrry_bytes missing = {NULL, 24};
    CHECK_FAILS(hrry_writer_tensor(writer, "x", 1, descriptor, &missing, 1, &error),
                HRRY_ERROR_ARGUMENT);
    CHECK_OK(hrry_writer_begin(writer, "x", 1, descriptor, &error));
    CHECK_OK(hrry_writer_write(writer, NULL, 0, &error));
    CHECK_OK(hrry_writer_write(writer, "these are 24 bytes......", 24, &error));
    CHECK_OK(hrry_writer_end(writer, &error));
    hrry_descriptor_free(descriptor);
    finish(writer);
    hrry_file_close(open_file("arrays.hrry"));
}

/* A descriptor: from where it stands, forwards only. */
static void by_descriptor(void) {
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create_fd(ends[1], NULL, &writer, &error));
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 0, NULL, "7", 1, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    close(ends[1]);
    static unsigned char bytes[65536];
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], bytes + len, sizeof bytes - len)) > 0;) len += (size_t)n;
    close(ends[0]);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_memory(bytes, len, NULL, NULL, NULL, &file, &error));
    CHECK_EQ(walk_file(file).status, HRRY_OK);
    hrry_file_close(file);

    /* Nobody reads: no signal where the process ignores it, and an error like another. */
    CHECK_EQ(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    CHECK_OK(hrry_writer_create_fd(ends[1], NULL, &writer, &error));
    CHECK_OK(hrry_writer_kv_u64(writer, "k", 1, 1, &error));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, EPIPE);
    hrry_writer_free(writer);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);

    /* No room: an error that stays. */
    const int full = open("/dev/full", O_WRONLY);
    CHECK_OK(hrry_writer_create_fd(full, NULL, &writer, &error));
    hrry_status status = HRRY_OK;
    static char data[1 << 16];
    for (char name = 'a'; name < 'z' && status == HRRY_OK; name++)
        status = hrry_writer_dense(writer, &name, 1, HRRY_TYPE_UINT8, 1,
                                   MADE_LENT(uint64_t, sizeof data), data, sizeof data, &error);
    if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
    CHECK_EQ(status, HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, ENOSPC);
    CHECK_FAILS(hrry_writer_dense(writer, "n", 1, HRRY_TYPE_UINT8, 0, NULL, "7", 1, &error),
                HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    hrry_writer_free(writer);
    close(full);
    CHECK_FAILS(hrry_writer_create_fd(-1, NULL, &writer, &error), HRRY_ERROR_ARGUMENT);
}

/* What the format forbids is refused before a byte of it is written, and the writer goes on. */
static void refused_and_gone_on(void) {
    hrry_writer *writer = create("refused.hrry", NULL);
    CHECK_OK(hrry_writer_kv_u64(writer, "k", 1, 1, &error));
    CHECK_FAILS(hrry_writer_kv_u64(writer, "k", 1, 2, &error), HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_kv_u64(writer, "", 0, 2, &error), HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_kv_u64(writer, "\xff", 1, 2, &error), HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_kv_string(writer, "s", 1, "\xc0\x80", 2, &error), HRRY_ERROR_FORBIDDEN);
    const hrry_text bad[] = {{"good", 4}, {"\xff", 1}};
    CHECK_FAILS(hrry_writer_kv_array(writer, "s", 1, HRRY_VALUE_STRING, bad, 2, &error),
                HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_kv_array(writer, "s", 1, HRRY_VALUE_ARRAY, bad, 2, &error),
                HRRY_ERROR_ARGUMENT);
    CHECK_OK(hrry_writer_kv_string(writer, "s", 1, "none of that left a trace", 25, &error));

    const uint64_t two[] = {2};
    CHECK_OK(hrry_writer_dense(writer, "a", 1, HRRY_TYPE_UINT8, 1, two, "aa", 2, &error));
    CHECK_FAILS(hrry_writer_kv_u64(writer, "late", 4, 1, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_dense(writer, "a", 1, HRRY_TYPE_UINT8, 1, two, "bb", 2, &error),
                HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_dense(writer, "", 0, HRRY_TYPE_UINT8, 1, two, "bb", 2, &error),
                HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_dense(writer, "\xff", 1, HRRY_TYPE_UINT8, 1, two, "bb", 2, &error),
                HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(hrry_writer_dense(writer, "b", 1, HRRY_TYPE_UINT8, 1, two, "bb", 1, &error),
                HRRY_ERROR_ROOM);
    CHECK_FAILS(hrry_writer_dense(writer, "b", 1, HRRY_TYPE_UINT8, 1,
                                  MADE_LENT(uint64_t, HRRY_UNKNOWN), "bb", 2, &error),
                HRRY_ERROR_FORBIDDEN);
    char *long_name = check_malloc(65536);
    memset(long_name, 'n', 65536);
    CHECK_FAILS(hrry_writer_dense(writer, long_name, 65536, HRRY_TYPE_UINT8, 1, two, "bb", 2,
                                  &error), HRRY_ERROR_FORBIDDEN);
    CHECK_OK(hrry_writer_dense(writer, long_name, 65535, HRRY_TYPE_UINT8, 1, two, "nn", 2, &error));
    free(long_name);

    hrry_descriptor *descriptor = made(MADE_CSR);
    const hrry_bytes few[] = {{"", 0}, {"", 0}};
    CHECK_FAILS(hrry_writer_tensor(writer, "c", 1, descriptor, few, 2, &error), HRRY_ERROR_ROOM);
    CHECK_FAILS(hrry_writer_tensor_raw(writer, "c", 1, "HRRY", 4, few, 2, &error),
                HRRY_ERROR_FORBIDDEN);
    hrry_descriptor_free(descriptor);

    /* Out of turn. */
    CHECK_FAILS(hrry_writer_write(writer, "b", 1, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_end(writer, &error), HRRY_ERROR_STATE);
    descriptor = made(MADE_ROW_MAJOR);
    CHECK_OK(hrry_writer_begin(writer, "begun", 5, descriptor, &error));
    CHECK_FAILS(hrry_writer_begin(writer, "twice", 5, descriptor, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_dense(writer, "d", 1, HRRY_TYPE_UINT8, 1, two, "dd", 2, &error),
                HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_end(writer, &error), HRRY_ERROR_FORBIDDEN); /* 24 bytes are missing */
    CHECK_OK(hrry_writer_write(writer, "twelve bytes", 12, &error));
    CHECK_FAILS(hrry_writer_write(writer, "thirteen here", 13, &error), HRRY_ERROR_RANGE);
    CHECK_OK(hrry_writer_write(writer, "and twelve..", 12, &error));
    CHECK_OK(hrry_writer_end(writer, &error));
    hrry_descriptor_free(descriptor);
    CHECK_EQ(hrry_writer_tensor_count(writer), 3);
    CHECK_OK(hrry_writer_finish(writer, &error));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    CHECK_EQ(hrry_writer_tensor_count(writer), 0);
    hrry_writer_free(writer);
    hrry_writer_free(NULL);

    hrry_file *file = open_file("refused.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 3);
    CHECK_EQ(hrry_file_kv_count(file), 2);
    const hrry_tensor *tensor;
    char bytes[24];
    CHECK_OK(hrry_file_tensor_find(file, "begun", 5, &tensor, &error));
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, bytes, 24, &error));
    CHECK_BYTES(bytes, 24, "twelve bytesand twelve..", 24);
    hrry_file_close(file);

    /* Finishing inside a tensor gives up. */
    writer = create("refused.hrry", NULL);
    descriptor = made(MADE_ROW_MAJOR);
    CHECK_OK(hrry_writer_begin(writer, "begun", 5, descriptor, &error));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);
    file = open_file("refused.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 3);
    hrry_file_close(file);
}

/* A buffer that declares more alignment than the file gives: refused, or lowered when asked. */
static void declared_alignment(void) {
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_UINT8, 1, MADE_LENT(uint64_t, 4), &builder, &error));
    CHECK_OK(hrry_builder_alignment(builder, 65536, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    const hrry_bytes buffer = {"four", 4};
    for (uint32_t flags = 0; flags <= HRRY_WRITE_LOWER_ALIGNMENT;
         flags += HRRY_WRITE_LOWER_ALIGNMENT) {
        const hrry_writer_options options = {.struct_size = sizeof options, .flags = flags};
        hrry_writer *writer = create("aligned.hrry", &options);
        if (flags == 0)
            CHECK_FAILS(hrry_writer_tensor(writer, "x", 1, descriptor, &buffer, 1, &error),
                        HRRY_ERROR_FORBIDDEN);
        else CHECK_OK(hrry_writer_tensor(writer, "x", 1, descriptor, &buffer, 1, &error));
        finish(writer);
    }
    hrry_descriptor_free(descriptor);
    hrry_file *file = open_file("aligned.hrry");
    const hrry_tensor *tensor;
    CHECK_OK(hrry_file_tensor_at(file, 0, &tensor, &error));
    hrry_buffer found = {.struct_size = sizeof found};
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &found, &error));
    CHECK_EQ(found.declared_alignment, 4096);
    CHECK(found.alignment >= 4096);
    hrry_file_close(file);
}

int main(void) {
    a_model();
    every_kind();
    options();
    arrays_of_structs();
    by_descriptor();
    refused_and_gone_on();
    declared_alignment();
    return 0;
}
