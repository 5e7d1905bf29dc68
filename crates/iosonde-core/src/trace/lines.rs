//! A text's lines to requests: a format says what one line means, this does it with all.

use memchr::memchr_iter;

use super::batch::{Batch, Devices};
use super::problem::{Bad, Problem};

/// One format's reading of a line, with what it keeps from line to line.
pub trait Line: Send {
    /// Adds the request of a line, if it has one.
    ///
    /// Args: the line without its end, never empty; the columns to add to.
    ///
    /// # Errors
    /// The line is damaged.
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem>;

    /// The devices seen.
    fn devices(&self) -> &Devices;

    /// How often things occur that are no requests.
    fn others(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// What its user should know.
    fn notes(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// The lines of a chunk; made of every `Line`.
pub trait Text: Send {
    /// Reads whole lines, each with its LF; bad ones are noted.
    fn lines(&mut self, text: &[u8], out: &mut Batch, bad: &mut Bad);
    /// How many lines there were.
    fn count(&self) -> u64;
    /// A line that could not be looked at.
    fn lost(&mut self, bad: &mut Bad, problem: Problem);
    /// See `Line`.
    fn devices(&self) -> &Devices;
    /// See `Line`.
    fn others(&self) -> Vec<(String, u64)>;
    /// See `Line`.
    fn notes(&self) -> Vec<&'static str>;
}

/// A `Line` and the number of lines it has read.
pub struct Lines<L>(L, u64);

impl<L: Line + 'static> Lines<L> {
    pub fn boxed(line: L) -> Box<dyn Text> {
        Box::new(Self(line, 0))
    }
}

impl<L: Line> Text for Lines<L> {
    fn lines(&mut self, text: &[u8], out: &mut Batch, bad: &mut Bad) {
        let mut begin = 0;
        for end in memchr_iter(b'\n', text) {
            let line = &text[begin..end];
            begin = end + 1;
            self.1 += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            if let Err(problem) = self.0.line(line, out) {
                let nul = line.contains(&0);
                bad.note(self.1, if nul { Problem::Nul } else { problem });
            }
        }
    }

    fn count(&self) -> u64 {
        self.1
    }

    fn lost(&mut self, bad: &mut Bad, problem: Problem) {
        self.1 += 1;
        bad.note(self.1, problem);
    }

    fn devices(&self) -> &Devices {
        self.0.devices()
    }

    fn others(&self) -> Vec<(String, u64)> {
        self.0.others()
    }

    fn notes(&self) -> Vec<&'static str> {
        self.0.notes()
    }
}
