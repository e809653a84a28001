//! The composites of a file, as trees: who belongs to which head (composite.md, Binding).
//!
//! From descriptors alone, so that it works for a file that only passes. Whether members fit their
//! head is not looked at: that is `hrry verify`.

use hurray::Result;
use hurray::descriptor::Layout;
use hurray::descriptor::layout::Composition;

use crate::facts::Facts;

/// Levels that there may be. What is nested deeper is not valid, and not shown.
const MOST_LEVELS: usize = 8;

/// All heads of a file.
pub(crate) struct Trees<'f> {
    facts: &'f Facts,
    /// In the order of their descriptors.
    heads: Vec<Head>,
}

/// A head and what it binds. Places count tensors in the order of their descriptors.
pub(crate) struct Head {
    pub(crate) tensor: u64,
    pub(crate) rule: Composition,
    /// member_count.
    pub(crate) promised: u32,
    /// Members that there are.
    pub(crate) found: u32,
    /// Whether all members are there, and all of theirs.
    pub(crate) complete: bool,
    level: usize,
    place: u64,
    /// The place after its last member and theirs.
    end: u64,
}

/// A member, and its place among the heads if it is one.
pub(crate) struct Member {
    pub(crate) tensor: u64,
    pub(crate) head: Option<usize>,
}

impl<'f> Trees<'f> {
    /// Goes through the tensors without data: heads have none.
    pub(crate) fn of(facts: &'f Facts) -> Result<Self> {
        let file = facts.file();
        let mut heads: Vec<Head> = Vec::new();
        let count = file.tensor_count();
        let is_empty = |i| file.entry(i).is_ok_and(|entry| entry.data_length == 0);
        if !(0..count).any(is_empty) {
            return Ok(Self { facts, heads });
        }
        // The heads that wait for members, from the outermost on.
        let mut waiting: Vec<usize> = Vec::new();
        for place in 0..count {
            let tensor = file.in_file_order(place)?;
            if let Some(&outer) = waiting.last() {
                heads[outer].found += 1;
            }
            let fields = is_empty(tensor).then(|| facts.peek(tensor, |d| head_fields(d.layout())));
            if let Some((rule, promised)) = fields.flatten().flatten() {
                let (found, complete, level) = (0, false, waiting.len() + 1);
                let end = place + 1;
                waiting.push(heads.len());
                heads.push(Head { tensor, rule, promised, found, complete, level, place, end });
            }
            while let Some(&inner) = waiting.last()
                && heads[inner].found == heads[inner].promised
            {
                heads[inner].complete = true;
                heads[inner].end = place + 1;
                waiting.pop();
            }
        }
        for torn in waiting {
            heads[torn].end = count;
        }
        Ok(Self { facts, heads })
    }

    /// What the file says of its tensors.
    pub(crate) fn facts(&self) -> &'f Facts {
        self.facts
    }

    /// The name of a tensor.
    pub(crate) fn name(&self, tensor: u64) -> &'f str {
        self.facts.file().entry(tensor).map_or("", |entry| entry.name)
    }

    /// A head.
    pub(crate) fn head(&self, k: usize) -> &Head {
        &self.heads[k]
    }

    /// The heads that are in no other composite.
    pub(crate) fn outermost(&self) -> impl Iterator<Item = usize> {
        (0..self.heads.len()).filter(|&k| self.heads[k].level == 1)
    }

    /// The members of a head. They nest to eight levels, whatever the file has.
    pub(crate) fn members(&self, k: usize) -> impl Iterator<Item = Result<Member>> {
        let end = self.heads[k].end;
        let (mut place, mut next) = (self.heads[k].place + 1, k + 1);
        std::iter::from_fn(move || {
            if place >= end {
                return None;
            }
            let tensor = self.facts.file().in_file_order(place);
            let inner = self.heads.get(next).filter(|head| head.place == place);
            let head = inner.filter(|head| head.level <= MOST_LEVELS).map(|_| next);
            place = inner.map_or(place + 1, |head| head.end);
            next += self.heads[next..].partition_point(|head| head.place < place);
            Some(tensor.map(|tensor| Member { tensor, head }))
        })
    }
}

fn head_fields(layout: &Layout) -> Option<(Composition, u32)> {
    match layout {
        Layout::Composite(fields) => Some((fields.rule(), fields.member_count())),
        _ => None,
    }
}
