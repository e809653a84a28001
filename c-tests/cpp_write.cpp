// hurray.hpp: writing, by every way and of everything, and what comes out when it is read again;
// what is refused, and what a sink throws.
#include "check.hpp"

#include <array>
#include <deque>
#include <fcntl.h>
#include <list>
#include <stdexcept>
#include <unistd.h>

using hurray::builder;
using hurray::element_type;
using hurray::status;
using std::string_view_literals::operator""sv;

static void every_value() {
    const std::byte opaque[] = {std::byte{1}, std::byte{0}};
    const std::vector<std::byte> more = {std::byte{7}};
    std::vector<std::string> many;
    for (int k = 0; k < 1000; k++) many.push_back("token " + std::to_string(k));
    const std::vector<std::byte> bytes = check::written([&](hurray::writer &w) {
        w.kv("literal", "text").kv("view", "with\0zero"sv).kv("string", std::string());
        w.kv("i64", std::int64_t{-5}).kv("int", -1).kv("short", static_cast<short>(2));
        w.kv("u64", ~std::uint64_t{0}).kv("unsigned", 3U).kv("byte", std::uint8_t{255});
        w.kv("f64", 0.5).kv("float", 0.25F);
        w.kv("true", true).kv("false", false);
        w.kv("bytes", opaque).kv("vector of bytes", more);
        w.kv("strings", many).kv("literals", {"a", "", "c"});
        w.kv("list", std::list<std::string_view>{"x", "y\0z"sv});
        w.kv("ints", std::vector<int>{1, -2}).kv("longs", std::array<std::int64_t, 1>{4});
        w.kv("sizes", std::vector<std::size_t>{1, 2}).kv("floats", {0.5F, 1.5F});
        w.kv("doubles", std::deque<double>{-0.0}).kv("none", std::vector<double>{});
        w.kv("bools", std::vector<bool>{true, false, true}).kv("flags", {false, true});
        w.kv("many bytes", std::vector<hurray::bytes>{opaque, more, {}});
    });
    const hurray::file file = hurray::file::open_memory(bytes);
    using hurray::value_type;
    const auto is = [&](std::string_view key, const auto &expected) {
        using T = std::decay_t<decltype(expected)>;
        CHECK(file.kv(key).get<T>() == expected);
        CHECK(!file.kv(key).is_array());
        CHECK(file.kv(key).at<T>(0) == expected);
        CHECK_EQ(file.kv(key).size(), 1u);
        CHECK(file.kv(key).get<std::vector<T>>() == std::vector<T>{expected});
        CHECK_THROWS(file.kv(key).at<T>(1), status::index);
    };
    is("literal", "text"sv);
    is("literal", std::string("text"));
    is("view", "with\0zero"sv);
    is("string", ""sv);
    is("i64", std::int64_t{-5});
    is("int", std::int64_t{-1});
    is("short", std::int64_t{2});
    is("u64", ~std::uint64_t{0});
    is("unsigned", std::uint64_t{3});
    is("byte", std::uint64_t{255});
    is("f64", 0.5);
    is("float", 0.25);
    is("true", true);
    is("false", false);
    CHECK(check::same(file.kv("bytes").get<hurray::bytes>(), opaque));
    CHECK(check::same(file.kv("vector of bytes").get<hurray::bytes>(), more));

    const auto are = [&](std::string_view key, const auto &expected) {
        using T = typename std::decay_t<decltype(expected)>::value_type;
        CHECK(file.kv(key).type() == value_type::array && file.kv(key).is_array());
        CHECK_EQ(file.kv(key).size(), expected.size());
        CHECK(file.kv(key).get<std::vector<T>>() == expected);
        CHECK(!file.kv(key).get_if<T>());
        for (std::size_t k = 0; k < expected.size(); k++)
            CHECK(file.kv(key).at<T>(k) == expected[k]);
        CHECK_THROWS(file.kv(key).at<T>(expected.size()), status::index);
    };
    are("strings", many);
    are("strings", std::vector<std::string_view>(many.begin(), many.end()));
    are("literals", std::vector<std::string>{"a", "", "c"});
    are("list", std::vector<std::string_view>{"x", "y\0z"sv});
    are("ints", std::vector<std::int64_t>{1, -2});
    are("longs", std::vector<std::int64_t>{4});
    are("sizes", std::vector<std::uint64_t>{1, 2});
    are("floats", std::vector<double>{0.5, 1.5});
    are("doubles", std::vector<double>{-0.0});
    are("none", std::vector<double>{});
    are("bools", std::vector<bool>{true, false, true});
    are("flags", std::vector<bool>{false, true});
    CHECK_EQ(file.kv("doubles").data().size(), 8u);
    const auto opaques = file.kv("many bytes").get<std::vector<hurray::bytes>>();
    CHECK_EQ(opaques.size(), 3u);
    CHECK(check::same(opaques[0], opaque) && check::same(opaques[1], more) && opaques[2].empty());
    CHECK(check::same(file.kv("many bytes").at<hurray::bytes>(0), opaque));

    // Nothing is converted.
    CHECK(!file.kv("int").get_if<std::uint64_t>() && !file.kv("int").get_if<double>());
    CHECK(!file.kv("none").get_if<std::vector<bool>>());
    CHECK_THROWS(file.kv("true").get<std::int64_t>(), status::type);
    CHECK_THROWS(file.kv("strings").at<bool>(0), status::type);
    CHECK_THROWS(file.kv("bytes").get<std::string>(), status::type);
}

