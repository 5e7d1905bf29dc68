//! Where a cache keeps a block: in one of the places of its set, or anywhere.
//!
//! Source: flashcache, `flashcache_conf.c` (`assoc` 512 by default, sets by block number) and
//! `flashcache_main.c` (`find_reclaim_dbn`): within a set the first place in turn goes (FIFO), or the
//! one that was not used for longest (LRU).

use crate::ledger::divisor::Divisor;
use crate::ledger::lru::Lru;
use crate::ledger::problem::LedgerError;

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
const NONE: u16 = u16::MAX;
/// Blocks whose memory is looked at together.
const AHEAD: usize = 32;

/// A place of a set: whose block it holds, and the next place of the same chain.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Block number over number of sets.
    tag: u32,
    next: u16,
    dirty: bool,
}

/// What is looked at for a block: its set's first place, its tag, a place of its chain, and where
/// the chain of the one begins that may have to go.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    begin: usize,
    tag: u32,
    next: usize,
    goes: usize,
}

/// Sets of places. Each set has chains of its places by a hash of their tags, so that a look at a
/// few of them tells whether a block is there.
#[derive(Clone, Debug)]
pub struct Sets {
    policy: Policy,
    ways: usize,
    count: Divisor,
    slots: Vec<Slot>,
    /// Where each set's chains begin, and the bits of a hash that are not used for it.
    heads: Vec<u16>,
    shift: u32,
    /// Places of each set that were ever taken: those behind them are empty.
    filled: Vec<u16>,
    /// Empty places of each set.
    empty: Vec<u16>,
    /// FIFO: the place of each set whose turn it is.
    turn: Vec<u16>,
    /// LRU: when each place was last used.
    used: Vec<u64>,
    clock: u64,
}

#[allow(clippy::cast_possible_truncation)] // fewer ways than 2^16
impl Sets {
    fn new(policy: Policy, blocks: usize, ways: usize) -> Result<Self, LedgerError> {
        let each = u16::try_from(ways).ok().filter(|&ways| ways < NONE);
        let each = each.ok_or(LedgerError::Ways)?;
        let (sets, chains) = (blocks / ways, (4 * ways).next_power_of_two());
        let empty = Slot {
            tag: EMPTY,
            next: NONE,
            dirty: false,
        };
        let lru = policy == Policy::Lru;
        Ok(Self {
            policy,
            ways,
            count: Divisor::new(sets as u64),
            slots: vec![empty; sets * ways],
            heads: vec![NONE; sets * chains],
            shift: 32 - chains.trailing_zeros(),
            filled: vec![0; sets],
            empty: vec![each; sets],
            turn: vec![0; sets],
            used: vec![0; if lru { sets * ways } else { 0 }],
            clock: 0,
        })
    }

