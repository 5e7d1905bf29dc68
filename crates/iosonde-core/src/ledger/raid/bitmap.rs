//! md's write-intent bitmap: before anything is written to a region that was clean, its bit is set
//! on all members.
//!
//! Source: Linux 6.1, drivers/md/md-bitmap.c: `md_bitmap_startwrite()` sets the bit of each chunk
//! that is not marked, `md_bitmap_unplug()` writes each page that has new bits, once, and waits;
//! `write_sb_page()`: to every member that is not lost, the last page only as far as it is used,
//! in logical blocks. A bit lies behind the superblock of 256 bytes. RAID 1 and 10 mark places of
//! the array (raid1.c, raid10.c), RAID 4, 5 and 6 those of a member (raid5.c, `add_stripe_bio()`).
//!
//! Bits are cleared by a daemon after some seconds without writes (`md_bitmap_daemon_work()`), which
//! then writes each page that has cleared bits once. The ledger has no clock: here all bits stay set
//! until the load has ended. Where a member is lost they stay set then too (`md_bitmap_endwrite()`
//! keeps the bits of what was not written to all; with parity and in RAID 10 the kernel clears those
//! of writes that missed no lost member).

use std::collections::{BTreeSet, HashSet};

use crate::ledger::io::{Io, PAGE, SECTOR};
use crate::ledger::problem::LedgerError;

const SUPERBLOCK: u64 = 256;
const BITS_OF_PAGE: u64 = PAGE * 8;

/// Where a place of an array lies on its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Bytes on one member before the next one's turn.
    pub chunk: u64,
    /// Members that hold data of a row.
    pub data: u64,
}

/// A bitmap of all members.
#[derive(Clone, Debug)]
pub struct Bitmap {
    /// Bytes that a bit stands for.
    chunk: u64,
    /// Where it lies on a member.
    at: u64,
    /// Bytes of it, with its superblock.
    bytes: u64,
    /// None: bits stand for places of the array.
    rows: Option<Rows>,
    failed: u64,
    set: HashSet<u64>,
    /// Pages written for the current request.
    request: u64,
    written: Vec<u64>,
    /// Bits that were set, pages written for that, and to clear them.
    bits: u64,
    pages: u64,
    cleared: u64,
}

impl Bitmap {
    /// Args: bytes of a bit, of all that has bits; where it lies on a member; bits of lost members.
    ///
    /// # Errors
    /// A bit for no bytes.
    pub fn new(
        chunk: u64,
        covered: u64,
        at: u64,
        rows: Option<Rows>,
        failed: u64,
    ) -> Result<Self, LedgerError> {
        if chunk < SECTOR || rows.is_some_and(|one| one.chunk == 0 || one.data == 0) {
            return Err(LedgerError::BitmapChunk);
        }
        Ok(Self {
            chunk,
            at,
            bytes: SUPERBLOCK + covered.div_ceil(chunk).div_ceil(8),
            rows,
            failed,
            set: HashSet::new(),
            request: 0,
            written: Vec::new(),
            bits: 0,
            pages: 0,
            cleared: 0,
        })
    }

    #[must_use]
    pub const fn is_lost(&self, member: usize) -> bool {
        self.failed >> member & 1 == 1
    }

