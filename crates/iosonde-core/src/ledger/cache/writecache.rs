//! dm-writecache on an SSD: writes go to the fast device, in the order in which they come, and from
//! there to the slow one when too much of it is in use. Reads are not taken in.
//!
//! Source: Linux 6.1, drivers/md/dm-writecache.c: `writecache_map_write()`, `writecache_map_read()`,
//! `writecache_bio_copy_ssd()`, `writecache_flush()`, `ssd_commit_flushed()`,
//! `ssd_commit_superblock()`, `writecache_writeback()`. Not counted: commits by time
//! (`autocommit_time`) but the last one, and those of the metadata of blocks that were written back,
//! of which there are as many as batches in which copies happen to end.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use super::free::Free;
use super::ranges::runs;
use crate::ledger::divisor::Divisor;
use crate::ledger::io::{Io, Op, Step};
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

const SLOW: usize = 0;
const FAST: usize = 1;
/// Metadata are written in pieces of this (`BITMAP_GRANULARITY`), bytes.
const PIECE: u64 = 64 << 10;
/// The superblock before the entries, and an entry, bytes (`struct wc_memory_superblock`, `_entry`).
const HEAD: u64 = 64;
const ENTRY: u64 = 16;
/// What is written of the superblock, bytes.
const SUPERBLOCK: u64 = 4096;
/// Seconds after a write or a flush of the slow device in which nothing is written back
/// (`PAUSE_WRITEBACK`).
const PAUSE: u64 = 3;
/// The most blocks that are copied back at once (`BIO_MAX_VECS`).
const MOST: u64 = 256;

/// What a cache is made of.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Bytes of a block, and how many there are.
    pub block: u64,
    pub blocks: u64,
    /// Shares of blocks in use at which writing back begins and ends, %.
    pub high: u64,
    pub low: u64,
    /// Blocks after which the metadata are committed without a flush (`autocommit_blocks`).
    pub commit: u64,
    /// Where the metadata begin on the fast device, bytes.
    pub start: u64,
    /// Requests in a second, since the ledger has no clock.
    pub rate: u64,
}

/// A block that is in the cache: its place, and as which of all it was put in.
#[derive(Clone, Copy, Debug)]
struct Entry {
    place: u64,
    order: u64,
}

/// A cache: the slow device is its first layer below, the fast one the second.
#[derive(Clone, Debug)]
pub struct Writecache {
    figures: Figures,
    block: Divisor,
    /// Bytes of the metadata, and free blocks at which writing back begins and ends.
    metadata: u64,
    begins: u64,
    ends: u64,
    free: Free,
    /// By number of block; and numbers by the order in which they were put in.
    kept: BTreeMap<u64, Entry>,
    order: BTreeMap<u64, u64>,
    /// Places of blocks that have been put in a second time, by their order, until the next commit.
    replaced: BTreeMap<u64, u64>,
    clock: u64,
    /// What was put in up to here has been committed.
    committed: u64,
    /// Places whose entries the next commit writes.
    uncommitted: Vec<u64>,
    overwrote: bool,
    /// Too much is in use.
    due: bool,
    /// How many requests there were, and from which on something may be written back.
    tick: u64,
    busy_until: u64,
    events: Events,
}

#[derive(Clone, Copy, Debug, Default)]
struct Events {
    reads: u64,
    read_hits: u64,
    writes: u64,
    write_hits: u64,
    writes_around: u64,
    commits: u64,
    written_back: u64,
    copies: u64,
}

/// Bytes of metadata for so many blocks, to whole blocks.
const fn metadata(block: u64, blocks: u64) -> u64 {
    (HEAD + ENTRY * blocks).div_ceil(block) * block
}

impl Writecache {
    /// # Errors
    /// No block, or too many; a block that is no part of a page.
    pub fn new(figures: Figures) -> Result<Self, LedgerError> {
        let Figures { block, blocks, .. } = figures;
        if blocks == 0 || blocks >= 1 << 40 || block == 0 || figures.high > 100 {
            return Err(LedgerError::WritecacheBlocks);
        }
        let share = |percent: u64| (blocks * (100 - percent.min(100)) + 50) / 100;
        Ok(Self {
            figures,
            block: Divisor::new(block),
            metadata: metadata(block, blocks),
            begins: share(figures.high),
            ends: share(figures.low),
            free: Free::new(blocks),
            kept: BTreeMap::new(),
            order: BTreeMap::new(),
            replaced: BTreeMap::new(),
            clock: 0,
            committed: 0,
            uncommitted: Vec::new(),
            overwrote: false,
            due: false,
            tick: 0,
            busy_until: 0,
            events: Events::default(),
        })
    }

