//! Boxes, written as numpy writes slices: `0:2,:,5`.

use std::str::FromStr;

/// What a command line asks for, dimension by dimension.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slices(Vec<Slice>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slice {
    Index(i64),
    Range(Option<i64>, Option<i64>),
}

/// Slices of a shape.
#[derive(Debug, PartialEq)]
pub(super) struct Selection {
    pub(super) lower: Vec<u64>,
    pub(super) extent: Vec<u64>,
    /// Whether the result has this dimension: one that an index picks it has not.
    pub(super) kept: Vec<bool>,
}

impl FromStr for Slices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| format!("{digits:?} is no index")),
        };
        let slice = |text: &str| match text.split_once(':') {
            Some((_, end)) if end.contains(':') => Err("steps are not supported".to_owned()),
            Some((begin, end)) => Ok(Slice::Range(number(begin)?, number(end)?)),
            None => number(text)?.map(Slice::Index).ok_or_else(|| "an index is missing".to_owned()),
        };
        text.split(',').map(slice).collect::<Result<_, _>>().map(Self)
    }
}

impl Slices {
    /// The box of a shape; dimensions that are not spoken of are whole.
    pub(super) fn of(&self, shape: &[u64]) -> Result<Selection, String> {
        let (given, rank) = (self.0.len(), shape.len());
        if given > rank {
            return Err(format!("the box has {given} dimensions, the tensor {rank}"));
        }
        let whole = std::iter::repeat(&Slice::Range(None, None));
        let mut selection = Selection { lower: vec![], extent: vec![], kept: vec![] };
        for (k, (slice, &size)) in self.0.iter().chain(whole).zip(shape).enumerate() {
            let (begin, end) = match *slice {
                Slice::Index(index) => {
                    let place = place(index, size).filter(|&place| place < size);
                    let place = place.ok_or_else(|| outside(k, index, size))?;
                    (place, place + 1)
                }
                Slice::Range(begin, end) => {
                    let at = |bound: Option<i64>, open| match bound {
                        None => Ok(open),
                        Some(bound) => place(bound, size).ok_or_else(|| outside(k, bound, size)),
                    };
                    (at(begin, 0)?, at(end, size)?)
                }
            };
            let extent = end.checked_sub(begin).ok_or_else(|| {
                format!("the range {begin}:{end} in dimension {k} ends before it begins")
            })?;
            selection.lower.push(begin);
            selection.extent.push(extent);
            selection.kept.push(matches!(slice, Slice::Range(..)));
        }
        Ok(selection)
    }
}

impl Selection {
    /// The shape of the result.
    pub(super) fn shape(&self) -> Vec<u64> {
        let kept = self.extent.iter().zip(&self.kept).filter(|&(_, &kept)| kept);
        kept.map(|(&extent, _)| extent).collect()
    }
}

/// Where a bound lies, those below 0 counted from the end.
fn place(bound: i64, size: u64) -> Option<u64> {
    let place =
        if bound < 0 { size.checked_sub(bound.unsigned_abs())? } else { bound.unsigned_abs() };
    (place <= size).then_some(place)
}

fn outside(dimension: usize, bound: i64, size: u64) -> String {
    format!("{bound} leaves dimension {dimension}, which has size {size}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, shape: &[u64]) -> Result<[Vec<u64>; 3], String> {
        let selection = text.parse::<Slices>()?.of(shape)?;
        let shape = selection.shape();
        Ok([selection.lower, selection.extent, shape])
    }

    #[test]
    fn as_numpy_reads_them() {
        let shape = [4, 3, 6];
        for (text, lower, extent, left) in [
            ("0:2,:,5", [0, 0, 5], [2, 3, 1], &[2, 3][..]),
            ("1", [1, 0, 0], [1, 3, 6], &[3, 6]),
            ("-1,-2:,:-1", [3, 1, 0], [1, 2, 5], &[2, 5]),
            ("2:2", [2, 0, 0], [0, 3, 6], &[0, 3, 6]),
            ("4:", [4, 0, 0], [0, 3, 6], &[0, 3, 6]),
            (" 1 : 3 , 0,0", [1, 0, 0], [2, 1, 1], &[2]),
        ] {
            let found = of(text, &shape).unwrap();
            assert_eq!(found, [lower.to_vec(), extent.to_vec(), left.to_vec()], "{text}");
        }
        assert_eq!(Slices::default().of(&[]).unwrap().shape(), [0; 0]);
    }

    #[test]
    fn what_is_none() {
        for (text, message) in [
            ("4", "4 leaves dimension 0, which has size 4"),
            ("-5", "-5 leaves dimension 0, which has size 4"),
            (":,0:4", "4 leaves dimension 1, which has size 3"),
            ("3:1", "the range 3:1 in dimension 0 ends before it begins"),
            ("0,0,0,0", "the box has 4 dimensions, the tensor 3"),
            ("::2", "steps are not supported"),
            ("1,", "an index is missing"),
            ("", "an index is missing"),
            ("x", "\"x\" is no index"),
            ("99999999999999999999", "\"99999999999999999999\" is no index"),
        ] {
            assert_eq!(of(text, &[4, 3, 6]).unwrap_err(), message, "{text}");
        }
    }
}
