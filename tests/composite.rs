//! Composites: the rules for their members, in memory and in files; who belongs to whom; where
//! elements are.

#![allow(missing_docs, clippy::cast_possible_truncation, reason = "a test program")]

use std::sync::{Arc, Mutex};

use hurray::composite::{Checker, Composite, Head, Membership};
use hurray::container::{ByteSink, File, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::layout::{self, Combine, Composition, Coo};
use hurray::descriptor::quantization::{PerBlock, PerTensor};
use hurray::descriptor::{
    Builder, Descriptor, ElementType, ExtensionType, Format, MemberRole, Mode, Shard,
};
use hurray::validate::{ValidateOptions, validate};
use hurray::{ErrorKind, Result};

const OVERLAY: Composition = Composition::Overlay(Combine::Replace);
const F32: ElementType = ElementType::FLOAT32;

fn builder(element_type: ElementType, shape: &[u64]) -> Builder {
    Builder::new(element_type, shape).unwrap()
}

fn head_of(rule: Composition, element_type: ElementType, shape: &[u64], count: u32) -> Builder {
    let mut head = builder(element_type, shape);
    head.layout(layout::Composite::new(rule, count).unwrap());
    head
}

fn head(rule: Composition, shape: &[u64], count: u32) -> Descriptor {
    head_of(rule, F32, shape, count).build().unwrap()
}

/// A builder of a part of a tensor of shape `parent`.
fn part_of(element_type: ElementType, parent: &[u64], offset: &[u64], shape: &[u64]) -> Builder {
    let mut part = builder(element_type, shape);
    part.shard(Shard::new(parent, offset).unwrap());
    part
}

fn part(parent: &[u64], offset: &[u64], shape: &[u64]) -> Descriptor {
    part_of(F32, parent, offset, shape).build().unwrap()
}

fn with_role(mut builder: Builder, role: MemberRole) -> Descriptor {
    builder.member_role(role).build().unwrap()
}

fn base(shape: &[u64]) -> Descriptor {
    with_role(part_of(F32, shape, &vec![0; shape.len()], shape), MemberRole::Base)
}

fn correction(parent: &[u64], offset: &[u64], shape: &[u64]) -> Descriptor {
    with_role(part_of(F32, parent, offset, shape), MemberRole::Correction)
}

fn check(mode: Mode, tensors: &[Descriptor]) -> Result<()> {
    let (head, members) = tensors.split_first().unwrap();
    let mut checker = Checker::new(head, mode)?;
    for member in members {
        checker.add(member)?;
    }
    checker.close()
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

/// A file of these tensors in this order; all their data is zero.
fn written(tensors: &[(&str, Descriptor)], sorted: bool) -> Vec<u8> {
    let kept = Kept::default();
    let options = WriterOptions { sorted, ..WriterOptions::default() };
    let mut writer = Writer::create_sink(Box::new(kept.clone()), &options).unwrap();
    for (name, descriptor) in tensors {
        let data: Vec<_> =
            descriptor.buffers().iter().map(|b| vec![0; b.byte_size as usize]).collect();
        let data: Vec<_> = data.iter().map(Vec::as_slice).collect();
        // As bytes: some of these composites are none, which announcing would find out.
        writer.tensor_raw(name, &descriptor.encode().unwrap(), &data).unwrap();
    }
    writer.finish().unwrap();
    let bytes = kept.0.lock().unwrap();
    bytes.clone()
}

fn open_as(bytes: Vec<u8>, mode: Mode) -> File {
    File::open_bytes(bytes, &OpenOptions { mode, ..OpenOptions::default() }).unwrap()
}

fn open(tensors: &[(&str, Descriptor)]) -> File {
    open_as(written(tensors, false), Mode::Strict)
}

fn problems(file: &File) -> Vec<String> {
    let mut problems = Vec::new();
    let mut put = |problem: hurray::Error| problems.push(problem.to_string());
    validate(file, ValidateOptions::default(), &mut put).unwrap();
    problems
}

fn located(composite: &Composite, index: &[u64]) -> (String, Vec<u64>) {
    let mut local = vec![0; index.len()];
    let tensor = composite.locate(index, &mut local).unwrap();
    (composite.file().entry(tensor).unwrap().name.to_owned(), local)
}

fn touched(composite: &Composite, lower: &[u64], extent: &[u64]) -> Vec<String> {
    let mut out = [0; 100];
    let count = composite.members_in(lower, extent, 0, &mut out).unwrap();
    let name = |&tensor: &u64| composite.file().entry(tensor).unwrap().name.to_owned();
    out[..count as usize].iter().map(name).collect()
}

#[test]
fn the_partition_of_the_specification() {
    let file = open(&[
        ("w", head(Composition::Partition, &[8, 8], 2)),
        ("w.0", part(&[8, 8], &[0, 0], &[8, 4])),
        ("w.1", part(&[8, 8], &[0, 4], &[8, 4])),
    ]);
    assert_eq!(problems(&file), [""; 0]);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    assert_eq!(located(&composite, &[3, 6]), ("w.1".into(), vec![3, 2]));
    assert_eq!(located(&composite, &[7, 3]), ("w.0".into(), vec![7, 3]));
    assert_eq!(touched(&composite, &[0, 0], &[8, 4]), ["w.0"]);
    assert_eq!(touched(&composite, &[2, 3], &[1, 2]), ["w.0", "w.1"]);
    assert_eq!((composite.tensor(), composite.member_count()), (0, 2));
    assert_eq!(composite.member_at(1).unwrap(), 2);
    assert!(composite.is_complete() && composite.is_exact());
    assert!(composite.memory_bytes() < 2000);
    assert_eq!(composite.head().unwrap(), &head(Composition::Partition, &[8, 8], 2));
}

#[test]
fn the_overlay_of_the_specification() {
    let shape = [4096, 4096];
    let f16 = ElementType::FLOAT16;
    let mut stored = part_of(ElementType::INT4, &shape, &[0, 0], &shape);
    stored.quantization(PerBlock::new(1, 64, f16, 1, None).unwrap());
    let mut outliers = part_of(f16, &shape, &[0, 0], &shape);
    outliers.layout(Coo::new(0, true));
    let tensors = [
        head_of(OVERLAY, f16, &shape, 2).build().unwrap(),
        with_role(stored, MemberRole::Base),
        with_role(outliers, MemberRole::Correction),
    ];
    check(Mode::Strict, &tensors).unwrap();

    // Scales of zero are not valid content: nothing but the composite is validated here.
    let [head, stored, outliers] = tensors;
    let file = open(&[("w", head), ("w.base", stored), ("w.outliers", outliers)]);
    let mut found = Vec::new();
    let only = ValidateOptions {
        regions: false,
        padding: false,
        content: false,
        ..ValidateOptions::default()
    };
    validate(&file, only, &mut |problem| found.push(problem)).unwrap();
    assert!(found.is_empty(), "{found:?}");
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    assert_eq!(located(&composite, &[5, 6]), ("w".into(), vec![5, 6]));
    assert_eq!(touched(&composite, &[5, 6], &[1, 1]), ["w.base", "w.outliers"]);
}

#[test]
fn every_rule_for_a_member() {
    let shape = [4, 6];
    let partition = || head(Composition::Partition, &shape, 2);
    let overlay = || head(OVERLAY, &shape, 2);
    let all = || part(&shape, &[0, 0], &shape);
    let private = |tag| ElementType::from_tag(tag).unwrap();
    let integer = |is_signed| ExtensionType::new(24, Format::Integer { is_signed }).unwrap();
    let own = |tag, section, role: Option<MemberRole>| {
        let mut own = part_of(private(tag), &shape, &[0, 0], &shape);
        own.extension_type(section);
        role.map(|role| own.member_role(role));
        own.build().unwrap()
    };
    let own_head = || {
        let mut head = head_of(OVERLAY, private(0xF3), &shape, 1);
        head.extension_type(integer(true)).build().unwrap()
    };
    let quantized = || {
        let mut member = part_of(ElementType::INT8, &shape, &[0, 0], &shape);
        member.quantization(PerTensor::new(0.5, 3).unwrap()).build().unwrap()
    };
    let partition_of = |t| head_of(Composition::Partition, t, &shape, 1).build().unwrap();
    let cases: Vec<(Vec<Descriptor>, &str)> = vec![
        (
            vec![partition(), builder(F32, &shape).build().unwrap()],
            "a member of a partition or overlay must carry a shard section",
        ),
        (vec![partition(), part(&[4, 6, 1], &[0, 0, 0], &[4, 6, 1])], "rank is 3, must be 2"),
        (
            vec![partition(), part(&[4, 7], &[0, 0], &[4, 6])],
            "parent_shape in dimension 1 is 7, must be 6",
        ),
        (
            vec![partition(), correction(&shape, &[0, 0], &shape)],
            "only members of an overlay may carry a composite member section",
        ),
        (
            vec![head(Composition::Group, &[], 1), base(&shape)],
            "only members of an overlay may carry a composite member section",
        ),
        (
            vec![
                partition(),
                part_of(ElementType::INT32, &shape, &[0, 0], &shape).build().unwrap(),
            ],
            "type is int32, must be float32",
        ),
        (
            vec![partition_of(ElementType::INT8), quantized()],
            "type of the head of a quantized member is int8, must be float16, bfloat16, float32 or \
             float64",
        ),
        (
            vec![own_head(), own(0xF4, integer(true), Some(MemberRole::Base))],
            "type_tag is 244, must be 243",
        ),
        (
            vec![own_head(), own(0xF3, integer(false), Some(MemberRole::Base))],
            "extension type section differs from that of the head",
        ),
        (
            vec![partition(), {
                let mut group = head_of(Composition::Group, F32, &shape, 0);
                group.shard(Shard::new(&shape, &[0, 0]).unwrap()).build().unwrap()
            }],
            "a group has no elements and cannot be a part",
        ),
        (
            vec![overlay(), {
                let mut inner = head_of(Composition::Partition, F32, &shape, 1);
                inner.shard(Shard::new(&shape, &[0, 0]).unwrap()).build().unwrap()
            }],
            "a composite head cannot be a member of an overlay",
        ),
        (vec![overlay(), all()], "a member of an overlay must carry a composite member section"),
        (
            vec![overlay(), correction(&shape, &[0, 0], &shape)],
            "member_role is correction, must be base",
        ),
        (
            vec![overlay(), with_role(part_of(F32, &shape, &[1, 0], &[3, 6]), MemberRole::Base)],
            "shard_offset of the base in dimension 0 is 1, must be 0",
        ),
        (
            vec![overlay(), with_role(part_of(F32, &shape, &[0, 0], &[4, 5]), MemberRole::Base)],
            "shape of the base in dimension 1 is 5, must be 6",
        ),
    ];
    for (tensors, text) in cases {
        // A rule for members holds in both modes.
        for mode in [Mode::Strict, Mode::Permissive] {
            let error = check(mode, &tensors).unwrap_err();
            assert_eq!(error.to_string(), format!("tensor 1: member 0 of composite 0: {text}"));
            assert_eq!((error.tensor(), error.member(), error.head()), (Some(1), Some(0), Some(0)));
        }
    }
    let second_base = [overlay(), base(&shape), base(&shape)];
    assert_eq!(
        check(Mode::Strict, &second_base).unwrap_err().to_string(),
        "tensor 2: member 1 of composite 0: member_role is base, must be correction"
    );

    check(Mode::Strict, &[own_head(), own(0xF3, integer(true), Some(MemberRole::Base))]).unwrap();
    for float in [ElementType::FLOAT16, ElementType::BFLOAT16, F32, ElementType::FLOAT64] {
        check(Mode::Strict, &[partition_of(float), quantized()]).unwrap();
    }
    for other in [ElementType::FLOAT8_E4M3, ElementType::FLOAT128, ElementType::COMPLEX64] {
        check(Mode::Strict, &[partition_of(other), quantized()]).unwrap_err();
    }
    // Group members may be anything, a member section outside any composite too.
    let overlay = || head(OVERLAY, &shape, 1);
    let group = [head(Composition::Group, &[], 3), all(), quantized(), overlay(), base(&shape)];
    check(Mode::Strict, &group).unwrap();
    check(Mode::Strict, &group[..4]).unwrap_err();
    assert_eq!(problems(&open(&[("a", base(&shape))])), [""; 0]);
}

#[test]
fn what_is_checked_at_the_end() {
    let shape = [4, 6];
    let two = |second: Descriptor| {
        [head(Composition::Partition, &shape, 2), part(&shape, &[0, 0], &[4, 3]), second]
    };
    check(Mode::Strict, &two(part(&shape, &[0, 3], &[4, 3]))).unwrap();

    let gap = two(part(&shape, &[0, 3], &[3, 3]));
    let error = check(Mode::Strict, &gap).unwrap_err();
    let text = "tensor 0: no member holds an index of the head, at index [3, 3]";
    assert_eq!((error.to_string(), error.index()), (text.into(), Some(&[3, 3][..])));

    let overlap = two(part(&shape, &[0, 2], &[4, 4]));
    let error = check(Mode::Strict, &overlap).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tensor 2: member 1 of composite 0: overlaps member 0 (tensor 1), at index [0, 2]"
    );
    assert_eq!(error.kind(), &ErrorKind::MembersOverlap { member: 0 });

    // A reader should check this; in permissive mode it need not hold.
    check(Mode::Permissive, &gap).unwrap();
    check(Mode::Permissive, &overlap).unwrap();

    // The last member itself is taken: the verdict comes at the end.
    let mut checker = Checker::new(&gap[0], Mode::Strict).unwrap();
    checker.add(&gap[1]).unwrap();
    assert!(!checker.is_complete());
    checker.add(&gap[2]).unwrap();
    assert!(checker.is_complete());
    let error = checker.add(&gap[2]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
    checker.close().unwrap_err();

    for mode in [Mode::Strict, Mode::Permissive] {
        let error = check(mode, &gap[..2]).unwrap_err();
        assert_eq!(error.to_string(), "tensor 0: torn composite: 2 members promised, 1 found");
    }
}

#[test]
fn heads_without_members() {
    check(Mode::Strict, &[head(Composition::Group, &[3], 0)]).unwrap();
    check(Mode::Strict, &[head(Composition::Partition, &[3, 0], 0)]).unwrap();
    let error = check(Mode::Strict, &[head(Composition::Partition, &[3, 2], 0)]).unwrap_err();
    let text = "tensor 0: no member holds an index of the head, at index [0, 0]";
    assert_eq!(error.to_string(), text);
    let error = check(Mode::Strict, &[head(Composition::Partition, &[], 0)]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Uncovered), "{error}");
    let scalar = part(&[], &[], &[]);
    check(Mode::Strict, &[head(Composition::Partition, &[], 1), scalar]).unwrap();
}

#[test]
fn after_an_error_a_checker_takes_nothing_more() {
    let shape = [4];
    let mut checker = Checker::new(&head(Composition::Partition, &shape, 2), Mode::Strict).unwrap();
    checker.add(&builder(F32, &shape).build().unwrap()).unwrap_err();
    let error = checker.add(&part(&shape, &[0], &shape)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
    let error = checker.close().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");

    let error = Checker::new(&part(&shape, &[0], &shape), Mode::Strict).unwrap_err();
    assert_eq!(error.fault(), hurray::Fault::Caller);
}

/// A partition of [8] in halves, the second of which is one of [4], and so on.
fn nest(levels: u32) -> Vec<(String, Descriptor)> {
    let mut tensors = Vec::new();
    let mut size = 1_u64 << levels;
    for level in 0..levels {
        let mut inner = head_of(Composition::Partition, F32, &[size], 2);
        if level > 0 {
            inner.shard(Shard::new(&[2 * size], &[size]).unwrap());
        }
        tensors.push((format!("h{level}"), inner.build().unwrap()));
        size /= 2;
        tensors.push((format!("low{level}"), part(&[2 * size], &[0], &[size])));
    }
    tensors.push(("last".into(), part(&[2], &[1], &[1])));
    tensors
}

fn named(tensors: Vec<(String, Descriptor)>) -> Vec<(&'static str, Descriptor)> {
    tensors.into_iter().map(|(name, d)| (&*name.leak(), d)).collect()
}

#[test]
fn nesting_to_the_eighth_level() {
    let tensors = named(nest(8));
    let descriptors: Vec<_> = tensors.iter().map(|(_, d)| d.try_clone().unwrap()).collect();
    check(Mode::Strict, &descriptors).unwrap();
    let file = open(&tensors);
    assert_eq!(problems(&file), [""; 0]);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.head_count(), 8);
    let composite = membership.open(0).unwrap();
    assert_eq!(located(&composite, &[0]), ("low0".into(), vec![0]));
    assert_eq!(located(&composite, &[127]), ("low0".into(), vec![127]));
    assert_eq!(located(&composite, &[128]), ("low1".into(), vec![0]));
    assert_eq!(located(&composite, &[253]), ("low6".into(), vec![1]));
    assert_eq!(located(&composite, &[254]), ("low7".into(), vec![0]));
    assert_eq!(located(&composite, &[255]), ("last".into(), vec![0]));
    assert_eq!(touched(&composite, &[127], &[66]), ["low0", "low1", "low2"]);
    assert_eq!(touched(&composite, &[0], &[256]).len(), 9);
    // An inner one, opened by itself.
    let inner = membership.open(file.find(b"h6").unwrap()).unwrap();
    assert_eq!(located(&inner, &[2]), ("low7".into(), vec![0]));

    let tensors = named(nest(9));
    let descriptors: Vec<_> = tensors.iter().map(|(_, d)| d.try_clone().unwrap()).collect();
    for mode in [Mode::Strict, Mode::Permissive] {
        let error = check(mode, &descriptors).unwrap_err();
        assert_eq!(error.to_string(), "tensor 16: level of nesting 9 is not in 1 to 8");
        let file = open_as(written(&tensors, false), mode);
        let text = "tensor 16 \"h8\": level of nesting 9 is not in 1 to 8";
        assert_eq!(problems(&file), [text]);
        let membership = Membership::of(&file).unwrap();
        assert_eq!(membership.open(0).unwrap_err().to_string(), text);
        assert_eq!(membership.open(16).unwrap_err().to_string(), text);
        assert_eq!(membership.head_at(8).unwrap().level, 9);
    }
}

#[test]
fn a_fault_in_an_inner_composite_names_that() {
    let shape = [4, 4];
    let mut inner = head_of(Composition::Partition, F32, &[2, 4], 2);
    inner.shard(Shard::new(&shape, &[2, 0]).unwrap());
    let tensors = [
        ("outer", head(Composition::Partition, &shape, 2)),
        ("top", part(&shape, &[0, 0], &[2, 4])),
        ("inner", inner.build().unwrap()),
        ("left", part(&[2, 4], &[0, 0], &[2, 3])),
        ("right", part(&[2, 4], &[0, 2], &[2, 2])),
    ];
    let file = open(&tensors);
    let text = "tensor 4 \"right\": member 1 of composite 2 \"inner\": overlaps member 0 (tensor 3 \
                \"left\"), at index [0, 2]";
    assert_eq!(problems(&file), [text]);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.open(0).unwrap_err().to_string(), text);
    assert_eq!(membership.open(2).unwrap_err().to_string(), text);

    // In permissive mode it opens. One of the two is found.
    let file = open_as(written(&tensors, false), Mode::Permissive);
    assert_eq!(problems(&file), [""; 0]);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    assert!(composite.is_complete() && !composite.is_exact());
    assert!(["left", "right"].contains(&&*located(&composite, &[2, 2]).0));
    assert_eq!(touched(&composite, &[2, 2], &[1, 1]), ["left", "right"]);
}

