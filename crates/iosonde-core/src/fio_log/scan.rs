//! Where the commas, spaces, digits and line ends of the next 64 bytes are, and decimal numbers from
//! eight bytes at once.
//!
//! The only place of this crate with `unsafe`: vector instructions. A value of `Avx2` proves that
//! the processor has them.

/// Bytes looked at in one step.
pub const WINDOW: usize = 64;

/// Bytes that must be readable after the window.
pub const PADDING: usize = 16;

/// One bit for each byte of the window, the first byte in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub comma: u64,
    pub space: u64,
    pub newline: u64,
    pub digit: u64,
}

/// A way to find the marks.
pub trait Scan: Copy {
    fn marks(self, window: &[u8; WINDOW + PADDING]) -> Marks;
}

/// With what every processor has.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[derive(Clone, Copy, Debug)]
pub struct Plain;

#[cfg(any(test, not(target_arch = "x86_64")))]
impl Scan for Plain {
    #[inline(always)]
    fn marks(self, window: &[u8; WINDOW + PADDING]) -> Marks {
        let mut marks = Marks::default();
        for (place, &byte) in window.iter().take(WINDOW).enumerate() {
            marks.comma |= u64::from(byte == b',') << place;
            marks.space |= u64::from(byte == b' ') << place;
            marks.newline |= u64::from(byte == b'\n') << place;
            marks.digit |= u64::from(byte.is_ascii_digit()) << place;
        }
        marks
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Sse2};

#[cfg(target_arch = "x86_64")]
#[allow(clippy::cast_sign_loss)] // masks of bits that the processor's interface calls signed
#[allow(clippy::cast_ptr_alignment)] // the loads are the unaligned ones
mod x86 {
    use super::{Marks, Scan, PADDING, WINDOW};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_xor_si256, _mm_cmpeq_epi8, _mm_loadu_si128,
        _mm_min_epu8, _mm_movemask_epi8, _mm_set1_epi8, _mm_xor_si128,
    };

    /// With 16 bytes at once: every x86-64 processor.
    #[derive(Clone, Copy, Debug)]
    pub struct Sse2;

    impl Scan for Sse2 {
        #[inline(always)]
        fn marks(self, window: &[u8; WINDOW + PADDING]) -> Marks {
            let mut marks = Marks::default();
            for step in 0..4 {
                // SAFETY: SSE2 is part of x86-64; the 16 bytes lie within the window.
                let found = unsafe {
                    let bytes = _mm_loadu_si128(window.as_ptr().add(16 * step).cast::<__m128i>());
                    let equal = |byte: i8| mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
                    let lower = _mm_xor_si128(bytes, _mm_set1_epi8(0x30));
                    let digit = _mm_cmpeq_epi8(_mm_min_epu8(lower, _mm_set1_epi8(9)), lower);
                    [equal(0x2c), equal(0x20), equal(0x0a), mask(digit)]
                };
                marks.comma |= found[0] << (16 * step);
                marks.space |= found[1] << (16 * step);
                marks.newline |= found[2] << (16 * step);
                marks.digit |= found[3] << (16 * step);
            }
            marks
        }
    }

    #[inline(always)]
    fn mask(bytes: __m128i) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        u64::from(unsafe { _mm_movemask_epi8(bytes) } as u32)
    }

    /// With 32 bytes at once.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2(());

    impl Avx2 {
        /// Where the processor has AVX2 and the bit operations that came with it.
        pub fn new() -> Option<Self> {
            (is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt"))
            .then_some(Self(()))
        }
    }

    impl Scan for Avx2 {
        #[inline(always)]
        fn marks(self, window: &[u8; WINDOW + PADDING]) -> Marks {
            let mut marks = Marks::default();
            for step in 0..2 {
                // SAFETY: `self` proves AVX2; the 32 bytes lie within the window.
                let found = unsafe {
                    let start = window.as_ptr().add(32 * step).cast::<__m256i>();
                    let bytes = _mm256_loadu_si256(start);
                    let mask = |bytes| u64::from(_mm256_movemask_epi8(bytes) as u32);
                    let equal = |byte: i8| mask(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)));
                    let lower = _mm256_xor_si256(bytes, _mm256_set1_epi8(0x30));
                    let small = _mm256_min_epu8(lower, _mm256_set1_epi8(9));
                    let digit = mask(_mm256_cmpeq_epi8(small, lower));
                    [equal(0x2c), equal(0x20), equal(0x0a), digit]
                };
                marks.comma |= found[0] << (32 * step);
                marks.space |= found[1] << (32 * step);
                marks.newline |= found[2] << (32 * step);
                marks.digit |= found[3] << (32 * step);
            }
            marks
        }
    }
}

#[inline(always)]
fn eight<const N: usize>(window: &[u8; N], at: usize) -> u64 {
    let at = at & (N - PADDING - 1); // one or two windows: a power of two less one
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&window[at..at + 8]);
    u64::from_le_bytes(bytes)
}

/// The number of eight digits, the first in the lowest byte, each 0–9 (Johnny Lee's method).
#[inline(always)]
fn eight_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// The number of the 1 to 16 digits at `from..to`; for other bytes or lengths any number.
#[inline(always)]
pub fn number<const N: usize>(window: &[u8; N], from: usize, to: usize) -> u64 {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let length = to.wrapping_sub(from);
    let first = eight(window, from) ^ ZEROS;
    if length <= 8 {
        return eight_digits(first << ((64 - 8 * length) & 63));
    }
    let last = eight(window, to.wrapping_sub(8)) ^ ZEROS;
    let head = first << ((128_usize.wrapping_sub(8 * length)) & 63);
    eight_digits(head)
        .wrapping_mul(100_000_000)
        .wrapping_add(eight_digits(last))
}

#[cfg(test)]
mod tests {
    use super::{number, Marks, Plain, Scan, PADDING, WINDOW};

    fn window(text: &[u8]) -> [u8; WINDOW + PADDING] {
        let mut window = [0; WINDOW + PADDING];
        window[..text.len()].copy_from_slice(text);
        window
    }

    #[test]
    fn numbers_of_one_to_sixteen_digits() {
        let digits = b"9876543210123456";
        for length in 1..=16 {
            for from in [0, 3, 40] {
                let mut text = vec![b','; from];
                text.extend(&digits[..length]);
                text.extend(b", 77");
                let expected = std::str::from_utf8(&digits[..length]).unwrap().parse();
                assert_eq!(Ok(number(&window(&text), from, from + length)), expected);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_find_what_plain_code_finds() {
        let mut state = 1_u64;
        for _ in 0..2000 {
            let mut bytes = [0; WINDOW + PADDING];
            for byte in &mut bytes {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let any = state.to_le_bytes()[5];
                *byte = if any < 128 {
                    b",\n 0123456789:/"[usize::from(any) % 15]
                } else {
                    any
                };
            }
            let expected: Marks = Plain.marks(&bytes);
            assert_eq!(super::Sse2.marks(&bytes), expected);
            if let Some(avx2) = super::Avx2::new() {
                assert_eq!(avx2.marks(&bytes), expected);
            }
        }
    }
}
