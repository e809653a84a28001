/* Memory that is refused: the n-th allocation of more than 4 KiB fails, for every n until the work
   gets by without it. Each time the answer is HRRY_ERROR_MEMORY, nothing is left behind, and a file
   that was to be replaced is whole. What gives values asks for none. */
#define _GNU_SOURCE
#include "made.h"
#include "values.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>

/* ---- malloc and its family, in front of the system's ------------------------------------------ */

static struct {
    bool armed;
    unsigned large, fail_at; /* allocations of more than 4 KiB, and which of them fails */
    long live;               /* blocks that were not freed */
    unsigned all;            /* allocations of any size */
} heap;

static bool refuse(size_t size) {
    if (!heap.armed || size <= 4096 || ++heap.large != heap.fail_at) return false;
    errno = ENOMEM;
    return true;
}

static void *noted(void *block) {
    if (heap.armed && block != NULL) {
        heap.live++;
        heap.all++;
    }
    return block;
}

/* The function of that name that would be called without us. */
static void next(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    memcpy(function, &found, sizeof found);
}

void *malloc(size_t size) {
    static void *(*real)(size_t);
    if (real == NULL) next("malloc", &real);
    return refuse(size) ? NULL : noted(real(size));
}

void *calloc(size_t count, size_t size) {
    static void *(*real)(size_t, size_t);
    if (real == NULL) next("calloc", &real);
    return refuse(count * size) ? NULL : noted(real(count, size));
}

void *realloc(void *block, size_t size) {
    static void *(*real)(void *, size_t);
    if (real == NULL) next("realloc", &real);
    if (refuse(size)) return NULL;
    void *moved = real(block, size);
    return block == NULL ? noted(moved) : moved;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    static int (*real)(void **, size_t, size_t);
    if (real == NULL) next("posix_memalign", &real);
    if (refuse(size)) return ENOMEM;
    const int code = real(block, alignment, size);
    if (code == 0) noted(*block);
    return code;
}

void *aligned_alloc(size_t alignment, size_t size) {
    static void *(*real)(size_t, size_t);
    if (real == NULL) next("aligned_alloc", &real);
    return refuse(size) ? NULL : noted(real(alignment, size));
}

void free(void *block) {
    static void (*real)(void *);
    if (real == NULL) next("free", &real);
    if (heap.armed && block != NULL) heap.live--;
    real(block);
}

/* ---- The work ----------------------------------------------------------------------------------- */

enum { TENSORS = 5000, TOKENS = 20000, MEMBERS = 400 };

static hrry_error error;
static unsigned char *bytes; /* the file, as it lies on disk */
static size_t bytes_len;
static hrry_file *file; /* open, for what needs one */
static char token_bytes[TOKENS][16];
static hrry_text tokens[TOKENS];

/* Everything that there is to write: sorted, so that the order of the file is another. */
static hrry_status write_file(hrry_writer *writer) {
    hrry_status status =
        hrry_writer_kv_array(writer, "tokens", 6, HRRY_VALUE_STRING, tokens, TOKENS, &error);
    if (status == HRRY_OK)
        status = hrry_writer_kv_array(writer, "again", 5, HRRY_VALUE_BYTES, tokens, TOKENS, &error);
    for (unsigned k = 0; k < TENSORS && status == HRRY_OK; k++) {
        char name[32];
        const int len = snprintf(name, sizeof name, "tensor %u", k);
        const uint64_t shape[] = {2, 2};
        status = hrry_writer_dense(writer, name, (size_t)len, HRRY_TYPE_UINT16, 2, shape,
                                   "12345678", 8, &error);
    }
    if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
    return status;
}

static hrry_status write_to_path(void) {
    const hrry_writer_options options = {
        .struct_size = sizeof options, .flags = HRRY_WRITE_SORTED | HRRY_WRITE_NO_SYNC};
    hrry_writer *writer = NULL;
    hrry_status status = hrry_writer_create("target.hrry", &options, &writer, &error);
    if (status == HRRY_OK) status = write_file(writer);
    hrry_writer_free(writer);
    return status;
}

/* A partition of a vector into its elements. A refused announcement has written nothing. */
static hrry_descriptor *elements[MEMBERS], *whole;

