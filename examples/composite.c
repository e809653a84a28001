/* Writes a weight that two machines hold one half of each as a partition, and reads a box that lies
 * in both halves.
 *
 *     composite FILE */
#include <hurray.h>
#include <stdio.h>
#include <string.h>

static const uint64_t whole[] = {2, 8}, half[] = {2, 4};

/* The head has the shape and type of the whole, and no data. */
static hrry_status make_head(hrry_descriptor **out, hrry_error *error) {
    const hrry_composite_head fields = {
        .struct_size = sizeof fields, .rule = HRRY_RULE_PARTITION, .member_count = 2};
    hrry_builder *builder = NULL;
    hrry_status status = hrry_builder_new(HRRY_TYPE_FLOAT32, 2, whole, &builder, error);
    if (status == HRRY_OK) status = hrry_builder_composite(builder, &fields, error);
    if (status == HRRY_OK) status = hrry_builder_build(builder, out, error);
    hrry_builder_free(builder);
    return status;
}

/* A member is a tensor like any other; its shard section says where in the head it lies. */
static hrry_status make_half(uint64_t column, hrry_descriptor **out, hrry_error *error) {
    const uint64_t offset[] = {0, column};
    hrry_builder *builder = NULL;
    hrry_status status = hrry_builder_new(HRRY_TYPE_FLOAT32, 2, half, &builder, error);
    if (status == HRRY_OK) status = hrry_builder_shard(builder, whole, offset, error);
    if (status == HRRY_OK) status = hrry_builder_build(builder, out, error);
    hrry_builder_free(builder);
    return status;
}

/* Announced first, which checks that the halves tile the head; then the members in order. */
static hrry_status write_composite(hrry_writer *writer, const hrry_descriptor *head,
                                   const hrry_descriptor *const *halves, hrry_error *error) {
    static const float left[] = {0, 1, 2, 3, 8, 9, 10, 11}, right[] = {4, 5, 6, 7, 12, 13, 14, 15};
    const hrry_bytes data[] = {{left, sizeof left}, {right, sizeof right}};
    hrry_status status = hrry_writer_composite_begin(writer, "w", 1, head, halves, 2, error);
    if (status == HRRY_OK)
        status = hrry_writer_tensor(writer, "w.0", 3, halves[0], &data[0], 1, error);
    if (status == HRRY_OK)
        status = hrry_writer_tensor(writer, "w.1", 3, halves[1], &data[1], 1, error);
    if (status == HRRY_OK) status = hrry_writer_composite_end(writer, error);
    if (status == HRRY_OK) status = hrry_writer_finish(writer, error);
    return status;
}

/* Opening checks it again, as it does whatever file it is. Elements are asked for by their index in
 * the head. */
static hrry_status read_composite(const hrry_file *file, hrry_error *error) {
    const uint64_t index[] = {1, 6}, lower[] = {0, 3}, extent[] = {2, 2};
    uint64_t head, tensor, local[2];
    float box[4];
    hrry_composite *composite = NULL;
    hrry_status status = hrry_file_name_find(file, "w", 1, &head, error);
    if (status == HRRY_OK) status = hrry_composite_open(file, head, &composite, error);
    if (status == HRRY_OK) status = hrry_composite_locate(composite, index, &tensor, local, error);
    if (status == HRRY_OK)
        status = hrry_composite_read(composite, lower, extent, box, sizeof box, error);
    if (status == HRRY_OK) {
        printf("[1, 6] is in tensor %d at [%d, %d]\n", (int)tensor, (int)local[0], (int)local[1]);
        printf("%g %g\n%g %g\n", (double)box[0], (double)box[1], (double)box[2], (double)box[3]);
    }
    hrry_composite_close(composite);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_descriptor *head = NULL, *halves[2] = {NULL, NULL};
    hrry_writer *writer = NULL;
    hrry_file *file = NULL;
    hrry_status status = make_head(&head, &error);
    for (uint64_t k = 0; status == HRRY_OK && k < 2; k++)
        status = make_half(4 * k, &halves[k], &error);
    if (status == HRRY_OK) status = hrry_writer_create(argv[1], NULL, &writer, &error);
    if (status == HRRY_OK) {
        const hrry_descriptor *const members[] = {halves[0], halves[1]};
        status = write_composite(writer, head, members, &error);
    }
    if (status == HRRY_OK) status = hrry_file_open(argv[1], NULL, &file, &error);
    if (status == HRRY_OK) status = read_composite(file, &error);
    if (status != HRRY_OK) fprintf(stderr, "%s: %s\n", argv[1], error.message);
    hrry_file_close(file);
    hrry_writer_free(writer);
    hrry_descriptor_free(halves[1]);
    hrry_descriptor_free(halves[0]);
    hrry_descriptor_free(head);
    return status == HRRY_OK ? 0 : 1;
}
