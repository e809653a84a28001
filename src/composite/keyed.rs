//! Random elements of the field: a keyed pseudo-random function of a dimension and a coordinate.

#[cfg(target_arch = "x86_64")]
use super::aes::Aes;
use super::siphash::SipHash;
use crate::container::random_keys;
use crate::error::Result;

/// 128 random bits, drawn for one check.
#[derive(Clone, Copy)]
pub struct Key([u64; 2]);

impl Key {
    /// A key of these bits.
    pub fn new(bits: [u64; 2]) -> Self {
        Self(bits)
    }

    /// A key from the operating system.
    pub fn draw() -> Result<Self> {
        let [low, high, ..] = random_keys()?;
        Ok(Self([low, high]))
    }
}

/// How random elements are made. Both are as good; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// AES where the processor has its rounds, else SipHash.
    Fastest,
    /// SipHash, which every processor can run.
    Portable,
}

/// The function under one key.
#[derive(Clone, Copy)]
pub(crate) enum Keyed {
    Portable(SipHash),
    #[cfg(target_arch = "x86_64")]
    Aes(Aes),
}

impl Keyed {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "only one to choose"))]
    pub(crate) fn new(Key(key): Key, method: Method) -> Self {
        #[cfg(target_arch = "x86_64")]
        if method == Method::Fastest
            && let Some(aes) = Aes::new(key)
        {
            return Self::Aes(aes);
        }
        Self::Portable(SipHash::new(key))
    }

    /// Replaces every coordinate x by 64 random bits, a function of `dimension` and x.
    pub(crate) fn fill(&self, dimension: u64, coordinates: &mut [u64]) {
        match self {
            Self::Portable(function) => function.fill(dimension, coordinates),
            #[cfg(target_arch = "x86_64")]
            Self::Aes(function) => function.fill(dimension, coordinates),
        }
    }
}