static void describe_composite(void) {
    const hrry_composite_head head = {
        .struct_size = sizeof head, .rule = HRRY_RULE_PARTITION, .member_count = MEMBERS};
    const uint64_t shape = MEMBERS, one = 1;
    hrry_builder *builder;
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 1, &shape, &builder, &error));
    CHECK_OK(hrry_builder_composite(builder, &head, &error));
    CHECK_OK(hrry_builder_build(builder, &whole, &error));
    hrry_builder_free(builder);
    CHECK_OK(hrry_builder_new(HRRY_TYPE_FLOAT32, 1, &one, &builder, &error));
    for (uint64_t k = 0; k < MEMBERS; k++) {
        CHECK_OK(hrry_builder_shard(builder, &shape, &k, &error));
        CHECK_OK(hrry_builder_build(builder, &elements[k], &error));
    }
    hrry_builder_free(builder);
}

static hrry_status write_composite(void) {
    const hrry_writer_options options = {
        .struct_size = sizeof options, .flags = HRRY_WRITE_NO_SYNC};
    const hrry_bytes data = {"1234", 4};
    hrry_writer *writer = NULL;
    hrry_status status = hrry_writer_create("target.hrry", &options, &writer, &error);
    if (status == HRRY_OK) {
        status = hrry_writer_composite_begin(writer, "w", 1, whole,
                                             (const hrry_descriptor *const *)elements, MEMBERS,
                                             &error);
        if (status != HRRY_OK) CHECK_EQ(hrry_writer_tensor_count(writer), 0);
    }
    for (unsigned k = 0; k < MEMBERS && status == HRRY_OK; k++)
        status = hrry_writer_tensor(writer, token_bytes[k], strlen(token_bytes[k]), elements[k],
                                    &data, 1, &error);
    if (status == HRRY_OK) status = hrry_writer_composite_end(writer, &error);
    if (status == HRRY_OK) status = hrry_writer_finish(writer, &error);
    hrry_writer_free(writer);
    return status;
}

static hrry_status opened(uint32_t flags) {
    const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
    hrry_file *new_file = NULL;
    const hrry_status status = hrry_file_open("file.hrry", &options, &new_file, &error);
    CHECK((new_file != NULL) == (status == HRRY_OK));
    hrry_file_close(new_file);
    return status;
}

static hrry_status open_mapped(void) { return opened(0); }
static hrry_status open_reads(void) { return opened(HRRY_OPEN_READS); }
static hrry_status open_in_memory(void) { return opened(HRRY_OPEN_MEMORY); }

static unsigned releases;

static void release(void *context) {
    (void)context;
    releases++;
}

static int read_at(void *context, uint64_t offset, void *dst, size_t dst_len) {
    (void)context;
    memcpy(dst, bytes + offset, dst_len);
    return 0;
}

static hrry_status open_lent(void) {
    hrry_file *new_file = NULL;
    releases = 0;
    const hrry_status status =
        hrry_file_open_memory(bytes, bytes_len, release, NULL, NULL, &new_file, &error);
    hrry_file_close(new_file);
    CHECK_EQ(releases, status == HRRY_OK); /* never by a call that failed */
    return status;
}

static hrry_status open_source(void) {
    const hrry_source source = {.struct_size = sizeof source,
                                .size = bytes_len,
                                .read_at = read_at,
                                .release = release};
    hrry_file *new_file = NULL;
    releases = 0;
    const hrry_status status = hrry_file_open_source(&source, NULL, &new_file, &error);
    hrry_file_close(new_file);
    CHECK_EQ(releases, status == HRRY_OK);
    return status;
}

/* Every tensor of a file that was opened for it, in the order of the file, and every key. */
static hrry_status tensors(void) {
    hrry_file *new_file = NULL;
    hrry_status status = hrry_file_open("file.hrry", NULL, &new_file, &error);
    for (uint64_t k = 0; k < TENSORS && status == HRRY_OK; k++) {
        uint64_t index;
        const hrry_tensor *tensor;
        status = hrry_file_order_at(new_file, k, &index, &error);
        if (status == HRRY_OK) status = hrry_file_tensor_at(new_file, index, &tensor, &error);
    }
    const hrry_kv *kv;
    static hrry_text texts[TOKENS];
    if (status == HRRY_OK) status = hrry_file_kv_find(new_file, "tokens", 6, &kv, &error);
    if (status == HRRY_OK) status = hrry_kv_strings(kv, 0, TOKENS, texts, &error);
    if (status == HRRY_OK) CHECK_TEXT(texts[TOKENS - 1].data, texts[TOKENS - 1].len, "token 19999");
    hrry_file_close(new_file);
    return status;
}

