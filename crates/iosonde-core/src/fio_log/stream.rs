//! Cuts an input into chunks of whole lines, in order, for several threads.
//!
//! Plain `read` into each thread's own buffer, one thread at a time: works on pipes, costs less than
//! the page faults of a mapping, and the buffer stays in the processor's cache until it is parsed.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use super::problem::Problem;
use super::scan::{PADDING, WINDOW};

/// Bytes of a chunk: half of a usual second-level cache.
pub const CHUNK: usize = 512 * 1024;

/// Bytes after a chunk that reading its last line may look at.
const AFTER: usize = 2 * WINDOW + PADDING;

/// A buffer for one chunk of that many bytes, with those after it that a window may look at.
pub fn buffer(chunk: usize) -> Vec<u8> {
    vec![0; chunk + AFTER]
}

/// What is in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the chunk, from 0.
    pub index: u64,
    /// The buffer's first bytes up to here are whole lines, each with its LF.
    pub end: usize,
    /// After these lines comes one that cannot be read.
    pub broken: Option<Broken>,
}

/// A line that is not in the buffer as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The input ends without an LF.
    Truncated,
    /// The line is longer than a chunk.
    TooLong,
}

impl Broken {
    /// The same in words for the user.
    pub const fn problem(self) -> Problem {
        match self {
            Self::Truncated => Problem::Truncated,
            Self::TooLong => Problem::TooLong,
        }
    }
}

/// An input and what was read of it beyond the last chunk.
#[derive(Debug)]
pub struct Stream<R = File> {
    input: R,
    rest: Vec<u8>,
    index: u64,
    ended: bool,
}

impl<R: Read> Stream<R> {
    pub fn new(input: R) -> Self {
        Self {
            input,
            rest: Vec::new(),
            index: 0,
            ended: false,
        }
    }

    /// Fills the buffer with the next chunk; None at the end of the input, or after `stop`.
    pub fn next(&mut self, buffer: &mut [u8], stop: &AtomicBool) -> io::Result<Option<Chunk>> {
        let room = buffer.len().saturating_sub(AFTER);
        let mut filled = self.rest.len();
        if self.ended && filled == 0 {
            return Ok(None);
        }
        buffer[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        while filled < room && !self.ended {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match self.input.read(&mut buffer[filled..room]) {
                Ok(0) => self.ended = true,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if filled == 0 {
            return Ok(None);
        }
        let index = self.index;
        self.index += 1;
        let newline = buffer[..filled].iter().rposition(|&byte| byte == b'\n');
        let end = newline.map_or(0, |place| place + 1);
        let broken = if self.ended {
            (end < filled).then_some(Broken::Truncated)
        } else if end == 0 {
            Some(self.skip_line(&mut buffer[..room], stop)?)
        } else {
            self.rest.extend_from_slice(&buffer[end..filled]);
            None
        };
        Ok(Some(Chunk { index, end, broken }))
    }

    /// Reads on to the end of a line longer than the buffer.
    fn skip_line(&mut self, buffer: &mut [u8], stop: &AtomicBool) -> io::Result<Broken> {
        while !stop.load(Ordering::Relaxed) {
            let count = match self.input.read(buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if count == 0 {
                self.ended = true;
                return Ok(Broken::Truncated);
            }
            if let Some(place) = buffer[..count].iter().position(|&byte| byte == b'\n') {
                self.rest.extend_from_slice(&buffer[place + 1..count]);
                return Ok(Broken::TooLong);
            }
        }
        Ok(Broken::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::{buffer, Broken, Chunk, Stream, CHUNK};
    use std::io::Read;
    use std::sync::atomic::AtomicBool;

    /// Gives a few bytes at a time, as a pipe does.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn chunks(text: &[u8], step: usize) -> Vec<(Vec<u8>, Option<Broken>)> {
        let mut stream = Stream::new(Trickle(text, step));
        let (mut room, halt) = (buffer(CHUNK), AtomicBool::new(false));
        let mut found = Vec::new();
        while let Some(Chunk { end, broken, .. }) = stream.next(&mut room, &halt).unwrap() {
            found.push((room[..end].to_vec(), broken));
        }
        found
    }

    #[test]
    fn chunks_are_whole_lines_and_nothing_is_lost() {
        let text: Vec<u8> = (0..200_000)
            .flat_map(|n| format!("{n}, 1\n").into_bytes())
            .collect();
        for step in [1000, 65_536, usize::MAX] {
            let found = chunks(&text, step);
            assert!(found.len() > 2);
            assert!(found
                .iter()
                .all(|(lines, broken)| lines.ends_with(b"\n") && broken.is_none()));
            let joined: Vec<u8> = found.into_iter().flat_map(|(lines, _)| lines).collect();
            assert!(joined == text);
        }
    }

    #[test]
    fn a_line_longer_than_a_chunk_is_skipped_as_one() {
        let mut text = b"1, 1\n".to_vec();
        text.extend(vec![b'7'; 3 * CHUNK]);
        text.extend(b"\n2, 2\n");
        let found = chunks(&text, usize::MAX);
        let broken: Vec<_> = found.iter().filter_map(|(_, broken)| *broken).collect();
        assert_eq!(broken, [Broken::TooLong]);
        let joined: Vec<u8> = found.into_iter().flat_map(|(lines, _)| lines).collect();
        assert_eq!(joined, b"1, 1\n2, 2\n");
    }

    #[test]
    fn an_end_without_line_end_is_told() {
        assert_eq!(
            chunks(b"1, 1\n2, ", 3),
            [(b"1, 1\n".to_vec(), Some(Broken::Truncated))]
        );
        assert_eq!(chunks(b"1", 3), [(Vec::new(), Some(Broken::Truncated))]);
        assert!(chunks(b"", 3).is_empty());
    }
}
