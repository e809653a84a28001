//! Tiled (layouts.md, Tiled): tiles in one order, elements in each in another, or again in tiles.

use super::span::{self, Span, StrideList};
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

/// An order of tiles, or of the elements of one.
#[derive(Debug, PartialEq)]
pub enum Order {
    /// The last dimension is contiguous.
    RowMajor,
    /// The first dimension is contiguous.
    ColumnMajor,
    /// Strides, one a dimension.
    Strided(Strides),
}

/// Strides of an [`Order`].
#[derive(Debug, PartialEq)]
pub struct Strides(StrideList);

impl Order {
    /// An order with strides: of tiles in tiles, of elements in elements.
    pub fn strided(strides: &[i64]) -> Result<Self> {
        Ok(Self::Strided(Strides(StrideList::copy(strides)?)))
    }

    /// The format's tag: that of the layout of this name.
    pub fn tag(&self) -> u8 {
        match self {
            Self::RowMajor => 1,
            Self::ColumnMajor => 2,
            Self::Strided(_) => 3,
        }
    }

    /// The strides, if it has some.
    pub fn strides(&self) -> Option<&[i64]> {
        match self {
            Self::Strided(Strides(strides)) => Some(strides),
            Self::RowMajor | Self::ColumnMajor => None,
        }
    }

    fn read(cursor: &mut Cursor<'_>, rank: usize, tag: u8, what: &'static str) -> Result<Self> {
        Ok(match tag {
            1 => Self::RowMajor,
            2 => Self::ColumnMajor,
            _ => Self::Strided(Strides(span::read_strides(cursor, rank, what)?)),
        })
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        self.strides().map_or(Ok(()), |strides| span::write_strides(strides, sink))
    }

    fn check(&self, what: &'static str, expected: u64) -> Result<()> {
        match self.strides().map(|strides| math::wide(strides.len())) {
            Some(found) if found != expected => {
                Err(Error::new(ErrorKind::Mismatch { what, found, expected }))
            }
            _ => Ok(()),
        }
    }

    /// The offsets of a grid of these sizes, `count` in all.
    fn span(&self, sizes: impl Iterator<Item = u64>, count: Result<u64>) -> Result<Span> {
        match self.strides() {
            Some(strides) => Span::strided(strides, sizes),
            None => Ok(Span::contiguous(count?)),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Strided(Strides(strides)) => strides.heap_bytes(),
            Self::RowMajor | Self::ColumnMajor => 0,
        }
    }

    fn try_clone(&self) -> Result<Self> {
        match self {
            Self::RowMajor => Ok(Self::RowMajor),
            Self::ColumnMajor => Ok(Self::ColumnMajor),
            Self::Strided(Strides(strides)) => Self::strided(strides),
        }
    }
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
        for (what, tag, max) in [("outer_layout", outer, 3), ("inner_layout", inner, NESTED)] {
            if tag == 0 || tag > max {
                let (value, max) = (tag.into(), max.into());
                return Err(Error::new(ErrorKind::Limits { what, value, min: 1, max }).at(at));
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
        let mut levels = Vec::new();
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
