/* Tensors: facts, descriptors, data in place and by reads, from every kind of source. */
#define _POSIX_C_SOURCE 200809L
#include "craft.h"

#include <fcntl.h>
#include <unistd.h>

/* Two float32 tensors [4, 4], "a" at 4096 and "b" at 12288, whose bytes are 0, 1, 2, .. */
#define SMALL VECTORS "/edges/kv_flag_clear.hrry"

static hrry_error error;
static unsigned char counting[64];

static const hrry_tensor *find(const hrry_file *file, const char *name) {
    const hrry_tensor *tensor = NULL;
    CHECK_OK(hrry_file_tensor_find(file, name, strlen(name), &tensor, &error));
    return tensor;
}

static void check_b(const hrry_file *file, bool has_data) {
    const hrry_tensor *tensor = find(file, "b"), *again = NULL;
    CHECK_OK(hrry_file_tensor_at(file, 1, &again, &error));
    CHECK(again == tensor); /* kept since it was first asked for */
    CHECK_EQ(hrry_tensor_index(tensor), 1);
    size_t len;
    const char *name = hrry_tensor_name(tensor, &len);
    CHECK_TEXT(name, len, "b");
    CHECK(hrry_tensor_name(tensor, NULL) == name);

    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_tensor_info(tensor, &facts, &error));
    CHECK_TEXT(facts.name, facts.name_len, "b");
    CHECK_EQ(facts.index, 1);
    CHECK_EQ(facts.type, HRRY_TYPE_FLOAT32);
    CHECK_EQ(facts.layout, HRRY_LAYOUT_ROW_MAJOR);
    CHECK_EQ(facts.scheme, HRRY_SCHEME_NONE);
    CHECK_EQ(facts.rank, 2);
    CHECK_EQ(facts.shape[0], 4);
    CHECK_EQ(facts.shape[1], 4);
    CHECK_EQ(facts.element_count, 16);
    CHECK_EQ(facts.element_bits, 32);
    CHECK_EQ(facts.buffer_count, 1);
    CHECK_EQ(facts.size, 64);
    CHECK_EQ(facts.offset, 12288);
    CHECK_EQ(facts.data_len, 64);
    CHECK_EQ(facts.byte_offset, 0);
    CHECK_EQ(facts.device, HRRY_DEVICE_CPU);
    CHECK((facts.data != NULL) == has_data);

    /* The descriptor says the same, in full. */
    const hrry_descriptor *descriptor = hrry_tensor_descriptor(tensor);
    CHECK_EQ(hrry_descriptor_rank(descriptor), 2);
    CHECK(hrry_descriptor_shape(descriptor) == facts.shape);
    const void *bytes = hrry_tensor_descriptor_bytes(tensor, &len);
    CHECK_EQ(len, 61);
    CHECK_BYTES(bytes, 4, "HRRY", 4);
    CHECK(hrry_descriptor_bytes(descriptor, &len) == bytes);

    /* In place. */
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_EQ(hrry_tensor_buffer_count(tensor), 1);
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &buffer, &error));
    CHECK(buffer.data == facts.data);
    CHECK_EQ(buffer.size, 64);
    CHECK_EQ(buffer.offset, 12288);
    CHECK_EQ(buffer.declared_alignment, 64);
    CHECK_EQ(buffer.device, HRRY_DEVICE_CPU);
    if (has_data) {
        CHECK_BYTES(buffer.data, buffer.size, counting, 64);
        CHECK(buffer.alignment != 0);
        CHECK_EQ((uintptr_t)buffer.data % buffer.alignment, 0);
        CHECK((uintptr_t)buffer.data % (2 * buffer.alignment) != 0);
    } else {
        CHECK_EQ(buffer.alignment, 0);
    }
    CHECK_FAILS(hrry_tensor_buffer(tensor, 1, &buffer, &error), HRRY_ERROR_INDEX);

    /* By reads. */
    unsigned char copy[64];
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, copy, 64, &error));
    CHECK_BYTES(copy, 64, counting, 64);
    CHECK_OK(hrry_tensor_read(tensor, 0, 63, copy, 1, &error));
    CHECK_EQ(copy[0], 63);
    CHECK_OK(hrry_tensor_read(tensor, 0, 64, NULL, 0, &error)); /* nothing, at the end */
    CHECK_FAILS(hrry_tensor_read(tensor, 0, 64, copy, 1, &error), HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_tensor_read(tensor, 0, 1, copy, 64, &error), HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_tensor_read(tensor, 0, UINT64_MAX, copy, 2, &error), HRRY_ERROR_RANGE);
    CHECK_FAILS(hrry_tensor_read(tensor, 1, 0, copy, 1, &error), HRRY_ERROR_INDEX);

    /* Advice changes nothing but speed. */
    for (hrry_advice advice = HRRY_ADVICE_NORMAL; advice <= HRRY_ADVICE_DONT_NEED; advice++)
        CHECK_OK(hrry_tensor_advise(tensor, advice, &error));
    if (has_data) CHECK_BYTES(buffer.data, 64, counting, 64);
}

