//! Times of requests: what passes between them, and how many there are in each second.

use std::collections::BTreeMap;

use super::SIDES;
use crate::histogram::{bucket, BUCKETS};

const SECOND: u64 = 1_000_000_000;
/// Rows of the load over time; with more, each covers twice the time.
const MOST_ROWS: usize = 1 << 14;
/// Seconds counted together, and how many such pages are kept: 48 days, in 16 MiB.
const PAGE: u64 = 1 << 8;
const MOST_PAGES: usize = 1 << 14;

/// Times between requests, all devices and operations together.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Nanoseconds, of the earliest and the latest request.
    pub first: u64,
    pub last: u64,
    before: u64,
    any: bool,
    /// Requests earlier than the one before them.
    pub backwards: u64,
    /// Gaps, by `crate::histogram`, in nanoseconds; those of requests that go back are 0.
    gaps: Vec<u64>,
    /// Nanoseconds.
    pub shortest: u64,
    pub longest: u64,
    pub sum: u128,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            first: 0,
            last: 0,
            before: 0,
            any: false,
            backwards: 0,
            gaps: vec![0; BUCKETS],
            shortest: u64::MAX,
            longest: 0,
            sum: 0,
        }
    }
}

impl Clock {
    #[inline]
    pub(super) fn add(&mut self, time: u64) {
        if self.any {
            let gap = time.saturating_sub(self.before);
            self.backwards += u64::from(time < self.before);
            self.gaps[bucket(gap)] += 1;
            self.shortest = self.shortest.min(gap);
            self.longest = self.longest.max(gap);
            self.sum += u128::from(gap);
            self.first = self.first.min(time);
            self.last = self.last.max(time);
        } else {
            self.any = true;
            self.first = time;
            self.last = time;
        }
        self.before = time;
    }

    /// How many gaps fell into each filled bucket: number of the bucket, gaps.
    #[must_use]
    pub fn gaps(&self) -> Vec<(usize, u64)> {
        let filled = self.gaps.iter().copied().enumerate();
        filled.filter(|&(_, count)| count > 0).collect()
    }
}

/// What happens in a step of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub requests: [u64; SIDES],
    pub bytes: [u64; SIDES],
    /// Requests in the busiest second.
    pub peak: u64,
}

/// Reads and writes over time.
#[derive(Clone, Debug)]
pub struct Load {
    /// Seconds that a row covers, a power of two.
    pub step: u64,
    rows: BTreeMap<u64, Row>,
    /// Requests of each second, as times may go back to one that was counted before.
    seconds: BTreeMap<u64, Box<[u32]>>,
    second: u64,
    now: Row,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            step: 1,
            rows: BTreeMap::new(),
            seconds: BTreeMap::new(),
            second: 0,
            now: Row::default(),
        }
    }
}

impl Load {
    #[inline]
    pub(super) fn add(&mut self, time: u64, side: usize, length: u64) {
        let second = time / SECOND;
        if second != self.second {
            self.settle();
            self.second = second;
        }
        self.now.requests[side] += 1;
        self.now.bytes[side] = self.now.bytes[side].saturating_add(length);
    }

    /// Puts the second that is being counted among the others.
    pub(super) fn settle(&mut self) {
        let mut now = std::mem::take(&mut self.now);
        let requests = now.requests.iter().sum();
        if requests == 0 {
            return;
        }
        now.peak = self.counted(requests);
        merge(self.rows.entry(self.second / self.step).or_default(), &now);
        while self.rows.len() > MOST_ROWS {
            self.step *= 2;
            let rows = std::mem::take(&mut self.rows);
            for (number, row) in rows {
                merge(self.rows.entry(number / 2).or_default(), &row);
            }
        }
    }

    /// Adds requests to those of the second that is being counted; how many it has by now.
    #[allow(clippy::cast_possible_truncation)] // a page is small
    fn counted(&mut self, requests: u64) -> u64 {
        let (page, place) = (self.second / PAGE, self.second % PAGE);
        let counts = self
            .seconds
            .entry(page)
            .or_insert_with(|| vec![0; PAGE as usize].into_boxed_slice());
        let count = &mut counts[place as usize];
        *count = count.saturating_add(u32::try_from(requests).unwrap_or(u32::MAX));
        let total = u64::from(*count);
        if self.seconds.len() > MOST_PAGES {
            // Times that go back further than that find the earliest seconds empty.
            self.seconds.pop_first();
        }
        total
    }

    /// Beginning in seconds on the trace's clock, and what happened; rows without requests are left
    /// out.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &Row)> {
        self.rows
            .iter()
            .map(|(number, row)| (number * self.step, row))
    }
}

fn merge(into: &mut Row, one: &Row) {
    for side in 0..SIDES {
        into.requests[side] += one.requests[side];
        into.bytes[side] = into.bytes[side].saturating_add(one.bytes[side]);
    }
    into.peak = into.peak.max(one.peak);
}

#[cfg(test)]
mod tests {
    use super::{Clock, Load, MOST_ROWS, SECOND};

    #[test]
    fn rows_become_longer_and_lose_nothing() {
        let mut load = Load::default();
        let seconds = 3 * MOST_ROWS as u64;
        for second in 0..seconds {
            for _ in 0..=second % 3 {
                load.add(second * SECOND + 7, 0, 512);
            }
        }
        load.settle();
        assert_eq!(load.step, 4);
        assert_eq!(
            load.rows().map(|(_, row)| row.requests[0]).sum::<u64>(),
            2 * seconds
        );
        assert!(load.rows().all(|(_, row)| row.peak == 3));
    }

    #[test]
    fn a_second_that_times_go_back_to_has_all_its_requests() {
        let mut load = Load::default();
        // Two volumes whose requests stand one after the other, and clocks that alternate.
        for _ in 0..2 {
            for second in 0..1000 {
                for _ in 0..=second % 5 {
                    load.add(second * SECOND, 1, 512);
                }
            }
        }
        for time in [2000, 2001, 2000, 2001, 2000] {
            load.add(time * SECOND, 0, 512);
        }
        load.settle();
        let peaks: Vec<u64> = load.rows().map(|(_, row)| row.peak).collect();
        assert_eq!(&peaks[..5], &[2, 4, 6, 8, 10]);
        assert_eq!(&peaks[1000..], &[3, 2]);
    }

    #[test]
    fn seconds_are_counted_in_bounded_memory() {
        let mut load = Load::default();
        for page in 0..super::MOST_PAGES as u64 + 10 {
            load.add(page * super::PAGE * SECOND, 0, 512);
        }
        load.settle();
        assert_eq!(load.seconds.len(), super::MOST_PAGES);
    }

    #[test]
    fn a_step_back_is_counted_and_is_no_gap() {
        let mut clock = Clock::default();
        for time in [10, 30, 20, 25] {
            clock.add(time);
        }
        assert_eq!((clock.first, clock.last, clock.backwards), (10, 30, 1));
        assert_eq!((clock.shortest, clock.longest, clock.sum), (0, 20, 25));
    }
}
