//! Per-tensor affine: one scale and one zero point (quantization.md, 0x01).

use super::{Fields, Rules, Tensor, storage};
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
        storage::INTEGERS
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        let value = i64::from(self.zero_point);
        match storage::integer_range(tensor.element_type) {
            Some((min, max)) if !(min..=max).contains(&value) => {
                Err(Error::new(ErrorKind::SignedLimits { what: "zero_point", value, min, max }))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::Builder;
    use crate::descriptor::tests::{round_trips, strict};

    #[test]
    fn fields_and_their_rules() {
        let mut b = Builder::new(ElementType::INT4, &[2, 3]).unwrap();
        let d = b.quantization(PerTensor::new(-0.25, -8).unwrap()).build().unwrap();
        round_trips(&d);
        // The payload begins at 65: 45 + 16 for the buffer, 4 for its length.
        let scale = |value: f32| strict(&d, 69, &value.to_le_bytes());
        assert_eq!(scale(0.0), "descriptor: scale 0 is not finite and not 0, at byte 69");
        assert_eq!(scale(-0.0), "descriptor: scale -0 is not finite and not 0, at byte 69");
        assert_eq!(scale(f32::NAN), "descriptor: scale NaN is not finite and not 0, at byte 69");
        assert_eq!(
            scale(f32::INFINITY),
            "descriptor: scale inf is not finite and not 0, at byte 69"
        );
        assert_eq!(scale(1.0e-45), "ok");
        assert_eq!(
            strict(&d, 73, &8i32.to_le_bytes()),
            "descriptor: zero_point 8 is not in -8 to 7, at byte 61"
        );
        assert_eq!(
            strict(&d, 80, &[1]),
            "descriptor: per-tensor affine reserved must be 0, is 1, at byte 80"
        );
    }

    #[test]
    fn the_zero_point_is_a_value_of_the_storage_type() {
        for &(name, least, most) in &[
            ("int2", -2, 1),
            ("uint2", 0, 3),
            ("int4", -8, 7),
            ("uint4", 0, 15),
            ("int8", -128, 127),
            ("uint8", 0, 255),
            ("int16", -32768, 32767),
            ("uint16", 0, 65535),
            ("int32", i32::MIN, i32::MAX),
            ("uint32", 0, i32::MAX),
        ] {
            let element_type = ElementType::find(name).unwrap();
            let fits = |zero_point| {
                let mut b = Builder::new(element_type, &[]).unwrap();
                b.quantization(PerTensor::new(1.0, zero_point).unwrap()).build().is_ok()
            };
            assert!(fits(least) && fits(most), "{name}");
            assert!(least.checked_sub(1).is_none_or(|below| !fits(below)), "{name}");
            assert!(most.checked_add(1).is_none_or(|above| !fits(above)), "{name}");
        }
    }
}
