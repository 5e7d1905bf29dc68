//! An array with parity: RAID 4, 5 and 6 of md.
//!
//! Source: Linux 6.1, drivers/md/raid5.c: `raid5_make_request()`, `chunk_aligned_read()`,
//! `make_stripe_request()`, `raid5d()`, `stripe_can_batch()`. Reads of a whole array go straight to
//! the members; all else goes through stripes of one page per member, which are gathered while the
//! writer is plugged.

use std::collections::HashMap;
use std::ops::Range;

use super::first::{each, page, step, First};
use super::place::Geometry;
use super::stripe::{Members, Next, RmwLevel, Stripe};
use crate::ledger::io::{Io, Op, Step, PAGE};
use crate::ledger::lru::Lru;
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

/// The stripe cache is kept in as many lists (drivers/md/raid5.h, `NR_STRIPE_HASH_LOCKS`).
const LISTS: u64 = 8;

/// An array with parity and its stripe cache.
#[derive(Clone, Debug)]
pub struct Parity {
    pub(super) geometry: Geometry,
    pub(super) failed: u64,
    pub(super) level: RmwLevel,
    cache: Vec<Lru>,
    /// No member is lost and no stripe is kept.
    pub(super) plain: bool,
    /// Pages of a chunk.
    pages: u64,
    /// Stripes of the request that is being gathered, in the order in which md takes them.
    gathered: Vec<(u64, Stripe)>,
    places: HashMap<u64, usize>,
    /// Parts of pages that are written: which stripe and page, and the bytes of it.
    parts: Vec<(usize, u64, Range<u64>)>,
    /// Stripes go on together once all that was read is there; else those of each row as soon as
    /// they can. The kernel does something between: it depends on which disk answers first.
    together: bool,
}

impl Parity {
    /// Args: `failed`: a bit for each member that is lost; `cache`: stripes that md keeps
    /// (`stripe_cache_size`), 0: none; `together`: see there.
    ///
    /// # Errors
    /// More members are lost than parity makes up for.
    pub fn new(
        geometry: Geometry,
        failed: u64,
        level: RmwLevel,
        cache: u64,
        together: bool,
    ) -> Result<Self, LedgerError> {
        if failed >> geometry.disks != 0 || u64::from(failed.count_ones()) > geometry.parity {
            return Err(LedgerError::TooManyLost);
        }
        let each = usize::try_from(cache / LISTS).unwrap_or(usize::MAX);
        if each >= 1 << 31 {
            return Err(LedgerError::StripeCache(cache));
        }
        let lists = if each > 0 { LISTS } else { 0 };
        Ok(Self {
            geometry,
            failed,
            level,
            cache: (0..lists).map(|_| Lru::new(each)).collect(),
            plain: failed == 0 && lists == 0,
            pages: geometry.chunk() / PAGE,
            gathered: Vec::new(),
            places: HashMap::new(),
            parts: Vec::new(),
            together,
        })
    }

    fn aligned(&self, io: Io, out: &mut Vec<Step>) {
        let mut rest = io;
        while rest.length > 0 {
            let (row, data, inside) = self.geometry.find(rest.offset);
            let length = self.first(&rest);
            let at = row * self.geometry.chunk() + inside;
            let part = io.piece(at, length);
            out.push(step(self.geometry.row(row).member(data), part));
            rest = rest.part(rest.offset + length, rest.length - length);
        }
    }

    fn gather(&mut self, io: Io, out: &mut Vec<Step>) {
        let (row, data, inside) = self.geometry.find(io.offset);
        if io.alone && inside % PAGE + io.length <= PAGE && self.gathered.is_empty() {
            let (number, whole) = (row * self.pages + inside / PAGE, io.length == PAGE);
            if self.plain && io.op == Op::Write {
                let (read, written) = self.touched(row, data, whole);
                each(read, number, Op::Read, true, out);
                each(written, number, Op::Write, true, out);
            } else {
                let member = self.geometry.row(row).member(data);
                self.one(number, wanted(io.op, 1 << member, whole), out);
            }
            return;
        }
        // md begins with the second chunk where a member that holds data comes behind.
        let rest = self.geometry.chunk() - inside;
        let members = self.geometry.row(row);
        let behind = members.member(data) + 1;
        let more = (behind..self.geometry.disks).any(|one| members.mask() >> one & 1 == 0);
        let beside = rest < io.length && more;
        let begin = if beside { io.offset + rest } else { io.offset };
        self.touch(io, begin, io.end());
        self.touch(io, io.offset, begin);
    }

