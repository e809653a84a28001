/* Composites for programs that read them: each tensor is described in a line, its elements are float32
   and a function of where they stand in the whole, and the file is written to memory. */
#ifndef COMPOSED_H
#define COMPOSED_H

#include "craft.h"

/* A list of numbers, one a dimension. */
#define AT(...) ((const uint64_t[]){__VA_ARGS__})

enum composed_role { NO_ROLE, BASE, CORRECTION };

/* One tensor: a head if it has a rule. */
struct composed {
    uint32_t rank;
    const uint64_t *shape;
    const uint64_t *parent, *offset; /* its box in the head; NULL without */
    enum composed_role role;
    hrry_rule rule;
    hrry_combine combine;
    uint32_t member_count;
    bool column_major;
};

/* Its descriptor, yours to free. */
static inline hrry_descriptor *composed_descriptor(const struct composed *of) {
    hrry_error error;
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, of->rank, of->shape, &builder, &error));
    if (of->parent != NULL) CHECK_OK(hrry_builder_shard(builder, of->parent, of->offset, &error));
    if (of->role != NO_ROLE)
        CHECK_OK(hrry_builder_member_role(
            builder, of->role == BASE ? HRRY_MEMBER_BASE : HRRY_MEMBER_CORRECTION, &error));
    if (of->column_major) CHECK_OK(hrry_builder_column_major(builder, &error));
    if (of->rule != 0) {
        const hrry_composite_head head = {.struct_size = sizeof head, .rule = of->rule,
                                          .combine = of->combine,
                                          .member_count = of->member_count};
        CHECK_OK(hrry_builder_composite(builder, &head, &error));
    }
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    return descriptor;
}

/* The next index of a shape in row-major order; false after the last. */
static inline bool next_index(uint32_t rank, const uint64_t *shape, uint64_t *index) {
    for (uint32_t k = rank; k-- > 0; index[k] = 0)
        if (++index[k] < shape[k]) return true;
    return false;
}

/* A file in the making. */
struct composed_file {
    struct bytes bytes;
    hrry_writer *writer;
};

static inline int composed_take(void *context, const void *data, size_t data_len) {
    put((struct bytes *)context, data, data_len);
    return 0;
}

/* A file without a tensor yet; `flags` are HRRY_WRITE_*. */
static inline void composed_begin_with(struct composed_file *file, uint32_t flags) {
    hrry_error error;
    const hrry_writer_options options = {.struct_size = sizeof options, .flags = flags};
    memset(file, 0, sizeof *file);
    const hrry_sink sink = {
        .struct_size = sizeof sink, .context = &file->bytes, .write = composed_take};
    CHECK_OK(hrry_writer_create_sink(&sink, &options, &file->writer, &error));
}
static inline void composed_begin(struct composed_file *file) { composed_begin_with(file, 0); }

/* What stands at an index of the whole. */
typedef float value_at(const uint64_t *index);

/* Writes the next tensor: without buffers if it is a head, else with value(offset + index) at every
   index. */
static inline void composed_add(struct composed_file *file, const char *name, struct composed of,
                                value_at *value) {
    hrry_error error;
    hrry_descriptor *descriptor = composed_descriptor(&of);
    uint64_t count = 1, index[8] = {0}, whole[8] = {0};
    CHECK(of.rank <= 8);
    for (uint32_t k = 0; k < of.rank; k++) count *= of.shape[k];
    float *elements = of.rule != 0 ? NULL : (float *)check_malloc(count * sizeof *elements);
    if (elements != NULL && count != 0) {
        do {
            uint64_t place = 0;
            for (uint32_t n = 0; n < of.rank; n++) {
                const uint32_t k = of.column_major ? of.rank - 1 - n : n;
                place = place * of.shape[k] + index[k];
                whole[k] = index[k] + (of.offset != NULL ? of.offset[k] : 0);
            }
            elements[place] = value(whole);
        } while (next_index(of.rank, of.shape, index));
    }
    const hrry_bytes buffer = {.data = elements, .len = count * sizeof *elements};
    /* As bytes: some programs want what announcing would find out, a member of a composite that is
       torn. */
    size_t len;
    const void *bytes = hrry_descriptor_bytes(descriptor, &len);
    CHECK_OK(hrry_writer_tensor_raw(file->writer, name, strlen(name), bytes, len, &buffer,
                                    elements != NULL, &error));
    free(elements);
    hrry_descriptor_free(descriptor);
}

/* Ends the file and opens it where it lies; `flags` are HRRY_OPEN_*. */
static inline hrry_file *composed_open(struct composed_file *file, uint32_t flags) {
    hrry_error error;
    hrry_file *opened = NULL;
    if (file->writer != NULL) CHECK_OK(hrry_writer_finish(file->writer, &error));
    hrry_writer_free(file->writer);
    file->writer = NULL;
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    CHECK_OK(hrry_file_open_memory(file->bytes.at, file->bytes.len, NULL, NULL, &options, &opened,
                                   &error));
    return opened;
}

static inline void composed_free(struct composed_file *file) { free(file->bytes.at); }

/* The place of a tensor in the index. */
static inline uint64_t place_of(const hrry_file *file, const char *name) {
    hrry_error error;
    uint64_t index = 0;
    CHECK_OK(hrry_file_name_find(file, name, strlen(name), &index, &error));
    return index;
}

/* Opens the composite of a head. */
static inline hrry_composite *open_composite(hrry_file *file, const char *head) {
    hrry_error error;
    hrry_composite *composite = NULL;
    CHECK_OK(hrry_composite_open(file, place_of(file, head), &composite, &error));
    return composite;
}

/* Checks that a box of the whole, read into memory, is value(index) at every index. */
static inline void reads_as(const hrry_composite *composite, uint32_t rank, const uint64_t *lower,
                            const uint64_t *extent, value_at *value) {
    hrry_error error;
    uint64_t count = 1, index[8] = {0}, whole[8];
    for (uint32_t k = 0; k < rank; k++) count *= extent[k];
    float *box = (float *)check_malloc(count * sizeof *box);
    CHECK_OK(hrry_composite_read(composite, lower, extent, box, count * sizeof *box, &error));
    const float *at = box;
    if (count != 0) {
        do {
            for (uint32_t k = 0; k < rank; k++) whole[k] = lower[k] + index[k];
            CHECK(*at == value(whole));
            at++;
        } while (next_index(rank, extent, index));
    }
    free(box);
}

#endif
