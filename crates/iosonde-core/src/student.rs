//! Student's t distribution.

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

/// Probability of a value up to `t`; NaN where the degrees of freedom are not positive.
#[must_use]
pub fn cdf(freedom: f64, t: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(law) if !t.is_nan() => law.cdf(t),
        _ => f64::NAN,
    }
}

/// The value that is not exceeded with `probability`; NaN where that is not between 0 and 1 or
/// the degrees of freedom are not positive.
///
/// The crate searches with an absolute bound; steps of Newton bring the value to the precision of
/// the distribution itself.
#[must_use]
pub fn quantile(freedom: f64, probability: f64) -> f64 {
    let Ok(law) = StudentsT::new(0.0, 1.0, freedom) else {
        return f64::NAN;
    };
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let mut value = law.inverse_cdf(probability);
    for _ in 0..8 {
        let step = (law.cdf(value) - probability) / law.pdf(value);
        if !step.is_finite() {
            break;
        }
        value -= step;
        if step.abs() <= 1e-11 * value.abs() {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_printed_tables() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, critical values.
        for (freedom, probability, value) in [
            (1.0, 0.975, 12.706),
            (4.0, 0.975, 2.776),
            (10.0, 0.95, 1.812),
            (30.0, 0.99, 2.457),
            (100.0, 0.999, 3.174),
        ] {
            assert!((quantile(freedom, probability) - value).abs() < 6e-4);
            assert!((cdf(freedom, value) - probability).abs() < 1e-4);
        }
    }

    #[test]
    fn has_no_value_where_there_is_none() {
        assert!(
            cdf(0.0, 1.0).is_nan() && cdf(f64::NAN, 1.0).is_nan() && cdf(3.0, f64::NAN).is_nan()
        );
        assert!(quantile(3.0, 1.5).is_nan() && quantile(-1.0, 0.5).is_nan());
        assert!(quantile(3.0, 0.0) == f64::NEG_INFINITY && quantile(3.0, 1.0) == f64::INFINITY);
    }
}
