//! A trace of any format, read batch by batch.

use std::io;
use std::path::PathBuf;

use super::batch::Batch;
use super::formats::blktrace::Order;
use super::formats::{Event, Format, Reading, FORMATS};
use super::input::{Input, More};
use super::lines::Text;
use super::merge::{Merge, Merged};
use super::problem::{Bad, OpenError, Problem};

/// Lines of the beginning by which a format is found: bytes.
const HEAD: usize = 64 * 1024;
/// Bytes of an unknown file that are shown.
const SHOWN: usize = 60;

/// Pieces after which the caller is asked whether to go on, also where no line has a request.
const PIECES: usize = 64;

/// What a filling brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// There may be more.
    More,
    /// A signal came; ask again.
    Interrupted,
    /// The trace ends here.
    End,
}

enum Source {
    Text {
        input: Box<Input>,
        text: Box<dyn Text>,
        /// The rest of a line that is too long.
        skipping: bool,
    },
    Records(Box<Merge>),
}

/// A trace that is being read.
pub struct Reader {
    format: &'static str,
    compression: Option<&'static str>,
    source: Source,
    bad: Bad,
}

impl Reader {
    /// Opens a trace.
    ///
    /// Args: one file or pipe, or the files of blktrace of all processors; a format's name, None to
    /// find it in the content; which event of the block layer is a request.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(paths: &[PathBuf], format: Option<&str>, event: Event) -> Result<Self, OpenError> {
        let mut inputs = Vec::new();
        for path in paths {
            inputs.push(Input::open(path)?);
        }
        Self::of(inputs, format, event)
    }

    /// The same of bytes in memory.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn of_bytes(bytes: Vec<u8>, event: Event) -> Result<Self, OpenError> {
        let input = Input::new(Box::new(io::Cursor::new(bytes)))?;
        Self::of(vec![input], None, event)
    }

    fn of(mut inputs: Vec<Input>, format: Option<&str>, event: Event) -> Result<Self, OpenError> {
        for input in &mut inputs {
            while input.fill()? == More::Interrupted {}
        }
        let compression = inputs.first().and_then(Input::compression);
        let known = match format {
            Some(name) => {
                let format = FORMATS.iter().find(|one| one.name == name);
                vec![*format.ok_or(OpenError::NoFormat)?]
            }
            None => FORMATS.to_vec(),
        };
        // Processors that saw nothing leave empty files.
        inputs.retain(|input| !input.bytes().is_empty());
        let orders: Vec<_> = inputs.iter().map(|one| Order::of(one.bytes())).collect();
        let records = known
            .iter()
            .find(|one| matches!(one.reading, Reading::Records));
        if let (Some(format), true) = (records, orders.iter().any(Option::is_some)) {
            let whole: Option<Vec<_>> = inputs
                .into_iter()
                .zip(orders)
                .map(|(input, order)| order.map(|order| (input, order)))
                .collect();
            let merge = Merge::new(whole.ok_or(OpenError::NotTogether)?, event);
            return Ok(Self::new(
                format.name,
                compression,
                Source::Records(Box::new(merge)),
            ));
        }
        if inputs.len() > 1 {
            return Err(OpenError::NotTogether);
        }
        let input = inputs.pop().ok_or(OpenError::Empty)?;
        let (name, text) = find(&known, &input, event)?;
        let source = Source::Text {
            input: Box::new(input),
            text,
            skipping: false,
        };
        Ok(Self::new(name, compression, source))
    }

    fn new(format: &'static str, compression: Option<&'static str>, source: Source) -> Self {
        Self {
            format,
            compression,
            source,
            bad: Bad::default(),
        }
    }

    /// Adds the next requests: about as many as asked for, or those of one piece of the input.
    ///
    /// # Errors
    /// The input's.
    pub fn fill(&mut self, out: &mut Batch, limit: usize) -> io::Result<Filled> {
        let (input, text, skipping) = match &mut self.source {
            Source::Records(merge) => {
                return Ok(match merge.fill(out, &mut self.bad, limit)? {
                    Merged::Full => Filled::More,
                    Merged::Interrupted => Filled::Interrupted,
                    Merged::End => Filled::End,
                })
            }
            Source::Text {
                input,
                text,
                skipping,
            } => (input, text, skipping),
        };
        for _ in 0..PIECES {
            if out.len() >= limit {
                break;
            }
            if !piece(input, text.as_mut(), skipping, out, &mut self.bad) {
                return Ok(Filled::End);
            }
            if !input.ended() && input.fill()? == More::Interrupted {
                return Ok(Filled::Interrupted);
            }
        }
        Ok(Filled::More)
    }

    /// Name of the format.
    #[must_use]
    pub const fn format(&self) -> &'static str {
        self.format
    }

    /// "gzip", "zstd" or nothing.
    #[must_use]
    pub const fn compression(&self) -> Option<&'static str> {
        self.compression
    }

    /// Lines read; None of records.
    #[must_use]
    pub fn lines(&self) -> Option<u64> {
        match &self.source {
            Source::Text { text, .. } => Some(text.count()),
            Source::Records(_) => None,
        }
    }

    /// What was not read.
    #[must_use]
    pub const fn bad(&self) -> &Bad {
        &self.bad
    }

    /// Events that the kernel had no room for; None where the format does not tell.
    #[must_use]
    pub fn lost(&self) -> Option<u64> {
        match &self.source {
            Source::Text { .. } => None,
            Source::Records(merge) => Some(merge.lost),
        }
    }

    /// Names of the devices, by number.
    #[must_use]
    pub fn devices(&self) -> &[String] {
        match &self.source {
            Source::Text { text, .. } => text.devices().names(),
            Source::Records(merge) => merge.devices().names(),
        }
    }

    /// How often things occur that are no requests.
    #[must_use]
    pub fn others(&self) -> Vec<(String, u64)> {
        let mut others = match &self.source {
            Source::Text { text, .. } => text.others(),
            Source::Records(merge) => merge.others(),
        };
        others.retain(|(_, count)| *count > 0);
        others
    }

    /// What its user should know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let (notes, broken) = match &self.source {
            Source::Text { text, input, .. } => (text.notes(), input.broken()),
            Source::Records(merge) => (merge.notes(), merge.broken()),
        };
        let notes = notes.into_iter().map(str::to_owned);
        notes.chain(broken.map(str::to_owned)).collect()
    }
}

