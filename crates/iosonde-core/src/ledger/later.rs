//! What a request brings besides its own way down: pages of a bitmap before it, what has to leave a
//! cache behind it, and after the last one what caches still hold.

use super::io::{Io, Op, Step};
use super::mapping::Mapping;
use super::raid::bitmap::Bitmap;
use super::Ledger;

impl Ledger {
    /// The bitmap of an array, before an I/O is answered: its pages go to all members at once.
    pub(super) fn mark(&mut self, node: u32, io: &Io) {
        let place = node as usize;
        let Some(mut bitmap) = self.nodes[place].bitmap.take() else {
            return;
        };
        let pages = bitmap.mark(io, self.request);
        self.write_pages(place, &bitmap, &pages);
        self.nodes[place].bitmap = Some(bitmap);
    }

    /// Bits of a bitmap are cleared, and its pages written to all members.
    fn clear(&mut self, place: usize) {
        if let Some(mut bitmap) = self.nodes[place].bitmap.take() {
            let pages = bitmap.clear();
            self.write_pages(place, &bitmap, &pages);
            self.nodes[place].bitmap = Some(bitmap);
            self.finish();
        }
    }

    fn write_pages(&mut self, place: usize, bitmap: &Bitmap, pages: &[(u64, u64)]) {
        for &(at, length) in pages {
            for member in 0..self.nodes[place].below.len() {
                if !bitmap.is_lost(member) {
                    let below = self.nodes[place].below[member].node;
                    self.submit(below, Io::new(Op::Write, at, length));
                }
            }
        }
    }

    /// Stripes for which a controller's cache has no room leave it one after the other, so that they
    /// do not merge.
    pub(super) fn overflow(&mut self, node: u32) {
        let mut answer: Vec<Step> = Vec::new();
        while self.nodes[node as usize].rule.overflow(&mut answer) {
            self.send(node, &mut answer);
        }
    }

    /// Writes what caches hold that write back by and by, from the top down, as the kernel or a
    /// controller does in the end; then bits of bitmaps are cleared. Others keep what they hold.
    #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 layers
    pub fn settle(&mut self) {
        self.request += 1;
        let mut answer: Vec<Step> = Vec::new();
        for place in 0..self.nodes.len() {
            loop {
                let more = self.nodes[place].rule.settle(&mut answer);
                self.send(place as u32, &mut answer);
                if !more {
                    break;
                }
            }
            self.clear(place);
        }
    }

    /// I/Os to the layers below, which end before anything else begins.
    fn send(&mut self, node: u32, answer: &mut Vec<Step>) {
        for step in answer.drain(..) {
            self.plug.on = true;
            self.step(node, step);
        }
        self.finish();
    }
}
