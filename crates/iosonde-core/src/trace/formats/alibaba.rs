//! The block traces of Alibaba Cloud, January 2020.
//!
//! `device_id,opcode,offset,length,timestamp` (`io_traces.csv`): opcode R or W, offset and length in
//! bytes, times in microseconds since 1970 of when the server got the I/O.
//!
//! Source: <https://github.com/alibaba/block-traces>, README.md, "Schema"; J. Li et al., IISWC '20.

use super::{Format, Reading};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::Cursor;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "alibaba",
    about: "Alibaba block traces CSV: device_id,opcode,offset,length,timestamp",
    reading: Reading::Text(|_, _| Ok(Some(Lines::boxed(Alibaba::default())))),
};

#[derive(Default)]
struct Alibaba {
    devices: Devices,
}

impl Line for Alibaba {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let mut columns = Cursor::new(line, b',', 5);
        if line.starts_with(b"device_id,") {
            return Ok(());
        }
        let disk = columns.word()?;
        if disk.is_empty() || !disk.iter().all(u8::is_ascii_digit) {
            return Err(Problem::NotANumber {
                column: 1,
                name: "device_id",
            });
        }
        let op = match columns.word()? {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => {
                return Err(Problem::Word {
                    column: 2,
                    name: "opcode",
                    expected: "R or W",
                })
            }
        };
        let offset = columns.number("offset")?;
        let length = columns.number("length")?;
        let time = columns.scaled("timestamp", 1000)?;
        columns.end()?;
        out.push(time, op, self.devices.number(disk)?, offset, length)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }
}
