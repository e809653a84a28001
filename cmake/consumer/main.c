#include <stdio.h>

const char *part_version(void);

int main(void) { return printf("libhurray %s\n", part_version()) > 0 ? 0 : 1; }
