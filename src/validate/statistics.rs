//! What statistics sections say, held against the values (descriptor.md, Statistics section).

use super::Sink;
use crate::container::{Steps, Tensor};
use crate::descriptor::layout::Kind;
use crate::descriptor::quantization::Quantization;
use crate::descriptor::{Descriptor, ElementType, NmSparsity, SpecialValues, Statistics};
use crate::error::{Error, ErrorKind, Result, Section};
use crate::values::Values;

/// What a mean or deviation may be away from the one found, as a share of the largest magnitude, and
/// a sparsity ratio from its own: writers add up in their own way, and some in less than float64.
pub const STATISTICS_TOLERANCE: f64 = 1e-6;

/// Checks the statistics of a tensor, if it has them and they can be told from its data.
pub(super) fn check(tensor: &Tensor, sink: &mut Sink<'_>, steps: &mut Steps<'_>) -> Result<()> {
    let d = tensor.descriptor();
    let Some(known) = d.statistics().filter(|_| has_values(d)) else { return Ok(()) };
    let (mut before, mut stopped) = (0_u64, None);
    let mut report = |done: u64, _| {
        let more = done.saturating_sub(before);
        before = done;
        stopped = steps.again(more).err();
        stopped.is_none()
    };
    let m = groups(d, known).map_or(0, |nm| nm.m);
    let found = Values::by_reads(tensor).statistics(m, Some(&mut report));
    if let Some(error) = stopped {
        return Err(error);
    }
    let here = |error: Error| error.in_tensor(tensor.index(), tensor.name());
    match found {
        Ok(found) => compare(known, &found, &mut |kind| {
            sink.put(here(Error::new(kind).in_section(Section::Descriptor)));
        }),
        // A block-paged tensor that has no view of its own (decisions.md row 54).
        Err(error) if matches!(error.kind(), ErrorKind::State { .. }) => {}
        Err(error) => {
            sink.judge::<()>(Err(here(error)))?;
        }
    }
    Ok(())
}

/// Whether the elements have places that are known, and values that float64 numbers stand for.
fn has_values(d: &Descriptor) -> bool {
    let is_number = match d.element_type() {
        ElementType::COMPLEX64 | ElementType::COMPLEX128 | ElementType::FLOAT128 => false,
        known => known.bits().is_some(),
    };
    is_number
        && !matches!(d.layout().kind(), Kind::Virtual | Kind::Opaque)
        && !matches!(d.quantization(), Some(Quantization::Opaque(_)))
        && d.element_count().is_ok()
}

/// The n:m pattern that is claimed, where there is no doubt about which elements make a group: in
/// rows of whole groups, and where there is one row only.
fn groups(d: &Descriptor, known: &Statistics) -> Option<NmSparsity> {
    let nm = known.nm()?;
    let is_whole = d.shape().last()?.checked_rem(nm.m.into())? == 0;
    (is_whole || d.rank() == 1).then_some(nm)
}

