//! What bcache keeps: which place of the slow device lies where on the fast one, in which bucket, and
//! what of it is dirty.
//!
//! Source: Linux 6.1, drivers/md/bcache/bset.c, `bch_btree_insert_key()` (keys that lie one behind the
//! other are merged, at the back and at the front); alloc.c (of the buckets that may go, the one
//! unused longest does).

use std::collections::{BTreeMap, BTreeSet};

/// What is kept from one place of the slow device on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub end: u64,
    /// Its place on the fast device.
    pub at: u64,
    pub dirty: bool,
}

#[derive(Clone, Debug, Default)]
struct Bucket {
    /// What was put in: places on the slow device. Some of it may be elsewhere by now.
    filled: Vec<(u64, u64)>,
    dirty: u64,
    used: u64,
}

/// The extents by their places on the slow device, and the buckets they lie in.
#[derive(Clone, Debug)]
pub struct Extents {
    /// Bytes of a bucket.
    size: u64,
    by_place: BTreeMap<u64, Extent>,
    buckets: Vec<Bucket>,
    /// When each was last used, and its number.
    order: BTreeSet<(u64, usize)>,
    clock: u64,
    dirty: u64,
    dirty_buckets: u64,
}

impl Extents {
    /// Args: `size`: bytes of a bucket, not 0.
    pub const fn new(size: u64) -> Self {
        Self {
            size,
            by_place: BTreeMap::new(),
            buckets: Vec::new(),
            order: BTreeSet::new(),
            clock: 0,
            dirty: 0,
            dirty_buckets: 0,
        }
    }

    /// Bytes that are dirty.
    pub const fn dirty(&self) -> u64 {
        self.dirty
    }

    /// What would be written back one by one.
    pub fn dirty_extents(&self) -> u64 {
        self.by_place.values().filter(|one| one.dirty).count() as u64
    }

    /// Buckets with dirty data.
    pub const fn dirty_buckets(&self) -> u64 {
        self.dirty_buckets
    }

    /// How many buckets were ever filled.
    pub fn buckets(&self) -> u64 {
        self.buckets.len() as u64
    }

    /// One more bucket: its number.
    pub fn add_bucket(&mut self) -> usize {
        self.buckets.push(Bucket::default());
        self.buckets.len() - 1
    }

    /// The bucket to be emptied: of those without dirty data, or else of all, the one unused longest.
    pub fn oldest_bucket(&self) -> Option<usize> {
        let clean = self.order.iter().find(|one| !self.is_dirty(one.1));
        clean.or_else(|| self.order.first()).map(|one| one.1)
    }

    /// Places that were put into a bucket; `within` tells what of them is there still.
    pub fn filled(&self, number: usize) -> Vec<(u64, u64)> {
        self.buckets[number].filled.clone()
    }

    /// Takes out all that a bucket has.
    pub fn empty(&mut self, number: usize) {
        for (begin, end) in std::mem::take(&mut self.buckets[number].filled) {
            for (from, one) in self.within(begin, end, number) {
                self.cut(from.max(begin), one.end.min(end));
            }
        }
    }

    /// From a place on: where it is kept, if it is, and how far that holds.
    pub fn piece(&self, at: u64, end: u64) -> (Option<u64>, u64) {
        if let Some((&begin, one)) = self.by_place.range(..=at).next_back() {
            if one.end > at {
                return (Some(one.at + at - begin), one.end.min(end));
            }
        }
        let next = self.by_place.range(at..end).next();
        (None, next.map_or(end, |one| *one.0))
    }

    /// The first dirty extent from a place on, or else of all.
    pub fn next_dirty(&self, from: u64) -> Option<(u64, Extent)> {
        let dirty = |one: &(&u64, &Extent)| one.1.dirty;
        let ahead = self.by_place.range(from..).find(dirty);
        let found = ahead.or_else(|| self.by_place.iter().find(dirty));
        found.map(|(&begin, &one)| (begin, one))
    }

    /// Adds an extent where nothing is.
    pub fn keep(&mut self, begin: u64, extent: Extent) {
        let number = self.of(extent.at);
        self.touch(extent.at);
        self.buckets[number].filled.push((begin, extent.end));
        if extent.dirty {
            self.soil(number, extent.end - begin);
        }
        self.join(begin, extent);
    }

    /// A dirty extent has been written back.
    pub fn written_back(&mut self, begin: u64, one: Extent) {
        self.wash(self.of(one.at), one.end - begin);
        self.join(
            begin,
            Extent {
                dirty: false,
                ..one
            },
        );
    }

    /// An extent becomes one with what lies before and behind it, where that is so on both devices.
    fn join(&mut self, begin: u64, mut extent: Extent) {
        if let Some(&next) = self.by_place.get(&extent.end) {
            let behind = extent.at + (extent.end - begin) == next.at && next.at % self.size != 0;
            if behind && next.dirty == extent.dirty {
                self.by_place.remove(&extent.end);
                extent.end = next.end;
            }
        }
        if let Some((&before, one)) = self.by_place.range_mut(..begin).next_back() {
            let behind = one.end == begin && one.at + (begin - before) == extent.at;
            if behind && extent.at % self.size != 0 && one.dirty == extent.dirty {
                one.end = extent.end;
                self.by_place.remove(&begin);
                return;
            }
        }
        self.by_place.insert(begin, extent);
    }

