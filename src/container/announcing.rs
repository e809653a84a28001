//! Writing what was announced as a whole: a composite.

use super::announced::Announced;
use super::place::data_alignment;
use super::writer::{Writer, decode};
use crate::bytes::math;
use crate::descriptor::Descriptor;
use crate::error::{Error, ErrorKind, Result};

impl Writer {
    /// Writes the head of a composite. Its members have to follow, with those of the heads among
    /// them, and then [`end_announced`](Self::end_announced).
    ///
    /// Each of them is held against the rules for single tensors and has its place in the file
    /// before anything is written. What they are together was checked by the caller.
    pub(crate) fn announce(
        &mut self,
        name: &str,
        head: &Descriptor,
        members: &[&Descriptor],
    ) -> Result<()> {
        self.outside()?;
        if self.announced.is_some() {
            let what = "a composite is announced and not ended";
            return Err(Error::new(ErrorKind::State { what }));
        }
        let first = self.index.len();
        let mut announced = Announced::new(first, head)?;
        let head_bytes = self.encode(head).map_err(|error| error.in_tensor(first, name))?;
        let mut offset = self.next_offset();
        for (number, descriptor) in (first..).zip(std::iter::once(&head).chain(members)) {
            let mut fits = |bytes: &[u8]| {
                let descriptor = decode(bytes)?;
                let place = self.place(offset, bytes, &descriptor)?;
                let alignment = data_alignment(&descriptor, self.options.alignment);
                offset = math::align_up(place.end(), alignment, "file size")?;
                Ok(())
            };
            let whole = match number == first {
                true => fits(&head_bytes),
                false => self.encode(descriptor).and_then(|bytes| {
                    fits(&bytes)?;
                    announced.push(&bytes)
                }),
            };
            whole.map_err(|error: Error| {
                error.by_caller().in_nameless_tensor(number).in_tensor(first, name)
            })?;
        }
        self.begin_raw(name, &head_bytes)?;
        self.end()?;
        self.announced = Some(announced);
        Ok(())
    }

    /// Ends what was announced. Refuses that while tensors are missing; they can still come.
    pub(crate) fn end_announced(&mut self) -> Result<()> {
        self.outside()?;
        let Some(announced) = &self.announced else {
            let what = "no composite is announced";
            return Err(Error::new(ErrorKind::State { what }));
        };
        let (found, expected) = (announced.written(), announced.count());
        if found != expected {
            let what = "number of tensors written after the head";
            let error = Error::new(ErrorKind::Mismatch { what, found, expected }).by_caller();
            let head = announced.head();
            return Err(error.in_tensor(head, self.index.name(head).unwrap_or_default()));
        }
        self.announced = None;
        Ok(())
    }
}
