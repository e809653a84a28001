// hurray.hpp - libhurray from C++17: owners, views, typed spans and exceptions over hurray.h.
//
// A reader:
//
//     hurray::file file = hurray::file::open("model.hrry");
//     for (hurray::tensor tensor : file.tensors())
//         std::cout << tensor.name() << ' ' << hurray::name(tensor.type()) << '\n';
//     hurray::span<const float> weight = file.tensor("encoder.weight").elements<float>();
//
// A writer:
//
//     hurray::writer writer = hurray::writer::create("model.hrry");
//     writer.kv("general.name", "small");
//     writer.dense("encoder.weight", {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
//     writer.finish();
//
// Header only: nothing but hurray.h and the standard library; link as for C. What the format means,
// and whatever is not said here, is said in hurray.h, whose functions bear the same names.
//
// Ownership. `file`, `composite`, `descriptor`, `builder`, `checker`, `stream` and `writer` own what
// they stand for and can be moved, not copied; one that was moved from is empty, converts to false,
// and its functions fail with status::argument or answer 0. `file::share()` makes another owner of the same open file.
// Everything else that stands for something is a view, small and to be passed by value: `tensor`,
// `buffer`, `kv`, `descriptor_view`, spans, texts.
//
// Lifetime. A view, and what it hands out, dies with its owner. For a view of a file that is the
// last of the file's owners, its composites among them, not the one that gave it. Moving an owner leaves its views as they
// are. A loop over the tensors of a file that has no name does not compile: it would be closed at
// once. Parameters are for the call only, unless it says otherwise.
//
// Errors. What fails throws `hurray::error`, which carries the hrry_error of the call. A name that
// is not there is no error for the functions called find: they return an empty optional. What is
// noexcept cannot fail. Containers that are returned may throw what allocation throws. A function
// that throws has changed nothing, unless it says otherwise.
//
// Callbacks are any callable that can be moved (`progress`: copied). What one throws does not go
// through C: it is kept, the call that it was made from ends, and it is thrown again from there.
// Only a source of `file::open_source`, which may be called later and on any thread, is another
// matter: what it throws becomes the os_error of an error with status::callback.
//
// Threads. As in C: a file, its views and its composites may be used by any number of threads at
// once, each of the others by one thread at a time.
//
// C. `c_handle()` is the handle for what has no place here; it stays the object's. `release()`
// gives away the handle of a file or a descriptor, and `adopt()` takes one.

#ifndef HURRAY_HPP
#define HURRAY_HPP

#include "hurray.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "typed access to .hrry data needs a little-endian machine"
#endif

namespace hurray {

// ---- Enumerations ------------------------------------------------------------------------------
//
// The numbers of hurray.h, where they are explained. Numbers without a name, such as private tags,
// are values, too: `element_type{0xF0}`.

enum class status : hrry_status {
    ok = HRRY_OK,
    argument = HRRY_ERROR_ARGUMENT,
    index = HRRY_ERROR_INDEX,
    range = HRRY_ERROR_RANGE,
    not_found = HRRY_ERROR_NOT_FOUND,
    cancelled = HRRY_ERROR_CANCELLED,
    type = HRRY_ERROR_TYPE,
    room = HRRY_ERROR_ROOM,
    state = HRRY_ERROR_STATE,
    limit = HRRY_ERROR_LIMIT,
    not_a_file = HRRY_ERROR_NOT_A_FILE,
    forbidden = HRRY_ERROR_FORBIDDEN,
    system = HRRY_ERROR_SYSTEM,
    memory = HRRY_ERROR_MEMORY,
    shrank = HRRY_ERROR_SHRANK,
    callback = HRRY_ERROR_CALLBACK,
    magic = HRRY_ERROR_MAGIC,
    truncated = HRRY_ERROR_TRUNCATED,
    trailing = HRRY_ERROR_TRAILING,
    reserved = HRRY_ERROR_RESERVED,
    value = HRRY_ERROR_VALUE,
    misaligned = HRRY_ERROR_MISALIGNED,
    bounds = HRRY_ERROR_BOUNDS,
    mismatch = HRRY_ERROR_MISMATCH,
    too_small = HRRY_ERROR_TOO_SMALL,
    overflow = HRRY_ERROR_OVERFLOW,
    utf8 = HRRY_ERROR_UTF8,
    duplicate = HRRY_ERROR_DUPLICATE,
    unsorted = HRRY_ERROR_UNSORTED,
    checksum = HRRY_ERROR_CHECKSUM,
    rule = HRRY_ERROR_RULE,
    overlap = HRRY_ERROR_OVERLAP,
    padding = HRRY_ERROR_PADDING,
    gap = HRRY_ERROR_GAP,
    torn = HRRY_ERROR_TORN,
    cover = HRRY_ERROR_COVER,
    version = HRRY_ERROR_VERSION,
    reserved_tag = HRRY_ERROR_RESERVED_TAG,
    private_tag = HRRY_ERROR_PRIVATE_TAG,
    unsupported = HRRY_ERROR_UNSUPPORTED,
    internal = HRRY_ERROR_INTERNAL,
};

enum class element_type : hrry_type {
    float16 = HRRY_TYPE_FLOAT16,
    bfloat16 = HRRY_TYPE_BFLOAT16,
    float32 = HRRY_TYPE_FLOAT32,
    float64 = HRRY_TYPE_FLOAT64,
    int8 = HRRY_TYPE_INT8,
    uint8 = HRRY_TYPE_UINT8,
    int16 = HRRY_TYPE_INT16,
    uint16 = HRRY_TYPE_UINT16,
    int32 = HRRY_TYPE_INT32,
    uint32 = HRRY_TYPE_UINT32,
    int64 = HRRY_TYPE_INT64,
    uint64 = HRRY_TYPE_UINT64,
    boolean = HRRY_TYPE_BOOL,
    float8_e4m3 = HRRY_TYPE_FLOAT8_E4M3,
    float8_e5m2 = HRRY_TYPE_FLOAT8_E5M2,
    float8_e8m0 = HRRY_TYPE_FLOAT8_E8M0,
    float4_e2m1 = HRRY_TYPE_FLOAT4_E2M1,
    float6_e2m3 = HRRY_TYPE_FLOAT6_E2M3,
    float6_e3m2 = HRRY_TYPE_FLOAT6_E3M2,
    float128 = HRRY_TYPE_FLOAT128,
    int4 = HRRY_TYPE_INT4,
    uint4 = HRRY_TYPE_UINT4,
    int2 = HRRY_TYPE_INT2,
    uint2 = HRRY_TYPE_UINT2,
    complex64 = HRRY_TYPE_COMPLEX64,
    complex128 = HRRY_TYPE_COMPLEX128,
};

enum class layout : hrry_layout {
    row_major = HRRY_LAYOUT_ROW_MAJOR,
    column_major = HRRY_LAYOUT_COLUMN_MAJOR,
    strided = HRRY_LAYOUT_STRIDED,
    tiled = HRRY_LAYOUT_TILED,
    morton = HRRY_LAYOUT_MORTON,
    coo = HRRY_LAYOUT_COO,
    csr = HRRY_LAYOUT_CSR,
    csc = HRRY_LAYOUT_CSC,
    csf = HRRY_LAYOUT_CSF,
    block_paged = HRRY_LAYOUT_BLOCK_PAGED,
    composite = HRRY_LAYOUT_COMPOSITE,
    hilbert = HRRY_LAYOUT_HILBERT,
};

enum class scheme : hrry_scheme {
    none = HRRY_SCHEME_NONE,
    per_tensor_affine = HRRY_SCHEME_PER_TENSOR_AFFINE,
    per_channel_affine = HRRY_SCHEME_PER_CHANNEL_AFFINE,
    per_block_affine = HRRY_SCHEME_PER_BLOCK_AFFINE,
    nf4 = HRRY_SCHEME_NF4,
    mxfp = HRRY_SCHEME_MXFP,
};

enum class device : hrry_device {
    cpu = HRRY_DEVICE_CPU,
    cuda = HRRY_DEVICE_CUDA,
    rocm = HRRY_DEVICE_ROCM,
    metal = HRRY_DEVICE_METAL,
    vulkan = HRRY_DEVICE_VULKAN,
    webgpu = HRRY_DEVICE_WEBGPU,
    hexagon = HRRY_DEVICE_HEXAGON,
    level_zero = HRRY_DEVICE_LEVEL_ZERO,
    opencl = HRRY_DEVICE_OPENCL,
};

enum class access : hrry_access {
    mapped = HRRY_ACCESS_MAPPED,
    memory = HRRY_ACCESS_MEMORY,
    reads = HRRY_ACCESS_READS,
};

enum class value_type : hrry_value_type {
    string = HRRY_VALUE_STRING,
    i64 = HRRY_VALUE_I64,
    u64 = HRRY_VALUE_U64,
    f64 = HRRY_VALUE_F64,
    boolean = HRRY_VALUE_BOOL,
    bytes = HRRY_VALUE_BYTES,
    array = HRRY_VALUE_ARRAY,
};

enum class advice : hrry_advice {
    normal = HRRY_ADVICE_NORMAL,
    sequential = HRRY_ADVICE_SEQUENTIAL,
    random = HRRY_ADVICE_RANDOM,
    will_need = HRRY_ADVICE_WILL_NEED,
    dont_need = HRRY_ADVICE_DONT_NEED,
};

enum class kv_role : hrry_kv_role {
    key = HRRY_KV_ROLE_KEY,
    value = HRRY_KV_ROLE_VALUE,
    other = HRRY_KV_ROLE_OTHER,
};

enum class rule : hrry_rule {
    partition = HRRY_RULE_PARTITION,
    overlay = HRRY_RULE_OVERLAY,
    group = HRRY_RULE_GROUP,
};

enum class combine : hrry_combine {
    none = HRRY_COMBINE_NONE,
    replace = HRRY_COMBINE_REPLACE,
    add = HRRY_COMBINE_ADD,
};

enum class member_role : hrry_member_role {
    correction = HRRY_MEMBER_CORRECTION,
    base = HRRY_MEMBER_BASE,
    none = HRRY_MEMBER_NONE,
};

// Width of the entries of a block table and of its sequence pointers.
enum class index_type : std::uint32_t {
    u32 = HRRY_INDEX_U32,
    u64 = HRRY_INDEX_U64,
};

// What the number of an element is.
enum class element_kind : hrry_element_kind {
    opaque = HRRY_ELEMENT_OPAQUE,
    real = HRRY_ELEMENT_FLOAT,
    signed_integer = HRRY_ELEMENT_SIGNED,
    unsigned_integer = HRRY_ELEMENT_UNSIGNED,
    boolean = HRRY_ELEMENT_BOOL,
    complex = HRRY_ELEMENT_COMPLEX,
};

// The tensor's own type, to copy elements to: packed as the format packs it, or a byte each.
enum class as : hrry_type {
    stored = HRRY_AS_STORED,
    bytes = HRRY_AS_BYTES,
};

// An offset, index or count that is not known or not set.
inline constexpr std::uint64_t unknown = HRRY_UNKNOWN;

// A dynamic dimension of a shape.
inline constexpr std::uint64_t dynamic = HRRY_UNKNOWN;

// ---- Spans -------------------------------------------------------------------------------------

// A stretch of memory that belongs to somebody else: what std::span of C++20 is, to which it
// converts. Made from whatever has data() and size(). As there, nothing is checked on access.
template <class T> class span {
public:
    using value_type = std::remove_cv_t<T>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = T *;
    using reference = T &;
    using iterator = T *;
    using const_iterator = T *;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Container,
              class = std::enable_if_t<
                  !std::is_base_of_v<span, std::decay_t<Container>> &&
                  std::is_convertible_v<std::remove_pointer_t<decltype(std::data(
                                            std::declval<Container &>()))> (*)[],
                                        T (*)[]>>>
    constexpr span(Container &&container) noexcept(noexcept(std::size(container)))
        : data_(std::data(container)), size_(std::size(container)) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t index) const noexcept { return data_[index]; }
    constexpr T &front() const noexcept { return data_[0]; }
    constexpr T &back() const noexcept { return data_[size_ - 1]; }
    constexpr span first(std::size_t count) const noexcept { return {data_, count}; }
    constexpr span last(std::size_t count) const noexcept { return {end() - count, count}; }
    constexpr span subspan(std::size_t offset) const noexcept {
        return {data_ + offset, size_ - offset};
    }
    constexpr span subspan(std::size_t offset, std::size_t count) const noexcept {
        return {data_ + offset, count};
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// Bytes of a file or of the caller.
using bytes = span<const std::byte>;

// Bytes to be written to.
using writable_bytes = span<std::byte>;

// The memory of a container of plain values, as bytes.
template <class Container> bytes as_bytes(const Container &container) noexcept {
    using element = std::remove_pointer_t<decltype(std::data(container))>;
    static_assert(std::is_trivially_copyable_v<element>, "only plain values are their bytes");
    return {reinterpret_cast<const std::byte *>(std::data(container)),
            std::size(container) * sizeof(element)};
}

// `size` bytes from `data` on.
inline bytes as_bytes(const void *data, std::size_t size) noexcept {
    return {static_cast<const std::byte *>(data), size};
}

// The memory of a container of plain values, to be written to.
template <class Container> writable_bytes as_writable_bytes(Container &&container) noexcept {
    using element = std::remove_pointer_t<decltype(std::data(container))>;
    static_assert(std::is_trivially_copyable_v<element>, "only plain values are their bytes");
    return {reinterpret_cast<std::byte *>(std::data(container)),
            std::size(container) * sizeof(element)};
}

// A parameter: a span of values that can be written in braces, too, as the shape `{2, 3}`. Not to
// be kept: what stands in braces dies with the call.
template <class T> class list : public span<const T> {
public:
    using span<const T>::span;
    constexpr list(span<const T> values) noexcept : span<const T>(values) {}
    constexpr list(std::initializer_list<T> values) noexcept
        : span<const T>(values.begin(), values.size()) {}
};

// ---- Names and versions ------------------------------------------------------------------------

// The name, as the format spells it; "private", "reserved" or "invalid" for a tag without one.
// Lives forever, and ends with a zero byte.
inline std::string_view name(element_type type) noexcept {
    return hrry_type_name(static_cast<hrry_type>(type));
}
inline std::string_view name(layout layout) noexcept {
    return hrry_layout_name(static_cast<hrry_layout>(layout));
}
inline std::string_view name(scheme scheme) noexcept {
    return hrry_scheme_name(static_cast<hrry_scheme>(scheme));
}
inline std::string_view name(device device) noexcept {
    return hrry_device_name(static_cast<hrry_device>(device));
}

// What a status is called, as "not found".
inline std::string_view name(status status) noexcept {
    return hrry_status_name(static_cast<hrry_status>(status));
}

// The name of a value's type, as its enumerator.
inline std::string_view name(value_type type) noexcept {
    constexpr std::string_view names[] = {"",        "string", "i64",   "u64",
                                          "f64", "boolean",  "bytes", "array"};
    const auto tag = static_cast<hrry_value_type>(type);
    return tag != 0 && tag < std::size(names) ? names[tag] : "invalid";
}

namespace detail {

// What `find` of hurray.h says about a name.
template <class Tag, class Number>
std::optional<Tag> find(hrry_status (*find)(const char *, std::size_t, Number *, hrry_error *),
                        std::string_view name) noexcept {
    Number number = 0;
    const hrry_status status = find(name.data(), name.size(), &number, nullptr);
    return status == HRRY_OK ? std::optional(Tag{number}) : std::nullopt;
}

} // namespace detail

// What is called that; empty when nothing is.
inline std::optional<element_type> find_element_type(std::string_view name) noexcept {
    return detail::find<element_type>(hrry_type_find, name);
}
inline std::optional<layout> find_layout(std::string_view name) noexcept {
    return detail::find<layout>(hrry_layout_find, name);
}
inline std::optional<scheme> find_scheme(std::string_view name) noexcept {
    return detail::find<scheme>(hrry_scheme_find, name);
}
inline std::optional<device> find_device(std::string_view name) noexcept {
    return detail::find<device>(hrry_device_find, name);
}

// The width of one element in bits; 0 for a type that is private or not known.
inline std::uint32_t bits(element_type type) noexcept {
    return hrry_type_bits(static_cast<hrry_type>(type));
}

// The version of the library that is loaded, such as "0.1.0".
inline std::string_view version() noexcept { return hrry_version(); }

// The ABI of the library that is loaded; this header was made for HRRY_ABI_VERSION.
inline std::uint32_t abi_version() noexcept { return hrry_abi_version(); }

// ---- Errors ------------------------------------------------------------------------------------

// Whose fault an error is, by the groups of status numbers.
enum class fault {
    caller,      // 1 to 99: what was passed or asked for
    system,      // 100 to 199: the system, or a callback
    file,        // 200 to 299: the file is not valid
    unsupported, // 300 to 399: the file uses what is newer, reserved, private or not supported
    library,     // a defect of the library
};

// What is thrown, and what validation reports: the hrry_error of a call.
class error : public std::exception {
public:
    explicit error(const hrry_error &c_error) noexcept : error_(c_error) {}

    // An error of the caller's making; the message is cut after 455 bytes.
    error(hurray::status status, std::string_view message) noexcept : error_() {
        error_.status = static_cast<hrry_status>(status);
        error_.offset = error_.tensor = HRRY_UNKNOWN;
        message = message.substr(0, sizeof error_.message - 1);
        std::copy(message.begin(), message.end(), error_.message);
    }

    // One line of UTF-8 in English, with the numbers and the place.
    const char *what() const noexcept override { return error_.message; }

    hurray::status status() const noexcept { return hurray::status{error_.status}; }

    hurray::fault fault() const noexcept {
        const hrry_status group = error_.status / 100;
        return group == 0   ? hurray::fault::caller
               : group == 1 ? hurray::fault::system
               : group == 2 ? hurray::fault::file
               : group == 3 ? hurray::fault::unsupported
                            : hurray::fault::library;
    }

    // errno of the system call that failed, or what the callback returned; else 0.
    int os_error() const noexcept { return error_.os_error; }

    // The byte of the file where it was found.
    std::optional<std::uint64_t> offset() const noexcept { return known(error_.offset); }

    // The index of the tensor that it is about.
    std::optional<std::uint64_t> tensor() const noexcept { return known(error_.tensor); }

    const hrry_error &c_error() const noexcept { return error_; }

private:
    static std::optional<std::uint64_t> known(std::uint64_t number) noexcept {
        return number == HRRY_UNKNOWN ? std::nullopt : std::optional(number);
    }

    hrry_error error_;
};

namespace detail {

[[noreturn]] inline void fail(status status, std::string_view message) {
    throw error(status, message);
}

// Calls a function of hurray.h, whose last parameter is the error, and throws what fails.
template <class... Parameters, class... Arguments>
void call(hrry_status (*function)(Parameters...), Arguments... arguments) {
    hrry_error error;
    if (function(arguments..., &error) != HRRY_OK) throw hurray::error(error);
}

// A struct of hurray.h that says its size.
template <class Struct> Struct sized() noexcept {
    Struct result{};
    result.struct_size = sizeof result;
    return result;
}

// A count of the file's as one of this machine's.
inline std::size_t count(std::uint64_t number) {
    const auto result = static_cast<std::size_t>(number);
    if (result != number) fail(status::overflow, "more than this machine can address");
    return result;
}

inline void must_have(const char *what, std::size_t found, std::size_t needed) {
    if (found != needed) {
        fail(status::argument, std::string(what) + ": " + std::to_string(found) +
                                   " numbers for rank " + std::to_string(needed));
    }
}

// A path for C, which ends at the first zero byte.
inline const char *path(const std::string &path) {
    if (path.find('\0') != std::string::npos) fail(status::argument, "a zero byte in the path");
    return path.c_str();
}

// Frees what the owners own.
struct deleter {
    void operator()(hrry_file *file) const noexcept { hrry_file_close(file); }
    void operator()(hrry_composite *composite) const noexcept { hrry_composite_close(composite); }
    void operator()(hrry_checker *checker) const noexcept { hrry_checker_free(checker); }
    void operator()(hrry_descriptor *descriptor) const noexcept {
        hrry_descriptor_free(descriptor);
    }
    void operator()(hrry_builder *builder) const noexcept { hrry_builder_free(builder); }
    void operator()(hrry_stream *stream) const noexcept { hrry_stream_free(stream); }
    void operator()(hrry_writer *writer) const noexcept { hrry_writer_free(writer); }
};

// What a callback threw, as an error number. Only where an exception is being handled.
inline int error_number() noexcept {
    constexpr int io_error = static_cast<int>(std::errc::io_error);
    try {
        throw;
    } catch (const std::system_error &error) {
        const bool number = error.code().category() == std::generic_category() ||
                            error.code().category() == std::system_category();
        return number && error.code().value() != 0 ? error.code().value() : io_error;
    } catch (const std::bad_alloc &) {
        return static_cast<int>(std::errc::not_enough_memory);
    } catch (...) {
        return io_error;
    }
}

// A callback that was moved in, with what it has thrown until the call that it was made from ends.
struct callback {
    virtual ~callback() = default;
    std::exception_ptr thrown;
};
template <class Function> struct callback_of final : callback {
    explicit callback_of(Function &&moved) : function(std::move(moved)) {}
    Function function;
};

// As `call`, for what calls back.
template <class... Parameters, class... Arguments>
void call_with(callback *callback, hrry_status (*function)(Parameters...), Arguments... arguments) {
    hrry_error error;
    if (function(arguments..., &error) == HRRY_OK) return;
    if (callback != nullptr && callback->thrown != nullptr)
        std::rethrow_exception(std::exchange(callback->thrown, nullptr));
    throw hurray::error(error);
}

} // namespace detail

// ---- Element types of C++ ----------------------------------------------------------------------

// Elements that C++ has no type for, as their bits.
struct float16 { std::uint16_t bits; };
struct bfloat16 { std::uint16_t bits; };
struct float8_e4m3 { std::uint8_t bits; };
struct float8_e5m2 { std::uint8_t bits; };
struct float8_e8m0 { std::uint8_t bits; };

// Says which element type a C++ type stands for. To use one of your own, such as a half of some
// other library or the type behind a private tag, specialise it:
//
//     template <> struct hurray::element<half> {
//         static constexpr hurray::element_type type = hurray::element_type::float16;
//     };
//
// Types below a byte have none: their elements are packed, and used as bytes.
template <class T> struct element {};

template <> struct element<float> { static constexpr element_type type = element_type::float32; };
template <> struct element<double> { static constexpr element_type type = element_type::float64; };
template <> struct element<std::complex<float>> {
    static constexpr element_type type = element_type::complex64;
};
template <> struct element<std::complex<double>> {
    static constexpr element_type type = element_type::complex128;
};
template <> struct element<float16> {
    static constexpr element_type type = element_type::float16;
};
template <> struct element<bfloat16> {
    static constexpr element_type type = element_type::bfloat16;
};
template <> struct element<float8_e4m3> {
    static constexpr element_type type = element_type::float8_e4m3;
};
template <> struct element<float8_e5m2> {
    static constexpr element_type type = element_type::float8_e5m2;
};
template <> struct element<float8_e8m0> {
    static constexpr element_type type = element_type::float8_e8m0;
};

namespace detail {

template <class T> struct integer_element {
    static constexpr element_type type =
        sizeof(T) == 1   ? (std::is_signed_v<T> ? element_type::int8 : element_type::uint8)
        : sizeof(T) == 2 ? (std::is_signed_v<T> ? element_type::int16 : element_type::uint16)
        : sizeof(T) == 4 ? (std::is_signed_v<T> ? element_type::int32 : element_type::uint32)
                         : (std::is_signed_v<T> ? element_type::int64 : element_type::uint64);
};

template <class T, class = void> struct is_element : std::false_type {};
template <class T>
struct is_element<T, std::void_t<decltype(element<T>::type)>> : std::true_type {};

} // namespace detail

template <> struct element<signed char> : detail::integer_element<signed char> {};
template <> struct element<unsigned char> : detail::integer_element<unsigned char> {};
template <> struct element<short> : detail::integer_element<short> {};
template <> struct element<unsigned short> : detail::integer_element<unsigned short> {};
template <> struct element<int> : detail::integer_element<int> {};
template <> struct element<unsigned> : detail::integer_element<unsigned> {};
template <> struct element<long> : detail::integer_element<long> {};
template <> struct element<unsigned long> : detail::integer_element<unsigned long> {};
template <> struct element<long long> : detail::integer_element<long long> {};
template <> struct element<unsigned long long> : detail::integer_element<unsigned long long> {};

// The element type that T stands for.
template <class T> constexpr element_type type_of() noexcept {
    using plain = std::remove_cv_t<T>;
    static_assert(detail::is_element<plain>::value, "no element type: see hurray::element");
    static_assert(std::is_trivially_copyable_v<plain>, "elements are plain values");
    return element<plain>::type;
}

// ---- Ranges ------------------------------------------------------------------------------------

// What can be counted and had one by one, for loops: tensors, keys, buffers, names. Each is made
// when it is asked for, which may throw. A view: it lives as long as what it came from.
template <class T> class range {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = T;

        iterator() noexcept = default;

        T operator*() const { return at_(owner_, index_); }
        iterator &operator++() noexcept {
            ++index_;
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator before = *this;
            ++index_;
            return before;
        }
        friend bool operator==(const iterator &a, const iterator &b) noexcept {
            return a.index_ == b.index_;
        }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept { return !(a == b); }

    private:
        friend range;
        iterator(const range &of, std::uint64_t index) noexcept
            : owner_(of.owner_), at_(of.at_), index_(index) {}

        const void *owner_ = nullptr;
        T (*at_)(const void *, std::uint64_t) = nullptr;
        std::uint64_t index_ = 0;
    };

    // The k-th of `size` of `owner` is at(owner, k).
    range(const void *owner, T (*at)(const void *owner, std::uint64_t index),
          std::uint64_t size) noexcept
        : owner_(owner), at_(at), size_(size) {}

    std::uint64_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

    // Throws: status::index when there is no such.
    T operator[](std::uint64_t index) const { return at_(owner_, index); }

    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size_}; }

