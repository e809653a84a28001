//! Layouts of a builder.

use super::arguments;
use super::builder::{change, hrry_builder};
use super::error::{hrry_error, hrry_status};
use super::layouts::{self, hrry_tiles};
use super::other_layouts::{hrry_block_paged, hrry_composite_head};
use crate::descriptor::layout::{
    ColumnMajor, Coo, Csc, Csf, Csr, Hilbert, Morton, RowMajor, Strided,
};

/// Row-major: strides 1 for the last dimension, then products. The default.
///
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_row_major(
    builder: *mut hrry_builder,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(RowMajor);
            Ok(())
        })
    }
}

/// Column-major: strides 1 for the first dimension, then products.
///
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_column_major(
    builder: *mut hrry_builder,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(ColumnMajor);
            Ok(())
        })
    }
}

/// Strided.
///
/// Parameters: `strides` rank numbers, in elements; negative and zero are fine; for the call only.
/// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_strided(
    builder: *mut hrry_builder,
    strides: *const i64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            builder.layout(Strided::new(arguments::slice(strides, rank, "strides")?)?);
            Ok(())
        })
    }
}

/// Tiled, in 1 to 8 levels.
///
/// Parameters: `count` levels at `levels`, the outermost first; for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_tiled(
    builder: *mut hrry_builder,
    levels: *const hrry_tiles,
    count: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            let levels = arguments::slice(levels, count, "levels")?;
            builder.layout(layouts::tiled(levels, rank)?);
            Ok(())
        })
    }
}

/// Along a Morton curve.
///
/// Parameters: `bits` of each coordinate: rank numbers; for the call only.
/// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_morton(
    builder: *mut hrry_builder,
    bits: *const u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            builder.layout(Morton::new(arguments::slice(bits, rank, "bits")?)?);
            Ok(())
        })
    }
}

/// Along a Hilbert curve through a cube of 2^order elements a dimension.
///
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_hilbert(
    builder: *mut hrry_builder,
    order: u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            builder.layout(Hilbert::new(order, rank));
            Ok(())
        })
    }
}

/// Sparse, a coordinate for each value: buffers values and indices, which are uint64, `rank` for
/// each value.
///
/// Parameters: `nnz` stored elements; `is_sorted` when their coordinates ascend.
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_coo(
    builder: *mut hrry_builder,
    nnz: u64,
    is_sorted: bool,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(Coo::new(nnz, is_sorted));
            Ok(())
        })
    }
}

/// Sparse by rows: buffers values, col_indices and row_ptr. Both are uint64: the column of each
/// value, ascending in a row; rows + 1 numbers, two neighbours being begin and end of a row.
///
/// Parameters: `nnz` stored elements.
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_csr(
    builder: *mut hrry_builder,
    nnz: u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(Csr::new(nnz));
            Ok(())
        })
    }
}

/// Sparse by columns: buffers values, row_indices and col_ptr. Both are uint64: the row of each
/// value, ascending in a column; columns + 1 numbers, two neighbours being begin and end of one.
///
/// Parameters: `nnz` stored elements.
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_csc(
    builder: *mut hrry_builder,
    nnz: u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(Csc::new(nnz));
            Ok(())
        })
    }
}

/// Sparse, a tree of coordinates: buffers values, then pos and crd of each level, uint64, whose
/// sizes must be told where the fields do not give them.
///
/// Parameters: `nnz` stored elements; `mode_order` the dimension of each level: rank numbers.
/// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_csf(
    builder: *mut hrry_builder,
    nnz: u64,
    mode_order: *const u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            let order = arguments::slice(mode_order, rank, "mode_order")?;
            builder.layout(Csf::new(nnz, order)?);
            Ok(())
        })
    }
}

/// Block-paged: buffers page_pool, block_table (whose size must be told) and seq_ptr.
///
/// Parameters: `block_paged` for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_block_paged(
    builder: *mut hrry_builder,
    block_paged: *const hrry_block_paged,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(arguments::required(block_paged)?.rust()?);
            Ok(())
        })
    }
}

/// A composite head: no buffers, the tensors that follow hold the elements.
///
/// Parameters: `head` for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_composite(
    builder: *mut hrry_builder,
    head: *const hrry_composite_head,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.layout(arguments::required(head)?.rust()?);
            Ok(())
        })
    }
}
