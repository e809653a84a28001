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
// succeeds leaves it alone. "A fault of the file" below stands for any status of 200 to 399. What
// any function can return is not repeated: HRRY_ERROR_ARGUMENT when it is given NULL where it needs
// something, HRRY_ERROR_ROOM for a struct whose struct_size is below that of the first version, and
// HRRY_ERROR_INTERNAL for a defect of the library (one line of Rust's may then be printed on
// stderr, the only thing ever printed). Functions without a status answer 0, NULL or what they say
// when they are given NULL. A name that is not found costs nothing when `error` is NULL.
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
// truncates it while it is open, touching data beyond its new end raises SIGBUS. Only what touches
// mapped data is in danger: your own access to the `data` of hrry_buffer and hrry_tensor_facts, and
// the functions that give values where they lie: hrry_tensor_locate (of sparse and block-paged
// tensors), _element, _copy, _dequantize and their forms by box and token, hrry_composite_read, and
// hrry_values_* over buffers in a mapping. Every other function of this header (opening, names,
// keys, descriptors, validation, hrry_tensor_read, hrry_file_load) reads with system calls and
// returns HRRY_ERROR_SHRANK instead; with HRRY_OPEN_READS all of them do, and HRRY_OPEN_MEMORY
// leaves nothing to truncate. The writer of this library replaces files, it never truncates them.
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

// Each descriptor, and it against its index entry.
#define HRRY_CHECK_DESCRIPTORS 1

// No overlap between tensors, no stretch of bytes that belongs to nothing.
#define HRRY_CHECK_REGIONS 2

// All padding is zero.
#define HRRY_CHECK_PADDING 4

// Each composite: its members one by one, and all together.
#define HRRY_CHECK_COMPOSITES 8

// The numbers in the data that have rules: indices, pointers, page tables, scales, zero points of
// channels (those of blocks may be any int32), codes of float8_e8m0.
#define HRRY_CHECK_CONTENT 16

// What statistics sections say, against the values: counts, flags, minimum and maximum exactly,
// mean and deviation within a millionth of the largest magnitude, the sparsity ratio within a
// millionth.
// Not judged is what the format leaves open or the library cannot tell: ranges and means beside
// values that are not finite, complex, float128 and private types, composite heads, paged tensors
// that are found by sequence only. Statistics are advisory and this reads all data: it is made only
// when it is asked for. Its work of 8 bytes an element is not in the total of the progress.
#define HRRY_CHECK_STATISTICS 32

// Accept what the format lets a permissive reader accept: HRRY_OPEN_PERMISSIVE.
#define HRRY_DECODE_PERMISSIVE 1

// flags: there is a quantization section.
#define HRRY_DESCRIPTOR_HAS_QUANTIZATION 1

// flags: there is a shard section.
#define HRRY_DESCRIPTOR_HAS_SHARD 2

// flags: there is an extension type section.
#define HRRY_DESCRIPTOR_HAS_EXTENSION_TYPE 4

// flags: there is a statistics section.
#define HRRY_DESCRIPTOR_HAS_STATISTICS 8

// flags: there is a composite member section.
#define HRRY_DESCRIPTOR_HAS_COMPOSITE_MEMBER 16

// Entries of block table and sequence pointers have four bytes.
#define HRRY_INDEX_U32 0

// Entries of block table and sequence pointers have eight bytes.
#define HRRY_INDEX_U64 1

// No layer.
#define HRRY_NO_LAYER 4294967295

// There are no zero points: every one is 0.
#define HRRY_QUANTIZATION_SYMMETRIC 1

// No buffer of the table.
#define HRRY_NO_BUFFER 4294967295

// nnz is known.
#define HRRY_STATISTICS_NNZ 1

// sparsity_ratio is known.
#define HRRY_STATISTICS_SPARSITY 2

// value_min, value_max and value_abs_max are known.
#define HRRY_STATISTICS_VALUE_RANGE 4

// value_mean and value_stddev are known.
#define HRRY_STATISTICS_VALUE_STATS 8

// nm_n and nm_m are known.
#define HRRY_STATISTICS_NM_SPARSITY 16

// has_nan and has_inf are known.
#define HRRY_STATISTICS_NAN_INF 32

// Sort the index by name; else it keeps the order of writing.
#define HRRY_WRITE_SORTED 1

// No checksum of the index.
#define HRRY_WRITE_NO_CRC 2

// Do not wait until file and folder are on disk.
#define HRRY_WRITE_NO_SYNC 4

// Lower a buffer's declared alignment to that of the file where it is higher, instead of refusing
// it. Not for descriptors that are given as bytes.
#define HRRY_WRITE_LOWER_ALIGNMENT 8

// Puts a descriptor together: row-major at byte_offset 0 on the CPU with buffers aligned to 64,
// unless told otherwise. Buffers get the size that they need.
//
// Whether everything fits together is checked by `hrry_builder_build`, which builds nothing that
// `hrry_descriptor_decode` would refuse. Belongs to one thread at a time.
typedef struct hrry_builder hrry_builder;

// Holds the members of a composite against their head as they come, for streams and for tensors
// that are handed over in memory: the rules of files, and the same errors. In these the tensors are
// numbered in the order in which they came, the head being 0.
//
// A member that is itself a head is followed by its own members. Belongs to one thread at a time.
//
// Memory: 8 bytes for each member, and 16 a dimension if it has a place in the head, until its
// composite is complete.
typedef struct hrry_checker hrry_checker;

// A composite of a file: one logical tensor over many stored ones, which were checked against each
// other when it was opened. It does not change, holds a reference to its file, and may be used by
// any number of threads at the same time.
//
// Tensors are given by their places in the index, for `hrry_file_tensor_at`.
//
// Memory: what `hrry_composite_memory` says: 8 bytes for each member, and for those that have a
// place in the head 16 for each dimension. The first question about places adds 32 bytes a member
// and at most one box. The descriptors of members are not kept.
typedef struct hrry_composite hrry_composite;

// What a tensor is, and how its elements lie in its buffers. Does not change.
//
// One that came from `hrry_descriptor_decode` or `hrry_builder_build` is yours; one that came from
// a tensor or a stream is borrowed.
typedef struct hrry_descriptor hrry_descriptor;

// A file that was opened for reading. It does not change, is counted by its references, and is
// whole: header, index and key-value section were read and checked when it was opened, in memory
// of its own.
//
// Memory: the bytes of index and key-value section, about 21 bytes for each tensor and 40 for each
// key, 4 for each element of arrays of strings or bytes, and what `hrry_tensor` says for each
// tensor that was asked for. The first question about composites adds 48 bytes for each head.
typedef struct hrry_file hrry_file;

// One entry of a file's key-value section, borrowed from the file.
typedef struct hrry_kv hrry_kv;

// A file that is read in order, tensor by tensor, from where nobody can go back: a pipe, a socket,
// a download.
//
// When the header announces how many tensors there are, they are handed out as they come. Else the
// whole file is first taken into memory, as far as the limit allows. Names come at the end, with
// the index: only `hrry_stream_finish` says whether what passed was right. After an error nothing
// more can be had. Belongs to one thread at a time.
typedef struct hrry_stream hrry_stream;

// One tensor of a file: its name, its descriptor, its buffers. Borrowed from the file, which keeps
// it, once it was asked for, until it is closed.
//
// Memory: 272 bytes, the bytes of its descriptor as it stands in the file, and those of its
// sections and of its lists beyond four dimensions or three buffers: what `hrry_descriptor_memory`
// says.
typedef struct hrry_tensor hrry_tensor;

// A file being written, in one pass and from front to back. It keeps nothing but its index, and the
// descriptors of a composite that was announced, about 100 bytes a member, until that is ended.
//
// What the format forbids is refused before a byte of it is written, and the writer goes on; the
// data itself is written as it is, `hrry_file_validate` tells whether its numbers are right. After
// an error of the system or of the sink every further call returns HRRY_ERROR_STATE. A path holds
// what it held before, or nothing, until `hrry_writer_finish` has succeeded. Belongs to one thread
// at a time.
typedef struct hrry_writer hrry_writer;

// What a call says of itself: `HRRY_OK`, or one of `HRRY_ERROR_*`.
//
// 1 to 99: what the caller passed or asked for. 100 to 199: the system. 200 to 299: the file is
// not valid. 300 to 399: the file uses something that is newer, reserved, private or not
// supported. 900: a defect of the library. A number never changes its meaning and is never used
// again; later versions may add some, so treat an unknown one by its group.
typedef int32_t hrry_status;

// What an element of a tensor is: type_tag, as the format has it. Tags 0xF0 to 0xFE are private
// types, described by the descriptor's extension type section.
typedef uint32_t hrry_type;

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

// How elements lie in buffers: layout_tag, as the format has it.
typedef uint32_t hrry_layout;

// How elements are quantized: scheme_tag, as the format has it; 0 is not at all.
typedef uint32_t hrry_scheme;

// Where the producer kept a buffer: device_tag, as the format has it. A record: what this library
// hands out is in host memory.
typedef uint32_t hrry_device;

// How a file is opened. NULL or zeros: strict; mapped when it can be, else by positioned reads.
typedef struct hrry_open_options {
    // sizeof(hrry_open_options).
    size_t struct_size;
    // HRRY_OPEN_*, or-ed.
    uint32_t flags;
    // Zero.
    uint32_t reserved;
} hrry_open_options;

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

// The common case in one call: what a program asks before it uses a tensor.
typedef struct hrry_tensor_facts {
    // sizeof(hrry_tensor_facts).
    size_t struct_size;
    // The name, borrowed from the file; no zero byte at its end.
    const char *name;
    // Bytes of the name.
    size_t name_len;
    // Its place in the index.
    uint64_t index;
    // HRRY_TYPE_*.
    hrry_type type;
    // HRRY_LAYOUT_*.
    hrry_layout layout;
    // HRRY_SCHEME_*; HRRY_SCHEME_NONE when it is not quantized.
    hrry_scheme scheme;
    // Dimensions, 0 to 64.
    uint32_t rank;
    // `rank` sizes, borrowed from the file; HRRY_UNKNOWN is a dynamic one. NULL when rank is 0.
    const uint64_t *shape;
    // Product of the sizes; HRRY_UNKNOWN when one is dynamic or 64 bits do not hold it.
    uint64_t element_count;
    // Width of an element; 0 when it is not known.
    uint32_t element_bits;
    // Buffers.
    uint32_t buffer_count;
    // The first buffer, borrowed from the file; NULL when there is none or the file is not in
    // memory. Touching it can fault when somebody truncates a mapped file.
    const void *data;
    // Bytes of the first buffer; 0 when there is none.
    uint64_t size;
    // Where the first buffer begins in the file.
    uint64_t offset;
    // Bytes from there to the end of the last buffer, padding between buffers among them.
    uint64_t data_len;
    // From the start of the first buffer to the first element.
    uint64_t byte_offset;
    // HRRY_DEVICE_* of the buffers.
    hrry_device device;
    // Zero.
    uint32_t reserved;
} hrry_tensor_facts;

// One buffer of a tensor, in place.
typedef struct hrry_buffer {
    // sizeof(hrry_buffer).
    size_t struct_size;
    // Its bytes, borrowed from the file; NULL when the file is not in memory. Touching them can
    // fault when somebody truncates a mapped file.
    const void *data;
    // Bytes.
    uint64_t size;
    // Where it begins in the file.
    uint64_t offset;
    // The largest power of two that divides the address `data`; 0 when that is NULL.
    uint64_t alignment;
    // The alignment that the descriptor declares: that of its producer's memory, a power of two.
    // It may be more than what holds here.
    uint32_t declared_alignment;
    // HRRY_DEVICE_*, where the producer kept it.
    hrry_device device;
} hrry_buffer;

// What is to come, for `hrry_tensor_advise`.
typedef uint32_t hrry_advice;

