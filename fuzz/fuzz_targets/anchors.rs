//! Lines that hold a literal, against asking every line for each.
#![no_main]

use iosonde_core::anchors::Anchors;
use libfuzzer_sys::fuzz_target;

const LITERALS: [(&str, u32); 5] = [("ab", 0), ("b c", 0), ("xyz", 1), ("z", 2), ("aba", 3)];

fuzz_target!(|data: &[u8]| {
    let anchors = Anchors::new(&LITERALS.map(|(text, group)| (text.to_owned(), group)))
        .expect("five literals");
    let hits = anchors.scan(data);
    let mut found: Vec<_> = (0..hits.lines.len())
        .map(|row| (hits.lines[row], hits.groups[row]))
        .collect();
    found.sort_unstable();
    let mut expected = Vec::new();
    for (number, line) in data.split(|&byte| byte == b'\n').enumerate() {
        for group in 0..4 {
            let of = LITERALS.iter().filter(|(_, one)| *one == group);
            let holds = |text: &str| line.windows(text.len()).any(|part| part == text.as_bytes());
            if of.into_iter().any(|(text, _)| holds(text)) {
                expected.push((number as u64, group));
            }
        }
    }
    assert_eq!(found, expected);
    let ends = data.iter().filter(|&&byte| byte == b'\n').count() as u64;
    assert_eq!(hits.line_ends, ends);
});
