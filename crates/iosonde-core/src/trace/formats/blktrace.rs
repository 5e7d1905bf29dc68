//! The records of blktrace, as it writes them for each processor and as `blkparse -d` merges them.
//!
//! Each is a struct `blk_io_trace` of 48 bytes in the byte order of the machine that wrote it, then
//! `pdu_len` bytes. Sectors have 512 bytes, times are nanoseconds.
//!
//! Source: Linux 6.1, `include/uapi/linux/blktrace_api.h`; kernel/trace/blktrace.c,
//! `__blk_add_trace()` (sequence numbers count the events of a processor), `trace_note()` (notes have
//! none).

use super::{Format, Reading};
use crate::trace::batch::Op;

pub const FORMAT: Format = Format {
    name: "blktrace",
    about: "the binary files of blktrace, one of each processor, in either byte order",
    reading: Reading::Records,
};

/// Bytes of a record without its payload.
pub const RECORD: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const SECTOR: u64 = 512;
const MINOR_BITS: u32 = 20;
const MINOR: u32 = (1 << MINOR_BITS) - 1;

const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const PASSTHROUGH: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
/// The flag of an event that has its control group in the payload.
const CGROUP: u32 = 1 << 8;

/// Letters of the actions from 1 on, as blkparse shows them.
const LETTERS: &[u8; 17] = b"QMFGSRDCPUTIXBAN?";

/// The byte order of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    /// Found in the first bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let magic = (MAGIC | VERSION).to_le_bytes();
        match bytes.get(..4)? {
            found if found == magic => Some(Self::Little),
            found if found.iter().eq(magic.iter().rev()) => Some(Self::Big),
            _ => None,
        }
    }

    /// The bytes a record begins with.
    pub const fn magic(self) -> [u8; 4] {
        match self {
            Self::Little => (MAGIC | VERSION).to_le_bytes(),
            Self::Big => (MAGIC | VERSION).to_be_bytes(),
        }
    }
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub sequence: u32,
    pub time: u64,
    pub sector: u64,
    pub bytes: u32,
    category: u32,
    action: u32,
    pub device: u32,
    pub cpu: u32,
    /// Of the record with its payload.
    pub size: usize,
}

impl Record {
    /// The record at the beginning of the bytes, if one begins there.
    #[inline]
    pub fn read(bytes: &[u8], order: Order) -> Option<Self> {
        let raw: &[u8; RECORD] = bytes.get(..RECORD)?.try_into().ok()?;
        if raw[..4] != order.magic() {
            return None;
        }
        let four = |at: usize| {
            let field = [raw[at], raw[at + 1], raw[at + 2], raw[at + 3]];
            match order {
                Order::Little => u32::from_le_bytes(field),
                Order::Big => u32::from_be_bytes(field),
            }
        };
        let eight = |at: usize| {
            let (first, second) = (u64::from(four(at)), u64::from(four(at + 4)));
            match order {
                Order::Little => first | second << 32,
                Order::Big => first << 32 | second,
            }
        };
        let payload = match order {
            Order::Little => u16::from_le_bytes([raw[46], raw[47]]),
            Order::Big => u16::from_be_bytes([raw[46], raw[47]]),
        };
        let action = four(28);
        Some(Self {
            sequence: four(4),
            time: eight(8),
            sector: eight(16),
            bytes: four(24),
            category: action >> 16,
            action: action & 0xffff & !CGROUP,
            device: four(36),
            cpu: four(40),
            size: RECORD + usize::from(payload),
        })
    }

    /// Whether it is a note of blktrace, no event.
    pub const fn is_note(&self) -> bool {
        self.category & NOTIFY != 0
    }

    /// The letter of its action.
    pub fn letter(&self) -> u8 {
        let place = (self.action as usize).wrapping_sub(1);
        *LETTERS.get(place).unwrap_or(&b'?')
    }

    /// Whether it flushes first, and its operation; neither of a command that is passed through.
    pub const fn operation(&self) -> (bool, Option<Op>) {
        if self.category & PASSTHROUGH != 0 {
            return (false, None);
        }
        let flush = self.category & FLUSH != 0;
        let op = if self.bytes == 0 {
            None
        } else if self.category & DISCARD != 0 {
            Some(Op::Discard)
        } else if self.category & WRITE != 0 {
            Some(Op::Write)
        } else {
            Some(Op::Read)
        };
        (flush, op)
    }

    /// Bytes from the device's beginning.
    pub const fn offset(&self) -> Option<u64> {
        self.sector.checked_mul(SECTOR)
    }

    /// "major,minor", as blkparse shows it.
    pub fn device_name(&self) -> String {
        format!("{},{}", self.device >> MINOR_BITS, self.device & MINOR)
    }
}
