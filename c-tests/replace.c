/* Writing to a path: what it holds before, during and after, where it leads, and what is no path to a
   file. */
#define _XOPEN_SOURCE 700
#include "made.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static hrry_error error;

static hrry_writer *create(const char *path) {
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create(path, NULL, &writer, &error));
    return writer;
}

static void finish(hrry_writer *writer) {
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static hrry_file *open_file(const char *path) {
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open(path, NULL, &file, &error));
    return file;
}

/* A file with one tensor "x", uint8 [1], whose byte is `value`. */
static void write_small(const char *path, uint8_t value) {
    hrry_writer *writer = create(path);
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 1, MADE_LENT(uint64_t, 1), &value,
                               1, &error));
    finish(writer);
}

static uint8_t value_of(const char *path) {
    hrry_file *file = open_file(path);
    const hrry_tensor *tensor = NULL;
    uint8_t value = 0;
    CHECK_OK(hrry_file_tensor_find(file, "x", 1, &tensor, &error));
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, &value, 1, &error));
    hrry_file_close(file);
    return value;
}

/* Names in the folder that the program runs in. */
static unsigned files_here(void) {
    unsigned count = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2) count++;
    closedir(folder);
    return count;
}

/* A path holds the old file until the new one is whole. */
static void replacing(void) {
    write_small("replaced.hrry", 1);
    CHECK_EQ(chmod("replaced.hrry", 0640), 0);
    CHECK_EQ(symlink("replaced.hrry", "link.hrry"), 0);
    const unsigned before = files_here();

    hrry_file *reader = open_file("replaced.hrry"); /* who has it open keeps it */
    const hrry_tensor *tensor;
    CHECK_OK(hrry_file_tensor_find(reader, "x", 1, &tensor, &error));
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &buffer, &error));

    hrry_writer *writer = create("link.hrry"); /* links are followed */
    const uint8_t value = 2;
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 0, NULL, &value, 1, &error));
    CHECK_EQ(value_of("replaced.hrry"), 1);
    CHECK_OK(hrry_writer_finish(writer, &error));
    CHECK_EQ(value_of("replaced.hrry"), 2);
    hrry_writer_free(writer);
    CHECK_EQ(*(const uint8_t *)buffer.data, 1);
    hrry_file_close(reader);

    struct stat stat_;
    CHECK_EQ(lstat("link.hrry", &stat_), 0);
    CHECK(S_ISLNK(stat_.st_mode));
    CHECK_EQ(stat("replaced.hrry", &stat_), 0);
    CHECK_EQ(stat_.st_mode & 0777, 0640); /* an existing file's mode is kept */
    CHECK_EQ(files_here(), before);

    /* Given up at any point, it leaves nothing. */
    writer = create("replaced.hrry");
    hrry_writer_free(writer);
    writer = create("replaced.hrry");
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 0, NULL, &value, 1, &error));
    hrry_descriptor *descriptor = made(MADE_ROW_MAJOR);
    CHECK_OK(hrry_writer_begin(writer, "y", 1, descriptor, &error));
    hrry_descriptor_free(descriptor);
    hrry_writer_free(writer);
    writer = create("fresh.hrry");
    hrry_writer_free(writer);
    CHECK(access("fresh.hrry", F_OK) != 0);
    CHECK_EQ(value_of("replaced.hrry"), 2);
    CHECK_EQ(files_here(), before);

    /* A new file gets the mode that the process gives files. */
    const mode_t mask = umask(027);
    write_small("fresh.hrry", 7);
    umask(mask);
    CHECK_EQ(stat("fresh.hrry", &stat_), 0);
    CHECK_EQ(stat_.st_mode & 0777, 0640);
}

/* A process that dies while it writes leaves nothing, or one file whose name says what it is. */
static void killed(void) {
    if (under_valgrind()) return; /* which would report on the child */
    write_small("victim.hrry", 1);
    const unsigned before = files_here();
    const pid_t child = fork();
    if (child == 0) {
        hrry_writer *writer = create("victim.hrry");
        CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 0, NULL, "2", 1, &error));
        kill(getpid(), SIGKILL);
    }
    int how;
    CHECK_EQ(waitpid(child, &how, 0), child);
    CHECK(WIFSIGNALED(how));
    CHECK_EQ(value_of("victim.hrry"), 1);
    CHECK(files_here() <= before + 1);
}

/* Paths are what the system takes: any bytes, relative to where the process was at the start. */
static void paths(void) {
    write_small("\xff\xfe name.hrry", 3);
    CHECK_EQ(value_of("\xff\xfe name.hrry"), 3);

    CHECK_EQ(mkdir("elsewhere", 0700), 0);
    hrry_writer *writer = create("stays.hrry");
    CHECK_OK(hrry_writer_dense(writer, "x", 1, HRRY_TYPE_UINT8, 0, NULL, "\4", 1, &error));
    CHECK_EQ(chdir("elsewhere"), 0);
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    CHECK_EQ(chdir(".."), 0);
    CHECK_EQ(value_of("stays.hrry"), 4);

    CHECK_EQ(symlink("made.hrry", "dangling.hrry"), 0); /* a link to what is to come */
    write_small("dangling.hrry", 5);
    CHECK_EQ(value_of("made.hrry"), 5);
    CHECK_EQ(symlink("loop.hrry", "loop.hrry"), 0);
    CHECK_FAILS(hrry_writer_create("loop.hrry", NULL, &writer, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, ELOOP);
    char *long_path = check_malloc(5001);
    memset(long_path, 'p', 5000);
    long_path[5000] = '\0';
    CHECK_FAILS(hrry_writer_create(long_path, NULL, &writer, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, ENAMETOOLONG);
    hrry_file *file = NULL;
    CHECK_FAILS(hrry_file_open(long_path, NULL, &file, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, ENAMETOOLONG);
    free(long_path);

    /* Two for one path: the last to finish has it, whole. */
    hrry_writer *first = create("raced.hrry"), *second = create("raced.hrry");
    CHECK_OK(hrry_writer_dense(first, "x", 1, HRRY_TYPE_UINT8, 0, NULL, "\1", 1, &error));
    CHECK_OK(hrry_writer_dense(second, "x", 1, HRRY_TYPE_UINT8, 0, NULL, "\2", 1, &error));
    finish(second);
    CHECK_EQ(value_of("raced.hrry"), 2);
    finish(first);
    CHECK_EQ(value_of("raced.hrry"), 1);
}

static void what_is_no_target(void) {
    hrry_writer *writer;
    CHECK_EQ(mkdir("folder.hrry", 0700), 0);
    CHECK_FAILS(hrry_writer_create("folder.hrry", NULL, &writer, &error), HRRY_ERROR_NOT_A_FILE);
    CHECK_EQ(mkfifo("fifo.hrry", 0600), 0);
    CHECK_FAILS(hrry_writer_create("fifo.hrry", NULL, &writer, &error), HRRY_ERROR_NOT_A_FILE);
    CHECK_FAILS(hrry_writer_create("/dev/null", NULL, &writer, &error), HRRY_ERROR_NOT_A_FILE);
    CHECK_FAILS(hrry_writer_create("missing/x.hrry", NULL, &writer, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, ENOENT);
    CHECK_FAILS(hrry_writer_create("", NULL, &writer, &error), HRRY_ERROR_SYSTEM);
    CHECK(writer == NULL);
}

int main(void) {
    replacing();
    killed();
    paths();
    what_is_no_target();
    return 0;
}