// One of many ranges to be copied. 40 bytes where pointers have 8, for the life of the ABI.
typedef struct hrry_load {
    // The tensor, by its place in the index.
    uint64_t tensor;
    // The first byte, from the start of the buffer.
    uint64_t offset;
    // Where the bytes go: `len` bytes that are yours and nobody else's during the call.
    void *dst;
    // How many bytes.
    size_t len;
    // The buffer of the tensor.
    uint32_t buffer;
    // Zero.
    uint32_t reserved;
} hrry_load;

// Called now and then with the bytes done so far and those to do. Returns 0 to go on; anything
// else cancels the call.
typedef int (*hrry_progress_fn)(void *context, uint64_t done, uint64_t total);

// How ranges are loaded. NULL or zeros: chunks of a size that suits most disks, no progress.
typedef struct hrry_load_options {
    // sizeof(hrry_load_options).
    size_t struct_size;
    // Bytes of one read at most; 0 for the default.
    uint64_t chunk;
    // Called on the calling thread before the first chunk and after each; may be NULL.
    hrry_progress_fn progress;
    // Passed to `progress`.
    void *context;
} hrry_load_options;

// What is validated. NULL or zeros: everything but HRRY_CHECK_STATISTICS, no progress.
typedef struct hrry_validate_options {
    // sizeof(hrry_validate_options).
    size_t struct_size;
    // HRRY_CHECK_*, or-ed; 0 for all of them but HRRY_CHECK_STATISTICS.
    uint32_t checks;
    // Zero.
    uint32_t reserved;
    // How many problems are counted and not handed out: those that an earlier call had room for.
    uint64_t first;
    // Called on the calling thread now and then; may be NULL.
    hrry_progress_fn progress;
    // Passed to `progress`.
    void *context;
} hrry_validate_options;

// One entry of a buffer table.
typedef struct hrry_buffer_entry {
    // sizeof(hrry_buffer_entry).
    size_t struct_size;
    // Bytes of the buffer.
    uint64_t byte_size;
    // The alignment of the producer's memory, a power of two.
    uint32_t alignment;
    // HRRY_DEVICE_*, where the producer kept it.
    hrry_device device;
    // Bytes 13 to 15 of the entry as they stand there, then a zero; not zero only in what was read
    // permissive.
    uint8_t reserved[4];
    // Zero.
    uint32_t padding;
} hrry_buffer_entry;

// One level of a tiled layout. 32 bytes where pointers have 8, for the life of the ABI.
typedef struct hrry_tiles {
    // The shape of a tile: rank numbers.
    const uint64_t *tile_shape;
    // Strides of the tiles, in tiles: rank numbers when outer_layout is HRRY_LAYOUT_STRIDED, else
    // NULL.
    const int64_t *outer_strides;
    // Strides of the elements in a tile: rank numbers when inner_layout is HRRY_LAYOUT_STRIDED,
    // else NULL.
    const int64_t *inner_strides;
    // The order of the tiles: HRRY_LAYOUT_ROW_MAJOR, _COLUMN_MAJOR or _STRIDED.
    hrry_layout outer_layout;
    // The order of the elements in a tile: the same, or HRRY_LAYOUT_TILED when the next level
    // says.
    hrry_layout inner_layout;
} hrry_tiles;

// Fields of COO.
typedef struct hrry_coo {
    // sizeof(hrry_coo).
    size_t struct_size;
    // Stored elements.
    uint64_t nnz;
    // 1 when their coordinates ascend.
    uint32_t is_sorted;
    // Zero.
    uint32_t reserved;
} hrry_coo;

// Fields of CSR and CSC.
typedef struct hrry_compressed {
    // sizeof(hrry_compressed).
    size_t struct_size;
    // Stored elements.
    uint64_t nnz;
} hrry_compressed;

// Fields of CSF.
typedef struct hrry_csf {
    // sizeof(hrry_csf).
    size_t struct_size;
    // Stored elements.
    uint64_t nnz;
    // The dimension of each level: rank numbers, borrowed from the descriptor.
    const uint32_t *mode_order;
} hrry_csf;

// What a block-paged tensor holds: kv_role, as the format has it.
typedef uint32_t hrry_kv_role;

// Fields of the block-paged layout.
typedef struct hrry_block_paged {
    // sizeof(hrry_block_paged).
    size_t struct_size;
    // Pages in the pool.
    uint64_t num_pages;
    // Tokens in a page, at least 1.
    uint32_t page_size;
    // Sequences.
    uint32_t num_seqs;
    // HRRY_KV_ROLE_*.
    hrry_kv_role kv_role;
    // The layer of the model, or HRRY_NO_LAYER.
    uint32_t layer_index;
    // HRRY_INDEX_U32 or HRRY_INDEX_U64.
    uint32_t block_table_index_type;
    // Zero.
    uint32_t reserved;
} hrry_block_paged;

// How members make up a composite: composition_rule, as the format has it. 0xF0 to 0xFE are
// private.
typedef uint32_t hrry_rule;

// What a correction of an overlay does with an element: combine_op, as the format has it.
typedef uint32_t hrry_combine;

// Fields of a composite head.
typedef struct hrry_composite_head {
    // sizeof(hrry_composite_head).
    size_t struct_size;
    // HRRY_RULE_*.
    hrry_rule rule;
    // HRRY_COMBINE_*.
    hrry_combine combine;
    // How many tensors after the head belong to it.
    uint32_t member_count;
    // Zero.
    uint32_t reserved;
} hrry_composite_head;

// Fields of a private layout.
typedef struct hrry_private_layout {
    // sizeof(hrry_private_layout).
    size_t struct_size;
    // extension_layout_id.
    uint64_t id;
    // The layout's own bytes, borrowed from the descriptor.
    const void *data;
    // How many.
    size_t data_len;
} hrry_private_layout;

// How stored codes become values. What a scheme does not have is 0 when it is read and ignored
// when it is set.
//
// Affine: scale * (code - zero point). NF4: scale * one of sixteen numbers. MXFP: the code as a
// number of its type * a power of two. All in float32.
// Per channel there is one scale for each index of the axis. In blocks there is one for each
// block_size elements along the axis, the blocks of one line after another and the lines in
// row-major order of the other dimensions. Where the last block of a line is not full, dense
// row-major and column-major tensors store it whole: the data is that of a tensor whose axis is as
// long as its blocks, and zero where there is no element. Zero points are int32, as many as scales.
typedef struct hrry_quantization {
    // sizeof(hrry_quantization).
    size_t struct_size;
    // HRRY_SCHEME_*.
    hrry_scheme scheme;
    // HRRY_QUANTIZATION_SYMMETRIC or 0: per channel and per block.
    uint32_t flags;
    // The dimension along which channels or blocks follow one another.
    uint32_t axis;
    // Elements of a block: a power of two.
    uint32_t block_size;
    // The scale: per tensor.
    float scale;
    // The zero point: per tensor.
    int32_t zero_point;
    // HRRY_TYPE_* of the scales: float32 per channel and with NF4, float8_e8m0 with MXFP; to be
    // chosen only per block, among float16, bfloat16 and float32.
    hrry_type scale_type;
    // The buffer of the scales, by its place in the buffer table; HRRY_NO_BUFFER per tensor.
    uint32_t scale_buffer;
    // The buffer of the zero points, which may be that of the scales and then follow them;
    // HRRY_NO_BUFFER when there are none.
    uint32_t zero_point_buffer;
    // Zero.
    uint32_t reserved;
    // The payload of a scheme that is not known (permissive only), its header first, borrowed from
    // the descriptor; else NULL.
    const void *payload;
    // Bytes of the payload.
    size_t payload_len;
} hrry_quantization;

// The box of a larger tensor that a tensor is.
typedef struct hrry_shard {
    // sizeof(hrry_shard).
    size_t struct_size;
    // The shape of the larger tensor: rank numbers, borrowed from the descriptor.
    const uint64_t *parent_shape;
    // Where in the larger tensor this one begins: rank numbers, borrowed from the descriptor.
    const uint64_t *shard_offset;
} hrry_shard;

// What the writer knew of the values; advisory. What is not known is 0 when it is read and ignored
// when it is set.
typedef struct hrry_statistics {
    // sizeof(hrry_statistics).
    size_t struct_size;
    // HRRY_STATISTICS_* of what is known, or-ed.
    uint32_t computed_mask;
    // Zero.
    uint32_t reserved;
    // Elements that are not zero.
    uint64_t nnz;
    // The share of elements that are zero, 0 to 1.
    double sparsity_ratio;
    // The smallest value.
    double value_min;
    // The largest value.
    double value_max;
    // The largest magnitude.
    double value_abs_max;
    // The mean.
    double value_mean;
    // The standard deviation of the population.
    double value_stddev;
    // At most nm_n of every nm_m consecutive elements are not zero.
    uint8_t nm_n;
    // See nm_n.
    uint8_t nm_m;
    // 1 when some value is not a number.
    uint8_t has_nan;
    // 1 when some value is infinite.
    uint8_t has_inf;
    // Zero.
    uint32_t padding;
} hrry_statistics;

// What a private element type is made of; the library records it and does not interpret it.
typedef struct hrry_extension_type {
    // sizeof(hrry_extension_type).
    size_t struct_size;
    // Bits of an element: 1, 2, 4 or a multiple of 8.
    uint32_t bit_width;
    // What the exponent is stored with; floats only, as all that follows but is_signed.
    uint32_t exponent_bias;
    // 1 for a float, 0 for an integer.
    uint8_t is_float;
    // 1 for a signed integer.
    uint8_t is_signed;
    // 1 when there is a sign bit.
    uint8_t sign_bits;
    // Bits of the exponent.
    uint8_t exponent_bits;
    // Bits of the mantissa.
    uint8_t mantissa_bits;
    // 1 when some code is not a number.
    uint8_t has_nan;
    // 1 when some code is infinite.
    uint8_t has_inf;
    // Elements in a byte below 8 bits, else 1; ignored when it is set.
    uint8_t packing_factor;
} hrry_extension_type;

// The role of a member of an overlay: member_role, as the format has it.
typedef uint32_t hrry_member_role;

// What is known of a composite without a look at its members.
typedef struct hrry_composite_facts {
    // sizeof(hrry_composite_facts).
    size_t struct_size;
    // The head, by its place in the index.
    uint64_t head;
    // The head that it is itself a member of; HRRY_UNKNOWN when there is none.
    uint64_t outer;
    // member_count.
    uint32_t promised;
    // Members in the file; fewer when the composite is torn.
    uint32_t found;
    // Level of nesting; 1 for the outermost. Above 8 it is not valid.
    uint32_t level;
    // 1 when all members are there, and all of theirs.
    uint32_t complete;
} hrry_composite_facts;

// One buffer of a tensor, wherever it lies in memory. 16 bytes where pointers have 8, for the life
// of the ABI.
typedef struct hrry_memory {
    // The first byte; NULL when there are none. No alignment is asked for.
    const void *data;
    // How many bytes.
    size_t size;
} hrry_memory;

// Where an element stands.
typedef struct hrry_place {
    // sizeof(hrry_place).
    size_t struct_size;
    // 1: it has a place. 0: a sparse tensor does not store it, it is zero; the rest is 0.
    uint32_t is_stored;
    // The first bit in the byte, for elements below a byte. 6-bit elements: in the group of three
    // bytes, read as one little-endian number.
    uint32_t bit;
    // Elements between the first, at byte_offset, and this one. Negative strides go below it.
    int64_t element;
    // The byte in the first buffer; with 6-bit elements that of the group.
    uint64_t byte;
} hrry_place;

// What the number of an element is.
typedef uint32_t hrry_element_kind;

// One element: as it is stored, and as a number. Of a quantized tensor it is the code.
typedef struct hrry_element {
    // sizeof(hrry_element).
    size_t struct_size;
    // HRRY_ELEMENT_*.
    hrry_element_kind kind;
    // 1: it is stored. 0: a sparse tensor does not store it, it is zero.
    uint32_t is_stored;
    // The stored bits, the lowest first, zero above them.
    uint8_t bits[16];
    // The number, or the real part.
    double real;
    // The imaginary part of a complex number, else 0.
    double imaginary;
    // A signed integer, else 0.
    int64_t signed_value;
    // An unsigned integer, else 0.
    uint64_t unsigned_value;
} hrry_element;