    /// Adds the pages of a part of an I/O to their stripes.
    fn touch(&mut self, io: Io, begin: u64, end: u64) {
        let pages = self.pages;
        let mut offset = begin;
        while offset < end {
            let (row, data, inside) = self.geometry.find(offset);
            let member = self.geometry.row(row).member(data);
            let last = end.min(offset + self.geometry.chunk() - inside);
            while offset < last {
                let into = offset % PAGE;
                let length = (PAGE - into).min(last - offset);
                let number = row * pages + self.geometry.find(offset).2 / PAGE;
                let new = wanted(io.op, 1 << member, length == PAGE);
                let place = self.place(number);
                let stripe = &mut self.gathered[place].1;
                stripe.reading |= new.reading;
                stripe.writing |= new.writing;
                stripe.whole |= new.whole;
                if length < PAGE {
                    self.part(place, 1 << member, into..into + length);
                }
                offset += length;
            }
        }
    }

    /// The place of a stripe among those gathered.
    fn place(&mut self, number: u64) -> usize {
        let next = self.gathered.len();
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.gathered.push((number, Stripe::default()));
        }
        place
    }

    /// A page that is written in parts, which together may be all of it.
    fn part(&mut self, place: usize, page: u64, bytes: Range<u64>) {
        let parts = &mut self.parts;
        let beside = |(at, of, part): &(usize, u64, Range<u64>)| {
            (*at, *of) == (place, page) && (part.end == bytes.start || bytes.end == part.start)
        };
        let joined = match parts.iter().position(beside) {
            Some(other) => {
                let part = parts.swap_remove(other).2;
                part.start.min(bytes.start)..part.end.max(bytes.end)
            }
            None => bytes,
        };
        if joined == (0..PAGE) {
            let stripe = &mut self.gathered[place].1;
            stripe.whole |= page & stripe.writing;
        }
        parts.push((place, page, joined));
    }

    fn members(&self, number: u64) -> Members {
        let row = self.geometry.row(number / (self.pages));
        Members {
            disks: small(self.geometry.disks),
            p: small(row.p),
            q: row.q.map(small),
            failed: self.failed,
        }
    }

    /// A stripe that is the whole request.
    fn one(&mut self, number: u64, mut stripe: Stripe, out: &mut Vec<Step>) {
        let members = self.members(number);
        stripe.known = self.recall(number);
        loop {
            match stripe.next(&members, self.level) {
                Next::Read(pages) => each(pages, number, Op::Read, true, out),
                Next::Write(pages) => each(pages, number, Op::Write, true, out),
                Next::Done => break,
            }
        }
        self.keep(number, stripe.known);
    }

    /// Lets go what was gathered.
    ///
    /// Returns: the I/Os to the members, in phases; those of one are all under way before any ends.
    pub fn release(&mut self) -> Vec<Vec<Step>> {
        let gathered = std::mem::take(&mut self.gathered);
        self.places.clear();
        self.parts.clear();
        let mut first = First::default();
        let mut waiting = Vec::new();
        let mut done = Vec::new();
        for (number, mut stripe) in gathered {
            let members = self.members(number);
            let full = (stripe.whole.count_ones() + small(self.geometry.parity)) == members.disks;
            stripe.known = self.recall(number);
            let next = stripe.next(&members, self.level);
            if !full || !first.follows(number, self.pages) {
                self.whole_rows(&mut first);
            }
            match next {
                Next::Write(_) if full => first.batch.push(number),
                Next::Write(pages) => each(pages, number, Op::Write, false, &mut first.writes),
                Next::Read(pages) => waiting.push((first.read(pages, number), number, stripe)),
                Next::Done => {}
            }
            done.push((number, stripe.known));
        }
        self.whole_rows(&mut first);
        for (number, known) in done {
            self.keep(number, known);
        }
        let mut phases = vec![first.begun()];
        self.follow(waiting, &first, &mut phases);
        phases
    }

    /// What follows the first reads: a stripe goes on when the last of its reads has ended.
    ///
    /// See `together`.
    fn follow(
        &mut self,
        waiting: Vec<(Vec<usize>, u64, Stripe)>,
        first: &First,
        phases: &mut Vec<Vec<Step>>,
    ) {
        let ended = |reads: &[usize]| reads.iter().map(|&one| first.order[one]).max().unwrap_or(0);
        let pages = self.pages;
        let when = |reads: &[usize], number: u64| {
            if self.together {
                (0, 0)
            } else {
                (ended(reads), number / pages)
            }
        };
        let mut waiting: Vec<_> = waiting
            .into_iter()
            .map(|(reads, number, stripe)| (when(&reads, number), number, stripe))
            .collect();
        if self.together {
            waiting.sort_by_key(|one| one.1);
        } else {
            waiting.sort_by_key(|one| one.0);
        }
        let mut now = (usize::MAX, 0);
        for (when, number, mut stripe) in waiting {
            if when != now {
                phases.push(Vec::new());
                now = when;
            }
            let members = self.members(number);
            let Some(out) = phases.last_mut() else { return };
            loop {
                match stripe.next(&members, self.level) {
                    Next::Read(pages) => each(pages, number, Op::Read, false, out),
                    Next::Write(pages) => each(pages, number, Op::Write, false, out),
                    Next::Done => break,
                }
            }
            self.keep(number, stripe.known);
        }
    }

    /// Whole stripes of one row are written member by member.
    fn whole_rows(&self, first: &mut First) {
        for member in (0..self.geometry.disks).rev() {
            if self.failed >> member & 1 == 0 {
                for &number in &first.batch {
                    first
                        .writes
                        .push(step(member, page(number, Op::Write, false)));
                }
            }
        }
        first.batch.clear();
    }

    #[allow(clippy::cast_possible_truncation)] // below LISTS
    fn recall(&mut self, number: u64) -> u64 {
        match self.cache.get_mut((number % LISTS) as usize) {
            Some(list) => {
                if let Some(known) = list.get(number, true) {
                    return *known;
                }
                list.insert(number, 0);
                0
            }
            None => 0,
        }
    }

    #[allow(clippy::cast_possible_truncation)] // below LISTS
    fn keep(&mut self, number: u64, known: u64) {
        if let Some(list) = self.cache.get_mut((number % LISTS) as usize) {
            if let Some(value) = list.get(number, true) {
                *value = known;
            } else {
                list.insert(number, known);
            }
        }
    }
}

