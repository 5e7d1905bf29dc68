"""What the commands of mechanisms do, run for real against made-up tools and files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from iosonde.layers.bcache.facts import whole_bytes
from iosonde.layers.bcache.settings import BcacheSettings
from iosonde.layers.dm.settings import Dmtable
from iosonde.layers.drbd.settings import DrbdSettings
from iosonde.layers.hwraid.settings import HwraidSettings
from iosonde.layers.iscsi.settings import Iscsiadm
from iosonde.layers.nfs.settings_exports import Exports, edited
from iosonde.settings.cpufreq import Cpufreq
from iosonde.settings.mechanism import Mechanism
from iosonde.settings.remount import put_back_lines
from iosonde.settings.service import ServiceMechanism
from iosonde.settings.tuned import Tuned
from tests.fakes.controller import new_state


class Place:
    """A directory whose `bin` comes first in the path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "bin").mkdir(exist_ok=True)

    def tool(self, name: str, script: str) -> None:
        """A made-up program; $D is the directory."""
        file = self.path / "bin" / name
        file.write_text(f"#!/bin/sh\nD={self.path}\n{script}\n")
        file.chmod(0o755)

    def run(
        self, argv: Sequence[str], *, status: int = 0, instead: tuple[str, str] = ("", "")
    ) -> str:
        """What a command prints; `instead`: an argument that stands for another."""
        old, new = instead
        arguments = [new if word == old else word for word in argv]
        path = f"{self.path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            arguments, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout.strip() or done.stderr.strip()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# ── tables of device-mapper ───────────────────────────────────────────────────────────────────


class Table:
    """A device of device-mapper with a table, and the mechanism's commands for it."""

    def __init__(self, place: Place, table: str) -> None:
        self.place = place
        (place.path / "dm").mkdir()
        (place.path / "dm" / "name").write_text("c-1\n")
        self.file = place.path / "table"
        self.file.write_text(table + "\n")
        place.tool(
            "dmsetup",
            'case "$1 $2" in "table c-1") cat $D/table;; "reload c-1") [ ! -e $D/refuse ] && '
            'echo "$4" >$D/new;; "resume c-1") mv $D/new $D/table;; *) exit 9;; esac',
        )
        self.device = f"../..{place.path}"  # below /sys/block

    def look(self, word: str) -> str:
        return self.place.run(Dmtable().look(f"{self.device} {word}"))

    def change(self, word: str, value: str, *, status: int = 0) -> str:
        self.place.run(Dmtable().change(f"{self.device} {word}", value), status=status)
        return self.file.read_text().strip()


def test_mode_and_policy_of_a_cache(place: Place) -> None:
    table = Table(place, "0 204800 cache 254:1 254:0 254:2 512 1 writethrough smq 0")
    assert (table.look("mode"), table.look("policy")) == ("writethrough", "smq")
    new = table.change("mode", "writeback")
    assert new == "0 204800 cache 254:1 254:0 254:2 512 1 writeback smq 0"
    new = table.change("policy", "cleaner")
    assert new == "0 204800 cache 254:1 254:0 254:2 512 1 writeback cleaner 0"


def test_other_features_and_arguments_of_a_cache_stay(place: Place) -> None:
    rest = "cache 254:1 254:0 254:2 512"
    table = Table(place, f"0 8 {rest} 2 metadata2 no_discard_passdown smq 2 migration_threshold 9")
    assert table.look("mode") == "writeback"  # where none is named
    assert table.change("mode", "passthrough") == (
        f"0 8 {rest} 3 metadata2 no_discard_passdown passthrough smq 2 migration_threshold 9"
    )
    assert table.look("mode") == "passthrough"


def test_watermarks_of_a_write_cache(place: Place) -> None:
    head = "0 100 writecache s 254:1 254:2 4096"
    table = Table(place, f"{head} 3 high_watermark 60 fua")
    assert (table.look("high_watermark"), table.look("low_watermark")) == ("60", "45")
    assert table.change("high_watermark", "70") == f"{head} 3 high_watermark 70 fua"
    assert table.change("low_watermark", "30") == f"{head} 5 high_watermark 70 fua low_watermark 30"
    assert table.look("low_watermark") == "30"


def test_a_table_that_the_kernel_refuses_changes_nothing(place: Place) -> None:
    before = "0 100 writecache s 254:1 254:2 4096 0"
    table = Table(place, before)
    (place.path / "refuse").touch()
    assert table.change("high_watermark", "70", status=1) == before


def test_a_table_of_something_else_has_no_such_setting(place: Place) -> None:
    table = Table(place, "0 100 linear 254:1 0")
    place.run(Dmtable().look(f"{table.device} mode"), status=1)
    place.run(Dmtable().change(f"{table.device} mode", "writeback"), status=1)


# ── exports ───────────────────────────────────────────────────────────────────────────────────

ETAB = (
    "/srv/x\t10.0.0.1(rw,sync,wdelay,no_root_squash,sec=sys)\n"
    "/srv/x\t*(ro,async,wdelay,sec=sys)\n/srv/xy\t*(rw,async,no_wdelay)\n"
)
LIVE = "/var/lib/nfs/etab"


