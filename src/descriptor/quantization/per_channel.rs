//! Per-channel affine: a scale and a zero point for every index of an axis (quantization.md, 0x02).

use super::{Fields, NO_BUFFER, Parameters, Rules, SYMMETRIC, Tensor};
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
        super::INTEGERS
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
