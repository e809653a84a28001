//! Descriptors over all layouts, types, schemes and sections, from a string of choices.
//!
//! Most of what is asked for is legal; what is not shows that the builder refuses it.

use hurray::Result;
use hurray::descriptor::layout::{
    BlockPaged, ColumnMajor, Combine, Composite, Composition, Coo, Csc, Csf, Csr, Hilbert,
    IndexType, KvRole, Level, Morton, Order, RowMajor, Strided, Tiled,
};
use hurray::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use hurray::descriptor::{
    Builder, DYNAMIC, Descriptor, ElementType, ExtensionType, Format, Layout, MemberRole,
    NmSparsity, Quantization, Shard, SpecialValues, Statistics, ValueRange, ValueSpread,
};

use super::choices::Choices;

/// Asks a builder for a descriptor.
pub(crate) fn descriptor(choices: &mut Choices<'_>) -> Result<Descriptor> {
    let layout_tag = choices.below(12);
    let shape = shape(choices, layout_tag);
    let layout = layout(choices, layout_tag, &shape)?;
    let own = layout.own_buffers(u32::try_from(shape.len()).unwrap());
    let own = u32::try_from(own).unwrap();
    let scheme = if choices.once_in(if own == 0 { 64 } else { 3 }) {
        Some(scheme(choices, &shape, own)?)
    } else {
        None
    };
    let element_type = element_type(choices, scheme.as_ref());

    let mut builder = Builder::new(element_type, &shape)?;
    let is_dense = matches!(
        layout,
        Layout::RowMajor(_) | Layout::ColumnMajor(_) | Layout::Strided(_) | Layout::Tiled(_)
    );
    if is_dense || choices.once_in(16) {
        builder.byte_offset(choices.pick(&[4096, 0, 64, 1]));
    }
    let nnz = layout.nnz();
    told_sizes(choices, &mut builder, &layout)?;
    builder.layout(layout);
    if let Some(scheme) = scheme {
        builder.quantization(scheme);
    }
    let shardable = !matches!(layout_tag, 8 | 9);
    if choices.once_in(if shardable { 4 } else { 64 }) {
        let offset = choices.many(shape.len(), |c| c.pick(&[0, 1, 7]));
        let parent = shape.iter().zip(&offset).map(|(n, o)| n.saturating_add(o + 1));
        builder.shard(Shard::new(&parent.collect::<Vec<_>>(), &offset)?);
    }
    if choices.once_in(4) {
        builder.statistics(statistics(choices, nnz)?);
    }
    if element_type.is_private() || choices.once_in(64) {
        builder.extension_type(extension_type(choices)?);
    }
    if choices.once_in(if own == 0 { 64 } else { 4 }) {
        builder.member_role(choices.pick(&[MemberRole::Base, MemberRole::Correction]));
    }
    builder.device(choices.mostly(&[0, 1, 8, 0xF0, 0xFE], &[9, 0xFF]));
    builder.alignment(choices.mostly(&[64, 128, 4096], &[1, 96]));
    if choices.once_in(8) {
        builder.buffer_alignment(0, choices.mostly(&[64, 1 << 20], &[32, 0]))?;
    }
    builder.build()
}

fn shape(choices: &mut Choices<'_>, layout_tag: usize) -> Vec<u64> {
    let rank = match layout_tag {
        // CSR, CSC: matrices; CSF: 3 and up; block-paged: 3.
        6 | 7 => 2,
        8 => 3 + choices.below(3),
        9 => 3,
        10 | 0 => choices.below(5),
        11 => 2 + choices.below(2),
        _ if choices.once_in(32) => 64,
        _ => 1 + choices.below(4),
    };
    let rank = if choices.once_in(32) { choices.below(6) } else { rank };
    if layout_tag == 11 {
        let side = choices.pick(&[2, 4, 8]);
        return vec![side; rank];
    }
    choices.many(rank, |c| match c.below(40) {
        0 => 0,
        1 => DYNAMIC,
        2 => 1 << 40,
        k => [1, 2, 3, 4, 5, 8, 16, 17, 32][k % 9],
    })
}

