//! Tensors of every layout, type and scheme, with data that keeps the rules.

use std::collections::BTreeSet;

use hurray::descriptor::layout::{
    BlockPaged, ColumnMajor, Coo, Csc, Csf, Csr, Hilbert, IndexType, KvRole, Level, Morton, Order,
    RowMajor, Strided, Tiled,
};
use hurray::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use hurray::descriptor::{Builder, Descriptor, ElementType, ExtensionType, Format, Quantization};

use crate::random::Random;

/// A tensor.
pub(crate) struct Made {
    pub(crate) d: Descriptor,
    pub(crate) data: Vec<Vec<u8>>,
}

pub(crate) const LAYOUTS: u64 = 11;

/// A tensor in one of the layouts, of about so many elements at most; `None` where what was drawn
/// is not allowed.
pub(crate) fn tensor(random: &mut Random, layout: u64, most: u64) -> Option<Made> {
    let shape = shape(random, layout, most);
    let count: u64 = shape.iter().product();
    let own = match layout {
        5 => 2,
        6 | 7 | 9 => 3,
        8 => 2 * shape.len() as u32 + 1,
        _ => 1,
    };
    let scheme = (random.below(2) == 0 && !shape.is_empty())
        .then(|| scheme(random, &shape, own, layout == 9));
    let element_type = element_type(random, scheme.as_ref());
    let mut b = Builder::new(element_type, &shape).unwrap();
    if element_type.is_private() {
        let width = random.pick(&[1, 2, 4, 8, 24, 64, 136, 320]);
        b.extension_type(ExtensionType::new(width, Format::Integer { is_signed: false }).unwrap());
    }
    let nnz = if count == 0 { 0 } else { random.below(count.min(400) + 1) };
    let mut told = Vec::new();
    let mut structure = Vec::new();
    match layout {
        0 => drop(b.layout(RowMajor)),
        1 => drop(b.layout(ColumnMajor)),
        2 => strided(random, &mut b, &shape, element_type),
        3 => drop(b.layout(tiled(random, &shape))),
        4 => {
            let least = |n: &u64| n.saturating_sub(1).checked_ilog2().map_or(1, |bit| bit + 1);
            let bits: Vec<u32> =
                shape.iter().map(|n| least(n) + u32::from(random.below(6) == 0)).collect();
            b.layout(Morton::new(&bits).unwrap());
        }
        5 => {
            let mut tuples = coordinates(random, &shape, nnz);
            let is_sorted = random.below(2) == 0;
            if !is_sorted {
                random.shuffle(&mut tuples);
            }
            b.layout(Coo::new(nnz, is_sorted));
            structure.push((1, words(&tuples.concat())));
        }
        6 | 7 => {
            let order = if layout == 6 { [0, 1] } else { [1, 0] };
            let mut tuples = coordinates(random, &shape, nnz);
            tuples.sort_by_key(|tuple| order.map(|k| tuple[k]));
            let before = |line| tuples.iter().filter(|tuple| tuple[order[0]] < line).count() as u64;
            let pointers: Vec<u64> = (0..=shape[order[0]]).map(before).collect();
            let indices: Vec<u64> = tuples.iter().map(|tuple| tuple[order[1]]).collect();
            match layout {
                6 => drop(b.layout(Csr::new(nnz))),
                _ => drop(b.layout(Csc::new(nnz))),
            }
            structure.extend([(1, words(&indices)), (2, words(&pointers))]);
        }
        8 => {
            let mut order: Vec<u32> = (0..shape.len() as u32).collect();
            random.shuffle(&mut order);
            b.layout(Csf::new(nnz, &order).unwrap());
            let tuples = coordinates(random, &shape, nnz);
            for (k, bytes) in (1..).zip(tree(tuples, &order)) {
                told.push((k, bytes.len() as u64));
                structure.push((k, bytes));
            }
        }
        9 => paged(random, &mut b, &shape, &mut told, &mut structure),
        _ => drop(b.layout(Hilbert::new(shape[0].trailing_zeros(), shape.len() as u32))),
    }
    for (buffer, size) in told {
        b.buffer_size(buffer as u8, size).unwrap();
    }
    if random.below(3) == 0 && layout < 5 {
        let more = b.build().ok()?.byte_offset();
        b.byte_offset(more + random.below(9));
    }
    let has_scheme = scheme.is_some();
    if let Some(scheme) = scheme {
        b.quantization(scheme);
    }
    let d = b.build().ok()?;
    // Morton codes of a long dimension among others are far apart.
    if d.buffers().iter().any(|buffer| buffer.byte_size > 1 << 22) {
        return None;
    }
    let mut data: Vec<Vec<u8>> =
        d.buffers().iter().map(|buffer| random.bytes(buffer.byte_size as usize)).collect();
    if element_type == ElementType::FLOAT8_E8M0 {
        data[0].iter_mut().for_each(|code| *code = (*code).clamp(1, 254));
    }
    for (buffer, bytes) in structure {
        assert!(data[buffer].len() >= bytes.len());
        data[buffer][..bytes.len()].copy_from_slice(&bytes);
    }
    if has_scheme {
        parameters(random, &d, &mut data);
    }
    Some(Made { d, data })
}

