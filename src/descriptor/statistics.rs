//! The statistics section: what a writer knew of the values (descriptor.md, Statistics section).

use crate::bytes::{Cursor, Sink};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the section.
pub(super) const LENGTH: u64 = 72;

const NNZ: u32 = 1;
const SPARSITY: u32 = 1 << 1;
const VALUE_RANGE: u32 = 1 << 2;
const VALUE_STATS: u32 = 1 << 3;
const NM_SPARSITY: u32 = 1 << 4;
const NAN_INF: u32 = 1 << 5;
const ALL: u32 = 0x3F;

/// What a writer knew of the dequantized values; advisory. What it did not know is absent, and
/// the bytes of such fields are ignored.
///
/// Two are equal when every float in them has the same bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    nnz: Option<u64>,
    sparsity_ratio: Option<f64>,
    range: Option<ValueRange>,
    spread: Option<ValueSpread>,
    nm: Option<NmSparsity>,
    special: Option<SpecialValues>,
}

/// The VALUE_RANGE fields.
#[derive(Clone, Copy, Debug)]
pub struct ValueRange {
    /// `value_min`.
    pub min: f64,
    /// `value_max`.
    pub max: f64,
    /// `value_abs_max`.
    pub abs_max: f64,
}

/// The VALUE_STATS fields.
#[derive(Clone, Copy, Debug)]
pub struct ValueSpread {
    /// `value_mean`.
    pub mean: f64,
    /// `value_stddev`, of the population; not below 0.
    pub stddev: f64,
}

/// The NM_SPARSITY fields: at most n of every m consecutive elements are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NmSparsity {
    /// `nm_n`, at most m.
    pub n: u8,
    /// `nm_m`.
    pub m: u8,
}

/// The NAN_INF fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialValues {
    /// `has_nan`.
    pub has_nan: bool,
    /// `has_inf`.
    pub has_inf: bool,
}

impl Statistics {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// `computed_mask`: the bits of what is known.
    pub fn mask(&self) -> u32 {
        let bit = |known: bool, bit: u32| if known { bit } else { 0 };
        bit(self.nnz.is_some(), NNZ)
            | bit(self.sparsity_ratio.is_some(), SPARSITY)
            | bit(self.range.is_some(), VALUE_RANGE)
            | bit(self.spread.is_some(), VALUE_STATS)
            | bit(self.nm.is_some(), NM_SPARSITY)
            | bit(self.special.is_some(), NAN_INF)
    }

    /// Elements that are not zero.
    pub fn nnz(&self) -> Option<u64> {
        self.nnz
    }

    /// The share of elements that are zero, 0 to 1.
    pub fn sparsity_ratio(&self) -> Option<f64> {
        self.sparsity_ratio
    }

    /// The smallest and largest values.
    pub fn range(&self) -> Option<ValueRange> {
        self.range
    }

    /// Mean and standard deviation.
    pub fn spread(&self) -> Option<ValueSpread> {
        self.spread
    }

    /// The n:m pattern of zeros.
    pub fn nm(&self) -> Option<NmSparsity> {
        self.nm
    }

    /// Whether some value is not finite.
    pub fn special(&self) -> Option<SpecialValues> {
        self.special
    }

    /// Sets `nnz`.
    pub fn set_nnz(&mut self, nnz: u64) {
        self.nnz = Some(nnz);
    }