// How a file is written. NULL or zeros: alignment 4096, index in order of writing and with a
// checksum, no announcement, on disk when `hrry_writer_finish` returns.
typedef struct hrry_writer_options {
    // sizeof(hrry_writer_options).
    size_t struct_size;
    // HRRY_WRITE_*, or-ed.
    uint32_t flags;
    // data_buffer_alignment, a power of two from 4096 to 2 097 152; 0 for 4096.
    uint32_t alignment;
    // How many tensors will be written, for those who read the file in order; another number at
    // the end is an error. 0 announces nothing.
    uint64_t count_hint;
} hrry_writer_options;

// Where a writer's bytes go when they do not go to a file.
//
// `write` takes all of the bytes, which follow those of the call before, and returns 0, or an
// error number; after that it is not called again. `release`, which may be NULL, is called when
// the writer does not need the context any more: at the end of a `hrry_writer_finish`, or by
// `hrry_writer_free`.
typedef struct hrry_sink {
    // sizeof(hrry_sink).
    size_t struct_size;
    // Passed to the functions.
    void *context;
    // Writes.
    int (*write)(void *context, const void *data, size_t data_len);
    // Gives the context back.
    hrry_release_fn release;
} hrry_sink;

// Bytes that belong to somebody else. 16 bytes where pointers have 8, for the life of the ABI.
typedef struct hrry_bytes {
    // The bytes; NULL when there are none.
    const void *data;
    // How many.
    size_t len;
} hrry_bytes;

// Where a stream's bytes come from.
//
// `read` waits for the next bytes, puts as many as there are (at most `dst_len`) at `dst` and
// their number, 0 only at the end of input, into `out_len`; it returns 0, or an error number.
// After the end or an error it is not called again. `release`, which may be NULL, is called when
// the stream does not need the context any more: by `hrry_stream_finish` or `hrry_stream_free`.
typedef struct hrry_stream_source {
    // sizeof(hrry_stream_source).
    size_t struct_size;
    // Passed to the functions.
    void *context;
    // Reads.
    int (*read)(void *context, void *dst, size_t dst_len, size_t *out_len);
    // Gives the context back.
    hrry_release_fn release;
} hrry_stream_source;

// How a stream is read. NULL or zeros: strict, at most 1 GiB kept.
typedef struct hrry_stream_options {
    // sizeof(hrry_stream_options).
    size_t struct_size;
    // 0 or HRRY_OPEN_PERMISSIVE.
    uint32_t flags;
    // Zero.
    uint32_t reserved;
    // Bytes that may be kept at a time, 0 for 1 GiB: the whole file when it does not announce its
    // tensors, else the longest descriptor, and what follows the tensors.
    uint64_t memory_limit;
} hrry_stream_options;

// Done.
#define HRRY_OK 0

// An argument cannot be used: NULL, a number that is not known.
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

// What is named exists and is no regular file.
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

// A composite ends before all its members have come.
#define HRRY_ERROR_TORN 218

// The members of a partition leave an index out, or two of them hold one.
#define HRRY_ERROR_COVER 219

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

// IEEE 754 half.
#define HRRY_TYPE_FLOAT16 1

// The upper half of a float32.
#define HRRY_TYPE_BFLOAT16 2

// IEEE 754 single.
#define HRRY_TYPE_FLOAT32 3

// IEEE 754 double.
#define HRRY_TYPE_FLOAT64 4

// Signed, two's complement, 8 bits.
#define HRRY_TYPE_INT8 16

// Unsigned, 8 bits.
#define HRRY_TYPE_UINT8 17

// Signed, two's complement, 16 bits.
#define HRRY_TYPE_INT16 18

// Unsigned, 16 bits.
#define HRRY_TYPE_UINT16 19

// Signed, two's complement, 32 bits.
#define HRRY_TYPE_INT32 20

// Unsigned, 32 bits.
#define HRRY_TYPE_UINT32 21

// Signed, two's complement, 64 bits.
#define HRRY_TYPE_INT64 22

// Unsigned, 64 bits.
#define HRRY_TYPE_UINT64 23

// One bit, 0 or 1.
#define HRRY_TYPE_BOOL 32

// A float of 8 bits: 4 of exponent, 3 of mantissa.
#define HRRY_TYPE_FLOAT8_E4M3 64

// A float of 8 bits: 5 of exponent, 2 of mantissa.
#define HRRY_TYPE_FLOAT8_E5M2 65

// A power of two: 8 bits of exponent, nothing else.
#define HRRY_TYPE_FLOAT8_E8M0 66

// A float of 4 bits: 2 of exponent, 1 of mantissa.
#define HRRY_TYPE_FLOAT4_E2M1 67

// A float of 6 bits: 2 of exponent, 3 of mantissa.
#define HRRY_TYPE_FLOAT6_E2M3 68

// A float of 6 bits: 3 of exponent, 2 of mantissa.
#define HRRY_TYPE_FLOAT6_E3M2 69

// IEEE 754 quadruple.
#define HRRY_TYPE_FLOAT128 70

// Signed, two's complement, 4 bits.
#define HRRY_TYPE_INT4 72

// Unsigned, 4 bits.
#define HRRY_TYPE_UINT4 73

// Signed, two's complement, 2 bits.
#define HRRY_TYPE_INT2 74

// Unsigned, 2 bits.
#define HRRY_TYPE_UINT2 75

// Two float32, real and imaginary part.
#define HRRY_TYPE_COMPLEX64 80

// Two float64, real and imaginary part.
#define HRRY_TYPE_COMPLEX128 81

// Dense, the last dimension runs fastest.
#define HRRY_LAYOUT_ROW_MAJOR 1

// Dense, the first dimension runs fastest.
#define HRRY_LAYOUT_COLUMN_MAJOR 2

// Dense, a stride for each dimension.
#define HRRY_LAYOUT_STRIDED 3

// Dense, in tiles.
#define HRRY_LAYOUT_TILED 4

// Dense, along a Morton curve.
#define HRRY_LAYOUT_MORTON 5

// Sparse, a coordinate for each value.
#define HRRY_LAYOUT_COO 6

// Sparse, by rows.
#define HRRY_LAYOUT_CSR 7

// Sparse, by columns.
#define HRRY_LAYOUT_CSC 8

// Sparse, a tree of coordinates.
#define HRRY_LAYOUT_CSF 9

// Pages found through a table.
#define HRRY_LAYOUT_BLOCK_PAGED 10

// No data of its own: the head of the tensors that follow it.
#define HRRY_LAYOUT_COMPOSITE 11

// Dense, along a Hilbert curve.
#define HRRY_LAYOUT_HILBERT 64

// Not quantized.
#define HRRY_SCHEME_NONE 0

// Affine, one scale for the tensor.
#define HRRY_SCHEME_PER_TENSOR_AFFINE 1

// Affine, a scale for each place along an axis.
#define HRRY_SCHEME_PER_CHANNEL_AFFINE 2

// Affine, a scale for each block along an axis.
#define HRRY_SCHEME_PER_BLOCK_AFFINE 3

// NF4 codes, a scale for each block.
#define HRRY_SCHEME_NF4 4

// Narrow floats or integers, a power of two for each block.
#define HRRY_SCHEME_MXFP 5

// Host memory.
#define HRRY_DEVICE_CPU 0

// CUDA.
#define HRRY_DEVICE_CUDA 1

// ROCm.
#define HRRY_DEVICE_ROCM 2

// Metal.
#define HRRY_DEVICE_METAL 3

// Vulkan.
#define HRRY_DEVICE_VULKAN 4

// WebGPU.
#define HRRY_DEVICE_WEBGPU 5

// Hexagon.
#define HRRY_DEVICE_HEXAGON 6

// Level Zero.
#define HRRY_DEVICE_LEVEL_ZERO 7

// OpenCL.
#define HRRY_DEVICE_OPENCL 8

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

// Nothing in particular.
#define HRRY_ADVICE_NORMAL 0

// It will be read from front to back.
#define HRRY_ADVICE_SEQUENTIAL 1

// It will be read here and there.
#define HRRY_ADVICE_RANDOM 2

// It will be read soon: worth fetching now.
#define HRRY_ADVICE_WILL_NEED 3

// It will not be read again soon: its memory can serve others.
#define HRRY_ADVICE_DONT_NEED 4

// Keys.
#define HRRY_KV_ROLE_KEY 0

// Values.
#define HRRY_KV_ROLE_VALUE 1

// Anything else.
#define HRRY_KV_ROLE_OTHER 2

// Each element comes from exactly one member.
#define HRRY_RULE_PARTITION 1

// Members lie over one another.
#define HRRY_RULE_OVERLAY 2

// Independent tensors.
#define HRRY_RULE_GROUP 3

// No overlay.
#define HRRY_COMBINE_NONE 0

// It takes its place.
#define HRRY_COMBINE_REPLACE 1

// It is added to it.
#define HRRY_COMBINE_ADD 2

// Changes what lies below it.
#define HRRY_MEMBER_CORRECTION 0

// Lies below everything and spans the head.
#define HRRY_MEMBER_BASE 1

// There is no composite member section.
#define HRRY_MEMBER_NONE 4294967295

// Not a number that C has: float128, a private or unknown type, an e8m0 that is not valid. `bits`
// has it.
#define HRRY_ELEMENT_OPAQUE 0

// `real` has it, exactly.
#define HRRY_ELEMENT_FLOAT 1

// `signed_value` has it; `real` is the nearest double.
#define HRRY_ELEMENT_SIGNED 2

// `unsigned_value` has it; `real` is the nearest double.
#define HRRY_ELEMENT_UNSIGNED 3

// `unsigned_value` and `real` are 0 or 1.
#define HRRY_ELEMENT_BOOL 4

// `real` and `imaginary` have it, exactly.
#define HRRY_ELEMENT_COMPLEX 5

// As a type to copy elements to: the stored type, as the format packs it. Elements below a byte
// follow one another without gaps, the lowest bits first; unused bits of the last byte are zero.
#define HRRY_AS_STORED 0

// As a type to copy elements to: the stored type, elements below a byte one a byte: int4 and int2
// with their sign, the others with zeros above them. Wider elements as HRRY_AS_STORED.
#define HRRY_AS_BYTES 256

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

/* ---- Names of types, layouts, schemes and devices ----------------------------------------- */

// The name of an element type, as the format spells it.
//
// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
// `"invalid"` for a tag without a name. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_type_name(hrry_type type);

// The element type of that name.
//
// Parameters: `name_len` bytes at `name`; `*out_type` is 0 when there is none.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_type_find(const char *name,
                           size_t name_len,
                           hrry_type *out_type,
                           hrry_error *error);

// The width of one element in bits: 1, 2, 4, 6 or a multiple of 8.
//
// Returns 0 for a type that is private (its descriptor says: `hrry_descriptor_element_bits`) or
// not known.
// Threads: any. Since 0.1.0.
uint32_t hrry_type_bits(hrry_type type);

// The name of a layout, as the format spells it.
//
// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
// `"invalid"` for a tag without a name. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_layout_name(hrry_layout layout);

// The layout of that name.
//
// Parameters: `name_len` bytes at `name`; `*out_layout` is 0 when there is none.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_layout_find(const char *name,
                             size_t name_len,
                             hrry_layout *out_layout,
                             hrry_error *error);

// The name of a quantization scheme, as the format spells it.
//
// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
// `"invalid"` for a tag without a name. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_scheme_name(hrry_scheme scheme);

// The quantization scheme of that name.
//
// Parameters: `name_len` bytes at `name`; `*out_scheme` is 0 when there is none.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_scheme_find(const char *name,
                             size_t name_len,
                             hrry_scheme *out_scheme,
                             hrry_error *error);

