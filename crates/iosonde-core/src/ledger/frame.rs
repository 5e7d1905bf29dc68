//! What a network carries at once, and how a request is cut into it.

use super::io::{Io, Op, Step};
use super::mapping::Mapping;

/// How the data of a write are asked for by the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfers {
    /// They come with the request.
    None,
    /// iSCSI: the first bytes come unasked, then each burst is asked for (R2T). RFC 7143, 13.13,
    /// 13.14: `MaxBurstLength`, `FirstBurstLength`.
    Iscsi { first: u64, most: u64 },
    /// `NVMe` over fabrics: data that do not fit into the command's capsule are asked for.
    /// NVMe-oF 1.1, 1.5.3; nvmet asks once for all.
    Nvme { inline: u64 },
}

impl Transfers {
    /// How often the other end asks for the data of a write.
    #[must_use]
    pub const fn asked(&self, length: u64) -> u64 {
        match *self {
            Self::None => 0,
            Self::Iscsi { first, most } => length.saturating_sub(first).div_ceil(most),
            Self::Nvme { inline } => (length > inline) as u64,
        }
    }
}

/// Cuts what it gets into pieces of at most `read` and `write` bytes, counted from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub read: u64,
    pub write: u64,
    pub transfers: Transfers,
    asked: u64,
}

impl Cut {
    #[must_use]
    pub const fn new(read: u64, write: u64, transfers: Transfers) -> Self {
        Self {
            read,
            write,
            transfers,
            asked: 0,
        }
    }

    /// Whether all is carried at once and needs no transfer of its own.
    #[inline]
    #[must_use]
    pub fn whole(&self, op: Op, length: u64) -> bool {
        let most = if op == Op::Read {
            self.read
        } else {
            self.write
        };
        matches!(self.transfers, Transfers::None) && length <= most
    }

    #[inline]
    fn send(&mut self, io: Io, out: &mut Vec<Step>) {
        if io.op == Op::Write {
            self.asked += self.transfers.asked(io.length);
        }
        out.push(Step::new(0, Io { alone: true, ..io }));
    }
}

impl Mapping for Cut {
    /// What it counted.
    fn events(&self) -> Vec<(&'static str, u64)> {
        match self.transfers {
            Transfers::None => Vec::new(),
            _ => vec![("transfers_asked_for", self.asked)],
        }
    }

    /// What is carried at once and needs no transfer of its own.
    #[inline]
    fn only(&self, io: Io) -> Option<Step> {
        self.whole(io.op, io.length)
            .then(|| Step::new(0, Io { alone: true, ..io }))
    }

    /// The pieces, each a request of its own at the other end.
    #[inline]
    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        let most = if io.op == Op::Read {
            self.read
        } else {
            self.write
        };
        if io.length <= most {
            self.send(io, out);
            return;
        }
        let mut offset = io.offset;
        while offset < io.end() {
            let length = most.min(io.end() - offset);
            self.send(io.part(offset, length), out);
            offset += length;
        }
    }

    fn through(&self) -> Option<(u64, u64, u64)> {
        let (reads, writes) = (self.whole(Op::Read, 0), self.whole(Op::Write, 0));
        (reads && writes).then_some((self.read, self.write, 0))
    }

    #[inline]
    fn single(&self, op: Op, offset: u64, length: u64) -> Option<(u32, u64)> {
        self.whole(op, length).then_some((0, offset))
    }

    #[inline]
    fn far(&self) -> Option<u32> {
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_ata_over_ethernet() {
        // Counted at a server with an MTU of 9000: 64 KiB are seven frames of 8704 bytes and a rest.
        let mut out = Vec::new();
        Cut::new(8704, 8704, Transfers::None).map(Io::new(Op::Write, 0, 65536), &mut out);
        let lengths: Vec<u64> = out.iter().map(|step| step.io.length).collect();
        assert_eq!(lengths, [8704, 8704, 8704, 8704, 8704, 8704, 8704, 4608]);
    }

    #[test]
    fn data_that_are_asked_for() {
        let iscsi = Transfers::Iscsi {
            first: 65536,
            most: 262_144,
        };
        assert_eq!(iscsi.asked(4096), 0);
        assert_eq!(iscsi.asked(1 << 20), 4);
        assert_eq!(
            Transfers::Iscsi {
                first: 0,
                most: 262_144
            }
            .asked(4096),
            1
        );
        assert_eq!(Transfers::Nvme { inline: 16384 }.asked(16384), 0);
        assert_eq!(Transfers::Nvme { inline: 16384 }.asked(20480), 1);
    }
}
