//! What a layer does with an I/O: all rules under one name, told apart in one place and without a
//! call through a pointer.

use super::cache::bcache::Bcache;
use super::cache::controller::Controller;
use super::cache::pages::PageCache;
use super::cache::promote::Promote;
use super::cache::writecache::Writecache;
use super::cache::Cache;
use super::drbd::Drbd;
use super::frame::Cut;
use super::io::{Io, Op, Step};
use super::journal::Journal;
use super::mapping::{Linear, Mirror, Striped};
use super::problem::LedgerError;
use super::raid::copies::{Raid1, Raid10};
use super::raid::parity::Parity;

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

/// What a layer does with an I/O. Large rules are boxed, so that layers without much to keep stay
/// small.
#[derive(Clone, Debug)]
pub enum Rule {
    Same(Same),
    Linear(Linear),
    Striped(Striped),
    Mirror(Mirror),
    Raid1(Box<Raid1>),
    Raid10(Box<Raid10>),
    Parity(Box<Parity>),
    Cache(Box<Cache>),
    Promote(Box<Promote>),
    Writecache(Box<Writecache>),
    Bcache(Box<Bcache>),
    Controller(Box<Controller>),
    PageCache(Box<PageCache>),
    Journal(Box<Journal>),
    Drbd(Box<Drbd>),
    /// Cut into pieces that each arrive at another host.
    Far(Cut),
}

/// Asks the rule that it is.
macro_rules! ask {
    ($rule:expr, $one:ident => $asked:expr) => {
        match $rule {
            Rule::Same($one) => $asked,
            Rule::Linear($one) => $asked,
            Rule::Striped($one) => $asked,
            Rule::Mirror($one) => $asked,
            Rule::Raid1($one) => $asked,
            Rule::Raid10($one) => $asked,
            Rule::Parity($one) => $asked,
            Rule::Cache($one) => $asked,
            Rule::Promote($one) => $asked,
            Rule::Writecache($one) => $asked,
            Rule::Bcache($one) => $asked,
            Rule::Controller($one) => $asked,
            Rule::PageCache($one) => $asked,
            Rule::Journal($one) => $asked,
            Rule::Drbd($one) => $asked,
            Rule::Far($one) => $asked,
        }
    };
}

impl Mapping for Rule {
    #[inline]
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        ask!(self, one => one.map(io, out));
    }

    #[inline]
    fn begin(&mut self, request: u64) {
        ask!(self, one => one.begin(request));
    }

    #[inline]
    fn single(&self, op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        ask!(self, one => one.single(op, offset, length))
    }

    fn through(&self) -> Option<(u64, u64, u64)> {
        ask!(self, one => one.through())
    }

    #[inline]
    fn only(&self, io: Io) -> Option<Step> {
        ask!(self, one => one.only(io))
    }

    fn first(&self, io: &Io) -> u64 {
        ask!(self, one => one.first(io))
    }

    fn cells(&self) -> Vec<(u64, u64)> {
        ask!(self, one => one.cells())
    }

    #[inline]
    fn gathers(&self) -> bool {
        ask!(self, one => one.gathers())
    }

    #[inline]
    fn far(&self) -> Option<u32> {
        ask!(self, one => one.far())
    }

    #[inline]
    fn overflow(&mut self, out: &mut Vec<Step>) -> bool {
        ask!(self, one => one.overflow(out))
    }

    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        ask!(self, one => one.settle(out))
    }

    fn events(&self) -> Vec<(&'static str, u64)> {
        ask!(self, one => one.events())
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        ask!(self, one => one.check(below))
    }
}
