//! Adding of one run of elements to another: overlay add (decisions.md row 38).

use super::number::half;
use crate::descriptor::ElementType;

/// How the elements of a type are added. Complex numbers are two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
}

impl Sum {
    /// How elements of this type are added, if they are.
    pub(super) fn of(element_type: ElementType) -> Option<Self> {
        Some(match element_type {
            ElementType::FLOAT16 => Self::F16,
            ElementType::BFLOAT16 => Self::Bf16,
            ElementType::FLOAT32 | ElementType::COMPLEX64 => Self::F32,
            ElementType::FLOAT64 | ElementType::COMPLEX128 => Self::F64,
            ElementType::INT8 | ElementType::UINT8 => Self::I8,
            ElementType::INT16 | ElementType::UINT16 => Self::I16,
            ElementType::INT32 | ElementType::UINT32 => Self::I32,
            ElementType::INT64 | ElementType::UINT64 => Self::I64,
            _ => return None,
        })
    }

    /// Adds the elements of `more` to those of `sums`, which is as long: rounded to the type, or
    /// wrapping.
    pub(super) fn add(self, sums: &mut [u8], more: &[u8]) {
        // The sum of two halves in float32 rounds to the same half as the exact one: float32 has
        // more than twice their bits and two.
        match self {
            Self::F16 => each(sums, more, |a, b| {
                let [a, b] = [a, b].map(|half| half::widen_f16(u16::from_le_bytes(half)));
                half::narrow_f16(a + b).to_le_bytes()
            }),
            Self::Bf16 => each(sums, more, |a, b| {
                let [a, b] = [a, b].map(|half| half::widen_bf16(u16::from_le_bytes(half)));
                half::narrow_bf16(a + b).to_le_bytes()
            }),
            Self::F32 => each(sums, more, |a, b| {
                (f32::from_le_bytes(a) + f32::from_le_bytes(b)).to_le_bytes()
            }),
            Self::F64 => each(sums, more, |a, b| {
                (f64::from_le_bytes(a) + f64::from_le_bytes(b)).to_le_bytes()
            }),
            Self::I8 => each(sums, more, |[a], [b]| [a.wrapping_add(b)]),
            Self::I16 => each(sums, more, |a, b| {
                u16::from_le_bytes(a).wrapping_add(u16::from_le_bytes(b)).to_le_bytes()
            }),
            Self::I32 => each(sums, more, |a, b| {
                u32::from_le_bytes(a).wrapping_add(u32::from_le_bytes(b)).to_le_bytes()
            }),
            Self::I64 => each(sums, more, |a, b| {
                u64::from_le_bytes(a).wrapping_add(u64::from_le_bytes(b)).to_le_bytes()
            }),
        }
    }
}

fn each<const N: usize>(sums: &mut [u8], more: &[u8], add: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let ((sums, _), (more, _)) = (sums.as_chunks_mut::<N>(), more.as_chunks::<N>());
    for (sum, &more) in sums.iter_mut().zip(more) {
        *sum = add(*sum, more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_round_or_wrap() {
        let sum = |kind: Sum, a: &[u8], b: &[u8]| {
            let mut sum = a.to_vec();
            kind.add(&mut sum, b);
            sum
        };
        assert_eq!(sum(Sum::I8, &[200, 1], &[100, 2]), [44, 3]);
        assert_eq!(sum(Sum::I16, &[0xff, 0xff], &[2, 0]), [1, 0]);
        assert_eq!(sum(Sum::I32, &[0xff; 4], &[1, 0, 0, 0]), [0; 4]);
        assert_eq!(sum(Sum::I64, &[0xff; 8], &[0xff; 8]), (u64::MAX - 1).to_le_bytes());
        let float = sum(Sum::F32, &0.1_f32.to_le_bytes(), &0.2_f32.to_le_bytes());
        assert_eq!(float, (0.1_f32 + 0.2).to_le_bytes());
        let double = sum(Sum::F64, &0.1_f64.to_le_bytes(), &0.2_f64.to_le_bytes());
        assert_eq!(double, 0.300_000_000_000_000_04_f64.to_le_bytes());
        // 2048 + 1 lies between two float16; 256 + 1 between two bfloat16.
        assert_eq!(sum(Sum::F16, &[0, 0x68], &[0, 0x3c]), [0, 0x68]);
        assert_eq!(sum(Sum::F16, &[1, 0x68], &[0, 0x3c]), [2, 0x68]);
        assert_eq!(sum(Sum::F16, &[0xff, 0x7b], &[0xff, 0x7b]), [0, 0x7c]);
        assert_eq!(sum(Sum::Bf16, &[0x80, 0x43], &[0x80, 0x3f]), [0x80, 0x43]);
        assert_eq!(sum(Sum::Bf16, &[0x81, 0x43], &[0x80, 0x3f]), [0x82, 0x43]);
    }

    #[test]
    fn types_that_are_not_added() {
        let none: Vec<_> =
            ElementType::ALL.iter().filter(|t| Sum::of(**t).is_none()).map(|t| t.name()).collect();
        assert_eq!(
            none,
            [
                "bool",
                "float8_e4m3",
                "float8_e5m2",
                "float8_e8m0",
                "float4_e2m1",
                "float6_e2m3",
                "float6_e3m2",
                "float128",
                "int4",
                "uint4",
                "int2",
                "uint2"
            ]
        );
    }
}
