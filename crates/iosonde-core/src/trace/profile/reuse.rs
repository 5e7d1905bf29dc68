//! Which blocks are asked for again, and after how many others: the miss ratio of every LRU cache.
//!
//! A reference's distance is the number of different blocks asked for since the last reference to its
//! block; a cache of more blocks has it. Distances come from a tree over the last references: exact
//! while the blocks fit into the memory given for them, then of a sample of the blocks, chosen by hash,
//! that is halved as often as needed.
//!
//! Source: R. L. Mattson et al., IBM Systems Journal 9 (1970); F. Olken, LBL-12370 (1981);
//! P. M. Fenwick, Software: Practice and Experience 24 (1994); C. Waldspurger et al., "Efficient MRC
//! Construction with SHARDS", FAST '15 (fixed size, and the correction of the first bucket).

use super::SIDES;
use crate::histogram::{bucket, BUCKETS};
use crate::trace::hash::{mixed, Map};

/// Smallest block: with it, 2^44 blocks cover the longest device.
pub const SMALLEST_BLOCK: u64 = 4096;
/// Most blocks that can be followed.
pub const LARGEST_TRACKED: usize = 1 << 28;
const NUMBER_BITS: u32 = 44;
const LEAST_SLOTS: usize = 1 << 12;
const EMPTY: u64 = u64::MAX;
/// In a block's entry: where its last reference stands, and whether it was read and written.
const SLOT: u32 = (1 << 30) - 1;
const READ: u32 = 1 << 30;
const WRITTEN: u32 = 1 << 31;

/// Distances of all references.
#[derive(Clone, Debug)]
pub struct Reuse {
    block_bits: u32,
    tracked: usize,
    /// A block is followed if its hash has so many zero bits in front.
    halvings: u32,
    last: Map<u64, u32>,
    /// Blocks in the order of their last references, with holes.
    slots: Vec<u64>,
    next: usize,
    tree: Tree,
    /// References by distance in blocks (`crate::histogram`): reads, writes.
    distances: [Vec<f64>; SIDES],
    /// References to blocks not seen before.
    cold: [f64; SIDES],
    /// All references, of blocks that are followed and others.
    references: [u64; SIDES],
}

impl Reuse {
    pub(super) fn new(block: u64, tracked: usize) -> Self {
        Self {
            block_bits: block.max(SMALLEST_BLOCK).ilog2(),
            tracked: tracked.clamp(1, LARGEST_TRACKED),
            halvings: 0,
            last: Map::default(),
            slots: vec![EMPTY; LEAST_SLOTS],
            next: 0,
            tree: Tree::new(LEAST_SLOTS),
            distances: [vec![0.0; BUCKETS], vec![0.0; BUCKETS]],
            cold: [0.0; SIDES],
            references: [0; SIDES],
        }
    }

    /// A request refers to every block that it touches.
    #[inline]
    pub(super) fn add(&mut self, device: u32, side: usize, offset: u64, length: u64) {
        let (first, last) = (
            offset >> self.block_bits,
            (offset + length - 1) >> self.block_bits,
        );
        self.references[side] += last - first + 1;
        for number in first..=last {
            let key = u64::from(device) << NUMBER_BITS | number;
            if self.follows(key) {
                self.refer(key, side);
            }
        }
    }

    #[inline]
    fn follows(&self, key: u64) -> bool {
        self.halvings == 0 || mixed(key).leading_zeros() >= self.halvings
    }

    #[inline]
    fn refer(&mut self, key: u64, side: usize) {
        if self.next == self.slots.len() {
            self.compact();
        }
        let weight = self.weight();
        let (slot, mark) = (self.next, if side == 0 { READ } else { WRITTEN });
        let entry = u32::try_from(slot).unwrap_or(SLOT) & SLOT | mark;
        if let Some(found) = self.last.get_mut(&key) {
            let before = (*found & SLOT) as usize;
            *found = entry | *found & (READ | WRITTEN);
            let behind = self.tree.total - self.tree.up_to(before);
            let distance = u64::from(behind) << self.halvings;
            self.distances[side][bucket(distance)] += weight;
            self.tree.take(before);
            self.slots[before] = EMPTY;
        } else {
            self.cold[side] += weight;
            self.last.insert(key, entry);
        }
        self.slots[slot] = key;
        self.tree.put(slot);
        self.next += 1;
        if self.last.len() > self.tracked {
            self.halve();
        }
    }