private:
    const void *owner_;
    T (*at_)(const void *, std::uint64_t);
    std::uint64_t size_;
};

// ---- What descriptors are made of --------------------------------------------------------------
//
// The fields of layouts and sections, as descriptors give them and builders take them. Spans in
// what a descriptor gave live as long as it does.

// One entry of a buffer table.
struct buffer_entry {
    // Bytes.
    std::uint64_t byte_size = 0;
    // Of the producer's memory, a power of two.
    std::uint32_t alignment = 0;
    // Where the producer kept it.
    hurray::device device = hurray::device::cpu;
};

// One level of a tiled layout.
struct tiles {
    // The shape of a tile: rank numbers.
    span<const std::uint64_t> tile_shape;
    // The order of the tiles: row-major, column-major or strided.
    layout outer_layout = layout::row_major;
    // The order of the elements in a tile: the same, or tiled when the next level says.
    layout inner_layout = layout::row_major;
    // Strides of the tiles, in tiles: rank numbers when outer_layout is strided, else none.
    span<const std::int64_t> outer_strides;
    // Strides of the elements in a tile: rank numbers when inner_layout is strided, else none.
    span<const std::int64_t> inner_strides;
};

// Fields of COO.
struct coo {
    // Stored elements.
    std::uint64_t nnz = 0;
    // Their coordinates ascend.
    bool is_sorted = false;
};

// Fields of CSF.
struct csf {
    // Stored elements.
    std::uint64_t nnz = 0;
    // The dimension of each level: rank numbers.
    span<const std::uint32_t> mode_order;
};

// Fields of the block-paged layout.
struct block_paged {
    // Pages in the pool.
    std::uint64_t num_pages = 0;
    // Tokens in a page, at least 1.
    std::uint32_t page_size = 0;
    // Sequences.
    std::uint32_t num_seqs = 0;
    hurray::kv_role kv_role = hurray::kv_role::other;
    // The layer of the model.
    std::optional<std::uint32_t> layer_index;
    index_type block_table_index_type = index_type::u32;
};

// Fields of a composite head.
struct composite_head {
    hurray::rule rule = hurray::rule::group;
    // none unless it is an overlay.
    hurray::combine combine = hurray::combine::none;
    // How many tensors after the head belong to it.
    std::uint32_t member_count = 0;
};

// Fields of a private layout, which only a permissive reader gives.
struct private_layout {
    std::uint64_t extension_layout_id = 0;
    // The layout's own.
    bytes data;
};

// How stored codes become values. A builder ignores what the scheme does not have.
struct quantization {
    hurray::scheme scheme = hurray::scheme::none;
    // There are no zero points, every one is 0: per channel and per block.
    bool symmetric = false;
    // The dimension along which channels or blocks follow one another.
    std::uint32_t axis = 0;
    // Elements of a block.
    std::uint32_t block_size = 0;
    // Per tensor.
    float scale = 0;
    // Per tensor.
    std::int32_t zero_point = 0;
    // float32 per channel and with NF4, float8_e8m0 with MXFP; to be chosen only per block.
    element_type scale_type = element_type::float32;
    // The buffers, by their place in the buffer table: none per tensor, no zero points when
    // symmetric. Both may be the same; the zero points then follow the scales.
    std::optional<std::uint32_t> scale_buffer;
    std::optional<std::uint32_t> zero_point_buffer;
    // Of a scheme that is not known, its header first: only a permissive reader gives it.
    bytes payload;
};

// The box of a larger tensor that a tensor is.
struct shard {
    // The shape of the larger tensor: rank numbers.
    span<const std::uint64_t> parent_shape;
    // Where in it this one begins: rank numbers.
    span<const std::uint64_t> shard_offset;
};

// What the writer knew of the values; advisory.
struct statistics {
    struct range { double value_min, value_max, value_abs_max; };
    struct moments { double value_mean, value_stddev; };
    // At most nm_n of every nm_m consecutive elements are not zero.
    struct nm_sparsity { std::uint8_t nm_n, nm_m; };
    struct specials { bool has_nan, has_inf; };

    // Elements that are not zero.
    std::optional<std::uint64_t> nnz;
    // The share of elements that are zero, 0 to 1.
    std::optional<double> sparsity_ratio;
    std::optional<range> value_range;
    std::optional<moments> value_stats;
    std::optional<nm_sparsity> nm;
    std::optional<specials> nan_inf;
};

