/* The key-value section: every type, arrays in constant time, texts in bulk, and what a wrong
   question is answered. */
#include "craft.h"

#include <math.h>

static const hrry_kv *find(const hrry_file *file, const char *key) {
    hrry_error error;
    const hrry_kv *kv = NULL;
    CHECK_OK(hrry_file_kv_find(file, key, strlen(key), &kv, &error));
    return kv;
}

static void single_values(const hrry_file *file) {
    hrry_error error;
    const char *text;
    const void *data;
    size_t len;
    int64_t i64;
    uint64_t u64;
    double f64;
    bool truth;

    CHECK_OK(hrry_kv_string(find(file, "name"), &text, &len, &error));
    CHECK_TEXT(text, len, "r\xc3\xa9sum\xc3\xa9\0!"); /* a zero byte is a character like others */
    CHECK_OK(hrry_kv_string(find(file, "empty"), &text, &len, &error));
    CHECK_EQ(len, 0);
    CHECK_OK(hrry_kv_i64(find(file, "i64"), &i64, &error));
    CHECK_EQ(i64, INT64_MIN);
    CHECK_OK(hrry_kv_u64(find(file, "u64"), &u64, &error));
    CHECK_EQ(u64, UINT64_MAX);
    CHECK_OK(hrry_kv_f64(find(file, "f64"), &f64, &error));
    CHECK(f64 == 0.5);
    CHECK_OK(hrry_kv_bool(find(file, "bool"), &truth, &error));
    CHECK(truth);
    CHECK_OK(hrry_kv_bytes(find(file, "bytes"), &data, &len, &error));
    CHECK_BYTES(data, len, "\xff\0\xfe", 3);

    /* A single value is an array of one. */
    CHECK_EQ(hrry_kv_count(find(file, "u64")), 1);
    CHECK_OK(hrry_kv_u64_at(find(file, "u64"), 0, &u64, &error));
    CHECK_EQ(u64, UINT64_MAX);
    CHECK_FAILS(hrry_kv_u64_at(find(file, "u64"), 1, &u64, &error), HRRY_ERROR_INDEX);
    CHECK_EQ(u64, 0);
}

