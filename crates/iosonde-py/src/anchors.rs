//! The search for literals as Python sees it.

use iosonde_core::anchors;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Found = (Vec<u64>, Vec<u64>, Vec<u32>, u64);

/// Literals, each belonging to a group.
#[pyclass(frozen)]
pub struct Anchors(anchors::Anchors);

#[pymethods]
impl Anchors {
    #[new]
    #[allow(clippy::needless_pass_by_value)] // PyO3 hands over what it converted
    fn new(literals: Vec<(String, u32)>) -> PyResult<Self> {
        if literals
            .iter()
            .any(|(text, _)| text.is_empty() || text.contains('\n'))
        {
            return Err(PyValueError::new_err(
                "a literal is empty or has a line end",
            ));
        }
        Ok(Self(anchors::Anchors::new(&literals)))
    }

    /// Lines that hold a literal: numbers, offsets of their beginnings, groups; and line ends.
    fn scan(&self, py: Python<'_>, block: &[u8]) -> Found {
        let hits = py.detach(|| self.0.scan(block));
        (hits.lines, hits.starts, hits.groups, hits.line_ends)
    }
}
