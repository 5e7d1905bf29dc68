//! Logs and traces of known content: what is found in them, and what is said of bad ones.

use std::fs;

use iosonde_core::fio_log::{read, Options, ReadError, Variant};

use crate::model::agrees;
use crate::{lenient, read_text};

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