    /// References that one to a followed block stands for.
    fn weight(&self) -> f64 {
        f64::from(self.halvings).exp2()
    }

    /// Follows half of the blocks from now on.
    #[cold]
    fn halve(&mut self) {
        while self.last.len() > self.tracked {
            self.halvings += 1;
            let halvings = self.halvings;
            self.last
                .retain(|&key, _| mixed(key).leading_zeros() >= halvings);
        }
        for slot in &mut self.slots {
            if *slot != EMPTY && mixed(*slot).leading_zeros() < self.halvings {
                *slot = EMPTY;
            }
        }
        self.compact();
    }

    /// Closes the holes between the slots.
    #[cold]
    fn compact(&mut self) {
        let kept: Vec<u64> = self
            .slots
            .iter()
            .copied()
            .filter(|&key| key != EMPTY)
            .collect();
        for (slot, key) in kept.iter().enumerate() {
            if let Some(entry) = self.last.get_mut(key) {
                *entry = u32::try_from(slot).unwrap_or(SLOT) & SLOT | *entry & (READ | WRITTEN);
            }
        }
        self.next = kept.len();
        let room = (2 * kept.len()).next_power_of_two().max(LEAST_SLOTS);
        self.tree = Tree::filled(room, kept.len());
        self.slots = kept;
        self.slots.resize(room, EMPTY);
    }

    /// Corrects a sample by what all references would have been.
    pub(super) fn settle(&mut self) {
        if self.halvings == 0 {
            return;
        }
        for side in 0..SIDES {
            let sum: f64 = self.distances[side].iter().sum::<f64>() + self.cold[side];
            #[allow(clippy::cast_precision_loss)] // of counts above 2^53
            let missing = self.references[side] as f64 - sum;
            if missing >= 0.0 {
                self.distances[side][0] += missing;
                continue;
            }
            // A much wanted block is followed: what it counts for too much is at short distances.
            let mut surplus = -missing;
            for count in &mut self.distances[side] {
                let less = surplus.min(*count);
                *count -= less;
                surplus -= less;
            }
        }
    }

    /// Bytes of a block.
    #[must_use]
    pub const fn block(&self) -> u64 {
        1 << self.block_bits
    }

    /// Share of the blocks that is followed: 1, or a power of a half.
    #[must_use]
    pub fn rate(&self) -> f64 {
        1.0 / self.weight()
    }

    /// Blocks that were asked for: all, read, written. Estimates where the rate is below 1.
    #[must_use]
    pub fn working_set(&self) -> [u64; 3] {
        let with = |mark: u32| {
            let found = self.last.values().filter(|&&entry| entry & mark != 0);
            (found.count() as u64) << self.halvings
        };
        [
            (self.last.len() as u64) << self.halvings,
            with(READ),
            with(WRITTEN),
        ]
    }

    /// References of reads and writes.
    #[must_use]
    pub const fn references(&self) -> [u64; SIDES] {
        self.references
    }

    /// References to blocks not seen before.
    #[must_use]
    pub const fn cold(&self) -> [f64; SIDES] {
        self.cold
    }

    /// References by distance: number of the bucket, reads, writes; filled buckets only.
    #[must_use]
    pub fn distances(&self) -> Vec<(usize, [f64; SIDES])> {
        let pairs = self.distances[0].iter().zip(&self.distances[1]);
        let filled = pairs.map(|(&reads, &writes)| [reads, writes]).enumerate();
        filled
            .filter(|(_, both)| both[0] > 0.0 || both[1] > 0.0)
            .collect()
    }
}

/// How many slots up to a place are taken, in a logarithm of steps.
#[derive(Clone, Debug)]
struct Tree {
    sums: Vec<u32>,
    total: u32,
}

impl Tree {
    fn new(size: usize) -> Self {
        Self {
            sums: vec![0; size + 1],
            total: 0,
        }
    }

    /// A tree whose first slots are taken.
    fn filled(size: usize, taken: usize) -> Self {
        let mut tree = Self::new(size);
        tree.total = u32::try_from(taken).unwrap_or(u32::MAX);
        for (place, sum) in tree.sums.iter_mut().enumerate().skip(1) {
            let low = place - (1 << place.trailing_zeros());
            let count = taken.min(place).saturating_sub(low);
            *sum = u32::try_from(count).unwrap_or(u32::MAX);
        }
        tree
    }

