"""Counters that hosts keep since boot, and what tracers sum up, in every shape they come in.

Oracle: figures that agree with each other: parts and their whole, the same disk by two tools.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import AS_PRINTED, PrintedCounters
from iosonde.text.find import FoundOutput
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "counters-composed"
TEXTS = {path.stem: path.read_text() for path in OUTPUTS.glob("*.txt") if path.stem != "uname"}


def figure(counted: PrintedCounters, name: str) -> float:
    return cast("float", counted.values[name])


def test_free_in_three_forms() -> None:
    new, old, german = counters(TEXTS["free"])
    assert {row.tool for row in (new, old, german)} == {"free"}
    assert figure(new, "memory_used") == pytest.approx(4.9 * 2**30)
    assert figure(old, "memory_total") == figure(old, "memory_used") + figure(old, "memory_free")
    caches = figure(old, "buffers") + figure(old, "page_cache")
    assert figure(old, "used_without_caches") == figure(old, "memory_used") - caches
    assert figure(old, "free_with_caches") == figure(old, "memory_free") + caches
    assert figure(old, "swap_total") == 4095 * 2**20
    parts = ("memory_used", "memory_free", "buffers_and_cache")
    assert sum(figure(german, part) for part in parts) == figure(german, "memory_total")
    assert figure(german, "swap_free") == 4074304 * 1024


@pytest.mark.parametrize(("option", "unit"), [
    ("", 1024), (" -b", 1), (" -m", 2**20), (" -g", 2**30), (" -tm", 2**20), (" --mega", 10**6),
    (" -s 10", 1024), (" --si", 1000), (" -k", 1024),
])  # fmt: skip
def test_units_of_free(option: str, unit: int) -> None:
    table = (
        "       total  used  free  shared  buff/cache  available\n"
        "Mem:      90    30    20       1          40         55\nSwap:     10     4     6\n"
    )
    (row,) = counters(f"$ free{option}\n{table}")
    assert (row.values["memory_total"], row.values["swap_used"]) == (90 * unit, 4 * unit)


def test_free_without_its_unit_is_kept_as_it_is_printed() -> None:
    (row,) = counters(TEXTS["free"].partition("$ free -m\n")[2].partition("$")[0])
    assert row.kind == AS_PRINTED
    rows = cast("list[list[str]]", row.values["rows"])
    assert rows[0][:3] == ["Mem", "16052", "15540"]


def test_free_of_this_host() -> None:
    if not (program := shutil.which("free")):
        pytest.skip("free is not installed")
    for options in (["-b"], ["-k"], ["-m", "-w"], ["-k", "-t", "-l"]):
        text = subprocess.run(
            [program, *options], capture_output=True, text=True, check=True
        ).stdout
        (row,) = counters(f"$ free {' '.join(options)}\n{text}")
        unit = {"-b": 1, "-k": 1024, "-m": 1 << 20}[options[0]]
        memory = next(line for line in text.splitlines() if line.startswith("Mem:")).split()
        assert row.values["memory_total"] == int(memory[1]) * unit
        assert row.values["memory_available"] == int(memory[-1]) * unit
        if "-t" in options:
            parts = figure(row, "memory_total") + figure(row, "swap_total")
            assert row.values["total_total"] == parts


_TABLE = """\
               total        used        free      shared  buff/cache   available
