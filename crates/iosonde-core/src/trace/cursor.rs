//! A line's columns, one after the other.

use super::problem::Problem;

/// What is left of a line.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
    separator: u8,
    column: usize,
    expected: usize,
}

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

impl<'a> Cursor<'a> {
    /// Args: a line without its end; what stands between its columns; how many there are.
    #[inline]
    pub const fn new(line: &'a [u8], separator: u8, expected: usize) -> Self {
        Self {
            line,
            at: 0,
            separator,
            column: 0,
            expected,
        }
    }

    #[inline]
    fn begin(&mut self) -> Result<usize, Problem> {
        if self.at > self.line.len() {
            return Err(Problem::Columns {
                expected: self.expected,
            });
        }
        self.column += 1;
        Ok(self.at)
    }

    /// The bytes of the next column.
    #[inline]
    pub fn word(&mut self) -> Result<&'a [u8], Problem> {
        let begin = self.begin()?;
        let rest = &self.line[begin..];
        let length = rest
            .iter()
            .position(|&byte| byte == self.separator)
            .unwrap_or(rest.len());
        self.at = begin + length + 1;
        Ok(&rest[..length])
    }

    /// The next column as a number.
    #[inline]
    pub fn number(&mut self, name: &'static str) -> Result<u64, Problem> {
        let begin = self.begin()?;
        let mut number = 0_u64;
        let mut at = begin;
        while let Some(digit) = self.line.get(at).map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let ends = self
            .line
            .get(at)
            .map_or(true, |&byte| byte == self.separator);
        if at == begin || !ends {
            return Err(Problem::NotANumber {
                column: self.column,
                name,
            });
        }
        if at - begin > 19 {
            // Twenty digits may or may not fit.
            let digits = std::str::from_utf8(&self.line[begin..at]).unwrap_or("");
            number = digits.parse().map_err(|_| Problem::TooLarge {
                column: self.column,
                name,
            })?;
        }
        self.at = at + 1;
        Ok(number)
    }

    /// The next column, a number of seconds with or without decimals, in nanoseconds.
    #[inline]
    pub fn seconds(&mut self, name: &'static str) -> Result<u64, Problem> {
        let word = self.word()?;
        nanoseconds(word).ok_or(Problem::NotANumber {
            column: self.column,
            name,
        })
    }

    /// The next column times a unit.
    #[inline]
    pub fn scaled(&mut self, name: &'static str, unit: u64) -> Result<u64, Problem> {
        let number = self.number(name)?;
        number.checked_mul(unit).ok_or(Problem::TooLarge {
            column: self.column,
            name,
        })
    }

    /// The next two columns with what stands between them.
    #[inline]
    pub fn two_words(&mut self) -> Result<&'a [u8], Problem> {
        let begin = self.at;
        self.word()?;
        self.word()?;
        Ok(&self.line[begin..self.at - 1])
    }

    /// # Errors
    /// There are more columns.
    #[inline]
    pub const fn end(&self) -> Result<(), Problem> {
        if self.at <= self.line.len() {
            return Err(Problem::Columns {
                expected: self.expected,
            });
        }
        Ok(())
    }
}

/// Decimal seconds in nanoseconds; digits beyond the ninth decimal are cut off.
#[inline]
pub fn nanoseconds(word: &[u8]) -> Option<u64> {
    let (mut number, mut decimals, mut point) = (0_u64, 0_u32, false);
    if !word.first()?.is_ascii_digit() {
        return None;
    }
    for &byte in word {
        match byte {
            b'0'..=b'9' if point && decimals == 9 => {}
            b'0'..=b'9' => {
                number = number
                    .checked_mul(10)?
                    .checked_add(u64::from(byte - b'0'))?;
                decimals += u32::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    number.checked_mul(SECOND / 10_u64.pow(decimals))
}

#[cfg(test)]
mod tests {
    use super::{nanoseconds, Cursor};

    #[test]
    fn seconds_with_and_without_decimals() {
        assert_eq!(nanoseconds(b"1"), Some(1_000_000_000));
        assert_eq!(nanoseconds(b"0.000000001"), Some(1));
        assert_eq!(nanoseconds(b"2.5"), Some(2_500_000_000));
        assert_eq!(nanoseconds(b"1.9999999999"), Some(1_999_999_999));
        for bad in [
            &b""[..],
            b".5",
            b"1.2.3",
            b"-1",
            b"1e3",
            b"99999999999999999999",
        ] {
            assert_eq!(nanoseconds(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn columns_are_counted() {
        let mut line = Cursor::new(b"12,ab,18446744073709551615", b',', 3);
        assert_eq!(line.number("n"), Ok(12));
        assert_eq!(line.word(), Ok(&b"ab"[..]));
        assert_eq!(line.number("n"), Ok(u64::MAX));
        assert!(line.end().is_ok());
        assert!(line.word().is_err());
        assert!(Cursor::new(b"18446744073709551616", b',', 1)
            .number("n")
            .is_err());
        assert!(Cursor::new(b"", b',', 1).number("n").is_err());
        let mut pair = Cursor::new(b"hm,1,x", b',', 3);
        assert_eq!(pair.two_words(), Ok(&b"hm,1"[..]));
        assert_eq!(pair.word(), Ok(&b"x"[..]));
    }
}
