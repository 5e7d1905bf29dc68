//! Which columns a log has: found in its first lines, or told by the caller.
//!
//! `time, value[, max], ddir, bs[, offset], prio[, issue_time]`:
//!
//! | columns | written by |
//! |---|---|
//! | time, value | bandwidth logs of old front ends, and logs cut down by hand |
//! | … ddir | fio 1.x |
//! | … ddir, bs | fio 2.x to 3.17 |
//! | … ddir, bs, offset | the same with `log_offset`, from 2.1.11 |
//! | … ddir, bs, prio | from 3.18; `0x%04x` with `log_prio`, from 3.28 |
//! | … ddir, bs, offset, prio | the same with `log_offset` |
//! | value, max, ddir … | with `log_window_value=both`, from 3.37 |
//! | … prio, `issue_time` | with `log_issue_time`, from 3.38 |
//!
//! Source: fio, iolog.c, `flush_samples()` and its history (commits 8914a9d8, ae588852, b2a432bf,
//! 03ec570f, 0e14633c, 14d3134a).

use super::field::{fields, Field, MAX_COLUMNS};
use super::problem::{BadLine, Problem, ReadError};

/// How many lines detection looks at.
const HEAD_LINES: usize = 1000;

/// The columns of a log, in fio's order, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns(u8);

impl Columns {
    pub(super) const MAX: u8 = 1;
    pub(super) const DDIR: u8 = 2;
    pub(super) const BS: u8 = 4;
    pub(super) const OFFSET: u8 = 8;
    pub(super) const PRIO: u8 = 16;
    pub(super) const ISSUE: u8 = 32;

    const NAMES: [(u8, &'static str); 6] = [
        (Self::MAX, "max"),
        (Self::DDIR, "ddir"),
        (Self::BS, "bs"),
        (Self::OFFSET, "offset"),
        (Self::PRIO, "prio"),
        (Self::ISSUE, "issue_time"),
    ];

    /// Every set that a version of fio writes, the likelier before the other of the same length.
    pub(super) const KNOWN: [Self; 12] = [
        Self(0),
        Self(Self::DDIR),
        Self(Self::DDIR | Self::BS),
        Self(Self::DDIR | Self::BS | Self::PRIO),
        Self(Self::DDIR | Self::BS | Self::OFFSET),
        Self(Self::DDIR | Self::BS | Self::OFFSET | Self::PRIO),
        Self(Self::DDIR | Self::BS | Self::PRIO | Self::ISSUE),
        Self(Self::MAX | Self::DDIR | Self::BS | Self::PRIO),
        Self(Self::DDIR | Self::BS | Self::OFFSET | Self::PRIO | Self::ISSUE),
        Self(Self::MAX | Self::DDIR | Self::BS | Self::OFFSET | Self::PRIO),
        Self(Self::MAX | Self::DDIR | Self::BS | Self::PRIO | Self::ISSUE),
        Self(Self::MAX | Self::DDIR | Self::BS | Self::OFFSET | Self::PRIO | Self::ISSUE),
    ];

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn has(self, column: u8) -> bool {
        self.0 & column != 0
    }

    /// How many columns a line has.
    #[must_use]
    pub const fn count(self) -> usize {
        2 + self.0.count_ones() as usize
    }

    /// Names of the columns in the line's order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ["time", "value"].into_iter().chain(
            Self::NAMES
                .into_iter()
                .filter(move |(bit, _)| self.has(*bit))
                .map(|(_, name)| name),
        )
    }

    /// Whether each I/O has its size and its place.
    pub(crate) const fn have_places(self) -> bool {
        self.has(Self::BS) && self.has(Self::OFFSET)
    }

    /// Places of direction, size, offset and priority in the line, where it has them.
    pub(crate) fn places(self) -> [Option<usize>; 4] {
        [Self::DDIR, Self::BS, Self::OFFSET, Self::PRIO]
            .map(|column| self.has(column).then(|| self.place(column)))
    }

    /// Place of a column in the line, from 0.
    const fn place(self, column: u8) -> usize {
        2 + (self.0 & (column - 1)).count_ones() as usize
    }

    /// Whether a line of as many columns can be one of this set's.
    fn suits(self, line: &[Field]) -> bool {
        let number = |column: u8| match line.get(self.place(column)) {
            Some(&Field::Number(number)) if self.has(column) => Some(number),
            _ => None,
        };
        let words = line.iter().enumerate().all(|(place, field)| match field {
            Field::Number(_) => true,
            Field::Priority => self.has(Self::PRIO) && place == self.place(Self::PRIO),
            Field::NotANumber | Field::TooLarge => false,
        });
        let Field::Number(value) = line[1] else {
            return false;
        };
        words
            && number(Self::DDIR).map_or(true, |ddir| ddir <= 2)
            && number(Self::PRIO).map_or(true, |prio| prio <= 1)
            // Unaveraged samples have no second value: fio prints 0.
            && number(Self::MAX).map_or(true, |max| max == 0 || max >= value)
            // Averaged samples have neither size nor offset, all others both.
            && !(number(Self::BS) == Some(0) && number(Self::OFFSET).is_some_and(|at| at > 0))
            // Nobody does I/O of one or two bytes: that is a direction in the wrong place.
            && !(matches!(number(Self::BS), Some(1 | 2)) && self.has(Self::OFFSET))
    }
}

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// A log of samples.
    Log(Columns),
    /// `fio version 2 iolog`: file, action, offset, length.
    Trace2,
    /// `fio version 3 iolog`: the same after a time in microseconds.
    Trace3,
}

