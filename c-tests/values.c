/* Values of tensors whose elements lie in one buffer, in whatever order: where an element is, the
   element, boxes as stored and as numbers, and what is refused. */
#include "values.h"

#include <math.h>
#include <pthread.h>

static hrry_error error;

/* What most programs want: a box of a tensor as floats, whatever its type and layout. */
static void for_most_programs(void) {
    static const int16_t transposed[3][2] = {{1, 4}, {2, 5}, {3, 6}};
    hrry_builder *builder = build(HRRY_TYPE_INT16, 2, AT(2, 3));
    CHECK_OK(hrry_builder_column_major(builder, &error));
    hrry_descriptor *descriptor = built(builder);
    const hrry_memory buffer = {.data = transposed, .size = sizeof transposed};

    float row[3];
    CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(1, 0), AT(1, 3), HRRY_TYPE_FLOAT32, row,
                              sizeof row, &error));
    CHECK(row[0] == 4 && row[1] == 5 && row[2] == 6);

    hrry_element element = {.struct_size = sizeof element};
    CHECK_OK(hrry_values_element(descriptor, &buffer, 1, AT(0, 2), &element, &error));
    CHECK_EQ(element.kind, HRRY_ELEMENT_SIGNED);
    CHECK_EQ(element.signed_value, 3);
    CHECK(element.is_stored == 1 && element.real == 3);

    hrry_place place = {.struct_size = sizeof place};
    CHECK_OK(hrry_values_locate(descriptor, NULL, 0, AT(0, 2), &place, &error));
    CHECK_EQ(place.element, 4);
    CHECK_EQ(place.byte, 8);
    CHECK(place.is_stored == 1 && place.bit == 0);
    hrry_descriptor_free(descriptor);
}

/* ---- Every layout ------------------------------------------------------------------------------
   Each with where it puts an element, counted from the first, as layouts.md has it. */

struct layout {
    uint32_t rank;
    uint64_t shape[3];
    uint64_t before; /* elements in front of the first */
    void (*tell)(hrry_builder *builder);
    int64_t (*place)(const uint64_t *index);
};

static int64_t row_major(const uint64_t *i) { return (int64_t)((i[0] * 5 + i[1]) * 2 + i[2]); }

static void tell_row_major(hrry_builder *builder) {
    CHECK_OK(hrry_builder_row_major(builder, &error));
}

static int64_t column_major(const uint64_t *i) { return (int64_t)(i[0] + 3 * (i[1] + 5 * i[2])); }

static void tell_column_major(hrry_builder *builder) {
    CHECK_OK(hrry_builder_column_major(builder, &error));
}

/* Rows from the last to the first, each of 7 places; every second one is used. */
static int64_t strided(const uint64_t *i) { return 2 * (int64_t)i[1] - 9 * (int64_t)i[0]; }

static void tell_strided(hrry_builder *builder) {
    const int64_t strides[] = {-9, 2};
    CHECK_OK(hrry_builder_strided(builder, strides, &error));
}

/* One row for all. */
static int64_t repeated(const uint64_t *i) { return (int64_t)i[1]; }

static void tell_repeated(hrry_builder *builder) {
    const int64_t strides[] = {0, 1};
    CHECK_OK(hrry_builder_strided(builder, strides, &error));
}

static int64_t tiled(const uint64_t *i) {
    return (int64_t)((i[0] / 2 * 2 + i[1] / 4) * 8 + i[0] % 2 * 4 + i[1] % 4);
}

static void tell_tiled(hrry_builder *builder) {
    const hrry_tiles tiles = {.tile_shape = AT(2, 4), .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
                              .inner_layout = HRRY_LAYOUT_ROW_MAJOR};
    CHECK_OK(hrry_builder_tiled(builder, &tiles, 1, &error));
}

/* Tiles that leave the shape, column by column; in each the elements column by column, too. */
static int64_t tiled_at_the_edge(const uint64_t *i) {
    return (int64_t)((i[0] / 2 + 3 * (i[1] / 4)) * 8 + i[0] % 2 + 2 * (i[1] % 4));
}

static void tell_tiled_at_the_edge(hrry_builder *builder) {
    const int64_t inner[] = {1, 2};
    const hrry_tiles tiles = {.tile_shape = AT(2, 4), .outer_layout = HRRY_LAYOUT_COLUMN_MAJOR,
                              .inner_layout = HRRY_LAYOUT_STRIDED, .inner_strides = inner};
    CHECK_OK(hrry_builder_tiled(builder, &tiles, 1, &error));
}

/* Tiles of 4 by 4 in tiles of 2 by 2. */
static int64_t nested(const uint64_t *i) {
    const uint64_t outer = i[0] / 4 * 2 + i[1] / 4, inner = i[0] % 4 / 2 + 2 * (i[1] % 4 / 2);
    return (int64_t)(outer * 16 + inner * 4 + i[0] % 2 * 2 + i[1] % 2);
}

