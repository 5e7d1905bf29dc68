//! dm-cache: large blocks of a slow device, of which those that are asked for again are copied to a
//! fast one. Approximate: see `AFTER`.
//!
//! Source: Linux 6.1, drivers/md/dm-cache-target.c (`map_bio()`: I/Os are split at blocks; hits go
//! to the cache, and with write-through to both; `mg_start()`: a promotion copies the whole block,
//! unless a write covers it; a dirty block that has to go is copied back),
//! dm-cache-policy-smq.c (`should_promote()`: by the level of a block in the hotspot queue).

use super::Mode;
use crate::ledger::divisor::Divisor;
use crate::ledger::io::{Io, Op, Step};
use crate::ledger::lru::Lru;

const FAST: u32 = 1;
const SLOW: u32 = 0;
/// Misses of a block that is still remembered before it is copied. smq compares its level with one
/// that it adapts to how well hits go; twice is what a cache that is seldom asked comes to.
const AFTER: u64 = 2;

/// A cache of blocks with their place on the slow device as number.
#[derive(Clone, Debug)]
pub struct Promote {
    mode: Mode,
    block: Divisor,
    /// Blocks that are there, the value 1 where they are dirty.
    kept: Lru,
    room: usize,
    /// Blocks that were asked for and are not there: how often.
    seen: Lru,
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
    /// Args: `block`: bytes; `blocks` there is room for.
    ///
    /// # Errors
    /// No bytes, no room or too much.
    pub fn new(mode: Mode, block: u64, blocks: u64) -> Result<Self, String> {
        let room = usize::try_from(blocks).unwrap_or(0);
        if block == 0 || room == 0 || room >= 1 << 31 {
            return Err("a cache holds 1 to 2^31 − 1 blocks of some bytes".to_owned());
        }
        Ok(Self {
            mode,
            block: Divisor::new(block),
            kept: Lru::new(room),
            room,
            seen: Lru::new(room),
            events: Events::default(),
        })
    }

    /// What it counted, by the names of `dmsetup status`.
    #[must_use]
    pub fn told(&self) -> Vec<(&'static str, u64)> {
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

    pub fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            out.extend([step(SLOW, io), step(FAST, io)]);
            return;
        }
        let mut rest = io;
        while rest.length > 0 {
            let (number, inside) = self.block.divide(rest.offset);
            let length = rest.length.min(self.block.get() - inside);
            let piece = if length == io.length {
                rest
            } else {
                rest.part(rest.offset, length)
            };
            self.piece(number, piece, out);
            rest = rest.part(rest.offset + length, rest.length - length);
        }
    }

    fn piece(&mut self, number: u64, io: Io, out: &mut Vec<Step>) {
        let write = io.op == Op::Write;
        let dirty = write && self.mode == Mode::Back;
        if let Some(value) = self.kept.get(number, true) {
            *value |= u64::from(dirty);
            *if write {
                &mut self.events.write_hits
            } else {
                &mut self.events.read_hits
            } += 1;
            out.push(step(FAST, io));
            if write && !dirty {
                out.push(step(SLOW, io));
            }
            return;
        }
        *if write {
            &mut self.events.write_misses
        } else {
            &mut self.events.read_misses
        } += 1;
        let whole = write && io.length == self.block.get();
        if whole && self.kept.len() < self.room {
            self.keep(number, dirty, out);
            out.push(step(FAST, io));
            if !dirty {
                out.push(step(SLOW, io));
            }
            return;
        }
        out.push(step(SLOW, io));
        if self.asked(number) {
            let copy = Io::new(Op::Read, number * self.block.get(), self.block.get());
            out.push(step(SLOW, copy));
            self.keep(number, false, out);
            let op = Op::Write;
            out.push(step(FAST, Io { op, ..copy }));
        }
    }

    /// Remembers that a block was asked for.
    ///
    /// Returns: it was often enough.
    fn asked(&mut self, number: u64) -> bool {
        let times = if let Some(times) = self.seen.get(number, true) {
            *times += 1;
            *times
        } else {
            self.seen.insert(number, 1);
            1
        };
        if times >= AFTER {
            self.seen.remove(number);
        }
        times >= AFTER
    }

    /// Takes a block in; one that has to go is copied back where it is dirty.
    fn keep(&mut self, number: u64, dirty: bool, out: &mut Vec<Step>) {
        self.events.promotions += 1;
        if let Some((gone, value)) = self.kept.insert(number, u64::from(dirty)) {
            self.events.demotions += 1;
            if value == 1 {
                self.events.copied_back += 1;
                let size = self.block.get();
                let read = Io::new(Op::Read, gone * size, size);
                out.push(step(FAST, read));
                let op = Op::Write;
                out.push(step(SLOW, Io { op, ..read }));
            }
        }
    }
}