    /// Where the chain of a tag begins (Fibonacci hashing).
    #[inline]
    const fn chain(&self, set: usize, tag: u32) -> usize {
        (set << (32 - self.shift)) + (tag.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }

    /// The place of a block.
    #[inline]
    fn find(&self, set: usize, tag: u32) -> Option<usize> {
        let begin = set * self.ways;
        let mut at = self.heads[self.chain(set, tag)];
        while at != NONE {
            let slot = &self.slots[begin + at as usize];
            if slot.tag == tag {
                return Some(begin + at as usize);
            }
            at = slot.next;
        }
        None
    }

    /// Looks at the memory that some blocks will need: where their chains begin and whose turn it
    /// is to go, then the first places of each chain and the chain of who goes, so that what is far
    /// away is fetched at the same time.
    fn ahead(&self, blocks: impl Iterator<Item = u64>) -> u64 {
        let mut looks = [Look::default(); AHEAD];
        let mut count = 0;
        for (look, block) in looks.iter_mut().zip(blocks) {
            if let Some((set, tag)) = self.at(block) {
                let begin = set * self.ways;
                let goes = self.slots[begin + self.turn[set] as usize].tag;
                let first = self.heads[self.chain(set, tag)];
                *look = Look {
                    begin,
                    tag,
                    next: begin + first as usize,
                    goes: self.chain(set, goes),
                };
            }
            count += 1;
        }
        let mut seen = 0;
        for look in &mut looks[..count] {
            seen ^= self.heads[look.goes];
            if let Some(slot) = self.slots.get(look.next) {
                look.next = if slot.tag == look.tag {
                    look.next
                } else {
                    look.begin + slot.next as usize
                };
            }
        }
        for look in &looks[..count] {
            seen ^= self.slots.get(look.next).map_or(0, |slot| slot.next);
        }
        u64::from(seen)
    }

    /// Puts a block into a place, of which another is taken out before.
    ///
    /// Returns: the tag that was there, `EMPTY` for none, and whether it was dirty.
    #[inline]
    fn put(&mut self, set: usize, place: usize, tag: u32, dirty: bool) -> (u32, bool) {
        let old = self.slots[place];
        if old.tag != EMPTY {
            self.unchain(set, place);
        }
        let chain = self.chain(set, tag);
        self.slots[place] = Slot {
            tag,
            next: self.heads[chain],
            dirty,
        };
        self.heads[chain] = (place - set * self.ways) as u16;
        (old.tag, old.dirty)
    }

    #[inline]
    fn unchain(&mut self, set: usize, place: usize) {
        let begin = set * self.ways;
        let (own, Slot { tag, next, .. }) = ((place - begin) as u16, self.slots[place]);
        let chain = self.chain(set, tag);
        let mut at = self.heads[chain];
        if at == own {
            self.heads[chain] = next;
            return;
        }
        while at != NONE {
            let slot = &mut self.slots[begin + at as usize];
            if slot.next == own {
                slot.next = next;
                return;
            }
            at = slot.next;
        }
    }

    /// The first empty place, or that of the block whose turn it is to go.
    fn room(&mut self, set: usize) -> usize {
        let begin = set * self.ways;
        if self.empty[set] > 0 {
            self.empty[set] -= 1;
            let filled = self.filled[set] as usize;
            let holes = self.ways - filled < 1 + self.empty[set] as usize;
            let taken = &self.slots[begin..begin + filled];
            let hole = taken.iter().position(|slot| holes && slot.tag == EMPTY);
            if let Some(place) = hole {
                return begin + place;
            }
            self.filled[set] += 1;
            return begin + filled;
        }
        self.victim(set)
    }

    fn victim(&mut self, set: usize) -> usize {
        let begin = set * self.ways;
        match self.policy {
            Policy::Fifo => {
                let turn = self.turn[set];
                let next = turn + 1;
                self.turn[set] = if next as usize == self.ways { 0 } else { next };
                begin + turn as usize
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
    order: Lru<bool>,
}

impl Places {
    /// Args: `blocks` there is room for; `ways`: places of a set, 0: one set.
    ///
    /// # Errors
    /// No room, or too much.
    pub fn new(policy: Policy, blocks: u64, ways: u64) -> Result<Self, LedgerError> {
        let blocks = usize::try_from(blocks).unwrap_or(0);
        if blocks == 0 || blocks >= 1 << 31 {
            return Err(LedgerError::Blocks);
        }
        let ways = usize::try_from(ways).unwrap_or(0);
        if ways == 0 || ways >= blocks {
            let order = Lru::new(blocks);
            return Ok(Self::Anywhere(Anywhere { policy, order }));
        }
        Ok(Self::Sets(Sets::new(policy, blocks, ways)?))
    }

    /// Looks at the memory that some blocks will need.
    #[must_use]
    pub fn ahead(&self, blocks: impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Sets(sets) => sets.ahead(blocks),
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
                sets.slots[place].dirty |= dirty;
                if sets.policy == Policy::Lru {
                    sets.clock += 1;
                    sets.used[place] = sets.clock;
                }
                true
            }
            Self::Anywhere(all) => match all.order.get(block, all.policy == Policy::Lru) {
                Some(value) => {
                    *value |= dirty;
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
                let (old, was) = sets.put(set, place, tag, dirty);
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
                let gone = all.order.insert(block, dirty);
                gone.map(|(block, dirty)| Gone { block, dirty })
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
                sets.unchain(set, place);
                sets.empty[set] += 1;
                sets.slots[place].tag = EMPTY;
                Some(std::mem::replace(&mut sets.slots[place].dirty, false))
            }
            Self::Anywhere(all) => all.order.remove(block),
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
