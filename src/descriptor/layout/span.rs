//! How far a layout reaches below and above its first element, in elements.

use crate::bytes::{Cursor, Few, Sink, math};
use crate::descriptor::facts::{Facts, Need};
use crate::error::{Error, ErrorKind, Result};

/// One stride a dimension.
pub(super) type StrideList = Few<i64, 4>;

/// The smallest and largest element offset that a layout addresses: `-below` and `above`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) below: u64,
    pub(super) above: u64,
    /// Whether strides made it: then every offset must fit an i64.
    signed: bool,
}

/// Reads one stride a dimension.
pub(super) fn read_strides(
    cursor: &mut Cursor<'_>,
    rank: usize,
    what: &'static str,
) -> Result<StrideList> {
    let (words, _) = cursor.take(rank.saturating_mul(8), what)?.as_chunks();
    StrideList::map(words, |word| i64::from_le_bytes(*word))
}

/// Writes one stride a dimension.
pub(super) fn write_strides(strides: &[i64], sink: &mut Sink) -> Result<()> {
    strides.iter().try_for_each(|&stride| sink.i64(stride))
}

impl Span {
    /// The offsets `0..count`; count is not 0.
    pub(super) fn contiguous(count: u64) -> Self {
        Self { below: 0, above: count.saturating_sub(1), signed: false }
    }

    /// The offsets that `strides` reach over sizes of which none is 0.
    pub(super) fn strided(strides: &[i64], sizes: impl Iterator<Item = u64>) -> Result<Self> {
        let what = "offset by strides";
        let (mut below, mut above) = (0, 0);
        for (&stride, size) in strides.iter().zip(sizes) {
            let reach = math::mul(stride.unsigned_abs(), size.saturating_sub(1), what)?;
            let side = if stride < 0 { &mut below } else { &mut above };
            *side = math::add(*side, reach, what)?;
        }
        Self { below, above, signed: true }.checked()
    }

    /// The offsets of tiles of `elements` elements each, this span in tiles, with `inner` in each.
    pub(super) fn tiles(self, elements: u64, inner: Self) -> Result<Self> {
        let what = "offset in tiles";
        let reach = |outer, inner| math::add(math::mul(outer, elements, what)?, inner, what);
        Self {
            below: reach(self.below, inner.below)?,
            above: reach(self.above, inner.above)?,
            signed: self.signed || inner.signed,
        }
        .checked()
    }

    fn checked(self) -> Result<Self> {
        let fits = self.below <= i64::MIN.unsigned_abs() && self.above <= i64::MAX.unsigned_abs();
        match fits || !self.signed {
            true => Ok(self),
            false => Err(Error::new(ErrorKind::Overflow { what: "offset by strides" })),
        }
    }

    /// Room for all of it around byte_offset.
    pub(super) fn need(self, facts: &Facts<'_>) -> Result<Need> {
        let Some(bits) = facts.bits else {
            return Ok(Need::Unknown);
        };
        // Division floors for negative offsets, so what lies below takes whole bytes, or groups.
        let below = math::packed_size(self.below, bits, "required size")?;
        if below > facts.byte_offset {
            return Err(Error::new(ErrorKind::TooSmall {
                what: "byte_offset",
                need: below,
                have: facts.byte_offset,
            }));
        }
        facts.room(Some(math::add(self.above, 1, "required size")?))
    }
}
