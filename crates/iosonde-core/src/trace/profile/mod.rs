//! What the requests of a trace are like, in one pass and in memory that does not grow with it.

mod clock;
mod hot;
mod order;
mod reuse;
mod shape;

pub use clock::{Clock, Load};
pub use hot::Hot;
pub use order::Order;
pub use reuse::{Reuse, LARGEST_TRACKED, SMALLEST_BLOCK};
pub use shape::Shape;

use super::batch::{Batch, Op};

/// Reads and writes, by these numbers.
pub const SIDES: usize = 2;

/// How a trace is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes of a block whose reuse is followed, a power of two from `SMALLEST_BLOCK` on.
    pub block: u64,
    /// Blocks that are followed at once; with more, a sample of them.
    pub tracked: usize,
}

/// All figures of a trace.
#[derive(Debug)]
pub struct Profile {
    /// Requests and bytes, by the number of `Op`.
    pub counts: [(u64, u64); 4],
    pub shape: Shape,
    pub order: Order,
    pub clock: Clock,
    pub load: Load,
    pub reuse: Reuse,
    pub hot: Hot,
}

impl Profile {
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            counts: [(0, 0); 4],
            shape: Shape::default(),
            order: Order::default(),
            clock: Clock::default(),
            load: Load::default(),
            reuse: Reuse::new(options.block, options.tracked),
            hot: Hot::default(),
        }
    }

    /// Adds requests, in the order of the trace.
    pub fn add(&mut self, batch: &Batch) {
        for place in 0..batch.len() {
            let (time, op) = (batch.times[place], batch.ops[place]);
            let (offset, length) = (batch.offsets[place], batch.lengths[place]);
            let count = &mut self.counts[usize::from(op & 3)];
            count.0 += 1;
            count.1 = count.1.saturating_add(length);
            self.clock.add(time);
            let side = usize::from(op);
            if side >= SIDES {
                continue;
            }
            let device = batch.devices[place];
            self.load.add(time, side, length);
            self.shape.add(side, offset, length);
            self.order.add(device, op == Op::Read as u8, offset, length);
            if length > 0 {
                self.hot.add(device, side, offset);
                self.reuse.add(device, side, offset, length);
            }
        }
    }

    /// Ends the counting.
    pub fn finish(&mut self) {
        self.load.settle();
        self.reuse.settle();
    }
}
