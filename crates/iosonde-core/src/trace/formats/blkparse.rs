//! The text of blkparse, in its default format.
//!
//! `major,minor cpu sequence seconds.nanoseconds pid action rwbs`, then of a request with data
//! `sector + sectors [process]`, in sectors of 512 bytes. The summary at the end is passed over.
//!
//! Source: blktrace 1.2, blkparse(1), "OUTPUT DESCRIPTION AND FORMATTING"; `blkparse_fmt.c`,
//! `process_default()`; `blkparse.c`, `fill_rwbs()`.

use super::{Format, Reading};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::nanoseconds;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "blkparse",
    about: "the text of blkparse in its default format",
    reading: Reading::Text(|head, event| {
        let lines = head.split(|&byte| byte == b'\n');
        let mut seen = [false; 256];
        for line in lines {
            if let Some((_, fields)) = header(line) {
                seen[usize::from(fields.action)] = true;
            }
        }
        let event = event.or_seen(|letter| seen[usize::from(letter)]);
        Ok(Some(Lines::boxed(Blkparse::new(event))))
    }),
};

const SECTOR: u64 = 512;
/// What the lines of the summary begin with.
const SUMMARY: [&[u8]; 10] = [
    b"CPU",
    b"Total",
    b"Throughput",
    b"Events",
    b"Skips",
    b"Read",
    b"Write",
    b"PC ",
    b"IO ",
    b"Input",
];

struct Blkparse {
    event: u8,
    devices: Devices,
    actions: [u64; 256],
    commands: u64,
}

/// What every line begins with.
struct Header<'a> {
    device: &'a [u8],
    time: &'a [u8],
    action: u8,
    rwbs: &'a [u8],
}

/// A word, and the place behind it.
#[inline]
fn word(line: &[u8], mut at: usize) -> (&[u8], usize) {
    while line.get(at) == Some(&b' ') {
        at += 1;
    }
    let begin = at;
    while line.get(at).is_some_and(|&byte| byte != b' ') {
        at += 1;
    }
    (&line[begin..at], at)
}

/// The action of a line whose columns all have their usual widths; None of any other.
#[inline]
fn usual_action(line: &[u8]) -> Option<u8> {
    // "%3d,%-3d %2d %8d %5d.%09lu %5u %2s"
    let head: &[u8; 45] = line.get(..45)?.try_into().ok()?;
    let blanks = [head[19], head[35], head[41], head[42], head[44]] == [b' '; 5];
    let digits = head[2].is_ascii_digit() && head[24].is_ascii_digit() && head[34].is_ascii_digit();
    let sound = blanks && digits && head[3] == b',' && head[25] == b'.';
    (sound && head[43].is_ascii_alphabetic()).then_some(head[43])
}

/// The header and where the rest begins; None where the line has none.
#[inline]
fn header(line: &[u8]) -> Option<(usize, Header<'_>)> {
    let (device, at) = word(line, 0);
    let (_cpu, at) = word(line, at);
    let (_sequence, at) = word(line, at);
    let (time, at) = word(line, at);
    let (_pid, at) = word(line, at);
    let (action, at) = word(line, at);
    let (rwbs, at) = word(line, at);
    let (&[letter] | &[letter, _]) = action else {
        return None;
    };
    let sound = device.first()?.is_ascii_digit() && device.contains(&b',');
    let header = Header {
        device,
        time,
        action: letter,
        rwbs,
    };
    (sound && letter.is_ascii_alphabetic() && time.first()?.is_ascii_digit())
        .then_some((at, header))
}

/// A line without the blanks it begins with.
fn trimmed(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace());
    &line[blanks.count()..]
}