static void tell_nested(hrry_builder *builder) {
    const hrry_tiles tiles[] = {
        {.tile_shape = AT(4, 4), .outer_layout = HRRY_LAYOUT_ROW_MAJOR,
         .inner_layout = HRRY_LAYOUT_TILED},
        {.tile_shape = AT(2, 2), .outer_layout = HRRY_LAYOUT_COLUMN_MAJOR,
         .inner_layout = HRRY_LAYOUT_ROW_MAJOR},
    };
    CHECK_OK(hrry_builder_tiled(builder, tiles, 2, &error));
}

/* Bit b of dimension k is bit 2 b + k. */
static int64_t morton(const uint64_t *i) {
    uint64_t code = 0;
    for (unsigned b = 0; b < 3; b++)
        code |= (i[0] >> b & 1) << (2 * b) | (i[1] >> b & 1) << (2 * b + 1);
    return (int64_t)code;
}

static void tell_morton(hrry_builder *builder) {
    const uint32_t bits[] = {2, 3};
    CHECK_OK(hrry_builder_morton(builder, bits, &error));
}

/* The curve that layouts.md prints. */
static int64_t hilbert(const uint64_t *i) {
    static const uint64_t curve[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3},
                                        {1, 3}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 2},
                                        {3, 1}, {2, 1}, {2, 0}, {3, 0}};
    int64_t k = 0;
    while (curve[k][0] != i[0] || curve[k][1] != i[1]) k++;
    return k;
}

static void tell_hilbert(hrry_builder *builder) {
    CHECK_OK(hrry_builder_hilbert(builder, 2, &error));
}

static const struct layout layouts[] = {
    {3, {3, 5, 2}, 0, tell_row_major, row_major},
    {3, {3, 5, 2}, 8, tell_row_major, row_major},
    {3, {3, 5, 2}, 0, tell_column_major, column_major},
    {2, {3, 4}, 24, tell_strided, strided},
    {2, {3, 4}, 0, tell_repeated, repeated},
    {2, {6, 8}, 0, tell_tiled, tiled},
    {2, {5, 7}, 16, tell_tiled_at_the_edge, tiled_at_the_edge},
    {2, {8, 8}, 0, tell_nested, nested},
    {2, {3, 5}, 0, tell_morton, morton},
    {2, {4, 4}, 0, tell_hilbert, hilbert},
};

/* Types of each width whose codes are unsigned, or shown as such. */
static const struct {
    hrry_type type;
    uint32_t bits;
} widths[] = {
    {HRRY_TYPE_BOOL, 1},         {HRRY_TYPE_UINT2, 2},   {HRRY_TYPE_UINT4, 4},
    {HRRY_TYPE_FLOAT6_E2M3, 6},  {HRRY_TYPE_UINT8, 8},   {HRRY_TYPE_UINT16, 16},
    {HRRY_TYPE_FLOAT32, 32},     {HRRY_TYPE_UINT64, 64},
};

/* What is stored at an index. */
static uint64_t code_at(const struct layout *of, uint32_t bits, const uint64_t *index) {
    const uint64_t code = ((uint64_t)of->place(index) + 3) * 0x9E3779B97F4A7C15u;
    return code >> (64 - bits);
}

struct case_ {
    const struct layout *layout;
    hrry_type type;
    uint32_t bits;
};

static void box_is(const struct subject *subject, const struct case_ *of, const uint64_t *lower,
                   const uint64_t *extent) {
    const struct layout *layout = of->layout;
    const uint64_t count = elements_of(layout->rank, extent);
    const uint32_t unit = of->bits < 8 ? 8 : of->bits;
    const size_t packed = packed_size(of->bits, count), apart = packed_size(unit, count);
    unsigned char *expected = check_malloc(packed), *bytes = check_malloc(apart),
                  *found = check_malloc((packed > apart ? packed : apart) + 1);
    memset(expected, 0, packed);
    uint64_t index[3] = {0}, whole[3] = {0}, e = 0;
    if (count != 0) {
        do {
            for (uint32_t k = 0; k < layout->rank; k++) whole[k] = lower[k] + index[k];
            put_code(expected, of->bits, e, code_at(layout, of->bits, whole));
            put_code(bytes, unit, e++, code_at(layout, of->bits, whole));
        } while (next_index(layout->rank, extent, index));
    }
    /* Aligned to nothing. */
    memset(found, 0xFF, apart + 1);
    CHECK_OK(ASK(subject, copy, lower, extent, HRRY_AS_STORED, found + 1, packed, &error));
    CHECK_BYTES(found + 1, packed, expected, packed);
    CHECK_OK(ASK(subject, copy, lower, extent, of->type, found, packed, &error));
    CHECK_BYTES(found, packed, expected, packed);
    CHECK_OK(ASK(subject, copy, lower, extent, HRRY_AS_BYTES, found + 1, apart, &error));
    CHECK_BYTES(found + 1, apart, bytes, apart);
    if (count != 0) {
        CHECK_FAILS(ASK(subject, copy, lower, extent, HRRY_AS_STORED, found, packed - 1, &error),
                    HRRY_ERROR_ROOM);
        CHECK_FAILS(ASK(subject, copy, lower, extent, HRRY_AS_BYTES, found, apart + 1, &error),
                    HRRY_ERROR_ROOM);
    }
    free(expected);
    free(bytes);
    free(found);
}

