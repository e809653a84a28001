//! Values of elements, over a descriptor and buffers wherever they are.

use std::ffi::c_void;

use super::arguments::{self, Numbers, Room, Versioned};
use super::descriptor::{self, hrry_descriptor};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::names::{
    HRRY_TYPE_BFLOAT16, HRRY_TYPE_FLOAT16, HRRY_TYPE_FLOAT32, HRRY_TYPE_FLOAT64, HRRY_TYPE_INT64,
    hrry_type,
};
use crate::ErrorKind;
use crate::address::Place;
use crate::bytes::{Foreign, math};
use crate::descriptor::layout::Kind;
use crate::descriptor::{Descriptor, ElementType};
use crate::values::{Element, Target, Value, Values};

/// One buffer of a tensor, wherever it lies in memory. 16 bytes where pointers have 8, for the life
/// of the ABI.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_memory {
    /// The first byte; NULL when there are none. No alignment is asked for.
    pub data: *const c_void,
    /// How many bytes.
    pub size: usize,
}

/// Where an element stands.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_place {
    /// sizeof(hrry_place).
    pub struct_size: usize,
    /// 1: it has a place. 0: a sparse tensor does not store it, it is zero; the rest is 0.
    pub is_stored: u32,
    /// The first bit in the byte, for elements below a byte. 6-bit elements: in the group of three
    /// bytes, read as one little-endian number.
    pub bit: u32,
    /// Elements between the first, at byte_offset, and this one. Negative strides go below it.
    pub element: i64,
    /// The byte in the first buffer; with 6-bit elements that of the group.
    pub byte: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_place {
    const NAME: &'static str = "hrry_place";
    const FIRST: usize = 32;
}

/// What the number of an element is.
pub type hrry_element_kind = u32;
/// Not a number that C has: float128, a private or unknown type, an e8m0 that is not valid. `bits`
/// has it.
pub const HRRY_ELEMENT_OPAQUE: hrry_element_kind = 0;
/// `real` has it, exactly.
pub const HRRY_ELEMENT_FLOAT: hrry_element_kind = 1;
/// `signed_value` has it; `real` is the nearest double.
pub const HRRY_ELEMENT_SIGNED: hrry_element_kind = 2;
/// `unsigned_value` has it; `real` is the nearest double.
pub const HRRY_ELEMENT_UNSIGNED: hrry_element_kind = 3;
/// `unsigned_value` and `real` are 0 or 1.
pub const HRRY_ELEMENT_BOOL: hrry_element_kind = 4;
/// `real` and `imaginary` have it, exactly.
pub const HRRY_ELEMENT_COMPLEX: hrry_element_kind = 5;

/// One element: as it is stored, and as a number. Of a quantized tensor it is the code.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_element {
    /// sizeof(hrry_element).
    pub struct_size: usize,
    /// HRRY_ELEMENT_*.
    pub kind: hrry_element_kind,
    /// 1: it is stored. 0: a sparse tensor does not store it, it is zero.
    pub is_stored: u32,
    /// The stored bits, the lowest first, zero above them.
    pub bits: [u8; 16],
    /// The number, or the real part.
    pub real: f64,
    /// The imaginary part of a complex number, else 0.
    pub imaginary: f64,
    /// A signed integer, else 0.
    pub signed_value: i64,
    /// An unsigned integer, else 0.
    pub unsigned_value: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_element {
    const NAME: &'static str = "hrry_element";
    const FIRST: usize = 64;
}

/// As a type to copy elements to: the stored type, as the format packs it. Elements below a byte
/// follow one another without gaps, the lowest bits first; unused bits of the last byte are zero.
pub const HRRY_AS_STORED: hrry_type = 0;
/// As a type to copy elements to: the stored type, elements below a byte one a byte: int4 and int2
/// with their sign, the others with zeros above them. Wider elements as HRRY_AS_STORED.
pub const HRRY_AS_BYTES: hrry_type = 0x100;

