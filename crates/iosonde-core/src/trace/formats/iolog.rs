//! fio's traces of `--write_iolog`, versions 2 and 3.
//!
//! `[time] file action [offset length]`, separated by blanks; bytes. Version 3 has times in
//! microseconds; in version 2 `wait` tells how many microseconds pass before the next line.
//!
//! Source: fio 3.33, iolog.c, `read_iolog()`, `log_io_u()`; HOWTO, "Trace file format".

use super::{Format, Reading};
use crate::fio_log::Problem as FioProblem;
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::cursor::Cursor;
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::Problem;

pub const FORMAT: Format = Format {
    name: "iolog",
    about: "fio's --write_iolog, versions 2 and 3",
    reading: Reading::Text(|head, _| {
        let version = head.strip_prefix(b"fio version ");
        Ok(match version.and_then(|rest| rest.first()) {
            Some(b'2') => Some(Lines::boxed(Iolog::new(false))),
            Some(b'3') => Some(Lines::boxed(Iolog::new(true))),
            _ => None,
        })
    }),
};

/// Nanoseconds of a microsecond.
const TICK: u64 = 1000;

struct Iolog {
    timed: bool,
    begun: bool,
    waited: u64,
    devices: Devices,
    files: u64,
}

impl Iolog {
    fn new(timed: bool) -> Self {
        Self {
            timed,
            begun: false,
            waited: 0,
            devices: Devices::default(),
            files: 0,
        }
    }
}

impl Line for Iolog {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        if !self.begun {
            self.begun = true;
            return Ok(()); // "fio version 3 iolog"
        }
        let expected = if self.timed { 5 } else { 4 };
        let mut words = Cursor::new(line, b' ', expected);
        let time = if self.timed {
            words.scaled("time", TICK)?
        } else {
            self.waited
        };
        let file = words.word()?;
        let action = words.word()?;
        let op = match action {
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"sync" | b"datasync" => Op::Flush,
            b"trim" => Op::Discard,
            b"add" | b"open" | b"close" => {
                self.files += 1;
                return words.end();
            }
            b"wait" if !self.timed => {
                let waited = words.scaled("offset", TICK)?;
                self.waited = self.waited.saturating_add(waited);
                return Ok(());
            }
            _ => return Err(Problem::Fio(FioProblem::Action)),
        };
        if op == Op::Flush && words.end().is_ok() {
            return out.push(time, op, self.devices.number(file)?, 0, 0);
        }
        let offset = words.number("offset")?;
        let length = words.number("length")?;
        words.end()?;
        let device = self.devices.number(file)?;
        if op == Op::Flush {
            return out.push(time, op, device, 0, 0);
        }
        out.push(time, op, device, offset, length)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn others(&self) -> Vec<(String, u64)> {
        vec![("add, open, close".to_owned(), self.files)]
    }

    fn notes(&self) -> Vec<&'static str> {
        if !self.timed && self.waited == 0 {
            return vec!["the trace has no times (fio's version 2 without `wait`)"];
        }
        Vec::new()
    }
}
