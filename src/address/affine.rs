//! Row-major, column-major and strided (layouts.md): a stride a dimension.

use super::Part;
use crate::bytes::{Few, math};
use crate::descriptor::Padding;
use crate::descriptor::layout::Order;
use crate::error::{Error, ErrorKind, Result};

const WHAT: &str = "element offset";

fn overflow() -> Error {
    Error::new(ErrorKind::Overflow { what: WHAT })
}

/// Strides in elements, one a dimension.
pub(super) type StrideList = Few<i64, 16>;

/// A way to order a grid.
#[derive(Clone, Copy)]
pub(super) enum Lines<'d> {
    RowMajor,
    ColumnMajor,
    Strided(&'d [i64]),
}

impl<'d> From<&'d Order> for Lines<'d> {
    fn from(order: &'d Order) -> Self {
        match (order, order.strides()) {
            (_, Some(strides)) => Self::Strided(strides),
            (Order::ColumnMajor, None) => Self::ColumnMajor,
            (_, None) => Self::RowMajor,
        }
    }
}

impl Lines<'_> {
    /// The strides of a grid of these sizes, none of them 0, times `unit`. 0 along a dimension of
    /// one index: what stands there means nothing and may not even fit.
    pub(super) fn strides(
        self,
        sizes: impl DoubleEndedIterator<Item = u64> + ExactSizeIterator,
        unit: u64,
        strides: &mut [i64],
    ) -> Result<()> {
        match self {
            Self::RowMajor => products(strides.iter_mut().zip(sizes).rev(), unit),
            Self::ColumnMajor => products(strides.iter_mut().zip(sizes), unit),
            Self::Strided(own) => {
                for ((stride, &own), size) in strides.iter_mut().zip(own).zip(sizes) {
                    if size > 1 && own != 0 {
                        let unit = i64::try_from(unit).map_err(|_| overflow())?;
                        *stride = own.checked_mul(unit).ok_or_else(overflow)?;
                    }
                }
                Ok(())
            }
        }
    }
}

fn products<'a>(axes: impl Iterator<Item = (&'a mut i64, u64)>, unit: u64) -> Result<()> {
    let mut step = unit;
    for (stride, size) in axes {
        if size > 1 {
            *stride = i64::try_from(step).map_err(|_| overflow())?;
            step = math::mul(step, size, WHAT)?;
        }
    }
    Ok(())
}

/// The smallest and the largest offset. While every sum of strides lies between two such, no sum
/// of some of them wraps.
#[derive(Default)]
pub(super) struct Reach {
    low: i64,
    high: i64,
}

impl Reach {
    /// Takes in further dimensions, whose sizes are not 0.
    pub(super) fn add(&mut self, strides: &[i64], sizes: impl Iterator<Item = u64>) -> Result<()> {
        for (&stride, size) in strides.iter().zip(sizes).filter(|(stride, _)| **stride != 0) {
            let last = i64::try_from(size.saturating_sub(1)).map_err(|_| overflow())?;
            let side = if stride < 0 { &mut self.low } else { &mut self.high };
            let reach = stride.checked_mul(last).and_then(|reach| side.checked_add(reach));
            *side = reach.ok_or_else(overflow)?;
        }
        Ok(())
    }
}

/// `sum of strides[k] * index[k]`.
fn dot(strides: &[i64], index: &[u64]) -> i64 {
    let terms = strides.iter().zip(index).map(|(s, i)| s.wrapping_mul(i.cast_signed()));
    terms.fold(0, i64::wrapping_add)
}

pub(super) struct Affine {
    strides: StrideList,
}

impl Affine {
    pub(super) fn new(shape: &[u64], padding: Option<Padding>, lines: Lines<'_>) -> Result<Self> {
        let mut strides = StrideList::map(shape, |_| 0)?;
        // An empty tensor addresses nothing, and its products may overflow (decisions.md row 53).
        if !shape.contains(&0) {
            let stored = shape.iter().enumerate().map(|(k, &size)| match padding {
                Some(padding) if padding.axis == k => padding.size,
                _ => size,
            });
            lines.strides(stored, 1, strides.as_mut_slice())?;
            Reach::default().add(&strides, shape.iter().copied())?;
        }
        Ok(Self { strides })
    }