/// Where an element stands.
///
/// Dense layouts: by arithmetic; no buffer is looked at, and (NULL, 0) is enough. Sparse layouts:
/// its place among the values, by binary search where the order allows it (CSR, CSC, CSF, sorted
/// COO), else by looking through them. Block-paged: by the page table, where the tensor is one row
/// for each of its slots.
/// Parameters: `index` rank numbers; `count` buffers at `buffers`, one for each in the descriptor's
/// table and at least as large; `place` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
/// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
/// HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
/// none).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_locate(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    index: *const u64,
    place: *mut hrry_place,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(place)?;
            let descriptor = descriptor::descriptor(descriptor)?;
            let index = Numbers::at(index, descriptor.shape().len(), "index")?;
            if count == 0 && descriptor.layout().kind() == Kind::Dense {
                room.fill(&place_of(Some(crate::address::locate(descriptor, &index)?)));
                return Ok(());
            }
            with(descriptor, buffers, count, |values| {
                room.fill(&place_of(values.locate(&index)?));
                Ok(())
            })
        })
    }
}

/// Where an element of a block-paged tensor stands, by sequence and token: through the page table,
/// whose entry is checked.
///
/// Parameters: `token` counts from the first of the sequence; `head` and `dim` are the last two
/// indices; buffers as for `hrry_values_locate`; `place` is filled in as far as its struct_size
/// goes.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
/// HRRY_ERROR_TYPE (not block-paged), HRRY_ERROR_MEMORY, a fault of the file (a pointer or page is
/// none).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_locate_token(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    sequence: u64,
    token: u64,
    head: u64,
    dim: u64,
    place: *mut hrry_place,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(place)?;
            with(descriptor::descriptor(descriptor)?, buffers, count, |values| {
                let place = values.locate_token(sequence, token, head, dim)?;
                room.fill(&place_of(Some(place)));
                Ok(())
            })
        })
    }
}

/// One element: as it is stored and as a number. Of a quantized tensor it is the code;
/// `hrry_values_dequantize` gives its value. Private types of more than 128 bits are not handed out
/// one by one: that is HRRY_ERROR_UNSUPPORTED, and `hrry_values_copy` brings them.
///
/// Parameters: `index` rank numbers; buffers as for `hrry_values_locate`; `element` is filled in as
/// far as its struct_size goes.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_INDEX, HRRY_ERROR_ROOM (a buffer is too small),
/// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
/// HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
/// none).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_element(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    index: *const u64,
    element: *mut hrry_element,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(element)?;
            let descriptor = descriptor::descriptor(descriptor)?;
            let index = Numbers::at(index, descriptor.shape().len(), "index")?;
            with(descriptor, buffers, count, |values| {
                room.fill(&element_of(&values.element(&index)?));
                Ok(())
            })
        })
    }
}

/// Copies a box of the tensor, row-major, whatever the layout: tiles, curves and strides are
/// undone, what a sparse tensor does not store is zero. Of a quantized tensor these are the codes.
///
/// Takes time for what the box holds, and in a COO tensor for its coordinates: where they are sorted
/// for those whose first number lies in the box, else for all of them, at every call.
///
/// Holds no lock and allocates nothing for the elements, up to 4 dimensions nothing at all: split
/// the box and bring threads. However it is split, the bytes are the same. When it fails, `dst` may
/// be filled in part.
/// Parameters: `lower` and `extent` rank numbers; `type` HRRY_AS_STORED, HRRY_AS_BYTES, or one of
/// HRRY_TYPE_FLOAT32, FLOAT64, FLOAT16, BFLOAT16 and INT64: converted, rounded to nearest, ties to
/// even, what is too large for a float becomes infinity; the tensor's own type is HRRY_AS_STORED.
/// To INT64 go whole numbers in its range. `dst` is `len` bytes, exactly what the box takes; any
/// alignment, and apart from the buffers. Buffers as for `hrry_values_locate`.
/// Status: HRRY_ERROR_ARGUMENT (another `type` too), HRRY_ERROR_RANGE (the box leaves the shape),
/// HRRY_ERROR_ROOM (`len` or a buffer), HRRY_ERROR_OVERFLOW (64 bits do not count its bytes),
/// HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic dimension),
/// HRRY_ERROR_UNSUPPORTED (no such conversion of its type), HRRY_ERROR_VALUE (an element has no
/// value in that type), HRRY_ERROR_MEMORY, a fault of the file (an index or page in a buffer is
/// none).
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_copy(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    lower: *const u64,
    extent: *const u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let descriptor = descriptor::descriptor(descriptor)?;
            let lower = Numbers::at(lower, descriptor.shape().len(), "lower")?;
            let extent = Numbers::at(extent, descriptor.shape().len(), "extent")?;
            let target = target(r#type, descriptor.element_type())?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            with(descriptor, buffers, count, |values| values.copy(&lower, &extent, target, dst))
        })
    }
}

