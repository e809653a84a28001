//! Schemes that this version does not know: permissive mode steps over them.

use crate::bytes::memory;
use crate::error::Result;

/// A scheme without a known meaning. Only decoding in permissive mode makes one.
#[derive(Debug, PartialEq)]
pub struct Opaque {
    payload: Vec<u8>,
}

impl Opaque {
    /// The payload begins with the tag.
    pub(super) fn new(payload: &[u8]) -> Result<Self> {
        Ok(Self { payload: memory::copy(payload)? })
    }

    pub(super) fn try_clone(&self) -> Result<Self> {
        Self::new(&self.payload)
    }

    /// `scheme_tag`.
    pub fn tag(&self) -> u8 {
        self.payload.first().copied().unwrap_or_default()
    }

    /// The whole payload, its header included.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>().saturating_add(self.payload.capacity())
    }
}
