//! What iosonde computes over millions of items. No Python here.

pub mod anchors;
pub mod fio_log;
pub mod grams;
pub mod histogram;
pub mod ledger;
pub mod sampler;
pub mod student;
pub mod trace;

/// Version of this crate, as Cargo knows it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