/// Copies tokens of one sequence of a block-paged tensor: [tokens, heads, dim], row-major.
///
/// Parameters: `tokens` of them from `first` on, counted in the sequence; the rest as for
/// `hrry_values_copy`.
/// Status: as for `hrry_values_copy`; HRRY_ERROR_TYPE when it is not block-paged, HRRY_ERROR_INDEX
/// when the sequence has fewer tokens, by its pages.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_copy_tokens(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    sequence: u64,
    first: u64,
    tokens: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let descriptor = descriptor::descriptor(descriptor)?;
            let target = target(r#type, descriptor.element_type())?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            with(descriptor, buffers, count, |values| {
                values.copy_tokens(sequence, first, tokens, target, dst)
            })
        })
    }
}

/// The values of a range of elements, in row-major order of the tensor whatever its layout: codes
/// become numbers as the scheme says, computed in float32 exactly as the format writes it
/// (quantization.md). A tensor that is not quantized gives its own values, converted as by
/// `hrry_values_copy`. What a sparse tensor does not store is 0.
///
/// Holds no lock and allocates nothing for the elements, up to 4 dimensions nothing at all: split
/// the range and bring threads. However it is split, the bytes are the same. When it fails, `dst`
/// may be filled in part.
/// Parameters: `n` elements from the `first` on, which counts along the last dimension fastest;
/// `type` is HRRY_TYPE_FLOAT32, or what its result is rounded to: FLOAT16, BFLOAT16, FLOAT64. `dst`
/// is `len` bytes, exactly what they take; any alignment, and apart from the buffers. Buffers as for
/// `hrry_values_locate`.
/// Status: HRRY_ERROR_ARGUMENT (another `type` too), HRRY_ERROR_INDEX (there are fewer elements),
/// HRRY_ERROR_ROOM (`len` or a buffer), HRRY_ERROR_OVERFLOW (64 bits do not count the elements of
/// the tensor: ask for a box), HRRY_ERROR_STATE (a composite head), HRRY_ERROR_RULE (a dynamic
/// dimension), HRRY_ERROR_UNSUPPORTED (no such conversion of its type), HRRY_ERROR_VALUE (an
/// element has no value in that type), HRRY_ERROR_MEMORY, a fault of the file (an index or page in
/// a buffer is none).
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_dequantize(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    first: u64,
    n: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let target = float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            with(descriptor::descriptor(descriptor)?, buffers, count, |values| {
                values.dequantize(first, n, target, dst)
            })
        })
    }
}

/// The values of a box of the tensor, row-major: what `hrry_values_dequantize` gives for a range.
///
/// Parameters: `lower` and `extent` rank numbers; the rest as for `hrry_values_dequantize`.
/// Status: as for `hrry_values_dequantize`; HRRY_ERROR_RANGE when the box leaves the shape.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_dequantize_box(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    lower: *const u64,
    extent: *const u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let descriptor = descriptor::descriptor(descriptor)?;
            let lower = Numbers::at(lower, descriptor.shape().len(), "lower")?;
            let extent = Numbers::at(extent, descriptor.shape().len(), "extent")?;
            let target = float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            with(descriptor, buffers, count, |values| {
                values.dequantize_box(&lower, &extent, target, dst)
            })
        })
    }
}

/// The values of tokens of one sequence of a block-paged tensor: [tokens, heads, dim], row-major.
///
/// Parameters: `tokens` of them from `first` on, counted in the sequence; the rest as for
/// `hrry_values_dequantize`.
/// Status: as for `hrry_values_dequantize`; HRRY_ERROR_TYPE when it is not block-paged,
/// HRRY_ERROR_INDEX when the sequence has fewer tokens, by its pages.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_values_dequantize_tokens(
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_memory,
    count: u32,
    sequence: u64,
    first: u64,
    tokens: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let target = float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            with(descriptor::descriptor(descriptor)?, buffers, count, |values| {
                values.dequantize_tokens(sequence, first, tokens, target, dst)
            })
        })
    }
}