namespace detail {

inline hurray::statistics known(const hrry_statistics &c) noexcept {
    hurray::statistics known;
    if (c.computed_mask & HRRY_STATISTICS_NNZ) known.nnz = c.nnz;
    if (c.computed_mask & HRRY_STATISTICS_SPARSITY) known.sparsity_ratio = c.sparsity_ratio;
    if (c.computed_mask & HRRY_STATISTICS_VALUE_RANGE)
        known.value_range = {c.value_min, c.value_max, c.value_abs_max};
    if (c.computed_mask & HRRY_STATISTICS_VALUE_STATS)
        known.value_stats = {c.value_mean, c.value_stddev};
    if (c.computed_mask & HRRY_STATISTICS_NM_SPARSITY) known.nm = {c.nm_n, c.nm_m};
    if (c.computed_mask & HRRY_STATISTICS_NAN_INF)
        known.nan_inf = {c.has_nan != 0, c.has_inf != 0};
    return known;
}

} // namespace detail

// What a private element type is made of.
struct extension_type {
    // 1, 2, 4 or a multiple of 8.
    std::uint32_t bit_width = 0;
    bool is_float = false;
    // Integers only.
    bool is_signed = false;
    // Floats only, as all that follows but packing_factor.
    std::uint8_t sign_bits = 0;
    std::uint8_t exponent_bits = 0;
    std::uint8_t mantissa_bits = 0;
    std::uint32_t exponent_bias = 0;
    bool has_nan = false;
    bool has_inf = false;
    // Elements in a byte below 8 bits, else 1. A builder ignores it.
    std::uint8_t packing_factor = 1;
};

// ---- Descriptors -------------------------------------------------------------------------------

// What a tensor is and how its elements lie in its buffers: a view of a descriptor that a tensor, a
// stream or a `descriptor` owns. Does not change.
class descriptor_view {
public:
    explicit descriptor_view(const hrry_descriptor *c_handle) noexcept : handle_(c_handle) {}

    // The type of the elements as they are stored.
    element_type type() const noexcept { return element_type{hrry_descriptor_type(handle_)}; }

    hurray::layout layout() const noexcept {
        return hurray::layout{hrry_descriptor_layout(handle_)};
    }

    // scheme::none when it is not quantized.
    hurray::scheme scheme() const noexcept {
        return hurray::scheme{hrry_descriptor_scheme(handle_)};
    }

    // Dimensions, 0 to 64.
    std::uint32_t rank() const noexcept { return hrry_descriptor_rank(handle_); }

    // The size of each dimension; hurray::dynamic for a dynamic one.
    span<const std::uint64_t> shape() const noexcept {
        return {hrry_descriptor_shape(handle_), rank()};
    }

    // Whether some dimension is dynamic: then nothing is computed from the shape.
    bool has_dynamic_dimension() const noexcept {
        return hrry_descriptor_has_dynamic_dimension(handle_);
    }

    // The product of the shape. Throws: status::rule when a dimension is dynamic, status::overflow
    // when 64 bits do not hold it.
    std::uint64_t element_count() const {
        std::uint64_t count = 0;
        detail::call(hrry_descriptor_element_count, handle_, &count);
        return count;
    }

    // The width of one element; 0 when it is not known.
    std::uint32_t element_bits() const noexcept { return hrry_descriptor_element_bits(handle_); }

    // Bytes from the start of the first buffer to the first element.
    std::uint64_t byte_offset() const noexcept { return hrry_descriptor_byte_offset(handle_); }

    // HRRY_DESCRIPTOR_HAS_*, or-ed.
    std::uint32_t flags() const noexcept { return hrry_descriptor_flags(handle_); }

    // The minor version that it was written with; the major version is 1.
    std::uint32_t version_minor() const noexcept { return hrry_descriptor_version_minor(handle_); }

    // Whether other tensors hold the elements.
    bool is_composite_head() const noexcept { return hrry_descriptor_is_composite_head(handle_); }

    // Whether the layout is not known (permissive only): then the data has no meaning.
    bool is_opaque() const noexcept { return hrry_descriptor_is_opaque(handle_); }

    // Buffers: those of the layout, then those of the quantization scheme.
    std::uint32_t buffer_count() const noexcept { return hrry_descriptor_buffer_count(handle_); }

    // An entry of the buffer table. Throws: status::index.
    buffer_entry buffer(std::uint32_t index) const {
        auto entry = detail::sized<hrry_buffer_entry>();
        detail::call(hrry_descriptor_buffer_at, handle_, index, &entry);
        return {entry.byte_size, entry.alignment, hurray::device{entry.device}};
    }

    // The buffer table.
    range<buffer_entry> buffers() const noexcept {
        return {handle_,
                [](const void *handle, std::uint64_t index) {
                    const auto *descriptor = static_cast<const hrry_descriptor *>(handle);
                    return descriptor_view(descriptor).buffer(static_cast<std::uint32_t>(index));
                },
                buffer_count()};
    }

    // Bytes that the data takes in a file whose buffers begin at multiples of `alignment`, a power
    // of two. Throws: status::argument, status::overflow, status::unsupported for a layout that is
    // not known.
    std::uint64_t data_len(std::uint64_t alignment) const {
        std::uint64_t len = 0;
        detail::call(hrry_descriptor_data_len, handle_, alignment, &len);
        return len;
    }

    // The bytes that it was read from; the canonical ones when it was built. Live as long as it
    // does.
    hurray::bytes bytes() const noexcept {
        std::size_t len = 0;
        const void *data = hrry_descriptor_bytes(handle_, &len);
        return as_bytes(data, len);
    }

    // The canonical bytes.
    std::vector<std::byte> encode() const {
        std::size_t len = 0;
        hrry_descriptor_encode(handle_, nullptr, 0, &len, nullptr);
        std::vector<std::byte> encoded(len);
        detail::call(hrry_descriptor_encode, handle_, static_cast<void *>(encoded.data()), len,
                     &len);
        return encoded;
    }

    // Fields of layouts. Each throws status::type for another layout.

    // Of a strided layout, in elements: rank numbers, which can be negative.
    span<const std::int64_t> strides() const {
        const std::int64_t *strides = nullptr;
        detail::call(hrry_descriptor_strides, handle_, &strides);
        return {strides, rank()};
    }

    // Levels of tiles, 1 to 8; 0 for another layout.
    std::uint32_t tile_level_count() const noexcept {
        return hrry_descriptor_tile_level_count(handle_);
    }

    // A level of a tiled layout, 0 the outermost. Throws: status::index, too.
    hurray::tiles tiles(std::uint32_t level) const {
        hrry_tiles c{};
        detail::call(hrry_descriptor_tiles_at, handle_, level, &c);
        const auto strides = [this](const std::int64_t *numbers) {
            return span(numbers, numbers == nullptr ? 0 : rank());
        };
        return {{c.tile_shape, rank()},
                hurray::layout{c.outer_layout},
                hurray::layout{c.inner_layout},
                strides(c.outer_strides),
                strides(c.inner_strides)};
    }

    // The bits of each coordinate in a Morton code: rank numbers.
    span<const std::uint32_t> morton_bits() const {
        const std::uint32_t *bits = nullptr;
        detail::call(hrry_descriptor_morton_bits, handle_, &bits);
        return {bits, rank()};
    }

    // The order of a Hilbert curve: each dimension has 2^order elements.
    std::uint32_t hilbert_order() const {
        std::uint32_t order = 0;
        detail::call(hrry_descriptor_hilbert_order, handle_, &order);
        return order;
    }

    hurray::coo coo() const {
        auto c = detail::sized<hrry_coo>();
        detail::call(hrry_descriptor_coo, handle_, &c);
        return {c.nnz, c.is_sorted != 0};
    }

    // Stored elements of CSR.
    std::uint64_t csr_nnz() const {
        auto c = detail::sized<hrry_compressed>();
        detail::call(hrry_descriptor_csr, handle_, &c);
        return c.nnz;
    }

    // Stored elements of CSC.
    std::uint64_t csc_nnz() const {
        auto c = detail::sized<hrry_compressed>();
        detail::call(hrry_descriptor_csc, handle_, &c);
        return c.nnz;
    }

    hurray::csf csf() const {
        auto c = detail::sized<hrry_csf>();
        detail::call(hrry_descriptor_csf, handle_, &c);
        return {c.nnz, {c.mode_order, rank()}};
    }

    hurray::block_paged block_paged() const {
        auto c = detail::sized<hrry_block_paged>();
        detail::call(hrry_descriptor_block_paged, handle_, &c);
        return {c.num_pages,
                c.page_size,
                c.num_seqs,
                hurray::kv_role{c.kv_role},
                c.layer_index == HRRY_NO_LAYER ? std::nullopt : std::optional(c.layer_index),
                index_type{c.block_table_index_type}};
    }

    composite_head composite() const {
        auto c = detail::sized<hrry_composite_head>();
        detail::call(hrry_descriptor_composite, handle_, &c);
        return {hurray::rule{c.rule}, hurray::combine{c.combine}, c.member_count};
    }

    hurray::private_layout private_layout() const {
        auto c = detail::sized<hrry_private_layout>();
        detail::call(hrry_descriptor_private_layout, handle_, &c);
        return {c.id, as_bytes(c.data, c.data_len)};
    }

    // Everything behind byte_offset where the layout is not known.
    hurray::bytes opaque_bytes() const {
        const void *data = nullptr;
        std::size_t len = 0;
        detail::call(hrry_descriptor_opaque_bytes, handle_, &data, &len);
        return as_bytes(data, len);
    }

    // Sections. Each is empty when the descriptor has none.

    std::optional<hurray::quantization> quantization() const {
        auto c = detail::sized<hrry_quantization>();
        if (!section(hrry_descriptor_quantization, &c)) return std::nullopt;
        const auto buffer = [](std::uint32_t index) {
            return index == HRRY_NO_BUFFER ? std::nullopt : std::optional(index);
        };
        return hurray::quantization{hurray::scheme{c.scheme},
                                    (c.flags & HRRY_QUANTIZATION_SYMMETRIC) != 0,
                                    c.axis,
                                    c.block_size,
                                    c.scale,
                                    c.zero_point,
                                    element_type{c.scale_type},
                                    buffer(c.scale_buffer),
                                    buffer(c.zero_point_buffer),
                                    as_bytes(c.payload, c.payload_len)};
    }

    std::optional<hurray::shard> shard() const {
        auto c = detail::sized<hrry_shard>();
        if (!section(hrry_descriptor_shard, &c)) return std::nullopt;
        return hurray::shard{{c.parent_shape, rank()}, {c.shard_offset, rank()}};
    }

    std::optional<hurray::statistics> statistics() const {
        auto c = detail::sized<hrry_statistics>();
        if (!section(hrry_descriptor_statistics, &c)) return std::nullopt;
        return detail::known(c);
    }

    std::optional<hurray::extension_type> extension_type() const {
        auto c = detail::sized<hrry_extension_type>();
        if (!section(hrry_descriptor_extension_type, &c)) return std::nullopt;
        return hurray::extension_type{c.bit_width,     c.is_float != 0, c.is_signed != 0,
                                      c.sign_bits,     c.exponent_bits, c.mantissa_bits,
                                      c.exponent_bias, c.has_nan != 0,  c.has_inf != 0,
                                      c.packing_factor};
    }

    // The role in an overlay; member_role::none when there is no such section.
    hurray::member_role member_role() const noexcept {
        return hurray::member_role{hrry_descriptor_member_role(handle_)};
    }

    const hrry_descriptor *c_handle() const noexcept { return handle_; }

protected:
    descriptor_view() noexcept = default;

    const hrry_descriptor *handle_ = nullptr;

private:
    template <class Struct>
    bool section(hrry_status (*getter)(const hrry_descriptor *, Struct *, hrry_error *),
                 Struct *filled) const {
        const hrry_status status = getter(handle_, filled, nullptr);
        if (status == HRRY_ERROR_NOT_FOUND) return false;
        if (status != HRRY_OK) detail::call(getter, handle_, filled);
        return true;
    }
};

// A descriptor of one's own, from `builder::build` or from bytes. It is its own view.
class descriptor : public descriptor_view {
public:
    descriptor() noexcept = default;

    // Reads one from bytes, which are copied; what follows it is not looked at. Throws: what is
    // wrong with them.
    static descriptor decode(hurray::bytes encoded, bool permissive = false) {
        hrry_descriptor *handle = nullptr;
        const std::uint32_t flags = permissive ? HRRY_DECODE_PERMISSIVE : 0;
        detail::call(hrry_descriptor_decode, static_cast<const void *>(encoded.data()),
                     encoded.size(), flags, &handle);
        return adopt(handle);
    }

    descriptor(descriptor &&other) noexcept
        : descriptor_view(std::exchange(other.handle_, nullptr)), owned_(std::move(other.owned_)) {}
    descriptor &operator=(descriptor &&other) noexcept {
        owned_ = std::move(other.owned_);
        other.handle_ = nullptr;
        handle_ = owned_.get();
        return *this;
    }

    explicit operator bool() const noexcept { return owned_ != nullptr; }

    static descriptor adopt(hrry_descriptor *c_handle) noexcept {
        descriptor adopted;
        adopted.owned_.reset(c_handle);
        adopted.handle_ = c_handle;
        return adopted;
    }

    hrry_descriptor *release() noexcept {
        handle_ = nullptr;
        return owned_.release();
    }

private:
    std::unique_ptr<hrry_descriptor, detail::deleter> owned_;
};

// Puts a descriptor together: row-major at byte_offset 0 on the CPU with buffers aligned to 64,
// unless told otherwise. Buffers get the size that they need.
//
// What does not fit together is found by `build`. Every function that returns the builder throws
// status::argument when it is given numbers for another rank, and status::forbidden for what no
// descriptor can say.
class builder {
public:
    builder() noexcept = default;

    // For a tensor of this type and shape, dimension 0 first; hurray::dynamic for a dynamic one.
    builder(element_type type, list<std::uint64_t> shape) : rank_(shape.size()) {
        hrry_builder *handle = nullptr;
        detail::call(hrry_builder_new, static_cast<hrry_type>(type), rank32(shape), shape.data(),
                     &handle);
        handle_.reset(handle);
    }

    // Layouts: the last one that is told holds.

    builder &row_major() {
        detail::call(hrry_builder_row_major, c_handle());
        return *this;
    }

    builder &column_major() {
        detail::call(hrry_builder_column_major, c_handle());
        return *this;
    }

    // In elements: rank numbers; negative and zero are fine.
    builder &strided(list<std::int64_t> strides) {
        detail::must_have("strides", strides.size(), rank_);
        detail::call(hrry_builder_strided, c_handle(), strides.data());
        return *this;
    }

    // In 1 to 8 levels, the outermost first.
    builder &tiled(list<tiles> levels) {
        std::vector<hrry_tiles> c;
        c.reserve(levels.size());
        for (const tiles &level : levels) {
            const auto strides = [this](const char *what, hurray::layout order,
                                        span<const std::int64_t> numbers) -> const std::int64_t * {
                if (order != hurray::layout::strided) return nullptr;
                detail::must_have(what, numbers.size(), rank_);
                return numbers.data();
            };
            detail::must_have("tile_shape", level.tile_shape.size(), rank_);
            c.push_back({level.tile_shape.data(),
                         strides("outer_strides", level.outer_layout, level.outer_strides),
                         strides("inner_strides", level.inner_layout, level.inner_strides),
                         static_cast<hrry_layout>(level.outer_layout),
                         static_cast<hrry_layout>(level.inner_layout)});
        }
        detail::call(hrry_builder_tiled, c_handle(), c.data(), c.size());
        return *this;
    }

