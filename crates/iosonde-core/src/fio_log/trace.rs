//! One line of an I/O trace (`--write_iolog`), version 2 or 3.
//!
//! `[time] file action [offset length]`, separated by blanks; time in microseconds, version 3 only.
//!
//! Source: fio, iolog.c, `read_iolog()`, `log_io_u()`, `log_file()`; HOWTO "Trace file format v2",
//! "v3". fio writes version 3 since 3.31.

use super::field::decimal;
use super::problem::Problem;
use super::tally::{Sample, Tally};

/// What a trace says besides reads, writes and trims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    pub add: u64,
    pub open: u64,
    pub close: u64,
    pub sync: u64,
    pub datasync: u64,
    pub wait: u64,
    /// Microseconds of all waits.
    pub waited: u64,
}

impl Events {
    pub fn merge(&mut self, other: &Self) {
        self.add += other.add;
        self.open += other.open;
        self.close += other.close;
        self.sync += other.sync;
        self.datasync += other.datasync;
        self.wait += other.wait;
        self.waited = self.waited.saturating_add(other.waited);
    }
}

/// Reads one line into the tally or the events.
///
/// Args: the line without its LF; `timed`: version 3.
pub fn read_line(
    line: &[u8],
    timed: bool,
    tally: &mut Tally,
    events: &mut Events,
) -> Result<(), Problem> {
    if line.is_empty() {
        return Err(Problem::Empty);
    }
    if line.contains(&0) {
        return Err(Problem::Nul);
    }
    // One word more than there can be shows that there are too many.
    let mut words: [&[u8]; 6] = [b""; 6];
    let mut found = 0;
    for word in line
        .split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty())
    {
        if found == words.len() {
            break;
        }
        words[found] = word;
        found += 1;
    }
    let first = usize::from(timed);
    let column = |place: usize, name| -> Result<u64, Problem> {
        let (word, column) = (words[place], place + 1);
        if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
            return Err(Problem::NotANumber { column, name });
        }
        decimal(word).ok_or(Problem::TooLarge { column, name })
    };
    let time = if timed { column(0, "time")? } else { 0 };
    let action = words[first + 1];
    match found - first.min(found) {
        2 => match action {
            b"add" => events.add += 1,
            b"open" => events.open += 1,
            b"close" => events.close += 1,
            _ => return Err(Problem::Action),
        },
        4 => {
            let offset = column(first + 2, "offset")?;
            let size = column(first + 3, "length")?;
            let direction = match action {
                b"read" => 0,
                b"write" => 1,
                b"trim" => 2,
                other => return not_an_io(other, timed, offset, events),
            };
            tally.add(&Sample {
                time,
                direction,
                size,
                offset,
                ..Sample::default()
            });
        }
        _ => return Err(Problem::WordCount { found }),
    }
    Ok(())
}

fn not_an_io(action: &[u8], timed: bool, offset: u64, events: &mut Events) -> Result<(), Problem> {
    match action {
        b"sync" => events.sync += 1,
        b"datasync" => events.datasync += 1,
        b"wait" if !timed => {
            events.wait += 1;
            events.waited = events.waited.saturating_add(offset);
        }
        _ => return Err(Problem::Action),
    }
    Ok(())
}
