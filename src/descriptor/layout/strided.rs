//! Strided (layouts.md, Strided): any stride a dimension, negative and zero ones too.

use super::span::{self, Span, StrideList};
use super::{Fields, Need, Rules};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::{Error, ErrorKind, Result};

/// The strided layout.
#[derive(Debug, PartialEq)]
pub struct Strided {
    strides: StrideList,
}

impl Strided {
    /// Strides in elements, one a dimension.
    pub fn new(strides: &[i64]) -> Result<Self> {
        Ok(Self { strides: StrideList::copy(strides)? })
    }

    /// Strides in elements, one a dimension.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }
}

impl Fields for Strided {
    fn read(cursor: &mut Cursor<'_>, shape: &[u64], _mode: Mode) -> Result<Self> {
        Ok(Self { strides: span::read_strides(cursor, shape.len(), "strides")? })
    }

    fn try_clone(&self) -> Result<Self> {
        Self::new(&self.strides)
    }
}

impl Rules for Strided {
    fn encoded_len(&self) -> u64 {
        math::wide(self.strides.len()).saturating_mul(8)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        span::write_strides(&self.strides, sink)
    }

    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let (found, expected) = (math::wide(self.strides.len()), math::wide(shape.len()));
        match found == expected {
            true => Ok(()),
            false => {
                Err(Error::new(ErrorKind::Mismatch { what: "count of strides", found, expected }))
            }
        }
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        if facts.is_dynamic() {
            return Ok(Need::Unknown);
        }
        if facts.is_empty() {
            return facts.room(Some(0));
        }
        Span::strided(&self.strides, facts.shape.iter().copied())?.need(facts)
    }

    fn heap_bytes(&self) -> usize {
        self.strides.heap_bytes()
    }
}