    #[inline]
    fn put(&mut self, slot: usize) {
        let mut place = slot + 1;
        while let Some(sum) = self.sums.get_mut(place) {
            *sum += 1;
            place += place & place.wrapping_neg();
        }
        self.total += 1;
    }

    #[inline]
    fn take(&mut self, slot: usize) {
        let mut place = slot + 1;
        while let Some(sum) = self.sums.get_mut(place) {
            *sum -= 1;
            place += place & place.wrapping_neg();
        }
        self.total -= 1;
    }

    /// Taken slots up to and with this one.
    #[inline]
    fn up_to(&self, slot: usize) -> u32 {
        let mut place = slot + 1;
        let mut sum = 0;
        while place > 0 {
            sum += self.sums[place];
            place &= place - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::{Reuse, SMALLEST_BLOCK};
    use crate::histogram::bucket;
    use proptest::prelude::*;

    /// Distances by a list, most recent first: slow and obvious.
    fn by_list(blocks: &[u64]) -> (Vec<u64>, u64) {
        let (mut list, mut distances, mut cold) = (Vec::<u64>::new(), Vec::new(), 0);
        for &block in blocks {
            match list.iter().position(|&one| one == block) {
                Some(place) => {
                    distances.push(place as u64);
                    list.remove(place);
                }
                None => cold += 1,
            }
            list.insert(0, block);
        }
        (distances, cold)
    }

    fn of(blocks: &[u64], tracked: usize) -> Reuse {
        let mut reuse = Reuse::new(SMALLEST_BLOCK, tracked);
        for (number, &block) in blocks.iter().enumerate() {
            reuse.add(3, number % 2, block * SMALLEST_BLOCK + 5, 10);
        }
        reuse.settle();
        reuse
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn exact_distances_are_those_of_a_list(
            blocks in prop::collection::vec(0_u64..200, 1..6000),
        ) {
            let reuse = of(&blocks, 1000);
            let (distances, cold) = by_list(&blocks);
            let mut expected = std::collections::BTreeMap::<usize, f64>::new();
            for distance in distances {
                *expected.entry(bucket(distance)).or_default() += 1.0;
            }
            let found: Vec<_> = reuse.distances().iter().map(|one| (one.0, one.1[0] + one.1[1])).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            prop_assert!((reuse.cold()[0] + reuse.cold()[1] - f64::from(u32::try_from(cold).unwrap())).abs() < 1e-9);
            prop_assert_eq!(reuse.working_set()[0], cold);
            prop_assert!((reuse.rate() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_sample_comes_close_to_all() {
        // Every fourth reference is to one block, which the sample has or has not.
        for wanted in 0..6 {
            sample_of(wanted);
        }
    }

    #[allow(clippy::cast_precision_loss)] // small counts
    fn sample_of(wanted: u64) {
        // Squares of uniform numbers: some blocks are much more wanted than others.
        let mut state = 7_u64;
        let blocks: Vec<u64> = (0..400_000)
            .map(|number| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let uniform = state >> 47;
                if number % 4 == 0 {
                    wanted
                } else {
                    (uniform * uniform) >> 18
                }
            })
            .collect();
        let (whole, part) = (of(&blocks, 1 << 20), of(&blocks, 1 << 13));
        assert!(
            (whole.rate() - 1.0).abs() < 1e-9 && part.rate() < 0.2,
            "{}",
            part.rate()
        );
        let misses = |reuse: &Reuse, size: u64| {
            let hits: f64 = reuse
                .distances()
                .iter()
                .filter(|one| one.0 < bucket(size))
                .map(|one| one.1[0] + one.1[1])
                .sum();
            1.0 - hits / 400_000.0
        };
        for size in [1024, 4096, 16384, 32768] {
            let (all, some) = (misses(&whole, size), misses(&part, size));
            assert!((all - some).abs() < 0.02, "{size}: {all} {some}");
        }
        let (all, some) = (whole.working_set()[0] as f64, part.working_set()[0] as f64);
        assert!((all / some - 1.0).abs() < 0.05, "{all} {some}");
    }
}