fn layout(choices: &mut Choices<'_>, tag: usize, shape: &[u64]) -> Result<Layout> {
    let rank = shape.len();
    let nnz = u64::from(choices.byte() % 6);
    Ok(match tag {
        0 => RowMajor.into(),
        1 => ColumnMajor.into(),
        2 => Strided::new(&strides(choices, rank))?.into(),
        3 => tiled(choices, rank)?.into(),
        4 => {
            let bits = shape.iter().map(|&n| {
                let least = n.saturating_sub(1).checked_ilog2().map_or(1, |bit| bit + 1);
                least + u32::from(choices.byte() % 16 == 1)
            });
            Morton::new(&bits.collect::<Vec<_>>())?.into()
        }
        5 => Coo::new(nnz, choices.once_in(2)).into(),
        6 => Csr::new(nnz).into(),
        7 => Csc::new(nnz).into(),
        8 => {
            let mut order: Vec<u32> = (0..).take(rank).collect();
            order.rotate_left(choices.below(rank.max(1)));
            if choices.once_in(2) {
                order.reverse();
            }
            Csf::new(nnz, &order)?.into()
        }
        9 => BlockPaged::new(
            choices.pick(&[1, 2, 16, 3]),
            u64::from(choices.byte() % 5),
            u32::from(choices.byte() % 4),
            choices.pick(&[KvRole::Key, KvRole::Value, KvRole::Other]),
            choices.pick(&[None, Some(0), Some(31)]),
            choices.pick(&[IndexType::U32, IndexType::U64]),
        )?
        .into(),
        10 => {
            let rule = choices.pick(&[
                Composition::Partition,
                Composition::Overlay(Combine::Replace),
                Composition::Overlay(Combine::Add),
                Composition::Group,
            ]);
            Composite::new(rule, choices.mostly(&[1, 2, u32::MAX - 1], &[0, u32::MAX]))?.into()
        }
        _ => {
            let side = shape.first().copied().unwrap_or(1);
            Hilbert::new(side.trailing_zeros(), u32::try_from(rank).unwrap()).into()
        }
    })
}

fn strides(choices: &mut Choices<'_>, rank: usize) -> Vec<i64> {
    choices.many(rank, |c| c.mostly(&[1, 4, 0, 17, -1, -3, 64], &[i64::MIN, i64::MAX]))
}

fn order(choices: &mut Choices<'_>, rank: usize) -> Result<Order> {
    match choices.below(3) {
        0 => Ok(Order::RowMajor),
        1 => Ok(Order::ColumnMajor),
        _ => Order::strided(&choices.many(rank, |c| c.pick(&[1, 2, 0, 3, -1, 8]))),
    }
}

/// Each level's tiles divide those of the level before, most of the time.
fn tiled(choices: &mut Choices<'_>, rank: usize) -> Result<Tiled> {
    let count = 1 + choices.below(4);
    let mut tile = choices.many(rank, |c| c.mostly(&[8, 4, 2, 1, 16], &[12, 0]));
    let mut levels = Vec::new();
    for k in 0..count {
        let outer = order(choices, rank)?;
        let inner = if k + 1 == count { Some(order(choices, rank)?) } else { None };
        levels.push(Level::new(&tile, outer, inner)?);
        for side in &mut tile {
            *side = side.div_ceil(choices.pick(&[2, 1, 4]));
        }
    }
    Tiled::nested(levels)
}

/// Sizes that only the content of a tensor says, as its writer would know them.
fn told_sizes(choices: &mut Choices<'_>, builder: &mut Builder, layout: &Layout) -> Result<()> {
    match layout {
        Layout::BlockPaged(paged) => {
            let entries = u64::from(choices.byte() % 5);
            builder.buffer_size(1, entries * paged.index_type().bytes())?;
        }
        Layout::Csf(csf) if csf.nnz() > 0 => {
            for buffer in 2..=2 * u8::try_from(csf.mode_order().len()).unwrap() {
                builder.buffer_size(buffer, 8 * (csf.nnz() + 1))?;
            }
        }
        Layout::Composite(_) => {}
        _ if choices.once_in(8) => {
            builder.buffer_size(0, choices.mostly(&[1 << 16, 1 << 50], &[0, 3]))?;
        }
        _ => {}
    }
    Ok(())
}

