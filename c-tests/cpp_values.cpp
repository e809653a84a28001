// hurray.hpp: values of tensors, of a file and of one's own buffers.
#include "check.hpp"

#include <thread>

using hurray::as;
using hurray::builder;
using hurray::descriptor;
using hurray::element_kind;
using hurray::element_type;
using hurray::status;

// int16 [2, 3], column by column: 1 2 3, 4 5 6.
static const std::vector<std::int16_t> columns = {1, 4, 2, 5, 3, 6};
// uint4 [5]: 5 12 3 0 9.
static const std::vector<std::uint8_t> nibbles = {0xC5, 0x03, 0x09};

template <class Values> static void of_columns(const Values &values) {
    const std::vector<float> all = values.template copy<float>({0, 0}, {2, 3});
    CHECK(check::same(all, std::vector<float>{1, 2, 3, 4, 5, 6}));
    CHECK(check::same(values.template copy<std::int16_t>({0, 1}, {2, 2}),
                      std::vector<std::int16_t>{2, 3, 5, 6}));
    CHECK(check::same(values.template copy<std::int64_t>({1, 2}, {1, 1}),
                      std::vector<std::int64_t>{6}));
    CHECK(values.template copy<double>({1, 2}, {0, 1}).empty());
    CHECK(check::same(values.dequantize(2, 3), std::vector<float>{3, 4, 5}));
    CHECK(check::same(values.template dequantize_box<double>({0, 0}, {2, 1}),
                      std::vector<double>{1, 4}));
    const std::vector<hurray::bfloat16> halves = values.template copy<hurray::bfloat16>({0, 0}, {1, 1});
    CHECK_EQ(halves[0].bits, 0x3F80);

    const hurray::place place = values.locate({0, 2});
    CHECK(place.is_stored && place.element == 4 && place.byte == 8 && place.bit == 0);
    const hurray::element_value element = values.element({1, 1});
    CHECK(element.kind == element_kind::signed_integer && element.is_stored);
    CHECK(element.signed_value == 5 && element.real == 5);
    CHECK(element.bits[0] == std::byte{5} && element.bits[1] == std::byte{0});

    // Into memory that is there, by threads: the same.
    std::vector<float> shared(6);
    const auto part = [&](std::size_t row) {
        values.copy({row, 0}, {1, 3}, element_type::float32,
                    hurray::as_writable_bytes(hurray::span<float>(shared).subspan(row * 3, 3)));
    };
    std::thread second(part, 1u);
    part(0);
    second.join();
    CHECK(check::same(shared, all));

    CHECK_THROWS(values.template copy<float>({0}, {2, 3}), status::argument);
    CHECK_THROWS(values.template copy<float>({0, 0}, {2}), status::argument);
    CHECK_THROWS(values.template copy<float>({0, 1}, {2, 3}), status::range);
    CHECK_THROWS(values.template copy<float>({0, 0}, {hurray::unknown, 2}), status::overflow);
    CHECK_THROWS(values.template copy<std::int32_t>({0, 0}, {2, 3}), status::argument);
    CHECK_THROWS(values.template dequantize<std::int64_t>(0, 6), status::argument);
    CHECK_THROWS(values.dequantize(0, 7), status::index);
    CHECK_THROWS(values.locate({0}), status::argument);
    CHECK_THROWS(values.element({2, 0}), status::index);
    CHECK_THROWS(values.copy({0, 0}, {2, 3}, as::stored, hurray::as_writable_bytes(shared)),
                 status::room);
    CHECK_THROWS(values.locate_token(0, 0, 0, 0), status::type);
    CHECK_THROWS(values.template copy_tokens<float>(0, 0, 1), status::type);
}

template <class Values> static void of_nibbles(const Values &values) {
    std::vector<std::uint8_t> packed(2), apart(4);
    values.copy({1}, {4}, as::stored, hurray::as_writable_bytes(packed));
    CHECK(check::same(packed, std::vector<int>{0x3C, 0x90}));
    values.copy({1}, {4}, as::bytes, hurray::as_writable_bytes(apart));
    CHECK(check::same(apart, std::vector<int>{12, 3, 0, 9}));
    const hurray::place place = values.locate({3});
    CHECK(place.byte == 1 && place.bit == 4);
    CHECK_EQ(values.element({1}).unsigned_value, 12u);
}

