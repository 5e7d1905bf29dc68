//! Arrays of copies: RAID 1 and RAID 10 of md, and which copy is read.
//!
//! Source: Linux 6.1, drivers/md/raid1.c and raid10.c: `read_balance()`, `update_head_pos()`,
//! `__raid10_find_phys()`, `raid10_make_request()`; drivers/md/raid1.h: I/Os end at barrier units.

use crate::ledger::divisor::Divisor;
use crate::ledger::io::{Io, Op, Step};
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

/// drivers/md/raid1.h, `BARRIER_UNIT_SECTOR_SIZE`.
const BARRIER_UNIT: u64 = 64 << 20;
const NOWHERE: u64 = u64::MAX;

/// Where a member's head is thought to be, and what is under way to it.
#[derive(Clone, Copy, Debug)]
struct Head {
    at: u64,
    /// RAID 1: where a read that goes on begins.
    follows: u64,
    pending: u32,
    /// Where it will be when what is under way has ended.
    later: u64,
}

/// The heads of all members during requests that follow one another.
#[derive(Clone, Debug)]
struct Heads {
    heads: Vec<Head>,
    request: u64,
}

impl Heads {
    fn new(members: usize) -> Self {
        let head = Head {
            at: 0,
            follows: NOWHERE,
            pending: 0,
            later: NOWHERE,
        };
        Self {
            heads: vec![head; members],
            request: 0,
        }
    }

    /// All that the former request had under way has ended.
    fn during(&mut self, request: u64) {
        if request != self.request {
            self.request = request;
            for head in &mut self.heads {
                head.pending = 0;
                if head.later != NOWHERE {
                    head.at = head.later;
                    head.later = NOWHERE;
                }
            }
        }
    }

    fn read(&mut self, member: usize, end: u64) {
        let head = &mut self.heads[member];
        head.pending += 1;
        head.later = end;
    }
}

/// RAID 1.
#[derive(Clone, Debug)]
pub struct Raid1 {
    failed: u64,
    /// Of members without a moving head the one with the least under way is read.
    solid: bool,
    heads: Heads,
}

impl Raid1 {
    /// # Errors
    /// No member is left.
    pub fn new(members: usize, failed: u64, solid: bool) -> Result<Self, LedgerError> {
        if members == 0 || members > 64 || (0..members).all(|one| failed >> one & 1 == 1) {
            return Err(LedgerError::NoMember);
        }
        Ok(Self {
            failed,
            solid,
            heads: Heads::new(members),
        })
    }

    fn copies(&self, io: Io, out: &mut Vec<Step>) {
        let there = (0..self.heads.heads.len()).filter(|one| self.failed >> one & 1 == 0);
        out.extend(there.map(|one| Step::new(one, io)));
    }

    fn balance(&self, io: &Io) -> usize {
        let mut idle = (u32::MAX, 0);
        let mut near = (NOWHERE, 0);
        for (member, head) in self.heads.heads.iter().enumerate() {
            if self.failed >> member & 1 == 1 {
                continue;
            }
            let distance = head.at.abs_diff(io.offset);
            if head.follows == io.offset || distance == 0 {
                return member;
            }
            idle = idle.min((head.pending, member));
            near = near.min((distance, member));
        }
        if self.solid || idle.0 == 0 {
            idle.1
        } else {
            near.1
        }
    }
}

impl Mapping for Raid1 {
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            self.copies(io, out);
            return;
        }
        let mut rest = io;
        while rest.length > 0 {
            let length = self.first(&rest);
            let part = io.piece(rest.offset, length);
            if io.op == Op::Read {
                let member = self.balance(&part);
                self.heads.heads[member].follows = part.end();
                self.heads.read(member, part.end());
                out.push(Step::new(member, part));
            } else {
                self.copies(part, out);
            }
            rest = rest.part(part.end(), rest.length - length);
        }
    }

    /// Bytes up to the end of a barrier unit.
    fn first(&self, io: &Io) -> u64 {
        io.length.min(BARRIER_UNIT - io.offset % BARRIER_UNIT)
    }

    #[inline]
    fn begin(&mut self, request: u64) {
        self.heads.during(request);
    }
}

/// RAID 10: `near` copies side by side, `far` copies in other parts of the members.
#[derive(Clone, Debug)]
pub struct Raid10 {
    disks: u64,
    near: u64,
    far: u64,
    /// The far copies lie in the next chunks instead.
    offset: bool,
    chunk: Divisor,
    width: Divisor,
    stride: u64,
    failed: u64,
    solid: bool,
    heads: Heads,
}

