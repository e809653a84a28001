//! Any bytes as a file whose elements are asked for: one by one, in boxes, in ranges, by token, in
//! merged views. The first byte chooses: strict or permissive. Which bytes of buffers are changed
//! besides, and what is asked, follows from all bytes together: every other input asks something
//! else.
//!
//! Every question is put to the file in memory and to the same file by reads. Where validation finds
//! nothing wrong, answers agree however they are asked for.

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/support/choices.rs"]
mod choices;
mod damaged;

use choices::Choices;
use damaged::{Reads, repair};
use hurray::composite::Membership;
use hurray::container::{File, OpenOptions};
use hurray::descriptor::{Descriptor, Layout, Mode};
use hurray::validate::{ValidateOptions, validate};
use hurray::values::{Target, Values};
use hurray::{Result, Tensor};
use libfuzzer_sys::fuzz_target;

/// The most elements that are asked for at once.
const MOST: u64 = 4096;

const TARGETS: [Target; 7] = [
    Target::Stored,
    Target::Bytes,
    Target::F16,
    Target::Bf16,
    Target::F32,
    Target::F64,
    Target::I64,
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let mode = if choice & 1 == 0 { Mode::Strict } else { Mode::Permissive };
    let mut seed = sum(data);
    let options = OpenOptions { mode, ..OpenOptions::default() };
    let mut bytes = bytes.to_vec();
    let _ = repair(&mut bytes);
    let Ok(file) = File::open_bytes(bytes.clone(), &options) else { return };
    let is_changed = change(&file, &mut Choices::new(&drawn(&mut seed)), &mut bytes);
    let memory = if is_changed { File::open_bytes(bytes.clone(), &options) } else { Ok(file) };
    let memory = memory.expect("opening looks at no data");
    let reads = File::open_source(Box::new(Reads(bytes)), &options).unwrap();
    // What lies between the tensors is of no interest here.
    let content = ValidateOptions { regions: false, padding: false, ..ValidateOptions::default() };
    let is_valid = validate(&memory, content, &mut |_| ()).unwrap().problems == 0;
    for i in 0..memory.tensor_count() {
        if let (Ok(a), Ok(b)) = (memory.tensor(i), reads.tensor(i)) {
            let both = Both::new(&a, &b, is_valid);
            let drawn = drawn(&mut seed);
            let mut choices = Choices::new(&drawn);
            both.tokens(&mut choices);
            both.boxes(&mut choices);
            both.ranges(&mut choices);
            both.odd(&mut choices);
        }
    }
    if let (Ok(a), Ok(b)) = (Membership::of(&memory), Membership::of(&reads)) {
        merged([&a, &b], &mut Choices::new(&drawn(&mut seed)), is_valid);
    }
});

