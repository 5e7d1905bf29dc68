//! What one thread has added up. Tallies of any split of a file merge into the same figures.

use std::collections::{BTreeMap, HashMap};

use super::problem::ReadError;
use crate::histogram::{bucket, BUCKETS};

/// Directions of a sample, by their number in fio's `ddir`; the last is of logs without that column.
pub const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "unknown"];

/// An I/O is off the grid if its offset or its size is no multiple of this.
pub const GRID: u64 = 4096;

/// Different sizes (times directions) that are kept apart; with more, sizes between two powers of
/// two are one.
pub const MAX_SIZES: usize = 1024;

/// Different intervals that a log may cover, all directions together: 16 days of seconds of three.
pub const MAX_SECONDS: usize = 1 << 22;

const SLOTS: usize = 256;

/// One line, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub time: u64,
    pub value: u64,
    /// The second value of `log_window_value=both`; 0 where there is none.
    pub top: u64,
    pub direction: usize,
    pub size: u64,
    pub offset: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            time: 0,
            value: 0,
            top: 0,
            direction: 3,
            size: 0,
            offset: 0,
        }
    }
}

/// What happened in one interval of time in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    pub count: u64,
    pub bytes: u64,
    pub sum: u64,
    pub max: u64,
}

impl Second {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum = self.sum.saturating_add(other.sum);
        self.max = self.max.max(other.max);
    }
}

/// The I/Os of one size in one direction.
#[derive(Clone, Debug)]
pub struct Cell {
    pub count: u64,
    pub bytes: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
    /// Those off the grid by their offset.
    pub offset_off_grid: u64,
    /// Those off the grid by offset or size.
    pub off_grid: u64,
    /// Of the values, by `histogram::bucket`.
    pub histogram: Vec<u64>,
}

impl Cell {
    fn new() -> Self {
        Self {
            count: 0,
            bytes: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
            offset_off_grid: 0,
            off_grid: 0,
            histogram: vec![0; BUCKETS],
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.offset_off_grid += other.offset_off_grid;
        self.off_grid += other.off_grid;
        for (mine, more) in self.histogram.iter_mut().zip(other.histogram.iter()) {
            *mine += more;
        }
    }
}

/// The interval a direction is in.
#[derive(Clone, Copy, Debug)]
struct Window {
    begin: u64,
    first: u64,
    last: u64,
    now: Second,
}

impl Window {
    const NONE: Self = Self {
        begin: 0,
        first: u64::MAX,
        last: 0,
        now: Second {
            count: 0,
            bytes: 0,
            sum: 0,
            max: 0,
        },
    };
}

/// The figures of the lines that one thread has read.
#[derive(Debug)]
pub struct Tally {
    interval: u64,
    windows: [Window; 4],
    /// Where a cell was last found for a size, by a hash of size and direction.
    slots: [(u64, u8, u32); SLOTS],
    index: HashMap<(u8, u64), u32>,
    cells: Vec<Cell>,
    /// Per direction, by the number of the interval.
    pub series: [BTreeMap<u64, Second>; 4],
    pub first: [u64; 4],
    pub last: [u64; 4],
    /// Whether there were more than `MAX_SIZES` sizes, so that they are one per power of two.
    pub grouped: bool,
}

impl Tally {
    /// Args: length of the series' intervals in the log's unit of time, at least 1.
    pub fn new(interval: u64) -> Self {
        Self {
            interval: interval.max(1),
            windows: [Window::NONE; 4],
            slots: [(0, u8::MAX, 0); SLOTS],
            index: HashMap::new(),
            cells: Vec::new(),
            series: Default::default(),
            first: [u64::MAX; 4],
            last: [0; 4],
            grouped: false,
        }
    }

    /// Adds one sample.
    #[inline(always)]
    pub fn add(&mut self, sample: &Sample) {
        let direction = sample.direction & 3;
        let top = sample.value.max(sample.top);
        if sample.time.wrapping_sub(self.windows[direction].begin) >= self.interval {
            self.turn(direction, sample.time);
        }
        let window = &mut self.windows[direction];
        window.first = window.first.min(sample.time);
        window.last = window.last.max(sample.time);
        window.now.count += 1;
        window.now.bytes = window.now.bytes.saturating_add(sample.size);
        window.now.sum = window.now.sum.saturating_add(sample.value);
        window.now.max = window.now.max.max(top);

        let cell = self.cell(direction, sample.size);
        let offset_off = u64::from(sample.offset % GRID != 0);
        cell.count += 1;
        cell.bytes = cell.bytes.saturating_add(sample.size);
        cell.sum = cell.sum.saturating_add(sample.value);
        cell.min = cell.min.min(sample.value);
        cell.max = cell.max.max(top);
        cell.offset_off_grid += offset_off;
        cell.off_grid += offset_off | u64::from(sample.size % GRID != 0);
        cell.histogram[bucket(sample.value)] += 1;
    }

