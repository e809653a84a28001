//! Elements below 8 bits, several to a byte, least significant bit first (types.md, Packing below a
//! byte). Elements that share bytes make a group: those of one byte, or four of 6 bits in three.

/// Elements and bytes of the smallest groups of whole bytes.
pub(crate) const fn group(bits: u32) -> (usize, usize) {
    match bits {
        1 => (8, 1),
        2 => (4, 1),
        4 => (2, 1),
        6 => (4, 3),
        _ => (1, 1),
    }
}

/// Brings elements of 1, 2, 4 or 6 bits into a byte each, with zeros above: those from `first` in
/// `packed` on, as many as `codes` has room for and `packed` holds.
pub(crate) fn unpack(bits: u32, packed: &[u8], first: usize, codes: &mut [u8]) {
    match bits {
        1 => unpack_groups(packed, first, codes, spread_1),
        2 => unpack_groups(packed, first, codes, spread_2),
        4 => unpack_groups(packed, first, codes, spread_4),
        6 => unpack_groups(packed, first, codes, spread_6),
        _ => debug_assert!(false, "elements of {bits} bits are not packed"),
    }
}

/// The element of 1, 2, 4 or 6 bits that has so many before it in its group.
#[inline(always)]
pub(crate) fn in_group<const B: usize>(bits: u32, group: [u8; B], place: u8) -> u8 {
    let word = u32::from_le_bytes(padded(&group));
    let [code, ..] = word.wrapping_shr(u32::from(place).wrapping_mul(bits)).to_le_bytes();
    code & 1_u8.wrapping_shl(bits).wrapping_sub(1)
}

/// Packs codes, of which the low 1, 2, 4 or 6 bits count, to where the elements from `first` in
/// `packed` on have their place; `packed` has room for all. Elements beside them stay as they are.
pub(crate) fn pack(bits: u32, codes: &[u8], first: usize, packed: &mut [u8]) {
    match bits {
        1 => pack_groups(codes, first, packed, spread_1, join_1),
        2 => pack_groups(codes, first, packed, spread_2, join_2),
        4 => pack_groups(codes, first, packed, spread_4, join_4),
        6 => pack_groups(codes, first, packed, spread_6, join_6),
        _ => debug_assert!(false, "elements of {bits} bits are not packed"),
    }
}

/// Groups of E elements in B bytes.
#[inline(always)]
fn unpack_groups<const B: usize, const E: usize>(
    packed: &[u8],
    first: usize,
    codes: &mut [u8],
    spread: impl Fn([u8; B]) -> [u8; E],
) {
    let (byte, skipped) = place::<B, E>(first);
    let mut packed = packed.get(byte..).unwrap_or_default();
    let mut codes = codes;
    if skipped != 0 {
        let begun;
        (begun, packed) = packed.split_at(B.min(packed.len()));
        let head;
        (head, codes) = codes.split_at_mut(E.saturating_sub(skipped).min(codes.len()));
        overwrite(head, spread(padded(begun)).get(skipped..).unwrap_or_default());
    }
    let (whole, tail) = codes.as_chunks_mut::<E>();
    let mut groups = packed.chunks(B).skip(whole.len());
    for (codes, &group) in whole.iter_mut().zip(packed.as_chunks::<B>().0) {
        *codes = spread(group);
    }
    if let Some(group) = groups.next() {
        overwrite(tail, &spread(padded(group)));
    }
}

#[inline(always)]
fn pack_groups<const B: usize, const E: usize>(
    codes: &[u8],
    first: usize,
    packed: &mut [u8],
    spread: impl Fn([u8; B]) -> [u8; E],
    join: impl Fn([u8; E]) -> [u8; B],
) {
    let (byte, skipped) = place::<B, E>(first);
    let (mut codes, mut packed) = (codes, packed.get_mut(byte..).unwrap_or_default());
    let change = |group: &mut [u8], skipped: usize, codes: &[u8]| {
        let mut elements = spread(padded(group));
        overwrite(elements.get_mut(skipped..).unwrap_or_default(), codes);
        overwrite(group, &join(elements));
    };
    if skipped != 0 {
        let begun;
        (begun, packed) = packed.split_at_mut(B.min(packed.len()));
        let head;
        (head, codes) = codes.split_at(E.saturating_sub(skipped).min(codes.len()));
        change(begun, skipped, head);
    }
    let (whole, tail) = codes.as_chunks::<E>();
    let (groups, _) = packed.as_chunks_mut::<B>();
    for (group, &codes) in groups.iter_mut().zip(whole) {
        *group = join(codes);
    }
    if !tail.is_empty()
        && let Some(group) = packed.chunks_mut(B).nth(whole.len())
    {
        change(group, 0, tail);
    }
}

/// The byte that the group of an element begins with, and how many elements of it come before.
#[inline(always)]
fn place<const B: usize, const E: usize>(element: usize) -> (usize, usize) {
    (
        element.checked_div(E).unwrap_or_default().saturating_mul(B),
        element.checked_rem(E).unwrap_or_default(),
    )
}

/// The bytes of a group; zeros where there are none.
#[inline(always)]
fn padded<const B: usize>(bytes: &[u8]) -> [u8; B] {
    let mut group = [0; B];
    overwrite(&mut group, bytes);
    group
}

/// As many bytes as both have.
#[inline(always)]
fn overwrite(bytes: &mut [u8], with: &[u8]) {
    for (byte, &with) in bytes.iter_mut().zip(with) {
        *byte = with;
    }
}

