//! Tiled (layouts.md, Tiled): tiles in one order, elements in each in another, or again in tiles.

use super::order::Order;
use super::span::Span;
use super::{Fields, Need, Rules};
use crate::bytes::{Cursor, Sink, math, memory};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::{self, Dims};
use crate::error::{Error, ErrorKind, Result};

/// The most levels of tiles within tiles.
pub const MAX_LEVELS: usize = 8;

/// inner_layout of tiles that are tiled again.
const NESTED: u8 = 4;

/// The tiled layout: one or more levels, the outermost first.
#[derive(Debug, PartialEq)]
pub struct Tiled {
    levels: Vec<Level>,
}

/// One level of tiles.
#[derive(Debug, PartialEq)]
pub struct Level {
    tile_shape: Dims,
    outer: Order,
    /// `None`: the next level says.
    inner: Option<Order>,
}

impl Level {
    /// Tiles of this shape in the order `outer`, their elements in the order `inner`; `None` when
    /// they are tiled again, by the next level.
    pub fn new(tile_shape: &[u64], outer: Order, inner: Option<Order>) -> Result<Self> {
        Ok(Self { tile_shape: Dims::copy(tile_shape)?, outer, inner })
    }

    /// The shape of a tile; none of its sizes is 0.
    pub fn tile_shape(&self) -> &[u64] {
        &self.tile_shape
    }

    /// The order of the tiles.
    pub fn outer(&self) -> &Order {
        &self.outer
    }

    /// The order of the elements in a tile; `None` when the next level says.
    pub fn inner(&self) -> Option<&Order> {
        self.inner.as_ref()
    }

    /// `inner_layout`.
    pub fn inner_tag(&self) -> u8 {
        self.inner.as_ref().map_or(NESTED, Order::tag)
    }

    fn read(cursor: &mut Cursor<'_>, rank: usize) -> Result<Self> {
        let tile_shape = shape::read(cursor, rank, "tile_shape")?;
        let at = cursor.offset();
        let (outer, inner) = (cursor.u8("outer_layout")?, cursor.u8("inner_layout")?);
        for (place, what, tag, max) in
            [(0, "outer_layout", outer, 3), (1, "inner_layout", inner, NESTED)]
        {
            if tag == 0 || tag > max {
                let (value, max) = (tag.into(), max.into());
                return Err(Error::new(ErrorKind::Limits { what, value, min: 1, max })
                    .at(at.saturating_add(place)));
            }
        }
        cursor.reserved(2, "tiled reserved")?;
        let outer = Order::read(cursor, rank, outer, "outer_strides")?;
        let inner = match inner {
            NESTED => None,
            tag => Some(Order::read(cursor, rank, tag, "inner_strides")?),
        };
        Ok(Self { tile_shape, outer, inner })
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        shape::write(&self.tile_shape, sink)?;
        sink.bytes(&[self.outer.tag(), self.inner_tag(), 0, 0])?;
        self.outer.write(sink)?;
        self.inner.as_ref().map_or(Ok(()), |inner| inner.write(sink))
    }

    fn encoded_len(&self) -> u64 {
        let orders = [Some(&self.outer), self.inner.as_ref()];
        let strides = orders.into_iter().flatten().filter_map(Order::strides);
        let numbers = strides.map(<[i64]>::len).fold(self.tile_shape.len(), usize::saturating_add);
        math::wide(numbers).saturating_mul(8).saturating_add(4)
    }

