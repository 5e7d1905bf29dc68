//! What the ledger asks of a rule: how a layer turns an I/O from above into I/Os below.

use super::io::{Io, Op, Step};
use super::problem::LedgerError;

/// What the ledger asks of a rule. All but `map` has an answer for rules that have nothing to say.
pub trait Mapping {
    /// The I/Os below for one from above.
    fn map(&mut self, io: Io, out: &mut Vec<Step>);

    /// Another request of a program begins; its number, from 1. Asked before each `map`.
    #[inline]
    fn begin(&mut self, _request: u64) {}

    /// Of an I/O that becomes just one of the same length, of which its rule keeps no account: to
    /// which layer below, and where there. No flushes.
    #[inline]
    fn single(&self, _op: Op, _offset: u64, _length: u64) -> Option<(u32, u64)> {
        None
    }

    /// The largest read and write that go to the one layer below as they are, wherever they are, and
    /// by how much their place moves; None: there is more to it.
    fn through(&self) -> Option<(u64, u64, u64)> {
        None
    }

    /// The one I/O below, of a rule that keeps no account and has just one for this; else see `map`.
    #[inline]
    fn only(&self, _io: Io) -> Option<Step> {
        None
    }

    /// Bytes of the first part of an I/O that the layer takes before it hands the rest to itself.
    fn first(&self, io: &Io) -> u64 {
        io.length
    }

    /// Pages that are read and written below for each kind of write of one page; see `Parity::cell`.
    fn cells(&self) -> Vec<(u64, u64)> {
        Vec::new()
    }

    /// Whether I/Os wait in it for the plug to be pulled.
    #[inline]
    fn gathers(&self) -> bool {
        false
    }

    /// The place among the layers below of one that is on another host.
    #[inline]
    fn far(&self) -> Option<u32> {
        None
    }

    /// Lets something go for which it has no room.
    ///
    /// Returns: it did.
    fn overflow(&mut self, _out: &mut Vec<Step>) -> bool {
        false
    }

    /// Some of what it still holds is written, as it would be in the end without more requests.
    ///
    /// Returns: there may be more.
    fn settle(&mut self, _out: &mut Vec<Step>) -> bool {
        false
    }

    /// What it counted itself: names and numbers.
    fn events(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Whether it can stand on so many layers.
    ///
    /// # Errors
    /// It cannot.
    fn check(&self, _below: usize) -> Result<(), LedgerError> {
        Ok(())
    }
}

/// A device, or a layer that hands down what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Same;

impl Mapping for Same {
    #[inline]
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        out.push(Step::new(0, io));
    }

    #[inline]
    fn single(&self, _op: Op, offset: u64, _length: u64) -> Option<(u32, u64)> {
        Some((0, offset))
    }

    fn through(&self) -> Option<(u64, u64, u64)> {
        Some((u64::MAX, u64::MAX, 0))
    }

    #[inline]
    fn only(&self, io: Io) -> Option<Step> {
        Some(Step::new(0, io))
    }
}
