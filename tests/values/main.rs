//! Values of tensors in every layout, type and scheme, held against an oracle that takes the
//! specification element by element. All buffers have nothing readable on either side.

#![allow(
    missing_docs,
    unsafe_code,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a test program with small numbers"
)]

mod broken;
mod guarded;
mod made;
#[allow(dead_code, reason = "the conformance tests need more of it")]
#[path = "../conformance/numbers.rs"]
mod numbers;
mod oracle;
mod random;

use guarded::Guarded;
use hurray::bytes::Foreign;
use hurray::container::{File, OpenOptions, ReadAt, Writer, WriterOptions};
use hurray::descriptor::layout::Strided;
use hurray::descriptor::{Builder, ElementType};
use hurray::values::{Target, Value, Values};
use made::Made;
use numbers::Number;
use random::Random;
use std::sync::{Arc, Mutex};

/// What the oracle says of one element.
struct Known {
    index: Vec<u64>,
    offset: Option<i64>,
    code: Vec<u8>,
    number: Option<Number>,
    dequantized: Option<f32>,
}

fn known(made: &Made) -> Vec<Known> {
    let shape = made.d.shape();
    let known = |index: Vec<u64>| {
        let offset = oracle::offset(made, &index);
        let code = oracle::code(made, offset);
        let number = oracle::number(&made.d, &code, offset.is_some());
        let scheme = made.d.quantization().is_some();
        let dequantized = scheme.then(|| match offset {
            Some(_) => oracle::dequantized(made, &index, &code),
            None => 0.0,
        });
        Known { index, offset, code, number, dequantized }
    };
    oracle::indices(&vec![0; shape.len()], shape).into_iter().map(known).collect()
}

fn place(shape: &[u64], index: &[u64]) -> usize {
    index.iter().zip(shape).fold(0, |place, (x, n)| place * n + x) as usize
}

/// What elements become.
fn expected(made: &Made, elements: &[&Known], target: Target) -> Option<Vec<u8>> {
    let bits = made.d.element_bits().unwrap() as usize;
    let float = |known: &Known| match known.number? {
        Number::Float(x) => Some(x),
        Number::Int(x) => Some(x as f64),
        Number::Complex(..) => None,
    };
    let is_number = !matches!(target, Target::Stored | Target::Bytes);
    // Also where there is no element to look at.
    if is_number
        && matches!(oracle::number(&made.d, &[0; 64], true), None | Some(Number::Complex(..)))
    {
        return None;
    }
    let each = |value: &dyn Fn(&Known) -> Option<Vec<u8>>| -> Option<Vec<u8>> {
        let bytes: Option<Vec<_>> = elements.iter().map(|known| value(known)).collect();
        Some(bytes?.concat())
    };
    match target {
        Target::Stored if bits < 8 => {
            let mut packed = vec![
                0;
                if bits == 6 {
                    elements.len().div_ceil(4) * 3
                } else {
                    (elements.len() * bits).div_ceil(8)
                }
            ];
            for (k, known) in elements.iter().enumerate() {
                for b in 0..bits {
                    packed[(k * bits + b) / 8] |= (known.code[0] >> b & 1) << ((k * bits + b) % 8);
                }
            }
            Some(packed)
        }
        Target::Stored => each(&|known| Some(known.code.clone())),
        Target::Bytes => each(&|known| match (made.d.element_type(), known.number) {
            (ElementType::INT4 | ElementType::INT2, Some(Number::Int(x))) => Some(vec![x as u8]),
            _ => Some(known.code.clone()),
        }),
        Target::F32 => each(&|known| match known.number? {
            // Rounded once, from the integer.
            Number::Int(x) => Some((x as f32).to_ne_bytes().to_vec()),
            _ => Some((float(known)? as f32).to_ne_bytes().to_vec()),
        }),
        Target::F64 => each(&|known| Some(float(known)?.to_ne_bytes().to_vec())),
        Target::I64 => each(&|known| match known.number? {
            Number::Int(x) => Some(i64::try_from(x).ok()?.to_ne_bytes().to_vec()),
            Number::Float(x) => {
                let whole =
                    x.fract() == 0.0 && (-(2.0_f64.powi(63))..2.0_f64.powi(63)).contains(&x);
                whole.then(|| (x as i64).to_ne_bytes().to_vec())
            }
            Number::Complex(..) => None,
        }),
        Target::F16 | Target::Bf16 => None,
    }
}

