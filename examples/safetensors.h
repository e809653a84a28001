/* A small reader of safetensors files, for compare.c: it shares no code with the converter that it
 * is held against. POSIX. */

#ifndef EXAMPLES_SAFETENSORS_H
#define EXAMPLES_SAFETENSORS_H

#include "json.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    json_text name;
    json_text dtype;
    uint64_t *shape;
    size_t rank;
    int file;          /* descriptor of the file that holds the data */
    uint64_t offset;   /* of the data in that file */
    uint64_t size;     /* in bytes */
} st_tensor;

typedef struct {
    st_tensor *tensors;
    size_t tensor_count;
    json_text *keys;     /* of __metadata__ */
    json_text *values;
    size_t metadata_count;
    int *files;
    size_t file_count;
} st_model;

/* Reads the headers of the model at `path`: a .safetensors file, or a .json index of several.
 * Returns 0, or says on stderr what is wrong, and returns -1. Free it in either case. */
int st_open(st_model *model, const char *path);

/* Fills dst with the tensor's bytes from `offset` on. Returns 0, or -1 as above. */
int st_read(const st_tensor *tensor, uint64_t offset, void *dst, size_t len);

void st_free(st_model *model);

#endif
