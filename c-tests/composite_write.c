/* Writing composites: announced as a whole, checked before a byte of them is written, then written
   member by member. What is refused leaves no trace; what is not completed leaves the old file. */
#include "check.h"

static hrry_error error;

/* ---- Descriptors, all of float32, yours to free ---------------------------------------------- */

#define LENT(...) ((const uint64_t[]){__VA_ARGS__})

static hrry_builder *new_builder(uint32_t rank, const uint64_t *shape) {
    hrry_builder *builder = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, rank, shape, &builder, &error));
    return builder;
}

static hrry_descriptor *built(hrry_builder *builder) {
    hrry_descriptor *descriptor = NULL;
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    hrry_builder_free(builder);
    return descriptor;
}

/* A head of `count` members. */
static hrry_descriptor *head(uint8_t rule, uint32_t rank, const uint64_t *shape, uint32_t count) {
    const hrry_composite_head fields = {
        .struct_size = sizeof fields,
        .rule = rule,
        .combine = rule == HRRY_RULE_OVERLAY ? HRRY_COMBINE_ADD : HRRY_COMBINE_NONE,
        .member_count = count,
    };
    hrry_builder *builder = new_builder(rank, shape);
    CHECK_OK(hrry_builder_composite(builder, &fields, &error));
    return built(builder);
}

/* A matrix that lies at `offset` in one of shape `parent`. */
static hrry_descriptor *part(const uint64_t *parent, const uint64_t *offset,
                             const uint64_t *shape) {
    hrry_builder *builder = new_builder(2, shape);
    CHECK_OK(hrry_builder_shard(builder, parent, offset, &error));
    return built(builder);
}

static hrry_descriptor *overlaid(uint8_t role, const uint64_t *parent, const uint64_t *offset,
                                 const uint64_t *shape) {
    hrry_builder *builder = new_builder(2, shape);
    CHECK_OK(hrry_builder_shard(builder, parent, offset, &error));
    CHECK_OK(hrry_builder_member_role(builder, role, &error));
    return built(builder);
}

static hrry_descriptor *plain(void) { return built(new_builder(1, LENT(4))); }

/* ---- Writing and reading --------------------------------------------------------------------- */

static const float zeros[64], fours[64] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};

static hrry_writer *create(const char *path) {
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create(path, NULL, &writer, &error));
    return writer;
}

static void finish(hrry_writer *writer) {
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static hrry_status announce(hrry_writer *writer, const char *name, const hrry_descriptor *the_head,
                            hrry_descriptor *const *members, size_t count) {
    return hrry_writer_composite_begin(writer, name, strlen(name), the_head,
                                       (const hrry_descriptor *const *)members, count, &error);
}

/* Writes a tensor with `values`, as many as it has elements; a head without. */
static hrry_status put(hrry_writer *writer, const char *name, const hrry_descriptor *descriptor,
                       const float *values) {
    hrry_buffer_entry entry = {.struct_size = sizeof entry};
    const uint32_t count = hrry_descriptor_buffer_count(descriptor);
    if (count > 0) CHECK_OK(hrry_descriptor_buffer_at(descriptor, 0, &entry, &error));
    const hrry_bytes buffer = {values, (size_t)entry.byte_size};
    return hrry_writer_tensor(writer, name, strlen(name), descriptor, &buffer, count, &error);
}

static hrry_file *open_valid(const char *path) {
    hrry_file *file = NULL;
    hrry_error problem;
    uint64_t problems = 0;
    CHECK_OK(hrry_file_open(path, NULL, &file, &error));
    CHECK_OK(hrry_file_validate(file, NULL, &problem, 1, &problems, &error));
    if (problems > 0) check_failed(__FILE__, __LINE__, path, problem.message);
    return file;
}

static void has_values(const hrry_file *file, const char *name, const float *values, size_t count) {
    const hrry_tensor *tensor = NULL;
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_OK(hrry_file_tensor_find(file, name, strlen(name), &tensor, &error));
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &buffer, &error));
    CHECK_BYTES(buffer.data, buffer.size, values, count * sizeof *values);
}

