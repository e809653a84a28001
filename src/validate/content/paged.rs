//! Page tables (layouts.md, Block-paged). They are right or wrong whether or not there are pages:
//! an empty tensor keeps its table and needs no pool (decisions.md row 53).

use super::Pass;
use super::numbers::Numbers;
use super::place::Place;
use super::pointers::Pointers;
use crate::bytes::math;
use crate::descriptor::layout::{BlockPaged, IndexType};
use crate::error::{EntryFault, Result};

/// The buffers of the layout.
const BLOCK_TABLE: u64 = 1;
const SEQ_PTR: u64 = 2;

pub(super) fn check(pass: &mut Pass<'_, '_, '_>, layout: &BlockPaged) -> Result<()> {
    let width = layout.index_type().bytes();
    let (sequences, pages) = (u64::from(layout.num_seqs()), layout.num_pages());
    let entries = math::div(pass.tensor.buffer(BLOCK_TABLE)?.size, width);

    let mut place = Place::new(pass, SEQ_PTR, "seq_ptr", 0, width)?;
    let count = sequences.saturating_add(1);
    if place.holds(pass, count)? {
        let mut pointers = Pointers::new(sequences, entries);
        let mut numbers = Numbers::new(&place, count)?;
        while let Some(value) = next(&mut numbers, pass, layout.index_type())? {
            pointers.take(pass, &mut place, value);
        }
    }

    let mut place = Place::new(pass, BLOCK_TABLE, "block_table", 0, width)?;
    each_page(pass, layout, |pass, index, value| {
        if value >= pages {
            place.report(pass, index, EntryFault::Bound { value, limit: pages });
        }
    })
}

/// Every entry of the table, with its index.
pub(super) fn each_page<'a, 's, 'p>(
    pass: &mut Pass<'a, 's, 'p>,
    layout: &BlockPaged,
    mut visit: impl FnMut(&mut Pass<'a, 's, 'p>, u64, u64),
) -> Result<()> {
    let width = layout.index_type().bytes();
    let place = Place::new(pass, BLOCK_TABLE, "block_table", 0, width)?;
    let entries = math::div(pass.tensor.buffer(BLOCK_TABLE)?.size, width);
    let mut numbers = Numbers::new(&place, entries)?;
    let mut index = 0u64;
    while let Some(value) = next(&mut numbers, pass, layout.index_type())? {
        visit(pass, index, value);
        index = index.saturating_add(1);
    }
    Ok(())
}

fn next(
    numbers: &mut Numbers,
    pass: &mut Pass<'_, '_, '_>,
    index_type: IndexType,
) -> Result<Option<u64>> {
    match index_type {
        IndexType::U32 => Ok(numbers.next(pass)?.map(u32::from_le_bytes).map(u64::from)),
        IndexType::U64 => numbers.next_u64(pass),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{int8, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;
    use crate::descriptor::layout::KvRole;

    /// Pages of 2 tokens with one head of 4 elements.
    fn paged(
        tokens: u64,
        index_type: IndexType,
        pages: u64,
        table: &[u64],
        sequences: &[u64],
    ) -> Vec<String> {
        let count = u32::try_from(sequences.len() - 1).unwrap();
        let layout = BlockPaged::new(2, pages, count, KvRole::Key, None, index_type).unwrap();
        let numbers = |values: &[u64]| match index_type {
            IndexType::U64 => words(values),
            IndexType::U32 => values
                .iter()
                .flat_map(|&value| u32::try_from(value).unwrap().to_le_bytes())
                .collect(),
        };
        // An empty tensor needs no pool (decisions.md row 53).
        let pool = if tokens == 0 { 0 } else { pages * 8 };
        let buffers = [vec![1; usize::try_from(pool).unwrap()], numbers(table), numbers(sequences)];
        problems(int8(&[tokens, 1, 4], layout), &buffers)
    }

    #[test]
    fn sequences_and_pages() {
        for (index_type, width) in [(IndexType::U32, 4), (IndexType::U64, 8)] {
            // Without pages the first two buffers begin where the first would.
            let of = |pages, table: &[u64], sequences: &[u64]| {
                paged(6, index_type, pages, table, sequences)
            };
            assert!(of(3, &[2, 0, 2, 1], &[0, 2, 2, 4]).is_empty());
            assert!(of(3, &[], &[0]).is_empty());
            assert!(of(3, &[], &[0, 0, 0]).is_empty());
            assert_eq!(
                of(3, &[2, 0, 3, 1], &[0, 2, 4]),
                [format!("block_table[2] is 3, must be below 3, at byte {}", 8192 + 2 * width)]
            );
            for (sequences, text, index) in [
                (&[1, 2, 4][..], "seq_ptr[0] is 1, must be 0", 0),
                (&[0, 3, 2, 4], "seq_ptr[2] is 2, must not be below 3", 2),
                (&[0, 3], "seq_ptr[1] is 3, must be 4", 1),
                (&[0, 5], "seq_ptr[1] is 5, must be 4", 1),
            ] {
                let found = of(3, &[2, 0, 2, 1], sequences);
                assert_eq!(found, [format!("{text}, at byte {}", 12288 + index * width)]);
            }
        }
    }

    #[test]
    fn tables_hold_without_a_pool() {
        assert!(paged(0, IndexType::U32, 3, &[2, 0], &[0, 2]).is_empty());
        assert_eq!(paged(0, IndexType::U32, 2, &[2, 0], &[0, 2]).len(), 1);
        // Nothing of this is about the tokens.
        assert!(paged(DYNAMIC, IndexType::U32, 3, &[2, 0], &[0, 2]).is_empty());
        assert_eq!(paged(DYNAMIC, IndexType::U32, 3, &[2, 3], &[0, 2]).len(), 1);
    }
}
