// hurray.hpp: opening in every way, tensors, buffers and typed spans, keys, loading, validation,
// and how long what is borrowed lives. cpp_read.cc is the other half of this program.
#include "check.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <future>
#include <thread>
#include <unistd.h>

using hurray::element_type;
using hurray::layout;
using hurray::status;
using std::string_view_literals::operator""sv;

// A 24-bit float of somebody's own.
struct fp24 { std::uint8_t bits[3]; };
template <> struct hurray::element<fp24> {
    static constexpr hurray::element_type type{0xF0};
};

// In cpp_read.cc, another translation unit that includes hurray.hpp.
std::string names_of(const hurray::file &file);
hurray::error thrown_elsewhere(const hurray::file &file);

static hurray::extension_type fp24_fields() {
    hurray::extension_type fields;
    fields.bit_width = 24;
    fields.is_float = true;
    fields.sign_bits = 1;
    fields.exponent_bits = 7;
    fields.mantissa_bits = 16;
    fields.exponent_bias = 63;
    return fields;
}

// A file with a tensor of every kind that the tests ask for.
static const std::vector<std::byte> &small() {
    static const std::vector<std::byte> file = check::written([](hurray::writer &w) {
        w.kv("general.name", "small").kv("layers", 12).kv("ids", {1U, 2U, 3U});
        w.dense("floats", {2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5});
        w.dense("bytes\0 too"sv, {4}, std::vector<std::uint8_t>{9, 8, 7, 6});
        w.dense("halves", {2}, std::vector<hurray::float16>{{0x3C00}, {0xC000}});
        w.dense("complex", {1}, std::vector<std::complex<double>>{{1, -1}});
        w.dense("scalar", {}, std::vector<std::int64_t>{-7});
        w.dense("empty", {0, 4}, std::vector<double>{});
        w.dense("nibbles", element_type::int4, {3}, hurray::as_bytes("\x21\x03", 2));
        const fp24 own[] = {{{1, 2, 3}}, {{4, 5, 6}}};
        const hurray::descriptor private_type =
            hurray::builder(element_type{0xF0}, {2}).extension_type(fp24_fields()).build();
        w.tensor("own", private_type, {hurray::as_bytes(own)});
        const float column[] = {1, 2, 3, 4};
        w.tensor("column", hurray::builder(element_type::float32, {2, 2}).column_major().build(),
                 {hurray::as_bytes(column)});
        const hurray::descriptor shifted = hurray::builder(element_type::float32, {2})
                                               .byte_offset(8)
                                               .buffer_size(0, 16)
                                               .build();
        w.tensor("shifted", shifted, {hurray::as_bytes(column)});
        const float values[] = {5, 6};
        const std::uint64_t columns[] = {1, 3}, rows[] = {0, 1, 2, 2};
        w.tensor("sparse", hurray::builder(element_type::float32, {3, 4}).csr(2).build(),
                 {hurray::as_bytes(values), hurray::as_bytes(columns), hurray::as_bytes(rows)});
        const hurray::descriptor head = hurray::builder(element_type::float32, {1})
                                            .composite({hurray::rule::group,
                                                        hurray::combine::none, 0})
                                            .build();
        w.composite_begin("head", head, {}).composite_end();
        const std::vector<std::uint64_t> any = {hurray::dynamic};
        w.tensor("dynamic", hurray::builder(element_type::float32, any).buffer_size(0, 16).build(),
                 {hurray::as_bytes(column)});
    });
    return file;
}

// The same with its data at addresses that suit nothing above a byte.
static hurray::bytes odd() {
    static std::vector<std::byte> shifted;
    shifted.assign(1, std::byte{0});
    shifted.insert(shifted.end(), small().begin(), small().end());
    return hurray::bytes(shifted).subspan(1);
}

static void spill(const char *path, hurray::bytes data) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(data.data()),
               static_cast<std::streamsize>(data.size()));
}

