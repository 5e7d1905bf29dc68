//! Where a volume's bytes lie: one behind the other, in stripes, or in several copies.
//!
//! Source: Linux 6.1, drivers/md/dm-linear.c, dm-stripe.c, dm.c (`max_io_len`: an I/O is split
//! where a target's own boundary is); lvm2: extents begin behind the metadata.

use super::divisor::Divisor;
use super::io::{Io, Op, Step};
use super::mapping::Mapping;
use super::problem::LedgerError;

/// A part of a volume that lies in one piece: from `start` in the volume, at `at` of layer `child`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub start: u64,
    pub length: u64,
    pub child: u32,
    pub at: u64,
}

/// A volume of segments, one behind the other.
#[derive(Clone, Debug)]
pub struct Linear {
    segments: Vec<Segment>,
}

impl Linear {
    /// # Errors
    /// The segments leave a gap or overlap.
    pub fn new(segments: Vec<Segment>) -> Result<Self, LedgerError> {
        let mut end = 0;
        for segment in &segments {
            if segment.start != end || segment.length == 0 {
                return Err(LedgerError::Gap {
                    start: segment.start,
                    end,
                });
            }
            end = segment
                .start
                .checked_add(segment.length)
                .ok_or(LedgerError::SegmentEnd)?;
        }
        if segments.is_empty() {
            return Err(LedgerError::NoSegment);
        }
        Ok(Self { segments })
    }

    /// On how many layers it lies.
    #[must_use]
    pub fn children(&self) -> usize {
        self.segments
            .iter()
            .map(|one| one.child as usize + 1)
            .max()
            .unwrap_or(0)
    }
}

impl Mapping for Linear {
    /// Where a byte of a volume in one piece lies.
    #[inline]
    fn single(&self, _op: Op, offset: u64, _length: u64) -> Option<(u32, u64)> {
        let [only] = self.segments[..] else {
            return None;
        };
        Some((only.child, only.at + offset))
    }

    /// The I/O below of a volume in one piece.
    #[inline]
    fn only(&self, io: Io) -> Option<Step> {
        let (child, at) = self.single(io.op, io.offset, io.length)?;
        let io = io.at(at);
        Some(Step { child, io })
    }

    /// The I/Os below for one from above; what lies behind the end goes to the last segment.
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if let Some(step) = self.only(io) {
            out.push(step);
            return;
        }
        let after = self.segments.partition_point(|one| one.start <= io.offset);
        let mut offset = io.offset;
        for (place, segment) in self.segments.iter().enumerate().skip(after.max(1) - 1) {
            let last = place + 1 == self.segments.len();
            let end = if last {
                io.end()
            } else {
                io.end().min(segment.start + segment.length)
            };
            out.push(Step {
                child: segment.child,
                io: io.piece(segment.at + (offset - segment.start), end - offset),
            });
            offset = end;
            if offset >= io.end() {
                return;
            }
        }
    }

    fn through(&self) -> Option<(u64, u64, u64)> {
        let (_, at) = self.single(Op::Read, 0, 0)?;
        Some((u64::MAX, u64::MAX, at))
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        if self.children() > below {
            return Err(LedgerError::SegmentBelow);
        }
        Ok(())
    }
}

/// A striped volume: `chunk` bytes on one layer, then the next one's turn.
#[derive(Clone, Debug)]
pub struct Striped {
    chunk: Divisor,
    width: Divisor,
    start: u64,
    /// Of two parts of an I/O the latter goes first, as md's RAID 0 does it
    /// (drivers/md/raid0.c, `raid0_make_request()`).
    latter_first: bool,
}

impl Striped {
    /// # Errors
    /// No chunk or nothing to stripe over.
    pub fn new(
        chunk: u64,
        members: u64,
        start: u64,
        latter_first: bool,
    ) -> Result<Self, LedgerError> {
        if chunk == 0 || members == 0 {
            return Err(LedgerError::NoStripe);
        }
        Ok(Self {
            chunk: Divisor::new(chunk),
            width: Divisor::new(members),
            start,
            latter_first,
        })
    }

    /// The member and the offset on it of a byte.
    #[must_use]
    #[inline]
    pub fn place(&self, offset: u64) -> (u64, u64) {
        let (chunk, inside) = self.chunk.divide(offset);
        let (row, member) = self.width.divide(chunk);
        (member, self.start + row * self.chunk.get() + inside)
    }
}

