/* Holds a .hrry file against the safetensors model that it was made from: the same names, types,
 * shapes and metadata, and every byte of every tensor the same, where it lies in the mapped file,
 * as hrry_tensor_read copies it, and as hrry_file_load does.
 *
 *     compare FILE MODEL            MODEL is a .safetensors file or a .json index of several
 */
#include "safetensors.h"

#include <hurray.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PIECE (1 << 20) /* a multiple of 8, for BOOL */

static const struct {
    const char *dtype;
    hrry_type type;
} types[] = {
    {"BOOL", HRRY_TYPE_BOOL},       {"U8", HRRY_TYPE_UINT8},
    {"I8", HRRY_TYPE_INT8},         {"U16", HRRY_TYPE_UINT16},
    {"I16", HRRY_TYPE_INT16},       {"U32", HRRY_TYPE_UINT32},
    {"I32", HRRY_TYPE_INT32},       {"U64", HRRY_TYPE_UINT64},
    {"I64", HRRY_TYPE_INT64},       {"F16", HRRY_TYPE_FLOAT16},
    {"BF16", HRRY_TYPE_BFLOAT16},   {"F32", HRRY_TYPE_FLOAT32},
    {"F64", HRRY_TYPE_FLOAT64},     {"C64", HRRY_TYPE_COMPLEX64},
    {"F4", HRRY_TYPE_FLOAT4_E2M1},  {"F8_E4M3", HRRY_TYPE_FLOAT8_E4M3},
    {"F8_E5M2", HRRY_TYPE_FLOAT8_E5M2}, {"F8_E8M0", HRRY_TYPE_FLOAT8_E8M0},
};

static int differs(const json_text *name, const char *what) {
    fprintf(stderr, "%s: %s\n", name->data, what);
    return -1;
}

static int compare_metadata(const hrry_file *file, const st_model *model) {
    hrry_error error;
    for (size_t k = 0; k < model->metadata_count; k++) {
        const json_text *key = &model->keys[k], *value = &model->values[k];
        const hrry_kv *kv = NULL;
        const char *text = NULL;
        size_t len = 0;
        if (hrry_file_kv_find(file, key->data, key->len, &kv, &error) != HRRY_OK ||
            hrry_kv_string(kv, &text, &len, &error) != HRRY_OK) {
            return differs(key, error.message);
        }
        if (len != value->len || memcmp(text, value->data, len) != 0) {
            return differs(key, "another value");
        }
    }
    return 0;
}

static int compare_description(const st_tensor *source, const hrry_tensor_facts *facts) {
    size_t known = sizeof types / sizeof *types, k = 0;
    while (k < known && strcmp(types[k].dtype, source->dtype.data) != 0) {
        k++;
    }
    if (k == known || types[k].type != facts->type) {
        return differs(&source->name, "another type");
    }
    if (facts->layout != HRRY_LAYOUT_ROW_MAJOR || facts->rank != source->rank ||
        (source->rank && memcmp(facts->shape, source->shape, source->rank * 8) != 0)) {
        return differs(&source->name, "another shape");
    }
    return 0;
}

/* Packs bytes of 0 and 1 to bits, the first in the lowest. Returns the bytes that are left. */
static size_t pack_bits(unsigned char *bytes, size_t len) {
    size_t packed = (len + 7) / 8;
    for (size_t k = 0; k < packed; k++) {
        unsigned bits = 0;
        for (size_t i = 0; i < 8 && 8 * k + i < len; i++) {
            bits |= (unsigned)(bytes[8 * k + i] & 1) << i;
        }
        bytes[k] = (unsigned char)bits;
    }
    return packed;
}

static int compare_data(const hrry_file *file, const hrry_tensor *tensor,
                        const hrry_tensor_facts *facts, const st_tensor *source) {
    static unsigned char expected[PIECE], copied[PIECE];
    hrry_error error;
    uint64_t at = 0; /* in the tensor's buffer */

    for (uint64_t done = 0; done < source->size;) {
        uint64_t left = source->size - done;
        size_t len = left < PIECE ? (size_t)left : PIECE;
        if (st_read(source, done, expected, len)) {
            return -1;
        }
        done += len;
        if (strcmp(source->dtype.data, "BOOL") == 0) {
            len = pack_bits(expected, len);
        }
        if (at + len > facts->size) {
            return differs(&source->name, "fewer bytes");
        }
        if (facts->data && memcmp((const char *)facts->data + at, expected, len) != 0) {
            return differs(&source->name, "other bytes where it is mapped");
        }
        if (hrry_tensor_read(tensor, 0, at, copied, len, &error) != HRRY_OK) {
            return differs(&source->name, error.message);
        }
        if (memcmp(copied, expected, len) != 0) {
            return differs(&source->name, "other bytes where it is read");
        }
        memset(copied, 0, len);
        hrry_load load = {.tensor = facts->index, .offset = at, .dst = copied, .len = len};
        if (hrry_file_load(file, &load, 1, NULL, &error) != HRRY_OK) {
            return differs(&source->name, error.message);
        }
        if (memcmp(copied, expected, len) != 0) {
            return differs(&source->name, "other bytes where it is loaded");
        }
        at += len;
    }
    return at == facts->size ? 0 : differs(&source->name, "more bytes");
}

static int compare(const hrry_file *file, const st_model *model) {
    hrry_error error;
    hrry_file_facts facts = {.struct_size = sizeof facts};
    uint64_t bytes = 0;
    if (hrry_file_info(file, &facts, &error) != HRRY_OK) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    if (compare_metadata(file, model)) {
        return -1;
    }
    for (size_t k = 0; k < model->tensor_count; k++) {
        const st_tensor *source = &model->tensors[k];
        const hrry_tensor *tensor = NULL;
        hrry_tensor_facts found = {.struct_size = sizeof found};
        if (hrry_file_tensor_find(file, source->name.data, source->name.len, &tensor, &error) !=
                HRRY_OK ||
            hrry_tensor_info(tensor, &found, &error) != HRRY_OK) {
            return differs(&source->name, error.message);
        }
        if (compare_description(source, &found) || compare_data(file, tensor, &found, source)) {
            return -1;
        }
        bytes += source->size;
    }
    /* Every name of the source was found, and names are unique: as many means the same ones. */
    if (facts.tensor_count != model->tensor_count) {
        fprintf(stderr, "the .hrry file holds tensors that the source does not\n");
        return -1;
    }
    printf("%zu metadata entries and %zu tensors: names, types and shapes the same\n"
           "%" PRIu64 " bytes of data: the same %sas they are read and as they are loaded\n",
           model->metadata_count, model->tensor_count, bytes,
           facts.access == HRRY_ACCESS_MAPPED ? "where they are mapped, " : "");
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE MODEL\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    st_model model;
    int failed = st_open(&model, argv[2]);

    if (!failed && hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        failed = 1;
    }
    failed = failed || compare(file, &model);
    hrry_file_close(file);
    st_free(&model);
    return failed ? 1 : 0;
}