static void spans() {
    int numbers[] = {1, 2, 3, 4};
    const hurray::span<int> all = numbers;
    const hurray::span<const int> constant = all;
    CHECK_EQ(all.size(), 4u);
    CHECK_EQ(all.size_bytes(), 4 * sizeof(int));
    CHECK(all.front() == 1 && all.back() == 4 && all[2] == 3);
    CHECK(check::same(constant.first(2), std::vector<int>{1, 2}));
    CHECK(check::same(constant.last(1), std::vector<int>{4}));
    CHECK(check::same(constant.subspan(1), std::vector<int>{2, 3, 4}));
    CHECK(check::same(constant.subspan(1, 2), std::vector<int>{2, 3}));
    CHECK(hurray::span<int>().empty());
    hurray::as_writable_bytes(numbers)[0] = std::byte{9};
    CHECK_EQ(numbers[0], 9);
    static_assert(!std::is_constructible_v<hurray::span<int>, const std::vector<int> &>);
    static_assert(!std::is_constructible_v<hurray::span<const float>, std::vector<int> &>);
    static_assert(!std::is_copy_constructible_v<hurray::file>);
    static_assert(!std::is_copy_constructible_v<hurray::writer>);
    static_assert(std::is_nothrow_move_constructible_v<hurray::file>);
    static_assert(std::is_nothrow_move_assignable_v<hurray::stream>);
    static_assert(std::is_nothrow_copy_constructible_v<hurray::error>);
}

static void every_way_in() {
    spill("small.hrry", small());
    const int fd = open("small.hrry", O_RDONLY);
    hurray::open_options reads, memory, permissive, both;
    reads.reads = both.reads = true;
    memory.memory = both.memory = true;
    permissive.permissive = true;

    hurray::file file = hurray::file::open("small.hrry");
    CHECK(file.access() == hurray::access::mapped);
    CHECK(file.fd() >= 0);
    CHECK_EQ(file.size(), small().size());
    CHECK_EQ(file.info().alignment, 4096u);
    CHECK_EQ(file.info().permissive, 0u);
    CHECK(hurray::file::open(std::string("small.hrry"), reads).access() == hurray::access::reads);
    CHECK(hurray::file::open("small.hrry", memory).access() == hurray::access::memory);
    CHECK_EQ(hurray::file::open("small.hrry", permissive).info().permissive, 1u);
    CHECK_THROWS(hurray::file::open("small.hrry", both), status::argument);
    CHECK_THROWS(hurray::file::open(std::string("small.hrry\0x", 12)), status::argument);

    const hurray::error missing =
        CHECK_THROWS(hurray::file::open("missing.hrry"), status::system);
    CHECK(missing.fault() == hurray::fault::system);
    CHECK_EQ(missing.os_error(), ENOENT);
    CHECK(!missing.offset() && !missing.tensor());
    const hurray::error wrong =
        CHECK_THROWS(hurray::file::open_memory(hurray::bytes(small()).subspan(1)), status::magic);
    CHECK(wrong.fault() == hurray::fault::file);
    CHECK_EQ(wrong.offset().value(), 0u);
    CHECK_EQ(wrong.c_error().status, HRRY_ERROR_MAGIC);

    CHECK_EQ(hurray::file::open_fd(fd).tensor_count(), 13u);
    CHECK_EQ(hurray::file::open_fd(fd, 0, small().size(), reads).tensor_count(), 13u);
    CHECK_THROWS(hurray::file::open_fd(fd, 0, small().size() + 1), status::range);
    CHECK_THROWS(hurray::file::open_fd(-1), status::argument);
    close(fd);

    CHECK_EQ(hurray::file::open_memory(small()).tensor_count(), 13u);
    auto kept = std::make_shared<const std::vector<std::byte>>(small());
    {
        const hurray::file shared = hurray::file::open_shared(*kept, kept);
        CHECK_EQ(kept.use_count(), 2);
        const hurray::file other = shared.share();
        CHECK_EQ(kept.use_count(), 2);
    }
    CHECK_EQ(kept.use_count(), 1);
    CHECK_THROWS(hurray::file::open_shared(hurray::bytes(*kept).subspan(1), kept), status::magic);
    CHECK_EQ(kept.use_count(), 1);
}

static void statistics() {
    const hurray::file file = hurray::file::open_memory(small());
    const hurray::tensor floats = file.tensor("floats");
    const hurray::statistics found = floats.compute_statistics(3);
    CHECK_EQ(found.nnz.value(), 5u);
    CHECK(found.value_range->value_min == 0 && found.value_range->value_max == 5);
    CHECK(found.value_stats->value_mean == 2.5);
    CHECK(found.nm->nm_n == 3 && found.nm->nm_m == 3);
    CHECK(!floats.compute_statistics().nm);
    CHECK_THROWS(floats.compute_statistics(0, [](std::uint64_t, std::uint64_t) { return false; }),
                 status::cancelled);
    CHECK_THROWS(file.tensor("head").compute_statistics(), status::state);
}

