/* Writes a file, reads it back, and says which libhurray it is running with. */
#include <hurray.h>
#include <stdio.h>
#include <string.h>

static int failed(const hrry_error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
}

int main(int argc, char **argv) {
    static const float values[6] = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    static const uint64_t shape[2] = {2, 3};
    const char *path = argc > 1 ? argv[1] : "consumer.hrry";
    hrry_error error;
    hrry_writer *writer = NULL;
    hrry_file *file = NULL;
    const hrry_tensor *tensor = NULL;
    hrry_buffer buffer = {.struct_size = sizeof buffer};

    if (hrry_writer_create(path, NULL, &writer, &error) != HRRY_OK) return failed(&error);
    if (hrry_writer_dense(writer, "weight", 6, HRRY_TYPE_FLOAT32, 2, shape, values, sizeof values,
                          &error) != HRRY_OK ||
        hrry_writer_finish(writer, &error) != HRRY_OK) {
        hrry_writer_free(writer);
        return failed(&error);
    }
    hrry_writer_free(writer);

    if (hrry_file_open(path, NULL, &file, &error) != HRRY_OK) return failed(&error);
    if (hrry_file_tensor_find(file, "weight", 6, &tensor, &error) != HRRY_OK ||
        hrry_tensor_buffer(tensor, 0, &buffer, &error) != HRRY_OK) {
        hrry_file_close(file);
        return failed(&error);
    }
    const int same = buffer.size == sizeof values && buffer.data != NULL &&
                     memcmp(buffer.data, values, sizeof values) == 0;
    hrry_file_close(file);
    printf("libhurray %s, header %d.%d.%d\n", hrry_version(), HRRY_VERSION_MAJOR,
           HRRY_VERSION_MINOR, HRRY_VERSION_PATCH);
    return same ? 0 : 1;
}
