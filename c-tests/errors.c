/* Status numbers, the error struct and versions. */
#include "check.h"

static void versions(void) {
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", HRRY_VERSION_MAJOR, HRRY_VERSION_MINOR,
             HRRY_VERSION_PATCH);
    CHECK_TEXT(hrry_version(), strlen(hrry_version()), "0.1.0");
    CHECK(strcmp(hrry_version(), expected) == 0);
    CHECK_EQ(hrry_abi_version(), HRRY_ABI_VERSION);
}

static void every_number_has_a_name(void) {
    CHECK(strcmp(hrry_status_name(HRRY_OK), "ok") == 0);
    CHECK(strcmp(hrry_status_name(HRRY_ERROR_NOT_FOUND), "not found") == 0);
    CHECK(strcmp(hrry_status_name(HRRY_ERROR_INTERNAL), "internal error") == 0);
    const hrry_status strangers[] = {-1, 99, 199, 299, 399, 901, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++)
        CHECK(strcmp(hrry_status_name(strangers[k]), "unknown status") == 0);
}

int main(void) {
    versions();
    every_number_has_a_name();
    return 0;
}
