//! Where a value falls in an HDR histogram of 64 sub-buckets per octave.
//!
//! Values below 128 have a bucket of their own; above, a bucket is at most 1/64 of its lower bound
//! wide, so that a value read back from its bucket errs by at most 1.6 %.
//!
//! Source: Gil Tene, `HdrHistogram`; fio keeps its completion latencies the same way (stat.h,
//! `FIO_IO_U_PLAT_BITS` 6).

/// Sub-buckets per octave, as a power of two.
const BITS: u32 = 6;

/// Number of buckets that cover every `u64`.
pub const BUCKETS: usize = (64 - BITS as usize + 1) << BITS;

/// The bucket of a value.
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // a bucket's number is below 3776
pub fn bucket(value: u64) -> usize {
    // `| 63` lets the values below 64 share the shift of the first octave, without a branch.
    let shift = (63 - BITS) - (value | 63).leading_zeros().min(63 - BITS);
    let octave = shift + u32::from(value >= 1 << BITS);
    ((octave as usize) << BITS) + ((value >> shift) as usize & ((1 << BITS) - 1))
}

/// Lowest and highest value of a bucket.
///
/// Returns zeros for a number that is no bucket's.
#[must_use]
pub fn bounds(bucket: usize) -> (u64, u64) {
    if bucket >= BUCKETS {
        return (0, 0);
    }
    let (octave, sub) = (bucket >> BITS, (bucket & ((1 << BITS) - 1)) as u64);
    if octave == 0 {
        return (sub, sub);
    }
    let low = (sub + (1 << BITS)) << (octave - 1);
    (low, low + ((1_u64 << (octave - 1)) - 1))
}

#[cfg(test)]
mod tests {
    use super::{bounds, bucket, BUCKETS};

    #[test]
    fn buckets_touch_and_cover_every_value() {
        let mut expected = 0_u64;
        for number in 0..BUCKETS {
            let (low, high) = bounds(number);
            assert_eq!(low, expected, "bucket {number}");
            assert_eq!((bucket(low), bucket(high)), (number, number));
            expected = high.wrapping_add(1);
        }
        assert_eq!(expected, 0, "the last bucket ends at u64::MAX");
    }

    #[test]
    fn a_bucket_is_at_most_one_sixty_fourth_wide() {
        for number in 1..BUCKETS {
            let (low, high) = bounds(number);
            assert!((high - low) <= low / 64);
        }
        assert_eq!(bounds(BUCKETS), (0, 0));
    }
}
