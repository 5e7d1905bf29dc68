//! What md reads and writes for one stripe: a page of each member at the same place.
//!
//! A literal account of the decisions, on sets of members as bits. Read-modify-write reads what is
//! overwritten and the parity; reconstruct-write reads all data that are not overwritten.
//!
//! Source: Linux 6.1, drivers/md/raid5.c: `handle_stripe_dirtying()`, `need_this_block()`,
//! `fetch_block()`, `handle_stripe_fill()`, `schedule_reconstruction()`, `ops_run_io()`.

/// When read-modify-write is taken (sysfs `md/rmw_level`, Documentation/admin-guide/md.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmwLevel {
    /// Never.
    Disabled = 0,
    /// Where it reads fewer pages: md's default.
    Enabled = 1,
    /// Where it reads no more pages.
    Preferred = 2,
}

/// The members of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members {
    pub disks: u32,
    pub p: u32,
    pub q: Option<u32>,
    /// Those that are lost.
    pub failed: u64,
}

impl Members {
    const fn parity(&self) -> u64 {
        1 << self.p | if let Some(q) = self.q { 1 << q } else { 0 }
    }

    const fn all(&self) -> u64 {
        u64::MAX >> (64 - self.disks)
    }
}

/// A stripe with what is wanted of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stripe {
    /// Pages that md has in memory.
    pub known: u64,
    /// Pages to be read.
    pub reading: u64,
    /// Pages written, and those of them that are written wholly.
    pub writing: u64,
    pub whole: u64,
}

/// What md does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Read(u64),
    Write(u64),
    Done,
}

const fn bit(member: u32) -> u64 {
    1 << member
}

impl Stripe {
    /// What md does next; after a read the pages are known. `Done` also where too many members are
    /// lost to go on.
    pub fn next(&mut self, members: &Members, level: RmwLevel) -> Next {
        self.reading &= !self.known;
        for _ in 0..=members.disks {
            let mut pass = Pass {
                stripe: *self,
                members,
                level,
                locked: 0,
                computed: 0,
            };
            pass.fill();
            let ready = self.writing != 0 && pass.dirty();
            if pass.locked != 0 {
                self.known |= pass.locked;
                self.reading &= !self.known;
                return Next::Read(pass.locked);
            }
            self.known |= pass.computed;
            self.reading &= !self.known;
            if ready {
                let changed = self.writing | members.parity();
                self.known |= changed;
                self.writing = 0;
                self.whole = 0;
                return Next::Write(changed & !members.failed);
            }
            if pass.computed == 0 {
                return Next::Done;
            }
        }
        Next::Done
    }
}

/// One look of md at a stripe: `locked` are the pages it begins to read, `computed` those that it
/// makes from the others.
struct Pass<'a> {
    stripe: Stripe,
    members: &'a Members,
    level: RmwLevel,
    locked: u64,
    computed: u64,
}