static void owners() {
    hurray::file file = hurray::file::open_memory(small());
    const hurray::tensor floats = file.tensor("floats");
    hurray::file other = file.share();
    CHECK(file.c_handle() == other.c_handle());
    file = hurray::file();
    CHECK(!file && other);
    CHECK_EQ(floats.name(), "floats");
    const hurray::file moved = std::move(other);
    CHECK(!other && moved);
    CHECK_EQ(floats.elements<float>()[5], 5.0F);

    CHECK_EQ(other.tensor_count(), 0u);
    CHECK(other.tensors().empty() && !other.find("floats") && !other.find_kv("layers"));
    CHECK_THROWS(other.tensor("floats"), status::argument);
    CHECK_THROWS(other.info(), status::argument);
    CHECK(!other.share());
    file = hurray::file::adopt(moved.share().release());
    CHECK_EQ(file.tensor_count(), 13u);
}

static void iteration() {
    const hurray::file file = hurray::file::open_memory(small());
    std::size_t count = 0;
    for (hurray::tensor tensor : file.tensors()) {
        CHECK_EQ(tensor.index(), count);
        CHECK_EQ(tensor.name(), file.names()[count]);
        CHECK(tensor.c_handle() == file.tensor(count).c_handle());
        CHECK_EQ(file.find_index(tensor.name()).value(), count);
        CHECK(file.find(tensor.name())->c_handle() == tensor.c_handle());
        std::uint32_t buffers = 0;
        for (const hurray::buffer &buffer : tensor.buffers()) {
            CHECK_EQ(buffer.index(), buffers);
            CHECK_EQ(buffer.size(), tensor.descriptor().buffer(buffers).byte_size);
            buffers++;
        }
        CHECK_EQ(buffers, tensor.buffer_count());
        CHECK_THROWS(tensor.buffer(buffers), status::index);
        count++;
    }
    CHECK_EQ(count, file.tensor_count());
    CHECK_THROWS(file.tensor(count), status::index);
    CHECK_THROWS(file.tensors()[count], status::index);
    CHECK_THROWS(file.names()[count], status::index);
    CHECK_THROWS(file.tensor("nothing"), status::not_found);
    CHECK(!file.find("nothing") && !file.find_index("nothing"));
    CHECK_EQ(file.tensor("bytes\0 too"sv).name(), "bytes\0 too"sv);
    CHECK(!file.find("bytes"));

    std::uint64_t end = 0;
    for (const hurray::entry &entry : file.entries()) {
        CHECK(entry.descriptor_offset >= end && entry.data_offset > entry.descriptor_offset);
        end = entry.data_offset + entry.data_len;
    }

    const hurray::range names = file.names();
    const std::vector<std::string> copied(names.begin(), names.end());
    CHECK_EQ(copied.size(), names.size());
    CHECK_EQ(copied[4], "scalar");
    CHECK_EQ(names_of(file).substr(0, 7), "floats,");
    CHECK(thrown_elsewhere(file).status() == status::not_found);

    // By name in the index, as they were written in the file.
    hurray::writer_options sorted;
    sorted.sorted = true;
    const std::vector<std::byte> two = check::written(
        [](hurray::writer &w) {
            w.dense("b", {1}, std::vector<float>{1}).dense("a", {1}, std::vector<float>{2});
        },
        sorted);
    const hurray::file out_of_order = hurray::file::open_memory(two);
    std::string index, place;
    for (std::string_view name : out_of_order.names()) index += name;
    for (hurray::tensor tensor : out_of_order.tensors_in_file_order()) place += tensor.name();
    CHECK_EQ(index, "ab");
    CHECK_EQ(place, "ba");
}