def test_options_of_an_export_client_by_client(place: Place) -> None:
    etab = place.path / "etab"
    etab.write_text(ETAB)
    place.tool("exportfs", 'echo "$*" >>$D/calls')
    instead = LIVE, str(etab)
    assert place.run(Exports().look("sync /srv/x"), instead=instead) == "sync async"
    assert place.run(Exports().look("wdelay /srv/x"), instead=instead) == "wdelay"
    assert place.run(Exports().look("sync /srv/xy"), instead=instead) == "async"
    place.run(Exports().look("sync /srv"), status=1, instead=instead)
    place.run(Exports().change("sync /srv/x", "async"), instead=instead)
    place.run(Exports().change("sync /srv/x", "sync async"), instead=instead)
    assert (place.path / "calls").read_text().splitlines() == [
        "-i -o rw,wdelay,no_root_squash,sec=sys,async 10.0.0.1:/srv/x",
        "-i -o ro,wdelay,sec=sys,async *:/srv/x",
        "-i -o rw,wdelay,no_root_squash,sec=sys,sync 10.0.0.1:/srv/x",
        "-i -o ro,wdelay,sec=sys,async *:/srv/x",
    ]
    place.tool("exportfs", "exit 1")
    place.run(Exports().change("sync /srv/x", "async"), status=1, instead=instead)


def test_a_line_of_exports_is_edited_and_comes_back() -> None:
    text = "# mine\n/srv/x a(rw,sync) b(ro)\n/srv/y *(rw)\n"
    once = edited(text, "sync", "/srv/x", "async")
    assert "/srv/x a(rw,async) b(ro,async)\n/srv/y *(rw)\n" in once
    assert put_back_lines(edited(once, "wdelay", "/srv/x", "no_wdelay"), 0) == text
    with pytest.raises(Exception, match="continued"):
        edited("/srv/x a(rw) \\\n b(ro)\n", "sync", "/srv/x", "async")


# ── RAID controllers ──────────────────────────────────────────────────────────────────────────

MEGARAID = ["252:0", "252:1", "252:2"]
SMART_ARRAY = ["1I:1:1", "1I:1:2", "1I:1:3"]


def test_policies_of_a_megaraid(place: Place) -> None:
    new_state(place.path, MEGARAID, "storcli64", loops=False)
    tool = str(place.path / "bin" / "storcli64")
    place.run([tool, "/c0", "add", "vd", "type=raid5", "name=x", f"drives={','.join(MEGARAID)}"])
    head = f"{tool} c0/v0 600605b0000000012a3b4c5d6e7f0000"

    def look(name: str) -> str:
        return place.run(HwraidSettings().look(f"{head} {name}"))

    assert (look("write_policy"), look("read_ahead")) == ("write_back", "on")
    assert (look("io_policy"), look("disk_cache")) == ("direct", "default")
    for name, value in (
        ("write_policy", "write_through"), ("write_policy", "write_back_always"),
        ("write_policy", "write_back"), ("read_ahead", "off"), ("io_policy", "cached"),
        ("disk_cache", "disabled"), ("disk_cache", "enabled"), ("disk_cache", "default"),
    ):  # fmt: skip
        place.run(HwraidSettings().change(f"{head} {name}", value))
        assert look(name) == value
    said = place.run(HwraidSettings().change(f"{head} disk_cache", "maybe"), status=1)
    assert "syntax error" in said
    place.run(
        HwraidSettings().look(f"{tool} c0/v0 600605b00000000 write_policy"), status=1
    )  # another one
    place.run(HwraidSettings().look(f"{head} cache_ratio"), status=1)
    said = place.run(HwraidSettings().change(f"{tool} c0/v7 1 read_ahead", "on"), status=1)
    assert "does not exist" in said


@pytest.mark.parametrize("gen10", [False, True])
def test_policies_of_a_smart_array(place: Place, gen10: bool) -> None:
    new_state(place.path, SMART_ARRAY, "ssacli", loops=False, gen10=gen10)
    tool = str(place.path / "bin" / "ssacli")
    drives = f"drives={','.join(SMART_ARRAY)}"
    place.run([tool, "ctrl", "slot=0", "create", "type=ld", drives, "raid=5", "forced"])
    head = f"{tool} slot0/ld1 600508b1001c7a6e0d2b1c3d4e5f0001"

    def look(name: str) -> str:
        return place.run(HwraidSettings().look(f"{head} {name}"))

    assert (look("write_policy"), look("cache_ratio")) == ("write_back", "10")
    for name, value in (
        ("write_policy", "write_through"), ("write_policy", "write_back"), ("cache_ratio", "25"),
        ("disk_cache", "enabled"), ("disk_cache", "disabled"),
    ):  # fmt: skip
        place.run(HwraidSettings().change(f"{head} {name}", value))
        assert look(name) == value
    said = place.run(HwraidSettings().change(f"{head} write_policy", "write_back_always"), status=1)
    assert "not a valid value" in said
    place.run(HwraidSettings().look(f"{head} read_ahead"), status=1)
    place.run(HwraidSettings().look(f"{tool} slot0/ld2 600508b1 write_policy"), status=1)


