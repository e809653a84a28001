//! Sparse layouts.

use super::arguments::Versioned;
use super::descriptor::hrry_descriptor;
use super::error::{hrry_error, hrry_status};
use super::layouts::get;
use crate::descriptor::Layout;

/// Fields of COO.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_coo {
    /// sizeof(hrry_coo).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
    /// 1 when their coordinates ascend.
    pub is_sorted: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_coo {
    const NAME: &'static str = "hrry_coo";
    const FIRST: usize = 24;
}

/// Fields of CSR and CSC.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_compressed {
    /// sizeof(hrry_compressed).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_compressed {
    const NAME: &'static str = "hrry_compressed";
    const FIRST: usize = 16;
}

/// Fields of CSF.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_csf {
    /// sizeof(hrry_csf).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
    /// The dimension of each level: rank numbers, borrowed from the descriptor.
    pub mode_order: *const u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_csf {
    const NAME: &'static str = "hrry_csf";
    const FIRST: usize = 24;
}

/// Fields of COO.
///
/// Parameters: `coo` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_coo(
    descriptor: *const hrry_descriptor,
    coo: *mut hrry_coo,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Coo(layout) => Some(hrry_coo {
            struct_size: 0,
            nnz: layout.nnz(),
            is_sorted: layout.is_sorted().into(),
            reserved: 0,
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, coo, error, "coo", ask) }
}

/// Fields of CSR.
///
/// Parameters: `csr` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csr(
    descriptor: *const hrry_descriptor,
    csr: *mut hrry_compressed,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csr(layout) => Some(hrry_compressed { struct_size: 0, nnz: layout.nnz() }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csr, error, "csr", ask) }
}

/// Fields of CSC.
///
/// Parameters: `csc` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csc(
    descriptor: *const hrry_descriptor,
    csc: *mut hrry_compressed,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csc(layout) => Some(hrry_compressed { struct_size: 0, nnz: layout.nnz() }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csc, error, "csc", ask) }
}

/// Fields of CSF.
///
/// Ownership: what `csf` then points to is borrowed from the descriptor.
/// Parameters: `csf` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csf(
    descriptor: *const hrry_descriptor,
    csf: *mut hrry_csf,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csf(layout) => Some(hrry_csf {
            struct_size: 0,
            nnz: layout.nnz(),
            mode_order: layout.mode_order().as_ptr(),
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csf, error, "csf", ask) }
}
