//! Rows of numbers.

use std::io::{self, Write};

use super::number::Number;
use super::slices::Selection;

/// Writes elements as they come: a row a line, and above each matrix of more than two dimensions its
/// place.
pub(super) struct Rows<'s, W> {
    out: W,
    number: Number,
    selection: &'s Selection,
    /// Sizes of the result, and the index in it of the next element.
    shape: Vec<u64>,
    next: Vec<u64>,
    aligned: bool,
}

impl<'s, W: Write> Rows<'s, W> {
    pub(super) fn new(out: W, number: Number, selection: &'s Selection, aligned: bool) -> Self {
        let shape = selection.shape();
        let next = vec![0; shape.len()];
        Self { out, number, selection, shape, next, aligned }
    }

    /// Writes more elements.
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut texts = String::new();
        let mut ends = Vec::with_capacity(bytes.len() / self.number.width().max(1));
        let mut widest = 0;
        for element in bytes.chunks_exact(self.number.width()) {
            let start = texts.len();
            self.number.print(element, &mut texts);
            widest = widest.max(texts.len() - start);
            ends.push(texts.len());
        }
        let mut start = 0;
        for end in ends {
            self.element(&texts[start..end], widest)?;
            start = end;
        }
        Ok(())
    }

    fn element(&mut self, text: &str, widest: usize) -> io::Result<()> {
        let rank = self.shape.len();
        if rank > 2 && self.next[rank - 2..] == [0, 0] {
            self.heading()?;
        }
        let is_first = self.next.last().is_none_or(|&x| x == 0);
        match (self.aligned, is_first) {
            (true, true) => write!(self.out, "{text:>widest$}")?,
            (true, false) => write!(self.out, " {text:>widest$}")?,
            (false, true) => write!(self.out, "{text}")?,
            (false, false) => write!(self.out, "\t{text}")?,
        }
        let mut ends_row = rank == 0;
        for (k, (x, &size)) in self.next.iter_mut().zip(&self.shape).enumerate().rev() {
            *x += 1;
            if *x < size {
                break;
            }
            *x = 0;
            ends_row |= k == rank - 1;
        }
        if ends_row { writeln!(self.out) } else { Ok(()) }
    }

    /// Where in the tensor the matrix is that follows.
    fn heading(&mut self) -> io::Result<()> {
        if self.next.iter().any(|&x| x != 0) {
            writeln!(self.out)?;
        }
        let mut next = self.next.iter();
        let matrix = self.shape.len() - 2;
        let mut seen = 0;
        let places = self.selection.lower.iter().zip(&self.selection.kept).map(|(lower, &kept)| {
            if !kept {
                return lower.to_string();
            }
            seen += 1;
            match next.next() {
                Some(x) if seen <= matrix => (lower + x).to_string(),
                _ => ":".to_owned(),
            }
        });
        let places: Vec<String> = places.collect();
        writeln!(self.out, "[{}]", places.join(","))
    }

    /// Writes what is held back.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(selection: &Selection, numbers: &[i64], aligned: bool, piece: usize) -> String {
        let mut out = Vec::new();
        let mut rows = Rows::new(&mut out, Number::I64, selection, aligned);
        for piece in numbers.chunks(piece) {
            let bytes: Vec<u8> = piece.iter().flat_map(|x| x.to_ne_bytes()).collect();
            rows.put(&bytes).unwrap();
        }
        rows.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn whole(shape: &[u64]) -> Selection {
        let (lower, kept) = (vec![0; shape.len()], vec![true; shape.len()]);
        Selection { lower, extent: shape.to_vec(), kept }
    }

    #[test]
    fn a_row_a_line() {
        for piece in 1..7 {
            assert_eq!(text(&whole(&[]), &[7], false, piece), "7\n");
            assert_eq!(text(&whole(&[3]), &[1, 2, 3], false, piece), "1\t2\t3\n");
            assert_eq!(text(&whole(&[2, 2]), &[1, 2, 3, 4], false, piece), "1\t2\n3\t4\n");
            assert_eq!(text(&whole(&[2, 0]), &[], false, piece), "");
        }
        assert_eq!(text(&whole(&[2, 2]), &[1, -20, 3, 4], true, 4), "  1 -20\n  3   4\n");
    }

    #[test]
    fn matrices_and_where_they_are() {
        let selection = Selection {
            lower: vec![4, 9, 1, 2],
            extent: vec![2, 1, 1, 2],
            kept: vec![true, false, true, true],
        };
        let wanted = "[4,9,:,:]\n1\t2\n\n[5,9,:,:]\n3\t4\n";
        for piece in 1..5 {
            assert_eq!(text(&selection, &[1, 2, 3, 4], false, piece), wanted);
        }
    }
}