pub(crate) fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn shape(random: &mut Random, layout: u64, most: u64) -> Vec<u64> {
    let rank = match layout {
        0 => random.below(5),
        6 | 7 => 2,
        8 => 3 + random.below(2),
        9 => 3,
        10 => 2 + random.below(2),
        _ => 1 + random.below(4),
    };
    if layout == 10 {
        let mut side = 2_u64;
        while random.below(3) > 0 && (side * 2).pow(rank as u32) <= most {
            side *= 2;
        }
        return vec![side; rank as usize];
    }
    let mut left = most;
    let mut shape: Vec<u64> = (0..rank)
        .map(|_| {
            let size = match random.below(16) {
                0 => 0,
                1 => 1,
                2 => left,
                3 | 4 => 32,
                _ => 1 + random.below(20),
            };
            let size = size.min(left);
            left /= size.max(1);
            size
        })
        .collect();
    random.shuffle(&mut shape);
    shape
}

fn strided(random: &mut Random, b: &mut Builder, shape: &[u64], element_type: ElementType) {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    random.shuffle(&mut order);
    let mut strides = vec![0_i64; shape.len()];
    let (mut step, mut below) = (random.pick(&[1, 1, 2, 3]), 0);
    for k in order {
        let turned = random.below(3) == 0;
        strides[k] = if turned { -step } else { step };
        if random.below(12) == 0 {
            strides[k] = 0;
        }
        if strides[k] < 0 {
            below += step * (shape[k].max(1) as i64 - 1);
        }
        step = step * shape[k].max(1) as i64 + random.pick(&[0, 0, 1, 5]);
    }
    b.layout(Strided::new(&strides).unwrap());
    // Room for those before element 0: as many bits as the widest private type.
    let bits = i64::from(element_type.bits().unwrap_or(320));
    let bytes = if bits == 6 { (below + 3) / 4 * 3 } else { (below * bits + 7) / 8 };
    b.byte_offset(bytes as u64);
}

fn order(random: &mut Random, sizes: &[u64]) -> Order {
    match random.below(3) {
        0 => Order::RowMajor,
        1 => Order::ColumnMajor,
        _ => {
            let mut dims: Vec<usize> = (0..sizes.len()).collect();
            random.shuffle(&mut dims);
            let (mut strides, mut step) = (vec![0; sizes.len()], 1);
            for k in dims {
                strides[k] = step;
                step *= sizes[k].max(1) as i64;
            }
            Order::strided(&strides).unwrap()
        }
    }
}

