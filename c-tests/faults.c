/* A system that fails: the n-th call of each system function says EIO, for every n until the work
   gets by without it. The answer is HRRY_ERROR_SYSTEM with that number, or success where another way
   was found; no descriptor and no file is left, and a file that was to be replaced is whole. Calls
   that transfer less than asked, or are interrupted, change nothing. */
#define _GNU_SOURCE
#include "check.h"
#include "walk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- System functions, in front of libc's ------------------------------------------------------- */

enum call {
    NONE, OPEN, READ, PREAD, WRITE, FSYNC, RENAME, LINKAT, MMAP, STAT, FSTAT, FCNTL, CLOSE, CHMOD,
    REALPATH, ADVISE, CALLS
};

static const char *const names[CALLS] = {
    "none", "open", "read", "pread", "write", "fsync", "rename", "linkat", "mmap", "stat", "fstat",
    "fcntl", "close", "fchmod", "realpath", "advise"};

static struct {
    enum call call;     /* which of them fails; NONE: none */
    unsigned count, at; /* how often it was called, and which time it fails */
    bool no_unnamed;    /* there are no files without a name */
    bool seen[CALLS];
    bool slow;          /* every other transfer is interrupted, the others are short */
    unsigned transfers;
} fault;

static bool fails(enum call call) {
    fault.seen[call] = true;
    if (fault.call != call || ++fault.count != fault.at) return false;
    errno = EIO;
    return true;
}

static void next(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    memcpy(function, &found, sizeof found);
}

