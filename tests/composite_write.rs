//! Composites as they are written: announced, checked, completed.

use std::sync::{Arc, Mutex};

use hurray::composite::Membership;
use hurray::container::{ByteSink, File, KvValue, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::layout::{self, Combine, Composition, Coo};
use hurray::descriptor::quantization::PerTensor;
use hurray::descriptor::{
    Builder, Descriptor, ElementType, ExtensionType, Format, MemberRole, Shard, Statistics,
};
use hurray::validate::{ValidateOptions, validate};
use hurray::{Error, ErrorKind, Fault, Result};

const F32: ElementType = ElementType::FLOAT32;
const OVERLAY: Composition = Composition::Overlay(Combine::Replace);

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

fn written_as(options: &WriterOptions, write: impl FnOnce(&mut Writer) -> Result<()>) -> Vec<u8> {
    let kept = Kept::default();
    let mut writer = Writer::create_sink(Box::new(kept.clone()), options).unwrap();
    write(&mut writer).unwrap();
    writer.finish().unwrap();
    let bytes = kept.0.lock().unwrap();
    bytes.clone()
}

fn written(write: impl FnOnce(&mut Writer) -> Result<()>) -> Vec<u8> {
    written_as(&WriterOptions::default(), write)
}

fn builder(element_type: ElementType, shape: &[u64]) -> Builder {
    Builder::new(element_type, shape).unwrap()
}

fn head_in(rule: Composition, shape: &[u64], count: u32, shard: Option<Shard>) -> Descriptor {
    let mut head = builder(F32, shape);
    head.layout(layout::Composite::new(rule, count).unwrap());
    if let Some(shard) = shard {
        head.shard(shard);
    }
    head.build().unwrap()
}

fn head(rule: Composition, shape: &[u64], count: u32) -> Descriptor {
    head_in(rule, shape, count, None)
}

fn shard(parent: &[u64], offset: &[u64]) -> Shard {
    Shard::new(parent, offset).unwrap()
}

fn part(parent: &[u64], offset: &[u64], shape: &[u64]) -> Descriptor {
    builder(F32, shape).shard(shard(parent, offset)).build().unwrap()
}

fn overlaid(role: MemberRole, parent: &[u64], offset: &[u64], shape: &[u64]) -> Descriptor {
    builder(F32, shape).shard(shard(parent, offset)).member_role(role).build().unwrap()
}

fn plain() -> Descriptor {
    builder(F32, &[2]).build().unwrap()
}

/// Zeros, as many as the descriptor says.
fn data(descriptor: &Descriptor) -> Vec<Vec<u8>> {
    let size = |size| vec![0; usize::try_from(size).unwrap()];
    descriptor.buffers().iter().map(|buffer| size(buffer.byte_size)).collect()
}

fn put(writer: &mut Writer, name: &str, descriptor: &Descriptor) -> Result<()> {
    let data = data(descriptor);
    writer.tensor(name, descriptor, &data.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn put_in_pieces(writer: &mut Writer, name: &str, descriptor: &Descriptor) -> Result<()> {
    writer.begin(name, descriptor)?;
    for byte in data(descriptor).concat() {
        writer.write(&[byte])?;
    }
    writer.end()
}

fn put_raw(writer: &mut Writer, name: &str, descriptor: &Descriptor) -> Result<()> {
    let data = data(descriptor);
    let data: Vec<_> = data.iter().map(Vec::as_slice).collect();
    writer.tensor_raw(name, &descriptor.encode()?, &data)
}

/// A group of a partition with a partition in it, of an overlay with two corrections, and of a
/// plain tensor.
fn nested() -> Vec<Descriptor> {
    let shape = [4, 6];
    vec![
        head(Composition::Group, &[], 3),
        head(Composition::Partition, &shape, 2),
        head_in(Composition::Partition, &[4, 4], 2, Some(shard(&shape, &[0, 0]))),
        part(&[4, 4], &[0, 0], &[1, 4]),
        part(&[4, 4], &[1, 0], &[3, 4]),
        part(&shape, &[0, 4], &[4, 2]),
        head(OVERLAY, &shape, 3),
        overlaid(MemberRole::Base, &shape, &[0, 0], &shape),
        overlaid(MemberRole::Correction, &shape, &[1, 1], &[2, 2]),
        builder(F32, &[3, 3])
            .layout(Coo::new(2, true))
            .shard(shard(&shape, &[0, 3]))
            .member_role(MemberRole::Correction)
            .build()
            .unwrap(),
        plain(),
    ]
}

fn announce(writer: &mut Writer, name: &str, tensors: &[Descriptor]) -> Result<()> {
    let (head, members) = tensors.split_first().unwrap();
    writer.composite_begin(name, head, &members.iter().collect::<Vec<_>>())
}

#[test]
fn the_file_is_the_same_as_from_tensors_one_by_one() {
    let tensors = nested();
    let one_by_one = written(|writer| {
        put(writer, "before", &plain())?;
        for (k, descriptor) in tensors.iter().enumerate() {
            put_raw(writer, &format!("t{k}"), descriptor)?;
        }
        put(writer, "after", &plain())
    });
    for write in [put, put_in_pieces, put_raw] {
        let announced = written(|writer| {
            put(writer, "before", &plain())?;
            announce(writer, "t0", &tensors)?;
            for (k, descriptor) in tensors.iter().enumerate().skip(1) {
                write(writer, &format!("t{k}"), descriptor)?;
            }
            writer.composite_end()?;
            put(writer, "after", &plain())
        });
        assert!(announced == one_by_one);
    }

    let file = File::open_bytes(one_by_one, &OpenOptions::default()).unwrap();
    let membership = Membership::of(&file).unwrap();
    assert_eq!(membership.members_of(1).unwrap(), [2, 7, 11]);
    assert_eq!(membership.members_of(2).unwrap(), [3, 6]);
    // The content of a COO tensor of zeros is not valid.
    let options = ValidateOptions { content: false, ..ValidateOptions::default() };
    validate(&file, options, &mut |problem| panic!("{problem}")).unwrap();
}

#[test]
fn heads_without_members() {
    for announced in [head(Composition::Group, &[3], 0), head(Composition::Partition, &[0], 0)] {
        let bytes = written(|writer| {
            writer.composite_begin("none", &announced, &[])?;
            writer.composite_end()?;
            put(writer, "after", &plain())
        });
        let one_by_one = written(|writer| {
            put_raw(writer, "none", &announced)?;
            put(writer, "after", &plain())
        });
        assert!(bytes == one_by_one);
    }
}

/// Every refusal leaves the file as if nobody had asked.
#[test]
fn what_is_refused_and_the_writer_goes_on() {
    let shape = [4, 4];
    let partition = |count| head(Composition::Partition, &shape, count);
    let left = || part(&shape, &[0, 0], &[4, 2]);
    let right = || part(&shape, &[0, 2], &[4, 2]);
    let own = Composition::Private(0xF0);
    let aligned = builder(F32, &shape).alignment(8192).shard(shard(&shape, &[0, 0])).build();
    let huge = builder(F32, &[1 << 61]).shard(shard(&[1 << 61], &[0])).build().unwrap();
    let large = part(&[1 << 61], &[0], &[1 << 60]);
    let larger = part(&[1 << 61], &[1 << 60], &[1 << 60]);
    let refusals = [
        (
            vec![partition(2), left(), part(&shape, &[0, 2], &[3, 2])],
            "tensor 1 \"w\": no member holds an index of the head, at index [3, 2]",
        ),
        (
            vec![partition(2), left(), part(&shape, &[0, 1], &[4, 3])],
            "tensor 3: member 1 of composite 1 \"w\": overlaps member 0 (tensor 2), at index [0, 1]",
        ),
        (
            vec![partition(2), left(), part(&[4, 5], &[0, 2], &[4, 2])],
            "tensor 3: member 1 of composite 1 \"w\": parent_shape in dimension 1 is 5, must be 4",
        ),
        (vec![partition(2), left()], "tensor 1 \"w\": torn composite: 2 members promised, 1 found"),
        (
            vec![partition(2), left(), right(), plain()],
            "tensor 1 \"w\": number of announced members is 3, must be 2",
        ),
        (
            vec![head(Composition::Group, &[], 1), partition(2), left(), right(), plain()],
            "tensor 1 \"w\": number of announced members is 4, must be 3",
        ),
        (
            vec![head(Composition::Group, &[], 2), partition(2), left(), plain()],
            "tensor 4: member 1 of composite 2: a member of a partition or overlay must carry a \
             shard section",
        ),
        (
            [(); 9].iter().map(|()| head(Composition::Group, &[], 1)).chain([plain()]).collect(),
            "tensor 9: level of nesting 9 is not in 1 to 8",
        ),
        (vec![plain()], "tensor 1 \"w\": the first tensor of a composite must be a composite head"),
        (
            vec![partition(1), aligned.unwrap()],
            "tensor 2: descriptor: buffer 0: alignment 8192 is not in 1 to 4096",
        ),
        (
            vec![head(Composition::Partition, &[1 << 61], 1), huge],
            "tensor 2: file size 9223372036854788096 is not in 0 to 9223372036854775807",
        ),
        (
            vec![head(Composition::Partition, &[1 << 61], 2), large, larger],
            "tensor 3: file size 9223372036854792192 is not in 0 to 9223372036854775807",
        ),
    ];
    let kept = written(|writer| {
        writer.kv("key", KvValue::Bool(true))?;
        put(writer, "before", &plain())?;
        put(writer, "after", &plain())
    });
    let asked = written(|writer| {
        writer.kv("key", KvValue::Bool(true))?;
        put(writer, "before", &plain())?;
        for (tensors, message) in &refusals {
            let error = announce(writer, "w", tensors).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.fault()), (*message, Fault::Caller));
            assert_eq!(writer.tensor_count(), 1);
        }
        for (name, message) in [("", "name_length 0"), ("before", "twice, first in entry 0")] {
            let error = announce(writer, name, &[partition(2), left(), right()]).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!((error.tensor(), error.fault()), (Some(1), Fault::Caller));
        }
        put(writer, "after", &plain())
    });
    assert!(asked == kept);

    // What only permissive mode reads.
    let mut bytes = partition(1).encode().unwrap();
    let rule = bytes.len() - 9;
    bytes[rule] = 0xF0;
    let private = Descriptor::decode(&bytes, hurray::Mode::Permissive).unwrap();
    assert!(matches!(private.layout(), layout::Layout::Composite(fields) if fields.rule() == own));
    written(|writer| {
        let error = writer.composite_begin("w", &private, &[&plain()]).unwrap_err();
        assert_eq!(
            *error.kind(),
            ErrorKind::PrivateTag { what: "composition_rule", tag: 0xF0 },
            "{error}"
        );
        Ok(())
    });
}

/// Nor does a composite that is refused bring forward the header, before which keys are written.
#[test]
fn a_refused_composite_leaves_room_for_keys() {
    written(|writer| {
        let partition = head(Composition::Partition, &[3], 0);
        assert!(writer.composite_begin("w", &partition, &[]).is_err());
        writer.kv("key", KvValue::Bool(true))
    });
}

#[test]
fn another_tensor_than_the_announced_one() {
    let shape = [6];
    let integer = |is_signed| ExtensionType::new(32, Format::Integer { is_signed }).unwrap();
    let own = |tag, is_signed| {
        let element_type = ElementType::from_tag(tag).unwrap();
        builder(element_type, &shape).extension_type(integer(is_signed)).build().unwrap()
    };
    let quantized = |scale| {
        let scheme = PerTensor::new(scale, 0).unwrap();
        builder(ElementType::INT8, &shape).quantization(scheme).build().unwrap()
    };
    let counted = |nnz| {
        let mut statistics = Statistics::new();
        statistics.set_nnz(nnz);
        builder(F32, &shape).statistics(statistics).build().unwrap()
    };
    let sized = |size| builder(F32, &shape).buffer_size(0, size).unwrap().build().unwrap();
    let coo = |nnz, sorted| builder(F32, &shape).layout(Coo::new(nnz, sorted)).build().unwrap();
    let pairs = [
        (
            part(&shape, &[0], &[6]),
            part(&[7], &[0], &[6]),
            "parent_shape in dimension 0 is 6, must be 7",
        ),
        (
            part(&[7], &[0], &[6]),
            part(&[7], &[1], &[6]),
            "shard_offset in dimension 0 is 0, must be 1",
        ),
        (sized(24), part(&shape, &[0], &[6]), "shard section is not the one announced"),
        (sized(24), builder(F32, &[5]).build().unwrap(), "shape in dimension 0 is 6, must be 5"),
        (sized(24), builder(F32, &[6, 1]).build().unwrap(), "rank is 1, must be 2"),
        (
            sized(24),
            builder(ElementType::INT32, &shape).build().unwrap(),
            "type is float32, must be int32",
        ),
        (own(0xF0, true), own(0xF1, true), "type_tag is 240, must be 241"),
        (own(0xF0, true), own(0xF0, false), "extension type section is not the one announced"),
        (quantized(1.0), quantized(2.0), "quantization is not the one announced"),
        (counted(3), counted(4), "statistics are not those announced"),
        (sized(24), sized(28), "descriptor: buffer 0: byte_size is 24, must be 28"),
        (
            sized(24),
            builder(F32, &shape).device(1).build().unwrap(),
            "descriptor: buffer 0: device is 0, must be 1",
        ),
        (
            sized(24),
            builder(F32, &shape).alignment(128).build().unwrap(),
            "descriptor: buffer 0: alignment is 64, must be 128",
        ),
        (
            sized(28),
            builder(F32, &shape).byte_offset(4).build().unwrap(),
            "byte_offset is 0, must be 4",
        ),
        (sized(24), coo(1, true), "layout is row_major, must be coo"),
        (coo(1, true), coo(1, false), "layout fields are not those announced"),
    ];
    for (found, announced, message) in &pairs {
        let tensors = [head(Composition::Group, &[], 2), plain(), announced.try_clone().unwrap()];
        let bytes = written(|writer| {
            put(writer, "before", &plain())?;
            announce(writer, "g", &tensors)?;
            put(writer, "first", &plain())?;
            for write in [put, put_in_pieces, put_raw] {
                let error = write(writer, "second", found).unwrap_err();
                let place = "tensor 3 \"second\": member 1 of composite 1 \"g\": ";
                assert_eq!(error.to_string(), format!("{place}{message}"));
                assert_eq!(error.fault(), Fault::Caller);
            }
            put(writer, "second", announced)?;
            writer.composite_end()
        });
        let right = written(|writer| {
            put(writer, "before", &plain())?;
            put_raw(writer, "g", &tensors[0])?;
            put(writer, "first", &plain())?;
            put(writer, "second", announced)
        });
        assert!(bytes == right, "{message}");
    }
}

#[test]
fn a_wrong_member_of_an_inner_composite_names_that() {
    let tensors = nested();
    let message = |writer: &mut Writer, name: &str, descriptor: &Descriptor| {
        put(writer, name, descriptor).unwrap_err().to_string()
    };
    written(|writer| {
        announce(writer, "t0", &tensors)?;
        for (k, descriptor) in tensors.iter().enumerate().skip(1) {
            let error = message(writer, "x", &builder(ElementType::BOOL, &[]).build().unwrap());
            let (member, head) =
                [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0), (0, 6), (1, 6), (2, 6), (2, 0)]
                    [k - 1];
            let wanted =
                format!("tensor {k} \"x\": member {member} of composite {head} \"t{head}\": ");
            assert!(error.starts_with(&wanted), "{error}, not {wanted}");
            put(writer, &format!("t{k}"), descriptor)?;
        }
        writer.composite_end()
    });
    // The base and the first correction differ in their role first.
    let shape = [2];
    let base = overlaid(MemberRole::Base, &shape, &[0], &shape);
    let correction = overlaid(MemberRole::Correction, &shape, &[0], &shape);
    written(|writer| {
        writer.composite_begin("o", &head(OVERLAY, &shape, 2), &[&base, &correction])?;
        let error = message(writer, "c", &correction);
        assert!(error.ends_with("member_role is correction, must be base"), "{error}");
        put(writer, "b", &base)?;
        let error = message(writer, "c", &part(&shape, &[0], &shape));
        assert!(error.ends_with("member_role is none, must be correction"), "{error}");
        put(writer, "c", &correction)?;
        writer.composite_end()
    });
}

