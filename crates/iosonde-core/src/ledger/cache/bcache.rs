//! bcache: an SSD that is filled bucket by bucket with what is read and written, of any length.
//! Approximate: see what is left out.
//!
//! Source: Linux 6.1, drivers/md/bcache/request.c: `check_should_bypass()` (modes, sequential I/O by
//! the last 128 streams and the average of their lengths), `cached_dev_cache_miss()` (of a request
//! the first piece that is missing is kept, the others are read alone), `cached_dev_write()`,
//! `should_writeback()` (not with more than 70 % of the buckets dirty), `bch_data_insert_start()`;
//! alloc.c (a bucket that is needed is taken from those without dirty data, the one unused longest;
//! of several writers one is modelled, who has one open bucket); extents.c (keys that lie one behind
//! the other are one).
//!
//! Left out: the journal and the btree on the SSD (some writes each 100 ms, and for each flush),
//! congestion, the five seconds after which a stream is forgotten, garbage collection. Write-back
//! holds the dirty data at `writeback_percent` at once, in the order of their places: the kernel
//! comes near to it over minutes (writeback.c, `__update_writeback_rate()`). As there, it lets what
//! is below stay dirty, also at the end.

use std::collections::VecDeque;

use super::extents::{Extent, Extents};
use crate::ledger::io::{Io, Op, Step};
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

const SLOW: usize = 0;
const FAST: usize = 1;
/// Streams that are followed (`RECENT_IO`).
const STREAMS: usize = 128;
/// Share of dirty buckets from which writes go through (`CUTOFF_WRITEBACK_SYNC`), %.
const MOST_DIRTY: u64 = 70;

/// Where writes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Back,
    Through,
    Around,
    /// Nothing is kept any more.
    None,
}

impl TryFrom<String> for Mode {
    type Error = LedgerError;

    fn try_from(mode: String) -> Result<Self, LedgerError> {
        match mode.as_str() {
            "back" => Ok(Self::Back),
            "through" => Ok(Self::Through),
            "around" => Ok(Self::Around),
            "none" => Ok(Self::None),
            _ => Err(LedgerError::Mode {
                mode,
                known: "back, through, around or none",
            }),
        }
    }
}

/// What a cache is made of.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub mode: Mode,
    /// Bytes of a bucket, and how many.
    pub bucket: u64,
    pub buckets: u64,
    /// Bytes from which a sequential stream goes past the cache; 0: none does.
    pub cutoff: u64,
    /// Dirty share that write-back aims at, %.
    pub percent: u64,
}

/// A cache: the slow device is its first layer below, the fast one the second.
#[derive(Clone, Debug)]
pub struct Bcache {
    figures: Figures,
    kept: Extents,
    /// The bucket that is being filled, and how far.
    open: Option<(usize, u64)>,
    /// Where write-back goes on.
    next: u64,
    /// Ends of streams and their bytes, the newest last.
    streams: VecDeque<(u64, u64)>,
    /// Bytes of the current stream and their average (`sequential_io_avg`).
    stream: u64,
    average: u64,
    events: Events,
}

#[derive(Clone, Copy, Debug, Default)]
struct Events {
    hits: u64,
    misses: u64,
    bypassed: u64,
    written_back: u64,
    reused: u64,
}

impl Bcache {
    /// # Errors
    /// Fewer than two buckets, or such without bytes.
    pub fn new(figures: Figures) -> Result<Self, LedgerError> {
        let count = usize::try_from(figures.buckets).unwrap_or(usize::MAX);
        if figures.bucket == 0 || !(2..1 << 31).contains(&count) {
            return Err(LedgerError::Buckets);
        }
        Ok(Self {
            figures,
            kept: Extents::new(figures.bucket),
            open: None,
            next: 0,
            streams: VecDeque::new(),
            stream: 0,
            average: 0,
            events: Events::default(),
        })
    }

    /// Whether an I/O goes past the cache.
    fn passes(&mut self, io: &Io) -> bool {
        let Figures { mode, cutoff, .. } = self.figures;
        if mode == Mode::None || mode == Mode::Around && io.op == Op::Write {
            return true;
        }
        cutoff > 0 && self.follow(io) / 512 >= cutoff / 512
    }

