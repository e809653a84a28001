//! What elements become when they are copied out.

/// The form that elements are copied out in. Those with a number's name are in the byte order of
/// the machine, rounded once, to the nearest, of two the even one (quantization.md, last section).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// As the format stores them: little-endian, below 8 bits packed (types.md).
    Stored,
    /// As stored, but elements below 8 bits take a byte each: int4 and int2 with their sign, the
    /// others, private types included, with zeros above.
    Bytes,
    /// float16. What is too large becomes infinity.
    F16,
    /// bfloat16. What is too large becomes infinity.
    Bf16,
    /// float32. What is too large becomes infinity.
    F32,
    /// float64.
    F64,
    /// int64. Numbers that are not whole or out of its range are errors.
    I64,
}
