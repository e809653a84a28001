/* Everything that can be asked of an open file, so that whatever is wrong with it shows. */
#ifndef WALK_H
#define WALK_H

#include "check.h"

/* How many bytes of a buffer are read, from each of its ends. */
#ifndef WALK_MOST
#define WALK_MOST UINT64_MAX
#endif

/* A sum of all that was seen: two files that say the same have the same one. */
struct walk {
    uint64_t sum;
    hrry_status status; /* of the first call that failed, HRRY_OK when none did */
    hrry_error error;   /* of that call */
};

static inline void walk_bytes(struct walk *walk, const void *bytes, size_t len) {
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t k = 0; k < len; k++) walk->sum = (walk->sum ^ at[k]) * 0x100000001B3u;
}

static inline void walk_number(struct walk *walk, uint64_t number) {
    walk_bytes(walk, &number, sizeof number);
}

/* Notes a status; true when it is HRRY_OK. An error says what it is, always. */
static inline bool walk_ok(struct walk *walk, hrry_status status, const hrry_error *error) {
    if (status == HRRY_OK) return true;
    CHECK(status != HRRY_ERROR_INTERNAL && error->status == status && error->message[0] != '\0');
    if (walk->status == HRRY_OK) {
        walk->status = status;
        walk->error = *error;
    }
    return false;
}

static inline void walk_kv(struct walk *walk, const hrry_kv *kv) {
    hrry_error error;
    size_t len;
    const char *key = hrry_kv_key(kv, &len);
    walk_bytes(walk, key, len);
    walk_number(walk, hrry_kv_type(kv));
    const uint64_t count = hrry_kv_count(kv);
    for (uint64_t k = 0; k < count; k++) {
        const char *text;
        const void *bytes;
        int64_t i64;
        uint64_t u64;
        double f64;
        bool truth;
        switch (hrry_kv_element_type(kv)) {
        case HRRY_VALUE_STRING:
            if (walk_ok(walk, hrry_kv_string_at(kv, k, &text, &len, &error), &error))
                walk_bytes(walk, text, len);
            break;
        case HRRY_VALUE_I64:
            if (walk_ok(walk, hrry_kv_i64_at(kv, k, &i64, &error), &error))
                walk_number(walk, (uint64_t)i64);
            break;
        case HRRY_VALUE_U64:
            if (walk_ok(walk, hrry_kv_u64_at(kv, k, &u64, &error), &error))
                walk_number(walk, u64);
            break;
        case HRRY_VALUE_F64:
            if (walk_ok(walk, hrry_kv_f64_at(kv, k, &f64, &error), &error))
                walk_bytes(walk, &f64, sizeof f64);
            break;
        case HRRY_VALUE_BOOL:
            if (walk_ok(walk, hrry_kv_bool_at(kv, k, &truth, &error), &error))
                walk_number(walk, truth);
            break;
        case HRRY_VALUE_BYTES:
            if (walk_ok(walk, hrry_kv_bytes_at(kv, k, &bytes, &len, &error), &error))
                walk_bytes(walk, bytes, len);
            break;
        default: CHECK(false);
        }
    }
}