    pub(super) fn offset(&self, index: &[u64]) -> i64 {
        dot(&self.strides, index)
    }

    /// All of it in one part.
    pub(super) fn parts(
        &self,
        lower: &[u64],
        extent: &[u64],
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        visit(Part::Affine { lower, extent, first: self.offset(lower), strides: &self.strides })
    }
}

#[cfg(test)]
mod tests {
    use crate::address::locate;
    use crate::address::tests::{check_parts, offset, tensor};
    use crate::descriptor::layout::{ColumnMajor, RowMajor, Strided};
    use crate::descriptor::{Builder, ElementType};

    fn strided(strides: &[i64]) -> Strided {
        Strided::new(strides).unwrap()
    }

    #[test]
    fn the_check_of_row_46() {
        // decisions.md row 46: [3, 4] with strides [-4, 1] and 8 elements below the first.
        let mut b = Builder::new(ElementType::FLOAT32, &[3, 4]).unwrap();
        let d = b.layout(strided(&[-4, 1])).byte_offset(32).build().unwrap();
        let place = |index: [u64; 2]| locate(&d, &index).map(|p| (p.element, p.byte)).unwrap();
        assert_eq!(place([0, 0]), (0, 32));
        assert_eq!(place([0, 3]), (3, 44));
        assert_eq!(place([2, 0]), (-8, 0));
        assert_eq!(place([2, 3]), (-5, 12));
    }

    #[test]
    fn scalars_and_many_dimensions() {
        assert_eq!(offset(&[], RowMajor, &[]), 0);
        check_parts(&tensor(ElementType::BOOL, &[], RowMajor).unwrap(), &[], &[]);
        let mut shape = [1; 64];
        (shape[0], shape[31], shape[63]) = (2, 3, 5);
        let mut index = [0; 64];
        (index[0], index[31], index[63]) = (1, 2, 3);
        assert_eq!(offset(&shape, RowMajor, &index), 15 + 2 * 5 + 3);
        assert_eq!(offset(&shape, ColumnMajor, &index), 1 + 2 * 2 + 3 * 6);
        check_parts(&tensor(ElementType::INT8, &shape, RowMajor).unwrap(), &[0; 64], &shape);
    }

    #[test]
    fn what_overflows_means_nothing_or_is_refused() {
        // A stride of 0 takes any size, and along one index any stride means nothing.
        let huge = u64::MAX - 1;
        assert_eq!(offset(&[huge, 3], strided(&[0, 2]), &[huge - 1, 2]), 4);
        let layout = strided(&[i64::MIN, 1, i64::MAX]);
        assert_eq!(offset(&[1, 1 << 20, 1], layout, &[0, 99, 0]), 99);
        assert_eq!(offset(&[1, 1 << 62, 1], RowMajor, &[0, 7, 0]), 7);
        // Bits to the end of what an i64 counts, and past it.
        let bits = |shape: &[u64], index: &[u64]| {
            let d = tensor(ElementType::BOOL, shape, RowMajor).unwrap();
            locate(&d, index).map(|place| (place.byte, place.bit)).map_err(|e| e.to_string())
        };
        let last = (1 << 62) - 1;
        assert_eq!(bits(&[2, 1 << 62], &[1, last]), Ok(((1 << 60) - 1, 7)));
        let overflow = "element offset does not fit 64 bits";
        assert_eq!(bits(&[3, 1 << 62], &[0, 0]).unwrap_err(), overflow);
        assert_eq!(bits(&[1, (1 << 63) + 1], &[0, 0]).unwrap_err(), overflow);
        // Nothing is computed of an empty shape.
        assert!(bits(&[1 << 62, 0, 1 << 62], &[0, 0, 0]).unwrap_err().contains("there are 0"));
    }
}
