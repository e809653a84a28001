/* Somebody truncates a file that is open. What was read when it was opened stays; what is read now
   says that the file shrank, and nothing raises a signal. */
#define _XOPEN_SOURCE 700
#include "composed.h"
#include "walk.h"

#include <fcntl.h>
#include <unistd.h>

enum { TENSORS = 8, SIZE = 100000 };

static hrry_error error;

static void write_file(void) {
    static unsigned char data[SIZE];
    const uint64_t shape[] = {SIZE};
    hrry_writer *writer = NULL;
    CHECK_OK(hrry_writer_create("shrinks.hrry", NULL, &writer, &error));
    CHECK_OK(hrry_writer_kv_string(writer, "key", 3, "value", 5, &error));
    for (char name = 'a'; name < 'a' + TENSORS; name++) {
        memset(data, name, SIZE);
        CHECK_OK(hrry_writer_dense(writer, &name, 1, HRRY_TYPE_UINT8, 1, shape, data, SIZE,
                                   &error));
    }
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
}

static void shrunk(uint32_t flags, uint64_t keep) {
    write_file();
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    hrry_file *file = NULL;
    const hrry_tensor *asked[TENSORS] = {NULL};
    CHECK_OK(hrry_file_open("shrinks.hrry", &options, &file, &error));
    /* Half of the tensors are asked for before. */
    for (uint64_t k = 0; k < TENSORS; k += 2)
        CHECK_OK(hrry_file_tensor_at(file, k, &asked[k], &error));
    CHECK_EQ(truncate("shrinks.hrry", (off_t)keep), 0);
    const bool in_memory = flags == HRRY_OPEN_MEMORY;

    /* Names, places, keys and descriptors that were asked for. */
    const hrry_kv *kv;
    const char *text;
    size_t len;
    CHECK_OK(hrry_file_kv_find(file, "key", 3, &kv, &error));
    CHECK_OK(hrry_kv_string(kv, &text, &len, &error));
    CHECK_TEXT(text, len, "value");
    for (uint64_t k = 0; k < TENSORS; k++) {
        hrry_entry entry = {.struct_size = sizeof entry};
        hrry_tensor_facts facts = {.struct_size = sizeof facts};
        const hrry_tensor *tensor = NULL;
        uint64_t index;
        CHECK_OK(hrry_file_entry_at(file, k, &entry, &error));
        CHECK_OK(hrry_file_order_at(file, k, &index, &error));
        CHECK_EQ(entry.name[0], 'a' + k);
        const bool has_descriptor =
            in_memory || entry.descriptor_offset + entry.descriptor_len <= keep;
        const hrry_status status = hrry_file_tensor_at(file, k, &tensor, &error);
        if (asked[k] != NULL || has_descriptor) {
            CHECK_EQ(status, HRRY_OK);
            CHECK(asked[k] == NULL || asked[k] == tensor);
            CHECK_OK(hrry_tensor_info(tensor, &facts, &error));
            CHECK_EQ(facts.shape[0], SIZE);
        } else {
            CHECK_EQ(status, HRRY_ERROR_SHRANK);
            CHECK_SAYS("shrank");
            continue;
        }

        /* Data: what is still there, and what is not. */
        static unsigned char bytes[SIZE];
        const uint64_t have =
            in_memory ? SIZE : keep <= entry.data_offset ? 0 : keep - entry.data_offset;
        const size_t there = have < SIZE ? (size_t)have : SIZE;
        if (there > 0) {
            CHECK_OK(hrry_tensor_read(tensor, 0, 0, bytes, there, &error));
            CHECK_EQ(bytes[there - 1], 'a' + k);
            if (facts.data != NULL) CHECK_EQ(*(const char *)facts.data, 'a' + k);
        }
        const hrry_load request = {.tensor = k, .dst = bytes, .len = SIZE};
        const hrry_status whole = there == SIZE ? HRRY_OK : HRRY_ERROR_SHRANK;
        CHECK_EQ(hrry_tensor_read(tensor, 0, 0, bytes, SIZE, &error), whole);
        if (whole != HRRY_OK) CHECK_EQ(error.status, HRRY_ERROR_SHRANK);
        CHECK_EQ(hrry_tensor_read(tensor, 0, SIZE - 1, bytes, 1, &error), whole);
        CHECK_EQ(hrry_file_load(file, &request, 1, NULL, &error), whole);
        /* Values are had through a mapping where there is one, else by reads. */
        if (flags != 0 || there == SIZE) {
            CHECK_EQ(hrry_tensor_copy(tensor, AT(0), AT(SIZE), HRRY_AS_STORED, bytes, SIZE, &error),
                     whole);
            hrry_element element = {.struct_size = sizeof element};
            CHECK_EQ(hrry_tensor_element(tensor, AT(SIZE - 1), &element, &error), whole);
            if (whole == HRRY_OK) CHECK_EQ(element.unsigned_value, 'a' + k);
            else CHECK_EQ(error.status, HRRY_ERROR_SHRANK);
        }
        CHECK_OK(hrry_tensor_advise(tensor, HRRY_ADVICE_WILL_NEED, &error));
    }
    uint64_t problems = 7;
    const hrry_status status = hrry_file_validate(file, NULL, NULL, 0, &problems, &error);
    CHECK_EQ(status, in_memory ? HRRY_OK : HRRY_ERROR_SHRANK);
    CHECK_EQ(problems, 0);
    hrry_file_close(file);

    /* Opening what is left is an error like another, or not. */
    CHECK(hrry_file_open("shrinks.hrry", &options, &file, &error) != HRRY_OK);
}

int main(void) {
    const uint32_t ways[] = {0, HRRY_OPEN_READS, HRRY_OPEN_MEMORY};
    for (size_t k = 0; k < 3; k++) {
        shrunk(ways[k], 0);
        shrunk(ways[k], 4096 + SIZE / 2);
        shrunk(ways[k], 5 * 106496 + 70);
        shrunk(ways[k], 6 * 106496 + 4096 + 1);
    }
    return 0;
}