/* Defines a function of libc anew, which fails with `failure` when it is its turn. */
#define FAULTY(call, failure, result, name, parameters, arguments)    \
    result name parameters {                                          \
        static result(*real) parameters;                              \
        if (real == NULL) next(#name, &real);                         \
        return fails(call) ? (result)(failure) : real arguments;      \
    }

FAULTY(RENAME, -1, int, rename, (const char *from, const char *to), (from, to))
FAULTY(LINKAT, -1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
       (a, from, b, to, flags))
FAULTY(MMAP, MAP_FAILED, void *, mmap,
       (void *at, size_t len, int prot, int flags, int fd, off_t offset),
       (at, len, prot, flags, fd, offset))
FAULTY(MMAP, MAP_FAILED, void *, mmap64,
       (void *at, size_t len, int prot, int flags, int fd, off64_t offset),
       (at, len, prot, flags, fd, offset))
FAULTY(STAT, -1, int, stat64, (const char *path, struct stat64 *to), (path, to))
FAULTY(STAT, -1, int, lstat64, (const char *path, struct stat64 *to), (path, to))
FAULTY(FSTAT, -1, int, fstat64, (int fd, struct stat64 *to), (fd, to))
FAULTY(CHMOD, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
FAULTY(REALPATH, NULL, char *, realpath, (const char *path, char *resolved), (path, resolved))
FAULTY(ADVISE, -1, int, madvise, (void *at, size_t len, int advice), (at, len, advice))

/* Not for stat and fstat, which come here first: there is no such call on this system. */
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *to) {
    (void)folder;
    (void)path;
    (void)flags;
    (void)mask;
    (void)to;
    errno = ENOSYS;
    return -1;
}

/* Waits for no disk. */
int fsync(int fd) {
    (void)fd;
    return fails(FSYNC) ? -1 : 0;
}

int posix_fadvise(int fd, off_t offset, off_t len, int advice) {
    static int (*real)(int, off_t, off_t, int);
    if (real == NULL) next("posix_fadvise", &real);
    return fails(ADVISE) ? EIO : real(fd, offset, len, advice);
}

int close(int fd) {
    static int (*real)(int);
    if (real == NULL) next("close", &real);
    const bool failed = fails(CLOSE);
    const int code = real(fd); /* a close that fails has closed */
    if (failed) errno = EIO;
    return failed ? -1 : code;
}

int open64(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    if (real == NULL) next("open64", &real);
    va_list rest;
    va_start(rest, flags);
    const mode_t mode =
        (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (fault.no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

int fcntl(int fd, int command, ...) {
    static int (*real)(int, int, ...);
    if (real == NULL) next("fcntl", &real);
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    return fails(FCNTL) ? -1 : real(fd, command, argument);
}

/* Whether a transfer is interrupted; else how much of `len` goes through. */
static bool interrupted(size_t *len) {
    if (!fault.slow) return false;
    if (fault.transfers++ % 2 == 0) {
        errno = EINTR;
        return true;
    }
    if (*len > 1) *len = *len > 1000 ? 1000 : *len / 2;
    return false;
}

ssize_t read(int fd, void *dst, size_t len) {
    static ssize_t (*real)(int, void *, size_t);
    if (real == NULL) next("read", &real);
    return fails(READ) || interrupted(&len) ? -1 : real(fd, dst, len);
}

ssize_t write(int fd, const void *data, size_t len) {
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL) next("write", &real);
    return fails(WRITE) || interrupted(&len) ? -1 : real(fd, data, len);
}

ssize_t pread64(int fd, void *dst, size_t len, off64_t offset) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (real == NULL) next("pread64", &real);
    return fails(PREAD) || interrupted(&len) ? -1 : real(fd, dst, len, offset);
}

ssize_t pread(int fd, void *dst, size_t len, off_t offset) { return pread64(fd, dst, len, offset); }

/* ---- The work ------------------------------------------------------------------------------------- */

enum { SIZE = 50000 };

static hrry_error error;
static unsigned char data[SIZE];

static hrry_status fill_in(hrry_writer *writer) {
    const uint64_t shape[] = {SIZE};
    hrry_status status = hrry_writer_kv_u64(writer, "k", 1, 1, &error);
    for (char name = 'a'; name < 'd' && status == HRRY_OK; name++)
        status = hrry_writer_dense(writer, &name, 1, HRRY_TYPE_UINT8, 1, shape, data, SIZE, &error);
    if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
    return status;
}

static hrry_status write_to_path(void) {
    hrry_writer *writer = NULL;
    hrry_status status = hrry_writer_create("target.hrry", NULL, &writer, &error);
    if (status == HRRY_OK) status = fill_in(writer);
    hrry_writer_free(writer);
    return status;
}

static hrry_status write_to_descriptor(void) {
    const int fd = open("other.hrry", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    hrry_writer *writer = NULL;
    hrry_status status = hrry_writer_create_fd(fd, NULL, &writer, &error);
    if (status == HRRY_OK) status = fill_in(writer);
    hrry_writer_free(writer);
    /* Ours is not theirs to fail with. */
    const enum call call = fault.call;
    fault.call = NONE;
    close(fd);
    fault.call = call;
    return status;
}

/* Opens, reads every byte, advises, loads and checks. */
static hrry_status use_file(const char *path, uint32_t flags) {
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    static unsigned char copy[SIZE];
    hrry_status status = hrry_file_open(path, &options, &file, &error);
    if (status == HRRY_OK) status = hrry_file_tensor_find(file, "b", 1, &tensor, &error);
    if (status == HRRY_OK) status = hrry_tensor_advise(tensor, HRRY_ADVICE_WILL_NEED, &error);
    if (status == HRRY_OK) status = hrry_tensor_read(tensor, 0, 0, copy, SIZE, &error);
    if (status == HRRY_OK) CHECK(memcmp(copy, data, SIZE) == 0);
    const hrry_load request = {.tensor = 2, .dst = copy, .len = SIZE};
    memset(copy, 0, SIZE);
    if (status == HRRY_OK) status = hrry_file_load(file, &request, 1, NULL, &error);
    if (status == HRRY_OK) CHECK(memcmp(copy, data, SIZE) == 0);
    uint64_t problems = 0;
    if (status == HRRY_OK) status = hrry_file_validate(file, NULL, NULL, 0, &problems, &error);
    CHECK_EQ(problems, 0);
    hrry_file_close(file);
    return status;
}

static hrry_status use_mapped(void) { return use_file("file.hrry", 0); }
static hrry_status use_reads(void) { return use_file("file.hrry", HRRY_OPEN_READS); }
static hrry_status use_memory(void) { return use_file("file.hrry", HRRY_OPEN_MEMORY); }

static hrry_status stream(void) {
    const int fd = open("file.hrry", O_RDONLY);
    hrry_stream *new_stream = NULL;
    hrry_file *file = NULL;
    hrry_status status = hrry_stream_open_fd(fd, NULL, &new_stream, &error);
    if (status == HRRY_OK) status = hrry_stream_finish(new_stream, &file, &error);
    hrry_stream_free(new_stream);
    hrry_file_close(file);
    const enum call call = fault.call;
    fault.call = NONE;
    close(fd);
    fault.call = call;
    return status;
}

/* ---- What must hold ---------------------------------------------------------------------------------- */

static unsigned entries_of(const char *path) {
    unsigned count = 0;
    DIR *folder = opendir(path);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

/* "the old file", or the new one, and nothing in between. */
static bool target_is_new(void) {
    size_t len;
    unsigned char *target = check_slurp("target.hrry", &len);
    const bool is_new = len > 3 * SIZE;
    if (!is_new) CHECK_TEXT(target, len, "the old file");
    free(target);
    if (is_new) CHECK_OK(use_file("target.hrry", 0));
    return is_new;
}

static void fails_at_each(const char *work_name, hrry_status (*work)(void)) {
    for (int call = NONE + 1; call < CALLS; call++) {
        for (unsigned n = 1;; n++) {
            unlink("target.hrry");
            check_spill("target.hrry", "the old file", 12);
            chmod("target.hrry", 0666); /* what a new file does not get by itself */
            const unsigned files = entries_of("."), descriptors = entries_of("/proc/self/fd");
            memset(&error, 0, sizeof error);
            fault.count = 0;
            fault.at = n;
            fault.call = (enum call)call;
            const hrry_status status = work();
            fault.call = NONE;
            const bool was_called = fault.count >= n;
            /* Memory is mapped, too. */
            const bool good =
                status == HRRY_OK || (call == MMAP && status == HRRY_ERROR_MEMORY) ||
                (was_called && status == HRRY_ERROR_SYSTEM && error.os_error == EIO &&
                 strstr(error.message, "failed") != NULL);
            if (!good) {
                fprintf(stderr, "%s, %s %u fails: %d (%s) %s\n", work_name, names[call], n,
                        (int)status, hrry_status_name(status), error.message);
                exit(1);
            }
            if (entries_of("/proc/self/fd") != descriptors)
                check_failed(work_name, (int)n, names[call], "leaves a descriptor open");
            if (work == write_to_path) {
                if (entries_of(".") != files)
                    check_failed(work_name, (int)n, names[call], "leaves a file behind");
                const bool is_new = target_is_new();
                if (status == HRRY_OK) CHECK(is_new);
                /* Only the folder may be all that did not last. */
                if (status != HRRY_OK && is_new) CHECK_EQ(call, FSYNC);
            }
            if (!was_called) break;
        }
    }
}

int main(void) {
    for (size_t k = 0; k < SIZE; k++) data[k] = (unsigned char)(k * 7 + k / 255);
    CHECK_OK(write_to_path());
    CHECK_EQ(rename("target.hrry", "file.hrry"), 0);
    fclose(fopen("other.hrry", "w"));

    for (int slow = 0; slow < 2; slow++) {
        fault.slow = slow != 0;
        fails_at_each("mapped", use_mapped);
        fails_at_each("reads", use_reads);
        fails_at_each("memory", use_memory);
        fails_at_each("stream", stream);
        fails_at_each("write to descriptor", write_to_descriptor);
        fails_at_each("write to path", write_to_path);
        fault.no_unnamed = true;
        fails_at_each("write to path, no unnamed files", write_to_path);
        fault.no_unnamed = false;
        if (under_valgrind()) break;
    }
    for (int call = NONE + 1; call < CALLS; call++)
        if (!fault.seen[call]) check_failed(__FILE__, __LINE__, names[call], "was never called");
    return 0;
}
