//! Exact cover, per member; finding the member that holds an index.

#![allow(missing_docs, clippy::cast_possible_truncation, reason = "a bench on 64 bits")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hurray::composite::{Boxes, Key, Method, Tree, check_cover};

/// Boxes as lower bounds and extents, and the shape that they tile.
struct Tiling {
    shape: Vec<u64>,
    boxes: Vec<(Vec<u64>, Vec<u64>)>,
}

/// A grid of `side` members in each of `rank` dimensions, in row-major order.
fn grid(rank: usize, side: u64) -> Tiling {
    const EXTENT: u64 = 128;
    let count = side.pow(rank as u32);
    let lower = |mut k: u64| {
        let mut lower = vec![0; rank];
        for x in lower.iter_mut().rev() {
            *x = k % side * EXTENT;
            k /= side;
        }
        lower
    };
    let boxes = (0..count).map(|k| (lower(k), vec![EXTENT; rank])).collect();
    Tiling { shape: vec![side * EXTENT; rank], boxes }
}

/// A tiling of `count` members by cuts through whole boxes, at random places.
fn guillotine(rank: usize, count: u64) -> Tiling {
    let shape = vec![1 << 40; rank];
    let mut boxes = Vec::new();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 16
    };
    let mut waiting = vec![(vec![0; rank], shape.clone(), count)];
    while let Some((lower, extent, count)) = waiting.pop() {
        if count == 1 {
            boxes.push((lower, extent));
            continue;
        }
        let widest = *extent.iter().max().unwrap();
        let candidates: Vec<_> = (0..rank).filter(|&k| extent[k] >= widest / 4).collect();
        let dimension = candidates[random() as usize % candidates.len()];
        let cut = (extent[dimension] / 4 + random() % (extent[dimension] / 2).max(1)).max(1);
        let (mut upper, mut low_extent, mut high_extent) = (lower.clone(), extent.clone(), extent);
        upper[dimension] += cut;
        low_extent[dimension] = cut;
        high_extent[dimension] -= cut;
        let share = (count / 4 + random() % (count / 2).max(1)).clamp(1, count - 1);
        waiting.push((lower, low_extent, share));
        waiting.push((upper, high_extent, count - share));
    }
    Tiling { shape, boxes }
}

/// What one might do instead: every box inside the head, and volumes that add up.
fn bounds_and_volume(tiling: &Tiling, boxes: &[u64]) -> bool {
    let rank = tiling.shape.len();
    let volume = |extent: &[u64]| extent.iter().fold(1_u64, |v, &n| v.wrapping_mul(n));
    let mut sum = 0_u64;
    for row in boxes.chunks_exact(2 * rank) {
        let (lower, extent) = row.split_at(rank);
        let inside = lower.iter().zip(extent).zip(&tiling.shape);
        if !inside.into_iter().all(|((l, n), shape)| l + n <= *shape) {
            return false;
        }
        sum = sum.wrapping_add(volume(extent));
    }
    sum == volume(&tiling.shape)
}

fn cover(c: &mut Criterion) {
    // Bounds that follow one another are shared in order, and not when shuffled.
    let mut shuffled = grid(2, 1000);
    let count = shuffled.boxes.len();
    for k in 0..count {
        shuffled.boxes.swap(k, k * 618_033 % count);
    }
    let sets: [(&str, usize, Vec<Tiling>); 4] = [
        ("shuffled grid of 2", 2, vec![shuffled]),
        ("grid of 2", 2, [100, 316, 1000].into_iter().map(|side| grid(2, side)).collect()),
        (
            "guillotine of 2",
            2,
            [10_000, 100_000, 1_000_000].into_iter().map(|n| guillotine(2, n)).collect(),
        ),
        ("grid of 8", 8, vec![grid(8, 3), grid(8, 4)]),
    ];
    for (name, rank, tilings) in sets {
        let mut group = c.benchmark_group(format!("cover/{name}"));
        for tiling in tilings {
            let mut boxes = Boxes::new(rank);
            let mut flat = Vec::new();
            for (lower, extent) in &tiling.boxes {
                boxes.push(lower, extent).unwrap();
                flat.extend(lower.iter().chain(extent));
            }
            let count = tiling.boxes.len();
            group.throughput(Throughput::Elements(count as u64));
            for method in [Method::Portable, Method::Fastest] {
                group.bench_function(BenchmarkId::new(format!("{method:?}"), count), |b| {
                    b.iter(|| {
                        let key = Key::new([black_box(1), 2]);
                        assert!(check_cover(&tiling.shape, &boxes, key, method).unwrap().is_none());
                    });
                });
            }
            group.bench_function(BenchmarkId::new("bounds and volume", count), |b| {
                b.iter(|| assert!(bounds_and_volume(&tiling, black_box(&flat))));
            });
        }
        group.finish();
    }
}

fn locate(c: &mut Criterion) {
    let mut group = c.benchmark_group("locate");
    for (name, tiling) in [
        ("grid of 2", grid(2, 1000)),
        ("guillotine of 2", guillotine(2, 1_000_000)),
        ("guillotine of 8", guillotine(8, 1_000_000)),
    ] {
        let mut boxes = Boxes::new(tiling.shape.len());
        for (lower, extent) in &tiling.boxes {
            boxes.push(lower, extent).unwrap();
        }
        let tree = Tree::new(&boxes).unwrap();
        // One index in each of many members, in no order.
        let count = tiling.boxes.len();
        let mut next = 0;
        group.bench_function(BenchmarkId::new(name, count), |b| {
            b.iter(|| {
                next = (next + 618_033) % count;
                let found = tree.find(&boxes, &tiling.boxes[next].0).unwrap();
                assert_eq!(found as usize, next);
            });
        });
        group.bench_function(BenchmarkId::new(format!("build, {name}"), count), |b| {
            b.iter(|| Tree::new(&boxes).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, cover, locate);
criterion_main!(benches);