Mem:            7950        1000        5000         100        1950        6600
Swap:           2047           0        2047
"""


@pytest.mark.parametrize(
    "text",
    [
        f"$ free -m -s 5\n{_TABLE}\n{_TABLE}",
        f"$ echo 3 >/proc/sys/vm/drop_caches; free -m; frob; free -m\n{_TABLE}/* OOM */\n{_TABLE}",
    ],
)
def test_several_tables_of_one_command(text: str) -> None:
    sizes = [row.values.get("memory_total") for row in counters(text, "free")]
    assert sizes == [7950 << 20] * 2


def test_tables_of_one_command_with_two_units_are_kept_as_they_are_printed() -> None:
    rows = counters(f"$ free -m; free\n{_TABLE}{_TABLE}")
    assert rows[-1].kind == AS_PRINTED


def test_free_without_its_head_says_its_units() -> None:
    rows = (
        "Mem:           7.8Gi       1.0Gi       5.0Gi       100Mi       1.9Gi       6.6Gi\n"
        "Swap:          2.0Gi          0B       2.0Gi\n"
    )
    (row,) = counters(f"Now it says\n\n{rows}\nand that is enough.\n")
    assert (figure(row, "shared"), figure(row, "swap_free")) == (100 << 20, 2 << 30)
    assert not counters("Mem:   7.8G  1.0G  5.0G  100M  1.9G  6.6G\nSwap:  2.0G  0  2.0G\n")


def test_free_whose_lines_a_mail_broke_or_joined() -> None:
    broken = _TABLE.replace("  available", "\navailable").replace("  6600", "\n6600")
    joined = f"root@box5:~# free -m {_TABLE}"
    for text in (f"$ free -m\n{broken}", joined):
        (row,) = counters(text)
        assert figure(row, "memory_available") == 6600 << 20
        assert figure(row, "swap_total") == 2047 << 20
    assert row.host == "box5"


def test_free_in_one_line() -> None:
    line = "SwapUse           0 CachUse     2000000 MemUse     1000000 MemFree    5000000\n"
    (row,) = counters(f"$ free -L\n{line}")
    assert row.values == {
        "swap_used": 0, "buffers_and_cache": 2000000 << 10, "memory_used": 1000000 << 10,
        "memory_free": 5000000 << 10,
    }  # fmt: skip


def test_the_last_lines_of_vmstat_alone() -> None:
    (row,) = counters("It ends\n\n   12345 interrupts\n   99 CPU context switches\n    7 forks\n")
    assert row.values == {"interrupts": 12345, "cpu_context_switches": 99, "forks": 7}


def test_totals_of_vmstat_are_those_of_its_disks() -> None:
    sda, _, summed, whole, part = counters(TEXTS["vmstat-totals"])
    assert figure(sda, "reads") == figure(summed, "total_reads") == figure(part, "reads")
    assert figure(sda, "read_bytes") == figure(summed, "read_sectors") * 512
    assert figure(sda, "write_bytes") == figure(part, "write_bytes")
    assert figure(sda, "read_time") == 88.12
    assert figure(whole, "total_memory") == 16303124 * 1024
    assert (part.kind, part.name) == ("disk", "sda1")


def test_files_of_proc_and_sysfs() -> None:
    memory, disk, node0, node1, whole, first, second = counters(TEXTS["proc"])
    assert (memory.values["nr_dirty"], memory.values["allocstall_normal"]) == (8120, 3)
    same = counters(TEXTS["vmstat-totals"])[0]
    for name in ("reads", "read_bytes", "write_time"):
        assert figure(disk, name) == figure(same, name)
    assert (disk.name, disk.values["flushes"]) == ("sda", 12031)
    assert node0.values["numa_miss"] == node1.values["numa_foreign"]
    assert figure(whole, "user_ticks") == figure(first, "user_ticks") + figure(second, "user_ticks")
    assert (whole.values["ctxt"], whole.values["procs_blocked"]) == (340950, 1)


def test_caches_of_the_kernel() -> None:
    (row,) = counters(TEXTS["slabtop"])
    assert figure(row, "active_objects") / figure(row, "objects") == pytest.approx(0.918, abs=1e-3)
    caches = cast("list[dict[str, float]]", row.values["kernel_caches"])
    assert [str(cache["name"]) for cache in caches] == ["dentry", "ext4_inode_cache"]
    sizes = [figure(row, f"object_size.{name}") for name in ("min", "mean", "max")]
    assert sizes == [0.01 * 1024, 0.26 * 1024, 8 * 1024]
    assert sizes[1] == pytest.approx(figure(row, "size") / figure(row, "objects"), rel=0.03)
    assert figure(row, "active_objects_share") == pytest.approx(0.918)
    assert [cache["used"] for cache in caches] == [
        pytest.approx(cache["active"] / cache["objects"], abs=0.01) for cache in caches
    ]
    for cache in caches:
        assert cache["slabs"] * cache["objects_per_slab"] == pytest.approx(
            cache["objects"], rel=2e-3
        )


def test_rows_of_slabtop_that_a_terminal_padded_with_tabs() -> None:
    plain = cast("list[object]", counters(TEXTS["slabtop"])[0].values["kernel_caches"])
    lines = TEXTS["slabtop"].split("\n")
    tabbed = [line[:6] + line[6:].replace("    ", "\t") if "K " in line else line for line in lines]
    assert cast("list[object]", counters("\n".join(tabbed))[0].values["kernel_caches"]) == plain


def test_a_sample_of_atop() -> None:
    whole, cpu, lvm, disk, link = counters(TEXTS["atop"])
    assert link.values["util"] == 0.03
    assert (whole.host, cpu.name, lvm.name, disk.name) == ("web01", "cpu0", "vg0-data", "sda")
    shares = ("CPU.sys", "CPU.user", "CPU.irq", "CPU.idle", "CPU.wait", "CPU.steal")
    assert sum(figure(whole, name) for name in shares) == pytest.approx(4, abs=0.05)
    assert figure(whole, "MEM.tot") == 15.5 * 2**30
    written = figure(disk, "writes") * figure(disk, "write.size") / 10
    assert written == pytest.approx(figure(disk, "write.bandwidth"), rel=0.03)
    assert figure(disk, "await") == 0.00528
    assert figure(link, "si") == 3100 * 125
    rows = cast("list[dict[str, str]]", whole.values["processes"])
    assert [row["CMD"] for row in rows] == ["mysqld", "jbd2/dm-0-8"]


def test_collectl_in_lines_and_in_details() -> None:
    brief, sda, sdb = counters(TEXTS["collectl"])
    written = cast("list[float]", brief.values["write.bandwidth"])
    assert written[1] == pytest.approx(figure(sda, "write.bandwidth"))
    assert figure(sda, "write.iops") * figure(sda, "write.size") == pytest.approx(
        figure(sda, "write.bandwidth"), rel=0.01
    )
    assert (sdb.name, figure(sdb, "util")) == ("sdb", 0.03)


def test_what_collectl_draws_is_no_heading() -> None:
    outputs = [part for part in read(TEXTS["collectl"]) if isinstance(part, FoundOutput)]
    assert [output.place.heading for output in outputs] == ["", ""]


def test_phases_of_btt_add_up() -> None:
    whole, disk = counters(TEXTS["btt"])
    phases = ("Q2G", "G2I", "I2D", "D2C")
    assert sum(figure(whole, f"{name}.mean") for name in phases) == pytest.approx(
        figure(whole, "Q2C.mean"), rel=0.01
    )
    shares = sum(figure(disk, f"{name}.share") for name in (*phases, "Q2M"))
    assert shares == pytest.approx(1, abs=1e-3)
    assert figure(disk, "bytes") == figure(disk, "queued") * figure(disk, "mean_size")


def test_sums_of_blkparse() -> None:
    counter, whole = counters(TEXTS["blkparse"])
    assert figure(counter, "reads_queued_bytes") == figure(counter, "reads_queued") * 4096
    assert counter.values["cpu"] == "1"
    assert figure(whole, "read.bandwidth") == 41203 * 1024


def test_events_of_blkparse() -> None:
    (row,) = counters(TEXTS["blkparse-events"])
    assert (row.kind, row.name, row.values["Q"], row.values["C"]) == ("disk", "8:0", 2, 1)
    events = cast("list[dict[str, object]]", row.values["events"])
    assert (events[3]["time"], events[3]["bytes"]) == (0.0002131, 4096)
    assert (events[4]["way"], events[4]["rest"]) == ("FWS", "[sync]")


def test_events_of_blkparse_whose_process_a_mail_put_on_a_line_of_its_own() -> None:
    whole = TEXTS["blkparse-events"]
    broken = re.sub(r" (\[[^\[\]\s]+\])$", r"\n\1", whole, flags=re.MULTILINE)
    assert broken.count("\n") > whole.count("\n") + 3
    assert counters(broken) == counters(whole)
    (alone,) = counters(f"{whole.strip().splitlines()[1].removesuffix(' [fio]')}\n[1]\n[2]\n")
    assert "[1]" in str(alone.values)
    assert "[2]" not in str(alone.values)


def test_calls_of_strace() -> None:
    *calls, whole = counters(TEXTS["strace"])
    assert sum(figure(call, "calls") for call in calls) == figure(whole, "calls")
    assert sum(figure(call, "seconds") for call in calls) == pytest.approx(figure(whole, "seconds"))
    assert [call.values["errors"] for call in calls] == [0, 12]


def test_round_trips() -> None:
    (row,) = counters(TEXTS["ping"])
    times = cast("list[float]", row.values["round_trips"])
    assert sum(times) / len(times) == pytest.approx(figure(row, "round_trip.mean"))
    assert (row.name, row.values["loss"]) == ("nas01", 0)
    (cut,) = counters(TEXTS["ping"].partition("---")[0])
    assert cut.values["round_trips"] == times


def test_what_ping_says_beside_its_times() -> None:
    (row,) = counters(TEXTS["ping"])
    assert (row.values["payload"], row.values["packet_size"]) == (56, 84)
    assert row.values["sequence"] == [1, 2]
    assert (row.values["reply_size"], row.values["ttl"], row.values["seconds"]) == (64, 64, 1.001)
    large, flood, twice, nobody = counters(TEXTS["ping-options"])
    assert (large.values["mtu"], large.values["errors"]) == (1500, 2)
    assert figure(large, "packet_size") - figure(large, "payload") == 28
    assert "round_trip.mean" not in large.values
    assert flood.values["packet_gap"] == pytest.approx(figure(flood, "seconds") / 1000)
    assert (flood.values["pipe"], twice.values["ttl"]) == (2, [63, 64])
    assert "packet_size" not in twice.values
    assert len(cast("list[str]", nobody.values["answers"])) == nobody.values["errors"]


def test_exposition_of_a_node() -> None:
    sda, nvme, mount, cpu, host, memory = counters(TEXTS["node-exporter"])
    assert sda.values["node_disk_read_bytes_total"] == 9120310 * 512
    assert (nvme.name, mount.kind, mount.name) == ("nvme0n1", "mount", "/")
    assert (mount.values["device"], mount.values["fstype"]) == ("/dev/sda1", "ext4")
    assert (cpu.name, cpu.values["node_cpu_seconds_total{mode=iowait}"]) == ("0", 12.5)
    assert memory.values["node_memory_MemAvailable_bytes"] == 7 << 30
    assert host.values["node_uname_info.nodename"] == "heron"


def test_sensors_of_a_chip_are_kept_apart() -> None:
    host = counters(TEXTS["node-exporter"])[4]
    temperatures = [
        value for name, value in host.values.items() if name.startswith("node_hwmon_temp_celsius")
    ]
    assert temperatures == [41.85, 52.85]


def test_plugins_of_dstat_keep_their_names() -> None:
    (row,) = counters(TEXTS["dstat-plugins"])
    assert row.values["sockets.tcp"] == [8, 9]
    assert row.values["filesystem.inodes"] == [6488, "6.5k"]


@pytest.mark.parametrize("text", [
    "Mem:  I have 12 34 56 questions\n",
    "The total used free shared is what I need\nMem: 12 apples 13 pears\n",
    "nr_dirty is 12 and pgpgin is 13\n",
    "total merged sectors are what I look at\nsda 1 2 3\n",
    "   12 total reads of this page\n   13 merged readers\n",
    "PING me when you are there\n64 bytes from me\n",
    "node_disk_io is a metric of mine\n",
    "node_cpu_seconds_total and node_load1 are what I graph\n",
    "DSK | is | how | a line begins\nnot this one\n",
    "ATOP - what is it?\n",
    "usecs/call is a column of strace\n100.00 1.5 2 total\n",
    "OBJS ACTIVE  USE and so on\n1 2 3% 0.1K 5 6 7K name\n",
    "8,0 Q is what I queue, C is what completes\n",
    "see /sys/block/sda/stat\n1 2 3 4 5\n",
])  # fmt: skip
def test_what_looks_like_counters(text: str) -> None:
    assert not [row for row in counters(text) if row.kind != AS_PRINTED]


@pytest.mark.parametrize("name", sorted(set(TEXTS) - {"strace"}))
def test_every_shape_without_wraps(name: str) -> None:
    whole = [(row.kind, row.name, dict(row.values)) for row in counters(TEXTS[name])]
    for shape, text in mangled(TEXTS[name], wraps=False):
        read = [(row.kind, row.name, dict(row.values)) for row in counters(text)]
        assert read == whole, shape
