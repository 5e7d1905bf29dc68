//! Sizes of requests, and on which grids they begin and end.

use super::SIDES;
use crate::trace::hash::Map;

/// Different sizes that are kept apart; with more, each stands for all up to its double.
const MOST_SIZES: usize = 1024;

/// Sizes and alignment of reads and writes.
#[derive(Clone, Debug)]
pub struct Shape {
    sizes: Map<u64, [u64; SIDES]>,
    /// Whether a size stands for all up to its double.
    pub grouped: bool,
    /// By the number of zero bits at the end of offset and length: requests.
    ends: [[u64; SIDES]; 65],
    /// By those of the offset alone.
    begins: [[u64; SIDES]; 65],
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            sizes: Map::default(),
            grouped: false,
            ends: [[0; SIDES]; 65],
            begins: [[0; SIDES]; 65],
        }
    }
}

impl Shape {
    #[inline]
    pub(super) fn add(&mut self, side: usize, offset: u64, length: u64) {
        self.ends[(offset | length).trailing_zeros() as usize][side] += 1;
        self.begins[offset.trailing_zeros() as usize][side] += 1;
        let kept = if self.grouped { floor(length) } else { length };
        self.sizes.entry(kept).or_default()[side] += 1;
        if self.sizes.len() > MOST_SIZES && !self.grouped {
            self.group();
        }
    }

    #[cold]
    fn group(&mut self) {
        self.grouped = true;
        let sizes = std::mem::take(&mut self.sizes);
        for (size, counts) in sizes {
            let group = self.sizes.entry(floor(size)).or_default();
            for (sum, count) in group.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    /// Size in bytes, reads and writes of it, by size.
    #[must_use]
    pub fn sizes(&self) -> Vec<(u64, [u64; SIDES])> {
        let mut sizes: Vec<_> = self
            .sizes
            .iter()
            .map(|(&size, &counts)| (size, counts))
            .collect();
        sizes.sort_unstable();
        sizes
    }

    /// Reads and writes that begin or end off the multiples of a power of two; then those that begin
    /// off them.
    #[must_use]
    pub fn off(&self, grid: u64) -> [[u64; SIDES]; 2] {
        let finer = grid.trailing_zeros() as usize;
        let sum = |zeros: &[[u64; SIDES]]| {
            zeros[..finer]
                .iter()
                .fold([0; SIDES], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
        };
        [sum(&self.ends), sum(&self.begins)]
    }
}

/// The power of two up to a size.
fn floor(size: u64) -> u64 {
    size.checked_ilog2().map_or(0, |bits| 1 << bits)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn grids_count_what_begins_or_ends_off_them() {
        let mut shape = Shape::default();
        shape.add(0, 0, 4096);
        shape.add(0, 4096, 512);
        shape.add(1, 512, 4096);
        assert_eq!(shape.off(4096), [[1, 1], [0, 1]]);
        assert_eq!(shape.off(512), [[0, 0], [0, 0]]);
        assert_eq!(shape.off(8192), [[2, 1], [1, 1]]);
    }

    #[test]
    fn many_sizes_are_grouped_and_none_is_lost() {
        let mut shape = Shape::default();
        for size in 1..=5000 {
            shape.add(0, 0, size);
        }
        assert!(shape.grouped);
        let sizes = shape.sizes();
        assert_eq!(sizes.iter().map(|one| one.1[0]).sum::<u64>(), 5000);
        assert_eq!(sizes[3], (8, [8, 0]));
    }
}
