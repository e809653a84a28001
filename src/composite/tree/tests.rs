#![allow(clippy::cast_possible_truncation, reason = "numbers of tests are small")]

use super::*;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((u128::from(self.0) * u128::from(limit)) >> 64) as u64
    }
}

/// Boxes as bounds, from lower bounds and extents.
fn list(rank: usize, boxes: &[(Vec<u64>, Vec<u64>)]) -> Boxes {
    let mut list = Boxes::new(rank);
    for (lower, extent) in boxes {
        list.push(lower, extent).unwrap();
    }
    list
}

fn guillotine(random: &mut Random, shape: &[u64], count: usize) -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut boxes = vec![(vec![0; shape.len()], shape.to_vec())];
    for _ in 1..count {
        let chosen = random.below(boxes.len() as u64) as usize;
        let dimension = random.below(shape.len() as u64) as usize;
        let (lower, extent) = &mut boxes[chosen];
        if extent[dimension] < 2 {
            continue;
        }
        let cut = 1 + random.below(extent[dimension] - 1);
        let mut second = (lower.clone(), extent.clone());
        second.0[dimension] += cut;
        second.1[dimension] -= cut;
        extent[dimension] = cut;
        boxes.push(second);
    }
    boxes
}

/// Tests that the longest search makes.
fn longest(tree: &Tree) -> u64 {
    fn below(tree: &Tree, child: Child) -> u64 {
        match child {
            Child::Member(_) => 1,
            Child::Node(n) => {
                let node = tree.nodes[n as usize];
                let (first, second) = (below(tree, node.first()), below(tree, node.second()));
                1 + if node.cut { first.max(second) } else { first + second }
            }
        }
    }
    tree.root.map_or(0, |root| below(tree, root))
}

/// Every answer of the tree is that of a scan.
fn same_as_a_scan(random: &mut Random, shape: &[u64], boxes: &Boxes) -> Tree {
    let tree = Tree::new(boxes).unwrap();
    let rank = shape.len();
    for _ in 0..40 {
        let index: Vec<_> = shape.iter().map(|&extent| random.below(extent)).collect();
        let holders: Vec<_> =
            (0..boxes.len()).filter(|&k| boxes::contains(boxes.get(k), &index)).collect();
        match tree.find(boxes, &index) {
            None => assert!(holders.is_empty()),
            Some(found) => assert!(holders.contains(&(found as usize))),
        }
        let query: Vec<_> = (0..rank)
            .map(|k| {
                let lower = random.below(shape[k]);
                Span { lower, upper: lower + 1 + random.below(shape[k] - lower) }
            })
            .collect();
        let wanted: Vec<_> = (0..boxes.len())
            .filter(|&k| {
                let spans = boxes.get(k);
                spans.iter().all(|span| !span.is_empty()) && boxes::meet(spans, &query)
            })
            .map(|k| k as u32)
            .collect();
        let mut found = Vec::new();
        let mut visit = |member| {
            found.push(member);
            Ok(())
        };
        tree.each_meeting(boxes, &query, &mut visit).unwrap();
        found.sort_unstable();
        assert_eq!(found, wanted);
    }
    tree
}

#[test]
fn guillotine_tilings() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let rank = 1 + (seed % 8) as usize;
        let shape = vec![1000; rank];
        let count = 1 + random.below(300) as usize;
        let boxes = list(rank, &guillotine(&mut random, &shape, count));
        let tree = same_as_a_scan(&mut random, &shape, &boxes);
        let most = 3 * u64::from((boxes.len() as u64).ilog2()) + 10;
        assert!(longest(&tree) <= most, "{count}: {} tests", longest(&tree));
    }
}