static void boxes_and_elements(const struct subject *subject, const void *context) {
    const struct case_ *of = context;
    const struct layout *layout = of->layout;
    const uint32_t rank = layout->rank;
    uint64_t index[3] = {0}, lower[3] = {0}, step = 0;
    do {
        const int64_t e = (int64_t)layout->before + layout->place(index);
        const uint64_t bit = (uint64_t)e * of->bits, code = code_at(layout, of->bits, index);
        hrry_place place = {.struct_size = sizeof place};
        CHECK_OK(ASK(subject, locate, index, &place, &error));
        CHECK_EQ(place.is_stored, 1);
        CHECK_EQ(place.element, layout->place(index));
        CHECK_EQ(place.byte, of->bits == 6 ? bit / 24 * 3 : bit / 8);
        CHECK_EQ(place.bit, of->bits == 6 ? bit % 24 : bit % 8);

        hrry_element element = {.struct_size = sizeof element};
        unsigned char bits[16] = {0};
        put_code(bits, of->bits, 0, code);
        CHECK_OK(ASK(subject, element, index, &element, &error));
        CHECK_EQ(element.is_stored, 1);
        CHECK_BYTES(element.bits, 16, bits, 16);
    } while (next_index(rank, layout->shape, index));

    do {
        uint64_t most[3], less[3] = {0};
        for (uint32_t k = 0; k < rank; k++) most[k] = layout->shape[k] - lower[k] + 1;
        do {
            /* All boxes are many; some of each kind will do, and the whole. */
            const bool is_whole = memcmp(lower, (uint64_t[3]){0}, rank * 8) == 0 &&
                                  memcmp(less, layout->shape, rank * 8) == 0;
            if (is_whole || step++ % (under_valgrind() ? 97 : 7) == 0)
                box_is(subject, of, lower, less);
        } while (next_index(rank, most, less));
    } while (next_index(rank, layout->shape, lower));

    /* Outside. */
    hrry_place place = {.struct_size = sizeof place};
    hrry_element element = {.struct_size = sizeof element};
    unsigned char room[8];
    memcpy(index, layout->shape, sizeof index);
    CHECK_FAILS(ASK(subject, locate, index, &place, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, element, index, &element, &error), HRRY_ERROR_INDEX);
    CHECK_FAILS(ASK(subject, copy, index, AT(1, 1, 1), HRRY_AS_STORED, room, 8, &error),
                HRRY_ERROR_RANGE);
    CHECK_SAYS("dimension 0");
    CHECK_FAILS(ASK(subject, copy, AT(1, 1, 1), AT(UINT64_MAX, 1, 1), HRRY_AS_STORED, room, 8,
                    &error), HRRY_ERROR_RANGE);
    CHECK_OK(ASK(subject, copy, AT(0, 1, 0), AT(1, 0, 1), HRRY_AS_STORED, NULL, 0, &error));
}

static void every_layout(void) {
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const struct case_ of = {&layouts[l], widths[w].type, widths[w].bits};
            const struct layout *layout = of.layout;
            hrry_builder *builder = build(of.type, layout->rank, layout->shape);
            layout->tell(builder);
            CHECK_OK(hrry_builder_byte_offset(builder, layout->before * of.bits / 8, &error));
            hrry_descriptor *descriptor = built(builder);
            /* Exactly as much memory as it needs, so that valgrind sees a step beyond. */
            const hrry_memory own = {.size = (size_t)buffer_size(descriptor, 0),
                                     .data = check_malloc(buffer_size(descriptor, 0))};
            unsigned char *buffer = (unsigned char *)(uintptr_t)own.data;
            memset(buffer, 0x55, own.size);
            uint64_t index[3] = {0};
            do {
                put_code(buffer, of.bits, layout->before + (uint64_t)layout->place(index),
                         code_at(layout, of.bits, index));
            } while (next_index(layout->rank, layout->shape, index));
            each_subject(descriptor, &own, 1, boxes_and_elements, &of);
            free(buffer);
            hrry_descriptor_free(descriptor);
        }
    }
}

/* ---- Every type --------------------------------------------------------------------------------- */


/* A code and the number that it stands for, as a double and, rounded to nearest, as a half of each
   kind. */
