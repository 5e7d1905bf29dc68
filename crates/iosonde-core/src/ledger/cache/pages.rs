//! The page cache before a file or a device: pages that were read or written stay, reads run ahead,
//! dirty pages go out in the order of their places. Approximate: there is no clock, so nothing is
//! written because it is old (`dirty_expire_centisecs`), and one file of one program is modelled.
//!
//! Source: Linux 6.1, mm/readahead.c (`ondemand_readahead()`: windows, their marks, sequential
//! misses, `try_context_readahead()`), mm/filemap.c (`filemap_get_pages()`); fs/fs-writeback.c
//! (`wb_writeback()`: above the background threshold at least 4 MiB at once, from where the last
//! ended); mm/vmscan.c is taken to be least recently used first. Pages that are written in part are
//! read first (fs/buffer.c, `__block_write_begin()`).

use std::collections::{BTreeSet, HashSet};

use super::ranges;
use crate::ledger::io::{Io, Op, Step, PAGE};
use crate::ledger::lru::Lru;
use crate::ledger::mapping::Mapping;
use crate::ledger::problem::LedgerError;

/// Pages that go out at once (`MIN_WRITEBACK_PAGES`).
const CHUNK: usize = 1024;

/// What a page cache is made of, in pages.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub pages: u64,
    /// Dirty pages above which they are written.
    pub background: u64,
    /// Read ahead at most; 0: not at all.
    pub ahead: u64,
    /// Largest I/O of the device (`bdi->io_pages`).
    pub largest: u64,
    /// Of the file.
    pub size: u64,
    /// Each page is written by a bio of its own, as those of a block device are (fs/buffer.c,
    /// `submit_bh()`): a request takes as many as it may have pieces of memory, also where they are
    /// neighbours there (block/blk-merge.c, `ll_new_hw_segment()` adds those of the bios).
    pub apart: bool,
}

/// `struct file_ra_state`.
#[derive(Clone, Debug, Default)]
struct Ahead {
    start: u64,
    size: u64,
    extra: u64,
    /// The page of the byte behind the last read.
    before: Option<u64>,
    marks: HashSet<u64>,
}

/// The page cache of one file.
#[derive(Clone, Debug)]
pub struct PageCache {
    figures: Figures,
    kept: Lru<()>,
    dirty: BTreeSet<u64>,
    ahead: Ahead,
    /// Where writing goes on.
    next: u64,
    hits: u64,
    misses: u64,
    read_ahead: u64,
    overwritten: u64,
}

impl PageCache {
    /// # Errors
    /// No page, or 2^31 and more.
    pub fn new(figures: Figures) -> Result<Self, LedgerError> {
        let count = usize::try_from(figures.pages).unwrap_or(usize::MAX);
        if !(1..1 << 31).contains(&count) {
            return Err(LedgerError::Pages);
        }
        Ok(Self {
            figures,
            kept: Lru::new(count),
            dirty: BTreeSet::new(),
            ahead: Ahead::default(),
            next: 0,
            hits: 0,
            misses: 0,
            read_ahead: 0,
            overwritten: 0,
        })
    }

    fn scatter(&self, steps: &mut [Step]) {
        for step in steps {
            step.io.scattered = self.figures.apart && step.io.op == Op::Write;
        }
    }

    fn read(&mut self, io: &Io, out: &mut Vec<Step>) {
        let end = io.end().div_ceil(PAGE);
        for page in io.offset / PAGE..end {
            if self.kept.get(page, true).is_some() {
                self.hits += 1;
            } else {
                self.misses += 1;
                self.sync(page, end - page, out);
            }
            if self.ahead.marks.remove(&page) {
                self.asynchronous(page, end - page, out);
            }
            self.ahead.before = Some(page + u64::from(io.end() >= (page + 1) * PAGE));
        }
    }

    /// The largest window for a request of so many pages.
    fn most(&self, wanted: u64) -> u64 {
        let Figures { ahead, largest, .. } = self.figures;
        if wanted > ahead && largest > ahead {
            wanted.min(largest)
        } else {
            ahead
        }
    }

