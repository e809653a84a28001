//! Tallies, held against plain loops over small tensors.

use super::*;
use crate::bytes::Foreign;
use crate::descriptor::layout::{Coo, Csr};
use crate::descriptor::quantization::PerTensor;
use crate::descriptor::{ElementType, ExtensionType, Format};

/// A row-major tensor of float64.
fn float64(shape: &[u64]) -> Descriptor {
    Builder::new(ElementType::FLOAT64, shape).unwrap().build().unwrap()
}

fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn statistics(d: &Descriptor, buffers: &[Vec<u8>], m: u8) -> Result<Statistics> {
    let buffers: Vec<_> = buffers.iter().map(|bytes| Foreign::of(bytes)).collect();
    Values::new(d, &buffers).unwrap().statistics(m, None)
}

/// Of float64 values.
fn of(numbers: &[f64], m: u8) -> Statistics {
    let d = float64(&[math::wide(numbers.len())]);
    statistics(&d, &[bytes(numbers)], m).unwrap()
}

/// Minimum, maximum, largest magnitude, mean, deviation, as they are printed.
fn numbers(s: &Statistics) -> String {
    let (range, spread) = (s.range(), s.spread());
    format!(
        "{:?} {:?}",
        range.map(|r| (r.min, r.max, r.abs_max)),
        spread.map(|s| (s.mean, s.stddev))
    )
}

fn counts(s: &Statistics) -> (Option<u64>, Option<f64>, Option<(bool, bool)>) {
    (s.nnz(), s.sparsity_ratio(), s.special().map(|s| (s.has_nan, s.has_inf)))
}

#[test]
fn of_a_few_numbers() {
    let found = of(&[2.0, -0.0, 4.0, -6.0], 0);
    // Mean 0; the squares are 4 + 0 + 16 + 36 = 56, and 56 / 4 = 14.
    let root = 14.0_f64.sqrt();
    assert_eq!(numbers(&found), format!("Some((-6.0, 4.0, 6.0)) Some((0.0, {root:?}))"));
    assert_eq!(counts(&found), (Some(3), Some(0.25), Some((false, false))));
    assert_eq!((found.nm(), found.mask()), (None, 0b10_1111));
    let found = of(&[-0.0], 0);
    assert_eq!(numbers(&found), "Some((0.0, 0.0, 0.0)) Some((0.0, 0.0))");
}

#[test]
fn what_is_not_finite() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (values, wanted) in [
        (&[1.0, nan][..], "Some((1.0, 1.0, 1.0)) Some((NaN, NaN))"),
        (&[nan, nan], "None Some((NaN, NaN))"),
        (&[1.0, inf], "Some((1.0, inf, inf)) Some((inf, NaN))"),
        (&[-inf, -1.0], "Some((-inf, -1.0, inf)) Some((-inf, NaN))"),
        (&[-inf, 3.0, inf], "Some((-inf, inf, inf)) Some((NaN, NaN))"),
        (&[inf, nan], "Some((inf, inf, inf)) Some((NaN, NaN))"),
        // The sum does not fit.
        (&[1.5e308, 1.5e308], "Some((1.5e308, 1.5e308, 1.5e308)) None"),
    ] {
        assert_eq!(numbers(&of(values, 0)), wanted, "{values:?}");
    }
    let found = of(&[nan, 0.0, inf, 1.0], 0);
    assert_eq!(counts(&found), (Some(3), Some(0.25), Some((true, true))));
    assert_eq!(counts(&of(&[-inf], 0)).2, Some((false, true)));
}

#[test]
fn of_no_elements() {
    let found = of(&[], 4);
    assert_eq!(counts(&found), (Some(0), None, Some((false, false))));
    assert_eq!((numbers(&found).as_str(), found.nm()), ("None None", None));
}

#[test]
fn groups_in_row_major_order() {
    let n = |values: &[f64], m| of(values, m).nm().unwrap().n;
    let values = [1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 5.0];
    assert_eq!((n(&values, 4), n(&values, 2), n(&values, 1)), (2, 1, 1));
    assert_eq!((n(&values, 3), n(&values, 7), n(&values, 255)), (2, 4, 5));
    assert_eq!(n(&[0.0, f64::NAN], 2), 1);
    assert_eq!(n(&[0.0, 0.0], 2), 0);
}

#[test]
fn split_anywhere() {
    let numbers: Vec<f64> = (0..40).map(|k| f64::from(k * 37 % 11 - 5)).collect();
    let (d, bytes) = (float64(&[5, 8]), bytes(&numbers));
    let buffers = [Foreign::of(&bytes)];
    let values = Values::new(&d, &buffers).unwrap();
    let whole = values.statistics(3, None).unwrap();
    for first in 0..=40 {
        for second in first..=40 {
            let mut parts: Vec<Tally> = [(0, first), (first, second), (second, 40)]
                .into_iter()
                .map(|(begin, end)| {
                    let mut tally = Tally::new(&d, 3).unwrap();
                    tally.add(&values, begin, end - begin).unwrap();
                    tally
                })
                .collect();
            let mut all = parts.remove(1);
            assert_eq!(all.statistics().is_ok(), (first, second) == (0, 40));
            parts.iter().for_each(|part| all.merge(part));
            let found = all.statistics().unwrap();
            assert_eq!(counts(&found), counts(&whole));
            assert_eq!(found.nm(), whole.nm());
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-14;
            let (a, b) = (found.spread().unwrap(), whole.spread().unwrap());
            assert!(close(a.mean, b.mean) && close(a.stddev, b.stddev), "{first} {second}");
            let (a, b) = (found.range().unwrap(), whole.range().unwrap());
            assert_eq!((a.min, a.max, a.abs_max), (b.min, b.max, b.abs_max));
        }
    }
}

