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

SIZE(hrry_open_options, 16);
AT(hrry_open_options, struct_size, 0);
AT(hrry_open_options, flags, 8);
AT(hrry_open_options, reserved, 12);

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

SIZE(hrry_tensor_facts, 120);
AT(hrry_tensor_facts, struct_size, 0);
AT(hrry_tensor_facts, name, 8);
AT(hrry_tensor_facts, name_len, 16);
AT(hrry_tensor_facts, index, 24);
AT(hrry_tensor_facts, type, 32);
AT(hrry_tensor_facts, layout, 36);
AT(hrry_tensor_facts, scheme, 40);
AT(hrry_tensor_facts, rank, 44);
AT(hrry_tensor_facts, shape, 48);
AT(hrry_tensor_facts, element_count, 56);
AT(hrry_tensor_facts, element_bits, 64);
AT(hrry_tensor_facts, buffer_count, 68);
AT(hrry_tensor_facts, data, 72);
AT(hrry_tensor_facts, size, 80);
AT(hrry_tensor_facts, offset, 88);
AT(hrry_tensor_facts, data_len, 96);
AT(hrry_tensor_facts, byte_offset, 104);
AT(hrry_tensor_facts, device, 112);
AT(hrry_tensor_facts, reserved, 116);

SIZE(hrry_buffer, 48);
AT(hrry_buffer, struct_size, 0);
AT(hrry_buffer, data, 8);
AT(hrry_buffer, size, 16);
AT(hrry_buffer, offset, 24);
AT(hrry_buffer, alignment, 32);
AT(hrry_buffer, declared_alignment, 40);
AT(hrry_buffer, device, 44);

SIZE(hrry_load, 40);
AT(hrry_load, tensor, 0);
AT(hrry_load, offset, 8);
AT(hrry_load, dst, 16);
AT(hrry_load, len, 24);
AT(hrry_load, buffer, 32);
AT(hrry_load, reserved, 36);

SIZE(hrry_load_options, 32);
AT(hrry_load_options, struct_size, 0);
AT(hrry_load_options, chunk, 8);
AT(hrry_load_options, progress, 16);
AT(hrry_load_options, context, 24);

SIZE(hrry_validate_options, 40);
AT(hrry_validate_options, struct_size, 0);
AT(hrry_validate_options, checks, 8);
AT(hrry_validate_options, reserved, 12);
AT(hrry_validate_options, first, 16);
AT(hrry_validate_options, progress, 24);
AT(hrry_validate_options, context, 32);

SIZE(hrry_buffer_entry, 32);
AT(hrry_buffer_entry, struct_size, 0);
AT(hrry_buffer_entry, byte_size, 8);
AT(hrry_buffer_entry, alignment, 16);
AT(hrry_buffer_entry, device, 20);
AT(hrry_buffer_entry, reserved, 24);
AT(hrry_buffer_entry, padding, 28);

SIZE(hrry_tiles, 32);
AT(hrry_tiles, tile_shape, 0);
AT(hrry_tiles, outer_strides, 8);
AT(hrry_tiles, inner_strides, 16);
AT(hrry_tiles, outer_layout, 24);
AT(hrry_tiles, inner_layout, 28);

SIZE(hrry_coo, 24);
AT(hrry_coo, struct_size, 0);
AT(hrry_coo, nnz, 8);
AT(hrry_coo, is_sorted, 16);
AT(hrry_coo, reserved, 20);

SIZE(hrry_compressed, 16);
AT(hrry_compressed, struct_size, 0);
AT(hrry_compressed, nnz, 8);

SIZE(hrry_csf, 24);
AT(hrry_csf, struct_size, 0);
AT(hrry_csf, nnz, 8);
AT(hrry_csf, mode_order, 16);

SIZE(hrry_block_paged, 40);
AT(hrry_block_paged, struct_size, 0);
AT(hrry_block_paged, num_pages, 8);
AT(hrry_block_paged, page_size, 16);
AT(hrry_block_paged, num_seqs, 20);
AT(hrry_block_paged, kv_role, 24);
AT(hrry_block_paged, layer_index, 28);
AT(hrry_block_paged, block_table_index_type, 32);
AT(hrry_block_paged, reserved, 36);

