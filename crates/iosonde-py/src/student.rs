//! Student's t as Python sees it: arrays are bytes of native doubles, pairwise.

use iosonde_core::student;
use pyo3::prelude::*;

/// Probabilities of values up to `t`.
#[pyfunction]
pub fn student_cdf(py: Python<'_>, freedom: &[u8], t: &[u8]) -> Vec<u8> {
    py.detach(|| pairwise(freedom, t, student::cdf))
}

/// Values that are not exceeded with these probabilities.
#[pyfunction]
pub fn student_quantile(py: Python<'_>, freedom: &[u8], probability: &[u8]) -> Vec<u8> {
    py.detach(|| pairwise(freedom, probability, student::quantile))
}

fn pairwise(a: &[u8], b: &[u8], figure: fn(f64, f64) -> f64) -> Vec<u8> {
    doubles(a)
        .zip(doubles(b))
        .flat_map(|(a, b)| figure(a, b).to_ne_bytes())
        .collect()
}

fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes
        .chunks_exact(size_of::<f64>())
        .map(|eight| f64::from_ne_bytes(eight.try_into().unwrap_or_default()))
}
