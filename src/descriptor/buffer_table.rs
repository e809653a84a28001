//! The buffer table: size, alignment and device of every buffer (descriptor.md, Buffer table).

use std::ops::RangeInclusive;

use super::Mode;
use super::facts::Need;
use super::tag::{self, TagSpace};
use crate::bytes::{Cursor, Few, Sink, math};
use crate::error::{Error, ErrorKind, Result, Section};

/// The smallest alignment of a buffer that has bytes.
pub const MIN_ALIGNMENT: u32 = 64;

/// Bytes of one entry.
pub(super) const ENTRY: u64 = 16;

/// The buffers of a descriptor; those of most tensors need no allocation.
pub(crate) type Buffers = Few<Buffer, 3>;

/// One buffer, as its entry in the table describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes in it.
    pub byte_size: u64,
    /// The alignment that the producer's memory had: a power of two.
    pub alignment: u32,
    /// Tag of the device that the producer's memory belonged to.
    pub device: u8,
    /// Bytes 13 to 15 of the entry: zero in strict mode. Some writers put a sync mode and a memory
    /// class here (decisions.md row 5); permissive mode hands them out, nothing writes them.
    pub reserved: [u8; 3],
}

/// No buffers.
pub(super) const NONE: Buffers =
    Buffers::empty(Buffer { byte_size: 0, alignment: 0, device: 0, reserved: [0; 3] });