// A cache of two sequences, [8, 1, 2] in pages of 2 tokens: both begin with page 1.
static const std::vector<float> pool = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const std::vector<std::uint32_t> table = {1, 0, 1, 2}, pointers = {0, 2, 4};

template <class Values> static void of_pages(const Values &values) {
    CHECK(check::same(values.template copy_tokens<float>(1, 1, 2), std::vector<float>{6, 7, 8, 9}));
    CHECK(check::same(values.template dequantize_tokens<double>(0, 0, 3),
                      std::vector<double>{4, 5, 6, 7, 0, 1}));
    CHECK_EQ(values.locate_token(0, 2, 0, 1).element, 1);
    CHECK(check::same(values.template copy<float>({6, 0, 0}, {2, 1, 2}),
                      std::vector<float>{8, 9, 10, 11}));
    CHECK_THROWS(values.template copy_tokens<float>(0, 0, 5), status::index);
    CHECK_THROWS(values.locate_token(2, 0, 0, 0), status::index);
}

// A sparse quantized vector of 4: what is not stored is 0.
static const std::vector<std::int8_t> codes = {-1, 7};
static const std::vector<std::uint64_t> places = {1, 3};

template <class Values> static void of_codes(const Values &values) {
    CHECK(check::same(values.dequantize(0, 4), std::vector<float>{0, -1.5f, 0, 2.5f}));
    CHECK(check::same(values.template copy<std::int8_t>({0}, {4}), std::vector<int>{0, -1, 0, 7}));
    CHECK(!values.locate({2}).is_stored && values.locate({3}).element == 1);
    CHECK(!values.element({0}).is_stored && values.element({3}).signed_value == 7);
}

int main() {
    const descriptor by_column = builder(element_type::int16, {2, 3}).column_major().build();
    const descriptor below_a_byte = builder(element_type::uint4, {5}).build();
    hurray::block_paged fields;
    fields.num_pages = 3;
    fields.page_size = 2;
    fields.num_seqs = 2;
    const descriptor paged = builder(element_type::float32, {8, 1, 2})
                                 .block_paged(fields)
                                 .buffer_size(1, 16)
                                 .build();
    hurray::quantization scheme;
    scheme.scheme = hurray::scheme::per_tensor_affine;
    scheme.scale = 0.5f;
    scheme.zero_point = 2;
    const descriptor sparse =
        builder(element_type::int8, {4}).coo(2, true).quantization(scheme).build();

    using hurray::as_bytes;
    of_columns(hurray::values(by_column, {as_bytes(columns)}));
    of_nibbles(hurray::values(below_a_byte, {as_bytes(nibbles)}));
    of_pages(hurray::values(paged, {as_bytes(pool), as_bytes(table), as_bytes(pointers)}));
    of_codes(hurray::values(sparse, {as_bytes(codes), as_bytes(places)}));
    CHECK_THROWS(hurray::values(sparse, {as_bytes(codes)}).dequantize(0, 4), status::room);

    const std::vector<std::byte> bytes = check::written([&](hurray::writer &w) {
        w.tensor("columns", by_column, {as_bytes(columns)});
        w.tensor("nibbles", below_a_byte, {as_bytes(nibbles)});
        w.tensor("pages", paged, {as_bytes(pool), as_bytes(table), as_bytes(pointers)});
        w.tensor("codes", sparse, {as_bytes(codes), as_bytes(places)});
    });
    const hurray::file file = hurray::file::open_memory(bytes);
    of_columns(file.tensor("columns"));
    of_nibbles(file.tensor("nibbles"));
    of_pages(file.tensor("pages"));
    of_codes(file.tensor("codes"));
    // All of it in the order of its layout, as before.
    CHECK(check::same(file.tensor("columns").copy<std::int16_t>(), columns));
    return 0;
}