#[test]
fn an_index_that_no_member_holds() {
    let tensors = [("w", head(Composition::Partition, &[4], 1)), ("w.0", part(&[4], &[0], &[3]))];
    let file = open_as(written(&tensors, false), Mode::Permissive);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    let error = composite.locate(&[3], &mut [0]).unwrap_err();
    let text = "tensor 0 \"w\": no member holds an index of the head, at index [3]";
    assert_eq!(error.to_string(), text);
    assert_eq!(touched(&composite, &[3], &[1]), [""; 0]);
}

#[test]
fn several_faults_are_all_reported() {
    let file = open(&[
        ("a", head(Composition::Partition, &[4], 2)),
        ("a.0", builder(F32, &[2]).build().unwrap()),
        ("a.1", part(&[5], &[2], &[2])),
        ("plain", builder(F32, &[2]).build().unwrap()),
        ("b", head(Composition::Partition, &[4], 1)),
        ("b.0", part(&[4], &[0], &[3])),
        ("c", head(Composition::Group, &[], 7)),
        ("c.0", builder(F32, &[2]).build().unwrap()),
    ]);
    assert_eq!(
        problems(&file),
        [
            "tensor 1 \"a.0\": member 0 of composite 0 \"a\": a member of a partition or overlay must \
             carry a shard section",
            "tensor 2 \"a.1\": member 1 of composite 0 \"a\": parent_shape in dimension 0 is 5, must \
             be 4",
            "tensor 4 \"b\": no member holds an index of the head, at index [3]",
            "tensor 6 \"c\": torn composite: 7 members promised, 1 found",
        ]
    );
}

