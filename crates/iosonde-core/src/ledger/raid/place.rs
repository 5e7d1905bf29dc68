//! Where md puts data and parity of RAID 4, 5 and 6.
//!
//! Source: Linux 6.1, drivers/md/raid5.c, `raid5_compute_sector()`; the names are mdadm(8)'s.

use crate::ledger::divisor::Divisor;
use crate::ledger::problem::LedgerError;

/// How parity wanders over the members. The numbers are md's own (drivers/md/raid5.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    LeftAsymmetric = 0,
    RightAsymmetric = 1,
    LeftSymmetric = 2,
    RightSymmetric = 3,
    ParityFirst = 4,
    ParityLast = 5,
    ZeroRestart = 8,
    NRestart = 9,
    NContinue = 10,
    LeftAsymmetric6 = 16,
    RightAsymmetric6 = 17,
    LeftSymmetric6 = 18,
    RightSymmetric6 = 19,
    ParityFirst6 = 20,
}

impl Layout {
    /// The layout of md's number.
    #[must_use]
    pub const fn of(number: u64) -> Option<Self> {
        Some(match number {
            0 => Self::LeftAsymmetric,
            1 => Self::RightAsymmetric,
            2 => Self::LeftSymmetric,
            3 => Self::RightSymmetric,
            4 => Self::ParityFirst,
            5 => Self::ParityLast,
            8 => Self::ZeroRestart,
            9 => Self::NRestart,
            10 => Self::NContinue,
            16 => Self::LeftAsymmetric6,
            17 => Self::RightAsymmetric6,
            18 => Self::LeftSymmetric6,
            19 => Self::RightSymmetric6,
            20 => Self::ParityFirst6,
            _ => return None,
        })
    }
}

/// The geometry of an array with parity.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub disks: u64,
    /// Members of parity: 1, or 2 of RAID 6.
    pub parity: u64,
    pub layout: Layout,
    chunk: Divisor,
    data: Divisor,
    turn: Divisor,
}

/// The members of one row of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub p: u64,
    /// Of RAID 6.
    pub q: Option<u64>,
    /// The member of the row's first data chunk; the others follow it.
    first: u64,
    /// How many members the data wrap around in; 0: they do not, but leave out what is parity.
    wraps: u64,
}

impl Row {
    /// The bits of the parity's members.
    #[must_use]
    #[inline]
    pub fn mask(&self) -> u64 {
        1 << self.p | self.q.map_or(0, |q| 1 << q)
    }

    /// The member that holds the data chunk of a number.
    #[must_use]
    #[inline]
    pub fn member(&self, data: u64) -> u64 {
        if self.wraps > 0 {
            let member = self.first + data;
            return if member >= self.wraps {
                member - self.wraps
            } else {
                member
            };
        }
        let (low, high) = match self.q {
            Some(q) if q < self.p => (q, self.p),
            Some(q) => (self.p, q),
            None => (self.p, u64::MAX),
        };
        let member = data + u64::from(data >= low);
        member + u64::from(member >= high)
    }
}

impl Geometry {
    /// # Errors
    /// Too few or too many members, a layout that the level does not have, a chunk that is no
    /// multiple of 4 KiB.
    pub fn new(disks: u64, parity: u64, layout: Layout, chunk: u64) -> Result<Self, LedgerError> {
        let only6 = layout as u64 >= 8;
        if !(parity == 1 && disks >= 2 || parity == 2 && disks >= 4) || disks > 64 {
            return Err(LedgerError::Members {
                members: disks,
                parity,
            });
        }
        if only6 && parity == 1 {
            return Err(LedgerError::Layout6);
        }
        if chunk == 0 || chunk % super::super::io::PAGE != 0 {
            return Err(LedgerError::ParityChunk);
        }
        let turn = if layout as u64 >= 16 {
            disks - 1
        } else {
            disks
        };
        Ok(Self {
            disks,
            parity,
            layout,
            chunk: Divisor::new(chunk),
            data: Divisor::new(disks - parity),
            turn: Divisor::new(turn),
        })
    }

    #[must_use]
    pub const fn chunk(&self) -> u64 {
        self.chunk.get()
    }

    /// Data chunks of a row.
    #[must_use]
    pub const fn data(&self) -> u64 {
        self.data.get()
    }

    /// After how many rows parity is where it was.
    #[must_use]
    pub const fn turns(&self) -> u64 {
        self.turn.get()
    }

    /// Where in that turn a row is.
    #[must_use]
    #[inline]
    pub const fn turn(&self, row: u64) -> u64 {
        self.turn.divide(row).1
    }

    /// Number of the row of chunks, of the data chunk in it, and the offset in that chunk.
    #[must_use]
    #[inline]
    pub const fn find(&self, offset: u64) -> (u64, u64, u64) {
        let (chunk, inside) = self.chunk.divide(offset);
        let (row, data) = self.data.divide(chunk);
        (row, data, inside)
    }

    /// The members of a row.
    #[must_use]
    #[inline]
    pub fn row(&self, number: u64) -> Row {
        if self.parity == 1 {
            self.row5(number)
        } else {
            self.row6(number)
        }
    }

