//! Division by a number that stays the same, of numbers that are mostly small.

/// A divisor with what makes dividing by it cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    by: u64,
    /// Of a power of two: its exponent; else 64.
    shift: u32,
    /// Else 2^64 / by, rounded up: exact for dividends below 2^32 (Granlund and Montgomery, 1994).
    inverse: u64,
}

impl Divisor {
    /// # Panics
    /// With 0.
    #[must_use]
    pub const fn new(by: u64) -> Self {
        assert!(by > 0, "nothing can be divided by 0");
        let shift = if by.is_power_of_two() {
            by.trailing_zeros()
        } else {
            64
        };
        Self {
            by,
            shift,
            inverse: (u64::MAX / by).wrapping_add(1),
        }
    }

    #[must_use]
    pub const fn get(&self) -> u64 {
        self.by
    }

    /// Quotient and remainder.
    #[must_use]
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the upper half of the product
    pub const fn divide(&self, number: u64) -> (u64, u64) {
        if self.shift < 64 {
            return (number >> self.shift, number & (self.by - 1));
        }
        let quotient = if number <= u32::MAX as u64 && self.by <= u32::MAX as u64 {
            ((number as u128 * self.inverse as u128) >> 64) as u64
        } else {
            number / self.by
        };
        (quotient, number - quotient * self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn divides(number: u64, small: u32, by in 1_u64..5000) {
            for number in [number, u64::from(small), u64::from(u32::MAX)] {
                prop_assert_eq!(Divisor::new(by).divide(number), (number / by, number % by));
            }
        }

        #[test]
        fn divides_by_any(small: u32, by in 1_u64..=u64::from(u32::MAX)) {
            let number = u64::from(small);
            prop_assert_eq!(Divisor::new(by).divide(number), (number / by, number % by));
        }
    }
}
