//! What one thread reads: the lines of its chunks, added up, and those among them that are bad.

use super::columns::{Columns, Variant};
use super::figures::{Figures, SizeFigures, NAMED_BAD_LINES};
use super::line::{read_lines, read_plainly};
use super::problem::{BadLine, Problem, ReadError};
use super::scan::Scan;
use super::stream::Chunk;
use super::tally::Tally;
use super::trace::{self, Events};

/// What one chunk had, to number the lines of the later ones.
struct Part {
    index: u64,
    lines: u64,
    bad: Vec<(u64, Problem)>,
}

/// What one thread has read.
pub struct Share {
    tally: Tally,
    events: Events,
    parts: Vec<Part>,
    bad_lines: u64,
    crlf_lines: u64,
}

impl Share {
    pub fn new(interval: u64) -> Self {
        Self {
            tally: Tally::new(interval),
            events: Events::default(),
            parts: Vec::new(),
            bad_lines: 0,
            crlf_lines: 0,
        }
    }

    /// Reads one chunk; `strict`: no further than its first bad line.
    pub fn take(
        &mut self,
        text: &[u8],
        chunk: Chunk,
        variant: Variant,
        strict: bool,
    ) -> Result<(), ReadError> {
        let mut part = Part {
            index: chunk.index,
            lines: 0,
            bad: Vec::new(),
        };
        part.lines = match variant {
            Variant::Log(columns) => self.take_log(text, chunk.end, columns, strict, &mut part.bad),
            Variant::Trace2 | Variant::Trace3 => self.take_trace(
                &text[..chunk.end],
                chunk.index,
                variant,
                strict,
                &mut part.bad,
            ),
        };
        let stopped = strict && !part.bad.is_empty();
        if let (Some(broken), false) = (chunk.broken, stopped) {
            let problem = broken.problem();
            note(&mut part.bad, &mut self.bad_lines, part.lines, problem);
            part.lines += 1;
        }
        self.parts.push(part);
        self.tally.check()
    }

    /// Whether the chunk read last had a bad line.
    pub fn ended_badly(&self) -> bool {
        self.parts.last().is_some_and(|part| !part.bad.is_empty())
    }

    /// There are no more chunks.
    pub fn settle(&mut self) -> Result<(), ReadError> {
        self.tally.settle()
    }

    fn take_log(
        &mut self,
        text: &[u8],
        end: usize,
        columns: Columns,
        strict: bool,
        bad: &mut Vec<(u64, Problem)>,
    ) -> u64 {
        let (bad_lines, crlf_lines) = (&mut self.bad_lines, &mut self.crlf_lines);
        let mut plainly = |number: u64, line: &[u8], tally: &mut Tally| {
            let (line, crlf) = match line.strip_suffix(b"\r") {
                Some(line) => (line, true),
                None => (line, false),
            };
            let sample = match read_plainly(columns, line) {
                Ok(_) if crlf && strict => Err(Problem::CarriageReturn),
                other => other,
            };
            match sample {
                Ok(sample) => {
                    tally.add(&sample);
                    *crlf_lines += u64::from(crlf);
                    false
                }
                Err(problem) => {
                    note(bad, bad_lines, number, problem);
                    strict
                }
            }
        };
        lines_of(columns, text, end, &mut self.tally, &mut plainly)
    }

    fn take_trace(
        &mut self,
        text: &[u8],
        index: u64,
        variant: Variant,
        strict: bool,
        bad: &mut Vec<(u64, Problem)>,
    ) -> u64 {
        let timed = variant == Variant::Trace3;
        let mut lines = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let heading = index == 0
                && lines == 0
                && (line.starts_with(Variant::TRACE_2) || line.starts_with(Variant::TRACE_3));
            let (line, crlf) = match line.strip_suffix(b"\r") {
                Some(line) => (line, true),
                None => (line, false),
            };
            let read = if crlf && strict {
                Err(Problem::CarriageReturn)
            } else if heading {
                Ok(())
            } else {
                trace::read_line(line, timed, &mut self.tally, &mut self.events)
            };
            match read {
                Ok(()) => self.crlf_lines += u64::from(crlf),
                Err(problem) => {
                    note(bad, &mut self.bad_lines, lines, problem);
                    if strict {
                        return lines + 1;
                    }
                }
            }
            lines += 1;
        }
        lines
    }
}