SIZE(hrry_composite_head, 24);
AT(hrry_composite_head, struct_size, 0);
AT(hrry_composite_head, rule, 8);
AT(hrry_composite_head, combine, 12);
AT(hrry_composite_head, member_count, 16);
AT(hrry_composite_head, reserved, 20);

SIZE(hrry_private_layout, 32);
AT(hrry_private_layout, struct_size, 0);
AT(hrry_private_layout, id, 8);
AT(hrry_private_layout, data, 16);
AT(hrry_private_layout, data_len, 24);

SIZE(hrry_quantization, 64);
AT(hrry_quantization, struct_size, 0);
AT(hrry_quantization, scheme, 8);
AT(hrry_quantization, flags, 12);
AT(hrry_quantization, axis, 16);
AT(hrry_quantization, block_size, 20);
AT(hrry_quantization, scale, 24);
AT(hrry_quantization, zero_point, 28);
AT(hrry_quantization, scale_type, 32);
AT(hrry_quantization, scale_buffer, 36);
AT(hrry_quantization, zero_point_buffer, 40);
AT(hrry_quantization, reserved, 44);
AT(hrry_quantization, payload, 48);
AT(hrry_quantization, payload_len, 56);

SIZE(hrry_shard, 24);
AT(hrry_shard, struct_size, 0);
AT(hrry_shard, parent_shape, 8);
AT(hrry_shard, shard_offset, 16);

SIZE(hrry_statistics, 80);
AT(hrry_statistics, struct_size, 0);
AT(hrry_statistics, computed_mask, 8);
AT(hrry_statistics, reserved, 12);
AT(hrry_statistics, nnz, 16);
AT(hrry_statistics, sparsity_ratio, 24);
AT(hrry_statistics, value_min, 32);
AT(hrry_statistics, value_max, 40);
AT(hrry_statistics, value_abs_max, 48);
AT(hrry_statistics, value_mean, 56);
AT(hrry_statistics, value_stddev, 64);
AT(hrry_statistics, nm_n, 72);
AT(hrry_statistics, nm_m, 73);
AT(hrry_statistics, has_nan, 74);
AT(hrry_statistics, has_inf, 75);
AT(hrry_statistics, padding, 76);

SIZE(hrry_extension_type, 24);
AT(hrry_extension_type, struct_size, 0);
AT(hrry_extension_type, bit_width, 8);
AT(hrry_extension_type, exponent_bias, 12);
AT(hrry_extension_type, is_float, 16);
AT(hrry_extension_type, is_signed, 17);
AT(hrry_extension_type, sign_bits, 18);
AT(hrry_extension_type, exponent_bits, 19);
AT(hrry_extension_type, mantissa_bits, 20);
AT(hrry_extension_type, has_nan, 21);
AT(hrry_extension_type, has_inf, 22);
AT(hrry_extension_type, packing_factor, 23);

SIZE(hrry_writer_options, 24);
AT(hrry_writer_options, struct_size, 0);
AT(hrry_writer_options, flags, 8);
AT(hrry_writer_options, alignment, 12);
AT(hrry_writer_options, count_hint, 16);

SIZE(hrry_sink, 32);
AT(hrry_sink, struct_size, 0);
AT(hrry_sink, context, 8);
AT(hrry_sink, write, 16);
AT(hrry_sink, release, 24);

SIZE(hrry_bytes, 16);
AT(hrry_bytes, data, 0);
AT(hrry_bytes, len, 8);

SIZE(hrry_stream_source, 32);
AT(hrry_stream_source, struct_size, 0);
AT(hrry_stream_source, context, 8);
AT(hrry_stream_source, read, 16);
AT(hrry_stream_source, release, 24);

SIZE(hrry_stream_options, 24);
AT(hrry_stream_options, struct_size, 0);
AT(hrry_stream_options, flags, 8);
AT(hrry_stream_options, reserved, 12);
AT(hrry_stream_options, memory_limit, 16);
