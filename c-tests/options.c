/* Structs that say their own size, both ways. What an older program passes is shorter and gets
   defaults; what a newer one passes is longer, and fine while the part that this library does not
   know is zero. What the library fills in never leaves the room that it is told of. */
#include "composed.h"
#include "made.h"

static hrry_error error;
static struct craft small;
static hrry_file *file;
static const hrry_tensor *tensor;

/* A call that takes or fills in the struct at `at`, and undoes whatever it did. */
typedef hrry_status use_fn(void *at);

static hrry_status open_memory(void *at) {
    hrry_file *opened = NULL;
    const hrry_status status = hrry_file_open_memory(small.file.at, small.file.len, NULL, NULL, at,
                                                     &opened, &error);
    hrry_file_close(opened);
    return status;
}

static int read_at(void *context, uint64_t offset, void *dst, size_t dst_len) {
    (void)context;
    memcpy(dst, small.file.at + offset, dst_len);
    return 0;
}

static hrry_status open_source(void *at) {
    hrry_file *opened = NULL;
    const hrry_status status = hrry_file_open_source(at, NULL, &opened, &error);
    hrry_file_close(opened);
    return status;
}

static hrry_status file_info(void *at) { return hrry_file_info(file, at, &error); }

static hrry_status entry_at(void *at) { return hrry_file_entry_at(file, 1, at, &error); }

static hrry_status tensor_info(void *at) { return hrry_tensor_info(tensor, at, &error); }

static hrry_status tensor_buffer(void *at) { return hrry_tensor_buffer(tensor, 0, at, &error); }

static hrry_status tensor_locate(void *at) {
    return hrry_tensor_locate(tensor, AT(1), at, &error);
}

static hrry_status tensor_element(void *at) {
    return hrry_tensor_element(tensor, AT(1), at, &error);
}

/* A composite without members. */
static hrry_file *composed;

static hrry_status composite_at(void *at) {
    return hrry_file_composite_at(composed, 0, at, &error);
}

static hrry_status composite_info(void *at) {
    return hrry_file_composite_info(composed, 0, at, &error);
}

static hrry_status load(void *at) { return hrry_file_load(file, NULL, 0, at, &error); }

static hrry_status validate(void *at) {
    uint64_t count;
    return hrry_file_validate(file, at, NULL, 0, &count, &error);
}

static int swallow(void *context, const void *data, size_t data_len) {
    (void)context;
    (void)data;
    (void)data_len;
    return 0;
}

static const hrry_sink sink = {.struct_size = sizeof sink, .write = swallow};

static hrry_status writer_create(void *at) {
    hrry_writer *writer = NULL;
    const hrry_status status = hrry_writer_create_sink(&sink, at, &writer, &error);
    hrry_writer_free(writer);
    return status;
}

static hrry_status writer_sink(void *at) {
    hrry_writer *writer = NULL;
    const hrry_status status = hrry_writer_create_sink(at, NULL, &writer, &error);
    hrry_writer_free(writer);
    return status;
}

static size_t streamed;

static int read_on(void *context, void *dst, size_t dst_len, size_t *out_len) {
    (void)context;
    *out_len = dst_len < small.file.len - streamed ? dst_len : small.file.len - streamed;
    memcpy(dst, small.file.at + streamed, *out_len);
    streamed += *out_len;
    return 0;
}

static hrry_status stream(const void *source, const void *options) {
    hrry_stream *opened = NULL;
    streamed = 0;
    const hrry_status status = hrry_stream_open(source, options, &opened, &error);
    hrry_stream_free(opened);
    return status;
}

static const hrry_stream_source in_order = {.struct_size = sizeof in_order, .read = read_on};

static hrry_status stream_open(void *at) { return stream(&in_order, at); }

static hrry_status stream_source(void *at) { return stream(at, NULL); }

/* Of every layout and section, so that what they lend stays the same. */
static hrry_descriptor *kept[MADE_COUNT];

/* What a descriptor says of itself. */
#define GETTER(name, what, getter) \
    static hrry_status name(void *at) { return getter(kept[what], at, &error); }
static hrry_status buffer_at(void *at) {
    return hrry_descriptor_buffer_at(kept[MADE_COO], 1, at, &error);
}
GETTER(coo, MADE_COO, hrry_descriptor_coo)
GETTER(csr, MADE_CSR, hrry_descriptor_csr)
GETTER(csc, MADE_CSC, hrry_descriptor_csc)
GETTER(csf, MADE_CSF, hrry_descriptor_csf)
GETTER(block_paged, MADE_BLOCK_PAGED, hrry_descriptor_block_paged)
GETTER(composite, MADE_COMPOSITE, hrry_descriptor_composite)
GETTER(private_layout, MADE_PRIVATE_LAYOUT, hrry_descriptor_private_layout)
GETTER(quantization, MADE_QUANTIZED, hrry_descriptor_quantization)
GETTER(shard, MADE_SHARD, hrry_descriptor_shard)
GETTER(statistics, MADE_STATISTICS, hrry_descriptor_statistics)
GETTER(extension_type, MADE_PRIVATE_TYPE, hrry_descriptor_extension_type)