fn scheme(choices: &mut Choices<'_>, shape: &[u64], own: u32) -> Result<Quantization> {
    let axis = u32::try_from(choices.below(shape.len().max(1))).unwrap();
    let zero_points = choices.mostly(&[None, Some(own + 1), Some(own)], &[Some(0)]);
    Ok(match choices.below(5) {
        0 => {
            let zero_point = i32::from(choices.byte()) - 128;
            PerTensor::new(choices.mostly(&[0.5, -3.0, 1.0e-40], &[0.0, f32::NAN]), zero_point)?
                .into()
        }
        1 => PerChannel::new(axis, own, zero_points).into(),
        2 => {
            let floats = [ElementType::FLOAT32, ElementType::FLOAT16, ElementType::BFLOAT16];
            let scale = choices.mostly(&floats, &[ElementType::INT8]);
            let size = choices.mostly(&[2, 4], &[16, 3]);
            PerBlock::new(axis, size, scale, own, zero_points)?.into()
        }
        3 => Nf4::new(axis, choices.mostly(&[8, 16], &[64, 4]), own)?.into(),
        _ => Mxfp::new(axis, choices.mostly(&[16, 32], &[2048, 8]), own)?.into(),
    })
}

fn element_type(choices: &mut Choices<'_>, scheme: Option<&Quantization>) -> ElementType {
    use ElementType as T;
    let fitting: &[ElementType] = match scheme {
        _ if choices.once_in(16) => T::ALL,
        None => T::ALL,
        Some(Quantization::PerTensor(_) | Quantization::PerChannel(_)) => {
            &[T::INT8, T::UINT8, T::INT2, T::UINT4, T::INT16, T::UINT32, T::INT32]
        }
        Some(Quantization::PerBlock(_)) => &[T::INT4, T::UINT8, T::INT2, T::UINT2, T::UINT4],
        Some(Quantization::Nf4(_)) => &[T::UINT4],
        Some(_) => &[T::FLOAT8_E4M3, T::FLOAT4_E2M1, T::FLOAT6_E2M3, T::INT8, T::INT4],
    };
    if choices.once_in(if scheme.is_some() { 64 } else { 12 }) {
        let tag = choices.pick(&[0xF0, 0xFE]);
        return T::from_tag(tag).unwrap();
    }
    choices.pick(fitting)
}

fn extension_type(choices: &mut Choices<'_>) -> Result<ExtensionType> {
    let width = choices.mostly(&[8, 4, 2, 1, 24, 128], &[6, 0]);
    let format = match choices.once_in(2) {
        false => Format::Integer { is_signed: choices.once_in(2) },
        true => Format::Float {
            has_sign: choices.once_in(2),
            exponent_bits: choices.byte(),
            mantissa_bits: choices.byte(),
            exponent_bias: u32::from(choices.byte()) << 20,
            has_nan: choices.once_in(2),
            has_inf: choices.once_in(2),
        },
    };
    ExtensionType::new(width, format)
}

fn statistics(choices: &mut Choices<'_>, nnz: Option<u64>) -> Result<Statistics> {
    let mut statistics = Statistics::new();
    let known = choices.byte();
    let mut float = || f64::from_bits(choices.word());
    if known & 1 != 0 {
        statistics.set_nnz(nnz.unwrap_or(3));
    }
    if known & 2 != 0 {
        statistics.set_sparsity_ratio(1.0 / f64::from(known))?;
    }
    if known & 4 != 0 {
        statistics.set_range(ValueRange { min: float(), max: float(), abs_max: float() });
    }
    if known & 8 != 0 {
        statistics.set_spread(ValueSpread { mean: float(), stddev: float().abs() })?;
    }
    if known & 16 != 0 {
        statistics.set_nm(NmSparsity { n: known & 3, m: 4 })?;
    }
    if known & 32 != 0 {
        statistics.set_special(SpecialValues { has_nan: known & 64 != 0, has_inf: known < 128 });
    }
    Ok(statistics)
}
