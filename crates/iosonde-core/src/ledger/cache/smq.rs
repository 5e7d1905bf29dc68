//! smq, the policy of dm-cache: which blocks are promoted and which demoted. What it does after some
//! seconds it does after some requests here, since the ledger has no clock.
//!
//! Source: Linux 6.1, drivers/md/dm-cache-policy-smq.c: `__lookup()`, `update_hotspot_queue()`,
//! `update_promote_levels()`, `end_hotspot_period()`, `end_cache_period()`, `queue_promotion()`,
//! `queue_demotion()`, `calc_hotspot_params()`. What it does in the background is done here before
//! the next request.

use std::collections::{HashMap, VecDeque};

use super::levels::{Entry, Levels, LEVELS};

/// Levels from which an access to the hotspot queue counts as a hit (`stats_init()`).
const HIT: usize = LEVELS * 3 / 4;
/// Seconds (`HOTSPOT_UPDATE_PERIOD`, `CACHE_UPDATE_PERIOD`, `WRITEBACK_PERIOD`).
const HOTSPOT_PERIOD: u64 = 1;
const CACHE_PERIOD: u64 = 60;
const WRITEBACK_PERIOD: u64 = 10;
/// The share of blocks that may be about to be demoted, % (`FREE_TARGET`).
const FREE: u64 = 25;

/// What becomes of a block that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Hit,
    Miss,
    /// It was not there, and is from now on.
    Promoted,
}

#[derive(Clone, Debug)]
pub struct Smq {
    room: u64,
    /// Blocks that the hotspot queue takes for one, and how many of these it knows.
    together: u64,
    known: usize,
    /// Requests in a second.
    rate: u64,
    hot: Vec<Entry>,
    hot_table: HashMap<u64, u32>,
    hotspot: Levels,
    kept: Vec<Entry>,
    table: HashMap<u64, u32>,
    /// Places that were given back, the one that is taken next first.
    free: VecDeque<u32>,
    clean: Levels,
    dirty: Levels,
    /// Blocks that are about to go, or to be written back.
    demoting: Vec<u32>,
    cleaning: Vec<u32>,
    hits: u64,
    misses: u64,
    jump: usize,
    promote_level: usize,
    tick: u64,
    /// When the slow device was last asked, and when it is looked at next: each second.
    busy: u64,
    next_look: u64,
    next_hotspot: u64,
    next_cache: u64,
    next_writeback: u64,
    /// What was put into a list before the first of these counts as old.
    old: [u64; 2],
    cache_period: u64,
}

impl Smq {
    /// A cache that nothing was asked of for some seconds (`do_waker()` goes on).
    ///
    /// Args: `room`: blocks of the cache; `origin`: of the slow device; `rate`: requests a second.
    pub fn new(room: u64, origin: u64, rate: u64) -> Self {
        let (mut together, known) = (16, (room / 4).max(1024));
        while together > 1 && together * known > origin {
            together /= 2;
        }
        Self {
            room,
            together,
            known: usize::try_from(known).unwrap_or(usize::MAX),
            rate,
            hot: Vec::new(),
            hot_table: HashMap::new(),
            hotspot: Levels::new(8, (known / LEVELS as u64).min(room / together)),
            kept: Vec::new(),
            table: HashMap::new(),
            free: VecDeque::new(),
            clean: Levels::new(0, 0),
            dirty: Levels::new(0, 0),
            demoting: Vec::new(),
            cleaning: Vec::new(),
            hits: 0,
            misses: 0,
            jump: 4,
            promote_level: LEVELS - LEVELS / 4,
            tick: 0,
            busy: 0,
            next_look: rate,
            next_hotspot: HOTSPOT_PERIOD * rate,
            next_cache: CACHE_PERIOD * rate,
            next_writeback: WRITEBACK_PERIOD * rate,
            old: [0, 0],
            cache_period: 0,
        }
    }

    /// What was decided at the last request is done now.
    ///
    /// Returns: blocks that are written back, and how many were demoted.
    pub fn work(&mut self) -> (Vec<u64>, u64) {
        let mut cleaned = Vec::new();
        for place in std::mem::take(&mut self.cleaning) {
            let entry = &mut self.kept[place as usize];
            entry.dirty = false;
            cleaned.push(entry.number);
            self.clean.push(&mut self.kept, place);
        }
        let demoted = self.demoting.len() as u64;
        for place in std::mem::take(&mut self.demoting) {
            self.table.remove(&self.kept[place as usize].number);
            self.free.push_back(place);
        }
        (cleaned, demoted)
    }

    /// A block is asked for. With `whole`, all of it is written, and it need not be copied.
    pub fn ask(&mut self, number: u64, whole: bool) -> Answer {
        if let Some(&place) = self.table.get(&number) {
            self.again(place);
            return Answer::Hit;
        }
        let level = self.heat(number / self.together);
        let empty = self.table.len() as u64 >= self.room;
        if (empty || !whole) && level < self.promote_level {
            return Answer::Miss;
        }
        if empty {
            self.make_room();
            return Answer::Miss;
        }
        self.promote(number);
        Answer::Promoted
    }

    /// A block of the cache was asked for: it goes up a level, once in a period.
    fn again(&mut self, place: u32) {
        let entry = &mut self.kept[place as usize];
        if self.cleaning.contains(&place) || self.demoting.contains(&place) {
            return;
        }
        if entry.raised == self.cache_period {
            return;
        }
        entry.raised = self.cache_period;
        entry.since = self.tick;
        let queue = if entry.dirty {
            &mut self.dirty
        } else {
            &mut self.clean
        };
        queue.raise(&mut self.kept, place, 1);
    }

