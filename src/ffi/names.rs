//! Names of types, layouts, schemes and devices.

use std::ffi::c_char;

use super::arguments::{self, Out};
use super::error::{hrry_error, hrry_status, not_found};
use super::guard;
use crate::descriptor::{Device, ElementType, LayoutTag, SchemeTag};

/// What an element of a tensor is: type_tag, as the format has it. Tags 0xF0 to 0xFE are private
/// types, described by the descriptor's extension type section.
pub type hrry_type = u32;
/// How elements lie in buffers: layout_tag, as the format has it.
pub type hrry_layout = u32;
/// How elements are quantized: scheme_tag, as the format has it; 0 is not at all.
pub type hrry_scheme = u32;
/// Where the producer kept a buffer: device_tag, as the format has it. A record: what this library
/// hands out is in host memory.
pub type hrry_device = u32;

/// IEEE 754 half.
pub const HRRY_TYPE_FLOAT16: hrry_type = 0x01;
/// The upper half of a float32.
pub const HRRY_TYPE_BFLOAT16: hrry_type = 0x02;
/// IEEE 754 single.
pub const HRRY_TYPE_FLOAT32: hrry_type = 0x03;
/// IEEE 754 double.
pub const HRRY_TYPE_FLOAT64: hrry_type = 0x04;
/// Signed, two's complement, 8 bits.
pub const HRRY_TYPE_INT8: hrry_type = 0x10;
/// Unsigned, 8 bits.
pub const HRRY_TYPE_UINT8: hrry_type = 0x11;
/// Signed, two's complement, 16 bits.
pub const HRRY_TYPE_INT16: hrry_type = 0x12;
/// Unsigned, 16 bits.
pub const HRRY_TYPE_UINT16: hrry_type = 0x13;
/// Signed, two's complement, 32 bits.
pub const HRRY_TYPE_INT32: hrry_type = 0x14;
/// Unsigned, 32 bits.
pub const HRRY_TYPE_UINT32: hrry_type = 0x15;
/// Signed, two's complement, 64 bits.
pub const HRRY_TYPE_INT64: hrry_type = 0x16;
/// Unsigned, 64 bits.
pub const HRRY_TYPE_UINT64: hrry_type = 0x17;
/// One bit, 0 or 1.
pub const HRRY_TYPE_BOOL: hrry_type = 0x20;
/// A float of 8 bits: 4 of exponent, 3 of mantissa.
pub const HRRY_TYPE_FLOAT8_E4M3: hrry_type = 0x40;
/// A float of 8 bits: 5 of exponent, 2 of mantissa.
pub const HRRY_TYPE_FLOAT8_E5M2: hrry_type = 0x41;
/// A power of two: 8 bits of exponent, nothing else.
pub const HRRY_TYPE_FLOAT8_E8M0: hrry_type = 0x42;
/// A float of 4 bits: 2 of exponent, 1 of mantissa.
pub const HRRY_TYPE_FLOAT4_E2M1: hrry_type = 0x43;
/// A float of 6 bits: 2 of exponent, 3 of mantissa.
pub const HRRY_TYPE_FLOAT6_E2M3: hrry_type = 0x44;
/// A float of 6 bits: 3 of exponent, 2 of mantissa.
pub const HRRY_TYPE_FLOAT6_E3M2: hrry_type = 0x45;
/// IEEE 754 quadruple.
pub const HRRY_TYPE_FLOAT128: hrry_type = 0x46;
/// Signed, two's complement, 4 bits.
pub const HRRY_TYPE_INT4: hrry_type = 0x48;
/// Unsigned, 4 bits.
pub const HRRY_TYPE_UINT4: hrry_type = 0x49;
/// Signed, two's complement, 2 bits.
pub const HRRY_TYPE_INT2: hrry_type = 0x4A;
/// Unsigned, 2 bits.
pub const HRRY_TYPE_UINT2: hrry_type = 0x4B;
/// Two float32, real and imaginary part.
pub const HRRY_TYPE_COMPLEX64: hrry_type = 0x50;
/// Two float64, real and imaginary part.
pub const HRRY_TYPE_COMPLEX128: hrry_type = 0x51;