static void typed_spans() {
    const hurray::file file = hurray::file::open_memory(small());
    const hurray::file bent = hurray::file::open_memory(odd());
    hurray::open_options reads;
    reads.reads = true;
    spill("small.hrry", small());
    const hurray::file away = hurray::file::open("small.hrry", reads);
    const auto is = [&](const char *name, const auto &expected) {
        using T = typename std::decay_t<decltype(expected)>::value_type;
        CHECK(check::same(file.tensor(name).elements<T>(), expected));
        for (const hurray::file *each : {&file, &bent, &away})
            CHECK(check::same(each->tensor(name).copy<T>(), expected));
        if (alignof(T) > 1) CHECK_THROWS(bent.tensor(name).elements<T>(), status::misaligned);
        CHECK_THROWS(away.tensor(name).elements<T>(), status::state);
    };
    is("floats", std::vector<float>{0, 1, 2, 3, 4, 5});
    is("complex", std::vector<std::complex<double>>{{1, -1}});
    is("scalar", std::vector<long long>{-7});
    is("column", std::vector<float>{1, 2, 3, 4});
    is("shifted", std::vector<float>{3, 4});
    CHECK(check::same(bent.tensor("bytes\0 too"sv).elements<unsigned char>(),
                      std::vector<int>{9, 8, 7, 6}));
    CHECK_EQ(file.tensor("halves").elements<hurray::float16>()[1].bits, 0xC000);
    CHECK_EQ(int{file.tensor("own").elements<fp24>()[1].bits[2]}, 6);
    CHECK_EQ(int{bent.tensor("own").elements<fp24>()[0].bits[1]}, 2);
    for (const hurray::file *each : {&file, &bent, &away}) {
        CHECK(each->tensor("empty").elements<double>().empty());
        CHECK(each->tensor("empty").copy<double>().empty());
    }

    const hurray::error another =
        CHECK_THROWS(file.tensor("floats").elements<double>(), status::type);
    CHECK_EQ(another.what(), "the elements of floats are float32, not float64"sv);
    CHECK(another.fault() == hurray::fault::caller);
    CHECK_THROWS(file.tensor("floats").elements<std::int32_t>(), status::type);
    CHECK_THROWS(file.tensor("floats").copy<std::uint32_t>(), status::type);
    CHECK_THROWS(file.tensor("floats").stored<double>(), status::type);
    CHECK_THROWS(file.tensor("halves").elements<std::uint16_t>(), status::type);
    CHECK_THROWS(file.tensor("nibbles").elements<std::int8_t>(), status::type);
    CHECK_THROWS(file.tensor("sparse").elements<float>(), status::type);
    CHECK_THROWS(file.tensor("sparse").copy<float>(), status::type);
    CHECK_THROWS(file.tensor("head").elements<float>(), status::type);
    CHECK_THROWS(file.tensor("head").stored<float>(), status::index);
    CHECK_THROWS(file.tensor("dynamic").elements<float>(), status::rule);
    CHECK(check::same(file.tensor("dynamic").stored<float>(), std::vector<int>{1, 2, 3, 4}));

    const hurray::tensor sparse = file.tensor("sparse");
    CHECK(check::same(sparse.stored<float>(), std::vector<int>{5, 6}));
    CHECK(check::same(sparse.buffer(1).as<std::uint64_t>(), std::vector<unsigned>{1, 3}));
    CHECK_THROWS(bent.tensor("sparse").buffer(1).as<std::uint64_t>(), status::misaligned);
    CHECK(check::same(bent.tensor("sparse").buffer(2).copy<std::uint64_t>(),
                      std::vector<unsigned>{0, 1, 2, 2}));
    const hurray::buffer nibbles = file.tensor("nibbles").buffer(0);
    CHECK(check::same(nibbles.bytes(), hurray::as_bytes("\x21\x03", 2)));
    CHECK_THROWS(nibbles.as<std::uint32_t>(), status::range);
    CHECK_THROWS(nibbles.copy<std::uint32_t>(), status::range);
    CHECK(nibbles.in_memory() && nibbles.alignment() >= 1 && nibbles.declared_alignment() == 64);
    CHECK(nibbles.device() == hurray::device::cpu);
    const hurray::buffer unmapped = away.tensor("nibbles").buffer(0);
    CHECK(!unmapped.in_memory() && unmapped.data() == nullptr && unmapped.alignment() == 0);
    CHECK_THROWS(unmapped.bytes(), status::state);
    CHECK_THROWS(unmapped.as<std::uint8_t>(), status::state);
    CHECK(check::same(unmapped.copy(), nibbles.bytes()));

    std::byte two[2];
    file.tensor("floats").read(0, 6, two);
    CHECK(check::same(two, hurray::as_bytes("\x80\x3f", 2)));
    CHECK_THROWS(file.tensor("floats").read(0, 23, two), status::range);
    CHECK_THROWS(file.tensor("floats").read(1, 0, two), status::index);
    CHECK_THROWS(nibbles.read(1, two), status::range);
}

