//! The readers of traces and their profile, for Python: columns go over as bytes of native integers.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use iosonde_core::histogram;
use iosonde_core::trace::profile::{Options, Profile};
use iosonde_core::trace::{Batch, Event, Filled, OpenError, Reader, FORMATS};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pyo3::create_exception!(
    _core,
    TraceError,
    PyValueError,
    "A file that is no trace this core can read."
);

/// Requests between two looks whether the user has interrupted.
const SPAN: usize = 1 << 18;

/// Name of each format, and what it is.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    FORMATS.iter().map(|one| (one.name, one.about)).collect()
}

/// A trace that is being read.
#[pyclass(module = "iosonde._core")]
pub struct TraceReader(Mutex<(Reader, Batch)>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bytes<const N: usize>(
    py: Python<'_>,
    numbers: impl ExactSizeIterator<Item = [u8; N]>,
) -> PyResult<Bound<'_, PyBytes>> {
    PyBytes::new_with(py, numbers.len() * N, |room| {
        for (place, number) in room.chunks_exact_mut(N).zip(numbers) {
            place.copy_from_slice(&number);
        }
        Ok(())
    })
}

/// Times, operations, devices, offsets, lengths.
type Columns<'py> = [Bound<'py, PyBytes>; 5];

#[pymethods]
impl TraceReader {
    #[new]
    #[pyo3(signature = (paths, *, fmt=None, event=None))]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over owned values
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        fmt: Option<&str>,
        event: Option<&str>,
    ) -> PyResult<Self> {
        let event = match event {
            None => Event::Any,
            Some(letter) => Event::parse(letter)
                .ok_or_else(|| PyValueError::new_err(format!("{letter:?} is not Q, D or C")))?,
        };
        let reader = py.detach(|| Reader::open(&paths, fmt, event));
        match reader {
            Ok(reader) => Ok(Self(Mutex::new((reader, Batch::default())))),
            Err(OpenError::Io(error)) => Err(match error.raw_os_error() {
                Some(number) => PyOSError::new_err((number, error.to_string())),
                None => TraceError::new_err(error.to_string()),
            }),
            Err(error) => Err(TraceError::new_err(error.to_string())),
        }
    }

    /// The next requests, at least as many as asked for but at the end; None where there are none.
    fn read<'py>(&mut self, py: Python<'py>, limit: usize) -> PyResult<Option<Columns<'py>>> {
        let inner = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        inner.1.clear();
        loop {
            let wanted = limit.min(inner.1.len() + SPAN);
            let filled = py.detach(|| {
                let (reader, batch) = inner;
                reader.fill(batch, wanted)
            })?;
            py.check_signals()?;
            if filled == Filled::End || inner.1.len() >= limit {
                break;
            }
        }
        let batch = &inner.1;
        if batch.is_empty() {
            return Ok(None);
        }
        Ok(Some([
            bytes(py, batch.times.iter().map(|number| number.to_ne_bytes()))?,
            PyBytes::new(py, &batch.ops),
            bytes(py, batch.devices.iter().map(|number| number.to_ne_bytes()))?,
            bytes(py, batch.offsets.iter().map(|number| number.to_ne_bytes()))?,
            bytes(py, batch.lengths.iter().map(|number| number.to_ne_bytes()))?,
        ]))
    }

    /// Reads to the end and adds all up; `go_on` is asked now and then, and ends it by false.
    #[pyo3(signature = (block, tracked, go_on=None))]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over owned values
    fn profile(
        &mut self,
        py: Python<'_>,
        block: u64,
        tracked: usize,
        go_on: Option<Py<PyAny>>,
    ) -> PyResult<TraceProfile> {
        let mut profile = Profile::new(Options { block, tracked });
        let inner = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            let filled = py.detach(|| {
                let (reader, batch) = inner;
                batch.clear();
                let filled = reader.fill(batch, SPAN);
                profile.add(batch);
                filled
            })?;
            py.check_signals()?;
            if let Some(go_on) = &go_on {
                if !go_on.call0(py)?.is_truthy(py)? {
                    return Err(PyKeyboardInterrupt::new_err("the reading was stopped"));
                }
            }
            if filled == Filled::End {
                break;
            }
        }
        py.detach(|| profile.finish());
        Ok(TraceProfile(profile))
    }

    #[getter]
    fn format(&self) -> &'static str {
        lock(&self.0).0.format()
    }

    #[getter]
    fn compression(&self) -> Option<&'static str> {
        lock(&self.0).0.compression()
    }

    #[getter]
    fn lines(&self) -> Option<u64> {
        lock(&self.0).0.lines()
    }

    #[getter]
    fn bad(&self) -> u64 {
        lock(&self.0).0.bad().count
    }

    /// The first of what was not read: line from 1 or byte from 0, and what is wrong.
    #[getter]
    fn named_bad(&self) -> Vec<(u64, String)> {
        let inner = lock(&self.0);
        let named = inner.0.bad().named.iter();
        named
            .map(|(place, problem)| (*place, problem.to_string()))
            .collect()
    }

    #[getter]
    fn lost(&self) -> Option<u64> {
        lock(&self.0).0.lost()
    }

    #[getter]
    fn devices(&self) -> Vec<String> {
        lock(&self.0).0.devices().to_vec()
    }

    #[getter]
    fn others(&self) -> Vec<(String, u64)> {
        lock(&self.0).0.others()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        lock(&self.0).0.notes()
    }
}

