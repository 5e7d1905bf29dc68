//! dm-cache: large blocks of a slow device, of which the policy has some copied to a fast one.
//!
//! Source: Linux 6.1, drivers/md/dm-cache-target.c: `map_bio()` (I/Os are split at blocks; hits go to
//! the cache, and with write-through writes to both), `optimisable_bio()` (with write-back a write of
//! a whole block needs no copy), `check_migrations()` and `spare_migration_bandwidth()` (what is dirty
//! is written back when there was no I/O for a second). See `smq` for the policy.

use super::smq::{Answer, Smq};
use super::Mode;
use crate::ledger::divisor::Divisor;
use crate::ledger::io::{Io, Op, Step};
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

const FAST: usize = 1;
const SLOW: usize = 0;
/// Blocks larger than this are not written back: they would be more than may be under way at once
/// (`DEFAULT_MIGRATION_THRESHOLD`), bytes.
const MOST: u64 = 1 << 20;

/// What a cache is made of.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// With `Around` nothing is taken in, as by the policy "cleaner" and in mode "passthrough".
    pub mode: Mode,
    /// Bytes of a block, and how many there is room for.
    pub block: u64,
    pub blocks: u64,
    /// Blocks of the slow device.
    pub origin: u64,
    /// Where the blocks begin on the fast device, bytes.
    pub start: u64,
    /// Requests in a second, by which the policy knows how time goes by.
    pub rate: u64,
}

/// A cache of blocks with their place on the slow device as number.
#[derive(Clone, Debug)]
pub struct Promote {
    mode: Mode,
    block: Divisor,
    start: u64,
    policy: Smq,
    events: Events,
}

#[derive(Clone, Copy, Debug, Default)]
struct Events {
    read_hits: u64,
    read_misses: u64,
    write_hits: u64,
    write_misses: u64,
    promotions: u64,
    demotions: u64,
    copied_back: u64,
}

impl Promote {
    /// # Errors
    /// No bytes, no room or too much, no time.
    pub fn new(figures: Figures) -> Result<Self, LedgerError> {
        let Figures {
            mode,
            block,
            blocks,
            origin,
            start,
            rate,
        } = figures;
        if block == 0 || blocks == 0 || blocks >= 1 << 31 || rate == 0 {
            return Err(LedgerError::PolicyBlocks);
        }
        Ok(Self {
            mode,
            block: Divisor::new(block),
            start,
            policy: Smq::new(blocks, origin, rate),
            events: Events::default(),
        })
    }

    /// What the policy decided before.
    fn work(&mut self, out: &mut Vec<Step>) {
        let (cleaned, demoted) = self.policy.work();
        self.events.demotions += demoted;
        for number in cleaned {
            self.copy_back(number, out);
        }
    }

    fn piece(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        let write = io.op == Op::Write;
        let dirty = write && self.mode == Mode::Back;
        let whole = dirty && io.length == self.block.get();
        let answer = match self.mode {
            Mode::Around => Answer::Miss,
            _ => self.policy.ask(number, whole),
        };
        self.count(answer, write);
        let here = self.at(number, io.offset);
        match answer {
            Answer::Hit => {
                if write && !dirty {
                    self.slow(io, out);
                }
                out.push(Step::new(FAST, io.at(here)));
            }
            Answer::Promoted if whole => out.push(Step::new(FAST, io.at(here))),
            Answer::Promoted | Answer::Miss => self.slow(io, out),
        }
        let size = self.block.get();
        if answer == Answer::Promoted && !whole {
            let to = self.at(number, number * size);
            super::copy((SLOW, number * size), (FAST, to), size, out);
        } else if answer != Answer::Miss && dirty {
            self.policy.soil(number);
        }
    }

    /// The slow device is asked, and so is not idle.
    fn slow(&mut self, io: Io, out: &mut Vec<Step>) {
        self.policy.busy();
        out.push(Step::new(SLOW, io));
    }

    /// Where a place of a block that is in the cache is on the fast device.
    fn at(&self, number: u64, offset: u64) -> u64 {
        let size = self.block.get();
        self.start + self.policy.place(number) * size + offset % size
    }

    fn count(&mut self, answer: Answer, write: bool) {
        let events = &mut self.events;
        events.promotions += u64::from(answer == Answer::Promoted);
        *match (write, answer == Answer::Hit) {
            (true, true) => &mut events.write_hits,
            (true, false) => &mut events.write_misses,
            (false, true) => &mut events.read_hits,
            (false, false) => &mut events.read_misses,
        } += 1;
    }

