//! md's arrays: which I/Os to the members follow from one to the array.

pub mod bitmap;
pub mod copies;
pub mod first;
pub mod page;
pub mod parity;
pub mod place;
pub mod stripe;