impl Raid10 {
    /// Args: `layout`: md's number; `size`: bytes of data on each member; `failed`: bits of the
    /// members that are lost.
    ///
    /// # Errors
    /// A layout that is none; all copies of some chunk are lost.
    pub fn new(
        disks: u64,
        layout: u64,
        chunk: u64,
        size: u64,
        failed: u64,
        solid: bool,
    ) -> Result<Self, LedgerError> {
        let (near, far, offset) = (layout & 0xFF, layout >> 8 & 0xFF, layout >> 16 & 1 == 1);
        let single = near.min(far) == 1; // mdadm(8) makes no others
        if layout >> 17 != 0 || !single || near.max(far) > disks || disks > 64 {
            return Err(LedgerError::Layout10 {
                layout,
                members: disks,
            });
        }
        if chunk == 0 || !chunk.is_power_of_two() {
            return Err(LedgerError::Chunk10);
        }
        // setup: drivers/md/raid10.c, calc_sectors()
        let chunks = size / chunk / far * disks / near;
        let used = (chunks * near * far).div_ceil(disks);
        let stride = if offset { chunk } else { used / far * chunk };
        let array = Self {
            disks,
            near,
            far,
            offset,
            stride,
            failed,
            solid,
            chunk: Divisor::new(chunk),
            width: Divisor::new(disks),
            heads: Heads::new(usize::try_from(disks).unwrap_or(0)),
        };
        let lost = |number: u64| {
            array
                .copies(number * chunk)
                .all(|(one, _)| failed >> one & 1 == 1)
        };
        if (0..disks).any(lost) {
            return Err(LedgerError::ChunkLost);
        }
        Ok(array)
    }

    /// Member and offset on it of each copy of a byte, in md's order.
    pub fn copies(&self, offset: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let (chunk, inside) = self.chunk.divide(offset);
        let (row, first) = self.width.divide(chunk * self.near);
        let row = if self.offset { row * self.far } else { row };
        let base = row * self.chunk.get() + inside;
        (0..self.near).flat_map(move |near| {
            let wraps = first + near >= self.disks;
            let member = if wraps {
                first + near - self.disks
            } else {
                first + near
            };
            let at = base + if wraps { self.chunk.get() } else { 0 };
            (0..self.far).map(move |far| {
                (
                    (member + far * self.near) % self.disks,
                    at + far * self.stride,
                )
            })
        })
    }

    fn read(&mut self, io: Io, out: &mut Vec<Step>) {
        let (member, at) = self.balance(&io);
        out.push(step(member, io.at(at)));
        self.heads
            .read(usize::try_from(member).unwrap_or(0), at + io.length);
    }

    fn balance(&self, io: &Io) -> (u64, u64) {
        let mut idle = (u32::MAX, (0, 0));
        let mut near = (NOWHERE, (0, 0));
        for copy in self
            .copies(io.offset)
            .filter(|(one, _)| self.failed >> one & 1 == 0)
        {
            let head = &self.heads.heads[usize::try_from(copy.0).unwrap_or(0)];
            let distance = match (self.near > 1 && head.pending == 0, self.far > 1) {
                (true, _) => 0,
                (false, true) => copy.1,
                (false, false) => head.at.abs_diff(copy.1),
            };
            if head.pending < idle.0 {
                idle = (head.pending, copy);
            }
            if distance < near.0 {
                near = (distance, copy);
            }
        }
        if self.solid {
            idle.1
        } else {
            near.1
        }
    }
}

impl Mapping for Raid10 {
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Flush {
            let there = (0..self.heads.heads.len()).filter(|one| self.failed >> one & 1 == 0);
            out.extend(there.map(|one| Step::new(one, io)));
            return;
        }
        let mut rest = io;
        while rest.length > 0 {
            let length = self.first(&rest);
            let part = io.piece(rest.offset, length);
            if io.op == Op::Read {
                self.read(part, out);
            } else {
                let copies = self.copies(part.offset);
                let there = copies.filter(|(one, _)| self.failed >> one & 1 == 0);
                out.extend(there.map(|(one, at)| step(one, part.at(at))));
            }
            rest = rest.part(part.end(), rest.length - length);
        }
    }

    /// Bytes up to the end of a chunk; all where each member holds all data.
    fn first(&self, io: &Io) -> u64 {
        if self.near >= self.disks {
            return io.length;
        }
        io.length
            .min(self.chunk.get() - self.chunk.divide(io.offset).1)
    }

    #[inline]
    fn begin(&mut self, request: u64) {
        self.heads.during(request);
    }
}

#[allow(clippy::cast_possible_truncation)] // a member's number, below 64
const fn step(member: u64, io: Io) -> Step {
    Step::new(member as usize, io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        /// No two copies of any chunks share a place; copies of one chunk lie on different members.
        #[test]
        fn copies_are_apart(disks in 2_u64..9, copies in 1_u64..4, kind in 0..3) {
            prop_assume!(copies <= disks);
            let (near, far) = if kind == 0 { (copies, 1) } else { (1, copies) };
            let offset = kind == 2;
            let layout = near | far << 8 | u64::from(offset) << 16;
            let chunk = 4096;
            let size = chunk * far * 60;
            let array = Raid10::new(disks, layout, chunk, size, 0, false).unwrap();
            let chunks = size / chunk * disks / (near * far);
            let mut places = HashSet::new();
            for number in 0..chunks {
                let copies: Vec<_> = array.copies(number * chunk).collect();
                let members: HashSet<_> = copies.iter().map(|one| one.0).collect();
                prop_assert_eq!(members.len() as u64, near * far);
                for place in copies {
                    prop_assert!(places.insert(place), "{:?} twice", place);
                }
            }
        }
    }

    #[test]
    fn lost_copies() {
        assert!(Raid10::new(4, 0x102, 65536, 1 << 20, 0b0011, false).is_err());
        assert!(Raid10::new(4, 0x102, 65536, 1 << 20, 0b0101, false).is_ok());
        assert!(Raid1::new(2, 0b11, false).is_err());
    }
}
