/* Counts and lengths that a file only claims: every number of a file becomes 0, 1, 2^31, 2^32 - 1,
   2^48, 2^63 and 2^64 - 1 in turn, while the process may take 64 MiB more. An error, or a reading;
   never a crash, an abort or an hour. Some of the files are so large that the lengths lie inside.
   run.sh: plain (valgrind needs the memory itself) */
#define _XOPEN_SOURCE 700
#define WALK_MOST 2048
#include "limit.h"
#include "made.h"
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static hrry_error error;

static const uint64_t numbers[] = {
    0, 1, 1ull << 31, UINT32_MAX, 1ull << 48, 1ull << 63, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* How often each kind of answer came. */
static unsigned long answers[3]; /* fine, a fault of the file, out of memory */

static void answered(hrry_status status) {
    if (status == HRRY_OK) {
        answers[0]++;
        return;
    }
    CHECK(error.status == status && error.message[0] != '\0');
    if (status == HRRY_ERROR_MEMORY) {
        answers[2]++;
        return;
    }
    if (status < 200 || status >= 400) check_failed(__FILE__, __LINE__, error.message, "is no answer");
    answers[1]++;
}

static int for_a_while(void *context, uint64_t done, uint64_t total) {
    unsigned *calls = context;
    CHECK(done <= total);
    return ++*calls > 20;
}

/* All that a file says, but no more than the ends of its data. */
static void look_at(hrry_file *file) {
    const struct walk walk = walk_file(file);
    error = walk.error;
    answered(walk.status);
    uint64_t count;
    unsigned calls = 0;
    const hrry_validate_options options = {
        .struct_size = sizeof options, .progress = for_a_while, .context = &calls};
    const hrry_status status = hrry_file_validate(file, &options, NULL, 0, &count, &error);
    if (status != HRRY_ERROR_CANCELLED) answered(status);
}

/* ---- A file with all kinds of tensors and keys ---------------------------------------------------- */

static struct bytes_of_file {
    unsigned char at[262144];
    size_t len;
} small;

static int write_on(void *context, const void *data, size_t data_len) {
    struct bytes_of_file *to = context;
    CHECK(data_len <= sizeof to->at - to->len);
    memcpy(to->at + to->len, data, data_len);
    to->len += data_len;
    return 0;
}

static void write_small(void) {
    const hrry_sink sink = {.struct_size = sizeof sink, .context = &small, .write = write_on};
    const hrry_writer_options options = {.struct_size = sizeof options, .flags = HRRY_WRITE_NO_CRC};
    static const unsigned char zeros[4096];
    const int64_t numbers_[] = {1, 2};
    const hrry_text texts[] = {{"one", 3}, {"two", 3}};
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create_sink(&sink, &options, &writer, &error));
    CHECK_OK(hrry_writer_kv_string(writer, "s", 1, "text", 4, &error));
    CHECK_OK(hrry_writer_kv_bytes(writer, "b", 1, "data", 4, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "n", 1, HRRY_VALUE_I64, numbers_, 2, &error));
    CHECK_OK(hrry_writer_kv_array(writer, "t", 1, HRRY_VALUE_STRING, texts, 2, &error));
    for (int what = 0; what < MADE_PRIVATE_LAYOUT; what++) {
        char name[2] = {(char)('A' + what), '\0'};
        hrry_descriptor *descriptor = made((enum made)what);
        /* As bytes, which even a head without its members may be. */
        size_t len;
        const void *bytes = hrry_descriptor_bytes(descriptor, &len);
        CHECK_OK(hrry_writer_begin_raw(writer, name, 1, bytes, len, &error));
        for (uint32_t k = 0; k < hrry_descriptor_buffer_count(descriptor); k++) {
            hrry_buffer_entry entry = {.struct_size = sizeof entry};
            CHECK_OK(hrry_descriptor_buffer_at(descriptor, k, &entry, &error));
            CHECK_OK(hrry_writer_write(writer, zeros, (size_t)entry.byte_size, &error));
        }
        CHECK_OK(hrry_writer_end(writer, &error));
        hrry_descriptor_free(descriptor);
    }
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static uint64_t number_at(const unsigned char *at) {
    uint64_t number = 0;
    for (int k = 7; k >= 0; k--) number = number << 8 | at[k];
    return number;
}

static void patch(unsigned char *at, size_t width, uint64_t number) {
    for (size_t k = 0; k < width; k++) at[k] = (unsigned char)(number >> (8 * k));
}

/* Calls `use` with each number in turn at each place of a range, as 4 and as 8 bytes. */
static void at_each_place(size_t start, size_t end, void (*use)(void)) {
    for (size_t at = start; at < end; at++) {
        for (size_t width = 4; width <= 8 && at + width <= end; width += 4) {
            for (size_t k = 0; k < NUMBERS; k++) {
                unsigned char kept[8];
                memcpy(kept, small.at + at, 8);
                patch(small.at + at, width, numbers[k]);
                use();
                memcpy(small.at + at, kept, 8);
            }
        }
    }
}

static void open_small(void) {
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
        hrry_file *file = NULL;
        const hrry_status status =
            hrry_file_open_memory(small.at, small.len, NULL, NULL, &options, &file, &error);
        answered(status);
        if (status == HRRY_OK) look_at(file);
        hrry_file_close(file);
    }
}

