//! Which parts of the devices are asked for most.

use super::SIDES;
use crate::trace::hash::Map;

/// Bytes of a region at first.
const REGION: u32 = 20;
/// Regions that are counted; with more, each becomes twice as large.
const MOST: usize = 1 << 16;

/// Requests by region of a device.
#[derive(Clone, Debug)]
pub struct Hot {
    bits: u32,
    regions: Map<(u32, u64), [u64; SIDES]>,
}

impl Default for Hot {
    fn default() -> Self {
        Self {
            bits: REGION,
            regions: Map::default(),
        }
    }
}

impl Hot {
    #[inline]
    pub(super) fn add(&mut self, device: u32, side: usize, offset: u64) {
        self.regions
            .entry((device, offset >> self.bits))
            .or_default()[side] += 1;
        // At 64 bits each device is one region.
        while self.regions.len() > MOST && self.bits < 63 {
            self.bits += 1;
            let regions = std::mem::take(&mut self.regions);
            for ((device, number), counts) in regions {
                let region = self.regions.entry((device, number >> 1)).or_default();
                for (sum, count) in region.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
        }
    }

    /// Bytes of a region.
    #[must_use]
    pub const fn region(&self) -> u64 {
        1 << self.bits
    }

    /// Device, first byte, reads and writes that begin there; the most asked for first.
    #[must_use]
    pub fn regions(&self) -> Vec<(u32, u64, [u64; SIDES])> {
        let all = self.regions.iter();
        let mut regions: Vec<_> = all
            .map(|(&(device, number), &counts)| (device, number << self.bits, counts))
            .collect();
        regions.sort_unstable_by_key(|&(device, offset, counts)| {
            (u64::MAX - counts.iter().sum::<u64>(), device, offset)
        });
        regions
    }
}

#[cfg(test)]
mod tests {
    use super::{Hot, MOST};

    #[test]
    fn regions_grow_and_lose_nothing() {
        let mut hot = Hot::default();
        for number in 0..3 * MOST as u64 {
            hot.add(0, 0, number << 20);
            hot.add(0, 1, 5 << 20);
        }
        assert_eq!(hot.region(), 4 << 20);
        let regions = hot.regions();
        assert_eq!((regions[0].0, regions[0].1), (0, 4 << 20));
        let sum: u64 = regions.iter().map(|one| one.2.iter().sum::<u64>()).sum();
        assert_eq!(sum, 6 * MOST as u64);
    }
}
