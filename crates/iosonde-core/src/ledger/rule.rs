//! What a layer does with an I/O: all rules under one name, told apart without a call through a pointer.

use super::cache::bcache::Bcache;
use super::cache::controller::Controller;
use super::cache::pages::PageCache;
use super::cache::promote::Promote;
use super::cache::writecache::Writecache;
use super::cache::Cache;
use super::drbd::{self, Drbd};
use super::frame::Cut;
use super::io::{Io, Op, Step};
use super::journal::Journal;
use super::mapping::{Linear, Mirror, Striped};
use super::raid::copies::{Raid1, Raid10};
use super::raid::parity::Parity;

/// What a layer does with an I/O.
#[derive(Clone, Debug)]
pub enum Rule {
    /// A device, or a layer that hands down what it gets.
    Same,
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

impl Rule {
    /// The I/Os below for one from above.
    #[inline]
    pub fn map(&mut self, io: Io, request: u64, out: &mut Vec<Step>) {
        match self {
            Self::Same => out.push(Step::new(0, io)),
            Self::Linear(rule) => rule.map(io, out),
            Self::Striped(rule) => rule.map(io, out),
            Self::Mirror(rule) => rule.map(io, out),
            Self::Raid1(rule) => rule.map(io, request, out),
            Self::Raid10(rule) => rule.map(io, request, out),
            Self::Parity(rule) => rule.map(io, out),
            Self::Cache(rule) => rule.map(io, out),
            Self::Promote(rule) => rule.map(io, out),
            Self::Writecache(rule) => rule.map(io, out),
            Self::Bcache(rule) => rule.map(io, out),
            Self::Controller(rule) => rule.map(io, out),
            Self::PageCache(rule) => rule.map(io, out),
            Self::Journal(rule) => rule.map(io, out),
            Self::Drbd(rule) => rule.map(io, out),
            Self::Far(rule) => rule.map(io, out),
        }
    }

    /// Of an I/O that becomes just one of the same length, of which its rule keeps no account: to
    /// which layer below, and where there. No flushes.
    #[inline]
    #[must_use]
    pub fn single(&self, op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        match self {
            Self::Same => Some((0, offset)),
            Self::Linear(rule) => rule.single(offset),
            Self::Striped(rule) => rule.single(offset, length),
            Self::Far(rule) => rule.whole(op, length).then_some((0, offset)),
            Self::Parity(rule) => rule.single(op, offset, length),
            _ => None,
        }
    }

    /// The largest read and write that go to the one layer below as they are, wherever they are, and
    /// by how much their place moves; None: there is more to it.
    #[must_use]
    pub fn through(&self) -> Option<(u64, u64, u64)> {
        match self {
            Self::Same => Some((u64::MAX, u64::MAX, 0)),
            Self::Linear(rule) => rule.single(0).map(|(_, at)| (u64::MAX, u64::MAX, at)),
            Self::Far(rule) => {
                let (reads, writes) = (rule.whole(Op::Read, 0), rule.whole(Op::Write, 0));
                (reads && writes).then_some((rule.read, rule.write, 0))
            }
            _ => None,
        }
    }

    /// Pages that are read and written below for each kind of write of one page; see `Parity::cell`.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let array = match self {
            Self::Parity(array) => Some(array),
            _ => None,
        };
        array.into_iter().flat_map(|array| array.cells())
    }

    /// The one I/O below, of a rule that keeps no account and has just one for this; else see `map`.
    #[inline]
    #[must_use]
    pub fn only(&self, io: Io) -> Option<Step> {
        match self {
            Self::Same => Some(Step::new(0, io)),
            Self::Linear(rule) => rule.only(io),
            Self::Striped(rule) => rule.only(io),
            Self::Far(rule) => rule.only(io),
            _ => None,
        }
    }

    /// Bytes of the first part of an I/O that the layer takes before it hands the rest to itself.
    #[must_use]
    pub fn first(&self, io: &Io) -> u64 {
        match self {
            Self::Raid1(array) => array.first(io),
            Self::Raid10(array) => array.first(io),
            Self::Parity(array) => array.first(io),
            _ => io.length,
        }
    }

    /// Whether I/Os wait in it for the plug to be pulled.
    #[must_use]
    #[inline]
    pub fn gathers(&self) -> bool {
        matches!(self, Self::Parity(array) if array.gathers())
    }

    /// The place among the layers below of one that is on another host.
    #[must_use]
    #[inline]
    pub const fn far(&self) -> Option<u32> {
        match self {
            Self::Far(_) => Some(0),
            Self::Drbd(_) => Some(drbd::PEER),
            _ => None,
        }
    }

    /// Some of what it still holds is written, as it would be in the end without more requests.
    ///
    /// Returns: there may be more.
    pub fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        match self {
            Self::Controller(rule) => return rule.settle(out),
            Self::PageCache(rule) => rule.settle(out),
            Self::Journal(rule) => rule.settle(out),
            Self::Promote(rule) => rule.settle(out),
            Self::Writecache(rule) => rule.settle(out),
            _ => {}
        }
        false
    }

    /// What it counted itself.
    #[must_use]
    pub fn events(&self) -> Vec<(&'static str, u64)> {
        match self {
            Self::Cache(cache) => cache.told(),
            Self::Promote(cache) => cache.told(),
            Self::Writecache(cache) => cache.told(),
            Self::Bcache(cache) => cache.told(),
            Self::Controller(cache) => cache.told(),
            Self::PageCache(cache) => cache.told(),
            Self::Journal(journal) => journal.told(),
            Self::Drbd(drbd) => drbd.told(),
            Self::Far(cut) => cut.told(),
            _ => Vec::new(),
        }
    }

    /// Whether it can stand on so many layers.
    ///
    /// # Errors
    /// It cannot.
    pub fn check(&self, below: usize) -> Result<(), String> {
        match self {
            Self::Linear(linear) if linear.children() > below => {
                Err("a segment lies on a layer that is not there".to_owned())
            }
            Self::Mirror(mirror) if mirror.members != below => {
                Err(format!("{} copies on {below} layers", mirror.members))
            }
            Self::Cache(_) | Self::Promote(_) | Self::Writecache(_) | Self::Bcache(_)
                if below != 2 =>
            {
                Err("a cache stands on a slow and a fast layer".to_owned())
            }
            Self::Drbd(_) if below != 2 => Err("a replicated volume has two sides".to_owned()),
            _ => Ok(()),
        }
    }
}
