//! The formats of traces: one file and one row each.

pub mod alibaba;
pub mod blkparse;
pub mod blktrace;
pub mod fio_log;
pub mod iolog;
pub mod msr;
pub mod systor;
pub mod tencent;

use super::lines::Text;
use super::problem::OpenError;

/// Which event of the block layer is the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// The first of these that the trace's beginning has.
    #[default]
    Any,
    /// Q: asked for by what stands above.
    Queued,
    /// D: handed to the driver, after merging and splitting.
    Issued,
    /// C: done by the device.
    Completed,
}

impl Event {
    /// The letter of blkparse.
    #[must_use]
    pub const fn letter(self) -> u8 {
        match self {
            Self::Any => 0,
            Self::Queued => b'Q',
            Self::Issued => b'D',
            Self::Completed => b'C',
        }
    }

    /// The event of a letter of blkparse.
    #[must_use]
    pub fn parse(letter: &str) -> Option<Self> {
        [Self::Queued, Self::Issued, Self::Completed]
            .into_iter()
            .find(|one| letter.as_bytes() == [one.letter()])
    }

    /// This one, or the first that has been seen.
    pub(in crate::trace) fn or_seen(self, seen: impl Fn(u8) -> bool) -> u8 {
        if self != Self::Any {
            return self.letter();
        }
        *b"QDC".iter().find(|&&letter| seen(letter)).unwrap_or(&b'Q')
    }
}

/// A reader of the text that begins as given; None where it does not begin like that.
pub type OpenText = fn(&[u8], Event) -> Result<Option<Box<dyn Text>>, OpenError>;

/// How a format is read.
#[derive(Clone, Copy)]
pub enum Reading {
    /// Line by line.
    Text(OpenText),
    /// Record by record, several files at once.
    Records,
}

/// A format of traces.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    /// In a few words.
    pub about: &'static str,
    pub(super) reading: Reading,
}

/// All formats. Where two fit, the one of which more lines are understood is taken.
pub const FORMATS: [Format; 8] = [
    blktrace::FORMAT,
    blkparse::FORMAT,
    iolog::FORMAT,
    fio_log::FORMAT,
    msr::FORMAT,
    alibaba::FORMAT,
    tencent::FORMAT,
    systor::FORMAT,
];