    fn check(&self, rank: u64) -> Result<()> {
        let (what, found) = ("count of tile_shape", math::wide(self.tile_shape.len()));
        if found != rank {
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected: rank }));
        }
        if let Some((index, _)) = (0..).zip(&*self.tile_shape).find(|(_, size)| **size == 0) {
            let (what, rule) = ("tile_shape", "must not be 0");
            return Err(Error::new(ErrorKind::RuleAt { what, index, rule }));
        }
        self.outer.check("count of outer_strides", rank)?;
        self.inner.as_ref().map_or(Ok(()), |inner| inner.check("count of inner_strides", rank))
    }

    /// The offsets of whole tiles over a region of these sizes, of which none is 0.
    fn span(&self, region: &[u64], inner: Span) -> Result<Span> {
        let what = "count of tiles";
        let grid = || region.iter().zip(&*self.tile_shape).map(|(&n, &t)| math::div_ceil(n, t));
        let count = grid().try_fold(1, |a, b| math::mul(a, b, what));
        let tile = math::product(&self.tile_shape, "elements of a tile")?;
        self.outer.span(grid(), count)?.tiles(tile, inner)
    }

    fn try_clone(&self) -> Result<Self> {
        Self::new(
            &self.tile_shape,
            self.outer.try_clone()?,
            self.inner.as_ref().map(Order::try_clone).transpose()?,
        )
    }

    fn heap_bytes(&self) -> usize {
        let inner = self.inner.as_ref().map_or(0, Order::heap_bytes);
        self.tile_shape.heap_bytes().saturating_add(self.outer.heap_bytes()).saturating_add(inner)
    }
}

impl Tiled {
    /// One level of tiles.
    pub fn new(tile_shape: &[u64], outer: Order, inner: Order) -> Result<Self> {
        let mut levels = memory::vec(1)?;
        levels.push(Level::new(tile_shape, outer, Some(inner))?);
        Ok(Self { levels })
    }

    /// Tiles within tiles: 1 to 8 levels, of which only the last has an inner order.
    pub fn nested(levels: Vec<Level>) -> Result<Self> {
        check_depth(levels.len())?;
        let last = levels.len().saturating_sub(1);
        for (k, level) in levels.iter().enumerate() {
            if level.inner.is_some() != (k == last) {
                let rule = "the last level of tiles, and no other, has an inner order";
                return Err(Error::new(ErrorKind::Rule { rule }));
            }
        }
        Ok(Self { levels })
    }

    /// The levels, the outermost first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}

fn check_depth(levels: usize) -> Result<()> {
    match levels {
        1..=MAX_LEVELS => Ok(()),
        _ => Err(Error::new(ErrorKind::Limits {
            what: "levels of tiles",
            value: math::wide(levels),
            min: 1,
            max: math::wide(MAX_LEVELS),
        })),
    }
}

impl Fields for Tiled {
    fn read(cursor: &mut Cursor<'_>, shape: &[u64], _mode: Mode) -> Result<Self> {
        let mut levels = memory::vec(1)?;
        loop {
            let at = cursor.offset();
            check_depth(levels.len().saturating_add(1)).map_err(|error| error.at(at))?;
            let level = Level::read(cursor, shape.len())?;
            let is_last = level.inner.is_some();
            memory::push(&mut levels, level)?;
            if is_last {
                return Ok(Self { levels });
            }
        }
    }

    fn try_clone(&self) -> Result<Self> {
        let mut levels = memory::vec(self.levels.len())?;
        for level in &self.levels {
            levels.push(level.try_clone()?);
        }
        Ok(Self { levels })
    }
}

impl Rules for Tiled {
    fn encoded_len(&self) -> u64 {
        self.levels.iter().map(Level::encoded_len).fold(0, u64::saturating_add)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        self.levels.iter().try_for_each(|level| level.write(sink))
    }

    /// Tiles have a size, and those of a level divide those of the level above: else addresses
    /// would run into the next tile (decisions.md row 17).
    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let mut above: Option<&Level> = None;
        for level in &self.levels {
            level.check(math::wide(shape.len()))?;
            let parents = above.map_or(&[][..], Level::tile_shape);
            for (&value, &alignment) in parents.iter().zip(level.tile_shape()) {
                if !value.is_multiple_of(alignment) {
                    let what = "tile_shape around a nested tile";
                    return Err(Error::new(ErrorKind::Misaligned { what, value, alignment }));
                }
            }
            above = Some(level);
        }
        Ok(())
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        if facts.is_dynamic() {
            return Ok(Need::Unknown);
        }
        if facts.is_empty() {
            return facts.room(Some(0));
        }
        // From the innermost level outwards: what a tile reaches is what the level above repeats.
        let mut reached = None;
        for (k, level) in self.levels.iter().enumerate().rev() {
            let inner = match (&level.inner, reached) {
                (None, Some(reached)) => reached,
                (inner, _) => {
                    let tile = math::product(&level.tile_shape, "elements of a tile");
                    let order = inner.as_ref().unwrap_or(&Order::RowMajor);
                    order.span(level.tile_shape.iter().copied(), tile)?
                }
            };
            let above = k.checked_sub(1).and_then(|k| self.levels.get(k));
            reached = Some(level.span(above.map_or(facts.shape, Level::tile_shape), inner)?);
        }
        reached.map_or(Ok(Need::Unknown), |span| span.need(facts))
    }

