//! The traces of SYSTOR '17: virtual desktops on a storage array.
//!
//! `Timestamp,Response,IOType,LUN,Offset,Size`: seconds since 1970 with nine decimals, of which six
//! are right, of when an I/O was issued; offset and size in bytes; type R or W, or nothing where no
//! response was seen. The times are read as they are written.
//!
//! Source: SNIA IOTTA trace 4964 (<http://iotta.snia.org/traces/block-io/4964>), README.txt, section 3;
//! C. Lee et al., SYSTOR '17.

use super::{Format, Reading};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::Cursor;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "systor",
    about: "SNIA Systor '17 CSV: Timestamp,Response,IOType,LUN,Offset,Size",
    reading: Reading::Text(|_, _| Ok(Some(Lines::boxed(Systor::default())))),
};

#[derive(Default)]
struct Systor {
    devices: Devices,
    untyped: u64,
}

impl Line for Systor {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let mut columns = Cursor::new(line, b',', 6);
        if line.starts_with(b"Timestamp,") {
            return Ok(());
        }
        let time = columns.seconds("Timestamp")?;
        columns.word()?; // Response is empty where it was not caught
        let op = match columns.word()? {
            b"R" => Some(Op::Read),
            b"W" => Some(Op::Write),
            b"" => None,
            _ => {
                return Err(Problem::Word {
                    column: 3,
                    name: "IOType",
                    expected: "R, W or nothing",
                })
            }
        };
        let lun = columns.word()?;
        let Some(op) = op else {
            self.untyped += 1;
            return Ok(());
        };
        let offset = columns.number("Offset")?;
        let size = columns.number("Size")?;
        columns.end()?;
        out.push(time, op, self.devices.number(lun)?, offset, size)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn others(&self) -> Vec<(String, u64)> {
        vec![("without a type".to_owned(), self.untyped)]
    }
}