// The name of a device, as the format spells it.
//
// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
// `"invalid"` for a tag without a name. Never NULL.
// Threads: any. Since 0.1.0.
const char *hrry_device_name(hrry_device device);

// The device of that name.
//
// Parameters: `name_len` bytes at `name`; `*out_device` is 0 when there is none.
// Status: HRRY_ERROR_NOT_FOUND.
// Threads: any. Since 0.1.0.
hrry_status hrry_device_find(const char *name,
                             size_t name_len,
                             hrry_device *out_device,
                             hrry_error *error);

/* ---- Opening ------------------------------------------------------------------------------ */

// Opens the file at `path` for reading.
//
// Reads and checks header, trailer, index and key-value section; touches no descriptor and no
// data.
// Ownership: `*out_file` is yours, for `hrry_file_close`.
// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call
// only.
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
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_NOT_A_FILE, a fault of the file.
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

/* ---- Files -------------------------------------------------------------------------------- */

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
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_MEMORY (the order is made when it is first asked for, 4
// bytes a tensor, unless it is that of the index).
// Threads: any. Since 0.1.0.
hrry_status hrry_file_order_at(const hrry_file *file,
                               uint64_t k,
                               uint64_t *out_index,
                               hrry_error *error);

// A tensor by its place in the index. Its descriptor is read, checked and kept when it is first
// asked for; after that the same pointer is given again.
//
// Ownership: `*out_tensor` is borrowed from the file.
// Parameters: `index` below `hrry_file_tensor_count`.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_SYSTEM, HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
// HRRY_ERROR_CALLBACK, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_tensor_at(const hrry_file *file,
                                uint64_t index,
                                const hrry_tensor **out_tensor,
                                hrry_error *error);

// A tensor by its name, as `hrry_file_tensor_at`.
//
// Ownership: `*out_tensor` is borrowed from the file.
// Parameters: `name_len` bytes at `name`, for the call only.
// Status: HRRY_ERROR_NOT_FOUND, HRRY_ERROR_SYSTEM, HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
// HRRY_ERROR_CALLBACK, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_tensor_find(const hrry_file *file,
                                  const char *name,
                                  size_t name_len,
                                  const hrry_tensor **out_tensor,
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

/* ---- Values of keys ----------------------------------------------------------------------- */

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

// The opaque bytes that are the value.
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
// Status: HRRY_ERROR_ARGUMENT for NULL.
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

/* ---- Tensors ------------------------------------------------------------------------------ */

// The name.
//
// Returns a text borrowed from the file, its length in `*out_len`; no zero byte at its end. NULL
// for NULL.
// Threads: any. Since 0.1.0.
const char *hrry_tensor_name(const hrry_tensor *tensor, size_t *out_len);

// The place in the index.
//
// Returns HRRY_UNKNOWN for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_tensor_index(const hrry_tensor *tensor);

// The descriptor.
//
// Returns a descriptor borrowed from the file; NULL for NULL.
// Threads: any. Since 0.1.0.
const hrry_descriptor *hrry_tensor_descriptor(const hrry_tensor *tensor);

// The descriptor's bytes as they stand in the file.
//
// Returns bytes borrowed from the file, their length in `*out_len`; NULL for NULL.
// Threads: any. Since 0.1.0.
const void *hrry_tensor_descriptor_bytes(const hrry_tensor *tensor, size_t *out_len);

// The common case in one call.
//
// Ownership: what `facts` points to is borrowed from the file.
// Parameters: `facts` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_ROOM when struct_size is below that of the first version.
// Threads: any. Since 0.1.0.
hrry_status hrry_tensor_info(const hrry_tensor *tensor,
                             hrry_tensor_facts *facts,
                             hrry_error *error);

// How many buffers there are; 0 for a composite head.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_tensor_buffer_count(const hrry_tensor *tensor);

// A buffer: where it is, and how it is aligned.
//
// Ownership: what `out_buffer` points to is borrowed from the file.
// Parameters: `index` below `hrry_tensor_buffer_count`; `out_buffer` is filled in as far as its
// struct_size goes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_tensor_buffer(const hrry_tensor *tensor,
                               uint32_t index,
                               hrry_buffer *out_buffer,
                               hrry_error *error);

// Copies bytes of a buffer into the caller's memory, by positioned reads and never through the
// mapping: a file that became shorter is a status, not a signal.
//
// Parameters: `len` bytes from byte `offset` of buffer `buffer` on go to `dst`, whose content is
// undefined when the call fails.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any. Since 0.1.0.
hrry_status hrry_tensor_read(const hrry_tensor *tensor,
                             uint32_t buffer,
                             uint64_t offset,
                             void *dst,
                             size_t len,
                             hrry_error *error);

// Tells the system what is to come for the data of a tensor. Nothing depends on it but speed.
//
// Parameters: `advice` one of HRRY_ADVICE_*.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_SYSTEM (os_error is errno).
// Threads: any. Since 0.1.0.
hrry_status hrry_tensor_advise(const hrry_tensor *tensor,
                               hrry_advice advice,
                               hrry_error *error);

/* ---- Loading ------------------------------------------------------------------------------ */

// Copies many ranges into the caller's memory, in the order in which they lie in the file and in
// chunks, by positioned reads and never through the mapping: a file that became shorter is a
// status, not a signal.
//
// Every request is checked before the first byte is copied. When the call fails or is cancelled,
// some destinations are filled and others not. Descriptors that are looked at are not kept.
// Parameters: `count` requests at `requests`, whose destinations must not overlap; `options` NULL
// for the defaults. All for the call only.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_RANGE, HRRY_ERROR_CANCELLED, HRRY_ERROR_SYSTEM (os_error
// is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the file.
// Threads: any; several calls at once are fine. Since 0.1.0.
hrry_status hrry_file_load(const hrry_file *file,
                           const hrry_load *requests,
                           size_t count,
                           const hrry_load_options *options,
                           hrry_error *error);

/* ---- Validation --------------------------------------------------------------------------- */

// Checks the whole file: all that opening it and asking for its tensors leave alone.
//
// The file is valid when the call succeeds and `*out_count` is 0. Of the numbers in a buffer the
// first that breaks a rule is a problem, and those that break the same one after it are not. What
// a dynamic dimension hides is not checked.
//
// Takes time in O(n log n) for n tensors, beside reading what is checked, and 48 bytes of memory a
// tensor; a member of a composite takes 8 more, and 16 a dimension if it has a place in the head,
// until the composite is complete. A COO tensor that is not sorted takes 16 for each of its n
// elements while it is looked at, and time in O(n log n); one of float8_e8m0 with strides, tiles or
// Morton order at most 3 bits a byte. Descriptors that are looked at are not kept. Bytes that many
// tensors claim are read as often: the total of the progress says how much a file makes of itself.
// Parameters: `options` NULL for the defaults; room for `capacity` problems at `problems`, each
// filled in as the error that a call which met it would give; `*out_count` is how many there are,
// which may be more.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_CANCELLED, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK. `*out_count` is 0 then.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_validate(const hrry_file *file,
                               const hrry_validate_options *options,
                               hrry_error *problems,
                               size_t capacity,
                               uint64_t *out_count,
                               hrry_error *error);

/* ---- Descriptors -------------------------------------------------------------------------- */

// Reads a descriptor from bytes.
//
// Ownership: `*out_descriptor` is yours, for `hrry_descriptor_free`; the bytes are copied.
// Parameters: `len` bytes at `bytes`, of which descriptor_length are looked at; `flags` 0 or
// HRRY_DECODE_PERMISSIVE.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_MEMORY, a fault of the file (offsets count from the
// first byte).
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_decode(const void *bytes,
                                   size_t len,
                                   uint32_t flags,
                                   hrry_descriptor **out_descriptor,
                                   hrry_error *error);

// Writes the canonical bytes of a descriptor: version 1.0, no padding behind a scheme's fields,
// zero in every byte that readers ignore. Those of one whose layout is not known are what it was
// read from.
//
// Parameters: room for `len` bytes at `dst`; `*out_len` is how many they are, also when the call
// fails with HRRY_ERROR_ROOM: (NULL, 0) asks for the size.
// Status: HRRY_ERROR_ROOM, HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_encode(const hrry_descriptor *descriptor,
                                   void *dst,
                                   size_t len,
                                   size_t *out_len,
                                   hrry_error *error);

// Frees a descriptor that is yours.
//
// Parameters: `descriptor` may be NULL. One that is borrowed stays as it is.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_descriptor_free(hrry_descriptor *descriptor);

// The bytes that the descriptor was read from; the canonical ones of one that was built.
//
// Returns bytes borrowed from the descriptor, their length in `*out_len`; NULL for NULL.
// Threads: any. Since 0.1.0.
const void *hrry_descriptor_bytes(const hrry_descriptor *descriptor, size_t *out_len);

/* ---- Fields of a descriptor --------------------------------------------------------------- */

// The type of the elements as they are stored: HRRY_TYPE_*.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_type hrry_descriptor_type(const hrry_descriptor *descriptor);

// How the elements lie: HRRY_LAYOUT_*.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_layout hrry_descriptor_layout(const hrry_descriptor *descriptor);

// How the elements are quantized: HRRY_SCHEME_*, HRRY_SCHEME_NONE when they are not.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_scheme hrry_descriptor_scheme(const hrry_descriptor *descriptor);

// How many dimensions there are, 0 to 64.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_rank(const hrry_descriptor *descriptor);

// The size of each dimension; HRRY_UNKNOWN for a dynamic one.
//
// Returns `hrry_descriptor_rank` numbers borrowed from the descriptor; NULL for NULL and for rank
// 0.
// Threads: any. Since 0.1.0.
const uint64_t *hrry_descriptor_shape(const hrry_descriptor *descriptor);

// Bytes from the start of the first buffer to the first element.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_descriptor_byte_offset(const hrry_descriptor *descriptor);

// The flags field, which says what sections there are: HRRY_DESCRIPTOR_HAS_*.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_flags(const hrry_descriptor *descriptor);

// The minor version that the descriptor was written with; the major version is 1.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_version_minor(const hrry_descriptor *descriptor);

// The width of one element in bits: 1, 2, 4, 6 or a multiple of 8.
//
// Returns 0 for a type that is not known and for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_element_bits(const hrry_descriptor *descriptor);

// How many buffers there are: those of the layout, then those of the quantization scheme. 0 for a
// composite head, and for a layout that is not known.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_buffer_count(const hrry_descriptor *descriptor);

// Whether some dimension is dynamic: then nothing is computed from the shape.
//
// Returns false for NULL.
// Threads: any. Since 0.1.0.
bool hrry_descriptor_has_dynamic_dimension(const hrry_descriptor *descriptor);

// Whether other tensors hold the elements.
//
// Returns false for NULL.
// Threads: any. Since 0.1.0.
bool hrry_descriptor_is_composite_head(const hrry_descriptor *descriptor);

// Whether the layout is not known (permissive only): then type, shape and byte_offset were read,
// and the data is one region without a meaning.
//
// Returns false for NULL.
// Threads: any. Since 0.1.0.
bool hrry_descriptor_is_opaque(const hrry_descriptor *descriptor);

// Bytes of memory that the descriptor takes, without the bytes it was read from.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
size_t hrry_descriptor_memory(const hrry_descriptor *descriptor);

// How many elements the tensor has: the product of its shape.
//
// Parameters: `*out_count` is 0 when the call fails.
// Status: HRRY_ERROR_RULE when a dimension is dynamic, HRRY_ERROR_OVERFLOW when 64 bits do not
// hold the product.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_element_count(const hrry_descriptor *descriptor,
                                          uint64_t *out_count,
                                          hrry_error *error);

// Bytes that the data takes in a file: from the start of the first buffer to the end of the last,
// each at a multiple of `alignment`.
//
// Parameters: `alignment` a power of two; `*out_len` is 0 when the call fails.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_OVERFLOW, HRRY_ERROR_UNSUPPORTED for a layout that is
// not known.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_data_len(const hrry_descriptor *descriptor,
                                     uint64_t alignment,
                                     uint64_t *out_len,
                                     hrry_error *error);