static const struct {
    hrry_type type;
    uint32_t bits;
    uint64_t code;
    double number;
    uint16_t float16, bfloat16;
} numbers[] = {
    {HRRY_TYPE_FLOAT16, 16, 0x3C00, 1, 0x3C00, 0x3F80},
    {HRRY_TYPE_FLOAT16, 16, 0x7BFF, 65504, 0x7BFF, 0x4780},
    {HRRY_TYPE_FLOAT16, 16, 0x8001, -0x1p-24, 0x8001, 0xB380},
    {HRRY_TYPE_BFLOAT16, 16, 0x4049, 3.140625, 0x4248, 0x4049},
    {HRRY_TYPE_BFLOAT16, 16, 0x7F7F, 0x1.FEp127, 0x7C00, 0x7F7F},
    {HRRY_TYPE_FLOAT32, 32, 0x3F8003F5, 0x1.0007EAp0, 0x3C00, 0x3F80},
    {HRRY_TYPE_FLOAT32, 32, 0xC77FF000, -65520, 0xFC00, 0xC780},
    {HRRY_TYPE_FLOAT32, 32, 0x00000001, 0x1p-149, 0, 0},
    {HRRY_TYPE_FLOAT32, 32, 0x7F800000, INFINITY, 0x7C00, 0x7F80},
    /* A tie of float16 but for its last bit: rounded once, it is above. */
    {HRRY_TYPE_FLOAT64, 64, 0x3FF0020000000001, 0x1.0020000000001p0, 0x3C01, 0x3F80},
    {HRRY_TYPE_FLOAT64, 64, 0xC00921FB54442D18, -3.141592653589793, 0xC248, 0xC049},
    {HRRY_TYPE_INT8, 8, 0x80, -128, 0xD800, 0xC300},
    {HRRY_TYPE_UINT8, 8, 0xFF, 255, 0x5BF8, 0x437F},
    {HRRY_TYPE_INT16, 16, 0x8000, -32768, 0xF800, 0xC700},
    {HRRY_TYPE_UINT16, 16, 0xFFFF, 65535, 0x7C00, 0x4780},
    {HRRY_TYPE_INT32, 32, 0xFFFFFFFF, -1, 0xBC00, 0xBF80},
    {HRRY_TYPE_UINT32, 32, 0xFFFFFFFF, 4294967295.0, 0x7C00, 0x4F80},
    {HRRY_TYPE_INT64, 64, 0xFFFFFFFFFFFFFFFE, -2, 0xC000, 0xC000},
    {HRRY_TYPE_UINT64, 64, 0x7FFFFFFFFFFFFC00, 0x1.FFFFFFFFFFFFFp62, 0x7C00, 0x5F00},
    {HRRY_TYPE_BOOL, 1, 1, 1, 0x3C00, 0x3F80},
    {HRRY_TYPE_FLOAT8_E4M3, 8, 0x7E, 448, 0x5F00, 0x43E0},
    {HRRY_TYPE_FLOAT8_E4M3, 8, 0x81, -0x1p-9, 0x9800, 0xBB00},
    {HRRY_TYPE_FLOAT8_E5M2, 8, 0x7B, 57344, 0x7B00, 0x4760},
    {HRRY_TYPE_FLOAT8_E5M2, 8, 0xFC, -INFINITY, 0xFC00, 0xFF80},
    {HRRY_TYPE_FLOAT8_E8M0, 8, 0x01, 0x1p-126, 0, 0x0080},
    {HRRY_TYPE_FLOAT8_E8M0, 8, 0x80, 2, 0x4000, 0x4000},
    {HRRY_TYPE_FLOAT4_E2M1, 4, 0x1, 0.5, 0x3800, 0x3F00},
    {HRRY_TYPE_FLOAT4_E2M1, 4, 0xF, -6, 0xC600, 0xC0C0},
    {HRRY_TYPE_FLOAT6_E2M3, 6, 0x1F, 7.5, 0x4780, 0x40F0},
    {HRRY_TYPE_FLOAT6_E2M3, 6, 0x21, -0.125, 0xB000, 0xBE00},
    {HRRY_TYPE_FLOAT6_E3M2, 6, 0x1F, 28, 0x4F00, 0x41E0},
    {HRRY_TYPE_INT4, 4, 0x8, -8, 0xC800, 0xC100},
    {HRRY_TYPE_UINT4, 4, 0xF, 15, 0x4B80, 0x4170},
    {HRRY_TYPE_INT2, 2, 0x2, -2, 0xC000, 0xC000},
    {HRRY_TYPE_UINT2, 2, 0x3, 3, 0x4200, 0x4040},
};

