//! The ledger: how each layer of a stack splits, merges, multiplies and absorbs I/Os.
//!
//! A stack is a tree of layers, each a rule that turns an I/O from above into I/Os below. The
//! ledger counts what each layer gets, for requests that come one after the other: a request has
//! ended on all devices before the next one begins (`iodepth` 1). Sizes and places are bytes.

pub mod cache;
pub mod divisor;
pub mod drbd;
pub mod frame;
pub mod io;
pub mod journal;
mod later;
pub mod lru;
pub mod mapping;
mod path;
pub mod problem;
pub mod queue;
pub mod raid;
pub mod rule;
pub mod spec;
pub mod volume;

use cache::Look;
use io::{Io, Op, Step, Tally, PAGE};
use mapping::Mapping;
use path::Path;
use problem::LedgerError;
use queue::{Added, Limits, Plug, LARGE_READ};
use raid::bitmap::Bitmap;
use rule::Rule;

/// A layer that another stands on: its number, and where the other begins on it, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    pub node: u32,
    pub start: u64,
}

/// A layer: what it takes, its rule, and what it stands on.
#[derive(Clone, Debug)]
pub struct Node {
    pub limits: Limits,
    pub rule: Rule,
    /// A write-intent bitmap on all that it stands on.
    pub bitmap: Option<Box<Bitmap>>,
    /// All have higher numbers than the layer itself.
    pub below: Vec<Below>,
}

/// A stack with all that was counted.
#[derive(Clone, Debug)]
pub struct Ledger {
    nodes: Vec<Node>,
    tallies: Vec<Tally>,
    /// From each layer down, as far as an I/O is only handed on.
    paths: Vec<Path>,
    /// Of each array with parity: how often each kind of write of one page was asked for.
    cells: Vec<Vec<u64>>,
    /// For each layer what its rule last answered; kept to be used again.
    answers: Vec<Vec<Step>>,
    /// Layers that gather I/Os until the plug is pulled.
    gathering: Vec<u32>,
    plug: Plug,
    /// Number of the request, from 1.
    request: u64,
    /// Layers that stand on devices alone which take a page at once.
    plain: Vec<bool>,
    /// A cache to which requests come as they are, so that its memory can be fetched beforehand.
    cache: Option<usize>,
}

impl Ledger {
    /// A stack; the first layer is its top.
    ///
    /// # Errors
    /// There is no layer, or one stands on none that comes after it.
    pub fn new(nodes: Vec<Node>) -> Result<Self, LedgerError> {
        let count = nodes.len();
        for (number, node) in nodes.iter().enumerate() {
            let behind = |one: &Below| (one.node as usize) > number && (one.node as usize) < count;
            if !node.below.iter().all(behind) {
                return Err(LedgerError::Order { layer: number });
            }
            node.rule.check(node.below.len())?;
        }
        if nodes.is_empty() {
            return Err(LedgerError::NoLayer);
        }
        let mut cache = Some(0);
        while let Some(node) = cache {
            cache = match (&nodes[node].rule, nodes[node].below.first()) {
                (Rule::Cache(_), _) => break,
                (Rule::Same(_) | Rule::Far(_), Some(below)) if below.start == 0 => {
                    Some(below.node as usize)
                }
                _ => None,
            };
        }
        let takes_pages = |one: &Below| {
            let node = &nodes[one.node as usize];
            node.below.is_empty() && node.limits.take(&Io::new(Op::Read, one.start, PAGE))
        };
        let plain = nodes
            .iter()
            .map(|node| {
                node.below
                    .iter()
                    .all(|one| takes_pages(one) && nodes[one.node as usize].limits.boundary == 0)
            })
            .collect();
        Ok(Self {
            cache,
            plain,
            paths: (0..count).map(|one| Path::of(&nodes, one)).collect(),
            cells: nodes
                .iter()
                .map(|one| vec![0; one.rule.cells().len()])
                .collect(),
            nodes,
            tallies: vec![Tally::default(); count],
            answers: vec![Vec::new(); count],
            gathering: Vec::new(),
            plug: Plug::default(),
            request: 0,
        })
    }

