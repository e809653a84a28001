//! `hrry cat`: the numbers of every vector, parts of tensors, and the forms they are written in.

#![allow(missing_docs)]

mod common;
#[path = "../../tests/conformance/numbers.rs"]
#[allow(dead_code, reason = "the conformance tests use the rest")]
mod numbers;
#[path = "../../tests/conformance/vectors.rs"]
#[allow(dead_code, reason = "the conformance tests use the rest")]
mod vectors;

use std::process::{Command, Stdio};

use common::{Bench, Model};
use hurray::container::{File, OpenOptions};
use hurray::descriptor::Layout;
use numbers::Number;

/// The numbers of a text, read as the manifest gives those that it is held against.
fn read(text: &str, like: &[Number]) -> Vec<Number> {
    let fields =
        text.lines().filter(|line| !line.starts_with('[')).flat_map(|line| line.split('\t'));
    let fields = fields.filter(|field| !field.is_empty());
    let number = |(k, field): (usize, &str)| match like.get(k) {
        Some(Number::Int(_)) => Number::Int(field.parse().unwrap_or_else(|_| panic!("{field:?}"))),
        Some(&Number::Complex(first, second)) => {
            let pair = field.strip_suffix('j').unwrap();
            // The sign of the second part: not the first one, and none of an exponent.
            let signs = pair
                .char_indices()
                .skip(1)
                .filter(|&(at, c)| matches!(c, '+' | '-') && !pair[..at].ends_with('e'));
            let (real, imaginary) = pair.split_at(signs.last().unwrap().0);
            Number::Complex(float(real, first), float(imaginary, second))
        }
        Some(&Number::Float(wanted)) => Number::Float(float(field, wanted)),
        None => panic!("{field:?} is one too many"),
    };
    fields.enumerate().map(number).collect()
}

/// The number of a text: a float64, or what is printed with as many digits as a float32 needs.
fn float(text: &str, wanted: f64) -> f64 {
    match text.parse() {
        Ok(long) if long == wanted => long,
        _ => text.parse::<f32>().unwrap_or_else(|_| panic!("{text:?}")).into(),
    }
}

/// Standard output of a run that must succeed.
fn run(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_hrry")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{arguments:?}");
    output.stdout
}

#[test]
fn the_values_of_every_vector() {
    let (mut compared, mut kinds) = (0, [0; 3]);
    for vector in [vectors::copied("generated"), vectors::copied("edges")].concat() {
        let Some(values) = vector.entry["values"].as_object().filter(|_| vector.accepted) else {
            continue;
        };
        let path = vector.path.to_str().unwrap();
        // No command line holds a zero byte.
        for (name, entry) in values.iter().filter(|(name, _)| !name.contains('\0')) {
            for (kind, key) in ["dense", "dequantized", "merged"].iter().enumerate() {
                let Some(wanted) = entry.get(key) else { continue };
                let wanted = numbers::wanted(wanted);
                let codes: &[&str] = if *key == "dense" { &["--codes"] } else { &[] };
                let text = run(&[&["cat", path, name], codes].concat());
                let found = read(std::str::from_utf8(&text).unwrap(), &wanted);
                assert!(found == wanted, "{} {name} {key}: {found:?}, not {wanted:?}", vector.id);
                compared += 1;
                kinds[kind] += 1;
            }
        }
    }
    assert!(compared > 400 && kinds.iter().all(|&count| count > 10), "{compared} {kinds:?}");
}

