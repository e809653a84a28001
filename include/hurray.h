// hurray.h - the C API of libhurray: opens, checks, reads and writes .hrry tensor files.
// Generated from src/ffi/ by `make header`; changes made here are lost.
//
// ---- Manual ------------------------------------------------------------------------------------
//
// A reader:
//
//     hrry_error error;
//     hrry_file *file = NULL;
//     if (hrry_file_open("model.hrry", NULL, &file, &error) != HRRY_OK) {
//         fprintf(stderr, "%s\n", error.message);
//         return 1;
//     }
//     const hrry_tensor *weight = NULL;
//     if (hrry_file_tensor_find(file, "encoder.weight", 14, &weight, &error) == HRRY_OK) {
//         hrry_buffer buffer = { .struct_size = sizeof buffer };
//         if (hrry_tensor_buffer(weight, 0, &buffer, &error) == HRRY_OK && buffer.data != NULL)
//             use(buffer.data, buffer.size);                /* lives as long as the file */
//     }
//     hrry_file_close(file);
//
// Linking. The shared library is libhurray.so.N, N being HRRY_ABI_VERSION: link with -lhurray. The
// static one, libhurray.a, needs the libraries that `make lib` prints besides; on Linux
// `-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc`. The shared library is never unloaded (it is linked
// with -z nodelete): what you lent it may have to be released after dlclose. Only names that begin
// with hrry_ are exported.
//
// Ownership. Every pointer is one of three, and each function says which: yours, to be given back
// to the _close or _free that is named there; borrowed, which dies with what it came from; or for
// the call only. What is borrowed from a file (tensors, descriptors, key-value entries, names,
// data) lives until the last reference to the file is closed. _close and _free take NULL. A
// function that fails has set its results to NULL (or 0) first, and has not freed or taken
// anything.
//
// Threads. A file does not change after it was opened: any number of threads may use it, and all
// that is borrowed from it, at the same time and without a lock. A descriptor does not change
// either. A writer, a builder and a stream belong to one thread at a time: handing one over is
// fine, using one from two threads at once is not; where it is noticed the call returns
// HRRY_ERROR_STATE. The library starts no threads, keeps nothing that is per thread, and installs
// no signal handler. hrry_x_free and hrry_file_close must not run while another thread still uses
// the same reference.
//
// Errors. Every function that can fail returns hrry_status: 0 (HRRY_OK) or the number of an error,
// in groups that hrry_status describes. The last parameter, `error`, is NULL or points to a struct
// that you own, in which a failing call puts the number, the place and a message; a call that
// succeeds leaves it alone. Any function may also return HRRY_ERROR_INTERNAL, a defect of the
// library (one line of Rust's may then be printed on stderr, the only thing ever printed), and any
// that is given NULL where it needs something, HRRY_ERROR_ARGUMENT; these two are not repeated
// below. "A fault of the file" stands for any status of 200 to 399. Functions without a status
// answer 0, NULL or what they say when they are given NULL. A name that is not found costs nothing
// when `error` is NULL.
//
// Text is UTF-8, a pointer and a length in bytes, and need not end with a zero byte; names may
// contain U+0000. Texts of the library that are a single pointer end with a zero byte.
//
// Numbers. `x_len` counts bytes, `x_count` elements; an offset is always in bytes. Enumerations
// are numbers of fixed width, and where the format has a tag, the tag.
//
// Structs that begin with `size_t struct_size` can grow: set it to sizeof before every call. As an
// argument, a shorter struct of an older header gets zeros, the defaults, for what it lacks; a
// longer one of a newer header is accepted when what this library does not know is zero. As a
// result, only struct_size is read, and no more is written than it has room for. Set options and
// callbacks to zero before you fill them in, as `= { .struct_size = sizeof options }` does.
// hrry_error and the structs that are passed in arrays never change.
//
// Callbacks come as a function and its context. They return 0 when they did all of what was asked,
// else an error number (errno's are a good choice), which becomes HRRY_ERROR_CALLBACK with that
// number in os_error. They may be called from any thread that calls the library, must not throw,
// longjmp or call back with the object that is calling them. A release function is called once,
// with the last reference, on the thread that drops it; it is never called when the call that was
// given it has failed.
//
// Memory. What depends on a file's or caller's numbers is allocated so that a refusal is
// HRRY_ERROR_MEMORY. Small things of fixed size (a handle, the text of an error) come from the
// usual allocator of Rust, which ends the process when not even they can be had. Nothing is
// allocated for a count that a file only claims.
//
// Mapped files. A file that is opened by path or descriptor is mapped when it can be. When somebody
// truncates it while it is open, touching data beyond its new end raises SIGBUS, in your code as in
// the library's. Only what touches mapped data is in danger: your own access to hrry_buffer.data.
// Opening, names, keys, descriptors, validation, hrry_tensor_read and hrry_file_load read with
// system calls and return HRRY_ERROR_SHRANK instead. Writers of .hrry files replace, never truncate.
//
// Data is host memory, whatever the device tag of its buffer says: the tag is a record. Pointers to
// data are aligned as hrry_buffer says, which need not suit the element type.
//
// Strict and permissive. Strict is the default: whatever breaks a rule of the format is an error
// and nothing of it is handed out. Permissive accepts what the format lets a permissive reader
// accept (tags it does not know, for one), but never what would make an access leave its buffer.


#ifndef HURRAY_H
#define HURRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An offset, index or count that is not known or not set.
#define HRRY_UNKNOWN 18446744073709551615ull

// The ABI that this header describes, as in the name of the shared library. Within one number,
// programs that were built keep running; at 0 (package 0.x) they may have to be built again.
#define HRRY_ABI_VERSION 0

