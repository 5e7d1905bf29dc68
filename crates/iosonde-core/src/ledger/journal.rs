//! A file system that journals data too (ext3 and ext4 with data=journal): what is written goes to the
//! journal first, and to its place by the next flush or when the journal needs room. Approximate: there is no clock, so a
//! transaction ends by a flush or because it is full, not after `commit` seconds, and nothing
//! is written to its place because it is old.
//!
//! Direct writes go through memory in this mode, so blocks of open transactions are read from there.
//!
//! Source: Linux 6.1, fs/jbd2/commit.c (`jbd2_journal_commit_transaction()`: descriptor blocks with a
//! tag for each block, then the commit block, with a flush before and, on devices without FUA,
//! behind it), journal.c (`jbd2_journal_get_max_txn_bufs()`: a quarter of the journal;
//! `journal_tag_bytes()`; `jbd2_journal_update_sb_log_tail()`), checkpoint.c (the oldest
//! transaction's blocks that no newer one has; space is waited for), fs/ext4/inode.c
//! (`ext4_should_use_dio()`, and the inode's own block, which each transaction has).

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::cache::ranges::runs;
use super::io::{Io, Op, Step, PAGE};
use super::mapping::Mapping;
use super::problem::LedgerError;

/// A journal behind the data: the inode's block, the journal's superblock, then its log.
#[derive(Clone, Debug)]
pub struct Journal {
    /// Number of the inode's block.
    inode: u64,
    /// Blocks of the log, and of a transaction at most.
    log: u64,
    most: u64,
    /// Tags that fit into a descriptor block.
    tags: u64,
    /// The next block of the log, and how many are free.
    head: u64,
    free: u64,
    running: BTreeSet<u64>,
    /// Blocks that are not in their place yet → the newest transaction that has them.
    waiting: HashMap<u64, u64>,
    /// Number, blocks of the log, and what is in it.
    committed: VecDeque<(u64, u64, Vec<u64>)>,
    number: u64,
    log_blocks: u64,
    in_place: u64,
    tails: u64,
}

impl Journal {
    /// Args: `at`: where the inode's block lies, bytes; blocks of 4 KiB of the journal with its
    /// superblock; tags in a descriptor block.
    ///
    /// # Errors
    /// Fewer blocks than a journal may have (1024).
    pub fn new(at: u64, blocks: u64, tags: u64) -> Result<Self, LedgerError> {
        if blocks < 1024 || tags == 0 {
            return Err(LedgerError::JournalBlocks);
        }
        Ok(Self {
            inode: at / PAGE,
            log: blocks - 1,
            most: blocks / 4,
            tags,
            head: 0,
            free: blocks - 1,
            running: BTreeSet::new(),
            waiting: HashMap::new(),
            committed: VecDeque::new(),
            number: 0,
            log_blocks: 0,
            in_place: 0,
            tails: 0,
        })
    }

    /// An fsync writes pages that earlier transactions have left dirty to their places before it ends
    /// its own: once committed, a block is an ordinary dirty one (commit.c,
    /// `__jbd2_journal_refile_buffer()`; fs/ext4/fsync.c, `ext4_sync_file()`). The inode's is no page
    /// of the file.
    fn write_pages(&mut self, out: &mut Vec<Step>) {
        let old = |&block: &u64| block != self.inode && !self.running.contains(&block);
        let pages: Vec<u64> = self.waiting.keys().copied().filter(old).collect();
        self.put(pages, out);
    }

    fn put(&mut self, mut blocks: Vec<u64>, out: &mut Vec<Step>) {
        blocks.sort_unstable();
        for block in &blocks {
            self.waiting.remove(block);
        }
        self.in_place += blocks.len() as u64;
        for (first, count) in runs(&blocks) {
            out.push(Step::new(0, Io::new(Op::Write, first * PAGE, count * PAGE)));
        }
    }

    fn move_tail(&mut self, out: &mut Vec<Step>) {
        self.tails += 1;
        let superblock = (self.inode + 1) * PAGE;
        out.push(Step::new(0, Io::new(Op::Flush, 0, 0)));
        out.push(Step::new(0, Io::new(Op::Write, superblock, PAGE)));
    }

    fn in_memory(&self, block: u64) -> bool {
        self.running.contains(&block) || self.waiting.contains_key(&block)
    }

    fn read(&self, io: Io, out: &mut Vec<Step>) {
        let blocks: Vec<u64> = (io.offset / PAGE..io.end().div_ceil(PAGE))
            .filter(|&one| !self.in_memory(one))
            .collect();
        for (first, count) in runs(&blocks) {
            let begin = io.offset.max(first * PAGE);
            let end = io.end().min((first + count) * PAGE);
            out.push(Step::new(0, io.piece(begin, end - begin)));
        }
    }

    fn write(&mut self, io: &Io, out: &mut Vec<Step>) {
        for block in io.offset / PAGE..io.end().div_ceil(PAGE) {
            let whole = block * PAGE >= io.offset && (block + 1) * PAGE <= io.end();
            if !whole && !self.in_memory(block) {
                out.push(Step::new(0, Io::new(Op::Read, block * PAGE, PAGE)));
            }
            if self.running.len() as u64 + 1 >= self.most {
                self.commit(out);
            }
            self.running.insert(block);
        }
    }

