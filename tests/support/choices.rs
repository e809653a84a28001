//! Choices made by a string of bytes: what a property test shrinks and a fuzzer mutates.

/// Hands out choices until the bytes are used up; from then on always the first.
pub(crate) struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte
            }
            None => 0,
        }
    }

    /// Eight bytes, whatever they are.
    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below `count`, which is 1 to 256.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// True once in `count` times.
    pub(crate) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// One of `usual`, now and then one of `odd`.
    pub(crate) fn mostly<T: Copy>(&mut self, usual: &[T], odd: &[T]) -> T {
        let list = if self.once_in(24) { odd } else { usual };
        self.pick(list)
    }

    /// As many of what `make` makes as asked for.
    pub(crate) fn many<T>(&mut self, count: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..count).map(|_| make(self)).collect()
    }

    /// Bytes that look like data.
    pub(crate) fn data(&mut self, length: usize) -> Vec<u8> {
        let (first, step) = (self.byte(), self.byte());
        (0..=u8::MAX)
            .cycle()
            .take(length)
            .map(|k| first.wrapping_add(k.wrapping_mul(step)))
            .collect()
    }
}