static hrry_status load(void) {
    static hrry_load requests[TENSORS];
    static unsigned char data[TENSORS][8];
    for (unsigned k = 0; k < TENSORS; k++)
        requests[k] = (hrry_load){.tensor = k, .dst = data[k], .len = 8};
    const hrry_status status = hrry_file_load(file, requests, TENSORS, NULL, &error);
    if (status == HRRY_OK) CHECK_EQ(data[TENSORS - 1][7], '8');
    return status;
}

static hrry_status validate(void) {
    uint64_t count = 7;
    const hrry_status status = hrry_file_validate(file, NULL, NULL, 0, &count, &error);
    CHECK_EQ(count, 0);
    return status;
}

/* A partition in rows behind some groups, its index in another order than its descriptors. */
enum { GROUPS = 200, PARTS = 600 };

static struct composed_file composed;

static float row_of(const uint64_t *at) { return (float)at[0]; }

static void make_composed(void) {
    const uint64_t *whole = AT(PARTS, 2);
    char name[16];
    composed_begin_with(&composed, HRRY_WRITE_SORTED);
    for (unsigned k = 0; k < GROUPS; k++) {
        snprintf(name, sizeof name, "group %u", k);
        composed_add(&composed, name, (struct composed){.rule = HRRY_RULE_GROUP}, NULL);
    }
    composed_add(&composed, "a", (struct composed){.rank = 2, .shape = whole, .member_count = PARTS,
                                                   .rule = HRRY_RULE_PARTITION}, NULL);
    for (unsigned k = 0; k < PARTS; k++) {
        snprintf(name, sizeof name, "a.%u", k);
        composed_add(&composed, name,
                     (struct composed){.rank = 2, .shape = AT(1, 2), .parent = whole,
                                       .offset = AT(k, 0)}, row_of);
    }
    hrry_file_close(composed_open(&composed, 0));
}

/* Opens a composite and asks it everything; what was refused once is there when it is asked again. */
static hrry_status composite(void) {
    hrry_file *new_file = NULL;
    hrry_composite *opened_one = NULL;
    uint64_t head, tensor, local[2], count;
    float element[2];
    hrry_status status = hrry_file_open_memory(composed.bytes.at, composed.bytes.len, NULL, NULL,
                                               NULL, &new_file, &error);
    if (status == HRRY_OK) status = hrry_file_name_find(new_file, "a", 1, &head, &error);
    if (status == HRRY_OK) status = hrry_composite_open(new_file, head, &opened_one, &error);
    CHECK((opened_one != NULL) == (status == HRRY_OK));
    if (status == HRRY_OK)
        status = hrry_composite_locate(opened_one, AT(7, 1), &tensor, local, &error);
    if (status == HRRY_OK)
        status = hrry_composite_members_in(opened_one, AT(0, 0), AT(PARTS, 1), 0, NULL, 0, &count,
                                           &error);
    if (status == HRRY_OK) {
        CHECK_EQ(count, PARTS);
        status = hrry_composite_read(opened_one, AT(7, 1), AT(2, 1), element, 8, &error);
    }
    if (status == HRRY_OK) {
        CHECK(element[0] == 7 && element[1] == 8);
    } else if (opened_one != NULL) {
        heap.fail_at = 0;
        hrry_error again;
        const hrry_status second =
            hrry_composite_locate(opened_one, AT(7, 1), &tensor, local, &again);
        CHECK_EQ(second, HRRY_OK);
    }
    hrry_composite_close(opened_one);
    hrry_file_close(new_file);
    return status;
}

static hrry_status check_composite(void) {
    hrry_file *new_file = NULL;
    hrry_checker *checker = NULL;
    const hrry_tensor *tensor;
    hrry_status status = hrry_file_open_memory(composed.bytes.at, composed.bytes.len, NULL, NULL,
                                               NULL, &new_file, &error);
    for (unsigned k = 0; k <= PARTS && status == HRRY_OK; k++) {
        uint64_t at;
        status = hrry_file_order_at(new_file, GROUPS + k, &at, &error);
        if (status == HRRY_OK) status = hrry_file_tensor_at(new_file, at, &tensor, &error);
        if (status != HRRY_OK) break;
        const hrry_descriptor *next_one = hrry_tensor_descriptor(tensor);
        status = k == 0 ? hrry_checker_new(next_one, 0, &checker, &error)
                        : hrry_checker_add(checker, next_one, &error);
    }
    if (status == HRRY_OK) status = hrry_checker_close(checker, &error);
    hrry_checker_free(checker);
    hrry_file_close(new_file);
    return status;
}