    /// The level of what was missed in the hotspot queue.
    fn heat(&mut self, number: u64) -> usize {
        if let Some(&place) = self.hot_table.get(&number) {
            let entry = &mut self.hot[place as usize];
            if entry.level >= HIT {
                self.hits += 1;
            } else {
                self.misses += 1;
            }
            let by = if entry.raised == self.tick + 1 {
                0
            } else {
                self.jump
            };
            entry.raised = self.tick + 1;
            self.hotspot.raise(&mut self.hot, place, by);
            return self.hot[place as usize].level;
        }
        self.misses += 1;
        let mut place = u32::try_from(self.hot.len()).unwrap_or(u32::MAX);
        let mut entry = Entry::new(number, 0);
        if self.hot.len() < self.known {
            self.hot.push(entry);
        } else if let Some(gone) = self.hotspot.lowest(LEVELS, |_| true) {
            place = gone;
            entry.level = self.hot[place as usize].level; // it takes over the other's
            self.hotspot.remove(&mut self.hot, place);
            self.hot_table.remove(&self.hot[place as usize].number);
            self.hot[place as usize] = entry;
        }
        self.hotspot.push(&mut self.hot, place);
        self.hot_table.insert(number, place);
        entry.level
    }

    fn promote(&mut self, number: u64) {
        let mut entry = Entry::new(number, LEVELS - 1);
        entry.raised = u64::MAX;
        entry.since = self.tick;
        let fresh = (self.kept.len() as u64) < self.room;
        let place = if let Some(place) = self.free.pop_front().filter(|_| !fresh) {
            entry.raised = self.kept[place as usize].raised; // the place's bit stays
            self.kept[place as usize] = entry;
            place
        } else {
            self.kept.push(entry);
            u32::try_from(self.kept.len() - 1).unwrap_or(u32::MAX)
        };
        self.table.insert(number, place);
        self.clean.push(&mut self.kept, place);
    }

    /// A clean block of the lower levels will go; without one, an old dirty one is written back.
    fn make_room(&mut self) {
        if self.demoting.len() as u64 >= self.room * FREE / 100 {
            return;
        }
        if let Some(place) = self.clean.lowest(LEVELS / 2, |_| true) {
            self.clean.remove(&mut self.kept, place);
            self.demoting.push(place);
            return;
        }
        let (kept, old) = (&self.kept, self.old[0]);
        let found = self
            .dirty
            .lowest(LEVELS, |one| kept[one as usize].since < old);
        if let Some(place) = found {
            self.dirty.remove(&mut self.kept, place);
            self.cleaning.push(place);
        }
    }

    /// Where a block is in the cache.
    pub fn place(&self, number: u64) -> u64 {
        self.table.get(&number).map_or(0, |&place| u64::from(place))
    }

    /// A block of the cache is written to.
    pub fn soil(&mut self, number: u64) {
        let Some(&place) = self.table.get(&number) else {
            return;
        };
        if self.kept[place as usize].dirty {
            return;
        }
        if !self.demoting.contains(&place) {
            self.clean.remove(&mut self.kept, place);
            self.kept[place as usize].dirty = true;
            self.kept[place as usize].since = self.tick;
            self.dirty.push(&mut self.kept, place);
        }
    }

    /// The slow device is asked.
    pub fn busy(&mut self) {
        self.busy = self.tick;
    }

    /// All dirty blocks, which are clean from now on.
    pub fn all_dirty(&mut self) -> Vec<u64> {
        let mut found = Vec::new();
        while let Some(place) = self.dirty.lowest(LEVELS, |_| true) {
            self.dirty.remove(&mut self.kept, place);
            self.kept[place as usize].dirty = false;
            found.push(self.kept[place as usize].number);
            self.clean.push(&mut self.kept, place);
        }
        found
    }

    /// A request has ended.
    ///
    /// Returns: the slow device has been idle for a second, so that all that is dirty is written back.
    pub fn end(&mut self) -> bool {
        self.tick += 1;
        let looks = self.tick >= self.next_look;
        if looks {
            self.next_look = self.tick + self.rate;
        }
        if self.tick > self.next_writeback {
            self.old = [self.old[1], self.tick];
            self.next_writeback = self.tick + WRITEBACK_PERIOD * self.rate;
        }
        let (jump, divisor) = self.assessed();
        self.promote_level = LEVELS - LEVELS / divisor;
        if self.tick > self.next_hotspot {
            self.jump = jump;
            self.hotspot.redistribute(&mut self.hot);
            (self.hits, self.misses) = (0, 0);
            self.next_hotspot = self.tick + HOTSPOT_PERIOD * self.rate;
        }
        if self.tick > self.next_cache {
            self.cache_period += 1;
            self.dirty.redistribute(&mut self.kept);
            self.clean.redistribute(&mut self.kept);
            self.next_cache = self.tick + CACHE_PERIOD * self.rate;
        }
        looks && self.tick > self.busy + self.rate
    }

    /// By how many levels a hotspot goes up, and by what the threshold of promotion is divided: more,
    /// the fewer accesses there are to the upper levels (`stats_assess()`).
    const fn assessed(&self) -> (usize, usize) {
        let all = self.hits + self.misses;
        let share = (self.hits << 8).checked_div(all);
        match share {
            None | Some(0..=15) => (4, 4),
            Some(16..=31) => (2, 2),
            _ => (1, 1),
        }
    }
}
