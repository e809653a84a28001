//! Tensors.

use std::ffi::{c_char, c_void};
use std::ptr;

use super::arguments::{self, Out, Room, Versioned};
use super::descriptor::hrry_descriptor;
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status};
use super::guard;
use super::names::{hrry_device, hrry_layout, hrry_scheme, hrry_type};
use crate::ErrorKind;
use crate::container::{Advice, Tensor};

/// One tensor of a file: its name, its descriptor, its buffers. Borrowed from the file, which keeps
/// it, once it was asked for, until it is closed.
///
/// Memory: 272 bytes, the bytes of its descriptor as it stands in the file, and those of its
/// sections and of its lists beyond four dimensions or three buffers: what `hrry_descriptor_memory`
/// says.
pub struct hrry_tensor(hrry_descriptor);

impl hrry_tensor {
    pub(super) fn new(tensor: Tensor) -> Self {
        Self(hrry_descriptor::of_tensor(tensor))
    }

    fn rust(&self) -> Result<&Tensor, Failure> {
        self.0.tensor().ok_or(Failure::Plain(ErrorKind::Internal { what: "not a file's tensor" }))
    }
}

/// # Safety
/// `tensor` is NULL or was given out by a file that is open for `'a`.
pub(super) unsafe fn tensor<'a>(tensor: *const hrry_tensor) -> Result<&'a Tensor, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { arguments::handle(tensor, "tensor") }?.rust()
}

/// The common case in one call: what a program asks before it uses a tensor.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_tensor_facts {
    /// sizeof(hrry_tensor_facts).
    pub struct_size: usize,
    /// The name, borrowed from the file; no zero byte at its end.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_len: usize,
    /// Its place in the index.
    pub index: u64,
    /// HRRY_TYPE_*.
    pub r#type: hrry_type,
    /// HRRY_LAYOUT_*.
    pub layout: hrry_layout,
    /// HRRY_SCHEME_*; HRRY_SCHEME_NONE when it is not quantized.
    pub scheme: hrry_scheme,
    /// Dimensions, 0 to 64.
    pub rank: u32,
    /// `rank` sizes, borrowed from the file; HRRY_UNKNOWN is a dynamic one. NULL when rank is 0.
    pub shape: *const u64,
    /// Product of the sizes; HRRY_UNKNOWN when one is dynamic or 64 bits do not hold it.
    pub element_count: u64,
    /// Width of an element; 0 when it is not known.
    pub element_bits: u32,
    /// Buffers.
    pub buffer_count: u32,
    /// The first buffer, borrowed from the file; NULL when there is none or the file is not in
    /// memory. Touching it can fault when somebody truncates a mapped file.
    pub data: *const c_void,
    /// Bytes of the first buffer; 0 when there is none.
    pub size: u64,
    /// Where the first buffer begins in the file.
    pub offset: u64,
    /// Bytes from there to the end of the last buffer, padding between buffers among them.
    pub data_len: u64,
    /// From the start of the first buffer to the first element.
    pub byte_offset: u64,
    /// HRRY_DEVICE_* of the buffers.
    pub device: hrry_device,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_tensor_facts {
    const NAME: &'static str = "hrry_tensor_facts";
    const FIRST: usize = 120;
}

/// One buffer of a tensor, in place.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_buffer {
    /// sizeof(hrry_buffer).
    pub struct_size: usize,
    /// Its bytes, borrowed from the file; NULL when the file is not in memory. Touching them can
    /// fault when somebody truncates a mapped file.
    pub data: *const c_void,
    /// Bytes.
    pub size: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// The largest power of two that divides the address `data`; 0 when that is NULL.
    pub alignment: u64,
    /// The alignment that the descriptor declares: that of its producer's memory, a power of two.
    /// It may be more than what holds here.
    pub declared_alignment: u32,
    /// HRRY_DEVICE_*, where the producer kept it.
    pub device: hrry_device,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_buffer {
    const NAME: &'static str = "hrry_buffer";
    const FIRST: usize = 48;
}

/// What is to come, for `hrry_tensor_advise`.
pub type hrry_advice = u32;
/// Nothing in particular.
pub const HRRY_ADVICE_NORMAL: hrry_advice = 0;
/// It will be read from front to back.
pub const HRRY_ADVICE_SEQUENTIAL: hrry_advice = 1;
/// It will be read here and there.
pub const HRRY_ADVICE_RANDOM: hrry_advice = 2;
/// It will be read soon: worth fetching now.
pub const HRRY_ADVICE_WILL_NEED: hrry_advice = 3;
/// It will not be read again soon: its memory can serve others.
pub const HRRY_ADVICE_DONT_NEED: hrry_advice = 4;

/// The name.
///
/// Returns a text borrowed from the file, its length in `*out_len`; no zero byte at its end. NULL
/// for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_name(
    tensor: *const hrry_tensor,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        guard::value(ptr::null(), || {
            self::tensor(tensor).map_or(ptr::null(), |tensor| {
                out.put(tensor.name().len());
                tensor.name().as_ptr().cast()
            })
        })
    }
}

/// The place in the index.
///
/// Returns HRRY_UNKNOWN for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_index(tensor: *const hrry_tensor) -> u64 {
    // SAFETY: the manual says what the caller owes.
    let tensor = unsafe { self::tensor(tensor) };
    guard::value(HRRY_UNKNOWN, || tensor.map_or(HRRY_UNKNOWN, Tensor::index))
}

