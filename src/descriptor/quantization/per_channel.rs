//! Per-channel affine: a scale and a zero point for every index of an axis (quantization.md, 0x02).

use super::{Fields, NO_BUFFER, Parameters, Rules, SYMMETRIC, Tensor, storage};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// `x = scale[i] * (q - zero_point[i])`, i the index along the axis; scales are float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerChannel {
    axis: u32,
    scale_buffer: u32,
    zero_point_buffer: Option<u32>,
}

impl PerChannel {
    /// Scales, and zero points unless the scheme is symmetric, in these entries of the buffer
    /// table, which come after the layout's own.
    pub fn new(axis: u32, scale_buffer: u32, zero_point_buffer: Option<u32>) -> Self {
        Self { axis, scale_buffer, zero_point_buffer }
    }

    /// The axis.
    pub fn axis(&self) -> u32 {
        self.axis
    }

    /// The buffer of the scales.
    pub fn scale_buffer(&self) -> u32 {
        self.scale_buffer
    }

    /// The buffer of the zero points; `None` when the scheme is symmetric.
    pub fn zero_point_buffer(&self) -> Option<u32> {
        self.zero_point_buffer
    }
}

impl Fields for PerChannel {
    const FLAGS: u16 = SYMMETRIC;

    fn read(cursor: &mut Cursor<'_>, flags: u16) -> Result<Self> {
        let axis = cursor.u32("axis")?;
        let scale_buffer = cursor.u32("scale_buffer")?;
        let at = cursor.offset();
        let raw = cursor.u32("zero_point_buffer")?;
        let zero_point_buffer = super::read_zero_points(raw, flags);
        if zero_point_buffer.is_none() && raw != NO_BUFFER {
            let (found, expected) = (raw.into(), NO_BUFFER.into());
            let what = "zero_point_buffer of a symmetric scheme";
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected }).at(at));
        }
        let at = cursor.offset();
        let scale_type = cursor.u8("scale_type")?;
        let expected = ElementType::FLOAT32.tag();
        if scale_type != expected {
            let (what, found) = ("scale_type", scale_type.into());
            let expected = expected.into();
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected }).at(at));
        }
        cursor.reserved(3, "per-channel affine reserved")?;
        Ok(Self { axis, scale_buffer, zero_point_buffer })
    }
}

impl Rules for PerChannel {
    fn flags(&self) -> u16 {
        super::affine_flags(self.zero_point_buffer)
    }

    fn encoded_len(&self) -> u64 {
        20
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.axis)?;
        sink.u32(self.scale_buffer)?;
        sink.u32(self.zero_point_buffer.unwrap_or(NO_BUFFER))?;
        sink.u8(ElementType::FLOAT32.tag())?;
        sink.zeros(3)
    }

    fn storage(&self) -> &'static [ElementType] {
        storage::INTEGERS
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        super::axis_size(self.axis, tensor.shape)?;
        // Channels along the paged axis would be tokens of nobody's sequence.
        if tensor.layout.rules().pages().is_some() && self.axis == 0 {
            let what = "axis on a block-paged tensor";
            return Err(Error::new(ErrorKind::Limits { what, value: 0, min: 1, max: 2 }));
        }
        Ok(())
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            scales: Some(self.scale_buffer),
            scale_bytes: 4,
            zero_points: self.zero_point_buffer,
        }
    }

    fn entries(&self, tensor: &Tensor<'_>) -> Result<Option<u64>> {
        super::axis_size(self.axis, tensor.shape).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{round_trips, strict};
    use crate::descriptor::{Builder, DYNAMIC, Descriptor};

    fn built(shape: &[u64], scheme: PerChannel) -> Result<Descriptor> {
        Builder::new(ElementType::INT8, shape)?.quantization(scheme).build()
    }

    #[test]
    fn a_scale_and_a_zero_point_for_every_channel() {
        let sizes = |scheme| -> Vec<u64> {
            let d = built(&[4, 6], scheme).unwrap();
            round_trips(&d);
            d.buffers().iter().map(|buffer| buffer.byte_size).collect()
        };
        assert_eq!(sizes(PerChannel::new(0, 1, None)), [24, 16]);
        assert_eq!(sizes(PerChannel::new(1, 1, Some(2))), [24, 24, 24]);
        assert_eq!(sizes(PerChannel::new(1, 2, Some(1))), [24, 24, 24]);
        assert_eq!(sizes(PerChannel::new(1, 1, Some(1))), [24, 48]);
        // The channels of an empty tensor keep their scales.
        let d = built(&[0, 6], PerChannel::new(1, 1, None)).unwrap();
        assert_eq!((d.buffers()[1].byte_size, d.parameter_count().unwrap()), (24, Some(6)));
    }

    #[test]
    fn fields_and_their_rules() {
        let d = built(&[4, 6], PerChannel::new(1, 1, None)).unwrap();
        // The payload begins at 81.
        assert_eq!(strict(&d, 85, &[2]), "descriptor: axis 2 is not in 0 to 1, at byte 77");
        assert_eq!(strict(&d, 89, &[0]), "descriptor: scale_buffer 0 is not in 1 to 1, at byte 77");
        assert_eq!(strict(&d, 89, &[2]), "descriptor: scale_buffer 2 is not in 1 to 1, at byte 77");
        assert_eq!(
            strict(&d, 93, &[2, 0, 0, 0]),
            "descriptor: zero_point_buffer of a symmetric scheme is 2, must be 4294967295, \
             at byte 93"
        );
        assert_eq!(strict(&d, 97, &[1]), "descriptor: scale_type is 1, must be 3, at byte 97");
        assert_eq!(
            strict(&d, 98, &[1]),
            "descriptor: per-channel affine reserved must be 0, is 1, at byte 98"
        );
        assert_eq!(
            strict(&d, 61, &[25]),
            "descriptor: buffer 1: byte_size is 25, must be 24, at byte 61"
        );
        // Without SYMMETRIC there must be zero points.
        assert_eq!(strict(&d, 83, &[0]), "descriptor: buffer_count is 2, must be 3, at byte 44");
        let message = |shape| built(shape, PerChannel::new(1, 1, None)).unwrap_err().to_string();
        assert_eq!(message(&[4, DYNAMIC]), "axis 1: dynamic dimension");
        assert_eq!(message(&[]), "axis of a scheme on a tensor of rank 0");
        let mut dynamic = Builder::new(ElementType::INT8, &[DYNAMIC, 6]).unwrap();
        dynamic.quantization(PerChannel::new(1, 1, None)).buffer_size(0, 5).unwrap();
        let d = dynamic.build().unwrap();
        assert_eq!(d.buffers()[1].byte_size, 24);
        round_trips(&d);
    }
}
