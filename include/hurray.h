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

// The ABI that this header describes, as in the name of the shared library. Within one number,
// programs that were built keep running; at 0 (package 0.x) they may have to be built again.
#define HRRY_ABI_VERSION 0

// Version of the package, major part.
#define HRRY_VERSION_MAJOR 0

// Version of the package, minor part.
#define HRRY_VERSION_MINOR 1

// Version of the package, patch part.
#define HRRY_VERSION_PATCH 0

// An offset, index or count that is not known or not set.
#define HRRY_UNKNOWN 18446744073709551615ull

// Accept what the format lets a permissive reader accept.
#define HRRY_OPEN_PERMISSIVE 1

// Do not map: `hrry_tensor_read` and `hrry_file_load` read, there are no pointers to data.
#define HRRY_OPEN_READS 2

// Read the whole file into memory, which no truncation can take away. Not with HRRY_OPEN_READS.
#define HRRY_OPEN_MEMORY 4

// The header says that there is a key-value section.
#define HRRY_FILE_HAS_KV 1

// The index is sorted by name.
#define HRRY_FILE_SORTED 2

// The index has a checksum, which was verified.
#define HRRY_FILE_HAS_CRC 4

// A file that was opened for reading. It does not change, is counted by its references, and is
// whole: header, index and key-value section were read and checked when it was opened, in memory
// of its own.
//
// Memory: the bytes of index and key-value section, about 21 bytes for each tensor and 40 for each
// key, 4 for each element of arrays of strings or bytes, and what `hrry_tensor` says for each
// tensor that was asked for.
typedef struct hrry_file hrry_file;

// One entry of a file's key-value section, borrowed from the file.
typedef struct hrry_kv hrry_kv;

// What a call says of itself: `HRRY_OK`, or one of `HRRY_ERROR_*`.
//
// 1 to 99: what the caller passed or asked for. 100 to 199: the system. 200 to 299: the file is
// not valid. 300 to 399: the file uses something that is newer, reserved, private or not
// supported. 900: a defect of the library. A number never changes its meaning and is never used
// again; later versions may add some, so treat an unknown one by its group.
typedef int32_t hrry_status;

// How a file is opened. NULL or zeros: strict; mapped when it can be, else by positioned reads.
typedef struct hrry_open_options {
    // sizeof(hrry_open_options).
    size_t struct_size;
    // HRRY_OPEN_*, or-ed.
    uint32_t flags;
    // Zero.
    uint32_t reserved;
} hrry_open_options;