static void free_all(hrry_descriptor **descriptors, size_t count) {
    for (size_t k = 0; k < count; k++) hrry_descriptor_free(descriptors[k]);
}

/* ---- The three rules, and one in another ----------------------------------------------------- */

/* A weight of shape [4, 4] in two halves, as two machines hold them. */
static void partition(void) {
    const uint64_t shape[] = {4, 4}, half[] = {4, 2};
    hrry_descriptor *whole = head(HRRY_RULE_PARTITION, 2, shape, 2);
    hrry_descriptor *halves[] = {part(shape, LENT(0, 0), half), part(shape, LENT(0, 2), half)};

    hrry_writer *writer = create("partition.hrry");
    CHECK_OK(announce(writer, "w", whole, halves, 2));
    CHECK_OK(put(writer, "w.0", halves[0], zeros));
    CHECK_OK(put(writer, "w.1", halves[1], fours));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    finish(writer);

    hrry_file *file = open_valid("partition.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 3);
    has_values(file, "w.0", zeros, 8);
    has_values(file, "w.1", fours, 8);
    hrry_file_close(file);
    hrry_descriptor_free(whole);
    free_all(halves, 2);
}

/* A base, and a correction of four of its elements; the members come in pieces. */
static void overlay(void) {
    const uint64_t shape[] = {4, 4};
    hrry_descriptor *whole = head(HRRY_RULE_OVERLAY, 2, shape, 2);
    hrry_descriptor *members[] = {
        overlaid(HRRY_MEMBER_BASE, shape, LENT(0, 0), shape),
        overlaid(HRRY_MEMBER_CORRECTION, shape, LENT(1, 1), LENT(2, 2)),
    };
    hrry_writer *writer = create("overlay.hrry");
    CHECK_OK(announce(writer, "w", whole, members, 2));
    CHECK_OK(hrry_writer_begin(writer, "w.base", 6, members[0], &error));
    CHECK_FAILS(hrry_writer_composite_end(writer, &error), HRRY_ERROR_STATE);
    for (int k = 0; k < 16; k++) CHECK_OK(hrry_writer_write(writer, fours, 4, &error));
    CHECK_OK(hrry_writer_end(writer, &error));
    size_t len;
    const void *bytes = hrry_descriptor_bytes(members[1], &len);
    CHECK_OK(hrry_writer_begin_raw(writer, "w.change", 8, bytes, len, &error));
    CHECK_OK(hrry_writer_write(writer, zeros, 16, &error));
    CHECK_OK(hrry_writer_end(writer, &error));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    finish(writer);

    hrry_file *file = open_valid("overlay.hrry");
    has_values(file, "w.base", fours, 16);
    has_values(file, "w.change", zeros, 4);
    hrry_file_close(file);
    hrry_descriptor_free(whole);
    free_all(members, 2);
}

/* A group of a partition and of a plain tensor. The inner head is a member like any other:
   announced with its own members behind it, and written as a tensor without buffers. */
static void nested(void) {
    const uint64_t shape[] = {4, 4}, half[] = {4, 2};
    hrry_descriptor *group = head(HRRY_RULE_GROUP, 0, NULL, 2);
    hrry_descriptor *members[] = {
        head(HRRY_RULE_PARTITION, 2, shape, 2),
        part(shape, LENT(0, 0), half),
        part(shape, LENT(0, 2), half),
        plain(),
    };
    hrry_writer *writer = create("nested.hrry");
    CHECK_OK(announce(writer, "layer", group, members, 4));
    CHECK_OK(put(writer, "layer.w", members[0], NULL));
    CHECK_OK(put(writer, "layer.w.0", members[1], fours));
    CHECK_OK(put(writer, "layer.w.1", members[2], zeros));
    CHECK_FAILS(hrry_writer_composite_end(writer, &error), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("tensor 0 \"layer\": number of tensors written after the head is 3, must be 4");
    /* hrry_writer_dense is as good as any call. */
    CHECK_OK(hrry_writer_dense(writer, "layer.bias", 10, HRRY_TYPE_FLOAT32, 1, LENT(4), fours, 16,
                               &error));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    /* What follows is in no composite. */
    CHECK_OK(put(writer, "other", members[3], zeros));
    finish(writer);

    hrry_file *file = open_valid("nested.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 6);
    has_values(file, "layer.w.0", fours, 8);
    has_values(file, "layer.bias", fours, 4);
    has_values(file, "other", zeros, 4);
    hrry_file_close(file);
    hrry_descriptor_free(group);
    free_all(members, 4);
}

/* ---- What is refused ------------------------------------------------------------------------- */

/* A composite that breaks a rule is refused before anything of it is written: the file is the one
   that a writer makes that was never asked. */
static void refused(void) {
    const uint64_t shape[] = {4, 4}, half[] = {4, 2};
    hrry_descriptor *whole = head(HRRY_RULE_PARTITION, 2, shape, 2);
    hrry_descriptor *right[] = {part(shape, LENT(0, 0), half), part(shape, LENT(0, 2), half)};
    hrry_descriptor *gap[] = {right[0], part(shape, LENT(0, 2), LENT(3, 2))};
    hrry_descriptor *overlap[] = {right[0], part(shape, LENT(0, 1), LENT(4, 3))};
    hrry_descriptor *foreign[] = {right[0], plain()};
    hrry_descriptor *missing[] = {right[0], NULL};

    hrry_writer *writer = create("never-asked.hrry");
    CHECK_OK(put(writer, "before", foreign[1], fours));
    CHECK_OK(put(writer, "after", foreign[1], fours));
    finish(writer);

    writer = create("asked.hrry");
    CHECK_OK(put(writer, "before", foreign[1], fours));
    CHECK_FAILS(announce(writer, "w", whole, gap, 2), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("tensor 1 \"w\": no member holds an index of the head, at index [3, 2]");
    CHECK_EQ(error.tensor, 1);
    CHECK_FAILS(announce(writer, "w", whole, overlap, 2), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("member 1 of composite 1 \"w\": overlaps member 0 (tensor 2), at index [0, 1]");
    CHECK_EQ(error.tensor, 3);
    CHECK_FAILS(announce(writer, "w", whole, foreign, 2), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("must carry a shard section");
    CHECK_FAILS(announce(writer, "w", whole, right, 1), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("torn composite: 2 members promised, 1 found");
    CHECK_FAILS(announce(writer, "w", foreign[1], right, 2), HRRY_ERROR_FORBIDDEN);
    CHECK_FAILS(announce(writer, "before", whole, right, 2), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("appears twice");
    CHECK_FAILS(announce(writer, "w", whole, missing, 2), HRRY_ERROR_ARGUMENT);
    CHECK_SAYS("one of members is NULL");
    CHECK_FAILS(announce(writer, "w", NULL, right, 2), HRRY_ERROR_ARGUMENT);
    CHECK_SAYS("head is NULL");
    CHECK_FAILS(announce(writer, "w", whole, NULL, 2), HRRY_ERROR_ARGUMENT);
    /* A head by itself would bind whatever follows. */
    CHECK_FAILS(put(writer, "w", whole, NULL), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_begin(writer, "w", 1, whole, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_writer_composite_end(writer, &error), HRRY_ERROR_STATE);
    CHECK_EQ(hrry_writer_tensor_count(writer), 1);
    CHECK_OK(put(writer, "after", foreign[1], fours));
    finish(writer);

    size_t asked_len, never_len;
    unsigned char *asked = check_slurp("asked.hrry", &asked_len);
    unsigned char *never = check_slurp("never-asked.hrry", &never_len);
    CHECK_BYTES(asked, asked_len, never, never_len);
    free(asked);
    free(never);
    hrry_descriptor_free(whole);
    free_all(right, 2);
    hrry_descriptor_free(gap[1]);
    hrry_descriptor_free(overlap[1]);
    hrry_descriptor_free(foreign[1]);
}

/* Only the announced member can come next; after a wrong one the right one still can. */
static void wrong_member(void) {
    const uint64_t shape[] = {4, 4}, half[] = {4, 2};
    hrry_descriptor *whole = head(HRRY_RULE_PARTITION, 2, shape, 2);
    hrry_descriptor *halves[] = {part(shape, LENT(0, 0), half), part(shape, LENT(0, 2), half)};
    hrry_descriptor *other = plain();
    hrry_writer *writer = create("members.hrry");
    CHECK_OK(announce(writer, "w", whole, halves, 2));
    CHECK_FAILS(put(writer, "x", halves[1], zeros), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("tensor 1 \"x\": member 0 of composite 0 \"w\": "
               "shard_offset in dimension 1 is 2, must be 0");
    CHECK_FAILS(put(writer, "x", other, zeros), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("member 0 of composite 0 \"w\": rank is 1, must be 2");
    CHECK_FAILS(announce(writer, "v", whole, halves, 2), HRRY_ERROR_STATE);
    CHECK_OK(put(writer, "w.0", halves[0], zeros));
    CHECK_FAILS(put(writer, "w.0", halves[1], zeros), HRRY_ERROR_FORBIDDEN);
    CHECK_SAYS("appears twice");
    CHECK_OK(put(writer, "w.1", halves[1], zeros));
    CHECK_FAILS(put(writer, "x", other, zeros), HRRY_ERROR_STATE);
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    CHECK_OK(put(writer, "x", other, zeros));
    finish(writer);
    hrry_file_close(open_valid("members.hrry"));
    hrry_descriptor_free(whole);
    hrry_descriptor_free(other);
    free_all(halves, 2);
}

/* A composite that was announced and not completed makes no file: what was there stays. */
static void not_completed(void) {
    hrry_descriptor *group = head(HRRY_RULE_GROUP, 0, NULL, 2);
    hrry_descriptor *members[] = {plain(), plain()};
    size_t before_len, after_len;
    unsigned char *before = check_slurp("partition.hrry", &before_len);
    hrry_writer *writer = create("partition.hrry");
    CHECK_OK(announce(writer, "g", group, members, 2));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    CHECK_OK(put(writer, "g.0", members[0], zeros));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    hrry_writer_free(writer);
    unsigned char *after = check_slurp("partition.hrry", &after_len);
    CHECK_BYTES(after, after_len, before, before_len);
    free(after);

    /* The writer goes on after the refusal: what is missing can still come. */
    writer = create("partition.hrry");
    CHECK_OK(announce(writer, "g", group, members, 2));
    CHECK_OK(put(writer, "g.0", members[0], zeros));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    CHECK_OK(put(writer, "g.1", members[1], fours));
    CHECK_FAILS(hrry_writer_finish(writer, &error), HRRY_ERROR_STATE);
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    finish(writer);
    hrry_file *file = open_valid("partition.hrry");
    CHECK_EQ(hrry_file_tensor_count(file), 3);
    hrry_file_close(file);
    free(before);
    hrry_descriptor_free(group);
    free_all(members, 2);
}

/* No members are announced by no pointer. */
static void no_members(void) {
    hrry_descriptor *group = head(HRRY_RULE_GROUP, 0, NULL, 0);
    hrry_writer *writer = create("none.hrry");
    CHECK_OK(announce(writer, "g", group, NULL, 0));
    CHECK_OK(hrry_writer_composite_end(writer, &error));
    finish(writer);
    hrry_file_close(open_valid("none.hrry"));
    hrry_descriptor_free(group);
}

int main(void) {
    partition();
    overlay();
    nested();
    refused();
    wrong_member();
    not_completed();
    no_members();
    return 0;
}
