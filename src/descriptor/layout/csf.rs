//! CSF (layouts.md, CSF): a tree of coordinates, one level a dimension.

use super::{Fields, Need, Rules, Traits, sparse};
use crate::bytes::{Cursor, Few, Sink, math};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::MAX_RANK;
use crate::error::{Error, ErrorKind, Result};

/// The CSF layout: buffer 0 holds the values; for level L buffer 2L + 1 holds pos_L and buffer
/// 2L + 2 crd_L, u64 each.
#[derive(Debug, PartialEq, Eq)]
pub struct Csf {
    nnz: u64,
    mode_order: Few<u32, 4>,
}

impl Csf {
    /// `nnz` stored elements; level L of the tree is dimension `mode_order[L]`.
    pub fn new(nnz: u64, mode_order: &[u32]) -> Result<Self> {
        Ok(Self { nnz, mode_order: Few::copy(mode_order)? })
    }

    /// Stored elements.
    pub fn nnz(&self) -> u64 {
        self.nnz
    }

    /// The dimension of every level.
    pub fn mode_order(&self) -> &[u32] {
        &self.mode_order
    }
}

impl Fields for Csf {
    const TRAITS: Traits = Traits { ranks: (3, MAX_RANK), may_shard: false, ..Traits::SPARSE };

    fn read(cursor: &mut Cursor<'_>, shape: &[u64], _mode: Mode) -> Result<Self> {
        let nnz = cursor.u64("nnz")?;
        let (words, _) = cursor.take(shape.len().saturating_mul(4), "mode_order")?.as_chunks();
        let mode_order = Few::map(words, |word| u32::from_le_bytes(*word))?;
        cursor.reserved(8, "csf reserved")?;
        Ok(Self { nnz, mode_order })
    }

    fn try_clone(&self) -> Result<Self> {
        Self::new(self.nnz, &self.mode_order)
    }
}

impl Rules for Csf {
    fn encoded_len(&self) -> u64 {
        math::wide(self.mode_order.len()).saturating_mul(4).saturating_add(16)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u64(self.nnz)?;
        self.mode_order.iter().try_for_each(|&mode| sink.u32(mode))?;
        sink.zeros(8)
    }

    /// mode_order is a permutation of the dimensions.
    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let (found, expected) = (math::wide(self.mode_order.len()), math::wide(shape.len()));
        if found != expected {
            let what = "count of mode_order";
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected }));
        }
        let mut seen = 0u64;
        for (level, &mode) in (0..).zip(&*self.mode_order) {
            if u64::from(mode) >= expected {
                let (what, max) = ("mode_order", expected.saturating_sub(1));
                let value = mode.into();
                return Err(Error::new(ErrorKind::Limits { what, value, min: 0, max }));
            }
            // A rank is at most 64.
            let bit = 1u64.wrapping_shl(mode);
            if seen & bit != 0 {
                let rule = "names a dimension twice";
                return Err(Error::new(ErrorKind::RuleAt {
                    what: "mode_order",
                    index: level,
                    rule,
                }));
            }
            seen |= bit;
        }
        Ok(())
    }

    fn own_buffers(&self, rank: u32) -> u64 {
        u64::from(rank).saturating_mul(2).saturating_add(1)
    }

    fn buffer_name(&self, buffer: u64) -> &'static str {
        match buffer {
            0 => "values",
            _ if buffer % 2 == 1 => "pos",
            _ => "crd",
        }
    }

    /// The sizes of inner levels stand in the content (decisions.md row 55).
    fn need(&self, buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        let last = math::wide(self.mode_order.len()).saturating_mul(2);
        let content = |entries| {
            let least = sparse::index_bytes(entries)?;
            // Without elements the whole tree is known.
            Ok(if self.nnz == 0 { Need::AtLeast(least) } else { Need::Content { least, unit: 1 } })
        };
        match buffer {
            0 => sparse::values(self.nnz, facts),
            1 => sparse::indices(2),
            _ if buffer == last => sparse::indices(self.nnz),
            _ if buffer % 2 == 1 => content(1),
            _ => content(0),
        }
    }

    fn nnz(&self) -> Option<u64> {
        Some(self.nnz)
    }

    fn heap_bytes(&self) -> usize {
        self.mode_order.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};
    use crate::descriptor::{Descriptor, ElementType, Shard};

    /// The check of layouts.md.
    fn example() -> Descriptor {
        let layout = Csf::new(4, &[0, 1, 2]).unwrap();
        let mut b = builder(ElementType::FLOAT32, &[2, 3, 4], layout);
        for (buffer, entries) in [(2, 2), (3, 3), (4, 3), (5, 4)] {
            b.buffer_size(buffer, entries * 8).unwrap();
        }
        b.build().unwrap()
    }

    #[test]
    fn sizes_that_the_content_says_must_be_told() {
        let d = example();
        round_trips(&d);
        let needs = (0..7).map(|k| d.need(k).unwrap()).collect::<Vec<_>>();
        let content = |least| Need::Content { least, unit: 1 };
        let all = [
            Need::AtLeast(16),
            Need::AtLeast(16),
            content(0),
            content(8),
            content(0),
            content(8),
            Need::AtLeast(32),
        ];
        assert_eq!(needs, all);
        assert_eq!(
            sizes(&[2, 3, 4], Csf::new(4, &[0, 1, 2]).unwrap()).unwrap_err(),
            "buffer 2: its size is not known from the fields: it must be told"
        );
        // Without elements nothing is left open.
        assert_eq!(
            sizes(&[2, 3, 4], Csf::new(0, &[2, 0, 1]).unwrap()),
            Ok(vec![0, 16, 0, 8, 0, 8, 0])
        );
        assert_eq!(
            strict(&d, 129, &[7]),
            "descriptor: buffer 3: pos too small: need 8 bytes, have 7, at byte 129"
        );
    }

    #[test]
    fn fields_and_their_rules() {
        let d = example();
        assert_eq!(strict(&d, 60, &[3]), "descriptor: mode_order 3 is not in 0 to 2, at byte 52");
        assert_eq!(
            strict(&d, 60, &[2]),
            "descriptor: mode_order 2: names a dimension twice, at byte 52"
        );
        assert_eq!(strict(&d, 79, &[1]), "descriptor: csf reserved must be 0, is 1, at byte 79");
        assert_eq!(
            strict(&d, 10, &[2]),
            "descriptor: HAS_SHARD with this layout is 1, must be 0, at byte 10"
        );
        let mut shard = builder(ElementType::INT8, &[1; 3], Csf::new(0, &[0, 1, 2]).unwrap());
        let error = shard.shard(Shard::new(&[1; 3], &[0; 3]).unwrap()).build().unwrap_err();
        assert_eq!(error.to_string(), "HAS_SHARD with this layout is 1, must be 0");
        let order: Vec<u32> = (0..64).rev().collect();
        let d = builder(ElementType::INT8, &[1; 64], Csf::new(0, &order).unwrap()).build();
        assert_eq!(d.as_ref().unwrap().buffers().len(), 129);
        round_trips(&d.unwrap());
    }
}