/// Counts a bad line and names it if it is one of the first of its chunk.
fn note(bad: &mut Vec<(u64, Problem)>, count: &mut u64, number: u64, problem: Problem) {
    *count += 1;
    if bad.len() < NAMED_BAD_LINES {
        bad.push((number, problem));
    }
}

/// `read_lines` for the columns at hand, with the best that the processor has.
fn lines_of(
    columns: Columns,
    text: &[u8],
    end: usize,
    tally: &mut Tally,
    bad: &mut impl FnMut(u64, &[u8], &mut Tally) -> bool,
) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(scan) = super::scan::Avx2::new() {
            // SAFETY: `scan` proves the features that the function is compiled for.
            return unsafe { lines_with_avx2(scan, columns, text, end, tally, bad) };
        }
        lines_with(super::scan::Sse2, columns, text, end, tally, bad)
    }
    #[cfg(not(target_arch = "x86_64"))]
    lines_with(super::scan::Plain, columns, text, end, tally, bad)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn lines_with_avx2(
    scan: super::scan::Avx2,
    columns: Columns,
    text: &[u8],
    end: usize,
    tally: &mut Tally,
    bad: &mut impl FnMut(u64, &[u8], &mut Tally) -> bool,
) -> u64 {
    lines_with(scan, columns, text, end, tally, bad)
}

/// One copy of the loop for each set of columns, so that no line asks which it is.
#[inline(always)]
fn lines_with<S: Scan>(
    scan: S,
    columns: Columns,
    text: &[u8],
    end: usize,
    tally: &mut Tally,
    bad: &mut impl FnMut(u64, &[u8], &mut Tally) -> bool,
) -> u64 {
    macro_rules! of {
        ($($place:literal),*) => {
            match columns.bits() {
                $(bits if bits == Columns::KNOWN[$place].bits() => {
                    read_lines::<S, { Columns::KNOWN[$place].bits() }>(scan, text, end, tally, bad)
                })*
                _ => 0,
            }
        };
    }
    of!(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
}

/// Merges what the threads have read.
///
/// # Errors
/// With `strict` the first bad line in the file's order, or that there is no line at all.
pub fn gather(
    answers: Vec<Share>,
    variant: Option<Variant>,
    strict: bool,
    interval: u64,
) -> Result<Figures, ReadError> {
    let mut total = Share::new(interval);
    for share in answers {
        total.tally.merge(&share.tally);
        total.events.merge(&share.events);
        total.bad_lines += share.bad_lines;
        total.crlf_lines += share.crlf_lines;
        total.parts.extend(share.parts);
    }
    total.tally.check()?;
    total.parts.sort_unstable_by_key(|part| part.index);
    let mut lines = 0;
    let mut named_bad_lines = Vec::new();
    for part in &total.parts {
        for &(number, problem) in &part.bad {
            let line = lines + number + 1;
            named_bad_lines.push(BadLine { line, problem });
        }
        if let (true, Some(&first)) = (strict, named_bad_lines.first()) {
            return Err(ReadError::Bad(first));
        }
        lines += part.lines;
    }
    if strict && lines == 0 {
        return Err(ReadError::Empty);
    }
    named_bad_lines.truncate(NAMED_BAD_LINES);
    let tally = total.tally;
    let seen = |direction: usize, time: u64| (!tally.series[direction].is_empty()).then_some(time);
    Ok(Figures {
        variant,
        lines,
        bad_lines: total.bad_lines,
        named_bad_lines,
        crlf_lines: total.crlf_lines,
        interval,
        first: std::array::from_fn(|direction| seen(direction, tally.first[direction])),
        last: std::array::from_fn(|direction| seen(direction, tally.last[direction])),
        sizes: sizes(&tally),
        sizes_grouped: tally.grouped,
        series: tally.series,
        events: total.events,
    })
}

#[allow(clippy::cast_possible_truncation)] // a bucket's number is below 3776
fn sizes(tally: &Tally) -> Vec<SizeFigures> {
    let figures = |(direction, size, cell): (usize, u64, &super::tally::Cell)| SizeFigures {
        direction,
        size,
        count: cell.count,
        bytes: cell.bytes,
        sum: cell.sum,
        min: cell.min,
        max: cell.max,
        offset_off_grid: cell.offset_off_grid,
        off_grid: cell.off_grid,
        histogram: (0_u32..)
            .zip(cell.histogram.iter().copied())
            .filter(|&(_, count)| count > 0)
            .collect(),
    };
    tally.cells().into_iter().map(figures).collect()
}