#[inline(always)]
fn spread_1([byte]: [u8; 1]) -> [u8; 8] {
    // Byte k keeps bit k, which then carries up to bit 7.
    let bits = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (bits.wrapping_add(0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101).to_le_bytes()
}

#[inline(always)]
fn join_1(codes: [u8; 8]) -> [u8; 1] {
    // Bit 0 of byte k comes to bit 56 + k; no two meet.
    let bits = u64::from_le_bytes(codes) & 0x0101_0101_0101_0101;
    let [.., byte] = bits.wrapping_mul(0x0102_0408_1020_4080).to_le_bytes();
    [byte]
}

#[inline(always)]
fn spread_2([byte]: [u8; 1]) -> [u8; 4] {
    [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6]
}

#[inline(always)]
fn join_2([a, b, c, d]: [u8; 4]) -> [u8; 1] {
    [a & 3 | (b & 3) << 2 | (c & 3) << 4 | d << 6]
}

#[inline(always)]
fn spread_4([byte]: [u8; 1]) -> [u8; 2] {
    [byte & 15, byte >> 4]
}

#[inline(always)]
fn join_4([low, high]: [u8; 2]) -> [u8; 1] {
    [low & 15 | high << 4]
}

#[inline(always)]
fn spread_6([x, y, z]: [u8; 3]) -> [u8; 4] {
    [x & 63, x >> 6 | (y & 15) << 2, y >> 4 | (z & 3) << 4, z >> 2]
}

#[inline(always)]
fn join_6([a, b, c, d]: [u8; 4]) -> [u8; 3] {
    [a & 63 | b << 6, b >> 2 & 15 | c << 4, c >> 4 & 3 | d << 2]
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "numbers of tests are small")]
mod tests {
    use super::super::oracle::Random;
    use super::*;

    const WIDTHS: [u32; 4] = [1, 2, 4, 6];

    /// An element, bit by bit: 24-bit little-endian words are one string of bits, as bytes are.
    fn element(bits: u32, packed: &[u8], index: usize) -> u8 {
        let bit = |at: usize| packed[at / 8] >> (at % 8) & 1;
        (0..bits as usize).map(|k| bit(index * bits as usize + k) << k).sum()
    }

    #[test]
    fn what_types_md_prints() {
        let checks: [(u32, &[u8], &[u8]); 4] = [
            (1, &[1, 0, 1, 1, 0], &[0x0d]),
            (4, &[5, 12, 3], &[0xc5, 0x03]),
            (2, &[3, 1, 2], &[0x27]),
            (6, &[0b000001, 0b000010, 0b000100, 0b001000], &[0x81, 0x40, 0x20]),
        ];
        for (bits, codes, wanted) in checks {
            for first in 0..codes.len() {
                for end in first..=codes.len() {
                    let mut found = vec![0; end - first];
                    unpack(bits, wanted, first, &mut found);
                    assert_eq!(found, codes[first..end], "{bits} bits, {first} to {end}");
                    // In two parts.
                    let mut packed = vec![0; wanted.len()];
                    pack(bits, &codes[first..], first, &mut packed);
                    pack(bits, &codes[..first], 0, &mut packed);
                    assert_eq!(packed, wanted, "{bits} bits from {first}");
                }
            }
        }
    }

    #[test]
    fn every_byte_and_every_code() {
        for bits in WIDTHS {
            let packed: Vec<u8> = (0..=255).chain([0, 0]).collect();
            let count = packed.len() * 8 / bits as usize;
            let mut codes = vec![0; count];
            unpack(bits, &packed, 0, &mut codes);
            let wanted: Vec<u8> = (0..count).map(|k| element(bits, &packed, k)).collect();
            assert_eq!(codes, wanted);
            let (elements, bytes) = group(bits);
            for (at, &code) in codes.iter().enumerate() {
                let (byte, place) = (at / elements * bytes, (at % elements) as u8);
                let found = match bits {
                    6 => in_group::<3>(bits, padded(&packed[byte..][..3]), place),
                    _ => in_group(bits, [packed[byte]], place),
                };
                assert_eq!(found, code, "{bits} bits, element {at}");
            }
            let mut again = vec![0; packed.len()];
            pack(bits, &codes, 0, &mut again);
            assert_eq!(again, packed);
        }
    }

    #[test]
    fn any_run_at_any_place_leaves_its_neighbours() {
        let mut random = Random(1);
        for bits in WIDTHS {
            for _ in 0..4000 {
                let groups = 1 + random.below(30);
                let packed: Vec<u8> = (0..groups * 3).map(|_| random.next() as u8).collect();
                let count = packed.len() * 8 / bits as usize;
                let first = random.below(count);
                let length = random.below(count - first + 1);
                let mut codes = vec![0; length];
                unpack(bits, &packed, first, &mut codes);
                for (k, &code) in codes.iter().enumerate() {
                    assert_eq!(code, element(bits, &packed, first + k));
                }
                // Bits above a code's own do not count.
                let new: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
                let mut changed = packed.clone();
                pack(bits, &new, first, &mut changed);
                for k in 0..count {
                    let wanted = match k.checked_sub(first).and_then(|k| new.get(k)) {
                        Some(code) => code & ((1 << bits) - 1),
                        None => element(bits, &packed, k),
                    };
                    assert_eq!(element(bits, &changed, k), wanted, "{bits} bits, element {k}");
                }
            }
        }
    }

    #[test]
    fn a_group_that_is_cut_off() {
        // Two of four elements of 6 bits, in two of three bytes.
        let (mut codes, mut packed) = ([0; 2], [0x81, 0x40]);
        unpack(6, &packed, 0, &mut codes);
        assert_eq!(codes, [1, 2]);
        pack(6, &[3], 1, &mut packed);
        assert_eq!(packed, [0xc1, 0x40]);
    }
}
