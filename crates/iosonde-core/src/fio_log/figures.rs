//! What a log says, merged over the threads that read it.

use std::collections::BTreeMap;

use super::columns::Variant;
use super::problem::BadLine;
use super::tally::Second;
use super::trace::Events;

/// Most bad lines that are named one by one.
pub const NAMED_BAD_LINES: usize = 10;

/// The I/Os of one size in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeFigures {
    /// An index into `DIRECTIONS`.
    pub direction: usize,
    /// Bytes; 0 where the log has none. With `sizes_grouped` the power of two at or below.
    pub size: u64,
    pub count: u64,
    pub bytes: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
    /// How many have an offset that is no multiple of `GRID`.
    pub offset_off_grid: u64,
    /// How many have an offset or a size that is no multiple of `GRID`.
    pub off_grid: u64,
    /// Bucket of `histogram` → count, without the empty ones.
    pub histogram: Vec<(u32, u64)>,
}

/// What a log or trace says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// None for an empty file.
    pub variant: Option<Variant>,
    /// Lines of any kind.
    pub lines: u64,
    /// Lines that were not read.
    pub bad_lines: u64,
    /// The first of them, at most `NAMED_BAD_LINES`.
    pub named_bad_lines: Vec<BadLine>,
    /// Lines that were read although they end with CR LF.
    pub crlf_lines: u64,
    /// Length of the series' intervals in the log's unit of time.
    pub interval: u64,
    /// Per direction: number of the interval → what happened in it.
    pub series: [BTreeMap<u64, Second>; 4],
    /// Per direction, in the log's unit of time; None without samples.
    pub first: [Option<u64>; 4],
    pub last: [Option<u64>; 4],
    /// Ordered by direction and size.
    pub sizes: Vec<SizeFigures>,
    /// Whether there were too many sizes to keep each apart.
    pub sizes_grouped: bool,
    pub events: Events,
}
