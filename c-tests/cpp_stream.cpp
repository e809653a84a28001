// hurray.hpp: reading in order, from the caller's bytes and from a pipe, and what a source throws.
#include "check.hpp"

#include <stdexcept>
#include <thread>
#include <unistd.h>

using hurray::status;
using std::string_view_literals::operator""sv;

static std::vector<std::byte> small(std::uint64_t count_hint) {
    hurray::writer_options options;
    options.count_hint = count_hint;
    return check::written(
        [](hurray::writer &w) {
            w.kv("key", "value");
            w.dense("a", {2}, std::vector<float>{1, 2});
            w.dense("b", {1000}, std::vector<std::uint16_t>(1000, 7));
        },
        options);
}

// Hands out so many bytes at a time.
static auto in_pieces(hurray::bytes bytes, std::size_t piece) {
    return [=, at = std::size_t{0}](hurray::writable_bytes dst) mutable {
        const std::size_t len = std::min({piece, dst.size(), bytes.size() - at});
        std::copy_n(bytes.begin() + at, len, dst.begin());
        at += len;
        return len;
    };
}

static void in_order(hurray::stream stream, bool whole) {
    std::optional<hurray::descriptor_view> descriptor = stream.next();
    CHECK(descriptor.has_value());
    CHECK(descriptor->type() == hurray::element_type::float32);
    CHECK_EQ(stream.remaining(), 8u);
    float first[1];
    CHECK_EQ(stream.read(hurray::as_writable_bytes(first)), 4u);
    CHECK_EQ(first[0], 1.0F);
    CHECK_EQ(stream.read_rest().size(), 4u);
    CHECK_EQ(stream.read(hurray::as_writable_bytes(first)), 0u);
    descriptor = stream.next();
    CHECK_EQ(descriptor->element_count(), 1000u);
    const std::vector<std::byte> rest = stream.read_rest();
    CHECK(check::same(rest, hurray::as_bytes(std::vector<std::uint16_t>(1000, 7))));
    CHECK(!stream.next());
    hurray::stream moved = std::move(stream);
    CHECK(!stream && moved);
    CHECK_THROWS(stream.next(), status::argument);
    const hurray::file file = moved.finish();
    CHECK_THROWS(moved.next(), status::state);
    CHECK_EQ(file.kv("key").get<std::string_view>(), "value");
    CHECK_EQ(file.names()[1], "b");
    if (whole) CHECK(check::same(file.tensor("a").copy<float>(), std::vector<int>{1, 2}));
}

static void a_source_that_throws(hurray::bytes bytes) {
    bool thrown = false;
    for (std::size_t most = 0; most < bytes.size(); most += 511) {
        std::size_t given = 0;
        bool failed = false;
        auto source = [&, only_moved = std::make_unique<int>(1),
                       read = in_pieces(bytes, 511)](hurray::writable_bytes dst) mutable {
            CHECK(!failed);
            const std::size_t len = read(dst);
            given += len;
            if (given > most) {
                failed = true;
                throw std::runtime_error("connection lost");
            }
            return len;
        };
        try {
            hurray::stream stream;
            stream = hurray::stream::open(std::move(source));
            try {
                while (stream.next()) stream.read_rest();
                stream.finish();
            } catch (const std::runtime_error &) {
                CHECK_THROWS(stream.next(), status::state);
                throw;
            }
            CHECK(false);
        } catch (const std::runtime_error &error) {
            CHECK_EQ(error.what(), "connection lost"sv);
            thrown = true;
        }
    }
    CHECK(thrown);
}

int main() {
    for (std::uint64_t hint : {0U, 2U}) {
        const std::vector<std::byte> bytes = small(hint);
        for (std::size_t piece : {std::size_t{1}, std::size_t{777}, bytes.size()})
            in_order(hurray::stream::open(in_pieces(bytes, piece)), hint == 0);

        int ends[2];
        CHECK_EQ(pipe(ends), 0);
        std::thread sender([&] {
            CHECK(write(ends[1], bytes.data(), bytes.size()) ==
                  static_cast<ssize_t>(bytes.size()));
            close(ends[1]);
        });
        in_order(hurray::stream::open_fd(ends[0]), hint == 0);
        sender.join();
        close(ends[0]);

        CHECK_THROWS(hurray::stream::open(in_pieces(hurray::bytes(bytes).subspan(1), 99)),
                     status::magic);
        CHECK_THROWS(hurray::stream::open(in_pieces(hurray::bytes(bytes).first(99), 99)).finish(),
                     status::truncated);
        a_source_that_throws(bytes);
        hurray::stream_options options;
        options.permissive = true;
        options.memory_limit = 64;
        CHECK_THROWS(hurray::stream::open(in_pieces(bytes, 99), options).finish(), status::limit);
    }
    CHECK_THROWS(hurray::stream::open_fd(-1), status::argument);
    return 0;
}
