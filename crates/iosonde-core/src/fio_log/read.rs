//! Reads a log or trace with several threads.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::columns::Variant;
use super::figures::Figures;
use super::problem::{BadLine, ReadError};
use super::share::{gather, Share};
use super::stream::{buffer, Chunk, Stream, CHUNK};

/// How often the caller is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A bad line is an error instead of being counted.
    pub strict: bool,
    /// 0: as many as there are processors.
    pub threads: usize,
    /// None: found in the first lines.
    pub variant: Option<Variant>,
    /// Length of the series' intervals in milliseconds; 0: a second.
    pub interval_ms: u64,
    /// Bytes that a thread reads at once, and so the longest line; 0: 512 KiB.
    pub chunk: usize,
}

/// What the threads share.
struct Shared {
    path: PathBuf,
    options: Options,
    source: Mutex<Source>,
    stop: AtomicBool,
}

/// The input, once a thread has opened it, and what was found in its first chunk.
#[derive(Default)]
struct Source {
    stream: Option<Stream>,
    variant: Option<Variant>,
}

/// Reads a fio log or trace.
///
/// Args: a file or pipe; `go_on` is asked about every 50 ms and ends the reading by `false`.
///
/// # Errors
/// See [`ReadError`]; with `strict` the first bad line in the file's order, whatever the number of
/// threads.
pub fn read(
    path: &Path,
    options: &Options,
    mut go_on: impl FnMut() -> bool,
) -> Result<Figures, ReadError> {
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, Into::into),
        threads => threads.min(256),
    };
    let shared = Arc::new(Shared {
        path: path.to_owned(),
        options: options.clone(),
        source: Mutex::default(),
        stop: AtomicBool::new(false),
    });
    // The threads are not joined: one that waits for a pipe must not keep a Ctrl-C waiting.
    let (sender, receiver) = channel();
    for _ in 0..threads {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        thread::Builder::new().spawn(move || {
            // A receiver that is gone has been interrupted.
            let _ = sender.send(work(&shared));
        })?;
    }
    drop(sender);
    let mut answers = Vec::with_capacity(threads);
    let mut failure = None;
    while answers.len() < threads && failure.is_none() {
        match receiver.recv_timeout(ASK_EVERY) {
            Ok(Ok(share)) => answers.push(share),
            Ok(Err(error)) => failure = Some(error),
            Err(RecvTimeoutError::Timeout) if go_on() => {}
            Err(RecvTimeoutError::Timeout) => failure = Some(ReadError::Interrupted),
            Err(RecvTimeoutError::Disconnected) => failure = Some(ReadError::Lost),
        }
    }
    if let Some(error) = failure {
        shared.stop.store(true, Ordering::Relaxed);
        return Err(error);
    }
    let variant = lock(&shared.source).variant;
    gather(answers, variant, options.strict, interval(options, variant))
}

/// The source; a thread that panicked holding it has not left it half changed.
fn lock(source: &Mutex<Source>) -> std::sync::MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Length of an interval in the log's unit of time.
fn interval(options: &Options, variant: Option<Variant>) -> u64 {
    let milliseconds = if options.interval_ms == 0 {
        1000
    } else {
        options.interval_ms
    };
    match variant {
        Some(Variant::Trace2 | Variant::Trace3) => milliseconds.saturating_mul(1000),
        _ => milliseconds,
    }
}

impl Shared {
    /// The next chunk into the buffer. The first call opens the file and finds the variant.
    fn next(&self, buffer: &mut [u8]) -> Result<Option<(Chunk, Variant)>, ReadError> {
        let mut source = lock(&self.source);
        if source.stream.is_none() {
            source.stream = Some(Stream::new(open(&self.path)?));
        }
        let Some(stream) = source.stream.as_mut() else {
            return Ok(None);
        };
        let Some(chunk) = stream.next(buffer, &self.stop)? else {
            return Ok(None);
        };
        let variant = match (source.variant, self.options.variant) {
            (Some(variant), _) | (None, Some(variant)) => variant,
            (None, None) => match chunk.broken {
                Some(broken) if chunk.end == 0 => {
                    let problem = broken.problem();
                    return Err(ReadError::NotALog(BadLine { line: 1, problem }));
                }
                _ => Variant::detect(&buffer[..chunk.end])?,
            },
        };
        source.variant = Some(variant);
        Ok(Some((chunk, variant)))
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        // What read() would say, said before a thread waits for it.
        return Err(io::Error::from_raw_os_error(21));
    }
    Ok(file)
}

/// What each thread does: takes chunks until there are none.
fn work(shared: &Shared) -> Result<Share, ReadError> {
    let mut buffer = buffer(match shared.options.chunk {
        0 => CHUNK,
        bytes => bytes,
    });
    let mut share: Option<Share> = None;
    while let Some((chunk, variant)) = shared.next(&mut buffer)? {
        let interval = interval(&shared.options, Some(variant));
        let share = share.get_or_insert_with(|| Share::new(interval));
        share.take(&buffer, chunk, variant, shared.options.strict)?;
        if shared.options.strict && share.ended_badly() {
            // Others finish the chunks before this one; nobody needs those after it.
            shared.stop.store(true, Ordering::Relaxed);
            break;
        }
    }
    let mut share = share.unwrap_or_else(|| Share::new(interval(&shared.options, None)));
    share.settle()?;
    Ok(share)
}
