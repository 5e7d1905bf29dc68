//! The rules of the ledger for Python: a class for each, made by keyword. An unknown or missing key
//! is refused by name, as by any function of Python.

use iosonde_core::ledger::cache::{bcache, pages, promote, writecache};
use iosonde_core::ledger::mapping;
use iosonde_core::ledger::problem::LedgerError;
use iosonde_core::ledger::spec::{self, Spec};
use iosonde_core::ledger::volume;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::given::{Given, Wanted};

/// A class for each rule, and how it becomes the core's own struct of the same fields.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident as $core:ty, $variant:path {
        $($field:ident: $type:ty $(= $default:expr)?),* $(,)?
    })*) => {
        $(
            $(#[$doc])*
            #[pyclass(frozen, eq, hash, get_all, module = "iosonde._core")]
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            #[allow(clippy::struct_field_names)] // an array's parity is called that
            pub struct $name {
                $($field: $type,)*
            }

            #[pymethods]
            impl $name {
                #[new]
                #[pyo3(signature = (*, $($field $(= Given::from($default))?),*))]
                #[allow(clippy::too_many_arguments)] // each by its name
                fn new($($field: Given<$type>),*) -> PyResult<Self> {
                    Ok(Self { $($field: $field.named(stringify!($name), stringify!($field))?),* })
                }

                fn __repr__(&self) -> String {
                    format!("{self:?}")
                }
            }

            impl TryFrom<$name> for Spec {
                type Error = LedgerError;

                fn try_from(rule: $name) -> Result<Self, LedgerError> {
                    type Core = $core;
                    Ok($variant(Core { $($field: rule.$field.try_into()?),* }))
                }
            }
        )*

        /// The core's struct of any rule.
        pub fn spec(rule: &Bound<'_, PyAny>) -> PyResult<Result<Spec, LedgerError>> {
            if rule.cast::<Same>().is_ok() {
                return Ok(Ok(Spec::Same(mapping::Same)));
            }
            if let Ok(volume) = rule.cast::<Segments>() {
                return Ok(Ok(volume.get().spec()));
            }
            $(
                if let Ok(known) = rule.cast::<$name>() {
                    return Ok(known.get().clone().try_into());
                }
            )*
            let text = format!("{} is no rule of the ledger", rule.repr()?);
            Err(PyTypeError::new_err(text))
        }
    };
}

/// A device, or a layer that hands down what it gets.
#[pyclass(frozen, eq, hash, module = "iosonde._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Same;

#[pymethods]
impl Same {
    #[new]
    fn new() -> Self {
        Self
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

/// A part of a volume.
#[pyclass(frozen, eq, hash, get_all, module = "iosonde._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    start: u64,
    length: u64,
    child: u32,
    at: u64,
}

#[pymethods]
impl Segment {
    #[new]
    #[pyo3(signature = (*, start, length, child, at))]
    fn new(
        start: Given<u64>,
        length: Given<u64>,
        child: Given<u32>,
        at: Given<u64>,
    ) -> PyResult<Self> {
        Ok(Self {
            start: start.named("Segment", "start")?,
            length: length.named("Segment", "length")?,
            child: child.named("Segment", "child")?,
            at: at.named("Segment", "at")?,
        })
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

impl Wanted for Vec<Segment> {
    const WANTED: &'static str = "a list of segments";
}

/// Parts of the layers below, one behind the other.
#[pyclass(frozen, eq, hash, get_all, module = "iosonde._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    segments: Vec<Segment>,
}

#[pymethods]
impl Segments {
    #[new]
    #[pyo3(signature = (*, segments))]
    fn new(segments: Given<Vec<Segment>>) -> PyResult<Self> {
        let segments = segments.named("Segments", "segments")?;
        Ok(Self { segments })
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

impl Segments {
    fn spec(&self) -> Spec {
        let segment = |one: &Segment| volume::Segment {
            start: one.start,
            length: one.length,
            child: one.child,
            at: one.at,
        };
        let segments = self.segments.iter().map(segment).collect();
        Spec::Segments(spec::Segments { segments })
    }
}

rules! {
    /// All of the layer below, from a place on.
    Linear as spec::Linear, Spec::Linear { start: u64 = 0 }
    /// Stripes over all layers below.
    Striped as spec::Stripes, Spec::Striped {
        chunk: u64, start: u64 = 0, latter_first: bool = false,
    }
    /// Copies on all layers below.
    Mirror as spec::Copies, Spec::Mirror { start: u64 = 0 }
    /// RAID 1.
    Raid1 as spec::Raid1, Spec::Raid1 { failed: u64 = 0, solid: bool = false }
    /// RAID 10.
    Raid10 as spec::Raid10, Spec::Raid10 {
        chunk: u64, size: u64, layout: u64 = 0x102, failed: u64 = 0, solid: bool = false,
    }
    /// RAID 4, 5 and 6.
    Parity as spec::Parity, Spec::Parity {
        parity: u64, chunk: u64, layout: u64 = 2, failed: u64 = 0, rmw_level: u64 = 1,
        stripe_cache: u64 = 0,
    }
    /// A cache of blocks, such as flashcache.
    Cache as spec::Blocks, Spec::Cache {
        block: u64, blocks: u64, mode: String, ways: u64 = 0, lru: bool = false, fills: bool = true,
    }
    /// dm-cache.
    Promote as promote::Figures, Spec::Promote {
        block: u64, blocks: u64, mode: String, origin: u64, rate: u64, start: u64 = 0,
    }
    /// dm-writecache.
    Writecache as writecache::Figures, Spec::Writecache {
        block: u64, blocks: u64, high: u64, low: u64, commit: u64, rate: u64, start: u64 = 0,
    }
    /// bcache.
    Bcache as bcache::Figures, Spec::Bcache {
        bucket: u64, buckets: u64, mode: String, cutoff: u64 = 0, percent: u64 = 0,
    }
    /// The write-back cache of a RAID controller.
    Controller as spec::WriteBack, Spec::Controller { width: u64, room: u64, reads: u64 = 0 }
    /// The page cache of one file.
    PageCache as pages::Figures, Spec::PageCache {
        pages: u64, background: u64, ahead: u64, largest: u64, size: u64, apart: bool = false,
    }
    /// A file system that journals data too.
    Journal as spec::DataJournal, Spec::Journal { at: u64, blocks: u64, tags: u64 }
    /// A replicated volume.
    Drbd as spec::Replica, Spec::Drbd { log: u64, extents: u64 = 1237, flushes: bool = true }
    /// A layer whose data go over a network.
    Far as spec::Far, Spec::Far {
        read: u64, write: u64, burst: u64 = 0, first_burst: u64 = 0, inline: Option<u64> = None,
    }
}
