//! A stack as it comes from Python: for each rule a struct with all that it needs. Sizes and places
//! are bytes, `failed` has a bit for each member that is lost.

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
use super::mapping::Same;
use super::problem::LedgerError;
use super::queue::Limits;
use super::raid::bitmap::{self, Rows};
use super::raid::copies;
use super::raid::parity;
use super::raid::place::{Geometry, Layout};
use super::raid::stripe::RmwLevel;
use super::rule::Rule;
use super::volume::{self, Mirror, Segment, Striped};
use super::{Below, Node};

/// All of the layer below, from a place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    pub start: u64,
}

/// Parts of the layers below, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    pub segments: Vec<Segment>,
}

/// Stripes over all layers below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripes {
    pub chunk: u64,
    /// On each layer.
    pub start: u64,
    /// Of two parts of an I/O the latter goes first.
    pub latter_first: bool,
}

/// Copies on all layers below, from a place on; reads come from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    pub start: u64,
}

/// RAID 1 of md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raid1 {
    pub failed: u64,
    /// No member has a head that moves.
    pub solid: bool,
}

/// RAID 10 of md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raid10 {
    pub chunk: u64,
    /// md's number: near copies, 2^8 × far ones, 2^16 where these lie in the next chunks.
    pub layout: u64,
    /// Of the data on each member.
    pub size: u64,
    pub failed: u64,
    pub solid: bool,
}

/// RAID 4, 5 and 6 of md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parity {
    /// Members of parity in a row: 1 or 2.
    pub parity: u64,
    pub chunk: u64,
    /// md's number.
    pub layout: u64,
    pub failed: u64,
    /// When md modifies rather than reconstructs: 0, 1 or 2.
    pub rmw_level: u64,
    /// Stripes that are kept; 0: none.
    pub stripe_cache: u64,
}

/// A cache of blocks as flashcache is one, on the second layer below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    pub mode: Mode,
    pub block: u64,
    pub blocks: u64,
    /// Places of a set; 0: one set.
    pub ways: u64,
    /// The block that was not used for longest goes first; else the places take turns.
    pub lru: bool,
    /// Reads take in what is not there.
    pub fills: bool,
}

/// The write-back cache of a RAID controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteBack {
    /// Data of a stripe.
    pub width: u64,
    /// For writes.
    pub room: u64,
    /// For what was read.
    pub reads: u64,
}

/// A file system that journals data too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataJournal {
    /// Of the inode's block.
    pub at: u64,
    /// Of 4 KiB, with the journal's superblock.
    pub blocks: u64,
    /// In a descriptor block.
    pub tags: u64,
}

/// A replicated volume: its own side, then the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replica {
    /// Where the activity log lies.
    pub log: u64,
    /// That can be active.
    pub extents: u64,
    /// The other side flushes behind each write.
    pub flushes: bool,
}

/// A layer whose data go over a network, in messages of at most so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    pub read: u64,
    pub write: u64,
    /// iSCSI: what is asked for at once, and what comes before; 0: it is not iSCSI.
    pub burst: u64,
    pub first_burst: u64,
    /// `NVMe` over fabrics: what comes with the command.
    pub inline: Option<u64>,
}

/// A rule with all that it needs.
#[derive(Clone, Debug)]
pub enum Spec {
    Same(Same),
    Linear(Linear),
    Segments(Segments),
    Striped(Stripes),
    Mirror(Copies),
    Raid1(Raid1),
    Raid10(Raid10),
    Parity(Parity),
    Cache(Blocks),
    Promote(promote::Figures),
    Writecache(writecache::Figures),
    Bcache(bcache::Figures),
    Controller(WriteBack),
    PageCache(pages::Figures),
    Journal(DataJournal),
    Drbd(Replica),
    Far(Far),
}

/// A write-intent bitmap on all layers below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// What a bit stands for.
    pub chunk: u64,
    /// All that has bits.
    pub covers: u64,
    /// Where it lies on each member.
    pub at: u64,
}

/// A layer of a stack.
#[derive(Clone, Debug)]
pub struct Layer {
    pub rule: Spec,
    pub limits: Limits,
    pub bitmap: Option<Bitmap>,
    pub below: Vec<Below>,
}