static inline void walk_descriptor(struct walk *walk, const hrry_descriptor *descriptor) {
    hrry_error error;
    const uint32_t rank = hrry_descriptor_rank(descriptor);
    walk_number(walk, hrry_descriptor_type(descriptor));
    walk_number(walk, hrry_descriptor_layout(descriptor));
    walk_number(walk, hrry_descriptor_scheme(descriptor));
    walk_number(walk, hrry_descriptor_byte_offset(descriptor));
    walk_number(walk, hrry_descriptor_flags(descriptor));
    walk_bytes(walk, hrry_descriptor_shape(descriptor), rank * sizeof(uint64_t));
    size_t len;
    const void *bytes = hrry_descriptor_bytes(descriptor, &len);
    walk_bytes(walk, bytes, len);
    const uint32_t count = hrry_descriptor_buffer_count(descriptor);
    for (uint32_t k = 0; k < count; k++) {
        hrry_buffer_entry entry = {.struct_size = sizeof entry};
        if (walk_ok(walk, hrry_descriptor_buffer_at(descriptor, k, &entry, &error), &error))
            walk_number(walk, entry.byte_size);
    }
    const int64_t *strides;
    if (hrry_descriptor_strides(descriptor, &strides, NULL) == HRRY_OK)
        walk_bytes(walk, strides, rank * sizeof *strides);
    hrry_shard shard = {.struct_size = sizeof shard};
    if (hrry_descriptor_shard(descriptor, &shard, NULL) == HRRY_OK) {
        walk_bytes(walk, shard.parent_shape, rank * sizeof(uint64_t));
        walk_bytes(walk, shard.shard_offset, rank * sizeof(uint64_t));
    }
    hrry_statistics statistics = {.struct_size = sizeof statistics};
    if (hrry_descriptor_statistics(descriptor, &statistics, NULL) == HRRY_OK)
        walk_number(walk, statistics.nnz);
}

/* Notes what a call said that may well fail: much of a file has no values, or not as floats. True
   when it is HRRY_OK. */
static inline bool walk_may_fail(struct walk *walk, hrry_status status, const hrry_error *error) {
    CHECK(status != HRRY_ERROR_INTERNAL);
    walk_number(walk, (uint64_t)status);
    return status >= 100 && status < 200 ? walk_ok(walk, status, error) : status == HRRY_OK;
}

/* The values of the first elements. */
static inline void walk_values(struct walk *walk, const hrry_tensor *tensor, uint64_t count) {
    const uint64_t first[64] = {0}, n = count < 48 ? count : 48;
    hrry_error error;
    hrry_element element = {.struct_size = sizeof element};
    float values[48];
    if (walk_may_fail(walk, hrry_tensor_element(tensor, first, &element, &error), &error))
        walk_bytes(walk, element.bits, sizeof element.bits);
    if (walk_may_fail(walk, hrry_tensor_dequantize(tensor, 0, n, HRRY_TYPE_FLOAT32, values, n * 4,
                                                   &error), &error))
        walk_bytes(walk, values, n * 4);
}

/* A tensor with every byte of its buffers, read in pieces and, where it has a pointer, in place. */
static inline void walk_tensor(struct walk *walk, const hrry_tensor *tensor) {
    hrry_error error;
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    if (walk_ok(walk, hrry_tensor_info(tensor, &facts, &error), &error)) {
        walk_bytes(walk, facts.name, facts.name_len);
        walk_number(walk, facts.element_count);
        walk_values(walk, tensor, facts.element_count);
    }
    walk_descriptor(walk, hrry_tensor_descriptor(tensor));
    for (uint32_t k = 0; k < hrry_tensor_buffer_count(tensor); k++) {
        hrry_buffer buffer = {.struct_size = sizeof buffer};
        if (!walk_ok(walk, hrry_tensor_buffer(tensor, k, &buffer, &error), &error)) continue;
        unsigned char piece[1024];
        for (uint64_t at = 0; at < buffer.size; at += sizeof piece) {
            if (at >= WALK_MOST && buffer.size - at > WALK_MOST) at = buffer.size - WALK_MOST;
            const uint64_t rest = buffer.size - at;
            const size_t len = rest < sizeof piece ? (size_t)rest : sizeof piece;
            if (!walk_ok(walk, hrry_tensor_read(tensor, k, at, piece, len, &error), &error)) break;
            walk_bytes(walk, piece, len);
            if (buffer.data != NULL)
                CHECK_BYTES((const unsigned char *)buffer.data + at, len, piece, len);
        }
    }
}

/* Asks a composite for its members, and for the two ends of its shape. One that is a list of members
   only says so. */
