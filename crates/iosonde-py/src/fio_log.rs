//! The reader of fio's logs, for Python: columns of numbers go over as bytes of native `u64`.

use std::path::PathBuf;

use iosonde_core::fio_log::{read, Figures, Options, ReadError, SizeFigures, Variant, DIRECTIONS};
use iosonde_core::histogram;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

pyo3::create_exception!(
    _core,
    LogError,
    PyValueError,
    "A log that cannot be read: (message, line or None)."
);

/// Names of all variants, as `read_fio_log` takes them.
#[pyfunction]
pub fn fio_log_variants() -> Vec<String> {
    Variant::all().map(Variant::name).collect()
}

/// Figures of a fio log or trace.
#[pyfunction]
#[pyo3(signature = (path, *, strict=false, threads=0, variant=None, interval_ms=1000))]
#[allow(clippy::needless_pass_by_value)] // PyO3 hands over owned values
pub fn read_fio_log(
    py: Python<'_>,
    path: PathBuf,
    strict: bool,
    threads: usize,
    variant: Option<&str>,
    interval_ms: u64,
) -> PyResult<FioLogFigures> {
    let variant = match variant {
        Some(name) => Some(Variant::parse(name).ok_or_else(|| {
            PyValueError::new_err(format!("{name:?} is not a variant of fio's logs"))
        })?),
        None => None,
    };
    let options = Options {
        strict,
        threads,
        variant,
        interval_ms,
        chunk: 0,
    };
    let mut signal = None;
    let figures = py.detach(|| {
        read(&path, &options, || {
            Python::attach(|py| match py.check_signals() {
                Ok(()) => true,
                Err(raised) => {
                    signal = Some(raised);
                    false
                }
            })
        })
    });
    match (figures, signal) {
        (Ok(figures), _) => Ok(FioLogFigures { figures }),
        (Err(ReadError::Interrupted), Some(raised)) => Err(raised),
        (Err(ReadError::Io(error)), _) => match error.raw_os_error() {
            Some(number) => Err(PyOSError::new_err((number, error.to_string(), path))),
            None => Err(error.into()),
        },
        (Err(error), _) => Err(LogError::new_err((error.to_string(), error.line()))),
    }
}

/// What a log or trace says; arrays are bytes of native unsigned 64-bit integers.
#[pyclass(frozen, module = "iosonde._core")]
pub struct FioLogFigures {
    figures: Figures,
}

fn column(py: Python<'_>, numbers: impl Iterator<Item = u64>) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = numbers.flat_map(u64::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

#[pymethods]
impl FioLogFigures {
    #[getter]
    fn variant(&self) -> Option<String> {
        self.figures.variant.map(Variant::name)
    }

    #[getter]
    fn lines(&self) -> u64 {
        self.figures.lines
    }

    #[getter]
    fn bad_lines(&self) -> u64 {
        self.figures.bad_lines
    }

    #[getter]
    fn crlf_lines(&self) -> u64 {
        self.figures.crlf_lines
    }

    #[getter]
    fn sizes_grouped(&self) -> bool {
        self.figures.sizes_grouped
    }

    /// Length of the series' intervals in the log's unit of time.
    #[getter]
    fn interval(&self) -> u64 {
        self.figures.interval
    }

    /// The first bad lines: number and what is wrong.
    #[getter]
    fn named_bad_lines(&self) -> Vec<(u64, String)> {
        let bad = self.figures.named_bad_lines.iter();
        bad.map(|bad| (bad.line, bad.problem.to_string())).collect()
    }

    /// Direction → time of its first and of its last sample, in the log's unit of time.
    #[getter]
    fn spans(&self) -> Vec<(&'static str, u64, u64)> {
        let spans = self.figures.first.iter().zip(&self.figures.last);
        DIRECTIONS
            .iter()
            .zip(spans)
            .filter_map(|(&name, (first, last))| Some((name, (*first)?, (*last)?)))
            .collect()
    }

    /// How often each action that is no read, write or trim occurs in a trace.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let events = &self.figures.events;
        let found = PyDict::new(py);
        found.set_item("add", events.add)?;
        found.set_item("open", events.open)?;
        found.set_item("close", events.close)?;
        found.set_item("sync", events.sync)?;
        found.set_item("datasync", events.datasync)?;
        found.set_item("wait", events.wait)?;
        found.set_item("waited_us", events.waited)?;
        Ok(found)
    }

    /// The series of a direction: number of the interval, count, bytes, sum, max.
    fn series<'py>(&self, py: Python<'py>, direction: &str) -> PyResult<[Bound<'py, PyBytes>; 5]> {
        let series = &self.figures.series[number(direction)?];
        Ok([
            column(py, series.keys().copied()),
            column(py, series.values().map(|second| second.count)),
            column(py, series.values().map(|second| second.bytes)),
            column(py, series.values().map(|second| second.sum)),
            column(py, series.values().map(|second| second.max)),
        ])
    }

    /// The sizes of a direction: size, count, bytes, sum, min, max, offset off the grid, off the grid.
    fn sizes<'py>(&self, py: Python<'py>, direction: &str) -> PyResult<[Bound<'py, PyBytes>; 8]> {
        let of = |read: fn(&SizeFigures) -> u64| -> PyResult<_> {
            Ok(column(py, self.of(direction)?.map(read)))
        };
        Ok([
            of(|size| size.size)?,
            of(|size| size.count)?,
            of(|size| size.bytes)?,
            of(|size| size.sum)?,
            of(|size| size.min)?,
            of(|size| size.max)?,
            of(|size| size.offset_off_grid)?,
            of(|size| size.off_grid)?,
        ])
    }

    /// The values' histograms of a direction: place in `sizes`, lowest and highest value, count.
    fn histograms<'py>(
        &self,
        py: Python<'py>,
        direction: &str,
    ) -> PyResult<[Bound<'py, PyBytes>; 4]> {
        let cells = || -> PyResult<_> {
            let places = (0_u64..).zip(self.of(direction)?);
            Ok(places.flat_map(|(place, size)| {
                let cells = size.histogram.iter();
                cells
                    .map(move |&(bucket, count)| (place, histogram::bounds(bucket as usize), count))
            }))
        };
        Ok([
            column(py, cells()?.map(|(place, _, _)| place)),
            column(py, cells()?.map(|(_, (low, _), _)| low)),
            column(py, cells()?.map(|(_, (_, high), _)| high)),
            column(py, cells()?.map(|(_, _, count)| count)),
        ])
    }
}

impl FioLogFigures {
    fn of(&self, direction: &str) -> PyResult<impl Iterator<Item = &SizeFigures>> {
        let direction = number(direction)?;
        let sizes = self.figures.sizes.iter();
        Ok(sizes.filter(move |size| size.direction == direction))
    }
}

fn number(direction: &str) -> PyResult<usize> {
    DIRECTIONS
        .iter()
        .position(|&name| name == direction)
        .ok_or_else(|| PyValueError::new_err(format!("{direction:?} is not a direction")))
}
