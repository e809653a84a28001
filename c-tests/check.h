/* Checks for the programs of this folder. A check that fails prints where and what, and ends the
   program with status 1; a program that reaches its end returns 0. */
#ifndef CHECK_H
#define CHECK_H

#include "hurray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of test vectors, as run.sh gives it. */
#ifndef VECTORS
#define VECTORS "../tests/vectors"
#endif

/* CHECK(condition): it holds. */
#define CHECK(condition) \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, "does not hold"))

/* CHECK_EQ(found, expected): two integers are the same. Signed ones may be negative. */
#define CHECK_EQ(found, expected) \
    check_equal(__FILE__, __LINE__, #found, (uint64_t)(found), (uint64_t)(expected))

/* CHECK_BYTES(found, found_len, expected, expected_len): the same bytes. */
#define CHECK_BYTES(found, found_len, expected, expected_len) \
    check_bytes(__FILE__, __LINE__, #found, found, found_len, expected, expected_len)

/* CHECK_TEXT(found, found_len, "literal"): a text of the library, which does not end with a zero
   byte, is the literal, which may contain zero bytes. */
#define CHECK_TEXT(found, found_len, literal) \
    check_bytes(__FILE__, __LINE__, #found, found, found_len, literal, sizeof(literal) - 1)

/* CHECK_OK(call): a call that is given `&error` succeeds. */
#define CHECK_OK(call) check_status(__FILE__, __LINE__, #call, call, HRRY_OK, &error)

/* CHECK_FAILS(call, expected): a call that is given `&error` fails with that status, which the
   error repeats, with a message. */
#define CHECK_FAILS(call, expected) check_status(__FILE__, __LINE__, #call, call, expected, &error)

/* CHECK_SAYS("part"): the message of the last error contains it. */
#define CHECK_SAYS(part) check_says(__FILE__, __LINE__, part, &error)

/* Leaves something out, visibly: run.sh counts these lines. */
static inline void skip(const char *what, const char *why) { printf("SKIPPED: %s: %s\n", what, why); }

/* Whether this run is watched, and so is slow, has other limits and no children that die. */
static inline bool under_valgrind(void) { return getenv("UNDER_VALGRIND") != NULL; }

static inline void check_failed(const char *file, int line, const char *what, const char *how) {
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, how);
    exit(1);
}

static inline void check_equal(const char *file, int line, const char *what, uint64_t found,
                               uint64_t expected) {
    if (found != expected) {
        fprintf(stderr, "%s:%d: %s is %llu (%#llx), not %llu (%#llx)\n", file, line, what,
                (unsigned long long)found, (unsigned long long)found,
                (unsigned long long)expected, (unsigned long long)expected);
        exit(1);
    }
}

static inline void check_bytes(const char *file, int line, const char *what, const void *found,
                               size_t found_len, const void *expected, size_t expected_len) {
    check_equal(file, line, what, found_len, expected_len);
    if (found_len != 0 && memcmp(found, expected, found_len) != 0) {
        const unsigned char *a = (const unsigned char *)found;
        const unsigned char *b = (const unsigned char *)expected;
        size_t k = 0;
        while (a[k] == b[k]) k++;
        fprintf(stderr, "%s:%d: %s: byte %lu of %lu is %02x, not %02x\n", file, line, what,
                (unsigned long)k, (unsigned long)found_len, a[k], b[k]);
        exit(1);
    }
}

static inline void check_status(const char *file, int line, const char *call, hrry_status found,
                                hrry_status expected, const hrry_error *error) {
    if (found != expected) {
        fprintf(stderr, "%s:%d: %s\n  gives %d (%s), not %d (%s)\n  %s\n", file, line, call,
                (int)found, hrry_status_name(found), (int)expected, hrry_status_name(expected),
                found == HRRY_OK ? "" : error->message);
        exit(1);
    }
    if (found != HRRY_OK) {
        check_equal(file, line, "error.status", (uint64_t)error->status, (uint64_t)expected);
        if (error->message[0] == '\0' || strlen(error->message) >= sizeof error->message)
            check_failed(file, line, call, "fails without a message");
    }
}

static inline void check_says(const char *file, int line, const char *part,
                              const hrry_error *error) {
    if (strstr(error->message, part) == NULL) {
        fprintf(stderr, "%s:%d: message lacks \"%s\": %s\n", file, line, part, error->message);
        exit(1);
    }
}

/* Memory that is there, or the end. */
static inline void *check_malloc(size_t len) {
    void *memory = malloc(len == 0 ? 1 : len);
    if (memory == NULL) check_failed(__FILE__, __LINE__, "malloc", "has no memory");
    return memory;
}

/* A whole file, yours to free. A byte more is allocated than it has, never less than one. */
static inline unsigned char *check_slurp(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    size_t have = 0, room = 1 << 16;
    unsigned char *bytes = (unsigned char *)check_malloc(room);
    if (file == NULL) check_failed(__FILE__, __LINE__, path, "cannot be opened");
    for (;;) {
        have += fread(bytes + have, 1, room - have, file);
        if (have < room) break;
        room *= 2;
        bytes = (unsigned char *)realloc(bytes, room);
        if (bytes == NULL) check_failed(__FILE__, __LINE__, path, "does not fit memory");
    }
    fclose(file);
    *len = have;
    return bytes;
}

/* Writes a whole file. */
static inline void check_spill(const char *path, const void *bytes, size_t len) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
        check_failed(__FILE__, __LINE__, path, "cannot be written");
}

#endif
