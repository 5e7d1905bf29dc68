"""Hosts that a sosreport, a supportconfig or a directory of outputs describes.

The oracles are what `show` says of the same host when it is asked itself: this machine, and the
recordings of tests/recordings.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde import limits
from iosonde.errors import UsageError
from iosonde.hosts import open_host
from iosonde.layers._lsblk import listed_devices
from iosonde.records.stack import Capture
from iosonde.stack.discover import discover
from iosonde.text.collected import CollectedFiles, mangled, read_collected
from iosonde.verbs.predict import predict
from iosonde.verbs.show import show

RECORDINGS = Path(__file__).parents[2] / "recordings"
TREE = """\
NAME             MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT
sda                8:0    0   1.8T  0 disk
├─sda1             8:1    0     1G  0 part  /boot
└─sda2             8:2    0   1.8T  0 part
  └─md0            9:0    0   1.8T  0 raid1
    └─vg-root    253:0    0   500G  0 lvm   /
sdb                8:16   0   1.8T  0 disk
└─sdb2             8:18   0   1.8T  0 part
  └─md0            9:0    0   1.8T  0 raid1
    └─vg-root    253:0    0   500G  0 lvm   /
"""


def _write_files(index: Mapping[str, str], top: Path) -> None:
    for path, text in index.items():
        place = top / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def _sosreport(recording: Path, top: Path) -> None:
    """The answers of a recording where sosreport would have put them."""
    index = json.loads((recording / "index.json").read_text())
    for path, text in index["files"].items():
        if isinstance(text, str):
            _write_files({path: text}, top)
    for paths in index["globs"].values():
        for path in paths:
            if not (top / path.lstrip("/")).exists():
                _write_files({path: ""}, top)
    for command, answer in index["commands"].items():
        if answer["status"] == 0:
            _write_files({f"sos_commands/x/{mangled(command)}": answer["stdout"]}, top)
    for path, target in index["links"].items():
        place = top / path.lstrip("/")
        if isinstance(target, str) and target != path and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)


async def _discovered(name: str) -> Capture:
    return await discover((await open_host(name),))


@pytest.mark.parametrize("name", ["uml-md-lvm-xfs", "uml-nfs"])
def test_a_sosreport_shows_what_its_host_showed(tmp_path: Path, name: str) -> None:
    _sosreport(RECORDINGS / name, tmp_path / "report")
    (tmp_path / "report" / "etc").mkdir(exist_ok=True)
    asked = asyncio.run(_discovered(f"recording:{RECORDINGS / name}"))
    host = asked.hosts[0].name
    (tmp_path / "report" / "etc" / "hostname").write_text(host)
    collected = asyncio.run(_discovered(f"recording:{tmp_path}"))
    assert collected.hosts == asked.hosts
    assert collected.layers == asked.layers


def test_the_tools_of_this_machine_give_what_show_gives(tmp_path: Path) -> None:
    outputs = {"block/lsblk_-O_-P": "lsblk -O -P", "filesys/mount_-l": "mount -l"}
    for place, command in outputs.items():
        text = subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout
        _write_files({f"sos_commands/{place}": text}, tmp_path)
    for path in ("/proc/partitions", "/proc/self/mountinfo", "/proc/swaps", "/proc/meminfo"):
        _write_files({path: Path(path).read_text()}, tmp_path)

    def disks(capture: Capture) -> dict[str, tuple[object, ...]]:
        return {
            str(layer.device): (layer.kind, layer.size, layer.mount, len(layer.below))
            for layer in capture.layers
            if re.match(r"/dev/(?:[sv]d|nvme|xvd)", layer.device or "")
        }

    live = disks(show())
    assert disks(show(f"recording:{tmp_path}")) == live


def test_a_tree_of_lsblk_and_a_listing_of_mounts_are_enough(tmp_path: Path) -> None:
    _write_files(
        {"lsblk.txt": TREE, "mount.txt": "/dev/mapper/vg-root on / type ext4 (rw)\n"}, tmp_path
    )
    layers = {
        layer.device: layer for layer in show(f"recording:{tmp_path}").layers if not layer.mount
    }
    assert {path: layer.kind for path, layer in layers.items()} == {
        "/dev/sda": "disk", "/dev/sdb": "disk", "/dev/sda1": "partition", "/dev/sda2": "partition",
        "/dev/sdb2": "partition", "/dev/md0": "md", "/dev/mapper/vg-root": "lvm",
    }  # fmt: skip
    assert len(layers["/dev/md0"].below) == 2
    assert layers["/dev/sda1"].size == 1 << 30


def test_a_number_of_an_older_lsblk_is_read(tmp_path: Path) -> None:
    old = "sda    8:0    0  20G  0 disk \n`-vg-root (dm-0) 253:0    0   9G  0 lvm  /\n"
    assert [(row["kname"], row["pkname"]) for row in listed_devices(old)] == [
        ("sda", None), ("dm-0", "sda")
    ]  # fmt: skip
    shell = 'NAME="sda" KNAME="sda" MAJ_MIN="8:0" SIZE="20G" MODEL="A\\x20B" TYPE="disk"\n'
    (row,) = listed_devices(shell)
    assert (row["maj:min"], row["size"], row["model"]) == ("8:0", 20 << 30, "A B")


def test_a_device_of_several_mount_points_is_one_device_of_the_list() -> None:
    """util-linux 2.38 with --pairs: between mount points is a line break, written \\x0a."""
    both = 'NAME="sda" MAJ:MIN="8:0" SIZE="20G" MOUNTPOINTS="/srv/\\xc3\\xa4\\x0a/" TYPE="disk"\n'
    other = 'NAME="sdb" MAJ:MIN="8:16" SIZE="30G" MOUNTPOINTS="/mnt" TYPE="disk"\n'
    rows = listed_devices(both + other)
    assert [(row["name"], row["mountpoints"], row["type"]) for row in rows] == [
        ("sda", "/srv/ä\n/", "disk"), ("sdb", "/mnt", "disk"),
    ]  # fmt: skip


def test_damaged_figures_and_bytes_that_are_no_text_crash_nothing(tmp_path: Path) -> None:
    places = {"lsblk.txt": TREE.replace("1.8T", "9" * 400 + "T")}
    places["proc/partitions"] = f"   8        0 {'9' * 5000} sda\n"
    _write_files({**places, "sys/class/block/sda/size": "9" * 5000}, tmp_path)
    sizes = {layer.device: layer.size for layer in show(f"recording:{tmp_path}").layers}
    assert not sizes.get("/dev/sda")
    assert sizes["/dev/sda1"] == 1 << 30
    (tmp_path / "lsblk.txt").write_bytes(
        b'NAME="sda" KNAME="sda" MAJ:MIN="8:\x81" SIZE="1G" TYPE="disk"\n'
    )
    assert [layer.kind for layer in show(f"recording:{tmp_path}").layers] == ["disk"]


def test_exact_sizes_come_from_the_kernel(tmp_path: Path) -> None:
    partitions = "major minor  #blocks  name\n\n   8        0 1953514584 sda\n"
    _write_files({"lsblk": TREE, "proc/partitions": partitions}, tmp_path)
    sizes = {layer.device: layer.size for layer in show(f"recording:{tmp_path}").layers}
    assert sizes["/dev/sda"] == 2_000_398_934_016  # 1953514584 KiB


def test_supportconfig_is_read_by_its_sections(tmp_path: Path) -> None:
    section = "#==[ {} ]{}#\n# {}\n{}\n"
    text = section.format("Command", "=" * 34, "/bin/lsblk", TREE) + section.format(
        "Configuration File", "=" * 23, "/proc/partitions", "   8        0 1953514584 sda\n"
    )
    _write_files({"scc_db1_20260101/fs-diskio.txt": text}, tmp_path)
    archive = tmp_path / "scc.txz"
    subprocess.run(["tar", "-cJf", archive, "-C", tmp_path, "scc_db1_20260101"], check=True)
    sizes = {layer.device: layer.size for layer in show(f"recording:{archive}").layers}
    assert sizes["/dev/sda"] == 2_000_398_934_016
    assert "/dev/md0" in sizes


def test_a_mirror_of_a_report_writes_twice(tmp_path: Path) -> None:
    table = "vg-root: 0 1048576000 linear 9:0 2048\n"
    states = {"state": "in_sync", "offset": "2048", "errors": "0"}
    array = {"level": "raid1", "raid_disks": "2", "array_state": "clean", "metadata_version": "1.2"}
    for slot, member in enumerate(("sda2", "sdb2")):
        for name, text in {**states, "slot": str(slot)}.items():
            array[f"dev-{member}/{name}"] = text
    _write_files(
        {f"sys/block/md0/md/{name}": f"{text}\n" for name, text in array.items()}, tmp_path
    )
    _write_files({"lsblk": TREE, "sos_commands/devicemapper/dmsetup_table": table}, tmp_path)
    for part in ("sda2", "sdb2"):
        _write_files({f"sys/class/block/{part}/start": "2048\n"}, tmp_path)
    name = f"recording:{tmp_path}"
    predicted = predict(name, "write-iops", at="/dev/mapper/vg-root", requests=100)
    counts = {layer.id.rpartition(":")[2]: layer.writes for layer in predicted.layers}
    assert counts["md0"] == 100
    assert (counts["sda"], counts["sdb"]) == (100, 100)
    assert predicted.time is None
    with pytest.raises(UsageError, match="there is no layer 'nowhere'; the tops are /dev/"):
        predict(name, "write-iops", at="nowhere")
    with pytest.raises(UsageError, match="belongs to a declared stack"):
        predict(name, "write-iops", devices=["disk=hdd"])


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"notes.txt": "none"}, "describes no host"),
        ({"a/proc/swaps": "", "b/proc/swaps": ""}, "describes 2 hosts: a, b"),
        ({"lsblk.txt": "lsblk: command not found\n"}, "describes no host"),
        ({"lsblk.json": '{"blockdevices": [{"name": 3}'}, "describes no host"),
        ({"lsblk.json": "{" * 100_000}, "describes no host"),
    ],
)
def test_what_describes_no_host_is_refused(
    tmp_path: Path, files: Mapping[str, str], reason: str
) -> None:
    _write_files(files, tmp_path)
    with pytest.raises(UsageError, match=reason):
        show(f"recording:{tmp_path}")


def test_a_path_is_no_host_but_the_error_says_how_it_becomes_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a path, not a host") as problem:
        show(str(tmp_path))
    assert problem.value.hint.endswith(f"recording:{tmp_path}")


def test_links_lead_nowhere_but_into_the_collection(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    top = tmp_path / "report"
    _write_files({"lsblk.txt": TREE, "proc/swaps": ""}, top)
    (top / "proc" / "mounts").symlink_to(secret)
    (top / "proc" / "round").symlink_to("round")
    (top / "sys").symlink_to("/sys")
    os.mkfifo(top / "proc" / "fifo")
    files = read_collected(str(top))
    for path in ("/proc/mounts", "/proc/round", "/sys/kernel/uevent_seqnum", "/proc/fifo"):
        assert files.read(path) is None
    assert files.glob("/sys/*") == ()


def _tar(path: Path, *entries: tuple[str, bytes, bytes, str]) -> str:
    with tarfile.open(path, "w") as archive:
        for name, kind, content, link in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = kind, len(content), link
            archive.addfile(entry, io.BytesIO(content))
    return str(path)


def test_members_that_lead_out_of_an_archive_are_passed_over(tmp_path: Path) -> None:
    name = _tar(
        tmp_path / "t.tar",
        ("proc/../../proc/swaps", tarfile.REGTYPE, b"out", ""),
        ("/proc/meminfo", tarfile.REGTYPE, b"in", ""),
        ("proc/mounts", tarfile.LNKTYPE, b"", "/etc/passwd"),
        ("proc/null", tarfile.CHRTYPE, b"", ""),
        ("proc/self", tarfile.SYMTYPE, b"", "../../../../proc/1"),
        ("proc/1/mountinfo", tarfile.REGTYPE, b"its own", ""),
    )
    files = read_collected(name)
    assert files.read("/proc/meminfo") == b"in"
    assert files.read("/proc/self/mountinfo") == b"its own"  # ".." of the root is the root
    assert [files.read(f"/proc/{name}") for name in ("swaps", "mounts", "null")] == [None] * 3


def test_limits_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "report"
    _write_files({"lsblk.txt": TREE, "proc/swaps": "x" * 2000, "var/log/messages": "y" * 9000}, top)
    name = str(tmp_path / "t.tar")
    subprocess.run(["tar", "-cf", name, "-C", tmp_path, "report"], check=True)
    monkeypatch.setattr(limits, "DESCRIBED_FILE", 1500)
    for place in (str(top), name):
        assert "1.4" in read_collected(place).problems["/proc/swaps"]
    monkeypatch.setattr(limits, "DESCRIBED_FILE", 1 << 20)
    monkeypatch.setattr(limits, "DESCRIBED", 2100)
    for place in (str(top), name):
        with pytest.raises(UsageError, match=r"has more than 2\.05\d* KiB of files"):
            read_collected(place)
    monkeypatch.setattr(limits, "DESCRIBED", 8000)
    assert read_collected(name).read("/proc/swaps") == b"x" * 2000
    monkeypatch.setattr(limits, "ARCHIVE_FILES", 2)
    for place in (str(top), name):
        with pytest.raises(UsageError, match="more than 2 files"):
            read_collected(place)


def test_a_hostile_name_of_a_host_is_not_taken(tmp_path: Path) -> None:
    top = tmp_path / "a b\x1b[2J"
    _write_files({"lsblk.txt": TREE, "etc/hostname": "\x1b[31mred\n--x"}, top)
    (host,) = show(f"recording:{top}").hosts
    assert host.name == "a-b-2J"


def test_a_glob_goes_through_links_and_ends_in_a_ring() -> None:
    files = CollectedFiles("x")
    files.add("/sys/devices/d/queue/a", b"1")
    files.add_link("/sys/block/d", "../devices/d")
    files.add_link("/sys/devices/d/self", "../d")
    assert files.glob("/sys/block/*/queue/*") == ("/sys/block/d/queue/a",)
    assert files.glob("/sys/block/d/self/self/queue/[a-c]") == ("/sys/block/d/self/self/queue/a",)
    assert files.read("/sys/block/d/self/self/queue/a") == b"1"
