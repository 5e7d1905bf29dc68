//! All readers: what each reads, that it is found, and that damage of any kind is counted.

use std::io::Write;

use proptest::prelude::*;

use super::profile::{Options, Profile};
use super::{Batch, Event, Filled, OpenError, Reader};

const MSR: &str = "128166372003061629,hm,1,Read,383496192,32768,413\n\
                   128166372016382155,hm,0,Write,310983168,20480,1230\n";
const ALIBABA: &str =
    "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n";
const TENCENT: &str = "1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n";
const SYSTOR: &str = "Timestamp,Response,IOType,LUN,Offset,Size\n\
                      1455592173.198293,0.001,R,3,4096,8192\n1455592173.2,,,3,,\n1455592174.5,0.01,W,4,512,512\n";
const LOG: &str = "0, 10267, 1, 512, 505856, 0\n3, 4706, 0, 4096, 7072768, 0\n";
const IOLOG2: &str = "fio version 2 iolog\nscratch add\nscratch open\nscratch write 503808 4096\n\
                      scratch wait 1500 0\nscratch sync 0 0\nscratch read 0 512\nscratch trim 0 4096\nscratch close\n";
const IOLOG3: &str =
    "fio version 3 iolog\n16 scratch add\n303 scratch write 503808 4096\n400 other read 0 512\n";
const BLKPARSE: &str = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n\
  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n\
  8,0    3        3     0.000002197   697  P   N [kjournald]\n\
  8,0    3        4     0.000500000   697  Q FWFS 8 + 16 [a b]\n\
  8,0    3        5     0.000600000   697  Q  FN [x]\n\
  8,0    1        6     1.000002000     0  C   W 223490 + 8 [0]\n\
CPU0 (8,0):\n Reads Queued:           0,        0KiB\t Writes Queued:           2,       12KiB\n\n\
Total (8,0):\nThroughput (R/W): 0KiB/s / 4KiB/s\nEvents (8,0): 6 entries\nSkips: 0 forward (0 -   0.0%)\n";

/// time, op, device, offset, length
type Row = (u64, u8, u32, u64, u64);

fn rows(reader: &mut Reader) -> Vec<Row> {
    let mut batch = Batch::default();
    while reader.fill(&mut batch, 1 << 20).unwrap() != Filled::End {}
    (0..batch.len())
        .map(|at| {
            (
                batch.times[at],
                batch.ops[at],
                batch.devices[at],
                batch.offsets[at],
                batch.lengths[at],
            )
        })
        .collect()
}

fn open(text: &[u8]) -> Reader {
    Reader::of_bytes(text.to_vec(), Event::Any).unwrap()
}

fn record(big: bool, sequence: u32, time: u64, sector: u64, bytes: u32, action: u32) -> Vec<u8> {
    let fields4 = |number: u32| {
        if big {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        }
    };
    let fields8 = |number: u64| {
        if big {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        }
    };
    let mut out = fields4(0x6561_7407).to_vec();
    out.extend(fields4(sequence));
    out.extend(fields8(time));
    out.extend(fields8(sector));
    for number in [bytes, action, 42, (8 << 20) | 16, 1] {
        out.extend(fields4(number));
    }
    let payload: u16 = 3;
    out.extend([0, 0]);
    out.extend(if big {
        payload.to_be_bytes()
    } else {
        payload.to_le_bytes()
    });
    out.extend(b"pdu");
    out
}

const QUEUE: u32 = 1 | (1 << 4) << 16;
const WRITE: u32 = 2 << 16;
const FLUSH: u32 = 4 << 16;

fn records(big: bool) -> Vec<u8> {
    let mut all = record(big, 0, 5, 0, 0, (1 << 10) << 16); // a note
    all.extend(record(big, 1, 1000, 8, 4096, QUEUE | (1 << 16)));
    all.extend(record(
        big,
        2,
        2000,
        16,
        8192,
        QUEUE | WRITE | FLUSH | 1 << 8,
    ));
    all.extend(record(big, 5, 3000, 0, 0, QUEUE | FLUSH));
    all.extend(record(big, 6, 4000, 32, 512, 7 | (1 << 6) << 16 | WRITE));
    all
}

