/* Opens a .hrry file and lists what it holds: metadata, then one line for each tensor.
 *
 *     list FILE
 *
 * Opening reads the index and nothing of the data, however large the file is. */
#include <hurray.h>
#include <inttypes.h>
#include <stdio.h>

/* Names are text of a known length. They may hold any character: what cannot be printed becomes a
 * question mark. */
static void print_text(const char *text, size_t len) {
    for (size_t k = 0; k < len; k++) {
        unsigned char c = (unsigned char)text[k];
        putchar(c < 0x20 || c == 0x7F ? '?' : c);
    }
}

/* Columns that a text takes: one for each of its characters, near enough. */
static int text_columns(const char *text, size_t len) {
    int columns = 0;
    for (size_t k = 0; k < len; k++) {
        columns += ((unsigned char)text[k] & 0xC0) != 0x80;
    }
    return columns;
}

static void print_shape(const uint64_t *shape, uint32_t rank) {
    putchar('[');
    for (uint32_t k = 0; k < rank; k++) {
        if (shape[k] == HRRY_UNKNOWN) {
            printf("%s?", k ? ", " : "");
        } else {
            printf("%s%" PRIu64, k ? ", " : "", shape[k]);
        }
    }
    putchar(']');
}

/* A value has one of seven types. Asking for another one is an error, not a conversion. */
static void print_value(const hrry_kv *kv) {
    const char *text = NULL;
    size_t len = 0;
    int64_t i64 = 0;
    uint64_t u64 = 0;
    double f64 = 0;
    bool truth = false;
    switch (hrry_kv_type(kv)) {
    case HRRY_VALUE_STRING:
        hrry_kv_string(kv, &text, &len, NULL);
        print_text(text, len);
        break;
    case HRRY_VALUE_I64:
        hrry_kv_i64(kv, &i64, NULL);
        printf("%" PRId64, i64);
        break;
    case HRRY_VALUE_U64:
        hrry_kv_u64(kv, &u64, NULL);
        printf("%" PRIu64, u64);
        break;
    case HRRY_VALUE_F64:
        hrry_kv_f64(kv, &f64, NULL);
        printf("%g", f64);
        break;
    case HRRY_VALUE_BOOL:
        hrry_kv_bool(kv, &truth, NULL);
        printf(truth ? "true" : "false");
        break;
    case HRRY_VALUE_ARRAY: /* hrry_kv_string_at and its like give the elements */
        printf("(%" PRIu64 " elements)", hrry_kv_count(kv));
        break;
    default:
        printf("(bytes)");
    }
}

static hrry_status list_metadata(const hrry_file *file, hrry_error *error) {
    for (uint64_t k = 0; k < hrry_file_kv_count(file); k++) {
        const hrry_kv *kv = NULL;
        size_t len = 0;
        hrry_status status = hrry_file_kv_at(file, k, &kv, error);
        if (status != HRRY_OK) {
            return status;
        }
        const char *key = hrry_kv_key(kv, &len);
        printf("  ");
        print_text(key, len);
        printf(" = ");
        print_value(kv);
        printf("\n");
    }
    return HRRY_OK;
}

/* Columns of the longest name. */
static int name_width(const hrry_file *file) {
    int width = 0;
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k++) {
        const char *name = NULL;
        size_t len = 0;
        hrry_file_name_at(file, k, &name, &len, NULL);
        int columns = text_columns(name, len);
        width = columns > width ? columns : width;
    }
    return width;
}

static hrry_status list_tensors(const hrry_file *file, hrry_error *error) {
    int width = name_width(file);
    for (uint64_t k = 0; k < hrry_file_tensor_count(file); k++) {
        uint64_t index = 0;
        const hrry_tensor *tensor = NULL;
        hrry_tensor_facts facts = {.struct_size = sizeof facts};
        hrry_status status = HRRY_OK;

        /* In the order of the file; hrry_file_tensor_at(file, k, ...) would be the index's. */
        if ((status = hrry_file_order_at(file, k, &index, error)) != HRRY_OK ||
            (status = hrry_file_tensor_at(file, index, &tensor, error)) != HRRY_OK ||
            (status = hrry_tensor_info(tensor, &facts, error)) != HRRY_OK) {
            return status;
        }
        printf("  ");
        print_text(facts.name, facts.name_len);
        printf("%*s", width - text_columns(facts.name, facts.name_len), "");
        printf("  %-11s  %-9s  %12" PRIu64 " bytes at %-12" PRIu64, hrry_type_name(facts.type),
               hrry_layout_name(facts.layout), facts.data_len, facts.offset);
        print_shape(facts.shape, facts.rank);
        printf("\n");
    }
    return HRRY_OK;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    hrry_file_facts facts = {.struct_size = sizeof facts};

    if (hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK ||
        hrry_file_info(file, &facts, &error) != HRRY_OK) {
        goto failed;
    }
    printf("%" PRIu64 " bytes, tensors: %" PRIu64 ", data aligned to %" PRIu32 ", %s\n", facts.size,
           facts.tensor_count, facts.alignment,
           facts.access == HRRY_ACCESS_MAPPED ? "mapped" : "not mapped");
    if (list_metadata(file, &error) != HRRY_OK || list_tensors(file, &error) != HRRY_OK) {
        goto failed;
    }
    hrry_file_close(file);
    return 0;

failed:
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
    hrry_file_close(file);
    return 1;
}
