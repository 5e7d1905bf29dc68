//! Reads a log or trace with several threads.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::columns::{Columns, Variant};
use super::figures::{Figures, SizeFigures, NAMED_BAD_LINES};
use super::line::{read_lines, read_plainly};
use super::problem::{BadLine, Problem, ReadError};
use super::scan::Scan;
use super::stream::{buffer, Chunk, Stream, CHUNK};
use super::tally::Tally;
use super::trace::{self, Events};

/// How often the caller is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A bad line is an error instead of being counted.
    pub strict: bool,
    /// 0: as many as there are processors.
    pub threads: usize,
    /// None: found in the first lines.
    pub variant: Option<Variant>,
    /// Length of the series' intervals in milliseconds; 0: a second.
    pub interval_ms: u64,
    /// Bytes that a thread reads at once, and so the longest line; 0: 512 KiB.
    pub chunk: usize,
}

/// What the threads share.
struct Shared {
    path: PathBuf,
    options: Options,
    source: Mutex<Source>,
    stop: AtomicBool,
}

/// The input, once a thread has opened it, and what was found in its first chunk.
#[derive(Default)]
struct Source {
    stream: Option<Stream>,
    variant: Option<Variant>,
}

/// What one chunk had, to number the lines of the later ones.
struct Part {
    index: u64,
    lines: u64,
    bad: Vec<(u64, Problem)>,
}

/// What one thread has read.
struct Share {
    tally: Tally,
    events: Events,
    parts: Vec<Part>,
    bad_lines: u64,
    crlf_lines: u64,
}

/// Reads a fio log or trace.
///
/// Args: a file or pipe; `go_on` is asked about every 50 ms and ends the reading by `false`.
///
/// # Errors
/// See [`ReadError`]; with `strict` the first bad line in the file's order, whatever the number of
/// threads.
pub fn read(
    path: &Path,
    options: &Options,
    mut go_on: impl FnMut() -> bool,
) -> Result<Figures, ReadError> {
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, Into::into),
        threads => threads.min(256),
    };
    let shared = Arc::new(Shared {
        path: path.to_owned(),
        options: options.clone(),
        source: Mutex::default(),
        stop: AtomicBool::new(false),
    });
    // The threads are not joined: one that waits for a pipe must not keep a Ctrl-C waiting.
    let (sender, receiver) = channel();
    for _ in 0..threads {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        thread::Builder::new().spawn(move || {
            // A receiver that is gone has been interrupted.
            let _ = sender.send(work(&shared));
        })?;
    }
    drop(sender);
    let mut answers = Vec::with_capacity(threads);
    let mut failure = None;
    while answers.len() < threads && failure.is_none() {
        match receiver.recv_timeout(ASK_EVERY) {
            Ok(Ok(share)) => answers.push(share),
            Ok(Err(error)) => failure = Some(error),
            Err(RecvTimeoutError::Timeout) if go_on() => {}
            Err(RecvTimeoutError::Timeout) => failure = Some(ReadError::Interrupted),
            Err(RecvTimeoutError::Disconnected) => failure = Some(ReadError::Lost),
        }
    }
    if let Some(error) = failure {
        shared.stop.store(true, Ordering::Relaxed);
        return Err(error);
    }
    let variant = lock(&shared.source).variant;
    gather(answers, variant, options, interval(options, variant))
}

/// The source; a thread that panicked holding it has not left it half changed.
fn lock(source: &Mutex<Source>) -> std::sync::MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Length of an interval in the log's unit of time.
fn interval(options: &Options, variant: Option<Variant>) -> u64 {
    let milliseconds = if options.interval_ms == 0 {
        1000
    } else {
        options.interval_ms
    };
    match variant {
        Some(Variant::Trace2 | Variant::Trace3) => milliseconds.saturating_mul(1000),
        _ => milliseconds,
    }
}

