//! No byte is lost on the way down, whatever queues stand on each other: what layers that only hand
//! on, cut or copy get from above is what they send below.

use iosonde_core::ledger::io::Op;
use iosonde_core::ledger::mapping::Same;
use iosonde_core::ledger::queue::Limits;
use iosonde_core::ledger::raid::copies::Raid10;
use iosonde_core::ledger::rule::Rule;
use iosonde_core::ledger::volume::Mirror;
use iosonde_core::ledger::{Below, Ledger, Node};
use proptest::prelude::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

const fn queue(most: u64) -> Limits {
    Limits {
        most,
        segments: 0,
        boundary: 0,
        merges: true,
    }
}

fn layer(rule: Rule, limits: Limits, below: &[u32]) -> Node {
    let below = below.iter().map(|&node| Below { node, start: 0 });
    Node {
        limits,
        rule,
        bitmap: None,
        below: below.collect(),
    }
}

/// Layers in a row that hand on, the first on top.
fn row(limits: &[Limits]) -> Ledger {
    let last = u32::try_from(limits.len()).unwrap() - 1;
    let nodes = (0..).zip(limits).map(|(number, &limits)| {
        let below = if number < last {
            vec![number + 1]
        } else {
            vec![]
        };
        layer(Rule::Same(Same), limits, &below)
    });
    Ledger::new(nodes.collect()).unwrap()
}

fn sizes(ledger: &Ledger, node: usize, op: Op) -> Vec<(u64, u64)> {
    let tally = ledger.tally(node).unwrap();
    let direction = if op == Op::Read {
        tally.reads
    } else {
        tally.writes
    };
    direction.sizes.sorted()
}

fn bytes(ledger: &Ledger, node: usize, op: Op) -> u64 {
    sizes(ledger, node, op)
        .iter()
        .map(|one| one.0 * one.1)
        .sum()
}

#[test]
fn a_queue_on_a_queue_hands_down_all_pieces() {
    for op in [Op::Read, Op::Write] {
        let mut ledger = row(&[queue(1280 * KIB), queue(1280 * KIB)]);
        ledger.request(op, 0, 2 * MIB);
        for node in 0..2 {
            assert_eq!(sizes(&ledger, node, op), [(768 * KIB, 1), (1280 * KIB, 1)]);
        }
    }
}

#[test]
fn a_request_has_ended_on_all_queues_when_it_returns() {
    let mut ledger = row(&[queue(64 * KIB), queue(1280 * KIB), queue(16 * KIB)]);
    for number in 1..=3 {
        ledger.request(Op::Write, number * MIB, 256 * KIB);
        for node in 0..3 {
            assert_eq!(
                bytes(&ledger, node, Op::Write),
                number * 256 * KIB,
                "{node}"
            );
        }
    }
}

#[test]
fn what_a_small_queue_splits_the_next_one_joins_again() {
    let mut ledger = row(&[queue(4 * KIB), queue(64 * KIB)]);
    ledger.request(Op::Write, 0, 32 * KIB);
    assert_eq!(sizes(&ledger, 0, Op::Write), [(4 * KIB, 8)]);
    assert_eq!(sizes(&ledger, 1, Op::Write), [(32 * KIB, 1)]);
}

#[test]
fn an_array_between_queues_loses_no_copy() {
    let array = |copies: u64| Raid10::new(2, 256 + copies, 4096, 1 << 30, 0, false).unwrap();
    for (copies, expected) in [(1, [4096_u64, 512]), (2, [4608, 4608])] {
        let mut ledger = Ledger::new(vec![
            layer(Rule::Raid10(Box::new(array(copies))), queue(4096), &[1, 2]),
            layer(Rule::Same(Same), queue(512), &[]),
            layer(
                Rule::Same(Same),
                Limits {
                    merges: false,
                    ..queue(512)
                },
                &[],
            ),
        ])
        .unwrap();
        ledger.request(Op::Write, 0, 4608);
        assert_eq!([1, 2].map(|node| bytes(&ledger, node, Op::Write)), expected);
    }
}

fn limits() -> impl Strategy<Value = Limits> {
    (
        0..9_u32,
        prop_oneof![Just(0_u64), Just(16), Just(254)],
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(power, segments, bounded, merges)| Limits {
            most: (8 * KIB) << power,
            segments,
            boundary: if bounded { 64 * KIB } else { 0 },
            merges,
        })
}

proptest! {
    /// A tree of layers that hand on or mirror: each gets as many bytes as all above it send.
    #[test]
    fn bytes_in_are_bytes_out(
        layers in prop::collection::vec((limits(), any::<bool>()), 1..7),
        requests in prop::collection::vec((any::<bool>(), 0..4096_u64, 1..1024_u64), 1..20),
    ) {
        let last = u32::try_from(layers.len()).unwrap() - 1;
        let mut nodes = Vec::new();
        let mut copies = vec![0_u64; layers.len()];
        copies[0] = 1;
        for (number, (limits, mirrors)) in (0..).zip(layers) {
            let below: Vec<u32> = match (number, mirrors) {
                (number, true) if number + 2 <= last => vec![number + 1, number + 2],
                (number, _) if number < last => vec![number + 1],
                _ => vec![],
            };
            for &one in &below {
                copies[one as usize] += copies[number as usize];
            }
            let rule = if below.len() == 2 { Rule::Mirror(Mirror { members: 2, start: 0 }) } else { Rule::Same(Same) };
            nodes.push(layer(rule, limits, &below));
        }
        let mut ledger = Ledger::new(nodes).unwrap();
        let mut written = 0;
        for (write, page, pages) in requests {
            let op = if write { Op::Write } else { Op::Read };
            ledger.request(op, page * 4096, pages * 4096);
            written += if write { pages * 4096 } else { 0 };
            for (node, &copies) in copies.iter().enumerate() {
                prop_assert_eq!(bytes(&ledger, node, Op::Write), copies * written, "layer {}", node);
            }
        }
    }
}