/// Hands on where the first differs from the second.
fn compare(known: &Statistics, found: &Statistics, problem: &mut dyn FnMut(ErrorKind)) {
    let mut counts = |what, known: Option<u64>, found: Option<u64>| {
        if let (Some(known), Some(found)) = (known, found)
            && known != found
        {
            problem(ErrorKind::Mismatch { what, found: known, expected: found });
        }
    };
    let (special, specials) = (known.special(), found.special());
    let nan = |s: Option<SpecialValues>| s.map(|s| u64::from(s.has_nan));
    let inf = |s: Option<SpecialValues>| s.map(|s| u64::from(s.has_inf));
    counts("nnz", known.nnz(), found.nnz());
    counts("has_nan", nan(special), nan(specials));
    counts("has_inf", inf(special), inf(specials));

    let mut floats = |what, known: f64, found: f64, within: f64| {
        let is_same = known == found || (known - found).abs() <= within;
        if !is_same {
            problem(ErrorKind::FloatMismatch { what, found: known, expected: found });
        }
    };
    if let (Some(known), Some(found)) = (known.sparsity_ratio(), found.sparsity_ratio()) {
        floats("sparsity_ratio", known, found, STATISTICS_TOLERANCE);
    }
    // What the numbers are where some are not finite the format does not say.
    let is_finite = specials.is_some_and(|found| !found.has_nan && !found.has_inf);
    let Some(range) = found.range().filter(|_| is_finite) else { return };
    if let Some(known) = known.range() {
        floats("value_min", known.min, range.min, 0.0);
        floats("value_max", known.max, range.max, 0.0);
        floats("value_abs_max", known.abs_max, range.abs_max, 0.0);
    }
    if let (Some(known), Some(found)) = (known.spread(), found.spread()) {
        let within = STATISTICS_TOLERANCE * range.abs_max;
        floats("value_mean", known.mean, found.mean, within);
        floats("value_stddev", known.stddev, found.stddev, within);
    }
    if let (Some(known), Some(found)) = (known.nm(), found.nm())
        && known.n < found.n
    {
        let (value, min, max) = (known.n.into(), found.n.into(), known.m.into());
        problem(ErrorKind::Limits { what: "nm_n", value, min, max });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ValidateOptions, validate};
    use super::*;
    use crate::container::sample::sample_of;
    use crate::container::{File, OpenOptions};
    use crate::descriptor::layout::Coo;
    use crate::descriptor::{Builder, ValueRange, ValueSpread};

    fn file(builder: &mut Builder, statistics: Statistics, data: Vec<u8>) -> File {
        builder.statistics(statistics);
        let descriptor = builder.build().unwrap().encode().unwrap();
        let bytes = sample_of(&[("x", descriptor, data)], 4096).bytes;
        File::open_bytes(bytes, &OpenOptions::default()).unwrap()
    }

    fn problems(file: &File) -> Vec<String> {
        let mut found = Vec::new();
        let options = ValidateOptions { statistics: true, ..ValidateOptions::default() };
        validate(file, options, &mut |problem| {
            let text = problem.to_string();
            let place = "tensor 0 \"x\": descriptor: ";
            found.push(text.strip_prefix(place).unwrap_or(&text).to_owned());
        })
        .unwrap();
        found
    }

    /// Of float32 values in rows of four.
    fn claimed(statistics: Statistics, values: &[f32]) -> Vec<String> {
        let rows = u64::try_from(values.len()).unwrap() / 4;
        let mut builder = Builder::new(ElementType::FLOAT32, &[rows, 4]).unwrap();
        let data = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        problems(&file(&mut builder, statistics, data))
    }

    fn all(n: u8) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.set_nnz(3);
        statistics.set_sparsity_ratio(0.25).unwrap();
        statistics.set_range(ValueRange { min: -6.0, max: 4.0, abs_max: 6.0 });
        let stddev = 14.0_f64.sqrt() + 1e-6;
        statistics.set_spread(ValueSpread { mean: -1e-6, stddev }).unwrap();
        statistics.set_nm(NmSparsity { n, m: 4 }).unwrap();
        statistics.set_special(SpecialValues { has_nan: false, has_inf: false });
        statistics
    }

    #[test]
    fn what_is_true() {
        assert_eq!(claimed(all(3), &[2.0, 0.0, 4.0, -6.0]), [""; 0]);
        // More than there is in any group is no lie.
        assert_eq!(claimed(all(4), &[2.0, 0.0, 4.0, -6.0]), [""; 0]);
        assert_eq!(claimed(Statistics::new(), &[2.0, 0.0, 4.0, -6.0]), [""; 0]);
    }

    #[test]
    fn what_is_not_both_numbers_said() {
        // The mean of the squares is 5.25 / 8, and 81 / 256 the square of the mean.
        let stddev = format!(
            "value_stddev is {}, must be {}",
            all(2).spread().unwrap().stddev,
            (87.0_f64 / 256.0).sqrt()
        );
        assert_eq!(
            claimed(all(2), &[1.0, 1.0, 1.0, 1.5, 0.0, 0.0, 0.0, 0.0]),
            [
                "nnz is 3, must be 4",
                "sparsity_ratio is 0.25, must be 0.5",
                "value_min is -6, must be 0",
                "value_max is 4, must be 1.5",
                "value_abs_max is 6, must be 1.5",
                "value_mean is -0.000001, must be 0.5625",
                &stddev,
                "nm_n 2 is not in 4 to 4",
            ]
        );
        let mut nan = Statistics::new();
        nan.set_range(ValueRange { min: f64::NAN, max: 1.0, abs_max: 1.0 });
        nan.set_spread(ValueSpread { mean: 1.0, stddev: f64::NAN }).unwrap();
        assert_eq!(
            claimed(nan, &[1.0; 4]),
            ["value_min is NaN, must be 1", "value_stddev is NaN, must be 0"]
        );
    }

    #[test]
    fn numbers_beside_what_is_not_finite_are_not_judged() {
        assert_eq!(
            claimed(all(4), &[f32::NAN, 0.0, f32::INFINITY, 1.0]),
            ["has_nan is 0, must be 1", "has_inf is 0, must be 1"]
        );
    }

    #[test]
    fn groups_that_rows_cut_are_not_judged() {
        let claim = |shape: &[u64]| {
            let mut statistics = Statistics::new();
            statistics.set_nm(NmSparsity { n: 1, m: 4 }).unwrap();
            let mut builder = Builder::new(ElementType::INT8, shape).unwrap();
            problems(&file(&mut builder, statistics, vec![1; 6]))
        };
        assert_eq!(claim(&[2, 3]), [""; 0]);
        assert_eq!(claim(&[6]), ["nm_n 1 is not in 4 to 4"]);
    }

    #[test]
    fn only_when_asked_and_only_where_there_are_values() {
        let mut wrong = Statistics::new();
        wrong.set_range(ValueRange { min: 9.0, max: 9.0, abs_max: 9.0 });
        let mut builder = Builder::new(ElementType::INT8, &[4]).unwrap();
        let file_ = file(&mut builder, wrong, vec![1; 4]);
        let all = ValidateOptions::default();
        assert_eq!(validate(&file_, all, &mut |_| ()).unwrap().problems, 0);
        assert_eq!(problems(&file_).len(), 3);

        let mut builder = Builder::new(ElementType::COMPLEX64, &[1]).unwrap();
        assert_eq!(problems(&file(&mut builder, wrong, vec![1; 8])), [""; 0]);
        // More elements than 64 bits count (decisions.md row 53).
        let mut builder = Builder::new(ElementType::INT8, &[1 << 40, 1 << 40]).unwrap();
        builder.layout(Coo::new(0, true));
        assert_eq!(problems(&file(&mut builder, wrong, vec![])), [""; 0]);
    }

    #[test]
    fn a_caller_can_stop_what_a_small_file_makes_large() {
        let mut statistics = Statistics::new();
        statistics.set_nm(NmSparsity { n: 1, m: 4 }).unwrap();
        let mut builder = Builder::new(ElementType::INT8, &[1 << 60]).unwrap();
        builder.layout(Coo::new(0, true));
        let file = file(&mut builder, statistics, vec![]);
        let mut calls = 0;
        let mut stop = |_, _| {
            calls += 1;
            calls < 4
        };
        let options =
            ValidateOptions { statistics: true, progress: Some(&mut stop), ..Default::default() };
        let error = validate(&file, options, &mut |_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled { .. }), "{error}");
    }
}