impl Shared {
    /// The next chunk into the buffer. The first call opens the file and finds the variant.
    fn next(&self, buffer: &mut [u8]) -> Result<Option<(Chunk, Variant)>, ReadError> {
        let mut source = lock(&self.source);
        if source.stream.is_none() {
            source.stream = Some(Stream::new(open(&self.path)?));
        }
        let Some(stream) = source.stream.as_mut() else {
            return Ok(None);
        };
        let Some(chunk) = stream.next(buffer, &self.stop)? else {
            return Ok(None);
        };
        let variant = match (source.variant, self.options.variant) {
            (Some(variant), _) | (None, Some(variant)) => variant,
            (None, None) => match chunk.broken {
                Some(broken) if chunk.end == 0 => {
                    let problem = broken.problem();
                    return Err(ReadError::NotALog(BadLine { line: 1, problem }));
                }
                _ => Variant::detect(&buffer[..chunk.end])?,
            },
        };
        source.variant = Some(variant);
        Ok(Some((chunk, variant)))
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        // What read() would say, said before a thread waits for it.
        return Err(io::Error::from_raw_os_error(21));
    }
    Ok(file)
}

/// What each thread does: takes chunks until there are none.
fn work(shared: &Shared) -> Result<Share, ReadError> {
    let mut buffer = buffer(match shared.options.chunk {
        0 => CHUNK,
        bytes => bytes,
    });
    let mut share: Option<Share> = None;
    while let Some((chunk, variant)) = shared.next(&mut buffer)? {
        let interval = interval(&shared.options, Some(variant));
        let share = share.get_or_insert_with(|| Share::new(interval));
        share.take(&buffer, chunk, variant, &shared.options)?;
        if share
            .parts
            .last()
            .is_some_and(|part| shared.options.strict && !part.bad.is_empty())
        {
            // Others finish the chunks before this one; nobody needs those after it.
            shared.stop.store(true, Ordering::Relaxed);
            break;
        }
    }
    let mut share = share.unwrap_or_else(|| Share::new(interval(&shared.options, None)));
    share.tally.settle()?;
    Ok(share)
}

impl Share {
    fn new(interval: u64) -> Self {
        Self {
            tally: Tally::new(interval),
            events: Events::default(),
            parts: Vec::new(),
            bad_lines: 0,
            crlf_lines: 0,
        }
    }

    /// Reads one chunk.
    fn take(
        &mut self,
        text: &[u8],
        chunk: Chunk,
        variant: Variant,
        options: &Options,
    ) -> Result<(), ReadError> {
        let mut part = Part {
            index: chunk.index,
            lines: 0,
            bad: Vec::new(),
        };
        part.lines = match variant {
            Variant::Log(columns) => {
                self.take_log(text, chunk.end, columns, options, &mut part.bad)
            }
            Variant::Trace2 | Variant::Trace3 => self.take_trace(
                &text[..chunk.end],
                chunk.index,
                variant,
                options,
                &mut part.bad,
            ),
        };
        let stopped = options.strict && !part.bad.is_empty();
        if let (Some(broken), false) = (chunk.broken, stopped) {
            let problem = broken.problem();
            note(&mut part.bad, &mut self.bad_lines, part.lines, problem);
            part.lines += 1;
        }
        self.parts.push(part);
        self.tally.check()
    }

    fn take_log(
        &mut self,
        text: &[u8],
        end: usize,
        columns: Columns,
        options: &Options,
        bad: &mut Vec<(u64, Problem)>,
    ) -> u64 {
        let (bad_lines, crlf_lines) = (&mut self.bad_lines, &mut self.crlf_lines);
        let mut plainly = |number: u64, line: &[u8], tally: &mut Tally| {
            let (line, crlf) = match line.strip_suffix(b"\r") {
                Some(line) => (line, true),
                None => (line, false),
            };
            let sample = match read_plainly(columns, line) {
                Ok(_) if crlf && options.strict => Err(Problem::CarriageReturn),
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
                    options.strict
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
        options: &Options,
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
            let read = if crlf && options.strict {
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
                    if options.strict {
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
fn gather(
    answers: Vec<Share>,
    variant: Option<Variant>,
    options: &Options,
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
        if let (true, Some(&first)) = (options.strict, named_bad_lines.first()) {
            return Err(ReadError::Bad(first));
        }
        lines += part.lines;
    }
    if options.strict && lines == 0 {
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
