//! What an array with parity begins with when it lets a request go: the reads that must come first,
//! and the writes that need none.

use crate::ledger::io::{Io, Op, Step, PAGE};
use crate::ledger::queue::{Added, Limits, Plug};

/// The reads and the writes that md begins with, and which reads become one request.
#[derive(Default)]
pub struct First {
    reads: Vec<Step>,
    pub writes: Vec<Step>,
    /// Whole stripes that follow one another in a row.
    pub batch: Vec<u64>,
    plug: Plug,
    /// For each request that reads, when it ends; and their numbers by place in the plug.
    pub order: Vec<usize>,
    numbers: Vec<usize>,
    ended: usize,
}

impl First {
    /// Whether a stripe comes behind the last whole one, in the same row.
    #[must_use]
    pub fn follows(&self, number: u64, pages: u64) -> bool {
        let last = self.batch.last();
        last.is_some_and(|&last| last + 1 == number && number % pages != 0)
    }

    /// Begins to read pages.
    ///
    /// Returns: the numbers of the requests that they are in.
    pub fn read(&mut self, pages: u64, number: u64) -> Vec<usize> {
        let begin = self.reads.len();
        each(pages, number, Op::Read, false, &mut self.reads);
        let mut requests = Vec::new();
        for place in begin..self.reads.len() {
            let Step { child, io } = self.reads[place];
            let mut added = self.plug.add(child, &READS, io);
            if added == Added::Full {
                self.issue();
                added = self.plug.add(child, &READS, io);
            }
            if let Added::To(waiting) = added {
                if waiting == self.numbers.len() {
                    self.numbers.push(self.order.len());
                    self.order.push(0);
                }
                requests.push(self.numbers[waiting]);
            }
        }
        requests
    }

    fn issue(&mut self) {
        let (requests, became) = self.plug.empty(|_| READS);
        for (number, place) in self.numbers.drain(..).zip(became) {
            self.order[number] = self.ended + place;
        }
        self.ended += requests.len();
    }

    /// All that is under way at first.
    pub fn begun(&mut self) -> Vec<Step> {
        self.issue();
        let mut all = std::mem::take(&mut self.reads);
        all.append(&mut self.writes);
        all
    }
}

/// Of a member, as far as md's pages merge.
const READS: Limits = Limits {
    most: 1280 << 10,
    segments: 254,
    boundary: 0,
    merges: true,
};

/// A page of a member.
#[must_use]
pub const fn page(number: u64, op: Op, alone: bool) -> Io {
    Io {
        op,
        alone,
        scattered: true,
        offset: number * PAGE,
        length: PAGE,
    }
}

/// A page of each member of a set, in md's order: the last member first.
pub fn each(members: u64, number: u64, op: Op, alone: bool, out: &mut Vec<Step>) {
    let mut left = members;
    while left != 0 {
        let member = left.ilog2();
        out.push(step(u64::from(member), page(number, op, alone)));
        left &= !(1 << member);
    }
}

#[allow(clippy::cast_possible_truncation)] // a member's number, below 64
/// An I/O to a member.
#[must_use]
pub const fn step(member: u64, io: Io) -> Step {
    Step::new(member as usize, io)
}
