/* Statistics computed from the values of tensors, written down as a section, and held against the
   values again. */
#include "check.h"

static hrry_error error;

static const float values[] = {2, 0, 4, -6, 0, 0, 0, 8};

/* A file with the tensor "x": the values as float32 [2, 4], with or without statistics. */
static hrry_file *written(const hrry_statistics *statistics) {
    const uint64_t shape[] = {2, 4};
    const hrry_bytes buffer = {values, sizeof values};
    hrry_builder *builder = NULL;
    hrry_descriptor *descriptor = NULL;
    hrry_writer *writer = NULL;
    hrry_file *file = NULL;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 2, shape, &builder, &error));
    if (statistics != NULL) CHECK_OK(hrry_builder_statistics(builder, statistics, &error));
    CHECK_OK(hrry_builder_build(builder, &descriptor, &error));
    CHECK_OK(hrry_writer_create("statistics.hrry", NULL, &writer, &error));
    CHECK_OK(hrry_writer_tensor(writer, "x", 1, descriptor, &buffer, 1, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(descriptor);
    hrry_builder_free(builder);
    CHECK_OK(hrry_file_open("statistics.hrry", NULL, &file, &error));
    return file;
}

static int stop(void *context, uint64_t done, uint64_t total) {
    uint64_t *seen = context;
    CHECK_EQ(done, 0);
    *seen = total;
    return 1;
}

static hrry_statistics computed(void) {
    hrry_file *file = written(NULL);
    const hrry_tensor *tensor = NULL;
    hrry_statistics found = {.struct_size = sizeof found};
    CHECK_OK(hrry_file_tensor_find(file, "x", 1, &tensor, &error));
    CHECK_OK(hrry_tensor_compute_statistics(tensor, 4, NULL, NULL, &found, &error));
    CHECK_EQ(found.computed_mask, 63);
    CHECK_EQ(found.nnz, 4);
    CHECK(found.sparsity_ratio == 0.5);
    CHECK(found.value_min == -6 && found.value_max == 8 && found.value_abs_max == 8);
    /* The squares are 4, 16, 36 and 64: 15 is their mean, and 1 the square of that of the values. */
    CHECK(found.value_mean == 1);
    CHECK(found.value_stddev > 3.7416573 && found.value_stddev < 3.7416574);
    CHECK_EQ(found.nm_n, 3);
    CHECK_EQ(found.nm_m, 4);
    CHECK(!found.has_nan && !found.has_inf);

    /* Without groups, nothing is known of them. */
    hrry_statistics fewer = {.struct_size = sizeof fewer};
    CHECK_OK(hrry_tensor_compute_statistics(tensor, 0, NULL, NULL, &fewer, &error));
    CHECK_EQ(fewer.computed_mask, 63 - HRRY_STATISTICS_NM_SPARSITY);
    CHECK_EQ(fewer.nm_m, 0);

    uint64_t total = 0;
    CHECK_FAILS(hrry_tensor_compute_statistics(tensor, 0, stop, &total, &fewer, &error),
                HRRY_ERROR_CANCELLED);
    CHECK_EQ(total, 8 * sizeof values / sizeof values[0]);
    hrry_file_close(file);
    return found;
}

/* How many problems there are, the first of them in `error`. */
static uint64_t problems(const hrry_statistics *statistics, uint32_t checks) {
    hrry_file *file = written(statistics);
    hrry_validate_options options = {.struct_size = sizeof options, .checks = checks};
    uint64_t count = 7;
    CHECK_OK(hrry_file_validate(file, &options, &error, 1, &count, NULL));
    hrry_file_close(file);
    return count;
}

int main(void) {
    hrry_statistics known = computed();
    CHECK_EQ(problems(&known, HRRY_CHECK_STATISTICS), 0);
    known.value_max = 9;
    CHECK_EQ(problems(&known, 0), 0);
    CHECK_EQ(problems(&known, HRRY_CHECK_STATISTICS), 1);
    CHECK_EQ(error.status, HRRY_ERROR_MISMATCH);
    CHECK_SAYS("tensor 0 \"x\": descriptor: value_max is 9, must be 8");
    return 0;
}
