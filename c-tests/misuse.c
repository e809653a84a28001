/* Every function of the header with every parameter spoilt, one at a time, the others valid: NULL,
   (NULL, 5), numbers that stand for nothing, indices that no list has. A bad argument is an error
   with a message, never a crash, and leaves nothing behind; a result is NULL then.

   misuse.awk writes the calls from include/hurray.h and from misuse.txt, which says what is valid. */
#define _POSIX_C_SOURCE 200809L
#include "composed.h"
#include "made.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#define SMALL VECTORS "/edges/kv_flag_clear.hrry"

/* What a call must say. */
enum outcome { FINE, ARGUMENT, FAILURE, ANYTHING };

/* All that the calls are given, made anew for each. */
static struct {
    const char *call;
    hrry_error error;
    void *poison; /* what stands in a place for a pointer before the call */
    unsigned char *bytes;
    size_t len;
    int fd;
    hrry_source source;
    hrry_file *file;
    const hrry_kv *kv[HRRY_VALUE_ARRAY + 1]; /* by type; at 0 any */
    hrry_text texts[2];
    const hrry_tensor *tensor; /* float32 [16] */
    hrry_load load;
    hrry_error problems[2];
    int null;
    hrry_sink sink;
    hrry_writer *writer, *begun, *filled; /* in a tensor of 24 bytes: none written, all written */
    hrry_writer *complete; /* after the last member of `group` */
    hrry_descriptor *group; /* of one */
    hrry_descriptor *group_member; /* float32 [2, 3] */
    const hrry_descriptor *members[1];
    hrry_stream_source stream_source;
    size_t streamed; /* bytes that it has given */
    hrry_stream *stream, *passing; /* at the start, at the first tensor */
    hrry_bytes buffer; /* those of `a(MADE_SHARD)` */
    unsigned char descriptor_bytes[256], room[256];
    size_t descriptor_len;
    hrry_descriptor *descriptor; /* that `a` made */
    hrry_file *composed;         /* a partition of one */
    hrry_composite *composite;
    hrry_checker *checker, *full; /* of MADE_COMPOSITE: no member yet, all of them */
    hrry_descriptor *halves[2];   /* its members */
    uint64_t ones[100], numbers[100];
    hrry_memory memory;                   /* that of `a(MADE_SHARD)` */
    hrry_memory pages[3];                 /* those of `a(MADE_BLOCK_PAGED)` */
    hrry_file *paged_file;
    const hrry_tensor *paged;             /* the same in a file */
    hrry_builder *builder;       /* float32 [4, 4] */
    uint64_t shape[100], zeros[100]; /* never shorter than a rank that is passed */
    int64_t strides[100];
    uint32_t bits[100];
    hrry_tiles tiles;
    hrry_block_paged block_paged;
    hrry_composite_head head;
    hrry_quantization quantization;
    hrry_statistics statistics;
    hrry_extension_type extension_type;
} the;

static int read_at(void *context, uint64_t offset, void *dst, size_t dst_len) {
    (void)context;
    memcpy(dst, the.bytes + offset, dst_len);
    return 0;
}

static int swallow(void *context, const void *data, size_t data_len) {
    (void)context;
    (void)data;
    (void)data_len;
    return 0;
}

static int read_on(void *context, void *dst, size_t dst_len, size_t *out_len) {
    size_t *streamed = context;
    *out_len = dst_len < the.len - *streamed ? dst_len : the.len - *streamed;
    memcpy(dst, the.bytes + *streamed, *out_len);
    *streamed += *out_len;
    return 0;
}

