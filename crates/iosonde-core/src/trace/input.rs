//! Opens a file or pipe, takes off gzip or zstd, and hands out what it holds piece by piece.
//!
//! Source: RFC 1952 (gzip begins with 1f 8b), RFC 8878 (zstd with 28 b5 2f fd).

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// Bytes read at once, and so the longest line.
const PIECE: usize = 512 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// As much as there is room for, or the input's end.
    Full,
    /// A signal came before.
    Interrupted,
}

/// An input and what was read of it but not yet taken.
pub struct Input {
    source: Box<dyn Read + Send>,
    compression: Option<&'static str>,
    bytes: Vec<u8>,
    begin: usize,
    filled: usize,
    /// How many bytes were taken before `begin`.
    taken: u64,
    ended: bool,
    broken: Option<String>,
}

impl Input {
    /// Opens a file or pipe.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::from_raw_os_error(21)); // EISDIR, as read() would say
        }
        Self::new(Box::new(file))
    }

    /// # Errors
    /// The source's.
    pub fn new(source: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut source = BufReader::with_capacity(PIECE, source);
        let mut magic = [0; 4];
        let mut found = 0;
        while found < magic.len() {
            match source.read(&mut magic[found..]) {
                Ok(0) => break,
                Ok(count) => found += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let whole = io::Cursor::new(magic[..found].to_vec()).chain(source);
        let (source, compression): (Box<dyn Read + Send>, _) = if magic.starts_with(&GZIP) {
            (Box::new(MultiGzDecoder::new(whole)), Some("gzip"))
        } else if magic == ZSTD && found == 4 {
            (Box::new(frames(whole)?), Some("zstd"))
        } else {
            (Box::new(whole), None)
        };
        Ok(Self {
            source,
            compression,
            bytes: vec![0; PIECE],
            begin: 0,
            filled: 0,
            taken: 0,
            ended: false,
            broken: None,
        })
    }

    /// Reads until there is no more room.
    ///
    /// # Errors
    /// The source's. Damaged compression is no error: the input ends there, see `broken`.
    pub fn fill(&mut self) -> io::Result<More> {
        self.bytes.copy_within(self.begin..self.filled, 0);
        self.filled -= self.begin;
        self.taken += self.begin as u64;
        self.begin = 0;
        while self.filled < self.bytes.len() && !self.ended {
            match self.source.read(&mut self.bytes[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    return Ok(More::Interrupted)
                }
                Err(error) if self.compression.is_some() && error.raw_os_error().is_none() => {
                    let kind = self.compression.unwrap_or_default();
                    self.broken = Some(format!("the {kind} data are damaged or cut: {error}"));
                    self.ended = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(More::Full)
    }

    /// What was read and not taken.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.begin..self.filled]
    }

    /// Takes the first bytes.
    pub fn take(&mut self, count: usize) {
        self.begin = (self.begin + count).min(self.filled);
    }

    /// Number of the first byte not taken, from 0.
    pub fn place(&self) -> u64 {
        self.taken + self.begin as u64
    }

    /// Whether nothing comes behind `bytes`.
    pub const fn ended(&self) -> bool {
        self.ended
    }

    /// Whether `bytes` fill all the room.
    pub fn is_full(&self) -> bool {
        self.filled - self.begin == self.bytes.len()
    }

    /// What is wrong with the compression.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// "gzip" or "zstd".
    pub const fn compression(&self) -> Option<&'static str> {
        self.compression
    }
}

/// Takes off zstd; frames that follow each other are one text.
fn frames<R: BufRead + Send + 'static>(input: R) -> io::Result<impl Read + Send> {
    zstd::stream::read::Decoder::with_buffer(input)
}
