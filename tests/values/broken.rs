//! Data that breaks the rules: an error that says where, or other numbers; never a wrong access.

use hurray::ErrorKind;
use hurray::bytes::Foreign;
use hurray::descriptor::layout::{BlockPaged, Coo, Csf, Csr, IndexType, KvRole};
use hurray::descriptor::quantization::Nf4;
use hurray::descriptor::{Builder, ElementType, Layout};
use hurray::validate::{ValidateOptions, validate};
use hurray::values::{Target, Values};

use crate::guarded::Guarded;
use crate::made::{self, Made, words};
use crate::random::Random;

/// Changes a few bytes of its indices and pointers.
fn change(random: &mut Random, made: &mut Made) {
    let structures = made.d.own_buffers() as usize;
    for bytes in &mut made.data[1..structures] {
        for _ in 0..random.below(4) {
            if !bytes.is_empty() {
                let place = random.below(bytes.len() as u64) as usize;
                bytes[place] = random.pick(&[0, 1, 2, 7, 0x80, 0xFF]);
            }
        }
    }
}

#[test]
fn structures_that_were_changed() {
    let mut refused = 0;
    for seed in 30_000..31_500 {
        let mut random = Random(seed);
        let layout = 5 + random.below(5);
        let Some(mut made) = made::tensor(&mut random, layout, 200) else { continue };
        change(&mut random, &mut made);
        let guarded: Vec<_> = made.data.iter().map(|bytes| Guarded::new(bytes, true)).collect();
        let buffers: Vec<Foreign<'_>> = guarded.iter().map(Guarded::foreign).collect();
        let values = Values::new(&made.d, &buffers).unwrap();
        let shape = made.d.shape();
        let count: u64 = shape.iter().product();
        let bytes = match made.d.element_bits().unwrap() {
            6 => count.div_ceil(4) * 3,
            bits => (count * u64::from(bits)).div_ceil(8),
        };
        let mut out = vec![0; bytes as usize];
        let zeros = vec![0; shape.len()];
        if let Err(error) = values.copy(&zeros, shape, Target::Stored, &mut out) {
            assert!(error.kind().is_verdict(), "{error:?}");
            refused += 1;
        }
        if made.d.quantization().is_some() {
            let mut out = vec![0; count as usize * 4];
            drop(values.dequantize(0, count, Target::F32, &mut out));
        }
        if let Layout::BlockPaged(layout) = made.d.layout() {
            for sequence in 0..u64::from(layout.num_seqs()) {
                drop(values.element_of_token(sequence, random.below(9), 0, 0));
            }
        }
        for _ in 0..5 {
            let index: Vec<_> = shape.iter().map(|&n| random.below(n.max(1))).collect();
            drop(values.element(&index));
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn validation_finds_what_copies_refuse() {
    let (mut sound, mut refused) = (0, 0);
    for seed in 60_000..62_000 {
        let mut random = Random(seed);
        let layout = random.below(made::LAYOUTS);
        let Some(mut made) = made::tensor(&mut random, layout, 200) else { continue };
        let is_changed = made.d.own_buffers() > 1 && random.below(3) > 0;
        if is_changed {
            change(&mut random, &mut made);
        }
        let file = crate::file(&made);
        let mut found = Vec::new();
        validate(&file, ValidateOptions::default(), &mut |problem| {
            let text = problem.to_string();
            // The zero points are any, and where there is no sequence, pages are nobody's.
            if !text.contains("zero_points[") && !text.contains("seq_ptr[0] is 0, must be") {
                found.push(text);
            }
        })
        .unwrap();
        if !is_changed {
            assert!(found.is_empty(), "{found:?} {:?}", made.d);
            sound += 1;
            continue;
        }
        let shape = made.d.shape();
        let (zeros, count) = (vec![0; shape.len()], shape.iter().product::<u64>());
        let bytes = count * u64::from(made.d.element_bits().unwrap()).div_ceil(8);
        let tensor = file.tensor(0).unwrap();
        let copied = Values::by_reads(&tensor).copy(
            &zeros,
            shape,
            Target::Bytes,
            &mut vec![0; bytes as usize],
        );
        if let Err(error) = copied
            && error.kind().is_verdict()
        {
            assert!(!found.is_empty(), "{error} {:?}", made.d);
            refused += 1;
        }
    }
    assert!(sound > 600 && refused > 200, "{sound} {refused}");
}

/// What a copy of the whole says.
fn message(builder: &mut Builder, sizes: &[(u8, u64)], data: &[Vec<u8>]) -> String {
    for &(buffer, size) in sizes {
        builder.buffer_size(buffer, size).unwrap();
    }
    let d = builder.build().unwrap();
    let buffers: Vec<Foreign<'_>> = data.iter().map(|bytes| Foreign::of(bytes)).collect();
    let values = Values::new(&d, &buffers).unwrap();
    let mut out = vec![0; d.element_count().unwrap() as usize];
    let zeros = vec![0; d.shape().len()];
    let error = values.copy(&zeros, d.shape(), Target::Stored, &mut out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Entry { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn messages_name_buffer_and_entry() {
    let plain = |shape: &[u64]| Builder::new(ElementType::UINT8, shape).unwrap();
    let csr = |indices: &[u64], pointers: &[u64]| {
        let mut b = plain(&[3, 4]);
        b.layout(Csr::new(3));
        message(&mut b, &[], &[vec![1, 2, 3], words(indices), words(pointers)])
    };
    assert_eq!(csr(&[0, 4, 1], &[0, 2, 2, 3]), "data: col_indices[1] is 4, must be below 4");
    assert_eq!(csr(&[2, 2, 1], &[0, 2, 2, 3]), "data: col_indices[1] is 2, must be above 2");
    assert_eq!(csr(&[0, 2, 1], &[1, 2, 2, 3]), "data: row_ptr[0] is 1, must be 0");
    assert_eq!(csr(&[0, 2, 1], &[0, 2, 1, 3]), "data: row_ptr[2] is 1, must not be below 2");
    assert_eq!(csr(&[0, 2, 1], &[0, 2, 2, 9]), "data: row_ptr[3] is 9, must be below 4");
    let coo = |tuples: &[u64]| {
        let mut b = plain(&[3, 4]);
        b.layout(Coo::new(2, true));
        message(&mut b, &[], &[vec![1, 2], words(tuples)])
    };
    assert_eq!(coo(&[0, 1, 3, 0]), "data: indices[2] is 3, must be below 3");
    assert_eq!(
        coo(&[0, 1, 0, 1]),
        "data: indices[2] begins coordinates that do not come after those before"
    );
    let csf = |pos_2: &[u64], crd_2: &[u64]| {
        let mut b = plain(&[2, 3, 4]);
        b.layout(Csf::new(2, &[0, 1, 2]).unwrap());
        let data = [
            vec![1, 2],
            words(&[0, 1]),
            words(&[1]),
            words(&[0, 2]),
            words(&[0, 2]),
            words(pos_2),
            words(crd_2),
        ];
        let sizes: Vec<_> = (2..7).map(|k| (k, data[usize::from(k)].len() as u64)).collect();
        message(&mut b, &sizes, &data)
    };
    assert_eq!(csf(&[0, 1, 2], &[3, 4]), "data: crd_2[1] is 4, must be below 4");
    assert_eq!(csf(&[0, 3, 2], &[3, 1]), "data: pos_2[1] is 3, must be below 3");
    let layout = BlockPaged::new(1, 2, 1, KvRole::Other, None, IndexType::U64).unwrap();
    let mut b = plain(&[2, 1, 2]);
    b.layout(layout);
    let data = [vec![1, 2, 3, 4], words(&[1, 2]), words(&[0, 2])];
    assert_eq!(message(&mut b, &[(1, 16)], &data), "data: block_table[1] is 2, must be below 2");
}

#[test]
fn what_callers_get_wrong() {
    let d = Builder::new(ElementType::UINT8, &[3, 4]).unwrap().build().unwrap();
    let data = [7; 12];
    let text = |error: hurray::Error| error.to_string();
    let error = Values::new(&d, &[]).err().unwrap();
    assert_eq!(text(error), "count of buffers is 0, must be 1");
    let error = Values::new(&d, &[Foreign::of(&data[1..])]).err().unwrap();
    assert_eq!(text(error), "descriptor: buffer 0: data takes 12 bytes, got room for 11");
    let buffers = [Foreign::of(&data)];
    let values = Values::new(&d, &buffers).unwrap();
    let copy = |lower: &[u64], extent: &[u64], length: usize| {
        values.copy(lower, extent, Target::Stored, &mut vec![0; length]).map_err(text)
    };
    assert_eq!(copy(&[0, 0], &[3, 4], 11).unwrap_err(), "the copy takes 12 bytes, got room for 11");
    assert_eq!(
        copy(&[1, 0], &[3, 4], 12).unwrap_err(),
        "box of 3 from 1 on leaves dimension 0, which has 3 indices"
    );
    assert_eq!(copy(&[0], &[3, 4], 12).unwrap_err(), "lower bound has 1 number, the shape 2");
    copy(&[3, 4], &[0, 0], 0).unwrap();
    assert_eq!(
        text(values.dequantize(10, 3, Target::F32, &mut [0; 12]).unwrap_err()),
        "element 12 out of range: there are 12"
    );
    assert_eq!(
        text(values.locate_token(0, 0, 0, 0).unwrap_err()),
        "this is a tensor of another layout, not a block-paged tensor"
    );
    assert_eq!(
        text(values.element(&[0, 4]).unwrap_err()),
        "index 4 in dimension 1 out of range: there are 4"
    );

    let layout = BlockPaged::new(2, 2, 1, KvRole::Other, None, IndexType::U64).unwrap();
    let mut b = Builder::new(ElementType::UINT8, &[4, 1, 1]).unwrap();
    let d = b.layout(layout).buffer_size(1, 16).unwrap().build().unwrap();
    let (table, pointers) = (words(&[1, 0]), words(&[0, 2]));
    let buffers = [&data, &table[..], &pointers].map(Foreign::of);
    let values = Values::new(&d, &buffers).unwrap();
    let tokens = |first, count| {
        let done = values.copy_tokens(0, first, count, Target::Stored, &mut []);
        done.map_err(text)
    };
    tokens(4, 0).unwrap();
    for (first, count, last) in [(5, 0, 5), (3, 2, 4), (0, 100, 99), (1, u64::MAX, u64::MAX)] {
        let wanted = format!("token {last} out of range: there are 4");
        assert_eq!(tokens(first, count).unwrap_err(), wanted);
    }

    // Another layout is what is wrong, whatever else its values lack.
    let mut b = Builder::new(ElementType::UINT4, &[u64::MAX, 64]).unwrap();
    b.quantization(Nf4::new(1, 32, 1).unwrap());
    let d = b.buffer_size(0, 0).unwrap().buffer_size(1, 0).unwrap().build().unwrap();
    let buffers = [Foreign::of(&[]); 2];
    let values = Values::new(&d, &buffers).unwrap();
    assert_eq!(
        text(values.dequantize_tokens(0, 0, 0, Target::F32, &mut []).unwrap_err()),
        "this is a tensor of another layout, not a block-paged tensor"
    );
}

#[test]
fn empty_tensors_whose_blocks_cannot_be_counted() {
    // decisions.md row 53.
    let mut b = Builder::new(ElementType::UINT4, &[0, 1 << 40, 1 << 40]).unwrap();
    b.quantization(Nf4::new(2, 32, 1).unwrap());
    let d = b.build().unwrap();
    let buffers = [Foreign::of(&[]); 2];
    let values = Values::new(&d, &buffers).unwrap();
    values.dequantize(0, 0, Target::F32, &mut []).unwrap();
    values.dequantize_box(&[0; 3], d.shape(), Target::F32, &mut []).unwrap();
}