// One entry of the buffer table.
//
// Parameters: `index` below `hrry_descriptor_buffer_count`; `entry` is filled in as far as its
// struct_size goes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_buffer_at(const hrry_descriptor *descriptor,
                                      uint32_t index,
                                      hrry_buffer_entry *entry,
                                      hrry_error *error);

/* ---- Dense layouts ------------------------------------------------------------------------ */

// The strides of a strided layout, in elements.
//
// Ownership: `*out_strides` is borrowed from the descriptor: rank numbers, which can be negative.
// Status: HRRY_ERROR_TYPE for another layout.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_strides(const hrry_descriptor *descriptor,
                                    const int64_t **out_strides,
                                    hrry_error *error);

// How many levels of tiles there are: 1 to 8; 0 for another layout.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint32_t hrry_descriptor_tile_level_count(const hrry_descriptor *descriptor);

// One level of a tiled layout.
//
// Ownership: what `out_tiles` then points to is borrowed from the descriptor.
// Parameters: `level` below `hrry_descriptor_tile_level_count`, 0 the outermost.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_tiles_at(const hrry_descriptor *descriptor,
                                     uint32_t level,
                                     hrry_tiles *out_tiles,
                                     hrry_error *error);

// The bits of each coordinate in a Morton code.
//
// Ownership: `*out_bits` is borrowed from the descriptor: rank numbers.
// Status: HRRY_ERROR_TYPE for another layout.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_morton_bits(const hrry_descriptor *descriptor,
                                        const uint32_t **out_bits,
                                        hrry_error *error);

// The order of a Hilbert curve: each dimension has 2^order elements.
//
// Parameters: `*out_order` is 0 when the call fails.
// Status: HRRY_ERROR_TYPE for another layout.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_hilbert_order(const hrry_descriptor *descriptor,
                                          uint32_t *out_order,
                                          hrry_error *error);

/* ---- Sparse layouts ----------------------------------------------------------------------- */

// Fields of COO.
//
// Parameters: `coo` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_coo(const hrry_descriptor *descriptor,
                                hrry_coo *coo,
                                hrry_error *error);

// Fields of CSR.
//
// Parameters: `csr` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_csr(const hrry_descriptor *descriptor,
                                hrry_compressed *csr,
                                hrry_error *error);

// Fields of CSC.
//
// Parameters: `csc` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_csc(const hrry_descriptor *descriptor,
                                hrry_compressed *csc,
                                hrry_error *error);

// Fields of CSF.
//
// Ownership: what `csf` then points to is borrowed from the descriptor.
// Parameters: `csf` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_csf(const hrry_descriptor *descriptor,
                                hrry_csf *csf,
                                hrry_error *error);

/* ---- Other layouts ------------------------------------------------------------------------ */

// Fields of the block-paged layout.
//
// Parameters: `block_paged` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_block_paged(const hrry_descriptor *descriptor,
                                        hrry_block_paged *block_paged,
                                        hrry_error *error);

// Fields of a composite head.
//
// Parameters: `head` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_composite(const hrry_descriptor *descriptor,
                                      hrry_composite_head *head,
                                      hrry_error *error);

// Fields of a private layout (permissive only).
//
// Ownership: what `layout_fields` then points to is borrowed from the descriptor.
// Parameters: `layout_fields` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_private_layout(const hrry_descriptor *descriptor,
                                           hrry_private_layout *layout_fields,
                                           hrry_error *error);

// Everything behind byte_offset in a descriptor whose layout is not known (permissive only).
//
// Ownership: `*out_data` is borrowed from the descriptor.
// Status: HRRY_ERROR_TYPE for a layout that is known.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_opaque_bytes(const hrry_descriptor *descriptor,
                                         const void **out_data,
                                         size_t *out_len,
                                         hrry_error *error);

/* ---- Quantization ------------------------------------------------------------------------- */

// How stored codes become values.
//
// Parameters: `quantization` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_NOT_FOUND when the tensor is not quantized, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_quantization(const hrry_descriptor *descriptor,
                                         hrry_quantization *quantization,
                                         hrry_error *error);

/* ---- Sections of a descriptor ------------------------------------------------------------- */

// The box of a larger tensor that this one is.
//
// Ownership: what `shard` then points to is borrowed from the descriptor.
// Parameters: `shard` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_shard(const hrry_descriptor *descriptor,
                                  hrry_shard *shard,
                                  hrry_error *error);

// What the writer knew of the values.
//
// Parameters: `statistics` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_statistics(const hrry_descriptor *descriptor,
                                       hrry_statistics *statistics,
                                       hrry_error *error);

// What a private element type is made of.
//
// Parameters: `extension_type` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
// Threads: any. Since 0.1.0.
hrry_status hrry_descriptor_extension_type(const hrry_descriptor *descriptor,
                                           hrry_extension_type *extension_type,
                                           hrry_error *error);

// The role of the tensor in an overlay.
//
// Returns HRRY_MEMBER_NONE when there is no such section and for NULL.
// Threads: any. Since 0.1.0.
hrry_member_role hrry_descriptor_member_role(const hrry_descriptor *descriptor);

/* ---- Composites of a file ----------------------------------------------------------------- */

// How many composites the file has, nested ones counted, too.
//
// The first call of this and of the three functions below finds out who belongs to which head,
// which takes a step for every tensor and reads the descriptors of those without data; the file
// keeps it. A head whose descriptor is not valid binds nothing.
// Parameters: `*out_count` is 0 when the call fails.
// Status: HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
// HRRY_ERROR_CALLBACK.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_composite_count(const hrry_file *file,
                                      uint64_t *out_count,
                                      hrry_error *error);

// The k-th composite by the place of its head in the file: each stands before those nested in it.
//
// Parameters: `k` below `hrry_file_composite_count`; `facts` is filled in as far as its struct_size
// goes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM, and as `hrry_file_composite_count`.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_composite_at(const hrry_file *file,
                                   uint64_t k,
                                   hrry_composite_facts *facts,
                                   hrry_error *error);

// The composite that a tensor is the head of.
//
// Parameters: `head` its place in the index, below `hrry_file_tensor_count`; `facts` is filled in
// as far as its struct_size goes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_TYPE for another tensor, HRRY_ERROR_ROOM, and as
// `hrry_file_composite_count`.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_composite_info(const hrry_file *file,
                                     uint64_t head,
                                     hrry_composite_facts *facts,
                                     hrry_error *error);

// The composite that a tensor is a member of.
//
// Parameters: `tensor` its place in the index, below `hrry_file_tensor_count`; `*out_head` is that
// of the head which binds it, HRRY_UNKNOWN when none does.
// Status: HRRY_ERROR_INDEX, and as `hrry_file_composite_count`.
// Threads: any. Since 0.1.0.
hrry_status hrry_file_composite_of(const hrry_file *file,
                                   uint64_t tensor,
                                   uint64_t *out_head,
                                   hrry_error *error);

/* ---- Composites --------------------------------------------------------------------------- */

// Opens a composite: checks its members, and all that is nested in them, one by one and together.
//
// A strict file gives nothing but whole composites that obey every rule. In a permissive one, a
// composite that lacks members is opened as a list of those that are there, and the members of a
// partition may leave indices out or share them: see `hrry_composite_is_complete` and _is_exact.
// Takes a time that is linear in the members, nested ones included.
// Ownership: `*out_composite` is yours, for `hrry_composite_close`; it holds a reference to the
// file, which can be closed before it.
// Parameters: `head` its place in the index, below `hrry_file_tensor_count`.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_TYPE for another tensor, HRRY_ERROR_SYSTEM (os_error is
// errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the file; among
// them HRRY_ERROR_TORN and HRRY_ERROR_COVER.
// Threads: any. Since 0.1.0.
hrry_status hrry_composite_open(const hrry_file *file,
                                uint64_t head,
                                hrry_composite **out_composite,
                                hrry_error *error);

// Closes a composite, and its file with it if that was the last reference.
//
// Parameters: `composite` may be NULL.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_composite_close(hrry_composite *composite);

// The head, by its place in the index. Its descriptor has the shape and type of the whole.
//
// Returns HRRY_UNKNOWN for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_composite_tensor(const hrry_composite *composite);

// How the members make up the whole.
//
// Returns HRRY_RULE_*, or the tag of a private rule (permissive only); 0 for NULL.
// Threads: any. Since 0.1.0.
hrry_rule hrry_composite_rule(const hrry_composite *composite);

// What the corrections of an overlay do.
//
// Returns HRRY_COMBINE_*, which is HRRY_COMBINE_NONE for a partition, a group and NULL.
// Threads: any. Since 0.1.0.
hrry_combine hrry_composite_combine(const hrry_composite *composite);

// Whether all members are there, and all of theirs. Without them, which happens in a permissive
// file only, it is a list of members and has no view.
//
// Returns false for NULL.
// Threads: any. Since 0.1.0.
bool hrry_composite_is_complete(const hrry_composite *composite);

// Whether the members of every partition in it cover each index once. They always do in a strict
// file. Without that, an index may be in no member or in several, of which
// `hrry_composite_locate` gives one, and `hrry_composite_read` refuses.
//
// Returns false for NULL.
// Threads: any. Since 0.1.0.
bool hrry_composite_is_exact(const hrry_composite *composite);

// Bytes of memory that it takes.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
size_t hrry_composite_memory(const hrry_composite *composite);

// How many members it has itself: those of a nested composite are not counted.
//
// Returns 0 for NULL.
// Threads: any. Since 0.1.0.
uint64_t hrry_composite_member_count(const hrry_composite *composite);

// The k-th member, in the order of the descriptors: of an overlay that is the order in which they
// apply, the base first.
//
// Parameters: `k` below `hrry_composite_member_count`; `*out_tensor` is its place in the index,
// HRRY_UNKNOWN when the call fails.
// Status: HRRY_ERROR_INDEX.
// Threads: any. Since 0.1.0.
hrry_status hrry_composite_member_at(const hrry_composite *composite,
                                     uint64_t k,
                                     uint64_t *out_tensor,
                                     hrry_error *error);

// Where the element at an index is: the tensor that holds it, and the index in that tensor.
//
// Goes through nested partitions to a plain tensor, or to the head of an overlay: what applies
// there `hrry_composite_members_in` says. For an overlay itself the answer is its head, at the
// same index. A head of a private rule (permissive only) is an answer like a plain tensor. Takes
// O(log n) steps for n members that cuts through whole boxes divide, as in grids and guillotine
// tilings, and never more than twice the n of a scan.
// Parameters: `index` one number a dimension of the head; `*out_tensor` is the tensor's place in
// the index of the file, HRRY_UNKNOWN when the call fails; room for as many numbers at `out_local`,
// which may be `index`, undefined when the call fails.
// Status: HRRY_ERROR_INDEX for an index outside of the shape, HRRY_ERROR_TYPE for a group or a
// private rule, HRRY_ERROR_STATE when it is not complete, HRRY_ERROR_COVER where it is not exact
// and no member holds the index, HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_composite_locate(const hrry_composite *composite,
                                  const uint64_t *index,
                                  uint64_t *out_tensor,
                                  uint64_t *out_local,
                                  hrry_error *error);

// The tensors that a box of the whole touches: plain ones and heads of overlays, through nested
// partitions, in the order of their descriptors. Of an overlay these are its members in the order
// in which they apply; a box of one index tells which do there. An empty box touches none.
// A head of a private rule (permissive only) is given like a plain tensor.
//
// Parameters: `lower` and `extent` one number a dimension of the head; `first` of the tensors are
// left out, then those for which there is room are put to `out`, `capacity` at most, by their
// places in the index of the file; `*out_count` is how many there are in all, 0 when the call
// fails.
// Status: HRRY_ERROR_RANGE for a box that leaves the shape, HRRY_ERROR_TYPE for a group or a
// private rule, HRRY_ERROR_STATE when it is not complete, HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_composite_members_in(const hrry_composite *composite,
                                      const uint64_t *lower,
                                      const uint64_t *extent,
                                      uint64_t first,
                                      uint64_t *out,
                                      size_t capacity,
                                      uint64_t *out_count,
                                      hrry_error *error);

