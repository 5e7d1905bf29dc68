//! A replicated volume: each write goes to both sides, and where it goes to an extent that is not
//! active, the activity log is written first.
//!
//! Source: DRBD 8.4, `drbd_actlog.c` (`drbd_al_begin_io()`, extents of 4 MiB, a transaction of 4 KiB
//! for each change at depth 1), `drbd_receiver.c` (a flush ends each epoch where disks are flushed);
//! drbd.conf(5), `al-extents`. Counted in a lab: 1000 random writes cost the primary 1000 writes and
//! one for each extent touched, the secondary 1000 writes and 1000 flushes.

use super::io::{Io, Op, Step, PAGE};
use super::lru::Lru;
use super::mapping::Mapping;
use super::problem::LedgerError;

const EXTENT: u64 = 4 << 20;
const LOCAL: usize = 0;
/// The other side's device, where I/Os arrive as requests of their own.
pub const PEER: u32 = 1;

/// A volume with its activity log.
#[derive(Clone, Debug)]
pub struct Drbd {
    active: Lru,
    /// Where the log lies on the local device.
    log: u64,
    /// The other side flushes behind each write.
    flushes: bool,
    transactions: u64,
}

impl Drbd {
    /// Args: `extents` that can be active; `log`: its place, bytes.
    ///
    /// # Errors
    /// No extents, or too many.
    pub fn new(extents: u64, log: u64, flushes: bool) -> Result<Self, LedgerError> {
        let count = usize::try_from(extents).unwrap_or(0);
        if !(1..1 << 20).contains(&count) {
            return Err(LedgerError::Extents(extents));
        }
        Ok(Self {
            active: Lru::new(count),
            log,
            flushes,
            transactions: 0,
        })
    }

    fn write(&mut self, io: Io, out: &mut Vec<Step>) {
        let mut changed = false;
        for extent in io.offset / EXTENT..=(io.end().max(io.offset + 1) - 1) / EXTENT {
            if self.active.get(extent, true).is_none() {
                self.active.insert(extent, 0);
                changed = true;
            }
        }
        if changed {
            self.transactions += 1;
            out.push(Step::new(LOCAL, Io::new(Op::Write, self.log, PAGE)));
        }
        out.push(Step::new(LOCAL, io));
        out.push(Step { child: PEER, io });
        if self.flushes {
            out.push(Step {
                child: PEER,
                io: Io::new(Op::Flush, 0, 0),
            });
        }
    }
}

impl Mapping for Drbd {
    /// What it counted.
    fn events(&self) -> Vec<(&'static str, u64)> {
        vec![("log_writes", self.transactions)]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        match io.op {
            Op::Read | Op::Flush => out.push(Step::new(LOCAL, io)),
            Op::Write => self.write(io, out),
        }
    }

    #[inline]
    fn far(&self) -> Option<u32> {
        Some(PEER)
    }

    fn check(&self, below: usize) -> Result<(), LedgerError> {
        if below == 2 {
            Ok(())
        } else {
            Err(LedgerError::ReplicaBelow)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_written_for_each_extent_that_becomes_active() {
        let mut drbd = Drbd::new(2, 1 << 40, true).unwrap();
        let mut count = |megabyte: u64| {
            let mut out = Vec::new();
            drbd.map(Io::new(Op::Write, megabyte << 20, 4096), &mut out);
            out.len()
        };
        assert_eq!(count(0), 4);
        assert_eq!(count(3), 3, "the same extent");
        assert_eq!(count(4), 4);
        assert_eq!(count(8), 4, "the first one has to go");
        assert_eq!(count(5), 3);
        assert_eq!(count(0), 4);
    }

    #[test]
    fn one_transaction_for_a_write_across_extents() {
        let mut drbd = Drbd::new(1237, 1 << 40, false).unwrap();
        let mut out = Vec::new();
        drbd.map(Io::new(Op::Write, (4 << 20) - 4096, 8192), &mut out);
        assert_eq!(out.len(), 3);
        out.clear();
        drbd.map(Io::new(Op::Read, 1 << 30, 4096), &mut out);
        assert_eq!(out.len(), 1);
    }
}