static size_t streamed;

static int read_on(void *context, void *dst, size_t dst_len, size_t *out_len) {
    (void)context;
    *out_len = dst_len < bytes_len - streamed ? dst_len : bytes_len - streamed;
    memcpy(dst, bytes + streamed, *out_len);
    streamed += *out_len;
    return 0;
}

static hrry_status stream(void) {
    const hrry_stream_source source = {.struct_size = sizeof source, .read = read_on};
    hrry_stream *new_stream = NULL;
    hrry_file *new_file = NULL;
    streamed = 0;
    hrry_status status = hrry_stream_open(&source, NULL, &new_stream, &error);
    if (status == HRRY_OK) status = hrry_stream_finish(new_stream, &new_file, &error);
    hrry_stream_free(new_stream);
    hrry_file_close(new_file);
    return status;
}

/* The largest descriptor: rank 64 and 8 levels of tiles with strides. */
static hrry_status build_largest(hrry_descriptor **built) {
    enum { RANK = 64, LEVELS = 8 };
    uint64_t shape[RANK];
    int64_t strides[RANK];
    hrry_tiles levels[LEVELS];
    for (int k = 0; k < RANK; k++) {
        shape[k] = 1;
        strides[k] = 0;
    }
    for (int k = 0; k < LEVELS; k++)
        levels[k] = (hrry_tiles){
            .tile_shape = shape,
            .outer_strides = strides,
            .inner_strides = k == LEVELS - 1 ? strides : NULL,
            .outer_layout = HRRY_LAYOUT_STRIDED,
            .inner_layout = k == LEVELS - 1 ? HRRY_LAYOUT_STRIDED : HRRY_LAYOUT_TILED,
        };
    hrry_builder *builder = NULL;
    hrry_status status = hrry_builder_new(HRRY_TYPE_FLOAT32, RANK, shape, &builder, &error);
    if (status == HRRY_OK) status = hrry_builder_tiled(builder, levels, LEVELS, &error);
    if (status == HRRY_OK) status = hrry_builder_build(builder, built, &error);
    hrry_builder_free(builder);
    return status;
}

static hrry_status descriptor(void) {
    hrry_descriptor *built = NULL, *decoded = NULL;
    hrry_status status = build_largest(&built);
    if (status == HRRY_OK) {
        size_t len;
        const void *built_bytes = hrry_descriptor_bytes(built, &len);
        CHECK(len > 8000);
        status = hrry_descriptor_decode(built_bytes, len, 0, &decoded, &error);
    }
    hrry_descriptor_free(built);
    hrry_descriptor_free(decoded);
    return status;
}

/* A file that announces its one tensor, whose descriptor is the largest. */
static unsigned char announced[32768];
static size_t announced_len;

static int keep(void *context, const void *data, size_t data_len) {
    (void)context;
    CHECK(data_len <= sizeof announced - announced_len);
    memcpy(announced + announced_len, data, data_len);
    announced_len += data_len;
    return 0;
}

static void announce(void) {
    const hrry_sink sink = {.struct_size = sizeof sink, .write = keep};
    const hrry_writer_options options = {.struct_size = sizeof options, .count_hint = 1};
    const hrry_bytes data = {"1234", 4};
    hrry_writer *writer;
    hrry_descriptor *built;
    CHECK_OK(build_largest(&built));
    CHECK_OK(hrry_writer_create_sink(&sink, &options, &writer, &error));
    CHECK_OK(hrry_writer_tensor(writer, "largest", 7, built, &data, 1, &error));
    CHECK_OK(hrry_writer_finish(writer, &error));
    hrry_writer_free(writer);
    hrry_descriptor_free(built);
}

static int read_announced(void *context, void *dst, size_t dst_len, size_t *out_len) {
    (void)context;
    *out_len = dst_len < announced_len - streamed ? dst_len : announced_len - streamed;
    memcpy(dst, announced + streamed, *out_len);
    streamed += *out_len;
    return 0;
}

