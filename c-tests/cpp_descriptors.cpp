// hurray.hpp: descriptors of every layout and with every section, from the builder to bytes and
// back, and what the builder does not take.
#include "check.hpp"

using hurray::builder;
using hurray::element_type;
using hurray::layout;
using hurray::status;

// What was built, decoded from its bytes: the same bytes again.
static hurray::descriptor again(builder &made) {
    const hurray::descriptor built = made.build();
    hurray::descriptor decoded = hurray::descriptor::decode(built.bytes());
    CHECK(check::same(decoded.bytes(), built.bytes()));
    CHECK(check::same(decoded.encode(), built.bytes()));
    return decoded;
}
static hurray::descriptor again(builder &&made) { return again(made); }

static void fields_that_all_have() {
    const hurray::descriptor d = again(builder(element_type::int16, {2, 3}).alignment(128));
    CHECK(d.type() == element_type::int16);
    CHECK(d.layout() == layout::row_major);
    CHECK(d.scheme() == hurray::scheme::none);
    CHECK_EQ(d.rank(), 2u);
    CHECK(check::same(d.shape(), std::vector<int>{2, 3}));
    CHECK(!d.has_dynamic_dimension() && !d.is_composite_head() && !d.is_opaque());
    CHECK_EQ(d.element_count(), 6u);
    CHECK_EQ(d.element_bits(), 16u);
    CHECK_EQ(d.byte_offset(), 0u);
    CHECK_EQ(d.flags(), 0u);
    CHECK_EQ(d.version_minor(), 0u);
    CHECK_EQ(d.buffer_count(), 1u);
    CHECK_EQ(d.data_len(4096), 12u);
    const hurray::buffer_entry entry = d.buffer(0);
    CHECK_EQ(entry.byte_size, 12u);
    CHECK_EQ(entry.alignment, 128u);
    CHECK(entry.device == hurray::device::cpu);
    for (const hurray::buffer_entry &each : d.buffers()) CHECK_EQ(each.byte_size, 12u);
    CHECK_THROWS(d.buffer(1), status::index);
    CHECK_THROWS(d.buffers()[1], status::index);
    CHECK(!d.quantization() && !d.shard() && !d.statistics() && !d.extension_type());
    CHECK(d.member_role() == hurray::member_role::none);

    const hurray::descriptor scalar = again(builder(element_type::float64, {}));
    CHECK_EQ(scalar.rank(), 0u);
    CHECK(scalar.shape().empty());
    CHECK_EQ(scalar.element_count(), 1u);

    const std::vector<std::uint64_t> shape = {hurray::dynamic, 4};
    builder dynamic(element_type::float32, shape);
    const hurray::descriptor open = again(dynamic.buffer_size(0, 64).device(hurray::device::cuda));
    CHECK(open.has_dynamic_dimension());
    CHECK_THROWS(open.element_count(), status::rule);
    CHECK(open.buffer(0).device == hurray::device::cuda);
}

static void dense_layouts() {
    CHECK(again(builder(element_type::float32, {2, 3}).column_major()).layout() ==
          layout::column_major);
    CHECK(again(builder(element_type::float32, {2, 3}).column_major().row_major()).layout() ==
          layout::row_major);

    const hurray::descriptor strided =
        again(builder(element_type::float32, {2, 3}).strided({5, -1}).byte_offset(8));
    CHECK(check::same(strided.strides(), std::vector<int>{5, -1}));
    CHECK_EQ(strided.byte_offset(), 8u);
    CHECK_EQ(strided.tile_level_count(), 0u);
    CHECK_THROWS(strided.tiles(0), status::type);
    CHECK_THROWS(strided.morton_bits(), status::type);
    CHECK_THROWS(strided.hilbert_order(), status::type);

    const std::uint64_t tile_shape[] = {2, 4};
    const std::int64_t inner_strides[] = {4, 1};
    hurray::tiles level;
    level.tile_shape = tile_shape;
    level.inner_layout = layout::strided;
    level.inner_strides = inner_strides;
    const hurray::descriptor tiled = again(builder(element_type::float32, {6, 8}).tiled({level}));
    CHECK_EQ(tiled.tile_level_count(), 1u);
    const hurray::tiles found = tiled.tiles(0);
    CHECK(check::same(found.tile_shape, tile_shape));
    CHECK(found.outer_layout == layout::row_major && found.outer_strides.empty());
    CHECK(found.inner_layout == layout::strided);
    CHECK(check::same(found.inner_strides, inner_strides));
    CHECK_THROWS(tiled.tiles(1), status::index);
    CHECK_THROWS(tiled.strides(), status::type);

    CHECK(check::same(again(builder(element_type::float32, {4, 4}).morton({2, 2})).morton_bits(),
                      std::vector<unsigned>{2, 2}));
    CHECK_EQ(again(builder(element_type::float32, {4, 4}).hilbert(2)).hilbert_order(), 2u);
}

