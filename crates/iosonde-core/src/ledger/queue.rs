//! What the block layer does before a device: it splits what is too large and merges neighbours.
//!
//! Source: Linux 6.1, block/blk-mq.c (`blk_add_rq_to_plug()`), blk-merge.c
//! (`blk_attempt_plug_merge()`, `get_max_io_size()`), block/fops.c: direct writes are plugged
//! (`blkdev_write_iter()`), reads only where they are larger than one bio
//! (`blkdev_direct_IO()`). Without a plug each I/O goes out at once and finds nothing to merge
//! with: this is the case of one request at a time.

use super::io::{Io, PAGE};

/// Direct reads of more than 256 pages are plugged (include/linux/bio.h, `BIO_MAX_VECS`).
pub const LARGE_READ: u64 = 1 << 20;
/// A plug is emptied before it gets another request behind one as large as this
/// (block/blk-mq.h, `BLK_PLUG_FLUSH_SIZE`),
const LARGE: u64 = 128 << 10;
/// … or behind so many (`BLK_MAX_REQUEST_COUNT`); twice as many where they go to several devices.
const MANY: usize = 32;

/// What a device takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes (`max_sectors_kb`).
    pub most: u64,
    /// Pieces of memory in one request (`max_segments`); 0: any number.
    pub segments: u64,
    /// No I/O crosses a multiple of this (`chunk_sectors`); 0: none.
    pub boundary: u64,
    /// Requests, which merge; else bios, which are only split.
    pub merges: bool,
}

impl Limits {
    /// Bytes of the first piece of an I/O.
    #[must_use]
    #[inline]
    pub const fn first(&self, io: &Io) -> u64 {
        let mut most = self.most;
        if !self.holds(io) && self.segments * PAGE < most {
            most = self.segments * PAGE;
        }
        if self.boundary > 0 {
            let room = self.boundary - io.offset % self.boundary;
            if room < most {
                most = room;
            }
        }
        if io.length < most {
            io.length
        } else {
            most
        }
    }

    /// Whether nothing has to be split.
    #[must_use]
    #[inline]
    pub const fn take(&self, io: &Io) -> bool {
        self.holds(io) && self.takes(io.offset, io.length)
    }

    /// Whether one request has enough pieces of memory for it.
    #[inline]
    const fn holds(&self, io: &Io) -> bool {
        self.segments == 0 || !io.scattered || io.length <= self.segments * PAGE
    }

    /// See `take`.
    #[must_use]
    #[inline]
    pub const fn takes(&self, offset: u64, length: u64) -> bool {
        length <= self.most
            && (self.boundary == 0 || offset % self.boundary + length <= self.boundary)
    }

    /// The request that a waiting one and a new I/O make together.
    #[must_use]
    #[inline]
    fn joined(&self, waiting: &Io, io: &Io) -> Option<Io> {
        let offset = if waiting.end() == io.offset {
            waiting.offset
        } else if io.end() == waiting.offset {
            io.offset
        } else {
            return None;
        };
        let both = Io {
            offset,
            length: waiting.length + io.length,
            ..*waiting
        };
        let scattered = io.scattered || waiting.scattered;
        (waiting.op == io.op && self.take(&Io { scattered, ..both })).then_some(both)
    }
}

/// Where an I/O went that was added to a plug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// To the request at this place among those that wait, which may be a new one.
    To(usize),
    /// Nowhere: what waits must go out first.
    Full,
}

/// Requests that wait until a thread has submitted all that belongs together.
#[derive(Clone, Debug, Default)]
pub struct Plug {
    /// Whether the thread plugs at all.
    pub on: bool,
    waiting: Vec<(u32, Io)>,
    several: bool,
}

impl Plug {
    /// Adds an I/O to a device: to the last request that waits for it, or as a new one.
    pub fn add(&mut self, device: u32, limits: &Limits, io: Io) -> Added {
        for (place, (other, waiting)) in self.waiting.iter_mut().enumerate().rev() {
            if *other == device {
                if let Some(both) = limits.joined(waiting, &io) {
                    *waiting = both;
                    return Added::To(place);
                }
                break;
            }
            if !self.several {
                break;
            }
        }
        if let Some(&(last, ref newest)) = self.waiting.last() {
            let many = if self.several { 2 * MANY } else { MANY };
            if self.waiting.len() >= many || newest.length >= LARGE {
                return Added::Full;
            }
            self.several |= last != device;
        }
        self.waiting.push((device, io));
        Added::To(self.waiting.len() - 1)
    }

    /// Lets all requests out, in the order in which they are issued: device by device, that of the
    /// newest request first (`blk_mq_dispatch_plug_list()`). The scheduler joins a request to one
    /// that ends where it begins (block/elevator.c, `elv_attempt_insert_merge()`).
    ///
    /// Returns: devices and their requests; and for each that waited, which of these it became.
    pub fn empty(&mut self, limits: impl Fn(u32) -> Limits) -> (Vec<(u32, Io)>, Vec<usize>) {
        let mut devices: Vec<u32> = Vec::new();
        for &(device, _) in self.waiting.iter().rev() {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        let all = std::mem::take(&mut self.waiting);
        let mut out: Vec<(u32, Io)> = Vec::with_capacity(all.len());
        let mut became = vec![0; all.len()];
        for device in devices {
            let (begin, limits) = (out.len(), limits(device));
            for (place, (_, io)) in all.iter().enumerate().filter(|(_, one)| one.0 == device) {
                let before = |one: &(u32, Io)| one.1.end() == io.offset;
                let other = out[begin..]
                    .iter()
                    .position(before)
                    .map(|other| begin + other);
                let joined = other.and_then(|other| limits.joined(&out[other].1, io));
                became[place] = if let (Some(other), Some(both)) = (other, joined) {
                    out[other].1 = both;
                    other
                } else {
                    out.push((device, *io));
                    out.len() - 1
                };
            }
        }
        (out, became)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::io::Op;

    const DISK: Limits = Limits {
        most: 1280 << 10,
        segments: 254,
        boundary: 0,
        merges: true,
    };

    fn out(ios: &[(u32, u64, u64)]) -> Vec<(u32, u64, u64)> {
        let (mut plug, mut gone) = (Plug::default(), Vec::new());
        for &(device, offset, length) in ios {
            let io = Io::new(Op::Write, offset, length);
            if plug.add(device, &DISK, io) == Added::Full {
                gone.append(&mut plug.empty(|_| DISK).0);
                assert_eq!(plug.add(device, &DISK, io), Added::To(0));
            }
        }
        gone.append(&mut plug.empty(|_| DISK).0);
        gone.sort_by_key(|&(device, io)| (device, io.offset));
        let told = |&(device, io): &(u32, Io)| (device, io.offset, io.length);
        gone.iter().map(told).collect()
    }

    #[test]
    fn neighbours_merge_at_both_ends() {
        assert_eq!(
            out(&[(0, 4096, 4096), (0, 8192, 4096), (0, 0, 4096)]),
            [(0, 0, 12288)]
        );
        assert_eq!(
            out(&[(0, 0, 4096), (1, 0, 4096), (0, 4096, 4096), (1, 4096, 4096)]),
            [(0, 0, 8192), (1, 0, 8192)]
        );
    }

    #[test]
    fn a_large_request_empties_the_plug() {
        let ios = [(0, 0, LARGE), (1, 0, LARGE), (0, LARGE, LARGE)];
        assert_eq!(out(&ios).len(), 3);
    }
}