/// Whether two lists are the same, any NaN for any other.
fn same(target: Target, found: &[u8], wanted: &[u8]) -> bool {
    match target {
        Target::F32 => numbers::of_f32(found) == numbers::of_f32(wanted),
        Target::F64 => numbers::of_f64(found) == numbers::of_f64(wanted),
        _ => found == wanted,
    }
}

const TARGETS: [Target; 5] = [Target::Stored, Target::Bytes, Target::F32, Target::F64, Target::I64];

fn check_box(made: &Made, values: &Values<'_>, all: &[Known], lower: &[u64], extent: &[u64]) {
    let shape = made.d.shape();
    let elements: Vec<&Known> =
        oracle::indices(lower, extent).iter().map(|index| &all[place(shape, index)]).collect();
    for target in TARGETS {
        let says = || format!("{target:?} {lower:?} {extent:?} of {:?}", made.d);
        match expected(made, &elements, target) {
            Some(wanted) => {
                let mut out = Guarded::new(&vec![0xA5; wanted.len()], wanted.len() % 2 == 0);
                let copied = values.copy(lower, extent, target, out.bytes());
                copied.unwrap_or_else(|error| panic!("{error}: {}", says()));
                assert!(same(target, out.bytes(), &wanted), "{}", says());
            }
            None => {
                let width = if target == Target::F32 { 4 } else { 8 };
                let mut out = vec![0; elements.len() * width];
                assert!(values.copy(lower, extent, target, &mut out).is_err(), "{}", says());
            }
        }
    }
    if made.d.quantization().is_some() {
        let wanted: Vec<u8> =
            elements.iter().flat_map(|known| known.dequantized.unwrap().to_ne_bytes()).collect();
        let mut out = Guarded::new(&vec![0xA5; wanted.len()], true);
        values.dequantize_box(lower, extent, Target::F32, out.bytes()).unwrap();
        assert!(same(Target::F32, out.bytes(), &wanted), "{lower:?} {extent:?} of {:?}", made.d);
    }
}

fn check_range(made: &Made, values: &Values<'_>, all: &[Known], first: usize, count: usize) {
    let elements: Vec<&Known> = all[first..first + count].iter().collect();
    let wanted = match made.d.quantization() {
        Some(_) => {
            elements.iter().flat_map(|known| known.dequantized.unwrap().to_ne_bytes()).collect()
        }
        None => match expected(made, &elements, Target::F32) {
            Some(wanted) => wanted,
            None => return,
        },
    };
    let mut out = Guarded::new(&vec![0xA5; wanted.len()], true);
    values.dequantize(first as u64, count as u64, Target::F32, out.bytes()).unwrap();
    assert!(same(Target::F32, out.bytes(), &wanted), "{first} {count} of {:?}", made.d);
}

fn check_elements(made: &Made, values: &Values<'_>, all: &[Known]) {
    for known in all {
        let place = values.locate(&known.index).unwrap();
        assert_eq!(
            place.map(|place| place.element),
            known.offset,
            "{:?} {:?}",
            known.index,
            made.d
        );
        if known.code.len() > 16 {
            assert!(values.element(&known.index).is_err());
            continue;
        }
        let element = values.element(&known.index).unwrap();
        assert_eq!(element.stored, known.offset.is_some());
        assert_eq!(element.width, made.d.element_bits().unwrap());
        assert_eq!(element.bits[..known.code.len()], known.code);
        assert!(element.bits[known.code.len()..].iter().all(|&byte| byte == 0));
        let value = match element.value {
            Value::Float(x) => Some(Number::Float(x)),
            Value::Int(x) => Some(Number::Int(x.into())),
            Value::Uint(x) => Some(Number::Int(x.into())),
            Value::Bool(x) => Some(Number::Int(x.into())),
            Value::Complex(a, b) => Some(Number::Complex(a, b)),
            Value::Opaque => None,
        };
        assert_eq!(value, known.number, "{:?} {:?}", known.index, made.d);
    }
}