    /// Bytes of the stream that an I/O continues, or their average if that is more.
    fn follow(&mut self, io: &Io) -> u64 {
        let known = self.streams.iter().rposition(|one| one.0 == io.offset);
        let before = known.and_then(|place| self.streams.remove(place));
        if before.is_none() {
            self.average = (self.average * 7 + self.stream) / 8;
            if self.streams.len() == STREAMS {
                self.streams.pop_front();
            }
        }
        self.stream = before.map_or(0, |one| one.1) + io.length;
        self.streams.push_back((io.end(), self.stream));
        self.stream.max(self.average)
    }

    fn read(&mut self, io: Io, past: bool, out: &mut Vec<Step>) {
        let (mut at, mut missed) = (io.offset, None);
        while at < io.end() {
            let (found, end) = self.kept.piece(at, io.end());
            let own = io.piece(at, end - at);
            if let Some(place) = found {
                self.kept.touch(place);
                out.push(Step::new(FAST, own.at(place)));
            } else {
                missed = missed.or(Some((at, end)));
                out.push(Step::new(SLOW, own));
            }
            at = end;
        }
        if past {
            self.events.bypassed += 1;
        } else if missed.is_some() {
            self.events.misses += 1;
        } else {
            self.events.hits += 1;
        }
        if let (Some((begin, end)), false) = (missed, past) {
            self.insert(begin, end, false, out);
        }
    }

    fn write(&mut self, io: Io, past: bool, out: &mut Vec<Step>) {
        let room = self.kept.dirty_buckets() * 100 <= MOST_DIRTY * self.figures.buckets;
        if past {
            self.events.bypassed += 1;
            self.kept.cut(io.offset, io.end());
            out.push(Step::new(SLOW, io));
            return;
        }
        let dirty = self.figures.mode == Mode::Back && room;
        if !dirty {
            out.push(Step::new(SLOW, io));
        }
        self.insert(io.offset, io.end(), dirty, out);
    }

    /// Puts data into the open bucket, and the next ones.
    fn insert(&mut self, begin: u64, end: u64, dirty: bool, out: &mut Vec<Step>) {
        self.kept.cut(begin, end);
        let size = self.figures.bucket;
        let mut at = begin;
        while at < end {
            let (number, used) = self.bucket(out);
            let length = (end - at).min(size - used);
            let place = number as u64 * size + used;
            let io = Io::new(Op::Write, place, length);
            let alone = length == end - begin;
            out.push(Step::new(FAST, Io { alone, ..io }));
            self.kept.keep(
                at,
                Extent {
                    end: at + length,
                    at: place,
                    dirty,
                },
            );
            self.open = (used + length < size).then_some((number, used + length));
            at += length;
        }
    }

    /// The bucket to be filled, and how far it is.
    fn bucket(&mut self, out: &mut Vec<Step>) -> (usize, u64) {
        if let Some(open) = self.open {
            return open;
        }
        if self.kept.buckets() < self.figures.buckets {
            return (self.kept.add_bucket(), 0);
        }
        let Some(number) = self.kept.oldest_bucket() else {
            unreachable!("all buckets have been used")
        };
        if self.kept.is_dirty(number) {
            self.clean(number, out);
        }
        self.events.reused += 1;
        self.kept.empty(number);
        (number, 0)
    }

    /// Writes the dirty data of a bucket back.
    fn clean(&mut self, number: usize, out: &mut Vec<Step>) {
        for (begin, end) in self.kept.filled(number) {
            for (from, one) in self.kept.within(begin, end, number) {
                if one.dirty {
                    self.copy_back(from, one, out);
                }
            }
        }
    }

    /// Dirty data beyond the share that is aimed at.
    fn write_back(&mut self, out: &mut Vec<Step>) {
        let Figures {
            bucket,
            buckets,
            percent,
            mode,
            ..
        } = self.figures;
        let most = bucket * buckets / 100 * percent;
        while mode == Mode::Back && self.kept.dirty() > most {
            let Some((begin, one)) = self.kept.next_dirty(self.next) else {
                return;
            };
            self.next = one.end;
            self.copy_back(begin, one, out);
        }
    }

