/* Validation of whole files: what it finds, how problems are handed out, what it can leave out. */
#define _XOPEN_SOURCE 700
#include "craft.h"

#include <dirent.h>

static hrry_error error;

static hrry_file *open_vector(const char *name) {
    char path[512];
    hrry_file *file = NULL;
    snprintf(path, sizeof path, VECTORS "/%s", name);
    CHECK_OK(hrry_file_open(path, NULL, &file, &error));
    return file;
}

static void finds(const char *name, hrry_status status, uint64_t offset, const char *says) {
    hrry_file *file = open_vector(name);
    hrry_error problem = {0};
    uint64_t count = 0;
    CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &count, &error));
    CHECK_EQ(count, 1);
    CHECK_EQ(problem.status, status);
    if (offset != HRRY_UNKNOWN) CHECK_EQ(problem.offset, offset);
    error = problem;
    CHECK_SAYS(says);
    hrry_file_close(file);
}

/* Every valid vector is valid. */
static void nothing_wrong(void) {
    char name[32];
    unsigned files = 0;
    for (unsigned k = 0; k < 70; k += under_valgrind() ? 7 : 1) {
        snprintf(name, sizeof name, "generated/valid_%04u.hrry", k);
        hrry_file *file = open_vector(name);
        hrry_error problem = {0};
        uint64_t count = 7;
        CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &count, &error));
        if (count != 0) check_failed(name, 0, problem.message, "is no problem of this file");
        files++;
        hrry_file_close(file);
    }
    CHECK(files >= 10);
}

/* A file with many problems, which are handed out as many as there is room for at a time. */
static void many_problems(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    for (char name = 'a'; name < 'a' + 10; name++) craft_tensor(&craft, &name, 1, 16);
    craft_end(&craft);
    /* Descriptors stand at 4096 k + 64, with zeros from their ends to their data. */
    for (unsigned k = 0; k < 10; k++) craft.file.at[4096 * k + 64 + 53] = (unsigned char)(k + 1);
    hrry_file *file = craft_open(&craft);

    hrry_error problems[10], part[3];
    uint64_t count = 0;
    memset(problems, 0xAA, sizeof problems);
    CHECK_OK(hrry_file_validate(file, NULL, problems, 10, &count, &error));
    CHECK_EQ(count, 10);
    for (unsigned k = 0; k < 10; k++) {
        CHECK_EQ(problems[k].status, HRRY_ERROR_PADDING);
        CHECK_EQ(problems[k].offset, 4096 * k + 64 + 53);
        CHECK_EQ(problems[k].os_error, 0);
        CHECK(problems[k].message[0] != '\0');
    }

    /* Room for none, for fewer, and then for the rest of them. */
    CHECK_OK(hrry_file_validate(file, NULL, NULL, 0, &count, &error));
    CHECK_EQ(count, 10);
    for (uint64_t first = 0; first < 12; first += 3) {
        const hrry_validate_options options = {.struct_size = sizeof options, .first = first};
        memset(part, 0xAA, sizeof part);
        CHECK_OK(hrry_file_validate(file, &options, part, 3, &count, &error));
        CHECK_EQ(count, 10);
        for (uint64_t k = 0; k < 3 && first + k < 10; k++)
            CHECK_BYTES(&part[k], sizeof part[k], &problems[first + k], sizeof part[k]);
        if (first == 9) CHECK_EQ(((unsigned char *)&part[1])[0], 0xAA); /* not touched */
    }

    /* Only what is asked for. */
    hrry_validate_options options = {.struct_size = sizeof options};
    const struct {
        uint32_t checks;
        uint64_t count;
    } asked[] = {
        {HRRY_CHECK_PADDING, 10},
        {HRRY_CHECK_DESCRIPTORS, 0},
        {HRRY_CHECK_REGIONS, 0},
        {HRRY_CHECK_PADDING | HRRY_CHECK_REGIONS, 10},
    };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        options.checks = asked[k].checks;
        CHECK_OK(hrry_file_validate(file, &options, NULL, 0, &count, &error));
        CHECK_EQ(count, asked[k].count);
    }
    options.checks = 0x80000000;
    CHECK_FAILS(hrry_file_validate(file, &options, NULL, 0, &count, &error), HRRY_ERROR_ARGUMENT);
    CHECK_EQ(count, 0);
    hrry_file_close(file);
    craft_free(&craft);
}

/* Two entries over one tensor: strict refuses, permissive accepts. */
static void overlap(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "one", 3, 16);
    const size_t entry = craft.index.len - 8;
    put(&craft.index, craft.index.at + 8, entry);
    memcpy(craft.index.at + 8 + entry + 2, "two", 3);
    craft.tensor_count++;
    craft_end(&craft);
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
        hrry_file *file = NULL;
        hrry_error problems[4];
        uint64_t count = 7;
        CHECK_OK(hrry_file_open_memory(craft.file.at, craft.file.len, NULL, NULL, &options, &file,
                                       &error));
        CHECK_OK(hrry_file_validate(file, NULL, problems, 4, &count, &error));
        if (flags == 0) {
            CHECK(count >= 1);
            CHECK_EQ(problems[0].status, HRRY_ERROR_OVERLAP);
        } else {
            CHECK_EQ(count, 0);
        }
        hrry_file_close(file);
    }
    craft_free(&craft);
}

/* A bad descriptor is one problem; the other tensors are still looked at. */
static void bad_descriptors(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "a", 1, 16);
    const size_t second = (craft.file.len + 7) / 8 * 8;
    craft_tensor(&craft, "b", 1, 16);
    const size_t third = (craft.file.len + 7) / 8 * 8;
    craft_tensor(&craft, "c", 1, 16);
    craft_end(&craft);
    craft.file.at[second + 14] = 0x47;
    craft.file.at[third] = 'h';
    hrry_file *file = craft_open(&craft);
    hrry_error problems[4];
    uint64_t count = 0;
    CHECK_OK(hrry_file_validate(file, NULL, problems, 4, &count, &error));
    CHECK_EQ(count, 2);
    CHECK_EQ(problems[0].status, HRRY_ERROR_RESERVED_TAG);
    CHECK_EQ(problems[0].tensor, 1);
    CHECK_EQ(problems[0].offset, second + 14);
    CHECK_EQ(problems[1].status, HRRY_ERROR_MAGIC);
    CHECK_EQ(problems[1].tensor, 2);
    hrry_file_close(file);
    craft_free(&craft);
}

int main(void) {
    nothing_wrong();
    finds("edges/padding_before_first.hrry", HRRY_ERROR_PADDING, HRRY_UNKNOWN, "padding");
    finds("edges/padding_after_descriptor.hrry", HRRY_ERROR_PADDING, HRRY_UNKNOWN, "padding");
    finds("edges/padding_after_data.hrry", HRRY_ERROR_PADDING, HRRY_UNKNOWN, "padding");
    finds("edges/padding_before_index.hrry", HRRY_ERROR_PADDING, HRRY_UNKNOWN, "padding");
    finds("edges/gap_of_a_page.hrry", HRRY_ERROR_GAP, HRRY_UNKNOWN, "belong to nothing");
    many_problems();
    overlap();
    bad_descriptors();
    return 0;
}
