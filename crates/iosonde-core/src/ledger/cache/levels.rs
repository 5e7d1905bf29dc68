//! Queues stacked into levels, which is what smq orders blocks by: those asked for more often are in
//! higher levels, and each level is a list with the eldest first.
//!
//! Source: Linux 6.1, drivers/md/dm-cache-policy-smq.c (`struct queue`: `q_requeue()`,
//! `q_set_targets()`, `q_redistribute()`).

pub const LEVELS: usize = 64;
const NONE: u32 = u32::MAX;

/// A block in one of the lists of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub number: u64,
    pub level: usize,
    pub dirty: bool,
    /// When it was last put into a list, and when it last went up: ticks.
    pub since: u64,
    pub raised: u64,
    older: u32,
    newer: u32,
}

impl Entry {
    pub const fn new(number: u64, level: usize) -> Self {
        Self {
            number,
            level,
            dirty: false,
            since: 0,
            raised: 0,
            older: NONE,
            newer: NONE,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
    count: u64,
}

/// A queue; its entries are in a vector, which several queues may share.
#[derive(Clone, Debug)]
pub struct Levels {
    lists: [List; LEVELS],
    count: u64,
    /// How many levels are the top ones, and how many entries are to be in them.
    top: usize,
    in_top: u64,
}

impl Levels {
    /// Args: `top` levels are to have `in_top` entries; 0: all are to have as many.
    pub const fn new(top: usize, in_top: u64) -> Self {
        let list = List {
            first: NONE,
            last: NONE,
            count: 0,
        };
        Self {
            lists: [list; LEVELS],
            count: 0,
            top,
            in_top,
        }
    }

    /// Puts an entry behind all others of its level.
    pub fn push(&mut self, all: &mut [Entry], entry: u32) {
        let list = &mut self.lists[all[entry as usize].level];
        all[entry as usize].older = list.last;
        all[entry as usize].newer = NONE;
        match list.last {
            NONE => list.first = entry,
            newest => all[newest as usize].newer = entry,
        }
        list.last = entry;
        list.count += 1;
        self.count += 1;
    }

    pub fn remove(&mut self, all: &mut [Entry], entry: u32) {
        let Entry {
            older,
            newer,
            level,
            ..
        } = all[entry as usize];
        let list = &mut self.lists[level];
        match older {
            NONE => list.first = newer,
            older => all[older as usize].newer = newer,
        }
        match newer {
            NONE => list.last = older,
            newer => all[newer as usize].older = older,
        }
        list.count -= 1;
        self.count -= 1;
    }

    /// The first of the eldest of each level, from the lowest up, that is wanted.
    pub fn lowest(&self, below: usize, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let firsts = self.lists[..below].iter().map(|one| one.first);
        firsts.filter(|&one| one != NONE).find(|&one| wanted(one))
    }

    /// An entry goes up so many levels and to the end there; the eldest of that level takes its place.
    pub fn raise(&mut self, all: &mut [Entry], entry: u32, by: usize) {
        let old = all[entry as usize].level;
        let new = (old + by).min(LEVELS - 1);
        let other = self.lists[new].first;
        if by > 0 && old < LEVELS - 1 && other != NONE {
            self.remove(all, other);
            all[other as usize].level = old;
            self.push(all, other);
        }
        self.remove(all, entry);
        all[entry as usize].level = new;
        self.push(all, entry);
    }

    /// How many entries a level is to have.
    fn target(&self, level: usize) -> u64 {
        let share = |count: u64, place: usize, levels: usize| {
            let (levels, place) = (levels as u64, place as u64);
            count / levels + u64::from(place < count % levels)
        };
        let lower = LEVELS - self.top;
        if level >= lower {
            share(self.in_top, level - lower, self.top)
        } else {
            share(self.count.saturating_sub(self.in_top), level, lower)
        }
    }

    /// Moves entries between levels until each but the topmost has as many as it is to have.
    pub fn redistribute(&mut self, all: &mut [Entry]) {
        let count = self.count;
        for level in 0..LEVELS - 1 {
            let target = self.target(level);
            while self.lists[level].count < target {
                let mut above = self.lists[level + 1..].iter().map(|one| one.first);
                let Some(entry) = above.find(|&one| one != NONE) else {
                    break;
                };
                self.remove(all, entry);
                all[entry as usize].level = level;
                self.push(all, entry);
            }
            while self.lists[level].count > target {
                let entry = self.lists[level].last;
                self.remove(all, entry);
                all[entry as usize].level = level + 1;
                self.push(all, entry);
            }
        }
        debug_assert_eq!(count, self.count);
    }
}