static inline void walk_composite(struct walk *walk, const hrry_file *file,
                                  const hrry_composite *composite) {
    hrry_error error;
    walk_number(walk, hrry_composite_rule(composite));
    walk_number(walk, hrry_composite_combine(composite));
    walk_number(walk, hrry_composite_is_complete(composite));
    walk_number(walk, hrry_composite_is_exact(composite));
    CHECK(hrry_composite_memory(composite) != 0);
    for (uint64_t k = 0; k < hrry_composite_member_count(composite); k++) {
        uint64_t tensor, head = HRRY_UNKNOWN;
        if (!walk_ok(walk, hrry_composite_member_at(composite, k, &tensor, &error), &error)) break;
        walk_number(walk, tensor);
        if (walk_ok(walk, hrry_file_composite_of(file, tensor, &head, &error), &error))
            CHECK_EQ(head, hrry_composite_tensor(composite));
    }
    const hrry_tensor *head = NULL;
    hrry_tensor_facts facts = {.struct_size = sizeof facts};
    if (!walk_ok(walk, hrry_file_tensor_at(file, hrry_composite_tensor(composite), &head, &error),
                 &error) ||
        !walk_ok(walk, hrry_tensor_info(head, &facts, &error), &error))
        return;
    for (int last = 0; last < 2; last++) {
        uint64_t index[64], ones[64], local[64], tensor = 0, touched[4], count = 0;
        unsigned char element[16];
        for (uint32_t d = 0; d < facts.rank; d++) {
            index[d] = last != 0 ? facts.shape[d] - 1 : 0;
            ones[d] = 1;
        }
        const hrry_status statuses[] = {
            hrry_composite_locate(composite, index, &tensor, local, &error),
            hrry_composite_members_in(composite, index, ones, 0, touched, 4, &count, &error),
            hrry_composite_read(composite, index, ones, element, facts.element_bits / 8, &error),
        };
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
            CHECK(statuses[k] != HRRY_ERROR_INTERNAL);
            walk_number(walk, (uint64_t)statuses[k]);
        }
        walk_number(walk, tensor);
        walk_number(walk, count);
        if (statuses[0] == HRRY_OK) walk_bytes(walk, local, facts.rank * sizeof *local);
        if (statuses[2] == HRRY_OK) walk_bytes(walk, element, facts.element_bits / 8);
    }
}

/* All of a file. */
static inline struct walk walk_file(const hrry_file *file) {
    struct walk walk = {0xCBF29CE484222325u, HRRY_OK, {0}};
    hrry_error error;
    hrry_file_facts facts = {.struct_size = sizeof facts};
    if (walk_ok(&walk, hrry_file_info(file, &facts, &error), &error))
        walk_number(&walk, facts.tensor_count);
    for (uint64_t k = 0; k < hrry_file_kv_count(file); k++) {
        const hrry_kv *kv = NULL;
        if (walk_ok(&walk, hrry_file_kv_at(file, k, &kv, &error), &error)) walk_kv(&walk, kv);
    }
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k++) {
        const char *name;
        size_t len;
        uint64_t index;
        const hrry_tensor *tensor = NULL;
        if (walk_ok(&walk, hrry_file_name_at(file, k, &name, &len, &error), &error) &&
            walk_ok(&walk, hrry_file_name_find(file, name, len, &index, &error), &error))
            CHECK_EQ(index, k);
        if (walk_ok(&walk, hrry_file_order_at(file, k, &index, &error), &error))
            walk_number(&walk, index);
        if (walk_ok(&walk, hrry_file_tensor_at(file, k, &tensor, &error), &error))
            walk_tensor(&walk, tensor);
    }
    uint64_t composites = 0;
    walk_ok(&walk, hrry_file_composite_count(file, &composites, &error), &error);
    for (uint64_t k = 0; k < composites; k++) {
        hrry_composite_facts composite = {.struct_size = sizeof composite};
        hrry_composite *opened = NULL;
        if (!walk_ok(&walk, hrry_file_composite_at(file, k, &composite, &error), &error)) break;
        walk_number(&walk, composite.head);
        walk_number(&walk, composite.found);
        if (walk_ok(&walk, hrry_composite_open(file, composite.head, &opened, &error), &error))
            walk_composite(&walk, file, opened);
        hrry_composite_close(opened);
    }
    return walk;
}

#endif