// What went wrong in a call, in full. You own it: declare one, pass its address, reuse it. It
// needs no preparation, is written only by a call that fails, points to nothing and need not be
// freed. 512 bytes for the life of the ABI.
typedef struct hrry_error {
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

// Gives back what was lent with `context`.
typedef void (*hrry_release_fn)(void *context);

// A caller's own source of a file's bytes: an archive, a cache, a device.
//
// `read_at` copies `dst_len` bytes from `offset` on to `dst` and returns 0, or an error number;
// nothing in between. It is called from any thread, several at once, and only for ranges inside
// `size`. `release`, which may be NULL, is called with the last reference to the file.
typedef struct hrry_source {
    // sizeof(hrry_source).
    size_t struct_size;
    // Passed to the functions.
    void *context;
    // Bytes of the file.
    uint64_t size;
    // Reads.
    int (*read_at)(void *context, uint64_t offset, void *dst, size_t dst_len);
    // Gives the context back.
    hrry_release_fn release;
} hrry_source;

// How the data of a file is reached.
typedef uint32_t hrry_access;

// Facts about an open file.
typedef struct hrry_file_facts {
    // sizeof(hrry_file_facts).
    size_t struct_size;
    // Bytes of the file.
    uint64_t size;
    // Tensors in the index, composite heads among them.
    uint64_t tensor_count;
    // Entries of the key-value section.
    uint64_t kv_count;
    // Tensors that the header announces; HRRY_UNKNOWN when it does not.
    uint64_t tensor_count_hint;
    // Where the first descriptor stands.
    uint64_t first_descriptor_offset;
    // Where the index stands.
    uint64_t index_offset;
    // Bytes of the index.
    uint64_t index_len;
    // Where the key-value section stands; 0 when there is none.
    uint64_t kv_offset;
    // Bytes of the key-value section; 0 when there is none.
    uint64_t kv_len;
    // data_buffer_alignment: each buffer begins at a multiple of it.
    uint32_t alignment;
    // HRRY_FILE_*, as the header has them.
    uint32_t flags;
    // container_version_minor; the major version is 1.
    uint32_t version_minor;
    // HRRY_ACCESS_*.
    hrry_access access;
    // 1 when it was opened permissive, 0 when strict.
    uint32_t permissive;
    // Checksum of the index (CRC-32C), 0 without HRRY_FILE_HAS_CRC.
    uint32_t index_crc32c;
} hrry_file_facts;

// Where the parts of a tensor lie, as the index has it: known without reading its descriptor.
typedef struct hrry_entry {
    // sizeof(hrry_entry).
    size_t struct_size;
    // The name, borrowed from the file; no zero byte at its end.
    const char *name;
    // Bytes of the name.
    size_t name_len;
    // Where the descriptor stands.
    uint64_t descriptor_offset;
    // Bytes of the descriptor.
    uint64_t descriptor_len;
    // Where the first buffer begins.
    uint64_t data_offset;
    // Bytes from there to the end of the last buffer, padding between buffers among them.
    uint64_t data_len;
} hrry_entry;

// The type of a value: value_tag, as the format has it.
typedef uint32_t hrry_value_type;

// A text, or opaque bytes, that belong to somebody else. 16 bytes where pointers have 8, for the
// life of the ABI.
typedef struct hrry_text {
    // The bytes; no zero byte at the end.
    const char *data;
    // How many.
    size_t len;
} hrry_text;

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

// Mapped: buffers have pointers.
#define HRRY_ACCESS_MAPPED 1

// In memory, the library's or the caller's: buffers have pointers.
#define HRRY_ACCESS_MEMORY 2

// By reads only: buffers have no pointers.
#define HRRY_ACCESS_READS 3

// UTF-8 text.
#define HRRY_VALUE_STRING 1

// A signed 64-bit number.
#define HRRY_VALUE_I64 2

// An unsigned 64-bit number.
#define HRRY_VALUE_U64 3

// A 64-bit float.
#define HRRY_VALUE_F64 4

// True or false.
#define HRRY_VALUE_BOOL 5

// Opaque bytes.
#define HRRY_VALUE_BYTES 6

// An array of one of the others.
#define HRRY_VALUE_ARRAY 7

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

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

/* ---- Status numbers and the error struct -------------------------------------------------- */

// The name of a status number, as `HRRY_ERROR_NOT_FOUND` is `"not found"`.
//
// Returns a text that lives forever; `"unknown status"` for a number that this version does not
// have. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_status_name(hrry_status status);

/* ---- Files -------------------------------------------------------------------------------- */

// Opens the file at `path` for reading.
//
// Reads and checks header, trailer, index and key-value section; touches no descriptor and no data.
// Ownership: `*out_file` is yours, for `hrry_file_close`.
// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call only.
// Status: HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
// HRRY_ERROR_NOT_A_FILE, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_open(const char *path,
                           const hrry_open_options *options,
                           hrry_file **out_file,
                           hrry_error *error);

// Opens a file, or a file inside another, that is open already.
//
// The descriptor is duplicated (close on exec) and its own offset never moved: yours can be closed
// or used at once. It must be open for reading and seekable.
// Ownership: `*out_file` is yours, for `hrry_file_close`.
// Parameters: the file takes `len` bytes from byte `base` of `fd` on; `len` HRRY_UNKNOWN is all
// that follows. `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY,
// HRRY_ERROR_SHRANK, HRRY_ERROR_NOT_A_FILE, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_open_fd(int fd,
                              uint64_t base,
                              uint64_t len,
                              const hrry_open_options *options,
                              hrry_file **out_file,
                              hrry_error *error);

