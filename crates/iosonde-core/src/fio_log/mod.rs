//! The reader of fio's per-I/O logs and I/O traces.
//!
//! `read` streams a file or pipe through several threads in constant memory. The way of a byte:
//! `stream` cuts the input into chunks of whole lines → `line` (by the variant that `columns` found)
//! or `trace` makes samples of them → `tally` adds these up → `share` merges what the threads have
//! into `figures`.
//! All sums are of integers that saturate, so that the figures are the same for any number of
//! threads.

// The loop over the lines is compiled as one piece for each set of columns and instructions.
#![allow(clippy::inline_always)]

mod columns;
mod field;
mod figures;
mod line;
mod problem;
mod read;
mod scan;
mod share;
mod stream;
mod tally;
mod trace;

pub use columns::{Columns, Variant};
pub(crate) use line::read_plainly;
pub(crate) use tally::Sample;

pub use figures::{Figures, SizeFigures};
pub use problem::{BadLine, Problem, ReadError};
pub use read::{read, Options};
pub use tally::{Second, DIRECTIONS, GRID};
pub use trace::Events;
