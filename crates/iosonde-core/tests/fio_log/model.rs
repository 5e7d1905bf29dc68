//! The slow, obvious model of a log, and the reader held against it.

use std::collections::BTreeMap;

use iosonde_core::fio_log::{Figures, Options, Problem, ReadError, Variant};
use iosonde_core::histogram;
use proptest::prelude::*;

use crate::read_text;

/// What the model says of a log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Model {
    lines: u64,
    bad: Vec<u64>,
    /// Direction, size → count, bytes, sum, min, max, offset off the grid, off the grid.
    sizes: BTreeMap<(usize, u64), [u64; 7]>,
    /// Direction, size, bucket → count.
    cells: BTreeMap<(usize, u64, u32), u64>,
    /// Direction, second → count, bytes, sum, max.
    series: BTreeMap<(usize, u64), [u64; 4]>,
    /// Direction → first and last time.
    spans: BTreeMap<usize, [u64; 2]>,
}

/// One good line by its columns' names.
fn line_by_name(line: &str, names: &[&str]) -> Option<BTreeMap<String, u64>> {
    let words: Vec<&str> = line.split(',').collect();
    if words.len() != names.len() {
        return None;
    }
    let mut found = BTreeMap::new();
    for (place, (word, name)) in words.into_iter().zip(names).enumerate() {
        let word = if place > 0 {
            word.strip_prefix(' ').unwrap_or(word)
        } else {
            word
        };
        let hexadecimal = word.len() == 6
            && word.starts_with("0x")
            && word[2..].chars().all(|c| c.is_ascii_hexdigit());
        if *name == "prio" {
            if !(hexadecimal || word == "0" || word == "1") {
                return None;
            }
            continue;
        }
        if word.is_empty() || !word.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let number = word.parse().ok()?;
        if *name == "ddir" && (word.len() > 1 || number > 2) {
            return None;
        }
        found.insert((*name).to_owned(), number);
    }
    Some(found)
}

fn model(text: &[u8], variant: Variant, chunk: usize) -> Model {
    let mut model = Model::default();
    let name = variant.name();
    let names: Vec<&str> = name.split(',').collect();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        model.lines += 1;
        let whole = line.ends_with(b"\n") && line.len() <= chunk;
        let text = std::str::from_utf8(line)
            .ok()
            .map(|line| line.trim_end_matches('\n'));
        let text = text.map(|line| line.strip_suffix('\r').unwrap_or(line));
        let found = text
            .filter(|_| whole)
            .and_then(|line| line_by_name(line, &names));
        let Some(found) = found else {
            model.bad.push(model.lines);
            continue;
        };
        let get = |name: &str| found.get(name).copied();
        let (time, value) = (found["time"], found["value"]);
        let top = value.max(get("max").unwrap_or(0));
        let direction = get("ddir").map_or(3, |ddir| usize::try_from(ddir).unwrap());
        let (size, offset) = (get("bs").unwrap_or(0), get("offset").unwrap_or(0));
        let cell = model
            .sizes
            .entry((direction, size))
            .or_insert([0, 0, 0, u64::MAX, 0, 0, 0]);
        cell[0] += 1;
        cell[1] = cell[1].saturating_add(size);
        cell[2] = cell[2].saturating_add(value);
        cell[3] = cell[3].min(value);
        cell[4] = cell[4].max(top);
        cell[5] += u64::from(offset % 4096 > 0);
        cell[6] += u64::from(offset % 4096 > 0 || size % 4096 > 0);
        let bucket = (0..histogram::BUCKETS)
            .find(|&bucket| histogram::bounds(bucket).1 >= value)
            .expect("every value has a bucket");
        let key = (direction, size, u32::try_from(bucket).unwrap());
        *model.cells.entry(key).or_default() += 1;
        let second = model.series.entry((direction, time / 1000)).or_default();
        second[0] += 1;
        second[1] = second[1].saturating_add(size);
        second[2] = second[2].saturating_add(value);
        second[3] = second[3].max(top);
        let span = model.spans.entry(direction).or_insert([time, time]);
        *span = [span[0].min(time), span[1].max(time)];
    }
    model
}

/// The reader's answer in the model's form.
fn as_model(figures: &Figures) -> Model {
    let mut model = Model {
        lines: figures.lines,
        bad: figures.named_bad_lines.iter().map(|bad| bad.line).collect(),
        ..Model::default()
    };
    for size in &figures.sizes {
        let row = [
            size.count,
            size.bytes,
            size.sum,
            size.min,
            size.max,
            size.offset_off_grid,
            size.off_grid,
        ];
        model.sizes.insert((size.direction, size.size), row);
        for &(bucket, count) in &size.histogram {
            model
                .cells
                .insert((size.direction, size.size, bucket), count);
        }
    }
    for (direction, series) in figures.series.iter().enumerate() {
        for (&number, second) in series {
            let row = [second.count, second.bytes, second.sum, second.max];
            model.series.insert((direction, number), row);
        }
        if let (Some(first), Some(last)) = (figures.first[direction], figures.last[direction]) {
            model.spans.insert(direction, [first, last]);
        }
    }
    model
}

/// The reader says what the model says, for any number of threads, strict or not.
pub fn agrees(text: &[u8], variant: Variant, chunk: usize) -> Result<(), TestCaseError> {
    let mut expected = model(text, variant, chunk);
    let bad_lines = expected.bad.len() as u64;
    expected.bad.truncate(10);
    for threads in [1, 2, 5] {
        let options = Options {
            strict: false,
            threads,
            variant: Some(variant),
            chunk,
            ..Options::default()
        };
        let figures = read_text(text, &options).expect("lenient reading of a file ends well");
        prop_assert_eq!(figures.bad_lines, bad_lines);
        prop_assert_eq!(&as_model(&figures), &expected);
        let strict = Options {
            strict: true,
            ..options
        };
        match read_text(text, &strict) {
            Ok(figures) => {
                prop_assert_eq!(&as_model(&figures), &expected);
                prop_assert_eq!((bad_lines, figures.crlf_lines), (0, 0));
            }
            Err(ReadError::Empty) => prop_assert_eq!(expected.lines, 0),
            Err(ReadError::Bad(bad)) if bad.problem == Problem::CarriageReturn => {
                prop_assert!(expected.bad.first().map_or(true, |&first| bad.line < first));
            }
            Err(error) => prop_assert_eq!(error.line(), expected.bad.first().copied()),
        }
    }
    Ok(())
}
