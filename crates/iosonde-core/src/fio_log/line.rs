//! One line of a log: the plain reading that defines the format, and the fast one that agrees.

use super::columns::Columns;
use super::field::{field, unpadded, Field};
use super::problem::Problem;
use super::scan::{number, Scan, PADDING, WINDOW};
use super::tally::{Sample, Tally};

/// Names of the columns a message can be about, by their bit in `Columns`.
const TIME: &str = "time";
const VALUE: &str = "value";

/// Reads a line, whatever is wrong with it.
///
/// Args: the columns; the line without LF.
pub fn read_plainly(columns: Columns, line: &[u8]) -> Result<Sample, Problem> {
    if line.is_empty() {
        return Err(Problem::Empty);
    }
    if line.contains(&0) {
        return Err(Problem::Nul);
    }
    let expected = columns.count();
    let found = line.split(|&byte| byte == b',').count();
    if found != expected {
        return Err(Problem::ColumnCount { expected, found });
    }
    let mut sample = Sample::default();
    let mut names = columns.names();
    for (place, word) in line.split(|&byte| byte == b',').enumerate() {
        let word = if place == 0 { word } else { unpadded(word) };
        put(&mut sample, place + 1, names.next().unwrap_or(VALUE), word)?;
    }
    Ok(sample)
}

/// Puts one column of a line where it belongs.
fn put(sample: &mut Sample, column: usize, name: &'static str, word: &[u8]) -> Result<(), Problem> {
    if name == "prio" {
        return match field(word) {
            Field::Number(0 | 1) if word.len() == 1 => Ok(()),
            Field::Priority => Ok(()),
            _ => Err(Problem::Priority { column }),
        };
    }
    let number = match field(word) {
        Field::Number(number) => number,
        Field::TooLarge => return Err(Problem::TooLarge { column, name }),
        _ => return Err(Problem::NotANumber { column, name }),
    };
    match name {
        TIME => sample.time = number,
        VALUE => sample.value = number,
        "max" => sample.top = number,
        "ddir" if number <= 2 && word.len() == 1 => sample.direction = usize::from(word[0] & 3),
        "ddir" => {
            return Err(Problem::Direction {
                column,
                found: number,
            })
        }
        "bs" => sample.size = number,
        "offset" => sample.offset = number,
        _ => {}
    }
    Ok(())
}

/// A reading of lines as fio writes them: digits, ", " between the columns, and numbers of no more
/// than 16 digits. `$bits` has one bit for each byte of the window.
///
/// The function gives the sample and the line's length with its LF, or None where the line must be
/// read plainly.
macro_rules! fast_reading {
    ($name:ident, $bits:ty, $window:expr, $marks:expr) => {
        #[inline(always)]
        fn $name<S: Scan, const COLUMNS: u8>(
            scan: S,
            window: &[u8; $window + PADDING],
        ) -> Option<(Sample, usize)> {
            let [commas, spaces, newlines, digits]: [$bits; 4] = $marks(scan, window);
            let line = newlines & newlines.wrapping_neg();
            let inside = line.wrapping_sub(1); // all bits where the line does not end in the window
            let comma = commas & inside;
            let begin = (comma << 2) | 1; // where the columns begin
            let digit = digits & inside;
            let other = inside & !(comma | (comma << 1) | digit);
            let columns = 2 + COLUMNS.count_ones();
            let sound = line != 0
                && spaces & inside == comma << 1
                && comma.count_ones() + 1 == columns
                && begin & !digit == 0;
            if !sound {
                return None;
            }

            let mut left = comma | line;
            let mut from = 0_usize;
            let mut next = || {
                let to = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                let column = (from, to);
                from = to + 2;
                column
            };
            let has = |column: u8| COLUMNS & column != 0;

            let mut sample = Sample::default();
            let mut longest = 0_usize;
            let mut read = |(from, to): (usize, usize)| {
                longest |= to - from - 1; // 16 and above set bit 4: their digits are 17 or more
                number(window, from, to)
            };
            sample.time = read(next());
            sample.value = read(next());
            if has(Columns::MAX) {
                sample.top = read(next());
            }
            let mut odd = 0;
            if has(Columns::DDIR) {
                let (from, to) = next();
                sample.direction = usize::from(window[from & ($window - 1)] & 3);
                odd |= (to - from) ^ 1;
                odd |= usize::from(window[from & ($window - 1)] > b'2');
            }
            if has(Columns::BS) {
                sample.size = read(next());
            }
            if has(Columns::OFFSET) {
                sample.offset = read(next());
            }
            if has(Columns::PRIO) {
                let (from, to) = next();
                if other == 0 {
                    odd |= (to - from) ^ 1;
                    odd |= usize::from(window[from & ($window - 1)] > b'1');
                } else {
                    let here = ((1 as $bits) << to) - ((1 as $bits) << from);
                    odd |= usize::from(other & !here != 0);
                    odd |= usize::from(field(window.get(from..to)?) != Field::Priority);
                }
            } else {
                odd |= usize::from(other != 0);
            }
            if has(Columns::ISSUE) {
                let (from, to) = next();
                odd |= (to - from) / 20; // up to 19 digits fit into 64 bits
            }
            (odd == 0 && longest < 16).then_some((sample, line.trailing_zeros() as usize + 1))
        }
    };
}

