/* Reading in order, from a pipe that gives its bytes in pieces of 1, of 7 and of a million: every
   vector says the same as when it is opened. */
#define _XOPEN_SOURCE 700
#include "walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static hrry_error error;

/* What writes to the other end. */
struct feed {
    const unsigned char *bytes;
    size_t len, piece;
    int fd;
};

static void *feed_all(void *context) {
    const struct feed *feed = context;
    for (size_t at = 0; at < feed->len;) {
        const size_t rest = feed->len - at;
        const ssize_t n = write(feed->fd, feed->bytes + at, rest < feed->piece ? rest : feed->piece);
        if (n < 0) break; /* the reader has gone */
        at += (size_t)n;
    }
    close(feed->fd);
    return NULL;
}

/* What a file said. */
struct said {
    hrry_status status;
    uint64_t tensors;
    bool valid;    /* validation found nothing */
    bool misled;   /* the header announces another number of tensors */
    struct walk walk;
};

static void said_names(struct said *said, const hrry_file *file) {
    const char *name;
    size_t len;
    for (uint64_t k = 0; k < hrry_file_kv_count(file); k++) {
        const hrry_kv *kv = NULL;
        CHECK_OK(hrry_file_kv_at(file, k, &kv, &error));
        walk_kv(&said->walk, kv);
    }
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k++) {
        CHECK_OK(hrry_file_name_at(file, k, &name, &len, &error));
        walk_bytes(&said->walk, name, len);
    }
}

/* By opening it: tensors in the order of the file, then keys and names. */
static struct said at_random(const unsigned char *bytes, size_t len) {
    struct said said = {0};
    hrry_file *file = NULL;
    said.status = hrry_file_open_memory(bytes, len, NULL, NULL, NULL, &file, &error);
    if (said.status != HRRY_OK) return said;
    for (uint64_t k = 0; k < hrry_file_tensor_count(file) && said.status == HRRY_OK; k++) {
        uint64_t index;
        const hrry_tensor *tensor;
        CHECK_OK(hrry_file_order_at(file, k, &index, &error));
        said.status = hrry_file_tensor_at(file, index, &tensor, &error);
        if (said.status != HRRY_OK) break;
        said.tensors++;
        walk_descriptor(&said.walk, hrry_tensor_descriptor(tensor));
        for (uint32_t n = 0; n < hrry_tensor_buffer_count(tensor); n++) {
            hrry_buffer buffer = {.struct_size = sizeof buffer};
            CHECK_OK(hrry_tensor_buffer(tensor, n, &buffer, &error));
            walk_bytes(&said.walk, buffer.data, (size_t)buffer.size);
        }
    }
    if (said.status == HRRY_OK) said_names(&said, file);
    uint64_t problems = 0;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    hrry_file_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_info(file, &facts, &error));
    said.valid = problems == 0;
    said.misled = facts.tensor_count_hint != HRRY_UNKNOWN &&
                  facts.tensor_count_hint != facts.tensor_count;
    hrry_file_close(file);
    return said;
}

/* As it comes out of the pipe. */
static struct said in_order(hrry_stream *stream) {
    struct said said = {0};
    for (;;) {
        const hrry_descriptor *descriptor = NULL;
        said.status = hrry_stream_next(stream, &descriptor, &error);
        if (said.status != HRRY_OK || descriptor == NULL) break;
        said.tensors++;
        walk_descriptor(&said.walk, descriptor);
        uint64_t expected = 0, remaining = hrry_stream_remaining(stream);
        for (uint32_t k = 0; k < hrry_descriptor_buffer_count(descriptor); k++) {
            hrry_buffer_entry entry = {.struct_size = sizeof entry};
            CHECK_OK(hrry_descriptor_buffer_at(descriptor, k, &entry, &error));
            expected += entry.byte_size;
        }
        CHECK_EQ(remaining, expected);
        unsigned char part[4093];
        for (size_t n = 1; n != 0 && said.status == HRRY_OK;) {
            said.status = hrry_stream_read(stream, part, sizeof part, &n, &error);
            if (said.status == HRRY_OK) {
                CHECK_EQ(n, remaining < sizeof part ? remaining : sizeof part);
                remaining -= n;
                CHECK_EQ(hrry_stream_remaining(stream), remaining);
                walk_bytes(&said.walk, part, n);
            }
        }
        if (said.status != HRRY_OK) break;
    }
    if (said.status != HRRY_OK) {
        CHECK(error.message[0] != '\0' && said.status != HRRY_ERROR_INTERNAL);
        return said;
    }
    hrry_file *file = NULL;
    said.status = hrry_stream_finish(stream, &file, &error);
    CHECK((file != NULL) == (said.status == HRRY_OK));
    if (said.status == HRRY_OK) {
        CHECK_EQ(hrry_file_tensor_count(file), said.tensors);
        said_names(&said, file);
        hrry_file_close(file);
    }
    hrry_file *again = NULL;
    CHECK_FAILS(hrry_stream_finish(stream, &again, &error), HRRY_ERROR_STATE);
    return said;
}

static struct said through_a_pipe(const unsigned char *bytes, size_t len, size_t piece) {
    int ends[2];
    pthread_t thread;
    CHECK_EQ(pipe(ends), 0);
    struct feed feed = {bytes, len, piece, ends[1]};
    CHECK_EQ(pthread_create(&thread, NULL, feed_all, &feed), 0);
    hrry_stream *stream = NULL;
    struct said said = {0};
    said.status = hrry_stream_open_fd(ends[0], NULL, &stream, &error);
    close(ends[0]); /* the stream has its own */
    if (said.status == HRRY_OK) said = in_order(stream);
    hrry_stream_free(stream);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return said;
}

