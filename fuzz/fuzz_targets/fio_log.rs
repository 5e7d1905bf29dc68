//! Logs of fio, by one thread and by three: what they say is the same.
#![no_main]

use std::fs::{remove_file, write};
use std::path::PathBuf;

use iosonde_core::fio_log::{read, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else {
        return;
    };
    let path = PathBuf::from(format!("/dev/shm/iosonde-fuzz-{}", std::process::id()));
    write(&path, text).expect("a file in memory");
    let options = |threads| Options {
        strict: first & 1 == 1,
        threads,
        variant: None,
        interval_ms: u64::from(first >> 1),
        chunk: 256,
    };
    let by_one = read(&path, &options(1), || true);
    let by_three = read(&path, &options(3), || true);
    match (by_one, by_three) {
        (Ok(one), Ok(three)) => {
            assert_eq!((one.lines, one.bad_lines), (three.lines, three.bad_lines));
            assert_eq!(one.named_bad_lines, three.named_bad_lines);
        }
        (Err(_), Err(_)) => {}
        (one, three) => panic!("{:?} and {:?}", one.is_ok(), three.is_ok()),
    }
    remove_file(&path).expect("it was there");
});
