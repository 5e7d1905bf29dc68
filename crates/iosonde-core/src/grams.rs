//! Finds literals by a few bytes of each that are rare, of which most places of a text have none.
//!
//! An automaton of thousands of literals takes tens of megabytes, and a step of it waits for memory;
//! the bits that are asked here for each byte of a text stay beside the processor. Eight bytes are
//! rarer than four: of those that prose has, few are the rarest ones of a literal.

use crate::trace::hash::Map;

/// Bytes of a literal that are looked for; of shorter literals 4, 2 or 1.
const MOST: usize = 8;
const BITS: u32 = 18;
const WORDS: usize = 1 << (BITS - 6);

/// A literal that stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
    /// Its number among the literals.
    pub literal: usize,
}

/// Where some bytes stand in a literal.
#[derive(Clone, Copy, Debug)]
struct Place {
    literal: usize,
    offset: usize,
}

/// The rare bytes of literals, all of one length.
struct Table {
    /// For each value that `bit` has, whether it is that of one of the keys of `places`.
    bits: Box<[u64; WORDS]>,
    places: Map<u64, Vec<Place>>,
}

/// Literals to look for.
pub struct Literals {
    texts: Vec<Box<[u8]>>,
    /// Of literals of which 1, 2, 4 and 8 bytes are looked for.
    tables: [Table; 4],
}

impl Literals {
    /// Literals, none of which is empty.
    #[must_use]
    pub fn new(texts: Vec<Box<[u8]>>) -> Self {
        let mut tables = std::array::from_fn(|_| Table::new());
        for (literal, text) in texts.iter().enumerate() {
            let place = |offset| Place { literal, offset };
            match text.len() {
                0 => {}
                1 => tables[0].add::<1>(text, place),
                2..=3 => tables[1].add::<2>(text, place),
                4..=7 => tables[2].add::<4>(text, place),
                _ => tables[3].add::<MOST>(text, place),
            }
        }
        Self { texts, tables }
    }

    /// All that stand in a text, also where they overlap: by their ends, longer ones first.
    #[must_use]
    pub fn matches(&self, text: &[u8]) -> Vec<Match> {
        let mut every = Vec::new();
        self.tables[0].search::<1>(text, &self.texts, &mut every);
        self.tables[1].search::<2>(text, &self.texts, &mut every);
        self.tables[2].search::<4>(text, &self.texts, &mut every);
        self.tables[3].search::<MOST>(text, &self.texts, &mut every);
        every.sort_unstable_by_key(|each: &Match| (each.end, each.start, each.literal));
        every
    }
}

impl Table {
    fn new() -> Self {
        Self {
            bits: vec![0; WORDS]
                .into_boxed_slice()
                .try_into()
                .expect("as many words"),
            places: Map::default(),
        }
    }

    /// Notes the rarest bytes of a literal, and of them those that few others have.
    fn add<const WIDTH: usize>(&mut self, text: &[u8], place: impl Fn(usize) -> Place) {
        let uses = |gram| self.places.get(&gram).map_or(0, Vec::len);
        let (offset, gram) = text
            .windows(WIDTH)
            .map(gram::<WIDTH>)
            .enumerate()
            .min_by_key(|&(_, gram)| uses(gram) + commonness(gram))
            .expect("a literal has as many bytes");
        let bit = bit(gram);
        self.bits[bit >> 6] |= 1 << (bit & 63);
        self.places.entry(gram).or_default().push(place(offset));
    }

    fn search<const WIDTH: usize>(
        &self,
        text: &[u8],
        literals: &[Box<[u8]>],
        every: &mut Vec<Match>,
    ) {
        if self.places.is_empty() {
            return;
        }
        for (at, window) in text.windows(WIDTH).enumerate() {
            let gram = gram::<WIDTH>(window);
            let bit = bit(gram);
            if self.bits[bit >> 6] >> (bit & 63) & 1 == 0 {
                continue;
            }
            for place in self.places.get(&gram).into_iter().flatten() {
                let literal = &literals[place.literal];
                let Some(start) = at.checked_sub(place.offset) else {
                    continue;
                };
                if text[start..].starts_with(literal) {
                    every.push(Match {
                        start,
                        end: start + literal.len(),
                        literal: place.literal,
                    });
                }
            }
        }
    }
}

/// Bytes as a number.
#[inline]
fn gram<const WIDTH: usize>(window: &[u8]) -> u64 {
    let mut bytes = [0; MOST];
    bytes[..WIDTH].copy_from_slice(&window[..WIDTH]);
    u64::from_le_bytes(bytes)
}

/// Which bit stands for bytes. Source: Knuth, TAOCP 3, 6.4, multiplicative hashing.
#[inline]
fn bit(gram: u64) -> usize {
    (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}

/// How common the bytes of a number are in texts; empirical.
fn commonness(gram: u64) -> usize {
    let of = |byte| match byte {
        b' ' | b'a' | b'e' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 4,
        b'a'..=b'z' | b'-' | b'.' | b'0' | b'1' => 3,
        b'2'..=b'9' | b'=' | b'#' | b'*' => 2,
        _ => 1,
    };
    gram.to_le_bytes().into_iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::{Literals, Match};
    use aho_corasick::{AhoCorasick, MatchKind};
    use proptest::prelude::*;

    /// What an automaton says of the same.
    fn automaton(literals: &[String], text: &str) -> Vec<Match> {
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(literals)
            .unwrap()
            .find_overlapping_iter(text)
            .map(|each| Match {
                start: each.start(),
                end: each.end(),
                literal: each.pattern().as_usize(),
            })
            .collect()
    }

    fn by_bytes(literals: &[String], text: &str) -> Vec<Match> {
        let texts = literals.iter().map(|each| each.as_bytes().into());
        Literals::new(texts.collect()).matches(text.as_bytes())
    }

    #[test]
    fn none_stand_in_nothing() {
        assert_eq!(by_bytes(&["abc".to_owned()], ""), []);
        assert_eq!(by_bytes(&[], "abc"), []);
    }

    #[test]
    fn literals_of_every_length_stand_in_a_text() {
        let text = "md0 : active raid5 sdc1[2] sdb1[1] sda1[0]";
        for length in 1..=text.len() {
            let starts = 0..=text.len() - length;
            let literals: Vec<_> = starts
                .map(|start| text[start..start + length].to_owned())
                .collect();
            assert_eq!(by_bytes(&literals, text), automaton(&literals, text));
        }
    }

    proptest! {
        #[test]
        fn the_same_matches_in_the_order_of_an_automaton(
            literals in prop::collection::vec("[abc ]{1,12}", 0..12),
            text in "[abc \n]{0,200}",
        ) {
            prop_assert_eq!(by_bytes(&literals, &text), automaton(&literals, &text));
        }
    }
}
