//! Element types of safetensors, and what becomes of each.

use hurray::descriptor::ElementType;

/// An element type as a safetensors header names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dtype {
    /// Bits that an element takes in a safetensors file.
    pub bits: u64,
    /// The type with the same values, and how its bytes get there.
    pub counterpart: Option<(ElementType, Stored)>,
}

/// How elements get from one format into the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stored {
    /// The bytes are the same.
    Same,
    /// A byte each, 0 or 1, becomes a bit each.
    ByteToBit,
    /// The bytes are the same, but 00 and FF are no values in `.hrry`.
    Exponents,
}

impl Dtype {
    /// The type of that name, as of safetensors 0.8.
    pub(crate) fn find(name: &str) -> Option<Self> {
        use Stored::{ByteToBit, Exponents, Same};
        let (bits, counterpart) = match name {
            "BOOL" => (8, Some((ElementType::BOOL, ByteToBit))),
            "U8" => (8, Some((ElementType::UINT8, Same))),
            "I8" => (8, Some((ElementType::INT8, Same))),
            "U16" => (16, Some((ElementType::UINT16, Same))),
            "I16" => (16, Some((ElementType::INT16, Same))),
            "U32" => (32, Some((ElementType::UINT32, Same))),
            "I32" => (32, Some((ElementType::INT32, Same))),
            "U64" => (64, Some((ElementType::UINT64, Same))),
            "I64" => (64, Some((ElementType::INT64, Same))),
            "F16" => (16, Some((ElementType::FLOAT16, Same))),
            "BF16" => (16, Some((ElementType::BFLOAT16, Same))),
            "F32" => (32, Some((ElementType::FLOAT32, Same))),
            "F64" => (64, Some((ElementType::FLOAT64, Same))),
            "C64" => (64, Some((ElementType::COMPLEX64, Same))),
            "F8_E4M3" => (8, Some((ElementType::FLOAT8_E4M3, Same))),
            "F8_E5M2" => (8, Some((ElementType::FLOAT8_E5M2, Same))),
            "F8_E8M0" => (8, Some((ElementType::FLOAT8_E8M0, Exponents))),
            // PyTorch's float4_e2m1fn_x2, which is what writes this type, puts the first of two
            // elements into the low half of a byte, as .hrry does.
            "F4" => (4, Some((ElementType::FLOAT4_E2M1, Same))),
            // Nothing says how safetensors packs four of these into three bytes.
            "F6_E2M3" | "F6_E3M2" => (6, None),
            // No infinity, no negative zero, another bias: no type of .hrry has these values.
            "F8_E4M3FNUZ" | "F8_E5M2FNUZ" => (8, None),
            _ => return None,
        };
        Some(Self { bits, counterpart })
    }
}
