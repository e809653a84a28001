//! Short lists that need no allocation.

use std::fmt;
use std::ops::Deref;

use super::memory;
use crate::error::Result;

/// A list of `T`, the first `N` of which live in place; a longer one lives on the heap, reserved
/// fallibly.
pub struct Few<T, const N: usize>(Repr<T, N>);

enum Repr<T, const N: usize> {
    Inline { len: u8, items: [T; N] },
    Heap(Vec<T>),
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// An empty list.
    #[inline]
    pub fn new() -> Self {
        Self(Repr::Inline { len: 0, items: [T::default(); N] })
    }

    /// An empty list, as a constant; `filler` is what lies in the unused places.
    pub const fn empty(filler: T) -> Self {
        Self(Repr::Inline { len: 0, items: [filler; N] })
    }

    /// An empty list with room for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> Result<Self> {
        if capacity <= N {
            return Ok(Self::new());
        }
        Ok(Self(Repr::Heap(memory::vec(capacity)?)))
    }

    /// A copy of `values`.
    pub fn copy(values: &[T]) -> Result<Self> {
        Self::map(values, |&value| value)
    }

    /// What `convert` makes of each of `sources`.
    #[inline]
    pub fn map<S>(sources: &[S], convert: impl FnMut(&S) -> T) -> Result<Self> {
        let mut few = Self::new();
        few.fill(sources, convert)?;
        Ok(few)
    }

    /// Makes an empty list what `convert` makes of each of `sources`, where it lies: for lists in a
    /// larger whole that is read often, which moving them would cost more than reading them.
    #[inline]
    pub fn fill<S>(&mut self, sources: &[S], mut convert: impl FnMut(&S) -> T) -> Result<()> {
        match (&mut self.0, u8::try_from(sources.len())) {
            (Repr::Inline { len, items }, Ok(count)) if sources.len() <= N => {
                for (item, source) in items.iter_mut().zip(sources) {
                    *item = convert(source);
                }
                *len = count;
            }
            _ => {
                let mut heap = memory::vec(sources.len())?;
                heap.extend(sources.iter().map(convert));
                self.0 = Repr::Heap(heap);
            }
        }
        Ok(())
    }

    /// Appends one element.
    pub fn push(&mut self, value: T) -> Result<()> {
        match &mut self.0 {
            Repr::Inline { len, items } => {
                if let Some(item) = items.get_mut(usize::from(*len))
                    && *len < u8::MAX
                {
                    *item = value;
                    *len = len.saturating_add(1);
                    return Ok(());
                }
                let mut heap = memory::vec(usize::from(*len).saturating_mul(2).max(4))?;
                heap.extend_from_slice(items);
                heap.push(value);
                self.0 = Repr::Heap(heap);
                Ok(())
            }
            Repr::Heap(heap) => memory::push(heap, value),
        }
    }

    /// A copy of this list.
    pub fn try_clone(&self) -> Result<Self> {
        Self::copy(self)
    }
}

impl<T, const N: usize> Few<T, N> {
    /// The elements.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        match &self.0 {
            Repr::Inline { len, items } => items.get(..usize::from(*len)).unwrap_or_default(),
            Repr::Heap(heap) => heap,
        }
    }

    /// The elements, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::Inline { len, items } => items.get_mut(..usize::from(*len)).unwrap_or_default(),
            Repr::Heap(heap) => heap,
        }
    }

    /// Bytes that this list holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Inline { .. } => 0,
            Repr::Heap(heap) => heap.capacity().saturating_mul(size_of::<T>()),
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Few<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq, const N: usize> Eq for Few<T, N> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_moves_to_the_heap_when_it_must() {
        let mut few = Few::<u64, 2>::new();
        for k in 0..9 {
            assert_eq!(few.len(), k);
            assert_eq!(few.heap_bytes() == 0, k <= 2);
            few.push(k as u64).unwrap();
        }
        assert_eq!(&few[..], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(few, few.try_clone().unwrap());
        few.as_mut_slice()[8] = 7;
        assert_eq!(few.last(), Some(&7));
        assert_eq!(Few::<u64, 2>::copy(&[1, 2]).unwrap().heap_bytes(), 0);
        assert_eq!(Few::<u64, 2>::copy(&[1, 2, 3]).unwrap().heap_bytes(), 24);
        assert_eq!(Few::<u64, 0>::copy(&[]).unwrap().len(), 0);
    }
}
