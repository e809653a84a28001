/* A limit to the memory that a program may take from here on. Not under valgrind, which needs
   memory of its own. The program defines _XOPEN_SOURCE 700 first. */
#ifndef LIMIT_H
#define LIMIT_H

#include "check.h"

#include <sys/resource.h>

/* Lets the address space grow by `more` bytes at most; 0 lifts the limit. */
static inline void limit_memory(size_t more) {
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
    fclose(statm);
    struct rlimit limit;
    CHECK_EQ(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = more == 0 ? limit.rlim_max : pages * 4096 + more;
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

#endif
