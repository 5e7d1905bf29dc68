//! The reader against a slow, obvious model: same figures, same bad lines, any number of threads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use iosonde_core::fio_log::{read, Figures, Options, Problem, ReadError, Variant};
use iosonde_core::histogram;
use proptest::prelude::*;

/// A file that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(text: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("iosonde-{}-{number}.log", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).expect("the scratch file is written");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn read_text(text: &[u8], options: &Options) -> Result<Figures, ReadError> {
    read(&Scratch::new(text).0, options, || true)
}

fn lenient(variant: Option<Variant>) -> Options {
    Options {
        variant,
        threads: 2,
        ..Options::default()
    }
}

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

fn agrees(text: &[u8], variant: Variant, chunk: usize) -> Result<(), TestCaseError> {
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

fn logs() -> impl Strategy<Value = Variant> {
    let logs: Vec<Variant> = Variant::all()
        .filter(|variant| matches!(variant, Variant::Log(_)))
        .collect();
    prop::sample::select(logs)
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0_u64..2000,
        3 => 0_u64..10_000_000_000,
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ]
}

fn cell(name: &str) -> BoxedStrategy<String> {
    let text = |number: u64| number.to_string();
    match name {
        "time" => prop_oneof![6 => 0_u64..5000, 1 => 0_u64..2_000_000_000_000]
            .prop_map(text)
            .boxed(),
        "ddir" => (0_u64..3).prop_map(text).boxed(),
        "prio" => prop_oneof![
            Just("0".to_owned()),
            Just("1".to_owned()),
            any::<u16>().prop_map(|prio| format!("0x{prio:04x}")),
        ]
        .boxed(),
        "bs" => prop_oneof![
            5 => prop::sample::select(vec![512_u64, 4096, 16384, 1 << 20]),
            1 => number(),
        ]
        .prop_map(text)
        .boxed(),
        _ => number().prop_map(text).boxed(),
    }
}

