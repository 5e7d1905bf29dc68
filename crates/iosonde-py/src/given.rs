//! What Python gives for a key of a rule, taken only once rule and key are known: a negative figure
//! or one of another type is then refused by their names.

use iosonde_core::ledger::problem::LedgerError;
use pyo3::prelude::*;

use crate::refused::refused;

/// A value of a key; where it is none, how Python shows what stands there.
pub struct Given<T>(Result<T, String>);

impl<T> From<T> for Given<T> {
    fn from(value: T) -> Self {
        Self(Ok(value))
    }
}

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Given<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(match object.extract() {
            Ok(value) => Ok(value),
            Err(_) => Err(object.repr()?.to_string()),
        }))
    }
}

impl<T: Wanted> Given<T> {
    /// The value, or the error that names the rule and its key.
    pub fn named(self, rule: &'static str, key: &'static str) -> PyResult<T> {
        let wanted = T::WANTED;
        self.0.map_err(|given| {
            refused(LedgerError::Figure {
                rule,
                key,
                wanted,
                given,
            })
        })
    }
}

/// What a key takes, in words for its user.
pub trait Wanted {
    const WANTED: &'static str;
}

impl Wanted for u64 {
    const WANTED: &'static str = "a whole number from 0 to 2^64 − 1";
}

impl Wanted for u32 {
    const WANTED: &'static str = "a whole number from 0 to 2^32 − 1";
}

impl Wanted for bool {
    const WANTED: &'static str = "True or False";
}

impl Wanted for String {
    const WANTED: &'static str = "a text";
}

impl Wanted for Option<u64> {
    const WANTED: &'static str = "None or a whole number from 0 to 2^64 − 1";
}

impl Wanted for Vec<u64> {
    const WANTED: &'static str = "a list of whole numbers from 0 to 2^64 − 1";
}

impl Wanted for Vec<u32> {
    const WANTED: &'static str = "a list of whole numbers from 0 to 2^32 − 1";
}
