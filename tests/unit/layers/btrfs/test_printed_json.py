"""`btrfs --format json`: the same names as the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "btrfs-composed"


def things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    said: dict[tuple[str, str], dict[str, object]] = {
        (subject.kind, subject.name): dict(subject.values)
        for state in states(text)
        for subject in state.subjects
    }
    return said | {("counters", item.name): dict(item.values) for item in counters(text)}


def of(name: str) -> dict[tuple[str, str], dict[str, object]]:
    return things((PLACE / f"{name}.json").read_text())


def test_counters_of_devices() -> None:
    counted = of("stats")
    assert counted["counters", "sdh1"] == {
        "devid": 1, "write_io_errs": 0, "read_io_errs": 14, "flush_io_errs": 0,
        "corruption_errs": 3, "generation_errs": 0,
    }  # fmt: skip
    assert counted["counters", "sdi1"]["devid"] == 4


def test_block_groups_in_bytes() -> None:
    values = of("df")["btrfs", "/srv"]
    assert (values["data_profile"], values["data_used"]) == ("raid1", 790273982464)
    assert (values["global_reserve_total"], values["system_used"]) == (536870912, 131072)


def test_subvolumes() -> None:
    said = of("subvolumes")
    mail, snapshot = (said["btrfs_subvolume", name] for name in ("mail", "snapshots/mail-monday"))
    assert (mail["id"], mail["generation"], mail["top_level"]) == (259, 88213, 5)
    assert "parent_uuid" not in mail
    assert snapshot["parent_uuid"] == mail["uuid"]


def test_quota_groups() -> None:
    assert of("qgroups")["btrfs_qgroup", "0/259"] == {
        "referenced": 41231686041, "exclusive": 212992, "max_referenced": 64424509440,
        "path": "mail", "parents": "1/100",
    }  # fmt: skip


def test_two_profiles_of_a_type() -> None:
    """While a balance converts data, it has both: neither takes the place of the other."""
    rows = ", ".join(
        f'{{"bg-type": "Data", "bg-profile": "{profile}", "total": {total}, "used": 8192}}'
        for profile, total in (("single", 1 << 30), ("RAID1", 3 << 30))
    )
    text = f'{{"__header": {{"version": "1"}}, "filesystem-df": [{rows}]}}\n'
    (facts,) = things(text).values()
    assert (facts["data_profile"], facts["data_total"]) == ("single", 1 << 30)
    assert (facts["data_raid1_profile"], facts["data_raid1_total"]) == ("raid1", 3 << 30)


@pytest.mark.parametrize("name", ["stats", "df", "subvolumes", "qgroups"])
def test_every_shape(name: str) -> None:
    expected = of(name)
    assert expected
    for shape, changed in mangled((PLACE / f"{name}.json").read_text()):
        assert things(changed) == expected, shape


@pytest.mark.parametrize("text", [
    '{"device-stats": [{"device": "/dev/sda", "write_io_errs": 3}]}\n',
    'below "filesystem-df" and "qgroup-show"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not things(text)