// Opens a file that lies in the caller's memory, which is lent, not copied.
//
// Ownership: `*out_file` is yours, for `hrry_file_close`. The memory stays yours but must stay
// readable and unchanged until `release` is called, which happens once, with the last
// reference, and never when this call fails. Without `release` (NULL) it must outlive the file.
// Parameters: `len` bytes at `data`; `context` is passed to `release`; `options` NULL for the
// defaults. Buffers are as aligned as `data` is.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_MEMORY, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_open_memory(const void *data,
                                  size_t len,
                                  hrry_release_fn release,
                                  void *context,
                                  const hrry_open_options *options,
                                  hrry_file **out_file,
                                  hrry_error *error);

// Opens a file that the caller reads.
//
// Ownership: `*out_file` is yours, for `hrry_file_close`. The context of the source is lent until
// its `release` is called, once, with the last reference, and never when this call fails.
// Parameters: `source` for the call only (its context stays); `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_CALLBACK (os_error is what `read_at` returned),
// HRRY_ERROR_MEMORY, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_open_source(const hrry_source *source,
                                  const hrry_open_options *options,
                                  hrry_file **out_file,
                                  hrry_error *error);

// Makes another reference to a file.
//
// Returns `file`, to be closed once more; NULL for NULL.
// Threads: any. Since 0.1.0.
hrry_file *hrry_file_retain(const hrry_file *file);

// Gives back a reference. With the last one the file is closed, and all that was borrowed from it
// dies.
//
// Parameters: `file` may be NULL.
// Threads: any, but nobody may use this reference at the same time. Since 0.1.0.
void hrry_file_close(hrry_file *file);

// Facts about the file.
//
// Parameters: `facts` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_ROOM when struct_size is below that of the first version.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_info(const hrry_file *file,
                           hrry_file_facts *facts,
                           hrry_error *error);

// The descriptor that the library reads through, for callers with I/O of their own.
//
// Returns a descriptor that stays the library's, borrowed from the file; -1 when there is none
// (memory, a caller's source) and for NULL. Offsets of the file count from the `base` that it was
// opened with.
// Threads: any. Since 0.1.0.
int hrry_file_fd(const hrry_file *file);

// How many tensors the index has, composite heads among them.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_file_tensor_count(const hrry_file *file);

// The name of a tensor, without touching its descriptor.
//
// Ownership: `*out_name` is borrowed from the file; no zero byte at its end.
// Parameters: `index` below `hrry_file_tensor_count`, in the order of the index.
// Status: HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_name_at(const hrry_file *file,
                              uint64_t index,
                              const char **out_name,
                              size_t *out_len,
                              hrry_error *error);

// The place of a tensor in the index, by its name.
//
// Parameters: `name_len` bytes at `name`; `*out_index` is HRRY_UNKNOWN when there is none.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_name_find(const hrry_file *file,
                                const char *name,
                                size_t name_len,
                                uint64_t *out_index,
                                hrry_error *error);

// Where the parts of a tensor lie, without touching its descriptor.
//
// Ownership: the name in `entry` is borrowed from the file.
// Parameters: `index` below `hrry_file_tensor_count`; `entry` is filled in as far as its
// struct_size goes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_entry_at(const hrry_file *file,
                               uint64_t index,
                               hrry_entry *entry,
                               hrry_error *error);

// The tensor whose descriptor stands at the k-th place in the file: the order in which reading
// them all is fastest.
//
// Parameters: `k` below `hrry_file_tensor_count`; `*out_index` is its place in the index.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_MEMORY (the order is made when it is first asked for, 4 bytes
// a tensor, unless it is that of the index).
// Threads: any. Since 0.1.0.
hrry_status hrry_file_order_at(const hrry_file *file,
                               uint64_t k,
                               uint64_t *out_index,
                               hrry_error *error);

/* ---- Key-value section -------------------------------------------------------------------- */

// How many entries the key-value section has; 0 when there is none.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_file_kv_count(const hrry_file *file);

// An entry by its place in the section.
//
// Ownership: `*out_kv` is borrowed from the file.
// Parameters: `index` below `hrry_file_kv_count`.
// Status: HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_kv_at(const hrry_file *file,
                            uint64_t index,
                            const hrry_kv **out_kv,
                            hrry_error *error);