static void every_type(void) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        /* The last of five: the others are zero, or any valid code of float8_e8m0. */
        enum { COUNT = 5 };
        const uint32_t bits = numbers[k].bits;
        unsigned char stored[COUNT * 8] = {0};
        if (numbers[k].type == HRRY_TYPE_FLOAT8_E8M0) memset(stored, 127, COUNT);
        put_code(stored, bits, COUNT - 1, numbers[k].code);
        hrry_descriptor *descriptor = built(build(numbers[k].type, 1, AT(COUNT)));
        const hrry_memory buffer = {.data = stored, .size = packed_size(bits, COUNT)};

        const double number = numbers[k].number;
        const float nearest = (float)number;
        double doubles[COUNT];
        float floats[COUNT];
        uint16_t halves[COUNT];
        CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(COUNT), HRRY_TYPE_FLOAT64,
                                  doubles, sizeof doubles, &error));
        CHECK_BYTES(&doubles[COUNT - 1], 8, &number, 8);
        CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(COUNT), HRRY_TYPE_FLOAT32,
                                  floats, sizeof floats, &error));
        CHECK_BYTES(&floats[COUNT - 1], 4, &nearest, 4);
        CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(COUNT), HRRY_TYPE_FLOAT16,
                                  halves, sizeof halves, &error));
        CHECK_EQ(halves[COUNT - 1], numbers[k].float16);
        CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(COUNT), HRRY_TYPE_BFLOAT16,
                                  halves, sizeof halves, &error));
        CHECK_EQ(halves[COUNT - 1], numbers[k].bfloat16);

        /* A tensor that is not quantized gives its own values. */
        CHECK_OK(hrry_values_dequantize(descriptor, &buffer, 1, COUNT - 1, 1, HRRY_TYPE_FLOAT32,
                                        floats, 4, &error));
        CHECK_BYTES(&floats[0], 4, &nearest, 4);

        int64_t whole = 0;
        if (number == floor(number) && fabs(number) < 0x1p63) {
            CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(COUNT - 1), AT(1),
                                      HRRY_TYPE_INT64, &whole, 8, &error));
            CHECK_EQ(whole, (int64_t)number);
        } else {
            CHECK_FAILS(hrry_values_copy(descriptor, &buffer, 1, AT(COUNT - 1), AT(1),
                                         HRRY_TYPE_INT64, &whole, 8, &error), HRRY_ERROR_VALUE);
            CHECK_SAYS("index [4]");
        }

        hrry_element element = {.struct_size = sizeof element};
        CHECK_OK(hrry_values_element(descriptor, &buffer, 1, AT(COUNT - 1), &element, &error));
        CHECK(element.real == number);
        unsigned char code[16] = {0};
        put_code(code, bits, 0, numbers[k].code);
        CHECK_BYTES(element.bits, 16, code, 16);
        switch (element.kind) {
        case HRRY_ELEMENT_SIGNED: CHECK_EQ(element.signed_value, (int64_t)number); break;
        case HRRY_ELEMENT_UNSIGNED:
        case HRRY_ELEMENT_BOOL: CHECK_EQ(element.unsigned_value, (uint64_t)number); break;
        default: CHECK_EQ(element.kind, HRRY_ELEMENT_FLOAT);
        }
        hrry_descriptor_free(descriptor);
    }
}

/* int4 and int2 a byte each have their sign; every code of them. */
static void signs(void) {
    const unsigned char packed4[] = {0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE};
    const int8_t apart4[] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
    const unsigned char packed2[] = {0xE4};
    const int8_t apart2[] = {0, 1, -2, -1};
    int8_t found[16];
    hrry_descriptor *int4 = built(build(HRRY_TYPE_INT4, 1, AT(16)));
    hrry_descriptor *int2 = built(build(HRRY_TYPE_INT2, 1, AT(4)));
    const hrry_memory buffer4 = {.data = packed4, .size = 8}, buffer2 = {.data = packed2, .size = 1};
    CHECK_OK(hrry_values_copy(int4, &buffer4, 1, AT(0), AT(16), HRRY_AS_BYTES, found, 16, &error));
    CHECK_BYTES(found, 16, apart4, 16);
    CHECK_OK(hrry_values_copy(int2, &buffer2, 1, AT(0), AT(4), HRRY_AS_BYTES, found, 4, &error));
    CHECK_BYTES(found, 4, apart2, 4);
    /* Packed again from the middle of a byte on: what no element reaches is zero. */
    unsigned char part[2] = {0xFF, 0xFF};
    CHECK_OK(hrry_values_copy(int4, &buffer4, 1, AT(1), AT(3), HRRY_AS_STORED, part, 2, &error));
    CHECK(part[0] == 0x21 && part[1] == 0x03);
    hrry_descriptor_free(int4);
    hrry_descriptor_free(int2);
}