#[test]
fn raw_bytes_are_the_buffer_of_a_row_major_tensor() {
    let mut compared = 0;
    for vector in vectors::copied("generated").iter().filter(|vector| vector.accepted) {
        let file = File::open(&vector.path, &OpenOptions::default()).unwrap();
        for i in 0..file.tensor_count() {
            let tensor = file.tensor(i).unwrap();
            let d = tensor.descriptor();
            let is_plain = d.layout().tag().name() == "row_major" && d.byte_offset() == 0;
            if !is_plain || d.quantization().is_some() || d.has_dynamic_dimension() {
                continue;
            }
            let bytes = run(&["cat", "--raw", vector.path.to_str().unwrap(), tensor.name()]);
            let (bits, count) = (u64::from(d.element_bits().unwrap()), d.element_count().unwrap());
            // Of 6 bits, four elements in three bytes (types.md).
            let size = if bits == 6 { count.div_ceil(4) * 3 } else { (count * bits).div_ceil(8) };
            let mut wanted = vec![0; usize::try_from(size).unwrap()];
            tensor.read(0, 0, &mut wanted).unwrap();
            let mut bytes = bytes;
            // Bits behind the last element may be anything in the buffer.
            let rest = count * bits % 8;
            if rest != 0 && bits != 6 {
                let mask = (1 << rest) - 1;
                *wanted.last_mut().unwrap() &= mask;
                *bytes.last_mut().unwrap() &= mask;
            }
            assert_eq!(bytes, wanted, "{} {}", vector.id, tensor.name());
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Tensors "f" of float32 [2, 3, 4], 0 to 23, and "b" of bfloat16 [2].
fn model(bench: &Bench) {
    let floats: Vec<u8> = (0_u8..24).flat_map(|x| f32::from(x).to_le_bytes()).collect();
    let halves = [0x3F80_u16, 0xC000].map(u16::to_le_bytes).concat();
    let model =
        Model::new().tensor("f", "F32", &[2, 3, 4], &floats).tensor("b", "BF16", &[2], &halves);
    bench.converted(&model);
}

#[test]
fn parts_as_text() {
    let bench = Bench::new();
    model(&bench);
    for (part, text) in [
        ("0,1", "4.0\t5.0\t6.0\t7.0\n"),
        ("0:2,2:,3", "11.0\n23.0\n"),
        ("1,1:,0:2", "16.0\t17.0\n20.0\t21.0\n"),
        (":,1:2,-1:", "[0,:,:]\n7.0\n\n[1,:,:]\n19.0\n"),
        ("1,2,3", "23.0\n"),
        ("0:0", ""),
    ] {
        let said = bench.hrry(&["cat", "model.hrry", "f", part]);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, text, ""), "{part}");
    }
    assert_eq!(bench.hrry(&["cat", "model.hrry", "f", "--", "-1,-1,-1"]).out, "23.0\n");
}

#[test]
fn files_of_numpy() {
    let bench = Bench::new();
    model(&bench);
    let npy = |arguments: &[&str]| {
        let path = bench.path("model.hrry");
        let bytes = run(&[&["cat", "--npy", path.to_str().unwrap()], arguments].concat());
        let at = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        assert_eq!((at % 64, &bytes[..8]), (0, &b"\x93NUMPY\x01\x00"[..]));
        let header = String::from_utf8(bytes[10..at].to_vec()).unwrap();
        (header.trim_end().to_owned(), bytes[at..].to_vec())
    };
    let header = |shape| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let floats = |floats: &[f32]| floats.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(npy(&["f", ":,1,2:"]), (header("(2, 2)"), floats(&[6.0, 7.0, 18.0, 19.0])));
    assert_eq!(npy(&["f", "1,2,3"]), (header("()"), floats(&[23.0])));
    // numpy has no bfloat16.
    assert_eq!(npy(&["b"]), (header("(2,)"), floats(&[1.0, -2.0])));
}

#[test]
fn what_cannot_be_printed() {
    let bench = Bench::new();
    model(&bench);
    for (code, arguments, message) in [
        (2, &["model.hrry", "x"][..], "model.hrry: has no tensor \"x\""),
        (2, &["model.hrry", "f", "2"], "model.hrry: 2 leaves dimension 0, which has size 2"),
        (2, &["model.hrry", "f", "0,0,0,0"], "model.hrry: the box has 4 dimensions, the tensor 3"),
        (
            2,
            &["model.hrry", "f", "--sequence", "0"],
            "model.hrry: --sequence: tensor \"f\": this is a tensor of another layout, not a block-paged \
             tensor",
        ),
        (
            2,
            &["-", "f"],
            "standard input: printing elements needs a file that can be read at any place",
        ),
        (3, &["none.hrry", "f"], "none.hrry: open failed: No such file or directory (os error 2)"),
    ] {
        let said = bench.hrry(&[&["cat"], arguments].concat());
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{said:?}");
        assert_eq!(said.err, format!("hrry: {message}\n"));
    }
    assert_eq!(bench.hrry(&["cat", "model.hrry", "f", "::2"]).code, 2);
    assert_eq!(bench.hrry(&["cat", "model.hrry", "f", "--raw", "--npy"]).code, 2);
}

#[test]
fn tokens_of_sequences() {
    // A file whose tokens do not fill its pages has no view of its own, and every sequence has one.
    let mut seen = 0;
    for vector in vectors::copied("generated").iter().filter(|vector| vector.accepted) {
        let path = vector.path.to_str().unwrap();
        let file = File::open(&vector.path, &OpenOptions::default()).unwrap();
        for i in 0..file.tensor_count() {
            let tensor = file.tensor(i).unwrap();
            let d = tensor.descriptor();
            let &[_, heads, dims] = d.shape() else { continue };
            let Layout::BlockPaged(layout) = d.layout() else { continue };
            if layout.num_seqs() == 0 || d.has_dynamic_dimension() {
                continue;
            }
            let name = tensor.name();
            let all = run(&["cat", path, name, "--sequence", "0", "--raw", "--codes"]);
            let width = usize::try_from(d.element_bits().unwrap() / 8).unwrap();
            let line = usize::try_from(dims).unwrap() * width;
            if width == 0 || all.is_empty() || heads == 0 {
                continue;
            }
            // The last element of the last head of each token.
            let token = usize::try_from(heads).unwrap() * line;
            let wanted: Vec<u8> =
                all.chunks(token).flat_map(|token| token[token.len() - width..].to_vec()).collect();
            let part = ["cat", path, name, ":,-1,-1", "--sequence", "0", "--raw", "--codes"];
            assert_eq!(run(&part), wanted, "{} {name}", vector.id);
            let output = Command::new(env!("CARGO_BIN_EXE_hrry"))
                .args(["cat", path, name, "--sequence", "4000000000"])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2));
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    bench.converted(&Model::new().tensor("a", "U8", &[1 << 10, 1 << 10], &vec![7; 1 << 20]));
    let mut command = bench.command();
    let mut child = command
        .args(["cat", "model.hrry", "a"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