    // The bits of each coordinate: rank numbers.
    builder &morton(list<std::uint32_t> bits) {
        detail::must_have("bits", bits.size(), rank_);
        detail::call(hrry_builder_morton, c_handle(), bits.data());
        return *this;
    }

    // Through a cube of 2^order elements a dimension.
    builder &hilbert(std::uint32_t order) {
        detail::call(hrry_builder_hilbert, c_handle(), order);
        return *this;
    }

    // Buffers values and indices.
    builder &coo(std::uint64_t nnz, bool is_sorted) {
        detail::call(hrry_builder_coo, c_handle(), nnz, is_sorted);
        return *this;
    }

    // Buffers values, col_indices and row_ptr.
    builder &csr(std::uint64_t nnz) {
        detail::call(hrry_builder_csr, c_handle(), nnz);
        return *this;
    }

    // Buffers values, row_indices and col_ptr.
    builder &csc(std::uint64_t nnz) {
        detail::call(hrry_builder_csc, c_handle(), nnz);
        return *this;
    }

    // Buffers values, then pos and crd of each level, whose sizes must be told where the fields do
    // not give them. mode_order: the dimension of each level, rank numbers.
    builder &csf(std::uint64_t nnz, list<std::uint32_t> mode_order) {
        detail::must_have("mode_order", mode_order.size(), rank_);
        detail::call(hrry_builder_csf, c_handle(), nnz, mode_order.data());
        return *this;
    }

    // Buffers page_pool, block_table, whose size must be told, and seq_ptr.
    builder &block_paged(const hurray::block_paged &fields) {
        auto c = detail::sized<hrry_block_paged>();
        c.num_pages = fields.num_pages;
        c.page_size = fields.page_size;
        c.num_seqs = fields.num_seqs;
        c.kv_role = static_cast<hrry_kv_role>(fields.kv_role);
        c.layer_index = fields.layer_index.value_or(HRRY_NO_LAYER);
        c.block_table_index_type = static_cast<std::uint32_t>(fields.block_table_index_type);
        detail::call(hrry_builder_block_paged, c_handle(), &c);
        return *this;
    }

    // A composite head: no buffers, the tensors that follow hold the elements.
    builder &composite(const composite_head &head) {
        auto c = detail::sized<hrry_composite_head>();
        c.rule = static_cast<hrry_rule>(head.rule);
        c.combine = static_cast<hrry_combine>(head.combine);
        c.member_count = head.member_count;
        detail::call(hrry_builder_composite, c_handle(), &c);
        return *this;
    }

    // Sections.

    // The payload is ignored.
    builder &quantization(const hurray::quantization &fields) {
        auto c = detail::sized<hrry_quantization>();
        c.scheme = static_cast<hrry_scheme>(fields.scheme);
        c.flags = fields.symmetric ? HRRY_QUANTIZATION_SYMMETRIC : 0;
        c.axis = fields.axis;
        c.block_size = fields.block_size;
        c.scale = fields.scale;
        c.zero_point = fields.zero_point;
        c.scale_type = static_cast<hrry_type>(fields.scale_type);
        c.scale_buffer = fields.scale_buffer.value_or(HRRY_NO_BUFFER);
        c.zero_point_buffer = fields.zero_point_buffer.value_or(HRRY_NO_BUFFER);
        detail::call(hrry_builder_quantization, c_handle(), &c);
        return *this;
    }

    // A box of a larger tensor: its shape, and where in it this one begins, rank numbers each.
    builder &shard(list<std::uint64_t> parent_shape, list<std::uint64_t> shard_offset) {
        detail::must_have("parent_shape", parent_shape.size(), rank_);
        detail::must_have("shard_offset", shard_offset.size(), rank_);
        detail::call(hrry_builder_shard, c_handle(), parent_shape.data(), shard_offset.data());
        return *this;
    }

    builder &statistics(const hurray::statistics &known) {
        auto c = detail::sized<hrry_statistics>();
        if (known.nnz) {
            c.computed_mask |= HRRY_STATISTICS_NNZ;
            c.nnz = *known.nnz;
        }
        if (known.sparsity_ratio) {
            c.computed_mask |= HRRY_STATISTICS_SPARSITY;
            c.sparsity_ratio = *known.sparsity_ratio;
        }
        if (known.value_range) {
            c.computed_mask |= HRRY_STATISTICS_VALUE_RANGE;
            c.value_min = known.value_range->value_min;
            c.value_max = known.value_range->value_max;
            c.value_abs_max = known.value_range->value_abs_max;
        }
        if (known.value_stats) {
            c.computed_mask |= HRRY_STATISTICS_VALUE_STATS;
            c.value_mean = known.value_stats->value_mean;
            c.value_stddev = known.value_stats->value_stddev;
        }
        if (known.nm) {
            c.computed_mask |= HRRY_STATISTICS_NM_SPARSITY;
            c.nm_n = known.nm->nm_n;
            c.nm_m = known.nm->nm_m;
        }
        if (known.nan_inf) {
            c.computed_mask |= HRRY_STATISTICS_NAN_INF;
            c.has_nan = known.nan_inf->has_nan;
            c.has_inf = known.nan_inf->has_inf;
        }
        detail::call(hrry_builder_statistics, c_handle(), &c);
        return *this;
    }

    // What a private type is made of; such a type needs it.
    builder &extension_type(const hurray::extension_type &fields) {
        auto c = detail::sized<hrry_extension_type>();
        c.bit_width = fields.bit_width;
        c.exponent_bias = fields.exponent_bias;
        c.is_float = fields.is_float;
        c.is_signed = fields.is_signed;
        c.sign_bits = fields.sign_bits;
        c.exponent_bits = fields.exponent_bits;
        c.mantissa_bits = fields.mantissa_bits;
        c.has_nan = fields.has_nan;
        c.has_inf = fields.has_inf;
        detail::call(hrry_builder_extension_type, c_handle(), &c);
        return *this;
    }

    // A member of an overlay: correction or base.
    builder &member_role(hurray::member_role role) {
        detail::call(hrry_builder_member_role, c_handle(), static_cast<hrry_member_role>(role));
        return *this;
    }

    // Buffers.

    // Where in the first buffer the first element stands, in bytes.
    builder &byte_offset(std::uint64_t byte_offset) {
        detail::call(hrry_builder_byte_offset, c_handle(), byte_offset);
        return *this;
    }

    // Of all buffers: a record, the data lies in the file all the same.
    builder &device(hurray::device device) {
        detail::call(hrry_builder_device, c_handle(), static_cast<hrry_device>(device));
        return *this;
    }

    // The declared alignment, a power of two, of all buffers that are not told their own.
    builder &alignment(std::uint32_t alignment) {
        detail::call(hrry_builder_alignment, c_handle(), alignment);
        return *this;
    }

    // The declared alignment of one, by its place in the buffer table.
    builder &buffer_alignment(std::uint32_t buffer, std::uint32_t alignment) {
        detail::call(hrry_builder_buffer_alignment, c_handle(), buffer, alignment);
        return *this;
    }

    // The size of one, where only the content says it.
    builder &buffer_size(std::uint32_t buffer, std::uint64_t byte_size) {
        detail::call(hrry_builder_buffer_size, c_handle(), buffer, byte_size);
        return *this;
    }

    // The descriptor. The builder keeps what it was told and can be changed and used again. Throws:
    // status::forbidden for what the format does not allow, status::index for a buffer that there
    // is not.
    descriptor build() {
        hrry_descriptor *built = nullptr;
        detail::call(hrry_builder_build, c_handle(), &built);
        return descriptor::adopt(built);
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_builder *c_handle() const noexcept { return handle_.get(); }

private:
    friend class writer;

    // The rank of a shape.
    static std::uint32_t rank32(span<const std::uint64_t> shape) {
        constexpr std::size_t most = 64;
        if (shape.size() > most) {
            detail::fail(status::forbidden,
                         "rank " + std::to_string(shape.size()) + " is above 64");
        }
        return static_cast<std::uint32_t>(shape.size());
    }

    std::unique_ptr<hrry_builder, detail::deleter> handle_;
    std::size_t rank_ = 0;
};

// ---- Key-value section -------------------------------------------------------------------------

namespace detail {

// How a value of type T is had from the place `index` of an array, whose type was looked at.
template <class T> struct value {};

template <> struct value<std::int64_t> {
    static constexpr value_type type = value_type::i64;
    static std::int64_t at(const hrry_kv *kv, std::uint64_t index) {
        std::int64_t value = 0;
        call(hrry_kv_i64_at, kv, index, &value);
        return value;
    }
};
template <> struct value<std::uint64_t> {
    static constexpr value_type type = value_type::u64;
    static std::uint64_t at(const hrry_kv *kv, std::uint64_t index) {
        std::uint64_t value = 0;
        call(hrry_kv_u64_at, kv, index, &value);
        return value;
    }
};
template <> struct value<double> {
    static constexpr value_type type = value_type::f64;
    static double at(const hrry_kv *kv, std::uint64_t index) {
        double value = 0;
        call(hrry_kv_f64_at, kv, index, &value);
        return value;
    }
};
template <> struct value<bool> {
    static constexpr value_type type = value_type::boolean;
    static bool at(const hrry_kv *kv, std::uint64_t index) {
        bool value = false;
        call(hrry_kv_bool_at, kv, index, &value);
        return value;
    }
};
template <> struct value<std::string_view> {
    static constexpr value_type type = value_type::string;
    static std::string_view at(const hrry_kv *kv, std::uint64_t index) {
        hrry_text text{};
        call(hrry_kv_string_at, kv, index, &text.data, &text.len);
        return of(text);
    }
    static std::string_view of(hrry_text text) noexcept { return {text.data, text.len}; }
};
template <> struct value<std::string> {
    static constexpr value_type type = value_type::string;
    static std::string at(const hrry_kv *kv, std::uint64_t index) {
        return std::string(value<std::string_view>::at(kv, index));
    }
    static std::string of(hrry_text text) { return {text.data, text.len}; }
};
template <> struct value<bytes> {
    static constexpr value_type type = value_type::bytes;
    static bytes at(const hrry_kv *kv, std::uint64_t index) {
        const void *data = nullptr;
        std::size_t len = 0;
        call(hrry_kv_bytes_at, kv, index, &data, &len);
        return as_bytes(data, len);
    }
    static bytes of(hrry_text text) noexcept { return as_bytes(text.data, text.len); }
};

template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};

template <class T, class = void> struct is_value : std::false_type {};
template <class T> struct is_value<T, std::void_t<decltype(value<T>::type)>> : std::true_type {};

} // namespace detail

// One entry of a file's key-value section: a view.
class kv {
public:
    explicit kv(const hrry_kv *c_handle) noexcept : handle_(c_handle) {}

    std::string_view key() const noexcept {
        std::size_t len = 0;
        const char *key = hrry_kv_key(handle_, &len);
        return {key, len};
    }

    value_type type() const noexcept { return value_type{hrry_kv_type(handle_)}; }

    bool is_array() const noexcept { return type() == value_type::array; }

    // The type of the elements of an array; that of the value when it is none.
    value_type element_type() const noexcept { return value_type{hrry_kv_element_type(handle_)}; }

    // Elements of an array; 1 for a value that is none.
    std::uint64_t size() const noexcept { return hrry_kv_count(handle_); }

    // The value, as exactly what it is: T is std::string_view, std::string, std::int64_t,
    // std::uint64_t, double, bool or hurray::bytes, or a std::vector of one of these for all
    // elements of an array, which may be the only one of a value that is none. Throws:
    // status::type.
    template <class T> T get() const {
        if (std::optional<T> value = get_if<T>()) return *std::move(value);
        refuse<T>();
    }

    // The value; empty when it has another type.
    template <class T> std::optional<T> get_if() const {
        if constexpr (detail::is_vector<T>::value) {
            using element = typename T::value_type;
            static_assert(detail::is_value<element>::value, "no type of a value: see get");
            if (element_type() != detail::value<element>::type) return std::nullopt;
            return all<element>();
        } else {
            static_assert(detail::is_value<T>::value, "no type of a value: see get");
            if (type() != detail::value<T>::type) return std::nullopt;
            return detail::value<T>::at(handle_, 0);
        }
    }

    // An element of an array, in constant time; T as for `get`. Throws: status::type,
    // status::index.
    template <class T> T at(std::uint64_t index) const {
        static_assert(detail::is_value<T>::value, "no type of a value: see get");
        if (element_type() != detail::value<T>::type) refuse<std::vector<T>>();
        return detail::value<T>::at(handle_, index);
    }

    // The value or elements as they stand in the file: back to back, little-endian, not aligned;
    // texts and bytes each behind their length, four bytes.
    bytes data() const {
        const void *data = nullptr;
        std::size_t len = 0;
        detail::call(hrry_kv_data, handle_, &data, &len);
        return as_bytes(data, len);
    }

    const hrry_kv *c_handle() const noexcept { return handle_; }

private:
    template <class T> std::vector<T> all() const {
        const std::size_t count = detail::count(size());
        std::vector<T> values;
        if constexpr (std::is_same_v<T, bool>) {
            values.reserve(count);
            for (std::byte value : data()) values.push_back(value != std::byte{0});
        } else if constexpr (std::is_arithmetic_v<T>) {
            values.resize(count);
            const bytes packed = data();
            if (!packed.empty()) std::memcpy(values.data(), packed.data(), packed.size());
        } else {
            values.reserve(count);
            hrry_text texts[64];
            while (values.size() < count) {
                const std::size_t more = std::min(count - values.size(), std::size(texts));
                detail::call(hrry_kv_strings, handle_, std::uint64_t{values.size()}, more, texts);
                for (const hrry_text &text : span<const hrry_text>(texts, more))
                    values.push_back(detail::value<T>::of(text));
            }
        }
        return values;
    }

    template <class T> [[noreturn]] void refuse() const {
        const auto phrase = [](bool array, value_type type) {
            return (array ? "an array of " : "of type ") + std::string(name(type));
        };
        std::string wanted;
        if constexpr (detail::is_vector<T>::value)
            wanted = phrase(true, detail::value<typename T::value_type>::type);
        else
            wanted = phrase(false, detail::value<T>::type);
        detail::fail(status::type, "the value of " + std::string(key()) + " is " +
                                       phrase(is_array(), element_type()) + ", not " + wanted);
    }

    const hrry_kv *handle_;
};

// ---- Values ------------------------------------------------------------------------------------

// Where an element stands.
struct place {
    // Otherwise a sparse tensor does not store it: it is zero, and so is the rest of this.
    bool is_stored = false;
    // Elements between the first, at byte_offset, and this one.
    std::int64_t element = 0;
    // The byte in the first buffer; of 6-bit elements that of the group of three bytes.
    std::uint64_t byte = 0;
    // The first bit in it, for elements below a byte.
    std::uint32_t bit = 0;
};

// One element: as it is stored, and as a number. Of a quantized tensor it is the code.
struct element_value {
    element_kind kind = element_kind::opaque;
    // Otherwise a sparse tensor does not store it: it is zero.
    bool is_stored = false;
    // The stored bits, the lowest first.
    std::array<std::byte, 16> bits{};
    // The number or the real part; of an integer the nearest.
    double real = 0;
    double imaginary = 0;
    // Of a signed integer.
    std::int64_t signed_value = 0;
    // Of an unsigned integer or a bool.
    std::uint64_t unsigned_value = 0;
};

