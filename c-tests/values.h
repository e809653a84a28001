/* Tensors for programs that ask for values: a descriptor and its buffers, where the program put them
   and in a file, so that everything can be asked of both. */
#ifndef VALUES_H
#define VALUES_H

#include "composed.h"

/* What is asked: a tensor of a file, or a descriptor and buffers of the program's own. */
struct subject {
    const hrry_tensor *tensor; /* NULL for one's own buffers */
    const hrry_descriptor *descriptor;
    const hrry_memory *buffers;
    uint32_t count;
};

/* `call(what..)` of hrry_tensor_* or hrry_values_*, whichever the subject needs. */
#define ASK(subject, what, ...)                                                                 \
    ((subject)->tensor != NULL                                                                  \
         ? hrry_tensor_##what((subject)->tensor, __VA_ARGS__)                                   \
         : hrry_values_##what((subject)->descriptor, (subject)->buffers, (subject)->count, __VA_ARGS__))

/* A test, to be run on every kind of subject. */
typedef void subject_test(const struct subject *subject, const void *context);

/* Runs it over buffers in memory, a mapped file, one that is only read, and one read into memory. */
static inline void each_subject(const hrry_descriptor *descriptor, const hrry_memory *buffers,
                                uint32_t count, subject_test *test, const void *context) {
    hrry_error error;
    const struct subject own = {NULL, descriptor, buffers, count};
    test(&own, context);

    hrry_bytes bytes[16];
    CHECK(count <= 16);
    for (uint32_t k = 0; k < count; k++)
        bytes[k] = (hrry_bytes){.data = buffers[k].data, .len = buffers[k].size};
    hrry_writer *writer = NULL;
    const hrry_writer_options unsynced = {.struct_size = sizeof unsynced,
                                          .flags = HRRY_WRITE_NO_SYNC};
    CHECK_OK(hrry_writer_create("subject.hrry", &unsynced, &writer, &error));
    CHECK_OK(hrry_writer_tensor(writer, "subject", 7, descriptor, bytes, count, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    for (int k = 0; k < 3; k++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = ways[k]};
        hrry_file *file = NULL;
        struct subject in_file = own;
        CHECK_OK(hrry_file_open("subject.hrry", &options, &file, &error));
        CHECK_OK(hrry_file_tensor_at(file, 0, &in_file.tensor, &error));
        test(&in_file, context);
        hrry_file_close(file);
    }
}

/* A descriptor of what a builder was told; the builder is freed. */
static inline hrry_descriptor *built(hrry_builder *builder) {
    hrry_error error;
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    return descriptor;
}

static inline hrry_builder *build(hrry_type type, uint32_t rank, const uint64_t *shape) {
    hrry_error error;
    hrry_builder *builder = NULL;
    CHECK_OK(hrry_builder_new(type, rank, shape, &builder, &error));
    return builder;
}

/* Bytes of a buffer, as the descriptor has it. */
static inline uint64_t buffer_size(const hrry_descriptor *descriptor, uint32_t buffer) {
    hrry_error error;
    hrry_buffer_entry entry = {.struct_size = sizeof entry};
    CHECK_OK(hrry_descriptor_buffer_at(descriptor, buffer, &entry, &error));
    return entry.byte_size;
}

/* Puts a code of 1 to 64 bits where the format has element `e` (types.md, Packing). */
static inline void put_code(unsigned char *from, uint32_t bits, uint64_t e, uint64_t code) {
    uint64_t bit = e * bits; /* also right for 6 bits: a group of four has 24 */
    for (uint32_t k = 0; k < bits; k++, bit++) {
        const unsigned char mask = (unsigned char)(1u << (bit % 8));
        if ((code >> k & 1) != 0) from[bit / 8] |= mask;
        else from[bit / 8] &= (unsigned char)~mask;
    }
}

/* Bytes of so many packed elements. */
static inline size_t packed_size(uint32_t bits, uint64_t count) {
    return (size_t)(bits == 6 ? (count + 3) / 4 * 3 : (count * bits + 7) / 8);
}

static inline uint64_t elements_of(uint32_t rank, const uint64_t *extent) {
    uint64_t count = 1;
    for (uint32_t k = 0; k < rank; k++) count *= extent[k];
    return count;
}

#endif
