//! Reads a few files of /proc at a steady pace in a thread of its own, as cheaply as that can be.
//!
//! The schedule is absolute: a late reading does not shift the later ones. Nothing is parsed.
//! Times follow the steady clock, so that a clock that is set meanwhile does not falsify rates.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The content of all files at one moment; a file that could not be read is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Seconds since the epoch as the clock stood at the start.
    pub time: f64,
    /// One content a file, in the order given.
    pub contents: Vec<Vec<u8>>,
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    missed: u64,
    stop: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

/// A running sampler; it stops when dropped.
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Reads every file once at once and then every `interval`.
    ///
    /// # Errors
    /// A file cannot be opened, or no thread can be started.
    pub fn start<P: AsRef<Path>>(paths: &[P], interval: Duration) -> std::io::Result<Self> {
        let files = paths
            .iter()
            .map(File::open)
            .collect::<Result<Vec<_>, _>>()?;
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("iosonde-sampler".into())
            .spawn(move || sample(&files, interval, &theirs))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// The readings since the last call, and how many came too late since the start.
    #[must_use]
    pub fn take(&self) -> (Vec<Reading>, u64) {
        let mut state = locked(&self.shared);
        (std::mem::take(&mut state.readings), state.missed)
    }

    /// Ends the thread; readings that were not taken can still be.
    pub fn stop(&mut self) {
        locked(&self.shared).stop = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to tell: it only reads and waits.
            drop(thread.join());
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn locked(shared: &Shared) -> std::sync::MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sample(files: &[File], interval: Duration, shared: &Shared) {
    let mut buffer = vec![0; 1 << 14];
    let begin = Instant::now();
    let epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    let mut due = begin;
    loop {
        let contents = files.iter().map(|file| whole(file, &mut buffer)).collect();
        let time = epoch + begin.elapsed().as_secs_f64();
        let mut state = locked(shared);
        state.readings.push(Reading { time, contents });
        due += interval;
        while due < Instant::now() {
            due += interval;
            state.missed += 1;
        }
        while !state.stop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = shared
                .wake
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if state.stop {
            return;
        }
    }
}

/// The file from its beginning to its end: `/proc` hands out a page or a few at a time.
fn whole(file: &File, buffer: &mut [u8]) -> Vec<u8> {
    let mut content = Vec::new();
    while let Ok(count) = file.read_at(buffer, content.len() as u64) {
        content.extend_from_slice(&buffer[..count]);
        if count == 0 {
            break;
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::Sampler;
    use std::time::Duration;

    #[test]
    fn reads_at_its_pace_and_ends_at_once() {
        let pace = Duration::from_millis(20);
        let mut sampler =
            Sampler::start(&["/proc/stat", "/proc/self/maps"], pace).expect("files of /proc");
        std::thread::sleep(Duration::from_millis(150));
        let begin = std::time::Instant::now();
        sampler.stop();
        assert!(begin.elapsed() < Duration::from_millis(100));
        let (readings, _) = sampler.take();
        assert!((3..=9).contains(&readings.len()), "{}", readings.len());
        assert!(readings.windows(2).all(|pair| pair[0].time < pair[1].time));
        assert!(readings
            .iter()
            .all(|one| one.contents[0].starts_with(b"cpu ")));
        assert!(readings.iter().all(|one| one.contents[1].ends_with(b"\n")));
        assert!(sampler.take().0.is_empty());
    }

    #[test]
    fn a_missing_file_is_an_error() {
        assert!(Sampler::start(&["/none"], Duration::from_secs(1)).is_err());
    }
}