static void other_layouts() {
    const hurray::descriptor coo = again(builder(element_type::float32, {3, 4}).coo(2, true));
    CHECK_EQ(coo.coo().nnz, 2u);
    CHECK(coo.coo().is_sorted);
    CHECK_EQ(coo.buffer_count(), 2u);
    CHECK_THROWS(coo.csr_nnz(), status::type);
    CHECK_THROWS(coo.csf(), status::type);
    CHECK_THROWS(coo.block_paged(), status::type);
    CHECK_THROWS(coo.composite(), status::type);
    CHECK_THROWS(coo.private_layout(), status::type);
    CHECK_THROWS(coo.opaque_bytes(), status::type);

    CHECK_EQ(again(builder(element_type::float32, {3, 4}).csr(2)).csr_nnz(), 2u);
    CHECK_EQ(again(builder(element_type::float32, {3, 4}).csc(3)).csc_nnz(), 3u);
    CHECK_THROWS(again(builder(element_type::float32, {3, 4}).csc(3)).coo(), status::type);
    CHECK_THROWS(again(builder(element_type::float32, {3, 4}).csr(3)).csc_nnz(), status::type);

    builder tree(element_type::float32, {2, 3, 4});
    tree.csf(2, {2, 0, 1});
    for (std::uint32_t k = 0; k < 3; k++) {
        tree.buffer_size(2 * k + 1, k == 0 ? 16 : 24).buffer_size(2 * k + 2, 16);
    }
    const hurray::descriptor csf = again(tree);
    CHECK_EQ(csf.csf().nnz, 2u);
    CHECK(check::same(csf.csf().mode_order, std::vector<unsigned>{2, 0, 1}));

    hurray::block_paged pages;
    pages.num_pages = 2;
    pages.page_size = 4;
    pages.num_seqs = 1;
    pages.kv_role = hurray::kv_role::value;
    builder paged(element_type::float16, {8, 2, 4});
    hurray::block_paged found = again(paged.block_paged(pages).buffer_size(1, 8)).block_paged();
    CHECK_EQ(found.num_pages, 2u);
    CHECK_EQ(found.page_size, 4u);
    CHECK_EQ(found.num_seqs, 1u);
    CHECK(found.kv_role == hurray::kv_role::value);
    CHECK(!found.layer_index);
    CHECK(found.block_table_index_type == hurray::index_type::u32);
    pages.layer_index = 11;
    pages.block_table_index_type = hurray::index_type::u64;
    found = again(paged.block_paged(pages)).block_paged();
    CHECK_EQ(found.layer_index.value(), 11u);
    CHECK(found.block_table_index_type == hurray::index_type::u64);

    const hurray::descriptor head = again(builder(element_type::float32, {4, 4})
                                              .composite({hurray::rule::overlay,
                                                          hurray::combine::add, 2}));
    CHECK(head.is_composite_head());
    CHECK(head.composite().rule == hurray::rule::overlay);
    CHECK(head.composite().combine == hurray::combine::add);
    CHECK_EQ(head.composite().member_count, 2u);
    CHECK_EQ(head.buffer_count(), 0u);
    CHECK(head.buffers().empty());
}