// Copies a box of the whole into the caller's memory: in row-major order, in the head's type as it
// is stored, below 8 bits packed.
//
// The members of a partition are brought together; over the base of an overlay its corrections are
// laid or added in order, each sum rounded to the head's type, those of a sparse correction where
// it stores an element. Quantized members become floats of the head's type. What adding has no
// sum for (bool, types below 16 bits but int8 and uint8, float128) is not supported.
// Members are copied from where they are in memory, the mapping too: that faults when somebody has
// cut the file short. Else they are read. Beside `dst` it takes the descriptor of one member at a
// time.
// Parameters: `lower` and `extent` one number a dimension of the head; `len` bytes at `dst`, which
// is exactly what the box takes. When the call fails, they may be filled in part.
// Status: HRRY_ERROR_RANGE for a box that leaves the shape, HRRY_ERROR_ROOM for another `len`,
// HRRY_ERROR_TYPE for a group or a private rule (the box may not touch one, either),
// HRRY_ERROR_STATE when it is not complete or not exact, HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the
// file, of numbers in its data too.
// Threads: any. Since 0.1.0.
hrry_status hrry_composite_read(const hrry_composite *composite,
                                const uint64_t *lower,
                                const uint64_t *extent,
                                void *dst,
                                size_t len,
                                hrry_error *error);

/* ---- Checks of composites without a file -------------------------------------------------- */

// Makes a checker for the composite of a head.
//
// Ownership: `*out_checker` is yours, for `hrry_checker_free`; nothing is kept of `head`.
// Parameters: `flags` 0 or HRRY_DECODE_PERMISSIVE, which tolerates partitions whose members leave
// indices out or share them.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN when it is no composite head,
// HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_checker_new(const hrry_descriptor *head,
                             uint32_t flags,
                             hrry_checker **out_checker,
                             hrry_error *error);

// The next tensor. Fails when it breaks a rule for members, or when it is the last member of a
// composite within this one and all of them together break one. After that nothing can be added:
// the composite is not valid as a whole.
//
// Parameters: `member` for the call only; nothing is kept of it but its place.
// Status: HRRY_ERROR_STATE when all members have come, after an error and after
// `hrry_checker_close`, HRRY_ERROR_SYSTEM (no random key), HRRY_ERROR_MEMORY, the fault of a file
// that holds these tensors.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_checker_add(hrry_checker *checker,
                             const hrry_descriptor *member,
                             hrry_error *error);

// Whether all members have come, and all of theirs: time for `hrry_checker_close`.
//
// Returns false for NULL, after `hrry_checker_close` and while another call uses it.
// Threads: one at a time. Since 0.1.0.
bool hrry_checker_is_complete(const hrry_checker *checker);

// The end: the composite is valid when this succeeds. Whatever it says, there is nothing left to be
// done with the checker but `hrry_checker_free`.
//
// Status: HRRY_ERROR_TORN when members are missing, permissive or not: what came is good for
// itself and is no composite. HRRY_ERROR_COVER when those of a partition do not cover each index
// once. HRRY_ERROR_STATE after an error and a second time, HRRY_ERROR_SYSTEM (no random key),
// HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_checker_close(hrry_checker *checker, hrry_error *error);

// Frees a checker, closed or not.
//
// Parameters: `checker` may be NULL.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_checker_free(hrry_checker *checker);

/* ---- Values of elements, over a descriptor and buffers wherever they are ------------------ */

// Where an element stands.
//
// Dense layouts: by arithmetic; no buffer is looked at, and (NULL, 0) is enough. Sparse layouts:
// its place among the values, by binary search where the order allows it (CSR, CSC, CSF, sorted
// COO), else by looking through them. Block-paged: by the page table, where the tensor is one row
// for each of its slots.
// Parameters: `index` rank numbers; `count` buffers at `buffers`, one for each in the descriptor's
// table and at least as large; `place` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
// HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
// none).
// Threads: any. Since 0.1.0.
hrry_status hrry_values_locate(const hrry_descriptor *descriptor,
                               const hrry_memory *buffers,
                               uint32_t count,
                               const uint64_t *index,
                               hrry_place *place,
                               hrry_error *error);

// Where an element of a block-paged tensor stands, by sequence and token: through the page table,
// whose entry is checked.
//
// Parameters: `token` counts from the first of the sequence; `head` and `dim` are the last two
// indices; buffers as for `hrry_values_locate`; `place` is filled in as far as its struct_size
// goes.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
// HRRY_ERROR_TYPE (not block-paged), HRRY_ERROR_MEMORY, a fault of the file (a pointer or page is
// none).
// Threads: any. Since 0.1.0.
hrry_status hrry_values_locate_token(const hrry_descriptor *descriptor,
                                     const hrry_memory *buffers,
                                     uint32_t count,
                                     uint64_t sequence,
                                     uint64_t token,
                                     uint64_t head,
                                     uint64_t dim,
                                     hrry_place *place,
                                     hrry_error *error);

// One element: as it is stored and as a number. Of a quantized tensor it is the code;
// `hrry_values_dequantize` gives its value. Private types of more than 128 bits are not handed out
// one by one: that is HRRY_ERROR_UNSUPPORTED, and `hrry_values_copy` brings them.
//
// Parameters: `index` rank numbers; buffers as for `hrry_values_locate`; `element` is filled in as
// far as its struct_size goes.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
// HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
// none).
// Threads: any. Since 0.1.0.
hrry_status hrry_values_element(const hrry_descriptor *descriptor,
                                const hrry_memory *buffers,
                                uint32_t count,
                                const uint64_t *index,
                                hrry_element *element,
                                hrry_error *error);

// Copies a box of the tensor, row-major, whatever the layout: tiles, curves and strides are
// undone, what a sparse tensor does not store is zero. Of a quantized tensor these are the codes.
//
// Takes time for what the box holds, and in a COO tensor for its coordinates: where they are sorted
// for those whose first number lies in the box, else for all of them, at every call.
//
// Holds no lock and allocates nothing for the elements, up to 4 dimensions nothing at all: split
// the box and bring threads. However it is split, the bytes are the same. When it fails, `dst` may
// be filled in part.
// Parameters: `lower` and `extent` rank numbers; `type` HRRY_AS_STORED, HRRY_AS_BYTES, or one of
// HRRY_TYPE_FLOAT32, FLOAT64, FLOAT16, BFLOAT16 and INT64: converted, rounded to nearest, ties to
// even, what is too large for a float becomes infinity; the tensor's own type is HRRY_AS_STORED.
// To INT64 go whole numbers in its range. `dst` is `len` bytes, exactly what the box takes; any
// alignment, and apart from the buffers. Buffers as for `hrry_values_locate`.
// Status: HRRY_ERROR_ARGUMENT (another `type` too), HRRY_ERROR_RANGE (the box leaves the shape),
// HRRY_ERROR_ROOM (`len` or a buffer), HRRY_ERROR_OVERFLOW (64 bits do not count its bytes),
// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
// HRRY_ERROR_UNSUPPORTED (no such conversion of its type), HRRY_ERROR_VALUE (an element has no
// value in that type), HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
// none).
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_values_copy(const hrry_descriptor *descriptor,
                             const hrry_memory *buffers,
                             uint32_t count,
                             const uint64_t *lower,
                             const uint64_t *extent,
                             hrry_type type,
                             void *dst,
                             size_t len,
                             hrry_error *error);

// Copies tokens of one sequence of a block-paged tensor: [tokens, heads, dim], row-major.
//
// Parameters: `tokens` of them from `first` on, counted in the sequence; the rest as for
// `hrry_values_copy`.
// Status: as for `hrry_values_copy`; HRRY_ERROR_TYPE when it is not block-paged, HRRY_ERROR_INDEX
// when the sequence has fewer tokens, by its pages.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_values_copy_tokens(const hrry_descriptor *descriptor,
                                    const hrry_memory *buffers,
                                    uint32_t count,
                                    uint64_t sequence,
                                    uint64_t first,
                                    uint64_t tokens,
                                    hrry_type type,
                                    void *dst,
                                    size_t len,
                                    hrry_error *error);

// The values of a range of elements, in row-major order of the tensor whatever its layout: codes
// become numbers as the scheme says, computed in float32 exactly as the format writes it
// (quantization.md). A tensor that is not quantized gives its own values, converted as by
// `hrry_values_copy`. What a sparse tensor does not store is 0.
//
// Holds no lock and allocates nothing for the elements, up to 4 dimensions nothing at all: split
// the range and bring threads. However it is split, the bytes are the same. When it fails, `dst`
// may be filled in part.
// Parameters: `n` elements from the `first` on, which counts along the last dimension fastest;
// `type` is HRRY_TYPE_FLOAT32, or what its result is rounded to: FLOAT16, BFLOAT16, FLOAT64. `dst`
// is `len` bytes, exactly what they take; any alignment, and apart from the buffers. Buffers as for
// `hrry_values_locate`.
// Status: HRRY_ERROR_ARGUMENT (another `type` too), HRRY_ERROR_INDEX (there are fewer elements),
// HRRY_ERROR_ROOM (`len` or a buffer), HRRY_ERROR_OVERFLOW (64 bits do not count the elements of
// the tensor: ask for a box), HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic
// dimension), HRRY_ERROR_UNSUPPORTED (no such conversion of its type), HRRY_ERROR_VALUE (an
// element has no value in that type), HRRY_ERROR_MEMORY, a fault of the file (an index or page in
// a buffer is none).
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_values_dequantize(const hrry_descriptor *descriptor,
                                   const hrry_memory *buffers,
                                   uint32_t count,
                                   uint64_t first,
                                   uint64_t n,
                                   hrry_type type,
                                   void *dst,
                                   size_t len,
                                   hrry_error *error);

// The values of a box of the tensor, row-major: what `hrry_values_dequantize` gives for a range.
//
// Parameters: `lower` and `extent` rank numbers; the rest as for `hrry_values_dequantize`.
// Status: as for `hrry_values_dequantize`; HRRY_ERROR_RANGE when the box leaves the shape.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_values_dequantize_box(const hrry_descriptor *descriptor,
                                       const hrry_memory *buffers,
                                       uint32_t count,
                                       const uint64_t *lower,
                                       const uint64_t *extent,
                                       hrry_type type,
                                       void *dst,
                                       size_t len,
                                       hrry_error *error);

// The values of tokens of one sequence of a block-paged tensor: [tokens, heads, dim], row-major.
//
// Parameters: `tokens` of them from `first` on, counted in the sequence; the rest as for
// `hrry_values_dequantize`.
// Status: as for `hrry_values_dequantize`; HRRY_ERROR_TYPE when it is not block-paged,
// HRRY_ERROR_INDEX when the sequence has fewer tokens, by its pages.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_values_dequantize_tokens(const hrry_descriptor *descriptor,
                                          const hrry_memory *buffers,
                                          uint32_t count,
                                          uint64_t sequence,
                                          uint64_t first,
                                          uint64_t tokens,
                                          hrry_type type,
                                          void *dst,
                                          size_t len,
                                          hrry_error *error);

/* ---- Values of elements of a file's tensors: the same calls with the tensor's own buffers - */

// Where an element stands: `hrry_values_locate` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_locate`.
// Status: as for `hrry_values_locate`; where the file is read, also HRRY_ERROR_SYSTEM (os_error is
// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_locate(const hrry_tensor *tensor,
                               const uint64_t *index,
                               hrry_place *place,
                               hrry_error *error);

