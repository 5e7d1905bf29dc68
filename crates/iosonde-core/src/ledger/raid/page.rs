//! What an array with parity makes of requests that need no stripe: reads of a whole array, and
//! writes of one page where nothing is lost or kept.

use super::parity::{small, Parity};
use super::stripe::RmwLevel;
use crate::ledger::io::{Op, PAGE};

/// Pages of members at the same place: which are read, and then which are written, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// The place on each member, bytes.
    pub at: u64,
    pub read: u64,
    pub written: u64,
}

impl Parity {
    /// Where a read lies that is in one chunk of a whole array.
    #[inline]
    #[must_use]
    pub fn single(&self, op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        if op != Op::Read || self.failed != 0 {
            return None;
        }
        let (row, data, inside) = self.geometry.find(offset);
        if inside + length > self.geometry.chunk() {
            return None;
        }
        let at = row * self.geometry.chunk() + inside;
        Some((small(self.geometry.row(row).member(data)), at))
    }

    /// What a write of one page comes to on an array that lacks nothing and keeps nothing.
    #[inline]
    #[must_use]
    pub fn pages(&self, op: Op, offset: u64, length: u64) -> Option<Pages> {
        if !self.plain || op != Op::Write {
            return None;
        }
        let (row, data, inside) = self.geometry.find(offset);
        let from = inside % PAGE;
        if from + length > PAGE {
            return None;
        }
        let members = self.geometry.row(row);
        let (page, parity) = (1 << members.member(data), members.mask());
        Some(Pages {
            at: row * self.geometry.chunk() + inside - from,
            read: self.old(page, parity, length == PAGE),
            written: page | parity,
        })
    }

    /// What is read before a page, or a part of it, is written, where nothing is lost or known.
    #[inline]
    fn old(&self, page: u64, parity: u64, whole: bool) -> u64 {
        let others = (u64::MAX >> (64 - self.geometry.disks)) & !parity & !page;
        let old = u64::from(whole) + self.geometry.parity;
        let rest = self.geometry.disks - self.geometry.parity - 1;
        let modify = match self.level {
            RmwLevel::Disabled => false,
            RmwLevel::Enabled => old < rest,
            RmwLevel::Preferred => old <= rest,
        };
        if modify {
            page | parity
        } else {
            others | if whole { 0 } else { page }
        }
    }
}