static void sections() {
    hurray::quantization per_channel;
    per_channel.scheme = hurray::scheme::per_channel_affine;
    per_channel.axis = 0;
    per_channel.scale_buffer = 1;
    per_channel.zero_point_buffer = 2;
    hurray::descriptor d =
        again(builder(element_type::int8, {3, 4}).quantization(per_channel));
    CHECK(d.scheme() == hurray::scheme::per_channel_affine);
    hurray::quantization found = d.quantization().value();
    CHECK(found.scheme == hurray::scheme::per_channel_affine && !found.symmetric);
    CHECK_EQ(found.axis, 0u);
    CHECK(found.scale_type == element_type::float32);
    CHECK_EQ(found.scale_buffer.value(), 1u);
    CHECK_EQ(found.zero_point_buffer.value(), 2u);
    CHECK(found.payload.empty());
    per_channel.symmetric = true;
    per_channel.zero_point_buffer.reset();
    found = again(builder(element_type::int8, {3, 4}).quantization(per_channel))
                .quantization()
                .value();
    CHECK(found.symmetric && !found.zero_point_buffer);
    hurray::quantization per_tensor;
    per_tensor.scheme = hurray::scheme::per_tensor_affine;
    per_tensor.scale = 0.5F;
    per_tensor.zero_point = -3;
    found = again(builder(element_type::int8, {3, 4}).quantization(per_tensor))
                .quantization()
                .value();
    CHECK(!found.scale_buffer && !found.zero_point_buffer);
    CHECK_EQ(found.scale, 0.5F);
    CHECK_EQ(found.zero_point, -3);

    const std::vector<std::uint64_t> parent = {4, 6};
    d = again(builder(element_type::float32, {2, 3}).shard(parent, {1, 2}));
    CHECK(check::same(d.shard().value().parent_shape, parent));
    CHECK(check::same(d.shard().value().shard_offset, std::vector<int>{1, 2}));

    hurray::statistics statistics;
    statistics.nnz = 5;
    d = again(builder(element_type::float32, {2, 3}).statistics(statistics));
    hurray::statistics known = d.statistics().value();
    CHECK_EQ(known.nnz.value(), 5u);
    CHECK(!known.sparsity_ratio && !known.value_range && !known.value_stats && !known.nm &&
          !known.nan_inf);
    statistics.sparsity_ratio = 0.25;
    statistics.value_range = {-1, 2, 2};
    statistics.value_stats = {0.5, 1.5};
    statistics.nm = {2, 4};
    statistics.nan_inf = {true, false};
    known = again(builder(element_type::float32, {2, 3}).statistics(statistics))
                .statistics()
                .value();
    CHECK_EQ(known.sparsity_ratio.value(), 0.25);
    CHECK_EQ(known.value_range.value().value_min, -1.0);
    CHECK_EQ(known.value_range.value().value_max, 2.0);
    CHECK_EQ(known.value_range.value().value_abs_max, 2.0);
    CHECK_EQ(known.value_stats.value().value_mean, 0.5);
    CHECK_EQ(known.value_stats.value().value_stddev, 1.5);
    CHECK(known.nm.value().nm_n == 2 && known.nm.value().nm_m == 4);
    CHECK(known.nan_inf.value().has_nan && !known.nan_inf.value().has_inf);

    hurray::extension_type fp24;
    fp24.bit_width = 24;
    fp24.is_float = true;
    fp24.sign_bits = 1;
    fp24.exponent_bits = 7;
    fp24.mantissa_bits = 16;
    fp24.exponent_bias = 63;
    fp24.has_nan = true;
    d = again(builder(element_type{0xF0}, {2, 3}).extension_type(fp24));
    CHECK(d.type() == element_type{0xF0});
    CHECK_EQ(hurray::name(d.type()), "private");
    CHECK_EQ(d.element_bits(), 24u);
    const hurray::extension_type type = d.extension_type().value();
    CHECK(type.is_float && !type.is_signed && type.has_nan && !type.has_inf);
    CHECK(type.sign_bits == 1 && type.exponent_bits == 7 && type.mantissa_bits == 16);
    CHECK_EQ(type.exponent_bias, 63u);
    CHECK_EQ(int{type.packing_factor}, 1);

    d = again(builder(element_type::float32, {2, 3})
                  .member_role(hurray::member_role::base)
                  .shard({2, 3}, {0, 0}));
    CHECK(d.member_role() == hurray::member_role::base);
}