fn tiled(random: &mut Random, shape: &[u64]) -> Tiled {
    let depth = random.pick(&[1, 1, 1, 2, 3]);
    let mut above = shape.to_vec();
    let mut levels = Vec::new();
    let mut tile: Vec<u64> = shape.iter().map(|_| random.pick(&[1, 2, 4, 8, 3, 16])).collect();
    for level in 0..depth {
        let grid: Vec<u64> = above.iter().zip(&tile).map(|(n, t)| n.div_ceil(*t)).collect();
        let inner = (level + 1 == depth).then(|| order(random, &tile));
        levels.push(Level::new(&tile, order(random, &grid), inner).unwrap());
        above.clone_from(&tile);
        for side in &mut tile {
            let divisors: Vec<u64> = (1..=*side).filter(|t| side.is_multiple_of(*t)).collect();
            *side = random.pick(&divisors);
        }
    }
    Tiled::nested(levels).unwrap()
}

/// Distinct coordinates in order.
fn coordinates(random: &mut Random, shape: &[u64], count: u64) -> Vec<Vec<u64>> {
    let mut found = BTreeSet::new();
    while (found.len() as u64) < count {
        found.insert(shape.iter().map(|&n| random.below(n)).collect::<Vec<_>>());
    }
    found.into_iter().collect()
}

/// pos and crd of every level.
fn tree(mut tuples: Vec<Vec<u64>>, order: &[u32]) -> Vec<Vec<u8>> {
    for tuple in &mut tuples {
        *tuple = order.iter().map(|&mode| tuple[mode as usize]).collect();
    }
    tuples.sort();
    let mut buffers = Vec::new();
    // Distinct prefixes, level by level.
    let mut parents: Vec<Vec<u64>> = vec![Vec::new()];
    for level in 0..order.len() {
        let mut nodes: Vec<Vec<u64>> =
            tuples.iter().map(|tuple| tuple[..=level].to_vec()).collect();
        nodes.dedup();
        let mut pos = vec![0];
        for parent in &parents {
            let children = nodes.iter().filter(|node| node[..level] == parent[..]).count();
            pos.push(pos.last().unwrap() + children as u64);
        }
        let crd: Vec<u64> = nodes.iter().map(|node| node[level]).collect();
        buffers.extend([words(&pos), words(&crd)]);
        parents = nodes;
    }
    buffers
}

fn paged(
    random: &mut Random,
    b: &mut Builder,
    shape: &[u64],
    told: &mut Vec<(usize, u64)>,
    structure: &mut Vec<(usize, Vec<u8>)>,
) {
    // Of as many slots as tokens where that is possible: those of one page otherwise.
    let tokens = shape[0];
    let sizes: Vec<u64> = (1..=16).filter(|size| tokens.is_multiple_of(*size)).collect();
    let page_size = random.pick(&sizes);
    let entries = tokens / page_size;
    let pages = 1 + random.below(entries + 2);
    let sequences = random.below(4);
    let index_type = random.pick(&[IndexType::U32, IndexType::U64]);
    let table: Vec<u64> = (0..entries).map(|_| random.below(pages)).collect();
    let mut pointers: Vec<u64> = (1..sequences).map(|_| random.below(entries + 1)).collect();
    pointers.sort_unstable();
    pointers.insert(0, 0);
    if sequences > 0 {
        pointers.push(entries);
    }
    let bytes = |numbers: &[u64]| -> Vec<u8> {
        let width = index_type.bytes() as usize;
        numbers.iter().flat_map(|n| n.to_le_bytes()[..width].to_vec()).collect()
    };
    let layout =
        BlockPaged::new(page_size as u32, pages, sequences as u32, KvRole::Key, None, index_type);
    b.layout(layout.unwrap());
    told.push((1, bytes(&table).len() as u64));
    structure.extend([(1, bytes(&table)), (2, bytes(&pointers))]);
}

