/* Opening: from a path, a descriptor, memory and a caller's own reads; mapped, read or in memory;
   and what cannot be opened. */
#define _POSIX_C_SOURCE 200809L
#include "craft.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two float32 tensors [4, 4], "a" and "b", whose bytes are 0, 1, 2, .., and one key. */
#define SMALL VECTORS "/edges/kv_flag_clear.hrry"
enum { SMALL_SIZE = 16518 };

static hrry_error error;

static hrry_file_facts facts_of(const hrry_file *file) {
    hrry_file_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_info(file, &facts, &error));
    return facts;
}

/* Everything that opening tells, held against what the file is known to hold. */
static void check_small(const hrry_file *file, hrry_access access) {
    const hrry_file_facts facts = facts_of(file);
    CHECK_EQ(facts.size, SMALL_SIZE);
    CHECK_EQ(facts.tensor_count, 2);
    CHECK_EQ(facts.kv_count, 1);
    CHECK_EQ(facts.tensor_count_hint, HRRY_UNKNOWN);
    CHECK_EQ(facts.first_descriptor_offset, 64);
    CHECK_EQ(facts.index_offset, 16400);
    CHECK_EQ(facts.index_len, 78);
    CHECK_EQ(facts.kv_offset, 16384);
    CHECK_EQ(facts.kv_len, 9);
    CHECK_EQ(facts.alignment, 4096);
    CHECK_EQ(facts.flags, HRRY_FILE_HAS_CRC); /* this writer forgot HRRY_FILE_HAS_KV */
    CHECK_EQ(facts.version_minor, 0);
    CHECK_EQ(facts.access, access);
    CHECK_EQ(facts.permissive, 0);
    CHECK_EQ(facts.index_crc32c, 3593263551);
    CHECK_EQ(hrry_file_tensor_count(file), 2);
    CHECK_EQ(hrry_file_kv_count(file), 1);
    const char *name;
    size_t len;
    CHECK_OK(hrry_file_name_at(file, 1, &name, &len, &error));
    CHECK_TEXT(name, len, "b");
}

static void by_path(void) {
    const struct {
        uint32_t flags;
        hrry_access access;
    } ways[] = {
        {0, HRRY_ACCESS_MAPPED},
        {HRRY_OPEN_READS, HRRY_ACCESS_READS},
        {HRRY_OPEN_MEMORY, HRRY_ACCESS_MEMORY},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = ways[k].flags};
        hrry_file *file = NULL;
        CHECK_OK(hrry_file_open(SMALL, &options, &file, &error));
        check_small(file, ways[k].access);
        hrry_file_close(file);
    }

    hrry_open_options options = {.struct_size = sizeof options, .flags = HRRY_OPEN_PERMISSIVE};
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open(SMALL, &options, &file, &error));
    CHECK_EQ(facts_of(file).permissive, 1);
    hrry_file_close(file);

    options.flags = HRRY_OPEN_READS | HRRY_OPEN_MEMORY;
    CHECK_FAILS(hrry_file_open(SMALL, &options, &file, &error), HRRY_ERROR_ARGUMENT);
    CHECK(file == NULL);
    options.flags = 0x80000000;
    CHECK_FAILS(hrry_file_open(SMALL, &options, &file, &error), HRRY_ERROR_ARGUMENT);
}

/* Files that are open stay whole when another takes their name, or when the name goes. */
static void the_file_and_not_its_name(void) {
    size_t len;
    unsigned char *bytes = check_slurp(SMALL, &len);
    check_spill("old.hrry", bytes, len);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open("old.hrry", NULL, &file, &error));
    CHECK_EQ(unlink("old.hrry"), 0);
    check_small(file, HRRY_ACCESS_MAPPED);
    hrry_file_close(file);
    free(bytes);
}

/* A file inside another, as in an archive. The caller's descriptor stays as it was. */
static void by_descriptor(void) {
    size_t len;
    unsigned char *bytes = check_slurp(SMALL, &len);
    struct bytes archive = {0};
    put_zeros(&archive, 4099);
    put(&archive, bytes, len);
    put(&archive, "more", 4);
    check_spill("archive", archive.at, archive.len);
    free(archive.at);
    free(bytes);

    const int fd = open("archive", O_RDONLY);
    CHECK(fd >= 0);
    CHECK_EQ(lseek(fd, 77, SEEK_SET), 77);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_fd(fd, 4099, SMALL_SIZE, NULL, &file, &error));
    check_small(file, HRRY_ACCESS_MAPPED);
    CHECK_EQ(lseek(fd, 0, SEEK_CUR), 77);
    hrry_file *other = NULL;
    CHECK_FAILS(hrry_file_open_fd(fd, 4098, SMALL_SIZE, NULL, &other, &error), HRRY_ERROR_MAGIC);
    CHECK_FAILS(hrry_file_open_fd(fd, 4099, SMALL_SIZE - 1, NULL, &other, &error),
                HRRY_ERROR_MAGIC);
    CHECK_FAILS(hrry_file_open_fd(fd, 4099, SMALL_SIZE + 5, NULL, &other, &error),
                HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_file_open_fd(fd, UINT64_MAX, 2, NULL, &other, &error), HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_file_open_fd(fd, UINT64_MAX, HRRY_UNKNOWN, NULL, &other, &error),
                HRRY_ERROR_RANGE);
    /* All that follows: four bytes too many here. */
    CHECK_FAILS(hrry_file_open_fd(fd, 4099, HRRY_UNKNOWN, NULL, &other, &error), HRRY_ERROR_MAGIC);
    close(fd);

    /* The library has a descriptor of its own, which no program that is started inherits. */
    const int own = hrry_file_fd(file);
    CHECK(own >= 0 && own != fd);
    CHECK((fcntl(own, F_GETFD) & FD_CLOEXEC) != 0);
    char magic[8];
    CHECK_EQ(pread(own, magic, 8, 4099), 8); /* offsets count from the base */
    CHECK_BYTES(magic, 8, "HRRYFILE", 8);
    check_small(file, HRRY_ACCESS_MAPPED);
    hrry_file_close(file);

    const int whole = open(SMALL, O_RDONLY);
    const hrry_open_options reads = {.struct_size = sizeof reads, .flags = HRRY_OPEN_READS};
    CHECK_OK(hrry_file_open_fd(whole, 0, HRRY_UNKNOWN, &reads, &file, &error));
    check_small(file, HRRY_ACCESS_READS);
    hrry_file_close(file);
    close(whole);
}