#[test]
fn more_than_a_piece() {
    let count = PIECE * 2 + 5;
    let numbers: Vec<f64> = (0..count).map(|k| if k % 3 == 0 { 0.0 } else { float(k) }).collect();
    let found = of(&numbers, 3);
    let nonzero = math::wide(numbers.iter().filter(|&&x| x != 0.0).count());
    assert_eq!((found.nnz(), found.nm()), (Some(nonzero), Some(NmSparsity { n: 2, m: 3 })));
    // Sums of whole numbers below 2^53 are exact.
    let sum: f64 = numbers.iter().sum();
    assert_eq!(found.spread().unwrap().mean, sum / float(count));
    assert_eq!(found.range().unwrap().max, float(count - 1));
}

#[test]
fn stored_values_and_the_zeros_between() {
    let mut builder = Builder::new(ElementType::FLOAT64, &[2, 3]).unwrap();
    builder.layout(Csr::new(3));
    let d = builder.build().unwrap();
    let words = |words: &[u64]| words.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    // 3 0 -1; 0 0 0, of which the last zero is stored.
    let buffers = [bytes(&[3.0, -1.0, 0.0]), words(&[0, 2, 2]), words(&[0, 2, 3])];
    let found = statistics(&d, &buffers, 0).unwrap();
    assert_eq!(counts(&found), (Some(3), Some(0.5), Some((false, false))));
    // Mean 1/3; the squares of the distances are (64 + 16 + 4 * 1) / 9.
    let (mean, stddev) = (1.0 / 3.0, (84.0_f64 / 9.0 / 6.0).sqrt());
    let spread = found.spread().unwrap();
    assert!((spread.mean - mean).abs() < 1e-15 && (spread.stddev - stddev).abs() < 1e-15);
    assert_eq!(found.range().map(|r| (r.min, r.max)), Some((-1.0, 3.0)));
    // As a whole it is the same, and knows what follows what.
    let whole = statistics(&d, &buffers, 3).unwrap();
    assert_eq!((whole.nnz(), whole.nm()), (Some(3), Some(NmSparsity { n: 2, m: 3 })));
    assert!((whole.spread().unwrap().stddev - stddev).abs() < 1e-15);
}

#[test]
fn sparse_tensors_of_any_size() {
    let mut builder = Builder::new(ElementType::FLOAT64, &[1 << 40, 1 << 20]).unwrap();
    builder.layout(Coo::new(1, true));
    let d = builder.build().unwrap();
    let found = statistics(&d, &[bytes(&[-2.0]), vec![0; 16]], 0).unwrap();
    assert_eq!((found.nnz(), found.range().map(|r| (r.min, r.max))), (Some(1), Some((-2.0, 0.0))));
    let n = 2.0_f64.powi(60);
    let spread = found.spread().unwrap();
    assert_eq!(spread.mean, -2.0 / n);
    assert!((spread.stddev / (2.0 / n.sqrt()) - 1.0).abs() < 1e-12, "{spread:?}");
}

#[test]
fn what_elements_stand_for() {
    let mut builder = Builder::new(ElementType::INT8, &[4]).unwrap();
    builder.quantization(PerTensor::new(0.5, 1).unwrap());
    let found = statistics(&builder.build().unwrap(), &[vec![1, 0xFF, 3, 1]], 2).unwrap();
    assert_eq!(found.range().map(|r| (r.min, r.max, r.abs_max)), Some((-1.0, 1.0, 1.0)));
    assert_eq!(counts(&found), (Some(2), Some(0.5), Some((false, false))));
    assert_eq!(found.nm(), Some(NmSparsity { n: 1, m: 2 }));

    let d = Builder::new(ElementType::BOOL, &[9]).unwrap().build().unwrap();
    let found = statistics(&d, &[vec![0b1000_0001, 1]], 0).unwrap();
    assert_eq!((found.nnz(), found.spread().map(|s| s.mean)), (Some(3), Some(1.0 / 3.0)));

    let d = Builder::new(ElementType::COMPLEX64, &[1]).unwrap().build().unwrap();
    let error = statistics(&d, &[vec![0; 8]], 0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
}

#[test]
fn progress_in_bytes_of_float64() {
    let (d, bytes) = (float64(&[3, PIECE]), bytes(&[1.0; 3 << 15]));
    let buffers = [Foreign::of(&bytes)];
    let values = Values::new(&d, &buffers).unwrap();
    let mut seen = Vec::new();
    let mut report = |done, total| {
        seen.push((done, total));
        true
    };
    values.statistics(0, Some(&mut report)).unwrap();
    let total = 3 * PIECE * 8;
    assert_eq!((seen[0], seen.last()), ((0, total), Some(&(total, total))));
    let mut stop = |done, _| done == 0;
    let error = values.statistics(0, Some(&mut stop)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled { .. }), "{error}");
}

#[test]
fn elements_that_are_no_numbers() {
    let private = ElementType::from_tag(0xF0).unwrap();
    for element_type in [private, ElementType::COMPLEX64, ElementType::FLOAT128] {
        for is_sparse in [false, true] {
            let mut b = Builder::new(element_type, &[1]).unwrap();
            if element_type.is_private() {
                let format = Format::Integer { is_signed: false };
                b.extension_type(ExtensionType::new(24, format).unwrap());
            }
            if is_sparse {
                b.layout(Coo::new(1, true));
            }
            let d = b.build().unwrap();
            for m in [0, 2] {
                let error = statistics(&d, &[vec![0; 16], vec![0; 8]][..d.buffers().len()], m);
                let error = error.unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            }
        }
    }
}
