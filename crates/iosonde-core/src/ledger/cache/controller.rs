//! The write-back cache of a RAID controller before its array: writes are kept until there is no
//! room, then whole stripes leave it, the fullest first, among these the one that was written to
//! longest ago. Approximate: no maker tells the order in which its controllers write back.
//!
//! What was written twice meanwhile leaves once, neighbours leave as one I/O; the array below it
//! finds whole stripes, or the runs of one stripe together. A part of the cache may keep what was
//! read (`cache_ratio` of a Smart Array). Flushes end here: the cache has a battery.
//!
//! Source: A. Varma and Q. Jacobson, "Destage algorithms for disk arrays with nonvolatile caches",
//! IEEE Transactions on Computers 47 (1998), least-cost scheduling.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::ranges::Ranges;
use crate::ledger::divisor::Divisor;
use crate::ledger::io::{Io, Op, Step, PAGE};
use crate::ledger::lru::Lru;
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

/// A cache before one array.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Bytes of data of a stripe.
    width: Divisor,
    /// Bytes for writes.
    room: u64,
    held: u64,
    stripes: HashMap<u64, Stripe>,
    /// Bytes of a stripe, when it was last written to, and its number.
    order: BTreeSet<(u64, Reverse<u64>, u64)>,
    clock: u64,
    /// Pages that were read.
    read: Option<Lru>,
    events: Events,
}

#[derive(Clone, Debug, Default)]
struct Stripe {
    dirty: Ranges,
    since: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Events {
    read_hit_bytes: u64,
    overwritten_bytes: u64,
    whole_stripes: u64,
    part_stripes: u64,
    left_bytes: u64,
}

impl Controller {
    /// Args: bytes of data of a stripe, of the cache for writes (at least a stripe), for reads.
    ///
    /// # Errors
    /// A stripe without bytes, or too much for reads.
    pub fn new(width: u64, room: u64, reads: u64) -> Result<Self, LedgerError> {
        let pages = usize::try_from(reads / PAGE).unwrap_or(usize::MAX);
        if width == 0 || pages >= 1 << 31 {
            return Err(LedgerError::ControllerStripe);
        }
        Ok(Self {
            width: Divisor::new(width),
            room: room.max(width),
            held: 0,
            stripes: HashMap::new(),
            order: BTreeSet::new(),
            clock: 0,
            read: (pages > 0).then(|| Lru::new(pages)),
            events: Events::default(),
        })
    }

    fn write(&mut self, io: &Io) {
        if let Some(read) = &mut self.read {
            for page in io.offset / PAGE..io.end().div_ceil(PAGE) {
                read.remove(page);
            }
        }
        let size = self.width.get();
        let mut at = io.offset;
        while at < io.end() {
            let (number, begin) = self.width.divide(at);
            let length = (io.end() - at).min(size - begin);
            let stripe = self.stripes.entry(number).or_default();
            let before = stripe.dirty.bytes();
            self.order.remove(&(before, Reverse(stripe.since), number));
            stripe.dirty.add(begin, begin + length);
            self.clock += 1;
            stripe.since = self.clock;
            let after = stripe.dirty.bytes();
            self.order.insert((after, Reverse(self.clock), number));
            self.held += after - before;
            self.events.overwritten_bytes += length - (after - before);
            at += length;
        }
    }

    /// Lets the fullest stripe go.
    fn release(&mut self, out: &mut Vec<Step>) -> bool {
        let Some((fill, _, number)) = self.order.pop_last() else {
            return false;
        };
        let stripe = self.stripes.remove(&number).unwrap_or_default();
        self.held -= fill;
        let (size, begin) = (self.width.get(), number * self.width.get());
        if fill == size {
            self.events.whole_stripes += 1;
        } else {
            self.events.part_stripes += 1;
        }
        let alone = stripe.dirty.iter().count() == 1;
        for (from, to) in stripe.dirty.iter() {
            let io = Io::new(Op::Write, begin + from, to - from);
            out.push(Step::new(0, Io { alone, ..io }));
        }
        true
    }

