//! Which places of a cache are free, and which of them is taken next.
//!
//! Source: Linux 6.1, drivers/md/dm-writecache.c, `writecache_pop_from_freelist()` and
//! `writecache_add_to_freelist()`: free places in their order, and the one behind that taken last
//! is next.

use std::collections::BTreeMap;

/// Free places as runs, each from its first to the one behind its last.
#[derive(Clone, Debug)]
pub struct Free {
    runs: BTreeMap<u64, u64>,
    count: u64,
    /// The place to be taken next; means nothing where none is free.
    next: u64,
}

impl Free {
    /// So many places, all free.
    pub fn new(places: u64) -> Self {
        Self {
            runs: BTreeMap::from([(0, places)]),
            count: places,
            next: 0,
        }
    }

    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next place.
    pub fn pop(&mut self) -> Option<u64> {
        let (place, count) = (self.next, self.count);
        (count > 0 && self.take(place)).then_some(place)
    }

    /// Takes the next place if it is a certain one.
    pub fn pop_if(&mut self, place: u64) -> bool {
        self.count > 0 && self.next == place && self.take(place)
    }

    fn take(&mut self, place: u64) -> bool {
        let Some((begin, end)) = self.run(place) else {
            return false;
        };
        self.runs.remove(&begin);
        if begin < place {
            self.runs.insert(begin, place);
        }
        if place + 1 < end {
            self.runs.insert(place + 1, end);
        }
        self.count -= 1;
        let behind = self.runs.range(place..).next().map(|one| *one.0);
        let first = self.runs.first_key_value().map(|one| *one.0);
        self.next = behind.or(first).unwrap_or(0);
        true
    }

    /// The run that a place is in.
    fn run(&self, place: u64) -> Option<(u64, u64)> {
        let (&begin, &end) = self.runs.range(..=place).next_back()?;
        (place < end).then_some((begin, end))
    }

    /// Gives a place back that was taken.
    pub fn add(&mut self, place: u64) {
        let (mut begin, mut end) = (place, place + 1);
        if let Some((before, _)) = place.checked_sub(1).and_then(|one| self.run(one)) {
            begin = before;
        }
        if let Some(behind) = self.runs.remove(&end) {
            end = behind;
        }
        self.runs.insert(begin, end);
        if self.count == 0 {
            self.next = place;
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set of all places.
        #[test]
        fn places_are_taken_in_turn(steps in prop::collection::vec((0_u8..3, 0_u64..20), 0..200)) {
            let (mut free, mut slow, mut next) = (Free::new(20), (0..20).collect::<BTreeSet<u64>>(), 0);
            for (step, place) in steps {
                if step == 2 {
                    if slow.insert(place) {
                        free.add(place);
                        next = if slow.len() == 1 { place } else { next };
                    }
                    continue;
                }
                let there = !slow.is_empty() && (step == 0 || place == next);
                let found = if step == 0 { free.pop() } else { free.pop_if(place).then_some(place) };
                prop_assert_eq!(found, there.then_some(next));
                if there {
                    slow.remove(&next);
                    let behind = slow.range(next..).next().or_else(|| slow.first());
                    next = behind.copied().unwrap_or(0);
                }
                prop_assert_eq!(free.count(), slow.len() as u64);
            }
        }
    }
}
