//! Pointers: where each of several lists begins in one that holds them all, and where the last
//! ends. They begin with 0, never decrease, and end with the length of all.

use super::Pass;
use super::place::Place;
use crate::error::EntryFault;

/// Pointers as they pass.
pub(super) struct Pointers {
    /// The number of the last.
    last: u64,
    /// Entries of the list that they point into.
    entries: u64,
    seen: u64,
    previous: u64,
    sound: bool,
}

impl Pointers {
    /// `lists` lists, of which there is a pointer more, in one of `entries` entries.
    pub(super) fn new(lists: u64, entries: u64) -> Self {
        Self { last: lists, entries, seen: 0, previous: 0, sound: true }
    }

    /// The next pointer. Gives how long the list is that it ends, unless it or one before it is
    /// wrong: then nobody knows where lists begin.
    pub(super) fn take(
        &mut self,
        pass: &mut Pass<'_, '_, '_>,
        place: &mut Place,
        value: u64,
    ) -> Option<u64> {
        let (index, previous) = (self.seen, self.previous);
        let faults = [
            (index == 0 && value != 0).then_some(EntryFault::Start { found: value }),
            (value < previous).then_some(EntryFault::Descends { value, previous }),
            (index == self.last && value != self.entries)
                .then_some(EntryFault::End { found: value, expected: self.entries }),
        ];
        for fault in faults.into_iter().flatten() {
            self.sound = false;
            place.report(pass, index, fault);
        }
        // One beyond the end means that a later one breaks a rule.
        self.sound &= value <= self.entries;
        self.previous = value;
        self.seen = index.saturating_add(1);
        self.sound.then(|| value.saturating_sub(previous))
    }

    /// Whether all that came are right.
    pub(super) fn are_sound(&self) -> bool {
        self.sound
    }
}