/// What a request does, by its RWBS field: whether it flushes first, and its operation.
#[inline]
fn operation(rwbs: &[u8]) -> (bool, Option<Op>) {
    let (flush, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let op = match rest.first() {
        Some(b'R') => Some(Op::Read),
        Some(b'W') => Some(Op::Write),
        Some(b'D') => Some(Op::Discard),
        _ => None,
    };
    (flush, op)
}

impl Blkparse {
    fn new(event: u8) -> Self {
        Self {
            event,
            devices: Devices::default(),
            actions: [0; 256],
            commands: 0,
        }
    }
}

/// Sector and number of sectors: "223490 + 8"; None where the request has none.
#[inline]
fn place(rest: &[u8]) -> Result<Option<(u64, u64)>, Problem> {
    let number = |word: &[u8], column, name| -> Result<u64, Problem> {
        if word.is_empty() || word.len() > 18 || !word.iter().all(u8::is_ascii_digit) {
            return Err(Problem::NotANumber { column, name });
        }
        Ok(word
            .iter()
            .fold(0, |sum, &digit| sum * 10 + u64::from(digit - b'0')))
    };
    let (sector, at) = word(rest, 0);
    if sector.first() == Some(&b'[') {
        return Ok(None);
    }
    let sector = number(sector, 8, "sector")?;
    let (plus, at) = word(rest, at);
    if plus.first() == Some(&b'(') {
        return Ok(None); // a time of -t, or a command's bytes
    }
    if plus != b"+" {
        return Err(Problem::Word {
            column: 9,
            name: "+",
            expected: "a plus sign between sector and number of sectors",
        });
    }
    let (count, _) = word(rest, at);
    Ok(Some((sector, number(count, 10, "sectors")?)))
}

impl Line for Blkparse {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        if let Some(action) = usual_action(line) {
            if action != self.event {
                self.actions[usize::from(action)] += 1;
                return Ok(());
            }
        }
        let Some((at, header)) = header(line) else {
            let text = trimmed(line);
            if text.is_empty() || SUMMARY.iter().any(|word| text.starts_with(word)) {
                return Ok(());
            }
            return Err(Problem::Word {
                column: 1,
                name: "header",
                expected: "device, processor, sequence, time, process, action and RWBS",
            });
        };
        if header.action != self.event {
            self.actions[usize::from(header.action)] += 1;
            return Ok(());
        }
        let rest = &line[at..];
        if rest.last() != Some(&b']') {
            return Err(Problem::Truncated); // it ends with "[process]" or "[error]"
        }
        let time = nanoseconds(header.time).ok_or(Problem::NotANumber {
            column: 4,
            name: "time",
        })?;
        let (flush, op) = operation(header.rwbs);
        let place = place(rest)?;
        let device = self.devices.number(header.device)?;
        if flush {
            out.push(time, Op::Flush, device, 0, 0)?;
        }
        match (op, place) {
            (Some(op), Some((sector, count))) => {
                out.push(time, op, device, sector * SECTOR, count * SECTOR)?;
            }
            _ if flush => {}
            _ => self.commands += 1,
        }
        Ok(())
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn others(&self) -> Vec<(String, u64)> {
        let actions = (0_u8..=255).zip(self.actions);
        let mut others: Vec<_> = actions
            .map(|(action, count)| (format!("{} events", char::from(action)), count))
            .collect();
        others.push(("without data".to_owned(), self.commands));
        others
    }

    fn notes(&self) -> Vec<&'static str> {
        note(self.event)
    }
}

/// What is told of the event that was taken.
pub fn note(event: u8) -> Vec<&'static str> {
    match event {
        b'D' => vec!["requests are those handed to the driver (D events)"],
        b'C' => vec!["requests are those the device has done, at that time (C events)"],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{header, usual_action};

    #[test]
    fn the_usual_action_is_that_of_the_header() {
        let usual: [&[u8]; 3] = [
            b"  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]",
            b"254,16   0      650     4.131306550   194  C  WS 3536 + 88 [0]",
            b"  8,0    3        3     0.000002197   697  P   N [kjournald]",
        ];
        for line in usual {
            assert_eq!(usual_action(line), header(line).map(|found| found.1.action));
            assert!(usual_action(line).is_some());
        }
        // Wider columns, and a line that is no event.
        let other: [&[u8]; 4] = [
            b"259,1000 131 123456789 12345.000000000 4194303  Q   W 8 + 8 [x]",
            b"  8,0    3        1     0.000000000 1234567  Q   W 223490 + 8 [kjournald]",
            b" Reads Queued:          74,     1792KiB  Writes Queued:          26,      764KiB",
            b"  8,0    3",
        ];
        for line in other {
            assert_eq!(usual_action(line), None);
        }
        assert_eq!(header(other[0]).map(|found| found.1.action), Some(b'Q'));
        assert_eq!(header(other[1]).map(|found| found.1.action), Some(b'Q'));
    }
}
