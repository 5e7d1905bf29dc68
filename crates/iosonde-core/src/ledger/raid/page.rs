//! What an array with parity makes of writes of one page where nothing is lost or kept: they need no
//! stripe.

use super::parity::Parity;
use super::stripe::RmwLevel;
use crate::ledger::io::PAGE;

impl Parity {
    /// The members whose pages are read, and then written, as bits, for a write of one page, or a part
    /// of it, in a data chunk of a row.
    #[inline]
    #[must_use]
    pub fn touched(&self, row: u64, data: u64, whole: bool) -> (u64, u64) {
        let members = self.geometry.row(row);
        let (page, parity) = (1 << members.member(data), members.mask());
        (self.old(page, parity, whole), page | parity)
    }

    /// Of a write of one page, or a part of it, to an array that lacks nothing and keeps nothing, all
    /// that matters for what it comes to: where parity is in its row, which data chunk it is in, and
    /// whether it is whole; as one number.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // 64 members at the most
    pub fn cell(&self, offset: u64, length: u64) -> Option<usize> {
        if !self.plain {
            return None;
        }
        let (row, data, inside) = self.geometry.find(offset);
        if inside % PAGE + length > PAGE {
            return None;
        }
        let turn = self.geometry.turn(row);
        let whole = u64::from(length == PAGE);
        Some(((turn * self.geometry.data() + data) * 2 + whole) as usize)
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