impl Pass<'_> {
    fn fill(&mut self) {
        let Stripe {
            reading,
            writing,
            whole,
            ..
        } = self.stripe;
        let failed = self.members.failed;
        if reading == 0 && writing & !whole == 0 && (writing == 0 || failed == 0) {
            return;
        }
        for member in (0..self.members.disks).rev() {
            if self.needs(member) && self.fetch(member) {
                return;
            }
        }
    }

    /// The first two lost members: md looks at no more.
    fn lost(&self) -> impl Iterator<Item = u32> {
        let failed = self.members.failed;
        let disks = self.members.disks;
        (0..disks)
            .rev()
            .filter(move |&one| failed & bit(one) != 0)
            .take(2)
    }

    fn needs(&self, member: u32) -> bool {
        let Stripe {
            known,
            reading,
            writing,
            whole,
        } = self.stripe;
        let part = writing & !whole;
        if (self.locked | known) & bit(member) != 0 {
            return false;
        }
        if (reading | part) & bit(member) != 0 {
            return true;
        }
        if self.lost().any(|one| reading & bit(one) != 0) {
            return true;
        }
        let several = self.members.failed.count_ones() >= 2;
        if self.members.failed == 0 || writing == 0 {
            return false;
        }
        let mut reconstruct = self.level == RmwLevel::Disabled;
        for one in self.lost().filter(|&one| known & bit(one) == 0) {
            if part & bit(one) != 0 {
                return true;
            }
            reconstruct |= several && (writing | self.members.parity()) & bit(one) != 0;
        }
        let missing = !self.members.parity() & !known & !whole;
        reconstruct && self.lost().any(|one| missing & bit(one) != 0)
    }

    /// Computes or reads a page.
    ///
    /// Returns: pages are computed, so that md looks again when that is done.
    fn fetch(&mut self, member: u32) -> bool {
        let Members {
            disks,
            p,
            q,
            failed,
        } = *self.members;
        let known = self.stripe.known.count_ones();
        let lost = failed & bit(member) != 0;
        if known + 1 == disks && (lost || q.is_some() && p == member) {
            self.computed = bit(member);
            return true;
        }
        if known + 2 == disks && failed.count_ones() >= 2 {
            self.computed = self.members.all() & !self.stripe.known;
            return true;
        }
        if !lost {
            self.locked |= bit(member);
        }
        false
    }

    /// Chooses how parity is brought up to date, and begins the reads for it.
    ///
    /// Returns: nothing is missing.
    fn dirty(&mut self) -> bool {
        let Stripe {
            known,
            writing,
            whole,
            ..
        } = self.stripe;
        let parity = self.members.parity();
        let open = self.members.all() & !(self.locked | known | self.computed);
        let old = (writing | parity) & open;
        let rest = !(whole | parity) & open;
        let (mut rcw, mut rmw) = (self.price(rest), self.price(old));
        if self.level == RmwLevel::Disabled {
            (rcw, rmw) = (1, 2);
        }
        let tie = self.level == RmwLevel::Preferred;
        let (modify, reconstruct) = (
            rmw < rcw || rmw == rcw && tie,
            rcw < rmw || rcw == rmw && !tie,
        );
        if modify && rmw > 0 {
            self.locked |= old & !self.members.failed;
        }
        if reconstruct && rcw > 0 {
            rcw = rest.count_ones();
            self.locked |= rest & !self.members.failed;
        }
        self.locked == 0 && (rcw == 0 || rmw == 0)
    }

    /// Pages to be read; what cannot be read counts as more than all others.
    const fn price(&self, pages: u64) -> u32 {
        let lost = (pages & self.members.failed).count_ones();
        pages.count_ones() - lost + lost * 2 * self.members.disks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RAID5: Members = Members {
        disks: 5,
        p: 4,
        q: None,
        failed: 0,
    };

    fn all(mut stripe: Stripe, members: Members, level: RmwLevel) -> (u64, u64) {
        let (mut read, mut written) = (0, 0);
        loop {
            match stripe.next(&members, level) {
                Next::Read(pages) => read |= pages,
                Next::Write(pages) => written |= pages,
                Next::Done => return (read, written),
            }
        }
    }

    fn write(pages: u64) -> Stripe {
        Stripe {
            writing: pages,
            whole: pages,
            ..Stripe::default()
        }
    }

    #[test]
    fn one_page_of_raid5() {
        assert_eq!(all(write(1), RAID5, RmwLevel::Enabled), (0b10001, 0b10001));
        assert_eq!(all(write(1), RAID5, RmwLevel::Disabled), (0b01110, 0b10001));
        let four = Members {
            disks: 4,
            p: 3,
            ..RAID5
        };
        assert_eq!(
            all(write(1), four, RmwLevel::Enabled),
            (0b0110, 0b1001),
            "a tie"
        );
        assert_eq!(all(write(1), four, RmwLevel::Preferred), (0b1001, 0b1001));
    }

    #[test]
    fn a_whole_stripe_is_not_read() {
        assert_eq!(all(write(0b01111), RAID5, RmwLevel::Enabled), (0, 0b11111));
    }

    #[test]
    fn what_is_in_memory_is_not_read() {
        let known = Stripe {
            known: 0b10001,
            ..write(1)
        };
        assert_eq!(all(known, RAID5, RmwLevel::Enabled), (0, 0b10001));
    }

    #[test]
    fn a_lost_page_is_read_from_all_others() {
        let members = Members { failed: 1, ..RAID5 };
        let stripe = Stripe {
            reading: 1,
            ..Stripe::default()
        };
        assert_eq!(all(stripe, members, RmwLevel::Enabled), (0b11110, 0));
        let stripe = Stripe {
            reading: 2,
            ..Stripe::default()
        };
        assert_eq!(all(stripe, members, RmwLevel::Enabled), (0b00010, 0));
    }

    proptest! {
        /// Lost members are never touched, what is wanted comes to pass, no page is read twice.
        #[test]
        fn survivors_suffice(
            disks in 4_u32..12, six: bool, level in 0_usize..3, known: u64, reading: u64,
            writing: u64, whole: u64, one in 0_u32..12, two in 0_u32..12, lost in 0..3,
        ) {
            let (p, q) = (disks - 2, six.then_some(disks - 1));
            let p = if six { p } else { disks - 1 };
            let mut failed = 0;
            if lost > 0 { failed |= bit(one % disks); }
            if lost > 1 && six { failed |= bit(two % disks); }
            let members = Members { disks, p, q, failed };
            let level = [RmwLevel::Disabled, RmwLevel::Enabled, RmwLevel::Preferred][level];
            let data = members.all() & !members.parity();
            let mut stripe = Stripe {
                known: known & members.all(), reading: reading & data,
                writing: writing & data, whole: whole & writing & data,
            };
            let wanted = stripe;
            let (mut seen, mut wrote) = (stripe.known, 0);
            loop {
                match stripe.next(&members, level) {
                    Next::Read(pages) => {
                        prop_assert_eq!(pages & failed, 0);
                        prop_assert_eq!(pages & seen, 0);
                        seen |= pages;
                    }
                    Next::Write(pages) => {
                        prop_assert_eq!(pages & failed, 0);
                        prop_assert_eq!(wrote, 0);
                        wrote = pages;
                    }
                    Next::Done => break,
                }
            }
            if wanted.writing != 0 {
                prop_assert_eq!(wrote, (wanted.writing | members.parity()) & !failed);
            } else {
                prop_assert_eq!(wrote, 0);
            }
            prop_assert_eq!(stripe.known & wanted.reading, wanted.reading);
        }
    }
}