    /// A read: what is in the cache comes from there.
    fn fetch(&mut self, io: Io, out: &mut Vec<Step>) {
        let mut missing = Ranges::default();
        missing.add(io.offset, io.end());
        for number in self.width.divide(io.offset).0..=self.width.divide(io.end() - 1).0 {
            if let Some(stripe) = self.stripes.get(&number) {
                let begin = number * self.width.get();
                for (from, to) in stripe.dirty.iter() {
                    missing.remove(begin + from, begin + to);
                }
            }
        }
        if let Some(read) = &mut self.read {
            for page in io.offset / PAGE..io.end().div_ceil(PAGE) {
                let (begin, end) = (page * PAGE, (page + 1) * PAGE);
                if read.get(page, true).is_some() {
                    missing.remove(begin, end);
                } else if missing.has(begin, end) {
                    read.insert(page, 0);
                }
            }
        }
        self.events.read_hit_bytes += io.length - missing.bytes();
        for (from, to) in missing.iter() {
            out.push(Step::new(0, io.piece(from, to - from)));
        }
    }
}

impl Mapping for Controller {
    /// What it counted: bytes, and stripes that left it whole or in part.
    fn events(&self) -> Vec<(&'static str, u64)> {
        let events = self.events;
        vec![
            ("read_hit_bytes", events.read_hit_bytes),
            ("overwritten_bytes", events.overwritten_bytes),
            ("whole_stripes", events.whole_stripes),
            ("part_stripes", events.part_stripes),
            ("left_at_the_end", events.left_bytes),
        ]
    }

    /// What is done at once; see `overflow` for what follows.
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        match io.op {
            Op::Flush => {}
            Op::Read => self.fetch(io, out),
            Op::Write => self.write(&io),
        }
    }

    /// Lets a stripe go where there is no room.
    ///
    /// Returns: one went.
    fn overflow(&mut self, out: &mut Vec<Step>) -> bool {
        self.held > self.room && self.release(out)
    }

    /// Lets a stripe go, since nothing more is coming.
    ///
    /// Returns: one went.
    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        self.events.left_bytes = self.events.left_bytes.max(self.held);
        self.release(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(cache: &mut Controller, offset: u64, length: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        cache.map(Io::new(Op::Write, offset, length), &mut out);
        while cache.overflow(&mut out) {}
        out.iter()
            .map(|one| (one.io.offset, one.io.length))
            .collect()
    }

    #[test]
    fn neighbours_leave_as_a_whole_stripe() {
        let mut cache = Controller::new(65536, 131_072, 0).unwrap();
        for block in [3, 1, 0, 2] {
            assert!(write(&mut cache, block * 16384, 16384).is_empty());
        }
        assert!(write(&mut cache, 1 << 20, 65536).is_empty());
        // The oldest of two whole stripes.
        assert_eq!(write(&mut cache, 2 << 20, 4096), [(0, 65536)]);
        let mut out = Vec::new();
        while cache.settle(&mut out) {}
        assert_eq!(out.len(), 2);
        assert_eq!(out[0].io.offset, 1 << 20);
        assert_eq!(
            cache.events()[2..],
            [
                ("whole_stripes", 2),
                ("part_stripes", 1),
                ("left_at_the_end", 69632)
            ]
        );
    }

    #[test]
    fn what_is_written_again_is_written_once() {
        let mut cache = Controller::new(65536, 131_072, 0).unwrap();
        for _ in 0..100 {
            assert!(write(&mut cache, 4096, 4096).is_empty());
        }
        assert_eq!(cache.events()[1], ("overwritten_bytes", 99 * 4096));
    }

    #[test]
    fn reads_are_kept_in_their_share() {
        let mut cache = Controller::new(65536, 65536, 8192).unwrap();
        let mut read = |offset, length| {
            let mut out = Vec::new();
            cache.map(Io::new(Op::Read, offset, length), &mut out);
            out.len()
        };
        assert_eq!(
            [
                read(0, 4096),
                read(0, 4096),
                read(4096, 8192),
                read(0, 4096)
            ],
            [1, 0, 1, 1]
        );
    }
}
