//! A descriptor built again from what it says of itself.

use hurray::Result;
use hurray::descriptor::layout::{
    BlockPaged, ColumnMajor, Composite, Coo, Csc, Csf, Csr, Hilbert, Level, Morton, Order,
    RowMajor, Strided, Tiled,
};
use hurray::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use hurray::descriptor::{Builder, Descriptor, Layout, Quantization, Shard};

/// Tells a builder everything that `descriptor`, taken in strict mode, says.
pub(crate) fn rebuild(descriptor: &Descriptor) -> Result<Descriptor> {
    let mut builder = Builder::new(descriptor.element_type(), descriptor.shape())?;
    builder.layout(layout(descriptor.layout())?).byte_offset(descriptor.byte_offset());
    for (k, buffer) in (0..).zip(descriptor.buffers()) {
        builder.buffer_size(k, buffer.byte_size)?.buffer_alignment(k, buffer.alignment)?;
        builder.device(buffer.device);
    }
    if let Some(scheme) = descriptor.quantization() {
        builder.quantization(quantization(scheme)?);
    }
    if let Some(shard) = descriptor.shard() {
        builder.shard(Shard::new(shard.parent_shape(), shard.offset())?);
    }
    if let Some(statistics) = descriptor.statistics() {
        builder.statistics(*statistics);
    }
    if let Some(section) = descriptor.extension_type() {
        builder.extension_type(*section);
    }
    if let Some(role) = descriptor.member_role() {
        builder.member_role(role);
    }
    builder.build()
}

fn layout(layout: &Layout) -> Result<Layout> {
    Ok(match layout {
        Layout::RowMajor(_) => RowMajor.into(),
        Layout::ColumnMajor(_) => ColumnMajor.into(),
        Layout::Strided(strided) => Strided::new(strided.strides())?.into(),
        Layout::Tiled(tiled) => {
            let levels = tiled.levels().iter().map(level).collect::<Result<_>>()?;
            Tiled::nested(levels)?.into()
        }
        Layout::Morton(morton) => Morton::new(morton.bits())?.into(),
        Layout::Coo(coo) => Coo::new(coo.nnz(), coo.is_sorted()).into(),
        Layout::Csr(csr) => Csr::new(csr.nnz()).into(),
        Layout::Csc(csc) => Csc::new(csc.nnz()).into(),
        Layout::Csf(csf) => Csf::new(csf.nnz(), csf.mode_order())?.into(),
        Layout::BlockPaged(paged) => BlockPaged::new(
            paged.page_size(),
            paged.num_pages(),
            paged.num_seqs(),
            paged.role(),
            paged.layer_index(),
            paged.index_type(),
        )?
        .into(),
        Layout::Composite(head) => Composite::new(head.rule(), head.member_count())?.into(),
        Layout::Hilbert(hilbert) => Hilbert::new(hilbert.order(), hilbert.rank()).into(),
        Layout::Private(_) | Layout::Unknown(_) => panic!("strict mode refuses these"),
    })
}

fn level(level: &Level) -> Result<Level> {
    Level::new(level.tile_shape(), order(level.outer())?, level.inner().map(order).transpose()?)
}

fn order(order: &Order) -> Result<Order> {
    match order {
        Order::RowMajor => Ok(Order::RowMajor),
        Order::ColumnMajor => Ok(Order::ColumnMajor),
        Order::Strided(_) => Order::strided(order.strides().unwrap_or_default()),
    }
}

fn quantization(scheme: &Quantization) -> Result<Quantization> {
    Ok(match scheme {
        Quantization::PerTensor(s) => PerTensor::new(s.scale(), s.zero_point())?.into(),
        Quantization::PerChannel(s) => {
            PerChannel::new(s.axis(), s.scale_buffer(), s.zero_point_buffer()).into()
        }
        Quantization::PerBlock(s) => {
            let zero_points = s.zero_point_buffer();
            PerBlock::new(s.axis(), s.block_size(), s.scale_type(), s.scale_buffer(), zero_points)?
                .into()
        }
        Quantization::Nf4(s) => Nf4::new(s.axis(), s.block_size(), s.scale_buffer())?.into(),
        Quantization::Mxfp(s) => Mxfp::new(s.axis(), s.block_size(), s.scale_buffer())?.into(),
        Quantization::Opaque(_) => panic!("strict mode refuses these"),
    })
}