static void complex_numbers(void) {
    const float stored[][2] = {{1, -2}, {0.5f, 0}};
    hrry_descriptor *descriptor = built(build(HRRY_TYPE_COMPLEX64, 1, AT(2)));
    const hrry_memory buffer = {.data = stored, .size = sizeof stored};
    hrry_element element = {.struct_size = sizeof element};
    CHECK_OK(hrry_values_element(descriptor, &buffer, 1, AT(0), &element, &error));
    CHECK_EQ(element.kind, HRRY_ELEMENT_COMPLEX);
    CHECK(element.real == 1 && element.imaginary == -2);
    float found[4];
    CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(2), HRRY_AS_STORED, found,
                              sizeof found, &error));
    CHECK_BYTES(found, sizeof found, stored, sizeof stored);
    CHECK_FAILS(hrry_values_copy(descriptor, &buffer, 1, AT(0), AT(2), HRRY_TYPE_FLOAT32, found, 8,
                                 &error), HRRY_ERROR_UNSUPPORTED);
    CHECK_SAYS("complex");
    hrry_descriptor_free(descriptor);
}

/* ---- What is refused ---------------------------------------------------------------------------- */

static void no_such_value(hrry_type type, const void *stored, size_t len, hrry_type as,
                          hrry_status status, const char *says) {
    hrry_descriptor *descriptor = built(build(type, 2, AT(1, 2)));
    const hrry_memory buffer = {.data = stored, .size = len};
    double room[2];
    const size_t width = as == HRRY_TYPE_FLOAT32 ? 4 : 8;
    CHECK_FAILS(hrry_values_copy(descriptor, &buffer, 1, AT(0, 0), AT(1, 2), as, room, 2 * width,
                                 &error), status);
    CHECK_SAYS(says);
    if (status == HRRY_ERROR_VALUE) CHECK_SAYS("index [0, 1]");
    hrry_descriptor_free(descriptor);
}

static void conversions_that_fail(void) {
    const float half[] = {1, 0.5f}, nan_[] = {1, NAN}, large[] = {1, 0x1p63f};
    const uint64_t big[] = {INT64_MAX, (uint64_t)INT64_MAX + 1};
    const unsigned char scales[] = {1, 0}, quad[32] = {0};
    no_such_value(HRRY_TYPE_FLOAT32, half, 8, HRRY_TYPE_INT64, HRRY_ERROR_VALUE, "0.5");
    no_such_value(HRRY_TYPE_FLOAT32, nan_, 8, HRRY_TYPE_INT64, HRRY_ERROR_VALUE, "NaN");
    no_such_value(HRRY_TYPE_FLOAT32, large, 8, HRRY_TYPE_INT64, HRRY_ERROR_VALUE, "922337203685477");
    no_such_value(HRRY_TYPE_UINT64, big, 16, HRRY_TYPE_INT64, HRRY_ERROR_VALUE,
                  "9223372036854775808");
    no_such_value(HRRY_TYPE_FLOAT8_E8M0, scales, 2, HRRY_TYPE_FLOAT32, HRRY_ERROR_VALUE,
                  "float8_e8m0");
    no_such_value(HRRY_TYPE_FLOAT128, quad, 32, HRRY_TYPE_FLOAT64, HRRY_ERROR_UNSUPPORTED,
                  "float128");
}

