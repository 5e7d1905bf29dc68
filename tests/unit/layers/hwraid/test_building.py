"""Virtual drives of RAID controllers as they are declared, planned and read on their host."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde.change.build import planned
from iosonde.errors import UsageError
from iosonde.layers.hwraid.building import making
from iosonde.layers.hwraid.declared import HwraidDeclared, name_of, striping
from iosonde.layers.hwraid.facts_ssacli import parse_ssacli
from iosonde.layers.hwraid.facts_storcli import parse_storcli
from iosonde.layers.site import Site
from iosonde.scripts import program
from iosonde.stack.file import understand
from tests.unit.layers.hwraid.test_kind import KIB, said


def drives(number: int) -> list[str]:
    return [f"252:{slot}" for slot in range(number)]


@pytest.mark.parametrize(
    ("level", "number", "spans", "data"),
    [(0, 1, None, None), (0, 4, None, 4), (1, 2, None, None), (5, 4, None, 3), (6, 6, None, 4),
     (10, 4, None, 2), (10, 20, None, 10), (50, 8, None, 6), (60, 12, 3, 6)],
)  # fmt: skip
def test_geometry(level: int, number: int, spans: int | None, data: int | None) -> None:
    declared = HwraidDeclared.model_validate(
        {"drives": drives(number), "level": level, "spans": spans, "strip_size": "64 KiB"}
    )
    assert striping(declared) == (None if data is None else (64 * KIB, data))


HEAD = "stack: s\nhosts: {h: {at: local}}\nlayers:\n  r: {kind: hwraid, host: h, "


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ('drives: ["252:0", "252:1"], level: 5', "RAID 5 needs 3 drives and has 2"),
        ('drives: ["252:0", "1I:1:1"], level: 1', "all alike"),
        ("drives: [/dev/sdb, /dev/sdc], level: 1", "all alike"),
        ('drives: ["252:0", "252:0"], level: 1', "named twice"),
        ('drives: ["252:0", "252:1", "252:2"], level: 1', "two by two"),
        ('drives: ["252:0", "252:1"], level: 1, strip_size: 100 KiB', "power of two"),
        ('drives: ["252:0", "252:1"], level: 1, cache_ratio: 25', "for a Smart Array"),
        ('drives: ["1I:1:1", "1I:1:2"], level: 1, read_ahead: true', "no `read_ahead`"),
        ('drives: ["252:0", "252:1", "252:2", "252:3", "252:4"], level: 10', "divided"),
        ('drives: ["252:0", "252:1"], level: 1, of: r', "no other layer"),
        ('drives: ["252:0", "252:1"], level: 7', "level"),
        ("drives: [], level: 0", "drives"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(keys: str, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        understand(f"{HEAD}{keys}}}\n", "s.yaml")
    assert complaint in str(refused.value)
    assert "s.yaml:4" in str(refused.value)


def commands(keys: str) -> str:
    return "\n".join(
        report.command for report in planned(understand(f"{HEAD}{keys}}}\n", "s.yaml"))
    )


def test_what_storcli_is_told() -> None:
    shown = commands(
        'drives: ["252:0", "252:1", "252:2", "252:3"], level: 10, controller: 1, '
        "write_policy: write_back, read_ahead: false, io_policy: direct, disk_cache: disabled"
    )
    assert (
        "create /c1 add vd type=raid10 name=s-r drives=252:0,252:1,252:2,252:3 strip=256 "
        "pdperarray=2"
    ) in shown
    assert "keep 1 s-r wrcache=wb rdcache=nora iopolicy=direct pdcache=off" in shown


def test_drives_need_no_quotes() -> None:
    """YAML 1.1 would take 252:10 for a number of base 60."""
    assert "drives=252:10,252:11 " in commands("drives: [252:10, 252:11], level: 1")


def test_what_ssacli_is_told() -> None:
    shown = commands(
        'drives: ["1I:1:1", "1I:1:2", "1I:1:3", "1I:1:4"], level: 10, strip_size: 64 KiB, '
        "write_policy: write_through, disk_cache: enabled, cache_ratio: 25"
    )
    assert (
        "create ctrl slot=0 create type=ld drives=1I:1:1,1I:1:2,1I:1:3,1I:1:4 raid=1+0 "
        "stripsize=64 logicaldrivelabel=s-r forced"
    ) in shown
    assert "arrayaccelerator=disable drivewritecache=enable cacheratio=25/75" in shown


def test_without_policies_none_is_touched() -> None:
    assert "keep" not in commands('drives: ["252:0", "252:1"], level: 1').split("esac")[-1]


def test_a_long_name_is_cut_and_still_told_apart() -> None:
    declared = HwraidDeclared(drives=("252:0", "252:1"), level=1)
    names = {name_of(Site("production-store", name, "h", declared)) for name in ("r1", "r2")}
    assert len(names) == 2
    assert all(len(name) <= 15 and name.startswith("productio-") for name in names)
    assert name_of(Site("s", "r1", "h", declared)) == "s-r1"


def test_the_lab_has_no_controller() -> None:
    text = HEAD + 'drives: ["252:0", "252:1"], level: 1}\n'
    with pytest.raises(UsageError, match="no RAID controller"):
        planned(understand(text, "s.yaml", rehearse=True))


# ── what the scripts on the host make of the recorded outputs ─────────────────────────────────


def listed(place: Path, drive: str, outputs: Mapping[str, str]) -> list[list[str]]:
    """The rows that a make's script prints where its tool prints some texts."""
    declared = HwraidDeclared(drives=(drive,), level=0)
    tool = place / ("storcli64" if declared.is_megaraid else "ssacli")
    for number, text in enumerate(outputs.values()):
        (place / f"{number}.txt").write_text(text)
    cases = "".join(f"'{key}') cat {place}/{n}.txt ;;\n" for n, key in enumerate(outputs))
    tool.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}esac\n')
    tool.chmod(0o755)
    common = program("iosonde.layers.hwraid", "building.sh")
    script = making(Site("s", "r", "h", declared)).script.removesuffix(f"{common}\n")
    done = subprocess.run(
        ["sh", "-c", f"{script}\nc=0\nlist"], capture_output=True, text=True, check=False,
        env={"PATH": f"{place}:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode in {0, 3}, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


DETAIL = "ctrl slot=0 show config detail"
VALL, SALL = "/c0/vall show all", "/c0/eall/sall show"


def test_the_host_reads_storcli_as_the_parser_does(tmp_path: Path) -> None:
    text = said("storcli-7", "vall-show-all.txt")
    drives_shown = said("storcli-7", "show-all.txt").partition("BBU_Info")[0]
    rows = listed(tmp_path, "252:0", {VALL: text, SALL: drives_shown})
    parsed = {
        subject.values["volume"]: subject
        for subject in parse_storcli(text)
        if subject.kind == "hwraid"
    }
    volumes = [row for row in rows if row[0] == "vd"]
    assert len(volumes) == len(parsed) == 2
    for _, number, _, level, strip, naa, device, policies, members in volumes:
        other = parsed[f"c0/v{number}"]
        assert level.lower() == other.values["raid_level"]
        assert int(strip) * KIB == other.values["strip_size"]
        assert device == f"/dev/{other.name}"
        assert naa == other.values["identifier"]
        assert ("rdcache=ra" in policies.split()) == other.values["read_ahead"]
        assert f"iopolicy={other.values['io_policy']}" in policies
        assert len(members.split()) == 2
    assert "wrcache=awb" in volumes[0][7]
    assert "wrcache=wt" in volumes[1][7]
    states = {row[1]: row[2] for row in rows if row[0] == "pd"}
    assert states["252:1"] == "belongs to virtual drive /c0/v0 (data)"
    assert states["252:5"] == "is Onln in drive group 0"
    assert len(states) == 12


def test_the_host_reads_ssacli_as_the_parser_does(tmp_path: Path) -> None:
    text = said("ssacli-2", "config-detail.txt")
    (volume, *drives_listed) = listed(tmp_path, "1I:1:1", {DETAIL: text})
    (other,) = [subject for subject in parse_ssacli(text) if subject.kind == "hwraid"]
    assert volume[3].lower() == other.values["raid_level"]
    assert int(volume[4]) * KIB == other.values["strip_size"]
    assert volume[5] == other.values["identifier"] == "600508b1001c7a6e0d2b1c3d4e5f6071"
    assert volume[6] == f"/dev/{other.name}"
    assert len(volume[8].split()) == other.values["disks"]
    assert volume[7].split() == [
        "arrayaccelerator=enable", "drivewritecache=enable", "cacheratio=10/90"
    ]  # fmt: skip
    states = {row[1]: row[2] for row in drives_listed}
    assert states["1I:1:5"] == "free"
    assert states["1I:1:2"].startswith("belongs to logical drive 1 of slot 0")


@pytest.mark.skipif(shutil.which("busybox") is None, reason="no busybox here")
def test_another_shell_and_awk_read_the_same(tmp_path: Path) -> None:
    outputs = {VALL: said("storcli-7", "vall-show-all.txt"), SALL: said("storcli-7", "drive.txt")}
    mega = listed(tmp_path, "252:0", outputs)
    smart = listed(tmp_path, "1I:1:1", {DETAIL: said("ssacli-2", "config-detail.txt")})
    for applet in ("awk", "sh", "cat"):
        (tmp_path / applet).symlink_to(str(shutil.which("busybox")))
    assert listed(tmp_path, "252:0", outputs) == mega
    again = listed(tmp_path, "1I:1:1", {DETAIL: said("ssacli-2", "config-detail.txt")})
    assert again == smart
    assert len(mega) == 3
    assert len(smart) == 6


def test_a_spare_is_no_member_and_mirrors_count_theirs_once(tmp_path: Path) -> None:
    text = said("ssacli-2", "config-detail.txt").replace(
        "         Drive Type: Data\n",
        "         Mirror Group 1:\n            physicaldrive 1I:1:1 (port 1I:box 1:bay 1, OK)\n"
        "         Drive Type: Data\n",
    )
    at = text.index("Drive Type: Data Drive", text.index("physicaldrive 1I:1:4"))
    text = text[:at] + text[at:].replace("Data Drive", "Spare Drive", 1)
    (volume, *_) = listed(tmp_path, "1I:1:1", {DETAIL: text})
    assert volume[8] == "1I:1:1 1I:1:2 1I:1:3"


@pytest.mark.parametrize("status", ["Success", "Failure"])
def test_a_controller_without_virtual_drives(tmp_path: Path, status: str) -> None:
    text = f"Controller = 0\nStatus = {status}\nDescription = No VDs have been configured\n"
    name = (
        "Controller = 0\nStatus = Success\nDescription = None\n\n252:0  9 UGood -  1 TB SAS HDD\n"
    )
    assert listed(tmp_path, "252:0", {VALL: text, SALL: name}) == [["pd", "252:0", "free"]]


def test_a_controller_that_does_not_answer_is_no_empty_one(tmp_path: Path) -> None:
    message = "Controller = 0\nStatus = Failure\nDescription = Firmware is in fault state\n"
    said_so = [["error", "controller 0: Firmware is in fault state"]]
    assert listed(tmp_path, "252:0", {VALL: message, SALL: message}) == said_so
    (row,) = listed(tmp_path, "1I:1:1", {DETAIL: "\nError: The controller is not detected.\n"})
    assert row[0] == "error"
    assert "not detected" in row[1]
    assert listed(tmp_path, "1I:1:1", {})[0][0] == "error"