impl Layer {
    /// The layer as the ledger walks it. `together`: see `raid::parity::Parity`.
    ///
    /// # Errors
    /// Something makes no sense.
    pub fn node(self, together: bool) -> Result<Node, LedgerError> {
        let members = self.below.len();
        let bitmap = match self.bitmap {
            Some(bitmap) => Some(Box::new(self.rule.bitmap(bitmap, members as u64)?)),
            None => None,
        };
        Ok(Node {
            limits: self.limits,
            rule: self.rule.rule(members, together)?,
            bitmap,
            below: self.below,
        })
    }
}

impl Spec {
    fn bitmap(&self, bitmap: Bitmap, members: u64) -> Result<bitmap::Bitmap, LedgerError> {
        let Bitmap { chunk, covers, at } = bitmap;
        let (rows, failed) = match self {
            Self::Parity(array) => {
                let data = members.saturating_sub(array.parity);
                let chunk = array.chunk;
                (Some(Rows { chunk, data }), array.failed)
            }
            Self::Raid1(array) => (None, array.failed),
            Self::Raid10(array) => (None, array.failed),
            _ => (None, 0),
        };
        bitmap::Bitmap::new(chunk, covers, at, rows, failed)
    }

    fn rule(self, members: usize, together: bool) -> Result<Rule, LedgerError> {
        Ok(match self {
            Self::Same(same) => Rule::Same(same),
            Self::Linear(Linear { start }) => Rule::Linear(whole(start)?),
            Self::Segments(volume) => Rule::Linear(volume::Linear::new(volume.segments)?),
            Self::Striped(Stripes {
                chunk,
                start,
                latter_first,
            }) => Rule::Striped(Striped::new(chunk, members as u64, start, latter_first)?),
            Self::Mirror(Copies { start }) => Rule::Mirror(Mirror { members, start }),
            Self::Raid1(Raid1 { failed, solid }) => {
                Rule::Raid1(Box::new(copies::Raid1::new(members, failed, solid)?))
            }
            Self::Raid10(array) => Rule::Raid10(Box::new(raid10(&array, members as u64)?)),
            Self::Parity(array) => {
                Rule::Parity(Box::new(parity(&array, members as u64, together)?))
            }
            Self::Cache(blocks) => Rule::Cache(Box::new(cache(&blocks)?)),
            Self::Promote(figures) => Rule::Promote(Box::new(Promote::new(figures)?)),
            Self::Writecache(figures) => Rule::Writecache(Box::new(Writecache::new(figures)?)),
            Self::Bcache(figures) => Rule::Bcache(Box::new(Bcache::new(figures)?)),
            Self::Controller(WriteBack { width, room, reads }) => {
                Rule::Controller(Box::new(Controller::new(width, room, reads)?))
            }
            Self::PageCache(figures) => Rule::PageCache(Box::new(PageCache::new(figures)?)),
            Self::Journal(DataJournal { at, blocks, tags }) => {
                Rule::Journal(Box::new(Journal::new(at, blocks, tags)?))
            }
            Self::Drbd(Replica {
                log,
                extents,
                flushes,
            }) => Rule::Drbd(Box::new(Drbd::new(extents, log, flushes)?)),
            Self::Far(far) => Rule::Far(cut(&far)),
        })
    }
}

fn whole(at: u64) -> Result<volume::Linear, LedgerError> {
    volume::Linear::new(vec![Segment {
        start: 0,
        length: u64::MAX - at,
        child: 0,
        at,
    }])
}

fn raid10(array: &Raid10, members: u64) -> Result<copies::Raid10, LedgerError> {
    let Raid10 {
        chunk,
        layout,
        size,
        failed,
        solid,
    } = *array;
    copies::Raid10::new(members, layout, chunk, size, failed, solid)
}

fn parity(array: &Parity, members: u64, together: bool) -> Result<parity::Parity, LedgerError> {
    let layout = Layout::of(array.layout).ok_or(LedgerError::Layout(array.layout))?;
    let level = match array.rmw_level {
        0 => RmwLevel::Disabled,
        1 => RmwLevel::Enabled,
        2 => RmwLevel::Preferred,
        other => return Err(LedgerError::RmwLevel(other)),
    };
    let geometry = Geometry::new(members, array.parity, layout, array.chunk)?;
    parity::Parity::new(geometry, array.failed, level, array.stripe_cache, together)
}

