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


def test_rates_in_other_units() -> None:
    text = STREAM.replace("10^6bits/s ", "MBytes  /s ").replace("9400.00", "1100.00")
    assert isinstance(read(text)[0], Unread)  # no unit that netperf prints
    (link,) = counters(STREAM.replace("10^6bits/s", "MBytes/s  "))
    assert link.values["bandwidth"] == 9400 * 2**20


def test_requests() -> None:
    (link,) = counters(REQUESTS)
    assert link.values["transactions_per_second"] == 25000.5
    assert (link.values["request_size"], link.values["response_size"]) == (1, 1)
    assert "local.cpu" not in link.values


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