    /// What a layer's own rule counted: names and numbers.
    #[must_use]
    pub fn events(&self, node: usize) -> Vec<(&'static str, u64)> {
        self.nodes.get(node).map_or_else(Vec::new, |node| {
            let bitmap = node.bitmap.iter().flat_map(|one| one.events());
            node.rule.events().into_iter().chain(bitmap).collect()
        })
    }

    /// What comes next: the memory that a cache needs for it is fetched, all at once.
    pub fn ahead(&self, offsets: impl Iterator<Item = u64>) {
        if let Some(Rule::Cache(cache)) = self.cache.map(|node| &self.nodes[node].rule) {
            std::hint::black_box(cache.ahead(offsets));
        }
    }

    /// A request of a program to the top of the stack, which has ended when this returns.
    pub fn request(&mut self, op: Op, offset: u64, length: u64) {
        self.request += 1;
        self.plug.on = op == Op::Write || length > LARGE_READ;
        self.walk(0, op, offset, length);
        self.finish();
    }

    /// An I/O that is alone on its way down. As long as one becomes one, nothing can be plugged, and
    /// only its place changes; where that ends it is submitted as any other.
    fn walk(&mut self, mut node: u32, op: Op, mut at: u64, length: u64) {
        loop {
            let path = &mut self.paths[node as usize];
            let Some(end) = path.end(op, length) else {
                break;
            };
            let (place, layer) = (at + path.start, &mut self.nodes[end as usize]);
            if layer.bitmap.is_some() && op == Op::Write {
                break;
            }
            if layer.below.is_empty() {
                path.tally.moved(op, place, length);
                return;
            }
            let next = match &mut layer.rule {
                Rule::Cache(cache) => match cache.look(op, place, length) {
                    Look::Hit(child) => Some((child, place)),
                    Look::Missed(number) => {
                        path.tally.moved(op, place, length);
                        self.missed(end, number, Io::new(op, place, length));
                        return;
                    }
                    Look::Part => None,
                },
                Rule::Parity(array) if op == Op::Write && self.plain[end as usize] => {
                    let Some(cell) = array.cell(place, length) else {
                        break;
                    };
                    path.tally.moved(op, place, length);
                    self.cells[end as usize][cell] += 1;
                    return;
                }
                rule => rule.single(op, place, length),
            };
            let Some((child, to)) = next else { break };
            path.tally.moved(op, place, length);
            let below = layer.below[child as usize];
            (node, at) = (below.node, below.start + to);
        }
        self.submit(node, Io::new(op, at, length));
    }

    /// What follows when a cache does not have a whole block.
    fn missed(&mut self, node: u32, number: u64, io: Io) {
        let place = node as usize;
        let mut answer = std::mem::take(&mut self.answers[place]);
        answer.clear();
        if let Rule::Cache(cache) = &mut self.nodes[place].rule {
            cache.missed(number, io, &mut answer);
        }
        for &Step { child, io } in &answer {
            let below = self.nodes[place].below[child as usize];
            self.walk(below.node, io.op, below.start + io.offset, io.length);
        }
        self.answers[place] = answer;
    }

    /// A request at a layer: on the way down it is plugged as the kernel does.
    ///
    /// Its memory is taken to be in one piece, so that it is one bio, however large.
    fn whole(&mut self, node: u32, io: Io) {
        self.plug.on = io.op == Op::Write || io.length > LARGE_READ;
        self.submit(node, Io { alone: true, ..io });
        self.finish();
    }

    /// Pulls the plug, then lets those go who gathered I/Os while it was in.
    #[inline]
    fn finish(&mut self) {
        if !self.plug.is_empty() || !self.gathering.is_empty() {
            self.release();
        }
    }

    fn release(&mut self) {
        self.unplug();
        while !self.gathering.is_empty() {
            self.gathering.sort_unstable();
            let node = self.gathering.remove(0);
            let Rule::Parity(array) = &mut self.nodes[node as usize].rule else {
                continue;
            };
            for phase in array.release() {
                self.plug.on = true;
                for step in phase {
                    self.step(node, step);
                }
                self.unplug();
            }
        }
    }

    /// Lets out all that waits, also what moves to the queue of a layer below on the way: it ends,
    /// since every I/O goes to a layer of a higher number.
    fn unplug(&mut self) {
        while !self.plug.is_empty() {
            let nodes = &self.nodes;
            let (out, _) = self.plug.empty(|node| nodes[node as usize].limits);
            for (node, io) in out {
                self.pass(node, io);
            }
        }
    }