// Version of the package, major part.
#define HRRY_VERSION_MAJOR 0

// Version of the package, minor part.
#define HRRY_VERSION_MINOR 1

// Version of the package, patch part.
#define HRRY_VERSION_PATCH 0

// What a call says of itself: `HRRY_OK`, or one of `HRRY_ERROR_*`.
//
// 1 to 99: what the caller passed or asked for. 100 to 199: the system. 200 to 299: the file is
// not valid. 300 to 399: the file uses something that is newer, reserved, private or not
// supported. 900: a defect of the library. A number never changes its meaning and is never used
// again; later versions may add some, so treat an unknown one by its group.
typedef int32_t hrry_status;

// What went wrong in a call, in full. You own it: declare one, pass its address, reuse it. It
// needs no preparation, is written only by a call that fails, points to nothing and need not be
// freed. 512 bytes for the life of the ABI.
typedef struct {
    // What the call returned.
    hrry_status status;
    // errno of the system call that failed, or what the callback returned; else 0.
    int32_t os_error;
    // Byte of the file where it was found (of the descriptor or of the stream where the call has
    // no file); HRRY_UNKNOWN when there is none.
    uint64_t offset;
    // Index of the tensor it is about; HRRY_UNKNOWN when there is none.
    uint64_t tensor;
    // Zero.
    uint64_t reserved[4];
    // One line of UTF-8 in English, ended by a zero byte, cut where it is too long; control
    // characters in it are escaped.
    char message[456];
} hrry_error;

// Done.
#define HRRY_OK 0

// An argument cannot be used: NULL, an enumeration's number that is not known, a struct_size that
// is too small.
#define HRRY_ERROR_ARGUMENT 1

// An index is not below the count.
#define HRRY_ERROR_INDEX 2

// A range leaves what it is a part of.
#define HRRY_ERROR_RANGE 3

// No tensor, key or name is called that.
#define HRRY_ERROR_NOT_FOUND 4

// The progress function said stop.
#define HRRY_ERROR_CANCELLED 5

// The value has another type, or the descriptor another layout, than the one asked for.
#define HRRY_ERROR_TYPE 6

// The memory passed is too small for what goes into it, or has the wrong size.
#define HRRY_ERROR_ROOM 7

// Not the time for this call.
#define HRRY_ERROR_STATE 8

// A limit that the caller set is exceeded.
#define HRRY_ERROR_LIMIT 9

// The target exists and is no regular file.
#define HRRY_ERROR_NOT_A_FILE 10

// The format forbids what the caller asked to be built or written.
#define HRRY_ERROR_FORBIDDEN 11

// A system call failed; os_error says how.
#define HRRY_ERROR_SYSTEM 100

// An allocation was refused.
#define HRRY_ERROR_MEMORY 101

// The file became shorter while it was open.
#define HRRY_ERROR_SHRANK 102

// A callback of the caller failed; os_error is the number it returned.
#define HRRY_ERROR_CALLBACK 103

// Not the bytes that such a thing begins with.
#define HRRY_ERROR_MAGIC 200

// Something ends too early.
#define HRRY_ERROR_TRUNCATED 201

// Something goes on after its end.
#define HRRY_ERROR_TRAILING 202

// Reserved bytes or bits are not zero.
#define HRRY_ERROR_RESERVED 203

// A field has a value that the format does not allow.
#define HRRY_ERROR_VALUE 204

// An offset or size is not the multiple that it must be.
#define HRRY_ERROR_MISALIGNED 205

// Something leaves the region that it must lie in.
#define HRRY_ERROR_BOUNDS 206

// Two statements about one thing differ.
#define HRRY_ERROR_MISMATCH 207

// A buffer is smaller than what it must hold.
#define HRRY_ERROR_TOO_SMALL 208

// A count or size does not fit 64 bits.
#define HRRY_ERROR_OVERFLOW 209

// Text is not UTF-8.
#define HRRY_ERROR_UTF8 210

// A name or key appears twice.
#define HRRY_ERROR_DUPLICATE 211

// Out of the order that a flag promises.
#define HRRY_ERROR_UNSORTED 212

// The checksum of the index is another than the one stored.
#define HRRY_ERROR_CHECKSUM 213

// Fields that do not go together.
#define HRRY_ERROR_RULE 214

// Two tensors own the same bytes.
#define HRRY_ERROR_OVERLAP 215

// Padding is not zero.
#define HRRY_ERROR_PADDING 216

// A stretch of bytes belongs to nothing.
#define HRRY_ERROR_GAP 217

// A version that this library does not read.
#define HRRY_ERROR_VERSION 300

// A tag that the format keeps for later.
#define HRRY_ERROR_RESERVED_TAG 301

// A tag of somebody's own, of which this library knows nothing.
#define HRRY_ERROR_PRIVATE_TAG 302

// Allowed by the format, but not offered by this library.
#define HRRY_ERROR_UNSUPPORTED 303

// A defect of the library; the message is worth reporting.
#define HRRY_ERROR_INTERNAL 900

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ---- Status numbers and the error struct -------------------------------------------------- */

// The name of a status number, as `HRRY_ERROR_NOT_FOUND` is `"not found"`.
//
// Returns a text that lives forever; `"unknown status"` for a number that this version does not
// have. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_status_name(hrry_status status);

/* ---- Versions ----------------------------------------------------------------------------- */

// The ABI of the library that is loaded: compare it with `HRRY_ABI_VERSION`.
//
// Threads: any. Since 0.1.0.
uint32_t hrry_abi_version(void);

// The version of the library that is loaded, such as `"0.1.0"`.
//
// Returns a text that lives forever. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HURRAY_H */