static void by_memory(void) {
    size_t len;
    unsigned char *bytes = check_slurp(SMALL, &len);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_memory(bytes, len, NULL, NULL, NULL, &file, &error));
    check_small(file, HRRY_ACCESS_MEMORY);
    CHECK_EQ(hrry_file_fd(file), -1);
    hrry_file_close(file);
    /* Nothing about memory asks for alignment. */
    unsigned char *odd = check_malloc(len + 1);
    memcpy(odd + 1, bytes, len);
    CHECK_OK(hrry_file_open_memory(odd + 1, len, NULL, NULL, NULL, &file, &error));
    check_small(file, HRRY_ACCESS_MEMORY);
    hrry_file_close(file);
    free(odd);
    free(bytes);
}

/* Each reference keeps the file, and what is borrowed from it, alive. */
static void references(void) {
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open(SMALL, NULL, &file, &error));
    hrry_file *again = hrry_file_retain(file);
    CHECK(again == file);
    const char *name;
    size_t len;
    CHECK_OK(hrry_file_name_at(file, 0, &name, &len, &error));
    hrry_file_close(file);
    CHECK_TEXT(name, len, "a");
    check_small(again, HRRY_ACCESS_MAPPED);
    hrry_file_close(again);
    hrry_file_close(NULL);
    CHECK(hrry_file_retain(NULL) == NULL);
    CHECK_EQ(hrry_file_fd(NULL), -1);
    CHECK_EQ(hrry_file_tensor_count(NULL), 0);
}

static void fails(const char *path, hrry_status status, int os_error) {
    hrry_file *file = (hrry_file *)&error; /* set to NULL by a call that fails */
    CHECK_FAILS(hrry_file_open(path, NULL, &file, &error), status);
    CHECK(file == NULL);
    CHECK_EQ(error.os_error, os_error);
    CHECK_EQ(error.tensor, HRRY_UNKNOWN);
    for (int k = 0; k < 4; k++) CHECK_EQ(error.reserved[k], 0);
    /* Nobody need ask why. */
    CHECK_EQ(hrry_file_open(path, NULL, &file, NULL), status);
}

static void what_cannot_be_opened(void) {
    fails("missing.hrry", HRRY_ERROR_SYSTEM, ENOENT);
    fails("", HRRY_ERROR_SYSTEM, ENOENT);
    fails(".", HRRY_ERROR_NOT_A_FILE, 0);
    fails("/dev/zero", HRRY_ERROR_NOT_A_FILE, 0);
    CHECK_EQ(mkfifo("fifo", 0600), 0);
    fails("fifo", HRRY_ERROR_NOT_A_FILE, 0); /* and does not wait for a writer */
    check_spill("empty.hrry", "", 0);
    fails("empty.hrry", HRRY_ERROR_TRUNCATED, 0);
    check_spill("short.hrry", "HRRYFILE", 8);
    fails("short.hrry", HRRY_ERROR_TRUNCATED, 0);
    check_spill("other.txt", "Once upon a time there was a text that was longer than the header "
                             "and the trailer of a file, taken together.", 110);
    fails("other.txt", HRRY_ERROR_MAGIC, 0);
    fails(VECTORS "/edges/container_minor_1_reserved.hrry", HRRY_ERROR_RESERVED, 0);
    CHECK_SAYS("header");
    CHECK(error.offset != HRRY_UNKNOWN);

    hrry_file *file;
    CHECK_FAILS(hrry_file_open_fd(-1, 0, HRRY_UNKNOWN, NULL, &file, &error), HRRY_ERROR_ARGUMENT);
    CHECK_FAILS(hrry_file_open_fd(9999, 0, HRRY_UNKNOWN, NULL, &file, &error), HRRY_ERROR_SYSTEM);
    CHECK_EQ(error.os_error, EBADF);
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    CHECK_FAILS(hrry_file_open_fd(ends[0], 0, HRRY_UNKNOWN, NULL, &file, &error),
                HRRY_ERROR_NOT_A_FILE);
    close(ends[0]);
    close(ends[1]);
    const int write_only = open("empty.hrry", O_WRONLY);
    CHECK(hrry_file_open_fd(write_only, 0, HRRY_UNKNOWN, NULL, &file, &error) != HRRY_OK);
    close(write_only);
}

/* Files without a tensor are files. */
static void nothing_inside(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    craft_end(&craft);
    hrry_file *file = craft_open(&craft);
    CHECK_EQ(hrry_file_tensor_count(file), 0);
    CHECK_EQ(facts_of(file).size, 64 + 8 + 40);
    CHECK_EQ(facts_of(file).kv_offset, 0);
    hrry_file_close(file);
    craft_free(&craft);
}

int main(void) {
    by_path();
    the_file_and_not_its_name();
    by_descriptor();
    by_memory();
    references();
    what_cannot_be_opened();
    nothing_inside();
    return 0;
}
