/* Status numbers, the error struct and versions. */
#include "craft.h"

static hrry_error error;

static void versions(void) {
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", HRRY_VERSION_MAJOR, HRRY_VERSION_MINOR,
             HRRY_VERSION_PATCH);
    CHECK(strcmp(hrry_version(), expected) == 0);
    CHECK_EQ(hrry_abi_version(), HRRY_ABI_VERSION);
}

static void every_number_has_a_name(void) {
    CHECK(strcmp(hrry_status_name(HRRY_OK), "ok") == 0);
    CHECK(strcmp(hrry_status_name(HRRY_ERROR_NOT_FOUND), "not found") == 0);
    CHECK(strcmp(hrry_status_name(HRRY_ERROR_INTERNAL), "internal error") == 0);
    const hrry_status strangers[] = {-1, 99, 199, 299, 399, 901, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++)
        CHECK(strcmp(hrry_status_name(strangers[k]), "unknown status") == 0);
}

/* A call that succeeds leaves the struct alone, byte for byte; one that fails fills all of it, with
   nothing left from before; and nobody has to pass one. */
static void the_struct(void) {
    unsigned char before[sizeof error];
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "a", 1, 4);
    craft_end(&craft);
    hrry_file *file = craft_open(&craft);
    const hrry_tensor *tensor;
    uint64_t index;
    memset(&error, 0xAA, sizeof error);
    memcpy(before, &error, sizeof error);
    CHECK_OK(hrry_file_tensor_at(file, 0, &tensor, &error));
    CHECK_OK(hrry_file_name_find(file, "a", 1, &index, &error));
    CHECK_BYTES(&error, sizeof error, before, sizeof error);

    CHECK_FAILS(hrry_file_tensor_at(file, 1, &tensor, &error), HRRY_ERROR_INDEX);
    CHECK_EQ(error.os_error, 0);
    CHECK_EQ(error.offset, HRRY_UNKNOWN);
    for (int k = 0; k < 4; k++) CHECK_EQ(error.reserved[k], 0);
    /* Behind the end of the message there are zeros, so that errors can be compared. */
    for (size_t k = strlen(error.message); k < sizeof error.message; k++)
        CHECK_EQ(error.message[k], 0);
    CHECK_EQ(hrry_file_tensor_at(file, 1, &tensor, NULL), HRRY_ERROR_INDEX);
    hrry_file_close(file);
    craft_free(&craft);
}

/* Where it was found: section, numbers, byte and tensor. */
static void places(void) {
    struct craft craft;
    hrry_file *file = NULL;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "a", 1, 4);
    craft_tensor(&craft, "weight", 6, 4);
    craft_end(&craft);
    const hrry_tensor *tensor;
    const size_t second = 4112; /* of the descriptors */
    CHECK_BYTES(craft.file.at + second, 4, "HRRY", 4);
    patch_number(craft.file.at + second + 20 + 8 + 8 + 1, 8, 15); /* of the 16 bytes it needs */
    file = craft_open(&craft);
    CHECK_FAILS(hrry_file_tensor_at(file, 1, &tensor, &error), HRRY_ERROR_TOO_SMALL);
    CHECK_EQ(error.tensor, 1);
    CHECK_EQ(error.offset, second + 37);
    CHECK_SAYS("tensor 1 \"weight\"");
    CHECK_SAYS("buffer 0");
    CHECK_SAYS("need 16 bytes, have 15");
    hrry_file_close(file);

    patch_number(craft.file.at + craft.index_offset, 8, 1000000);
    CHECK_FAILS(hrry_file_open_memory(craft.file.at, craft.file.len, NULL, NULL, NULL, &file,
                                      &error), HRRY_ERROR_TRUNCATED);
    CHECK_SAYS("index");
    CHECK_SAYS("need 35000000 bytes");
    CHECK(error.offset >= craft.index_offset && error.offset < craft.index_offset + 16);
    CHECK_EQ(error.tensor, HRRY_UNKNOWN);
    craft_free(&craft);
}

/* A message is one line of UTF-8 and ends inside the struct, whatever stands in the file. */
static void what_files_put_into_messages(void) {
    static char name[65535];
    const char *const parts[] = {"\xc3\xa9", "\xf0\x9f\x8e\x89", "\n", "\033[2J"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        /* Shifted by a byte each time, so that the cut falls into a character sometime. */
        for (size_t shift = 0; shift < 4; shift++) {
            const size_t part = strlen(parts[k]);
            size_t len = 0;
            while (len < shift) name[len++] = 'x';
            while (len + part <= sizeof name) {
                memcpy(name + len, parts[k], part);
                len += part;
            }
            struct craft craft;
            craft_begin(&craft, 0);
            craft_tensor(&craft, name, len, 0);
            craft.file.at[64 + 14] = 0x47; /* a reserved type */
            craft_end(&craft);
            hrry_file *file = craft_open(&craft);
            const hrry_tensor *tensor;
            CHECK_FAILS(hrry_file_tensor_at(file, 0, &tensor, &error), HRRY_ERROR_RESERVED_TAG);
            size_t at = 0;
            while (error.message[at] != '\0') {
                const unsigned char first = (unsigned char)error.message[at];
                const size_t width = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
                CHECK(first >= 0x20 && first != 0x7F);
                CHECK(first < 0x80 || first >= 0xC2);
                for (size_t n = 1; n < width; n++)
                    CHECK(((unsigned char)error.message[at + n] & 0xC0) == 0x80);
                at += width;
            }
            CHECK(at < sizeof error.message);
            CHECK_SAYS("type_tag 0x47"); /* for all the name's length */
            hrry_file_close(file);
            craft_free(&craft);
        }
    }
}

int main(void) {
    versions();
    every_number_has_a_name();
    the_struct();
    places();
    what_files_put_into_messages();
    return 0;
}
