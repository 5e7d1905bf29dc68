//! Readers of block I/O traces, and what a trace says about its load.
//!
//! The way of a byte: `input` opens a file or pipe and takes off gzip or zstd → `lines` cuts it into
//! lines, of which a format of `formats` makes requests (`merge` does the same with the records of
//! blktrace, several files at once) → `batch` holds some of them in columns → `profile` adds them up.
//! Memory does not grow with the trace.

pub mod batch;
mod cursor;
mod formats;
pub(crate) mod hash;
mod input;
mod lines;
mod merge;
mod problem;
pub mod profile;
mod reader;

pub use batch::{Batch, Op, OPS};
pub use formats::{Event, Format, FORMATS};
pub use problem::{Bad, OpenError, Problem};
pub use reader::{Filled, Reader};

#[cfg(test)]
mod tests;