# ── iSCSI ─────────────────────────────────────────────────────────────────────────────────────


def test_a_key_of_a_node_record(place: Place) -> None:
    (place.path / "record").write_text("node.name = iqn.x\nnode.session.queue_depth = 32\n")
    place.tool(
        "iscsiadm",
        'case "$*" in "--mode node --targetname iqn.x --portal 10.0.0.1:3260") cat $D/record;; '
        '*" --op update --name node.session.queue_depth --value "*) '
        'echo "node.session.queue_depth = ${12}" >$D/record;; *) exit 21;; esac',
    )
    address = "iqn.x 10.0.0.1:3260 node.session.queue_depth"
    assert place.run(Iscsiadm().look(address)) == "32"
    place.run(Iscsiadm().change(address, "64"))
    assert place.run(Iscsiadm().look(address)) == "64"
    place.run(Iscsiadm().look("iqn.x 10.0.0.1:3260 node.conn"), status=1)
    place.run(Iscsiadm().look("iqn.y 10.0.0.1:3260 node.name"), status=1)
    place.run(Iscsiadm().change("iqn.y 10.0.0.2:3260 node.name", "z"), status=1)


@pytest.mark.parametrize(
    ("mechanism", "address"),
    [
        (Dmtable(), "dm-3 mode"), (Exports(), "sync /srv/x"), (DrbdSettings(), "drbd1 net x"),
        (Iscsiadm(), "iqn.x 10.0.0.1:3260 node.name"), (HwraidSettings(), "/t c0/v0 6 read_ahead"),
        (HwraidSettings(), "/t slot0/ld1 6 disk_cache"), (Tuned(), "profile"),
    ],
)  # fmt: skip
def test_programs_are_commands_that_the_journal_holds(mechanism: Mechanism, address: str) -> None:
    for argv in (mechanism.look(address), mechanism.change(address, "v")):
        assert all(word.isprintable() for word in argv)


# ── CPUs, units, profiles, sizes ──────────────────────────────────────────────────────────────


def test_governors_that_agree_and_that_differ(place: Place) -> None:
    files = [place.path / f"policy{number}" / "scaling_governor" for number in (0, 2, 10)]
    for file in files:
        file.parent.mkdir()
        file.write_text("powersave\n")
    instead = "/sys/devices/system/cpu/cpufreq/", f"{place.path}/"
    look = Cpufreq().look("scaling_governor")
    assert place.run(look, instead=instead) == "powersave"
    files[2].write_text("performance\n")
    mixed = place.run(look, instead=instead)
    assert mixed == "powersave powersave performance"
    place.run(Cpufreq().change("scaling_governor", "schedutil"), instead=instead)
    assert [file.read_text() for file in files] == ["schedutil\n"] * 3
    place.run(Cpufreq().change("scaling_governor", mixed), instead=instead)
    assert place.run(look, instead=instead) == mixed
    place.run(look, status=1, instead=(instead[0], f"{place.path}/none/"))


def test_a_unit_is_running_or_stopped(place: Place) -> None:
    place.tool(
        "systemctl",
        'case "$1 $2" in "cat x.timer"|"cat y.timer") ;; "is-active x.timer") '
        "[ -e $D/on ] && echo active || { echo inactive; exit 3; };; "
        '"start x.timer") touch $D/on;; "stop x.timer") rm $D/on;; *) exit 4;; esac',
    )
    look = ServiceMechanism().look("x.timer")
    assert place.run(look) == "stopped"
    place.run(ServiceMechanism().change("x.timer", "running"))
    assert place.run(look) == "running"
    place.run(ServiceMechanism().change("x.timer", "stopped"))
    assert place.run(look) == "stopped"
    place.run(ServiceMechanism().look("z.timer"), status=1)


def test_the_profile_of_tuned(place: Place) -> None:
    place.tool(
        "tuned-adm",
        'case "$1" in active) if [ -e $D/profile ]; then '
        'echo "Current active profile: $(cat $D/profile)"; else '
        'echo "No current active profile."; fi;; profile) shift; echo "$*" >$D/profile;; '
        "off) rm $D/profile;; *) exit 1;; esac",
    )
    look = Tuned().look("profile")
    assert place.run(look) == "none"
    place.run(Tuned().change("profile", "throughput-performance"))
    assert place.run(look) == "throughput-performance"
    place.run(Tuned().change("profile", "none"))
    assert place.run(look) == "none"
    place.tool("tuned-adm", 'echo "Cannot talk to TuneD daemon" >&2; exit 1')
    place.run(look, status=1)


@pytest.mark.parametrize(
    ("text", "size"),
    [("4.0M", 4 << 20), ("0.0k", 0), ("4.3M", 4404 << 10), ("1.5k", 1536), ("512", 512)],
)
def test_a_size_of_bcache_is_read_alike_by_the_host_and_here(
    place: Place, text: str, size: int
) -> None:
    file = place.path / "sequential_cutoff"
    file.write_text(text + "\n")
    assert place.run(BcacheSettings().look(str(file))) == str(size) == str(whole_bytes(text))
