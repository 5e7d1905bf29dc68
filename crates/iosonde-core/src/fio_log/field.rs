//! One field of a line of a log.

/// Most columns a log can have.
pub const MAX_COLUMNS: usize = 8;

/// What stands between two commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Decimal digits that fit into 64 bits.
    Number(u64),
    /// `0x` and four hexadecimal digits.
    Priority,
    /// Anything else.
    NotANumber,
    /// Decimal digits that do not fit into 64 bits.
    TooLarge,
}

/// The fields of a line without its line end.
pub fn fields(line: &[u8]) -> Vec<Field> {
    line.split(|&byte| byte == b',')
        .enumerate()
        .map(|(place, word)| field(if place == 0 { word } else { unpadded(word) }))
        .collect()
}

/// A field without the one space that fio writes after a comma.
pub fn unpadded(word: &[u8]) -> &[u8] {
    word.strip_prefix(b" ").unwrap_or(word)
}

/// What one word between two commas is.
pub fn field(word: &[u8]) -> Field {
    if let Some(digits) = word.strip_prefix(b"0x") {
        let sound = digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit);
        return if sound {
            Field::Priority
        } else {
            Field::NotANumber
        };
    }
    if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
        return Field::NotANumber;
    }
    decimal(word).map_or(Field::TooLarge, Field::Number)
}

/// The number of some decimal digits, None where it takes more than 64 bits.
pub fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })
}