/* A file with two tensors, a key of every type and an array of texts. */
static void make_bytes(void) {
    struct craft craft;
    craft_begin(&craft, CRAFT_KV);
    craft_tensor(&craft, "a", 1, 16);
    craft_tensor(&craft, "b", 1, 16);
    craft_key(&craft, "string", 6, HRRY_VALUE_STRING);
    craft_text(&craft, "text", 4);
    craft_key(&craft, "i64", 3, HRRY_VALUE_I64);
    put_number(&craft.kv, 8, 1);
    craft_key(&craft, "u64", 3, HRRY_VALUE_U64);
    put_number(&craft.kv, 8, 1);
    craft_key(&craft, "f64", 3, HRRY_VALUE_F64);
    put_number(&craft.kv, 8, 1);
    craft_key(&craft, "bool", 4, HRRY_VALUE_BOOL);
    put_number(&craft.kv, 1, 1);
    craft_key(&craft, "bytes", 5, HRRY_VALUE_BYTES);
    craft_text(&craft, "text", 4);
    craft_key(&craft, "array", 5, HRRY_VALUE_ARRAY);
    put_number(&craft.kv, 1, HRRY_VALUE_STRING);
    put_number(&craft.kv, 4, 2);
    craft_text(&craft, "one", 3);
    craft_text(&craft, "two", 3);
    craft_end(&craft);
    the.len = craft.file.len;
    the.bytes = check_malloc(the.len);
    memcpy(the.bytes, craft.file.at, the.len);
    craft_free(&craft);
}

static struct composed_file composed;

static float nothing(const uint64_t *index) {
    (void)index;
    return 0;
}

static void make_composed(void) {
    const uint64_t *whole = AT(4, 4);
    composed_begin(&composed);
    composed_add(&composed, "w", (struct composed){.rank = 2, .shape = whole, .member_count = 1,
                                                   .rule = HRRY_RULE_PARTITION}, NULL);
    composed_add(&composed, "all", (struct composed){.rank = 2, .shape = whole, .parent = whole,
                                                     .offset = AT(0, 0)}, nothing);
    hrry_file_close(composed_open(&composed, 0));
    for (uint64_t k = 0; k < 2; k++) {
        const struct composed half = {.rank = 2, .shape = AT(2, 4), .parent = whole,
                                      .offset = AT(2 * k, 0)};
        the.halves[k] = composed_descriptor(&half);
    }
}

static struct composed_file paged;

static void make_paged(void) {
    static const unsigned char pool[128];
    static const uint32_t table[2] = {1, 0}, pointers[2] = {0, 2};
    const void *data[] = {pool, table, pointers};
    const size_t sizes[] = {sizeof pool, sizeof table, sizeof pointers};
    hrry_bytes buffers[3];
    for (int k = 0; k < 3; k++) {
        the.pages[k] = (hrry_memory){.data = data[k], .size = sizes[k]};
        buffers[k] = (hrry_bytes){.data = data[k], .len = sizes[k]};
    }
    hrry_error error;
    hrry_descriptor *descriptor = made(MADE_BLOCK_PAGED);
    composed_begin(&paged);
    CHECK_OK(hrry_writer_tensor(paged.writer, "kv", 2, descriptor, buffers, 3, &error));
    hrry_descriptor_free(descriptor);
    the.paged_file = composed_open(&paged, 0);
    CHECK_OK(hrry_file_tensor_at(the.paged_file, 0, &the.paged, &error));
}

/* Structs and arrays that are only read. */
static void make_the_rest(void) {
    hrry_error error;
    hrry_descriptor *descriptor = made(MADE_SHARD);
    CHECK_OK(hrry_descriptor_encode(descriptor, the.descriptor_bytes, sizeof the.descriptor_bytes,
                                    &the.descriptor_len, &error));
    hrry_descriptor_free(descriptor);
    for (int k = 0; k < 100; k++) {
        the.shape[k] = 4;
        the.ones[k] = 1;
        the.strides[k] = 1;
        the.bits[k] = 2;
    }
    the.tiles = (hrry_tiles){.tile_shape = the.shape, .outer_layout = 1, .inner_layout = 1};
    the.block_paged = (hrry_block_paged){
        .struct_size = sizeof the.block_paged, .num_pages = 1, .page_size = 1, .num_seqs = 1};
    the.head = (hrry_composite_head){
        .struct_size = sizeof the.head, .rule = HRRY_RULE_GROUP, .member_count = 1};
    the.quantization = (hrry_quantization){
        .struct_size = sizeof the.quantization,
        .scheme = HRRY_SCHEME_PER_TENSOR_AFFINE,
        .scale = 1};
    the.statistics = (hrry_statistics){.struct_size = sizeof the.statistics};
    the.extension_type = (hrry_extension_type){
        .struct_size = sizeof the.extension_type, .bit_width = 8};
}

