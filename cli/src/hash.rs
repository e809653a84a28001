//! Hashes of buffers.

use sha2::{Digest, Sha256};

use crate::describe::digits;

/// Data held at a time.
const PIECE: u64 = 1 << 20;

/// The SHA-256 of `length` bytes, which `read` hands out from a place on.
pub(crate) fn sha256(
    length: u64,
    mut read: impl FnMut(u64, &mut [u8]) -> hurray::Result<()>,
) -> hurray::Result<String> {
    let mut hash = Sha256::new();
    let mut memory = vec![0; usize::try_from(length.min(PIECE)).unwrap_or_default()];
    let mut at = 0;
    while at < length {
        let now = usize::try_from(length - at).unwrap_or(memory.len()).min(memory.len());
        let piece = &mut memory[..now];
        read(at, piece)?;
        hash.update(&*piece);
        at += now as u64;
    }
    Ok(digits(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_nothing_and_of_more_than_a_piece() {
        let none = sha256(0, |_, _| Ok(())).unwrap();
        assert_eq!(none, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let length = 3 * PIECE + 5;
        let whole: Vec<u8> = (0..length).map(|k| u8::try_from(k % 251).unwrap()).collect();
        let pieces = sha256(length, |at, piece| {
            let at = usize::try_from(at).unwrap();
            piece.copy_from_slice(&whole[at..at + piece.len()]);
            Ok(())
        });
        assert_eq!(pieces.unwrap(), digits(&Sha256::digest(&whole)));
    }
}