    fn commit(&mut self, out: &mut Vec<Step>) {
        if self.running.is_empty() {
            return;
        }
        self.number += 1;
        let mut blocks: Vec<u64> = std::mem::take(&mut self.running).into_iter().collect();
        blocks.push(self.inode);
        for &block in &blocks {
            self.waiting.insert(block, self.number);
        }
        let before = (blocks.len() as u64) + (blocks.len() as u64).div_ceil(self.tags);
        let used = before + 1;
        while self.free < used && !self.committed.is_empty() {
            self.checkpoint(out);
        }
        self.free -= used;
        self.append(before, out);
        let flush = Step::new(0, Io::new(Op::Flush, 0, 0));
        out.push(flush);
        self.append(1, out);
        out.push(flush);
        self.log_blocks += used;
        self.committed.push_back((self.number, used, blocks));
    }

    /// Writes the next blocks of the log, which begins again where it ends.
    fn append(&mut self, count: u64, out: &mut Vec<Step>) {
        let mut rest = count;
        while rest > 0 {
            let now = rest.min(self.log - self.head);
            let at = (self.inode + 2 + self.head) * PAGE;
            out.push(Step::new(0, Io::new(Op::Write, at, now * PAGE)));
            self.head = (self.head + now) % self.log;
            rest -= now;
        }
    }

    /// Writes what only the oldest transaction has to its place, and moves the end of the log.
    fn checkpoint(&mut self, out: &mut Vec<Step>) {
        let Some((number, used, mut blocks)) = self.committed.pop_front() else {
            return;
        };
        blocks.retain(|one| self.waiting.get(one) == Some(&number));
        self.put(blocks, out);
        self.free += used;
        self.move_tail(out);
    }
}

impl Mapping for Journal {
    /// What it counted: transactions, blocks of the log, blocks written to their places, and how
    /// often the end of the log was moved.
    fn events(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("commits", self.number),
            ("log_blocks", self.log_blocks),
            ("blocks_in_place", self.in_place),
            ("tail_updates", self.tails),
        ]
    }

    fn map(&mut self, io: Io, out: &mut Vec<Step>) {
        match io.op {
            Op::Flush => {
                self.write_pages(out);
                if self.running.is_empty() {
                    out.push(Step::new(0, io));
                } else {
                    self.commit(out);
                }
            }
            Op::Read => self.read(io, out),
            Op::Write => self.write(&io, out),
        }
    }

    /// Ends the transaction and writes all to its place, then moves the end of the log once
    /// (`jbd2_journal_destroy()`).
    fn settle(&mut self, out: &mut Vec<Step>) -> bool {
        self.commit(out);
        if self.committed.is_empty() {
            return false;
        }
        let all: Vec<u64> = self.waiting.keys().copied().collect();
        self.put(all, out);
        self.committed.clear();
        self.free = self.log;
        self.move_tail(out);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 1 << 30;

    fn written(out: &[Step]) -> Vec<(u64, u64)> {
        let writes = out.iter().filter(|one| one.io.op == Op::Write);
        writes
            .map(|one| (one.io.offset, one.io.length / PAGE))
            .collect()
    }

    #[test]
    fn each_flush_ends_a_transaction() {
        let mut journal = Journal::new(AT, 1024, 254).unwrap();
        let mut out = Vec::new();
        journal.map(Io::new(Op::Write, 40960, 8192), &mut out);
        assert!(out.is_empty());
        journal.map(Io::new(Op::Flush, 0, 0), &mut out);
        // A descriptor, two blocks and the inode; then the commit block.
        let log = AT + 2 * PAGE;
        assert_eq!(written(&out), [(log, 4), (log + 4 * PAGE, 1)]);
        out.clear();
        journal.settle(&mut out);
        assert_eq!(written(&out), [(40960, 2), (AT, 1), (AT + PAGE, 1)]);
    }

    #[test]
    fn an_fsync_writes_what_was_committed_before_to_its_place() {
        let mut journal = Journal::new(AT, 1024, 254).unwrap();
        let mut out = Vec::new();
        journal.map(Io::new(Op::Write, 40960, 8192), &mut out);
        journal.map(Io::new(Op::Flush, 0, 0), &mut out);
        journal.map(Io::new(Op::Write, 40960, 4096), &mut out);
        out.clear();
        journal.map(Io::new(Op::Flush, 0, 0), &mut out);
        // Not what the running transaction has again.
        let log = AT + 7 * PAGE;
        assert_eq!(written(&out), [(45056, 1), (log, 3), (log + 3 * PAGE, 1)]);
    }

    #[test]
    fn the_log_is_emptied_when_it_is_full() {
        let mut journal = Journal::new(AT, 1024, 254).unwrap();
        let mut out = Vec::new();
        for block in 0..1000_u64 {
            journal.map(Io::new(Op::Write, block * PAGE, PAGE), &mut out);
        }
        let told = journal.events();
        // 255 blocks and the inode's, two descriptors and the commit block.
        assert_eq!(told[..2], [("commits", 3), ("log_blocks", 3 * 259)]);
        assert_eq!(told[2], ("blocks_in_place", 0));
        journal.settle(&mut out);
        assert_eq!(journal.events()[2], ("blocks_in_place", 1001));
    }

    #[test]
    fn what_is_in_the_journal_is_not_read() {
        let mut journal = Journal::new(AT, 1024, 254).unwrap();
        let mut out = Vec::new();
        journal.map(Io::new(Op::Write, 4096, 4096), &mut out);
        journal.map(Io::new(Op::Read, 0, 12288), &mut out);
        let read: Vec<_> = out
            .iter()
            .map(|one| (one.io.offset, one.io.length))
            .collect();
        assert_eq!(read, [(0, 4096), (8192, 4096)]);
        out.clear();
        journal.map(Io::new(Op::Write, 20480, 512), &mut out);
        assert_eq!(out.len(), 1, "the rest of the block");
    }
}