    /// Where a block's data are on the fast device.
    const fn at(&self, place: u64) -> u64 {
        self.figures.start + self.metadata + place * self.figures.block
    }

    /// Bytes up to the next block that is kept, or the end.
    fn around(&self, number: u64, from: u64, end: u64) -> u64 {
        let next = self.kept.range((Excluded(number), Unbounded)).next();
        next.map_or(end, |one| end.min(one.0 * self.figures.block)) - from
    }

    fn read(&mut self, io: Io, out: &mut Vec<Step>) {
        let mut from = io.offset;
        while from < io.end() {
            let (number, inside) = self.block.divide(from);
            let kept = self.kept.get(&number).map(|one| one.place);
            let left = self.figures.block - inside;
            let length = match kept {
                Some(_) => left.min(io.end() - from),
                None => self.around(number, from, io.end()),
            };
            let (child, at) = kept.map_or((SLOW, from), |place| (FAST, self.at(place) + inside));
            self.events.reads += length.div_ceil(self.figures.block);
            self.events.read_hits += u64::from(kept.is_some());
            out.push(Step::new(child, io.piece(at, length)));
            from += length;
        }
    }

    fn write(&mut self, io: Io, out: &mut Vec<Step>) {
        let mut from = io.offset;
        while from < io.end() {
            let (number, inside) = self.block.divide(from);
            let most = (io.end() - from + inside).div_ceil(self.figures.block);
            let (place, blocks) = if let Some(&entry) = self.kept.get(&number) {
                let blocks = self.again(number, entry, most);
                self.events.write_hits += blocks;
                (Some(entry.place), blocks)
            } else if let Some(place) = self.free.pop() {
                (Some(place), self.put(number, place, most))
            } else {
                let length = self.around(number, from, io.end());
                (None, (length + inside).div_ceil(self.figures.block))
            };
            let length = (blocks * self.figures.block - inside).min(io.end() - from);
            let (child, at) = place.map_or((SLOW, from), |one| (FAST, self.at(one) + inside));
            self.events.writes += blocks;
            if place.is_none() {
                self.events.writes_around += blocks;
                self.busy_until = self.tick + PAUSE * self.figures.rate;
            }
            out.push(Step::new(child, io.piece(at, length)));
            from += length;
        }
    }

    /// Blocks from one on that are kept and lie one behind the other: they are overwritten.
    fn again(&mut self, number: u64, first: Entry, most: u64) -> u64 {
        let behind = |count: u64| {
            let next = self.kept.get(&(number + count)).copied();
            next.filter(|one| one.place == first.place + count)
        };
        let mut blocks = 1;
        let mut entry = first;
        loop {
            self.overwrote |= entry.order <= self.committed;
            match behind(blocks).filter(|_| blocks < most) {
                Some(next) => entry = next,
                None => return blocks,
            }
            blocks += 1;
        }
    }

    /// Puts a block into a place, and more into those behind it as far as they are free and next,
    /// whether or not these blocks are kept elsewhere.
    fn put(&mut self, number: u64, place: u64, most: u64) -> u64 {
        let mut blocks = 0;
        loop {
            self.keep(number + blocks, place + blocks);
            blocks += 1;
            if blocks >= most || !self.free.pop_if(place + blocks) {
                return blocks;
            }
        }
    }

    fn keep(&mut self, number: u64, place: u64) {
        self.clock += 1;
        let order = self.clock;
        let entry = Entry { place, order };
        if let Some(old) = self.kept.insert(number, entry) {
            self.replaced.insert(old.order, old.place);
        }
        self.order.insert(order, number);
        self.uncommitted.push(place);
        self.due |= self.free.count() <= self.begins;
    }