static void keys_that_are_refused() {
    std::vector<std::byte> bytes = check::written([](hurray::writer &w) {
        w.kv("key", 1);
        CHECK_THROWS(w.kv("key", 2), status::forbidden);
        CHECK_THROWS(w.kv("", 2), status::forbidden);
        CHECK_THROWS(w.kv("text", "\xff"), status::forbidden);
        CHECK_THROWS(w.kv("\xff", true), status::forbidden);
        CHECK_THROWS(w.kv("texts", {"fine", "\xff"}), status::forbidden);
        w.dense("a", {1}, std::vector<float>{1});
        CHECK_THROWS(w.kv("late", 2), status::state);
    });
    CHECK_EQ(hurray::file::open_memory(bytes).kv_count(), 1u);
}

static void tensors() {
    const std::array<float, 2> values = {1, 2};
    const std::array<std::uint64_t, 2> columns = {1, 3};
    const std::array<std::uint64_t, 4> rows = {0, 1, 2, 2};
    const hurray::descriptor csr = builder(element_type::float32, {3, 4}).csr(2).build();
    const std::vector<hurray::bytes> buffers = {hurray::as_bytes(values), hurray::as_bytes(columns),
                                                hurray::as_bytes(rows)};
    const std::vector<std::byte> bytes = check::written([&](hurray::writer &w) {
        const float array[2][2] = {{1, 2}, {3, 4}};
        w.dense("array", {2}, array[1]);
        w.dense("span", {2}, hurray::span<const float>(values));
        const std::vector<std::uint64_t> shape = {1, 2};
        w.dense("shape", shape, values);
        w.dense("packed", element_type::boolean, {3}, hurray::as_bytes("\xff", 1));
        CHECK_THROWS(w.dense("short", {3}, values), status::room);
        CHECK_THROWS(w.dense("array", {2}, values), status::forbidden);
        CHECK_THROWS(w.dense("", {2}, values), status::forbidden);
        CHECK_THROWS(w.dense("r", std::vector<std::uint64_t>(65, 1), values), status::forbidden);
        CHECK_EQ(w.tensor_count(), 4u);

        w.tensor("csr", csr, buffers);
        w.tensor_raw("raw", csr.bytes(), {buffers[0], buffers[1], buffers[2]});
        CHECK_THROWS(w.tensor("few", csr, {buffers[0]}), status::room);
        CHECK_THROWS(w.tensor_raw("bad", csr.bytes().subspan(1), buffers), status::forbidden);

        CHECK_THROWS(w.write(buffers[0]), status::state);
        CHECK_THROWS(w.end(), status::state);
        w.begin("pieces", csr);
        CHECK_THROWS(w.finish(), status::state);
        CHECK_THROWS(w.dense("inside", {2}, values), status::state);
        w.write(buffers[0].first(3)).write(buffers[0].subspan(3));
        CHECK_THROWS(w.end(), status::forbidden);
        w.write(buffers[1]).write(buffers[2]);
        CHECK_THROWS(w.write(buffers[0]), status::range);
        w.end();
        w.begin_raw("raw pieces", csr.bytes());
        for (hurray::bytes buffer : buffers) w.write(buffer);
        w.end();
    });
    const hurray::file file = hurray::file::open_memory(bytes);
    CHECK_EQ(file.tensor_count(), 8u);
    CHECK(file.validate().valid());
    CHECK(check::same(file.tensor("array").elements<float>(), std::vector<int>{3, 4}));
    CHECK(check::same(file.tensor("span").elements<float>(), values));
    CHECK_EQ(file.tensor("shape").rank(), 2u);
    CHECK(check::same(file.tensor("packed").buffer(0).bytes(), hurray::as_bytes("\7", 1)));
    for (const char *name : {"csr", "raw", "pieces", "raw pieces"}) {
        const hurray::tensor tensor = file.tensor(name);
        CHECK(check::same(tensor.descriptor().bytes(), csr.bytes()));
        CHECK(check::same(tensor.stored<float>(), values));
        CHECK(check::same(tensor.buffer(1).as<std::uint64_t>(), columns));
        CHECK(check::same(tensor.buffer(2).as<std::uint64_t>(), rows));
    }
}

