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

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn every_scale_of_every_kind() {
        let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        for (kind, format) in [(ScaleKind::F16, oracle::F16), (ScaleKind::Bf16, oracle::BF16)] {
            let mut out = vec![0.0; 1 << 16];
            widen_scales(kind, &halves, &mut out).unwrap();
            for (code, found) in (0..).zip(out).filter(|(_, found)| !found.is_nan()) {
                assert_eq!(u64::from(found.to_bits()), oracle::F32.encode(format.decode(code)));
            }
        }
        let mut out = [0.0; 2];
        let bytes: Vec<u8> =
            [0.1_f32, -1e-45].iter().flat_map(|scale| scale.to_le_bytes()).collect();
        widen_scales(ScaleKind::F32, &bytes, &mut out).unwrap();
        assert_eq!(out, [0.1, -1e-45]);
        widen_scales(ScaleKind::E8m0, &[1, 254, 0], &mut out).unwrap();
        assert_eq!(out, [2_f32.powi(-126), 2_f32.powi(127)]);
        for wrong in [0, 0xff] {
            let error = ErrorKind::Value { what: "float8_e8m0", value: wrong.into() };
            assert_eq!(widen_scales(ScaleKind::E8m0, &[127, wrong], &mut out), Err((1, error)));
        }
        let bytes = [ScaleKind::F16, ScaleKind::Bf16, ScaleKind::F32, ScaleKind::E8m0];
        assert_eq!(bytes.map(ScaleKind::bytes), [2, 2, 4, 1]);
    }
}