/* A descriptor for one call. */
static const hrry_descriptor *a(enum made what) { return the.descriptor = made(what); }

/* A checker of MADE_COMPOSITE. */
static hrry_checker *make_checker(void) {
    hrry_error error;
    hrry_checker *checker = NULL;
    hrry_descriptor *head = made(MADE_COMPOSITE);
    CHECK_OK(hrry_checker_new(head, 0, &checker, &error));
    hrry_descriptor_free(head);
    return checker;
}

static void before(const char *call) {
    hrry_error error;
    the.call = call;
    memset(&the.error, 0xAA, sizeof the.error);
    the.poison = &the;
    the.source = (hrry_source){
        .struct_size = sizeof the.source, .size = the.len, .read_at = read_at};
    CHECK_OK(hrry_file_open_memory(the.bytes, the.len, NULL, NULL, NULL, &the.file, &error));
    for (uint32_t type = HRRY_VALUE_STRING; type <= HRRY_VALUE_ARRAY; type++)
        CHECK_OK(hrry_file_kv_at(the.file, type - 1, &the.kv[type], &error));
    the.kv[0] = the.kv[HRRY_VALUE_U64];
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 2, the.shape, &the.builder, &error));
    CHECK_OK(hrry_file_tensor_at(the.file, 1, &the.tensor, &error));
    the.load = (hrry_load){.tensor = 1, .dst = the.room, .len = 64};
    the.sink = (hrry_sink){.struct_size = sizeof the.sink, .write = swallow};
    the.buffer = (hrry_bytes){.data = the.zeros, .len = 24};
    the.memory = (hrry_memory){.data = the.zeros, .size = 24};
    hrry_descriptor *descriptor = made(MADE_ROW_MAJOR);
    CHECK_OK(hrry_writer_create_sink(&the.sink, NULL, &the.writer, &error));
    CHECK_OK(hrry_writer_create_sink(&the.sink, NULL, &the.begun, &error));
    CHECK_OK(hrry_writer_begin(the.begun, "a", 1, descriptor, &error));
    CHECK_OK(hrry_writer_create_sink(&the.sink, NULL, &the.filled, &error));
    CHECK_OK(hrry_writer_begin(the.filled, "a", 1, descriptor, &error));
    CHECK_OK(hrry_writer_write(the.filled, the.zeros, 24, &error));
    CHECK_OK(hrry_builder_composite(the.builder, &the.head, &error));
    CHECK_OK(hrry_builder_build(the.builder, &the.group, &error));
    hrry_builder_free(the.builder);
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 2, the.shape, &the.builder, &error));
    the.members[0] = the.group_member = descriptor;
    CHECK_OK(hrry_writer_create_sink(&the.sink, NULL, &the.complete, &error));
    CHECK_OK(hrry_writer_composite_begin(the.complete, "g", 1, the.group, the.members, 1, &error));
    CHECK_OK(hrry_writer_tensor(the.complete, "a", 1, descriptor, &the.buffer, 1, &error));
    CHECK_EQ(lseek(the.fd, 0, SEEK_SET), 0);
    the.stream_source = (hrry_stream_source){
        .struct_size = sizeof the.stream_source, .context = &the.streamed, .read = read_on};
    const hrry_descriptor *first;
    the.streamed = 0;
    CHECK_OK(hrry_stream_open(&the.stream_source, NULL, &the.stream, &error));
    the.streamed = 0;
    CHECK_OK(hrry_stream_open(&the.stream_source, NULL, &the.passing, &error));
    CHECK_OK(hrry_stream_next(the.passing, &first, &error));
    the.streamed = 0;
    the.composed = composed_open(&composed, 0);
    the.composite = open_composite(the.composed, "w");
    the.checker = make_checker();
    the.full = make_checker();
    for (int k = 0; k < 2; k++) CHECK_OK(hrry_checker_add(the.full, the.halves[k], &error));
}

