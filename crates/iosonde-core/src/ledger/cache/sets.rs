//! Where a cache keeps a block: in one of the places of its set, or anywhere.
//!
//! Source: flashcache, `flashcache_conf.c` (`assoc` 512 by default, sets by block number) and
//! `flashcache_main.c` (`find_reclaim_dbn`): within a set the first place in turn goes (FIFO), or the
//! one that was not used for longest (LRU).

use crate::ledger::divisor::Divisor;
use crate::ledger::lru::Lru;

/// Which block has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Fifo,
    Lru,
}

/// A block that had to go, its place, and whether it was dirty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    pub block: u64,
    pub dirty: bool,
}

/// The places of a cache.
#[derive(Clone, Debug)]
pub enum Places {
    Sets(Sets),
    Anywhere(Anywhere),
}

const EMPTY: u32 = u32::MAX;
/// Marks compared at once.
const SPAN: usize = 64;

const fn mark(tag: u32) -> u16 {
    (tag.wrapping_mul(0x9E37_79B1) >> 16) as u16
}

/// Sets of places, found by comparing their tags.
#[derive(Clone, Debug)]
pub struct Sets {
    policy: Policy,
    ways: usize,
    count: Divisor,
    /// Block number over number of sets, for each place.
    tags: Vec<u32>,
    /// Sixteen bits made of each tag, which are compared first.
    marks: Vec<u16>,
    dirty: Vec<bool>,
    /// Empty places of each set.
    empty: Vec<u32>,
    /// FIFO: the place of each set whose turn it is.
    turn: Vec<u32>,
    /// LRU: when each place was last used.
    used: Vec<u64>,
    clock: u64,
}

impl Sets {
    /// The place of a block.
    #[inline]
    fn find(&self, set: usize, tag: u32) -> Option<usize> {
        let begin = set * self.ways;
        let mark = mark(tag);
        let marks = &self.marks[begin..begin + self.ways];
        let spans = marks.chunks_exact(SPAN);
        let rest = spans.remainder();
        for (number, span) in spans.enumerate() {
            // To compare all is quicker than to stop at the first: it is done by vectors.
            let same = span
                .iter()
                .fold(0, |same, &one| same | u16::from(one == mark));
            if same != 0 {
                let found = self.among(span, begin + number * SPAN, mark, tag);
                if found.is_some() {
                    return found;
                }
            }
        }
        self.among(rest, begin + self.ways - rest.len(), mark, tag)
    }

    /// The place of a tag among those whose marks are given, from a place on.
    fn among(&self, marks: &[u16], first: usize, mark: u16, tag: u32) -> Option<usize> {
        let mut places = marks.iter().zip(first..);
        let same = |(one, place): &(&u16, usize)| **one == mark && self.tags[*place] == tag;
        places.find(same).map(|(_, place)| place)
    }

    /// An empty place, or that of the block whose turn it is to go.
    fn room(&mut self, set: usize) -> usize {
        if self.empty[set] > 0 {
            if let Some(place) = self.find(set, EMPTY) {
                self.empty[set] -= 1;
                return place;
            }
        }
        self.victim(set)
    }

    #[allow(clippy::cast_possible_truncation)] // fewer ways than 2^32
    fn victim(&mut self, set: usize) -> usize {
        let begin = set * self.ways;
        match self.policy {
            Policy::Fifo => {
                let place = begin + self.turn[set] as usize;
                self.turn[set] = (self.turn[set] + 1) % self.ways as u32;
                place
            }
            Policy::Lru => {
                let used = &self.used[begin..begin + self.ways];
                let oldest = used.iter().enumerate().min_by_key(|one| *one.1);
                begin + oldest.map_or(0, |one| one.0)
            }
        }
    }
}

/// One order over all places.
#[derive(Clone, Debug)]
pub struct Anywhere {
    policy: Policy,
    order: Lru,
}