    fn copy_back(&mut self, begin: u64, one: Extent, out: &mut Vec<Step>) {
        let length = one.end - begin;
        out.push(Step::new(FAST, Io::new(Op::Read, one.at, length)));
        out.push(Step::new(SLOW, Io::new(Op::Write, begin, length)));
        self.events.written_back += 1;
        self.kept.written_back(begin, one);
    }
}

impl Mapping for Bcache {
    /// What it counted: requests that were there wholly or not, that went past it; extents written
    /// back; buckets that were emptied for others.
    fn events(&self) -> Vec<(&'static str, u64)> {
        let events = self.events;
        vec![
            ("hits", events.hits),
            ("misses", events.misses),
            ("bypassed", events.bypassed),
            ("written_back", events.written_back),
            ("buckets_reused", events.reused),
            ("dirty_bytes", self.kept.dirty()),
            ("dirty_extents", self.kept.dirty_extents()),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            out.extend([Step::new(SLOW, io), Step::new(FAST, io)]);
            return;
        }
        let past = self.passes(&io);
        if io.op == Op::Read {
            self.read(io, past, out);
        } else {
            self.write(io, past, out);
        }
        self.write_back(out);
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

    fn cache(mode: Mode, cutoff: u64, percent: u64) -> Bcache {
        let figures = Figures {
            mode,
            bucket: 16384,
            buckets: 4,
            cutoff,
            percent,
        };
        Bcache::new(figures).unwrap()
    }

    fn ask(cache: &mut Bcache, op: Op, offset: u64, length: u64) -> Vec<(u32, Op, u64)> {
        let mut out = Vec::new();
        cache.map(Io::new(op, offset, length), &mut out);
        out.iter()
            .map(|one| (one.child, one.io.op, one.io.length))
            .collect()
    }

    #[test]
    fn what_was_read_is_there_the_next_time() {
        let mut cache = cache(Mode::Through, 0, 10);
        let first = [(0, Op::Read, 4096), (1, Op::Write, 4096)];
        assert_eq!(ask(&mut cache, Op::Read, 8192, 4096), first);
        assert_eq!(ask(&mut cache, Op::Read, 8192, 4096), [(1, Op::Read, 4096)]);
        // Of a read around it, what is missing first is kept.
        let around = ask(&mut cache, Op::Read, 4096, 12288);
        assert_eq!(around.len(), 4);
        assert_eq!(ask(&mut cache, Op::Read, 4096, 8192).len(), 2);
        assert_eq!(ask(&mut cache, Op::Read, 12288, 4096), first);
    }

    #[test]
    fn a_long_stream_goes_past_it() {
        let mut cache = cache(Mode::Back, 65536, 40);
        for at in 0..3 {
            assert_eq!(ask(&mut cache, Op::Write, at * 16384, 16384)[0].0, 1);
        }
        assert_eq!(
            ask(&mut cache, Op::Write, 3 * 16384, 16384)[0],
            (0, Op::Write, 16384)
        );
    }

    #[test]
    fn dirty_data_beyond_the_share_are_written_back() {
        let mut cache = cache(Mode::Back, 0, 10);
        assert_eq!(ask(&mut cache, Op::Write, 0, 4096), [(1, Op::Write, 4096)]);
        let more = ask(&mut cache, Op::Write, 65536, 4096);
        assert_eq!(
            more,
            [
                (1, Op::Write, 4096),
                (1, Op::Read, 4096),
                (0, Op::Write, 4096)
            ]
        );
        assert_eq!(cache.events()[5], ("dirty_bytes", 4096));
    }

    proptest! {
        /// Extents and sums agree after anything, and no more is dirty than is aimed at.
        #[test]
        fn the_books_are_right(
            asked in prop::collection::vec((any::<bool>(), 0_u64..120, 1_u64..50), 1..120),
            mode in 0_usize..4, cutoff in 0_u64..3, percent in 0_u64..41,
        ) {
            let mode = [Mode::Back, Mode::Through, Mode::Around, Mode::None][mode];
            let mut cache = cache(mode, cutoff * 20000, percent);
            for (write, at, length) in asked {
                let op = if write { Op::Write } else { Op::Read };
                ask(&mut cache, op, at * 512, length * 512);
                cache.kept.audit();
                prop_assert!(cache.kept.dirty() <= 16384 * 4 / 100 * percent);
            }
        }
    }
}