/* What a builder is told. */
#define SETTER(name, call)                                                              \
    static hrry_status name(void *at) {                                                 \
        hrry_builder *builder = NULL;                                                   \
        CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 0, NULL, &builder, &error));       \
        const hrry_status status = call(builder, at, &error);                           \
        hrry_builder_free(builder);                                                     \
        return status;                                                                  \
    }
SETTER(set_block_paged, hrry_builder_block_paged)
SETTER(set_composite, hrry_builder_composite)
SETTER(set_quantization, hrry_builder_quantization)
SETTER(set_statistics, hrry_builder_statistics)
SETTER(set_extension_type, hrry_builder_extension_type)

/* A block of exactly `size` bytes, so that valgrind sees a step beyond it: the first `known` bytes
   of `from`, then zeros, and the size in front. */
static unsigned char *block(const void *from, size_t known, size_t size) {
    unsigned char *at = check_malloc(size);
    memset(at, 0, size);
    memcpy(at, from, known < size ? known : size);
    memcpy(at, &size, sizeof size);
    return at;
}

/* A struct that goes in, `valid` as it is. */
static void goes_in(const void *valid, size_t size, use_fn *use) {
    unsigned char *at = block(valid, size, size);
    CHECK_OK(use(at));
    free(at);

    /* Newer, and the newer part not used: any byte of it counts. */
    const size_t longer[] = {size + 1, size + 8, 4096};
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++) {
        at = block(valid, size, longer[k]);
        CHECK_OK(use(at));
        at[size] = 1;
        CHECK_FAILS(use(at), HRRY_ERROR_ARGUMENT);
        at[size] = 0;
        at[longer[k] - 1] = 0x80;
        CHECK_FAILS(use(at), HRRY_ERROR_ARGUMENT);
        free(at);
    }

    /* Shorter than the first version, or no size at all: it was never set. */
    for (size_t shorter = sizeof(size_t); shorter < size; shorter++) {
        at = block(valid, size, shorter);
        CHECK_FAILS(use(at), HRRY_ERROR_ROOM);
        free(at);
    }
    at = block(valid, size, size);
    const size_t absurd[] = {0, 1, sizeof(size_t) - 1, SIZE_MAX, SIZE_MAX / 2, 1u << 31};
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        memcpy(at, &absurd[k], sizeof absurd[k]);
        CHECK(use(at) == HRRY_ERROR_ROOM || use(at) == HRRY_ERROR_ARGUMENT);
    }
    free(at);
}

/* A struct that comes out: only its size is read. */
static void comes_out(size_t size, use_fn *use) {
    unsigned char poison[4200];
    memset(poison, 0xAA, sizeof poison);
    unsigned char *expected = block(poison, size, size);
    CHECK_OK(use(expected));

    const size_t longer[] = {size + 1, size + 8, 4096};
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++) {
        unsigned char *at = block(poison, longer[k], longer[k]);
        CHECK_OK(use(at));
        CHECK_BYTES(at, sizeof(size_t), &longer[k], sizeof(size_t)); /* the size stays */
        CHECK_BYTES(at + sizeof(size_t), size - sizeof(size_t), expected + sizeof(size_t),
                    size - sizeof(size_t));
        CHECK_BYTES(at + size, longer[k] - size, poison, longer[k] - size);
        free(at);
    }
    for (size_t shorter = sizeof(size_t); shorter < size; shorter++) {
        unsigned char *at = block(poison, shorter, shorter);
        CHECK_FAILS(use(at), HRRY_ERROR_ROOM);
        CHECK_BYTES(at + sizeof(size_t), shorter - sizeof(size_t), poison,
                    shorter - sizeof(size_t));
        free(at);
    }
    free(expected);
}

