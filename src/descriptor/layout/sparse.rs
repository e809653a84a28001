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

#[cfg(test)]
mod tests {
    use crate::descriptor::layout::{Csc, Csr};
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};
    use crate::descriptor::{DYNAMIC, ElementType};

    #[test]
    fn a_pointer_for_each_line_and_one_more() {
        // The check of layouts.md.
        assert_eq!(sizes(&[4, 5], Csr::new(5)), Ok(vec![20, 40, 40]));
        assert_eq!(sizes(&[4, 5], Csc::new(5)), Ok(vec![20, 40, 48]));
        // Index structures of an empty tensor keep their size (decisions.md row 53).
        assert_eq!(sizes(&[4, 0], Csr::new(0)), Ok(vec![0, 0, 40]));
        assert_eq!(sizes(&[0, 4], Csr::new(0)), Ok(vec![0, 0, 8]));
        assert_eq!(
            sizes(&[1 << 61, 0], Csr::new(0)).unwrap_err(),
            "descriptor: buffer 2: size of an index buffer does not fit 64 bits"
        );
        // A dynamic dimension hides its own pointers only.
        assert_eq!(sizes(&[4, DYNAMIC], Csr::new(5)), Ok(vec![20, 40, 40]));
        assert!(sizes(&[4, DYNAMIC], Csc::new(5)).is_err());
    }

    #[test]
    fn fields_and_their_rules() {
        let d = builder(ElementType::FLOAT32, &[4, 5], Csr::new(5)).build().unwrap();
        round_trips(&d);
        assert_eq!(strict(&d, 59, &[1]), "descriptor: csr reserved must be 0, is 1, at byte 59");
        assert_eq!(strict(&d, 60, &[2]), "descriptor: buffer_count is 2, must be 3, at byte 60");
        assert_eq!(
            strict(&d, 93, &[39]),
            "descriptor: buffer 2: row_ptr too small: need 40 bytes, have 39, at byte 93"
        );
        let d = builder(ElementType::FLOAT32, &[4, 5], Csc::new(5)).build().unwrap();
        round_trips(&d);
        assert_eq!(
            strict(&d, 77, &[39]),
            "descriptor: buffer 1: row_indices too small: need 40 bytes, have 39, at byte 77"
        );
        assert_eq!(sizes(&[4], Csr::new(1)).unwrap_err(), "rank is 1, must be 2");
    }
}