fn cache(figures: &Blocks) -> Result<Cache, LedgerError> {
    let policy = if figures.lru {
        Policy::Lru
    } else {
        Policy::Fifo
    };
    let places = Places::new(policy, figures.blocks, figures.ways)?;
    Cache::new(figures.mode, figures.block, places, figures.fills)
}

fn cut(far: &Far) -> Cut {
    let transfers = match (far.burst, far.inline) {
        (0, None) => Transfers::None,
        (0, Some(inline)) => Transfers::Nvme { inline },
        (most, _) => Transfers::Iscsi {
            first: far.first_burst,
            most,
        },
    };
    Cut::new(far.read.max(1), far.write.max(1), transfers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;

    const ARRAY: Parity = Parity {
        parity: 1,
        chunk: 65536,
        layout: 2,
        failed: 0,
        rmw_level: 1,
        stripe_cache: 0,
    };

    fn node(rule: Spec, below: &[u32]) -> Result<Node, LedgerError> {
        let below = below.iter().map(|&node| Below { node, start: 0 }).collect();
        Layer {
            rule,
            limits: Limits {
                most: u64::MAX,
                segments: 0,
                boundary: 0,
                merges: false,
            },
            bitmap: None,
            below,
        }
        .node(false)
    }

    fn refused(rule: Spec, below: &[u32]) -> LedgerError {
        node(rule, below).expect_err("a rule that makes no sense")
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert!(node(Spec::Parity(ARRAY), &[1, 2, 3]).is_ok());
        let members = LedgerError::Members {
            members: 1,
            parity: 1,
        };
        assert_eq!(refused(Spec::Parity(ARRAY), &[1]), members);
        let array = Parity { layout: 7, ..ARRAY };
        let problem = refused(Spec::Parity(array), &[1, 2, 3]);
        assert_eq!(problem, LedgerError::Layout(7));
        assert_eq!(problem.to_string(), "md has no layout 7");
        let array = Parity {
            rmw_level: 3,
            ..ARRAY
        };
        let problem = refused(Spec::Parity(array), &[1, 2, 3]);
        assert_eq!(problem.to_string(), "rmw_level is 0, 1 or 2, not 3");
        let array = Parity {
            stripe_cache: u64::MAX,
            ..ARRAY
        };
        let problem = refused(Spec::Parity(array), &[1, 2, 3]);
        assert_eq!(problem, LedgerError::StripeCache(u64::MAX));
        let segments = Vec::new();
        let problem = refused(Spec::Segments(Segments { segments }), &[1]);
        assert_eq!(problem, LedgerError::NoSegment);
    }

    #[test]
    fn a_stack_has_an_order() {
        let linear = |below| node(Spec::Linear(Linear { start: 0 }), below).unwrap();
        let same = || node(Spec::Same(Same), &[]).unwrap();
        assert!(Ledger::new(vec![linear(&[1]), same()]).is_ok());
        let refused = |nodes| Ledger::new(nodes).expect_err("no stack");
        let order = LedgerError::Order { layer: 0 };
        assert_eq!(refused(vec![linear(&[0]), same()]), order);
        assert_eq!(refused(vec![linear(&[2]), same()]), order);
        assert_eq!(refused(Vec::new()), LedgerError::NoLayer);
        assert_eq!(refused(vec![linear(&[])]), LedgerError::SegmentBelow);
        let cache = Spec::Cache(Blocks {
            mode: Mode::Back,
            block: 4096,
            blocks: 8,
            ways: 0,
            lru: false,
            fills: true,
        });
        let cache = node(cache, &[1]).unwrap();
        assert_eq!(refused(vec![cache, same()]), LedgerError::CacheBelow);
    }

    #[test]
    fn modes_are_known_by_name() {
        assert_eq!(Mode::try_from("back".to_owned()), Ok(Mode::Back));
        let problem = Mode::try_from("none".to_owned()).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "a cache's mode is back, through or around, not \"none\""
        );
        let mode = bcache::Mode::try_from("none".to_owned());
        assert_eq!(mode, Ok(bcache::Mode::None));
    }
}
