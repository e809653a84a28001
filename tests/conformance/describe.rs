//! What the library says of a descriptor, in the words of the manifests.
//!
//! `expect` (of the reference) and `content` (of the others) give the same facts in two forms; the
//! parts that they share are made once.

use hurray::descriptor::layout::{Level, Order};
use hurray::descriptor::{
    Buffer, Descriptor, ExtensionType, Format, Layout, MemberRole, Quantization, Statistics,
};
use serde_json::{Map, Value, json};

use crate::compare::{float, merged};

/// The form of `expect`.
pub(crate) fn expect(descriptor: &Descriptor) -> Value {
    let element_type = descriptor.element_type();
    let private = element_type.is_private();
    let tag = element_type.tag();
    let shard = descriptor.shard();
    let role = descriptor.member_role().map(MemberRole::tag);
    json!({
        "version_major": 1,
        "version_minor": descriptor.version_minor(),
        "descriptor_length": descriptor.encoded_len().unwrap(),
        "flags": descriptor.flags(),
        "type_tag": tag,
        "type_name": if private { format!("extension({tag:#04x})") } else { element_type.name().into() },
        "type_bit_width": element_type.bits().unwrap_or(0),
        "layout_tag": descriptor.layout_tag(),
        "rank": descriptor.rank(),
        "shape": descriptor.shape(),
        "element_count": descriptor.element_count().ok(),
        "byte_offset": descriptor.byte_offset(),
        "layout": merged(
            json!({ "tag": descriptor.layout_tag(), "name": expect_name(descriptor.layout()) }),
            layout(descriptor.layout(), "inner_tiled"),
        ),
        "buffers": descriptor.buffers().iter().map(buffer).collect::<Value>(),
        "quantization": descriptor.quantization().map(expect_quantization),
        "shard": shard.map(|s| json!({ "parent_shape": s.parent_shape(), "shard_offset": s.offset() })),
        "statistics": descriptor.statistics().map(|s| statistics(s, with_bits)),
        "extension_type": descriptor.extension_type().map(extension_type),
        "composite_member": role.map(|role| json!({ "member_role": role })),
    })
}

/// The form of `content`, but for the tensor's name and where its buffers lie.
pub(crate) fn content(descriptor: &Descriptor) -> Value {
    let shard = descriptor.shard();
    json!({
        "dtype": descriptor.element_type().name(),
        "shape": descriptor.shape(),
        "layout": descriptor.layout().tag().name(),
        "layout_fields": layout(descriptor.layout(), "inner"),
        "byte_offset": descriptor.byte_offset(),
        "flags": descriptor.flags(),
        "quant": descriptor.quantization().map(quantization),
        "shard": shard.map(|s| json!({ "parent_shape": s.parent_shape(), "shard_offset": s.offset() })),
        "stats": descriptor.statistics().map(|s| statistics(s, float)),
        "ext_type": descriptor.extension_type().map(extension_type),
        "member_role": descriptor.member_role().map(MemberRole::tag),
        "buffers": descriptor.buffers().iter().map(buffer).collect::<Value>(),
    })
}

/// The reference writer calls one layout by another name.
fn expect_name(layout: &Layout) -> &'static str {
    match layout {
        Layout::ColumnMajor(_) => "col_major",
        other => other.tag().name(),
    }
}

/// `inner` is what nested tiles are called.
fn layout(layout: &Layout, inner: &str) -> Value {
    match layout {
        Layout::RowMajor(_) | Layout::ColumnMajor(_) => json!({}),
        Layout::Strided(strided) => json!({ "strides": strided.strides() }),
        Layout::Tiled(tiled) => tiles(tiled.levels(), inner),
        Layout::Morton(morton) => json!({ "morton_bits": morton.bits() }),
        Layout::Coo(coo) => json!({ "nnz": coo.nnz(), "is_sorted": u8::from(coo.is_sorted()) }),
        Layout::Csr(csr) => json!({ "nnz": csr.nnz() }),
        Layout::Csc(csc) => json!({ "nnz": csc.nnz() }),
        Layout::Csf(csf) => json!({ "nnz": csf.nnz(), "mode_order": csf.mode_order() }),
        Layout::BlockPaged(paged) => json!({
            "page_size": paged.page_size(),
            "num_pages": paged.num_pages(),
            "paged_axis": paged.paged_axis(),
            "num_seqs": paged.num_seqs(),
            "kv_role": paged.role().tag(),
            "layer_index": paged.layer_index().unwrap_or(u32::MAX),
            "block_table_index_type": paged.index_type().tag(),
        }),
        Layout::Composite(head) => json!({
            "composition_rule": head.rule().rule_tag(),
            "combine_op": head.rule().combine_tag(),
            "member_count": head.member_count(),
        }),
        Layout::Hilbert(hilbert) => {
            json!({ "hilbert_order": hilbert.order(), "hilbert_rank": hilbert.rank() })
        }
        Layout::Private(_) | Layout::Unknown(_) => panic!("strict mode refuses these"),
    }
}

