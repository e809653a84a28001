//! Which head binds which tensor, by places alone: tensors counted in the order of their
//! descriptors (composite.md, Binding).

use crate::bytes::memory;
use crate::error::{Error, ErrorKind, Result};

/// A head and what it binds.
#[derive(Debug)]
pub(super) struct Bound {
    /// The head, by its place in the index.
    pub(super) tensor: u64,
    pub(super) place: u64,
    /// The place after its last member and theirs.
    pub(super) end: u64,
    pub(super) promised: u32,
    pub(super) found: u32,
    /// Levels from the outermost head, which is at 1, to this one.
    pub(super) level: u32,
    /// Place among the heads of the one that binds it; its own when none does.
    outer: u32,
    /// Place among the heads of one further out, as [`Heads::around`] leaps; its own when there is
    /// none.
    leap: u32,
    pub(super) complete: bool,
}

/// Heads by place, each with the stretch of places that it and all nested in it take up. Two
/// stretches lie apart or one inside the other.
#[derive(Debug, Default)]
pub(super) struct Heads {
    heads: Vec<Bound>,
    places: u64,
    /// Those that wait for members, from the outermost on, by their places in `heads`. Empty in the
    /// end.
    waiting: Vec<u32>,
}

impl Heads {
    /// Adds the next tensor; it has members to come if it is a head.
    pub(super) fn add(&mut self, tensor: u64, promised: Option<u32>) -> Result<()> {
        let place = self.places;
        self.places = place.saturating_add(1);
        let outer = self.waiting.last().copied();
        if let Some(bound) = outer.and_then(|outer| self.heads.get_mut(at(outer))) {
            bound.found = bound.found.saturating_add(1);
        }
        if let Some(promised) = promised {
            let head = u32::try_from(self.heads.len())
                .map_err(|_| Error::new(ErrorKind::Overflow { what: "composite heads" }))?;
            let above = outer.and_then(|outer| self.heads.get(at(outer)));
            let (level, leap) = above.map_or((1, head), |above| {
                (above.level.saturating_add(1), self.leap_over(above, outer.unwrap_or(head)))
            });
            let (outer, found, complete) = (outer.unwrap_or(head), 0, false);
            let end = self.places;
            let bound = Bound { tensor, place, end, promised, found, level, outer, leap, complete };
            memory::push(&mut self.heads, bound)?;
            memory::push(&mut self.waiting, head)?;
        }
        while let Some(bound) = self.waiting.last().and_then(|&head| self.heads.get_mut(at(head)))
            && bound.found == bound.promised
        {
            (bound.complete, bound.end) = (true, self.places);
            self.waiting.pop();
        }
        Ok(())
    }

    /// The end: what still waits goes up to here.
    pub(super) fn finish(&mut self) {
        for head in std::mem::take(&mut self.waiting) {
            if let Some(bound) = self.heads.get_mut(at(head)) {
                bound.end = self.places;
            }
        }
    }

    /// All of them, by place.
    pub(super) fn all(&self) -> &[Bound] {
        &self.heads
    }

    /// The head at a place.
    pub(super) fn at(&self, place: u64) -> Option<&Bound> {
        let k = self.heads.binary_search_by_key(&place, |bound| bound.place).ok()?;
        self.heads.get(k)
    }

    /// The head that binds another.
    pub(super) fn outer(&self, bound: &Bound) -> Option<&Bound> {
        self.heads.get(at(bound.outer)).filter(|outer| outer.level < bound.level)
    }

    /// The head that binds the tensor at a place. Takes O(log n) steps for n heads, however deep
    /// they are nested: no file is bound to the eight levels that are valid.
    pub(super) fn around(&self, place: u64) -> Option<&Bound> {
        self.climb(place, |bound| bound.end > place)
    }