fn scheme(random: &mut Random, shape: &[u64], own: u32, is_paged: bool) -> Quantization {
    let axis = random.below(shape.len() as u64) as u32;
    let size = shape[axis as usize];
    let zero_points = random.pick(&[None, Some(own), Some(own + 1)]);
    let fitting = |least: u32| -> Vec<u32> {
        (0..8).map(|bit| 1 << bit).filter(|&k| k >= least && u64::from(k) <= size).collect()
    };
    let block = |random: &mut Random, least: u32| match fitting(least)[..] {
        [] => least,
        ref fitting => random.pick(fitting),
    };
    match random.below(5) {
        0 => PerTensor::new(random.pick(&[0.5, -3.25, 1.0e-3]), random.below(4) as i32 % 2)
            .unwrap()
            .into(),
        1 => PerChannel::new(axis, own, zero_points).into(),
        2 => {
            let kinds = [ElementType::FLOAT32, ElementType::FLOAT16, ElementType::BFLOAT16];
            let (kind, least) = (random.pick(&kinds), if is_paged { 4 } else { 2 });
            PerBlock::new(axis, block(random, least), kind, own, zero_points).unwrap().into()
        }
        3 => Nf4::new(axis, block(random, 8), own).unwrap().into(),
        _ => Mxfp::new(axis, block(random, 16), own).unwrap().into(),
    }
}

fn element_type(random: &mut Random, scheme: Option<&Quantization>) -> ElementType {
    use ElementType as T;
    match scheme {
        None if random.below(12) == 0 => T::from_tag(0xF1).unwrap(),
        None => random.pick(T::ALL),
        Some(Quantization::PerTensor(_) | Quantization::PerChannel(_)) => random.pick(&[
            T::INT2,
            T::UINT2,
            T::INT4,
            T::UINT4,
            T::INT8,
            T::UINT8,
            T::INT16,
            T::UINT16,
            T::INT32,
            T::UINT32,
        ]),
        Some(Quantization::PerBlock(_)) => {
            random.pick(&[T::INT2, T::UINT2, T::INT4, T::UINT4, T::INT8, T::UINT8])
        }
        Some(Quantization::Nf4(_)) => T::UINT4,
        Some(_) => random.pick(&[
            T::FLOAT8_E4M3,
            T::FLOAT8_E5M2,
            T::FLOAT4_E2M1,
            T::FLOAT6_E2M3,
            T::FLOAT6_E3M2,
            T::INT8,
            T::INT4,
        ]),
    }
}

/// Puts scales that are numbers, and zero points that are not too far away.
fn parameters(random: &mut Random, d: &Descriptor, data: &mut [Vec<u8>]) {
    let scheme = d.quantization().unwrap();
    let places = scheme.parameters();
    let Some(scales) = places.scales else { return };
    let entries = d.parameter_count().unwrap().unwrap();
    let kind = match scheme {
        Quantization::PerBlock(scheme) => scheme.scale_type(),
        Quantization::Mxfp(_) => ElementType::FLOAT8_E8M0,
        _ => ElementType::FLOAT32,
    };
    let mut bytes = Vec::new();
    for _ in 0..entries {
        let scale = random.below(2000) as f32 / 64.0 + 0.25;
        match kind {
            ElementType::FLOAT32 => bytes.extend(scale.to_le_bytes()),
            ElementType::BFLOAT16 => bytes.extend(&scale.to_le_bytes()[2..]),
            // Normal numbers of any fraction.
            ElementType::FLOAT16 => {
                bytes.extend((0x2000 + random.below(0x3000) as u16).to_le_bytes());
            }
            _ => bytes.push(100 + random.below(50) as u8),
        }
    }
    data[scales as usize][..bytes.len()].copy_from_slice(&bytes);
    if let Some(zero_points) = places.zero_points {
        let start = if zero_points == scales { bytes.len() } else { 0 };
        let zero = |random: &mut Random| (random.below(5) as i32 - 1).to_le_bytes();
        let bytes: Vec<u8> = (0..entries).flat_map(|_| zero(random)).collect();
        data[zero_points as usize][start..start + bytes.len()].copy_from_slice(&bytes);
    }
}
