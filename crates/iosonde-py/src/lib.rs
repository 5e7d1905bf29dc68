//! Python face of `iosonde-core`: converts, releases the GIL, maps errors; no arithmetic.

mod anchors;
mod fio_log;
mod given;
mod ledger;
mod refused;
mod rules;
mod sampler;
mod student;
mod trace;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::anchors::Anchors;

    #[pymodule_export]
    use crate::fio_log::{fio_log_variants, read_fio_log, FioLogFigures, LogError};

    #[pymodule_export]
    use crate::ledger::{Bitmap, Counts, Ledger, Limits, Node};

    #[pymodule_export]
    use crate::refused::LedgerError;

    #[pymodule_export]
    use crate::rules::{
        Bcache, Cache, Controller, Drbd, Far, Journal, Linear, Mirror, PageCache, Parity, Promote,
        Raid1, Raid10, Same, Segment, Segments, Striped, Writecache,
    };

    #[pymodule_export]
    use crate::sampler::Sampler;

    #[pymodule_export]
    use crate::student::{student_cdf, student_quantile};

    #[pymodule_export]
    use crate::trace::{trace_formats, TraceError, TraceProfile, TraceReader};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", iosonde_core::VERSION)
    }
}