    fn heap_bytes(&self) -> usize {
        let nested = self.levels.iter().map(Level::heap_bytes).fold(0, usize::saturating_add);
        self.levels.capacity().saturating_mul(size_of::<Level>()).saturating_add(nested)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};
    use crate::descriptor::{DYNAMIC, ElementType};

    /// The place of an index on a grid in this order, as layouts.md has it.
    fn place(order: &Order, grid: &[i64], index: &[i64]) -> i64 {
        let strides: Vec<i64> = match order {
            Order::Strided(_) => order.strides().unwrap().to_vec(),
            Order::RowMajor => (0..grid.len()).map(|k| grid[k + 1..].iter().product()).collect(),
            Order::ColumnMajor => (0..grid.len()).map(|k| grid[..k].iter().product()).collect(),
        };
        index.iter().zip(strides).map(|(i, s)| i * s).sum()
    }

    /// e = outer(t) * T + inner(r), level by level.
    fn address(levels: &[Level], region: &[i64], index: &[i64]) -> i64 {
        let tile: Vec<i64> = levels[0].tile_shape.iter().map(|n| n.cast_signed()).collect();
        let each = |f: fn(i64, i64) -> i64, a: &[i64]| -> Vec<i64> {
            a.iter().zip(&tile).map(|(&a, &t)| f(a, t)).collect()
        };
        let grid = each(|n, t| (n + t - 1) / t, region);
        let (t, r) = (each(|i, t| i / t, index), each(|i, t| i % t, index));
        let inner = match &levels[0].inner {
            Some(order) => place(order, &tile, &r),
            None => address(&levels[1..], &tile, &r),
        };
        place(&levels[0].outer, &grid, &t) * tile.iter().product::<i64>() + inner
    }