// What elements become when they are copied: float32, float64, float16, bfloat16 or int64; or what
// they are, which is as::stored, as::bytes, or the tensor's own type.
class target {
public:
    constexpr target(element_type type) noexcept : c_type_(static_cast<hrry_type>(type)) {}
    constexpr target(as form) noexcept : c_type_(static_cast<hrry_type>(form)) {}

    constexpr hrry_type c_type() const noexcept { return c_type_; }

private:
    hrry_type c_type_;
};

namespace detail {

// What can be asked of a tensor of a file and, alike, of a descriptor with its buffers.
//
// Indices and boxes are rank numbers a dimension; a box is a lower bound and an extent, its elements
// come in row-major order whatever the layout. Functions that fill `dst` want it exactly as long as
// the elements are, allocate nothing for them, and may be called for parts of one tensor by several
// threads at once; the others return a vector, of type T, which stands for an element type: see
// hurray::element. After an error the content of `dst` is undefined.
//
// Of a mapped file the data is used where it lies: that can fault when somebody truncates it.
//
// Throws: status::argument for numbers of another rank and for a type that is not converted to,
// status::index and status::range for what lies outside, status::room for a `dst` or buffers of the
// wrong size, status::rule when a dimension is dynamic, status::state for a composite head,
// status::unsupported for conversions that there are not, status::value for an element that has no
// value in the type, status::type where tokens are asked for and it is not block-paged, what is
// wrong with indices and pages in the data, and what reading throws.
template <class Self> class values_of {
public:
    place locate(list<std::uint64_t> index) const {
        must_fit("index", index);
        auto c = sized<hrry_place>();
        self().ask(hrry_values_locate, hrry_tensor_locate, index.data(), &c);
        return {c.is_stored != 0, c.element, c.byte, c.bit};
    }

    // Of a block-paged tensor, by sequence and token.
    place locate_token(std::uint64_t sequence, std::uint64_t token, std::uint64_t head,
                       std::uint64_t dim) const {
        auto c = sized<hrry_place>();
        self().ask(hrry_values_locate_token, hrry_tensor_locate_token, sequence, token, head, dim,
                   &c);
        return {c.is_stored != 0, c.element, c.byte, c.bit};
    }

    element_value element(list<std::uint64_t> index) const {
        must_fit("index", index);
        auto c = sized<hrry_element>();
        self().ask(hrry_values_element, hrry_tensor_element, index.data(), &c);
        element_value value{element_kind{c.kind}, c.is_stored != 0, {}, c.real, c.imaginary,
                            c.signed_value, c.unsigned_value};
        std::memcpy(value.bits.data(), c.bits, sizeof c.bits);
        return value;
    }

    // A box as it is stored or converted; of a quantized tensor, the codes.
    void copy(list<std::uint64_t> lower, list<std::uint64_t> extent, target type,
              writable_bytes dst) const {
        must_fit("lower", lower);
        must_fit("extent", extent);
        self().ask(hrry_values_copy, hrry_tensor_copy, lower.data(), extent.data(), type.c_type(),
                   static_cast<void *>(dst.data()), dst.size());
    }
    template <class T>
    std::vector<T> copy(list<std::uint64_t> lower, list<std::uint64_t> extent) const {
        std::vector<T> elements(elements_of(extent));
        copy(lower, extent, type_of<T>(), as_writable_bytes(elements));
        return elements;
    }

    // Tokens of one sequence of a block-paged tensor: [tokens, heads, dim].
    void copy_tokens(std::uint64_t sequence, std::uint64_t first, std::uint64_t tokens, target type,
                     writable_bytes dst) const {
        self().ask(hrry_values_copy_tokens, hrry_tensor_copy_tokens, sequence, first, tokens,
                   type.c_type(), static_cast<void *>(dst.data()), dst.size());
    }
    template <class T>
    std::vector<T> copy_tokens(std::uint64_t sequence, std::uint64_t first,
                               std::uint64_t tokens) const {
        std::vector<T> elements(elements_of_tokens(tokens));
        copy_tokens(sequence, first, tokens, type_of<T>(), as_writable_bytes(elements));
        return elements;
    }

    // The values of n elements from the `first` on, in row-major order of the whole tensor: codes
    // become float32 as the scheme says, and from there float64, float16 or bfloat16; a tensor that
    // is not quantized gives its own values.
    void dequantize(std::uint64_t first, std::uint64_t n, element_type type,
                    writable_bytes dst) const {
        self().ask(hrry_values_dequantize, hrry_tensor_dequantize, first, n,
                   static_cast<hrry_type>(type), static_cast<void *>(dst.data()), dst.size());
    }
    template <class T = float>
    std::vector<T> dequantize(std::uint64_t first, std::uint64_t n) const {
        std::vector<T> values(count(n));
        dequantize(first, n, type_of<T>(), as_writable_bytes(values));
        return values;
    }

    // The values of a box.
    void dequantize_box(list<std::uint64_t> lower, list<std::uint64_t> extent, element_type type,
                        writable_bytes dst) const {
        must_fit("lower", lower);
        must_fit("extent", extent);
        self().ask(hrry_values_dequantize_box, hrry_tensor_dequantize_box, lower.data(),
                   extent.data(), static_cast<hrry_type>(type), static_cast<void *>(dst.data()),
                   dst.size());
    }
    template <class T = float>
    std::vector<T> dequantize_box(list<std::uint64_t> lower, list<std::uint64_t> extent) const {
        std::vector<T> values(elements_of(extent));
        dequantize_box(lower, extent, type_of<T>(), as_writable_bytes(values));
        return values;
    }

    // The values of tokens of one sequence of a block-paged tensor: [tokens, heads, dim].
    void dequantize_tokens(std::uint64_t sequence, std::uint64_t first, std::uint64_t tokens,
                           element_type type, writable_bytes dst) const {
        self().ask(hrry_values_dequantize_tokens, hrry_tensor_dequantize_tokens, sequence, first,
                   tokens, static_cast<hrry_type>(type), static_cast<void *>(dst.data()),
                   dst.size());
    }
    template <class T = float>
    std::vector<T> dequantize_tokens(std::uint64_t sequence, std::uint64_t first,
                                     std::uint64_t tokens) const {
        std::vector<T> values(elements_of_tokens(tokens));
        dequantize_tokens(sequence, first, tokens, type_of<T>(), as_writable_bytes(values));
        return values;
    }

protected:
    values_of() noexcept = default;

private:
    const Self &self() const noexcept { return static_cast<const Self &>(*this); }

    void must_fit(const char *what, span<const std::uint64_t> numbers) const {
        must_have(what, numbers.size(), self().descriptor().rank());
    }

    static std::size_t elements_of(span<const std::uint64_t> extent) {
        if (std::find(extent.begin(), extent.end(), 0u) != extent.end()) return 0;
        std::uint64_t product = 1;
        for (std::uint64_t size : extent) {
            if (product > unknown / size)
                fail(status::overflow, "more elements than 64 bits can count");
            product *= size;
        }
        return count(product);
    }

    // What is not block-paged the library refuses.
    std::size_t elements_of_tokens(std::uint64_t tokens) const {
        const descriptor_view descriptor = self().descriptor();
        if (descriptor.layout() != layout::block_paged) return 0;
        const std::uint64_t extent[] = {tokens, descriptor.shape()[1], descriptor.shape()[2]};
        return elements_of(extent);
    }
};

} // namespace detail

// The values of a descriptor with its buffers, wherever they are: mapped, loaded, received. What can
// be asked is what can be asked of a tensor, see above. It keeps a table of the buffers, not what
// is in them; they and the descriptor must outlive it.
class values : public detail::values_of<values> {
public:
    // One buffer for each entry of the buffer table, at least as large. Fewer, more or smaller ones
    // are an error of the calls: status::room.
    values(descriptor_view descriptor, list<bytes> buffers) : descriptor_(descriptor) {
        buffers_.reserve(buffers.size());
        for (const bytes &buffer : buffers) buffers_.push_back({buffer.data(), buffer.size()});
    }

    descriptor_view descriptor() const noexcept { return descriptor_; }

private:
    friend class detail::values_of<values>;

    template <class... OfBuffers, class... OfTensor, class... Arguments>
    void ask(hrry_status (*of_buffers)(OfBuffers...), hrry_status (*)(OfTensor...),
             Arguments... arguments) const {
        detail::call(of_buffers, descriptor_.c_handle(), buffers_.data(),
                     static_cast<std::uint32_t>(buffers_.size()), arguments...);
    }

    descriptor_view descriptor_;
    std::vector<hrry_memory> buffers_;
};

// ---- Tensors -----------------------------------------------------------------------------------

// One buffer of a tensor: a view.
class buffer {
public:
    buffer(const hrry_tensor *tensor, std::uint32_t index)
        : buffer_(detail::sized<hrry_buffer>()), tensor_(tensor), index_(index) {
        detail::call(hrry_tensor_buffer, tensor, index, &buffer_);
    }

    // Its place in the buffer table.
    std::uint32_t index() const noexcept { return index_; }

    // Bytes.
    std::uint64_t size() const noexcept { return buffer_.size; }

    // Where it begins in the file.
    std::uint64_t offset() const noexcept { return buffer_.offset; }

    // Its bytes, or NULL when the file is not in memory. Touching them can fault when somebody
    // truncates a mapped file.
    const std::byte *data() const noexcept { return static_cast<const std::byte *>(buffer_.data); }

    bool in_memory() const noexcept { return buffer_.data != nullptr; }

    // The largest power of two that divides the address of the data; 0 when there is none.
    std::uint64_t alignment() const noexcept { return buffer_.alignment; }

    // What the descriptor declares: may be more than what holds here.
    std::uint32_t declared_alignment() const noexcept { return buffer_.declared_alignment; }

    // Where the producer kept it.
    hurray::device device() const noexcept { return hurray::device{buffer_.device}; }

    // Its bytes, in place. Throws: status::state when the file is not in memory.
    hurray::bytes bytes() const {
        if (size() != 0 && !in_memory())
            detail::fail(status::state, "the file is not in memory: its data can only be read");
        return {data(), detail::count(size())};
    }

    // Its bytes as values of type T, in place: indices, pointers, scales. Whether they are such is
    // the caller's to know. Throws: status::state when the file is not in memory,
    // status::misaligned when the data is not aligned for T, status::range when the size is no
    // multiple of T's.
    template <class T> span<const T> as() const {
        static_assert(std::is_trivially_copyable_v<T>, "only plain values are their bytes");
        must_suit(sizeof(T), alignof(T), "the buffer");
        const hurray::bytes in_place = bytes();
        return {reinterpret_cast<const T *>(in_place.data()), in_place.size() / sizeof(T)};
    }

    // Copies bytes from `offset` on, by reads and never through the mapping: a file that became
    // shorter is status::shrank, not a signal. After an error the content of `dst` is undefined.
    // Throws: status::range, status::system, status::shrank, status::callback.
    void read(std::uint64_t offset, writable_bytes dst) const {
        detail::call(hrry_tensor_read, tensor_, index_, offset, static_cast<void *>(dst.data()),
                     dst.size());
    }

    // A copy of all of it as values of type T, whatever the alignment and wherever the file is.
    // Throws: as `read`, status::range when the size is no multiple of T's.
    template <class T = std::byte> std::vector<T> copy() const {
        static_assert(std::is_trivially_copyable_v<T>, "only plain values are their bytes");
        must_suit(sizeof(T), 0, "the buffer");
        std::vector<T> values(detail::count(size()) / sizeof(T));
        read(0, as_writable_bytes(values));
        return values;
    }

private:
    // `align` 0: however it lies.
    void must_suit(std::size_t size_of, std::size_t align, const char *what) const {
        if (size() % size_of != 0) {
            detail::fail(status::range, std::string(what) + " has " + std::to_string(size()) +
                                            " bytes, no multiple of " + std::to_string(size_of));
        }
        if (align != 0 && reinterpret_cast<std::uintptr_t>(data()) % align != 0) {
            detail::fail(status::misaligned, std::string(what) + " is aligned to " +
                                                 std::to_string(alignment()) + ", not to " +
                                                 std::to_string(align));
        }
    }

    hrry_buffer buffer_;
    const hrry_tensor *tensor_;
    std::uint32_t index_;
};

// Told now and then of the bytes done so far and of those to do. Returns whether to go on; what it
// throws ends the call, too, and comes out of it.
using progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

// One tensor of a file: a view. Its values are had as those of `values`, which see.
class tensor : public detail::values_of<tensor> {
public:
    explicit tensor(const hrry_tensor *c_handle) noexcept : handle_(c_handle) {}

    std::string_view name() const noexcept {
        std::size_t len = 0;
        const char *name = hrry_tensor_name(handle_, &len);
        return {name, len};
    }

    // Its place in the index.
    std::uint64_t index() const noexcept { return hrry_tensor_index(handle_); }

    descriptor_view descriptor() const noexcept {
        return descriptor_view(hrry_tensor_descriptor(handle_));
    }

    // What its descriptor says, for short.
    element_type type() const noexcept { return descriptor().type(); }
    hurray::layout layout() const noexcept { return descriptor().layout(); }
    hurray::scheme scheme() const noexcept { return descriptor().scheme(); }
    std::uint32_t rank() const noexcept { return descriptor().rank(); }
    span<const std::uint64_t> shape() const noexcept { return descriptor().shape(); }
    std::uint64_t element_count() const { return descriptor().element_count(); }
    bool is_composite_head() const noexcept { return descriptor().is_composite_head(); }

    // All of this and the place of the data in one call.
    hrry_tensor_facts info() const {
        auto facts = detail::sized<hrry_tensor_facts>();
        detail::call(hrry_tensor_info, handle_, &facts);
        return facts;
    }

    // What a statistics section says of it, computed from its values. With nm_m above 0 also how
    // many elements of each nm_m that follow one another are not zero at most. Progress is told in 8
    // bytes an element. Throws: status::state for a composite head and
    // for a block-paged tensor that is found by sequence only, status::unsupported for complex,
    // float128 and private types, status::cancelled.
    hurray::statistics compute_statistics(std::uint8_t nm_m = 0,
                                          const hurray::progress &on_progress = {}) const;

    // 0 for a composite head.
    std::uint32_t buffer_count() const noexcept { return hrry_tensor_buffer_count(handle_); }

    // Throws: status::index.
    hurray::buffer buffer(std::uint32_t index) const { return {handle_, index}; }

    range<hurray::buffer> buffers() const noexcept {
        return {handle_,
                [](const void *handle, std::uint64_t index) {
                    return hurray::buffer(static_cast<const hrry_tensor *>(handle),
                                          static_cast<std::uint32_t>(index));
                },
                buffer_count()};
    }