impl Mapping for Striped {
    /// Where an I/O lies that is in one chunk.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // a member's number
    fn single(&self, _op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        if self.chunk.divide(offset).1 + length > self.chunk.get() {
            return None;
        }
        let (member, at) = self.place(offset);
        Some((member as u32, at))
    }

    /// The I/O below of one that lies in a chunk.
    #[inline]
    fn only(&self, io: Io) -> Option<Step> {
        let (child, at) = self.single(io.op, io.offset, io.length)?;
        let io = io.at(at);
        Some(Step { child, io })
    }

    /// The I/Os below for one from above, in its order.
    #[allow(clippy::cast_possible_truncation)] // a member's number
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        if let Some(step) = self.only(io) {
            out.push(step);
            return;
        }
        let alone = io.alone && io.length <= self.chunk.get() && self.width.get() > 1;
        let begin = out.len();
        let mut offset = io.offset;
        while offset < io.end() {
            let (member, at) = self.place(offset);
            let room = self.chunk.get() - self.chunk.divide(offset).1;
            let length = room.min(io.end() - offset);
            let part = Io {
                alone,
                ..io.part(at, length)
            };
            out.push(Step::new(member as usize, part));
            offset += length;
        }
        if self.latter_first {
            out[begin..].reverse();
        }
    }
}

/// Copies on all members; reads from the first that is there.
#[derive(Clone, Debug)]
pub struct Mirror {
    pub members: usize,
    pub start: u64,
}

impl Mapping for Mirror {
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        let io = io.at(self.start + io.offset);
        let copies = if io.op == Op::Read { 1 } else { self.members };
        out.extend((0..copies).map(|member| Step::new(member, io)));
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        if self.members == below {
            return Ok(());
        }
        let copies = self.members;
        Err(LedgerError::Copies { copies, below })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn bytes(steps: &[Step]) -> u64 {
        steps.iter().map(|step| step.io.length).sum()
    }

    proptest! {
        /// Each byte of a striped volume has a place of its own, and all bytes of an I/O arrive.
        #[test]
        fn stripes_are_a_bijection(
            chunk in 1_u64..200, members in 1_u64..9, start: u32, offset in 0_u64..10_000,
            length in 1_u64..3000, latter_first: bool,
        ) {
            let mut striped = Striped::new(chunk, members, u64::from(start), latter_first).unwrap();
            let places: HashSet<(u64, u64)> =
                (offset..offset + length).map(|byte| striped.place(byte)).collect();
            prop_assert_eq!(places.len() as u64, length);
            let mut out = Vec::new();
            striped.map(Io::new(Op::Write, offset, length), &mut out);
            prop_assert_eq!(bytes(&out), length);
            let touched: HashSet<(u64, u64)> = out
                .iter()
                .flat_map(|step| {
                    (step.io.offset..step.io.end()).map(|at| (u64::from(step.child), at))
                })
                .collect();
            prop_assert_eq!(touched, places);
        }

        /// A volume of segments keeps all bytes, and puts none into another's segment.
        #[test]
        fn segments_keep_all_bytes(
            lengths in prop::collection::vec(1_u64..500, 1..6), offset in 0_u64..1500,
            length in 1_u64..2000,
        ) {
            let mut segments = Vec::new();
            let mut start = 0;
            for (child, &long) in (0_u32..).zip(&lengths) {
                segments.push(Segment { start, length: long, child, at: 10_000 * u64::from(child) });
                start += long;
            }
            let offset = offset % start;
            let length = length.min(start - offset);
            let mut linear = Linear::new(segments.clone()).unwrap();
            let mut out = Vec::new();
            linear.map(Io::new(Op::Read, offset, length), &mut out);
            prop_assert_eq!(bytes(&out), length);
            let mut next = offset;
            for step in &out {
                let segment = segments[step.child as usize];
                prop_assert_eq!(next - segment.start, step.io.offset - segment.at);
                prop_assert!(step.io.end() <= segment.at + segment.length);
                next += step.io.length;
            }
        }
    }

    #[test]
    fn segments_have_no_gap() {
        let one = |start, length| Segment {
            start,
            length,
            child: 0,
            at: 0,
        };
        assert!(Linear::new(vec![one(0, 5), one(6, 5)]).is_err());
        assert!(Linear::new(vec![one(0, 5), one(5, 5)]).is_ok());
        assert!(Linear::new(vec![]).is_err());
    }
}