static void composites() {
    using hurray::descriptor;
    const auto part = [](std::uint64_t offset) {
        return builder(element_type::float32, {2}).shard({4}, {offset}).build();
    };
    const auto head = [](hurray::rule rule, std::uint32_t count) {
        return builder(element_type::float32, {4})
            .composite({rule, hurray::combine::none, count})
            .build();
    };
    const descriptor whole = head(hurray::rule::partition, 2), first = part(0), second = part(2);
    const descriptor group = head(hurray::rule::group, 2);
    const std::array<float, 2> values = {1, 2};
    const std::vector<hurray::bytes> buffers = {hurray::as_bytes(values)};
    const std::vector<std::byte> bytes = check::written([&](hurray::writer &w) {
        CHECK_THROWS(w.composite_begin("w", whole, {first, first}), status::forbidden);
        CHECK_THROWS(w.tensor("w", whole, {}), status::state);
        CHECK_THROWS(w.composite_end(), status::state);
        w.composite_begin("w", whole, {first, second});
        CHECK_THROWS(w.tensor("w.1", second, buffers), status::forbidden);
        w.tensor("w.0", first, buffers);
        CHECK_THROWS(w.composite_end(), status::forbidden);
        CHECK_THROWS(w.finish(), status::state);
        w.begin("w.1", second).write(buffers[0]).end().composite_end();

        // Members in a container, a head among them.
        std::vector<descriptor> members;
        members.push_back(head(hurray::rule::partition, 2));
        members.push_back(part(0));
        members.push_back(part(2));
        members.push_back(builder(element_type::float32, {2}).build());
        const std::vector<hurray::descriptor_view> views(members.begin(), members.end());
        w.composite_begin("g", group, views).tensor("g.w", members[0], {});
        for (const char *name : {"g.0", "g.1", "g.2"})
            w.tensor(name, members[static_cast<std::size_t>(name[2] - '0') + 1], buffers);
        w.composite_end();
    });
    const hurray::file file = hurray::file::open_memory(bytes);
    CHECK_EQ(file.tensor_count(), 8u);
    CHECK(file.validate().valid());
    CHECK(check::same(file.tensor("w.1").elements<float>(), values));
    CHECK_EQ(file.tensor("g").descriptor().composite().member_count, 2u);
}

