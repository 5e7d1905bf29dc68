//! A block cache on a fast device before a slow one: flashcache, and what resembles it.
//!
//! Source: flashcache, `flashcache_main.c` (`flashcache_map()`, `flashcache_read()`,
//! `flashcache_write()`): device-mapper splits I/Os at block boundaries first; only a piece that is
//! a whole block is cached, any other goes to the disk and throws out what it overlaps. Cleaning
//! in the background (`dirty_thresh_pct`, `fallow_delay`) is not reckoned with: dirty blocks are cleaned
//! when they have to go.

pub mod bcache;
pub mod controller;
mod extents;
mod free;
mod levels;
pub mod pages;
pub mod promote;
pub mod ranges;
pub mod sets;
mod smq;
pub mod writecache;

use super::divisor::Divisor;
use super::io::{Io, Op, Step};
use super::mapping::Mapping;
use super::problem::LedgerError;
use sets::Places;

/// What happens to writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To the fast device alone, until the block has to go.
    Back,
    /// To both.
    Through,
    /// To the slow one; the block is forgotten.
    Around,
}

impl TryFrom<String> for Mode {
    type Error = LedgerError;

    fn try_from(mode: String) -> Result<Self, LedgerError> {
        match mode.as_str() {
            "back" => Ok(Self::Back),
            "through" => Ok(Self::Through),
            "around" => Ok(Self::Around),
            _ => Err(LedgerError::Mode {
                mode,
                known: "back, through or around",
            }),
        }
    }
}

/// What a cache counts, in the order of its names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    pub reads: u64,
    pub writes: u64,
    pub read_hits: u64,
    pub write_hits: u64,
    pub uncached_reads: u64,
    pub uncached_writes: u64,
    pub invalidations: u64,
    pub cleanings: u64,
}

const SLOW: u32 = 0;
const FAST: u32 = 1;

/// What is known of an I/O before it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It is answered by this layer below alone.
    Hit(u32),
    /// It is of a whole block with this number, which is not there.
    Missed(u64),
    /// It is something else, and has not been looked at.
    Part,
}

/// A cache: the slow device is its first layer below, the fast one the second.
#[derive(Clone, Debug)]
pub struct Cache {
    mode: Mode,
    block: Divisor,
    places: Places,
    /// Reads of what is not there take it in; else only writes do.
    fills: bool,
    pub events: Events,
}

impl Cache {
    /// Args: `block`: bytes; `fills`: reads bring blocks in.
    ///
    /// # Errors
    /// A block without bytes.
    pub fn new(mode: Mode, block: u64, places: Places, fills: bool) -> Result<Self, LedgerError> {
        if block == 0 {
            return Err(LedgerError::NoBlock);
        }
        let (block, events) = (Divisor::new(block), Events::default());
        Ok(Self {
            mode,
            block,
            places,
            fills,
            events,
        })
    }

    /// Looks at the memory that I/Os at some places will need, so that it is near when they come.
    #[must_use]
    pub fn ahead(&self, offsets: impl Iterator<Item = u64>) -> u64 {
        self.places
            .ahead(offsets.map(|offset| self.block.divide(offset).0))
    }

    /// Looks whether a whole block is there, and counts it if so.
    #[inline]
    pub fn look(&mut self, op: Op, offset: u64, length: u64) -> Look {
        let write = op == Op::Write;
        if length != self.block.get() || write && self.mode != Mode::Back {
            return Look::Part;
        }
        let (number, inside) = self.block.divide(offset);
        if inside != 0 {
            return Look::Part;
        }
        if write {
            self.events.writes += 1;
        } else {
            self.events.reads += 1;
        }
        if !self.places.hit(number, write) {
            return Look::Missed(number);
        }
        if write {
            self.events.write_hits += 1;
        } else {
            self.events.read_hits += 1;
        }
        Look::Hit(FAST)
    }

    /// What is done for a whole block that `look` has missed.
    pub fn missed(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Read {
            self.bring(number, io, out);
        } else {
            self.take(number, true, out);
            out.push(to(FAST, io));
        }
    }