static const unsigned char *descriptor_at;
static size_t descriptor_len;

static void decode_one(void) {
    for (uint32_t flags = 0; flags <= HRRY_DECODE_PERMISSIVE; flags++) {
        hrry_descriptor *descriptor = NULL;
        const hrry_status status =
            hrry_descriptor_decode(descriptor_at, descriptor_len, flags, &descriptor, &error);
        answered(status);
        if (status != HRRY_OK) continue;
        uint64_t count;
        size_t len;
        struct walk walk = {0};
        walk_descriptor(&walk, descriptor);
        if (hrry_descriptor_element_count(descriptor, &count, &error) != HRRY_OK)
            CHECK(error.message[0] != '\0');
        if (hrry_descriptor_data_len(descriptor, 4096, &count, &error) != HRRY_OK)
            CHECK(error.message[0] != '\0');
        const hrry_status encoded = hrry_descriptor_encode(descriptor, NULL, 0, &len, &error);
        CHECK(encoded == HRRY_ERROR_ROOM || encoded == HRRY_ERROR_UNSUPPORTED);
        hrry_descriptor_free(descriptor);
    }
}

/* From memory: the lengths leave the file. */
static void of_a_small_file(void) {
    const unsigned char *trailer = small.at + small.len - 40;
    const size_t index = (size_t)number_at(trailer), kv = (size_t)number_at(trailer + 16);
    at_each_place(0, 64, open_small);
    at_each_place(kv, small.len, open_small); /* keys, index, trailer */
    CHECK(kv < index);

    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_memory(small.at, small.len, NULL, NULL, NULL, &file, &error));
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k++) {
        hrry_entry entry = {.struct_size = sizeof entry};
        CHECK_OK(hrry_file_entry_at(file, k, &entry, &error));
        descriptor_at = small.at + entry.descriptor_offset;
        descriptor_len = (size_t)entry.descriptor_len;
        at_each_place((size_t)entry.descriptor_offset,
                      (size_t)(entry.descriptor_offset + entry.descriptor_len), decode_one);
    }
    hrry_file_close(file);
}

/* ---- A file of 2^62 bytes, nearly all of them zero ------------------------------------------------- */

static uint64_t virtual_size;

static int read_at(void *context, uint64_t offset, void *dst, size_t dst_len) {
    (void)context;
    CHECK(offset <= virtual_size && dst_len <= virtual_size - offset);
    const uint64_t tail = virtual_size - 40;
    unsigned char *to = dst;
    memset(to, 0, dst_len);
    for (size_t k = 0; k < dst_len && offset + k < small.len - 40; k++) to[k] = small.at[offset + k];
    for (size_t k = 0; k < 40; k++)
        if (tail + k >= offset && tail + k - offset < dst_len)
            to[tail + k - offset] = small.at[small.len - 40 + k];
    return 0;
}

static void open_virtual(void) {
    const hrry_source source = {
        .struct_size = sizeof source, .size = virtual_size, .read_at = read_at};
    hrry_file *file = NULL;
    const hrry_status status = hrry_file_open_source(&source, NULL, &file, &error);
    answered(status);
    if (status == HRRY_OK) look_at(file);
    hrry_file_close(file);
}

static void of_a_virtual_file(void) {
    const size_t kv = (size_t)number_at(small.at + small.len - 40 + 16);
    virtual_size = 1ull << 62;
    at_each_place(0, 64, open_virtual);
    at_each_place(kv, small.len, open_virtual);
}

/* ---- A sparse file on disk, as large as the file system has them ----------------------------------- */

static int sparse;

static void open_sparse(void) {
    CHECK_EQ(pwrite(sparse, small.at, 64, 0), 64);
    CHECK_EQ(pwrite(sparse, small.at + small.len - 40, 40, (off_t)(virtual_size - 40)), 40);
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    for (size_t k = 0; k < 3; k++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = ways[k]};
        hrry_file *file = NULL;
        const hrry_status status = hrry_file_open("sparse.hrry", &options, &file, &error);
        answered(status);
        if (ways[k] == HRRY_OPEN_MEMORY) CHECK(status != HRRY_OK);
        if (status == HRRY_OK) look_at(file);
        hrry_file_close(file);
    }
}

