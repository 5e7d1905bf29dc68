//! The block traces of Tencent Cloud, October 2018.
//!
//! `Timestamp,Offset,Size,IOType,VolumeID`: times in seconds since 1970, offset and size in sectors of
//! 512 bytes, type 0 for a read and 1 for a write.
//!
//! Source: SNIA IOTTA trace 27917, README.txt, section 3; Y. Zhang et al., USENIX ATC '20 (OSCA).

use super::{Format, Reading};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::Cursor;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "tencent",
    about: "Tencent block traces CSV: Timestamp,Offset,Size,IOType,VolumeID",
    reading: Reading::Text(|_, _| Ok(Some(Lines::boxed(Tencent::default())))),
};

const SECTOR: u64 = 512;
const SECOND: u64 = 1_000_000_000;

#[derive(Default)]
struct Tencent {
    devices: Devices,
}

impl Line for Tencent {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let mut columns = Cursor::new(line, b',', 5);
        if line.starts_with(b"Timestamp,") {
            return Ok(());
        }
        let time = columns.scaled("Timestamp", SECOND)?;
        let offset = columns.scaled("Offset", SECTOR)?;
        let length = columns.scaled("Size", SECTOR)?;
        let op = match columns.word()? {
            b"0" => Op::Read,
            b"1" => Op::Write,
            _ => {
                return Err(Problem::Word {
                    column: 4,
                    name: "IOType",
                    expected: "0 or 1",
                })
            }
        };
        let volume = columns.word()?;
        if volume.is_empty() || !volume.iter().all(u8::is_ascii_digit) {
            return Err(Problem::NotANumber {
                column: 5,
                name: "VolumeID",
            });
        }
        columns.end()?;
        out.push(time, op, self.devices.number(volume)?, offset, length)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn notes(&self) -> Vec<&'static str> {
        vec!["the times are whole seconds: what happens within one is not known"]
    }
}
