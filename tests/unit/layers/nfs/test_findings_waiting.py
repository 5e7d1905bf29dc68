"""Calls that wait in the client: by nfsiostat, by /proc/self/mountstats and by its command."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

COLUMNS = "ops/s kB/s kB/op retrans avg RTT (ms) avg exe (ms) avg queue (ms) errors"


def _nfsiostat(rtt: float, exe: float, *, rate: float = 800, retrans: int = 0, bklog: float = 0
               ) -> str:  # fmt: skip
    read = (
        f"{rate:.3f} {rate * 1024:.3f} 1024.000 {retrans} (0.0%) {rtt:.3f} {exe:.3f} 0.000 0 (0%)"
    )
    write = "2.000 12.400 6.200 0 (0.0%) 1.310 1.500 0.100 0 (0.0%)"
    return (
        "10.0.0.1:/export mounted on /mnt/data:\n\n           ops/s       rpc bklog\n"
        f"         {rate + 2:.3f}         {bklog:.3f}\n\n"
        f"read:              {COLUMNS}\n                 {read}\n"
        f"write:             {COLUMNS}\n                 {write}\n"
    )


def _mountstats(round_trip: int, execute: int, *, sent: int = 800000, backlog: int = 0) -> str:
    return (
        "device 10.0.0.1:/export mounted on /mnt/data with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,proto=tcp,timeo=600,retrans=2,sec=sys\n"
        "\tage:\t12345\n\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
        f"\txprt:\ttcp 1023 0 2 0 11 {sent} {sent} 0 34567890 {backlog} 64 1234567 7654321\n"
        "\tper-op statistics\n"
        f"\t        READ: 800000 {sent} 0 160000000 838860800000 142480000 {round_trip} {execute} "
        "0\n"
        "\t       CLOSE: 20 20 0 1600 838 200 2 90000 0\n"
    )


@pytest.mark.parametrize(("text", "said"), [
    (_nfsiostat(2.31, 180.5, bklog=45.2),
     "/mnt/data wait in the client, before they are sent: read 180 ms each, of which the round "
     "trip is 2.31 ms (800 IOPS, 800 MiB/s); at least 45.2 waited for a slot when one was sent. "),
    (_nfsiostat(30, 35, bklog=12), "before they are sent: at least 12 waited for a slot"),
    (_mountstats(1_848_000, 144_400_000),
     "READ 180 ms each, of which the round trip is 2.31 ms (800,000 calls). The server"),
    (_mountstats(40_000_000, 44_000_000, backlog=9_600_000), "at least 12 waited for a slot when"),
])  # fmt: skip
def test_where_calls_wait(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "text").write_text(text)
    (finding,) = explain(str(tmp_path / "text")).findings
    assert finding.rule == "client-queue"
    assert said in finding.message


@pytest.mark.parametrize("text", [
    _nfsiostat(178, 180.5),  # the server
    _nfsiostat(0.2, 2.1),  # far above, and short
    _nfsiostat(2.31, 180.5, rate=0.2),  # hardly a call
    _nfsiostat(2.31, 180.5, retrans=40),  # sent again
    _mountstats(140_000_000, 144_400_000),
])  # fmt: skip
def test_calls_that_do_not_wait_there(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert explain(str(tmp_path / "text")).findings == ()


def test_calls_that_were_sent_again_are_another_finding(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(_mountstats(1_848_000, 144_400_000, sent=840000))
    assert [each.rule for each in explain(str(tmp_path / "text")).findings] == [
        "nfs-retransmissions"
    ]
