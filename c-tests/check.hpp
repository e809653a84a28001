// Checks for the C++ programs of this folder, as check.h for those in C.
#ifndef CHECK_HPP
#define CHECK_HPP

#include "hurray.hpp"

#include <cstdlib>
#include <iostream>

// CHECK(condition): it holds.
#define CHECK(condition) check::holds(__FILE__, __LINE__, #condition, (condition))

// CHECK_EQ(found, expected): they are the same, and can be printed.
#define CHECK_EQ(found, expected) check::equal(__FILE__, __LINE__, #found, found, expected)

// CHECK_THROWS(expression, status): it throws a hurray::error of that status, with a message.
#define CHECK_THROWS(expression, expected) \
    check::throws(__FILE__, __LINE__, #expression, [&] { static_cast<void>(expression); }, expected)

namespace check {

[[noreturn]] inline void failed(const char *file, int line, const char *what,
                                std::string_view how) {
    std::cerr << file << ':' << line << ": " << what << ": " << how << '\n';
    std::exit(1);
}

inline void holds(const char *file, int line, const char *condition, bool does) {
    if (!does) failed(file, line, condition, "does not hold");
}

template <class Found, class Expected>
void equal(const char *file, int line, const char *what, const Found &found,
           const Expected &expected) {
    if (!(found == expected)) {
        std::cerr << file << ':' << line << ": " << what << " is " << found << ", not " << expected
                  << '\n';
        std::exit(1);
    }
}

// Returns the error, for more checks.
template <class Call>
hurray::error throws(const char *file, int line, const char *what, Call call,
                     hurray::status expected) {
    try {
        call();
    } catch (const hurray::error &error) {
        equal(file, line, what, hurray::name(error.status()), hurray::name(expected));
        if (*error.what() == '\0') failed(file, line, what, "throws without a message");
        return error;
    }
    failed(file, line, what, "does not throw");
}

// A file that a writer puts into memory; `fill` writes what is in it.
template <class Fill>
std::vector<std::byte> written(Fill fill, const hurray::writer_options &options = {}) {
    std::vector<std::byte> file;
    hurray::writer writer = hurray::writer::create_sink(
        [&](hurray::bytes data) { file.insert(file.end(), data.begin(), data.end()); }, options);
    fill(writer);
    writer.finish();
    return file;
}

// Whether two stretches hold the same.
template <class A, class B> bool same(const A &a, const B &b) {
    return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

} // namespace check

#endif