/// The descriptor.
///
/// Returns a descriptor borrowed from the file; NULL for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_descriptor(
    tensor: *const hrry_tensor,
) -> *const hrry_descriptor {
    // SAFETY: the manual says what the caller owes.
    let tensor = unsafe { tensor.as_ref() };
    tensor.map_or(ptr::null(), |tensor| ptr::from_ref(&tensor.0))
}

/// The descriptor's bytes as they stand in the file.
///
/// Returns bytes borrowed from the file, their length in `*out_len`; NULL for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_descriptor_bytes(
    tensor: *const hrry_tensor,
    out_len: *mut usize,
) -> *const c_void {
    // SAFETY: the manual says what the caller owes; the two are one struct.
    unsafe { super::descriptor::hrry_descriptor_bytes(tensor.cast(), out_len) }
}

/// The common case in one call.
///
/// Ownership: what `facts` points to is borrowed from the file.
/// Parameters: `facts` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_ROOM when struct_size is below that of the first version.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_info(
    tensor: *const hrry_tensor,
    facts: *mut hrry_tensor_facts,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(facts)?;
            let tensor = self::tensor(tensor)?;
            let (entry, descriptor) = (tensor.entry()?, tensor.descriptor());
            let shape = descriptor.shape();
            let quantization = descriptor.quantization();
            let (data, size, device) = match tensor.buffer_count() {
                0 => (ptr::null(), 0, 0),
                _ => {
                    let first = tensor.buffer(0)?;
                    (address(first.data), first.size, first.device.into())
                }
            };
            room.fill(&hrry_tensor_facts {
                struct_size: 0,
                name: entry.name.as_ptr().cast(),
                name_len: entry.name.len(),
                index: tensor.index(),
                r#type: descriptor.element_type().tag().into(),
                layout: descriptor.layout_tag().into(),
                scheme: quantization.map_or(0, |scheme| scheme.tag().tag().into()),
                rank: descriptor.rank(),
                shape: if shape.is_empty() { ptr::null() } else { shape.as_ptr() },
                element_count: descriptor.element_count().unwrap_or(HRRY_UNKNOWN),
                element_bits: descriptor.element_bits().unwrap_or(0),
                buffer_count: u32::try_from(tensor.buffer_count()).unwrap_or(u32::MAX),
                data,
                size,
                offset: entry.data_offset,
                data_len: entry.data_length,
                byte_offset: descriptor.byte_offset(),
                device,
                reserved: 0,
            });
            Ok(())
        })
    }
}

/// How many buffers there are; 0 for a composite head.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_buffer_count(tensor: *const hrry_tensor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    let tensor = unsafe { self::tensor(tensor) };
    guard::value(0, || {
        let count = tensor.map_or(0, Tensor::buffer_count);
        u32::try_from(count).unwrap_or(u32::MAX)
    })
}

/// A buffer: where it is, and how it is aligned.
///
/// Ownership: what `out_buffer` points to is borrowed from the file.
/// Parameters: `index` below `hrry_tensor_buffer_count`; `out_buffer` is filled in as far as its
/// struct_size goes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_buffer(
    tensor: *const hrry_tensor,
    index: u32,
    out_buffer: *mut hrry_buffer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(out_buffer)?;
            let buffer = self::tensor(tensor)?.buffer(index.into())?;
            room.fill(&hrry_buffer {
                struct_size: 0,
                data: address(buffer.data),
                size: buffer.size,
                offset: buffer.file_offset,
                alignment: buffer.actual_alignment,
                declared_alignment: buffer.declared_alignment,
                device: buffer.device.into(),
            });
            Ok(())
        })
    }
}

fn address(data: Option<ptr::NonNull<u8>>) -> *const c_void {
    data.map_or(ptr::null(), |data| data.as_ptr().cast_const().cast())
}

/// Copies bytes of a buffer into the caller's memory, by positioned reads and never through the
/// mapping: a file that became shorter is a status, not a signal.
///
/// Parameters: `len` bytes from byte `offset` of buffer `buffer` on go to `dst`, whose content is
/// undefined when the call fails.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_read(
    tensor: *const hrry_tensor,
    buffer: u32,
    offset: u64,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let dst = arguments::slice_mut(dst.cast(), len, "dst")?;
            Ok(tensor.read(buffer.into(), offset, dst)?)
        })
    }
}

/// Tells the system what is to come for the data of a tensor. Nothing depends on it but speed.
///
/// Parameters: `advice` one of HRRY_ADVICE_*.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_SYSTEM (os_error is errno).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_advise(
    tensor: *const hrry_tensor,
    advice: hrry_advice,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let advice = match advice {
                HRRY_ADVICE_NORMAL => Advice::Normal,
                HRRY_ADVICE_SEQUENTIAL => Advice::Sequential,
                HRRY_ADVICE_RANDOM => Advice::Random,
                HRRY_ADVICE_WILL_NEED => Advice::WillNeed,
                HRRY_ADVICE_DONT_NEED => Advice::DontNeed,
                value => {
                    return Err(ErrorKind::Unknown { what: "advice", value: value.into() }.into());
                }
            };
            Ok(tensor.advise(advice)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_tensor_costs_what_the_header_says() {
        assert_eq!(size_of::<hrry_tensor>(), 272);
    }
}