    /// A page is missing (`page_cache_sync_ra()`).
    fn sync(&mut self, page: u64, wanted: u64, out: &mut Vec<Step>) {
        if self.figures.ahead == 0 {
            self.load(page, 1, 0, out);
            return;
        }
        let most = self.most(wanted);
        let follows = self
            .ahead
            .before
            .is_some_and(|one| page == one || page == one + 1);
        if page != 0 && self.expected(page) {
            self.push(most);
        } else if page == 0 || wanted > most || follows {
            let size = first_window(wanted, most);
            let extra = if size > wanted { size - wanted } else { size };
            self.window(page, size, extra);
        } else if let Some(size) = self.context(page, wanted, most) {
            self.window(page, size, 1);
        } else {
            self.load(page, wanted, 0, out);
            return;
        }
        self.submit(page, most, out);
    }

    /// A page with a mark was read (`page_cache_async_ra()`).
    fn asynchronous(&mut self, page: u64, wanted: u64, out: &mut Vec<Step>) {
        let most = self.most(wanted);
        if self.expected(page) {
            self.push(most);
        } else {
            let missing = (page + 1..=page + most).find(|&one| self.kept.peek(one).is_none());
            let Some(start) = missing else { return };
            let size = next_window(start - page + wanted, most);
            self.window(start, size, size);
        }
        self.submit(page, most, out);
    }

    const fn expected(&self, page: u64) -> bool {
        let Ahead {
            start, size, extra, ..
        } = self.ahead;
        page == start + size - extra || page == start + size
    }

    fn push(&mut self, most: u64) {
        let size = next_window(self.ahead.size, most);
        self.window(self.ahead.start + self.ahead.size, size, size);
    }

    fn window(&mut self, start: u64, size: u64, extra: u64) {
        let ahead = &mut self.ahead;
        (ahead.start, ahead.size, ahead.extra) = (start, size, extra);
    }

    /// How much to read where the pages before are there (`try_context_readahead()`).
    fn context(&self, page: u64, wanted: u64, most: u64) -> Option<u64> {
        let before = (1..=page.min(most)).take_while(|&one| self.kept.peek(page - one).is_some());
        let mut size = before.count() as u64;
        if size <= wanted {
            return None;
        }
        if size >= page {
            size *= 2;
        }
        Some((size + wanted).min(most))
    }

    fn submit(&mut self, page: u64, most: u64, out: &mut Vec<Step>) {
        if page == self.ahead.start && self.ahead.size == self.ahead.extra {
            let more = next_window(self.ahead.size, most);
            if self.ahead.size + more <= most {
                self.ahead.extra = more;
                self.ahead.size += more;
            } else {
                self.ahead.size = most;
                self.ahead.extra = most >> 1;
            }
        }
        let Ahead {
            start, size, extra, ..
        } = self.ahead;
        self.load(start, size, extra, out);
    }

    /// Reads pages that are not there, with a mark so many before their end.
    fn load(&mut self, start: u64, count: u64, extra: u64, out: &mut Vec<Step>) {
        let mut missing = Vec::new();
        for page in start..(start + count).min(self.figures.size.max(start + 1)) {
            if self.kept.peek(page).is_none() {
                missing.push(page);
                if extra > 0 && page == start + count - extra {
                    self.ahead.marks.insert(page);
                }
            }
        }
        runs(Op::Read, &missing, out);
        self.read_ahead += missing.len() as u64;
        for page in missing {
            self.keep(page, out);
        }
    }

    fn write(&mut self, io: &Io, out: &mut Vec<Step>) {
        for page in io.offset / PAGE..io.end().div_ceil(PAGE) {
            let whole = page * PAGE >= io.offset && (page + 1) * PAGE <= io.end();
            if self.kept.get(page, true).is_none() {
                if !whole {
                    runs(Op::Read, &[page], out);
                }
                self.keep(page, out);
            }
            self.overwritten += u64::from(!self.dirty.insert(page));
        }
        while self.dirty.len() as u64 > self.figures.background {
            let behind = self
                .dirty
                .range(self.next..)
                .chain(self.dirty.range(..self.next));
            let mut pages: Vec<u64> = behind.take(CHUNK).copied().collect();
            self.next = pages.last().map_or(0, |one| one + 1);
            pages.sort_unstable();
            for page in &pages {
                self.dirty.remove(page);
            }
            runs(Op::Write, &pages, out);
        }
    }

    /// A page comes in, and the one that was used longest ago goes.
    fn keep(&mut self, page: u64, out: &mut Vec<Step>) {
        if let Some((gone, ())) = self.kept.insert(page, ()) {
            self.ahead.marks.remove(&gone);
            if self.dirty.remove(&gone) {
                runs(Op::Write, &[gone], out);
            }
        }
    }
}