// Where an element of a block-paged tensor stands, by sequence and token:
// `hrry_values_locate_token` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_locate_token`.
// Status: as for `hrry_values_locate_token`; where the file is read, also HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_locate_token(const hrry_tensor *tensor,
                                     uint64_t sequence,
                                     uint64_t token,
                                     uint64_t head,
                                     uint64_t dim,
                                     hrry_place *place,
                                     hrry_error *error);

// One element: `hrry_values_element` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_element`.
// Status: as for `hrry_values_element`; where the file is read, also HRRY_ERROR_SYSTEM (os_error
// is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_element(const hrry_tensor *tensor,
                                const uint64_t *index,
                                hrry_element *element,
                                hrry_error *error);

// Copies a box, row-major: `hrry_values_copy` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_copy`.
// Status: as for `hrry_values_copy`; where the file is read, also HRRY_ERROR_SYSTEM (os_error is
// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_copy(const hrry_tensor *tensor,
                             const uint64_t *lower,
                             const uint64_t *extent,
                             hrry_type type,
                             void *dst,
                             size_t len,
                             hrry_error *error);

// Copies tokens of one sequence: `hrry_values_copy_tokens` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_copy_tokens`.
// Status: as for `hrry_values_copy_tokens`; where the file is read, also HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_copy_tokens(const hrry_tensor *tensor,
                                    uint64_t sequence,
                                    uint64_t first,
                                    uint64_t tokens,
                                    hrry_type type,
                                    void *dst,
                                    size_t len,
                                    hrry_error *error);

// The values of a range of elements: `hrry_values_dequantize` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_dequantize`.
// Status: as for `hrry_values_dequantize`; where the file is read, also HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_dequantize(const hrry_tensor *tensor,
                                   uint64_t first,
                                   uint64_t n,
                                   hrry_type type,
                                   void *dst,
                                   size_t len,
                                   hrry_error *error);

// The values of a box: `hrry_values_dequantize_box` with the tensor's own buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_dequantize_box`.
// Status: as for `hrry_values_dequantize_box`; where the file is read, also HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_dequantize_box(const hrry_tensor *tensor,
                                       const uint64_t *lower,
                                       const uint64_t *extent,
                                       hrry_type type,
                                       void *dst,
                                       size_t len,
                                       hrry_error *error);

// The values of tokens of one sequence: `hrry_values_dequantize_tokens` with the tensor's own
// buffers.
//
// Where the file is mapped or in memory its data is used where it lies, which can fault when
// somebody truncates a mapped file; else it is read by positioned reads.
// Parameters: as for `hrry_values_dequantize_tokens`.
// Status: as for `hrry_values_dequantize_tokens`; where the file is read, also HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
hrry_status hrry_tensor_dequantize_tokens(const hrry_tensor *tensor,
                                          uint64_t sequence,
                                          uint64_t first,
                                          uint64_t tokens,
                                          hrry_type type,
                                          void *dst,
                                          size_t len,
                                          hrry_error *error);

/* ---- Statistics of values ----------------------------------------------------------------- */

// What a statistics section says of a tensor, computed from its values: those that its elements
// stand for, in float64; of a quantized tensor the dequantized ones, of bool 0 and 1.
//
// nnz counts what is not zero, NaN among it; of a sparse layout what is stored. Minimum and maximum
// are those of the values that are numbers, infinities among them. Mean and deviation are those of
// all values: NaN where one is NaN, and with infinities what float64 makes of them. Not known, in
// computed_mask, is what there is not: a ratio, range or mean of no elements, a range of NaN alone,
// a mean or deviation that a float64 does not hold.
//
// Reads all data, through the mapping where there is one, which faults when somebody has cut the
// file short. Takes 512 KiB of memory while it runs. Of a sparse tensor that is not quantized only
// the stored values are looked at, unless `nm_m` asks for more.
// Parameters: with `nm_m` above 0 the result has nm_n, the most elements that are not zero in any
// group of nm_m: groups follow one another from the first element on, in row-major order, and the
// last may be short. `progress` may be NULL; it hears of 8 bytes an element, on the calling thread,
// and gets `context`. `statistics` is filled in as far as its struct_size goes.
// Status: HRRY_ERROR_ROOM, HRRY_ERROR_CANCELLED, HRRY_ERROR_MEMORY, HRRY_ERROR_SYSTEM (os_error is
// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK; HRRY_ERROR_STATE for a composite head and for a
// block-paged tensor that is found by sequence only; HRRY_ERROR_UNSUPPORTED for complex, float128
// and private types and layouts that are not known; HRRY_ERROR_OVERFLOW for more elements than 64
// bits count; HRRY_ERROR_RULE for a dynamic dimension; for indices and page tables that break the
// format's rules the status that validation has for them. Scales are taken as they are.
// Threads: any. Since 0.1.0.
hrry_status hrry_tensor_compute_statistics(const hrry_tensor *tensor,
                                           uint8_t nm_m,
                                           hrry_progress_fn progress,
                                           void *context,
                                           hrry_statistics *statistics,
                                           hrry_error *error);

/* ---- Builder of descriptors --------------------------------------------------------------- */

// Makes a builder for a tensor of this type and shape.
//
// Ownership: `*out_builder` is yours, for `hrry_builder_free`.
// Parameters: `type` HRRY_TYPE_* or a private tag; `shape` rank numbers, dimension 0 first,
// HRRY_UNKNOWN for a dynamic one; for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_builder_new(hrry_type type,
                             uint32_t rank,
                             const uint64_t *shape,
                             hrry_builder **out_builder,
                             hrry_error *error);

// Frees a builder.
//
// Parameters: `builder` may be NULL.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_builder_free(hrry_builder *builder);

// Where in the first buffer the first element stands.
//
// Parameters: `byte_offset` in bytes.
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_byte_offset(hrry_builder *builder,
                                     uint64_t byte_offset,
                                     hrry_error *error);

// Quantized.
//
// Parameters: `quantization` for the call only; its payload is ignored.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_quantization(hrry_builder *builder,
                                      const hrry_quantization *quantization,
                                      hrry_error *error);

// A box of a larger tensor.
//
// Parameters: the shape of the larger tensor and where in it this one begins: rank numbers each;
// for the call only.
// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_shard(hrry_builder *builder,
                               const uint64_t *parent_shape,
                               const uint64_t *shard_offset,
                               hrry_error *error);

// With statistics.
//
// Parameters: `statistics` for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_statistics(hrry_builder *builder,
                                    const hrry_statistics *statistics,
                                    hrry_error *error);

// With the extension type section that a private type needs.
//
// Parameters: `extension_type` for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_extension_type(hrry_builder *builder,
                                        const hrry_extension_type *extension_type,
                                        hrry_error *error);

// A member of an overlay.
//
// Parameters: `role` HRRY_MEMBER_CORRECTION or HRRY_MEMBER_BASE.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_member_role(hrry_builder *builder,
                                     hrry_member_role role,
                                     hrry_error *error);

// The device of all buffers: a record, the data lies in the file all the same.
//
// Parameters: `device` HRRY_DEVICE_*.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_device(hrry_builder *builder,
                                hrry_device device,
                                hrry_error *error);

// The declared alignment of all buffers that are not told their own.
//
// Parameters: `alignment` in bytes, a power of two.
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_alignment(hrry_builder *builder,
                                   uint32_t alignment,
                                   hrry_error *error);

// The declared alignment of one buffer.
//
// Parameters: `buffer` by its place in the buffer table; `alignment` in bytes, a power of two.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_buffer_alignment(hrry_builder *builder,
                                          uint32_t buffer,
                                          uint32_t alignment,
                                          hrry_error *error);

// The size of one buffer. Needed where only the content says it: a block table, the inner levels
// of CSF, what depends on a dynamic dimension.
//
// Parameters: `buffer` by its place in the buffer table; `byte_size` in bytes.
// Status: HRRY_ERROR_INDEX, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_buffer_size(hrry_builder *builder,
                                     uint32_t buffer,
                                     uint64_t byte_size,
                                     hrry_error *error);

// Builds the descriptor. The builder keeps what it was told and can be changed and used again.
//
// Ownership: `*out_descriptor` is yours, for `hrry_descriptor_free`.
// Status: HRRY_ERROR_FORBIDDEN when the format does not allow it, HRRY_ERROR_INDEX for a buffer
// that there is not, HRRY_ERROR_MEMORY, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_build(hrry_builder *builder,
                               hrry_descriptor **out_descriptor,
                               hrry_error *error);

/* ---- Layouts of a builder ----------------------------------------------------------------- */

// Row-major: strides 1 for the last dimension, then products. The default.
//
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_row_major(hrry_builder *builder, hrry_error *error);

// Column-major: strides 1 for the first dimension, then products.
//
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_column_major(hrry_builder *builder, hrry_error *error);

// Strided.
//
// Parameters: `strides` rank numbers, in elements; negative and zero are fine; for the call only.
// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_strided(hrry_builder *builder,
                                 const int64_t *strides,
                                 hrry_error *error);

// Tiled, in 1 to 8 levels.
//
// Parameters: `count` levels at `levels`, the outermost first; for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_tiled(hrry_builder *builder,
                               const hrry_tiles *levels,
                               size_t count,
                               hrry_error *error);

// Along a Morton curve.
//
// Parameters: `bits` of each coordinate: rank numbers; for the call only.
// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_morton(hrry_builder *builder,
                                const uint32_t *bits,
                                hrry_error *error);

// Along a Hilbert curve through a cube of 2^order elements a dimension.
//
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_hilbert(hrry_builder *builder,
                                 uint32_t order,
                                 hrry_error *error);

// Sparse, a coordinate for each value: buffers values and indices, which are uint64, `rank` for
// each value.
//
// Parameters: `nnz` stored elements; `is_sorted` when their coordinates ascend.
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_coo(hrry_builder *builder,
                             uint64_t nnz,
                             bool is_sorted,
                             hrry_error *error);

// Sparse by rows: buffers values, col_indices and row_ptr. Both are uint64: the column of each
// value, ascending in a row; rows + 1 numbers, two neighbours being begin and end of a row.
//
// Parameters: `nnz` stored elements.
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_csr(hrry_builder *builder, uint64_t nnz, hrry_error *error);

// Sparse by columns: buffers values, row_indices and col_ptr. Both are uint64: the row of each
// value, ascending in a column; columns + 1 numbers, two neighbours being begin and end of one.
//
// Parameters: `nnz` stored elements.
// Status: HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_csc(hrry_builder *builder, uint64_t nnz, hrry_error *error);

// Sparse, a tree of coordinates: buffers values, then pos and crd of each level, uint64, whose
// sizes must be told where the fields do not give them.
//
// Parameters: `nnz` stored elements; `mode_order` the dimension of each level: rank numbers.
// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_csf(hrry_builder *builder,
                             uint64_t nnz,
                             const uint32_t *mode_order,
                             hrry_error *error);

// Block-paged: buffers page_pool, block_table (whose size must be told) and seq_ptr.
//
// Parameters: `block_paged` for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_block_paged(hrry_builder *builder,
                                     const hrry_block_paged *block_paged,
                                     hrry_error *error);

// A composite head: no buffers, the tensors that follow hold the elements.
//
// Parameters: `head` for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_builder_composite(hrry_builder *builder,
                                   const hrry_composite_head *head,
                                   hrry_error *error);

/* ---- Writer ------------------------------------------------------------------------------- */

// Starts a file that takes its place at `path` when it is finished.
//
// Links are followed, an existing file's mode is kept, and whoever has the old file open or mapped
// keeps it. A writer that is killed leaves nothing, or one file beside `path` whose name says what
// it is.
// Ownership: `*out_writer` is yours, for `hrry_writer_free`.
// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call
// only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_NOT_A_FILE,
// HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_writer_create(const char *path,
                               const hrry_writer_options *options,
                               hrry_writer **out_writer,
                               hrry_error *error);

