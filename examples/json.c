#include "json.h"

#include <stdlib.h>
#include <string.h>

static void skip_space(json *j) {
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) {
        j->at++;
    }
}

int json_take(json *j, char c) {
    skip_space(j);
    if (j->at == j->end || *j->at != c) {
        return 0;
    }
    j->at++;
    return 1;
}

static int take_hex(json *j, uint32_t *value) {
    *value = 0;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdef", *digit;
        if (j->at == j->end || !*j->at || !(digit = strchr(digits, *j->at | ' '))) {
            return -1;
        }
        *value = *value * 16 + (uint32_t)(digit - digits);
        j->at++;
    }
    return 0;
}

/* One character of a string, as UTF-8. Returns its length, or -1. */
static int take_character(json *j, char out[4]) {
    if (j->at == j->end) {
        return -1;
    }
    if (*j->at != '\\') {
        out[0] = *j->at++;
        return 1;
    }
    if (++j->at == j->end) {
        return -1;
    }
    char escape = *j->at++;
    const char *from = "\"\\/bfnrt", *to = "\"\\/\b\f\n\r\t", *found = strchr(from, escape);
    if (escape && found) {
        out[0] = to[found - from];
        return 1;
    }
    uint32_t c, low;
    if (escape != 'u' || take_hex(j, &c)) {
        return -1;
    }
    if (c >= 0xD800 && c < 0xDC00) { /* the first of two that make one character */
        if (j->end - j->at < 6 || *j->at++ != '\\' || *j->at++ != 'u' || take_hex(j, &low) ||
            low < 0xDC00 || low > 0xDFFF) {
            return -1;
        }
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    int len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int k = len - 1; k > 0; k--, c >>= 6) {
        out[k] = (char)(0x80 | (c & 0x3F));
    }
    out[0] = (char)((0xF00 >> len & 0xFF) | c);
    return len;
}

int json_take_string(json *j, json_text *text) {
    if (!json_take(j, '"')) {
        return -1;
    }
    size_t room = 0;
    text->len = 0;
    text->data = NULL;
    while (j->at < j->end && *j->at != '"') {
        char character[4];
        int len = take_character(j, character);
        if (text->len + 5 > room) {
            char *grown = realloc(text->data, room = 2 * room + 32);
            if (!grown) {
                return -1;
            }
            text->data = grown;
        }
        if (len < 0) {
            return -1;
        }
        memcpy(text->data + text->len, character, (size_t)len);
        text->len += (size_t)len;
    }
    if (!text->data && !(text->data = malloc(1))) {
        return -1;
    }
    text->data[text->len] = 0;
    return json_take(j, '"') ? 0 : -1;
}

int json_take_number(json *j, uint64_t *number) {
    skip_space(j);
    const char *start = j->at;
    for (*number = 0; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        *number = *number * 10 + (uint64_t)(*j->at - '0');
    }
    return j->at > start ? 0 : -1;
}

int json_skip_value(json *j) {
    int depth = 0;
    do {
        json_text ignored = {0};
        skip_space(j);
        if (j->at == j->end) {
            return -1;
        }
        if (*j->at == '"') {
            int failed = json_take_string(j, &ignored);
            free(ignored.data);
            if (failed) {
                return -1;
            }
        } else {
            depth += (*j->at == '{' || *j->at == '[') - (*j->at == '}' || *j->at == ']');
            j->at++;
        }
        skip_space(j);
        /* A bare word or number ends where a separator comes. */
    } while (depth > 0 || (j->at < j->end && !strchr(",}]", *j->at)));
    return 0;
}

int json_is(const json_text *text, const char *word) {
    return text->len == strlen(word) && memcmp(text->data, word, text->len) == 0;
}

int json_each_member(json *j, int (*member)(json *, json_text *key, void *), void *context) {
    if (!json_take(j, '{')) {
        return -1;
    }
    for (int first = 1; !json_take(j, '}'); first = 0) {
        json_text key = {0};
        int failed = (!first && !json_take(j, ',')) || json_take_string(j, &key) || !json_take(j, ':') ||
                     member(j, &key, context);
        free(key.data); /* NULL when `member` kept it */
        if (failed) {
            return -1;
        }
    }
    return 0;
}
