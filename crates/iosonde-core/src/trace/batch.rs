//! Requests in columns, and the names of the devices they went to.

use super::hash::Map;
use super::problem::Problem;

/// What a request does. The numbers of the first three are those of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    Read = 0,
    Write = 1,
    Flush = 2,
    Discard = 3,
}

/// Names of the operations, by their number.
pub const OPS: [&str; 4] = ["read", "write", "flush", "discard"];

/// No request ends behind this byte (64 PiB).
pub const END: u64 = 1 << 56;
/// No read or write is longer (4 GiB): struct `blk_io_trace` has 32 bits for it.
pub const LONGEST: u64 = 1 << 32;
/// No trace has more devices.
pub const DEVICES: usize = 1 << 20;
/// Bytes of the longest name: Linux' longest path.
pub const NAME: usize = 4096;
/// Bytes of all names together.
pub const NAMES: usize = 64 << 20;

/// Some requests in the order of the trace; all columns are equally long.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Nanoseconds on the trace's clock.
    pub times: Vec<u64>,
    /// Numbers of `Op`.
    pub ops: Vec<u8>,
    /// Numbers of `Devices`.
    pub devices: Vec<u32>,
    /// Bytes.
    pub offsets: Vec<u64>,
    /// Bytes.
    pub lengths: Vec<u64>,
}

impl Batch {
    /// How many requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Forgets the requests, not the room for them.
    pub fn clear(&mut self) {
        self.times.clear();
        self.ops.clear();
        self.devices.clear();
        self.offsets.clear();
        self.lengths.clear();
    }

    /// Adds a request.
    ///
    /// # Errors
    /// It is longer or lies further behind than any device goes.
    #[inline]
    pub fn push(
        &mut self,
        time: u64,
        op: Op,
        device: u32,
        offset: u64,
        length: u64,
    ) -> Result<(), Problem> {
        let data = matches!(op, Op::Read | Op::Write);
        if offset > END || length > END - offset || (data && length > LONGEST) {
            return Err(Problem::BehindTheEnd);
        }
        self.times.push(time);
        self.ops.push(op as u8);
        self.devices.push(device);
        self.offsets.push(offset);
        self.lengths.push(length);
        Ok(())
    }
}

/// Numbers for the names of devices, in the order of their first requests.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    names: Vec<String>,
    numbers: Map<Box<[u8]>, u32>,
    last: (Vec<u8>, u32),
    /// Bytes of all names.
    room: usize,
}

impl Devices {
    /// The number of a device.
    ///
    /// # Errors
    /// There are too many devices: the column holds something else.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> Result<u32, Problem> {
        // Comparing nothing with nothing is slow: the processor looks at the address that is none.
        if !name.is_empty() && self.last.0 == name {
            return Ok(self.last.1);
        }
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => self.add(name)?,
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(name);
        self.last.1 = number;
        Ok(number)
    }

    #[cold]
    fn add(&mut self, name: &[u8]) -> Result<u32, Problem> {
        if name.len() > NAME {
            return Err(Problem::LongName);
        }
        if self.names.len() >= DEVICES || self.room + name.len() > NAMES {
            return Err(Problem::TooManyDevices);
        }
        self.room += name.len();
        let number = u32::try_from(self.names.len()).map_err(|_| Problem::TooManyDevices)?;
        self.numbers.insert(name.into(), number);
        self.names.push(String::from_utf8_lossy(name).into_owned());
        Ok(number)
    }

    /// All names, by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::{Devices, Problem, NAME, NAMES};

    #[test]
    fn names_of_devices_are_bounded_each_and_together() {
        let mut devices = Devices::default();
        assert_eq!(devices.number(b"sda"), Ok(0));
        assert_eq!(devices.number(&[b'x'; NAME]), Ok(1));
        assert_eq!(devices.number(&[b'x'; NAME + 1]), Err(Problem::LongName));
        let mut refused = false;
        for number in 0..=NAMES / NAME {
            let name = format!("{number:>NAME$}");
            refused = devices.number(name.as_bytes()) == Err(Problem::TooManyDevices);
        }
        assert!(refused);
        assert_eq!(devices.number(b"sda"), Ok(0));
    }
}