static void both_ways(const char *path, const char *name) {
    size_t len;
    unsigned char *bytes = check_slurp(path, &len);
    const struct said random = at_random(bytes, len);
    if (strcmp(name, "mut_H_HINT_WRONG.hrry") == 0) CHECK(random.misled);
    const size_t pieces[] = {1, 7, 1 << 20};
    /* Large files in small pieces only take time. */
    const size_t largest[] = {under_valgrind() ? 300 : 20000, under_valgrind() ? 9000 : 100000,
                              under_valgrind() ? 20000 : SIZE_MAX};
    for (size_t k = 0; k < 3; k++) {
        if (len > largest[k]) continue;
        const struct said piped = through_a_pipe(bytes, len, pieces[k]);
        bool same = piped.status == HRRY_OK && random.status == HRRY_OK &&
                    piped.walk.sum == random.walk.sum && piped.tensors == random.tensors;
        /* A sequential reader believes the announced number of tensors, and may refuse what only
           validation would find. */
        if (random.misled) same = piped.status != HRRY_OK;
        else if (!random.valid || random.status != HRRY_OK)
            same = (same && !random.valid) || piped.status != HRRY_OK;
        if (!same) {
            fprintf(stderr, "in pieces of %u: %d (%s), opened: %d (%s)\n", (unsigned)pieces[k],
                    (int)piped.status, hrry_status_name(piped.status), (int)random.status,
                    hrry_status_name(random.status));
            check_failed(path, 0, name, "differs");
        }
    }
    free(bytes);
}

static unsigned all_of(const char *folder) {
    unsigned count = 0;
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strstr(entry->d_name, ".hrry") == NULL) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        both_ways(path, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

/* A limit to what is kept, and what a stream is asked out of turn. */
static void limits(void) {
    const int fd = open(VECTORS "/edges/kv_flag_clear.hrry", O_RDONLY); /* 16 518 bytes, no hint */
    CHECK(fd >= 0);
    hrry_stream *stream = NULL;
    hrry_stream_options options = {.struct_size = sizeof options, .memory_limit = 16517};
    CHECK_FAILS(hrry_stream_open_fd(fd, &options, &stream, &error), HRRY_ERROR_LIMIT);
    CHECK(stream == NULL);
    options.memory_limit = 16518;
    CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
    CHECK_OK(hrry_stream_open_fd(fd, &options, &stream, &error));
    unsigned char part[16];
    size_t n = 7;
    CHECK_OK(hrry_stream_read(stream, part, 16, &n, &error));
    CHECK_EQ(n, 0); /* of no tensor, nothing */
    const hrry_descriptor *descriptor;
    CHECK_OK(hrry_stream_next(stream, &descriptor, &error));
    CHECK_OK(hrry_stream_read(stream, part, 16, &n, &error));
    CHECK_EQ(hrry_stream_remaining(stream), 48);
    CHECK_OK(hrry_stream_next(stream, &descriptor, &error)); /* past the rest */
    CHECK(descriptor != NULL);
    hrry_file *file = NULL;
    CHECK_OK(hrry_stream_finish(stream, &file, &error)); /* past all of it */
    /* The whole file is in memory, so the file can be used like any other. */
    const hrry_tensor *tensor;
    CHECK_OK(hrry_file_tensor_find(file, "b", 1, &tensor, &error));
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, part, 16, &error));
    CHECK_EQ(part[15], 15);
    CHECK_FAILS(hrry_stream_next(stream, &descriptor, &error), HRRY_ERROR_STATE);
    CHECK_EQ(hrry_stream_remaining(stream), 0);
    hrry_stream_free(stream);
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, part, 16, &error)); /* it lives on by itself */
    hrry_file_close(file);
    close(fd);

    /* With the number of tensors announced, nothing but the index is kept. */
    const hrry_writer_options announced = {.struct_size = sizeof announced, .count_hint = 1};
    hrry_writer *writer = NULL;
    static unsigned char data[1 << 20];
    const uint64_t shape[] = {sizeof data};
    CHECK_OK(hrry_writer_create("announced.hrry", &announced, &writer, &error));
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 1, shape, data, sizeof data,
                               &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    const int announced_fd = open("announced.hrry", O_RDONLY);
    options.memory_limit = 10000;
    CHECK_OK(hrry_stream_open_fd(announced_fd, &options, &stream, &error));
    CHECK_OK(hrry_stream_next(stream, &descriptor, &error));
    CHECK_OK(hrry_stream_next(stream, &descriptor, &error));
    CHECK(descriptor == NULL);
    CHECK_OK(hrry_stream_finish(stream, &file, &error));
    CHECK_EQ(hrry_file_tensor_count(file), 1);
    CHECK(hrry_file_tensor_at(file, 0, &tensor, &error) != HRRY_OK); /* its bytes have passed */
    CHECK(tensor == NULL && error.message[0] != '\0');
    hrry_file_close(file);
    hrry_stream_free(stream);
    close(announced_fd);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    CHECK_EQ(all_of(VECTORS "/generated"), 299);
    CHECK_EQ(all_of(VECTORS "/edges"), 85);
    limits();
    return 0;
}