    /// Writes the entries of what was put in, then the superblock; with nothing of that kind it only
    /// makes sure of what was overwritten.
    fn commit(&mut self, out: &mut Vec<Step>) {
        let flush = Step::new(FAST, Io::new(Op::Flush, 0, 0));
        if self.uncommitted.is_empty() {
            if self.overwrote {
                out.push(flush);
            }
            self.overwrote = false;
            return;
        }
        let places = std::mem::take(&mut self.uncommitted);
        self.write_entries(&places, out);
        out.push(flush);
        let length = SUPERBLOCK.min(self.metadata);
        out.push(Step::new(
            FAST,
            Io::new(Op::Write, self.figures.start, length),
        ));
        self.events.commits += 1;
        self.committed = self.clock;
        self.overwrote = false;
        let replaced: Vec<u64> = std::mem::take(&mut self.replaced)
            .into_iter()
            .map(|(order, place)| {
                self.order.remove(&order);
                self.free.add(place);
                place
            })
            .collect();
        if !replaced.is_empty() {
            self.write_entries(&replaced, out);
            out.push(flush);
        }
    }

    /// Writes the metadata of some places: neighbouring pieces at once.
    fn write_entries(&self, places: &[u64], out: &mut Vec<Step>) {
        let mut pieces = BTreeSet::new();
        for place in places {
            let begin = HEAD + place * ENTRY;
            pieces.extend(begin / PIECE..=(begin + ENTRY - 1) / PIECE);
        }
        for (first, count) in runs(&pieces.into_iter().collect::<Vec<_>>()) {
            let (begin, end) = (first * PIECE, ((first + count) * PIECE).min(self.metadata));
            let io = Io::new(Op::Write, self.figures.start + begin, end - begin);
            out.push(Step::new(
                FAST,
                Io {
                    scattered: true,
                    ..io
                },
            ));
        }
    }

    /// Writes back what was put in first, with what lies behind it on both devices, until enough is
    /// free.
    fn write_back(&mut self, out: &mut Vec<Step>) {
        self.due = false;
        let mut freed = Vec::new();
        while self.free.count() + freed.len() as u64 <= self.ends {
            let Some((&order, &number)) = self.order.first_key_value() else {
                break;
            };
            if order > self.committed {
                self.commit(out);
                continue;
            }
            if let Some(place) = self.replaced.remove(&order) {
                self.order.remove(&order);
                self.copy(number, place, 1, out);
                freed.push(place);
                continue;
            }
            let (place, blocks) = self.taken(number);
            self.copy(number, place, blocks, out);
            freed.extend(place..place + blocks);
        }
        for place in freed {
            self.free.add(place);
        }
    }

    /// Takes out a block and committed ones that lie behind it on both devices.
    fn taken(&mut self, number: u64) -> (u64, u64) {
        let first = self.kept[&number].place;
        let mut blocks = 0;
        while let Some(one) = self.kept.get(&(number + blocks)).copied() {
            if one.place != first + blocks || one.order > self.committed || blocks == MOST {
                break;
            }
            self.kept.remove(&(number + blocks));
            self.order.remove(&one.order);
            blocks += 1;
        }
        (first, blocks)
    }

    /// A copy from the fast to the slow device.
    fn copy(&mut self, number: u64, place: u64, blocks: u64, out: &mut Vec<Step>) {
        self.events.copies += 1;
        self.events.written_back += blocks;
        let size = self.figures.block;
        super::copy(
            (FAST, self.at(place)),
            (SLOW, number * size),
            blocks * size,
            out,
        );
    }
}

impl Mapping for Writecache {
    /// What it counted, in blocks but for commits and copies; the last one is what is still in it.
    fn events(&self) -> Vec<(&'static str, u64)> {
        let events = self.events;
        vec![
            ("read_blocks", events.reads),
            ("read_hits", events.read_hits),
            ("write_blocks", events.writes),
            ("write_hits", events.write_hits),
            ("writes_around", events.writes_around),
            ("commits", events.commits),
            ("written_back", events.written_back),
            ("copies_back", events.copies),
            ("blocks_in_use", self.figures.blocks - self.free.count()),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        self.tick += 1;
        match io.op {
            Op::Flush => {
                self.busy_until = self.tick + PAUSE * self.figures.rate;
                out.push(Step::new(SLOW, io));
                self.commit(out);
            }
            Op::Read => self.read(io, out),
            Op::Write => {
                self.write(io, out);
                if self.uncommitted.len() as u64 >= self.figures.commit {
                    self.commit(out);
                }
            }
        }
        if self.due && self.tick >= self.busy_until {
            self.write_back(out);
        }
    }

    /// What comes some time after the last request: a commit, and what is above the watermark.
    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        self.commit(out);
        if self.due {
            self.write_back(out);
        }
        false
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        if below == 2 {
            Ok(())
        } else {
            Err(LedgerError::CacheBelow)
        }
    }
}
