//! Traces of every format, gzip and zstd around them, and the profile of what they hold.
#![no_main]

use iosonde_core::trace::profile::{Options, Profile};
use iosonde_core::trace::{Batch, Event, Filled, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mut reader) = Reader::of_bytes(data.to_vec(), Event::default()) else {
        return;
    };
    let options = Options {
        block: 4096,
        tracked: 1000,
    };
    let mut profile = Profile::new(options);
    let mut batch = Batch::default();
    loop {
        batch.clear();
        match reader.fill(&mut batch, 1000) {
            Ok(Filled::End) | Err(_) => break,
            Ok(_) => profile.add(&batch),
        }
    }
    profile.add(&batch);
    profile.finish();
    let _ = (
        reader.notes(),
        reader.others(),
        reader.bad().count,
        reader.lost(),
    );
});