/// A number that changes with every byte.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Bytes for as many choices as a tensor takes.
fn drawn(seed: &mut u64) -> Vec<u8> {
    let next = || {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    std::iter::repeat_with(next).take(64).flat_map(u64::to_le_bytes).collect()
}

/// Changes bytes of buffers, as often none as some. Whether it did.
fn change(file: &File, choices: &mut Choices<'_>, bytes: &mut [u8]) -> bool {
    let mut is_changed = false;
    for _ in 0..choices.below(6).saturating_sub(2) {
        let (tensor, buffer, place, to) =
            (choices.byte(), choices.byte(), choices.word(), choices.byte());
        if to == 0 || file.tensor_count() == 0 {
            continue;
        }
        let Ok(tensor) = file.tensor(u64::from(tensor) % file.tensor_count()) else { continue };
        if tensor.buffer_count() == 0 {
            continue;
        }
        let view = tensor.buffer(u64::from(buffer) % tensor.buffer_count()).unwrap();
        if view.size > 0 {
            let at = usize::try_from(view.file_offset + place % view.size).unwrap();
            bytes[at] ^= to;
            is_changed = true;
        }
    }
    is_changed
}

/// A tensor in memory and by reads.
struct Both<'a> {
    values: [Values<'a>; 2],
    descriptor: &'a Descriptor,
    is_valid: bool,
}

/// A box: its lower bound and its extent.
type Region = (Vec<u64>, Vec<u64>);

impl<'a> Both<'a> {
    fn new(a: &'a Tensor, b: &'a Tensor, is_valid: bool) -> Self {
        let values = [a, b].map(|tensor| Values::of(tensor).unwrap());
        Self { values, descriptor: a.descriptor(), is_valid }
    }

    /// What a question gives: the same from both.
    fn ask(
        &self,
        length: u64,
        question: impl Fn(&Values<'_>, &mut [u8]) -> Result<()>,
    ) -> Option<Vec<u8>> {
        both(&self.values, length, question)
    }

    /// Bytes that so many elements take in a target, if they have bytes.
    fn bytes(&self, target: Target, count: u64) -> Option<u64> {
        bytes(self.descriptor, target, count)
    }

    fn boxes(&self, choices: &mut Choices<'_>) {
        let shape = self.descriptor.shape();
        let Some((lower, extent)) = some_box(choices, shape) else { return };
        let target = choices.pick(&TARGETS);
        let count = extent.iter().product();
        let Some(length) = self.bytes(target, count) else { return };
        let ask = |(lower, extent): &Region, length| {
            self.ask(length, |values, out| values.copy(lower, extent, target, out))
        };
        let whole = ask(&(lower.clone(), extent.clone()), length);
        let Some(whole) = whole.filter(|_| self.is_valid) else { return };
        // One by one: those of a few.
        let step = (count / 16).max(1);
        for at in (0..count).step_by(usize::try_from(step).unwrap()) {
            let index = index_of(at, &lower, &extent);
            let width = self.bytes(target, 1).unwrap();
            let one = ask(&(index.clone(), vec![1; shape.len()]), width);
            let one = one.expect("an element of a box that was copied");
            let [a, b] = &self.values.each_ref().map(|values| values.element(&index).unwrap());
            assert_eq!(a.bits, b.bits);
            if target == Target::Stored {
                assert_eq!(one, a.bits[..one.len()]);
            }
            match self.descriptor.element_bits().unwrap() {
                bits if bits < 8 && target == Target::Stored => {
                    assert_eq!(packed(bits, &whole, at), one[0], "element {index:?}");
                }
                _ => {
                    let place = usize::try_from(at * width).unwrap();
                    assert_eq!(whole[place..][..one.len()], one, "element {index:?}");
                }
            }
        }
    }

    fn ranges(&self, choices: &mut Choices<'_>) {
        let Ok(total) = self.descriptor.element_count() else { return };
        let first = choices.word().checked_rem(total).unwrap_or_default();
        let count = (choices.word() % MOST).min(total - first);
        let target = choices.pick(&TARGETS);
        // Halves of what is packed are not whole bytes.
        let bits = match self.descriptor.quantization() {
            Some(_) => 32,
            None => self.descriptor.element_bits().unwrap_or_default(),
        };
        if target == Target::Stored && bits < 8 {
            return;
        }
        let ask = |first, count| {
            let length = self.bytes(target, count)?;
            self.ask(length, |values, out| values.dequantize(first, count, target, out))
        };
        let Some(whole) = ask(first, count).filter(|_| self.is_valid) else { return };
        let cut = choices.word().checked_rem(count).unwrap_or_default();
        let mut parts = ask(first, cut).expect("the first part of a range");
        parts.extend(ask(first + cut, count - cut).expect("the second part of a range"));
        assert_eq!(whole, parts, "cut at {cut} of {count}");
    }

    fn tokens(&self, choices: &mut Choices<'_>) {
        let Layout::BlockPaged(layout) = self.descriptor.layout() else { return };
        let &[_, heads, dims] = self.descriptor.shape() else { return };
        let each = heads.checked_mul(dims).filter(|&each| each <= MOST);
        let Some(each) = each.filter(|&each| each > 0) else { return };
        let sequence = u64::from(choices.byte()) % (u64::from(layout.num_seqs()) + 1);
        let first = u64::from(choices.byte() % 16);
        let count = u64::from(choices.byte() % 16).min(MOST / each);
        let target = choices.pick(&[Target::Bytes, Target::F32, Target::Bf16]);
        for dequantizes in [false, true] {
            let ask = |first, count: u64| {
                let length = self.bytes(target, count * each)?;
                self.ask(length, |values, out| match dequantizes {
                    false => values.copy_tokens(sequence, first, count, target, out),
                    true => values.dequantize_tokens(sequence, first, count, target, out),
                })
            };
            let Some(whole) = ask(first, count).filter(|_| self.is_valid) else { continue };
            let parts: Vec<_> =
                (0..count).flat_map(|k| ask(first + k, 1).expect("one of the tokens")).collect();
            assert_eq!(whole, parts);
        }
    }

    /// Questions that need not have an answer.
    fn odd(&self, choices: &mut Choices<'_>) {
        let shape = self.descriptor.shape();
        let mut index: Vec<_> = shape.iter().map(|_| choices.word()).collect();
        for values in &self.values {
            drop(values.element(&index));
            drop(values.locate(&index));
            let [sequence, token, head] = [(); 3].map(|()| u64::from(choices.byte() % 16));
            drop(values.element_of_token(sequence, token, head, 0));
        }
        for (x, size) in index.iter_mut().zip(shape) {
            *x = x.checked_rem(*size).unwrap_or_default();
        }
        let [a, b] = self.values.each_ref().map(|values| values.element(&index));
        assert_eq!(a.is_ok(), b.is_ok());
        if let (Ok(a), Ok(b)) = (a, b) {
            assert_eq!((a.bits, a.stored), (b.bits, b.stored));
        }
    }
}

/// What a question gives: the same from both.
fn both<V>(
    sources: &[V; 2],
    length: u64,
    question: impl Fn(&V, &mut [u8]) -> Result<()>,
) -> Option<Vec<u8>> {
    let length = usize::try_from(length).unwrap();
    let [a, b] = sources.each_ref().map(|source| {
        let mut out = vec![0xAA; length];
        question(source, &mut out).map(|()| out)
    });
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a, b, "memory and reads");
            Some(a)
        }
        (Err(a), Err(b)) => {
            assert!(!a.to_string().is_empty() && !b.to_string().is_empty());
            None
        }
        (a, b) => panic!("memory: {:?}, reads: {:?}", a.map(drop), b.map(drop)),
    }
}