    #[inline]
    fn row5(&self, number: u64) -> Row {
        let n = self.disks;
        let turn = self.turn.divide(number).1;
        let (p, symmetric) = match self.layout {
            Layout::LeftAsymmetric => (n - 1 - turn, false),
            Layout::RightAsymmetric => (turn, false),
            Layout::LeftSymmetric => (n - 1 - turn, true),
            Layout::RightSymmetric => (turn, true),
            Layout::ParityFirst => (0, false),
            _ => (n - 1, false),
        };
        let first = if p + 1 == n { 0 } else { p + 1 };
        Row {
            p,
            q: None,
            first,
            wraps: if symmetric { n } else { 0 },
        }
    }

    fn row6(&self, number: u64) -> Row {
        let n = self.disks;
        let turn = self.turn.divide(number).1;
        let next = |member: u64| {
            if member + 1 >= n {
                member + 1 - n
            } else {
                member + 1
            }
        };
        let behind = |p: u64| Row {
            p,
            q: Some(next(p)),
            first: 0,
            wraps: 0,
        };
        match self.layout {
            Layout::LeftAsymmetric => behind(n - 1 - turn),
            Layout::RightAsymmetric | Layout::ZeroRestart => behind(turn),
            Layout::NRestart => behind(n - 1 - self.turn.divide(number + 1).1),
            Layout::LeftSymmetric | Layout::RightSymmetric => {
                let p = if self.layout == Layout::LeftSymmetric {
                    n - 1 - turn
                } else {
                    turn
                };
                Row {
                    p,
                    q: Some(next(p)),
                    first: next(next(p)),
                    wraps: n,
                }
            }
            Layout::NContinue => {
                let p = n - 1 - turn;
                Row {
                    p,
                    q: Some(if p == 0 { n - 1 } else { p - 1 }),
                    first: next(p),
                    wraps: n,
                }
            }
            Layout::ParityFirst => Row {
                p: 0,
                q: Some(1),
                first: 0,
                wraps: 0,
            },
            Layout::ParityLast => Row {
                p: n - 2,
                q: Some(n - 1),
                first: 0,
                wraps: 0,
            },
            _ => self.row_of_raid5(turn),
        }
    }

    /// RAID 5 with Q on the last member.
    fn row_of_raid5(&self, turn: u64) -> Row {
        let n = self.disks - 1;
        let p = match self.layout {
            Layout::LeftAsymmetric6 | Layout::LeftSymmetric6 => n - 1 - turn,
            Layout::ParityFirst6 => 0,
            _ => turn,
        };
        let symmetric = matches!(
            self.layout,
            Layout::LeftSymmetric6 | Layout::RightSymmetric6
        );
        let first = if p + 1 == n { 0 } else { p + 1 };
        Row {
            p,
            q: Some(n),
            first,
            wraps: if symmetric { n } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [u64; 14] = [0, 1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 18, 19, 20];

    fn written(parity: u64, layout: Layout, disks: u64) -> Vec<String> {
        let geometry = Geometry::new(disks, parity, layout, 4096).expect("a geometry");
        let row = |number| {
            let row = geometry.row(number);
            let mut names = vec!["?".to_owned(); usize::try_from(disks).unwrap()];
            names[usize::try_from(row.p).unwrap()] = "P".to_owned();
            if let Some(q) = row.q {
                names[usize::try_from(q).unwrap()] = "Q".to_owned();
            }
            for data in 0..disks - parity {
                let place = usize::try_from(row.member(data)).unwrap();
                names[place] = (number * (disks - parity) + data).to_string();
            }
            names.join(" ")
        };
        (0..disks).map(row).collect()
    }

    #[test]
    fn left_symmetric_as_drawn_everywhere() {
        let rows = ["0 1 2 P", "4 5 P 3", "8 P 6 7", "P 9 10 11"];
        assert_eq!(written(1, Layout::LeftSymmetric, 4), rows);
        let rows = ["Q 0 1 P", "2 3 P Q", "5 P Q 4", "P Q 6 7"];
        assert_eq!(written(2, Layout::LeftSymmetric, 4), rows);
        let rows = ["Q 0 1 P", "2 3 P Q", "4 P Q 5", "P Q 6 7"];
        assert_eq!(written(2, Layout::LeftAsymmetric, 4), rows);
        let rows = ["0 1 P Q", "3 P 2 Q", "P 4 5 Q", "6 7 P Q"];
        assert_eq!(written(2, Layout::LeftSymmetric6, 4), rows);
    }

    proptest! {
        /// Each member of a row has exactly one role.
        #[test]
        fn every_member_has_one_role(disks in 4_u64..=64, parity in 1_u64..=2, layout in prop::sample::select(&ALL[..]), number in 0_u64..1 << 40) {
            let layout = Layout::of(layout).unwrap();
            if let Ok(geometry) = Geometry::new(disks, parity, layout, 65536) {
                let row = geometry.row(number);
                let mut seen = row.mask();
                prop_assert_eq!(u64::from(seen.count_ones()), parity);
                for data in 0..disks - parity {
                    let bit = 1_u64 << row.member(data);
                    prop_assert_eq!(seen & bit, 0);
                    seen |= bit;
                }
                prop_assert_eq!(u64::from(seen.count_ones()), disks);
            }
        }
    }
}
