/* Sizes and offsets of every public struct, for hosts with pointers of 64 bits: compiled by
   tests/header.rs. A number here changes only with the ABI number. */
#include "hurray.h"

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), "offset of " #field " in " #type)

SIZE(hrry_status, 4);

SIZE(hrry_error, 512);
AT(hrry_error, status, 0);
AT(hrry_error, os_error, 4);
AT(hrry_error, offset, 8);
AT(hrry_error, tensor, 16);
AT(hrry_error, reserved, 24);
AT(hrry_error, message, 56);
