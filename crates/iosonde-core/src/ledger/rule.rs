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
use super::mapping::{Mapping, Same};
use super::problem::LedgerError;
use super::raid::copies::{Raid1, Raid10};
use super::raid::parity::Parity;
use super::volume::{Linear, Mirror, Striped};

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