/// Reads the lines that are in the input as a whole; false where nothing is left.
fn piece(
    input: &mut Input,
    text: &mut dyn Text,
    skipping: &mut bool,
    out: &mut Batch,
    bad: &mut Bad,
) -> bool {
    let bytes = input.bytes();
    if *skipping {
        let end = memchr::memchr(b'\n', bytes);
        *skipping = end.is_none();
        let count = end.map_or(bytes.len(), |place| place + 1);
        input.take(count);
        return !(input.ended() && input.bytes().is_empty());
    }
    if let Some(last) = memchr::memrchr(b'\n', bytes) {
        text.lines(&bytes[..=last], out, bad);
        input.take(last + 1);
    } else if input.ended() {
        if !bytes.is_empty() {
            text.lost(bad, Problem::Truncated);
        }
        let rest = bytes.len();
        input.take(rest);
        return false;
    } else if input.is_full() {
        text.lost(bad, Problem::TooLong);
        *skipping = true;
        let rest = bytes.len();
        input.take(rest);
    }
    true
}

/// The format of which most lines of the beginning are understood, more than are not.
fn find(
    known: &[Format],
    input: &Input,
    event: Event,
) -> Result<(&'static str, Box<dyn Text>), OpenError> {
    let bytes = input.bytes();
    let head = &bytes[..bytes.len().min(HEAD)];
    let head = &head[..memchr::memrchr(b'\n', head).map_or(0, |place| place + 1)];
    let mut best = None;
    let mut refusal = None;
    for format in known {
        let Reading::Text(open) = format.reading else {
            continue;
        };
        match open(head, event) {
            Ok(Some(mut text)) => {
                let (mut out, mut bad) = (Batch::default(), Bad::default());
                text.lines(head, &mut out, &mut bad);
                let others: u64 = text.others().iter().map(|(_, count)| count).sum();
                let good = out.len() as u64 + others;
                // A format that was asked for is taken as long as anything fits.
                let sound = known.len() == 1 || good > bad.count;
                if good > 0 && sound && best.as_ref().map_or(true, |&(_, most)| good > most) {
                    best = Some((format, good));
                }
            }
            Ok(None) => {}
            Err(error) => refusal = Some(error),
        }
    }
    if let Some((format, _)) = best {
        if let Reading::Text(open) = format.reading {
            if let Some(text) = open(head, event)? {
                return Ok((format.name, text));
            }
        }
    }
    Err(refusal.unwrap_or_else(|| OpenError::Unknown {
        first: String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned(),
    }))
}
