//! Boxes of merged views, held against members laid over one another element by element.

#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test program with small numbers"
)]

use std::sync::{Arc, Mutex};

use hurray::composite::{Composite, Membership};
use hurray::container::{ByteSink, File, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::layout::{self, Combine, Composition, Strided};
use hurray::descriptor::quantization::PerTensor;
use hurray::descriptor::{Builder, Descriptor, ElementType, MemberRole, Mode, Shard};
use hurray::{ErrorKind, Result};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

/// A tensor of row-major values, as elements of `width` bytes.
#[derive(Clone)]
struct Values {
    shape: Vec<u64>,
    width: usize,
    bytes: Vec<u8>,
}

impl Values {
    fn random(random: &mut Random, element_type: ElementType, shape: &[u64]) -> Self {
        let count: u64 = shape.iter().product();
        let width = element_type.bits().unwrap() as usize / 8;
        let element = |random: &mut Random| match element_type {
            ElementType::FLOAT32 => (random.below(1000) as f32 / 7.0).to_le_bytes().to_vec(),
            _ => random.next().to_le_bytes()[..width].to_vec(),
        };
        let bytes = (0..count).flat_map(|_| element(random)).collect();
        Self { shape: shape.to_vec(), width, bytes }
    }

    fn at(&mut self, index: &[u64]) -> &mut [u8] {
        let place =
            index.iter().zip(&self.shape).fold(0, |place, (x, size)| place * size + x) as usize;
        &mut self.bytes[place * self.width..][..self.width]
    }

    /// Lays a member over these.
    fn lay(&mut self, mut over: Self, offset: &[u64], add: Option<ElementType>) {
        for index in indices(&over.shape.clone()) {
            let element = over.at(&index).to_vec();
            let place: Vec<_> = index.iter().zip(offset).map(|(x, o)| x + o).collect();
            let here = self.at(&place);
            let sum = match add {
                None => element,
                Some(ElementType::FLOAT32) => {
                    let [a, b] = [&*here, &*element].map(|e| e.try_into().unwrap());
                    (f32::from_le_bytes(a) + f32::from_le_bytes(b)).to_le_bytes().to_vec()
                }
                Some(_) => {
                    let [a, b] = [&*here, &*element].map(|e| e.try_into().unwrap());
                    i16::from_le_bytes(a).wrapping_add(i16::from_le_bytes(b)).to_le_bytes().to_vec()
                }
            };
            here.copy_from_slice(&sum);
        }
    }
}

fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |all, &size| {
        let longer =
            |index: &Vec<u64>| (0..size).map(|x| [&index[..], &[x]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// A builder of a plain tensor in a random layout, and its data with these values in it.
fn stored(
    random: &mut Random,
    element_type: ElementType,
    values: &mut Values,
) -> (Builder, Vec<u8>) {
    let shape = values.shape.clone();
    let mut builder = Builder::new(element_type, &shape).unwrap();
    let width = values.width as i64;
    // From the innermost dimension on, in an order that the layout chooses.
    let mut order: Vec<_> = (0..shape.len()).collect();
    let (mut gap, mut turn) = (0, false);
    match random.below(3) {
        0 => order.reverse(),
        1 if !shape.is_empty() => drop(builder.layout(layout::ColumnMajor)),
        _ if shape.is_empty() => (),
        _ => {
            for k in (1..order.len()).rev() {
                order.swap(k, random.below(k as u64 + 1) as usize);
            }
            (gap, turn) = (random.below(3) as i64, true);
        }
    }
    let mut strides = vec![0; shape.len()];
    let (mut step, mut below) = (1, 0);
    for k in order {
        strides[k] = if turn && random.below(2) == 0 { -step } else { step };
        if strides[k] < 0 {
            below += step * (shape[k].max(1) as i64 - 1);
        }
        step = step * shape[k].max(1) as i64 + gap;
    }
    let offset = (below + random.below(5) as i64) * width;
    if turn {
        builder.layout(Strided::new(&strides).unwrap());
    }
    builder.byte_offset(offset as u64);
    let size = builder.build().unwrap().buffers()[0].byte_size as usize;
    let mut data = vec![0xEE; size];
    for index in indices(&shape) {
        let e: i64 = index.iter().zip(&strides).map(|(&x, s)| x as i64 * s).sum();
        let place = (offset + e * width) as usize;
        data[place..][..values.width].copy_from_slice(values.at(&index));
    }
    (builder, data)
}

/// The tensors of a file, and the values that it makes.
struct Model {
    element_type: ElementType,
    tensors: Vec<(Descriptor, Vec<Vec<u8>>)>,
}

impl Model {
    fn new(element_type: ElementType) -> Self {
        Self { element_type, tensors: Vec::new() }
    }

    /// Adds a composite or a plain tensor of this shape, a part of a larger one at `shard`.
    fn part(
        &mut self,
        random: &mut Random,
        shape: &[u64],
        shard: Option<Shard>,
        levels: u32,
    ) -> Values {
        match random.below(3) {
            0 if levels > 0 => self.partition(random, shape, shard, levels),
            1 if levels > 0 => self.overlay(random, shape, shard),
            _ => self.plain(random, shape, shard, None),
        }
    }

    fn plain(
        &mut self,
        random: &mut Random,
        shape: &[u64],
        shard: Option<Shard>,
        role: Option<MemberRole>,
    ) -> Values {
        let mut values = Values::random(random, self.element_type, shape);
        let (mut builder, data) = stored(random, self.element_type, &mut values);
        shard.map(|shard| builder.shard(shard));
        role.map(|role| builder.member_role(role));
        self.tensors.push((builder.build().unwrap(), vec![data]));
        values
    }

    fn head(&mut self, rule: Composition, count: usize, shape: &[u64], shard: Option<Shard>) {
        let mut head = Builder::new(self.element_type, shape).unwrap();
        head.layout(layout::Composite::new(rule, count as u32).unwrap());
        shard.map(|shard| head.shard(shard));
        self.tensors.push((head.build().unwrap(), Vec::new()));
    }

    fn partition(
        &mut self,
        random: &mut Random,
        shape: &[u64],
        shard: Option<Shard>,
        levels: u32,
    ) -> Values {
        let mut boxes = vec![(vec![0; shape.len()], shape.to_vec())];
        for _ in 0..random.below(8) {
            let chosen = random.below(boxes.len() as u64) as usize;
            let (lower, extent) = &mut boxes[chosen];
            if shape.is_empty() {
                break;
            }
            let k = random.below(shape.len() as u64) as usize;
            let cut = random.below(extent[k] + 1);
            let mut second = (lower.clone(), extent.clone());
            second.0[k] += cut;
            second.1[k] -= cut;
            extent[k] = cut;
            boxes.push(second);
        }
        self.head(Composition::Partition, boxes.len(), shape, shard);
        let mut whole = Values::random(random, self.element_type, shape);
        for (lower, extent) in boxes {
            let shard = Shard::new(shape, &lower).unwrap();
            let part = self.part(random, &extent, Some(shard), levels - 1);
            whole.lay(part, &lower, None);
        }
        whole
    }

    fn overlay(&mut self, random: &mut Random, shape: &[u64], shard: Option<Shard>) -> Values {
        let combine = if random.below(2) == 0 { Combine::Add } else { Combine::Replace };
        let count = random.below(5) as usize;
        self.head(Composition::Overlay(combine), count + 1, shape, shard);
        let whole = Shard::new(shape, &vec![0; shape.len()]).unwrap();
        let mut values = self.plain(random, shape, Some(whole), Some(MemberRole::Base));
        let add = (combine == Combine::Add).then_some(self.element_type);
        for _ in 0..count {
            let lower: Vec<_> = shape.iter().map(|n| random.below(n + 1)).collect();
            let extent: Vec<_> =
                shape.iter().zip(&lower).map(|(n, l)| random.below(n - l + 1)).collect();
            let shard = Shard::new(shape, &lower).unwrap();
            let over = self.plain(random, &extent, Some(shard), Some(MemberRole::Correction));
            values.lay(over, &lower, add);
        }
        values
    }

    fn open(&self) -> Composite {
        let kept = Kept::default();
        let mut writer =
            Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
        let descriptors: Vec<_> = self.tensors.iter().map(|(descriptor, _)| descriptor).collect();
        let (head, members) = descriptors.split_first().unwrap();
        writer.composite_begin("t0", head, members).unwrap();
        for (k, (descriptor, data)) in self.tensors.iter().enumerate().skip(1) {
            let data: Vec<_> = data.iter().map(Vec::as_slice).collect();
            writer.tensor(&format!("t{k}"), descriptor, &data).unwrap();
        }
        writer.composite_end().unwrap();
        writer.finish().unwrap();
        let bytes = kept.0.lock().unwrap().clone();
        let file = File::open_bytes(bytes, &OpenOptions::default()).unwrap();
        Membership::of(&file).unwrap().open(0).unwrap()
    }
}

fn check_box(composite: &Composite, values: &mut Values, lower: &[u64], extent: &[u64]) {
    let wanted: Vec<u8> = indices(extent)
        .iter()
        .flat_map(|index| {
            let index: Vec<_> = index.iter().zip(lower).map(|(x, l)| x + l).collect();
            values.at(&index).to_vec()
        })
        .collect();
    let mut found = vec![0xAA; wanted.len()];
    composite.read(lower, extent, &mut found).unwrap();
    assert!(found == wanted, "{lower:?} {extent:?}");
}

#[test]
fn random_views() {
    for seed in 0..1500 {
        let mut random = Random(seed);
        let element_type = [ElementType::INT16, ElementType::FLOAT32][(seed % 2) as usize];
        let rank = random.below(5) as usize;
        let shape: Vec<_> = (0..rank).map(|_| random.below(8)).collect();
        let mut model = Model::new(element_type);
        let mut values = match seed % 3 {
            0 => model.overlay(&mut random, &shape, None),
            _ => model.partition(&mut random, &shape, None, 3),
        };
        let composite = model.open();
        check_box(&composite, &mut values, &vec![0; rank], &shape);
        for _ in 0..10 {
            let lower: Vec<_> = shape.iter().map(|n| random.below(n + 1)).collect();
            let extent: Vec<_> =
                shape.iter().zip(&lower).map(|(n, l)| random.below(n - l + 1)).collect();
            check_box(&composite, &mut values, &lower, &extent);
        }
    }
}

#[test]
fn views_that_take_many_reads() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let mut model = Model::new(ElementType::INT16);
        let shape = [700, 900];
        let mut values = match seed % 2 {
            0 => model.overlay(&mut random, &shape, None),
            _ => model.partition(&mut random, &shape, None, 1),
        };
        let composite = model.open();
        check_box(&composite, &mut values, &[0, 0], &shape);
        check_box(&composite, &mut values, &[3, 5], &[600, 2]);
        check_box(&composite, &mut values, &[3, 5], &[2, 800]);
        check_box(&composite, &mut values, &[100, 100], &[500, 700]);
    }
}

fn single(head: &Descriptor, member: &Descriptor, data: &[&[u8]], mode: Mode) -> Composite {
    let kept = Kept::default();
    let mut writer =
        Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
    writer.tensor_raw("w", &head.encode().unwrap(), &[]).unwrap();
    writer.tensor("w.0", member, data).unwrap();
    writer.finish().unwrap();
    let bytes = kept.0.lock().unwrap().clone();
    let options = OpenOptions { mode, ..OpenOptions::default() };
    Membership::of(&File::open_bytes(bytes, &options).unwrap()).unwrap().open(0).unwrap()
}

#[test]
fn what_is_refused() {
    let head = |element_type, shape: &[u64]| {
        let mut head = Builder::new(element_type, shape).unwrap();
        head.layout(layout::Composite::new(Composition::Partition, 1).unwrap());
        head.build().unwrap()
    };
    let part = |element_type, parent: &[u64], shape: &[u64]| {
        let mut part = Builder::new(element_type, shape).unwrap();
        part.shard(Shard::new(parent, &vec![0; parent.len()]).unwrap());
        part
    };
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let i8 = ElementType::INT8;
    let member = part(i8, &[4], &[4]).build().unwrap();
    let whole = single(&head(i8, &[4]), &member, &[&[1, 2, 3, 4]], Mode::Strict);
    let mut room = [0; 4];
    whole.read(&[1], &[3], &mut room[..3]).unwrap();
    assert_eq!(room, [2, 3, 4, 0]);
    assert_eq!(text(whole.read(&[1], &[3], &mut room)), "the copy takes 3 bytes, got room for 4");
    assert_eq!(
        text(whole.read(&[2], &[3], &mut room)),
        "box of 3 from 2 on leaves dimension 0, which has 4 indices"
    );
    whole.read(&[4], &[0], &mut []).unwrap();

    let short = part(i8, &[4], &[3]).build().unwrap();
    let inexact = single(&head(i8, &[4]), &short, &[&[1, 2, 3]], Mode::Permissive);
    let error = inexact.read(&[0], &[3], &mut room[..3]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "tensor 0 \"w\": the members do not tile their head: there is no merged view"
    );
}

/// A partition of one part, a composite of somebody's own rule: nobody knows where in its members
/// an element is.
#[test]
fn parts_of_a_private_rule() {
    let head = |shard: bool| {
        let mut head = Builder::new(ElementType::INT8, &[4]).unwrap();
        head.layout(layout::Composite::new(Composition::Partition, 1).unwrap());
        shard.then(|| head.shard(Shard::new(&[4], &[0]).unwrap()));
        head.build().unwrap().encode().unwrap()
    };
    let (outer, inner) = (head(false), head(true));
    let kept = Kept::default();
    let mut writer =
        Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
    writer.tensor_raw("w", &outer, &[]).unwrap();
    writer.tensor_raw("own", &inner, &[]).unwrap();
    writer.dense("data", ElementType::INT8, &[4], &[1, 2, 3, 4]).unwrap();
    writer.finish().unwrap();
    let mut bytes = kept.0.lock().unwrap().clone();
    let at = (64 + outer.len()).next_multiple_of(8);
    assert_eq!(bytes[at..at + inner.len()], inner);
    // composition_rule, behind the fixed header, the shape and byte_offset.
    bytes[at + 20 + 8 + 8] = 0xF0;
    let options = OpenOptions { mode: Mode::Permissive, ..OpenOptions::default() };
    let file = File::open_bytes(bytes, &options).unwrap();
    let whole = Membership::of(&file).unwrap().open(0).unwrap();
    let mut local = [9];
    assert_eq!((whole.locate(&[3], &mut local).unwrap(), local), (1, [3]));
    let error = whole.read(&[0], &[4], &mut [0; 4]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongType { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "tensor 1 \"own\": this is a composite of a private rule, not a partition or overlay"
    );
}

#[test]
fn elements_of_less_than_a_byte_are_packed() {
    let small = ElementType::INT4;
    let head = |shape: &[u64]| {
        let mut head = Builder::new(small, shape).unwrap();
        head.layout(layout::Composite::new(Composition::Partition, 1).unwrap());
        head.build().unwrap()
    };
    let mut member = Builder::new(small, &[5]).unwrap();
    member.shard(Shard::new(&[5], &[0]).unwrap());
    let member = member.build().unwrap();
    let composite = single(&head(&[5]), &member, &[&[0x21, 0x43, 0xF5]], Mode::Strict);
    let mut room = [0xAA; 3];
    composite.read(&[0], &[5], &mut room).unwrap();
    assert_eq!(room, [0x21, 0x43, 0x05]);
    composite.read(&[1], &[3], &mut room[..2]).unwrap();
    assert_eq!(room, [0x32, 0x04, 0x05]);
    let error = composite.read(&[1], &[3], &mut room).unwrap_err();
    assert_eq!(error.to_string(), "the copy takes 2 bytes, got room for 3");
}

/// The members of an overlay over eight float16, all 1 in the base.
fn laid(combine: Combine, correction: &mut Builder, data: &[&[u8]]) -> Vec<u16> {
    let half = ElementType::FLOAT16;
    let mut head = Builder::new(half, &[8]).unwrap();
    head.layout(layout::Composite::new(Composition::Overlay(combine), 2).unwrap());
    let shard = || Shard::new(&[8], &[0]).unwrap();
    let mut base = Builder::new(half, &[8]).unwrap();
    base.shard(shard()).member_role(MemberRole::Base);
    correction.shard(shard()).member_role(MemberRole::Correction);
    let tensors = vec![
        (head.build().unwrap(), Vec::new()),
        (base.build().unwrap(), vec![[0x00, 0x3c].repeat(8)]),
        (correction.build().unwrap(), data.iter().map(|data| data.to_vec()).collect()),
    ];
    let composite = Model { element_type: half, tensors }.open();
    let mut out = [0; 16];
    composite.read(&[0], &[8], &mut out).unwrap();
    out.as_chunks().0.iter().map(|half| u16::from_le_bytes(*half)).collect()
}

#[test]
fn sparse_corrections_touch_what_they_store() {
    // decisions.md row 22. Stored: 2 at 1, 0 at 6.
    let indices: Vec<u8> = [1_u64, 6].iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = [0x00, 0x40, 0x00, 0x00];
    let mut sparse = Builder::new(ElementType::FLOAT16, &[8]).unwrap();
    sparse.layout(layout::Coo::new(2, true));
    let (one, two, three) = (0x3c00, 0x4000, 0x4200);
    let replaced = laid(Combine::Replace, &mut sparse, &[&values, &indices]);
    assert_eq!(replaced, [one, two, one, one, one, one, 0, one]);
    let added = laid(Combine::Add, &mut sparse, &[&values, &indices]);
    assert_eq!(added, [one, three, one, one, one, one, one, one]);
}

#[test]
fn quantized_members_become_floats_of_the_head() {
    // decisions.md row 21: x = 2 * (q - 1).
    let mut quantized = Builder::new(ElementType::UINT8, &[8]).unwrap();
    quantized.quantization(PerTensor::new(2.0, 1).unwrap());
    let codes = [1, 2, 3, 1, 1, 1, 1, 1];
    let replaced = laid(Combine::Replace, &mut quantized, &[&codes]);
    assert_eq!(replaced, [0, 0x4000, 0x4400, 0, 0, 0, 0, 0]);
    let added = laid(Combine::Add, &mut quantized, &[&codes]);
    assert_eq!(added, [0x3c00, 0x4200, 0x4500, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00]);
}

#[test]
fn types_that_are_not_added() {
    let narrow = ElementType::FLOAT8_E5M2;
    let mut head = Builder::new(narrow, &[4]).unwrap();
    let overlay = Composition::Overlay(Combine::Add);
    head.layout(layout::Composite::new(overlay, 2).unwrap());
    let member = |role, shape: &[u64]| {
        let mut member = Builder::new(narrow, shape).unwrap();
        member.shard(Shard::new(&[4], &[0]).unwrap()).member_role(role);
        (member.build().unwrap(), vec![vec![0x3c; shape[0] as usize]])
    };
    let tensors = vec![
        (head.build().unwrap(), Vec::new()),
        member(MemberRole::Base, &[4]),
        member(MemberRole::Correction, &[2]),
    ];
    let composite = Model { element_type: narrow, tensors }.open();
    let error = composite.read(&[0], &[4], &mut [0; 4]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tensor 1 \"t1\": adding of elements of this type is not supported"
    );
    // Nor is there a view where nothing would be added: decisions.md row 38.
    composite.read(&[2], &[2], &mut [0; 2]).unwrap_err();
}