/// Dense, the last dimension runs fastest.
pub const HRRY_LAYOUT_ROW_MAJOR: hrry_layout = 0x01;
/// Dense, the first dimension runs fastest.
pub const HRRY_LAYOUT_COLUMN_MAJOR: hrry_layout = 0x02;
/// Dense, a stride for each dimension.
pub const HRRY_LAYOUT_STRIDED: hrry_layout = 0x03;
/// Dense, in tiles.
pub const HRRY_LAYOUT_TILED: hrry_layout = 0x04;
/// Dense, along a Morton curve.
pub const HRRY_LAYOUT_MORTON: hrry_layout = 0x05;
/// Sparse, a coordinate for each value.
pub const HRRY_LAYOUT_COO: hrry_layout = 0x06;
/// Sparse, by rows.
pub const HRRY_LAYOUT_CSR: hrry_layout = 0x07;
/// Sparse, by columns.
pub const HRRY_LAYOUT_CSC: hrry_layout = 0x08;
/// Sparse, a tree of coordinates.
pub const HRRY_LAYOUT_CSF: hrry_layout = 0x09;
/// Pages found through a table.
pub const HRRY_LAYOUT_BLOCK_PAGED: hrry_layout = 0x0A;
/// No data of its own: the head of the tensors that follow it.
pub const HRRY_LAYOUT_COMPOSITE: hrry_layout = 0x0B;
/// Dense, along a Hilbert curve.
pub const HRRY_LAYOUT_HILBERT: hrry_layout = 0x40;

/// Not quantized.
pub const HRRY_SCHEME_NONE: hrry_scheme = 0x00;
/// Affine, one scale for the tensor.
pub const HRRY_SCHEME_PER_TENSOR_AFFINE: hrry_scheme = 0x01;
/// Affine, a scale for each place along an axis.
pub const HRRY_SCHEME_PER_CHANNEL_AFFINE: hrry_scheme = 0x02;
/// Affine, a scale for each block along an axis.
pub const HRRY_SCHEME_PER_BLOCK_AFFINE: hrry_scheme = 0x03;
/// NF4 codes, a scale for each block.
pub const HRRY_SCHEME_NF4: hrry_scheme = 0x04;
/// Narrow floats or integers, a power of two for each block.
pub const HRRY_SCHEME_MXFP: hrry_scheme = 0x05;

/// Host memory.
pub const HRRY_DEVICE_CPU: hrry_device = 0x00;
/// CUDA.
pub const HRRY_DEVICE_CUDA: hrry_device = 0x01;
/// ROCm.
pub const HRRY_DEVICE_ROCM: hrry_device = 0x02;
/// Metal.
pub const HRRY_DEVICE_METAL: hrry_device = 0x03;
/// Vulkan.
pub const HRRY_DEVICE_VULKAN: hrry_device = 0x04;
/// WebGPU.
pub const HRRY_DEVICE_WEBGPU: hrry_device = 0x05;
/// Hexagon.
pub const HRRY_DEVICE_HEXAGON: hrry_device = 0x06;
/// Level Zero.
pub const HRRY_DEVICE_LEVEL_ZERO: hrry_device = 0x07;
/// OpenCL.
pub const HRRY_DEVICE_OPENCL: hrry_device = 0x08;

/// Room for the longest name and the zero byte at its end.
const LONGEST: usize = 32;

/// The names of all tags, as C wants them.
type Names = [[u8; LONGEST]; 256];