int main(void) {
    craft_begin(&small, 0);
    craft_tensor(&small, "a", 1, 16);
    craft_tensor(&small, "b", 1, 16);
    craft_end(&small);
    file = craft_open(&small);
    CHECK_OK(hrry_file_tensor_at(file, 0, &tensor, &error));
    for (int what = 0; what < MADE_COUNT; what++) kept[what] = made((enum made)what);
    struct composed_file composing;
    composed_begin(&composing);
    composed_add(&composing, "g", (struct composed){.rule = HRRY_RULE_GROUP}, NULL);
    composed = composed_open(&composing, 0);

    const hrry_open_options open_options = {.struct_size = sizeof open_options};
    const hrry_source source = {
        .struct_size = sizeof source, .size = small.file.len, .read_at = read_at};
    const hrry_block_paged paged = {
        .struct_size = sizeof paged, .num_pages = 1, .page_size = 1, .num_seqs = 1};
    const hrry_composite_head head = {.struct_size = sizeof head, .rule = HRRY_RULE_GROUP};
    const hrry_quantization affine = {.struct_size = sizeof affine,
                                      .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE, .scale = 1};
    const hrry_statistics known = {.struct_size = sizeof known};
    const hrry_extension_type byte = {.struct_size = sizeof byte, .bit_width = 8};
    const hrry_load_options load_options = {.struct_size = sizeof load_options};
    const hrry_validate_options validate_options = {.struct_size = sizeof validate_options};
    const hrry_writer_options writer_options = {.struct_size = sizeof writer_options};
    const hrry_stream_options stream_options = {.struct_size = sizeof stream_options};
    const struct {
        const char *name;
        size_t size;
        const void *valid; /* of what goes in */
        use_fn *use;
    } structs[] = {
        {"hrry_open_options", sizeof open_options, &open_options, open_memory},
        {"hrry_source", sizeof source, &source, open_source},
        {"hrry_file_facts", sizeof(hrry_file_facts), NULL, file_info},
        {"hrry_entry", sizeof(hrry_entry), NULL, entry_at},
        {"hrry_tensor_facts", sizeof(hrry_tensor_facts), NULL, tensor_info},
        {"hrry_buffer", sizeof(hrry_buffer), NULL, tensor_buffer},
        {"hrry_composite_facts", sizeof(hrry_composite_facts), NULL, composite_at},
        {"hrry_composite_facts", sizeof(hrry_composite_facts), NULL, composite_info},
        {"hrry_place", sizeof(hrry_place), NULL, tensor_locate},
        {"hrry_element", sizeof(hrry_element), NULL, tensor_element},
        {"hrry_load_options", sizeof load_options, &load_options, load},
        {"hrry_validate_options", sizeof validate_options, &validate_options, validate},
        {"hrry_writer_options", sizeof writer_options, &writer_options, writer_create},
        {"hrry_sink", sizeof sink, &sink, writer_sink},
        {"hrry_stream_options", sizeof stream_options, &stream_options, stream_open},
        {"hrry_stream_source", sizeof in_order, &in_order, stream_source},
        {"hrry_buffer_entry", sizeof(hrry_buffer_entry), NULL, buffer_at},
        {"hrry_coo", sizeof(hrry_coo), NULL, coo},
        {"hrry_compressed", sizeof(hrry_compressed), NULL, csr},
        {"hrry_compressed", sizeof(hrry_compressed), NULL, csc},
        {"hrry_csf", sizeof(hrry_csf), NULL, csf},
        {"hrry_block_paged", sizeof(hrry_block_paged), NULL, block_paged},
        {"hrry_block_paged", sizeof paged, &paged, set_block_paged},
        {"hrry_composite_head", sizeof(hrry_composite_head), NULL, composite},
        {"hrry_composite_head", sizeof head, &head, set_composite},
        {"hrry_private_layout", sizeof(hrry_private_layout), NULL, private_layout},
        {"hrry_quantization", sizeof(hrry_quantization), NULL, quantization},
        {"hrry_quantization", sizeof affine, &affine, set_quantization},
        {"hrry_shard", sizeof(hrry_shard), NULL, shard},
        {"hrry_statistics", sizeof(hrry_statistics), NULL, statistics},
        {"hrry_statistics", sizeof known, &known, set_statistics},
        {"hrry_extension_type", sizeof(hrry_extension_type), NULL, extension_type},
        {"hrry_extension_type", sizeof byte, &byte, set_extension_type},
    };
    const size_t count = sizeof structs / sizeof *structs;
    for (size_t k = 0; k < count; k++) {
        if (structs[k].valid != NULL) goes_in(structs[k].valid, structs[k].size, structs[k].use);
        else comes_out(structs[k].size, structs[k].use);
    }

    /* None of the header is left out: options.awk lists them, and their fields that must be zero, or
       have bits that must be. */
    size_t covered;
#define MUST_COVER(type)                                                       \
    for (covered = 0; covered < count; covered++)                              \
        if (strcmp(structs[covered].name, #type) == 0) break;                  \
    if (covered == count) check_failed(__FILE__, __LINE__, #type, "is not covered");
#define MUST_BE_ZERO(type, field, value)                                       \
    for (size_t k = 0; k < count; k++) {                                       \
        if (strcmp(structs[k].name, #type) != 0 || structs[k].valid == NULL) continue; \
        type spoilt;                                                           \
        memcpy(&spoilt, structs[k].valid, sizeof spoilt);                      \
        spoilt.field = value;                                                  \
        CHECK_FAILS(structs[k].use(&spoilt), HRRY_ERROR_ARGUMENT);             \
    }
#include "options.inc"

    for (int what = 0; what < MADE_COUNT; what++) hrry_descriptor_free(kept[what]);
    hrry_file_close(file);
    hrry_file_close(composed);
    composed_free(&composing);
    craft_free(&small);
    return 0;
}
