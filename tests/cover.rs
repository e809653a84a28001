//! Exact cover, held against two oracles: counting every index, and cancelling signed corners.

#![allow(missing_docs, clippy::cast_possible_truncation, reason = "a test program")]

use std::collections::BTreeMap;

use hurray::composite::{Boxes, CoverFault, Key, Method, check_cover};

/// A box: lower bounds and extents.
type Box = (Vec<u64>, Vec<u64>);

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// At most `count` boxes that tile `shape`, by cuts at random places.
fn guillotine(random: &mut Random, shape: &[u64], count: usize) -> Vec<Box> {
    let mut boxes = vec![(vec![0; shape.len()], shape.to_vec())];
    for _ in 1..count {
        let chosen = random.below(boxes.len());
        let dimension = random.below(shape.len());
        let (lower, extent) = &mut boxes[chosen];
        if extent[dimension] < 2 {
            continue;
        }
        let cut = 1 + random.next() % (extent[dimension] - 1);
        let mut second = (lower.clone(), extent.clone());
        second.0[dimension] += cut;
        second.1[dimension] -= cut;
        extent[dimension] = cut;
        boxes.push(second);
    }
    // In any order.
    for k in (1..boxes.len()).rev() {
        boxes.swap(k, random.below(k + 1));
    }
    boxes
}

/// What the library says, twice: by each method.
fn verdict(random: &mut Random, shape: &[u64], boxes: &[Box]) -> Option<CoverFault> {
    let mut list = Boxes::new(shape.len());
    for (lower, extent) in boxes {
        list.push(lower, extent).unwrap();
    }
    let mut check = |method| {
        let key = Key::new([random.next(), random.next()]);
        check_cover(shape, &list, key, method).unwrap()
    };
    let verdict = check(Method::Fastest);
    assert_eq!(verdict, check(Method::Portable));
    verdict
}

/// How many boxes hold each index, in row-major order.
fn counts(shape: &[u64], boxes: &[Box]) -> Vec<u32> {
    let volume: u64 = shape.iter().product();
    let mut counts = vec![0; volume as usize];
    for (lower, extent) in boxes {
        let inside: u64 = extent.iter().product();
        for k in 0..inside {
            let (mut rest, mut place, mut step) = (k, 0, 1);
            for dimension in (0..shape.len()).rev() {
                place += (lower[dimension] + rest % extent[dimension]) * step;
                rest /= extent[dimension];
                step *= shape[dimension];
            }
            counts[place as usize] += 1;
        }
    }
    counts
}

fn index_of(shape: &[u64], place: usize) -> Vec<u64> {
    let mut rest = place as u64;
    let mut index: Vec<_> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let x = rest % extent;
            rest /= extent;
            x
        })
        .collect();
    index.reverse();
    index
}

/// The verdict by counting, with the first index that is wrong.
fn brute_force(shape: &[u64], boxes: &[Box]) -> Option<CoverFault> {
    let counts = counts(shape, boxes);
    let place = counts.iter().position(|&count| count != 1)?;
    let index = index_of(shape, place);
    let holds = |(lower, extent): &Box| {
        index.iter().zip(lower).zip(extent).all(|((&x, &l), &n)| l <= x && x < l + n)
    };
    let mut holders = (0..boxes.len()).filter(|&k| holds(&boxes[k]));
    Some(match (holders.next(), holders.next()) {
        (Some(first), Some(second)) => CoverFault::Overlap { first, second, index },
        _ => CoverFault::Uncovered { index },
    })
}

/// Whether the signed corners of the boxes cancel down to those of the head.
fn corners_cancel(shape: &[u64], boxes: &[Box]) -> bool {
    let mut corners = BTreeMap::<Vec<u64>, i64>::new();
    let mut add = |lower: &[u64], extent: &[u64], weight: i64| {
        for choice in 0..1_u32 << shape.len() {
            let corner = (0..shape.len()).map(|k| lower[k] + (choice >> k & 1) as u64 * extent[k]);
            let sign = if choice.count_ones() % 2 == 0 { 1 } else { -1 };
            *corners.entry(corner.collect()).or_default() += sign * weight;
        }
    };
    for (lower, extent) in boxes {
        add(lower, extent, 1);
    }
    add(&vec![0; shape.len()], shape, -1);
    corners.values().all(|&sum| sum == 0)
}

/// A shape of `rank` dimensions with at most `volume` indices.
fn small_shape(random: &mut Random, rank: usize, mut volume: u64) -> Vec<u64> {
    let mut shape: Vec<_> = (0..rank)
        .map(|_| {
            let extent = 1 + random.next() % volume.clamp(1, 9);
            volume /= extent;
            extent
        })
        .collect();
    for k in (1..rank).rev() {
        shape.swap(k, random.below(k + 1));
    }
    shape
}

