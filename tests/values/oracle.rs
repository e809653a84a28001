//! Elements one by one, as the specification says: where they lie, what their bits are, what they
//! stand for.

use hurray::descriptor::layout::{Level, Order};
use hurray::descriptor::{Descriptor, ElementType, Layout, Quantization};

use crate::made::Made;
use crate::numbers::{self, Number};

/// All indices of a box, in row-major order.
pub(crate) fn indices(lower: &[u64], extent: &[u64]) -> Vec<Vec<u64>> {
    lower.iter().zip(extent).fold(vec![vec![]], |all, (&lower, &size)| {
        let longer = |index: &Vec<u64>| {
            (lower..lower + size).map(|x| [&index[..], &[x]].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

fn word(data: &[u8], k: u64, width: u64) -> u64 {
    let start = (k * width) as usize;
    data[start..][..width as usize].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Offset of an element in its buffer, and of blocks the slot; `None` where it is not stored.
pub(crate) fn offset(made: &Made, index: &[u64]) -> Option<i64> {
    let Made { d, data } = made;
    let mut shape = d.shape().to_vec();
    if let Some(padding) = d.padding().unwrap() {
        shape[padding.axis] = padding.size;
    }
    let word = |buffer: usize, k: u64| word(&data[buffer], k, 8);
    let place = match d.layout() {
        Layout::RowMajor(_) => ordered(&Order::RowMajor, &shape, index),
        Layout::ColumnMajor(_) => ordered(&Order::ColumnMajor, &shape, index),
        Layout::Strided(layout) => {
            index.iter().zip(layout.strides()).map(|(&i, s)| i as i64 * s).sum()
        }
        Layout::Tiled(layout) => tiled(layout.levels(), &shape, index),
        Layout::Morton(_) => {
            let bit = |k: usize, b: usize| (index[k] as i64 >> b & 1) << (b * index.len() + k);
            let bits = |k| (0..63 / index.len()).map(move |b| bit(k, b));
            (0..index.len()).flat_map(bits).sum()
        }
        Layout::Hilbert(layout) => hilbert(layout.order(), index),
        Layout::Coo(layout) => {
            let rank = index.len() as u64;
            let same = |k: &u64| index.iter().zip(0..).all(|(&i, n)| word(1, k * rank + n) == i);
            return (0..layout.nnz()).find(same).map(|k| k as i64);
        }
        Layout::Csr(_) => return compressed(word, index[0], index[1]),
        Layout::Csc(_) => return compressed(word, index[1], index[0]),
        Layout::Csf(layout) => {
            let mut node = 0;
            for (level, &mode) in layout.mode_order().iter().enumerate() {
                let (pos, crd) = (2 * level + 1, 2 * level + 2);
                let mut children = word(pos, node)..word(pos, node + 1);
                node = children.find(|&k| word(crd, k) == index[mode as usize])?;
            }
            node as i64
        }
        Layout::BlockPaged(_) => {
            let elements = d.shape()[1] * d.shape()[2];
            (slot(made, index[0]) * elements + index[1] * d.shape()[2] + index[2]) as i64
        }
        other => panic!("{other:?}"),
    };
    Some(place)
}

/// The page slot of a token of the dense view.
fn slot(made: &Made, token: u64) -> u64 {
    let Layout::BlockPaged(layout) = made.d.layout() else { panic!() };
    let size = u64::from(layout.page_size());
    word(&made.data[1], token / size, layout.index_type().bytes()) * size + token % size
}

fn compressed(word: impl Fn(usize, u64) -> u64, line: u64, along: u64) -> Option<i64> {
    let mut places = word(2, line)..word(2, line + 1);
    places.find(|&k| word(1, k) == along).map(|k| k as i64)
}

fn ordered(order: &Order, sizes: &[u64], index: &[u64]) -> i64 {
    let product = |sizes: &[u64]| sizes.iter().product::<u64>() as i64;
    let stride = |k: usize| match order {
        Order::Strided(_) => order.strides().unwrap()[k],
        Order::RowMajor => product(&sizes[k + 1..]),
        Order::ColumnMajor => product(&sizes[..k]),
    };
    index.iter().enumerate().map(|(k, &i)| i as i64 * stride(k)).sum()
}

fn tiled(levels: &[Level], region: &[u64], index: &[u64]) -> i64 {
    let tile = levels[0].tile_shape();
    let each = |f: fn(u64, u64) -> u64, a: &[u64]| -> Vec<u64> {
        a.iter().zip(tile).map(|(&a, &t)| f(a, t)).collect()
    };
    let grid = each(u64::div_ceil, region);
    let outer = ordered(levels[0].outer(), &grid, &each(|i, t| i / t, index));
    let within = each(|i, t| i % t, index);
    let inner = match levels[0].inner() {
        Some(order) => ordered(order, tile, &within),
        None => tiled(&levels[1..], tile, &within),
    };
    outer * tile.iter().product::<u64>() as i64 + inner
}

/// Skilling's transform, as layouts.md has it.
fn hilbert(order: u32, index: &[u64]) -> i64 {
    let mut x = index.to_vec();
    let rank = x.len();
    for q in (0..order).rev().map(|b| 1_u64 << b) {
        let p = q - 1;
        for i in 0..rank {
            if x[i] & q != 0 {
                x[0] ^= p;
            } else {
                let t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    for i in 1..rank {
        x[i] ^= x[i - 1];
    }
    let mut t = 0;
    for q in (0..order).rev().map(|b| 1_u64 << b) {
        if x[rank - 1] & q != 0 {
            t ^= q - 1;
        }
    }
    let mut place = 0;
    for (d, x) in x.iter().enumerate() {
        for b in 0..order as usize {
            place |= ((x ^ t) >> b & 1) << (b * rank + (rank - 1 - d));
        }
    }
    place as i64
}

/// The bits of the element at this offset, in as many bytes as hold them; zeros where it is not
/// stored.
pub(crate) fn code(made: &Made, offset: Option<i64>) -> Vec<u8> {
    let bits = i64::from(made.d.element_bits().unwrap());
    let mut code = vec![0; bits.unsigned_abs().div_ceil(8) as usize];
    let Some(offset) = offset else { return code };
    // Also of 6 bits: four of them are the bits of three bytes, one after the other.
    let first = made.d.byte_offset() as i64 * 8 + offset * bits;
    for k in 0..bits {
        let bit = (first + k) as usize;
        code[k as usize / 8] |= (made.data[0][bit / 8] >> (bit % 8) & 1) << (k % 8);
    }
    code
}

/// The number that a code stands for; that of a type without numbers is none.
pub(crate) fn number(d: &Descriptor, code: &[u8], is_stored: bool) -> Option<Number> {
    let known = d.element_type();
    if known.is_private() || known == ElementType::FLOAT128 {
        return None;
    }
    if !is_stored && known == ElementType::FLOAT8_E8M0 {
        return Some(Number::Float(0.0));
    }
    Some(numbers::of(known, &code[..numbers::width(known)])[0])
}

/// The float32 that a code stands for under the scheme of its tensor (quantization.md).
pub(crate) fn dequantized(made: &Made, index: &[u64], code: &[u8]) -> f32 {
    const NF4: [f32; 16] = [
        -1.0,
        -0.696_192_8,
        -0.525_073_05,
        -0.394_917_5,
        -0.284_441_38,
        -0.184_773_43,
        -0.091_050_036,
        0.0,
        0.079_580_3,
        0.160_930_2,
        0.246_112_3,
        0.337_915_24,
        0.440_709_83,
        0.562_617,
        0.722_956_84,
        1.0,
    ];
    let Made { d, data } = made;
    let shape = d.shape();
    let scheme = d.quantization().unwrap();
    let block = |axis: u32, size: u32| {
        let (axis, size) = (axis as usize, u64::from(size));
        let others = (0..shape.len()).filter(|&k| k != axis);
        let outer = others.fold(0, |outer, k| outer * shape[k] + index[k]);
        outer * shape[axis].div_ceil(size) + index[axis] / size
    };
    let entry = match scheme {
        Quantization::PerTensor(_) => 0,
        Quantization::PerChannel(scheme) => index[scheme.axis() as usize],
        Quantization::PerBlock(_) if matches!(d.layout(), Layout::BlockPaged(_)) => {
            slot(made, index[0])
        }
        Quantization::PerBlock(scheme) => block(scheme.axis(), scheme.block_size()),
        Quantization::Nf4(scheme) => block(scheme.axis(), scheme.block_size()),
        Quantization::Mxfp(scheme) => block(scheme.axis(), scheme.block_size()),
        other => panic!("{other:?}"),
    };
    let places = scheme.parameters();
    let raw = |buffer: u32, start: u64, width: u64| {
        let start = (start + entry * width) as usize;
        data[buffer as usize][start..][..width as usize].to_vec()
    };
    let float = |number: Number| match number {
        Number::Float(x) => x as f32,
        Number::Int(x) => x as f32,
        Number::Complex(..) => panic!(),
    };
    let scale = match scheme {
        Quantization::PerTensor(scheme) => scheme.scale(),
        _ => {
            let kind = match scheme {
                Quantization::PerBlock(scheme) => scheme.scale_type(),
                Quantization::Mxfp(_) => ElementType::FLOAT8_E8M0,
                _ => ElementType::FLOAT32,
            };
            let bytes = raw(places.scales.unwrap(), 0, places.scale_bytes.into());
            float(numbers::of(kind, &bytes)[0])
        }
    };
    let zero_point = match (scheme, places.zero_points) {
        (Quantization::PerTensor(scheme), _) => scheme.zero_point(),
        (_, None) => 0,
        (_, Some(buffer)) => {
            let entries = d.parameter_count().unwrap().unwrap();
            let shared = places.scales == Some(buffer);
            let start = if shared { entries * u64::from(places.scale_bytes) } else { 0 };
            i32::from_le_bytes(raw(buffer, start, 4).try_into().unwrap())
        }
    };
    let number = numbers::of(d.element_type(), code)[0];
    match (scheme, number) {
        (Quantization::Nf4(_), _) => scale * NF4[usize::from(code[0])],
        (Quantization::Mxfp(_), number) => scale * float(number),
        (_, Number::Int(q)) => scale * ((q - i128::from(zero_point)) as f32),
        (_, other) => panic!("{other:?}"),
    }
}