#[test]
fn every_cut_takes_one_box() {
    // A staircase: in turn a column from the left, a row from the top, from the right, ...
    let count = 2000_u64;
    let (mut low, mut high) = ([0, 0], [2 * count, 2 * count]);
    let mut boxes = Vec::new();
    for k in 0..count {
        let dimension = (k % 2) as usize;
        let (mut lower, mut extent) = (low.to_vec(), vec![high[0] - low[0], high[1] - low[1]]);
        extent[dimension] = 1;
        if k % 4 < 2 {
            low[dimension] += 1;
        } else {
            high[dimension] -= 1;
            lower[dimension] = high[dimension];
        }
        boxes.push((lower, extent));
    }
    boxes.push((low.to_vec(), vec![high[0] - low[0], high[1] - low[1]]));
    let boxes = list(2, &boxes);
    let tree = same_as_a_scan(&mut Random(1), &[2 * count, 2 * count], &boxes);
    assert!(longest(&tree) <= 24, "{} tests", longest(&tree));
}

#[test]
fn grids() {
    let boxes: Vec<_> = (0..10_000).map(|k| (vec![k / 100 * 7, k % 100 * 3], vec![7, 3])).collect();
    let tree = same_as_a_scan(&mut Random(2), &[700, 300], &list(2, &boxes));
    assert!(longest(&tree) <= 26, "{} tests", longest(&tree));
}

/// A pinwheel in [0, 3 s) x [0, 3 s), each arm and the middle cut into a grid of k x k.
fn pinwheel(s: u64, k: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut boxes = Vec::new();
    for ([x, y], [w, h]) in
        [([0, 0], [2, 1]), ([2, 0], [1, 2]), ([1, 2], [2, 1]), ([0, 1], [1, 2]), ([1, 1], [1, 1])]
    {
        for i in 0..k {
            for j in 0..k {
                let (w, h) = (w * s / k, h * s / k);
                boxes.push((vec![x * s + i * w, y * s + j * h], vec![w, h]));
            }
        }
    }
    boxes
}

#[test]
fn tilings_that_no_plane_cuts() {
    let tree = same_as_a_scan(&mut Random(3), &[3, 3], &list(2, &pinwheel(1, 1)));
    assert!(longest(&tree) <= 12, "{} tests", longest(&tree));
    let boxes = list(2, &pinwheel(100, 20));
    let tree = same_as_a_scan(&mut Random(4), &[300, 300], &boxes);
    assert!(longest(&tree) <= 120, "{} tests", longest(&tree));
}

#[test]
fn boxes_that_overlap_and_boxes_that_are_empty() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let rank = 1 + (seed % 4) as usize;
        let shape = vec![50; rank];
        let boxes: Vec<_> = (0..random.below(200))
            .map(|_| {
                let lower: Vec<_> = (0..rank).map(|_| random.below(50)).collect();
                let most = if seed % 2 == 0 { 50 } else { 5 };
                let extent = lower.iter().map(|l| random.below((50 - l).min(most) + 1)).collect();
                (lower, extent)
            })
            .collect();
        same_as_a_scan(&mut random, &shape, &list(rank, &boxes));
    }
    // All of them everywhere.
    let all = vec![(vec![0, 0], vec![9, 9]); 100];
    let tree = same_as_a_scan(&mut Random(5), &[9, 9], &list(2, &all));
    assert!(longest(&tree) <= 300);
}

#[test]
fn few_boxes_and_few_dimensions() {
    let none = Boxes::new(3);
    assert_eq!(Tree::new(&none).unwrap().find(&none, &[0, 0, 0]), None);
    let scalar = list(0, &[(vec![], vec![])]);
    let tree = Tree::new(&scalar).unwrap();
    assert_eq!(tree.find(&scalar, &[]), Some(0));
    let scalars = list(0, &vec![(vec![], vec![]); 9]);
    let tree = Tree::new(&scalars).unwrap();
    let mut count = 0;
    let mut visit = |_| {
        count += 1;
        Ok(())
    };
    tree.each_meeting(&scalars, &[], &mut visit).unwrap();
    assert_eq!(count, 9);
    assert!(tree.memory_bytes() > 0);
}