/// Ways to break a tiling. What comes out stays inside the head; it may tile it by chance.
fn broken(random: &mut Random, shape: &[u64], tiling: &[Box]) -> Vec<Vec<Box>> {
    let mut all = Vec::new();
    let chosen = random.below(tiling.len());
    let other = random.below(tiling.len());
    let dimension = random.below(shape.len());
    let mut with = |change: &dyn Fn(&mut Vec<Box>)| {
        let mut boxes = tiling.to_vec();
        change(&mut boxes);
        all.push(boxes);
    };
    with(&|boxes| drop(boxes.remove(chosen)));
    with(&|boxes| boxes[chosen] = boxes[other].clone());
    with(&|boxes| boxes.push(boxes[chosen].clone()));
    with(&|boxes| boxes[chosen].1[dimension] -= 1);
    let (lower, extent) = &tiling[chosen];
    if lower[dimension] + extent[dimension] < shape[dimension] {
        with(&|boxes| boxes[chosen].1[dimension] += 1);
        with(&|boxes| boxes[chosen].0[dimension] += 1);
    }
    if lower[dimension] > 0 {
        with(&|boxes| boxes[chosen].0[dimension] -= 1);
    }
    // The same volume, of another form.
    let second = random.below(shape.len());
    if lower[dimension] + extent[second] <= shape[dimension]
        && lower[second] + extent[dimension] <= shape[second]
    {
        with(&|boxes| boxes[chosen].1.swap(dimension, second));
    }
    // The same sizes, at each other's place.
    let fits = |k: usize, extent: &[u64]| {
        tiling[k].0.iter().zip(extent).zip(shape).all(|((l, n), shape)| l + n <= *shape)
    };
    if fits(chosen, &tiling[other].1) && fits(other, &tiling[chosen].1) {
        with(&|boxes| {
            let extent = boxes[chosen].1.clone();
            boxes[chosen].1 = boxes[other].1.clone();
            boxes[other].1 = extent;
        });
    }
    all
}

#[test]
fn tilings_and_broken_tilings() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let rank = 1 + (seed % 8) as usize;
        let shape = small_shape(&mut random, rank, 400);
        let count = 1 + random.below(24);
        let tiling = guillotine(&mut random, &shape, count);
        assert_eq!(verdict(&mut random, &shape, &tiling), None, "seed {seed}");
        for boxes in broken(&mut random, &shape, &tiling) {
            let wanted = brute_force(&shape, &boxes);
            let got = verdict(&mut random, &shape, &boxes);
            assert_eq!(got, wanted, "seed {seed}: {shape:?}: {boxes:?}");
            if rank <= 4 && seed % 10 == 0 {
                assert_eq!(corners_cancel(&shape, &boxes), wanted.is_none(), "seed {seed}");
            }
            *(if wanted.is_none() { &mut accepted } else { &mut refused }) += 1;
        }
    }
    // Some changes change nothing: both kinds must have been met.
    assert!(accepted > 1000 && refused > 80_000, "{accepted} {refused}");
}

#[test]
fn volumes_that_leave_64_and_128_bits() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let rank = 2 + (seed % 5) as usize;
        let shape: Vec<_> = (0..rank).map(|_| u64::MAX - random.next() % 1000).collect();
        let tiling = guillotine(&mut random, &shape, 20);
        assert_eq!(verdict(&mut random, &shape, &tiling), None, "seed {seed}");

        // One row less.
        let (chosen, dimension) = (random.below(tiling.len()), random.below(rank));
        let mut gap = tiling.clone();
        gap[chosen].1[dimension] -= 1;
        let (mut index, extent) = tiling[chosen].clone();
        index[dimension] += extent[dimension] - 1;
        let wanted = Some(CoverFault::Uncovered { index });
        assert_eq!(verdict(&mut random, &shape, &gap), wanted, "seed {seed}");
        assert!(!corners_cancel(&shape, &gap));
    }
}

#[test]
fn volumes_that_wrap_to_the_same() {
    // 2^32 x 2^32 indices, of which 2^64 are missing.
    let shape = [1 << 33, 1 << 32];
    let half = (vec![0, 0], vec![1 << 32, 1 << 32]);
    let index = vec![1 << 32, 0];
    let mut random = Random(1);
    let verdict = verdict(&mut random, &shape, std::slice::from_ref(&half));
    assert_eq!(verdict, Some(CoverFault::Uncovered { index }));
}