static void wrong_arguments(void) {
    const uint16_t stored[6] = {1, 2, 3, 4, 5, 6};
    uint64_t room[8];
    hrry_descriptor *descriptor = built(build(HRRY_TYPE_UINT16, 2, AT(2, 3)));
    const hrry_memory buffers[] = {{.data = stored, .size = sizeof stored},
                                   {.data = stored, .size = sizeof stored}};
    const hrry_memory small = {.data = stored, .size = 11}, none = {.data = NULL, .size = 0};
    const struct {
        const hrry_memory *buffers;
        uint32_t count;
        hrry_status status;
        const char *says;
    } wrong[] = {
        {&small, 1, HRRY_ERROR_ROOM, "takes 12 bytes, got room for 11"},
        {&none, 1, HRRY_ERROR_ROOM, "got room for 0"},
        {buffers, 2, HRRY_ERROR_ROOM, "count of buffers"},
        {NULL, 0, HRRY_ERROR_ROOM, "count of buffers"},
        {NULL, 1, HRRY_ERROR_ARGUMENT, "buffers"},
    };
    hrry_element element = {.struct_size = sizeof element};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK_FAILS(hrry_values_copy(descriptor, wrong[k].buffers, wrong[k].count, AT(0, 0),
                                     AT(2, 3), HRRY_AS_STORED, room, 12, &error),
                    wrong[k].status);
        CHECK_SAYS(wrong[k].says);
        CHECK_FAILS(hrry_values_dequantize(descriptor, wrong[k].buffers, wrong[k].count, 0, 6,
                                           HRRY_TYPE_FLOAT32, room, 24, &error),
                    wrong[k].status);
        CHECK_FAILS(hrry_values_element(descriptor, wrong[k].buffers, wrong[k].count, AT(0, 0),
                                        &element, &error), wrong[k].status);
    }
    /* Larger is fine. */
    const uint16_t more[9] = {7};
    const hrry_memory large = {.data = more, .size = sizeof more};
    CHECK_OK(hrry_values_element(descriptor, &large, 1, AT(0, 0), &element, &error));
    CHECK_EQ(element.unsigned_value, 7);

    /* Types that nothing is converted to. */
    const hrry_type refused[] = {HRRY_TYPE_INT32, HRRY_TYPE_UINT8, HRRY_TYPE_BOOL, 0xFF, 0x101,
                                 0x80000000};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        CHECK_FAILS(hrry_values_copy(descriptor, buffers, 1, AT(0, 0), AT(2, 3), refused[k], room,
                                     24, &error), HRRY_ERROR_ARGUMENT);
        CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 1, 0, 6, refused[k], room, 24,
                                           &error), HRRY_ERROR_ARGUMENT);
    }
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 1, 0, 6, HRRY_TYPE_UINT16, room, 12,
                                       &error), HRRY_ERROR_ARGUMENT);

    CHECK_FAILS(hrry_values_copy(descriptor, buffers, 1, AT(0, 0), AT(2, 3), HRRY_TYPE_FLOAT32, room,
                                 20, &error), HRRY_ERROR_ROOM);
    CHECK_SAYS("takes 24 bytes, got room for 20");
    CHECK_FAILS(hrry_values_copy(descriptor, buffers, 1, AT(0, 2), AT(2, 2), HRRY_AS_STORED, room, 8,
                                 &error), HRRY_ERROR_RANGE);
    CHECK_SAYS("dimension 1");
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 1, 4, 3, HRRY_TYPE_FLOAT32, room, 12,
                                       &error), HRRY_ERROR_INDEX);
    CHECK_OK(hrry_values_dequantize(descriptor, buffers, 1, 6, 0, HRRY_TYPE_FLOAT32, NULL, 0,
                                    &error));
    CHECK_FAILS(hrry_values_dequantize(descriptor, buffers, 1, 1, UINT64_MAX, HRRY_TYPE_FLOAT32,
                                       room, 12, &error), HRRY_ERROR_INDEX);
    /* Tokens are those of block-paged tensors. */
    hrry_place place = {.struct_size = sizeof place};
    CHECK_FAILS(hrry_values_locate_token(descriptor, buffers, 1, 0, 0, 0, 0, &place, &error),
                HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_values_copy_tokens(descriptor, buffers, 1, 0, 0, 1, HRRY_AS_STORED, room, 6,
                                        &error), HRRY_ERROR_TYPE);
    CHECK_FAILS(hrry_values_dequantize_tokens(descriptor, buffers, 1, 0, 0, 1, HRRY_TYPE_FLOAT32,
                                              room, 12, &error), HRRY_ERROR_TYPE);
    hrry_descriptor_free(descriptor);

    /* A shape that is not known has no places. */
    hrry_builder *builder = build(HRRY_TYPE_UINT16, 2, AT(HRRY_UNKNOWN, 3));
    CHECK_OK(hrry_builder_buffer_size(builder, 0, sizeof stored, &error));
    descriptor = built(builder);
    CHECK_FAILS(hrry_values_locate(descriptor, NULL, 0, AT(0, 0), &place, &error), HRRY_ERROR_RULE);
    CHECK_FAILS(hrry_values_element(descriptor, buffers, 1, AT(0, 0), &element, &error),
                HRRY_ERROR_RULE);
    CHECK_FAILS(hrry_values_copy(descriptor, buffers, 1, AT(0, 0), AT(1, 1), HRRY_AS_STORED, room, 2,
                                 &error), HRRY_ERROR_RULE);
    hrry_descriptor_free(descriptor);

    /* A composite head has no elements of its own. */
    const hrry_composite_head head = {.struct_size = sizeof head, .rule = HRRY_RULE_PARTITION,
                                      .member_count = 1};
    builder = build(HRRY_TYPE_UINT16, 2, AT(2, 3));
    CHECK_OK(hrry_builder_composite(builder, &head, &error));
    descriptor = built(builder);
    CHECK_FAILS(hrry_values_locate(descriptor, NULL, 0, AT(0, 0), &place, &error), HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_values_element(descriptor, NULL, 0, AT(0, 0), &element, &error),
                HRRY_ERROR_STATE);
    CHECK_FAILS(hrry_values_copy(descriptor, NULL, 0, AT(0, 0), AT(1, 1), HRRY_AS_STORED, room, 2,
                                 &error), HRRY_ERROR_STATE);
    hrry_descriptor_free(descriptor);
}