    #[inline]
    fn step(&mut self, node: u32, step: Step) {
        let below = self.nodes[node as usize].below[step.child as usize];
        self.submit(below.node, step.io.at(below.start + step.io.offset));
    }

    /// An I/O arrives at a layer: what is too large is split.
    #[inline]
    fn submit(&mut self, node: u32, io: Io) {
        let limits = &self.nodes[node as usize].limits;
        if io.alone && limits.take(&io) {
            self.pass(node, io);
        } else {
            self.split(node, io);
        }
    }

    fn split(&mut self, node: u32, io: Io) {
        let limits = self.nodes[node as usize].limits;
        if limits.take(&io) {
            self.take(node, limits, io);
            return;
        }
        let mut pieces = Vec::new();
        let mut rest = io;
        while rest.length > 0 {
            let piece = rest.part(rest.offset, limits.first(&rest));
            pieces.push(piece);
            rest = rest.part(piece.end(), rest.length - piece.length);
        }
        // A layer that hands what it cuts off to itself again gets the beginnings of all pieces
        // first, then what is left of the last one (block/blk-core.c, `__submit_bio_noacct()`).
        for piece in &mut pieces {
            let first = self.nodes[node as usize].rule.first(piece);
            self.take(node, limits, piece.part(piece.offset, first));
            *piece = piece.part(piece.offset + first, piece.length - first);
        }
        for piece in pieces.into_iter().rev().filter(|one| one.length > 0) {
            self.take(node, limits, piece);
        }
    }

    fn take(&mut self, node: u32, limits: Limits, io: Io) {
        if !limits.merges || !self.plug.on || io.alone || io.op == Op::Flush {
            self.pass(node, io);
        } else if self.plug.add(node, &limits, io) == Added::Full {
            self.unplug();
            self.plug.add(node, &limits, io);
        }
    }

    /// A layer has got an I/O: it is counted, and answered where the layer is no device.
    #[inline]
    fn pass(&mut self, node: u32, io: Io) {
        self.tallies[node as usize].count(&io);
        if !self.nodes[node as usize].below.is_empty() {
            self.answer(node, io);
        }
    }

    fn answer(&mut self, node: u32, io: Io) {
        let place = node as usize;
        if io.op == Op::Write && self.nodes[place].bitmap.is_some() {
            self.mark(node, &io);
        }
        let rule = &self.nodes[place].rule;
        if let Some(step) = rule.only(io) {
            if rule.far() == Some(step.child) {
                self.elsewhere(node, step);
            } else {
                self.step(node, step);
            }
            return;
        }
        if let (Rule::Parity(array), true) = (rule, self.plain[place]) {
            let alone = io.alone && io.op == Op::Write && !array.gathers();
            if let Some(cell) = array.cell(io.offset, io.length).filter(|_| alone) {
                self.cells[place][cell] += 1;
                return;
            }
        }
        let mut answer = std::mem::take(&mut self.answers[place]);
        answer.clear();
        let layer = &mut self.nodes[place];
        layer.rule.begin(self.request);
        layer.rule.map(io, &mut answer);
        if layer.rule.gathers() && !self.gathering.contains(&node) {
            self.gathering.push(node);
        }
        let far = layer.rule.far();
        for &step in &answer {
            if far == Some(step.child) {
                self.elsewhere(node, step);
            } else {
                self.step(node, step);
            }
        }
        self.answers[place] = answer;
        self.overflow(node);
    }

    /// An I/O that arrives at another host: a request of its own there.
    fn elsewhere(&mut self, node: u32, step: Step) {
        let below = self.nodes[node as usize].below[step.child as usize];
        let io = step.io.at(below.start + step.io.offset);
        let on = self.plug.on;
        if self.plug.is_empty() && self.gathering.is_empty() {
            self.whole(below.node, io);
        } else {
            let plug = std::mem::take(&mut self.plug);
            let gathering = std::mem::take(&mut self.gathering);
            self.whole(below.node, io);
            self.plug = plug;
            self.gathering = gathering;
        }
        self.plug.on = on;
    }
}