static void of_a_sparse_file(void) {
    sparse = open("sparse.hrry", O_RDWR | O_CREAT, 0600);
    CHECK(sparse >= 0);
    virtual_size = 1ull << 62;
    while (ftruncate(sparse, (off_t)virtual_size) != 0) {
        CHECK(errno == EFBIG || errno == EINVAL);
        virtual_size /= 2;
    }
    CHECK(virtual_size >= 1ull << 40);
    CHECK_EQ(pwrite(sparse, small.at, small.len - 40, 0), small.len - 40);
    open_sparse();
    at_each_place(small.len - 40, small.len, open_sparse);
    at_each_place(12, 36, open_sparse);
    close(sparse);
}

/* ---- A tensor as large as that, which is as good as one of 2 bytes ---------------------------------- */

static void one_large_tensor(void) {
    static struct bytes_of_file kept;
    kept = small;
    small.len = 0;
    const hrry_sink sink = {.struct_size = sizeof sink, .context = &small, .write = write_on};
    const hrry_writer_options options = {.struct_size = sizeof options, .flags = HRRY_WRITE_NO_CRC};
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create_sink(&sink, &options, &writer, &error));
    const uint64_t shape[] = {2};
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 1, shape, "ab", 2, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);

    /* The shape, the size of its buffer and data_length; the index stands behind all of it. */
    const int fd = open("large.hrry", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    unsigned char *trailer = small.at + small.len - 40;
    const size_t old_index = (size_t)number_at(trailer), rest = small.len - old_index;
    uint64_t size = 1ull << 61;
    while (ftruncate(fd, (off_t)(4096 + size + rest)) != 0) size /= 2;
    CHECK(size >= 1ull << 39);
    patch(small.at + 64 + 20, 8, size);
    patch(small.at + 64 + 37, 8, size);
    patch(small.at + old_index + 8 + 2 + 1 + 8 + 4 + 8, 8, size);
    patch(trailer, 8, 4096 + size);
    struct {
        uint64_t at;
        size_t from, len;
    } parts[] = {{0, 0, 4096 + 2}, {4096 + size, old_index, rest}};
    for (size_t k = 0; k < 2; k++)
        CHECK_EQ(pwrite(fd, small.at + parts[k].from, parts[k].len, (off_t)parts[k].at),
                 parts[k].len);
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    unsigned char byte = 7;
    CHECK_OK(hrry_file_open("large.hrry", NULL, &file, &error));
    CHECK_OK(hrry_file_tensor_find(file, "x", 1, &tensor, &error));
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_tensor_info(tensor, &facts, &error));
    CHECK_EQ(facts.element_count, size);
    CHECK_EQ(facts.size, size);
    CHECK_OK(hrry_tensor_read(tensor, 0, 1, &byte, 1, &error));
    CHECK_EQ(byte, 'b');
    CHECK_OK(hrry_tensor_read(tensor, 0, size - 1, &byte, 1, &error));
    CHECK_EQ(byte, 0);
    CHECK_FAILS(hrry_tensor_read(tensor, 0, size, &byte, 1, &error), HRRY_ERROR_RANGE);
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    hrry_file_close(file);
    close(fd);
    small = kept;
}

/* ---- Input that never ends ------------------------------------------------------------------------- */

static int forever(void *context, void *dst, size_t dst_len, size_t *out_len) {
    size_t *at = context;
    memset(dst, 0, dst_len);
    for (size_t k = 0; k < dst_len && *at + k < small.len - 40; k++)
        ((unsigned char *)dst)[k] = small.at[*at + k];
    *at += dst_len;
    *out_len = dst_len;
    return 0;
}

/* Without a number of tensors it is all kept, until memory or the limit says no. */
static void endless(void) {
    const uint64_t limits[] = {0, UINT64_MAX, 1 << 20};
    for (size_t k = 0; k < 3; k++) {
        size_t at = 0;
        const hrry_stream_source source = {
            .struct_size = sizeof source, .context = &at, .read = forever};
        const hrry_stream_options options = {
            .struct_size = sizeof options, .memory_limit = limits[k]};
        hrry_stream *stream = NULL;
        CHECK_FAILS(hrry_stream_open(&source, &options, &stream, &error),
                    k == 2 ? HRRY_ERROR_LIMIT : HRRY_ERROR_MEMORY);
    }
}

int main(void) {
    write_small();
    limit_memory(64 << 20);
    of_a_small_file();
    of_a_virtual_file();
    of_a_sparse_file();
    one_large_tensor();
    endless();
    limit_memory(0);
    printf("%lu fine, %lu faults of the file, %lu out of memory\n", answers[0], answers[1],
           answers[2]);
    CHECK(answers[0] > 100 && answers[1] > 1000 && answers[2] > 10);
    return 0;
}
