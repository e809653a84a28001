/* Buffers: several of a tensor, none with data, none at all. */
#include "craft.h"
#include "made.h"

static hrry_error error;

static const hrry_tensor *find(const hrry_file *file, const char *name) {
    const hrry_tensor *tensor = NULL;
    CHECK_OK(hrry_file_tensor_find(file, name, strlen(name), &tensor, &error));
    return tensor;
}

/* Each of several buffers by itself: values, column indices and row pointers of a sparse tensor. */
static void many_buffers(void) {
    const float values[] = {1.5f, -2};
    const uint64_t columns[] = {3, 1}, rows[] = {0, 1, 1, 2};
    const hrry_bytes buffers[] = {
        {values, sizeof values}, {columns, sizeof columns}, {rows, sizeof rows}};
    hrry_writer *writer = NULL;
    hrry_descriptor *descriptor = made(MADE_CSR);
    CHECK_OK(hrry_writer_create("sparse.hrry", NULL, &writer, &error));
    CHECK_OK(hrry_writer_tensor(writer, "sparse", 6, descriptor, buffers, 3, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);

    hrry_file *file = NULL;
    CHECK_OK(hrry_file_open("sparse.hrry", NULL, &file, &error));
    const hrry_tensor *sparse = find(file, "sparse");
    CHECK_EQ(hrry_tensor_buffer_count(sparse), 3);
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    for (uint32_t k = 0; k < 3; k++) {
        unsigned char copy[32];
        CHECK_OK(hrry_tensor_buffer(sparse, k, &buffer, &error));
        CHECK_BYTES(buffer.data, buffer.size, buffers[k].data, buffers[k].len);
        CHECK_OK(hrry_tensor_read(sparse, k, 0, copy, buffers[k].len, &error));
        CHECK_BYTES(copy, buffers[k].len, buffers[k].data, buffers[k].len);
        CHECK_EQ(buffer.offset, 4096 * (k + 1));
        /* A read stays inside its buffer, though another follows. */
        CHECK_FAILS(hrry_tensor_read(sparse, k, buffers[k].len, copy, 1, &error),
                    HRRY_ERROR_RANGE);
    }
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_tensor_info(sparse, &facts, &error));
    CHECK_EQ(facts.buffer_count, 3);
    CHECK_EQ(facts.data_len, 2 * 4096 + sizeof rows);
    hrry_file_close(file);
}

/* No data: empty tensors have a buffer of no bytes, composite heads have none. */
static void no_data(void) {
    struct craft craft;
    craft_begin(&craft, 0);
    craft_tensor(&craft, "empty", 5, 0);
    craft_end(&craft);
    hrry_file *file = craft_open(&craft);
    const hrry_tensor *tensor = find(file, "empty");
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    CHECK_OK(hrry_tensor_info(tensor, &facts, &error));
    CHECK_EQ(facts.element_count, 0);
    CHECK_EQ(facts.size, 0);
    CHECK_EQ(facts.buffer_count, 1);
    hrry_buffer buffer = {.struct_size = sizeof buffer};
    CHECK_OK(hrry_tensor_buffer(tensor, 0, &buffer, &error));
    CHECK_EQ(buffer.size, 0);
    CHECK_OK(hrry_tensor_read(tensor, 0, 0, NULL, 0, &error));
    hrry_file_close(file);
    craft_free(&craft);

    CHECK_OK(hrry_file_open(VECTORS "/edges/nest_8.hrry", NULL, &file, &error));
    CHECK_OK(hrry_file_tensor_at(file, 0, &tensor, &error));
    CHECK(hrry_descriptor_is_composite_head(hrry_tensor_descriptor(tensor)));
    CHECK_OK(hrry_tensor_info(tensor, &facts, &error));
    CHECK_EQ(facts.buffer_count, 0);
    CHECK(facts.data == NULL && facts.size == 0 && facts.data_len == 0);
    CHECK_EQ(hrry_tensor_buffer_count(tensor), 0);
    CHECK_FAILS(hrry_tensor_buffer(tensor, 0, &buffer, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(hrry_tensor_read(tensor, 0, 0, NULL, 0, &error), HRRY_ERROR_INDEX);
    hrry_file_close(file);
}

int main(void) {
    many_buffers();
    no_data();
    return 0;
}
