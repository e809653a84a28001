//! What damage does: cut anywhere, or with a byte taken out anywhere, a file gives an error with a
//! message or a valid reading, and then everything in it can be asked for.

use hurray::container::{File, OpenOptions, TRAILER_LEN};
use hurray::descriptor::Mode;
use libtest_mimic::{Completion, Trial};

use crate::vectors::{self, Vector};

/// Small files of many kinds, damaged at every byte.
const THOROUGHLY: &[&str] = &[
    "reference/files/stats_shard.hrry",
    "reference/files/sorted_kv.hrry",
    "edges/kv_flag_clear.hrry",
    "edges/partial_columns.hrry",
    "generated/valid_0001.hrry",
];
/// The others are damaged at every so many bytes.
const STEP: usize = 97;

pub(crate) fn trials() -> Vec<Trial> {
    let mut vectors = vectors::copied("generated");
    vectors.extend(vectors::copied("edges"));
    let reference = vectors::reference();
    let complete = reference.is_some();
    vectors.extend(reference.into_iter().flatten());
    vectors.retain(|vector| !vector.is_descriptor());

    let (thoroughly, others): (Vec<_>, Vec<_>) =
        vectors.into_iter().partition(|vector| THOROUGHLY.contains(&vector.id.as_str()));
    assert!(!complete || thoroughly.len() == THOROUGHLY.len());
    let mut trials = Vec::new();
    if !complete {
        trials.push(Trial::ignorable_test("damage/reference", || {
            Ok(Completion::ignored_with("skipped: no shared vectors here"))
        }));
    }
    trials.extend(thoroughly.iter().map(changed));
    trials.extend(thoroughly.into_iter().map(|vector| damage(vector, 1)));
    trials.extend(others.into_iter().map(|vector| damage(vector, STEP)));
    trials
}

/// Every byte in turn is another one, and the checksum of the index is that of its bytes: what
/// gets past the checksum meets the other rules.
fn changed(vector: &Vector) -> Trial {
    let bytes = vector.bytes();
    Trial::test(format!("damage/changed/{}", vector.id), move || {
        for k in 0..bytes.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[k] ^= change;
                repair(&mut bytes);
                read_all(&bytes, Mode::Strict);
                read_all(&bytes, Mode::Permissive);
            }
        }
        Ok(())
    })
}

/// Sets the checksum of the index where there is one.
fn repair(bytes: &mut [u8]) -> Option<()> {
    const HAS_INDEX_CRC32C: u8 = 1 << 2;
    let tail = bytes.len().checked_sub(TRAILER_LEN)?;
    if bytes.get(12)? & HAS_INDEX_CRC32C == 0 {
        return None;
    }
    let field = |at: usize| usize::try_from(u64::from_le_bytes(*bytes[at..].first_chunk()?)).ok();
    let (offset, length) = (field(tail)?, field(tail + 8)?);
    let crc = crc32c::crc32c(bytes.get(offset..offset.checked_add(length)?)?);
    bytes[tail + 28..tail + 32].copy_from_slice(&crc.to_le_bytes());
    Some(())
}

fn damage(vector: Vector, step: usize) -> Trial {
    Trial::test(format!("damage/cut/{step}/{}", vector.id), move || {
        let bytes = vector.bytes();
        for mode in [Mode::Strict, Mode::Permissive] {
            for length in (0..bytes.len()).step_by(step) {
                read_all(&bytes[..length], mode);
            }
            // A file without its byte k; the next one is made from it.
            let mut short: Vec<u8> = bytes.iter().copied().skip(1).collect();
            for k in (0..bytes.len()).step_by(step) {
                read_all(&short, mode);
                let end = short.len().min(k + step);
                short[k..end].copy_from_slice(&bytes[k..end]);
            }
        }
        Ok(())
    })
}

/// Opens from memory and asks for all there is.
fn read_all(bytes: &[u8], mode: Mode) {
    let options = OpenOptions { mode, ..OpenOptions::default() };
    // SAFETY: the file and all that comes from it are gone before the bytes are.
    #[allow(unsafe_code, reason = "a copy of every damaged file would take most of the time")]
    let opened = unsafe { File::open_lent(bytes.as_ptr(), bytes.len(), Box::new(|| ()), &options) };
    match opened {
        Ok(file) => walk(&file),
        Err(error) => says_something(&error),
    }
}

fn says_something(error: &hurray::Error) {
    assert!(!error.to_string().is_empty());
}

fn walk(file: &File) {
    let kv = file.kv();
    for i in 0..kv.len() {
        let entry = kv.get(i).unwrap();
        assert_eq!(kv.find(entry.key().as_bytes()), Some(i));
    }
    let mut room = Vec::new();
    for k in 0..file.tensor_count() {
        let i = file.in_file_order(k).unwrap();
        let entry = file.entry(i).unwrap();
        assert_eq!(file.find(entry.name.as_bytes()), Some(i));
        match file.tensor(i) {
            Err(error) => says_something(&error),
            Ok(tensor) => {
                for buffer in 0..tensor.buffer_count() {
                    let size = tensor.buffer(buffer).unwrap().size;
                    room.resize(usize::try_from(size).unwrap(), 0);
                    tensor.read(buffer, 0, &mut room).unwrap();
                }
            }
        }
    }
}
