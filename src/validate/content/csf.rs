//! CSF (layouts.md, CSF): a tree, level by level. How large a level is, the one before it says
//! (decisions.md row 55).

use super::compressed::Lists;
use super::place::Place;
use super::{Pass, limit};
use crate::bytes::math;
use crate::descriptor::layout::Csf;
use crate::error::Result;

pub(super) fn check(pass: &mut Pass<'_, '_, '_>, layout: &Csf) -> Result<()> {
    let mut nodes = 1;
    let last = layout.mode_order().len().saturating_sub(1);
    for (level, &mode) in (0u32..).zip(layout.mode_order()) {
        let buffer = u64::from(level).saturating_mul(2).saturating_add(1);
        let pointers = Place::words(pass, buffer)?.of_level(level);
        let indices = Place::words(pass, buffer.saturating_add(1))?.of_level(level);
        if !pointers.holds(pass, math::add(nodes, 1, "count of pointers")?)? {
            return Ok(());
        }
        // A tree without elements has no nodes at all.
        let known = layout.nnz() == 0 || usize::try_from(level) == Ok(last);
        let entries = if known { layout.nnz() } else { word(pass, &pointers, nodes)? };
        let size = pass.tensor.descriptor().shape().get(math::to_usize(mode.into(), "mode_order")?);
        let limit = limit(size);
        let lists = Lists { pointers, indices, lists: Some(nodes), entries, limit };
        // Behind wrong pointers nobody knows how large the next level is.
        if !lists.check(pass)? {
            return Ok(());
        }
        nodes = entries;
    }
    Ok(())
}

/// The u64 of this number.
fn word(pass: &mut Pass<'_, '_, '_>, place: &Place, index: u64) -> Result<u64> {
    let mut bytes = [0; 8];
    let offset = math::mul(index, place.width, "offset of a pointer")?;
    pass.tensor.read(place.buffer, offset, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{int8, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;

    /// pos and crd of three levels; the check of layouts.md.
    const EXAMPLE: [&[u64]; 6] =
        [&[0, 2], &[0, 1], &[0, 2, 3], &[0, 2, 1], &[0, 1, 2, 4], &[1, 3, 0, 2]];

    fn tree(shape: [u64; 3], order: [u32; 3], nnz: u64, levels: [&[u64]; 6]) -> Vec<String> {
        let mut buffers = vec![vec![1; usize::try_from(nnz).unwrap()]];
        buffers.extend(levels.map(words));
        problems(int8(&shape, Csf::new(nnz, &order).unwrap()), &buffers)
    }

    fn changed(buffer: usize, numbers: &[u64]) -> Vec<String> {
        let mut levels = EXAMPLE;
        levels[buffer - 1] = numbers;
        tree([2, 3, 4], [0, 1, 2], 4, levels)
    }

    #[test]
    fn the_check_of_the_text() {
        assert!(tree([2, 3, 4], [0, 1, 2], 4, EXAMPLE).is_empty());
        // Sizes go with the modes.
        assert!(tree([3, 4, 2], [2, 0, 1], 4, EXAMPLE).is_empty());
        assert_eq!(tree([2, 3, 4], [1, 0, 2], 4, EXAMPLE).len(), 1);
        assert!(tree([DYNAMIC; 3], [0, 1, 2], 4, EXAMPLE).is_empty());
        // Larger buffers are fine (decisions.md row 8).
        assert!(changed(2, &[0, 1, 0]).is_empty());
        assert!(changed(3, &[0, 2, 3, 0]).is_empty());
    }

    #[test]
    fn every_level_has_the_rules_of_pointers_and_lists() {
        for (buffer, numbers, text) in [
            (1, &[1, 2][..], "pos_0[0] is 1, must be 0, at byte 8192"),
            (2, &[1, 1], "crd_0[1] is 1, must be above 1, at byte 12296"),
            (2, &[0, 2], "crd_0[1] is 2, must be below 2, at byte 12296"),
            (3, &[0, 4, 3], "pos_1[2] is 3, must not be below 4, at byte 16400"),
            (4, &[2, 0, 1], "crd_1[1] is 0, must be above 2, at byte 20488"),
            (5, &[0, 1, 2, 3], "pos_2[3] is 3, must be 4, at byte 24600"),
            (6, &[1, 3, 2, 0], "crd_2[3] is 0, must be above 2, at byte 28696"),
            (6, &[1, 4, 0, 2], "crd_2[1] is 4, must be below 4, at byte 28680"),
        ] {
            assert_eq!(changed(buffer, numbers), [text]);
        }
    }

    #[test]
    fn sizes_that_the_content_says() {
        for (buffer, numbers, text) in [
            (1, &[0, 3][..], "crd too small: need 24 bytes, have 16, at byte 12288"),
            (2, &[0], "crd too small: need 16 bytes, have 8, at byte 12288"),
            (3, &[0, 2], "pos too small: need 24 bytes, have 16, at byte 16384"),
            (3, &[0, 2, u64::MAX], "need 18446744073709551615 bytes, have 24"),
            (4, &[0, 2], "crd too small: need 24 bytes, have 16, at byte 20480"),
            (5, &[0, 1, 2], "pos too small: need 32 bytes, have 24, at byte 24576"),
        ] {
            let found = changed(buffer, numbers);
            assert!(found.len() == 1 && found[0].contains(text), "{found:?}");
        }
    }

    #[test]
    fn without_elements() {
        let none: [&[u64]; 6] = [&[0, 0], &[], &[0], &[], &[0], &[]];
        assert!(tree([2, 3, 4], [0, 1, 2], 0, none).is_empty());
        assert!(tree([2, 0, 4], [0, 1, 2], 0, none).is_empty());
        let mut node = none;
        (node[0], node[1], node[2]) = (&[0, 1], &[1], &[0, 0]);
        assert_eq!(tree([2, 3, 4], [0, 1, 2], 0, node), ["pos_0[1] is 1, must be 0, at byte 4104"]);
    }
}
