//! Scales of quantization schemes as float32.

use super::{Misfit, half, narrow};

/// What scales are stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScaleKind {
    F16,
    Bf16,
    F32,
    /// 2^(e - 127).
    E8m0,
}

impl ScaleKind {
    /// Bytes of one scale.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::E8m0 => 1,
        }
    }
}

/// Widens as many scales as `out` has room for. Of e8m0 the codes 00 and FF are errors; other
/// rules about scales (finite, not 0) are their content's, and not checked here.
pub(crate) fn widen_scales(kind: ScaleKind, bytes: &[u8], out: &mut [f32]) -> Result<(), Misfit> {
    match kind {
        ScaleKind::F16 => each(bytes, out, |scale| half::widen_f16(u16::from_le_bytes(scale))),
        ScaleKind::Bf16 => each(bytes, out, |scale| half::widen_bf16(u16::from_le_bytes(scale))),
        ScaleKind::F32 => each(bytes, out, f32::from_le_bytes),
        ScaleKind::E8m0 => {
            narrow::check_e8m0(bytes.get(..out.len()).unwrap_or(bytes))?;
            each(bytes, out, |[scale]| narrow::e8m0(scale));
        }
    }
    Ok(())
}

#[inline(always)]
fn each<const N: usize>(bytes: &[u8], out: &mut [f32], value: impl Fn([u8; N]) -> f32) {
    for (out, &scale) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *out = value(scale);
    }
}
