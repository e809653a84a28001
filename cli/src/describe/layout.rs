//! The fields of layouts (layouts.md).

use hurray::descriptor::layout::{Combine, Composition, IndexType, KvRole, Level, Order};
use hurray::descriptor::{Layout, LayoutTag};
use serde_json::{Map, Value, json};

use super::hex;

/// The fields of a layout, which may be none.
pub(super) fn fields(layout: &Layout) -> Value {
    match layout {
        Layout::RowMajor(_) | Layout::ColumnMajor(_) => json!({}),
        Layout::Strided(strided) => json!({ "strides": strided.strides() }),
        Layout::Tiled(tiled) => tiles(tiled.levels()),
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
            "kv_role_name": role_name(paged.role()),
            "layer_index": paged.layer_index().unwrap_or(u32::MAX),
            "block_table_index_type": paged.index_type().tag(),
            "block_table_index_type_name": index_name(paged.index_type()),
        }),
        Layout::Composite(head) => composition(head.rule(), head.member_count()).into(),
        Layout::Hilbert(hilbert) => {
            json!({ "hilbert_order": hilbert.order(), "hilbert_rank": hilbert.rank() })
        }
        Layout::Private(private) => json!({ "id": private.id(), "data": hex(private.data()) }),
        Layout::Unknown(unknown) => json!({ "rest": hex(unknown.rest()) }),
    }
}

/// The fields of a composite head.
pub(super) fn composition(rule: Composition, member_count: u32) -> Map<String, Value> {
    super::fields([
        ("composition_rule", rule.rule_tag().into()),
        ("composition_rule_name", rule_name(rule).into()),
        ("combine_op", rule.combine_tag().into()),
        ("combine_op_name", combine_name(rule).into()),
        ("member_count", member_count.into()),
    ])
}

/// The tiles of a level, with those inside of them.
fn tiles(levels: &[Level]) -> Value {
    let Some((level, nested)) = levels.split_first() else { return Value::Null };
    let mut fields = Map::new();
    let mut add = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    add("tile_shape", level.tile_shape().into());
    add("outer_layout", level.outer().tag().into());
    add("outer_layout_name", order_name(level.outer().tag()));
    add("inner_layout", level.inner_tag().into());
    add("inner_layout_name", order_name(level.inner_tag()));
    if let Some(strides) = level.outer().strides() {
        add("outer_strides", strides.into());
    }
    if let Some(strides) = level.inner().and_then(Order::strides) {
        add("inner_strides", strides.into());
    }
    if !nested.is_empty() {
        add("inner", tiles(nested));
    }
    fields.into()
}

/// Orders of tiles bear the tags of layouts.
fn order_name(tag: u8) -> Value {
    LayoutTag::from_tag(tag).name().into()
}

fn role_name(role: KvRole) -> &'static str {
    match role {
        KvRole::Key => "key",
        KvRole::Value => "value",
        KvRole::Other => "other",
    }
}

fn index_name(index_type: IndexType) -> &'static str {
    match index_type {
        IndexType::U32 => "uint32",
        IndexType::U64 => "uint64",
    }
}

pub(super) fn rule_name(rule: Composition) -> &'static str {
    match rule {
        Composition::Partition => "partition",
        Composition::Overlay(_) => "overlay",
        Composition::Group => "group",
        Composition::Private(_) => "private",
    }
}

pub(super) fn combine_name(rule: Composition) -> &'static str {
    match rule {
        Composition::Overlay(Combine::Replace) => "replace",
        Composition::Overlay(Combine::Add) => "add",
        Composition::Partition | Composition::Group | Composition::Private(_) => "none",
    }
}
