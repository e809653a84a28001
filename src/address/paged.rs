//! Block-paged (layouts.md, Block-paged): the formula, once the page of a token is known.

use crate::bytes::math;
use crate::descriptor::layout::BlockPaged;
use crate::error::{Error, ErrorKind, Result};

/// The offset in the page_pool of the element [head, dim] of the token in slot `slot` of page
/// `page`, in a tensor of this shape. Each is checked.
pub(crate) fn slot_offset(
    layout: &BlockPaged,
    shape: &[u64],
    page: u64,
    slot: u64,
    head: u64,
    dim: u64,
) -> Result<i64> {
    let &[_, heads, dims] = shape else {
        let (what, count) = ("index of a paged tensor", 3);
        return Err(Error::new(ErrorKind::Rank { what, count, rank: math::wide(shape.len()) }));
    };
    if page >= layout.num_pages() {
        let (what, rule) = ("page id", "not below num_pages");
        return Err(Error::new(ErrorKind::RuleAt { what, index: page, rule }));
    }
    let what = "element offset";
    let mut offset = page;
    for (what_index, value, count) in [
        ("slot of a page", slot, layout.page_size().into()),
        ("head", head, heads),
        ("dim", dim, dims),
    ] {
        if value >= count {
            return Err(Error::new(ErrorKind::Index { what: what_index, value, count }));
        }
        offset = math::add(math::mul(offset, count, what)?, value, what)?;
    }
    i64::try_from(offset).map_err(|_| Error::new(ErrorKind::Overflow { what }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::layout::{IndexType, KvRole};

    #[test]
    fn the_formula_and_its_limits() {
        let layout = |page_size, pages| {
            BlockPaged::new(page_size, pages, 1, KvRole::Key, None, IndexType::U64).unwrap()
        };
        let small = layout(4, 6);
        let offset = |page, slot, head, dim| {
            slot_offset(&small, &[14, 2, 8], page, slot, head, dim).map_err(|e| e.to_string())
        };
        // layouts.md: ((page * page_size + t % page_size) * heads + h) * dim + d.
        assert_eq!(offset(5, 3, 1, 7), Ok(((5 * 4 + 3) * 2 + 1) * 8 + 7));
        assert_eq!(offset(0, 0, 0, 0), Ok(0));
        assert_eq!(offset(6, 0, 0, 0).unwrap_err(), "page id 6: not below num_pages");
        assert_eq!(offset(0, 4, 0, 0).unwrap_err(), "slot of a page 4 out of range: there are 4");
        assert_eq!(offset(0, 0, 2, 0).unwrap_err(), "head 2 out of range: there are 2");
        assert_eq!(offset(0, 0, 0, 8).unwrap_err(), "dim 8 out of range: there are 8");
        let huge = layout(1 << 31, 1 << 33);
        let far = |page| slot_offset(&huge, &[1, 1, 1], page, 0, 0, 0);
        assert_eq!(far((1 << 32) - 1).unwrap(), ((1 << 32) - 1) << 31);
        let overflow = "element offset does not fit 64 bits";
        assert_eq!(far(1 << 32).unwrap_err().to_string(), overflow);
    }
}