#[test]
fn torn_composites() {
    let tensors = [
        ("outer", head(Composition::Group, &[], 3)),
        ("a", builder(F32, &[2]).build().unwrap()),
        ("inner", head(Composition::Partition, &[4], 2)),
        ("b", part(&[4], &[0], &[2])),
    ];
    let bytes = written(&tensors, false);
    let file = open_as(bytes.clone(), Mode::Strict);
    let texts = [
        "tensor 0 \"outer\": torn composite: 3 members promised, 2 found",
        "tensor 2 \"inner\": torn composite: 2 members promised, 1 found",
    ];
    assert_eq!(problems(&file), texts);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.open(0).unwrap_err().to_string(), texts[0]);
    assert_eq!(membership.open(2).unwrap_err().to_string(), texts[1]);

    let file = open_as(bytes, Mode::Permissive);
    assert_eq!(problems(&file), [""; 0]);
    let membership = Membership::of(&file).unwrap();
    let wanted = |tensor, promised, found, level, outer| {
        Some(Head { tensor, promised, found, level, outer, complete: false })
    };
    assert_eq!(membership.head_at(0), wanted(0, 3, 2, 1, None));
    assert_eq!(membership.head_at(1), wanted(2, 2, 1, 2, Some(0)));
    assert_eq!(membership.head_at(2), None);
    let composite = membership.open(0).unwrap();
    assert!(!composite.is_complete());
    let members: Vec<_> = (0..2).map(|k| composite.member_at(k).unwrap()).collect();
    assert_eq!((composite.member_count(), members), (2, vec![1, 2]));
    let inner = membership.open(2).unwrap();
    assert_eq!(inner.member_at(0).unwrap(), 3);
    let error = inner.locate(&[0], &mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
    let error = inner.members_in(&[0], &[1], 0, &mut []).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
}

