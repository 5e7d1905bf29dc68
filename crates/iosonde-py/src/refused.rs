//! The core's errors of a stack that cannot be modelled, as an exception of Python.

use iosonde_core::ledger::problem;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    _core,
    LedgerError,
    PyValueError,
    "A stack that cannot be modelled, in one sentence."
);

/// The exception that says what the core says.
#[allow(clippy::needless_pass_by_value)] // as `map_err` hands it over
pub fn refused(problem: problem::LedgerError) -> PyErr {
    LedgerError::new_err(problem.to_string())
}