/* One number without a dimension, and tensors without an element. */
static void small_shapes(void) {
    const double stored = 2.5;
    const hrry_memory buffer = {.data = &stored, .size = sizeof stored}, none = {NULL, 0};
    hrry_descriptor *descriptor = built(build(HRRY_TYPE_FLOAT64, 0, NULL));
    float found = 0;
    hrry_element element = {.struct_size = sizeof element};
    CHECK_OK(hrry_values_copy(descriptor, &buffer, 1, NULL, NULL, HRRY_TYPE_FLOAT32, &found, 4,
                              &error));
    CHECK(found == 2.5f);
    CHECK_OK(hrry_values_element(descriptor, &buffer, 1, NULL, &element, &error));
    CHECK(element.real == 2.5);
    CHECK_OK(hrry_values_dequantize(descriptor, &buffer, 1, 0, 1, HRRY_TYPE_FLOAT32, &found, 4,
                                    &error));
    hrry_descriptor_free(descriptor);

    descriptor = built(build(HRRY_TYPE_FLOAT64, 3, AT(4, 0, (uint64_t)1 << 62)));
    CHECK_OK(hrry_values_copy(descriptor, &none, 1, AT(0, 0, 0), AT(4, 0, (uint64_t)1 << 62),
                              HRRY_AS_STORED, NULL, 0, &error));
    CHECK_OK(hrry_values_dequantize(descriptor, &none, 1, 0, 0, HRRY_TYPE_FLOAT32, NULL, 0, &error));
    CHECK_FAILS(hrry_values_element(descriptor, &none, 1, AT(0, 0, 0), &element, &error),
                HRRY_ERROR_INDEX);
    hrry_descriptor_free(descriptor);
}

/* ---- Threads ------------------------------------------------------------------------------------
   A box is split among threads by whoever has them; they write to memory of their own. */

enum { ROWS = 96, COLUMNS = 128, THREADS = 4 };

struct share {
    const hrry_tensor *tensor;
    uint64_t first, count;
    float *rows, *values;
    hrry_status status;
};

static void *work(void *context) {
    struct share *share = context;
    const uint64_t lower[] = {share->first, 0}, extent[] = {share->count, COLUMNS};
    share->status = hrry_tensor_copy(share->tensor, lower, extent, HRRY_TYPE_FLOAT32, share->rows,
                                     share->count * COLUMNS * 4, NULL);
    if (share->status == HRRY_OK)
        share->status = hrry_tensor_dequantize(share->tensor, share->first * COLUMNS,
                                               share->count * COLUMNS, HRRY_TYPE_FLOAT32,
                                               share->values, share->count * COLUMNS * 4, NULL);
    return NULL;
}

static void split(const struct subject *subject, const void *context) {
    (void)context;
    if (subject->tensor == NULL) return;
    static float together[ROWS][COLUMNS], shared[ROWS][COLUMNS], values[ROWS][COLUMNS];
    memset(shared, 0, sizeof shared);
    memset(values, 0, sizeof values);
    CHECK_OK(hrry_tensor_copy(subject->tensor, AT(0, 0), AT(ROWS, COLUMNS), HRRY_TYPE_FLOAT32,
                              together, sizeof together, &error));
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS; j++)
            CHECK(together[i][j] == (float)((i * COLUMNS + j) % 1000) / 4);
    const uint64_t ends[THREADS + 1] = {0, 1, 33, 34, ROWS};
    pthread_t threads[THREADS];
    struct share shares[THREADS];
    for (int k = 0; k < THREADS; k++) {
        shares[k] = (struct share){subject->tensor, ends[k], ends[k + 1] - ends[k],
                                   shared[ends[k]], values[ends[k]], HRRY_OK};
        CHECK_EQ(pthread_create(&threads[k], NULL, work, &shares[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        CHECK_EQ(pthread_join(threads[k], NULL), 0);
        CHECK_EQ(shares[k].status, HRRY_OK);
    }
    CHECK_BYTES(shared, sizeof shared, together, sizeof together);
    CHECK_BYTES(values, sizeof values, together, sizeof together);
}

static void threads(void) {
    static float tiles[ROWS * COLUMNS];
    hrry_builder *builder = build(HRRY_TYPE_FLOAT32, 2, AT(ROWS, COLUMNS));
    const hrry_tiles tile = {.tile_shape = AT(8, 4), .outer_layout = HRRY_LAYOUT_COLUMN_MAJOR,
                             .inner_layout = HRRY_LAYOUT_ROW_MAJOR};
    CHECK_OK(hrry_builder_tiled(builder, &tile, 1, &error));
    hrry_descriptor *descriptor = built(builder);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS; j++)
            tiles[(i / 8 + j / 4 * (ROWS / 8)) * 32 + i % 8 * 4 + j % 4] =
                (float)((i * COLUMNS + j) % 1000) / 4;
    const hrry_memory buffer = {.data = tiles, .size = sizeof tiles};
    each_subject(descriptor, &buffer, 1, split, NULL);
    hrry_descriptor_free(descriptor);
}

int main(void) {
    for_most_programs();
    every_layout();
    every_type();
    signs();
    complex_numbers();
    conversions_that_fail();
    wrong_arguments();
    small_shapes();
    threads();
    return 0;
}