    /// Every index of a box.
    fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
        sizes.iter().fold(vec![vec![]], |all, &n| {
            all.iter().flat_map(|i| (0..n).map(move |k| [&i[..], &[k]].concat())).collect()
        })
    }

    fn order() -> impl Strategy<Value = Option<[i64; 2]>> {
        prop_oneof![Just(Some([0, 0])), Just(None), [-3..4i64, -3..4i64].prop_map(Some)]
    }

    /// `None` is column-major, zero strides are row-major.
    fn as_order(order: Option<[i64; 2]>) -> Order {
        match order {
            None => Order::ColumnMajor,
            Some([0, 0]) => Order::RowMajor,
            Some(strides) => Order::strided(&strides).unwrap(),
        }
    }

    proptest! {
        /// The size asked for is exactly what the addresses of all whole tiles need.
        #[test]
        fn the_size_is_what_the_addresses_need(
            shape in [1..6u64, 1..6u64],
            innermost in [1..3u64, 1..3u64],
            factors in proptest::collection::vec([1..3u64, 1..3u64], 0..3),
            orders in proptest::collection::vec(order(), 4),
        ) {
            let mut tiles = vec![innermost];
            for factor in &factors {
                let last = *tiles.last().unwrap();
                tiles.push([last[0] * factor[0], last[1] * factor[1]]);
            }
            tiles.reverse();
            let last = tiles.len() - 1;
            let levels = tiles.iter().enumerate().map(|(k, tile)| {
                let inner = (k == last).then(|| as_order(orders[3]));
                Level::new(tile, as_order(orders[k]), inner).unwrap()
            });
            let levels: Vec<Level> = levels.collect();
            // Whole tiles: the shape rounded up to tiles.
            let region = shape.map(u64::cast_signed);
            let whole: Vec<i64> = (0..2)
                .map(|k| shape[k].next_multiple_of(tiles[0][k]).cast_signed())
                .collect();
            let all: Vec<i64> =
                indices(&whole).iter().map(|i| address(&levels, &region, i)).collect();
            let (low, high) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
            let below = u64::try_from(-low).unwrap() * 4;

            let mut b = builder(ElementType::FLOAT32, &shape, Tiled::nested(levels).unwrap());
            if below > 0 {
                prop_assert!(b.byte_offset(below - 1).build().is_err());
            }
            let d = b.byte_offset(below).build().unwrap();
            prop_assert_eq!(d.buffers()[0].byte_size, below + (high.cast_unsigned() + 1) * 4);
            round_trips(&d);
        }
    }

    #[test]
    fn the_check_of_the_text() {
        let tiled = Tiled::new(&[2, 4], Order::RowMajor, Order::RowMajor).unwrap();
        assert_eq!(address(tiled.levels(), &[6, 8], &[3, 5]), 29);
        assert_eq!(sizes(&[6, 8], tiled), Ok(vec![192]));
        // Edge tiles are stored whole.
        let tiled = Tiled::new(&[2, 4], Order::RowMajor, Order::ColumnMajor).unwrap();
        assert_eq!(sizes(&[5, 5], tiled), Ok(vec![3 * 2 * 8 * 4]));
        let tiled = Tiled::new(&[1 << 40, 1 << 40], Order::RowMajor, Order::RowMajor).unwrap();
        assert_eq!(sizes(&[0, 4], tiled), Ok(vec![0]));
        let tiled = Tiled::new(&[1 << 40, 1 << 40], Order::RowMajor, Order::RowMajor).unwrap();
        assert_eq!(
            sizes(&[1, 4], tiled).unwrap_err(),
            "descriptor: buffer 0: elements of a tile does not fit 64 bits"
        );
    }

    #[test]
    fn fields_and_their_rules() {
        let levels = |tiles: &[[u64; 2]]| {
            let last = tiles.len().saturating_sub(1);
            let level = |(k, tile): (usize, &[u64; 2])| {
                Level::new(tile, Order::RowMajor, (k == last).then_some(Order::ColumnMajor))
            };
            Tiled::nested(tiles.iter().enumerate().map(|t| level(t).unwrap()).collect())
        };
        let d = builder(ElementType::FLOAT32, &[8, 8], levels(&[[4, 4], [2, 1]]).unwrap());
        let d = d.build().unwrap();
        assert_eq!(strict(&d, 44, &[0]), "descriptor: tile_shape 0: must not be 0, at byte 44");
        assert_eq!(strict(&d, 60, &[5]), "descriptor: outer_layout 5 is not in 1 to 3, at byte 60");
        assert_eq!(strict(&d, 61, &[0]), "descriptor: inner_layout 0 is not in 1 to 4, at byte 61");
        assert_eq!(strict(&d, 83, &[1]), "descriptor: tiled reserved must be 0, is 1, at byte 83");
        assert_eq!(
            strict(&d, 64, &[3]),
            "descriptor: tile_shape around a nested tile 4 is not a multiple of 3, at byte 44"
        );
        assert!(levels(&[[1, 1]; 8]).is_ok());
        assert_eq!(
            levels(&[[1, 1]; 9]).unwrap_err().to_string(),
            "levels of tiles 9 is not in 1 to 8"
        );
        assert!(levels(&[]).is_err());
        let open = Level::new(&[1, 1], Order::RowMajor, None).unwrap();
        assert!(Tiled::nested(vec![open]).is_err());
        let strided = Tiled::new(&[2, 2], Order::strided(&[1]).unwrap(), Order::RowMajor).unwrap();
        assert_eq!(sizes(&[2, 2], strided).unwrap_err(), "count of outer_strides is 1, must be 2");
        let mut dynamic = builder(ElementType::INT8, &[DYNAMIC, 8], levels(&[[4, 4]]).unwrap());
        round_trips(&dynamic.buffer_size(0, 5).unwrap().build().unwrap());
    }
}