    // The elements of a row-major or column-major tensor, in place and in the order of its layout;
    // of a quantized one, the codes. T stands for the element type: see hurray::element. Throws:
    // status::type when the tensor has another type or layout, status::state when the file is not
    // in memory, status::misaligned when the data is not aligned for T, status::rule when a
    // dimension is dynamic.
    template <class T> span<const T> elements() const {
        const hrry_tensor_facts facts = info();
        const std::size_t count = dense_count(facts, type_of<T>(), sizeof(T));
        if (count == 0) return {};
        if (facts.data == nullptr)
            detail::fail(status::state, "the file is not in memory: its data can only be read");
        const auto *first = static_cast<const std::byte *>(facts.data) + facts.byte_offset;
        if (reinterpret_cast<std::uintptr_t>(first) % alignof(T) != 0) {
            detail::fail(status::misaligned, "the elements of " + std::string(name()) +
                                                 " are not aligned to " +
                                                 std::to_string(alignof(T)));
        }
        return {reinterpret_cast<const T *>(first), count};
    }

    // A copy of them, whatever the alignment and wherever the file is, by reads and never through
    // the mapping. Throws: status::type and status::rule as `elements`, the others as
    // `buffer::read`.
    using detail::values_of<tensor>::copy;
    template <class T> std::vector<T> copy() const {
        const hrry_tensor_facts facts = info();
        std::vector<T> values(dense_count(facts, type_of<T>(), sizeof(T)));
        if (!values.empty()) read(0, facts.byte_offset, as_writable_bytes(values));
        return values;
    }

    // The whole first buffer of a tensor of any layout, in place: what a strided or tiled one
    // keeps, the values of a sparse one. Throws: as `buffer::as`, and status::type when T stands
    // for another type, status::index when there is no buffer.
    template <class T> span<const T> stored() const {
        must_be(type_of<T>(), type());
        return buffer(0).as<T>();
    }

    // Copies bytes of a buffer, from `offset` on: see `buffer::read`. Throws: status::index, too.
    void read(std::uint32_t buffer, std::uint64_t offset, writable_bytes dst) const {
        detail::call(hrry_tensor_read, handle_, buffer, offset, static_cast<void *>(dst.data()),
                     dst.size());
    }

    // A request for `file::load`: `dst` is filled from `offset` of a buffer on. The memory must
    // stay until the file has loaded it.
    hrry_load into(writable_bytes dst, std::uint32_t buffer = 0, std::uint64_t offset = 0) const
        noexcept {
        return {index(), offset, dst.data(), dst.size(), buffer, 0};
    }

    // Tells the system what is to come for the data. Nothing depends on it but speed. Throws:
    // status::system.
    void advise(hurray::advice advice) const {
        detail::call(hrry_tensor_advise, handle_, static_cast<hrry_advice>(advice));
    }

    const hrry_tensor *c_handle() const noexcept { return handle_; }

private:
    friend class detail::values_of<tensor>;

    template <class... OfBuffers, class... OfTensor, class... Arguments>
    void ask(hrry_status (*)(OfBuffers...), hrry_status (*of_tensor)(OfTensor...),
             Arguments... arguments) const {
        detail::call(of_tensor, handle_, arguments...);
    }

    void must_be(element_type wanted, element_type found) const {
        if (found != wanted) {
            detail::fail(status::type, "the elements of " + std::string(name()) + " are " +
                                           std::string(hurray::name(found)) + ", not " +
                                           std::string(hurray::name(wanted)));
        }
    }

    std::size_t dense_count(const hrry_tensor_facts &facts, element_type wanted,
                            std::size_t size_of) const {
        must_be(wanted, element_type{facts.type});
        if (facts.layout != HRRY_LAYOUT_ROW_MAJOR && facts.layout != HRRY_LAYOUT_COLUMN_MAJOR) {
            detail::fail(status::type, "the layout of " + std::string(name()) + " is " +
                                           std::string(hurray::name(hurray::layout{facts.layout})) +
                                           ", not row_major or column_major");
        }
        if (facts.element_bits != size_of * 8) {
            detail::fail(status::type, "the elements of " + std::string(name()) + " have " +
                                           std::to_string(facts.element_bits) + " bits, not " +
                                           std::to_string(size_of * 8));
        }
        const std::uint64_t count = element_count();
        // The library has checked it, but for what it cannot know.
        if (facts.byte_offset > facts.size || count > (facts.size - facts.byte_offset) / size_of)
            detail::fail(status::too_small, "the elements leave the buffer");
        return detail::count(count);
    }

    const hrry_tensor *handle_;
};

// Where the parts of a tensor lie, as the index has it: known without reading its descriptor.
struct entry {
    std::string_view name;
    std::uint64_t descriptor_offset;
    std::uint64_t descriptor_len;
    // Where the first buffer begins.
    std::uint64_t data_offset;
    // Bytes from there to the end of the last buffer, padding between buffers among them.
    std::uint64_t data_len;
};

// What is known of a composite without a look at its members.
struct composite_facts {
    // The head, by its place in the index.
    std::uint64_t head;
    // The head that it is itself a member of.
    std::optional<std::uint64_t> outer;
    // member_count.
    std::uint32_t promised;
    // Members in the file; fewer when it is torn.
    std::uint32_t found;
    // Level of nesting; 1 for the outermost. Above 8 it is not valid.
    std::uint32_t level;
    // All members are there, and all of theirs.
    bool complete;
};

// ---- Files -------------------------------------------------------------------------------------

class composite;

struct open_options {
    // Accept what the format lets a permissive reader accept.
    bool permissive = false;
    // Do not map: there are no pointers to data.
    bool reads = false;
    // Read the whole file into memory, which no truncation can take away. Not with reads.
    bool memory = false;
};

struct load_options {
    // Bytes of one read at most; 0 for what suits most disks.
    std::uint64_t chunk = 0;
    hurray::progress progress;
};

// What is checked, and how it is reported. At least one of the checks is to be made.
struct validate_options {
    // Each descriptor, and it against its index entry.
    bool descriptors = true;
    // No overlap between tensors, no stretch of bytes that belongs to nothing.
    bool regions = true;
    // All padding is zero.
    bool padding = true;
    // Each composite: its members one by one, and all together.
    bool composites = true;
    // The numbers in the data that have rules: indices, pointers, page tables, scales, zero points,
    // codes of float8_e8m0.
    bool content = true;
    // What statistics sections say, against the values, which reads all data: see
    // HRRY_CHECK_STATISTICS.
    bool statistics = false;
    // How many problems to report at most; all of them are counted.
    std::size_t most = 64;
    // How many to count before the first that is reported.
    std::uint64_t first = 0;
    hurray::progress progress;
};

// What validation found.
struct validation {
    // Each as the error that a call which met it would throw.
    std::vector<error> problems;
    // How many there are, which may be more.
    std::uint64_t count = 0;

    bool valid() const noexcept { return count == 0; }
};

namespace detail {

inline hrry_open_options c_options(const open_options &options) noexcept {
    auto c = sized<hrry_open_options>();
    if (options.permissive) c.flags |= HRRY_OPEN_PERMISSIVE;
    if (options.reads) c.flags |= HRRY_OPEN_READS;
    if (options.memory) c.flags |= HRRY_OPEN_MEMORY;
    return c;
}

// All of them is what the library calls all, which may be more.
inline std::uint32_t c_checks(const validate_options &options) {
    std::uint32_t all = 0, wanted = 0;
    const auto check = [&](bool is_wanted, std::uint32_t flag) {
        all |= flag;
        if (is_wanted) wanted |= flag;
    };
    check(options.descriptors, HRRY_CHECK_DESCRIPTORS);
    check(options.regions, HRRY_CHECK_REGIONS);
    check(options.padding, HRRY_CHECK_PADDING);
    check(options.composites, HRRY_CHECK_COMPOSITES);
    check(options.content, HRRY_CHECK_CONTENT);
    // All does not mean this one.
    if (options.statistics) wanted |= HRRY_CHECK_STATISTICS;
    if (wanted == 0) fail(status::argument, "validation without a check");
    return wanted == all ? 0 : wanted;
}

// A progress function during a call.
struct progress_callback : callback {
    explicit progress_callback(const hurray::progress &told) : function(told) {}

    hrry_progress_fn c_function() const noexcept { return function ? step : nullptr; }

    static int step(void *context, std::uint64_t done, std::uint64_t total) noexcept {
        auto *self = static_cast<progress_callback *>(context);
        try {
            return self->function(done, total) ? 0 : 1;
        } catch (...) {
            self->thrown = std::current_exception();
            return 1;
        }
    }

    const hurray::progress &function;
};

// Callbacks of files, which live until the last owner of the file is gone.
template <class Read>
int read_at(void *context, std::uint64_t offset, void *dst, std::size_t dst_len) noexcept {
    try {
        auto &read = *static_cast<Read *>(context);
        read(offset, writable_bytes(static_cast<std::byte *>(dst), dst_len));
        return 0;
    } catch (...) {
        return error_number();
    }
}
template <class T> void release(void *context) noexcept { delete static_cast<T *>(context); }

} // namespace detail

inline hurray::statistics tensor::compute_statistics(std::uint8_t nm_m,
                                                     const hurray::progress &on_progress) const {
    detail::progress_callback told(on_progress);
    auto c = detail::sized<hrry_statistics>();
    detail::call_with(&told, hrry_tensor_compute_statistics, handle_, nm_m, told.c_function(),
                      static_cast<void *>(&told), &c);
    return detail::known(c);
}

// A file that was opened for reading: an owner, one of several if it is shared. It does not change.
// Opening checks header, index and key-value section and touches no data.
class file {
public:
    file() noexcept = default;

    // Throws: status::system (os_error is errno), status::not_a_file, what is wrong with the file.
    static file open(const std::string &path, const open_options &options = {}) {
        const hrry_open_options c = detail::c_options(options);
        hrry_file *handle = nullptr;
        detail::call(hrry_file_open, detail::path(path), &c, &handle);
        return adopt(handle);
    }

    // Opens `len` bytes from byte `base` of a file that is open already, seekable and readable. The
    // descriptor is duplicated, and its offset never moved: yours can be closed at once. Throws:
    // status::argument, status::range, and as `open`.
    static file open_fd(int fd, std::uint64_t base = 0, std::uint64_t len = unknown,
                        const open_options &options = {}) {
        const hrry_open_options c = detail::c_options(options);
        hrry_file *handle = nullptr;
        detail::call(hrry_file_open_fd, fd, base, len, &c, &handle);
        return adopt(handle);
    }

    // Opens a file that lies in memory, which must stay as it is until the last owner is gone.
    static file open_memory(bytes lent, const open_options &options = {}) {
        const hrry_open_options c = detail::c_options(options);
        hrry_file *handle = nullptr;
        detail::call(hrry_file_open_memory, static_cast<const void *>(lent.data()), lent.size(),
                     hrry_release_fn{}, static_cast<void *>(nullptr), &c, &handle);
        return adopt(handle);
    }

    // Opens a file that lies in memory which `owner` keeps. It is let go with the last owner of the
    // file, on the thread where that happens, or when this throws.
    static file open_shared(bytes lent, std::shared_ptr<const void> owner,
                            const open_options &options = {}) {
        using kept = std::shared_ptr<const void>;
        const hrry_open_options c = detail::c_options(options);
        auto context = std::make_unique<kept>(std::move(owner));
        hrry_file *handle = nullptr;
        detail::call(hrry_file_open_memory, static_cast<const void *>(lent.data()), lent.size(),
                     hrry_release_fn{detail::release<kept>}, static_cast<void *>(context.get()), &c,
                     &handle);
        context.release();
        return adopt(handle);
    }

    // Opens a file that the caller reads: `read(offset, dst)` fills all of dst, a `writable_bytes`,
    // with the bytes of the file from offset on, or throws. It may be called from any thread,
    // several at once, and only for ranges inside `size`. It is destroyed with the last owner of
    // the file, or when this throws.
    //
    // What it throws becomes status::callback, with an os_error: the value of a std::system_error
    // with errno's numbers, ENOMEM for std::bad_alloc, else EIO.
    template <class Read>
    static file open_source(std::uint64_t size, Read read, const open_options &options = {}) {
        static_assert(std::is_invocable_v<Read &, std::uint64_t, writable_bytes>,
                      "read takes an offset and a writable_bytes");
        const hrry_open_options c = detail::c_options(options);
        auto context = std::make_unique<Read>(std::move(read));
        auto source = detail::sized<hrry_source>();
        source.context = context.get();
        source.size = size;
        source.read_at = detail::read_at<Read>;
        source.release = detail::release<Read>;
        hrry_file *handle = nullptr;
        detail::call(hrry_file_open_source, &source, &c, &handle);
        context.release();
        return adopt(handle);
    }

    // Another owner of the same open file.
    file share() const noexcept { return adopt(hrry_file_retain(c_handle())); }

    // Sizes, places, flags, versions.
    hrry_file_facts info() const {
        auto facts = detail::sized<hrry_file_facts>();
        detail::call(hrry_file_info, c_handle(), &facts);
        return facts;
    }

    // Bytes of the file.
    std::uint64_t size() const { return info().size; }

    // How its data is reached.
    hurray::access access() const { return hurray::access{info().access}; }

    // The descriptor that the library reads through; stays the library's. -1 when there is none.
    int fd() const noexcept { return hrry_file_fd(c_handle()); }

    // Tensors, composite heads among them.

    std::uint64_t tensor_count() const noexcept { return hrry_file_tensor_count(c_handle()); }

    // By its place in the index. Its descriptor is read, checked and kept when it is first asked
    // for. Throws: status::index, status::system, status::shrank, status::callback, what is wrong
    // with the file.
    hurray::tensor tensor(std::uint64_t index) const { return tensor_at(c_handle(), index); }

    // By its name. Throws: status::not_found, and as above.
    hurray::tensor tensor(std::string_view name) const {
        const hrry_tensor *tensor = nullptr;
        detail::call(hrry_file_tensor_find, c_handle(), name.data(), name.size(), &tensor);
        return hurray::tensor(tensor);
    }

    // By its name; empty when there is none. Throws: as above, but for status::not_found.
    std::optional<hurray::tensor> find(std::string_view name) const {
        const std::optional<std::uint64_t> index = find_index(name);
        return index ? std::optional(tensor(*index)) : std::nullopt;
    }

    // Its place in the index, without touching its descriptor; empty when there is none.
    std::optional<std::uint64_t> find_index(std::string_view name) const noexcept {
        std::uint64_t index = 0;
        const hrry_status status =
            hrry_file_name_find(c_handle(), name.data(), name.size(), &index, nullptr);
        return status == HRRY_OK ? std::optional(index) : std::nullopt;
    }