#[test]
fn the_order_of_descriptors_binds_and_not_that_of_the_index() {
    let tensors = [
        ("m", builder(F32, &[1]).build().unwrap()),
        ("z", head(Composition::Partition, &[8, 8], 2)),
        ("y", part(&[8, 8], &[0, 0], &[8, 4])),
        ("a", part(&[8, 8], &[0, 4], &[8, 4])),
        ("b", builder(F32, &[1]).build().unwrap()),
    ];
    let file = open_as(written(&tensors, true), Mode::Strict);
    assert_eq!(problems(&file), [""; 0]);
    let find = |name: &str| file.find(name.as_bytes()).unwrap();
    assert_eq!(["a", "b", "m", "y", "z"].map(find), [0, 1, 2, 3, 4]);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.members_of(find("z")).unwrap(), [find("y"), find("a")]);
    let of = |name| membership.composite_of(find(name)).unwrap();
    assert_eq!(["a", "y"].map(of), [Some(find("z")); 2]);
    assert_eq!(["m", "b", "z"].map(of), [None; 3]);
    let composite = membership.open(find("z")).unwrap();
    assert_eq!(located(&composite, &[3, 6]), ("a".into(), vec![3, 2]));
}

#[test]
fn groups_within_groups_and_what_follows() {
    let plain = || builder(F32, &[1]).build().unwrap();
    let file = open(&[
        ("g", head(Composition::Group, &[], 4)),
        ("a", plain()),
        ("h", head(Composition::Group, &[], 2)),
        ("b", plain()),
        ("empty", head(Composition::Group, &[], 0)),
        ("c", plain()),
        ("i", head(Composition::Group, &[], 1)),
        ("d", plain()),
        ("after", plain()),
    ]);
    assert_eq!(problems(&file), [""; 0]);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.members_of(0).unwrap(), [1, 2, 5, 6]);
    assert_eq!(membership.members_of(2).unwrap(), [3, 4]);
    assert_eq!(membership.members_of(4).unwrap(), [0; 0]);
    assert_eq!(membership.members_of(6).unwrap(), [7]);
    let of: Vec<_> = (0..9).map(|i| membership.composite_of(i).unwrap()).collect();
    let wanted = [None, Some(0), Some(0), Some(2), Some(2), Some(0), Some(0), Some(6), None];
    assert_eq!(of, wanted);
    assert_eq!(membership.head_of(5).unwrap(), None);
    assert!(membership.composite_of(9).is_err());
    let error = membership.open(8).unwrap_err();
    let text = "tensor 8 \"after\": this is a plain tensor, not a composite head";
    assert_eq!(error.to_string(), text);

    let composite = membership.open(0).unwrap();
    let error = composite.locate(&[], &mut []).unwrap_err();
    let text = "tensor 0 \"g\": this is a group, not a partition or overlay";
    assert_eq!(error.to_string(), text);
    composite.members_in(&[], &[], 0, &mut []).unwrap_err();
    assert!(composite.member_at(4).is_err());
}