/* A tensor that could not be handed out is not stepped over in silence: the stream has failed. */
static hrry_status stream_next(void) {
    const hrry_stream_source source = {.struct_size = sizeof source, .read = read_announced};
    const hrry_descriptor *lent;
    hrry_stream *new_stream = NULL;
    hrry_file *new_file = NULL;
    streamed = 0;
    hrry_status status = hrry_stream_open(&source, NULL, &new_stream, &error);
    if (status == HRRY_OK) {
        status = hrry_stream_next(new_stream, &lent, &error);
        if (status == HRRY_OK) {
            CHECK_EQ(hrry_descriptor_rank(lent), 64);
            status = hrry_stream_finish(new_stream, &new_file, &error);
        } else {
            CHECK_EQ(hrry_stream_next(new_stream, &lent, NULL), HRRY_ERROR_STATE);
            CHECK_EQ(hrry_stream_finish(new_stream, &new_file, NULL), HRRY_ERROR_STATE);
        }
    }
    hrry_stream_free(new_stream);
    hrry_file_close(new_file);
    return status;
}

/* ---- What must hold ------------------------------------------------------------------------------ */

static unsigned files_here(void) {
    unsigned count = 0;
    DIR *folder = opendir(".");
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

static void target_is_whole(void) {
    size_t len;
    unsigned char *target = check_slurp("target.hrry", &len);
    CHECK_TEXT(target, len, "the old file");
    free(target);
}

/* Does the work, whose n-th large allocation fails, for every n until none does. */
static void fails_at_each(const char *name, hrry_status (*work)(void), bool is_write) {
    const unsigned files = files_here();
    for (unsigned n = 1;; n++) {
        memset(&error, 0, sizeof error);
        heap.large = 0;
        heap.fail_at = n;
        heap.live = 0;
        heap.armed = true;
        const hrry_status status = work();
        heap.armed = false;
        if (heap.large < n) { /* it never asked for so many */
            CHECK_OK(status);
            if (n == 1) check_failed(name, 0, name, "allocates nothing: nothing was tested");
            return;
        }
        if (status != HRRY_ERROR_MEMORY) {
            fprintf(stderr, "%s, allocation %u refused: %d (%s) %s\n", name, n, (int)status,
                    hrry_status_name(status), error.message);
            exit(1);
        }
        CHECK_EQ(error.status, HRRY_ERROR_MEMORY);
        CHECK_SAYS("memory");
        if (heap.live != 0) {
            fprintf(stderr, "%s, allocation %u refused: %ld blocks left\n", name, n, heap.live);
            exit(1);
        }
        if (is_write) {
            target_is_whole();
            CHECK_EQ(files_here(), files);
        }
    }
}

/* ---- Values ------------------------------------------------------------------------------------
   Up to four dimensions nothing is allocated, whatever the layout. */

static void one_of_each(const struct subject *subject, const void *context) {
    const uint32_t rank = hrry_descriptor_rank(subject->descriptor);
    const uint64_t *shape = hrry_descriptor_shape(subject->descriptor), origin[8] = {0};
    const uint64_t count = elements_of(rank, shape);
    const size_t len = count * hrry_descriptor_element_bits(subject->descriptor) / 8;
    unsigned char stored[1024];
    float values[256];
    hrry_place place = {.struct_size = sizeof place};
    hrry_element element = {.struct_size = sizeof element};
    CHECK(rank <= 8 && count <= 256 && len <= sizeof stored);
    memset(&heap, 0, sizeof heap);
    heap.armed = true;
    CHECK_OK(ASK(subject, locate, origin, &place, &error));
    CHECK_OK(ASK(subject, element, origin, &element, &error));
    CHECK_OK(ASK(subject, copy, origin, shape, HRRY_AS_STORED, stored, len, &error));
    CHECK_OK(ASK(subject, copy, origin, shape, HRRY_TYPE_FLOAT32, values, count * 4, &error));
    CHECK_OK(ASK(subject, dequantize, 1, count - 1, HRRY_TYPE_FLOAT32, values, count * 4 - 4,
                 &error));
    CHECK_OK(ASK(subject, dequantize_box, origin, shape, HRRY_TYPE_FLOAT16, values, count * 2,
                 &error));
    if (hrry_descriptor_layout(subject->descriptor) == HRRY_LAYOUT_BLOCK_PAGED) {
        CHECK_OK(ASK(subject, locate_token, 0, 3, 0, 0, &place, &error));
        CHECK_OK(ASK(subject, copy_tokens, 0, 0, 8, HRRY_AS_STORED, stored, len, &error));
        CHECK_OK(ASK(subject, dequantize_tokens, 0, 0, 8, HRRY_TYPE_FLOAT32, values, count * 4,
                     &error));
    }
    heap.armed = false;
    if (heap.all != 0) {
        fprintf(stderr, "values of layout %s: %u allocations\n", (const char *)context, heap.all);
        exit(1);
    }
}

static void values_need_none(void) {
    const enum made kinds[] = {MADE_ROW_MAJOR, MADE_COLUMN_MAJOR, MADE_STRIDED, MADE_TILED,
                               MADE_MORTON,    MADE_HILBERT,      MADE_COO,     MADE_CSR,
                               MADE_CSC,       MADE_CSF,          MADE_BLOCK_PAGED, MADE_QUANTIZED};
    /* Zeros everywhere are a tensor, but for the indices of what is stored twice. */
    static unsigned char zeros[1024];
    const uint64_t coordinates[] = {0, 0, 1, 1}, csr_ptr[] = {0, 1, 2, 2}, csc_ptr[] = {0, 1, 2, 2, 2},
                   indices[] = {0, 1}, root[] = {0, 2}, each[] = {0, 1, 2};
    const uint32_t all_pages[] = {0, 2};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        hrry_descriptor *built_one = made(kinds[k]);
        const uint32_t count = hrry_descriptor_buffer_count(built_one);
        hrry_memory buffers[8];
        for (uint32_t b = 0; b < count; b++) {
            buffers[b] = (hrry_memory){zeros, (size_t)buffer_size(built_one, b)};
            CHECK(buffers[b].size <= sizeof zeros);
        }
        switch (kinds[k]) {
        case MADE_COO: buffers[1].data = coordinates; break;
        case MADE_CSR:
        case MADE_CSC:
            buffers[1].data = indices;
            buffers[2].data = kinds[k] == MADE_CSR ? csr_ptr : csc_ptr;
            break;
        case MADE_CSF:
            buffers[1].data = root;
            buffers[2].data = indices;
            for (uint32_t b = 3; b < 7; b++) buffers[b].data = b % 2 == 1 ? each : indices;
            break;
        case MADE_BLOCK_PAGED: buffers[2].data = all_pages; break;
        default: break;
        }
        each_subject(built_one, buffers, count, one_of_each,
                     hrry_layout_name(hrry_descriptor_layout(built_one)));
        hrry_descriptor_free(built_one);
    }

    /* A tree of four levels, with one leaf. */
    const uint32_t modes[] = {3, 1, 0, 2};
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 4, AT(2, 1, 3, 2));
    CHECK_OK(hrry_builder_csf(builder, 1, modes, &error));
    hrry_memory buffers[9] = {{zeros, 4}};
    for (uint32_t b = 1; b < 9; b++) {
        buffers[b] = b % 2 == 1 ? (hrry_memory){indices, 16} : (hrry_memory){zeros, 8};
        CHECK_OK(hrry_builder_buffer_size(builder, b, buffers[b].size, &error));
    }
    hrry_descriptor *tree = built(builder);
    each_subject(tree, buffers, 9, one_of_each, "csf, rank 4");
    hrry_descriptor_free(tree);
}