fn is_state(error: &Error, message: &str) -> bool {
    matches!(error.kind(), ErrorKind::State { .. }) && error.to_string().contains(message)
}

#[test]
fn calls_at_the_wrong_time() {
    let tensors = || [head(Composition::Group, &[], 2), plain(), plain()];
    written(|writer| {
        let error = put(writer, "g", &tensors()[0]).unwrap_err();
        assert!(is_state(&error, "tensor 0 \"g\": the head of a composite is written by"));
        assert!(is_state(&writer.composite_end().unwrap_err(), "no composite is announced"));
        writer.begin("begun", &plain())?;
        assert!(is_state(&announce(writer, "g", &tensors()).unwrap_err(), "not ended"));
        assert!(is_state(&writer.composite_end().unwrap_err(), "a tensor is begun"));
        writer.write(&[0; 8])?;
        writer.end()?;

        announce(writer, "g", &tensors())?;
        let again = announce(writer, "h", &tensors()).unwrap_err();
        assert!(is_state(&again, "a composite is announced and not ended"));
        put(writer, "g.0", &plain())?;
        assert!(is_state(&writer.ready().unwrap_err(), "announced and not ended"));
        let error = writer.composite_end().unwrap_err();
        let message = "tensor 1 \"g\": number of tensors written after the head is 1, must be 2";
        assert_eq!((error.to_string().as_str(), error.fault()), (message, Fault::Caller));
        let error = put(writer, "g", &plain()).unwrap_err();
        assert!(error.to_string().contains("twice, first in entry 1"), "{error}");
        put(writer, "g.1", &plain())?;
        let error = put(writer, "g.2", &plain()).unwrap_err();
        assert!(is_state(&error, "has all its members and is not ended"), "{error}");
        assert!(is_state(&writer.ready().unwrap_err(), "announced and not ended"));
        writer.composite_end()?;
        writer.ready()
    });
}

