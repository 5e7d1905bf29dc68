//! Rules by name and figures: how a stack comes over from Python.

use std::collections::HashMap;

use super::cache::bcache::{self, Bcache};
use super::cache::controller::Controller;
use super::cache::pages::{self, PageCache};
use super::cache::promote::{self, Promote};
use super::cache::sets::{Places, Policy};
use super::cache::writecache::{self, Writecache};
use super::cache::{Cache, Mode};
use super::drbd::{self, Drbd};
use super::frame::{Cut, Transfers};
use super::io::{Io, Op, Step};
use super::journal::Journal;
use super::mapping::{Linear, Mirror, Segment, Striped};
use super::queue::Limits;
use super::raid::bitmap::{Bitmap, Rows};
use super::raid::copies::{Raid1, Raid10};
use super::raid::parity::Parity;
use super::raid::place::{Geometry, Layout};
use super::raid::stripe::RmwLevel;

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

/// Figures by name, of which each may be asked for once.
pub type Figures = HashMap<String, u64>;

struct Asked<'a> {
    kind: &'a str,
    figures: &'a Figures,
}

impl Asked<'_> {
    fn get(&self, name: &str) -> Result<u64, String> {
        let found = self.figures.get(name).copied();
        found.ok_or_else(|| format!("{} needs `{name}`", self.kind))
    }

    fn or(&self, name: &str, default: u64) -> u64 {
        self.figures.get(name).copied().unwrap_or(default)
    }
}

/// What a layer takes: `most` and `boundary` in bytes, `segments`, `merges` 1 for devices that have requests.
#[must_use]
pub fn limits(figures: &Figures) -> Limits {
    let asked = Asked {
        kind: "limits",
        figures,
    };
    Limits {
        most: asked.or("most", u64::MAX).max(super::io::SECTOR),
        segments: asked.or("segments", 0),
        boundary: asked.or("boundary", 0),
        merges: asked.or("merges", 0) == 1,
    }
}

/// A rule by its name.
///
/// Args: `below`: how many layers it stands on. Figures in bytes: `same`: none; `linear`: `start`
/// on the layer below, or `segments` with `startN`, `lengthN`, `childN`, `atN`; `striped`: `chunk`,
/// `start`, `latter_first`; `mirror`: `start`; `raid1`: `failed` (bits of lost members), `solid`; `raid10`: `chunk`,
/// `layout` (md's number), `size` of a member, `failed`, `solid`; `parity`: `parity` (members of
/// it), `chunk`, `layout`, `failed`, `rmw_level`, `stripe_cache` (stripes), `together`; `cache`: `block`,
/// `blocks`, `ways` (0: one set), `lru`, `mode` (0 back, 1 through, 2 around), `fills`; `promote`:
/// `block`, `blocks`, `mode` (2: nothing is taken in), `origin` (blocks), `start`,
/// `rate` (requests a second);
/// `writecache`: `block`, `blocks`, `high` and
/// `low` watermark in %, `commit` (blocks), `start` of its metadata, `rate`; `bcache`: `bucket`, `buckets`, `mode` (3: none), `cutoff`, `percent`;
/// `controller`: `width` of a stripe, `room` for writes, `reads`; `pagecache`: `pages`, `background`,
/// `ahead`, `largest` and `size` in pages, `apart`; `journal`: `at` of the inode's block, `blocks`, `tags`; `drbd`:
/// `extents`, `log` (its place), `flushes`; `far`: `read` and `write`, the most that is carried at
/// once, and `burst` with `first_burst` of iSCSI or `inline` of `NVMe`.
///
/// # Errors
/// No such rule, a figure is missing or makes no sense.
pub fn rule(kind: &str, figures: &Figures, below: usize) -> Result<Rule, String> {
    let asked = Asked { kind, figures };
    let members = below as u64;
    let failed = asked.or("failed", 0);
    let solid = asked.or("solid", 0) == 1;
    Ok(match kind {
        "same" => Rule::Same,
        "linear" => Rule::Linear(linear(&asked)?),
        "striped" => Rule::Striped(Striped::new(
            asked.get("chunk")?,
            members,
            asked.or("start", 0),
            asked.or("latter_first", 0) == 1,
        )?),
        "mirror" => Rule::Mirror(Mirror {
            members: below,
            start: asked.or("start", 0),
        }),
        "raid1" => Rule::Raid1(Box::new(Raid1::new(below, failed, solid)?)),
        "raid10" => {
            let (chunk, size) = (asked.get("chunk")?, asked.get("size")?);
            let array = Raid10::new(
                members,
                asked.or("layout", 0x102),
                chunk,
                size,
                failed,
                solid,
            )?;
            Rule::Raid10(Box::new(array))
        }
        "parity" => Rule::Parity(Box::new(parity(&asked, members)?)),
        "promote" => {
            let figures = promote::Figures {
                mode: mode(&asked)?,
                block: asked.get("block")?,
                blocks: asked.get("blocks")?,
                origin: asked.get("origin")?,
                start: asked.or("start", 0),
                rate: asked.get("rate")?,
            };
            Rule::Promote(Box::new(Promote::new(figures)?))
        }
        "writecache" => Rule::Writecache(Box::new(Writecache::new(writecache::Figures {
            block: asked.get("block")?,
            blocks: asked.get("blocks")?,
            high: asked.get("high")?,
            low: asked.get("low")?,
            commit: asked.get("commit")?,
            start: asked.or("start", 0),
            rate: asked.get("rate")?,
        })?)),
        "cache" => Rule::Cache(Box::new(cache(&asked)?)),
        "bcache" => Rule::Bcache(Box::new(bcache(&asked)?)),
        "controller" => {
            let (width, room) = (asked.get("width")?, asked.get("room")?);
            let cache = Controller::new(width, room, asked.or("reads", 0))?;
            Rule::Controller(Box::new(cache))
        }
        "pagecache" => Rule::PageCache(Box::new(PageCache::new(pages::Figures {
            pages: asked.get("pages")?,
            background: asked.get("background")?,
            ahead: asked.get("ahead")?,
            most: asked.get("largest")?,
            size: asked.get("size")?,
            apart: asked.or("apart", 0) == 1,
        })?)),
        "journal" => {
            let (at, blocks) = (asked.get("at")?, asked.get("blocks")?);
            Rule::Journal(Box::new(Journal::new(at, blocks, asked.get("tags")?)?))
        }
        "drbd" => {
            let (extents, log) = (asked.or("extents", 1237), asked.get("log")?);
            let flushes = asked.or("flushes", 1) == 1;
            Rule::Drbd(Box::new(Drbd::new(extents, log, flushes)?))
        }
        "far" => Rule::Far(far(&asked)?),
        _ => return Err(format!("there is no rule {kind:?}")),
    })
}

