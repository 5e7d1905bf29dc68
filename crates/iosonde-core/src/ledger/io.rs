//! An I/O, and what is counted of the I/Os that a layer gets.

use std::collections::HashMap;

/// Bytes of a sector, in which the kernel counts.
pub const SECTOR: u64 = 512;
/// Bytes of a page, which is also what md's stripes are made of (drivers/md/raid5.h).
pub const PAGE: u64 = 4096;
/// Sizes below this are counted in an array, larger ones in a map.
const SMALL: usize = 2048;
const SECTORS_OF_PAGE: usize = 8;

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Read,
    Write,
    /// Without data: what was acknowledged must be durable.
    Flush,
}

/// One I/O as a layer gets it from above, or sends it below. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    pub op: Op,
    /// No other I/O of the same request reaches the same place, so there is nothing to merge with.
    pub alone: bool,
    /// Its memory is pages here and there, as that of md's stripes, not one piece.
    pub scattered: bool,
    pub offset: u64,
    pub length: u64,
}

impl Io {
    #[must_use]
    pub const fn new(op: Op, offset: u64, length: u64) -> Self {
        Self {
            op,
            alone: true,
            scattered: false,
            offset,
            length,
        }
    }

    /// The byte behind the last.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.offset + self.length
    }

    /// The same at another place.
    #[must_use]
    pub const fn at(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// A part of it, which has neighbours in the same request.
    #[must_use]
    pub const fn part(self, offset: u64, length: u64) -> Self {
        Self {
            offset,
            length,
            alone: false,
            ..self
        }
    }

    /// A part of it, or all of it, which is then as alone as it was.
    #[must_use]
    pub const fn piece(self, offset: u64, length: u64) -> Self {
        Self {
            offset,
            length,
            alone: self.alone && length == self.length,
            ..self
        }
    }
}

/// An I/O to the layer below: the place of that layer among those below, and the I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub child: u32,
    pub io: Io,
}

impl Step {
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // a layer stands on fewer than 2^32 others
    pub const fn new(child: usize, io: Io) -> Self {
        Self {
            child: child as u32,
            io,
        }
    }
}

/// How many I/Os there were of each size.
#[derive(Clone, Debug)]
pub struct Sizes {
    small: Vec<u64>,
    other: HashMap<u64, u64>,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            small: vec![0; SMALL],
            other: HashMap::new(),
        }
    }
}

impl Sizes {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // compared with a small number first
    fn count(&mut self, size: u64) {
        let sectors = size / SECTOR;
        if size % SECTOR == 0 && sectors < SMALL as u64 {
            self.small[sectors as usize] += 1;
        } else {
            *self.other.entry(size).or_insert(0) += 1;
        }
    }

    fn add(&mut self, more: &Self) {
        for (own, count) in self.small.iter_mut().zip(&more.small) {
            *own += count;
        }
        for (&size, count) in &more.other {
            *self.other.entry(size).or_insert(0) += count;
        }
    }

    /// How many there are, and their bytes.
    #[must_use]
    pub fn total(&self) -> (u64, u64) {
        let add = |sum: (u64, u64), (size, count)| (sum.0 + count, sum.1 + size * count);
        self.sorted().into_iter().fold((0, 0), add)
    }

    /// Sizes in bytes and how many of each, the smallest first.
    #[must_use]
    pub fn sorted(&self) -> Vec<(u64, u64)> {
        let small = (0_u64..).zip(&self.small).filter(|&(_, &count)| count > 0);
        let mut all: Vec<(u64, u64)> = small.map(|(n, &count)| (n * SECTOR, count)).collect();
        all.extend(self.other.iter().map(|(&size, &count)| (size, count)));
        all.sort_unstable();
        all
    }
}

/// What is counted of one direction; how many and how much follow from the sizes.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// I/Os that begin or end between two multiples of 4 KiB.
    pub off_grid: u64,
    pub sizes: Sizes,
}

impl Direction {
    /// Counts I/Os of a page each.
    #[inline]
    pub fn pages(&mut self, count: u64, on_grid: bool) {
        self.sizes.small[SECTORS_OF_PAGE] += count;
        self.off_grid += if on_grid { 0 } else { count };
    }
}

/// What is counted of all I/Os that a layer gets.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub reads: Direction,
    pub writes: Direction,
    pub flushes: u64,
}

impl Tally {
    /// What was counted elsewhere comes to it.
    pub fn add(&mut self, more: &Self) {
        for (own, more) in [
            (&mut self.reads, &more.reads),
            (&mut self.writes, &more.writes),
        ] {
            own.off_grid += more.off_grid;
            own.sizes.add(&more.sizes);
        }
        self.flushes += more.flushes;
    }

    #[inline]
    pub fn count(&mut self, io: &Io) {
        self.moved(io.op, io.offset, io.length);
    }

    /// See `count`.
    #[inline]
    pub fn moved(&mut self, op: Op, offset: u64, length: u64) {
        let direction = match op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Flush => {
                self.flushes += 1;
                return;
            }
        };
        direction.off_grid += u64::from((offset | length) % PAGE != 0);
        direction.sizes.count(length);
    }
}
