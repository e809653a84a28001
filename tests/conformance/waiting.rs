//! The rejects that this version cannot decide yet, by file, with what each waits for.
//!
//! They are exactly those: one that is refused already fails its test until it is taken out here.

use std::collections::BTreeSet;

use crate::vectors::known;

const CONTENT: &str = "content: a rule about the bytes of buffers";

const LIST: &[(&str, &[&str])] = &[(
    CONTENT,
    &[
        "generated/mut_COO_INDEX_U64_MAX.hrry",
        "generated/mut_COO_DUPLICATE.hrry",
        "generated/mut_COO_UNSORTED.hrry",
        "generated/mut_CSR_PTR_END.hrry",
        "generated/mut_CSR_PTR_DECREASING.hrry",
        "generated/mut_CSR_INDEX_OOB.hrry",
        "generated/mut_CSR_DUPLICATE.hrry",
        "generated/mut_CSC_PTR_START.hrry",
        "generated/mut_CSC_PTR_DECREASING.hrry",
        "generated/mut_CSC_INDEX_OOB.hrry",
        "generated/mut_CSC_UNSORTED.hrry",
        "generated/mut_CSF_POS0_END.hrry",
        "generated/mut_CSF_LEAF_POS_END.hrry",
        "generated/mut_CSF_LEAF_OOB.hrry",
        "generated/mut_CSF_CRD0_UNSORTED.hrry",
        "generated/mut_PAGED_PTR_DECREASING.hrry",
        "generated/mut_PAGED_PTR_END.hrry",
        "generated/mut_PAGED_PAGE_ID_OOB.hrry",
        "generated/mut_MX_SCALE_BYTE_00.hrry",
        "generated/mut_MX_SCALE_BYTE_FF.hrry",
        "generated/mut_NF4_SCALE_NEGATIVE.hrry",
        "generated/mut_NF4_SCALE_INF.hrry",
        "generated/mut_SCALE_ZERO.hrry",
        "generated/mut_ZERO_POINT_RANGE.hrry",
        "edges/paged_page_out_of_range.hrry",
        "edges/e8m0_zero_as_data.hrry",
    ],
)];

/// What a reject waits for, if it does.
pub(crate) fn reason(id: &str) -> Option<&'static str> {
    LIST.iter().find(|(_, files)| files.contains(&id)).map(|(reason, _)| *reason)
}

/// Demands that the list names only what there is.
pub(crate) fn check(ids: &BTreeSet<String>, complete: bool) {
    for file in LIST.iter().flat_map(|(_, files)| *files) {
        known("waiting", file, ids, complete);
    }
}
