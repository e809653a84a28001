// hurray.hpp: composites of files, and checked without a file.
#include "check.hpp"

using hurray::builder;
using hurray::descriptor;
using hurray::element_type;
using hurray::status;

static const std::vector<std::uint64_t> whole = {4, 6};

static descriptor head(hurray::rule rule, hurray::combine combine, std::uint32_t member_count) {
    return builder(element_type::int32, whole).composite({rule, combine, member_count}).build();
}

static builder part(std::uint64_t column, std::uint64_t columns) {
    builder part(element_type::int32, {4, columns});
    part.shard(whole, {0, column});
    return part;
}

// Row r, column c of the whole is 10 r + c.
static std::vector<std::int32_t> elements(std::int32_t column, std::int32_t columns) {
    std::vector<std::int32_t> elements;
    for (std::int32_t r = 0; r < 4; r++)
        for (std::int32_t c = column; c < column + columns; c++) elements.push_back(10 * r + c);
    return elements;
}

// A partition of three, an overlay whose correction is its two last columns, and a group.
static std::vector<std::byte> three() {
    return check::written([](hurray::writer &w) {
        const auto add = [&](const char *name, const descriptor &d,
                             const std::vector<std::int32_t> &data) {
            w.tensor(name, d, {hurray::as_bytes(data)});
        };
        const descriptor left = part(0, 1).build(), middle = part(1, 2).build(),
                         right = part(3, 3).build();
        w.composite_begin("parts", head(hurray::rule::partition, hurray::combine::none, 3),
                          {left, middle, right});
        add("left", left, elements(0, 1));
        add("middle", middle, elements(1, 2));
        add("right", right, elements(3, 3));
        w.composite_end();
        const descriptor base = part(0, 6).member_role(hurray::member_role::base).build(),
                         more = part(4, 2).member_role(hurray::member_role::correction).build();
        w.composite_begin("layers", head(hurray::rule::overlay, hurray::combine::add, 2),
                          {base, more});
        add("base", base, elements(0, 6));
        add("more", more, std::vector<std::int32_t>(8, 1000));
        w.composite_end();
        w.composite_begin("group", head(hurray::rule::group, hurray::combine::none, 0), {});
        w.composite_end();
    });
}