int main(void) {
    for (unsigned k = 0; k < TOKENS; k++) {
        const int len = snprintf(token_bytes[k], sizeof token_bytes[k], "token %u", k);
        tokens[k] = (hrry_text){token_bytes[k], (size_t)len};
    }
    CHECK_OK(write_to_path());
    CHECK_EQ(rename("target.hrry", "file.hrry"), 0);
    bytes = check_slurp("file.hrry", &bytes_len);
    CHECK_OK(hrry_file_open("file.hrry", NULL, &file, &error));

    values_need_none();
    fails_at_each("open, mapped", open_mapped, false);
    fails_at_each("open, reads", open_reads, false);
    fails_at_each("open, memory", open_in_memory, false);
    fails_at_each("open, lent memory", open_lent, false);
    fails_at_each("open, source", open_source, false);
    fails_at_each("tensors and keys", tensors, false);
    fails_at_each("load", load, false);
    fails_at_each("validate", validate, false);
    make_composed();
    fails_at_each("composite", composite, false);
    fails_at_each("checker", check_composite, false);
    composed_free(&composed);
    fails_at_each("stream", stream, false);
    fails_at_each("descriptor", descriptor, false);
    announce();
    fails_at_each("stream, one by one", stream_next, false);
    check_spill("target.hrry", "the old file", 12);
    fails_at_each("write", write_to_path, true);
    check_spill("target.hrry", "the old file", 12);
    describe_composite();
    fails_at_each("write a composite", write_composite, true);

    hrry_descriptor_free(whole);
    for (unsigned k = 0; k < MEMBERS; k++) hrry_descriptor_free(elements[k]);

    hrry_file_close(file);
    free(bytes);
    return 0;
}
