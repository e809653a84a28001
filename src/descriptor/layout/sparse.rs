//! What the sparse layouts share.

use super::Need;
use crate::bytes::math;
use crate::descriptor::facts::Facts;
use crate::error::Result;

/// Bytes of one coordinate or pointer.
const INDEX: u64 = 8;

/// Room for nnz values. An empty tensor stores none, and strict mode holds nnz to that.
pub(super) fn values(nnz: u64, facts: &Facts<'_>) -> Result<Need> {
    facts.room(Some(nnz))
}

/// Bytes of `entries` coordinates or pointers.
pub(super) fn index_bytes(entries: u64) -> Result<u64> {
    math::mul(entries, INDEX, "size of an index buffer")
}

/// Room for `entries` coordinates or pointers.
pub(super) fn indices(entries: u64) -> Result<Need> {
    index_bytes(entries).map(Need::AtLeast)
}

/// The buffers of CSR and CSC: values, indices, and a pointer for each of `lines` and one more.
pub(super) fn compressed(
    nnz: u64,
    lines: Option<&u64>,
    buffer: u64,
    facts: &Facts<'_>,
) -> Result<Need> {
    match (buffer, lines) {
        (0, _) => values(nnz, facts),
        (1, _) => indices(nnz),
        (_, None | Some(&crate::descriptor::DYNAMIC)) => Ok(Need::Unknown),
        (_, Some(&lines)) => indices(math::add(lines, 1, "count of pointers")?),
    }
}