#[test]
fn every_format_is_found_and_read() {
    let cases: [(&str, &str, Vec<Row>); 8] = [
        (
            "msr",
            MSR,
            vec![
                (1_172_163_600_306_162_900, 0, 0, 383_496_192, 32768),
                (1_172_163_601_638_215_500, 1, 1, 310_983_168, 20480),
            ],
        ),
        (
            "alibaba",
            ALIBABA,
            vec![
                (1_577_808_144_360_767_000, 1, 0, 8_792_731_648, 16384),
                (1_577_808_144_360_813_000, 0, 1, 59_110_326_272, 360_448),
            ],
        ),
        (
            "tencent",
            TENCENT,
            vec![
                (1_538_323_200_000_000_000, 0, 0, 12_910_952 * 512, 65536),
                (1_538_323_201_000_000_000, 1, 1, 6_338_688 * 512, 4096),
            ],
        ),
        (
            "systor",
            SYSTOR,
            vec![
                (1_455_592_173_198_293_000, 0, 0, 4096, 8192),
                (1_455_592_174_500_000_000, 1, 1, 512, 512),
            ],
        ),
        (
            "fio-log",
            LOG,
            vec![(0, 1, 0, 505_856, 512), (3_000_000, 0, 0, 7_072_768, 4096)],
        ),
        (
            "iolog",
            IOLOG2,
            vec![
                (0, 1, 0, 503_808, 4096),
                (1_500_000, 2, 0, 0, 0),
                (1_500_000, 0, 0, 0, 512),
                (1_500_000, 3, 0, 0, 4096),
            ],
        ),
        (
            "iolog",
            IOLOG3,
            vec![(303_000, 1, 0, 503_808, 4096), (400_000, 0, 1, 0, 512)],
        ),
        (
            "blkparse",
            BLKPARSE,
            vec![
                (0, 1, 0, 223_490 * 512, 4096),
                (500_000, 2, 0, 0, 0),
                (500_000, 1, 0, 4096, 8192),
                (600_000, 2, 0, 0, 0),
            ],
        ),
    ];
    for (format, text, expected) in cases {
        let mut reader = open(text.as_bytes());
        assert_eq!(reader.format(), format);
        assert_eq!(rows(&mut reader), expected, "{format}");
        assert_eq!(reader.bad().count, 0, "{format}: {:?}", reader.bad());
        assert_eq!(reader.lines(), Some(text.lines().count() as u64));
    }
    let devices = |text: &str| {
        let mut reader = open(text.as_bytes());
        rows(&mut reader);
        reader.devices().to_vec()
    };
    assert_eq!(devices(MSR), ["hm,1", "hm,0"]);
    assert_eq!(devices(BLKPARSE), ["8,0"]);
    assert_eq!(devices(IOLOG3), ["scratch", "other"]);
}

#[test]
fn records_of_both_byte_orders_say_the_same() {
    let expected = vec![
        (1000, 0, 0, 4096, 4096),
        (2000, 2, 0, 0, 0),
        (2000, 1, 0, 8192, 8192),
        (3000, 2, 0, 0, 0),
    ];
    for big in [false, true] {
        let mut reader = open(&records(big));
        assert_eq!(reader.format(), "blktrace");
        assert_eq!(rows(&mut reader), expected);
        assert_eq!((reader.lost(), reader.bad().count), (Some(2), 0));
        assert_eq!(reader.devices(), ["8,16"]);
        let mut issued = Reader::of_bytes(records(big), Event::Issued).unwrap();
        assert_eq!(rows(&mut issued), [(4000, 1, 0, 16384, 512)]);
    }
}

#[test]
fn a_damaged_record_is_one_gap_and_the_next_is_found() {
    let mut bytes = records(false);
    let second = 51 + 51;
    bytes[second] ^= 1;
    let mut reader = open(&bytes);
    assert_eq!(rows(&mut reader).len(), 2);
    assert_eq!(reader.bad().count, 1);
    assert_eq!(reader.bad().named[0].0, second as u64);
    let mut cut = open(&records(false)[..51 + 51 + 20]);
    assert_eq!((rows(&mut cut).len(), cut.bad().count), (1, 1));
}