    /// Extents of a bucket that overlap a place.
    pub fn within(&self, begin: u64, end: u64, number: usize) -> Vec<(u64, Extent)> {
        self.over(begin, end)
            .filter(|one| self.of(one.1.at) == number)
            .collect()
    }

    /// Takes out what is kept of a place.
    pub fn cut(&mut self, begin: u64, end: u64) {
        for (from, one) in self.over(begin, end).collect::<Vec<_>>() {
            self.by_place.remove(&from);
            if one.dirty {
                self.wash(self.of(one.at), one.end.min(end) - from.max(begin));
            }
            if from < begin {
                self.by_place.insert(from, Extent { end: begin, ..one });
            }
            if one.end > end {
                let at = one.at + end - from;
                self.by_place.insert(end, Extent { at, ..one });
            }
        }
    }

    /// Extents that overlap a place.
    fn over(&self, begin: u64, end: u64) -> impl Iterator<Item = (u64, Extent)> + '_ {
        let before = self.by_place.range(..=begin).next_back();
        let first = before.map_or(begin, |one| *one.0);
        let all = self.by_place.range(first..end);
        all.filter(move |one| one.1.end > begin)
            .map(|(&from, &one)| (from, one))
    }

    #[allow(clippy::cast_possible_truncation)] // fewer than 2^31 buckets
    const fn of(&self, at: u64) -> usize {
        (at / self.size) as usize
    }

    /// The bucket of a place of the fast device is used.
    pub fn touch(&mut self, at: u64) {
        let number = self.of(at);
        let bucket = &mut self.buckets[number];
        self.order.remove(&(bucket.used, number));
        self.clock += 1;
        bucket.used = self.clock;
        self.order.insert((self.clock, number));
    }

    /// Whether a bucket has dirty data.
    pub fn is_dirty(&self, number: usize) -> bool {
        self.buckets[number].dirty > 0
    }

    fn soil(&mut self, number: usize, length: u64) {
        self.dirty_buckets += u64::from(!self.is_dirty(number));
        self.buckets[number].dirty += length;
        self.dirty += length;
    }

    fn wash(&mut self, number: usize, length: u64) {
        self.buckets[number].dirty -= length;
        self.dirty -= length;
        self.dirty_buckets -= u64::from(!self.is_dirty(number));
    }

    /// Panics unless each extent lies in one bucket, none overlap on either device, and the sums are
    /// those of the extents.
    #[cfg(test)]
    pub fn audit(&self) {
        let (mut end, mut dirty, mut places) = (0, 0, Vec::new());
        for (&begin, one) in &self.by_place {
            assert!(begin >= end && one.end > begin);
            assert_eq!(self.of(one.at), self.of(one.at + one.end - begin - 1));
            places.push((one.at, one.at + one.end - begin));
            dirty += if one.dirty { one.end - begin } else { 0 };
            end = one.end;
        }
        places.sort_unstable();
        assert!(places.windows(2).all(|two| two[0].1 <= two[1].0));
        assert_eq!(self.dirty, dirty);
        let soiled = (0..self.buckets.len()).filter(|&number| self.is_dirty(number));
        assert_eq!(self.dirty_buckets, soiled.count() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(end: u64, at: u64, dirty: bool) -> Extent {
        Extent { end, at, dirty }
    }

    fn two_buckets() -> Extents {
        let mut kept = Extents::new(100);
        kept.add_bucket();
        kept.add_bucket();
        kept
    }

    #[test]
    fn extents_that_go_on_on_both_devices_are_one_within_a_bucket() {
        let mut kept = two_buckets();
        kept.keep(1000, extent(1040, 0, false));
        kept.keep(1080, extent(1100, 80, false));
        kept.keep(1040, extent(1080, 40, false));
        assert_eq!(kept.piece(1000, 2000), (Some(0), 1100));
        kept.keep(1100, extent(1120, 100, false)); // another bucket
        assert_eq!(kept.piece(1000, 2000), (Some(0), 1100));
        kept.keep(1120, extent(1130, 120, true)); // dirty
        assert_eq!(kept.piece(1100, 2000), (Some(100), 1120));
        kept.written_back(1120, extent(1130, 120, true));
        assert_eq!(kept.piece(1100, 2000), (Some(100), 1130));
        kept.audit();
    }

    #[test]
    fn what_is_taken_out_of_the_middle_leaves_both_ends() {
        let mut kept = two_buckets();
        kept.keep(1000, extent(1100, 0, true));
        kept.cut(1020, 1050);
        assert_eq!(kept.piece(1000, 2000), (Some(0), 1020));
        assert_eq!(kept.piece(1020, 2000), (None, 1050));
        assert_eq!(kept.piece(1060, 2000), (Some(60), 1100));
        assert_eq!((kept.dirty(), kept.dirty_buckets()), (70, 1));
        kept.empty(0);
        assert_eq!(kept.piece(0, 2000), (None, 2000));
        assert_eq!((kept.dirty(), kept.dirty_buckets()), (0, 0));
        kept.audit();
    }

    #[test]
    fn a_clean_bucket_goes_before_one_that_is_unused_for_longer() {
        let mut kept = two_buckets();
        kept.keep(1000, extent(1100, 0, true));
        kept.keep(2000, extent(2100, 100, false));
        assert_eq!(kept.oldest_bucket(), Some(1));
        kept.keep(3000, extent(3010, 190, true));
        assert_eq!(kept.oldest_bucket(), Some(0));
        kept.touch(0);
        assert_eq!(kept.oldest_bucket(), Some(1));
    }
}