    // In the order of the index.
    range<hurray::tensor> tensors() const && = delete;
    range<hurray::tensor> tensors() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t index) {
                    return tensor_at(static_cast<const hrry_file *>(handle), index);
                },
                tensor_count()};
    }

    // In the order in which they stand in the file: the one in which reading them all is fastest.
    range<hurray::tensor> tensors_in_file_order() const && = delete;
    range<hurray::tensor> tensors_in_file_order() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t place) {
                    const auto *of = static_cast<const hrry_file *>(handle);
                    std::uint64_t index = 0;
                    detail::call(hrry_file_order_at, of, place, &index);
                    return tensor_at(of, index);
                },
                tensor_count()};
    }

    // What the index says, in its order, without touching a descriptor.
    range<hurray::entry> entries() const && = delete;
    range<hurray::entry> entries() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t index) {
                    auto c = detail::sized<hrry_entry>();
                    detail::call(hrry_file_entry_at, static_cast<const hrry_file *>(handle), index,
                                 &c);
                    return hurray::entry{{c.name, c.name_len}, c.descriptor_offset,
                                         c.descriptor_len,     c.data_offset,
                                         c.data_len};
                },
                tensor_count()};
    }

    // The names, in the order of the index.
    range<std::string_view> names() const && = delete;
    range<std::string_view> names() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t index) {
                    const char *name = nullptr;
                    std::size_t len = 0;
                    detail::call(hrry_file_name_at, static_cast<const hrry_file *>(handle), index,
                                 &name, &len);
                    return std::string_view(name, len);
                },
                tensor_count()};
    }

    // Key-value section.

    std::uint64_t kv_count() const noexcept { return hrry_file_kv_count(c_handle()); }

    // By its key. Throws: status::not_found.
    hurray::kv kv(std::string_view key) const {
        const hrry_kv *kv = nullptr;
        detail::call(hrry_file_kv_find, c_handle(), key.data(), key.size(), &kv);
        return hurray::kv(kv);
    }

    // By its key; empty when there is none.
    std::optional<hurray::kv> find_kv(std::string_view key) const noexcept {
        const hrry_kv *kv = nullptr;
        const hrry_status status =
            hrry_file_kv_find(c_handle(), key.data(), key.size(), &kv, nullptr);
        return status == HRRY_OK ? std::optional(hurray::kv(kv)) : std::nullopt;
    }

    // In the order of the section.
    range<hurray::kv> kvs() const && = delete;
    range<hurray::kv> kvs() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t index) {
                    const hrry_kv *kv = nullptr;
                    detail::call(hrry_file_kv_at, static_cast<const hrry_file *>(handle), index,
                                 &kv);
                    return hurray::kv(kv);
                },
                kv_count()};
    }

    // Composites, by the places of their heads in the index. The first question finds out who
    // belongs to whom, which the file keeps. Each throws status::system, status::shrank,
    // status::callback.

    // How many there are, nested ones counted, too.
    std::uint64_t composite_count() const {
        std::uint64_t count = 0;
        detail::call(hrry_file_composite_count, c_handle(), &count);
        return count;
    }

    // In the order of the file: each before those nested in it.
    range<composite_facts> composites() const && = delete;
    range<composite_facts> composites() const & {
        return {c_handle(),
                [](const void *handle, std::uint64_t place) {
                    auto c = detail::sized<hrry_composite_facts>();
                    detail::call(hrry_file_composite_at, static_cast<const hrry_file *>(handle),
                                 place, &c);
                    return facts_of(c);
                },
                composite_count()};
    }

    // Throws: status::type for another tensor, status::index, too.
    composite_facts composite_info(std::uint64_t head) const {
        auto c = detail::sized<hrry_composite_facts>();
        detail::call(hrry_file_composite_info, c_handle(), head, &c);
        return facts_of(c);
    }

    // The head that binds a tensor; empty when none does. Throws: status::index, too.
    std::optional<std::uint64_t> composite_of(std::uint64_t tensor) const {
        std::uint64_t head = unknown;
        detail::call(hrry_file_composite_of, c_handle(), tensor, &head);
        return head == unknown ? std::nullopt : std::optional(head);
    }

    // Opens one: checks its members one by one and together. Throws: status::type for another
    // tensor, status::index, status::torn, status::cover, what is wrong with the file, too.
    hurray::composite composite(std::uint64_t head) const;

    // By the name of its head. Throws: status::not_found, and as above.
    hurray::composite composite(std::string_view head) const;

    // Copies many ranges into the caller's memory, in file order and in chunks, by reads and never
    // through the mapping: requests are made by `tensor::into` and by `request`, and their memory
    // must not overlap. When it throws, some are filled and others not. Throws: status::index,
    // status::range, status::cancelled, status::system, status::shrank, status::callback, what is
    // wrong with the file.
    void load(list<hrry_load> requests, const load_options &options = {}) const {
        detail::progress_callback told(options.progress);
        auto c = detail::sized<hrry_load_options>();
        c.chunk = options.chunk;
        c.progress = told.c_function();
        c.context = &told;
        detail::call_with(&told, hrry_file_load, c_handle(), requests.data(), requests.size(),
                          &c);
    }

    // A request for `load` by the place in the index, without asking for the tensor.
    static hrry_load request(std::uint64_t index, writable_bytes dst, std::uint32_t buffer = 0,
                             std::uint64_t offset = 0) noexcept {
        return {index, offset, dst.data(), dst.size(), buffer, 0};
    }

    // Checks the whole file: all that opening it and asking for its tensors leave alone. What is
    // wrong with the file is returned, not thrown. Throws: status::cancelled, status::system,
    // status::shrank, status::callback.
    validation validate(const validate_options &options = {}) const {
        detail::progress_callback told(options.progress);
        auto c = detail::sized<hrry_validate_options>();
        c.checks = detail::c_checks(options);
        c.first = options.first;
        c.progress = told.c_function();
        c.context = &told;
        std::vector<hrry_error> problems(options.most);
        validation found;
        detail::call_with(&told, hrry_file_validate, c_handle(), &c, problems.data(),
                          problems.size(), &found.count);
        const std::uint64_t past = found.count - std::min(found.count, options.first);
        problems.resize(static_cast<std::size_t>(std::min<std::uint64_t>(past, options.most)));
        for (const hrry_error &problem : problems) found.problems.emplace_back(problem);
        return found;
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_file *c_handle() const noexcept { return handle_.get(); }
    hrry_file *release() noexcept { return handle_.release(); }
    static file adopt(hrry_file *c_handle) noexcept {
        file adopted;
        adopted.handle_.reset(c_handle);
        return adopted;
    }

private:
    static hurray::tensor tensor_at(const hrry_file *file, std::uint64_t index) {
        const hrry_tensor *tensor = nullptr;
        detail::call(hrry_file_tensor_at, file, index, &tensor);
        return hurray::tensor(tensor);
    }

    static composite_facts facts_of(const hrry_composite_facts &c) noexcept {
        return {c.head,
                c.outer == HRRY_UNKNOWN ? std::nullopt : std::optional(c.outer),
                c.promised,
                c.found,
                c.level,
                c.complete != 0};
    }

    std::unique_ptr<hrry_file, detail::deleter> handle_;
};

// ---- Composites --------------------------------------------------------------------------------

// Where an element of a composite is.
struct location {
    // The tensor, by its place in the index of the file.
    std::uint64_t tensor;
    // The index in it, one number a dimension.
    std::vector<std::uint64_t> local;
};

// One logical tensor over many stored ones, which were checked against each other: an owner, of the
// file as well. It does not change. Tensors are given by their places in the index. A list of one
// number a dimension that has another length throws status::argument.
class composite {
public:
    composite() noexcept = default;

    // The head, whose descriptor has the shape and type of the whole; hurray::unknown when empty.
    std::uint64_t tensor() const noexcept { return hrry_composite_tensor(c_handle()); }

    hurray::rule rule() const noexcept { return hurray::rule{hrry_composite_rule(c_handle())}; }

    // What the corrections of an overlay do; combine::none for a partition and a group.
    hurray::combine combine() const noexcept {
        return hurray::combine{hrry_composite_combine(c_handle())};
    }

    // All members are there, and all of theirs. Without them, which happens in a permissive file
    // only, it is a list of members.
    bool is_complete() const noexcept { return hrry_composite_is_complete(c_handle()); }

    // The members of every partition in it cover each index once, as they always do in a strict
    // file.
    bool is_exact() const noexcept { return hrry_composite_is_exact(c_handle()); }

    // Bytes of memory that it takes.
    std::size_t memory() const noexcept { return hrry_composite_memory(c_handle()); }

    // In the order of the descriptors: of an overlay that is the order in which they apply.
    range<std::uint64_t> members() const && = delete;
    range<std::uint64_t> members() const & noexcept {
        return {c_handle(),
                [](const void *handle, std::uint64_t k) {
                    std::uint64_t tensor = unknown;
                    detail::call(hrry_composite_member_at,
                                 static_cast<const hrry_composite *>(handle), k, &tensor);
                    return tensor;
                },
                hrry_composite_member_count(c_handle())};
    }

    // Where the element at an index is: through nested partitions, in a plain tensor or in an
    // overlay, whose head is the answer. Throws: status::index, status::type for a group,
    // status::state when it is not complete, status::cover where it is not exact.
    location locate(list<std::uint64_t> index) const {
        location found{unknown, std::vector<std::uint64_t>(rank_)};
        found.tensor = locate(index, found.local);
        return found;
    }

    // The same; puts the index in the tensor to `local` and allocates nothing.
    std::uint64_t locate(list<std::uint64_t> index, span<std::uint64_t> local) const {
        std::uint64_t tensor = unknown;
        detail::must_have("index", index.size(), rank_);
        detail::must_have("local", local.size(), rank_);
        detail::call(hrry_composite_locate, c_handle(), index.data(), &tensor, local.data());
        return tensor;
    }

    // The tensors that a box touches, in the order of their descriptors: plain ones and heads of
    // overlays; of an overlay its members in the order in which they apply. Throws: status::range
    // for a box that leaves the shape, status::type, status::state.
    std::vector<std::uint64_t> members_in(list<std::uint64_t> lower,
                                          list<std::uint64_t> extent) const {
        detail::must_have("lower", lower.size(), rank_);
        detail::must_have("extent", extent.size(), rank_);
        std::vector<std::uint64_t> tensors(16);
        for (;;) {
            std::uint64_t count = 0;
            detail::call(hrry_composite_members_in, c_handle(), lower.data(), extent.data(),
                         std::uint64_t{0}, tensors.data(), tensors.size(), &count);
            const bool all = count <= tensors.size();
            tensors.resize(detail::count(count));
            if (all) return tensors;
        }
    }

    // Copies a box of the whole: in row-major order, in the head's type; dst is exactly what it
    // takes. Members are used where they lie in memory, a mapping too, as the values of tensors
    // are; else they are read. Throws: status::range, status::room, status::type, status::state, status::unsupported,
    // status::system, status::shrank, status::callback; dst may then be filled in part.
    void read(list<std::uint64_t> lower, list<std::uint64_t> extent, writable_bytes dst) const {
        detail::must_have("lower", lower.size(), rank_);
        detail::must_have("extent", extent.size(), rank_);
        detail::call(hrry_composite_read, c_handle(), lower.data(), extent.data(),
                     static_cast<void *>(dst.data()), dst.size());
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_composite *c_handle() const noexcept { return handle_.get(); }

private:
    friend class file;

    composite(const file &of, std::uint64_t head) {
        hrry_composite *handle = nullptr;
        detail::call(hrry_composite_open, of.c_handle(), head, &handle);
        handle_.reset(handle);
        rank_ = of.tensor(head).descriptor().rank();
    }

    std::unique_ptr<hrry_composite, detail::deleter> handle_;
    std::size_t rank_ = 0;
};

inline composite file::composite(std::uint64_t head) const { return {*this, head}; }

inline composite file::composite(std::string_view head) const {
    std::uint64_t index = 0;
    detail::call(hrry_file_name_find, c_handle(), head.data(), head.size(), &index);
    return composite(index);
}

// Holds the members of a composite against their head as they come, without a file: the rules of
// files, and the same errors, whose tensors are numbered in the order in which they came, the head
// being 0. A member that is itself a head is followed by its own members.
class checker {
public:
    checker() noexcept = default;

    // permissive tolerates partitions whose members leave indices out or share them. Throws:
    // status::forbidden when it is no composite head.
    explicit checker(descriptor_view head, bool permissive = false) {
        hrry_checker *handle = nullptr;
        const std::uint32_t flags = permissive ? HRRY_DECODE_PERMISSIVE : 0;
        detail::call(hrry_checker_new, head.c_handle(), flags, &handle);
        handle_.reset(handle);
    }

    // The next tensor. Throws: the rule that it breaks, after which nothing can be added;
    // status::state when all members have come.
    void add(descriptor_view member) {
        detail::call(hrry_checker_add, c_handle(), member.c_handle());
    }

    // All members have come, and all of theirs.
    bool is_complete() const noexcept { return hrry_checker_is_complete(c_handle()); }

    // The end, whatever it says. Throws: status::torn when members are missing, status::cover.
    void close() { detail::call(hrry_checker_close, c_handle()); }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_checker *c_handle() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<hrry_checker, detail::deleter> handle_;
};

// ---- Stream ------------------------------------------------------------------------------------

struct stream_options {
    // Accept what the format lets a permissive reader accept.
    bool permissive = false;
    // Bytes that may be kept at a time; 0 for 1 GiB.
    std::uint64_t memory_limit = 0;
};

namespace detail {

// The next bytes of a stream.
template <class Read>
int read_next(void *context, void *dst, std::size_t dst_len, std::size_t *out_len) noexcept {
    auto *self = static_cast<callback_of<Read> *>(context);
    try {
        *out_len = self->function(writable_bytes(static_cast<std::byte *>(dst), dst_len));
        return 0;
    } catch (...) {
        self->thrown = std::current_exception();
        return error_number();
    }
}

} // namespace detail

// A file that is read in order, tensor by tensor, from where nobody can go back: an owner.
//
//     while (std::optional<hurray::descriptor_view> descriptor = stream.next())
//         use(*descriptor, stream.read_rest());
//     hurray::file file = stream.finish();
//
// Names come at the end, with the index: only `finish` says whether what passed was right. After an
// error nothing more can be had. What its source throws comes out of the call that it was read for.
class stream {
public:
    stream() noexcept = default;

    // Begins to read what the caller brings: `read(dst)` waits for the next bytes, puts as many as
    // there are into dst, a `writable_bytes`, and returns their number, 0 only at the end. It lives
    // as long as the stream. Throws: status::limit, what is wrong with the file.
    template <class Read> static stream open(Read read, const stream_options &options = {}) {
        static_assert(std::is_invocable_r_v<std::size_t, Read &, writable_bytes>,
                      "read takes a writable_bytes and returns how many it filled");
        auto context = std::make_unique<detail::callback_of<Read>>(std::move(read));
        auto source = detail::sized<hrry_stream_source>();
        source.context = context.get();
        source.read = detail::read_next<Read>;
        const hrry_stream_options c = c_options(options);
        hrry_stream *handle = nullptr;
        detail::call_with(context.get(), hrry_stream_open, &source, &c, &handle);
        return stream(handle, std::move(context));
    }

    // Begins to read from an open descriptor, from where it stands. It is duplicated; the two share
    // one place, which moves. Throws: status::limit, status::system, what is wrong with the file.
    static stream open_fd(int fd, const stream_options &options = {}) {
        const hrry_stream_options c = c_options(options);
        hrry_stream *handle = nullptr;
        detail::call(hrry_stream_open_fd, fd, &c, &handle);
        return stream(handle, nullptr);
    }

    stream(stream &&) noexcept = default;
    // The handle first: it may use the source.
    stream &operator=(stream &&other) noexcept {
        handle_ = std::move(other.handle_);
        source_ = std::move(other.source_);
        return *this;
    }

    // Goes on to the next tensor, past what is left of this one: its descriptor, which lives until
    // the next call of this or of `finish`; empty at the end. Throws: status::limit, status::state,
    // status::system, what is wrong with the file.
    std::optional<descriptor_view> next() {
        const hrry_descriptor *descriptor = nullptr;
        call(hrry_stream_next, c_handle(), &descriptor);
        return descriptor == nullptr ? std::nullopt : std::optional(descriptor_view(descriptor));
    }