#[test]
fn members_of_an_overlay_come_in_order_and_in_pieces() {
    let shape = [10];
    let file = open(&[
        ("w", head(OVERLAY, &shape, 5)),
        ("base", base(&shape)),
        ("c1", correction(&shape, &[4], &[3])),
        ("c2", correction(&shape, &[0], &[5])),
        ("c3", correction(&shape, &[3], &[0])),
        ("c4", correction(&shape, &[4], &[1])),
    ]);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    assert_eq!(touched(&composite, &[4], &[1]), ["base", "c1", "c2", "c4"]);
    assert_eq!(touched(&composite, &[9], &[1]), ["base"]);
    assert_eq!(touched(&composite, &[5], &[3]), ["base", "c1"]);
    assert_eq!(touched(&composite, &[4], &[0]), [""; 0]);
    let mut out = [99; 2];
    assert_eq!(composite.members_in(&[4], &[1], 0, &mut out).unwrap(), 4);
    assert_eq!(out, [1, 2]);
    assert_eq!(composite.members_in(&[4], &[1], 2, &mut out).unwrap(), 4);
    assert_eq!(out, [3, 5]);
    assert_eq!(composite.members_in(&[4], &[1], 3, &mut out).unwrap(), 4);
    assert_eq!(out, [5, 5]);
    assert_eq!(composite.members_in(&[4], &[1], u64::MAX, &mut out).unwrap(), 4);
    assert_eq!(located(&composite, &[4]), ("w".into(), vec![4]));
}