    /// Sets `sparsity_ratio`, which must be in 0 to 1.
    pub fn set_sparsity_ratio(&mut self, ratio: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&ratio) {
            return Err(float("sparsity_ratio", ratio, "in 0 to 1"));
        }
        self.sparsity_ratio = Some(ratio);
        Ok(())
    }

    /// Sets `value_min`, `value_max` and `value_abs_max`.
    pub fn set_range(&mut self, range: ValueRange) {
        self.range = Some(range);
    }

    /// Sets `value_mean` and `value_stddev`; the latter must not be below 0, and may be a NaN.
    pub fn set_spread(&mut self, spread: ValueSpread) -> Result<()> {
        if spread.stddev < 0.0 {
            return Err(float("value_stddev", spread.stddev, "0 or above"));
        }
        self.spread = Some(spread);
        Ok(())
    }

    /// Sets `nm_n` and `nm_m`; n must be at most m.
    pub fn set_nm(&mut self, nm: NmSparsity) -> Result<()> {
        if nm.n > nm.m {
            let (value, max) = (nm.n.into(), nm.m.into());
            return Err(Error::new(ErrorKind::Limits { what: "nm_n", value, min: 0, max }));
        }
        self.nm = Some(nm);
        Ok(())
    }

    /// Sets `has_nan` and `has_inf`.
    pub fn set_special(&mut self, special: SpecialValues) {
        self.special = Some(special);
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.offset();
        let here = |at: u64| move |error: Error| error.at(start.saturating_add(at));
        let bytes: [u8; 72] = cursor.array("statistics")?;
        let mut cursor = Cursor::new(&bytes, start);
        let mask = cursor.u32("computed_mask")?;
        if mask & !ALL != 0 {
            let (what, value) = ("reserved bits of computed_mask", (mask & !ALL).into());
            return Err(Error::new(ErrorKind::Reserved { what, value }).at(start));
        }
        cursor.reserved(4, "statistics reserved")?;
        let nnz = cursor.u64("nnz")?;
        let sparsity = cursor.f64("sparsity_ratio")?;
        let range = ValueRange {
            min: cursor.f64("value_min")?,
            max: cursor.f64("value_max")?,
            abs_max: cursor.f64("value_abs_max")?,
        };
        let spread =
            ValueSpread { mean: cursor.f64("value_mean")?, stddev: cursor.f64("value_stddev")? };
        let nm = NmSparsity { n: cursor.u8("nm_n")?, m: cursor.u8("nm_m")? };
        let (has_nan, has_inf) = (cursor.u8("has_nan")?, cursor.u8("has_inf")?);
        cursor.reserved(4, "statistics reserved")?;

        let mut section = Self::new();
        if mask & NNZ != 0 {
            section.set_nnz(nnz);
        }
        if mask & SPARSITY != 0 {
            section.set_sparsity_ratio(sparsity).map_err(here(16))?;
        }
        if mask & VALUE_RANGE != 0 {
            section.set_range(range);
        }
        if mask & VALUE_STATS != 0 {
            section.set_spread(spread).map_err(here(56))?;
        }
        if mask & NM_SPARSITY != 0 {
            section.set_nm(nm).map_err(here(64))?;
        }
        if mask & NAN_INF != 0 {
            let has_nan = boolean("has_nan", has_nan).map_err(here(66))?;
            let has_inf = boolean("has_inf", has_inf).map_err(here(67))?;
            section.set_special(SpecialValues { has_nan, has_inf });
        }
        Ok(section)
    }

    /// Writes the section; fields that are not known as zero.
    pub(super) fn write(&self, sink: &mut Sink) -> Result<()> {
        let range = self.range.unwrap_or(ValueRange { min: 0.0, max: 0.0, abs_max: 0.0 });
        let spread = self.spread.unwrap_or(ValueSpread { mean: 0.0, stddev: 0.0 });
        let nm = self.nm.unwrap_or(NmSparsity { n: 0, m: 0 });
        let special = self.special.unwrap_or(SpecialValues { has_nan: false, has_inf: false });
        sink.u32(self.mask())?;
        sink.zeros(4)?;
        sink.u64(self.nnz.unwrap_or(0))?;
        sink.f64(self.sparsity_ratio.unwrap_or(0.0))?;
        for value in [range.min, range.max, range.abs_max, spread.mean, spread.stddev] {
            sink.f64(value)?;
        }
        sink.bytes(&[nm.n, nm.m, special.has_nan.into(), special.has_inf.into(), 0, 0, 0, 0])
    }
}