static void facts() {
    const hurray::file file = hurray::file::open_memory(small());
    const hurray::tensor column = file.tensor("column");
    CHECK(column.type() == element_type::float32 && column.layout() == layout::column_major);
    CHECK(column.scheme() == hurray::scheme::none && !column.is_composite_head());
    CHECK_EQ(column.rank(), 2u);
    CHECK_EQ(column.element_count(), 4u);
    CHECK(check::same(column.shape(), std::vector<int>{2, 2}));
    CHECK_EQ(column.info().size, 16u);
    CHECK_EQ(column.descriptor().bytes().size(), file.entries()[column.index()].descriptor_len);
    column.advise(hurray::advice::will_need);
    CHECK_THROWS(column.advise(hurray::advice{99}), status::argument);
    CHECK(file.tensor("head").is_composite_head());
}

static void keys() {
    const hurray::file file = hurray::file::open_memory(small());
    CHECK_EQ(file.kv_count(), 3u);
    CHECK_EQ(file.kv("general.name").get<std::string_view>(), "small");
    CHECK_EQ(file.kv("layers").get<std::int64_t>(), 12);
    std::string all;
    for (hurray::kv kv : file.kvs()) all += std::string(kv.key()) + ' ';
    CHECK_EQ(all, "general.name layers ids ");
    CHECK(!file.find_kv("nothing"));
    CHECK(file.find_kv("ids")->is_array());
    CHECK_THROWS(file.kv("nothing"), status::not_found);
    CHECK_THROWS(file.kvs()[3], status::index);
    const hurray::error other = CHECK_THROWS(file.kv("ids").get<std::int64_t>(), status::type);
    CHECK_EQ(other.what(), "the value of ids is an array of u64, not of type i64"sv);
    CHECK_THROWS(file.kv("layers").get<std::vector<std::string>>(), status::type);
}

static void loading() {
    spill("small.hrry", small());
    const hurray::file file = hurray::file::open("small.hrry");
    float floats[6], tail[1];
    std::vector<std::uint64_t> rows(4);
    file.load({file.tensor("sparse").into(hurray::as_writable_bytes(rows), 2),
               hurray::file::request(0, hurray::as_writable_bytes(floats)),
               hurray::file::request(0, hurray::as_writable_bytes(tail), 0, 20)});
    CHECK(check::same(floats, std::vector<int>{0, 1, 2, 3, 4, 5}));
    CHECK(check::same(rows, std::vector<unsigned>{0, 1, 2, 2}));
    CHECK_EQ(tail[0], 5.0F);
    file.load({});
    std::vector<hrry_load> wrong(1);
    wrong[0] = file.tensor("floats").into(hurray::as_writable_bytes(floats), 1);
    CHECK_THROWS(file.load(wrong), status::index);
    wrong[0] = file.tensor("halves").into(hurray::as_writable_bytes(floats));
    CHECK_THROWS(file.load(wrong), status::range);

    hurray::load_options options;
    options.chunk = 4096;
    std::uint64_t last = 0, calls = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        CHECK(done >= last && done <= total);
        last = done;
        calls++;
        return true;
    };
    const auto request = file.tensor("floats").into(hurray::as_writable_bytes(floats));
    file.load({request}, options);
    CHECK(calls > 0);
    CHECK_EQ(last, sizeof floats);
    options.progress = [](std::uint64_t, std::uint64_t) { return false; };
    CHECK_THROWS(file.load({request}, options), status::cancelled);
    options.progress = [](std::uint64_t, std::uint64_t) -> bool { throw std::string("enough"); };
    try {
        file.load({request}, options);
        CHECK(false);
    } catch (const std::string &text) {
        CHECK_EQ(text, "enough");
    }
}