    #[inline(always)]
    fn cell(&mut self, direction: usize, size: u64) -> &mut Cell {
        let mixed = (size ^ (direction as u64) << 61).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (mixed >> 56) as usize & (SLOTS - 1);
        let (held, of, found) = self.slots[slot];
        let found = if held == size && usize::from(of) == direction {
            found as usize
        } else {
            self.seek(direction, size, slot)
        };
        &mut self.cells[found]
    }

    /// Finds or makes the cell of a size and remembers it in the slot.
    #[cold]
    #[inline(never)]
    #[allow(clippy::cast_possible_truncation)] // directions are below 4, cells below 2^32
    fn seek(&mut self, direction: usize, size: u64, slot: usize) -> usize {
        let key = (
            direction as u8,
            if self.grouped { group(size) } else { size },
        );
        let next = self.cells.len() as u32;
        let found = *self.index.entry(key).or_insert(next);
        if found == next {
            self.cells.push(Cell::new());
            if !self.grouped && self.cells.len() > MAX_SIZES {
                self.group_sizes();
                return self.seek(direction, size, slot);
            }
        }
        self.slots[slot] = (size, direction as u8, found);
        found as usize
    }

    /// From now on all sizes between two powers of two share a cell.
    pub fn group_sizes(&mut self) {
        if self.grouped {
            return;
        }
        let cells = std::mem::take(&mut self.cells);
        let index = std::mem::take(&mut self.index);
        self.slots = [(0, u8::MAX, 0); SLOTS];
        self.grouped = true;
        for ((direction, size), place) in index {
            if let Some(cell) = cells.get(place as usize).filter(|cell| cell.count > 0) {
                self.merge_cell((direction, group(size)), cell);
            }
        }
    }

    #[allow(clippy::cast_possible_truncation)] // cells are below 2^32
    fn merge_cell(&mut self, key: (u8, u64), cell: &Cell) {
        let next = self.cells.len() as u32;
        let found = *self.index.entry(key).or_insert(next);
        if found == next {
            self.cells.push(Cell::new());
        }
        self.cells[found as usize].merge(cell);
    }

    /// Puts the interval a direction is in into the series and begins the one of a time.
    #[cold]
    #[inline(never)]
    fn turn(&mut self, direction: usize, time: u64) {
        let window = &mut self.windows[direction];
        if window.now.count > 0 {
            self.first[direction] = self.first[direction].min(window.first);
            self.last[direction] = self.last[direction].max(window.last);
            self.series[direction]
                .entry(window.begin / self.interval)
                .or_default()
                .merge(&window.now);
        }
        *window = Window::NONE;
        window.begin = time - time % self.interval;
    }

    /// Closes the open intervals, then as `check`.
    pub fn settle(&mut self) -> Result<(), ReadError> {
        self.close();
        self.check()
    }

    /// Raises `TooManySeconds` where the series has become longer than a log can be.
    pub fn check(&self) -> Result<(), ReadError> {
        if self.series.iter().map(BTreeMap::len).sum::<usize>() > MAX_SECONDS {
            return Err(ReadError::TooManySeconds { most: MAX_SECONDS });
        }
        Ok(())
    }

    fn close(&mut self) {
        for direction in 0..self.windows.len() {
            if self.windows[direction].now.count > 0 {
                let time = self.windows[direction].begin;
                self.turn(direction, time);
            }
        }
    }

    /// Adds what another thread has read. Both must be settled.
    pub fn merge(&mut self, other: &Self) {
        if other.grouped {
            self.group_sizes();
        }
        for (&(direction, size), &place) in &other.index {
            let size = if self.grouped { group(size) } else { size };
            self.merge_cell((direction, size), &other.cells[place as usize]);
        }
        if self.cells.len() > MAX_SIZES {
            self.group_sizes();
        }
        for direction in 0..self.series.len() {
            self.first[direction] = self.first[direction].min(other.first[direction]);
            self.last[direction] = self.last[direction].max(other.last[direction]);
            for (&second, more) in &other.series[direction] {
                self.series[direction]
                    .entry(second)
                    .or_default()
                    .merge(more);
            }
        }
    }

    /// The cells, ordered by direction and size.
    pub fn cells(&self) -> Vec<(usize, u64, &Cell)> {
        let mut cells: Vec<_> = self
            .index
            .iter()
            .map(|(&(direction, size), &place)| {
                (usize::from(direction), size, &self.cells[place as usize])
            })
            .collect();
        cells.sort_unstable_by_key(|&(direction, size, _)| (direction, size));
        cells
    }
}

/// The power of two at or below a size.
fn group(size: u64) -> u64 {
    if size == 0 {
        0
    } else {
        1 << size.ilog2()
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Tally, MAX_SECONDS};

    #[test]
    fn intervals_are_bounded_in_all_directions_together() {
        let mut tally = Tally::new(1);
        let mut add = |count: usize| {
            for number in 0..count {
                let (time, direction) = (number as u64, number % 3);
                tally.add(&Sample {
                    time,
                    direction,
                    ..Sample::default()
                });
            }
            tally.settle().is_ok()
        };
        assert!(add(MAX_SECONDS));
        assert!(!add(MAX_SECONDS + 1));
    }
}
