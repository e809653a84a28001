//! Exact cover: whether boxes tile the index space of a head, every index in exactly one of them.
//!
//! # The check
//!
//! Give every pair of a dimension k and a coordinate x a random element r(k, x) of the field of
//! integers modulo 2^61 - 1, and let a box with the spans [l, u) weigh the product over its
//! dimensions of r(k, l) - r(k, u). Then
//!
//! > the weights of the members add up to the weight of the head
//!
//! whenever the members tile the head, and otherwise only by chance. This takes one step for a
//! dimension of a member, needs no volume (which leaves 64 bits, and 128, long before rank 64)
//! and no comparison of members with each other.
//!
//! # Why it holds
//!
//! Let f be the number of members that hold an index, less one inside the head. The members tile
//! the head if and only if f is 0 everywhere. Taking the difference of f to its neighbour, one
//! dimension after the other, gives a function D that is 0 everywhere if and only if f is, and
//! that is the sum over all boxes of their corners, signed by the number of upper bounds in them
//! (head with the opposite sign). Expanding the products above, members less head weigh the sum
//! over all corners c of D(c) r(0, c_0) r(1, c_1) ...: a polynomial in the r's, of degree rank,
//! whose coefficients are the values of D. They are integers of at most the number of boxes, less
//! than the prime, so the polynomial is 0 in the field if and only if the members tile the head.
//!
//! A tiling is therefore never refused. For anything else, the Schwartz-Zippel lemma bounds the
//! chance that a polynomial of degree d that is not 0 gives 0 by d times the largest probability
//! of one element. That is 2^-60 here (61 random bits, of which two patterns name 0): at rank 64
//! at most 2^-54, at rank 2 2^-59. Empty boxes weigh 0, as they should: both bounds are the same
//! coordinate. At rank 0 a box weighs 1, and there must be one of them.
//!
//! # Where the random elements come from
//!
//! From a pseudo-random function of (k, x) under a key of 128 bits that is drawn anew for each
//! check: AES-128 where the processor has instructions for its rounds, all ten of them, of the
//! block of x and k, cut to 61 bits; else SipHash-2-4 of the words k and x, cut likewise.
//! Nothing less will do: the boxes come from whoever made the file, who knows this program, and
//! with r linear, or of limited independence, wrong boxes that always pass can be made.
//!
//! Whoever made the file does not know the key, sees no value, and has one attempt for a key. A
//! file that passed with more than the chance for truly random elements would tell the function
//! from a random one by a single such attempt; no such way is known for either function, and both
//! were made against attackers who choose inputs and see outputs. AES differs from a random
//! function in that no two blocks encrypt to the same: cut to 61 of 128 bits, q of them show that
//! with a probability below q 2^-98 (Stam's bound), 2^-59 for the most that a head can bind (2^32
//! members of rank 64). Together the chance stays below 2^-50.
//!
//! # When it fails
//!
//! A mismatch is always a true violation. A slower [`search`](super::search) then looks for the
//! first index that is wrong.

use super::boxes::{Boxes, Span};
use super::field;
use super::keyed::{Key, Keyed, Method};
use super::search::{self, CoverFault};
use crate::bytes::math;
use crate::error::Result;
use std::ops::Range;

/// How many boxes are weighed at a time: enough to keep several evaluations of the random
/// function in flight, few enough for the first cache.
pub(super) const BATCH: usize = 64;

/// Whether `boxes` tile the index space of `shape`, which has their rank; if not, what is wrong.
///
/// Linear in boxes and dimensions, and needs no memory, when they do. Fails only when memory for
/// the search is short.
pub fn check(shape: &[u64], boxes: &Boxes, key: Key, method: Method) -> Result<Option<CoverFault>> {
    let keyed = Keyed::new(key, method);
    if sum(&keyed, boxes) == weight_of_head(&keyed, shape, 0..shape.len()) {
        return Ok(None);
    }
    search::first_fault(&keyed, shape, boxes, search::EFFORT).map(Some)
}

fn sum(keyed: &Keyed, boxes: &Boxes) -> u64 {
    if boxes.rank() == 0 {
        // Their number is less than the prime.
        return field::from_bits(math::wide(boxes.len()));
    }
    let mut sum = 0;
    for run in boxes.runs(BATCH) {
        for &weight in weigh(keyed, 0..boxes.rank(), run, &mut [0; BATCH]) {
            sum = field::add(sum, weight);
        }
    }
    sum
}

/// The weight of a head in these dimensions of it.
pub(super) fn weight_of_head(keyed: &Keyed, shape: &[u64], dimensions: Range<usize>) -> u64 {
    let mut weight = 1;
    for (&upper, dimension) in shape.iter().zip(0_u64..).take(dimensions.end).skip(dimensions.start)
    {
        let mut pair = [[0, upper]];
        keyed.fill(dimension, pair.as_flattened_mut());
        for pair in pair {
            weight = field::mul(weight, difference(pair));
        }
    }
    weight
}

/// The weights of at most `BATCH` boxes in these dimensions of them.
///
/// Members that follow one another often share their bounds in some dimension, as those of a grid
/// do in all but one: the random function is asked once for what follows at once.
pub(super) fn weigh<'b, 'w>(
    keyed: &Keyed,
    dimensions: Range<usize>,
    boxes: impl ExactSizeIterator<Item = &'b [Span]> + Clone,
    weights: &'w mut [u64; BATCH],
) -> &'w [u64] {
    let weights = weights.get_mut(..boxes.len()).unwrap_or_default();
    weights.fill(1);
    let mut bounds = [[0; 2]; BATCH];
    let mut places = [0; BATCH];
    for dimension in dimensions {
        // Nobody foretells which bounds are new: so no branch.
        let (mut count, mut last) = (0_usize, None);
        for (place, spans) in places.iter_mut().zip(boxes.clone()) {
            let pair = spans.get(dimension).map_or([0; 2], |span| [span.lower, span.upper]);
            let is_new = last != Some(pair);
            if let Some(room) = bounds.get_mut(count) {
                *room = pair;
            }
            *place = count.wrapping_sub(usize::from(!is_new));
            count = count.wrapping_add(usize::from(is_new));
            last = Some(pair);
        }
        let distinct = bounds.get_mut(..count).unwrap_or_default();
        keyed.fill(math::wide(dimension), distinct.as_flattened_mut());
        for pair in &mut *distinct {
            *pair = [difference(*pair), 0];
        }
        for (weight, &place) in weights.iter_mut().zip(&places) {
            let [factor, _] = distinct.get(place).copied().unwrap_or_default();
            *weight = field::mul(*weight, factor);
        }
    }
    weights
}

/// The random element of a lower bound less that of an upper one.
fn difference([lower, upper]: [u64; 2]) -> u64 {
    field::sub(field::from_bits(lower), field::from_bits(upper))
}
