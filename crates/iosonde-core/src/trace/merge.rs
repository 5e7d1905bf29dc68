//! Files of blktrace as one trace: the records of all processors by their time.

use super::batch::{Batch, Devices, Op};
use super::formats::blkparse::note;
use super::formats::blktrace::{Order, Record, RECORD};
use super::formats::Event;
use super::hash::Map;
use super::input::{Input, More};
use super::problem::{Bad, Problem};
use std::io;

/// One file: its input and its next record.
struct Source {
    input: Input,
    order: Order,
    next: Option<Record>,
}

/// Several files at once.
pub struct Merge {
    sources: Vec<Source>,
    event: u8,
    devices: Devices,
    /// Numbers of `devices` by the kernel's.
    numbers: Map<u32, u32>,
    /// Last sequence number of each device and processor.
    sequences: Map<(u32, u32), u32>,
    /// Events that the kernel had no room for, by the gaps in the sequence.
    pub lost: u64,
    actions: [u64; 256],
    others: u64,
    notes: u64,
}

/// What is looked at to find which events there are.
const HEAD: usize = 256 * 1024;
/// Devices times processors whose sequence numbers are followed.
const SEQUENCES: usize = 1 << 20;
/// Records after which the caller is asked whether to go on, also where none is a request.
const MOST: usize = 1 << 20;

impl Merge {
    /// Args: inputs that all begin with a record and have been filled once.
    pub fn new(inputs: Vec<(Input, Order)>, event: Event) -> Self {
        let mut seen = [false; 256];
        for (input, order) in &inputs {
            let mut at = 0;
            let head = &input.bytes()[..input.bytes().len().min(HEAD)];
            while let Some(record) = head.get(at..).and_then(|rest| Record::read(rest, *order)) {
                if !record.is_note() {
                    seen[usize::from(record.letter())] = true;
                }
                at += record.size;
            }
        }
        let sources = inputs.into_iter().map(|(input, order)| Source {
            input,
            order,
            next: None,
        });
        Self {
            sources: sources.collect(),
            event: event.or_seen(|letter| seen[usize::from(letter)]),
            devices: Devices::default(),
            numbers: Map::default(),
            sequences: Map::default(),
            lost: 0,
            actions: [0; 256],
            others: 0,
            notes: 0,
        }
    }

    /// Adds requests until there are so many, or the end; false at the end.
    ///
    /// # Errors
    /// The inputs'.
    pub fn fill(&mut self, out: &mut Batch, bad: &mut Bad, limit: usize) -> io::Result<Merged> {
        for _ in 0..MOST {
            for source in &mut self.sources {
                if source.next.is_none() && source.advance(bad)? == More::Interrupted {
                    return Ok(Merged::Interrupted);
                }
            }
            let waiting = self.sources.iter().enumerate();
            let first = waiting
                .filter_map(|(place, source)| source.next.map(|record| (record.time, place)))
                .min();
            let Some((_, place)) = first else {
                return Ok(Merged::End);
            };
            if let Some(record) = self.sources[place].next.take() {
                self.take(&record, out, bad, place);
            }
            if out.len() >= limit {
                break;
            }
        }
        Ok(Merged::Full)
    }

    fn take(&mut self, record: &Record, out: &mut Batch, bad: &mut Bad, place: usize) {
        if record.is_note() {
            self.notes += 1;
            return;
        }
        let key = (record.device, record.cpu);
        if self.sequences.len() >= SEQUENCES && !self.sequences.contains_key(&key) {
            // No machine has so many; the figures of a forged trace need not be right.
        } else if let Some(last) = self.sequences.insert(key, record.sequence) {
            let missing = record.sequence.wrapping_sub(last).wrapping_sub(1);
            // A number that goes back is no loss: a file of several traces.
            if missing < 1 << 31 {
                self.lost += u64::from(missing);
            }
        }
        if record.letter() != self.event {
            self.actions[usize::from(record.letter())] += 1;
            return;
        }
        if let Err(problem) = self.push(record, out) {
            let at = self.sources[place].input.place() - record.size as u64;
            bad.note(at, problem);
        }
    }

    fn push(&mut self, record: &Record, out: &mut Batch) -> Result<(), Problem> {
        let device = if let Some(&number) = self.numbers.get(&record.device) {
            number
        } else {
            let number = self.devices.number(record.device_name().as_bytes())?;
            self.numbers.insert(record.device, number);
            number
        };
        let (flush, op) = record.operation();
        if flush {
            out.push(record.time, Op::Flush, device, 0, 0)?;
        }
        let Some(op) = op else {
            self.others += u64::from(!flush);
            return Ok(());
        };
        let offset = record.offset().ok_or(Problem::BehindTheEnd)?;
        out.push(record.time, op, device, offset, u64::from(record.bytes))
    }

    /// The devices seen.
    pub const fn devices(&self) -> &Devices {
        &self.devices
    }

    /// How often things occur that are no requests.
    pub fn others(&self) -> Vec<(String, u64)> {
        let actions = (0_u8..=255).zip(self.actions);
        let mut others: Vec<_> = actions
            .map(|(action, count)| (format!("{} events", char::from(action)), count))
            .collect();
        others.push(("without data".to_owned(), self.others));
        others.push(("notes".to_owned(), self.notes));
        others
    }

    /// What its user should know.
    pub fn notes(&self) -> Vec<&'static str> {
        note(self.event)
    }

    /// What is wrong with the compression of an input.
    pub fn broken(&self) -> Option<&str> {
        self.sources.iter().find_map(|source| source.input.broken())
    }
}

/// What a filling brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// As many requests as were asked for.
    Full,
    /// A signal came before.
    Interrupted,
    /// The end of all inputs.
    End,
}

impl Source {
    /// Finds the next record, if there is one. Bytes that are none are one gap.
    fn advance(&mut self, bad: &mut Bad) -> io::Result<More> {
        let mut gap = None;
        loop {
            let bytes = self.input.bytes();
            let found = Record::read(bytes, self.order);
            match found {
                Some(record) if record.size <= bytes.len() => {
                    self.input.take(record.size);
                    self.next = Some(record);
                    break;
                }
                None if bytes.len() >= RECORD => {
                    gap.get_or_insert(self.input.place());
                    let magic = self.order.magic();
                    let next = memchr::memmem::find(&bytes[1..], &magic);
                    let skipped = next.map_or(bytes.len() - 3, |place| place + 1);
                    self.input.take(skipped);
                }
                // The record is not in the bytes as a whole.
                _ if self.input.ended() => {
                    if !bytes.is_empty() {
                        let place = self.input.place();
                        let rest = bytes.len();
                        bad.note(place, Problem::Truncated);
                        self.input.take(rest);
                    }
                    break;
                }
                _ => {
                    if self.input.fill()? == More::Interrupted {
                        return Ok(More::Interrupted);
                    }
                }
            }
        }
        if let Some(place) = gap {
            bad.note(place, Problem::NoRecord);
        }
        Ok(More::Full)
    }
}
