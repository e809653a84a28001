/* Names of element types, layouts, schemes and devices, both ways. */
#include "check.h"

static hrry_error error;

int main(void) {
    hrry_type type;
    hrry_layout layout;
    hrry_scheme scheme;
    hrry_device device;
    CHECK(strcmp(hrry_type_name(HRRY_TYPE_BFLOAT16), "bfloat16") == 0);
    CHECK(strcmp(hrry_type_name(0x47), "reserved") == 0);
    CHECK(strcmp(hrry_type_name(0xF3), "private") == 0);
    CHECK(strcmp(hrry_type_name(0), "invalid") == 0);
    CHECK(strcmp(hrry_type_name(0xFFFFFFFF), "invalid") == 0);
    CHECK_EQ(hrry_type_bits(HRRY_TYPE_FLOAT6_E3M2), 6);
    CHECK_EQ(hrry_type_bits(0xF0), 0);
    CHECK_FAILS(hrry_type_find("Float32", 7, &type, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_FAILS(hrry_type_find("float32", 6, &type, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_FAILS(hrry_type_find("private", 7, &type, &error), HRRY_ERROR_NOT_FOUND);
    CHECK_EQ(type, 0);

    /* Both ways, all of them. */
    unsigned types = 0, layouts = 0, schemes = 0, devices = 0;
    for (uint32_t tag = 0; tag <= 0xFF; tag++) {
        const char *name = hrry_type_name(tag);
        if (hrry_type_find(name, strlen(name), &type, NULL) == HRRY_OK) {
            CHECK_EQ(type, tag);
            types++;
        }
        name = hrry_layout_name(tag);
        if (hrry_layout_find(name, strlen(name), &layout, NULL) == HRRY_OK) {
            CHECK_EQ(layout, tag);
            layouts++;
        }
        name = hrry_scheme_name(tag);
        if (hrry_scheme_find(name, strlen(name), &scheme, NULL) == HRRY_OK) {
            CHECK_EQ(scheme, tag);
            schemes++;
        }
        name = hrry_device_name(tag);
        if (hrry_device_find(name, strlen(name), &device, NULL) == HRRY_OK) {
            CHECK_EQ(device, tag);
            devices++;
        }
    }
    CHECK_EQ(types, 26);
    CHECK_EQ(layouts, 12);
    CHECK(schemes == 5 || schemes == 6); /* "none" may be one */
    CHECK_EQ(devices, 9);
    return 0;
}