/// What the requests of a trace are like.
#[pyclass(frozen, module = "iosonde._core")]
pub struct TraceProfile(Profile);

#[pymethods]
impl TraceProfile {
    /// Requests and bytes of reads, writes, flushes, discards.
    #[getter]
    fn counts(&self) -> [(u64, u64); 4] {
        self.0.counts
    }

    /// Size, reads, writes; whether sizes stand for all up to their double.
    #[getter]
    fn sizes(&self) -> (Vec<(u64, [u64; 2])>, bool) {
        (self.0.shape.sizes(), self.0.shape.grouped)
    }

    /// Reads and writes that begin or end off a grid, then those that begin off it.
    fn off(&self, grid: u64) -> PyResult<[[u64; 2]; 2]> {
        if !grid.is_power_of_two() {
            return Err(PyValueError::new_err("a grid is a power of two"));
        }
        Ok(self.0.shape.off(grid))
    }

    /// Of reads and writes: steps, sequential, streamed; then the sum of all distances in bytes.
    #[getter]
    fn order(&self) -> ([[u64; 2]; 3], u128) {
        let order = &self.0.order;
        (
            [order.steps, order.sequential, order.streamed],
            order.travelled,
        )
    }

    /// Steps by the bits of their distance in bytes, backwards and forwards.
    #[getter]
    fn distances(&self) -> Vec<(u32, [u64; 2])> {
        let [back, forth] = &self.0.order.distances;
        (0..)
            .zip(back.iter().zip(forth))
            .map(|(bits, (&back, &forth))| (bits, [back, forth]))
            .filter(|(_, counts)| counts[0] + counts[1] > 0)
            .collect()
    }

    /// Devices with reads or writes.
    #[getter]
    fn devices(&self) -> usize {
        self.0.order.devices()
    }

    /// First and last time; gaps that go back; shortest and longest gap, sum: nanoseconds.
    #[getter]
    fn clock(&self) -> (u64, u64, u64, u64, u64, u128) {
        let clock = &self.0.clock;
        (
            clock.first,
            clock.last,
            clock.backwards,
            clock.shortest,
            clock.longest,
            clock.sum,
        )
    }

    /// Lowest and highest gap of each filled bucket in nanoseconds, and how many.
    #[getter]
    fn gaps(&self) -> Vec<(u64, u64, u64)> {
        let gaps = self.0.clock.gaps().into_iter();
        gaps.map(|(bucket, count)| {
            let (low, high) = histogram::bounds(bucket);
            (low, high, count)
        })
        .collect()
    }

    /// Seconds of a row; second, reads, writes, bytes read, written, requests in the busiest second.
    #[getter]
    fn load(&self) -> (u64, Vec<[u64; 6]>) {
        let rows = self.0.load.rows().map(|(second, row)| {
            let ([reads, writes], [read, written]) = (row.requests, row.bytes);
            [second, reads, writes, read, written, row.peak]
        });
        (self.0.load.step, rows.collect())
    }

    /// Bytes of a block; share of them followed; blocks asked for: all, read, written; references.
    #[getter]
    fn reuse(&self) -> (u64, f64, [u64; 3], [u64; 2]) {
        let reuse = &self.0.reuse;
        (
            reuse.block(),
            reuse.rate(),
            reuse.working_set(),
            reuse.references(),
        )
    }

    /// First references to blocks; then lowest and highest distance in blocks, reads, writes.
    #[getter]
    #[allow(clippy::type_complexity)] // a table
    fn reuse_distances(&self) -> ([f64; 2], Vec<(u64, u64, [f64; 2])>) {
        let distances = self.0.reuse.distances().into_iter();
        let rows = distances.map(|(bucket, counts)| {
            let (low, high) = histogram::bounds(bucket);
            (low, high, counts)
        });
        (self.0.reuse.cold(), rows.collect())
    }

    /// Bytes of a region; device, first byte, reads, writes of each, the most asked for first.
    #[getter]
    #[allow(clippy::type_complexity)] // a table
    fn regions(&self) -> (u64, Vec<(u32, u64, [u64; 2])>) {
        (self.0.hot.region(), self.0.hot.regions())
    }
}