macro_rules! names {
    ($tag:ident => $name:expr) => {{
        let mut names = [[0; LONGEST]; 256];
        let mut rest = names.as_mut_slice();
        let mut $tag: u8 = 0;
        while let Some((room, others)) = rest.split_first_mut() {
            let name: &str = $name;
            assert!(name.len() < LONGEST);
            room.split_at_mut(name.len()).0.copy_from_slice(name.as_bytes());
            $tag = $tag.wrapping_add(1);
            rest = others;
        }
        names
    }};
}

static TYPES: Names = names!(tag => match ElementType::from_tag(tag) {
    Some(known) => known.name(),
    None => "invalid",
});
static LAYOUTS: Names = names!(tag => LayoutTag::from_tag(tag).name());
static SCHEMES: Names = names!(tag => match tag {
    0 => "none",
    _ => SchemeTag::from_tag(tag).name(),
});
static DEVICES: Names = names!(tag => Device::from_tag(tag).name());

fn name(names: &'static Names, tag: u32) -> *const c_char {
    let known = usize::try_from(tag).ok().and_then(|tag| names.get(tag));
    known.map_or(c"invalid".as_ptr(), |name| name.as_ptr().cast())
}

/// # Safety
/// `name` is NULL or points to as many bytes as are said; `out` is NULL or may be written to, and
/// so is `error`.
unsafe fn find(
    (name, length): (*const c_char, usize),
    (out, out_name): (*mut u32, &'static str),
    error: *mut hrry_error,
    what: &'static str,
    tag: impl Fn(&str) -> Option<u8>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        let out = Out::at(out);
        guard::call(error, || {
            let out = out.needed(out_name)?;
            let name = arguments::slice(name.cast(), length, "name")?;
            let known = std::str::from_utf8(name).ok().and_then(tag);
            out.put(known.ok_or_else(|| not_found(what, name, error))?.into());
            Ok(())
        })
    }
}

/// The name of an element type, as the format spells it.
///
/// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
/// `"invalid"` for a tag without a name. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_type_name(r#type: hrry_type) -> *const c_char {
    name(&TYPES, r#type)
}

/// The element type of that name.
///
/// Parameters: `name_len` bytes at `name`; `*out_type` is 0 when there is none.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_type_find(
    name: *const c_char,
    name_len: usize,
    out_type: *mut hrry_type,
    error: *mut hrry_error,
) -> hrry_status {
    let tag = |name: &str| ElementType::find(name).map(ElementType::tag);
    // SAFETY: the manual says what the caller owes.
    unsafe { find((name, name_len), (out_type, "out_type"), error, "element type", tag) }
}

/// The width of one element in bits: 1, 2, 4, 6 or a multiple of 8.
///
/// Returns 0 for a type that is private (its descriptor says: `hrry_descriptor_element_bits`) or
/// not known.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_type_bits(r#type: hrry_type) -> u32 {
    let known = u8::try_from(r#type).ok().and_then(ElementType::from_tag);
    known.and_then(ElementType::bits).unwrap_or(0)
}

/// The name of a layout, as the format spells it.
///
/// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
/// `"invalid"` for a tag without a name. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_layout_name(layout: hrry_layout) -> *const c_char {
    name(&LAYOUTS, layout)
}

/// The layout of that name.
///
/// Parameters: `name_len` bytes at `name`; `*out_layout` is 0 when there is none.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_layout_find(
    name: *const c_char,
    name_len: usize,
    out_layout: *mut hrry_layout,
    error: *mut hrry_error,
) -> hrry_status {
    let tag = |name: &str| LayoutTag::find(name).map(LayoutTag::tag);
    // SAFETY: the manual says what the caller owes.
    unsafe { find((name, name_len), (out_layout, "out_layout"), error, "layout", tag) }
}

/// The name of a quantization scheme, as the format spells it.
///
/// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
/// `"invalid"` for a tag without a name. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_scheme_name(scheme: hrry_scheme) -> *const c_char {
    name(&SCHEMES, scheme)
}