impl Mapping for PageCache {
    /// What it counted: pages.
    fn events(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("page_hits", self.hits),
            ("page_misses", self.misses),
            ("pages_ahead", self.read_ahead),
            ("pages_overwritten", self.overwritten),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        let from = out.len();
        match io.op {
            Op::Read => self.read(&io, out),
            Op::Write => self.write(&io, out),
            Op::Flush => {
                self.settle(out);
                out.push(Step::new(0, io));
            }
        }
        self.scatter(&mut out[from..]);
    }

    /// Writes all that is dirty.
    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        let (all, from) = (std::mem::take(&mut self.dirty), out.len());
        runs(Op::Write, &all.into_iter().collect::<Vec<u64>>(), out);
        self.scatter(&mut out[from..]);
        false
    }
}

/// `get_init_ra_size()`.
const fn first_window(wanted: u64, most: u64) -> u64 {
    let size = wanted.next_power_of_two();
    if size <= most / 32 {
        size * 4
    } else if size <= most / 4 {
        size * 2
    } else {
        most
    }
}

/// `get_next_ra_size()`.
const fn next_window(size: u64, most: u64) -> u64 {
    if size < most / 16 {
        4 * size
    } else if size <= most / 2 {
        2 * size
    } else {
        most
    }
}

/// An I/O for each run of neighbouring pages; pages in order.
fn runs(op: Op, pages: &[u64], out: &mut Vec<Step>) {
    for (first, count) in ranges::runs(pages) {
        out.push(Step::new(0, Io::new(op, first * PAGE, count * PAGE)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(pages: u64, background: u64) -> PageCache {
        let figures = Figures {
            pages,
            background,
            ahead: 32,
            largest: 320,
            size: 1 << 20,
            apart: true,
        };
        PageCache::new(figures).unwrap()
    }

    fn ask(cache: &mut PageCache, op: Op, page: u64, pages: u64) -> Vec<(Op, u64, u64)> {
        let mut out = Vec::new();
        cache.map(Io::new(op, page * PAGE, pages * PAGE), &mut out);
        out.iter()
            .map(|one| (one.io.op, one.io.offset / PAGE, one.io.length / PAGE))
            .collect()
    }

    #[test]
    fn windows_grow_to_what_is_allowed() {
        let mut cache = cache(10000, 1000);
        let all: Vec<_> = (0..160)
            .flat_map(|page| ask(&mut cache, Op::Read, page, 1))
            .collect();
        // As the kernel does with 128 KiB: 16, 32, 64, then 128 KiB each.
        let sizes: Vec<u64> = all.iter().map(|one| one.2).collect();
        assert_eq!(sizes, [4, 8, 16, 32, 32, 32, 32, 32, 32]);
        assert_eq!(all[3], (Op::Read, 28, 32));
    }

    #[test]
    fn random_reads_read_what_they_want() {
        let mut cache = cache(10000, 1000);
        assert_eq!(ask(&mut cache, Op::Read, 700, 1), [(Op::Read, 700, 1)]);
        assert_eq!(ask(&mut cache, Op::Read, 300, 4), [(Op::Read, 300, 4)]);
        assert!(ask(&mut cache, Op::Read, 300, 4).is_empty());
    }

    #[test]
    fn dirty_pages_go_out_together_and_in_order() {
        let mut cache = cache(10000, 4);
        for page in [7, 3, 9, 8] {
            assert!(ask(&mut cache, Op::Write, page, 1).is_empty());
        }
        let out = ask(&mut cache, Op::Write, 4, 1);
        assert_eq!(out, [(Op::Write, 3, 2), (Op::Write, 7, 3)]);
        ask(&mut cache, Op::Write, 20, 1);
        let flushed = ask(&mut cache, Op::Flush, 0, 0);
        assert_eq!(flushed, [(Op::Write, 20, 1), (Op::Flush, 0, 0)]);
    }

    #[test]
    fn a_part_of_a_page_is_read_first() {
        let mut cache = cache(100, 10);
        let mut out = Vec::new();
        cache.map(Io::new(Op::Write, 512, 4096), &mut out);
        assert_eq!(out.len(), 2, "both pages");
        out.clear();
        cache.map(Io::new(Op::Write, 512, 512), &mut out);
        assert!(out.is_empty());
        assert_eq!(cache.events()[3], ("pages_overwritten", 1));
    }
}