static void of_a_file() {
    const std::vector<std::byte> bytes = three();
    hurray::file file = hurray::file::open_memory(bytes);
    CHECK(file.validate().valid());
    CHECK_EQ(file.composite_count(), 3u);
    std::vector<std::uint64_t> heads;
    for (const hurray::composite_facts &facts : file.composites()) {
        CHECK(facts.complete && !facts.outer && facts.level == 1);
        CHECK_EQ(facts.found, facts.promised);
        heads.push_back(facts.head);
    }
    CHECK(check::same(heads, std::vector<int>{0, 4, 7}));
    CHECK_THROWS(file.composites()[3], status::index);
    CHECK_EQ(file.composite_info(4).promised, 2u);
    CHECK_THROWS(file.composite_info(1), status::type);
    CHECK_EQ(*file.composite_of(3), 0u);
    CHECK(!file.composite_of(0) && !file.composite_of(7));
    CHECK_THROWS(file.composite_of(8), status::index);

    hurray::composite parts = file.composite("parts");
    hurray::composite layers = file.composite(4);
    const hurray::composite group = file.composite("group");
    CHECK_THROWS(file.composite("left"), status::type);
    CHECK_THROWS(file.composite("nothing"), status::not_found);
    file = {};

    CHECK_EQ(layers.tensor(), 4u);
    CHECK(parts.rule() == hurray::rule::partition && parts.combine() == hurray::combine::none);
    CHECK(layers.rule() == hurray::rule::overlay && layers.combine() == hurray::combine::add);
    CHECK(parts.is_complete() && parts.is_exact());
    CHECK(check::same(parts.members(), std::vector<int>{1, 2, 3}));
    CHECK(group.members().empty());
    const std::size_t before = parts.memory();
    const hurray::location at = parts.locate({3, 5});
    CHECK_EQ(at.tensor, 3u);
    CHECK(check::same(at.local, std::vector<int>{3, 2}));
    CHECK(parts.memory() > before && before > 3 * (8 + 2 * 16));
    std::uint64_t local[2];
    CHECK_EQ(parts.locate({2, 2}, local), 2u);
    CHECK_EQ(local[1], 1u);
    CHECK(check::same(parts.members_in({0, 0}, {1, 3}), std::vector<int>{1, 2}));
    CHECK(check::same(layers.members_in({0, 4}, {1, 1}), std::vector<int>{5, 6}));
    CHECK(layers.members_in({0, 0}, {0, 0}).empty());

    std::vector<std::int32_t> box(6);
    parts.read({1, 2}, {2, 3}, hurray::as_writable_bytes(box));
    CHECK(check::same(box, std::vector<int>{12, 13, 14, 22, 23, 24}));
    layers.read({1, 2}, {2, 3}, hurray::as_writable_bytes(box));
    CHECK(check::same(box, std::vector<int>{12, 13, 1014, 22, 23, 1024}));
    CHECK_THROWS(parts.read({1, 2}, {2, 2}, hurray::as_writable_bytes(box)), status::room);
    CHECK_THROWS(parts.read({1, 2}, {2, 5}, hurray::as_writable_bytes(box)), status::range);
    CHECK_THROWS(parts.read({1}, {2, 3}, hurray::as_writable_bytes(box)), status::argument);
    CHECK_THROWS(parts.read({1, 2}, {2}, hurray::as_writable_bytes(box)), status::argument);
    CHECK_THROWS(parts.members_in({1, 2, 3}, {1, 1}), status::argument);
    CHECK_THROWS(parts.locate({0, 6}), status::index);
    CHECK_THROWS(parts.locate({0}), status::argument);
    CHECK_THROWS(group.locate({0, 0}), status::type);

    const hurray::composite moved = std::move(parts);
    CHECK(moved && !parts);
    CHECK_EQ(moved.locate({0, 0}).tensor, 1u);
    CHECK_THROWS(parts.locate({0, 0}), status::argument);
    CHECK(parts.members().empty() && !parts.is_complete() && parts.memory() == 0);
}

// More members than fit the first try.
static void many() {
    constexpr std::uint32_t count = 50;
    const std::vector<std::byte> bytes = check::written([](hurray::writer &w) {
        std::vector<descriptor> members;
        for (std::uint32_t k = 0; k < count; k++)
            members.push_back(builder(element_type::uint8, {1}).shard({count}, {k}).build());
        const std::vector<hurray::descriptor_view> views(members.begin(), members.end());
        w.composite_begin("w",
                          builder(element_type::uint8, {count})
                              .composite({hurray::rule::partition, hurray::combine::none, count})
                              .build(),
                          views);
        for (std::uint32_t k = 0; k < count; k++) {
            const std::byte element{static_cast<unsigned char>(k)};
            w.tensor(std::to_string(k), views[k], {{&element, 1}});
        }
        w.composite_end();
    });
    const hurray::composite w = hurray::file::open_memory(bytes).composite("w");
    const std::vector<std::uint64_t> all = w.members_in({0}, {count});
    CHECK(check::same(all, w.members()));
    CHECK_EQ(all.size(), count);
}

static void without_a_file() {
    const descriptor halves = head(hurray::rule::partition, hurray::combine::none, 2);
    hurray::checker checker(halves);
    checker.add(part(0, 3).build());
    CHECK(checker && !checker.is_complete());
    checker.add(part(3, 3).build());
    CHECK(checker.is_complete());
    CHECK_THROWS(checker.add(part(3, 3).build()), status::state);
    checker.close();
    CHECK_THROWS(checker.close(), status::state);

    for (const bool permissive : {false, true}) {
        hurray::checker overlapping(halves, permissive);
        overlapping.add(part(0, 3).build());
        overlapping.add(part(2, 4).build());
        if (permissive) overlapping.close();
        else CHECK_THROWS(overlapping.close(), status::cover);
        hurray::checker torn(halves, permissive);
        torn.add(part(0, 3).build());
        CHECK_THROWS(torn.close(), status::torn);
    }
    CHECK_THROWS(hurray::checker(part(0, 1).build()), status::forbidden);
    CHECK_THROWS(hurray::checker().close(), status::argument);
}

int main() {
    of_a_file();
    many();
    without_a_file();
}