/// The write-intent bitmap of an array: `bitmap_chunk` (0: none), `bitmap_covers` and `bitmap_at` in
/// bytes; with parity `bitmap_data`, the members that hold data of a row of `chunk`.
///
/// # Errors
/// A figure is missing or makes no sense.
pub fn bitmap(kind: &str, figures: &Figures) -> Result<Option<Box<Bitmap>>, String> {
    let asked = Asked { kind, figures };
    let chunk = asked.or("bitmap_chunk", 0);
    if chunk == 0 {
        return Ok(None);
    }
    let data = asked.or("bitmap_data", 0);
    let rows = if data > 0 {
        let chunk = asked.get("chunk")?;
        Some(Rows { chunk, data })
    } else {
        None
    };
    let (covers, at) = (asked.get("bitmap_covers")?, asked.get("bitmap_at")?);
    let bitmap = Bitmap::new(chunk, covers, at, rows, asked.or("failed", 0))?;
    Ok(Some(Box::new(bitmap)))
}

fn bcache(asked: &Asked<'_>) -> Result<Bcache, String> {
    let mode = match asked.or("mode", 0) {
        0 => bcache::Mode::Back,
        1 => bcache::Mode::Through,
        2 => bcache::Mode::Around,
        3 => bcache::Mode::None,
        other => return Err(format!("bcache's mode is 0 to 3, not {other}")),
    };
    Bcache::new(bcache::Figures {
        mode,
        bucket: asked.get("bucket")?,
        buckets: asked.get("buckets")?,
        cutoff: asked.or("cutoff", 0),
        percent: asked.or("percent", 0),
    })
}

fn linear(asked: &Asked<'_>) -> Result<Linear, String> {
    let segments = asked.or("segments", 0);
    if segments == 0 {
        let at = asked.or("start", 0);
        return Linear::new(vec![Segment {
            start: 0,
            length: u64::MAX - at,
            child: 0,
            at,
        }]);
    }
    let one = |number: u64| {
        let figure = |name: &str| asked.get(&format!("{name}{number}"));
        Ok::<_, String>(Segment {
            start: figure("start")?,
            length: figure("length")?,
            child: u32::try_from(figure("child")?).map_err(|problem| problem.to_string())?,
            at: figure("at")?,
        })
    };
    Linear::new((0..segments).map(one).collect::<Result<_, _>>()?)
}

fn far(asked: &Asked<'_>) -> Result<Cut, String> {
    let transfers = match (asked.or("burst", 0), asked.figures.get("inline")) {
        (0, None) => Transfers::None,
        (0, Some(&inline)) => Transfers::Nvme { inline },
        (most, _) => Transfers::Iscsi {
            first: asked.or("first_burst", 0),
            most,
        },
    };
    let (read, write) = (asked.get("read")?.max(1), asked.get("write")?.max(1));
    Ok(Cut::new(read, write, transfers))
}

fn mode(asked: &Asked<'_>) -> Result<Mode, String> {
    match asked.or("mode", 0) {
        0 => Ok(Mode::Back),
        1 => Ok(Mode::Through),
        2 => Ok(Mode::Around),
        other => Err(format!("a cache's mode is 0, 1 or 2, not {other}")),
    }
}

fn cache(asked: &Asked<'_>) -> Result<Cache, String> {
    let mode = mode(asked)?;
    let policy = if asked.or("lru", 0) == 1 {
        Policy::Lru
    } else {
        Policy::Fifo
    };
    let places = Places::new(policy, asked.get("blocks")?, asked.or("ways", 0))?;
    Cache::new(mode, asked.get("block")?, places, asked.or("fills", 1) == 1)
}

fn parity(asked: &Asked<'_>, members: u64) -> Result<Parity, String> {
    let number = asked.or("layout", 2);
    let layout = Layout::of(number).ok_or(format!("md has no layout {number}"))?;
    let level = match asked.or("rmw_level", 1) {
        0 => RmwLevel::Disabled,
        1 => RmwLevel::Enabled,
        2 => RmwLevel::Preferred,
        other => return Err(format!("rmw_level is 0, 1 or 2, not {other}")),
    };
    let geometry = Geometry::new(members, asked.get("parity")?, layout, asked.get("chunk")?)?;
    let (failed, cache) = (asked.or("failed", 0), asked.or("stripe_cache", 0));
    Parity::new(geometry, failed, level, cache, asked.or("together", 0) == 1)
}