// Starts a file on an open descriptor, from where it stands and without ever seeking: pipes and
// sockets will do. What was written stays when the writer fails or is not finished.
//
// Ownership: `*out_writer` is yours, for `hrry_writer_free`. The descriptor is duplicated (close
// on exec); the two share one place in the file.
// Parameters: `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_SYSTEM (os_error
// is errno), HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_writer_create_fd(int fd,
                                  const hrry_writer_options *options,
                                  hrry_writer **out_writer,
                                  hrry_error *error);

// Starts a file whose bytes the caller takes.
//
// Ownership: `*out_writer` is yours, for `hrry_writer_free`. The context of the sink is lent until
// its `release` is called, once, and never when this call fails.
// Parameters: `sink` for the call only (its context stays); `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_MEMORY.
// Threads: any. Since 0.1.0.
hrry_status hrry_writer_create_sink(const hrry_sink *sink,
                                    const hrry_writer_options *options,
                                    hrry_writer **out_writer,
                                    hrry_error *error);

// How many tensors were begun so far.
//
// Returns 0 for NULL, for a writer that is finished and while another call uses it.
// Threads: one at a time. Since 0.1.0.
uint64_t hrry_writer_tensor_count(const hrry_writer *writer);

// Writes what follows the tensors and ends the file: only now does a path hold it.
//
// When it is refused (a tensor or a composite is not ended, the number of tensors is not the one
// announced) the writer goes on. Otherwise it is finished, and there is nothing left to be done
// with it but `hrry_writer_free`. When it fails, a path holds what it held before; only when the
// system fails to make the folder last does it hold the new file already.
// Status: HRRY_ERROR_STATE after an error, inside a tensor or composite or a second time,
// HRRY_ERROR_FORBIDDEN when the number of tensors is not the one announced, HRRY_ERROR_SYSTEM
// (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_finish(hrry_writer *writer, hrry_error *error);

// Frees a writer. One that is not finished gives up: a path keeps what it held before.
//
// Parameters: `writer` may be NULL.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_writer_free(hrry_writer *writer);

/* ---- Keys of a writer --------------------------------------------------------------------- */

// Adds a text to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `len` bytes of UTF-8
// at `data`; all for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_string(hrry_writer *writer,
                                  const char *key,
                                  size_t key_len,
                                  const char *data,
                                  size_t len,
                                  hrry_error *error);

// Adds a signed number to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` as it is; all
// for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_i64(hrry_writer *writer,
                               const char *key,
                               size_t key_len,
                               int64_t value,
                               hrry_error *error);

// Adds an unsigned number to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` as it is; all
// for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_u64(hrry_writer *writer,
                               const char *key,
                               size_t key_len,
                               uint64_t value,
                               hrry_error *error);

// Adds a float to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` with its bits;
// all for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_f64(hrry_writer *writer,
                               const char *key,
                               size_t key_len,
                               double value,
                               hrry_error *error);

// Adds a truth value to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` true or false;
// all for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_bool(hrry_writer *writer,
                                const char *key,
                                size_t key_len,
                                bool value,
                                hrry_error *error);

// Adds opaque bytes to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `len` bytes at `data`;
// all for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_bytes(hrry_writer *writer,
                                 const char *key,
                                 size_t key_len,
                                 const void *data,
                                 size_t len,
                                 hrry_error *error);

// Adds an array to the key-value section. Only before the first tensor.
//
// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `count` elements at
// `elements`: hrry_text for HRRY_VALUE_STRING and HRRY_VALUE_BYTES, else int64_t, uint64_t, double
// or bool; all for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_kv_array(hrry_writer *writer,
                                 const char *key,
                                 size_t key_len,
                                 hrry_value_type element_type,
                                 const void *elements,
                                 size_t count,
                                 hrry_error *error);

/* ---- Tensors of a writer ------------------------------------------------------------------ */

// Writes a dense row-major tensor in one call: the common case.
//
// Parameters: `name_len` bytes at `name`: UTF-8, not empty, not given before; `type` HRRY_TYPE_*;
// `shape` rank numbers, dimension 0 first; `data_len` bytes at `data`: the elements, packed as the
// format says, exactly as many as they take (bits behind the last element of a type below a byte
// are written as 0). All for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_ROOM for a wrong `data_len`, HRRY_ERROR_FORBIDDEN,
// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_dense(hrry_writer *writer,
                              const char *name,
                              size_t name_len,
                              hrry_type type,
                              uint32_t rank,
                              const uint64_t *shape,
                              const void *data,
                              size_t data_len,
                              hrry_error *error);

// Writes a tensor of any kind in one call. The head of a composite is announced with its members:
// `hrry_writer_composite_begin`.
//
// Parameters: `name` as for `hrry_writer_dense`; `descriptor` yours or borrowed; `count` buffers
// at `buffers`, in the order of the buffer table and each as long as the descriptor says. All for
// the call only.
// Status: HRRY_ERROR_ROOM for buffers of the wrong size or number, HRRY_ERROR_FORBIDDEN,
// HRRY_ERROR_STATE also for a head that is not announced, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_tensor(hrry_writer *writer,
                               const char *name,
                               size_t name_len,
                               const hrry_descriptor *descriptor,
                               const hrry_bytes *buffers,
                               size_t count,
                               hrry_error *error);

// As `hrry_writer_tensor`, with the descriptor as bytes, which are checked and then written as
// they are. Also for heads of composites that are not announced, for programs that copy files
// tensor by tensor: whether its members follow such a head nobody checks.
//
// Parameters: `descriptor_len` bytes at `descriptor`, what a strict reader accepts; the others as
// for `hrry_writer_tensor`.
// Status: HRRY_ERROR_ROOM for buffers of the wrong size or number, HRRY_ERROR_FORBIDDEN,
// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_tensor_raw(hrry_writer *writer,
                                   const char *name,
                                   size_t name_len,
                                   const void *descriptor,
                                   size_t descriptor_len,
                                   const hrry_bytes *buffers,
                                   size_t count,
                                   hrry_error *error);

// Begins a tensor whose data comes in pieces, by `hrry_writer_write`, until `hrry_writer_end`.
//
// Parameters: `name` as for `hrry_writer_dense`; `descriptor` yours or borrowed; for the call
// only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE also for the head of a composite that is not
// announced, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_begin(hrry_writer *writer,
                              const char *name,
                              size_t name_len,
                              const hrry_descriptor *descriptor,
                              hrry_error *error);

// As `hrry_writer_begin`, with the descriptor as bytes, which are checked and then written as they
// are; heads as for `hrry_writer_tensor_raw`.
//
// Parameters: `name` as for `hrry_writer_dense`; `descriptor_len` bytes at `descriptor`, what a
// strict reader accepts; for the call only.
// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_begin_raw(hrry_writer *writer,
                                  const char *name,
                                  size_t name_len,
                                  const void *descriptor,
                                  size_t descriptor_len,
                                  hrry_error *error);

// Writes the next bytes of the tensor that was begun. They fill its buffers in order and may run
// from one into the next; the padding between buffers is the library's.
//
// Parameters: `data_len` bytes at `data`, for the call only.
// Status: HRRY_ERROR_RANGE when there is no room for so many (none is taken then),
// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_write(hrry_writer *writer,
                              const void *data,
                              size_t data_len,
                              hrry_error *error);

// Ends the tensor that was begun.
//
// Status: HRRY_ERROR_FORBIDDEN while bytes of it are missing (they can still come),
// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_end(hrry_writer *writer, hrry_error *error);

/* ---- Composites of a writer --------------------------------------------------------------- */

// Announces a composite, whole, and writes its head.
//
// The composite is checked first, with every rule that a strict reader holds it against. One that
// breaks a rule is refused: nothing of it is written, and the writer goes on. Then its members are
// written, in the order of `members` and each with its announced descriptor, by
// `hrry_writer_tensor`, in pieces, or by whatever other call; a head among them without buffers.
// Another tensor is refused, with what differs, and the announced one can still come. Behind the
// last follows `hrry_writer_composite_end`; until then the file cannot be finished.
//
// Parameters: `name`, that of the head, as for `hrry_writer_dense`; `head`, a descriptor of the
// layout HRRY_LAYOUT_COMPOSITE; `count` descriptors at `members`: those of its members in order, a
// head among them followed by its own members. Yours or borrowed, all for the call only.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for a composite, a name or a descriptor that
// breaks a rule (the message names the member and, where members do not tile the head, an index),
// HRRY_ERROR_STATE also while another composite is announced, HRRY_ERROR_SYSTEM (os_error is
// errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_composite_begin(hrry_writer *writer,
                                        const char *name,
                                        size_t name_len,
                                        const hrry_descriptor *head,
                                        const hrry_descriptor *const *members,
                                        size_t count,
                                        hrry_error *error);

// Ends the composite that was announced.
//
// Status: HRRY_ERROR_FORBIDDEN while members are missing (they can still come), HRRY_ERROR_STATE
// when none is announced.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_writer_composite_end(hrry_writer *writer, hrry_error *error);

/* ---- Stream ------------------------------------------------------------------------------- */

// Begins to read a file whose bytes the caller brings.
//
// Reads the header, and the whole file if that does not announce its tensors.
// Ownership: `*out_stream` is yours, for `hrry_stream_free`. The context of the source is lent
// until its `release` is called, once, and never when this call fails.
// Parameters: `source` for the call only (its context stays); `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_LIMIT, HRRY_ERROR_CALLBACK (os_error is what `read`
// returned), HRRY_ERROR_MEMORY, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_stream_open(const hrry_stream_source *source,
                             const hrry_stream_options *options,
                             hrry_stream **out_stream,
                             hrry_error *error);

// Begins to read a file from an open descriptor, from where it stands.
//
// Ownership: `*out_stream` is yours, for `hrry_stream_free`. The descriptor is duplicated (close
// on exec); the two share one place, which moves.
// Parameters: `options` NULL for the defaults.
// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_LIMIT, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_MEMORY, a fault of the file.
// Threads: any. Since 0.1.0.
hrry_status hrry_stream_open_fd(int fd,
                                const hrry_stream_options *options,
                                hrry_stream **out_stream,
                                hrry_error *error);

// Goes on to the next tensor, past what is left of this one.
//
// Ownership: `*out_descriptor` is borrowed from the stream until this function,
// `hrry_stream_finish` or `hrry_stream_free` is called; NULL at the end of the tensors.
// Status: HRRY_ERROR_LIMIT, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY, a fault of the file.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_stream_next(hrry_stream *stream,
                             const hrry_descriptor **out_descriptor,
                             hrry_error *error);

// Reads the next bytes of the tensor's buffers: one buffer after the other, without the padding
// between them.
//
// Parameters: room for `len` bytes at `dst`; `*out_len` is how many there were: `len`, or fewer
// where the tensor ends, at last 0.
// Status: HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, a fault of
// the file.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_stream_read(hrry_stream *stream,
                             void *dst,
                             size_t len,
                             size_t *out_len,
                             hrry_error *error);

// How many bytes of the tensor's buffers were not read yet.
//
// Returns 0 for NULL, for a stream that is finished and while another call uses it.
// Threads: one at a time. Since 0.1.0.
uint64_t hrry_stream_remaining(const hrry_stream *stream);

// Goes past the tensors that are left, takes in the rest of the input and checks it: only now is
// it known that what passed was right.
//
// Whatever it returns (but HRRY_ERROR_ARGUMENT), the stream is finished: there is nothing left to
// be done with it but `hrry_stream_free`.
// Ownership: `*out_file` is yours, for `hrry_file_close`. It has names, places and keys; its
// tensors can be asked for only when the whole file was taken into memory.
// Status: HRRY_ERROR_LIMIT, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY, a fault of the file, such as an index that differs from
// what passed.
// Threads: one at a time. Since 0.1.0.
hrry_status hrry_stream_finish(hrry_stream *stream,
                               hrry_file **out_file,
                               hrry_error *error);

// Frees a stream.
//
// Parameters: `stream` may be NULL.
// Threads: any, but nobody may use it at the same time. Since 0.1.0.
void hrry_stream_free(hrry_stream *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HURRAY_H */
