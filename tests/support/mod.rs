//! What several test programs, and the fuzz targets, share.

pub(crate) mod choices;
pub(crate) mod descriptors;
pub(crate) mod files;
pub(crate) mod invent;
pub(crate) mod rebuild;
