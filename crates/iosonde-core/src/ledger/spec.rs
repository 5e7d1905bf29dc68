//! Rules by name and figures: how a stack comes over from Python.

use std::collections::HashMap;

use super::cache::bcache::{self, Bcache};
use super::cache::controller::Controller;
use super::cache::pages::{self, PageCache};
use super::cache::promote::{self, Promote};
use super::cache::sets::{Places, Policy};
use super::cache::writecache::{self, Writecache};
use super::cache::{Cache, Mode};
use super::drbd::Drbd;
use super::frame::{Cut, Transfers};
use super::journal::Journal;
use super::mapping::{Linear, Mirror, Segment, Striped};
use super::queue::Limits;
use super::raid::bitmap::{Bitmap, Rows};
use super::raid::copies::{Raid1, Raid10};
use super::raid::parity::Parity;
use super::raid::place::{Geometry, Layout};
use super::raid::stripe::RmwLevel;
use super::rule::Rule;

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

    /// Bits of the members that are lost.
    fn failed(&self) -> u64 {
        self.or("failed", 0)
    }

    /// Whether no member has a head that moves.
    fn solid(&self) -> bool {
        self.or("solid", 0) == 1
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
    Ok(match kind {
        "same" => Rule::Same,
        "linear" => Rule::Linear(linear(&asked)?),
        "striped" => Rule::Striped(striped(&asked, members)?),
        "mirror" => Rule::Mirror(Mirror {
            members: below,
            start: asked.or("start", 0),
        }),
        "raid1" => Rule::Raid1(Box::new(Raid1::new(below, asked.failed(), asked.solid())?)),
        "raid10" => Rule::Raid10(Box::new(raid10(&asked, members)?)),
        "parity" => Rule::Parity(Box::new(parity(&asked, members)?)),
        "promote" => Rule::Promote(Box::new(promote(&asked)?)),
        "writecache" => Rule::Writecache(Box::new(writecache(&asked)?)),
        "cache" => Rule::Cache(Box::new(cache(&asked)?)),
        "bcache" => Rule::Bcache(Box::new(bcache(&asked)?)),
        "controller" => Rule::Controller(Box::new(controller(&asked)?)),
        "pagecache" => Rule::PageCache(Box::new(pagecache(&asked)?)),
        "journal" => Rule::Journal(Box::new(journal(&asked)?)),
        "drbd" => Rule::Drbd(Box::new(drbd(&asked)?)),
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
    let bitmap = Bitmap::new(chunk, covers, at, rows, asked.failed())?;
    Ok(Some(Box::new(bitmap)))
}

fn striped(asked: &Asked<'_>, members: u64) -> Result<Striped, String> {
    let latter_first = asked.or("latter_first", 0) == 1;
    Striped::new(
        asked.get("chunk")?,
        members,
        asked.or("start", 0),
        latter_first,
    )
}

fn raid10(asked: &Asked<'_>, members: u64) -> Result<Raid10, String> {
    let (chunk, size) = (asked.get("chunk")?, asked.get("size")?);
    let layout = asked.or("layout", 0x102);
    Raid10::new(members, layout, chunk, size, asked.failed(), asked.solid())
}

fn promote(asked: &Asked<'_>) -> Result<Promote, String> {
    Promote::new(promote::Figures {
        mode: mode(asked)?,
        block: asked.get("block")?,
        blocks: asked.get("blocks")?,
        origin: asked.get("origin")?,
        start: asked.or("start", 0),
        rate: asked.get("rate")?,
    })
}

fn writecache(asked: &Asked<'_>) -> Result<Writecache, String> {
    Writecache::new(writecache::Figures {
        block: asked.get("block")?,
        blocks: asked.get("blocks")?,
        high: asked.get("high")?,
        low: asked.get("low")?,
        commit: asked.get("commit")?,
        start: asked.or("start", 0),
        rate: asked.get("rate")?,
    })
}

fn controller(asked: &Asked<'_>) -> Result<Controller, String> {
    Controller::new(
        asked.get("width")?,
        asked.get("room")?,
        asked.or("reads", 0),
    )
}

fn pagecache(asked: &Asked<'_>) -> Result<PageCache, String> {
    PageCache::new(pages::Figures {
        pages: asked.get("pages")?,
        background: asked.get("background")?,
        ahead: asked.get("ahead")?,
        most: asked.get("largest")?,
        size: asked.get("size")?,
        apart: asked.or("apart", 0) == 1,
    })
}

fn journal(asked: &Asked<'_>) -> Result<Journal, String> {
    Journal::new(asked.get("at")?, asked.get("blocks")?, asked.get("tags")?)
}

fn drbd(asked: &Asked<'_>) -> Result<Drbd, String> {
    let flushes = asked.or("flushes", 1) == 1;
    Drbd::new(asked.or("extents", 1237), asked.get("log")?, flushes)
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
    let (cache, together) = (asked.or("stripe_cache", 0), asked.or("together", 0) == 1);
    Parity::new(geometry, asked.failed(), level, cache, together)
}
