//! Python face of `iosonde-core`: converts, releases the GIL, maps errors; no arithmetic.

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", iosonde_core::VERSION)
    }
}
