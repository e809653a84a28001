#include <hurray.h>

const char *part_version(void);

const char *part_version(void) { return hrry_version(); }
