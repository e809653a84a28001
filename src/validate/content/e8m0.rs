//! float8_e8m0, of which two codes are no number (decisions.md rows 45 and 62): as scales, and as
//! the elements of a tensor.

use super::Pass;
use super::numbers::Numbers;
use super::place::Place;
use crate::bytes::math;
use crate::descriptor::{ElementType, Layout};
use crate::error::{EntryFault, Result};

/// Bytes looked at together.
const LANE: usize = 64;

/// Checks the elements of a tensor of this type.
pub(super) fn check(pass: &mut Pass<'_, '_, '_>) -> Result<()> {
    let descriptor = pass.tensor.descriptor();
    if descriptor.element_type() != ElementType::FLOAT8_E8M0 {
        return Ok(());
    }
    let count = match descriptor.layout() {
        Layout::RowMajor(_) | Layout::ColumnMajor(_) | Layout::Hilbert(_) => {
            match descriptor.has_dynamic_dimension() {
                true => return Ok(()),
                false => descriptor.element_count()?,
            }
        }
        Layout::Coo(_) | Layout::Csr(_) | Layout::Csc(_) | Layout::Csf(_) => {
            descriptor.layout().nnz().unwrap_or_default()
        }
        _ => return Ok(()),
    };
    let name = descriptor.buffer_name(0);
    let mut place = Place::new(pass, 0, name, descriptor.byte_offset(), 1)?;
    if place.holds(pass, count)? {
        let numbers = Numbers::new(&place, count)?;
        check_codes(pass, &mut place, numbers)?;
    }
    Ok(())
}

/// Checks codes that follow each other.
pub(super) fn check_codes(
    pass: &mut Pass<'_, '_, '_>,
    place: &mut Place,
    mut numbers: Numbers,
) -> Result<()> {
    let mut before = 0u64;
    while let Some(piece) = numbers.piece(pass)? {
        let length = math::wide(piece.len());
        if let Some((k, value)) = first_wrong(piece) {
            let element_type = ElementType::FLOAT8_E8M0.name();
            let index = before.saturating_add(math::wide(k));
            place.report(pass, index, EntryFault::Code { value, element_type });
            return Ok(());
        }
        before = before.saturating_add(length);
    }
    Ok(())
}

fn is_wrong(code: u8) -> bool {
    // 0x00 and 0xFF are the two that wrap to 0 and 1.
    code.wrapping_add(1) <= 1
}

/// The first code that is no number, and where it stands.
fn first_wrong(codes: &[u8]) -> Option<(usize, u8)> {
    // Whole lanes have no early way out and so are looked at many codes at a time.
    let (lanes, _) = codes.as_chunks::<LANE>();
    let right = |lane: &&[u8; LANE]| !lane.iter().fold(false, |any, &code| any | is_wrong(code));
    let skip = lanes.iter().take_while(right).count().saturating_mul(LANE);
    let mut rest = codes.iter().copied().enumerate().skip(skip);
    rest.find(|&(_, code)| is_wrong(code))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_type, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;
    use crate::descriptor::layout::{ColumnMajor, Coo, Hilbert, RowMajor};

    fn of(shape: &[u64], layout: impl Into<Layout>, codes: &[u8]) -> Vec<String> {
        problems(of_type(ElementType::FLOAT8_E8M0, shape, layout), &[codes.to_vec()])
    }

    #[test]
    fn two_codes_are_no_number() {
        for code in 0..=255 {
            let found = first_wrong(&[&[1; 100], &[code][..], &[0]].concat());
            let place = if code == 0 || code == 255 { (100, code) } else { (101, 0) };
            assert_eq!(found, Some(place));
        }
        assert_eq!(first_wrong(&[1; 128]), None);
        assert_eq!(first_wrong(&[]), None);
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
