"""netperf and iperf3 -J. Oracle: rates are messages or bytes over seconds."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "netperf-composed"
STREAM, REQUESTS, UDP, IPERF = (
    (OUTPUTS / name).read_text()
    for name in ("stream.txt", "requests.txt", "udp.txt", "iperf3.json")
)


def test_a_stream_with_what_it_took_of_the_processors() -> None:
    (link,) = counters(STREAM)
    assert link.values["bandwidth"] == 9400e6 / 8
    assert (link.values["test"], link.values["to"]) == ("TCP STREAM", "10.0.0.7")
    assert (link.values["local.cpu"], link.values["remote.cpu"]) == (0.125, 0.25)
    assert link.values["local.service_demand"] == pytest.approx(0.871e-6 / 1024)
    assert link.command.startswith("netperf -H 10.0.0.7")
    sizes = link.values["receive_socket_size"], link.values["send_socket_size"]
    assert sizes == (131072, 16384)


def test_rates_in_other_units() -> None:
    text = STREAM.replace("10^6bits/s ", "MBytes  /s ").replace("9400.00", "1100.00")
    assert isinstance(read(text)[0], Unread)  # no unit that netperf prints
    for printed, scale in (
        ("MBytes/s  ", 2**20), ("Bytes/s   ", 1), ("10^0bits/s", 1 / 8), ("10^9bits/s", 1e9 / 8),
    ):  # fmt: skip
        (link,) = counters(STREAM.replace("10^6bits/s", printed))
        assert link.values["bandwidth"] == 9400 * scale, printed


def test_requests() -> None:
    (link,) = counters(REQUESTS)
    for side in ("", "remote."):
        assert link.values[f"{side}send_socket_size"] == 16384
        assert link.values[f"{side}receive_socket_size"] == 131072
    assert link.values["transactions_per_second"] == 25000.5
    assert (link.values["request_size"], link.values["response_size"]) == (1, 1)
    assert "local.cpu" not in link.values


def test_what_requests_carried_and_how_long_they_took() -> None:
    head = (
        "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.7 () "
        "port 0 AF_INET : demo : first burst 0\nLocal /Remote\n"
    )
    row = "16384  131072 1       1       10.00     0.40   \n16384  131072\n"
    (link,) = counters(
        f"{head}Socket Size   Request  Resp.   Elapsed  \n"
        "Send   Recv   Size     Size    Time     Throughput \n"
        f"bytes  Bytes  bytes    bytes   secs.    10^6bits/sec   \n\n{row}"
    )
    assert link.values["bandwidth"] == 0.4e6 / 8
    assert "transactions_per_second" not in link.values
    processors = "16384  131072 1      1      10.00   40.00   1.50   2.50   3.000   4.000 \n"
    for name, below, key, value in (
        ("Latency ", "usecs   ", "latency.mean", 40e-6),
        ("Tput    ", "KBytes  ", "bandwidth", 40 * 1024),
    ):
        (link,) = counters(
            f"{head}Socket Size   Request Resp.  Elapsed {name} CPU    CPU    S.dem   S.dem\n"
            f"Send   Recv   Size    Size   Time    {below} local  remote local   remote\n"
            "bytes  bytes  bytes   bytes  secs.   per sec  % S    % S    us/Tr   us/Tr\n\n"
            f"{processors}"
        )
        assert link.values[key] == value, name
        assert link.values["local.cpu"] == 0.015


def test_datagrams_that_were_lost() -> None:
    (link,) = counters(UDP)
    values = cast("dict[str, float]", link.values)
    size = values["message_size"]
    sent, arrived = values["send.bandwidth"], values["receive.bandwidth"]
    assert sent == pytest.approx(values["messages"] * size / 10, rel=1e-4)
    assert arrived == pytest.approx(values["receive.messages"] * size / 10, rel=1e-4)
    assert values["local.cpu"] == 0.125
    assert "remote.cpu" not in values  # -1: it was not measured


def test_the_end_of_iperf_in_json() -> None:
    (link,) = counters(IPERF)
    values = cast("dict[str, float]", link.values)
    assert values["send.bandwidth"] == 10000000000 / values["seconds"]
    assert values["receive.bandwidth"] == pytest.approx(9990000000 / 10.04)
    assert (values["retransmissions"], values["streams"]) == (12, 1)
    assert (values["host.cpu"], values["remote.cpu"]) == (0.125, 0.25)
    assert not counters(IPERF[: IPERF.index("remote_total")])


@pytest.mark.parametrize("text", [STREAM, REQUESTS, UDP])
def test_every_shape(text: str) -> None:
    expected = [dict(row.values) for row in counters(text)]
    for shape, changed in mangled(text, wraps=False):
        assert [dict(row.values) for row in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    'A "end": { of something else\n',
    '{\n"end": {\n"sum": 12\n}\n}\n',
    "THE TEST from 10 port 5 AF_INET to somewhere\n",
    "TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.7 () port 0 AF_INET\n",
    STREAM[: STREAM.index("131072")],
])  # fmt: skip
def test_what_is_none_or_cut_off(text: str) -> None:
    assert counters(text) == []
