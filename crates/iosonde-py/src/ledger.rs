//! The ledger for Python: a stack as rules, I/Os as columns of native integers.

use iosonde_core::ledger::io::{Direction, Op, Sizes, SECTOR};
use iosonde_core::ledger::problem;
use iosonde_core::ledger::{self, queue, spec, Below};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::given::Given;
use crate::refused::refused;
use crate::rules;

/// I/Os between two looks whether the user has interrupted.
const SPAN: usize = 1 << 20;
/// I/Os of which a cache may fetch the memory at once.
const AHEAD: usize = 32;

/// What a layer takes at once.
#[pyclass(frozen, eq, hash, get_all, module = "iosonde._core")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    most: Option<u64>,
    segments: u64,
    boundary: u64,
    merges: bool,
}

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(
        signature = (*, most = Given::from(None), segments = Given::from(0),
                     boundary = Given::from(0), merges = Given::from(false)),
        text_signature = "(*, most=None, segments=0, boundary=0, merges=False)"
    )]
    fn new(
        most: Given<Option<u64>>,
        segments: Given<u64>,
        boundary: Given<u64>,
        merges: Given<bool>,
    ) -> PyResult<Self> {
        Ok(Self {
            most: most.named("Limits", "most")?,
            segments: segments.named("Limits", "segments")?,
            boundary: boundary.named("Limits", "boundary")?,
            merges: merges.named("Limits", "merges")?,
        })
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

/// A write-intent bitmap on all layers below.
#[pyclass(frozen, eq, hash, get_all, module = "iosonde._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bitmap {
    chunk: u64,
    covers: u64,
    at: u64,
}

#[pymethods]
impl Bitmap {
    #[new]
    #[pyo3(signature = (*, chunk, covers, at))]
    fn new(chunk: Given<u64>, covers: Given<u64>, at: Given<u64>) -> PyResult<Self> {
        Ok(Self {
            chunk: chunk.named("Bitmap", "chunk")?,
            covers: covers.named("Bitmap", "covers")?,
            at: at.named("Bitmap", "at")?,
        })
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

/// A layer of a stack.
#[pyclass(frozen, get_all, module = "iosonde._core")]
pub struct Node {
    rule: Py<PyAny>,
    below: Vec<u32>,
    starts: Vec<u64>,
    limits: Limits,
    bitmap: Option<Bitmap>,
}

#[pymethods]
impl Node {
    #[new]
    #[pyo3(
        signature = (rule, *, below = Given::from(vec![]), starts = Given::from(vec![]),
                     limits = None, bitmap = None),
        text_signature = "(rule, *, below=(), starts=(), limits=None, bitmap=None)"
    )]
    fn new(
        rule: &Bound<'_, PyAny>,
        below: Given<Vec<u32>>,
        starts: Given<Vec<u64>>,
        limits: Option<Limits>,
        bitmap: Option<Bitmap>,
    ) -> PyResult<Self> {
        let _ = rules::spec(rule)?;
        Ok(Self {
            rule: rule.clone().unbind(),
            below: below.named("Node", "below")?,
            starts: starts.named("Node", "starts")?,
            limits: limits.unwrap_or_default(),
            bitmap,
        })
    }
}

impl Node {
    /// The layer of a number, for the core.
    fn layer(&self, py: Python<'_>, layer: usize) -> PyResult<spec::Layer> {
        let (starts, below) = (self.starts.len(), self.below.len());
        if starts != 0 && starts != below {
            return Err(refused(problem::LedgerError::Starts {
                layer,
                starts,
                below,
            }));
        }
        let starts = self.starts.iter().copied().chain(std::iter::repeat(0));
        let below = self.below.iter().zip(starts);
        Ok(spec::Layer {
            rule: rules::spec(self.rule.bind(py))?.map_err(refused)?,
            limits: queue::Limits {
                most: self.limits.most.unwrap_or(u64::MAX).max(SECTOR),
                segments: self.limits.segments,
                boundary: self.limits.boundary,
                merges: self.limits.merges,
            },
            bitmap: self.bitmap.as_ref().map(|one| spec::Bitmap {
                chunk: one.chunk,
                covers: one.covers,
                at: one.at,
            }),
            below: below.map(|(&node, start)| Below { node, start }).collect(),
        })
    }
}

/// What a layer got.
#[pyclass(frozen, eq, get_all, module = "iosonde._core")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    reads: u64,
    writes: u64,
    flushes: u64,
    read_bytes: u64,
    write_bytes: u64,
    off_grid_reads: u64,
    off_grid_writes: u64,
}

#[pymethods]
impl Counts {
    fn __sub__(&self, before: &Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            flushes: self.flushes - before.flushes,
            read_bytes: self.read_bytes - before.read_bytes,
            write_bytes: self.write_bytes - before.write_bytes,
            off_grid_reads: self.off_grid_reads - before.off_grid_reads,
            off_grid_writes: self.off_grid_writes - before.off_grid_writes,
        }
    }

    fn __repr__(&self) -> String {
        format!("{self:?}")
    }
}

