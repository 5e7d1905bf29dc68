"""top, pressure files, histograms of tracers, dstat and nfsiostat, in every shape they come in.

Oracle: figures that agree with each other, such as shares of a processor that are all of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
TEXTS = {
    name: (OUTPUTS / f"{name}.txt").read_text()
    for name in ("top", "pressure", "histogram", "dstat", "dstat-cpus", "nfsiostat", "top-busybox")
}


def figure(counted: PrintedCounters, name: str) -> float:
    return cast("float", counted.values[name])


def test_head_of_top_says_load_processors_memory_and_who_waits() -> None:
    whole, old, first, second, alone = counters(TEXTS["top"])
    assert whole.values["load_average"] == [6.31, 5.9, 4.42]
    assert figure(whole, "cpu_iowait") == pytest.approx(0.418)
    assert figure(whole, "memory_total") == 15884.5 * 2**20
    assert figure(whole, "memory_available") == 13311.8 * 2**20
    rows = cast("list[dict[str, object]]", whole.values["processes"])
    assert [(row["pid"], row["state"]) for row in rows] == [(4711, "D"), (4712, "R")]
    assert rows[1]["command"] == "tar czf /srv/a.tgz /srv/a"
    assert old.values["load_average"] == [0.12, 0.3, 0.25]
    assert figure(old, "page_cache") == 2801112 * 1024
    assert [row.name for row in (first, second)] == ["cpu0", "cpu1"]
    for row in (whole, first, second):
        shares = [value for name, value in row.values.items() if name.startswith("cpu_")]
        assert sum(cast("list[float]", shares)) == pytest.approx(1, abs=2e-3)
    assert list(alone.values) == ["load_average", "uptime", "users"]
    assert [figure(row, "uptime") for row in (whole, old, alone)] == [
        9 * 86_400 + 3 * 3_600 + 17 * 60, 41 * 60, 12 * 86_400 + 4 * 3_600 + 60,
    ]  # fmt: skip
    parts = ("running", "sleeping", "stopped", "zombies")
    assert sum(figure(whole, name) for name in parts) == figure(whole, "tasks") == 212
    assert (rows[0]["virtual"], rows[0]["resident"]) == (214080 * 1024, 10 * 2**20)
    assert (rows[0]["cpu_seconds"], rows[0]["priority"], rows[1]["memory"]) == (82.3, 20, 0)
    assert alone.tool == "top"


def test_busybox_top() -> None:
    (row,) = counters("CPU:  12% usr   3% sys   0% nic  60% idle  24% io   0% irq   1% sirq\n")
    assert sum(cast("list[float]", list(row.values.values()))) == pytest.approx(1)
    assert row.values["cpu_iowait"] == 0.24


def test_memory_and_processes_of_busybox() -> None:
    (row,) = counters(TEXTS["top-busybox"])
    used, free = (cast("float", row.values[f"memory_{name}"]) for name in ("used", "free"))
    assert (used + free) / 1024 == 1_035_801
    rows = cast("list[dict[str, object]]", row.values["processes"])
    assert [entry["state"] for entry in rows] == ["S", "SW<", "S<"]
    assert rows[2]["virtual"] == 2 * 2**20
    assert rows[2]["command"] == "/usr/sbin/ntpd -n"


@pytest.mark.parametrize(("time", "seconds"), [
    ("204:23.28", 12263.28), ("204:23", 12263), ("12,04", None), ("9h", None), ("3d", None),
])  # fmt: skip
def test_a_time_of_top_in_hours_or_days_is_left_unsaid(time: str, seconds: float | None) -> None:
    text = (
        "top - 14:02:33 up 9:49,  1 user,  load average: 6.31, 5.90, 4.42\n\n"
        "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
        f" 4711 root      rt  -5    1.5g   640m   8192 D  12.5   0.1 {time} rsync\n"
    )
    (row,) = counters(text)
    (process,) = cast("list[dict[str, object]]", row.values["processes"])
    assert process.get("cpu_seconds") == seconds
    assert (process["virtual"], process["resident"]) == (1.5 * 2**30, 640 * 2**20)
    assert (process["priority"], process["nice"]) == ("rt", -5)
    assert row.values["uptime"] == 9 * 3_600 + 49 * 60


def test_pressure_is_of_the_resource_that_its_file_names() -> None:
    (row,) = counters(TEXTS["pressure"])
    assert row.values["io.some.avg10"] == 0.381
    assert row.values["io.full.total"] == 70011.223344
    assert row.values["memory.full.avg300"] == 0
    text = (
        "$ cat /proc/pressure/io\nsome avg10=1.50 avg60=1.00 avg300=0.50 total=2000000\n"
        "full avg10=0.75 avg60=0.50 avg300=0.25 total=1000000\n"
    )
    (row,) = counters(text)
    assert (row.values["io.some.avg10"], row.values["io.full.total"]) == (0.015, 1.0)
    (unread,) = read(text.partition("\n")[2])
    assert isinstance(unread, Unread)
    assert unread.reason == "whether it is of io, cpu or memory is not said"


def test_buckets_are_in_seconds() -> None:
    sda, nvme, traced, queued = counters(TEXTS["histogram"])
    assert [(row.kind, row.name) for row in (sda, nvme)] == [("disk", "sda"), ("disk", "nvme0n1")]
    buckets = cast("list[list[float]]", sda.values["latency_distribution"])
    assert buckets[-1] == pytest.approx([8e-6, 15e-6, 160])
    assert [row.values["requests"] for row in (sda, nvme, traced, queued)] == [172, 43, 70, 242]
    buckets = cast("list[list[float]]", traced.values["latency_distribution"])
    assert buckets[-1] == pytest.approx([1024e-6, 2048e-6, 7])
    buckets = cast("list[list[float]]", queued.values["latency_distribution"])
    assert buckets[-1] == pytest.approx([2e-3, 4e-3, 2])


@pytest.mark.parametrize(("text", "reason"), [
    ("     requests            : count     distribution\n"
     "         4 -> 7          : 12       |****|\n", "requests is not a unit of time or of size"),
    ("@[sda]:\n[128, 256)            15 |@@@@@@@@|\n", "its map is not a unit of time or of size"),
])  # fmt: skip
def test_histograms_of_other_things_are_unread(text: str, reason: str) -> None:
    (unread,) = read(text)
    assert isinstance(unread, Unread)
    assert unread.reason == reason


def test_sizes_are_in_bytes_and_a_full_bar_ends_with_a_plus() -> None:
    (row,) = counters(
        "     Kbytes              : count     distribution\n"
        "         4 -> 7          : 12       |*************************************+|\n"
    )
    assert row.values == {"size_distribution": [[4096, 7168, 12]], "requests": 12}


def test_dstat_is_in_bytes_and_plain_numbers() -> None:
    host, disks, links = counters(TEXTS["dstat"])
    assert disks.values["write.bandwidth"] == [14 * 2**20, 220 * 2**20]
    assert disks.values["write.iops"] == [112, 1800]
    assert host.values["context_switches"] == [1830, 33000]
    assert links.values["send.bandwidth"] == [0, 120 * 1024]
    rows = counters(TEXTS["dstat-cpus"])
    assert [(row.kind, row.name) for row in rows] == [
        ("host", "cpu0"), ("host", "cpu1"), ("host", ""), ("disk", "sda"), ("disk", "sdb"),
    ]  # fmt: skip
    bits = TEXTS["dstat"].replace("dstat -tcdnysr", "dstat --bits -tcdnysr")
    (unread,) = read(bits)
    assert isinstance(unread, Unread)
    assert "bits" in unread.reason


def test_rate_of_nfsiostat_is_its_requests_times_their_size() -> None:
    new, old = counters(TEXTS["nfsiostat"])
    assert (new.name, new.values["source"]) == ("/srv/media", "filer:/export/media")
    for row in (new, old):
        for way in ("read", "write"):
            size = figure(row, f"{way}.size")
            assert figure(row, f"{way}.iops") * size == pytest.approx(
                figure(row, f"{way}.bandwidth")
            )
    assert new.values["read.errors"] == 1
    assert old.values["write.execution"] == 0.35625


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_shape(name: str) -> None:
    text = TEXTS[name].split("\n\nold ")[0].split("\n\n# biolatency.bt")[0]
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=name == "pressure"):
        rows = [(row.name, dict(row.values)) for row in counters(changed)]
        assert rows == expected, shape


@pytest.mark.parametrize("text", [
    "The load average: 1.5 is the mean of what runs; %Cpu(s): says where time goes.\n",
    'printf("     %-19s : count     distribution\\n", val_type);\n',
    "Read some avg10= as the share of ten seconds in which some task waited.\n",
    "usr sys idl wai stl are the columns of dstat.\n",
    "The share is mounted on /srv: see ops/s and rpc bklog in the manual.\n",
    "|@@@@ is how a bar begins, [4, 8) an interval.\n",
    "Cpu(s): yes, all of them\n",
])  # fmt: skip
def test_prose_and_source(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(("text", "reason"), [
    (TEXTS["nfsiostat"].split("\n\nread")[0].replace("812.400", "8,4x"), "its figures are cut off"),
    ("----total-cpu-usage---- -dsk/total-\nusr sys idl wai stl| read  writ\n",
     "no line of figures follows"),
])  # fmt: skip
def test_what_is_cut_off_is_told(text: str, reason: str) -> None:
    (entry,) = read(text)
    assert isinstance(entry, Unread)
    assert entry.reason == reason


def test_a_sentence_on_the_totals_of_iotop_is_none_of_it() -> None:
    assert read("`Total DISK READ` and `Total DISK WRITE` are what threads ask for.\n") == []
    (row,) = counters("Total DISK READ: 10.00 K/s | Total DISK WRITE: 0.00 B/s\n")
    assert row.values["asked.read.bandwidth"] == 10240
