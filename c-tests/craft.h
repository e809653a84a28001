/* Files made by hand, byte for byte as the format has them and without the library's writer, so
   that a program can read what no writer would write. */
#ifndef CRAFT_H
#define CRAFT_H

#include "check.h"

enum { CRAFT_KV = 1, CRAFT_SORTED = 2 };

/* Bytes that grow, little-endian. */
struct bytes {
    unsigned char *at;
    size_t len, room;
};

static inline void put(struct bytes *to, const void *from, size_t len) {
    if (to->room - to->len < len) {
        to->room = 2 * to->room + len + 256;
        to->at = (unsigned char *)realloc(to->at, to->room);
        CHECK(to->at != NULL);
    }
    if (len != 0) memcpy(to->at + to->len, from, len);
    to->len += len;
}

/* The low `width` bytes of a number. */
static inline void put_number(struct bytes *to, size_t width, uint64_t number) {
    unsigned char bytes[8];
    for (size_t k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> (8 * k));
    put(to, bytes, width);
}

static inline void put_zeros(struct bytes *to, size_t len) {
    while (len-- != 0) put(to, "", 1);
}

static inline void put_aligned(struct bytes *to, size_t alignment) {
    while (to->len % alignment != 0) put(to, "", 1);
}

/* Overwrites a number that was put before. */
static inline void patch_number(unsigned char *at, size_t width, uint64_t number) {
    for (size_t k = 0; k < width; k++) at[k] = (unsigned char)(number >> (8 * k));
}

/* A file in the making: craft_begin, tensors, entries of the key-value section, craft_end. */
struct craft {
    struct bytes file, kv, index;
    uint64_t tensor_count, kv_count;
    size_t kv_offset, index_offset;
    uint32_t flags;
};

/* `flags` are CRAFT_*; without CRAFT_KV there must be no key. Alignment 4096, no checksum. */
static inline void craft_begin(struct craft *craft, uint32_t flags) {
    memset(craft, 0, sizeof *craft);
    craft->flags = flags;
    put(&craft->file, "HRRYFILE\1\0\0\0", 12);
    put_number(&craft->file, 4, flags);
    put_number(&craft->file, 4, 4096);
    put_number(&craft->file, 8, 64);         /* first_descriptor_offset */
    put_number(&craft->file, 8, UINT64_MAX); /* tensor_count_hint */
    put_zeros(&craft->file, 28);
    put_number(&craft->kv, 4, 0);
    put_number(&craft->index, 8, 0);
}

/* A float32 tensor [elements], row-major; its bytes are 0, 1, 2, .. */
static inline void craft_tensor(struct craft *craft, const char *name, size_t name_len,
                                uint64_t elements) {
    struct bytes *file = &craft->file, *index = &craft->index;
    put_aligned(file, 8);
    const size_t descriptor = file->len, descriptor_len = 20 + 8 + 8 + 1 + 16;
    put(file, "HRRY\1\0", 6);
    put_number(file, 4, descriptor_len);
    put_number(file, 4, 0);     /* flags */
    put_number(file, 1, 0x03);  /* float32 */
    put_number(file, 1, 0x01);  /* row-major */
    put_number(file, 4, 1);     /* rank */
    put_number(file, 8, elements);
    put_number(file, 8, 0);     /* byte_offset */
    put_number(file, 1, 1);     /* buffer_count */
    put_number(file, 8, elements * 4);
    put_number(file, 4, 64);    /* alignment */
    put_number(file, 4, 0);     /* device_tag, reserved */
    if (elements != 0) put_aligned(file, 4096);
    const size_t data = file->len;
    for (uint64_t k = 0; k < elements * 4; k++) put_number(file, 1, k);

    put_number(index, 2, name_len);
    put(index, name, name_len);
    put_number(index, 8, descriptor);
    put_number(index, 4, descriptor_len);
    put_number(index, 8, data);
    put_number(index, 8, elements * 4);
    put_number(index, 4, 0);
    craft->tensor_count++;
}

/* Begins an entry: its value, as the format has it for that tag, is put to `craft->kv`. */
static inline void craft_key(struct craft *craft, const char *key, size_t key_len, uint8_t tag) {
    put_number(&craft->kv, 2, key_len);
    put(&craft->kv, key, key_len);
    put_number(&craft->kv, 1, tag);
    craft->kv_count++;
}

/* A string or bytes, as values and elements: a length and what it counts. */
static inline void craft_text(struct craft *craft, const char *text, size_t len) {
    put_number(&craft->kv, 4, len);
    put(&craft->kv, text, len);
}

/* Index and trailer. The file is `craft->file`, which craft_free frees. */
static inline void craft_end(struct craft *craft) {
    struct bytes *file = &craft->file;
    patch_number(craft->kv.at, 4, craft->kv_count);
    patch_number(craft->index.at, 8, craft->tensor_count);
    const bool has_kv = (craft->flags & CRAFT_KV) != 0;
    put_aligned(file, 8);
    craft->kv_offset = file->len;
    if (has_kv) put(file, craft->kv.at, craft->kv.len);
    put_aligned(file, 8);
    craft->index_offset = file->len;
    put(file, craft->index.at, craft->index.len);
    put_number(file, 8, craft->index_offset);
    put_number(file, 8, craft->index.len);
    put_number(file, 8, has_kv ? craft->kv_offset : 0);
    put_number(file, 4, has_kv ? craft->kv.len : 0);
    put_number(file, 4, 0); /* index_crc32c */
    put_zeros(file, 4);
    put(file, "HRRY", 4);
}

static inline void craft_free(struct craft *craft) {
    free(craft->file.at);
    free(craft->kv.at);
    free(craft->index.at);
}

/* Opens the file where it lies. */
static inline hrry_file *craft_open(const struct craft *craft) {
    hrry_error error;
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_memory(craft->file.at, craft->file.len, NULL, NULL, NULL, &file,
                                   &error));
    return file;
}

#endif
