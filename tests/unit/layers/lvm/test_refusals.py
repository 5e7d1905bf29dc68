"""What LVM refuses. Oracle: the messages that stand in LVM's own program; the commands above."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, states
from tests.unit.layers.lvm.test_printed_messages import require_own_messages

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "refusals.txt").read_text()
GIB = 1 << 30


def _things(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (thing.kind, thing.name, dict(thing.values))
        for state in states(text)
        if state.tool == "lvm messages"
        for thing in state.subjects
    ]


def test_what_was_refused() -> None:
    assert _things(TEXT) == [
        ("lvm_pv", "sdq", {"device_found": False}),
        ("lvm_pv", "sdr", {"signature": "ext4", "signature_offset": 1080, "wiped": False}),
        ("lvm_pv", "sds", {"volume_group": "vg-old"}),
        ("lvm", "mapper/vg--fast-data", {"extents": 2560}),
        ("lvm_group", "vg-lost", {"found": False}),
        ("lvm", "mapper/vg--fast-data", {"size": 5 * GIB, "extents": 1280,
                                         "size_before": 10 * GIB}),
        ("lvm_pv", "sda", {"in_use": True}),
        ("lvm_group", "vg-old", {"missing_devices": 1}),
    ]  # fmt: skip


def test_the_messages_are_lvm_s() -> None:
    answered = TEXT.replace("[y/n]: n", "[y/n]: ").replace("[y/n]: y", "[y/n]: ")
    require_own_messages(answered)


@pytest.mark.parametrize(
    ("line", "thing"),
    [
        ("  Cannot use /dev/sdb: device is partitioned",
         ("lvm_pv", "sdb", {"unusable": "device is partitioned"})),
        ("  Device /dev/sdb excluded by a filter.", ("lvm_pv", "sdb", {"filtered": True})),
        ("  Device /dev/sdb not found (or ignored by filtering).",
         ("lvm_pv", "sdb", {"filtered": True})),
        ("  Couldn't find device with uuid Abcdef-1111-2222-3333-4444-5555-abcdef.",
         ("lvm_pv", "Abcdef-1111-2222-3333-4444-5555-abcdef", {"missing": True})),
        ("WARNING: xfs signature detected on /dev/vg0/new at offset 0. Wipe it? [y/n]: y",
         ("lvm", "mapper/vg0-new", {"signature": "xfs", "signature_offset": 0, "wiped": True})),
        ("  New size (2560 extents) matches existing size (2560 extents)",
         ("lvm", "", {"extents": 2560})),
    ],
)  # fmt: skip
def test_lines_alone(line: str, thing: tuple[str, str, dict[str, Any]]) -> None:
    assert _things(f"{line}\n") == [thing]


@pytest.mark.parametrize(
    "text",
    [
        'raise ValueError("No device found for /dev/i2c-3")\n',
        "There are 2 physical volumes missing. What now?\n",
        "  New size (2560 extents) matches existing size (2561 extents)\n",
        "I wonder whether the ext4 signature detected on /dev/sdb at offset 1080 is right\n",
        "Cannot use /dev/sdb: because it is full. Or not?\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape != "with blank lines":
            assert _things(changed) == _things(TEXT), shape


def test_a_table_below_a_warning_keeps_its_command() -> None:
    (_, table) = states(
        "root@n1:~# pvs\n"
        "  WARNING: Couldn't find device with uuid Abcdef-1111-2222-3333-4444-5555-abcdef.\n"
        "  PV         VG   Fmt  Attr PSize   PFree\n"
        "  /dev/sdb   vg0  lvm2 a--  <10.00g 4.00g\n"
    )
    assert (table.command, table.host, table.tool) == ("pvs", "n1", "lvm")


def test_a_uuid_in_quotes_as_old_versions_print_it() -> None:
    uuid = "Abcdef-1111-2222-3333-4444-5555-abcdef"
    text = f"# pvscan\n  Couldn't find device with uuid '{uuid}'.\n"
    assert _things(text) == [("lvm_pv", uuid, {"missing": True})]