// What no builder makes.
static void permissive_ones() {
    const auto decoded = [](unsigned char tag, std::string_view rest) {
        std::string bytes(36, '\0');
        bytes.replace(0, 6, std::string("HRRY\1\0", 6));
        bytes[6] = static_cast<char>(36 + rest.size());
        bytes[14] = HRRY_TYPE_UINT8;
        bytes[15] = static_cast<char>(tag);
        bytes[16] = 1; // rank
        bytes[20] = 4; // shape
        bytes += rest;
        CHECK_THROWS(hurray::descriptor::decode(hurray::as_bytes(bytes)),
                     tag < 0xF0 ? status::reserved_tag : status::private_tag);
        return hurray::descriptor::decode(hurray::as_bytes(bytes), true);
    };
    // extension_layout_id 7, two bytes of its own, one buffer of 4 bytes, aligned to 64.
    const hurray::descriptor own = decoded(
        0xF0, std::string_view("\7\0\0\0\0\0\0\0\2\0\0\0hi"
                               "\1\4\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 31));
    CHECK_EQ(own.private_layout().extension_layout_id, 7u);
    CHECK(check::same(own.private_layout().data, hurray::as_bytes(std::string("hi"))));
    const hurray::descriptor opaque = decoded(0x20, "whatever");
    CHECK(opaque.is_opaque());
    CHECK(check::same(opaque.opaque_bytes(), hurray::as_bytes(std::string("whatever"))));
    CHECK_THROWS(opaque.data_len(4096), status::unsupported);
    CHECK(check::same(opaque.encode(), opaque.bytes()));
}

static void what_is_refused() {
    builder made(element_type::float32, {2, 3});
    CHECK_THROWS(made.strided({1}), status::argument);
    CHECK_THROWS(made.morton({1, 1, 1}), status::argument);
    CHECK_THROWS(made.csf(1, {}), status::argument);
    CHECK_THROWS(made.shard({2}, {0, 0}), status::argument);
    CHECK_THROWS(made.shard({2, 3}, {0, 0, 0}), status::argument);
    CHECK_THROWS(made.tiled({hurray::tiles{}}), status::argument);
    CHECK_THROWS(made.tiled({}), status::forbidden);
    hurray::tiles level;
    const std::uint64_t tile_shape[] = {1, 1};
    level.tile_shape = tile_shape;
    level.outer_layout = layout::strided;
    CHECK_THROWS(made.tiled({level}), status::argument);
    CHECK_THROWS(made.shard({1, 1}, {0, 0}).build(), status::forbidden);
    CHECK_THROWS(builder(element_type{0}, {1}), status::argument);
    CHECK_THROWS(builder(element_type::int8, std::vector<std::uint64_t>(65, 1)), status::forbidden);
    CHECK_THROWS(hurray::descriptor::decode({}), status::truncated);

    // Nobody's.
    builder taken = std::move(made);
    CHECK(taken && !made);
    CHECK_THROWS(made.build(), status::argument);
    CHECK_THROWS(builder().csr(1), status::argument);
    CHECK(!hurray::descriptor());
    CHECK_EQ(hurray::descriptor().rank(), 0u);
}

static void ownership() {
    hurray::descriptor first = builder(element_type::float32, {2, 3}).build();
    const hurray::descriptor_view view = first;
    hurray::descriptor second = std::move(first);
    CHECK(second && !first);
    CHECK(first.c_handle() == nullptr && first.shape().empty());
    CHECK(view.c_handle() == second.c_handle());
    first = std::move(second);
    CHECK(first && !second);
    second = builder(element_type::int8, {1}).build();
    second = std::move(first);
    CHECK_EQ(second.rank(), 2u);
    first = hurray::descriptor::adopt(second.release());
    CHECK(first && !second);
    CHECK_EQ(first.rank(), 2u);
}

static void names() {
    CHECK_EQ(hurray::name(element_type::bfloat16), "bfloat16");
    CHECK_EQ(hurray::name(layout::block_paged), "block_paged");
    CHECK_EQ(hurray::name(hurray::scheme::nf4), "nf4");
    CHECK_EQ(hurray::name(hurray::device::webgpu), "webgpu");
    CHECK_EQ(hurray::name(status::not_found), "not found");
    CHECK_EQ(hurray::name(hurray::value_type::f64), "f64");
    CHECK_EQ(hurray::name(hurray::value_type{99}), "invalid");
    CHECK(hurray::find_element_type("bfloat16") == element_type::bfloat16);
    CHECK(hurray::find_layout("csr") == layout::csr);
    CHECK(hurray::find_scheme("mxfp") == hurray::scheme::mxfp);
    CHECK(hurray::find_device("cuda") == hurray::device::cuda);
    CHECK(!hurray::find_element_type("") && !hurray::find_layout("x"));
    CHECK(!hurray::find_scheme("x") && !hurray::find_device("x"));
    CHECK_EQ(hurray::bits(element_type::complex64), 64u);
    CHECK_EQ(hurray::bits(element_type{0xF0}), 0u);
    CHECK_EQ(hurray::abi_version(), std::uint32_t{HRRY_ABI_VERSION});
    CHECK(!hurray::version().empty());
}

int main() {
    fields_that_all_have();
    dense_layouts();
    other_layouts();
    sections();
    permissive_ones();
    what_is_refused();
    ownership();
    names();
    return 0;
}
