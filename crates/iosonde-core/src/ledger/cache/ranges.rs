//! Bytes that are in a set, as ranges that do not touch.

/// Ranges in order, each from its first byte to the one behind its last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    list: Vec<(u64, u64)>,
    bytes: u64,
}

impl Ranges {
    /// How many bytes are in it.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.list.iter().copied()
    }

    /// Whether any byte of these is in it.
    #[must_use]
    pub fn has(&self, begin: u64, end: u64) -> bool {
        let at = self.list.partition_point(|one| one.1 <= begin);
        self.list.get(at).is_some_and(|one| one.0 < end)
    }

    /// Adds bytes; ranges that they touch become one.
    pub fn add(&mut self, begin: u64, end: u64) {
        let first = self.list.partition_point(|one| one.1 < begin);
        let last = self.list.partition_point(|one| one.0 <= end);
        let joined = if first < last {
            (
                begin.min(self.list[first].0),
                end.max(self.list[last - 1].1),
            )
        } else {
            (begin, end)
        };
        let before: u64 = self.list[first..last].iter().map(|one| one.1 - one.0).sum();
        self.bytes += joined.1 - joined.0 - before;
        self.list.splice(first..last, [joined]);
    }

    /// Takes bytes out.
    pub fn remove(&mut self, begin: u64, end: u64) {
        let first = self.list.partition_point(|one| one.1 <= begin);
        let last = self.list.partition_point(|one| one.0 < end);
        if first >= last {
            return;
        }
        let (from, to) = (self.list[first].0, self.list[last - 1].1);
        let before: u64 = self.list[first..last].iter().map(|one| one.1 - one.0).sum();
        let rest = [(from, begin), (end, to)];
        let rest: Vec<_> = rest.into_iter().filter(|one| one.0 < one.1).collect();
        let after: u64 = rest.iter().map(|one| one.1 - one.0).sum();
        self.bytes -= before - after;
        self.list.splice(first..last, rest);
    }
}

/// Runs of neighbours: the first of each, and how many there are; numbers in order, none twice.
#[must_use]
pub fn runs(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some(run) if run.0 + run.1 == number => run.1 += 1,
            _ => found.push((number, 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a list of all bytes.
        #[test]
        fn are_the_bytes_that_were_added(
            steps in prop::collection::vec((any::<bool>(), 0_u64..60, 1_u64..20), 0..40),
        ) {
            let (mut ranges, mut slow) = (Ranges::default(), [false; 80]);
            for (add, begin, length) in steps {
                if add {
                    ranges.add(begin, begin + length);
                } else {
                    ranges.remove(begin, begin + length);
                }
                for byte in begin..begin + length {
                    slow[usize::try_from(byte).unwrap()] = add;
                }
                let count = slow.iter().filter(|&&one| one).count() as u64;
                prop_assert_eq!(ranges.bytes(), count);
                prop_assert_eq!(ranges.iter().map(|one| one.1 - one.0).sum::<u64>(), count);
                let apart = ranges.list.windows(2).all(|two| two[0].1 < two[1].0);
                prop_assert!(apart);
                for (byte, &there) in (0_u64..).zip(&slow) {
                    prop_assert_eq!(ranges.has(byte, byte + 1), there);
                }
            }
        }
    }
}
