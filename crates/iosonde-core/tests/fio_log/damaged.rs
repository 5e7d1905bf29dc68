//! Logs with damage of any kind end in the model's answer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use iosonde_core::fio_log::{Options, Variant};
use proptest::prelude::*;

use crate::model::agrees;
use crate::{lenient, read_text};

fn logs() -> impl Strategy<Value = Variant> {
    let logs: Vec<Variant> = Variant::all()
        .filter(|variant| matches!(variant, Variant::Log(_)))
        .collect();
    prop::sample::select(logs)
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0_u64..2000,
        3 => 0_u64..10_000_000_000,
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ]
}

fn cell(name: &str) -> BoxedStrategy<String> {
    let text = |number: u64| number.to_string();
    match name {
        "time" => prop_oneof![6 => 0_u64..5000, 1 => 0_u64..2_000_000_000_000]
            .prop_map(text)
            .boxed(),
        "ddir" => (0_u64..3).prop_map(text).boxed(),
        "prio" => prop_oneof![
            Just("0".to_owned()),
            Just("1".to_owned()),
            any::<u16>().prop_map(|prio| format!("0x{prio:04x}")),
        ]
        .boxed(),
        "bs" => prop_oneof![
            5 => prop::sample::select(vec![512_u64, 4096, 16384, 1 << 20]),
            1 => number(),
        ]
        .prop_map(text)
        .boxed(),
        _ => number().prop_map(text).boxed(),
    }
}

/// A log of a variant with some of its bytes changed.
fn damaged() -> impl Strategy<Value = (Variant, Vec<u8>)> {
    logs().prop_flat_map(|variant| {
        let name = variant.name();
        let cells: Vec<_> = name.split(',').map(cell).collect();
        let end = prop_oneof![30 => Just("\n"), 1 => Just("\r\n"), 1 => Just("")];
        let line = (cells, end).prop_map(|(cells, end)| cells.join(", ") + end);
        let damage = (
            any::<prop::sample::Index>(),
            prop_oneof![
                3 => prop::sample::select(b",, \n\n\r\x000x9a-".to_vec()),
                1 => any::<u8>(),
            ],
        );
        (
            Just(variant),
            prop::collection::vec(line, 0..60),
            prop::collection::vec(damage, 0..4),
        )
            .prop_map(|(variant, lines, damages)| {
                let mut text = lines.concat().into_bytes();
                for (place, byte) in damages {
                    if !text.is_empty() {
                        let place = place.index(text.len());
                        text[place] = byte;
                    }
                }
                (variant, text)
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn figures_are_the_models((variant, text) in damaged(), chunk in 200_usize..2000) {
        agrees(&text, variant, chunk)?;
    }

    #[test]
    fn any_bytes_end_in_an_answer(text in prop::collection::vec(any::<u8>(), 0..3000), strict: bool) {
        let options = Options { strict, chunk: 300, ..lenient(None) };
        let _ = read_text(&text, &options);
        for variant in Variant::all() {
            let options = Options { variant: Some(variant), ..options.clone() };
            prop_assert_eq!(read_text(&text, &options).is_ok(), !strict);
        }
    }
}

/// Real logs, changed at random places for as long as `IOSONDE_FUZZ_SECONDS` says (default: 2).
#[test]
fn real_logs_with_changed_bytes_end_in_the_models_answer() {
    let seconds = std::env::var("IOSONDE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let deadline = Instant::now() + Duration::from_secs(seconds.unwrap_or(2));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/outputs/fio-3.33-logs");
    let mut corpus: Vec<Vec<u8>> = fs::read_dir(folder)
        .expect("the recorded logs are there")
        .map(|entry| fs::read(entry.expect("an entry").path()).expect("a recorded log"))
        .collect();
    corpus.sort();
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut any = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).expect("48 bits") % below.max(1)
    };
    let mut rounds = 0_u64;
    while Instant::now() < deadline {
        let whole = &corpus[any(corpus.len())];
        let from = any(whole.len() / 2);
        let mut text = whole[if any(2) == 0 { 0 } else { from }..].to_vec();
        text.truncate(1 + any(4000));
        for _ in 0..any(6) {
            let place = any(text.len());
            match any(6) {
                0 => text.truncate(place),
                1 if !text.is_empty() => drop(text.remove(place)),
                2 => text.insert(place, b", \n\r\x00x9"[any(7)]),
                3 => text.splice(place..place, vec![0; any(600)]).for_each(drop),
                4 => {
                    let piece = text[place..(place + any(200)).min(text.len())].to_vec();
                    text.splice(any(place)..place, piece).for_each(drop);
                }
                _ if !text.is_empty() => text[place] = u8::try_from(any(256)).expect("a byte"),
                _ => {}
            }
        }
        let detected = read_text(&text, &lenient(None))
            .ok()
            .and_then(|figures| figures.variant);
        match detected {
            Some(variant @ Variant::Log(_)) => {
                agrees(&text, variant, 100 + any(3000)).expect("the model's answer");
            }
            Some(trace) => {
                let one = read_text(
                    &text,
                    &Options {
                        threads: 1,
                        ..lenient(Some(trace))
                    },
                );
                let many = read_text(
                    &text,
                    &Options {
                        chunk: 150,
                        threads: 4,
                        ..lenient(Some(trace))
                    },
                );
                let (one, many) = (one.expect("figures"), many.expect("figures"));
                if one.named_bad_lines.len() < 10 && many.named_bad_lines == one.named_bad_lines {
                    assert_eq!(one, many);
                }
            }
            None => {}
        }
        rounds += 1;
    }
    println!("{rounds} changed logs in {} s", seconds.unwrap_or(2));
    assert!(rounds > 0);
}
