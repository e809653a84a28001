//! Where the numbers of a kind stand, and what was said about them.

use std::mem::{self, Discriminant};

use super::Pass;
use crate::bytes::math;
use crate::error::{BufferEntry, EntryFault, ErrorKind, Result};

/// More than there are rules for numbers of any one kind.
const RULES: usize = 4;

/// Numbers of one kind in a buffer. Of each rule that they break only the first breach is reported,
/// so that a file cannot flood its reader.
pub(super) struct Place {
    pub(super) buffer: u64,
    /// Byte of the buffer at which the first of them stands.
    pub(super) start: u64,
    /// Bytes of one.
    pub(super) width: u64,
    name: &'static str,
    level: Option<u32>,
    /// Byte of the file at which the first of them stands.
    at: u64,
    reported: [Option<Discriminant<EntryFault>>; RULES],
}

impl Place {
    /// Numbers of `width` bytes each from byte `start` of a buffer on.
    pub(super) fn new(
        pass: &Pass<'_, '_, '_>,
        buffer: u64,
        name: &'static str,
        start: u64,
        width: u64,
    ) -> Result<Self> {
        let at = math::add(pass.tensor.buffer(buffer)?.file_offset, start, "offset of data")?;
        Ok(Self { buffer, start, width, name, level: None, at, reported: [None; RULES] })
    }

    /// The u64 that fill a buffer from its start.
    pub(super) fn words(pass: &Pass<'_, '_, '_>, buffer: u64) -> Result<Self> {
        Self::new(pass, buffer, pass.tensor.descriptor().buffer_name(buffer), 0, 8)
    }

    /// The same, of one of several levels.
    pub(super) fn of_level(self, level: u32) -> Self {
        Self { level: Some(level), ..self }
    }

    /// Whether the buffer holds `count` of them; a problem if not.
    pub(super) fn holds(&self, pass: &mut Pass<'_, '_, '_>, count: u64) -> Result<bool> {
        let have = pass.tensor.buffer(self.buffer)?.size;
        let need = count.saturating_mul(self.width).saturating_add(self.start);
        if need > have {
            pass.put(ErrorKind::TooSmall { what: self.name, need, have }, self.at);
        }
        Ok(need <= have)
    }

    /// Reports what is wrong with number `index`, unless that was said of another one.
    pub(super) fn report(&mut self, pass: &mut Pass<'_, '_, '_>, index: u64, fault: EntryFault) {
        let rule = Some(mem::discriminant(&fault));
        if self.reported.contains(&rule) {
            return;
        }
        if let Some(free) = self.reported.iter_mut().find(|free| free.is_none()) {
            *free = rule;
        }
        let entry = BufferEntry { buffer: self.name, level: self.level, index };
        let at = index.saturating_mul(self.width).saturating_add(self.at);
        pass.put(ErrorKind::Entry { entry, fault }, at);
    }
}