/// Bytes that so many elements take in a target, if they have bytes.
fn bytes(descriptor: &Descriptor, target: Target, count: u64) -> Option<u64> {
    let bits = descriptor.element_bits()?;
    Some(match target {
        Target::Stored if bits == 6 => count.div_ceil(4) * 3,
        Target::Stored => (count * u64::from(bits)).div_ceil(8),
        Target::Bytes => count * u64::from(bits.div_ceil(8)),
        Target::F16 | Target::Bf16 => 2 * count,
        Target::F32 => 4 * count,
        Target::F64 | Target::I64 => 8 * count,
    })
}

/// An element of those that are packed.
fn packed(bits: u32, packed: &[u8], at: u64) -> u8 {
    let bit = |bit: u64| packed[usize::try_from(bit / 8).unwrap()] >> (bit % 8) & 1;
    let first = at * u64::from(bits);
    (0..bits).map(|k| bit(first + u64::from(k)) << k).sum()
}

/// The index of an element of a box, in row-major order.
fn index_of(mut at: u64, lower: &[u64], extent: &[u64]) -> Vec<u64> {
    let mut index = lower.to_vec();
    for (x, size) in index.iter_mut().zip(extent).rev() {
        *x += at % size;
        at /= size;
    }
    index
}

/// A box of a shape, of at most so many elements; none where there are no elements.
fn some_box(choices: &mut Choices<'_>, shape: &[u64]) -> Option<Region> {
    let mut room = MOST;
    let mut sides: Vec<_> = Vec::new();
    for &size in shape {
        let word = choices.word();
        let lower = (word >> 8).checked_rem(size)?;
        let extent = (1 + (word & 0x3f) % (size - lower)).min(room);
        room /= extent;
        sides.push((lower, extent));
    }
    Some(sides.into_iter().unzip())
}

/// Boxes of merged views.
fn merged(views: [&Membership; 2], choices: &mut Choices<'_>, is_valid: bool) {
    for k in 0..views[0].head_count() {
        let head = views[0].head_at(k).unwrap().tensor;
        let [Ok(a), Ok(b)] = views.map(|view| view.open(head)) else { continue };
        let composites = [a, b];
        let descriptor = composites[0].head().unwrap();
        let Some((lower, extent)) = some_box(choices, descriptor.shape()) else { continue };
        let ask = |lower: &[u64], extent: &[u64]| {
            let length = bytes(descriptor, Target::Stored, extent.iter().product())?;
            both(&composites, length, |composite, out| composite.read(lower, extent, out))
        };
        let Some(whole) = ask(&lower, &extent).filter(|_| is_valid) else { continue };
        if descriptor.element_bits().unwrap_or_default() < 8 || extent.is_empty() {
            continue;
        }
        // Cut along the outermost dimension.
        let (mut below, mut above) = (extent.clone(), extent.clone());
        let mut second = lower.clone();
        below[0] = u64::from(choices.byte()) % extent[0];
        above[0] -= below[0];
        second[0] += below[0];
        let mut parts = ask(&lower, &below).expect("the first part of a box");
        parts.extend(ask(&second, &above).expect("the second part of a box"));
        assert_eq!(whole, parts);
    }
}