static void from_every_source(void) {
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    for (size_t k = 0; k < 3; k++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = ways[k]};
        hrry_file *file = NULL;
        CHECK_OK(hrry_file_open(SMALL, &options, &file, &error));
        check_b(file, ways[k] != HRRY_OPEN_READS);
        /* What the library holds itself keeps the alignment of the file. */
        hrry_buffer buffer = {.struct_size = sizeof buffer};
        CHECK_OK(hrry_tensor_buffer(find(file, "a"), 0, &buffer, &error));
        if (buffer.data != NULL) CHECK(buffer.alignment >= 4096);
        hrry_file_close(file);
    }

    /* Inside another file, nothing is aligned, and the pointer says so. */
    size_t len;
    unsigned char *bytes = check_slurp(SMALL, &len);
    struct bytes archive = {0};
    put_zeros(&archive, 4099);
    put(&archive, bytes, len);
    check_spill("archive", archive.at, archive.len);
    const int fd = open("archive", O_RDONLY);
    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open_fd(fd, 4099, HRRY_UNKNOWN, NULL, &file, &error));
    close(fd);
    check_b(file, true);
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_OK(hrry_tensor_buffer(find(file, "a"), 0, &buffer, &error));
    hrry_file_close(file);

    CHECK_OK(hrry_file_open_memory(archive.at + 4099, len, NULL, NULL, NULL, &file, &error));
    check_b(file, true);
    CHECK_OK(hrry_tensor_buffer(find(file, "a"), 0, &buffer, &error));
    CHECK(buffer.data == archive.at + 4099 + 4096); /* lent, not copied */
    hrry_file_close(file);
    free(archive.at);
    free(bytes);
}

/* A bad descriptor is an error of its own tensor, each time, and of no other; the message says
   which, and cannot harm a terminal. */
static void one_bad_descriptor(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "good", 4, 16);
    const size_t second = craft.file.len;
    craft_tensor(&craft, "b\033[31m\0d", 8, 16);
    craft_end(&craft);
    craft.file.at[(second + 7) / 8 * 8 + 14] = 0x47; /* a reserved type */
    hrry_file *file = craft_open(&craft);
    const hrry_tensor *tensor = (const hrry_tensor *)file;
    for (int k = 0; k < 2; k++) {
        CHECK_FAILS(hrry_file_tensor_at(file, 1, &tensor, &error), HRRY_ERROR_RESERVED_TAG);
        CHECK(tensor == NULL);
        CHECK_EQ(error.tensor, 1);
        CHECK_EQ(error.offset, (second + 7) / 8 * 8 + 14); /* in the file */
        CHECK_SAYS("b\\u{1b}[31m");
        CHECK_SAYS("type_tag 0x47");
        CHECK_FAILS(hrry_file_tensor_find(file, "b\033[31m\0d", 8, &tensor, &error),
                    HRRY_ERROR_RESERVED_TAG);
    }
    find(file, "good");
    CHECK_FAILS(hrry_file_tensor_at(file, 2, &tensor, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(hrry_file_tensor_find(file, "none", 4, &tensor, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_EQ(hrry_file_tensor_find(file, "none", 4, &tensor, NULL), HRRY_ERROR_NOT_FOUND);
    hrry_file_close(file);

    /* Permissive takes the type that it does not know, and hands out the bytes. */
    const hrry_open_options options = {
        .struct_size = sizeof options, .flags = HRRY_OPEN_PERMISSIVE};
    CHECK_OK(hrry_file_open_memory(craft.file.at, craft.file.len, NULL, NULL, &options, &file,
                                   &error));
    CHECK_OK(hrry_file_tensor_at(file, 1, &tensor, &error));
    CHECK_EQ(hrry_descriptor_type(hrry_tensor_descriptor(tensor)), 0x47);
    unsigned char copy[64];
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, copy, 64, &error));
    CHECK_BYTES(copy, 64, counting, 64);
    hrry_file_close(file);
    craft_free(&craft);
}

/* Of nothing, nothing. */
static void of_null(void) {
    size_t len = 7;
    CHECK(hrry_tensor_name(NULL, &len) == NULL && len == 0);
    CHECK_EQ(hrry_tensor_index(NULL), HRRY_UNKNOWN);
    CHECK(hrry_tensor_descriptor(NULL) == NULL);
    CHECK(hrry_tensor_descriptor_bytes(NULL, &len) == NULL);
    CHECK_EQ(hrry_tensor_buffer_count(NULL), 0);
}

int main(void) {
    for (int k = 0; k < 64; k++) counting[k] = (unsigned char)k;
    from_every_source();
    one_bad_descriptor();
    of_null();
    return 0;
}
