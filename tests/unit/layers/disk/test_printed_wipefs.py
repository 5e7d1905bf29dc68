"""wipefs, bare properties. Oracle: three tools say the same UUID and type of the same signature."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.disk.printed_properties import Properties
from iosonde.layers.disk.printed_udev import UdevInfo
from iosonde.layers.disk.printed_wipefs import Wipefs
from tests.mangle import counters, folded, mangled, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "commands-composed"
TEXT = (OUTPUTS / "signatures.txt").read_text()
TOOLS = {Properties.tool, UdevInfo.tool}


def _signatures(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(row.name, dict(row.values)) for row in counters(text, Wipefs.tool)]


def _properties(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values)) for subject in subjects_in(text, *TOOLS)
    ]


def test_signatures() -> None:
    (name, table), (_, erased), (old_name, old) = _signatures(TEXT)
    rows, old_rows = table["signatures"], old["signatures"]
    assert isinstance(rows, list)
    assert isinstance(old_rows, list)
    assert (name, old_name, len(rows)) == ("vdq", "vdr", 3)
    assert rows[0].items() <= old_rows[0].items()
    assert rows[1] == {"offset": 510, "type": "PMBR"}
    assert (rows[2]["offset"], rows[2]["label"]) == (0xE8E0D5E000, "nest3:0")
    assert erased == {"erased": [
        {"offset": 512, "bytes": 8, "type": "gpt"}, {"offset": 510, "bytes": 2, "type": "PMBR"},
    ]}  # fmt: skip


def test_properties() -> None:
    first, second, udev, disk, grep = _properties(TEXT)
    ext4 = _signatures(TEXT)[0][1]["signatures"]
    assert isinstance(ext4, list)
    assert (first[1], first[2]["fstype"], first[2]["uuid"]) == ("vdq1", "ext4", ext4[0]["uuid"])
    assert (second[1], second[2]["partuuid"]) == ("vdq2", "7ac0f1de-02")
    assert udev == ("disk", "vdq1", {
        "filesystem": "ext4", "uuid": ext4[0]["uuid"], "label": ext4[0]["label"],
        "version": "1.0", "usage": "filesystem",
    })  # fmt: skip
    assert disk[1:] == ("sdq", {"model": "HERON_POND2000", "transport": "ata", "serial": "HP20A7"})
    assert grep[1:] == ("sdr", {"model": "TEAL_REED", "serial": "TR77", "id_ata": 1})


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _signatures(changed) == _signatures(TEXT), shape
        alike = 4 if shape == "with blank lines" else 5  # `E:` is read up to a blank line
        assert _properties(changed)[:alike] == _properties(TEXT)[:alike], shape


def test_broken_by_a_mail() -> None:
    for width in (72, 66):
        assert _signatures(folded(TEXT, width)) == _signatures(TEXT), width


def test_what_blkid_probes() -> None:
    text = '/dev/vdq: VERSION="1.0" UUID="f8f6186f" TYPE="ext4" USAGE="filesystem"\n'
    ((disk,),) = [state.subjects for state in states(text)]
    assert (disk.name, disk.values["fstype"]) == ("vdq", "ext4")


@pytest.mark.parametrize(
    "text",
    [
        "/dev/vdq: 8 bytes were erased at offset 0x00000200, said wipefs\n",
        "DEVICE OFFSET TYPE UUID LABEL are its columns\n",
        "DEVNAME=/dev/sdq\n",
        "ID_FS_TYPE=ext4\nRUN+=touch\n",
        'ENV{ID_FS_UUID}=="1234", SYMLINK+="pond"\n',
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _signatures(text) == []
    assert _properties(text) == []
