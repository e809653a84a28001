/* Names and places of tensors: by index, by name, in the order of the file, without a look at any
   descriptor. */
#include "craft.h"

static hrry_error error;

static uint64_t find(const hrry_file *file, const char *name, size_t len) {
    uint64_t index = 7;
    CHECK_OK(hrry_file_name_find(file, name, len, &index, &error));
    return index;
}

static void missing(const hrry_file *file, const char *name, size_t len) {
    uint64_t index = 7;
    CHECK_FAILS(hrry_file_name_find(file, name, len, &index, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_EQ(index, HRRY_UNKNOWN);
    CHECK_EQ(hrry_file_name_find(file, name, len, &index, NULL), HRRY_ERROR_NOT_FOUND);
}

static void check_name(const hrry_file *file, uint64_t index, const char *name, size_t len) {
    const char *found = NULL;
    size_t found_len = 0;
    CHECK_OK(hrry_file_name_at(file, index, &found, &found_len, &error));
    CHECK_BYTES(found, found_len, name, len);
    CHECK_EQ(find(file, name, len), index);
}

/* Anything that is UTF-8 is a name: with zero bytes, with spaces, of one byte and of 65 535. */
static void any_text(void) {
    char *longest = check_malloc(65535);
    memset(longest, 'x', 65535);
    longest[0] = '\0';
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "b", 1, 1);
    craft_tensor(&craft, "a", 1, 0);
    craft_tensor(&craft, "a\0", 2, 2);
    craft_tensor(&craft, "\0", 1, 3);
    craft_tensor(&craft, "\xf0\x9f\x8e\x89 layer.0\n", 13, 4);
    craft_tensor(&craft, longest, 65535, 5);
    craft_tensor(&craft, "a ", 2, 6);
    craft_end(&craft);
    hrry_file *file = craft_open(&craft);
    CHECK_EQ(hrry_file_tensor_count(file), 7);
    check_name(file, 0, "b", 1);
    check_name(file, 1, "a", 1);
    check_name(file, 2, "a\0", 2);
    check_name(file, 3, "\0", 1);
    check_name(file, 4, "\xf0\x9f\x8e\x89 layer.0\n", 13);
    check_name(file, 5, longest, 65535);
    check_name(file, 6, "a ", 2);

    missing(file, "A", 1);
    missing(file, "", 0);
    missing(file, NULL, 0);
    missing(file, "aa", 2);
    missing(file, longest, 65534);
    missing(file, "\xff\xfe", 2); /* no text at all */

    const char *name = longest;
    size_t len = 7;
    CHECK_FAILS(hrry_file_name_at(file, 7, &name, &len, &error), HRRY_ERROR_INDEX);
    CHECK(name == NULL && len == 0);
    CHECK_SAYS("7");
    hrry_file_close(file);
    craft_free(&craft);
    free(longest);
}

static void places(void) {
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open(VECTORS "/edges/kv_flag_clear.hrry", NULL, &file, &error));
    hrry_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_file_entry_at(file, 1, &entry, &error));
    CHECK_TEXT(entry.name, entry.name_len, "b");
    CHECK_EQ(entry.descriptor_offset, 8192);
    CHECK_EQ(entry.descriptor_len, 61);
    CHECK_EQ(entry.data_offset, 12288);
    CHECK_EQ(entry.data_len, 64);
    CHECK_FAILS(hrry_file_entry_at(file, 2, &entry, &error), HRRY_ERROR_INDEX);
    hrry_file_close(file);
}

/* An index that is sorted by name says nothing of where tensors lie: reading them all is fastest
   in the order of the file. */
static void file_order(void) {
    struct craft craft;
    craft_begin(&craft, CRAFT_SORTED);
    craft_tensor(&craft, "y", 1, 3);
    craft_tensor(&craft, "x", 1, 3);
    /* Swap the two entries, which have the same size: the index is sorted now. */
    const size_t entry = (craft.index.len - 8) / 2;
    unsigned char *first = craft.index.at + 8, *swap = check_malloc(entry);
    memcpy(swap, first, entry);
    memcpy(first, first + entry, entry);
    memcpy(first + entry, swap, entry);
    free(swap);
    craft_end(&craft);

    hrry_file *file = craft_open(&craft);
    check_name(file, 0, "x", 1);
    check_name(file, 1, "y", 1);
    uint64_t index = 7;
    CHECK_OK(hrry_file_order_at(file, 0, &index, &error));
    CHECK_EQ(index, 1);
    CHECK_OK(hrry_file_order_at(file, 1, &index, &error));
    CHECK_EQ(index, 0);
    CHECK_FAILS(hrry_file_order_at(file, 2, &index, &error), HRRY_ERROR_INDEX);
    hrry_file_close(file);
    craft_free(&craft);
}

/* 20 000 names, every one found. */
static void many(void) {
    struct craft craft;
    char name[32];
    craft_begin(&craft, 0);
    for (unsigned k = 0; k < 20000; k++) {
        const int len = snprintf(name, sizeof name, "model.layers.%u.weight", k);
        craft_tensor(&craft, name, (size_t)len, 0);
    }
    craft_end(&craft);
    hrry_file *file = craft_open(&craft);
    for (unsigned k = 0; k < 20000; k++) {
        const int len = snprintf(name, sizeof name, "model.layers.%u.weight", k);
        CHECK_EQ(find(file, name, (size_t)len), k);
        uint64_t index;
        CHECK_OK(hrry_file_order_at(file, k, &index, &error));
        CHECK_EQ(index, k);
    }
    missing(file, "model.layers.20000.weight", 25);
    hrry_file_close(file);
    craft_free(&craft);
}

/* Names that break a rule open no file. */
static void refused(const char *first, size_t first_len, const char *second, size_t second_len,
                    uint32_t flags, hrry_status status) {
    struct craft craft;
    hrry_file *file = NULL;
    craft_begin(&craft, flags);
    craft_tensor(&craft, first, first_len, 1);
    craft_tensor(&craft, second, second_len, 1);
    craft_end(&craft);
    CHECK_FAILS(hrry_file_open_memory(craft.file.at, craft.file.len, NULL, NULL, NULL, &file,
                                      &error), status);
    CHECK(file == NULL);
    CHECK_SAYS("index entry 1");
    craft_free(&craft);
}

int main(void) {
    any_text();
    places();
    file_order();
    many();
    refused("a", 1, "a", 1, 0, HRRY_ERROR_DUPLICATE);
    refused("b", 1, "a", 1, CRAFT_SORTED, HRRY_ERROR_UNSORTED);
    refused("a", 1, "\xed\xa0\x80", 3, 0, HRRY_ERROR_UTF8); /* a surrogate */
    refused("a", 1, "\xc0\x80", 2, 0, HRRY_ERROR_UTF8);     /* U+0000, overlong */
    refused("aa", 2, "", 0, 0, HRRY_ERROR_VALUE);
    return 0;
}
