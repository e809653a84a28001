/* Just enough JSON for headers of safetensors files: a place in a text, and what may come next
 * there. What takes something steps over it; all but json_take and json_is return 0, or -1. */

#ifndef EXAMPLES_JSON_H
#define EXAMPLES_JSON_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at, *end;
} json;

/* Text of a known length: it may hold any byte, zero too. There is a zero after it as well. */
typedef struct {
    char *data;
    size_t len;
} json_text;

/* Whether `c` comes next. */
int json_take(json *j, char c);

/* The caller frees text->data, even after a failure. */
int json_take_string(json *j, json_text *text);

int json_take_number(json *j, uint64_t *number);

/* Steps over a value of any kind. */
int json_skip_value(json *j);

/* Calls `member` for every member of an object, with its key; it steps over the value. It may keep
 * the key's data and set it to NULL. */
int json_each_member(json *j, int (*member)(json *, json_text *key, void *), void *context);

/* Whether a text is this word. */
int json_is(const json_text *text, const char *word);

#endif