impl Variant {
    pub(super) const TRACE_2: &'static [u8] = b"fio version 2 iolog";
    pub(super) const TRACE_3: &'static [u8] = b"fio version 3 iolog";

    /// The variant of that name: columns as "time,value,ddir,bs", or "iolog2", "iolog3".
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|variant| variant.name() == name)
    }

    /// Every variant.
    pub fn all() -> impl Iterator<Item = Self> {
        Columns::KNOWN
            .into_iter()
            .map(Self::Log)
            .chain([Self::Trace2, Self::Trace3])
    }

    /// Its name, as `parse` takes it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Log(columns) => columns.names().collect::<Vec<_>>().join(","),
            Self::Trace2 => "iolog2".to_owned(),
            Self::Trace3 => "iolog3".to_owned(),
        }
    }

    /// Finds the variant in the first lines of a file.
    ///
    /// A log's variant is the first of its number of columns that at most one line in a hundred
    /// contradicts, else the least contradicted.
    pub(crate) fn detect(head: &[u8]) -> Result<Self, ReadError> {
        if head.starts_with(Self::TRACE_2) {
            return Ok(Self::Trace2);
        }
        if head.starts_with(Self::TRACE_3) {
            return Ok(Self::Trace3);
        }
        let lines: Vec<Vec<Field>> = head
            .split_inclusive(|&byte| byte == b'\n')
            .take(HEAD_LINES)
            .filter_map(sound)
            .collect();
        let mut lengths = [0_usize; MAX_COLUMNS + 2];
        for line in &lines {
            lengths[line.len().min(MAX_COLUMNS + 1)] += 1;
        }
        let most = (2..=MAX_COLUMNS + 1)
            .rev()
            .max_by_key(|&length| lengths[length])
            .unwrap_or(0);
        if most == 0 || lengths[most] == 0 {
            return Err(ReadError::NotALog(first_problem(head)));
        }
        if most > MAX_COLUMNS {
            let columns = lines.iter().map(Vec::len).max().unwrap_or(most);
            return Err(ReadError::HistogramLog { columns });
        }
        let strikes = |columns: &Columns| {
            let fitting = lines.iter().filter(|line| line.len() == most);
            fitting.filter(|line| !columns.suits(line)).count()
        };
        let mut best = None;
        for columns in Columns::KNOWN.into_iter().filter(|set| set.count() == most) {
            let strikes = strikes(&columns);
            if strikes <= lengths[most] / 100 {
                return Ok(Self::Log(columns));
            }
            if best.map_or(true, |(fewest, _)| strikes < fewest) {
                best = Some((strikes, columns));
            }
        }
        match best {
            Some((strikes, columns)) if strikes < lengths[most] => Ok(Self::Log(columns)),
            _ => Err(ReadError::NotALog(first_problem(head))),
        }
    }
}

/// The fields of a line that ends as it should and holds numbers only.
fn sound(line: &[u8]) -> Option<Vec<Field>> {
    let line = line.strip_suffix(b"\n")?;
    let found = fields(line.strip_suffix(b"\r").unwrap_or(line));
    let numbers = |field: &Field| matches!(field, Field::Number(_) | Field::Priority);
    (found.len() >= 2 && found.iter().all(numbers)).then_some(found)
}

/// What the first line has that no log's has.
fn first_problem(head: &[u8]) -> BadLine {
    let end = head.iter().position(|&byte| byte == b'\n');
    let line = &head[..end.unwrap_or(head.len())];
    let found = fields(line);
    let problem = if line.is_empty() {
        Problem::Empty
    } else if line.contains(&0) {
        Problem::Nul
    } else if end.is_none() {
        Problem::Truncated
    } else if found.len() < 2 {
        Problem::ColumnCount {
            expected: 2,
            found: found.len(),
        }
    } else if let Some(place) = found
        .iter()
        .position(|field| !matches!(field, Field::Number(_)))
    {
        Problem::NotANumber {
            column: place + 1,
            name: ["time", "value", "ddir"][place.min(2)],
        }
    } else {
        let ddir = match found.get(2) {
            Some(&Field::Number(number)) => number,
            _ => 0,
        };
        Problem::Direction {
            column: 3,
            found: ddir,
        }
    };
    BadLine { line: 1, problem }
}
