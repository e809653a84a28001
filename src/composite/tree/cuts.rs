//! Planes that cut between boxes: the smallest part that one of them cuts off, again and again.
//!
//! The boxes are kept sorted in every dimension and from both ends, as linked lists. All lists are
//! walked at the same pace; the first that comes to a plane has found the smallest part. Finding
//! and taking a part then costs as much as the part is large, so that all of them together cost
//! O(r n log n), even where each plane cuts off one box only.

use super::to_usize;
use crate::bytes::memory;
use crate::composite::boxes::Boxes;
use crate::error::Result;

/// Boxes, as they are left over.
pub(super) struct Cuts<'b> {
    boxes: &'b Boxes,
    members: &'b [u32],
    lists: Vec<List>,
    left: usize,
}

/// The end of a list.
const END: u32 = u32::MAX;

/// Boxes, by their place in `members`, sorted from one end of one dimension.
struct List {
    dimension: usize,
    end: End,
    first: u32,
    links: Vec<Link>,
    /// How far the walk has come: the next box, and how far those before it reach.
    next: u32,
    reach: u64,
}

#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
}

#[derive(Clone, Copy)]
enum End {
    Below,
    Above,
}

/// What a plane cuts off: the first boxes of a list.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    list: usize,
    count: usize,
    /// The dimension that the plane goes across.
    pub(super) dimension: usize,
}

impl<'b> Cuts<'b> {
    /// These boxes, in the dimensions in which planes are looked for.
    pub(super) fn new(
        boxes: &'b Boxes,
        members: &'b [u32],
        dimensions: impl Iterator<Item = usize>,
    ) -> Result<Self> {
        let mut cuts = Self { boxes, members, lists: Vec::new(), left: members.len() };
        let mut sorted = memory::vec(members.len())?;
        for dimension in dimensions {
            for end in [End::Below, End::Above] {
                sorted.clear();
                sorted.extend(
                    (0..END)
                        .zip(members)
                        .map(|(place, _)| (cuts.bounds(dimension, end, place).0, place)),
                );
                sorted.sort_unstable();
                let list = List::new(dimension, end, &sorted)?;
                memory::push(&mut cuts.lists, list)?;
            }
        }
        Ok(cuts)
    }

    /// How many boxes are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Where a box begins and ends, seen from one end of a dimension.
    fn bounds(&self, dimension: usize, end: End, place: u32) -> (u64, u64) {
        let member = self.members.get(to_usize(place)).copied().unwrap_or_default();
        match (self.boxes.get(to_usize(member)).get(dimension), end) {
            (Some(span), End::Below) => (span.lower, span.upper),
            (Some(span), End::Above) => (!span.upper, !span.lower),
            (None, _) => (0, 0),
        }
    }

    /// The smallest part that a plane cuts off from the boxes that are left.
    pub(super) fn smallest(&mut self) -> Option<Cut> {
        let mut lists = std::mem::take(&mut self.lists);
        for list in &mut lists {
            (list.next, list.reach) = (list.first, 0);
        }
        let found = (1..=self.left / 2).find_map(|count| {
            let found = lists.iter_mut().zip(0..).find_map(|(list, place)| {
                let (_, end) = self.bounds(list.dimension, list.end, list.next);
                list.reach = list.reach.max(end);
                list.next = list.link(list.next).next;
                let cuts = list.reach <= self.bounds(list.dimension, list.end, list.next).0;
                cuts.then_some((place, list.dimension))
            });
            found.map(|(list, dimension)| Cut { list, count, dimension })
        });
        self.lists = lists;
        found
    }

    /// Takes a part away, into `taken`, which has room for it.
    pub(super) fn take(&mut self, cut: Cut, taken: &mut Vec<u32>) {
        for _ in 0..cut.count {
            let Some(list) = self.lists.get(cut.list) else { return };
            let place = list.first;
            taken.extend(self.members.get(to_usize(place)));
            for list in &mut self.lists {
                list.remove(place);
            }
            self.left = self.left.saturating_sub(1);
        }
    }

    /// Takes all that is left, into `taken`, which has room for it.
    pub(super) fn take_rest(&mut self, taken: &mut Vec<u32>) {
        match self.lists.len() {
            // Without a dimension nothing was sorted and nothing taken.
            0 => taken.extend(self.members),
            _ => self.take(Cut { list: 0, count: self.left, dimension: 0 }, taken),
        }
        self.left = 0;
    }
}

impl List {
    fn new(dimension: usize, end: End, sorted: &[(u64, u32)]) -> Result<Self> {
        let mut links = memory::filled(Link { previous: END, next: END }, sorted.len())?;
        let mut previous = END;
        for &(_, place) in sorted {
            if let Some(link) = links.get_mut(to_usize(place)) {
                link.previous = previous;
            }
            if let Some(link) = links.get_mut(to_usize(previous)) {
                link.next = place;
            }
            previous = place;
        }
        let first = sorted.first().map_or(END, |&(_, place)| place);
        Ok(Self { dimension, end, first, links, next: first, reach: 0 })
    }

    fn link(&self, place: u32) -> Link {
        self.links.get(to_usize(place)).copied().unwrap_or(Link { previous: END, next: END })
    }

    fn remove(&mut self, place: u32) {
        let Link { previous, next } = self.link(place);
        match self.links.get_mut(to_usize(previous)) {
            Some(link) => link.next = next,
            None => self.first = next,
        }
        if let Some(link) = self.links.get_mut(to_usize(next)) {
            link.previous = previous;
        }
    }
}
