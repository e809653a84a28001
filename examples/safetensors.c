#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "safetensors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the header of one file ---- */

/* Room for one more element of `size` bytes; arrays grow when their count is a power of two. */
static int grow(void *array, size_t count, size_t size) {
    void *old, *grown;
    if (count & (count - 1)) {
        return 0;
    }
    memcpy(&old, array, sizeof old);
    if (!(grown = realloc(old, (count ? 2 * count : 1) * size))) {
        return -1;
    }
    memcpy(array, &grown, sizeof grown);
    return 0;
}

static int metadata_member(json *j, json_text *key, void *context) {
    st_model *model = context;
    size_t n = model->metadata_count;
    if (grow(&model->keys, n, sizeof *model->keys) ||
        grow(&model->values, n, sizeof *model->values)) {
        return -1;
    }
    model->keys[n] = *key;
    model->values[n] = (json_text){0};
    model->metadata_count++;
    key->data = NULL;
    return json_take_string(j, &model->values[n]);
}

static int tensor_member(json *j, json_text *key, void *context) {
    st_tensor *tensor = context;
    if (json_is(key, "dtype")) {
        return json_take_string(j, &tensor->dtype);
    }
    if (json_is(key, "data_offsets")) {
        uint64_t begin, end;
        if (!json_take(j, '[') || json_take_number(j, &begin) || !json_take(j, ',') || json_take_number(j, &end) ||
            !json_take(j, ']')) {
            return -1;
        }
        tensor->offset = begin;
        tensor->size = end - begin;
        return 0;
    }
    if (!json_is(key, "shape")) {
        return json_skip_value(j);
    }
    if (!json_take(j, '[')) {
        return -1;
    }
    for (; !json_take(j, ']'); tensor->rank++) {
        if ((tensor->rank && !json_take(j, ',')) ||
            grow(&tensor->shape, tensor->rank, sizeof *tensor->shape) ||
            json_take_number(j, &tensor->shape[tensor->rank])) {
            return -1;
        }
    }
    return 0;
}

static int header_member(json *j, json_text *key, void *context) {
    st_model *model = context;
    if (json_is(key, "__metadata__")) {
        return json_each_member(j, metadata_member, model);
    }
    if (grow(&model->tensors, model->tensor_count, sizeof *model->tensors)) {
        return -1;
    }
    st_tensor *tensor = &model->tensors[model->tensor_count++];
    *tensor = (st_tensor){.name = *key};
    key->data = NULL;
    return json_each_member(j, tensor_member, tensor) || !tensor->dtype.data;
}

static int complain(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    return -1;
}

static int read_all(int file, void *dst, size_t len, uint64_t offset) {
    for (char *to = dst; len;) {
        ssize_t got = pread(file, to, len, (off_t)offset);
        if (got <= 0) {
            return -1;
        }
        to += got;
        len -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

static int open_one(st_model *model, const char *path) {
    unsigned char prefix[8];
    uint64_t length = 0;
    int file = open(path, O_RDONLY);
    if (file < 0) {
        return complain(path, "cannot be opened");
    }
    if (grow(&model->files, model->file_count, sizeof *model->files)) {
        close(file);
        return complain(path, "out of memory");
    }
    model->files[model->file_count++] = file;
    if (read_all(file, prefix, sizeof prefix, 0)) {
        return complain(path, "cannot be read");
    }
    for (int k = 7; k >= 0; k--) {
        length = length << 8 | prefix[k];
    }
    char *text = length <= 100000000 ? malloc(length + 1) : NULL;
    size_t first = model->tensor_count;
    int failed = !text || read_all(file, text, length, 8);
    if (!failed) {
        json j = {text, text + length};
        failed = json_each_member(&j, header_member, model);
    }
    free(text);
    for (size_t k = first; k < model->tensor_count; k++) {
        model->tensors[k].file = file;
        model->tensors[k].offset += 8 + length;
    }
    return failed ? complain(path, "has no header that this program can read") : 0;
}

/* ---- the index of several files ---- */

typedef struct {
    json_text *names;
    size_t count;
} name_list;

static int weight_map_member(json *j, json_text *key, void *context) {
    name_list *list = context;
    json_text name = {0};
    (void)key;
    if (json_take_string(j, &name)) {
        free(name.data);
        return -1;
    }
    for (size_t k = 0; k < list->count; k++) {
        if (json_is(&list->names[k], name.data)) {
            free(name.data);
            return 0;
        }
    }
    if (grow(&list->names, list->count, sizeof *list->names)) {
        free(name.data);
        return -1;
    }
    list->names[list->count++] = name;
    return 0;
}

static int index_member(json *j, json_text *key, void *context) {
    return json_is(key, "weight_map") ? json_each_member(j, weight_map_member, context) : json_skip_value(j);
}

static int open_index(st_model *model, const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status)) {
        return complain(path, "cannot be opened");
    }
    size_t len = (size_t)status.st_size;
    char *text = malloc(len + 1);
    name_list list = {NULL, 0};
    int failed = !text || read_all(file, text, len, 0);
    close(file);
    if (!failed) {
        json j = {text, text + len};
        failed = json_each_member(&j, index_member, &list);
    }
    free(text);
    if (failed) {
        complain(path, "is not an index that this program can read");
    }
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path + 1) : 0;
    for (size_t k = 0; k < list.count; k++) {
        size_t room = (size_t)folder + list.names[k].len + 1;
        char *place = malloc(room);
        if (place) {
            snprintf(place, room, "%.*s%s", folder, path, list.names[k].data);
        }
        failed = failed || !place || open_one(model, place);
        free(place);
        free(list.names[k].data);
    }
    free(list.names);
    return failed ? -1 : 0;
}

/* ---- */

int st_open(st_model *model, const char *path) {
    size_t len = strlen(path);
    memset(model, 0, sizeof *model);
    return len > 5 && strcmp(path + len - 5, ".json") == 0 ? open_index(model, path)
                                                          : open_one(model, path);
}

int st_read(const st_tensor *tensor, uint64_t offset, void *dst, size_t len) {
    return read_all(tensor->file, dst, len, tensor->offset + offset)
               ? complain(tensor->name.data, "cannot be read from the source")
               : 0;
}

void st_free(st_model *model) {
    for (size_t k = 0; k < model->tensor_count; k++) {
        free(model->tensors[k].name.data);
        free(model->tensors[k].dtype.data);
        free(model->tensors[k].shape);
    }
    for (size_t k = 0; k < model->metadata_count; k++) {
        free(model->keys[k].data);
        free(model->values[k].data);
    }
    for (size_t k = 0; k < model->file_count; k++) {
        close(model->files[k]);
    }
    free(model->tensors);
    free(model->keys);
    free(model->values);
    free(model->files);
    memset(model, 0, sizeof *model);
}