#[test]
fn an_overlay_as_a_part() {
    let mut inner = head_of(OVERLAY, F32, &[4], 2);
    inner.shard(Shard::new(&[6], &[2]).unwrap());
    let file = open(&[
        ("w", head(Composition::Partition, &[6], 2)),
        ("low", part(&[6], &[0], &[2])),
        ("over", inner.build().unwrap()),
        ("base", base(&[4])),
        ("patch", correction(&[4], &[1], &[1])),
    ]);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    assert_eq!(located(&composite, &[3]), ("over".into(), vec![1]));
    assert_eq!(touched(&composite, &[1], &[3]), ["low", "over"]);
    let inner = Membership::of(&file).unwrap().open(2).unwrap();
    assert_eq!(touched(&inner, &[1], &[1]), ["base", "patch"]);
}

#[test]
fn questions_that_leave_the_shape() {
    let file = open(&[
        ("w", head(Composition::Partition, &[8, 1], 1)),
        ("w.0", part(&[8, 1], &[0, 0], &[8, 1])),
    ]);
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    let text = |result: Result<u64>| result.unwrap_err().to_string();
    let mut local = [0; 2];
    assert_eq!(
        text(composite.locate(&[8, 0], &mut local)),
        "index 8 in dimension 0 out of range: there are 8"
    );
    assert_eq!(text(composite.locate(&[8], &mut local)), "index has 1 number, the shape 2");
    assert_eq!(
        text(composite.locate(&[7, 0], &mut [0; 3])),
        "local index has 3 numbers, the shape 2"
    );
    let members_in =
        |lower: &[u64], extent: &[u64]| composite.members_in(lower, extent, 0, &mut []);
    assert_eq!(
        text(members_in(&[7, 0], &[2, 1])),
        "box of 2 from 7 on leaves dimension 0, which has 8 indices"
    );
    assert_eq!(
        text(members_in(&[0, u64::MAX], &[0, 2])),
        format!("box of 2 from {} on leaves dimension 1, which has 1 index", u64::MAX)
    );
    assert_eq!(text(members_in(&[0], &[1, 1])), "lower bound has 1 number, the shape 2");
    assert_eq!(text(members_in(&[0, 0], &[1])), "extent has 1 number, the shape 2");
    assert_eq!(members_in(&[8, 1], &[0, 0]).unwrap(), 0);
}

#[test]
fn a_head_that_is_not_valid_binds_nothing() {
    let tensors = [
        ("g", head(Composition::Group, &[], 1)),
        ("a", builder(F32, &[1]).build().unwrap()),
        ("p", head(Composition::Partition, &[2], 1)),
        ("p.0", part(&[2], &[0], &[2])),
    ];
    let mut bytes = written(&tensors, false);
    // The reserved bytes of the group's layout fields.
    bytes[64 + 20 + 8 + 2] = 1;
    let file = open_as(bytes, Mode::Strict);
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.head_count(), 1);
    let error = membership.open(0).unwrap_err().to_string();
    assert!(error.contains("composite reserved must be 0"), "{error}");
    membership.open(2).unwrap();
    // Its fault is the only one.
    assert_eq!(problems(&file).len(), 1);
}

#[test]
fn composites_can_be_used_from_any_thread() {
    fn shared<T: Send + Sync>() {}
    shared::<Membership>();
    shared::<Composite>();
    shared::<Checker>();
}
