/* How long it takes to load a library and call it once: load_time LIBRARY. Every measurement has a
   process of its own, since the library is never unloaded. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 101 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Microseconds, or less than zero. */
static double load(const char *path) {
    const double began = now();
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) return -1;
    const char *(*version)(void);
    *(void **)&version = dlsym(library, "hrry_version");
    if (version == NULL || version()[0] == '\0') return -1;
    return now() - began;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    double times[TIMES];
    if (argc != 2) return 2;
    for (int i = 0; i < TIMES; i++) {
        int ends[2];
        if (pipe(ends) != 0) return 3;
        const pid_t child = fork();
        if (child < 0) return 3;
        if (child == 0) {
            const double time = load(argv[1]);
            _exit(write(ends[1], &time, sizeof time) == (ssize_t)sizeof time ? 0 : 1);
        }
        close(ends[1]);
        const ssize_t got = read(ends[0], &times[i], sizeof times[i]);
        close(ends[0]);
        waitpid(child, NULL, 0);
        if (got != (ssize_t)sizeof times[i] || times[i] < 0) {
            fprintf(stderr, "%s cannot be loaded\n", argv[1]);
            return 1;
        }
    }
    qsort(times, TIMES, sizeof times[0], compare);
    printf("loaded and called once in %.0f microseconds, the median of %d\n", times[TIMES / 2],
           TIMES);
    return 0;
}
