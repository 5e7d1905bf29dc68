//! What can be wrong with a log, in words for its user.

use std::fmt;
use std::io;

/// What is wrong with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Nothing between two line ends.
    Empty,
    /// A NUL byte, as a crashed host's file system leaves them.
    Nul,
    /// The line ends with CR LF.
    CarriageReturn,
    /// The input ends within this line.
    Truncated,
    /// Longer than any line of fio's.
    TooLong,
    /// Another number of columns than the log's.
    ColumnCount { expected: usize, found: usize },
    /// A column that is no unsigned number.
    NotANumber { column: usize, name: &'static str },
    /// A column that does not fit into 64 bits.
    TooLarge { column: usize, name: &'static str },
    /// A data direction other than 0, 1, 2.
    Direction { column: usize, found: u64 },
    /// A priority that is neither 0, 1 nor 0x and four hexadecimal digits.
    Priority { column: usize },
    /// A trace's line with another number of words than its action has.
    WordCount { found: usize },
    /// A trace's action that fio does not know.
    Action,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => write!(f, "the line is empty"),
            Self::Nul => write!(f, "the line holds NUL bytes, expected text"),
            Self::CarriageReturn => write!(f, "the line ends with CR LF, expected LF alone"),
            Self::Truncated => write!(f, "the file ends within this line, expected a line end"),
            Self::TooLong => write!(f, "the line is longer than any that fio writes"),
            Self::ColumnCount { expected, found } => {
                write!(f, "expected {expected} columns, found {found}")
            }
            Self::NotANumber { column, name } => {
                write!(f, "expected an unsigned number in column {column} ({name})")
            }
            Self::TooLarge { column, name } => {
                write!(
                    f,
                    "the number in column {column} ({name}) does not fit into 64 bits"
                )
            }
            Self::Direction { column, found } => write!(
                f,
                "expected a data direction of 0, 1 or 2 in column {column}, found {found}"
            ),
            Self::Priority { column } => write!(
                f,
                "expected a priority of 0, 1 or 0x and four digits in column {column}"
            ),
            Self::WordCount { found } => write!(
                f,
                "expected file, action, offset and length, or file and action, found {found} words"
            ),
            Self::Action => write!(
                f,
                "expected the action read, write, trim, sync, datasync, wait, add, open or close"
            ),
        }
    }
}

/// A line that was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number; the first line is 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Problem,
}

/// Why there are no figures.
#[derive(Debug)]
pub enum ReadError {
    /// The operating system did not give the file.
    Io(io::Error),
    /// Nothing in it; only `strict` minds.
    Empty,
    /// Neither a log nor a trace of fio's.
    NotALog(BadLine),
    /// A log of histograms (`--write_hist_log`), which this reader does not read.
    HistogramLog { columns: usize },
    /// A bad line, where `strict` asks for none.
    Bad(BadLine),
    /// The times cover more different intervals than a log may.
    TooManySeconds { most: usize },
    /// The caller asked to stop.
    Interrupted,
    /// A thread of the reader ended without an answer.
    Lost,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Empty => write!(f, "the log is empty, expected at least one line"),
            Self::NotALog(bad) => write!(
                f,
                "this is neither a log nor a trace of fio's: line {}: {}",
                bad.line, bad.problem
            ),
            Self::HistogramLog { columns } => write!(
                f,
                "{columns} columns: a histogram log of --write_hist_log, expected a log of 2 to 8"
            ),
            Self::Bad(bad) => write!(f, "line {}: {}", bad.line, bad.problem),
            Self::TooManySeconds { most } => write!(
                f,
                "the times of this log cover more than {most} different intervals"
            ),
            Self::Interrupted => write!(f, "interrupted"),
            Self::Lost => write!(f, "a reading thread ended without an answer"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ReadError {
    /// The line it is about.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::NotALog(bad) | Self::Bad(bad) => Some(bad.line),
            _ => None,
        }
    }
}