macro_rules! devices {
    ($($constant:ident = $tag:literal, $name:literal;)*) => {
        /// The device that a buffer's memory belonged to: a record, nothing is done with it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Device(u8);

        impl Device {
            $(#[doc = concat!("`", $name, "`.")] pub const $constant: Self = Self($tag);)*

            /// Every device that has a name, by ascending tag.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];

            const fn known(self) -> Option<&'static str> {
                match self.0 {
                    $($tag => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

devices! {
    CPU = 0x00, "cpu";
    CUDA = 0x01, "cuda";
    ROCM = 0x02, "rocm";
    METAL = 0x03, "metal";
    VULKAN = 0x04, "vulkan";
    WEBGPU = 0x05, "webgpu";
    HEXAGON = 0x06, "hexagon";
    LEVEL_ZERO = 0x07, "level_zero";
    OPENCL = 0x08, "opencl";
}

impl Device {
    /// The device with this tag, valid or not.
    pub const fn from_tag(tag: u8) -> Self {
        Self(tag)
    }

    /// The device of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|device| device.known() == Some(name))
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        self.0
    }

    /// The name; `private`, `reserved` or `invalid` for a device without one.
    pub const fn name(self) -> &'static str {
        match self.known() {
            Some(name) => name,
            None => tag::anonymous(self.0),
        }
    }

    /// Whether a buffer may name it.
    pub const fn is_valid(self) -> bool {
        self.known().is_some() || matches!(TagSpace::of(self.0), TagSpace::Private)
    }
}

/// Reads a table whose count must lie in `counts` into an empty list.
pub(super) fn read_into(
    buffers: &mut Buffers,
    cursor: &mut Cursor<'_>,
    counts: RangeInclusive<u64>,
) -> Result<()> {
    let at = cursor.offset();
    let count = cursor.u8("buffer_count")?;
    check_count(count.into(), counts).map_err(|error| error.at(at))?;
    let bytes = usize::from(count).saturating_mul(16);
    let (entries, _) = cursor.take(bytes, "buffer table")?.as_chunks();
    buffers.fill(entries, from_entry)
}

/// What the 16 bytes of an entry say.
fn from_entry(entry: &[u8; 16]) -> Buffer {
    let [s0, s1, s2, s3, s4, s5, s6, s7, a0, a1, a2, a3, device, r0, r1, r2] = *entry;
    Buffer {
        byte_size: u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
        alignment: u32::from_le_bytes([a0, a1, a2, a3]),
        device,
        reserved: [r0, r1, r2],
    }
}

/// Writes the table. Reserved bytes are written as zero.
pub(super) fn write(buffers: &[Buffer], sink: &mut Sink) -> Result<()> {
    let count = u8::try_from(buffers.len())
        .map_err(|_| Error::new(ErrorKind::Overflow { what: "buffer_count" }))?;
    sink.u8(count)?;
    for buffer in buffers {
        sink.u64(buffer.byte_size)?;
        sink.u32(buffer.alignment)?;
        sink.u8(buffer.device)?;
        sink.zeros(3)?;
    }
    Ok(())
}

/// Holds a count of buffers against what the layout and the scheme ask for.
pub(super) fn check_count(found: u64, counts: RangeInclusive<u64>) -> Result<()> {
    if counts.contains(&found) {
        return Ok(());
    }
    let (min, max) = counts.into_inner();
    let what = "buffer_count";
    Err(Error::new(if min == max {
        ErrorKind::Mismatch { what, found, expected: min }
    } else {
        ErrorKind::Limits { what, value: found, min, max }
    }))
}

/// The rules of the table's own fields. `table` is where the table stands, if it stands anywhere.
pub(super) fn check(buffers: &[Buffer], mode: Mode, table: Option<u64>) -> Result<()> {
    let shared = buffers.first().map_or(0, |first| first.device);
    for (k, buffer) in (0..).zip(buffers) {
        check_entry(buffer, shared, mode).map_err(|(field, kind)| {
            let error = Error::new(kind).in_section(Section::Buffer(k));
            match table {
                Some(table) => error.at(place(table, k).saturating_add(field)),
                None => error,
            }
        })?;
    }
    Ok(())
}

/// Where the n-th entry of a table stands.
pub(super) fn place(table: u64, n: u64) -> u64 {
    n.saturating_mul(ENTRY).saturating_add(table).saturating_add(1)
}

/// The error is a kind and the place of its field in the entry.
fn check_entry(buffer: &Buffer, shared: u8, mode: Mode) -> Result<(), (u64, ErrorKind)> {
    let Buffer { byte_size, alignment, device, reserved } = *buffer;
    if !alignment.is_power_of_two() {
        let (what, value) = ("alignment", alignment.into());
        return Err((8, ErrorKind::PowerOfTwo { what, value }));
    }
    if alignment < MIN_ALIGNMENT && byte_size != 0 {
        let (what, value, min) = ("alignment", alignment.into(), MIN_ALIGNMENT.into());
        return Err((8, ErrorKind::Limits { what, value, min, max: 1 << 31 }));
    }
    if !Device::from_tag(device).is_valid() {
        return Err((12, *tag::refusal("device_tag", device).kind()));
    }
    if device != shared {
        let (what, found, expected) = ("device_tag", device.into(), shared.into());
        return Err((12, ErrorKind::Mismatch { what, found, expected }));
    }
    for (field, value) in (13..).zip(reserved) {
        if value != 0 && !mode.is_permissive() {
            let (what, value) = ("reserved", value.into());
            return Err((field, ErrorKind::Reserved { what, value }));
        }
    }
    Ok(())
}

/// Holds the size of a buffer against its need; `name` says what it holds.
pub(super) fn check_size(
    byte_size: u64,
    need: Need,
    name: impl Fn() -> &'static str,
) -> Result<()> {
    let (what, found, have) = ("byte_size", byte_size, byte_size);
    Err(Error::new(match need {
        Need::AtLeast(need) | Need::Content { least: need, .. } if need > have => {
            ErrorKind::TooSmall { what: name(), need, have }
        }
        Need::Exactly(expected) if expected != found => {
            ErrorKind::Mismatch { what, found, expected }
        }
        Need::Content { unit, .. } if !math::is_aligned(have, unit) => {
            ErrorKind::Misaligned { what, value: have, alignment: unit }
        }
        _ => return Ok(()),
    }))
}

/// Where the buffers stand when the first of them starts at `start` (container.md, Index). Without a
/// single data byte they all stand there.
pub(super) fn offsets(buffers: &[Buffer], start: u64, alignment: u64) -> Result<Few<u64, 3>> {
    let mut offsets = Few::with_capacity(buffers.len())?;
    let empty = is_empty(buffers);
    let mut end = None;
    for buffer in buffers {
        let offset = next_offset(end, start, alignment, empty)?;
        offsets.push(offset)?;
        end = Some(math::add(offset, buffer.byte_size, "buffer offset")?);
    }
    Ok(offsets)
}

/// The `k`-th of them, or `None` when there are not so many. Takes no memory, as a list may.
pub(super) fn offset(
    buffers: &[Buffer],
    k: usize,
    start: u64,
    alignment: u64,
) -> Result<Option<u64>> {
    let Some(before) = buffers.get(..k).filter(|before| before.len() < buffers.len()) else {
        return Ok(None);
    };
    let empty = is_empty(buffers);
    let mut end = None;
    for buffer in before {
        let offset = next_offset(end, start, alignment, empty)?;
        end = Some(math::add(offset, buffer.byte_size, "buffer offset")?);
    }
    next_offset(end, start, alignment, empty).map(Some)
}

fn is_empty(buffers: &[Buffer]) -> bool {
    buffers.iter().all(|buffer| buffer.byte_size == 0)
}

/// Where a buffer stands, given where the one before it ends.
fn next_offset(end: Option<u64>, start: u64, alignment: u64, empty: bool) -> Result<u64> {
    match end {
        // o_0 is data_offset itself: its alignment is for the reader of the index to check.
        None => Ok(start),
        Some(end) if empty => Ok(end),
        Some(end) => math::align_up(end, alignment, "buffer offset"),
    }
}

/// Bytes from the start of the first buffer to the end of the last (container.md, Index).
pub(super) fn data_length(buffers: &[Buffer], alignment: u64) -> Result<u64> {
    let mut end = 0;
    for buffer in buffers {
        let start = math::align_up(end, alignment, "data_length")?;
        end = math::add(start, buffer.byte_size, "data_length")?;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(byte_size: u64) -> Buffer {
        Buffer { byte_size, alignment: 64, device: 0, reserved: [0; 3] }
    }

    #[test]
    fn placement_counts_the_padding_between() {
        let table = [buffer(10), buffer(0), buffer(4096), buffer(1)];
        assert_eq!(&offsets(&table, 8192, 4096).unwrap()[..], &[8192, 12288, 12288, 16384]);
        for (k, &there) in offsets(&table, 8192, 4096).unwrap().iter().enumerate() {
            assert_eq!(offset(&table, k, 8192, 4096).unwrap(), Some(there));
        }
        assert_eq!(offset(&table, 4, 8192, 4096).unwrap(), None);
        assert_eq!(offset(&[], 0, 8192, 4096).unwrap(), None);
        assert_eq!(data_length(&table, 4096).unwrap(), 8193);
        // A last buffer without bytes still has a place.
        assert_eq!(data_length(&[buffer(10), buffer(0)], 4096).unwrap(), 4096);
        assert_eq!(data_length(&[buffer(0), buffer(0)], 4096).unwrap(), 0);
        assert_eq!(&offsets(&[buffer(0), buffer(0)], 72, 4096).unwrap()[..], &[72, 72]);
        assert_eq!(offset(&[buffer(0), buffer(0)], 1, 72, 4096).unwrap(), Some(72));
        assert_eq!(data_length(&[], 4096).unwrap(), 0);
        assert!(data_length(&[buffer(u64::MAX), buffer(1)], 4096).is_err());
        assert!(offsets(&[buffer(1), buffer(u64::MAX)], 8192, 4096).is_err());
    }

    #[test]
    fn entries_and_their_rules() {
        let message = |change: fn(&mut Buffer)| {
            let mut second = buffer(16);
            change(&mut second);
            match check(&[buffer(16), second], Mode::Strict, Some(100)) {
                Ok(()) => String::from("ok"),
                Err(error) => error.to_string(),
            }
        };
        assert_eq!(message(|_| ()), "ok");
        assert_eq!(message(|b| b.alignment = 1 << 31), "ok");
        assert_eq!(
            message(|b| b.alignment = 0),
            "descriptor: buffer 1: alignment 0 is not a power of two, at byte 125"
        );
        assert_eq!(
            message(|b| b.alignment = 32),
            "descriptor: buffer 1: alignment 32 is not in 64 to 2147483648, at byte 125"
        );
        assert_eq!(message(|b| (b.alignment, b.byte_size) = (1, 0)), "ok");
        assert_eq!(
            message(|b| b.device = 1),
            "descriptor: buffer 1: device_tag is 1, must be 0, at byte 129"
        );
        assert_eq!(
            message(|b| b.device = 9),
            "descriptor: buffer 1: device_tag 0x09 is reserved, at byte 129"
        );
        assert_eq!(
            message(|b| b.device = 255),
            "descriptor: buffer 1: device_tag 255 is not valid, at byte 129"
        );
        assert_eq!(
            message(|b| b.reserved[1] = 2),
            "descriptor: buffer 1: reserved must be 0, is 2, at byte 131"
        );
        let foreign = Buffer { reserved: [1, 2, 3], device: 0xF3, ..buffer(1) };
        assert!(check(&[foreign], Mode::Permissive, None).is_ok());
    }

    #[test]
    fn names_of_devices() {
        for &device in Device::ALL {
            assert_eq!(Device::find(device.name()), Some(device));
        }
        assert_eq!(Device::from_tag(0x07).name(), "level_zero");
        assert_eq!(Device::from_tag(0xF1).name(), "private");
        assert_eq!(Device::from_tag(0xEF).name(), "reserved");
    }
}
