//! One element.

use super::buffer::Buffer;
use super::number::{self, Value};
use crate::address::Place;
use crate::bytes::math;
use crate::descriptor::{Descriptor, ElementType};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the widest element that is handed out.
const WIDEST: usize = 16;

/// One element of a tensor: as stored, and as the value that this stands for. Of a quantized tensor
/// that is its code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Whether it is stored. Elements of sparse tensors that are not are zero.
    pub stored: bool,
    /// How many bits it has.
    pub width: u32,
    /// Its bits, the lowest first; zeros above.
    pub bits: [u8; WIDEST],
    /// Its value.
    pub value: Value,
}

impl Element {
    /// An element that is stored at this place of the buffer.
    pub(super) fn read(d: &Descriptor, buffer: &Buffer<'_>, place: Place) -> Result<Self> {
        let (width, bytes) = size(d)?;
        let mut bits = [0; WIDEST];
        if width >= 8 {
            buffer.read(place.byte, bits.get_mut(..bytes).unwrap_or_default())?;
        } else {
            let mut group = [0; 3];
            let group = if width == 6 { &mut group[..] } else { &mut group[..1] };
            buffer.read(place.byte, group)?;
            let mut code = [0];
            let within = place.bit.checked_div(width).unwrap_or_default();
            let within = math::to_usize(within.into(), "place of an element in its byte")?;
            number::unpack(width, group, within, &mut code);
            if let (Some(low), [code]) = (bits.first_mut(), code) {
                *low = code;
            }
        }
        let code = bits.get(..bytes).unwrap_or_default();
        let value = number::value_of(d.element_type(), code);
        Ok(Self { stored: true, width, bits, value })
    }

    /// An element that is not stored.
    pub(super) fn absent(d: &Descriptor) -> Result<Self> {
        let (width, bytes) = size(d)?;
        let bits = [0; WIDEST];
        let value = match d.element_type() {
            // No code of this type is zero.
            ElementType::FLOAT8_E8M0 => Value::Float(0.0),
            known => number::value_of(known, bits.get(..bytes).unwrap_or_default()),
        };
        Ok(Self { stored: false, width, bits, value })
    }
}

/// Bits of an element, and the bytes that hold them.
fn size(d: &Descriptor) -> Result<(u32, usize)> {
    let width = d.element_bits().ok_or_else(|| {
        let what = "reading elements of a type that is not known";
        Error::new(ErrorKind::Unsupported { what })
    })?;
    let bytes = math::to_usize(width.div_ceil(8).into(), "bytes of an element")?;
    if bytes > WIDEST {
        let what = "reading single elements of more than 16 bytes";
        return Err(Error::new(ErrorKind::Unsupported { what }));
    }
    Ok((width, bytes))
}
