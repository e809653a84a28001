//! Addresses of every dense layout against their definitions, and parts against addresses.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::descriptor::layout::{
    BlockPaged, ColumnMajor, Composite, Composition, Coo, Hilbert, IndexType, KvRole, Level,
    Morton, Order, RowMajor, Strided, Tiled,
};
use crate::descriptor::quantization::PerBlock;
use crate::descriptor::{Builder, DYNAMIC, ElementType, Mode};

/// Room below the first element for any negative stride of these tests.
const BELOW: u64 = 1 << 40;

/// A tensor in this layout; one with strides has room below its first element.
pub(super) fn tensor(
    element_type: ElementType,
    shape: &[u64],
    layout: impl Into<Layout>,
) -> Result<Descriptor> {
    let layout = layout.into();
    let mut b = Builder::new(element_type, shape)?;
    if matches!(layout, Layout::Strided(_) | Layout::Tiled(_)) {
        b.byte_offset(BELOW);
    }
    b.layout(layout).build()
}

/// The offset of an element of an int8 tensor.
pub(super) fn offset(shape: &[u64], layout: impl Into<Layout>, index: &[u64]) -> i64 {
    let d = tensor(ElementType::INT8, shape, layout).unwrap();
    locate(&d, index).unwrap().element
}

/// The indices of a box in row-major order.
pub(super) fn indices(lower: &[u64], extent: &[u64]) -> Vec<Vec<u64>> {
    lower.iter().zip(extent).fold(vec![vec![]], |all, (&from, &n)| {
        all.iter().flat_map(|i| (from..from + n).map(move |x| [&i[..], &[x]].concat())).collect()
    })
}

/// Every element that the parts of a box name, with its offset.
pub(super) fn parted(d: &Descriptor, lower: &[u64], extent: &[u64]) -> Vec<(Vec<u64>, i64)> {
    let mut found = Vec::new();
    let addresses = Addresses::new(d).unwrap();
    let mut take = |part: Part<'_>| {
        match part {
            Part::Affine { lower, extent, first, strides } => {
                assert_eq!(strides.len(), lower.len());
                for index in indices(lower, extent) {
                    let steps = index.iter().zip(lower).zip(strides);
                    let sum: i64 = steps.map(|((i, l), s)| (i - l).cast_signed() * s).sum();
                    found.push((index, first + sum));
                }
            }
            Part::Listed { lower, extent, offsets } => {
                assert!(!offsets.is_empty() && offsets.len() <= LISTED);
                let all = indices(lower, extent);
                assert_eq!(all.len(), offsets.len());
                found.extend(all.into_iter().zip(offsets.iter().copied()));
            }
        }
        Ok(())
    };
    addresses.parts(lower, extent, &mut take).unwrap();
    found
}

/// Demands that the parts of a box hold every element of it once, at its offset.
pub(super) fn check_parts(d: &Descriptor, lower: &[u64], extent: &[u64]) {
    let addresses = Addresses::new(d).unwrap();
    let mut found = parted(d, lower, extent);
    found.sort();
    let all = indices(lower, extent);
    assert_eq!(found.len(), all.len());
    for ((index, offset), wanted) in found.into_iter().zip(all) {
        assert_eq!(index, wanted);
        assert_eq!(offset, addresses.offset(&index), "{index:?}");
    }
}

/// The place of an index on a grid in this order.
fn on_grid(order: &Order, grid: &[i64], index: &[i64]) -> i64 {
    let dimensions = grid.iter().zip(index);
    let horner = |place: i64, (n, i): (&i64, &i64)| place * n + i;
    match (order, order.strides()) {
        (_, Some(strides)) => index.iter().zip(strides).map(|(i, s)| i * s).sum(),
        (Order::ColumnMajor, _) => dimensions.rev().fold(0, horner),
        _ => dimensions.fold(0, horner),
    }
}

/// e = outer(t) * T + inner(r), level by level.
fn in_tiles(levels: &[Level], region: &[i64], index: &[i64]) -> i64 {
    let tile: Vec<i64> = levels[0].tile_shape().iter().map(|n| n.cast_signed()).collect();
    let each = |f: fn(i64, i64) -> i64, a: &[i64]| -> Vec<i64> {
        a.iter().zip(&tile).map(|(&a, &t)| f(a, t)).collect()
    };
    let grid = each(|n, t| (n + t - 1) / t, region);
    let (t, r) = (each(|i, t| i / t, index), each(|i, t| i % t, index));
    let inner = match levels[0].inner() {
        Some(order) => on_grid(order, &tile, &r),
        None => in_tiles(&levels[1..], &tile, &r),
    };
    on_grid(levels[0].outer(), &grid, &t) * tile.iter().product::<i64>() + inner
}

