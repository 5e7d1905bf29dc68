"""sadf, JSON of sysstat's tools, cifsiostat. Oracle: one disk in three forms says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from tests.mangle import counters, mangled

PLACE = Path(__file__).parents[2] / "outputs" / "sadf-composed"
DATABASE, LINES, SADF, IOSTAT, CIFS = (
    (PLACE / name).read_text()
    for name in ("sadf-d.txt", "sadf-p.txt", "sadf.json", "iostat.json", "cifsiostat.txt")
)
DISK = {
    "iops": 512.0, "read.bandwidth": 2 << 20, "write.bandwidth": 1 << 20, "size": 6 * 1024,
    "await": 0.00225, "util": 0.875,
}  # fmt: skip
IN_FULL = DISK | {"discard.bandwidth": 0.0, "queue": 1.5}


def of(given: str, kind: str, name: str) -> list[dict[str, Json]]:
    return [dict(each.values) for each in counters(given) if (each.kind, each.name) == (kind, name)]


def figures(values: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in values.items() if name not in {"time", "interval"}}


def test_a_database_of_three_activities() -> None:
    for shape, given in mangled(DATABASE, wraps=False):
        (disk,) = of(given, "disk", "sdq")
        assert disk["time"] == "2026-03-04 05:07:00 UTC", shape
        assert disk["interval"] == 60, shape
        assert figures(disk) == pytest.approx(IN_FULL), shape
        (host,) = of(given, "host", "")
        assert host["cpu_iowait"] == pytest.approx(0.2), shape
        assert of(given, "host", "cpu1")[0]["cpu_iowait"] == pytest.approx(0.4), shape
        (link,) = of(given, "link", "enp7s0")
        assert link["receive.bandwidth"] == 64 * 1024, shape
        assert link["util"] == pytest.approx(0.0001), shape
    assert {each.host for each in counters(DATABASE)} == {"heron"}


def test_a_line_for_each_figure() -> None:
    for shape, given in mangled(LINES, wraps=False):
        (disk,) = of(given, "disk", "sdq")
        assert figures(disk) == pytest.approx(DISK), shape
        shares = [values for values in of(given, "host", "") if "cpu_iowait" in values]
        assert [values["cpu_iowait"] for values in shares] == [pytest.approx(0.2)], shape
        assert of(given, "host", "cpu1")[0]["cpu_iowait"] == pytest.approx(0.4), shape


def test_json_of_sadf() -> None:
    (disk,) = of(SADF, "disk", "sdq")
    assert figures(disk) == pytest.approx(IN_FULL)
    assert disk["time"] == "2026-03-04 05:07:00"
    assert of(SADF, "link", "enp7s0")[0]["rxkB"] == 64.0
    shares, others = of(SADF, "host", "")
    assert shares["cpu_iowait"] == pytest.approx(0.2)
    assert others["process-and-context-switch.cswch"] == 4000.0
    assert {each.tool for each in counters(SADF)} == {"sadf"}


def test_json_of_iostat() -> None:
    first, second = of(IOSTAT, "disk", "sdq")
    assert first["read.iops"] == 384.0
    assert first["read.bandwidth"] == 2 << 20
    assert first["read.merged"] == pytest.approx(0.125)
    assert first["read.await"] == pytest.approx(0.0015)
    assert first["util"] == pytest.approx(0.875)
    assert first["since_boot"] is None  # no command above says whether -y was given
    assert (second["since_boot"], second["report"]) == (False, 2)
    (asked, _) = of(f"$ iostat -xy -o JSON 1 2\n{IOSTAT}", "disk", "sdq")
    assert asked["since_boot"] is False
    host, _ = of(IOSTAT, "host", "")
    assert host["cpu_iowait"] == pytest.approx(0.2)
    assert {each.tool for each in counters(IOSTAT)} == {"iostat"}


def _report(**content: object) -> str:
    report = {"timestamp": "05:07:00", **content}
    hosts = [{"nodename": "heron", "statistics": [report]}]
    return json.dumps({"sysstat": {"hosts": hosts}}, indent=1)


def test_json_of_mpstat_pidstat_and_cifsiostat() -> None:
    given = _report(**{"cpu-load": [{"cpu": "3", "usr": 50.0, "irq": 25.0}]})
    (cpu,) = counters(given)
    assert (cpu.tool, cpu.name) == ("mpstat", "cpu3")
    assert (cpu.values["cpu_user"], cpu.values["cpu_irq"]) == (0.5, 0.25)
    given = _report(io=[{"UID": "0", "PID": "77", "kB_rd/s": 4.0, "kB_wr/s": 8.0, "cmd": "dd"}])
    (task,) = counters(given)
    assert (task.tool, task.kind, task.name) == ("pidstat", "process", "77")
    assert (task.values["read.bandwidth"], task.values["command"]) == (4096.0, "dd")
    given = _report(filesystem=[{"fs_name": "\\\\stork\\p", "rkB/s": 2.0, "wops/s": 1.0}])
    (share,) = counters(given)
    assert (share.tool, share.name) == ("cifsiostat", "\\\\stork\\p")
    assert (share.values["read.bandwidth"], share.values["write.iops"]) == (2048.0, 1.0)


def test_cifsiostat() -> None:
    for shape, given in mangled(CIFS, wraps=False):
        first, second = of(given, "filesystem", "\\\\stork\\projects")
        assert first == {
            "read.bandwidth": 512 * 1024.0, "write.bandwidth": 16 * 1024.0, "read.iops": 8.0,
            "write.iops": 2.0, "files_opened": 0.25, "files_closed": 0.25, "files_deleted": 0.0,
            "report": 1,
        }, shape  # fmt: skip
        assert (second["write.bandwidth"], second["report"]) == (64 * 1024.0, 2), shape
        assert of(given, "filesystem", "\\\\stork\\old media")[0]["read.iops"] == 0.5, shape


def test_cifsiostat_for_people_has_prefixes_and_the_share_last() -> None:
    head = "         rB/s         wB/s    rops/s    wops/s         fo/s         fc/s         fd/s"
    given = (
        f"{head} Filesystem\n"
        "         1.5k         2.0M      0.00      1.00         0.00         0.00         0.00 "
        "\\\\stork\\p\n"
    )
    (values,) = of(given, "filesystem", "\\\\stork\\p")
    assert (values["read.bandwidth"], values["write.bandwidth"]) == (1536.0, float(2 << 20))


def test_sar_with_prefixes_mount_points_and_iostat_with_sums_of_writes_and_discards() -> None:
    disk = (
        "05:06:00          tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await"
        "     %util DEV\n"
        "05:07:00       512.00      2.0M      1.0M      0.0k      6.0k      1.50      2.25"
        "     87.5% ata-HERON_1-part1\n"
    )
    (values,) = of(disk, "disk", "ata-HERON_1-part1")
    assert figures(values) == pytest.approx(IN_FULL)
    mounts = (
        "05:06:00     MBfsfree  MBfsused   %fsused  %ufsused     Ifree     Iused    %Iused"
        " MOUNTPOINT\n"
        "05:07:00          705       145     17.04     18.92   6008414    102818      1.68 /srv\n"
    )
    assert of(mounts, "mount", "/srv")[0]["used"] == 145 << 20
    sums = (
        "Device             tps    kB_read/s     kB_w+d/s    kB_read     kB_w+d\n"
        "sdq               8.59       222.00        57.00    1597749     410544\n"
    )
    (values,) = of(sums, "disk", "sdq")
    assert values["write_and_discard.bandwidth"] == 57 * 1024.0
    assert values["write_and_discard.bytes"] == 410544 * 1024.0


@pytest.mark.parametrize(
    "near_miss",
    [
        "# hostname;interval;timestamp;and so on are the columns of sadf",
        "the hosts have\t60\tminutes\tall\t%usr\tnothing",
        '{"sysstat": {"version": "12.7"}}',
        "Filesystem rkB/s and rops/s are what I look at",
    ],
)
def test_what_only_looks_like_it(near_miss: str) -> None:
    tools = {"sadf", "iostat", "mpstat", "cifsiostat"}
    assert [each for each in counters(near_miss) if each.tool in tools] == []


def test_a_row_with_too_few_cells_is_left_out() -> None:
    torn = DATABASE.replace(";1.50;2.25;87.50", ";1.50")
    given: list[PrintedCounters] = counters(torn)
    assert [each.name for each in given if each.kind == "disk"] == []
    assert [each.name for each in given if each.kind == "link"] == ["enp7s0"]


def test_rates_of_interrupts_whose_processors_the_head_does_not_name() -> None:
    text = (
        "# hostname;interval;timestamp;INTR;CPU*\n"
        "box;1;2026-02-14 08:15:02 UTC;sum;700.00;371.00;329.00\n"
        "box;1;2026-02-14 08:15:02 UTC;27;120.00;120.00;0.00\n"
    )
    every = counters(text)
    assert [(row.host, row.values["intr"]) for row in every] == [("box", "sum"), ("box", "27")]
    assert every[0].values["rates"] == [700, 371, 329]
