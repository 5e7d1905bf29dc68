//! Finds the lines of a text that hold one of many literals.

use crate::grams::Literals;

/// Literals, each belonging to a group; a line is reported once for each group it holds one of.
pub struct Anchors {
    literals: Literals,
    group_of: Vec<u32>,
}

/// Lines found in one block of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Number of the line, counted from the block's first line.
    pub lines: Vec<u64>,
    /// Offset in the block of the line's first byte.
    pub starts: Vec<u64>,
    /// Group of the literal found.
    pub groups: Vec<u32>,
    /// Line ends in the block.
    pub line_ends: u64,
}

impl Anchors {
    /// Literals and the group of each; none is empty or holds a line end.
    #[must_use]
    pub fn new(literals: &[(String, u32)]) -> Self {
        let texts = literals
            .iter()
            .map(|(literal, _)| literal.as_bytes().into());
        Self {
            literals: Literals::new(texts.collect()),
            group_of: literals.iter().map(|(_, group)| *group).collect(),
        }
    }

    /// The lines of a block that hold a literal, in their order.
    #[must_use]
    pub fn scan(&self, block: &[u8]) -> Hits {
        let mut hits = Hits::default();
        let mut counted = 0; // bytes whose line ends are counted
        let mut start = 0; // of the line that `counted` stands in
        let mut groups_here: Vec<u32> = Vec::new();
        let mut line_here = u64::MAX;
        for literal in self.literals.matches(block) {
            let at = literal.start;
            if at > counted {
                let between = &block[counted..at];
                let ends = memchr::memchr_iter(b'\n', between).count() as u64;
                if ends > 0 {
                    hits.line_ends += ends;
                    start = counted + memchr::memrchr(b'\n', between).map_or(0, |last| last + 1);
                }
                counted = at;
            }
            if hits.line_ends != line_here {
                line_here = hits.line_ends;
                groups_here.clear();
            }
            let group = self.group_of[literal.literal];
            if !groups_here.contains(&group) && at >= start {
                groups_here.push(group);
                hits.lines.push(hits.line_ends);
                hits.starts.push(start as u64);
                hits.groups.push(group);
            }
        }
        hits.line_ends += memchr::memchr_iter(b'\n', &block[counted..]).count() as u64;
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchors, Hits};
    use proptest::prelude::*;

    fn anchors() -> Anchors {
        let literals = [("ab", 0), ("b c", 0), ("xyz", 1), ("z", 2)];
        Anchors::new(&literals.map(|(text, group)| (text.to_owned(), group)))
    }

    /// The obvious way: every line asked for every literal.
    fn obvious(block: &str) -> Vec<(u64, u64, u32)> {
        let mut found = Vec::new();
        let mut start = 0;
        for (number, line) in block.split('\n').enumerate() {
            for (group, literals) in [(0, vec!["ab", "b c"]), (1, vec!["xyz"]), (2, vec!["z"])] {
                if literals.iter().any(|literal| line.contains(literal)) {
                    found.push((number as u64, start, group));
                }
            }
            start += line.len() as u64 + 1;
        }
        found
    }

    fn sorted(hits: &Hits) -> Vec<(u64, u64, u32)> {
        let mut rows: Vec<_> = (0..hits.lines.len())
            .map(|row| (hits.lines[row], hits.starts[row], hits.groups[row]))
            .collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn an_empty_block_has_nothing() {
        assert_eq!(anchors().scan(b""), Hits::default());
    }

    proptest! {
        #[test]
        fn every_line_once_for_every_group(block in "[abcxyz \n]{0,200}") {
            let hits = anchors().scan(block.as_bytes());
            prop_assert_eq!(sorted(&hits), obvious(&block));
            prop_assert_eq!(hits.line_ends, block.matches('\n').count() as u64);
        }
    }
}