/// The quantization scheme of that name.
///
/// Parameters: `name_len` bytes at `name`; `*out_scheme` is 0 when there is none.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_scheme_find(
    name: *const c_char,
    name_len: usize,
    out_scheme: *mut hrry_scheme,
    error: *mut hrry_error,
) -> hrry_status {
    let tag = |name: &str| match name {
        "none" => Some(0),
        _ => SchemeTag::find(name).map(SchemeTag::tag),
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { find((name, name_len), (out_scheme, "out_scheme"), error, "quantization scheme", tag) }
}

/// The name of a device, as the format spells it.
///
/// Returns a text that lives forever and ends with a zero byte; `"private"`, `"reserved"` or
/// `"invalid"` for a tag without a name. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_device_name(device: hrry_device) -> *const c_char {
    name(&DEVICES, device)
}

/// The device of that name.
///
/// Parameters: `name_len` bytes at `name`; `*out_device` is 0 when there is none.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_device_find(
    name: *const c_char,
    name_len: usize,
    out_device: *mut hrry_device,
    error: *mut hrry_error,
) -> hrry_status {
    let tag = |name: &str| Device::find(name).map(Device::tag);
    // SAFETY: the manual says what the caller owes.
    unsafe { find((name, name_len), (out_device, "out_device"), error, "device", tag) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::error::{HRRY_ERROR_ARGUMENT, HRRY_ERROR_NOT_FOUND, HRRY_OK};
    use std::ffi::CStr;
    use std::ptr;

    fn text(name: *const c_char) -> &'static str {
        unsafe { CStr::from_ptr(name) }.to_str().unwrap()
    }

    fn find(name: &[u8]) -> (hrry_status, u32) {
        let mut out = 7;
        let (name, length) = (name.as_ptr().cast(), name.len());
        let status = unsafe { hrry_type_find(name, length, &mut out, ptr::null_mut()) };
        (status, out)
    }

    #[test]
    fn names_go_both_ways() {
        for known in ElementType::ALL {
            let tag = known.tag().into();
            assert_eq!(text(hrry_type_name(tag)), known.name());
            assert_eq!(find(known.name().as_bytes()), (HRRY_OK, tag));
            assert_eq!(Some(hrry_type_bits(tag)), known.bits());
        }
        assert_eq!(text(hrry_layout_name(HRRY_LAYOUT_HILBERT)), "hilbert");
        assert_eq!(text(hrry_scheme_name(HRRY_SCHEME_NONE)), "none");
        assert_eq!(text(hrry_device_name(HRRY_DEVICE_CPU)), "cpu");
    }

    #[test]
    fn a_tag_without_a_name_has_one_all_the_same() {
        assert_eq!(text(hrry_type_name(0)), "invalid");
        assert_eq!(text(hrry_type_name(0x47)), "reserved");
        assert_eq!(text(hrry_type_name(0xF0)), "private");
        assert_eq!(text(hrry_type_name(0x103)), "invalid");
        assert_eq!(text(hrry_device_name(u32::MAX)), "invalid");
        assert_eq!((hrry_type_bits(0xF0), hrry_type_bits(0x103)), (0, 0));
    }

    #[test]
    fn what_is_not_found_gives_zero() {
        assert_eq!(find(b"float33"), (HRRY_ERROR_NOT_FOUND, 0));
        assert_eq!(find(b"private"), (HRRY_ERROR_NOT_FOUND, 0));
        assert_eq!(find(b"\xFF"), (HRRY_ERROR_NOT_FOUND, 0));
        let mut out = 7;
        let status = unsafe { hrry_type_find(ptr::null(), 5, &mut out, ptr::null_mut()) };
        assert_eq!((status, out), (HRRY_ERROR_ARGUMENT, 0));
        let name = c"float32".as_ptr();
        let status = unsafe { hrry_type_find(name, 7, ptr::null_mut(), ptr::null_mut()) };
        assert_eq!(status, HRRY_ERROR_ARGUMENT);
    }
}
