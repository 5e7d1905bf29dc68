//! The reader against a slow, obvious model: same figures, same bad lines, any number of threads.

mod damaged;
mod examples;
mod model;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use iosonde_core::fio_log::{read, Figures, Options, ReadError, Variant};

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