#[test]
fn what_is_not_completed_leaves_the_target_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.hrry");
    std::fs::write(&path, "what was here before").unwrap();
    let tensors = [head(Composition::Group, &[], 2), plain(), plain()];
    for members in 0..=2 {
        let mut writer = Writer::create(&path, &WriterOptions::default()).unwrap();
        announce(&mut writer, "g", &tensors).unwrap();
        for k in 0..members {
            put(&mut writer, &format!("g.{k}"), &plain()).unwrap();
        }
        assert!(is_state(&writer.finish().unwrap_err(), "announced and not ended"));
        assert_eq!(std::fs::read(&path).unwrap(), b"what was here before");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

/// What the writer lowers is lowered in both, the announced and the written.
#[test]
fn alignments_that_are_lowered() {
    let aligned =
        |offset| builder(F32, &[2]).alignment(8192).shard(shard(&[4], &[offset])).build().unwrap();
    let options = WriterOptions { lower_alignment: true, ..WriterOptions::default() };
    let partition = head(Composition::Partition, &[4], 2);
    let bytes = written_as(&options, |writer| {
        writer.composite_begin("w", &partition, &[&aligned(0), &aligned(2)])?;
        put(writer, "w.0", &aligned(0))?;
        put(writer, "w.1", &aligned(2))?;
        writer.composite_end()
    });
    let file = File::open_bytes(bytes, &OpenOptions::default()).unwrap();
    validate(&file, ValidateOptions::default(), &mut |problem| panic!("{problem}")).unwrap();
    assert_eq!(file.tensor(2).unwrap().descriptor().buffers()[0].alignment, 4096);
}

/// Descriptors are equal when they describe the same tensor, whatever readers ignore.
#[test]
fn bytes_that_make_no_difference() {
    let newer = |descriptor: &Descriptor| {
        let mut bytes = descriptor.encode().unwrap();
        bytes[5] = 3;
        bytes
    };
    written(|writer| {
        let tensors = [head(Composition::Group, &[], 1), plain()];
        let read = Descriptor::decode(&newer(&plain()), hurray::Mode::Strict).unwrap();
        assert_eq!(read.version_minor(), 3);
        announce(writer, "g", &tensors)?;
        writer.tensor_raw("g.0", &newer(&plain()), &[&[0; 8]])?;
        writer.composite_end()?;
        writer.composite_begin("h", &tensors[0], &[&read])?;
        writer.dense("h.0", F32, &[2], &[0; 8])?;
        writer.composite_end()
    });
}
