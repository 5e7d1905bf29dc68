//! A fast hash of short keys. It begins with a random number of this process, so that whoever
//! writes a trace cannot choose keys that fall into one place of a table.

use std::collections::hash_map::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// A map by this hash.
pub type Map<K, V> = HashMap<K, V, Seeded>;

/// Begins each hash of a map with the random number of this process.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        Self(*SEED.get_or_init(|| RandomState::new().hash_one(0)))
    }
}

impl BuildHasher for Seeded {
    type Hasher = Mix;

    #[inline]
    fn build_hasher(&self) -> Mix {
        Mix(self.0)
    }
}

/// Multiplies and folds, eight bytes at a time.
#[derive(Clone, Copy, Debug)]
pub struct Mix(u64);

/// All bits of a number depend on all bits of the other.
///
/// Source: the finalizer of `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Hasher for Mix {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(eight));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        mixed(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Map;
    use std::hash::BuildHasher;

    #[test]
    fn all_maps_of_a_process_begin_alike_and_not_with_nothing() {
        let maps: [Map<u64, u8>; 2] = Default::default();
        let hashes = maps.map(|map| map.hasher().hash_one(7_u64));
        assert_eq!(hashes[0], hashes[1]);
        assert_ne!(maps_without_seed(), hashes[0]);
    }

    /// What 7 was before maps began with a random number.
    fn maps_without_seed() -> u64 {
        super::mixed(7_u64.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    }
}
