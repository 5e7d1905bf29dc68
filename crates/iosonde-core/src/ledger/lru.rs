//! Keys in the order of their use, found by their number: what caches that forget the eldest are
//! made of. Memory is bounded by the capacity, whatever passes through.

const NONE: u32 = u32::MAX;
/// How many of the eldest are looked at beforehand: as many as 32 requests may make room for.
const GO: usize = 10;

#[derive(Clone, Copy, Debug)]
struct Slot<V> {
    key: u64,
    value: V,
    /// Towards the eldest, towards the newest, and the next of the same hash.
    older: u32,
    newer: u32,
    next: u32,
}

/// At most `capacity` keys, each with a value.
#[derive(Clone, Debug)]
pub struct Lru<V = u64> {
    slots: Vec<Slot<V>>,
    heads: Vec<u32>,
    shift: u32,
    capacity: usize,
    oldest: u32,
    newest: u32,
}

impl<V: Copy> Lru<V> {
    /// # Panics
    /// Without a capacity, or with one of 2^31 and more.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0 && capacity < 1 << 31, "1 to 2^31 − 1 keys");
        let heads = (capacity * 2).next_power_of_two();
        Self {
            slots: Vec::with_capacity(capacity),
            heads: vec![NONE; heads],
            shift: 64 - heads.trailing_zeros(),
            capacity,
            oldest: NONE,
            newest: NONE,
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Where the chain of a key begins (Fibonacci hashing).
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // as many bits as there are heads
    const fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    #[inline]
    fn find(&self, key: u64) -> u32 {
        let mut place = self.heads[self.bucket(key)];
        while place != NONE {
            let slot = &self.slots[place as usize];
            if slot.key == key {
                return place;
            }
            place = slot.next;
        }
        NONE
    }

    /// Looks at the memory that some keys will need: where all their chains begin, then the slots
    /// these lead to, then their neighbours, so that what is far away is fetched at the same time.
    ///
    /// Returns: a number that depends on all that was looked at.
    #[must_use]
    pub fn ahead(&self, keys: impl Iterator<Item = u64>) -> u64 {
        let mut begins = [NONE; 32];
        let mut count = 0;
        for (begin, key) in begins.iter_mut().zip(keys) {
            *begin = self.heads[self.bucket(key)];
            count += 1;
        }
        let mut beside = [(NONE, NONE); 32];
        for (place, beside) in begins[..count].iter().zip(&mut beside) {
            if let Some(slot) = self.slots.get(*place as usize) {
                *beside = (slot.older, slot.newer);
            }
        }
        let mut seen = self.eldest_ahead();
        for &(older, newer) in &beside[..count] {
            for place in [older, newer] {
                seen ^= self.slots.get(place as usize).map_or(0, |slot| slot.key);
            }
        }
        seen
    }

    /// Looks at the eldest and where their chains begin: they go next, if nobody asks for them.
    fn eldest_ahead(&self) -> u64 {
        let (mut place, mut seen) = (self.oldest, 0);
        for _ in 0..GO {
            let Some(slot) = self.slots.get(place as usize) else {
                break;
            };
            seen ^= u64::from(self.heads[self.bucket(slot.key)]);
            place = slot.newer;
        }
        seen
    }

    /// The value of a key; its place in the order stays.
    #[must_use]
    #[inline]
    pub fn peek(&self, key: u64) -> Option<V> {
        match self.find(key) {
            NONE => None,
            place => Some(self.slots[place as usize].value),
        }
    }

    /// The value of a key, to be changed; with `renew` it is the newest now.
    #[inline]
    pub fn get(&mut self, key: u64, renew: bool) -> Option<&mut V> {
        let place = self.find(key);
        if place == NONE {
            return None;
        }
        if renew && place != self.newest {
            self.unlink(place);
            self.append(place);
        }
        Some(&mut self.slots[place as usize].value)
    }

    /// Adds a key that is not there, as the newest.
    ///
    /// Returns: the key and value that had to go.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // fewer than 2^31 slots
    pub fn insert(&mut self, key: u64, value: V) -> Option<(u64, V)> {
        let (place, gone) = if self.slots.len() < self.capacity {
            self.slots.push(Slot {
                key,
                value,
                older: NONE,
                newer: NONE,
                next: NONE,
            });
            (self.slots.len() as u32 - 1, None)
        } else {
            let place = self.oldest;
            let old = self.slots[place as usize];
            self.unchain(old.key, place);
            self.unlink(place);
            (place, Some((old.key, old.value)))
        };
        let bucket = self.bucket(key);
        let slot = &mut self.slots[place as usize];
        slot.key = key;
        slot.value = value;
        slot.next = self.heads[bucket];
        self.heads[bucket] = place;
        self.append(place);
        gone
    }

    /// Takes a key out.
    ///
    /// Returns: its value; None: it was not there.
    #[allow(clippy::cast_possible_truncation)] // fewer than 2^31 slots
    pub fn remove(&mut self, key: u64) -> Option<V> {
        let place = self.find(key);
        if place == NONE {
            return None;
        }
        let value = self.slots[place as usize].value;
        self.unchain(key, place);
        self.unlink(place);
        // The last slot moves into the hole.
        let last = self.slots.len() as u32 - 1;
        if place != last {
            let moved = self.slots[last as usize];
            let next = moved.next;
            self.unchain(moved.key, last);
            self.slots[place as usize] = Slot { next, ..moved };
            self.rechain(place);
        }
        self.slots.pop();
        Some(value)
    }

    /// Hangs a moved slot into its chain and between its neighbours.
    fn rechain(&mut self, place: u32) {
        let Slot {
            key, older, newer, ..
        } = self.slots[place as usize];
        let bucket = self.bucket(key);
        self.slots[place as usize].next = self.heads[bucket];
        self.heads[bucket] = place;
        match older {
            NONE => self.oldest = place,
            older => self.slots[older as usize].newer = place,
        }
        match newer {
            NONE => self.newest = place,
            newer => self.slots[newer as usize].older = place,
        }
    }

    fn unchain(&mut self, key: u64, place: u32) {
        let bucket = self.bucket(key);
        let next = self.slots[place as usize].next;
        let mut at = self.heads[bucket];
        if at == place {
            self.heads[bucket] = next;
            return;
        }
        while self.slots[at as usize].next != place {
            at = self.slots[at as usize].next;
        }
        self.slots[at as usize].next = next;
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let Slot { older, newer, .. } = self.slots[place as usize];
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
    }

    #[inline]
    fn append(&mut self, place: u32) {
        let newest = self.newest;
        let slot = &mut self.slots[place as usize];
        slot.older = newest;
        slot.newer = NONE;
        match newest {
            NONE => self.oldest = place,
            newest => self.slots[newest as usize].newer = place,
        }
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use super::Lru;
    use proptest::prelude::*;

    proptest! {
        /// Against a list that is gone through from its beginning.
        #[test]
        fn forgets_the_eldest(capacity in 1_usize..9, uses in prop::collection::vec((0_u64..20, any::<bool>(), 0_u32..5), 0..200)) {
            let mut lru = Lru::new(capacity);
            let mut list: Vec<u64> = Vec::new();
            for (key, renew, remove) in uses {
                if remove == 0 {
                    let there = list.contains(&key);
                    list.retain(|&one| one != key);
                    prop_assert_eq!(lru.remove(key), there.then_some(key * 3));
                    continue;
                }
                let known = lru.get(key, renew).is_some();
                prop_assert_eq!(known, list.contains(&key));
                if known {
                    if renew {
                        list.retain(|&one| one != key);
                        list.push(key);
                    }
                } else {
                    let gone = lru.insert(key, key * 3);
                    list.push(key);
                    let expected = if list.len() > capacity { Some(list.remove(0)) } else { None };
                    prop_assert_eq!(gone, expected.map(|key| (key, key * 3)));
                }
                prop_assert_eq!(lru.len(), list.len());
            }
        }
    }
}