impl Mapping for Parity {
    /// Where a read lies that is in one chunk of a whole array.
    #[inline]
    fn single(&self, op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        if op != Op::Read || self.failed != 0 {
            return None;
        }
        let (row, data, inside) = self.geometry.find(offset);
        if inside + length > self.geometry.chunk() {
            return None;
        }
        let at = row * self.geometry.chunk() + inside;
        Some((small(self.geometry.row(row).member(data)), at))
    }

    /// `touched` for each `cell`.
    fn cells(&self) -> Vec<(u64, u64)> {
        let data = self.geometry.data();
        let touched = |cell| {
            let chunk = cell / 2;
            self.touched(chunk / data, chunk % data, cell % 2 == 1)
        };
        (0..self.geometry.turns() * data * 2).map(touched).collect()
    }

    /// Takes an I/O: what can be done at once goes to `out`, the rest is gathered.
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        match io.op {
            Op::Flush => {
                let members = (0..self.geometry.disks).filter(|&one| self.failed >> one & 1 == 0);
                out.extend(members.map(|one| step(one, io)));
            }
            Op::Read if self.failed == 0 => self.aligned(io, out),
            _ => self.gather(io, out),
        }
    }

    /// Whether something waits for `release`.
    fn gathers(&self) -> bool {
        !self.gathered.is_empty()
    }

    /// Bytes of a read of a whole array up to the end of a chunk.
    fn first(&self, io: &Io) -> u64 {
        if io.op != Op::Read || self.failed != 0 {
            return io.length;
        }
        io.length
            .min(self.geometry.chunk() - self.geometry.find(io.offset).2)
    }
}

const fn wanted(op: Op, page: u64, whole: bool) -> Stripe {
    let writes = matches!(op, Op::Write);
    Stripe {
        known: 0,
        reading: if writes { 0 } else { page },
        writing: if writes { page } else { 0 },
        whole: if writes && whole { page } else { 0 },
    }
}

#[allow(clippy::cast_possible_truncation)] // below 65
pub(super) const fn small(number: u64) -> u32 {
    number as u32
}