    fn copy_back(&mut self, number: u64, out: &mut Vec<Step>) {
        self.events.copied_back += 1;
        let size = self.block.get();
        let from = self.at(number, number * size);
        super::copy((FAST, from), (SLOW, number * size), size, out);
    }

    /// All that is dirty is written back.
    fn clean(&mut self, out: &mut Vec<Step>) {
        if self.block.get() <= MOST {
            for number in self.policy.all_dirty() {
                self.copy_back(number, out);
            }
        }
    }
}

impl Mapping for Promote {
    /// What it counted, by the names of `dmsetup status`.
    fn events(&self) -> Vec<(&'static str, u64)> {
        let events = self.events;
        vec![
            ("read_hits", events.read_hits),
            ("read_misses", events.read_misses),
            ("write_hits", events.write_hits),
            ("write_misses", events.write_misses),
            ("promotions", events.promotions),
            ("demotions", events.demotions),
            ("copied_back", events.copied_back),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            out.extend([Step::new(SLOW, io), Step::new(FAST, io)]);
            return;
        }
        self.work(out);
        let mut rest = io;
        while rest.length > 0 {
            let (number, inside) = self.block.divide(rest.offset);
            let length = rest.length.min(self.block.get() - inside);
            self.piece(number, io.piece(rest.offset, length), out);
            rest = rest.part(rest.offset + length, rest.length - length);
        }
        if self.policy.end() {
            self.clean(out);
        }
    }

    /// Blocks that are dirty are written back when the cache has been idle for a second.
    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        self.work(out);
        self.clean(out);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cache(mode: Mode, blocks: u64) -> Promote {
        let (block, origin, rate) = (8192, 1 << 20, 20);
        Promote::new(Figures {
            mode,
            block,
            blocks,
            origin,
            start: 0,
            rate,
        })
        .unwrap()
    }

    fn bytes(steps: &[Step], child: usize, op: Op) -> u64 {
        let of = |one: &&Step| one.child as usize == child && one.io.op == op;
        steps.iter().filter(of).map(|one| one.io.length).sum()
    }

    #[test]
    fn a_whole_block_is_taken_in_at_once_with_write_back_alone() {
        for (mode, child) in [
            (Mode::Back, FAST),
            (Mode::Through, SLOW),
            (Mode::Around, SLOW),
        ] {
            let (mut cache, mut out) = (cache(mode, 2), Vec::new());
            let io = Io::new(Op::Write, 16384, 8192);
            cache.map(io, &mut out);
            let place = if child == FAST { 0 } else { 16384 };
            assert_eq!(out, [Step::new(child, io.at(place))]);
            cache.settle(&mut out);
            let back = if mode == Mode::Back { 8192 } else { 0 };
            assert_eq!(bytes(&out, FAST, Op::Read), back);
        }
    }

    #[test]
    fn what_is_asked_for_often_is_copied() {
        let (mut cache, mut out) = (cache(Mode::Through, 2), Vec::new());
        for _ in 0..60 {
            out.clear();
            cache.map(Io::new(Op::Read, 4096, 4096), &mut out);
        }
        assert_eq!(out, [Step::new(FAST, Io::new(Op::Read, 4096, 4096))]);
    }

    proptest! {
        /// Every byte is read or written once beside what is copied; hits and misses are all pieces.
        #[test]
        fn bytes_are_kept(
            asked in prop::collection::vec((any::<bool>(), 0_u64..200, 1_u64..40), 1..300), back: bool,
        ) {
            let mut cache = cache(if back { Mode::Back } else { Mode::Through }, 5);
            let (mut out, mut read, mut written, mut pieces) = (Vec::new(), 0, 0, 0);
            for (write, sector, sectors) in asked {
                let (offset, length) = (sector * 512, sectors * 512);
                pieces += (offset + length - 1) / 8192 - offset / 8192 + 1;
                *if write { &mut written } else { &mut read } += length;
                let op = if write { Op::Write } else { Op::Read };
                cache.map(Io::new(op, offset, length), &mut out);
            }
            let Events { read_hits, read_misses, write_hits, write_misses, .. } = cache.events;
            prop_assert_eq!(read_hits + read_misses + write_hits + write_misses, pieces);
            let Events { promotions, copied_back, .. } = cache.events;
            let all = |op| bytes(&out, SLOW, op) + bytes(&out, FAST, op);
            let copied = all(Op::Read) - read;
            prop_assert!(copied % 8192 == 0 && copied / 8192 <= promotions + copied_back);
            if back {
                prop_assert_eq!(all(Op::Write) - written, copied);
            }
        }
    }
}
