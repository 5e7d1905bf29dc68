//! Layers in a row through which an I/O goes as it is, only its place moves: one step for all of
//! them, counted once. With it, what was counted so is told layer by layer.

use super::io::{Op, Tally, PAGE};
use super::mapping::Mapping;
use super::{Ledger, Node};

/// A row of layers: from the one it belongs to, down to the first that does more than hand on.
#[derive(Clone, Debug)]
pub struct Path {
    /// The layers, the last one included.
    nodes: Vec<u32>,
    /// By how much an I/O's place moves on the way, bytes: a multiple of a page.
    pub start: u64,
    /// The largest read and write that go through as they are, bytes.
    read: u64,
    write: u64,
    /// What each of the layers got this way.
    pub tally: Tally,
}

impl Path {
    /// From a layer down.
    #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 layers
    pub fn of(nodes: &[Node], begin: usize) -> Self {
        let most = |node: &Node| match node.limits.boundary {
            0 => node.limits.most,
            _ => 0, // it depends on the place
        };
        let mut path = Self {
            nodes: vec![begin as u32],
            start: 0,
            read: most(&nodes[begin]),
            write: most(&nodes[begin]),
            tally: Tally::default(),
        };
        let mut node = &nodes[begin];
        while let (Some((read, write, at)), [below]) = (node.rule.through(), &node.below[..]) {
            let moved = below.start + at;
            if node.bitmap.is_some() || moved % PAGE != 0 {
                break;
            }
            node = &nodes[below.node as usize];
            path.nodes.push(below.node);
            path.start += moved;
            path.read = path.read.min(read).min(most(node));
            path.write = path.write.min(write).min(most(node));
        }
        path
    }

    /// The last layer, if an I/O comes there as it is.
    #[inline]
    pub fn end(&self, op: Op, length: u64) -> Option<u32> {
        let most = match op {
            Op::Read => self.read,
            Op::Write => self.write,
            Op::Flush => return None,
        };
        (length <= most).then(|| self.nodes[self.nodes.len() - 1])
    }
}

impl Ledger {
    /// What a layer got.
    #[must_use]
    pub fn tally(&self, node: usize) -> Option<Tally> {
        let mut tally = self.tallies.get(node)?.clone();
        let passed = |path: &&Path| path.nodes.iter().any(|&one| one as usize == node);
        for path in self.paths.iter().filter(passed) {
            tally.add(&path.tally);
        }
        for (above, cells) in self.nodes.iter().zip(&self.cells) {
            let places = above.below.iter().enumerate();
            for (member, below) in places.filter(|one| one.1.node as usize == node) {
                let on_grid = below.start % PAGE == 0;
                for (pages, &count) in above.rule.cells().iter().zip(cells) {
                    let (read, written) = (pages.0 >> member & 1, pages.1 >> member & 1);
                    tally.reads.pages(read * count, on_grid);
                    tally.writes.pages(written * count, on_grid);
                }
            }
        }
        Some(tally)
    }

    /// Begins to count anew; what caches hold stays.
    pub fn reset(&mut self) {
        let paths = self.paths.iter_mut().map(|path| &mut path.tally);
        for tally in self.tallies.iter_mut().chain(paths) {
            *tally = Tally::default();
        }
        for cells in &mut self.cells {
            cells.fill(0);
        }
    }
}
