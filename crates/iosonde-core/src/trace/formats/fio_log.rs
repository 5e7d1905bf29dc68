//! fio's logs of single I/Os (`--write_lat_log` and the like with `log_offset=1`).
//!
//! Their columns are found and checked by the reader of logs, `crate::fio_log`. Times are those at
//! which the I/Os were done, in milliseconds.

use super::{Format, Reading};
use crate::fio_log::{read_plainly, Columns, Sample, Variant};
use crate::trace::batch::{Batch, Devices, Op};
use crate::trace::lines::{Line, Lines};
use crate::trace::problem::{OpenError, Problem};

pub const FORMAT: Format = Format {
    name: "fio-log",
    about: "fio's logs of single I/Os with their places (log_offset=1)",
    reading: Reading::Text(|head, _| match Variant::detect(head) {
        Ok(Variant::Log(columns)) if columns.have_places() => {
            Ok(Some(Lines::boxed(FioLog::new(columns))))
        }
        Ok(Variant::Log(columns)) if columns.count() > 2 && written_by_fio(head) => {
            Err(OpenError::NoPlaces {
                columns: columns.names().collect::<Vec<_>>().join(","),
            })
        }
        _ => Ok(None),
    }),
};

/// fio writes a blank after each comma, which no other format does.
fn written_by_fio(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    line.windows(2).any(|pair| pair == b", ")
}

/// Nanoseconds of a millisecond.
const TICK: u64 = 1_000_000;
const TRIM: usize = 2;

struct FioLog {
    columns: Columns,
    devices: Devices,
    windows: u64,
}

impl FioLog {
    fn new(columns: Columns) -> Self {
        Self {
            columns,
            devices: Devices::default(),
            windows: 0,
        }
    }
}

impl Line for FioLog {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let sample = match quickly(self.columns, line) {
            Some(sample) => sample,
            None => read_plainly(self.columns, line).map_err(Problem::Fio)?,
        };
        if sample.size == 0 {
            self.windows += 1; // an average over log_avg_msec
            return Ok(());
        }
        let op = match sample.direction {
            0 => Op::Read,
            TRIM => Op::Discard,
            _ => Op::Write,
        };
        let time = sample.time.checked_mul(TICK).ok_or(Problem::TooLarge {
            column: 1,
            name: "time",
        })?;
        let device = self.devices.number(b"")?;
        out.push(time, op, device, sample.offset, sample.size)
    }

    fn devices(&self) -> &Devices {
        &self.devices
    }

    fn others(&self) -> Vec<(String, u64)> {
        vec![("averages over a window".to_owned(), self.windows)]
    }

    fn notes(&self) -> Vec<&'static str> {
        vec!["the times are milliseconds at which the I/Os were done"]
    }
}

/// A line as fio writes it: numbers of up to 18 digits, ", " between them; None for any other.
#[inline]
fn quickly(columns: Columns, line: &[u8]) -> Option<Sample> {
    let mut numbers = [0_u64; 8];
    let (mut count, mut at) = (0, 0);
    loop {
        let begin = at;
        let mut number = 0_u64;
        while let Some(digit) = line.get(at).map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let padded = at - begin > 1 && line[begin] == b'0';
        if at == begin || at - begin > 18 || padded || count == numbers.len() {
            return None;
        }
        numbers[count] = number;
        count += 1;
        if at == line.len() {
            break;
        }
        if line.get(at..at + 2) != Some(b", ") {
            return None;
        }
        at += 2;
    }
    columns.sample(&numbers[..count])
}

#[cfg(test)]
mod tests {
    use super::quickly;
    use crate::fio_log::{read_plainly, Variant};

    #[test]
    fn the_quick_reading_agrees_with_the_plain_one() {
        let lines: [&[u8]; 9] = [
            b"0, 10267, 1, 512, 505856, 0",
            b"12, 4706, 0, 4096, 7072768, 1",
            b"12, 4706, 2, 4096, 7072768, 0",
            b"12, 4706, 3, 4096, 7072768, 0",
            b"12, 4706, 0, 4096, 7072768, 7",
            b"12, 4706, 0, 4096, 7072768",
            b"12,4706,0,4096,7072768,0",
            b"12, 4706, 01, 4096, 7072768, 0",
            b"1, 99999999999999999999, 0, 4096, 7072768, 0",
        ];
        let Some(Variant::Log(columns)) = Variant::parse("time,value,ddir,bs,offset,prio") else {
            panic!("fio has these columns");
        };
        for line in lines {
            let plain = read_plainly(columns, line);
            if let Some(quick) = quickly(columns, line) {
                let plain = plain.unwrap();
                assert_eq!(
                    (quick.time, quick.direction, quick.size, quick.offset),
                    (plain.time, plain.direction, plain.size, plain.offset)
                );
            }
        }
        assert!(quickly(columns, lines[0]).is_some());
    }
}
