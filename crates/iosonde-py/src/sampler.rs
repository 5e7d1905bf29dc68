//! The sampler of `/proc` as Python sees it.

use std::path::PathBuf;
use std::time::Duration;

use iosonde_core::sampler;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

type Readings<'py> = Vec<(f64, Vec<Bound<'py, PyBytes>>)>;

/// Reads files every `interval` seconds in a thread of its own.
#[pyclass(frozen)]
pub struct Sampler(std::sync::Mutex<sampler::Sampler>);

#[pymethods]
impl Sampler {
    #[new]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn new(paths: Vec<PathBuf>, interval: f64) -> PyResult<Self> {
        let pace = Duration::try_from_secs_f64(interval)
            .map_err(|problem| pyo3::exceptions::PyValueError::new_err(problem.to_string()))?;
        Ok(Self(std::sync::Mutex::new(sampler::Sampler::start(
            &paths, pace,
        )?)))
    }

    /// The readings since the last call: epoch seconds and contents; and how many came too late.
    fn take<'py>(&self, py: Python<'py>) -> (Readings<'py>, u64) {
        let (readings, missed) = self.inner().take();
        let readings = readings
            .into_iter()
            .map(|one| {
                let contents = one.contents.iter().map(|text| PyBytes::new(py, text));
                (one.time, contents.collect())
            })
            .collect();
        (readings, missed)
    }

    /// Ends the thread.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.inner().stop());
    }
}

impl Sampler {
    fn inner(&self) -> std::sync::MutexGuard<'_, sampler::Sampler> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