/// Runs `body` over a descriptor and the caller's buffers.
///
/// # Safety
/// `buffers` is NULL or points to `count` of them, each readable for the call.
unsafe fn with(
    descriptor: &Descriptor,
    buffers: *const hrry_memory,
    count: u32,
    body: impl FnOnce(&Values<'_>) -> crate::Result<()>,
) -> Result<(), Failure> {
    // SAFETY: as promised by the caller.
    unsafe {
        let buffers = arguments::slice(buffers, math::to_usize(count.into(), "count")?, "buffers")?;
        // Tables of most layouts are short, and one element is asked for as well as many.
        match buffers.len() {
            0..=4 => with_table::<4>(descriptor, buffers, body),
            _ => with_table::<255>(descriptor, buffers, body),
        }
    }
}

/// As `with`, for tables of at most `N` buffers.
///
/// # Safety
/// As for `with`.
unsafe fn with_table<const N: usize>(
    descriptor: &Descriptor,
    buffers: &[hrry_memory],
    body: impl FnOnce(&Values<'_>) -> crate::Result<()>,
) -> Result<(), Failure> {
    let mut table = [Foreign::of(&[]); N];
    let Some(table) = table.get_mut(..buffers.len()) else {
        let (found, expected) = (math::wide(buffers.len()), math::wide(descriptor.buffers().len()));
        return Err(ErrorKind::Amount { what: "count of buffers", found, expected }.into());
    };
    for (entry, buffer) in table.iter_mut().zip(buffers) {
        let data = arguments::memory(buffer.data.cast::<u8>(), buffer.size, "data of a buffer")?;
        // SAFETY: not NULL unless empty; the caller lends `size` bytes for the call.
        *entry = unsafe { Foreign::from_raw(data, buffer.size) };
    }
    Ok(body(&Values::new(descriptor, table)?)?)
}

/// What elements become, `own` being the tensor's type.
pub(super) fn target(tag: hrry_type, own: ElementType) -> Result<Target, Failure> {
    if tag == u32::from(own.tag()) {
        return Ok(Target::Stored);
    }
    Ok(match tag {
        HRRY_AS_STORED => Target::Stored,
        HRRY_AS_BYTES => Target::Bytes,
        HRRY_TYPE_INT64 => Target::I64,
        tag => float_target(tag)?,
    })
}

/// What values become.
pub(super) fn float_target(tag: hrry_type) -> Result<Target, Failure> {
    Ok(match tag {
        HRRY_TYPE_FLOAT16 => Target::F16,
        HRRY_TYPE_BFLOAT16 => Target::Bf16,
        HRRY_TYPE_FLOAT32 => Target::F32,
        HRRY_TYPE_FLOAT64 => Target::F64,
        value => return Err(ErrorKind::Unknown { what: "target type", value: value.into() }.into()),
    })
}

pub(super) fn place_of(place: Option<Place>) -> hrry_place {
    let empty = hrry_place { struct_size: 0, is_stored: 0, bit: 0, element: 0, byte: 0 };
    place.map_or(empty, |Place { element, byte, bit }| hrry_place {
        is_stored: 1,
        bit,
        element,
        byte,
        ..empty
    })
}

#[allow(clippy::as_conversions, reason = "to the nearest double")]
pub(super) fn element_of(element: &Element) -> hrry_element {
    let mut given = hrry_element {
        struct_size: 0,
        kind: HRRY_ELEMENT_OPAQUE,
        is_stored: element.stored.into(),
        bits: element.bits,
        real: 0.0,
        imaginary: 0.0,
        signed_value: 0,
        unsigned_value: 0,
    };
    match element.value {
        Value::Float(value) => (given.kind, given.real) = (HRRY_ELEMENT_FLOAT, value),
        Value::Int(value) => {
            (given.kind, given.signed_value) = (HRRY_ELEMENT_SIGNED, value);
            given.real = value as f64;
        }
        Value::Uint(value) => {
            (given.kind, given.unsigned_value) = (HRRY_ELEMENT_UNSIGNED, value);
            given.real = value as f64;
        }
        Value::Bool(value) => {
            (given.kind, given.unsigned_value) = (HRRY_ELEMENT_BOOL, value.into());
            given.real = if value { 1.0 } else { 0.0 };
        }
        Value::Complex(real, imaginary) => {
            given.kind = HRRY_ELEMENT_COMPLEX;
            (given.real, given.imaginary) = (real, imaginary);
        }
        Value::Opaque => {}
    }
    given
}
