//! float8_e8m0, of which two codes are no number (decisions.md rows 45 and 62): as scales, and as
//! the elements of a tensor.

use super::Pass;
use super::addressed::{Digits, Places};
use super::numbers::Numbers;
use super::place::Place;
use crate::bytes::math;
use crate::descriptor::layout::{BlockPaged, Kind};
use crate::descriptor::{DYNAMIC, ElementType, Layout};
use crate::error::{EntryFault, Result};

/// Codes looked at together.
const LANE: usize = 512;

/// Checks the elements of a tensor of this type, and nothing that no element is.
pub(super) fn check(pass: &mut Pass<'_, '_, '_>) -> Result<()> {
    let descriptor = pass.tensor.descriptor();
    if descriptor.element_type() != ElementType::FLOAT8_E8M0 || descriptor.shape().contains(&0) {
        return Ok(());
    }
    let (shape, offset) = (descriptor.shape(), descriptor.byte_offset());
    match (descriptor.layout(), descriptor.layout().kind()) {
        (layout, Kind::Sparse) => {
            check_span(pass, offset, layout.nnz().unwrap_or_default(), |_| Ok(None))
        }
        (Layout::BlockPaged(layout), _) => check_pages(pass, layout, shape, offset),
        (layout, Kind::Dense) if !descriptor.has_dynamic_dimension() => {
            match Digits::of(layout, shape)? {
                None => check_span(pass, offset, descriptor.element_count()?, |_| Ok(None)),
                Some(digits) => {
                    let start = math::sub(offset, digits.below(), "byte_offset")?;
                    let places = |pass: &mut Pass<'_, '_, '_>| digits.places(pass).map(Some);
                    check_span(pass, start, digits.span()?, places)
                }
            }
        }
        _ => Ok(()),
    }
}

/// The pages that the table names; what is in the others is nobody's.
fn check_pages(
    pass: &mut Pass<'_, '_, '_>,
    layout: &BlockPaged,
    shape: &[u64],
    offset: u64,
) -> Result<()> {
    let [_, heads, dim] = *shape else { return Ok(()) };
    if heads == DYNAMIC || dim == DYNAMIC {
        return Ok(());
    }
    let page = math::product(&[layout.page_size().into(), heads, dim], "elements of a page")?;
    let count = math::mul(layout.num_pages(), page, "elements of the page_pool")?;
    check_span(pass, offset, count, |pass| {
        let mut places = Places::none(layout.num_pages())?;
        super::paged::each_page(pass, layout, |_, _, id| places.insert(id))?;
        Ok(Some(places.in_units_of(page)))
    })
}

/// Checks `count` codes from byte `start` of buffer 0 on: those at the places that are given, or
/// all. The places are asked for only when there is a code that is no number.
fn check_span<'a, 's, 'p>(
    pass: &mut Pass<'a, 's, 'p>,
    start: u64,
    count: u64,
    places: impl FnOnce(&mut Pass<'a, 's, 'p>) -> Result<Option<Places>>,
) -> Result<()> {
    let name = pass.tensor.descriptor().buffer_name(0);
    let mut place = Place::new(pass, 0, name, start, 1)?;
    if !place.holds(pass, count)? {
        return Ok(());
    }
    let mut found = find(pass, Numbers::new(&place, count)?, |_| true)?;
    if found.is_some()
        && let Some(places) = places(pass)?
    {
        found = find(pass, Numbers::new(&place, count)?, |k| places.contains(k))?;
    }
    report(pass, &mut place, found);
    Ok(())
}

/// Checks codes that follow each other.
pub(super) fn check_codes(
    pass: &mut Pass<'_, '_, '_>,
    place: &mut Place,
    numbers: Numbers,
) -> Result<()> {
    let found = find(pass, numbers, |_| true)?;
    report(pass, place, found);
    Ok(())
}

fn report(pass: &mut Pass<'_, '_, '_>, place: &mut Place, found: Option<(u64, u8)>) {
    if let Some((index, value)) = found {
        let element_type = ElementType::FLOAT8_E8M0.name();
        place.report(pass, index, EntryFault::Code { value, element_type });
    }
}

