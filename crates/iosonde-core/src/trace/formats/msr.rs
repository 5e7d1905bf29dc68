//! The traces of Microsoft Research Cambridge, one week of 36 volumes.
//!
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`: times in Windows filetime (100 ns
//! since 1601), offset and size in bytes. Copies whose times begin at 0 are read as they are.
//!
//! Source: SNIA IOTTA trace 388, README.txt, section 3; D. Narayanan, A. Donnelly, A. Rowstron, FAST '08.

use super::{Format, Reading};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::Cursor;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "msr",
    about: "MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    reading: Reading::Text(|_, _| Ok(Some(Lines::boxed(Msr::default())))),
};

/// 1970 in filetime.
const EPOCH: u64 = 116_444_736_000_000_000;
/// Nanoseconds of a tick.
const TICK: u64 = 100;

#[derive(Default)]
struct Msr {
    devices: Devices,
    /// The first line's time decides from when all are counted.
    epoch: Option<u64>,
}

impl Line for Msr {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let mut columns = Cursor::new(line, b',', 7);
        if self.epoch.is_none() && line.starts_with(b"Timestamp,") {
            return Ok(());
        }
        let ticks = columns.number("Timestamp")?;
        let disk = columns.two_words()?;
        let op = match columns.word()? {
            b"Read" => Op::Read,
            b"Write" => Op::Write,
            _ => {
                return Err(Problem::Word {
                    column: 4,
                    name: "Type",
                    expected: "Read or Write",
                })
            }
        };
        let offset = columns.number("Offset")?;
        let size = columns.number("Size")?;
        columns.number("ResponseTime")?;
        columns.end()?;
        let guess = if ticks >= EPOCH { EPOCH } else { 0 };
        let epoch = *self.epoch.get_or_insert(guess);
        let time = ticks
            .checked_sub(epoch)
            .and_then(|since| since.checked_mul(TICK))
            .ok_or(Problem::Word {
                column: 1,
                name: "Timestamp",
                expected: "a time after 1970",
            })?;
        let device = self.devices.number(disk)?;
        out.push(time, op, device, offset, size)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }
}
