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
    places: Places,
    devices: Devices,
    device: Option<u32>,
    windows: u64,
}

impl FioLog {
    fn new(columns: Columns) -> Self {
        Self {
            columns,
            places: Places::of(columns),
            devices: Devices::default(),
            device: None,
            windows: 0,
        }
    }
}

impl Line for FioLog {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Batch) -> Result<(), Problem> {
        let sample = match quickly(&self.places, line) {
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
        let device = match self.device {
            Some(device) => device,
            None => *self.device.insert(self.devices.number(b"")?),
        };
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

/// Where the columns of a line are; those it has not lie at `NOWHERE`, which holds 0.
#[derive(Clone, Copy, Debug)]
struct Places {
    count: usize,
    direction: usize,
    size: usize,
    offset: usize,
    priority: usize,
}

/// Columns that a line may have, and one more that none has.
const SLOTS: usize = 16;
const NOWHERE: usize = SLOTS - 1;

impl Places {
    fn of(columns: Columns) -> Self {
        let [direction, size, offset, priority] =
            columns.places().map(|place| place.unwrap_or(NOWHERE));
        Self {
            count: columns.count(),
            direction,
            size,
            offset,
            priority,
        }
    }
}

/// A line as fio writes it: numbers of up to 18 digits, ", " between them; None for any other.
#[inline]
fn quickly(places: &Places, line: &[u8]) -> Option<Sample> {
    let mut numbers = [0_u64; SLOTS];
    let (mut count, mut at) = (0, 0);
    loop {
        let begin = at;
        let mut number = 0_u64;
        while at < line.len() {
            let digit = line[at].wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let digits = at - begin;
        if digits == 0 || digits > 18 || count == places.count {
            return None;
        }
        if digits > 1 && line[begin] == b'0' {
            return None;
        }
        numbers[count & (SLOTS - 1)] = number;
        count += 1;
        if at == line.len() {
            break;
        }
        if line.len() - at < 2 || line[at] != b',' || line[at + 1] != b' ' {
            return None;
        }
        at += 2;
    }
    let of = |place: usize| numbers[place & (SLOTS - 1)];
    let direction = of(places.direction);
    if count != places.count || direction > 2 || of(places.priority) > 1 {
        return None;
    }
    Some(Sample {
        time: numbers[0],
        value: numbers[1],
        direction: usize::try_from(direction).ok()?,
        size: of(places.size),
        offset: of(places.offset),
        ..Sample::default()
    })
}

#[cfg(test)]
mod tests {
    use super::{quickly, Places};
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
            if let Some(quick) = quickly(&Places::of(columns), line) {
                let plain = plain.unwrap();
                assert_eq!(
                    (quick.time, quick.direction, quick.size, quick.offset),
                    (plain.time, plain.direction, plain.size, plain.offset)
                );
            }
        }
        assert!(quickly(&Places::of(columns), lines[0]).is_some());
    }
}