static void arrays(const hrry_file *file) {
    hrry_error error;
    const char *text;
    const void *data;
    size_t len;
    int64_t i64;
    uint64_t u64;
    double f64;
    bool truth;

    const hrry_kv *kv = find(file, "i64s");
    CHECK_EQ(hrry_kv_type(kv), HRRY_VALUE_ARRAY);
    CHECK_EQ(hrry_kv_element_type(kv), HRRY_VALUE_I64);
    CHECK_EQ(hrry_kv_count(kv), 3);
    for (int64_t k = 0; k < 3; k++) {
        CHECK_OK(hrry_kv_i64_at(kv, (uint64_t)k, &i64, &error));
        CHECK_EQ(i64, k - 1);
    }
    CHECK_FAILS(hrry_kv_i64_at(kv, 3, &i64, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(hrry_kv_i64_at(kv, UINT64_MAX, &i64, &error), HRRY_ERROR_INDEX);
    /* Packed as in the file: little-endian, back to back. */
    CHECK_OK(hrry_kv_data(kv, &data, &len, &error));
    CHECK_BYTES(data, len,
                "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 24);

    CHECK_OK(hrry_kv_u64_at(find(file, "u64s"), 1, &u64, &error));
    CHECK_EQ(u64, 1ull << 63);
    CHECK_OK(hrry_kv_f64_at(find(file, "f64s"), 0, &f64, &error));
    CHECK(f64 == 0 && signbit(f64)); /* bit patterns are never changed */
    CHECK_OK(hrry_kv_f64_at(find(file, "f64s"), 1, &f64, &error));
    CHECK(isnan(f64));
    CHECK_OK(hrry_kv_bool_at(find(file, "bools"), 0, &truth, &error));
    CHECK(!truth);
    CHECK_OK(hrry_kv_bool_at(find(file, "bools"), 1, &truth, &error));
    CHECK(truth);
    CHECK_OK(hrry_kv_bytes_at(find(file, "byteses"), 1, &data, &len, &error));
    CHECK_BYTES(data, len, "\x80", 1);
    CHECK_OK(hrry_kv_bytes_at(find(file, "byteses"), 0, &data, &len, &error));
    CHECK_EQ(len, 0);

    kv = find(file, "tokens");
    CHECK_EQ(hrry_kv_count(kv), 100000);
    char expected[16];
    for (uint64_t k = 0; k < 100000; k += 997) {
        CHECK_OK(hrry_kv_string_at(kv, k, &text, &len, &error));
        const int n = snprintf(expected, sizeof expected, "token %u", (unsigned)k);
        CHECK_BYTES(text, len, expected, (size_t)n);
    }

    kv = find(file, "none");
    CHECK_EQ(hrry_kv_count(kv), 0);
    CHECK_EQ(hrry_kv_element_type(kv), HRRY_VALUE_STRING);
    CHECK_OK(hrry_kv_data(kv, &data, &len, &error));
    CHECK_EQ(len, 0);
    CHECK_FAILS(hrry_kv_string_at(kv, 0, &text, &len, &error), HRRY_ERROR_INDEX);
    CHECK(text == NULL && len == 0);
    CHECK_OK(hrry_kv_strings(kv, 0, 0, NULL, &error));
}

/* A tokenizer's vocabulary: all at once, or in pieces. */
static void texts_in_bulk(const hrry_file *file) {
    hrry_error error;
    const hrry_kv *kv = find(file, "tokens");
    hrry_text *texts = check_malloc(100000 * sizeof *texts);
    char expected[16];
    CHECK_OK(hrry_kv_strings(kv, 0, 100000, texts, &error));
    for (unsigned k = 0; k < 100000; k++) {
        const int n = snprintf(expected, sizeof expected, "token %u", k);
        CHECK_BYTES(texts[k].data, texts[k].len, expected, (size_t)n);
    }
    free(texts);

    hrry_text few[3];
    memset(few, 0, sizeof few);
    CHECK_FAILS(hrry_kv_strings(kv, 99998, 3, few, &error), HRRY_ERROR_RANGE);
    CHECK(few[0].data == NULL); /* nothing was written */
    CHECK_OK(hrry_kv_strings(kv, 99997, 3, few, &error));
    CHECK_TEXT(few[2].data, few[2].len, "token 99999");
    CHECK_OK(hrry_kv_strings(kv, 100000, 0, few, &error));
    CHECK_FAILS(hrry_kv_strings(kv, UINT64_MAX, 1, few, &error), HRRY_ERROR_RANGE);
    CHECK_OK(hrry_kv_strings(find(file, "byteses"), 0, 2, few, &error));
    CHECK_TEXT(few[1].data, few[1].len, "\x80");
    CHECK_FAILS(hrry_kv_strings(find(file, "bools"), 0, 2, few, &error), HRRY_ERROR_TYPE);
}

static void wrong_questions(const hrry_file *file) {
    hrry_error error;
    const hrry_kv *kv = NULL;
    const char *text;
    const void *data;
    size_t len;
    int64_t i64;
    uint64_t u64 = 7;
    double f64;
    bool truth;
    CHECK_FAILS(hrry_kv_u64(find(file, "i64"), &u64, &error), HRRY_ERROR_TYPE);
    CHECK_EQ(u64, 0); /* a failed call leaves nothing behind */
    CHECK_SAYS("i64");
    CHECK_SAYS("u64");
    CHECK_FAILS(hrry_kv_i64(find(file, "i64s"), &i64, &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_kv_f64(find(file, "bool"), &f64, &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_kv_bool(find(file, "u64"), &truth, &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_kv_string(find(file, "bytes"), &text, &len, &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_kv_bytes(find(file, "name"), &data, &len, &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_kv_bytes_at(find(file, "tokens"), 0, &data, &len, &error), HRRY_ERROR_TYPE);

    CHECK_FAILS(hrry_file_kv_find(file, "no such key", 11, &kv, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_SAYS("no key of that name: \"no such key\"");
    CHECK(kv == NULL);
    /* Part of a key is another key, and an empty one is none. */
    CHECK_FAILS(hrry_file_kv_find(file, "name", 3, &kv, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_FAILS(hrry_file_kv_find(file, NULL, 0, &kv, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_FAILS(hrry_file_kv_at(file, hrry_file_kv_count(file), &kv, &error), HRRY_ERROR_INDEX);
    CHECK(hrry_kv_type(NULL) == 0 && hrry_kv_count(NULL) == 0 && hrry_kv_key(NULL, &len) == NULL);
}

/* In the order of the file, each found by its own key. */
static void walk(const hrry_file *file) {
    hrry_error error;
    const uint64_t count = hrry_file_kv_count(file);
    CHECK_EQ(count, 15);
    for (uint64_t k = 0; k < count; k++) {
        const hrry_kv *at = NULL, *found = NULL;
        size_t len = 0;
        CHECK_OK(hrry_file_kv_at(file, k, &at, &error));
        const char *key = hrry_kv_key(at, &len);
        CHECK_OK(hrry_file_kv_find(file, key, len, &found, &error));
        CHECK(found == at);
    }
    const hrry_kv *last = NULL;
    size_t len;
    CHECK_OK(hrry_file_kv_at(file, count - 1, &last, &error));
    CHECK(strncmp(hrry_kv_key(last, &len), "u\0x", 3) == 0);
    CHECK_EQ(len, 3); /* keys may contain zero bytes, too */
}

static void of_every_type(void) {
    struct craft craft;
    craft_begin(&craft, CRAFT_KV);
    craft_key(&craft, "name", 4, HRRY_VALUE_STRING);
    craft_text(&craft, "r\xc3\xa9sum\xc3\xa9\0!", 10);
    craft_key(&craft, "empty", 5, HRRY_VALUE_STRING);
    craft_text(&craft, "", 0);
    craft_key(&craft, "i64", 3, HRRY_VALUE_I64);
    put_number(&craft.kv, 8, 1ull << 63);
    craft_key(&craft, "u64", 3, HRRY_VALUE_U64);
    put_number(&craft.kv, 8, UINT64_MAX);
    craft_key(&craft, "f64", 3, HRRY_VALUE_F64);
    put_number(&craft.kv, 8, 0x3FE0000000000000);
    craft_key(&craft, "bool", 4, HRRY_VALUE_BOOL);
    put_number(&craft.kv, 1, 1);
    craft_key(&craft, "bytes", 5, HRRY_VALUE_BYTES);
    craft_text(&craft, "\xff\0\xfe", 3);

    craft_key(&craft, "i64s", 4, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_I64);
    put_number(&craft.kv, 4, 3);
    for (uint64_t k = 0; k < 3; k++) put_number(&craft.kv, 8, k - 1);
    craft_key(&craft, "u64s", 4, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_U64);
    put_number(&craft.kv, 4, 2);
    put_number(&craft.kv, 8, 0);
    put_number(&craft.kv, 8, 1ull << 63);
    craft_key(&craft, "f64s", 4, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_F64);
    put_number(&craft.kv, 4, 2);
    put_number(&craft.kv, 8, 1ull << 63);
    put_number(&craft.kv, 8, 0x7FF4000000000001);
    craft_key(&craft, "bools", 5, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_BOOL);
    put_number(&craft.kv, 4, 2);
    put(&craft.kv, "\0\1", 2);
    craft_key(&craft, "byteses", 7, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_BYTES);
    put_number(&craft.kv, 4, 2);
    craft_text(&craft, "", 0);
    craft_text(&craft, "\x80", 1);
    craft_key(&craft, "tokens", 6, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_STRING);
    put_number(&craft.kv, 4, 100000);
    for (unsigned k = 0; k < 100000; k++) {
        char text[16];
        const int n = snprintf(text, sizeof text, "token %u", k);
        craft_text(&craft, text, (size_t)n);
    }
    craft_key(&craft, "none", 4, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_STRING);
    put_number(&craft.kv, 4, 0);
    craft_key(&craft, "u\0x", 3, HRRY_VALUE_U64);
    put_number(&craft.kv, 8, 0);
    craft_end(&craft);

    hrry_file *file = craft_open(&craft);
    single_values(file);
    arrays(file);
    texts_in_bulk(file);
    wrong_questions(file);
    walk(file);
    hrry_file_close(file);
    craft_free(&craft);
}

/* A file of another writer. */
static void vector(void) {
    hrry_error error;
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open(VECTORS "/generated/valid_0001.hrry", NULL, &file, &error));
    CHECK_EQ(hrry_file_kv_count(file), 8);
    const char *text;
    size_t len;
    int64_t i64;
    uint64_t u64;
    double f64;
    bool truth;
    CHECK_OK(hrry_kv_bool(find(file, "K 0"), &truth, &error));
    CHECK(truth);
    CHECK_OK(hrry_kv_i64_at(find(file, "k1"), 1, &i64, &error));
    CHECK_EQ(i64, -5712519522401928393);
    CHECK_OK(hrry_kv_u64(find(file, "cl\xc3\xa9.4"), &u64, &error));
    CHECK_EQ(u64, 2178855560611101181);
    CHECK_OK(hrry_kv_f64_at(find(file, "k5"), 2, &f64, &error));
    CHECK(f64 == 1e300);
    CHECK_OK(hrry_kv_string(find(file, "K 7"), &text, &len, &error));
    CHECK_TEXT(text, len, "\xc3\xbcn\xc3\xaf" "code \xe2\x9c\x93");
    hrry_file_close(file);
}

/* A file without a section has no keys; a section may be empty. */
static void nothing_there(void) {
    for (uint32_t flags = 0; flags <= CRAFT_KV; flags++) {
        hrry_error error;
        const hrry_kv *kv;
        struct craft craft;
        craft_begin(&craft, flags);
        craft_end(&craft);
        hrry_file *file = craft_open(&craft);
        CHECK_EQ(hrry_file_kv_count(file), 0);
        CHECK_FAILS(hrry_file_kv_at(file, 0, &kv, &error), HRRY_ERROR_INDEX);
        CHECK_FAILS(hrry_file_kv_find(file, "a", 1, &kv, &error), HRRY_ERROR_NOT_FOUND);
        hrry_file_close(file);
        craft_free(&craft);
    }
}

int main(void) {
    of_every_type();
    vector();
    nothing_there();
    return 0;
}