    /// A piece that lies in one block.
    #[inline]
    fn piece(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        let whole = io.length == self.block.get();
        if io.op == Op::Read {
            self.events.reads += 1;
            if whole {
                self.read(number, io, out);
                return;
            }
            self.events.uncached_reads += 1;
        } else {
            self.events.writes += 1;
            if whole && self.mode != Mode::Around {
                self.write(number, io, out);
                return;
            }
            self.events.uncached_writes += 1;
        }
        self.throw_out(number, out);
        out.push(to(SLOW, io));
    }

    #[inline]
    fn read(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        if self.places.hit(number, false) {
            self.events.read_hits += 1;
            out.push(to(FAST, io));
            return;
        }
        self.bring(number, io, out);
    }

    /// A read of what is not there.
    fn bring(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        out.push(to(SLOW, io));
        if self.fills {
            self.take(number, false, out);
            out.push(to(
                FAST,
                Io {
                    op: Op::Write,
                    ..io
                },
            ));
        }
    }

    #[inline]
    fn write(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        let dirty = self.mode == Mode::Back;
        if self.places.hit(number, dirty) {
            self.events.write_hits += 1;
        } else {
            self.take(number, dirty, out);
        }
        out.push(to(FAST, io));
        if !dirty {
            out.push(to(SLOW, io));
        }
    }

    fn take(&mut self, number: u64, dirty: bool, out: &mut Vec<Step>) {
        if let Some(gone) = self.places.take(number, dirty) {
            if gone.dirty {
                self.clean(gone.block, out);
            }
        }
    }

    /// What an uncached I/O overlaps goes; what is dirty of it is written first.
    fn throw_out(&mut self, number: u64, out: &mut Vec<Step>) {
        if let Some(dirty) = self.places.forget(number) {
            self.events.invalidations += 1;
            if dirty {
                self.clean(number, out);
            }
        }
    }

    fn clean(&mut self, number: u64, out: &mut Vec<Step>) {
        self.events.cleanings += 1;
        let size = self.block.get();
        let read = Io::new(Op::Read, number * size, size);
        out.push(to(FAST, read));
        out.push(to(
            SLOW,
            Io {
                op: Op::Write,
                ..read
            },
        ));
    }
}

impl Mapping for Cache {
    /// What it counted, by flashcache's names.
    fn events(&self) -> Vec<(&'static str, u64)> {
        let Events {
            reads,
            writes,
            read_hits,
            write_hits,
            ..
        } = self.events;
        vec![
            ("reads", reads),
            ("writes", writes),
            ("read_hits", read_hits),
            ("write_hits", write_hits),
            ("uncached_reads", self.events.uncached_reads),
            ("uncached_writes", self.events.uncached_writes),
            ("invalidations", self.events.invalidations),
            ("cleanings", self.events.cleanings),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            out.extend([to(SLOW, io), to(FAST, io)]);
            return;
        }
        let size = self.block.get();
        let (number, inside) = self.block.divide(io.offset);
        if inside + io.length <= size {
            self.piece(number, io, out);
            return;
        }
        let mut rest = io;
        let mut number = number;
        while rest.length > 0 {
            let length = rest.length.min(size - (rest.offset - number * size));
            self.piece(number, rest.part(rest.offset, length), out);
            rest = rest.part(rest.offset + length, rest.length - length);
            number += 1;
        }
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        if below == 2 {
            Ok(())
        } else {
            Err(LedgerError::CacheBelow)
        }
    }
}

/// A copy that the kernel makes from one layer below to another, in pieces.
///
/// Source: Linux 6.1, drivers/md/dm-kcopyd.c (`split_job()`, `kcopyd_subjob_size_kb`: 512).
fn copy(from: (usize, u64), to: (usize, u64), length: u64, out: &mut Vec<Step>) {
    const MOST: u64 = 512 << 10;
    let mut done = 0;
    while done < length {
        let piece = MOST.min(length - done);
        let scattered = true;
        for (op, (child, at)) in [(Op::Read, from), (Op::Write, to)] {
            let io = Io::new(op, at + done, piece);
            out.push(Step::new(child, Io { scattered, ..io }));
        }
        done += piece;
    }
}

/// The fast device's own places are not told apart: a block is counted where it lies on the slow one.
const fn to(child: u32, io: Io) -> Step {
    Step { child, io }
}
