/* One file of 100 000 members, 0.8 GB: written, opened, validated, located in and read. It has no name,
   so that nothing of it is left however this ends. run.sh: plain */
#define _XOPEN_SOURCE 700
#include "composed.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* Member (r, c) holds rows 16 r to 16 r + 15 and columns 64 c to 64 c + 63: with its descriptor more
   than a page. */
enum { ROWS = 250, COLUMNS = 400, HIGH = 16, WIDE = 64, MEMBERS = ROWS * COLUMNS };

static const uint64_t whole[] = {ROWS * HIGH, COLUMNS * WIDE}, shape[] = {HIGH, WIDE};

static hrry_error error;

/* No float32 has more than 24 bits. */
static float value(const uint64_t *index) {
    return (float)((index[0] * 25601 + index[1] * 7) & 0xFFFFFF);
}

static struct composed member(uint64_t k, uint64_t *offset) {
    offset[0] = k / COLUMNS * HIGH;
    offset[1] = k % COLUMNS * WIDE;
    return (struct composed){.rank = 2, .shape = shape, .parent = whole, .offset = offset};
}

static void write_all(int fd) {
    const struct composed head = {
        .rank = 2, .shape = whole, .rule = HRRY_RULE_PARTITION, .member_count = MEMBERS};
    hrry_descriptor **members = check_malloc(MEMBERS * sizeof *members);
    for (uint64_t k = 0; k < MEMBERS; k++) {
        uint64_t offset[2];
        const struct composed of = member(k, offset);
        members[k] = composed_descriptor(&of);
    }
    hrry_descriptor *descriptor = composed_descriptor(&head);
    const hrry_writer_options options = {.struct_size = sizeof options,
                                         .flags = HRRY_WRITE_NO_SYNC};
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create_fd(fd, &options, &writer, &error));
    CHECK_OK(hrry_writer_composite_begin(writer, "w", 1, descriptor,
                                         (const hrry_descriptor *const *)members, MEMBERS,
                                         &error));
    for (uint64_t k = 0; k < MEMBERS; k++) {
        uint64_t offset[2], index[2] = {0};
        float elements[HIGH * WIDE], *at = elements;
        char name[16];
        member(k, offset);
        do *at++ = value(AT(offset[0] + index[0], offset[1] + index[1]));
        while (next_index(2, shape, index));
        const int len = snprintf(name, sizeof name, "w.%u", (unsigned)k);
        const hrry_bytes buffer = {.data = elements, .len = sizeof elements};
        CHECK_OK(hrry_writer_tensor(writer, name, (size_t)len, members[k], &buffer, 1, &error));
    }
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);
    for (uint64_t k = 0; k < MEMBERS; k++) hrry_descriptor_free(members[k]);
    free(members);
}

static double seconds(void) {
    struct timespec now;
    CHECK_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void) {
    struct statvfs space;
    CHECK_EQ(statvfs(".", &space), 0);
    if ((uint64_t)space.f_bavail * space.f_frsize < (uint64_t)2 << 30) {
        skip("a file of 100 000 members", "less than 2 GB are free");
        return 0;
    }
    const int fd = open("members.hrry", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    CHECK_EQ(unlink("members.hrry"), 0);
    double before = seconds();
    write_all(fd);
    printf("written in %.1f s\n", seconds() - before);

    before = seconds();
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_fd(fd, 0, HRRY_UNKNOWN, NULL, &file, &error));
    close(fd);
    hrry_file_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_file_info(file, &facts, &error));
    CHECK_EQ(facts.tensor_count, 1 + MEMBERS);
    CHECK(facts.size > 800000000);
    hrry_composite *composite = open_composite(file, "w");
    CHECK_EQ(hrry_composite_member_count(composite), MEMBERS);
    printf("opened in %.1f s\n", seconds() - before);

    /* Its memory is that of places: two numbers for each dimension, and where to look for them. */
    uint64_t tensor = 0, local[2], head = 7;
    CHECK_OK(hrry_composite_locate(composite, AT(0, 0), &tensor, local, &error));
    CHECK(hrry_composite_memory(composite) <= (size_t)MEMBERS * (2 * (8 + 2 * 16) + 2 * 32));

    before = seconds();
    uint64_t state = 1;
    for (unsigned n = 0; n < 1000000; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t index[2] = {(state >> 33) % whole[0], (state >> 20) % whole[1]};
        CHECK_OK(hrry_composite_locate(composite, index, &tensor, local, &error));
        CHECK_EQ(tensor, 1 + index[0] / HIGH * COLUMNS + index[1] / WIDE);
        CHECK_EQ(local[0], index[0] % HIGH);
        CHECK_EQ(local[1], index[1] % WIDE);
    }
    printf("located 1 000 000 times in %.1f s\n", seconds() - before);
    for (uint64_t k = 1; k <= MEMBERS; k += 997) {
        CHECK_OK(hrry_file_composite_of(file, k, &head, &error));
        CHECK_EQ(head, 0);
    }
    reads_as(composite, 2, AT(1000, 0), AT(2, whole[1]), value);
    reads_as(composite, 2, AT(17, 12345), AT(1500, 3), value);
    hrry_composite_close(composite);

    before = seconds();
    uint64_t problems = 7;
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &problems, &error));
    CHECK_EQ(problems, 0);
    printf("validated in %.1f s\n", seconds() - before);
    hrry_file_close(file);

    /* None of that took the file into memory. */
    struct rusage usage;
    CHECK_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    CHECK((uint64_t)usage.ru_maxrss * 1024 < facts.size / 4);
    return 0;
}
