//! What can be wrong with a trace, in words for its user.

use std::{fmt, io};

use crate::fio_log;

/// How many bad lines are named.
const NAMED: usize = 10;

/// What is wrong with one line, or one record of a binary trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A NUL byte, as a crashed host's file system leaves them.
    Nul,
    /// The input ends within it.
    Truncated,
    /// Longer than any line of a trace.
    TooLong,
    /// Fewer or more columns than the format has.
    Columns { expected: usize },
    /// A column that is no unsigned number.
    NotANumber { column: usize, name: &'static str },
    /// A column that does not fit into 64 bits, with its unit.
    TooLarge { column: usize, name: &'static str },
    /// A column with another word than those it can hold.
    Word {
        column: usize,
        name: &'static str,
        expected: &'static str,
    },
    /// A request behind all that a device can hold.
    BehindTheEnd,
    /// More names of devices than there can be.
    TooManyDevices,
    /// A name of a device that is no name.
    LongName,
    /// A line of a log or trace of fio's.
    Fio(fio_log::Problem),
    /// No record of blktrace begins here.
    NoRecord,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nul => write!(f, "it holds NUL bytes, expected text"),
            Self::Truncated => write!(f, "the file ends within it"),
            Self::TooLong => write!(f, "it is longer than any line of a trace"),
            Self::Columns { expected } => write!(f, "expected {expected} columns"),
            Self::NotANumber { column, name } => {
                write!(f, "expected an unsigned number in column {column} ({name})")
            }
            Self::TooLarge { column, name } => {
                write!(f, "the number in column {column} ({name}) is too large")
            }
            Self::Word {
                column,
                name,
                expected,
            } => write!(f, "expected {expected} in column {column} ({name})"),
            Self::BehindTheEnd => write!(
                f,
                "the request is longer than 4 GiB or ends behind 64 PiB, which no device has"
            ),
            Self::TooManyDevices => write!(
                f,
                "a name after more than a million other devices or 64 MiB of their names"
            ),
            Self::LongName => write!(f, "a device's name of more than 4096 bytes"),
            Self::Fio(problem) => write!(f, "{problem}"),
            Self::NoRecord => write!(f, "no record of blktrace begins here"),
        }
    }
}

/// What was not read.
#[derive(Clone, Debug, Default)]
pub struct Bad {
    /// How many lines, or gaps between records.
    pub count: u64,
    /// The first ones: number of the line from 1, or of the byte from 0, and what is wrong.
    pub named: Vec<(u64, Problem)>,
}

impl Bad {
    /// Counts one.
    #[cold]
    pub fn note(&mut self, place: u64, problem: Problem) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push((place, problem));
        }
    }
}

/// Why a trace cannot be read at all.
#[derive(Debug)]
pub enum OpenError {
    /// The operating system did not give the file.
    Io(io::Error),
    /// There is nothing in it.
    Empty,
    /// No format knows it; the nearest and what is wrong with its first line.
    Unknown { first: String },
    /// Several files that are not all of blktrace.
    NotTogether,
    /// There is no format of that name.
    NoFormat,
    /// A log of fio's without sizes or places.
    NoPlaces { columns: String },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Empty => write!(f, "the trace is empty"),
            Self::Unknown { first } => {
                write!(
                    f,
                    "this is no trace of a known format; it begins with {first:?}"
                )
            }
            Self::NotTogether => write!(
                f,
                "only the files of blktrace, one of each processor, are read together"
            ),
            Self::NoFormat => write!(f, "there is no such format of traces"),
            Self::NoPlaces { columns } => write!(
                f,
                "a log of fio with the columns {columns} does not say where its I/Os went; \
                 expected one written with log_offset=1 and without log_avg_msec"
            ),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