/// A stack, and what its layers got.
#[pyclass(module = "iosonde._core")]
pub struct Ledger(ledger::Ledger);

fn numbers(bytes: &[u8]) -> PyResult<impl Iterator<Item = u64> + '_> {
    if bytes.len() % 8 != 0 {
        return Err(PyValueError::new_err("a column of 64-bit integers"));
    }
    Ok(bytes.chunks_exact(8).map(|one| {
        let mut number = [0; 8];
        number.copy_from_slice(one);
        u64::from_ne_bytes(number)
    }))
}

fn op(number: u8) -> PyResult<Op> {
    match number {
        0 => Ok(Op::Read),
        1 => Ok(Op::Write),
        2 => Ok(Op::Flush),
        _ => Err(PyValueError::new_err(format!("{number} is no operation"))),
    }
}

#[pymethods]
impl Ledger {
    #[new]
    #[pyo3(signature = (nodes, *, together = false))]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over owned values
    fn new(py: Python<'_>, nodes: Vec<Py<Node>>, together: bool) -> PyResult<Self> {
        let node = |(number, node): (usize, &Py<Node>)| {
            let layer = node.get().layer(py, number)?;
            layer.node(together).map_err(refused)
        };
        let nodes: PyResult<_> = nodes.iter().enumerate().map(node).collect();
        ledger::Ledger::new(nodes?).map(Self).map_err(refused)
    }

    /// Requests one after the other.
    fn run(&mut self, py: Python<'_>, ops: &[u8], offsets: &[u8], lengths: &[u8]) -> PyResult<()> {
        if offsets.len() != ops.len() * 8 || lengths.len() != ops.len() * 8 {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        let spans = ops.chunks(SPAN);
        for ((ops, offsets), lengths) in spans
            .zip(offsets.chunks(SPAN * 8))
            .zip(lengths.chunks(SPAN * 8))
        {
            py.detach(|| -> PyResult<()> {
                let ahead = offsets.chunks(AHEAD * 8).zip(lengths.chunks(AHEAD * 8));
                for (ops, (offsets, lengths)) in ops.chunks(AHEAD).zip(ahead) {
                    self.0.ahead(numbers(offsets)?);
                    let places = numbers(offsets)?.zip(numbers(lengths)?);
                    for (&number, (offset, length)) in ops.iter().zip(places) {
                        if offset.checked_add(length).is_none() {
                            return Err(PyValueError::new_err("an I/O ends behind 2^64 bytes"));
                        }
                        self.0.request(op(number)?, offset, length);
                    }
                }
                Ok(())
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// What caches hold that write back by and by is written.
    fn settle(&mut self, py: Python<'_>) {
        py.detach(|| self.0.settle());
    }

    /// Begins to count anew.
    fn reset(&mut self) {
        self.0.reset();
    }

    /// What a layer got.
    fn counts(&self, layer: usize) -> PyResult<Counts> {
        let tally = self.0.tally(layer).ok_or_else(|| no_layer(layer))?;
        let (reads, writes) = (tally.reads.sizes.total(), tally.writes.sizes.total());
        Ok(Counts {
            reads: reads.0,
            writes: writes.0,
            flushes: tally.flushes,
            read_bytes: reads.1,
            write_bytes: writes.1,
            off_grid_reads: tally.reads.off_grid,
            off_grid_writes: tally.writes.off_grid,
        })
    }

    /// Sizes of the reads that a layer got, and how many of each.
    fn read_sizes<'py>(&self, py: Python<'py>, layer: usize) -> PyResult<Bound<'py, PyDict>> {
        self.sizes(py, layer, |tally| &tally.reads)
    }

    /// Sizes of the writes that a layer got, and how many of each.
    fn write_sizes<'py>(&self, py: Python<'py>, layer: usize) -> PyResult<Bound<'py, PyDict>> {
        self.sizes(py, layer, |tally| &tally.writes)
    }

    /// What the layer's own rule counted.
    fn events<'py>(&self, py: Python<'py>, layer: usize) -> PyResult<Bound<'py, PyDict>> {
        self.0.events(layer).into_py_dict(py)
    }
}

impl Ledger {
    fn sizes<'py>(
        &self,
        py: Python<'py>,
        layer: usize,
        of: impl Fn(&ledger::io::Tally) -> &Direction,
    ) -> PyResult<Bound<'py, PyDict>> {
        let tally = self.0.tally(layer).ok_or_else(|| no_layer(layer))?;
        Sizes::sorted(&of(&tally).sizes).into_py_dict(py)
    }
}

fn no_layer(layer: usize) -> PyErr {
    PyValueError::new_err(format!("there is no layer {layer}"))
}