static void options() {
    const auto info = [](const hurray::writer_options &options) {
        const std::vector<std::byte> bytes = check::written(
            [](hurray::writer &w) { w.dense("a", {1}, std::vector<float>{1}); }, options);
        return hurray::file::open_memory(bytes).info();
    };
    hrry_file_facts facts = info({});
    CHECK_EQ(facts.alignment, 4096u);
    CHECK_EQ(facts.flags, std::uint32_t{HRRY_FILE_HAS_CRC});
    CHECK_EQ(facts.tensor_count_hint, hurray::unknown);
    hurray::writer_options o;
    o.alignment = 8192;
    o.sorted = true;
    o.crc = false;
    o.count_hint = 1;
    facts = info(o);
    CHECK_EQ(facts.alignment, 8192u);
    CHECK_EQ(facts.flags, std::uint32_t{HRRY_FILE_SORTED});
    CHECK_EQ(facts.tensor_count_hint, 1u);
    o.count_hint = 2;
    CHECK_THROWS(info(o), status::forbidden);
    o.alignment = 5;
    CHECK_THROWS(info(o), status::forbidden);

    const float value[] = {1};
    const hurray::descriptor wide =
        builder(element_type::float32, {1}).alignment(1 << 16).build();
    const auto put = [&](hurray::writer &w) { w.tensor("wide", wide, {hurray::as_bytes(value)}); };
    CHECK_THROWS(check::written(put), status::forbidden);
    hurray::writer_options lower;
    lower.lower_alignment = true;
    CHECK(!check::written(put, lower).empty());
}

static void paths_and_descriptors() {
    hurray::writer_options options;
    options.sync = false;
    {
        hurray::writer w = hurray::writer::create("a.hrry", options);
        w.dense("a", {1}, std::vector<float>{1});
        CHECK_THROWS(hurray::file::open("a.hrry"), status::system);
        w.finish();
        CHECK_THROWS(w.finish(), status::state);
    }
    CHECK_EQ(hurray::file::open("a.hrry").tensor_count(), 1u);
    // Given up.
    {
        hurray::writer w = hurray::writer::create("a.hrry", options);
        w.dense("b", {1}, std::vector<float>{1});
        w = hurray::writer::create(std::string("a.hrry"));
    }
    CHECK(hurray::file::open("a.hrry").find("a").has_value());
    CHECK_THROWS(hurray::writer::create(std::string("a\0b", 3)), status::argument);
    CHECK_THROWS(hurray::writer::create("missing/a.hrry"), status::system);

    const int fd = open("b.hrry", O_CREAT | O_RDWR, 0600);
    hurray::writer w = hurray::writer::create_fd(fd, options);
    hurray::writer other = std::move(w);
    CHECK(!w && other);
    CHECK_THROWS(w.kv("key", 1), status::argument);
    other.dense("a", {1}, std::vector<float>{1}).finish();
    CHECK_EQ(hurray::file::open_fd(fd).tensor_count(), 1u);
    close(fd);
    CHECK_THROWS(hurray::writer::create_fd(-1), status::argument);
}

// What it throws comes out of the call that wrote, and the writer is then done for.
static void a_sink_that_throws() {
    for (const std::size_t room : std::array<std::size_t, 4>{0, 63, 5000, 8300}) {
        std::size_t taken = 0;
        bool refused = false;
        hurray::writer w = hurray::writer::create_sink(
            [&, only_moved = std::make_unique<int>(1)](hurray::bytes data) {
                CHECK(!refused);
                if (taken + data.size() > room) {
                    refused = true;
                    throw std::length_error("the disk is full");
                }
                taken += data.size();
            });
        // It may be moved; the sink goes with it.
        hurray::writer moved;
        moved = std::move(w);
        try {
            const std::vector<float> values(500);
            moved.dense("a", {500}, values).dense("b", {500}, values);
            moved.finish();
            CHECK(false);
        } catch (const std::length_error &error) {
            CHECK_EQ(error.what(), "the disk is full"sv);
        }
        CHECK(refused);
        CHECK_THROWS(moved.dense("c", {1}, std::vector<float>{1}), status::state);
        CHECK_THROWS(moved.finish(), status::state);
    }
}

int main() {
    every_value();
    keys_that_are_refused();
    tensors();
    composites();
    options();
    paths_and_descriptors();
    a_sink_that_throws();
    return 0;
}
