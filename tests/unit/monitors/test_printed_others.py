"""iostat of Solaris, FreeBSD and macOS; iperf. Oracle: rates are sizes times requests."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
SOLARIS, FREEBSD, IPERF = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("iostat-solaris", "iostat-freebsd", "iperf")
)


def figure(counted: PrintedCounters, name: str) -> float:
    return cast("float", counted.values[name])


def test_solaris_names_the_device_last() -> None:
    boot, now, *errors = counters(SOLARIS)
    assert [row.values["since_boot"] for row in (boot, now)] == [True, False]
    for row in (boot, now):
        assert row.name == "c0t2d0"
        rate = figure(row, "read.iops") * 64 * 1024
        assert rate == figure(row, "read.bandwidth")
    assert (now.values["service_time"], now.values["util"]) == (0.025, 0.88)
    assert [(row.name, row.values["transport_errors"]) for row in errors] == [
        ("c0t2d0", 5), ("c0t3d0", 0),
    ]  # fmt: skip
    failed = next(row for row in errors if row.values.get("media_error"))
    assert (failed.values["illegal_request"], failed.values["no_device"]) == (0, 0)
    (disk,) = subjects_in(SOLARIS)
    assert (disk.name, disk.values) == (failed.name, {
        "vendor": "ATA", "model": "DISK", "revision": "0001", "serial": "A1",
        "size": 1000204886016,
    })  # fmt: skip


def test_freebsd_and_macos() -> None:
    extended, first, second, host, apple, load = counters(FREEBSD)
    assert (host.values["terminal.read"], host.values["terminal.written"]) == ([0, 0], [40, 12])
    assert [load.values[f"load_{name}"] for name in ("1m", "5m", "15m")] == [[1.53], [1.6], [1.62]]
    assert (extended.values["write.await"], extended.values["queue"]) == (0.012, 3)
    for row in (first, second, apple):
        sizes, requests, rates = (
            cast("list[float]", row.values[name]) for name in ("size", "iops", "bandwidth")
        )
        for size, count, rate in zip(sizes, requests, rates, strict=True):
            assert size * count == pytest.approx(rate, abs=0.05 * 2**20 + 0.01 * rate)
    shares = [value for name, value in host.values.items() if name.startswith("cpu_")]
    assert [sum(row) for row in zip(*cast("list[list[float]]", shares), strict=True)] == (
        pytest.approx([1, 1])
    )
    assert apple.name == "disk0"


def test_iperf_counts_the_sum_of_its_streams() -> None:
    several, alone, oslo, lima = counters(IPERF)
    assert several.values["send.bandwidth"] == 2 * 4.70e9 / 8
    assert several.values["receive.bandwidth"] == 2 * 4.68e9 / 8
    assert (several.values["retransmissions"], several.values["streams"]) == (4, 2)
    assert alone.values["bandwidth"] == 944e6 / 8
    assert (oslo.name, oslo.values["round_trip"]) == ("Hoster, Oslo, NO (10G)", 0.0255)
    assert lima.values["send.bandwidth"] is None
    cut = IPERF[: IPERF.index("[ ID] Interval           Transfer     Bitrate         Retr\n")]
    cut = "\n".join(line for line in cut.split("\n") if not line.startswith("[SUM]"))
    (rows,) = counters(cut)
    assert not {"bandwidth", "send.bandwidth", "retransmissions"} & rows.values.keys()
    assert [row["retransmissions"] for row in intervals(rows)] == [3, 0, 0, 1]


def intervals(run: PrintedCounters) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", run.values["intervals"])


def test_iperf_over_udp_and_in_both_ways() -> None:
    udp, both = counters((OUTPUTS / "iperf-ways.txt").read_text())
    assert "retransmissions" not in udp.values
    lost, packets = (cast("int", udp.values[name]) for name in ("lost_packets", "packets"))
    assert udp.values["loss"] == pytest.approx(lost / packets, abs=0.005)
    sent = [cast("int", row["packets"]) for row in intervals(udp) if "side" not in row]
    assert sum(sent) == packets
    assert both.values["retransmissions"] == 7
    assert both.values["reverse.retransmissions"] == 21
    assert both.values["send.bandwidth"] == 2.1e9 / 8
    assert both.values["reverse.receive.bandwidth"] == pytest.approx(4.18e9 / 8)
    headless = "\n".join(line for line in udp_text().split("\n") if "Datagrams" not in line)
    (row, *_) = intervals(counters(headless)[0])
    assert "packets" not in row
    assert "retransmissions" not in row


def udp_text() -> str:
    return (OUTPUTS / "iperf-ways.txt").read_text().partition("\n\n$")[0]


@pytest.mark.parametrize("text", [
    SOLARIS.partition("\n\n")[0], FREEBSD.partition("\n\n")[0], FREEBSD.split("\n\n")[1],
    IPERF.partition("\n\n$ iperf -c")[0], udp_text(),
])  # fmt: skip
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        if shape == "with blank lines" and "KB/t" in text:
            continue  # the line with the devices stands apart
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    "The column %b of iostat is how busy a device is; KB/t tps MB/s stand for each.\n",
    "Soft Errors: 3 is no reason to worry.\n",
    "The link carries 940 Mbits/sec at best, that is 117 MBytes/sec.\n",
    "device r/s w/s kr/s kw/s and %b\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert read(text) == []
