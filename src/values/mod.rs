//! Values of elements: what descriptors and buffers say together.

mod dense;
mod half;
mod merged;
mod sum;
