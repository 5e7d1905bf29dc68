"""The OSD map. Oracle: each figure stands behind its name, as operator<< of pg_pool_t prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"
DUMP, POOLS = ((OUTPUTS / name).read_text() for name in ("osd-dump.txt", "pools.txt"))


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values))
        for subject in subjects_in(text, "ceph osd dump")
    ]


def test_a_pool_says_each_of_its_fields() -> None:
    pools = {name: values for kind, name, values in _things(POOLS) if kind == "ceph_pool"}
    assert pools["rbd"] == {
        "id": 2, "type": "erasure", "profile": "ec42", "size": 6, "min_size": 5, "crush_rule": 1,
        "object_hash": "rjenkins", "pg_num": 64, "pgp_num": 60, "pgp_num_target": 64,
        "autoscale_mode": "warn", "last_change": "161/201/199", "lfor": "0/0/153",
        "flags": "hashpspool,ec_overwrites,selfmanaged_snaps", "max_bytes": 107374182400,
        "stripe_width": 16384, "application": "rbd",
    }  # fmt: skip
    assert (pools["data"]["type"], pools["data"]["crash_replay_interval"]) == ("replicated", 45)
    assert pools["metadata"]["min_size"] == 2 - 1
    for name, values in pools.items():
        line = next(line for line in POOLS.split("\n") if f" '{name}' " in line)
        for label in values.keys() - {"id", "type"}:
            assert f" {label} {values[label]}" in line


def test_osds_and_the_head_of_the_map() -> None:
    (_, _, cluster), _, (_, first, up), (_, second, down) = _things(DUMP)
    assert (cluster["epoch"], cluster["nearfull_ratio"], cluster["max_osd"]) == (81, 0.85, 3)
    assert (first, up["status"], up["membership"], up["weight"]) == ("osd.0", "up", "in", 1)
    assert (second, down["down_at"], down["states"]) == ("osd.1", 62, "autoout,exists")
    assert up["uuid"] == "5e1a5bbb-5a0b-4a5d-9e9f-8d3c0a6e3b3e"


def test_single_lines() -> None:
    (old,) = _things("pool 0 'data' rep pg_size 2 crush_ruleset 0 object_hash rjenkins pg_num 64"
                     " pgp_num 64 lpg_num 2 lpgp_num 2 last_change 1 owner 0\n")  # fmt: skip
    assert (old[2]["pg_size"], old[2]["lpg_num"]) == (2, 2)
    assert [name for _, name, _ in _things(DUMP.split("\n")[16])] == ["osd.0"]


@pytest.mark.parametrize(
    "text",
    [
        "pool 1 'rbd' was given a crush_rule by hand\n",
        "The pool has pg_num 64 and pgp_num 64 now.\n",
        "osd.3 up_thru 12 is what I see\n",
        "osd.0 up in weight 1 up_from\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


@pytest.mark.parametrize("text", [DUMP, POOLS], ids=["dump", "pools"])
def test_every_shape(text: str) -> None:
    expected = _things(text)
    for shape, changed in mangled(text, wraps=False):
        assert _things(changed) == expected, shape
    assert _things(folded(text, 72)) == expected
