//! Per-tensor affine: one scale and one zero point (quantization.md, 0x01).

use super::{Fields, Rules, Tensor};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// `x = scale * (q - zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerTensor {
    scale: f32,
    zero_point: i32,
}

impl PerTensor {
    /// The scale must be finite and not 0, the zero point a value of the storage type.
    pub fn new(scale: f32, zero_point: i32) -> Result<Self> {
        if !scale.is_finite() || scale == 0.0 {
            let (what, value, rule) = ("scale", scale.into(), "finite and not 0");
            return Err(Error::new(ErrorKind::Float { what, value, rule }));
        }
        Ok(Self { scale, zero_point })
    }

    /// The scale.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The zero point.
    pub fn zero_point(&self) -> i32 {
        self.zero_point
    }
}

impl Fields for PerTensor {
    fn read(cursor: &mut Cursor<'_>, _flags: u16) -> Result<Self> {
        let at = cursor.offset();
        let (scale, zero_point) = (cursor.f32("scale")?, cursor.i32("zero_point")?);
        cursor.reserved(4, "per-tensor affine reserved")?;
        Self::new(scale, zero_point).map_err(|error| error.at(at))
    }
}

impl Rules for PerTensor {
    fn encoded_len(&self) -> u64 {
        16
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.f32(self.scale)?;
        sink.i32(self.zero_point)?;
        sink.zeros(4)
    }

    fn storage(&self) -> &'static [ElementType] {
        super::INTEGERS
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        let value = i64::from(self.zero_point);
        match super::integer_range(tensor.element_type) {
            Some((min, max)) if !(min..=max).contains(&value) => {
                Err(Error::new(ErrorKind::SignedLimits { what: "zero_point", value, min, max }))
            }
            _ => Ok(()),
        }
    }
}
