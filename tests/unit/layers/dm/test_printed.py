"""dmsetup table, status, info and ls, with dm-cache and dm-writecache among other targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.layers._mapper.facts import MapperTarget, TargetFacts, parse_targets, target_of
from iosonde.layers.dm_cache.facts import read_target as read_cache
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, read, subjects_in, unread_in

REAL = Path(__file__).parents[3] / "outputs" / "dmsetup-1.02.185"
TABLE = (REAL / "table.txt").read_text()
STATUS = (REAL / "status.txt").read_text()
INFO = (REAL / "info.txt").read_text()
COLUMNS = (REAL / "info-c.txt").read_text()
LISTED = "root@vm:~# dmsetup ls\n" + (REAL / "ls.txt").read_text()


def subjects(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for subject in subjects_in(text)}


def values(text: str, name: str) -> dict[str, Scalar]:
    return dict(subjects(text)[name].values)


def counted(text: str) -> dict[str, PrintedCounters]:
    return {counter.name: counter for counter in counters(text)}


def facts_of(line: str) -> TargetFacts | None:
    name, *arguments = line.split()
    return target_of(name).read(MapperTarget(0, 100, name, tuple(arguments)))


def test_every_line_of_a_table_is_a_device_with_the_size_that_the_second_view_gives() -> None:
    printed_subjects = subjects(TABLE)
    seen = parse_targets(TABLE)
    assert set(printed_subjects) == set(seen)
    for name, targets in seen.items():
        assert (
            printed_subjects[name].values["size"] == sum(target.length for target in targets) * 512
        )


def test_what_a_table_says_of_each() -> None:
    assert subjects(TABLE)["secret"].kind == "dm_crypt"
    assert values(TABLE, "secret")["data_offset"] == 16 << 20
    assert not any("keyring" in str(value) for value in values(TABLE, "secret").values())
    assert values(TABLE, "fast")["offset"] == 8 << 20
    assert values(TABLE, "stripes")["stripe_width"] == 64 << 10
    assert values(TABLE, "pool")["skip_block_zeroing"] is True
    assert values(TABLE, "snap")["persistent"] is True
    assert values(TABLE, "two") == {
        "target": "linear", "segments": 2, "size": 3000 * 512,
        "lines": "0 1000 linear 98:80 300000; 1000 2000 linear 98:80 400000",
    }  # fmt: skip


def test_what_a_status_says_and_counts() -> None:
    assert values(STATUS, "pool")["used_share"] == pytest.approx(300 / 2343)
    assert values(STATUS, "thin")["mapped"] == 38400 * 512
    assert values(STATUS, "stripes")["failed_stripes"] == 0


@pytest.mark.parametrize(
    "text", [TABLE, STATUS, INFO, COLUMNS, LISTED], ids=["table", "status", "info", "-c", "ls"]
)
def test_in_whatever_shape(text: str) -> None:
    expected = subjects(text)
    assert len(expected) == 14
    for name, shape in mangled(text):
        given = subjects(shape)
        if text == COLUMNS and name.startswith(("cut", "folded")):  # what is torn is not said
            given = {thing: _with_uuid(given[thing], expected[thing]) for thing in given}
        assert given == expected, name
        assert [counter.values for counter in counters(shape)] == [
            counter.values for counter in counters(text)
        ], name


def _with_uuid(given: PrintedSubject, expected: PrintedSubject) -> PrintedSubject:
    uuid = {name: value for name, value in expected.values.items() if name == "uuid"}
    assert given.values.get("uuid") in {None, *uuid.values()}
    return replace(given, values={**given.values, **uuid})


def test_keys_are_not_said() -> None:
    text = (
        f"# dmsetup table --showkeys\nheron: 0 2048 crypt aes-xts-plain64 {'a1' * 32} 0 8:3 4096\n"
        f"whole: 0 2048 integrity 8:4 0 32 J 1 internal_hash:hmac(sha256):{'b2' * 16}\n"
    )
    said = str([subject.values for subject in subjects(text).values()])
    assert "crypt aes-xts-plain64 - 0 8:3 4096" in said
    assert not any(key in said for key in ("a1a1", "b2b2"))


def test_a_status_cut_at_any_column() -> None:
    line = STATUS.split("\n")[0].rstrip()
    for column in range(25, len(line) - 1):
        (counter,) = counters(f"{line[:column]}\n{line[column:]}\nand so on\n")
        assert counter.values["promotions"] == 512, column
        assert counter.values["read_hits"] == 6006, column


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("8 27/65536 128 10/20 1 2 3 4 5 6 7 1 writethrough 2 migration_threshold 2048 mq 10 "
         "random_threshold 4 sequential_threshold 512 discard_promote_adjustment 1 "
         "read_promote_adjustment 4 write_promote_adjustment 8",
         {"mode": "writethrough", "policy": "mq", "dirty_share": 0.35}),
        ("8 27/65536 128 10/20 1 2 3 4 5 6 7 1 writeback 2 migration_threshold 2048 cleaner 0 ro "
         "needs_check",
         {"metadata_read_only": True, "needs_check": True}),
        ("Fail", {"state": "failed"}),
    ],
    ids=["mq", "broken metadata", "failed"],
)  # fmt: skip
def test_other_statuses_of_a_cache(status: str, expected: dict[str, Scalar]) -> None:
    facts = read_cache(MapperTarget(0, 100, "cache", tuple(status.split())))
    assert facts is not None
    assert expected.items() <= facts.values.items()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("raid raid5_ls 3 AAD 200/400 recover 0 0 -",
         {"level": "raid5_ls", "raid_disks": 3, "degraded": True, "sync_share": 0.5}),
        ("raid raid6_zr 1 128 4 - 253:0 - 253:1 - 253:2 - 253:3",
         {"level": "raid6_zr", "chunk_size": 64 << 10, "raid_disks": 4}),
        ("mirror 2 253:4 253:5 200/400 1 AD 1 core", {"mirrors": 2, "failed_mirrors": 1}),
        ("mirror core 2 1024 nosync 2 253:2 0 253:3 0 1 handle_errors",
         {"mirrors": 2, "mirror_log": "core"}),
        ("multipath 2 1 0 0 2 1 E 0 1 2 8:0 A 0 0 1 E 0 1 2 8:16 F 1 0 1",
         {"paths": 2, "failed_paths": 1}),
        ("snapshot Invalid", {"state": "invalid"}),
        ("thin-pool 1 80/1000 500/500 - out_of_data_space discard_passdown queue_if_no_space -",
         {"state": "out_of_data_space", "used_share": 1.0}),
    ],
    ids=["raid status", "raid table", "mirror status", "mirror table", "multipath", "snapshot",
         "full pool"],
)  # fmt: skip
def test_other_targets(target: str, expected: dict[str, Scalar]) -> None:
    facts = facts_of(target)
    assert facts is not None
    assert expected.items() <= facts.values.items()


@pytest.mark.parametrize(
    "target",
    ["linear 8:0", "striped 2 64 8:0 0 8:16", "raid raid5_ls 3 AA 1/2", "zero and more",
     "thin-pool 1 80/1000 500/500 - and prose", "crypt aes-cbc 0 0 8:1", "multipath nothing"],
)  # fmt: skip
def test_what_is_not_whole_is_none(target: str) -> None:
    assert facts_of(target) is None


def test_a_line_that_makes_no_sense_is_named_and_the_others_are_read() -> None:
    text = TABLE.replace("64 98:80 0 98:80 40960", "64 98:80 0")
    (unread,) = unread_in(text)
    assert unread.reason == "the arguments of striped are not whole"
    assert set(subjects(text)) == set(subjects(TABLE)) - {"stripes"}


def test_numbers_names_and_states_of_devices() -> None:
    assert values(INFO, "stripes") == {
        "number": "254:5", "suspended": True, "read_only": False, "read_ahead_kb": 128,
        "open_count": 0, "segments": 1, "event_number": 0, "tables": "live",
    }  # fmt: skip
    assert subjects(INFO)["secret"].kind == subjects(COLUMNS)["secret"].kind == "dm_crypt"
    assert str(values(INFO, "secret")["uuid"]).startswith("CRYPT-LUKS2-")
    assert values(COLUMNS, "stripes")["suspended"] is True
    assert values(COLUMNS, "stripes")["tables"] == "live"
    both = COLUMNS.replace("L-sw", "LIsw")
    assert both != COLUMNS
    assert values(both, "stripes")["tables"] == "live&inactive"
    assert values(LISTED, "secret") == {"number": "254:13"}


@pytest.mark.parametrize(
    "text",
    ["We read linear 250 times a day, with cache 8 GB and smq.\n",
     "dmsetup table says nothing, and dmsetup ls neither.\n",
     "The Tables present: and the Number of targets: are explained below.\n"],
)  # fmt: skip
def test_prose_is_none(text: str) -> None:
    assert read(text) == []


def test_prose_around_is_left_alone() -> None:
    text = f"Here (1) it is:\n{STATUS}Thanks\nfor reading 5 10 words.\n"
    assert subjects(text) == subjects(STATUS)