/// A log of a variant with some of its bytes changed.
fn damaged() -> impl Strategy<Value = (Variant, Vec<u8>)> {
    logs().prop_flat_map(|variant| {
        let name = variant.name();
        let cells: Vec<_> = name.split(',').map(cell).collect();
        let end = prop_oneof![30 => Just("\n"), 1 => Just("\r\n"), 1 => Just("")];
        let line = (cells, end).prop_map(|(cells, end)| cells.join(", ") + end);
        let damage = (
            any::<prop::sample::Index>(),
            prop_oneof![
                3 => prop::sample::select(b",, \n\n\r\x000x9a-".to_vec()),
                1 => any::<u8>(),
            ],
        );
        (
            Just(variant),
            prop::collection::vec(line, 0..60),
            prop::collection::vec(damage, 0..4),
        )
            .prop_map(|(variant, lines, damages)| {
                let mut text = lines.concat().into_bytes();
                for (place, byte) in damages {
                    if !text.is_empty() {
                        let place = place.index(text.len());
                        text[place] = byte;
                    }
                }
                (variant, text)
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn figures_are_the_models((variant, text) in damaged(), chunk in 200_usize..2000) {
        agrees(&text, variant, chunk)?;
    }

    #[test]
    fn any_bytes_end_in_an_answer(text in prop::collection::vec(any::<u8>(), 0..3000), strict: bool) {
        let options = Options { strict, chunk: 300, ..lenient(None) };
        let _ = read_text(&text, &options);
        for variant in Variant::all() {
            let options = Options { variant: Some(variant), ..options.clone() };
            prop_assert_eq!(read_text(&text, &options).is_ok(), !strict);
        }
    }
}

/// Real logs, changed at random places for as long as `IOSONDE_FUZZ_SECONDS` says (default: 2).
#[test]
fn real_logs_with_changed_bytes_end_in_the_models_answer() {
    let seconds = std::env::var("IOSONDE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let deadline = Instant::now() + Duration::from_secs(seconds.unwrap_or(2));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/outputs/fio-3.33-logs");
    let mut corpus: Vec<Vec<u8>> = fs::read_dir(folder)
        .expect("the recorded logs are there")
        .map(|entry| fs::read(entry.expect("an entry").path()).expect("a recorded log"))
        .collect();
    corpus.sort();
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut any = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).expect("48 bits") % below.max(1)
    };
    let mut rounds = 0_u64;
    while Instant::now() < deadline {
        let whole = &corpus[any(corpus.len())];
        let from = any(whole.len() / 2);
        let mut text = whole[if any(2) == 0 { 0 } else { from }..].to_vec();
        text.truncate(1 + any(4000));
        for _ in 0..any(6) {
            let place = any(text.len());
            match any(6) {
                0 => text.truncate(place),
                1 if !text.is_empty() => drop(text.remove(place)),
                2 => text.insert(place, b", \n\r\x00x9"[any(7)]),
                3 => text.splice(place..place, vec![0; any(600)]).for_each(drop),
                4 => {
                    let piece = text[place..(place + any(200)).min(text.len())].to_vec();
                    text.splice(any(place)..place, piece).for_each(drop);
                }
                _ if !text.is_empty() => text[place] = u8::try_from(any(256)).expect("a byte"),
                _ => {}
            }
        }
        let detected = read_text(&text, &lenient(None))
            .ok()
            .and_then(|figures| figures.variant);
        match detected {
            Some(variant @ Variant::Log(_)) => {
                agrees(&text, variant, 100 + any(3000)).expect("the model's answer");
            }
            Some(trace) => {
                let one = read_text(
                    &text,
                    &Options {
                        threads: 1,
                        ..lenient(Some(trace))
                    },
                );
                let many = read_text(
                    &text,
                    &Options {
                        chunk: 150,
                        threads: 4,
                        ..lenient(Some(trace))
                    },
                );
                let (one, many) = (one.expect("figures"), many.expect("figures"));
                if one.named_bad_lines.len() < 10 && many.named_bad_lines == one.named_bad_lines {
                    assert_eq!(one, many);
                }
            }
            None => {}
        }
        rounds += 1;
    }
    println!("{rounds} changed logs in {} s", seconds.unwrap_or(2));
    assert!(rounds > 0);
}

fn bad(text: &[u8]) -> (u64, String) {
    let strict = Options {
        strict: true,
        ..lenient(None)
    };
    match read_text(text, &strict) {
        Err(error) => (error.line().unwrap_or(0), error.to_string()),
        Ok(_) => panic!("strict reading took {:?}", String::from_utf8_lossy(text)),
    }
}

#[test]
fn messages_name_line_column_and_what_was_expected() {
    let good = "1, 5000, 0, 4096, 8192, 0\n2, 5001, 1, 4096, 12289, 0\n".repeat(50);
    let with = |line: &str| [good.as_bytes(), line.as_bytes(), good.as_bytes()].concat();
    for (line, words) in [
        ("\n", "the line is empty"),
        ("3, 1, 0, 4096, 0, 0\r\n", "the line ends with CR LF"),
        ("3, 1, 0, 4096\n", "expected 6 columns, found 4"),
        (
            "3, 1, 0, 4096, 0, 2\n",
            "a priority of 0, 1 or 0x and four digits in column 6",
        ),
        (
            "3, -1, 0, 4096, 0, 0\n",
            "expected an unsigned number in column 2 (value)",
        ),
        (
            "3, 1, 3, 4096, 0, 0\n",
            "a data direction of 0, 1 or 2 in column 3, found 3",
        ),
        (
            "3, 1, 0, 4096, 18446744073709551616, 0\n",
            "column 5 (offset) does not fit into 64 bits",
        ),
        ("3, 1, 0, \0\0\0\0\0\0\0\n", "NUL bytes"),
    ] {
        let (number, message) = bad(&with(line));
        assert_eq!(number, 101, "{message}");
        assert!(
            message.starts_with("line 101: ") && message.contains(words),
            "{message}"
        );
        let figures = read_text(&with(line), &lenient(None)).unwrap();
        assert_eq!(figures.lines, 201);
        assert_eq!(figures.bad_lines + figures.crlf_lines, 1);
    }
    let (number, message) = bad(&good.as_bytes()[..good.len() - 5]);
    assert_eq!(
        (number, message.contains("the file ends within this line")),
        (100, true)
    );
}

#[test]
fn offsets_of_64_bits_are_read() {
    let text =
        b"1, 5000, 0, 4096, 18446744073709547520, 0\n1, 5000, 0, 4096, 18446744073709551615, 0\n";
    let figures = read_text(text, &lenient(None)).unwrap();
    assert_eq!(figures.bad_lines, 0);
    assert_eq!(figures.sizes[0].offset_off_grid, 1);
}

#[test]
fn what_is_no_log_is_told() {
    for (text, words) in [
        (&b""[..], "the log is empty"),
        (b"hello world\n", "neither a log nor a trace"),
        (b"1, 2, 0, 4096", "the file ends within this line"),
        (
            b"1, 2, 9, 4096\n",
            "a data direction of 0, 1 or 2 in column 3, found 9",
        ),
        (b"1, 0, 4096, 1, 2, 3, 4, 5, 6, 7\n", "histogram log"),
    ] {
        let (_, message) = bad(text);
        assert!(message.contains(words), "{message}");
    }
    let folder = read(&std::env::temp_dir(), &lenient(None), || true);
    assert!(matches!(folder, Err(ReadError::Io(_))));
    assert_eq!(read_text(b"", &lenient(None)).unwrap().variant, None);
}

#[test]
fn variants_are_found_by_content() {
    for (text, name) in [
        ("10, 5\n", "time,value"),
        ("10, 5, 1\n", "time,value,ddir"),
        ("10, 5, 1, 4096\n", "time,value,ddir,bs"),
        ("10, 5, 1, 4096, 0\n", "time,value,ddir,bs,prio"),
        (
            "10, 5, 1, 4096, 0\n10, 5, 1, 4096, 4096\n",
            "time,value,ddir,bs,offset",
        ),
        ("10, 5, 1, 4096, 0x4001\n", "time,value,ddir,bs,prio"),
        (
            "10, 5, 1, 4096, 8192, 0\n",
            "time,value,ddir,bs,offset,prio",
        ),
        (
            "10, 5, 1, 4096, 8192, 0x0000\n",
            "time,value,ddir,bs,offset,prio",
        ),
        ("10, 500, 900, 1, 0, 0\n", "time,value,max,ddir,bs,prio"),
        ("10, 500, 0, 1, 4096, 0\n", "time,value,max,ddir,bs,prio"),
        (
            "10, 5, 1, 4096, 0, 123456789\n",
            "time,value,ddir,bs,prio,issue_time",
        ),
        (
            "10, 5, 1, 4096, 8192, 0, 123456789\n",
            "time,value,ddir,bs,offset,prio,issue_time",
        ),
        (
            "10, 5, 1, 4096, 8192, 0, 0\n",
            "time,value,ddir,bs,offset,prio,issue_time",
        ),
        (
            "10, 500, 900, 1, 0, 0, 0x0000\n",
            "time,value,max,ddir,bs,offset,prio",
        ),
        (
            "10, 500, 0, 1, 4096, 8192, 0\n",
            "time,value,max,ddir,bs,offset,prio",
        ),
        (
            "10, 500, 900, 1, 0, 0, 0x0000, 0\n",
            "time,value,max,ddir,bs,offset,prio,issue_time",
        ),
        (
            "fio version 2 iolog\n/f add\n/f open\n/f read 0 4096\n",
            "iolog2",
        ),
        (
            "fio version 3 iolog\n1 /f add\n2 /f read 0 4096\n",
            "iolog3",
        ),
    ] {
        let figures = read_text(text.as_bytes(), &lenient(None)).unwrap();
        assert_eq!(
            figures.variant.map(Variant::name).as_deref(),
            Some(name),
            "{text:?}"
        );
        assert_eq!(figures.bad_lines, 0, "{text:?}");
    }
    for variant in Variant::all() {
        assert_eq!(Variant::parse(&variant.name()), Some(variant));
    }
    assert_eq!(Variant::parse("value"), None);
}

#[test]
fn traces_are_counted_by_action() {
    let text = b"fio version 2 iolog\n/a add\n/a open\n/a read 0 4096\n/a write 512 4096\n\
        /a wait 700 0\n/a sync 0 0\n/a datasync 0 0\n/a trim 4096 8192\n/a close\n";
    let figures = read_text(
        text,
        &Options {
            strict: true,
            ..lenient(None)
        },
    )
    .unwrap();
    let counts: Vec<_> = figures
        .sizes
        .iter()
        .map(|size| (size.direction, size.size, size.off_grid))
        .collect();
    assert_eq!(counts, [(0, 4096, 0), (1, 4096, 1), (2, 8192, 0)]);
    let events = figures.events;
    assert_eq!((events.add, events.open, events.close), (1, 1, 1));
    assert_eq!(
        (events.sync, events.datasync, events.wait, events.waited),
        (1, 1, 1, 700)
    );
    let head = "fio version 3 iolog\n1 /a read 0 4096\n";
    for (line, words) in [
        ("2 /a read 0\n", "found 4 words"),
        ("2 /a read 0 4096 7\n", "found 6 words"),
        ("2 /a wait 100 0\n", "expected the action"),
        ("x /a read 0 4096\n", "unsigned number in column 1 (time)"),
        ("2 /a read 0 -1\n", "unsigned number in column 5 (length)"),
        ("2 /a\n", "found 2 words"),
        ("2 /a read 0 40", "the file ends within this line"),
    ] {
        let (number, message) = bad(format!("{head}{line}").as_bytes());
        assert_eq!(number, 3, "{message}");
        assert!(message.contains(words), "{message}");
    }
    let later = b"fio version 3 iolog\n999999 /a read 0 4096\n1000000 /a read 1 4096\n";
    let figures = read_text(later, &lenient(None)).unwrap();
    assert_eq!(
        figures.series[0].keys().copied().collect::<Vec<_>>(),
        [0, 1]
    );
}

#[test]
fn more_sizes_than_are_kept_apart_become_powers_of_two() {
    let line = |n| format!("{n}, 7, 0, {}, 0, 0\n", 512 + 3 * n);
    let text = (0..5000).map(line).collect::<Vec<_>>().concat();
    let mut answers = Vec::new();
    for threads in [1, 2, 3] {
        let options = Options {
            threads,
            chunk: 4000,
            ..lenient(None)
        };
        answers.push(read_text(text.as_bytes(), &options).unwrap());
    }
    assert!(answers[0].sizes_grouped);
    assert!(answers.windows(2).all(|two| two[0] == two[1]));
    let sizes: Vec<u64> = answers[0].sizes.iter().map(|size| size.size).collect();
    assert_eq!(sizes, [512, 1024, 2048, 4096, 8192]);
    let bytes: u64 = answers[0].sizes.iter().map(|size| size.bytes).sum();
    assert_eq!(bytes, (0..5000).map(|n| 512 + 3 * n).sum::<u64>());
}

#[test]
fn a_reader_that_waits_for_a_pipe_is_interrupted() {
    let folder = std::env::temp_dir().join(format!("iosonde-{}-pipe", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&folder).status();
    assert!(made.is_ok_and(|status| status.success()));
    let answer = read(&folder, &lenient(None), || false);
    let _ = fs::remove_file(&folder);
    assert!(matches!(answer, Err(ReadError::Interrupted)));
}

#[test]
fn lines_of_any_length_are_read() {
    let variant = Variant::parse("time,value,max,ddir,bs,offset,prio,issue_time").unwrap();
    let digits = "1234567890123456789";
    let mut lines = Vec::new();
    for one in 1..=19 {
        for two in [1, 8, 9, 15, 16, 17, 19] {
            for end in [
                "1, 1",
                "1, 1234",
                "0xfa01, 1",
                "0xfa01, 12",
                "0xfa01, 1234567890123456789",
            ] {
                let (one, two) = (&digits[..one], &digits[..two]);
                lines.push(format!("{two}, {one}, {one}, 1, {two}, {one}, {end}\n"));
            }
        }
    }
    let lengths = || lines.iter().map(String::len);
    assert!(lengths().min() < Some(40) && lengths().max() > Some(128));
    for length in [63, 64, 65] {
        assert!(lengths().any(|found| found == length));
    }
    agrees(lines.concat().as_bytes(), variant, 1000).unwrap();
}

#[test]
fn a_number_beyond_64_bits_is_bad_in_any_column() {
    let variant = Variant::parse("time,value,max,ddir,bs,offset,prio,issue_time").unwrap();
    let columns = ["1", "2", "3", "0", "512", "512", "0", "7"];
    for place in [0, 1, 2, 4, 5, 7] {
        for (number, bad_lines) in [("18446744073709551615", 0), ("18446744073709551616", 1)] {
            let mut columns = columns;
            columns[place] = number;
            let text = columns.join(", ") + "\n";
            let figures = read_text(text.as_bytes(), &lenient(Some(variant))).unwrap();
            assert_eq!(figures.bad_lines, bad_lines, "{text}");
            agrees(text.as_bytes(), variant, 1000).unwrap();
        }
    }
}