    /// The innermost of the heads that begin before a place and `holds` says yes to, which it does
    /// to all that are further out as well.
    fn climb(&self, place: u64, mut holds: impl FnMut(&Bound) -> bool) -> Option<&Bound> {
        let before = self.heads.partition_point(|bound| bound.place < place);
        let mut bound = self.heads.get(before.checked_sub(1)?)?;
        while !holds(bound) {
            let leap = self.heads.get(at(bound.leap)).filter(|leap| leap.level < bound.level)?;
            bound = if holds(leap) { self.outer(bound)? } else { leap };
        }
        Some(bound)
    }

    /// Where the leap of a head ends that is bound by `above`: at `above` itself, or, when the two
    /// leaps from there are of one length, where the second ends. So the leaps from any level on
    /// double as skew binary numbers do, and there are O(log n) of them to the outermost head.
    fn leap_over(&self, above: &Bound, above_at: u32) -> u32 {
        let Some(first) = self.heads.get(at(above.leap)) else { return above_at };
        let Some(second) = self.heads.get(at(first.leap)) else { return above_at };
        let length = |from: &Bound, to: &Bound| from.level.saturating_sub(to.level);
        match length(above, first) == length(first, second) {
            true => first.leap,
            false => above_at,
        }
    }
}

fn at(head: u32) -> usize {
    usize::try_from(head).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(promised: impl IntoIterator<Item = Option<u32>>) -> Heads {
        let mut heads = Heads::default();
        for (tensor, promised) in (0..).zip(promised) {
            heads.add(tensor, promised).unwrap();
        }
        heads.finish();
        heads
    }

    /// Random sequences against a stack that is walked tensor by tensor.
    #[test]
    fn every_tensor_is_bound_by_the_head_on_top_of_the_stack() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..2000 {
            let promised: Vec<Option<u32>> = (0..1 + random(60))
                .map(|_| (random(3 + round % 4) > 1).then(|| u32::try_from(random(4)).unwrap()))
                .collect();
            let mut expected = Vec::new();
            let mut stack: Vec<(u64, u32)> = Vec::new();
            for (tensor, promised) in (0..).zip(&promised) {
                while stack.last().is_some_and(|&(_, missing)| missing == 0) {
                    stack.pop();
                }
                expected.push(stack.last().map(|&(head, _)| head));
                if let Some((_, missing)) = stack.last_mut() {
                    *missing -= 1;
                }
                if let &Some(promised) = promised {
                    stack.push((tensor, promised));
                }
            }
            let heads = heads(promised.iter().copied());
            for (tensor, expected) in (0..).zip(expected) {
                let found = heads.around(tensor).map(|bound| bound.tensor);
                assert_eq!(found, expected, "tensor {tensor} of {promised:?}");
                if let Some(head) = heads.at(tensor) {
                    assert_eq!(heads.outer(head).map(|bound| bound.tensor), expected);
                }
            }
        }
    }

    /// A million heads, each in the one before, and a tensor that each of them still waits for: to
    /// go outwards head by head would take half a million steps for a tensor, 5 * 10^11 for all.
    #[test]
    fn nesting_without_a_bound_takes_a_logarithm_of_steps_a_tensor() {
        const DEEP: u64 = 1_000_000;
        let heads = heads((0..DEEP).map(|_| Some(2)).chain((0..=DEEP).map(|_| None)));
        let (mut steps, mut most) = (0_u64, 0);
        for place in 0..=2 * DEEP {
            let before = steps;
            let found = heads.climb(place, |bound| {
                steps += 1;
                bound.end > place
            });
            // The last head has two of the tensors, then each one outwards has one.
            let expected = match place {
                0 => None,
                1..=DEEP => Some(place - 1),
                _ => Some(2 * DEEP - place),
            };
            assert_eq!(found.map(|bound| bound.tensor), expected);
            most = most.max(steps - before);
        }
        // Leaps of skew binary numbers take 3 log2(n) steps at most, with two questions each.
        assert!(most <= 2 * 3 * 20, "{most} steps for one tensor");
    }

    #[test]
    fn a_head_costs_what_the_documentation_says() {
        assert_eq!(size_of::<Bound>(), 48);
    }
}