#[test]
fn processors_are_merged_by_time() {
    let folder = std::env::temp_dir().join(format!("iosonde-merge-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut paths = Vec::new();
    for cpu in 0..3_u64 {
        let path = folder.join(format!("x.blktrace.{cpu}"));
        let of = |number: u32| {
            record(
                cpu == 1,
                number,
                u64::from(number) * 10 + cpu,
                8,
                512,
                QUEUE,
            )
        };
        std::fs::write(
            &path,
            if cpu == 2 {
                Vec::new()
            } else {
                (1..50).flat_map(of).collect()
            },
        )
        .unwrap();
        paths.push(path);
    }
    let mut reader = Reader::open(&paths, None, Event::Any).unwrap();
    let times: Vec<u64> = rows(&mut reader).iter().map(|row| row.0).collect();
    assert_eq!(times.len(), 98);
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    std::fs::write(&paths[2], MSR).unwrap();
    let mixed = Reader::open(&paths, None, Event::Any);
    assert!(matches!(mixed, Err(OpenError::NotTogether)));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn damaged_lines_are_counted_and_named() {
    let text = format!(
        "{MSR}12816\n128166372016382155,hm,0,Erase,1,2,3\n{MSR}1281,hm,0,Read,1,2,3\n128,cut"
    );
    let mut reader = open(text.as_bytes());
    assert_eq!(rows(&mut reader).len(), 4);
    let bad = reader.bad();
    let places: Vec<u64> = bad.named.iter().map(|one| one.0).collect();
    assert_eq!((bad.count, places), (4, vec![3, 4, 7, 8]));
    assert_eq!(
        bad.named[1].1.to_string(),
        "expected Read or Write in column 4 (Type)"
    );
    // A line longer than all room for it.
    let mut long = MSR.as_bytes().to_vec();
    long.extend(vec![b'7'; 3 << 20]);
    long.extend(format!("\n{MSR}").as_bytes());
    let mut reader = open(&long);
    assert_eq!((rows(&mut reader).len(), reader.bad().count), (4, 1));
}

#[test]
fn compression_is_taken_off_and_its_damage_told() {
    let text = ALIBABA.repeat(5000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    for (kind, bytes) in [("gzip", gzip), ("zstd", zstd)] {
        let mut twice = bytes.clone();
        twice.extend(&bytes); // members that follow each other
        let mut reader = open(&twice);
        assert_eq!(reader.compression(), Some(kind));
        assert_eq!((rows(&mut reader).len(), reader.bad().count), (20_000, 0));
        let mut cut = open(&bytes[..bytes.len() - 20]);
        rows(&mut cut);
        assert!(
            cut.notes().iter().any(|note| note.contains(kind)),
            "{:?}",
            cut.notes()
        );
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let refused = |text: &str| {
        Reader::of_bytes(text.into(), Event::Any)
            .err()
            .map(|one| one.to_string())
    };
    assert!(refused("hello\nworld\n").unwrap().contains("known format"));
    assert_eq!(refused("").unwrap(), "the trace is empty");
    assert!(refused("0, 45142, 1, 4096, 0\n7, 17048, 1, 4096, 0\n")
        .unwrap()
        .contains("log_offset"));
}

#[test]
fn a_line_of_another_form_is_no_reason_to_take_another_format() {
    let text = format!("garbage here\n{}", TENCENT.repeat(3));
    let mut reader = open(text.as_bytes());
    assert_eq!(
        (reader.format(), rows(&mut reader).len(), reader.bad().count),
        ("tencent", 6, 1)
    );
}

/// Some bytes of a text changed, taken out or put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let whole: Vec<Vec<u8>> = [MSR, ALIBABA, TENCENT, SYSTOR, LOG, IOLOG2, IOLOG3, BLKPARSE]
        .iter()
        .map(|text| text.repeat(3).into_bytes())
        .chain([false, true].map(|big| records(big).repeat(3)))
        .collect();
    let changes =
        prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 0..12);
    (prop::sample::select(whole), changes).prop_map(|(mut bytes, changes)| {
        for (place, what, byte) in changes {
            let place = place.index(bytes.len().max(1));
            match what {
                0 if place < bytes.len() => bytes[place] = byte,
                1 => bytes.truncate(place.max(8)),
                2 if place < bytes.len() => {
                    bytes[place] = b"0123456789, \n+-."[usize::from(byte & 15)];
                }
                _ => bytes.insert(place.min(bytes.len()), byte),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn damage_never_stops_a_reader_and_no_line_is_lost(bytes in damaged()) {
        let newlines = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let tail = u64::from(bytes.last() != Some(&b'\n'));
        if let Ok(mut reader) = Reader::of_bytes(bytes, Event::Any) {
            let mut profile = Profile::new(Options { block: 4096, tracked: 64 });
            let mut batch = Batch::default();
            loop {
                batch.clear();
                let filled = reader.fill(&mut batch, 7).unwrap();
                // A damaged length can be gigabytes: a million blocks each.
                if batch.lengths.iter().sum::<u64>() < 1 << 30 {
                    profile.add(&batch);
                }
                if filled == Filled::End {
                    break;
                }
            }
            profile.finish();
            if let Some(lines) = reader.lines() {
                prop_assert_eq!(lines, newlines + tail);
            }
        }
    }

    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(mut reader) = Reader::of_bytes(bytes, Event::Any) {
            rows(&mut reader);
        }
    }
}