static void wrong(const char *how, hrry_status status);

/* Whatever the call was told, what it was told it with is usable and can be given back. */
static void done(void) {
    hrry_file_close(the.file);
    hrry_descriptor_free(the.descriptor);
    the.descriptor = NULL;
    if (the.builder != NULL &&
        hrry_builder_build(the.builder, &the.descriptor, &the.error) == HRRY_ERROR_INTERNAL)
        wrong("leaves a builder that cannot build", HRRY_ERROR_INTERNAL);
    hrry_descriptor_free(the.descriptor);
    hrry_builder_free(the.builder);
    hrry_writer_free(the.writer);
    hrry_writer_free(the.begun);
    hrry_writer_free(the.filled);
    hrry_writer_free(the.complete);
    hrry_descriptor_free(the.group);
    hrry_descriptor_free(the.group_member);
    hrry_stream_free(the.stream);
    hrry_stream_free(the.passing);
    hrry_composite_close(the.composite);
    hrry_file_close(the.composed);
    hrry_checker_free(the.checker);
    hrry_checker_free(the.full);
    the.file = NULL;
    the.descriptor = NULL;
    the.builder = NULL;
}

/* For a parameter that the call takes from us: sets our pointer to NULL. */
static void *taken(void *pointer) {
    void *handle, *none = NULL;
    memcpy(&handle, pointer, sizeof handle);
    memcpy(pointer, &none, sizeof none);
    return handle;
}

static void wrong(const char *how, hrry_status status) {
    fprintf(stderr, "%s: %s: %d (%s) %s\n", the.call, how, (int)status, hrry_status_name(status),
            status == HRRY_OK ? "" : the.error.message);
    exit(1);
}

static void after(hrry_status status, enum outcome expected, bool has_error) {
    if (expected == FINE && status != HRRY_OK) wrong("must succeed", status);
    if (expected == ARGUMENT && status != HRRY_ERROR_ARGUMENT) wrong("must refuse", status);
    if (expected == FAILURE && status == HRRY_OK) wrong("must fail", status);
    if (status == HRRY_ERROR_INTERNAL || status < 0) wrong("is a defect", status);
    const unsigned char *error = (const unsigned char *)&the.error;
    if (status == HRRY_OK) {
        for (size_t k = 0; k < sizeof the.error; k++)
            if (error[k] != 0xAA) wrong("writes an error though it succeeds", status);
    } else if (has_error) {
        if (the.error.status != status) wrong("says something else in its error", status);
        if (memchr(the.error.message, '\0', sizeof the.error.message) == NULL ||
            the.error.message[0] == '\0')
            wrong("has no message", status);
    }
}

static void must_be_null(const void *result) {
    if (result != NULL) wrong("fails and leaves a result", the.error.status);
}

#include "misuse.inc"

int main(void) {
    make_bytes();
    make_composed();
    make_paged();
    make_the_rest();
    the.fd = open(SMALL, O_RDONLY);
    the.null = open("/dev/null", O_WRONLY);
    CHECK(the.fd >= 0 && the.null >= 0);
    misuse_all();
    close(the.fd);
    close(the.null);
    free(the.bytes);
    composed_free(&composed);
    hrry_file_close(the.paged_file);
    composed_free(&paged);
    for (int k = 0; k < 2; k++) hrry_descriptor_free(the.halves[k]);
    return 0;
}