fn check(made: &Made, values: &Values<'_>, all: &[Known], random: &mut Random, boxes: u64) {
    let shape = made.d.shape();
    check_box(made, values, all, &vec![0; shape.len()], shape);
    check_range(made, values, all, 0, all.len());
    for _ in 0..boxes {
        let lower: Vec<_> = shape.iter().map(|n| random.below(n + 1)).collect();
        let extent: Vec<_> =
            shape.iter().zip(&lower).map(|(n, l)| random.below(n - l + 1)).collect();
        check_box(made, values, all, &lower, &extent);
        let first = random.below(all.len() as u64 + 1) as usize;
        let count = random.below((all.len() - first) as u64 + 1) as usize;
        check_range(made, values, all, first, count);
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl hurray::container::ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> hurray::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

impl ReadAt for Kept {
    fn size(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }

    fn read_at(&self, offset: u64, dst: &mut [u8]) -> hurray::Result<()> {
        dst.copy_from_slice(&self.0.lock().unwrap()[offset as usize..][..dst.len()]);
        Ok(())
    }
}

/// The tensor in a file that is read by callbacks.
fn read(made: &Made) -> hurray::Tensor {
    file(made).tensor(0).unwrap()
}

fn file(made: &Made) -> File {
    let kept = Kept::default();
    let mut writer =
        Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
    let data: Vec<_> = made.data.iter().map(Vec::as_slice).collect();
    writer.tensor("t", &made.d, &data).unwrap();
    writer.finish().unwrap();
    File::open_source(Box::new(kept), &OpenOptions::default()).unwrap()
}

fn with_guards(made: &Made, check: impl FnOnce(&Values<'_>)) {
    let guarded: Vec<_> =
        made.data.iter().zip(0..).map(|(bytes, k)| Guarded::new(bytes, k % 3 < 2)).collect();
    let buffers: Vec<Foreign<'_>> = guarded.iter().map(Guarded::foreign).collect();
    check(&Values::new(&made.d, &buffers).unwrap());
}

#[test]
fn small_tensors_of_every_kind() {
    let mut made_of = [0; made::LAYOUTS as usize];
    for seed in 0..2200 {
        let mut random = Random(seed);
        let layout = seed % made::LAYOUTS;
        let Some(made) = made::tensor(&mut random, layout, 300) else { continue };
        made_of[layout as usize] += 1;
        let all = known(&made);
        with_guards(&made, |values| {
            check_elements(&made, values, &all);
            check(&made, values, &all, &mut random, 5);
        });
        if seed % 3 == 0 {
            let tensor = read(&made);
            let values = Values::of(&tensor).unwrap();
            check_elements(&made, &values, &all);
            check(&made, &values, &all, &mut random, 3);
        }
    }
    // Of what is drawn some is not allowed.
    assert!(made_of.iter().all(|&count| count > 80), "{made_of:?}");
}

#[test]
fn tensors_that_take_many_chunks() {
    let mut done = 0;
    for seed in 10_000..10_250 {
        let mut random = Random(seed);
        let Some(made) = made::tensor(&mut random, seed % made::LAYOUTS, 90_000) else { continue };
        if made.d.element_count().unwrap() < 2000 {
            continue;
        }
        done += 1;
        let all = known(&made);
        with_guards(&made, |values| check(&made, values, &all, &mut random, 2));
        if seed % 3 == 0 {
            let tensor = read(&made);
            check(&made, &Values::of(&tensor).unwrap(), &all, &mut random, 1);
        }
    }
    assert!(done > 40, "{done}");
}

/// Rows of more elements than blocks of a large tensor have along a dimension: they are copied in
/// pieces.
#[test]
fn long_rows_in_another_order() {
    for (shape, strides) in [
        ([100, 50, 1000], [1000, 100_000, 1]),
        ([3, 5, 30_000], [30_000, 90_000, 1]),
        ([70, 4, 300], [-300, 21_000, 1]),
    ] {
        let before = if strides[0] < 0 { 69 * 300 } else { 0 };
        let mut b = Builder::new(ElementType::UINT16, &shape).unwrap();
        let d = b.layout(Strided::new(&strides).unwrap()).byte_offset(2 * before).build().unwrap();
        let count = d.element_count().unwrap();
        let element = |place: i64| (place.wrapping_mul(40_503) >> 3) as u16;
        let data: Vec<u8> = (0..count as i64).flat_map(|k| element(k).to_le_bytes()).collect();
        let buffers = [Foreign::of(&data)];
        let values = Values::new(&d, &buffers).unwrap();
        let mut out = vec![0; data.len()];
        values.copy(&[0; 3], &shape, Target::Stored, &mut out).unwrap();
        let wanted = oracle::indices(&[0; 3], &shape).into_iter().map(|index| {
            let steps = index.iter().zip(strides).map(|(&x, stride)| x as i64 * stride);
            element(before as i64 + steps.sum::<i64>()).to_le_bytes()
        });
        assert!(wanted.eq(out.as_chunks().0.iter().copied()), "{shape:?} {strides:?}");
    }
}

#[test]
fn tokens_of_sequences_are_those_of_the_dense_view() {
    use hurray::descriptor::Layout;
    let mut compared = 0;
    for seed in 20_000..20_200 {
        let mut random = Random(seed);
        let Some(made) = made::tensor(&mut random, 9, 600) else { continue };
        let Layout::BlockPaged(layout) = made.d.layout() else { panic!() };
        let &[tokens, heads, dims] = made.d.shape() else { panic!() };
        with_guards(&made, |values| {
            let row = |values: &Values<'_>, first: u64, count: u64| {
                let mut out = vec![0; (count * heads * dims) as usize * 4];
                let done = match made.d.quantization() {
                    Some(_) => values.dequantize_box(
                        &[first, 0, 0],
                        &[count, heads, dims],
                        Target::F32,
                        &mut out,
                    ),
                    None => {
                        values.copy(&[first, 0, 0], &[count, heads, dims], Target::F32, &mut out)
                    }
                };
                done.map(|()| out)
            };
            let mut first = 0;
            for sequence in 0..u64::from(layout.num_seqs()) {
                let mut pointers = made.data[2].chunks(layout.index_type().bytes() as usize);
                let end = pointers.nth(sequence as usize + 1).unwrap();
                let end = end.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                let end = (end * u64::from(layout.page_size())).min(tokens);
                let count = if heads * dims == 0 { 0 } else { end - first };
                let mut out = vec![0; (count * heads * dims) as usize * 4];
                let found = match made.d.quantization() {
                    Some(_) => values.dequantize_tokens(sequence, 0, count, Target::F32, &mut out),
                    None => values.copy_tokens(sequence, 0, count, Target::F32, &mut out),
                };
                match row(values, first, count) {
                    Ok(wanted) => {
                        found.unwrap();
                        assert!(same(Target::F32, &out, &wanted), "{:?}", made.d);
                        compared += count;
                        for token in 0..count {
                            let index = [first + token, heads - 1, dims - 1];
                            let place = values.locate_token(sequence, token, heads - 1, dims - 1);
                            assert_eq!(Some(place.unwrap()), values.locate(&index).unwrap());
                        }
                    }
                    // Types without numbers.
                    Err(_) => assert!(found.is_err()),
                }
                // One token more than there are.
                assert!(values.locate_token(sequence, count, 0, 0).is_err());
                first = end;
            }
        });
    }
    assert!(compared > 500, "{compared}");
}
