//! The ledger for Python: a stack as names and figures, I/Os as columns of native integers.

use iosonde_core::ledger::io::{Direction, Op, Sizes};
use iosonde_core::ledger::spec::{bitmap, limits, rule, Figures};
use iosonde_core::ledger::{self, Below, Node};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// I/Os between two looks whether the user has interrupted.
const SPAN: usize = 1 << 20;
/// I/Os of which a cache may fetch the memory at once.
const AHEAD: usize = 32;

/// A stack, and what its layers got.
#[pyclass(module = "iosonde._core")]
pub struct Ledger(ledger::Ledger);

fn column(py: Python<'_>, numbers: impl Iterator<Item = u64>) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = numbers.flat_map(u64::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

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
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over owned values
    fn new(layers: Vec<(String, Figures, Vec<u32>)>) -> PyResult<Self> {
        let node = |(kind, figures, below): (String, Figures, Vec<u32>)| {
            let start = |place| figures.get(&format!("begins{place}")).copied();
            let beneath = below.iter().enumerate().map(|(place, &node)| Below {
                node,
                start: start(place).unwrap_or(0),
            });
            Ok(Node {
                limits: limits(&figures),
                rule: rule(&kind, &figures, below.len())?,
                bitmap: bitmap(&kind, &figures)?,
                below: beneath.collect(),
            })
        };
        let nodes: Result<_, String> = layers.into_iter().map(node).collect();
        let ledger = nodes.and_then(ledger::Ledger::new);
        ledger.map(Self).map_err(PyValueError::new_err)
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

    /// Reads, writes, flushes; bytes read, written; reads, writes off the 4 KiB grid.
    fn counts(&self, layer: usize) -> PyResult<[u64; 7]> {
        let tally = self.0.tally(layer).ok_or_else(|| no_layer(layer))?;
        let (reads, writes) = (tally.reads.sizes.total(), tally.writes.sizes.total());
        Ok([
            reads.0,
            writes.0,
            tally.flushes,
            reads.1,
            writes.1,
            tally.reads.off_grid,
            tally.writes.off_grid,
        ])
    }

    /// Sizes of the reads and how many of each, then of the writes.
    fn sizes<'py>(&self, py: Python<'py>, layer: usize) -> PyResult<[Bound<'py, PyBytes>; 4]> {
        let tally = self.0.tally(layer).ok_or_else(|| no_layer(layer))?;
        let of = |direction: &Direction| Sizes::sorted(&direction.sizes);
        let (reads, writes) = (of(&tally.reads), of(&tally.writes));
        Ok([
            column(py, reads.iter().map(|one| one.0)),
            column(py, reads.iter().map(|one| one.1)),
            column(py, writes.iter().map(|one| one.0)),
            column(py, writes.iter().map(|one| one.1)),
        ])
    }

    /// What the layer's own rule counted.
    fn events(&self, layer: usize) -> Vec<(&'static str, u64)> {
        self.0.events(layer)
    }
}

fn no_layer(layer: usize) -> PyErr {
    PyValueError::new_err(format!("there is no layer {layer}"))
}