// An entry by its key.
//
// Ownership: `*out_kv` is borrowed from the file.
// Parameters: `key_len` bytes at `key`, for the call only.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_kv_find(const hrry_file *file,
                              const char *key,
                              size_t key_len,
                              const hrry_kv **out_kv,
                              hrry_error *error);

// The key.
//
// Returns a text borrowed from the file, its length in `*out_len`; no zero byte at its end. NULL
// for NULL.
// Threads: any. Since 0.1.0.
const char *hrry_kv_key(const hrry_kv *kv, size_t *out_len);

// The type of the value.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_value_type hrry_kv_type(const hrry_kv *kv);

// The type of the elements of an array; that of the value when it is none.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_value_type hrry_kv_element_type(const hrry_kv *kv);

// How many elements an array has; 1 for a value that is none.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_kv_count(const hrry_kv *kv);

// The text that is the value.
//
// Ownership: `*out_data` is borrowed from the file.
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_string(const hrry_kv *kv,
                           const char **out_data,
                           size_t *out_len,
                           hrry_error *error);

// The signed number that is the value.
//
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_i64(const hrry_kv *kv, int64_t *out_value, hrry_error *error);

// The unsigned number that is the value.
//
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_u64(const hrry_kv *kv, uint64_t *out_value, hrry_error *error);

// The float that is the value.
//
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_f64(const hrry_kv *kv, double *out_value, hrry_error *error);

// The truth value that is the value.
//
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_bool(const hrry_kv *kv, bool *out_value, hrry_error *error);

// The opaque bytes that is the value.
//
// Ownership: `*out_data` is borrowed from the file.
// Status: HRRY_ERROR_TYPE (of an array, too).
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_bytes(const hrry_kv *kv,
                          const void **out_data,
                          size_t *out_len,
                          hrry_error *error);

// The text at place `index` of an array; place 0 is the value of what is no array.
//
// Ownership: `*out_data` is borrowed from the file.
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_string_at(const hrry_kv *kv,
                              uint64_t index,
                              const char **out_data,
                              size_t *out_len,
                              hrry_error *error);

// The signed number at place `index` of an array; place 0 is the value of what is no array.
//
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_i64_at(const hrry_kv *kv,
                           uint64_t index,
                           int64_t *out_value,
                           hrry_error *error);

// The unsigned number at place `index` of an array; place 0 is the value of what is no array.
//
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_u64_at(const hrry_kv *kv,
                           uint64_t index,
                           uint64_t *out_value,
                           hrry_error *error);

// The float at place `index` of an array; place 0 is the value of what is no array.
//
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_f64_at(const hrry_kv *kv,
                           uint64_t index,
                           double *out_value,
                           hrry_error *error);

// The truth value at place `index` of an array; place 0 is the value of what is no array.
//
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_bool_at(const hrry_kv *kv,
                            uint64_t index,
                            bool *out_value,
                            hrry_error *error);

// The opaque bytes at place `index` of an array; place 0 is the value of what is no array.
//
// Ownership: `*out_data` is borrowed from the file.
// Parameters: `index` below `hrry_kv_count`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_bytes_at(const hrry_kv *kv,
                             uint64_t index,
                             const void **out_data,
                             size_t *out_len,
                             hrry_error *error);

// The elements as they stand in the file: back to back, little-endian, not aligned; texts and
// bytes each behind their length, a u32. Of a value that is no array, the value.
//
// Ownership: `*out_data` is borrowed from the file.
// Status: only HRRY_ERROR_ARGUMENT.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_data(const hrry_kv *kv,
                         const void **out_data,
                         size_t *out_len,
                         hrry_error *error);

// Many elements of an array of texts or of bytes at once.
//
// Ownership: what `out_texts` then points to is borrowed from the file.
// Parameters: `count` elements from place `first` on go to the `count` structs at `out_texts`.
// Status: HRRY_ERROR_TYPE, HRRY_ERROR_RANGE when they are not all there; nothing is written then.
// Threads: any. Since 0.1.0.
hrry_status hrry_kv_strings(const hrry_kv *kv,
                            uint64_t first,
                            size_t count,
                            hrry_text *out_texts,
                            hrry_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HURRAY_H */