/// A block is counted where it lies on the slow device, on the fast one too.
const fn step(child: u32, io: Io) -> Step {
    Step { child, io }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(steps: &[Step], child: u32, op: Op) -> u64 {
        let of = |one: &&Step| one.child == child && one.io.op == op;
        steps.iter().filter(of).map(|one| one.io.length).sum()
    }

    #[test]
    fn a_block_is_copied_when_it_is_asked_for_again() {
        let mut cache = Promote::new(Mode::Back, 65536, 2).unwrap();
        let mut ask = |op, offset| {
            let mut out = Vec::new();
            cache.map(Io::new(op, offset, 4096), &mut out);
            out
        };
        assert_eq!(ask(Op::Read, 0), [step(SLOW, Io::new(Op::Read, 0, 4096))]);
        let again = ask(Op::Read, 8192);
        assert_eq!(bytes(&again, SLOW, Op::Read), 4096 + 65536);
        assert_eq!(bytes(&again, FAST, Op::Write), 65536);
        assert_eq!(ask(Op::Write, 0), [step(FAST, Io::new(Op::Write, 0, 4096))]);
        for _ in 0..2 {
            ask(Op::Read, 65536);
            ask(Op::Read, 131_072);
        }
        let events = cache.told();
        assert!(events.contains(&("demotions", 1)), "{events:?}");
        assert!(events.contains(&("copied_back", 1)), "{events:?}");
    }

    proptest! {
        /// Every byte is read or written once beside what is copied; hits and misses are all pieces.
        #[test]
        fn bytes_are_kept(
            asked in prop::collection::vec((any::<bool>(), 0_u64..200, 1_u64..40), 1..80), back: bool,
        ) {
            let mode = if back { Mode::Back } else { Mode::Through };
            let mut cache = Promote::new(mode, 8192, 5).unwrap();
            let (mut out, mut read, mut written, mut pieces) = (Vec::new(), 0, 0, 0);
            for (write, sector, sectors) in asked {
                let (offset, length) = (sector * 512, sectors * 512);
                pieces += (offset + length - 1) / 8192 - offset / 8192 + 1;
                *if write { &mut written } else { &mut read } += length;
                let op = if write { Op::Write } else { Op::Read };
                cache.map(Io::new(op, offset, length), &mut out);
            }
            let Events { read_hits, read_misses, write_hits, write_misses, copied_back, .. } = cache.events;
            prop_assert_eq!(read_hits + read_misses + write_hits + write_misses, pieces);
            let all = |op| bytes(&out, SLOW, op) + bytes(&out, FAST, op);
            let copies = out.iter().filter(|one| one.io.op == Op::Read && one.io.length == 8192);
            prop_assert!(all(Op::Read) >= read);
            prop_assert!((all(Op::Read) - read) % 8192 == 0);
            prop_assert!((all(Op::Read) - read) / 8192 <= copies.count() as u64);
            let least = if back { copied_back * 8192 } else { written };
            prop_assert!(bytes(&out, SLOW, Op::Write) >= least);
        }
    }
}
