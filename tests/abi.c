/* Sizes and offsets of every public struct, for hosts with pointers of 64 bits: compiled by
   tests/header.rs. A number here changes only with the ABI number. */
#include "hurray.h"

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), "offset of " #field " in " #type)

SIZE(hrry_status, 4);

SIZE(hrry_open_options, 16);
AT(hrry_open_options, struct_size, 0);
AT(hrry_open_options, flags, 8);
AT(hrry_open_options, reserved, 12);

SIZE(hrry_error, 512);
AT(hrry_error, status, 0);
AT(hrry_error, os_error, 4);
AT(hrry_error, offset, 8);
AT(hrry_error, tensor, 16);
AT(hrry_error, reserved, 24);
AT(hrry_error, message, 56);

SIZE(hrry_source, 40);
AT(hrry_source, struct_size, 0);
AT(hrry_source, context, 8);
AT(hrry_source, size, 16);
AT(hrry_source, read_at, 24);
AT(hrry_source, release, 32);

SIZE(hrry_file_facts, 104);
AT(hrry_file_facts, struct_size, 0);
AT(hrry_file_facts, size, 8);
AT(hrry_file_facts, tensor_count, 16);
AT(hrry_file_facts, kv_count, 24);
AT(hrry_file_facts, tensor_count_hint, 32);
AT(hrry_file_facts, first_descriptor_offset, 40);
AT(hrry_file_facts, index_offset, 48);
AT(hrry_file_facts, index_len, 56);
AT(hrry_file_facts, kv_offset, 64);
AT(hrry_file_facts, kv_len, 72);
AT(hrry_file_facts, alignment, 80);
AT(hrry_file_facts, flags, 84);
AT(hrry_file_facts, version_minor, 88);
AT(hrry_file_facts, access, 92);
AT(hrry_file_facts, permissive, 96);
AT(hrry_file_facts, index_crc32c, 100);

SIZE(hrry_entry, 56);
AT(hrry_entry, struct_size, 0);
AT(hrry_entry, name, 8);
AT(hrry_entry, name_len, 16);
AT(hrry_entry, descriptor_offset, 24);
AT(hrry_entry, descriptor_len, 32);
AT(hrry_entry, data_offset, 40);
AT(hrry_entry, data_len, 48);

SIZE(hrry_text, 16);
AT(hrry_text, data, 0);
AT(hrry_text, len, 8);