/// The first code that is no number, of those that count, and its index.
fn find(
    pass: &mut Pass<'_, '_, '_>,
    mut numbers: Numbers,
    counts: impl Fn(u64) -> bool,
) -> Result<Option<(u64, u8)>> {
    let mut before = 0u64;
    while let Some(piece) = numbers.piece(pass)? {
        for lane in piece.chunks(LANE) {
            // No early way out, so that many codes are looked at at a time.
            if lane.iter().fold(false, |any, &code| any | is_wrong(code)) {
                let mut wrong = (before..).zip(lane).filter(|(_, code)| is_wrong(**code));
                if let Some((index, &code)) = wrong.find(|(index, _)| counts(*index)) {
                    return Ok(Some((index, code)));
                }
            }
            before = before.saturating_add(math::wide(lane.len()));
        }
    }
    Ok(None)
}

fn is_wrong(code: u8) -> bool {
    // 0x00 and 0xFF are the two that wrap to 0 and 1.
    code.wrapping_add(1) <= 1
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_type, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;
    use crate::descriptor::layout::{ColumnMajor, Coo, Hilbert, IndexType, KvRole, RowMajor};

    fn of(shape: &[u64], layout: impl Into<Layout>, codes: &[u8]) -> Vec<String> {
        problems(of_type(ElementType::FLOAT8_E8M0, shape, layout), &[codes.to_vec()])
    }

    #[test]
    fn two_codes_are_no_number() {
        let wrong: Vec<u8> = (0..=255).filter(|&code| is_wrong(code)).collect();
        assert_eq!(wrong, [0, 255]);
        // At both ends of what is looked at together, and of what is read at once.
        for at in [0, 511, 512, 65_535, 65_536, 99_999] {
            let mut codes = vec![1; 100_000];
            codes[at] = 255;
            let text = format!("data[{at}] is 0xff, which float8_e8m0 does not have");
            let found = of(&[100_000], RowMajor, &codes);
            assert_eq!(found, [format!("{text}, at byte {}", 4096 + at)]);
        }
    }

    #[test]
    fn pages_that_the_table_names() {
        let paged = |tokens: u64, table: &[u64]| {
            let sequences = [0, table.len() as u64];
            let layout = BlockPaged::new(2, 3, 1, KvRole::Key, None, IndexType::U64).unwrap();
            let builder = of_type(ElementType::FLOAT8_E8M0, &[tokens, 1, 2], layout);
            let pool = vec![1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1];
            problems(builder, &[pool, words(table), words(&sequences)])
        };
        assert!(paged(8, &[0, 2, 2, 0]).is_empty());
        for tokens in [8, DYNAMIC] {
            assert_eq!(
                paged(tokens, &[0, 1]),
                ["page_pool[6] is 0x00, which float8_e8m0 does not have, at byte 4102"]
            );
        }
        assert!(paged(0, &[0, 1]).is_empty());
        // A page that there is not is a problem of the table's.
        assert_eq!(paged(8, &[0, 3]).len(), 1);
    }

    #[test]
    fn elements_and_nothing_else() {
        for layout in [Layout::from(RowMajor), Layout::from(ColumnMajor)] {
            let text = "data[5] is 0xff, which float8_e8m0 does not have, at byte 4101";
            assert_eq!(of(&[2, 3], layout, &[1, 2, 3, 4, 5, 255]), [text]);
        }
        // What a larger buffer holds behind the elements, and before them.
        assert!(of(&[2, 3], RowMajor, &[1, 2, 3, 4, 5, 6, 0]).is_empty());
        let mut builder = of_type(ElementType::FLOAT8_E8M0, &[3], RowMajor);
        builder.byte_offset(2);
        assert!(problems(builder, &[vec![0, 0, 1, 2, 3]]).is_empty());
        assert_eq!(of(&[2, 2], Hilbert::new(1, 2), &[1, 2, 3, 0]).len(), 1);
        assert!(of(&[DYNAMIC, 2], RowMajor, &[0, 0]).is_empty());
        assert!(of(&[0, 2], RowMajor, &[]).is_empty());
        let coo = |values: &[u8]| {
            let builder = of_type(ElementType::FLOAT8_E8M0, &[9], Coo::new(2, true));
            problems(builder, &[values.to_vec(), words(&[3, 4])])
        };
        assert!(coo(&[1, 254, 0]).is_empty());
        assert_eq!(
            coo(&[1, 0]),
            ["values[1] is 0x00, which float8_e8m0 does not have, at byte 4097"]
        );
    }
}