fn tiles(levels: &[Level], name: &str) -> Value {
    let Some((level, nested)) = levels.split_first() else { panic!("no tiles") };
    let mut fields = Map::new();
    fields.insert("tile_shape".into(), level.tile_shape().into());
    fields.insert("outer_layout".into(), level.outer().tag().into());
    fields.insert("inner_layout".into(), level.inner_tag().into());
    let strides = [("outer_strides", Some(level.outer())), ("inner_strides", level.inner())];
    for (key, order) in strides {
        if let Some(strides) = order.and_then(Order::strides) {
            fields.insert(key.into(), strides.into());
        }
    }
    if !nested.is_empty() {
        fields.insert(name.into(), tiles(nested, name));
    }
    fields.into()
}

fn buffer(buffer: &Buffer) -> Value {
    let [sync_mode, memory_class, _] = buffer.reserved;
    json!({
        "byte_size": buffer.byte_size,
        "alignment": buffer.alignment,
        "device_tag": buffer.device,
        "sync_mode": sync_mode,
        "memory_class": memory_class,
    })
}

fn quantization(scheme: &Quantization) -> Value {
    let head = json!({
        "scheme_tag": scheme.tag().tag(),
        "scheme_version": 1,
        "flags": scheme.flags(),
        "padding": { "hex": "" },
    });
    let zero_points = |buffer: Option<u32>| buffer.unwrap_or(u32::MAX);
    merged(
        head,
        match scheme {
            Quantization::PerTensor(affine) => json!({
                "scale": f64::from(affine.scale()),
                "scale_bits": format!("{:#010x}", affine.scale().to_bits()),
                "zero_point": affine.zero_point(),
            }),
            Quantization::PerChannel(affine) => json!({
                "axis": affine.axis(),
                "scale_buffer_index": affine.scale_buffer(),
                "zero_point_buffer_index": zero_points(affine.zero_point_buffer()),
                "scale_type_tag": 3,
            }),
            Quantization::PerBlock(affine) => json!({
                "axis": affine.axis(),
                "block_size": affine.block_size(),
                "scale_buffer_index": affine.scale_buffer(),
                "zero_point_buffer_index": zero_points(affine.zero_point_buffer()),
                "scale_type_tag": affine.scale_type().tag(),
            }),
            Quantization::Nf4(nf4) => json!({
                "axis": nf4.axis(),
                "block_size": nf4.block_size(),
                "scale_buffer_index": nf4.scale_buffer(),
            }),
            Quantization::Mxfp(mxfp) => json!({
                "axis": mxfp.axis(),
                "block_size": mxfp.block_size(),
                "scale_buffer_index": mxfp.scale_buffer(),
            }),
            Quantization::Opaque(_) => panic!("strict mode refuses these"),
        },
    )
}

/// The payload's length and bytes are not here: the bytes of the whole descriptor are compared.
fn expect_quantization(scheme: &Quantization) -> Value {
    let symmetric = scheme.flags() & 1 != 0;
    let name = json!({ "scheme": scheme.tag().name(), "symmetric": symmetric });
    merged(quantization(scheme), name)
}

/// What is known; `number` writes a float.
fn statistics(statistics: &Statistics, number: fn(f64) -> Value) -> Value {
    let mut fields = Map::new();
    let mut add = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    add("computed_mask", statistics.mask().into());
    if let Some(nnz) = statistics.nnz() {
        add("nnz", nnz.into());
    }
    if let Some(ratio) = statistics.sparsity_ratio() {
        add("sparsity_ratio", number(ratio));
    }
    if let Some(range) = statistics.range() {
        add("value_min", number(range.min));
        add("value_max", number(range.max));
        add("value_abs_max", number(range.abs_max));
    }
    if let Some(spread) = statistics.spread() {
        add("value_mean", number(spread.mean));
        add("value_stddev", number(spread.stddev));
    }
    if let Some(nm) = statistics.nm() {
        add("nm_n", nm.n.into());
        add("nm_m", nm.m.into());
    }
    if let Some(special) = statistics.special() {
        add("has_nan", u8::from(special.has_nan).into());
        add("has_inf", u8::from(special.has_inf).into());
    }
    fields.into()
}

fn with_bits(value: f64) -> Value {
    json!({ "bits": format!("{:#018x}", value.to_bits()) })
}

fn extension_type(section: &ExtensionType) -> Value {
    let width = json!({
        "bit_width": section.bit_width(),
        "packing_factor": section.packing_factor(),
    });
    let format = match section.format() {
        Format::Integer { is_signed } => json!({
            "is_float": 0,
            "is_signed": u8::from(is_signed),
            "sign_bits": 0,
            "exponent_bits": 0,
            "mantissa_bits": 0,
            "exponent_bias": 0,
            "has_nan": 0,
            "has_inf": 0,
        }),
        Format::Float {
            has_sign,
            exponent_bits,
            mantissa_bits,
            exponent_bias,
            has_nan,
            has_inf,
        } => json!({
            "is_float": 1,
            "is_signed": 0,
            "sign_bits": u8::from(has_sign),
            "exponent_bits": exponent_bits,
            "mantissa_bits": mantissa_bits,
            "exponent_bias": exponent_bias,
            "has_nan": u8::from(has_nan),
            "has_inf": u8::from(has_inf),
        }),
    };
    merged(width, format)
}
