//! Writing of little-endian fields into growing memory.

use super::memory;
use crate::error::Result;

/// Bytes being put together.
#[derive(Debug, Default)]
pub struct Sink {
    bytes: Vec<u8>,
}

impl Sink {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing yet, with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Result<Self> {
        Ok(Self { bytes: memory::vec(capacity)? })
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing has been put yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What was put together.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What was put together so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        memory::reserve(&mut self.bytes, bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends `count` zero bytes.
    pub fn zeros(&mut self, count: usize) -> Result<()> {
        memory::reserve(&mut self.bytes, count)?;
        self.bytes.resize(self.bytes.len().saturating_add(count), 0);
        Ok(())
    }

    /// Appends one byte.
    pub fn u8(&mut self, value: u8) -> Result<()> {
        self.bytes(&[value])
    }

    /// Appends a 16-bit number.
    pub fn u16(&mut self, value: u16) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a 32-bit number.
    pub fn u32(&mut self, value: u32) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a 64-bit number.
    pub fn u64(&mut self, value: u64) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a signed 32-bit number.
    pub fn i32(&mut self, value: i32) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a signed 64-bit number.
    pub fn i64(&mut self, value: i64) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a 32-bit float, bits kept.
    pub fn f32(&mut self, value: f32) -> Result<()> {
        self.u32(value.to_bits())
    }

    /// Appends a 64-bit float, bits kept.
    pub fn f64(&mut self, value: f64) -> Result<()> {
        self.u64(value.to_bits())
    }
}