    // Reads the next bytes of the tensor's buffers, one buffer after the other. Returns how many
    // there were, fewer than asked for only where the tensor ends. Throws: as `next`.
    std::size_t read(writable_bytes dst) {
        std::size_t len = 0;
        call(hrry_stream_read, c_handle(), static_cast<void *>(dst.data()), dst.size(), &len);
        return len;
    }

    // All that is left of the tensor's buffers. Grows with what comes, not with what the file
    // claims. Throws: as `next`.
    std::vector<std::byte> read_rest() {
        std::vector<std::byte> rest;
        for (;;) {
            const std::size_t before = rest.size();
            const std::uint64_t piece = std::max<std::uint64_t>(before, 1 << 20);
            rest.resize(before + static_cast<std::size_t>(std::min(remaining(), piece)));
            const std::size_t len = read(writable_bytes(rest).subspan(before));
            rest.resize(before + len);
            if (len == 0) return rest;
        }
    }

    // Bytes of the tensor's buffers that were not read yet.
    std::uint64_t remaining() const noexcept { return hrry_stream_remaining(c_handle()); }

    // Takes in the rest of the input and checks it. Whatever comes of it, the stream is finished.
    // The file has names, places and keys; its tensors can be asked for only when the whole file
    // was taken into memory. Throws: as `next`.
    file finish() {
        hrry_file *file = nullptr;
        call(hrry_stream_finish, c_handle(), &file);
        return file::adopt(file);
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_stream *c_handle() const noexcept { return handle_.get(); }

private:
    stream(hrry_stream *handle, std::unique_ptr<detail::callback> source) noexcept
        : source_(std::move(source)), handle_(handle) {}

    static hrry_stream_options c_options(const stream_options &options) noexcept {
        auto c = detail::sized<hrry_stream_options>();
        c.flags = options.permissive ? HRRY_OPEN_PERMISSIVE : 0;
        c.memory_limit = options.memory_limit;
        return c;
    }

    template <class... Parameters, class... Arguments>
    void call(hrry_status (*function)(Parameters...), Arguments... arguments) {
        detail::call_with(source_.get(), function, arguments...);
    }

    std::unique_ptr<detail::callback> source_;
    std::unique_ptr<hrry_stream, detail::deleter> handle_;
};

// ---- Writer ------------------------------------------------------------------------------------

struct writer_options {
    // data_buffer_alignment, a power of two from 4096 to 2 097 152; 0 for 4096.
    std::uint32_t alignment = 0;
    // Sort the index by name; else it keeps the order of writing.
    bool sorted = false;
    // A checksum of the index.
    bool crc = true;
    // Wait until file and folder are on disk.
    bool sync = true;
    // Lower a buffer's declared alignment to that of the file where it is higher, instead of
    // refusing it.
    bool lower_alignment = false;
    // How many tensors will be written, for those who read the file in order; 0 announces nothing.
    std::uint64_t count_hint = 0;
};

namespace detail {

// A writer's bytes.
template <class Write>
int write(void *context, const void *data, std::size_t data_len) noexcept {
    auto *self = static_cast<callback_of<Write> *>(context);
    try {
        self->function(as_bytes(data, data_len));
        return 0;
    } catch (...) {
        self->thrown = std::current_exception();
        return error_number();
    }
}

// What a value of a writer's key is written as.
template <class T> constexpr bool is_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
    !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;
template <class T> constexpr value_type number_type =
    std::is_same_v<T, bool>        ? value_type::boolean
    : std::is_floating_point_v<T> ? value_type::f64
    : std::is_signed_v<T>         ? value_type::i64
                                  : value_type::u64;

} // namespace detail

// A file being written, in one pass and from front to back: an owner. Keys first, then tensors,
// then `finish`; without it the writer gives up, and a path keeps what it held before.
//
// What the format forbids throws status::forbidden before a byte of it is written, and the writer
// goes on. After an error of the system or of the sink everything throws status::state. What the
// sink throws comes out of the call that was writing.
class writer {
public:
    writer() noexcept = default;

    // Starts a file that takes its place at `path` when it is finished. Throws: status::forbidden
    // for the alignment, status::not_a_file, status::system.
    static writer create(const std::string &path, const writer_options &options = {}) {
        const hrry_writer_options c = c_options(options);
        hrry_writer *handle = nullptr;
        detail::call(hrry_writer_create, detail::path(path), &c, &handle);
        return writer(handle, nullptr);
    }

    // Starts a file on an open descriptor, from where it stands and without ever seeking. It is
    // duplicated; what was written stays. Throws: status::forbidden for the alignment,
    // status::system.
    static writer create_fd(int fd, const writer_options &options = {}) {
        const hrry_writer_options c = c_options(options);
        hrry_writer *handle = nullptr;
        detail::call(hrry_writer_create_fd, fd, &c, &handle);
        return writer(handle, nullptr);
    }

    // Starts a file whose bytes the caller takes: `write(data)` takes all of data, a `bytes`, which
    // follow those of the call before, or throws and is not called again. It lives as long as the
    // writer. Throws: status::forbidden for the alignment.
    template <class Write>
    static writer create_sink(Write write, const writer_options &options = {}) {
        static_assert(std::is_invocable_v<Write &, bytes>, "write takes a hurray::bytes");
        auto context = std::make_unique<detail::callback_of<Write>>(std::move(write));
        auto sink = detail::sized<hrry_sink>();
        sink.context = context.get();
        sink.write = detail::write<Write>;
        const hrry_writer_options c = c_options(options);
        hrry_writer *handle = nullptr;
        detail::call_with(context.get(), hrry_writer_create_sink, &sink, &c, &handle);
        return writer(handle, std::move(context));
    }

    writer(writer &&) noexcept = default;
    // The handle first: it may use the sink.
    writer &operator=(writer &&other) noexcept {
        handle_ = std::move(other.handle_);
        sink_ = std::move(other.sink_);
        return *this;
    }

    // Adds a key, only before the first tensor. Its value is a bool; a signed (I64) or unsigned
    // (U64) integer; a floating-point number (F64); whatever converts to std::string_view (a
    // string) or to hurray::bytes (bytes: of std::byte); or a container of one of these (an array).
    // Throws: status::forbidden for a key that is empty, was given before or, as texts, is not
    // UTF-8; status::state after a tensor.
    template <class T> writer &kv(std::string_view key, const T &value) {
        if constexpr (std::is_same_v<T, bool>) {
            call(hrry_writer_kv_bool, c_handle(), key.data(), key.size(), value);
        } else if constexpr (std::is_arithmetic_v<T>) {
            static_assert(detail::is_number<T>, "a character is no number and no text");
            if constexpr (std::is_floating_point_v<T>) {
                call(hrry_writer_kv_f64, c_handle(), key.data(), key.size(),
                     static_cast<double>(value));
            } else if constexpr (std::is_signed_v<T>) {
                call(hrry_writer_kv_i64, c_handle(), key.data(), key.size(), std::int64_t{value});
            } else {
                call(hrry_writer_kv_u64, c_handle(), key.data(), key.size(), std::uint64_t{value});
            }
        } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
            const std::string_view text = value;
            call(hrry_writer_kv_string, c_handle(), key.data(), key.size(), text.data(),
                 text.size());
        } else if constexpr (std::is_convertible_v<const T &, bytes>) {
            const bytes opaque = value;
            call(hrry_writer_kv_bytes, c_handle(), key.data(), key.size(),
                 static_cast<const void *>(opaque.data()), opaque.size());
        } else {
            array(key, std::begin(value), std::end(value));
        }
        return *this;
    }

    // An array that stands in braces.
    template <class T> writer &kv(std::string_view key, std::initializer_list<T> values) {
        array(key, values.begin(), values.end());
        return *this;
    }

    // Writes a dense row-major tensor: as many values as the shape says, in a container of what
    // stands for an element type: see hurray::element. Throws: status::room for another number of
    // them, status::forbidden, status::state, status::system.
    template <class Container>
    writer &dense(std::string_view name, list<std::uint64_t> shape, const Container &values) {
        using value = std::remove_pointer_t<decltype(std::data(values))>;
        return dense(name, type_of<value>(), shape, as_bytes(values));
    }

    // The same with bytes, packed as the format says.
    writer &dense(std::string_view name, element_type type, list<std::uint64_t> shape, bytes data) {
        call(hrry_writer_dense, c_handle(), name.data(), name.size(), static_cast<hrry_type>(type),
             builder::rank32(shape), shape.data(), static_cast<const void *>(data.data()),
             data.size());
        return *this;
    }

    // Writes a tensor of any kind: its buffers in the order of the buffer table, each as long as
    // the descriptor says. Throws: status::room for buffers of the wrong size or number,
    // status::forbidden, status::state also for the head of a composite that is not announced,
    // status::system.
    writer &tensor(std::string_view name, const descriptor_view &descriptor, list<bytes> buffers) {
        const std::vector<hrry_bytes> c = c_buffers(buffers);
        call(hrry_writer_tensor, c_handle(), name.data(), name.size(), descriptor.c_handle(),
             c.data(), c.size());
        return *this;
    }

    // The same with a descriptor as bytes, which are checked and then written as they are; also for
    // heads of composites that are not announced: whether its members follow nobody checks.
    writer &tensor_raw(std::string_view name, bytes descriptor, list<bytes> buffers) {
        const std::vector<hrry_bytes> c = c_buffers(buffers);
        call(hrry_writer_tensor_raw, c_handle(), name.data(), name.size(),
             static_cast<const void *>(descriptor.data()), descriptor.size(), c.data(), c.size());
        return *this;
    }

    // Begins a tensor whose data comes in pieces, by `write`, until `end`. Throws:
    // status::forbidden, status::state also for the head of a composite that is not announced,
    // status::system.
    writer &begin(std::string_view name, const descriptor_view &descriptor) {
        call(hrry_writer_begin, c_handle(), name.data(), name.size(), descriptor.c_handle());
        return *this;
    }

    // The same with a descriptor as bytes, which are checked and then written as they are.
    writer &begin_raw(std::string_view name, bytes descriptor) {
        call(hrry_writer_begin_raw, c_handle(), name.data(), name.size(),
             static_cast<const void *>(descriptor.data()), descriptor.size());
        return *this;
    }

    // The next bytes of the tensor. They fill its buffers in order and may run from one into the
    // next. Throws: status::range when there is no room for so many (none is taken then),
    // status::state, status::system.
    writer &write(bytes data) {
        call(hrry_writer_write, c_handle(), static_cast<const void *>(data.data()), data.size());
        return *this;
    }

    // Ends the tensor. Throws: status::forbidden while bytes of it are missing (they can still
    // come), status::state, status::system.
    writer &end() {
        call(hrry_writer_end, c_handle());
        return *this;
    }

    // Announces a composite, whole, and writes its head: `members` are the descriptors of its
    // members in order, a head among them followed by its own. It is checked first, and one that
    // breaks a rule is refused: nothing is written. Then its members are written, each with its
    // announced descriptor and by whatever call, and then `composite_end` is called. Throws:
    // status::forbidden for a composite, a name or a descriptor that breaks a rule, status::state,
    // status::system.
    writer &composite_begin(std::string_view name, const descriptor_view &head,
                            list<descriptor_view> members) {
        std::vector<const hrry_descriptor *> c;
        c.reserve(members.size());
        for (const descriptor_view &member : members) c.push_back(member.c_handle());
        call(hrry_writer_composite_begin, c_handle(), name.data(), name.size(), head.c_handle(),
             c.data(), c.size());
        return *this;
    }

    // Ends the composite. Throws: status::forbidden while members are missing (they can still
    // come), status::state when none is announced.
    writer &composite_end() {
        call(hrry_writer_composite_end, c_handle());
        return *this;
    }

    // Tensors that were begun so far.
    std::uint64_t tensor_count() const noexcept { return hrry_writer_tensor_count(c_handle()); }

    // Writes what follows the tensors and ends the file: only now does a path hold it. Throws:
    // status::forbidden when the number of tensors is not the one announced, status::state inside a
    // tensor or composite, after an error or a second time, status::system.
    void finish() { call(hrry_writer_finish, c_handle()); }

    explicit operator bool() const noexcept { return handle_ != nullptr; }

    hrry_writer *c_handle() const noexcept { return handle_.get(); }

private:
    writer(hrry_writer *handle, std::unique_ptr<detail::callback> sink) noexcept
        : sink_(std::move(sink)), handle_(handle) {}

    static hrry_writer_options c_options(const writer_options &options) noexcept {
        auto c = detail::sized<hrry_writer_options>();
        if (options.sorted) c.flags |= HRRY_WRITE_SORTED;
        if (!options.crc) c.flags |= HRRY_WRITE_NO_CRC;
        if (!options.sync) c.flags |= HRRY_WRITE_NO_SYNC;
        if (options.lower_alignment) c.flags |= HRRY_WRITE_LOWER_ALIGNMENT;
        c.alignment = options.alignment;
        c.count_hint = options.count_hint;
        return c;
    }

    static std::vector<hrry_bytes> c_buffers(span<const bytes> buffers) {
        std::vector<hrry_bytes> c;
        c.reserve(buffers.size());
        for (const bytes &buffer : buffers) c.push_back({buffer.data(), buffer.size()});
        return c;
    }

    template <class... Parameters, class... Arguments>
    void call(hrry_status (*function)(Parameters...), Arguments... arguments) {
        detail::call_with(sink_.get(), function, arguments...);
    }

    // The elements of an array, as C takes them.
    template <class Iterator> void array(std::string_view key, Iterator begin, Iterator end) {
        using reference = decltype(*begin);
        using value = std::decay_t<typename std::iterator_traits<Iterator>::value_type>;
        if constexpr (detail::is_number<value>) {
            constexpr value_type type = detail::number_type<value>;
            if constexpr (type == value_type::boolean) {
                // std::vector<bool> has none that lie in a row.
                const auto count = static_cast<std::size_t>(std::distance(begin, end));
                const auto values = std::make_unique<bool[]>(count);
                std::copy(begin, end, values.get());
                array(key, type, values.get(), count);
            } else {
                using c_type = std::conditional_t<
                    type == value_type::f64, double,
                    std::conditional_t<type == value_type::i64, std::int64_t, std::uint64_t>>;
                std::vector<c_type> values;
                for (; begin != end; ++begin) values.push_back(static_cast<c_type>(*begin));
                array(key, type, values.data(), values.size());
            }
        } else {
            constexpr bool text = std::is_convertible_v<reference, std::string_view>;
            static_assert(text || std::is_convertible_v<reference, bytes>,
                          "no type of a value: see kv");
            using view = std::conditional_t<text, std::string_view, bytes>;
            static_assert(std::is_reference_v<reference> || std::is_same_v<value, view>,
                          "the texts must outlive the call");
            std::vector<hrry_text> texts;
            for (; begin != end; ++begin) {
                const view element = *begin;
                texts.push_back({reinterpret_cast<const char *>(element.data()), element.size()});
            }
            array(key, text ? value_type::string : value_type::bytes, texts.data(), texts.size());
        }
    }

    void array(std::string_view key, value_type type, const void *elements, std::size_t count) {
        call(hrry_writer_kv_array, c_handle(), key.data(), key.size(),
             static_cast<hrry_value_type>(type), elements, count);
    }

    std::unique_ptr<detail::callback> sink_;
    std::unique_ptr<hrry_writer, detail::deleter> handle_;
};

} // namespace hurray

#endif // HURRAY_HPP