static void validation() {
    hurray::file file = hurray::file::open_memory(small());
    CHECK(file.validate().valid());
    CHECK(file.validate().problems.empty());

    // Three paddings that are not zero.
    std::vector<std::byte> dirty = small();
    for (std::uint64_t k = 0; k < 3; k++) {
        const hurray::entry entry = file.entries()[k];
        dirty[static_cast<std::size_t>(entry.data_offset + entry.data_len)] = std::byte{1};
    }
    file = hurray::file::open_memory(dirty);
    hurray::validation found = file.validate();
    CHECK(!found.valid());
    CHECK_EQ(found.count, 3u);
    CHECK_EQ(found.problems.size(), 3u);
    CHECK(found.problems[0].status() == status::padding);
    CHECK(found.problems[0].offset() < found.problems[1].offset());
    hurray::validate_options options;
    options.most = 1;
    options.first = 1;
    const hurray::validation second = file.validate(options);
    CHECK_EQ(second.count, 3u);
    CHECK_EQ(second.problems.size(), 1u);
    CHECK_EQ(second.problems[0].what(), std::string_view(found.problems[1].what()));
    options.first = 9;
    CHECK(file.validate(options).problems.empty());
    options.padding = false;
    CHECK(file.validate(options).valid());
    options.descriptors = options.regions = options.composites = options.content = false;
    CHECK_THROWS(file.validate(options), status::argument);
    options.statistics = true;
    CHECK(file.validate(options).valid());
    options.padding = true;
    CHECK_EQ(file.validate(options).count, 3u);
    options.progress = [](std::uint64_t, std::uint64_t) { return false; };
    CHECK_THROWS(file.validate(options), status::cancelled);
    options.progress = [](std::uint64_t, std::uint64_t) -> bool { throw 7; };
    try {
        file.validate(options);
        CHECK(false);
    } catch (int number) {
        CHECK_EQ(number, 7);
    }
}

// From many threads, with a source that is read from all of them, that fails when it is told to,
// and that goes with the last owner.
static void sources() {
    std::atomic<int> alive{0}, failing{0};
    struct source {
        std::atomic<int> *alive, *failing;
        std::unique_ptr<int> only_moved = std::make_unique<int>(1);
        source(std::atomic<int> *count, std::atomic<int> *mode) : alive(count), failing(mode) {
            ++*alive;
        }
        source(source &&other) noexcept : source(other.alive, other.failing) {}
        ~source() { --*alive; }
        void operator()(std::uint64_t offset, hurray::writable_bytes dst) const {
            switch (failing->load()) {
            case 1: throw std::system_error(EAGAIN, std::generic_category());
            case 2: throw std::bad_alloc();
            case 3: throw "out of paper";
            case 4: throw std::system_error(std::make_error_code(std::future_errc::no_state));
            default: break;
            }
            std::copy_n(small().begin() + static_cast<std::ptrdiff_t>(offset), dst.size(),
                        dst.begin());
        }
    };
    {
        hurray::file file = hurray::file::open_source(small().size(), source(&alive, &failing));
        CHECK_EQ(alive.load(), 1);
        std::vector<std::thread> threads;
        for (int k = 0; k < 4; k++) {
            threads.emplace_back([mine = file.share()] {
                for (hurray::tensor tensor : mine.tensors())
                    for (const hurray::buffer &buffer : tensor.buffers()) {
                        CHECK(!buffer.in_memory());
                        CHECK_EQ(buffer.copy().size(), buffer.size());
                    }
            });
        }
        const hurray::tensor floats = file.tensor("floats");
        hurray::file mine = std::move(file);
        for (std::thread &thread : threads) thread.join();
        threads.clear();
        const int numbers[] = {EAGAIN, ENOMEM, EIO, EIO};
        for (int k = 0; k < 4; k++) {
            failing = k + 1;
            const hurray::error error = CHECK_THROWS(floats.copy<float>(), status::callback);
            CHECK_EQ(error.os_error(), numbers[k]);
            CHECK_THROWS(hurray::file::open_source(small().size(), source(&alive, &failing)),
                         status::callback);
        }
        failing = 0;
        CHECK_EQ(floats.copy<float>()[5], 5.0F);
        CHECK_EQ(alive.load(), 1);
    }
    CHECK_EQ(alive.load(), 0);
}

int main() {
    spans();
    every_way_in();
    owners();
    statistics();
    iteration();
    typed_spans();
    facts();
    keys();
    loading();
    validation();
    sources();
    return 0;
}