/// The index at a place on the curve: the inverse of Skilling's transform, as he published it.
pub(super) fn on_curve(order: u32, rank: usize, place: u64) -> Vec<u64> {
    let bit = |b: u32, d: usize| place >> (b as usize * rank + rank - 1 - d) & 1;
    let mut x: Vec<u64> = (0..rank).map(|d| (0..order).map(|b| bit(b, d) << b).sum()).collect();
    let t = x[rank - 1] >> 1;
    for i in (1..rank).rev() {
        x[i] ^= x[i - 1];
    }
    x[0] ^= t;
    for q in (1..order).map(|b| 1 << b) {
        let p = q - 1;
        for i in (0..rank).rev() {
            if x[i] & q != 0 {
                x[0] ^= p;
            } else {
                let t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    x
}

/// The offset of an element by the definition of its layout.
fn defined(d: &Descriptor, index: &[u64]) -> i64 {
    let signed = |numbers: &[u64]| numbers.iter().map(|n| n.cast_signed()).collect::<Vec<i64>>();
    let (shape, i) = (signed(d.shape()), signed(index));
    match d.layout() {
        Layout::RowMajor(_) => on_grid(&Order::RowMajor, &shape, &i),
        Layout::ColumnMajor(_) => on_grid(&Order::ColumnMajor, &shape, &i),
        Layout::Strided(layout) => i.iter().zip(layout.strides()).map(|(i, s)| i * s).sum(),
        Layout::Tiled(layout) => in_tiles(layout.levels(), &shape, &i),
        Layout::Morton(_) => {
            let bits = (0..64 / i.len()).flat_map(|b| (0..i.len()).map(move |k| (b, k)));
            bits.map(|(b, k)| (i[k] >> b & 1) << (b * i.len() + k)).sum()
        }
        Layout::Hilbert(layout) => {
            let found = Addresses::new(d).unwrap().offset(index);
            let place = u64::try_from(found).unwrap();
            assert_eq!(on_curve(layout.order(), index.len(), place), index);
            found
        }
        other => panic!("{other:?}"),
    }
}

fn orders(rank: usize) -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(()).prop_map(|()| Order::RowMajor),
        Just(()).prop_map(|()| Order::ColumnMajor),
        proptest::collection::vec(-5..6i64, rank).prop_map(|s| Order::strided(&s).unwrap()),
    ]
}

/// A shape of some thousand elements at most.
fn shapes() -> impl Strategy<Value = Vec<u64>> {
    (1..6usize).prop_flat_map(|rank| {
        let longest = [0_u64, 4000, 70, 17, 8, 5][rank];
        proptest::collection::vec(1..=longest, rank)
    })
}

/// Tiles within tiles: from the innermost sizes and the factors between levels.
fn tiles(shape: &[u64]) -> impl Strategy<Value = Layout> + use<> {
    let rank = shape.len();
    let innermost: Vec<_> = shape.iter().map(|&n| 1..=n + 3).collect();
    let factors = proptest::collection::vec(proptest::collection::vec(1..4u64, rank), 0..4);
    let orders = proptest::collection::vec(orders(rank), 5);
    (innermost, factors, orders).prop_map(|(innermost, factors, mut orders)| {
        let mut tiles = vec![innermost];
        for factor in factors {
            let last = tiles.last().unwrap();
            tiles.push(last.iter().zip(&factor).map(|(n, f)| n * f).collect());
        }
        let mut inner = orders.pop();
        let mut levels: Vec<Level> = Vec::new();
        for tile in tiles {
            let level = Level::new(&tile, orders.pop().unwrap(), inner.take());
            levels.insert(0, level.unwrap());
        }
        Tiled::nested(levels).unwrap().into()
    })
}

/// A shape with a dense layout.
fn layouts() -> impl Strategy<Value = (Vec<u64>, Layout)> {
    let hilbert = (2..13u32, 1..7u32).prop_map(|(rank, order)| {
        let order = order.min(12 / rank).max(1);
        (vec![1 << order; rank as usize], Hilbert::new(order, rank).into())
    });
    let others = shapes().prop_flat_map(|shape| {
        let rank = shape.len();
        let least = |&n: &u64| n.next_power_of_two().trailing_zeros().max(1);
        let bits: Vec<u32> = shape.iter().map(least).collect();
        let layout: BoxedStrategy<Layout> = prop_oneof![
            Just(()).prop_map(|()| RowMajor.into()),
            Just(()).prop_map(|()| ColumnMajor.into()),
            proptest::collection::vec(-200..200i64, rank).prop_map(|strides| Strided::new(
                &strides
            )
            .unwrap()
            .into()),
            tiles(&shape),
            tiles(&shape),
            Just(bits).prop_map(|bits| Morton::new(&bits).unwrap().into()),
        ]
        .boxed();
        (Just(shape), layout)
    });
    prop_oneof![1 => hilbert, 4 => others]
}

/// The same with a box, which is not empty.
fn boxes() -> impl Strategy<Value = (Vec<u64>, Layout, Vec<u64>, Vec<u64>)> {
    layouts().prop_flat_map(|(shape, layout)| {
        let ends: Vec<_> = shape.iter().map(|&n| (0..n, 0..n)).collect();
        (Just(shape), Just(()).prop_map(move |()| layout.try_clone().unwrap()), ends).prop_map(
            |(shape, layout, ends)| {
                let lower = ends.iter().map(|&(a, b)| a.min(b)).collect();
                let extent = ends.iter().map(|&(a, b)| a.abs_diff(b) + 1).collect();
                (shape, layout, lower, extent)
            },
        )
    })
}

/// Whether the layout gives each element a place of its own, whatever its fields.
fn is_one_to_one(layout: &Layout) -> bool {
    match layout {
        Layout::Strided(_) => false,
        Layout::Tiled(tiled) => tiled.levels().iter().all(|level| {
            let is_strided = |order: &Order| order.strides().is_some();
            !is_strided(level.outer()) && !level.inner().is_some_and(is_strided)
        }),
        _ => true,
    }
}

proptest! {
    #[test]
    fn every_element_by_the_definition_of_its_layout(
        (shape, layout) in layouts(),
        type_at in 0..ElementType::ALL.len(),
    ) {
        let element_type = ElementType::ALL[type_at];
        let d = tensor(element_type, &shape, layout).unwrap();
        let (addresses, mut taken) = (Addresses::new(&d).unwrap(), HashSet::new());
        let bits = u64::from(d.element_bits().unwrap());
        let all = indices(&vec![0; shape.len()], &shape);
        for index in &all {
            let offset = addresses.offset(index);
            prop_assert_eq!(offset, defined(&d, index));
            taken.insert(offset);
            let place = Place::of(&d, offset).unwrap();
            let end = place.byte * 8 + u64::from(place.bit) + bits;
            prop_assert!(end <= d.buffers()[0].byte_size * 8);
        }
        prop_assert!(!is_one_to_one(d.layout()) || taken.len() == all.len());
    }

    #[test]
    fn parts_are_the_elements_of_the_box((shape, layout, lower, extent) in boxes()) {
        let d = tensor(ElementType::INT8, &shape, layout).unwrap();
        check_parts(&d, &lower, &extent);
    }
}

#[test]
fn bytes_and_bits() {
    // types.md, Packing below a byte; byte_offset 7, elements backwards from there and forwards.
    let place = |element_type, element| {
        let mut b = Builder::new(element_type, &[100]).unwrap();
        let d = b.byte_offset(7).build().unwrap();
        let place = Place::of(&d, element).unwrap();
        assert_eq!(place.element, element);
        (place.byte, place.bit)
    };
    for (element_type, places) in [
        (ElementType::BOOL, [(0, 7, 0), (7, 7, 7), (8, 8, 0), (-1, 6, 7)]),
        (ElementType::INT4, [(0, 7, 0), (1, 7, 4), (2, 8, 0), (-3, 5, 4)]),
        (ElementType::UINT2, [(0, 7, 0), (3, 7, 6), (4, 8, 0), (-1, 6, 6)]),
        (ElementType::FLOAT6_E2M3, [(0, 7, 0), (3, 7, 18), (5, 10, 6), (-2, 4, 12)]),
        (ElementType::INT8, [(0, 7, 0), (1, 8, 0), (9, 16, 0), (-7, 0, 0)]),
        (ElementType::COMPLEX128, [(0, 7, 0), (1, 23, 0), (2, 39, 0), (3, 55, 0)]),
    ] {
        for (element, byte, bit) in places {
            assert_eq!(place(element_type, element), (byte, bit), "{element_type:?} {element}");
        }
    }
    let d = tensor(ElementType::FLOAT32, &[1], RowMajor).unwrap();
    let message = "byte of an element does not fit 64 bits";
    assert_eq!(Place::of(&d, -1).unwrap_err().to_string(), message);
    assert_eq!(Place::of(&d, i64::MAX).unwrap_err().to_string(), message);
}

#[test]
fn indices_that_are_none() {
    let d = tensor(ElementType::FLOAT32, &[3, 4], RowMajor).unwrap();
    let message = |index: &[u64]| locate(&d, index).unwrap_err().to_string();
    assert_eq!(message(&[1]), "index has 1 number, the shape 2");
    assert_eq!(message(&[2, 4]), "index 4 in dimension 1 out of range: there are 4");
    let text = format!("index {} in dimension 0 out of range: there are 3", u64::MAX);
    assert_eq!(message(&[u64::MAX, 0]), text);
    let empty = tensor(ElementType::FLOAT32, &[0, 1 << 40, 1 << 40], RowMajor).unwrap();
    let error = locate(&empty, &[0, 0, 0]).unwrap_err();
    assert_eq!(error.to_string(), "index 0 in dimension 0 out of range: there are 0");
}

#[test]
fn tensors_without_addresses() {
    let message = |d: &Descriptor, index: &[u64]| locate(d, index).unwrap_err().to_string();
    let coo = tensor(ElementType::FLOAT32, &[3, 4], Coo::new(1, true)).unwrap();
    let text = "elements of a sparse tensor are found in its data";
    assert_eq!(message(&coo, &[0, 0]), text);
    let paged = BlockPaged::new(4, 6, 2, KvRole::Key, None, IndexType::U32).unwrap();
    let mut b = Builder::new(ElementType::FLOAT32, &[14, 2, 8]).unwrap();
    let d = b.layout(paged).buffer_size(1, 20).unwrap().build().unwrap();
    assert_eq!(message(&d, &[0; 3]), "elements of a paged tensor are found by sequence and token");
    let head = Composite::new(Composition::Partition, 2).unwrap();
    let head = tensor(ElementType::FLOAT32, &[3], head).unwrap();
    assert_eq!(message(&head, &[0]), "a composite head has no elements of its own");
    let mut dynamic = Builder::new(ElementType::FLOAT32, &[DYNAMIC, 2]).unwrap();
    let d = dynamic.buffer_size(0, 64).unwrap().build().unwrap();
    assert!(message(&d, &[0, 0]).contains("dynamic dimension"));

    // A layout and a type that nobody knows, in permissive mode.
    let known = tensor(ElementType::FLOAT32, &[3], RowMajor).unwrap();
    let patched = |at: usize, tag| {
        let mut bytes = known.encode().unwrap();
        bytes[at] = tag;
        Descriptor::decode(&bytes, Mode::Permissive).unwrap()
    };
    let bytes = known.encode().unwrap();
    assert_eq!(bytes[14..16], [0x03, 0x01]);
    assert_eq!(
        message(&patched(15, 0x0C), &[0]),
        "the place of an element in this layout is not supported"
    );
    assert_eq!(
        message(&patched(14, 0x90), &[0]),
        "the place of an element whose type is not known is not supported"
    );
}

#[test]
fn partial_blocks_are_stored_whole() {
    // decisions.md row 34: lines of 10 elements take 12.
    let scheme = |axis| PerBlock::new(axis, 4, ElementType::FLOAT32, 1, None).unwrap();
    let built = |shape: &[u64], layout: Layout, axis| {
        let mut b = Builder::new(ElementType::INT8, shape).unwrap();
        b.layout(layout).quantization(scheme(axis)).build().unwrap()
    };
    for (shape, layout, axis, index, wanted) in [
        ([3, 10], Layout::from(RowMajor), 1, [2, 3], 27),
        ([10, 3], Layout::from(RowMajor), 0, [9, 2], 29),
        ([10, 3], Layout::from(ColumnMajor), 0, [3, 2], 27),
        ([3, 10], Layout::from(ColumnMajor), 1, [2, 9], 29),
    ] {
        let d = built(&shape, layout, axis);
        assert_eq!(locate(&d, &index).unwrap().element, wanted);
        check_parts(&d, &[0, 1], &[2, 2]);
    }
}