#[test]
fn rank_64() {
    let shape = vec![1 << 20; 64];
    let mut random = Random(5);
    // One member cut off in each dimension, and what remains.
    let mut tiling = Vec::new();
    let mut rest = (vec![0; 64], shape.clone());
    for dimension in 0..64 {
        let mut member = rest.clone();
        member.1[dimension] = 77;
        rest.0[dimension] = 77;
        rest.1[dimension] -= 77;
        tiling.push(member);
    }
    tiling.push(rest);
    assert_eq!(tiling.len(), 65);
    assert_eq!(verdict(&mut random, &shape, &tiling), None);

    let mut gap = tiling.clone();
    gap[63].1[63] -= 1;
    let mut index = vec![77; 64];
    index[63] = 76;
    assert_eq!(verdict(&mut random, &shape, &gap), Some(CoverFault::Uncovered { index }));

    let mut overlap = tiling;
    overlap[64].0[63] -= 1;
    overlap[64].1[63] += 1;
    let mut index = vec![77; 64];
    index[63] = 76;
    let wanted = CoverFault::Overlap { first: 63, second: 64, index };
    assert_eq!(verdict(&mut random, &shape, &overlap), Some(wanted));
}

#[test]
fn empty_boxes_cover_nothing_and_overlap_nothing() {
    let mut random = Random(9);
    for seed in 0..500 {
        random.0 = seed;
        let rank = 1 + (seed % 4) as usize;
        let shape = small_shape(&mut random, rank, 400);
        let mut boxes = guillotine(&mut random, &shape, 8);
        for _ in 0..4 {
            let lower: Vec<_> = shape.iter().map(|n| random.next() % (n + 1)).collect();
            let mut extent: Vec<_> =
                shape.iter().zip(&lower).map(|(n, l)| random.next() % (n - l + 1)).collect();
            extent[random.below(rank)] = 0;
            let place = random.below(boxes.len() + 1);
            boxes.insert(place, (lower, extent));
        }
        assert_eq!(verdict(&mut random, &shape, &boxes), None, "seed {seed}");
        let full = boxes.iter().position(|(_, extent)| !extent.contains(&0)).unwrap();
        boxes.remove(full);
        let wanted = brute_force(&shape, &boxes);
        assert!(wanted.is_some());
        assert_eq!(verdict(&mut random, &shape, &boxes), wanted, "seed {seed}");
    }
    // An empty head needs no member, and takes any that are empty.
    assert_eq!(verdict(&mut random, &[3, 0, 5], &[]), None);
    let empty = (vec![1, 0, 2], vec![2, 0, 3]);
    assert_eq!(verdict(&mut random, &[3, 0, 5], &[empty.clone(), empty]), None);
}

#[test]
fn rank_0_has_one_index() {
    let mut random = Random(3);
    let scalar = (Vec::new(), Vec::new());
    let none = CoverFault::Uncovered { index: Vec::new() };
    assert_eq!(verdict(&mut random, &[], &[]), Some(none));
    assert_eq!(verdict(&mut random, &[], std::slice::from_ref(&scalar)), None);
    let twice = CoverFault::Overlap { first: 0, second: 1, index: Vec::new() };
    assert_eq!(verdict(&mut random, &[], &[scalar.clone(), scalar]), Some(twice));
}

#[test]
fn more_members_than_fit_one_batch() {
    let mut random = Random(11);
    let shape = [3000, 4000];
    let tiling = guillotine(&mut random, &shape, 5000);
    assert!(tiling.len() > 2000);
    assert_eq!(verdict(&mut random, &shape, &tiling), None);
    for seed in 0..20 {
        random.0 = seed;
        for boxes in broken(&mut random, &shape, &tiling) {
            let fault = verdict(&mut random, &shape, &boxes);
            assert_eq!(fault.is_none(), corners_cancel(&shape, &boxes), "seed {seed}");
            if seed == 0 {
                assert_eq!(fault, brute_force(&shape, &boxes), "seed {seed}");
            }
        }
    }
}

#[test]
fn tilings_that_no_cut_divides() {
    // A pinwheel: four arms around a middle.
    let arms: Vec<Box> =
        [([0, 0], [2, 1]), ([2, 0], [1, 2]), ([1, 2], [2, 1]), ([0, 1], [1, 2]), ([1, 1], [1, 1])]
            .into_iter()
            .map(|(lower, extent)| (lower.to_vec(), extent.to_vec()))
            .collect();
    let mut random = Random(2);
    assert_eq!(verdict(&mut random, &[3, 3], &arms), None);
    let mut turned = arms;
    turned[0].1.swap(0, 1);
    assert_eq!(verdict(&mut random, &[3, 3], &turned), brute_force(&[3, 3], &turned));
    assert!(brute_force(&[3, 3], &turned).is_some());
}