    /// What it counted.
    #[must_use]
    pub fn events(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("bitmap_bits", self.bits),
            ("bitmap_pages", self.pages),
            ("bitmap_pages_cleared", self.cleared),
        ]
    }

    /// Marks what is about to be written.
    ///
    /// Returns: place and bytes on each member of what must be written first.
    pub fn mark(&mut self, io: &Io, request: u64) -> Vec<(u64, u64)> {
        if request != self.request {
            self.request = request;
            self.written.clear();
        }
        let mut before = Vec::new();
        for (begin, end) in self.places(io) {
            for bit in begin / self.chunk..=(end - 1) / self.chunk {
                let (page, clean) = (page_of(bit), self.set.insert(bit));
                self.bits += u64::from(clean);
                if clean && !self.written.contains(&page) {
                    self.written.push(page);
                    self.pages += 1;
                    before.push((self.at + page * PAGE, self.length(page)));
                }
            }
        }
        before
    }

    /// Clears all bits, long after the last write.
    ///
    /// Returns: place and bytes on each member of the pages that are written then.
    pub fn clear(&mut self) -> Vec<(u64, u64)> {
        if self.failed != 0 {
            return Vec::new();
        }
        let pages: BTreeSet<u64> = self.set.drain().map(page_of).collect();
        self.cleared += pages.len() as u64;
        let place = |&page: &u64| (self.at + page * PAGE, self.length(page));
        pages.iter().map(place).collect()
    }

    /// What an I/O touches of the space that has bits.
    fn places(&self, io: &Io) -> Vec<(u64, u64)> {
        let Some(Rows { chunk, data }) = self.rows else {
            return vec![(io.offset, io.end())];
        };
        let mut found = Vec::new();
        let mut at = io.offset;
        while at < io.end() {
            let end = io.end().min((at / chunk + 1) * chunk);
            let row = at / (chunk * data) * chunk;
            found.push((row + at % chunk, row + (end - 1) % chunk + 1));
            at = end;
        }
        found
    }

    fn length(&self, page: u64) -> u64 {
        let rest = self.bytes.saturating_sub(page * PAGE).min(PAGE);
        rest.div_ceil(SECTOR).max(1) * SECTOR
    }
}

/// The page that a bit lies in.
const fn page_of(bit: u64) -> u64 {
    (SUPERBLOCK * 8 + bit) / BITS_OF_PAGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::io::Op;
    use proptest::prelude::*;

    fn write(offset: u64, length: u64) -> Io {
        Io::new(Op::Write, offset, length)
    }

    #[test]
    fn the_first_write_to_a_chunk_is_preceded_by_its_page() {
        let mut bitmap = Bitmap::new(64 << 20, 1 << 30, 8192, None, 0).unwrap();
        assert_eq!(bitmap.mark(&write(0, 4096), 1), [(8192, 512)]);
        assert!(bitmap.mark(&write(4096, 4096), 2).is_empty());
        assert_eq!(bitmap.mark(&write((64 << 20) - 512, 1024), 3).len(), 1);
        // Both halves of a request set bits of the same page, which is written once.
        assert_eq!(bitmap.mark(&write(2 << 26, 4096), 4).len(), 1);
        assert!(bitmap.mark(&write(3 << 26, 4096), 4).is_empty());
        assert_eq!(
            bitmap.events()[..2],
            [("bitmap_bits", 4), ("bitmap_pages", 3)]
        );
    }

    #[test]
    fn bits_behind_the_first_page_lie_in_the_next() {
        let mut bitmap = Bitmap::new(4096, 1 << 30, 8192, None, 0).unwrap();
        let first = (4096 - 256) * 8 * 4096;
        assert_eq!(bitmap.mark(&write(first - 4096, 4096), 1), [(8192, 4096)]);
        assert_eq!(bitmap.mark(&write(first, 4096), 2), [(8192 + 4096, 4096)]);
        assert_eq!(bitmap.clear(), [(8192, 4096), (8192 + 4096, 4096)]);
        assert!(bitmap.clear().is_empty());
        assert_eq!(bitmap.mark(&write(first, 4096), 3).len(), 1, "set anew");
    }

    #[test]
    fn with_a_lost_member_bits_stay_set() {
        let mut bitmap = Bitmap::new(64 << 20, 1 << 30, 8192, None, 2).unwrap();
        assert_eq!(bitmap.mark(&write(0, 4096), 1).len(), 1);
        assert!(bitmap.clear().is_empty());
        assert!(bitmap.mark(&write(0, 4096), 2).is_empty());
    }

    proptest! {
        /// With parity a bit stands for a place on the members: the same as byte by byte.
        #[test]
        fn rows_are_places_of_a_member(
            chunk in 1_u64..5, data in 1_u64..5, bit in 1_u64..9, sector in 0_u64..200, length in 1_u64..60,
        ) {
            let (chunk, bit) = (chunk * 1024, bit * 512);
            let mut bitmap = Bitmap::new(bit, 1 << 30, 0, Some(Rows { chunk, data }), 0).unwrap();
            bitmap.mark(&write(sector * 512, length * 512), 1);
            let mut slow = HashSet::new();
            for one in sector * 512..(sector + length) * 512 {
                slow.insert((one / (chunk * data) * chunk + one % chunk) / bit);
            }
            prop_assert_eq!(bitmap.set, slow);
        }
    }
}