impl PartialEq for Statistics {
    fn eq(&self, other: &Self) -> bool {
        let bits = |section: &Self| {
            (
                section.sparsity_ratio.map(f64::to_bits),
                section.range.map(|r| [r.min, r.max, r.abs_max].map(f64::to_bits)),
                section.spread.map(|s| [s.mean, s.stddev].map(f64::to_bits)),
            )
        };
        self.nnz == other.nnz
            && self.nm == other.nm
            && self.special == other.special
            && bits(self) == bits(other)
    }
}

fn boolean(what: &'static str, value: u8) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::new(ErrorKind::Value { what, value: value.into() })),
    }
}

fn float(what: &'static str, value: f64, rule: &'static str) -> Error {
    Error::new(ErrorKind::Float { what, value, rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> [u8; 72] {
        let mut section = Statistics::new();
        section.set_nnz(u64::MAX);
        section.set_sparsity_ratio(1.0).unwrap();
        section.set_range(ValueRange { min: f64::NEG_INFINITY, max: f64::NAN, abs_max: -0.0 });
        section.set_spread(ValueSpread { mean: 1.5, stddev: 0.25 }).unwrap();
        section.set_nm(NmSparsity { n: 2, m: 4 }).unwrap();
        section.set_special(SpecialValues { has_nan: true, has_inf: true });
        let mut sink = Sink::new();
        section.write(&mut sink).unwrap();
        *sink.as_bytes().first_chunk().unwrap()
    }

    fn read(change: impl Fn(&mut [u8; 72])) -> Result<Statistics, String> {
        let mut bytes = full();
        change(&mut bytes);
        Statistics::read(&mut Cursor::new(&bytes, 100)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_field_keeps_its_bits() {
        let section = read(|_| ()).unwrap();
        assert_eq!(section.mask(), 0x3F);
        assert_eq!(section, read(|_| ()).unwrap());
        assert_ne!(section, read(|b| b[47] = 0).unwrap());
        let mut sink = Sink::new();
        section.write(&mut sink).unwrap();
        assert_eq!(sink.as_bytes(), full());
    }

    #[test]
    fn contradictions_where_marked_valid_only() {
        let put = |at: usize, value: f64| {
            move |b: &mut [u8; 72]| b[at..at + 8].copy_from_slice(&value.to_le_bytes())
        };
        let error = |change: &dyn Fn(&mut [u8; 72])| read(change).unwrap_err();
        assert_eq!(error(&put(16, 1.5)), "sparsity_ratio 1.5 is not in 0 to 1, at byte 116");
        assert_eq!(error(&put(16, f64::NAN)), "sparsity_ratio NaN is not in 0 to 1, at byte 116");
        assert_eq!(error(&put(56, -1.0)), "value_stddev -1 is not 0 or above, at byte 156");
        assert!(read(put(56, f64::NAN)).is_ok());
        assert!(read(put(56, -0.0)).is_ok());
        assert_eq!(error(&|b| b[64] = 5), "nm_n 5 is not in 0 to 4, at byte 164");
        assert_eq!(error(&|b| b[66] = 7), "has_nan 7 is not valid, at byte 166");
        assert_eq!(error(&|b| b[67] = 2), "has_inf 2 is not valid, at byte 167");
        let unmarked = read(|b| {
            put(16, 9.0)(b);
            put(56, -1.0)(b);
            (b[0], b[64], b[66]) = (0, 9, 9);
        });
        assert_eq!(unmarked, Ok(Statistics::new()));
    }

    #[test]
    fn reserved_bits_and_bytes_always() {
        let error = |change: &dyn Fn(&mut [u8; 72])| read(change).unwrap_err();
        assert_eq!(
            error(&|b| b[0] = 0x40),
            "reserved bits of computed_mask must be 0, is 64, at byte 100"
        );
        assert_eq!(error(&|b| b[7] = 1), "statistics reserved must be 0, is 1, at byte 107");
        assert_eq!(error(&|b| b[71] = 1), "statistics reserved must be 0, is 1, at byte 171");
    }
}