impl Places {
    /// Args: `blocks` there is room for; `ways`: places of a set, 0: one set.
    ///
    /// # Errors
    /// No room, or too much.
    pub fn new(policy: Policy, blocks: u64, ways: u64) -> Result<Self, String> {
        let blocks = usize::try_from(blocks).unwrap_or(0);
        if blocks == 0 || blocks >= 1 << 31 {
            return Err("a cache holds 1 to 2^31 − 1 blocks".to_owned());
        }
        let ways = usize::try_from(ways).unwrap_or(0);
        if ways == 0 || ways >= blocks {
            let order = Lru::new(blocks);
            return Ok(Self::Anywhere(Anywhere { policy, order }));
        }
        let sets = blocks / ways;
        let places = sets * ways;
        Ok(Self::Sets(Sets {
            policy,
            ways,
            count: Divisor::new(sets as u64),
            tags: vec![EMPTY; places],
            marks: vec![mark(EMPTY); places],
            dirty: vec![false; places],
            empty: vec![u32::try_from(ways).map_err(|problem| problem.to_string())?; sets],
            turn: vec![0; sets],
            used: if policy == Policy::Lru {
                vec![0; places]
            } else {
                Vec::new()
            },
            clock: 0,
        }))
    }

    /// Looks at the memory that some blocks will need.
    #[must_use]
    pub fn ahead(&self, blocks: impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Sets(_) => 0, // what is gone through in order needs no help
            Self::Anywhere(all) => all.order.ahead(blocks),
        }
    }

    /// Whether a block is there; if so it has been used, and with `dirty` it is dirty from now on.
    #[inline]
    pub fn hit(&mut self, block: u64, dirty: bool) -> bool {
        match self {
            Self::Sets(sets) => {
                let Some((set, tag)) = sets.at(block) else {
                    return false;
                };
                let Some(place) = sets.find(set, tag) else {
                    return false;
                };
                sets.dirty[place] |= dirty;
                if sets.policy == Policy::Lru {
                    sets.clock += 1;
                    sets.used[place] = sets.clock;
                }
                true
            }
            Self::Anywhere(all) => match all.order.get(block, all.policy == Policy::Lru) {
                Some(value) => {
                    *value |= u64::from(dirty);
                    true
                }
                None => false,
            },
        }
    }

    /// Takes a block in that is not there.
    ///
    /// Returns: the one that had to go for it.
    #[inline]
    pub fn take(&mut self, block: u64, dirty: bool) -> Option<Gone> {
        match self {
            Self::Sets(sets) => {
                let (set, tag) = sets.at(block)?;
                let place = sets.room(set);
                let old = std::mem::replace(&mut sets.tags[place], tag);
                sets.marks[place] = mark(tag);
                let was = std::mem::replace(&mut sets.dirty[place], dirty);
                if sets.policy == Policy::Lru {
                    sets.clock += 1;
                    sets.used[place] = sets.clock;
                }
                let gone = u64::from(old) * sets.count.get() + set as u64;
                (old != EMPTY).then_some(Gone {
                    block: gone,
                    dirty: was,
                })
            }
            Self::Anywhere(all) => {
                let gone = all.order.insert(block, u64::from(dirty));
                gone.map(|(block, value)| Gone {
                    block,
                    dirty: value & 1 == 1,
                })
            }
        }
    }

    /// Forgets a block.
    ///
    /// Returns: whether it was there and dirty; None: it was not there.
    pub fn forget(&mut self, block: u64) -> Option<bool> {
        match self {
            Self::Sets(sets) => {
                let (set, tag) = sets.at(block)?;
                let place = sets.find(set, tag)?;
                sets.tags[place] = EMPTY;
                sets.marks[place] = mark(EMPTY);
                sets.empty[set] += 1;
                Some(std::mem::replace(&mut sets.dirty[place], false))
            }
            Self::Anywhere(all) => all.order.remove(block).map(|value| value & 1 == 1),
        }
    }
}

impl Sets {
    /// Set and tag of a block; None for one too far away for a tag.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // sets are counted by usize
    fn at(&self, block: u64) -> Option<(usize, u32)> {
        let (tag, set) = self.count.divide(block);
        let tag = u32::try_from(tag).ok().filter(|&tag| tag != EMPTY)?;
        Some((set as usize, tag))
    }
}