fast_reading!(read_short, u64, WINDOW, marks_of_one);
fast_reading!(read_long, u128, 2 * WINDOW, marks_of_two);

#[inline(always)]
fn marks_of_one<S: Scan>(scan: S, window: &[u8; WINDOW + PADDING]) -> [u64; 4] {
    let marks = scan.marks(window);
    [marks.comma, marks.space, marks.newline, marks.digit]
}

#[inline(always)]
fn marks_of_two<S: Scan>(scan: S, window: &[u8; 2 * WINDOW + PADDING]) -> [u128; 4] {
    let mut halves = [[0; WINDOW + PADDING]; 2];
    halves[0].copy_from_slice(&window[..WINDOW + PADDING]);
    halves[1].copy_from_slice(&window[WINDOW..]);
    let low = marks_of_one(scan, &halves[0]);
    let high = marks_of_one(scan, &halves[1]);
    let mut marks = [0; 4];
    for kind in 0..marks.len() {
        marks[kind] = u128::from(low[kind]) | u128::from(high[kind]) << WINDOW;
    }
    marks
}

/// The line at a place of the text, by one window, or by two for the few that are longer.
#[inline(always)]
fn read_fast<S: Scan, const COLUMNS: u8>(
    scan: S,
    text: &[u8],
    at: usize,
) -> Option<(Sample, usize)> {
    let short = text.get(at..at + WINDOW + PADDING)?.try_into().ok()?;
    let read = read_short::<S, COLUMNS>(scan, short);
    if read.is_some() {
        return read;
    }
    let long = text.get(at..at + 2 * WINDOW + PADDING)?;
    read_long::<S, COLUMNS>(scan, long.try_into().ok()?)
}

/// Reads whole lines into a tally.
///
/// Args: `text` holds the lines and at least two windows and the padding after `end`, which follows an
/// LF. `bad` is called with the number of each bad line within the text, from 0.
///
/// Returns how many lines there were.
#[inline(always)]
pub fn read_lines<S: Scan, const COLUMNS: u8>(
    scan: S,
    text: &[u8],
    end: usize,
    tally: &mut Tally,
    bad: &mut impl FnMut(u64, &[u8], &mut Tally) -> bool,
) -> u64 {
    let mut at = 0;
    let mut lines = 0;
    while at < end {
        if let Some((sample, length)) = read_fast::<S, COLUMNS>(scan, text, at) {
            tally.add(&sample);
            at += length;
        } else {
            let rest = &text[at..end];
            let length = rest
                .iter()
                .position(|&byte| byte == b'\n')
                .unwrap_or(rest.len());
            if bad(lines, &rest[..length], tally) {
                return lines + 1;
            }
            at += length + 1;
        }
        lines += 1;
    }
    lines
}
