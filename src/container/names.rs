//! Finding an entry by its name: one keyed hash table for the index, one for the KV section.

use super::system;
use crate::bytes::math;
use crate::error::{Error, ErrorKind, Result};
use ahash::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hasher};

/// The key of the tables of one open file, drawn anew for each, so that no file can be made whose
/// names collide.
#[derive(Clone, Debug)]
pub(super) struct NameKey(RandomState);

impl NameKey {
    pub(super) fn draw() -> Result<Self> {
        let [a, b, c, d] = system::random_keys()?;
        Ok(Self(RandomState::with_seeds(a, b, c, d)))
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write(name);
        hasher.finish()
    }
}

/// Positions of entries by name. The names stay where they are; whoever holds them says which one
/// stands at a position.
#[derive(Debug)]
pub(super) struct Names {
    key: NameKey,
    table: HashTable<u32>,
}

impl Names {
    /// An empty table with room for `count` names. The bytes that back the count must have been
    /// seen.
    pub(super) fn new(key: NameKey, count: u64) -> Result<Self> {
        if count > u64::from(u32::MAX) {
            return Err(Error::new(ErrorKind::Unsupported { what: "more than 2^32 - 1 entries" }));
        }
        let mut table = HashTable::new();
        let refused = || Error::new(ErrorKind::Memory { bytes: count.saturating_mul(5) });
        let room = usize::try_from(count).map_err(|_| refused())?;
        // The table is empty: there is nothing to hash again.
        table.try_reserve(room, |_| 0).map_err(|_| refused())?;
        Ok(Self { key, table })
    }

    /// Makes room for one more name.
    pub(super) fn reserve<'n>(&mut self, name_at: impl Fn(u32) -> &'n [u8]) -> Result<()> {
        let Self { key, table } = self;
        let more = math::wide(table.len()).saturating_add(1);
        table
            .try_reserve(1, |&other| key.hash(name_at(other)))
            .map_err(|_| Error::new(ErrorKind::Memory { bytes: more.saturating_mul(5) }))
    }

    /// Adds the name of `position`, or says at which position the same name already stands.
    pub(super) fn insert<'n>(
        &mut self,
        name: &[u8],
        position: u32,
        name_at: impl Fn(u32) -> &'n [u8],
    ) -> std::result::Result<(), u32> {
        let key = &self.key;
        let same = |&other: &u32| name_at(other) == name;
        match self.table.entry(key.hash(name), same, |&other| key.hash(name_at(other))) {
            Entry::Occupied(entry) => Err(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(position);
                Ok(())
            }
        }
    }

    /// The position of a name.
    pub(super) fn find<'n>(&self, name: &[u8], name_at: impl Fn(u32) -> &'n [u8]) -> Option<u32> {
        self.table.find(self.key.hash(name), |&other| name_at(other) == name).copied()
    }
}
