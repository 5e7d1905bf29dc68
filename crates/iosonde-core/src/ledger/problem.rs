//! What can be wrong with a stack, in words for its user.

use std::convert::Infallible;
use std::fmt;

/// Why a stack cannot be modelled. Counts are of layers, sizes bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// What a key of a rule cannot be.
    Figure {
        rule: &'static str,
        key: &'static str,
        wanted: &'static str,
        given: String,
    },
    /// A stack without layers.
    NoLayer,
    /// A layer that stands on itself or on one before it.
    Order {
        layer: usize,
    },
    /// Another number of beginnings than of layers below.
    Starts {
        layer: usize,
        starts: usize,
        below: usize,
    },
    /// A segment begins elsewhere than where the one before it ends.
    Gap {
        start: u64,
        end: u64,
    },
    SegmentEnd,
    SegmentBelow,
    NoSegment,
    NoStripe,
    Copies {
        copies: usize,
        below: usize,
    },
    CacheBelow,
    ReplicaBelow,
    /// A cache's mode that is none.
    Mode {
        mode: String,
        known: &'static str,
    },
    NoBlock,
    Blocks,
    PolicyBlocks,
    WritecacheBlocks,
    Buckets,
    Ways,
    Pages,
    ControllerStripe,
    JournalBlocks,
    /// A number of active extents that an activity log cannot have.
    Extents(u64),
    NoMember,
    /// md's number of a layout of RAID 10.
    Layout10 {
        layout: u64,
        members: u64,
    },
    Chunk10,
    ChunkLost,
    /// md's number of a layout with parity.
    Layout(u64),
    Layout6,
    Members {
        members: u64,
        parity: u64,
    },
    ParityChunk,
    TooManyLost,
    RmwLevel(u64),
    StripeCache(u64),
    BitmapChunk,
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Self::NoLayer => "there is no layer",
            Self::SegmentEnd => "a segment ends behind 2^64 bytes",
            Self::SegmentBelow => "a segment lies on a layer that is not there",
            Self::NoSegment => "a volume needs a segment",
            Self::NoStripe => "stripes need a chunk and a member",
            Self::CacheBelow => "a cache stands on a slow and a fast layer",
            Self::ReplicaBelow => "a replicated volume has two sides",
            Self::NoBlock => "a cache's block has bytes",
            Self::Blocks => "a cache holds 1 to 2^31 − 1 blocks",
            Self::PolicyBlocks => "a cache holds 1 to 2^31 − 1 blocks of some bytes",
            Self::WritecacheBlocks => "dm-writecache has 1 to 2^40 blocks of some bytes",
            Self::Buckets => "bcache has 2 to 2^31 − 1 buckets of some bytes",
            Self::Ways => "a set has at most 65534 places",
            Self::Pages => "a page cache has 1 to 2^31 − 1 pages",
            Self::ControllerStripe => "a controller's cache is for stripes of some bytes",
            Self::JournalBlocks => "a journal has at least 1024 blocks",
            Self::NoMember => "RAID 1 needs a member that is not lost",
            Self::Chunk10 => "the chunk of RAID 10 is a power of two",
            Self::ChunkLost => "all copies of a chunk are lost",
            Self::Layout6 => "this layout is RAID 6's",
            Self::ParityChunk => "a chunk of RAID 4, 5 and 6 is a multiple of 4 KiB",
            Self::TooManyLost => "more members are lost than parity makes up for",
            Self::BitmapChunk => "a bit of a bitmap stands for at least a sector",
            _ => return self.with_figures(f),
        };
        f.write_str(text)
    }
}

impl LedgerError {
    /// The text of those that name what was given.
    fn with_figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Figure {
                rule,
                key,
                wanted,
                given,
            } => write!(f, "{rule}: {key} is {wanted}, not {given}"),
            Self::Order { layer } => {
                write!(f, "layer {layer} stands on one that does not come after it")
            }
            Self::Starts {
                layer,
                starts,
                below,
            } => write!(f, "layer {layer} has {starts} beginnings on {below} layers"),
            Self::Gap { start, end } => write!(f, "a segment begins at {start}, not at {end}"),
            Self::Copies { copies, below } => write!(f, "{copies} copies on {below} layers"),
            Self::Mode { mode, known } => write!(f, "a cache's mode is {known}, not {mode:?}"),
            Self::Extents(count) => write!(f, "{count} active extents are not supported"),
            Self::Layout10 { layout, members } => {
                write!(f, "{layout:#x} is no layout of {members} members")
            }
            Self::Layout(number) => write!(f, "md has no layout {number}"),
            Self::Members { members, parity } => write!(
                f,
                "{members} members, {parity} of them parity, are not supported"
            ),
            Self::RmwLevel(level) => write!(f, "rmw_level is 0, 1 or 2, not {level}"),
            Self::StripeCache(stripes) => {
                write!(f, "a stripe cache of {stripes} stripes is not supported")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for LedgerError {}

impl From<Infallible> for LedgerError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
