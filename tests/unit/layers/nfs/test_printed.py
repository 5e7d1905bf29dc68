"""Counters of NFS servers and clients, as files and tools print them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from iosonde.layers.nfs.facts import parse_rpc
from iosonde.records.printed import PrintedCounters, PrintedState
from tests.mangle import counters, mangled, read, states, unread_in

OUTPUTS = Path(__file__).parents[3] / "outputs"
REAL = (
    "linux-2.6.18-nfs/nfsd.txt", "linux-6.1-nfs/nfsd.txt", "linux-6.1-nfs/nfs.txt",
    "linux-6.1-nfs/pool_stats.txt", "linux-6.1-nfs/pool_stats-2.6.30.txt",
    "linux-6.1-nfs/mountstats.txt", "nfs-utils-2.6.2/nfsstat.txt", "nfs-utils-2.6.2/nfsstat-l.txt",
    "nfs-utils-2.6.2/nfsstat-s.txt", "nfs-utils-2.6.2/nfsstat-c.txt",
    "nfs-utils-2.6.2/mountstats-command.txt", "nfs-utils-2.6.2/mountstats-rpc.txt",
    "nfs-utils-2.6.2/mountstats-nfs.txt",
)  # fmt: skip


def text_of(name: str) -> str:
    return (OUTPUTS / name).read_text()


def only(name: str) -> dict[str, Any]:
    (counter,) = counters(text_of(name))
    return dict(counter.values)


def hostless(text: str) -> list[PrintedCounters | PrintedState]:
    return [
        *(replace(counter, host="") for counter in counters(text)),
        *(replace(output, host="") for output in states(text)),
    ]


@pytest.mark.parametrize("name", REAL)
def test_every_shape_of_an_output_says_the_same(name: str) -> None:
    expected = hostless(text_of(name))
    assert expected
    for shape, text in mangled(text_of(name)):
        assert hostless(text) == expected, shape
        assert not unread_in(text), shape


def test_the_old_file_of_the_server() -> None:
    values = only("linux-2.6.18-nfs/nfsd.txt")
    assert values["th"]["threads"] == 128
    assert values["th"]["all_busy"] == 931_051
    assert values["th"]["busy"][-2:] == [55.789, 1935.526]
    assert values["io"] == {"read": 4_191_757_345, "written": 576_031_420}
    assert values["ra"]["size"] == 32
    assert values["ra"]["not_found"] == 809
    assert (values["proc3"]["read"], values["proc3"]["write"]) == (376_819_530, 58_706_883)
    assert values["net"]["tcp_connections"] == 3325
    assert len(values["proc2"]) == 18
    assert len(values["proc4ops"]) == 40
    (state,) = states(text_of("linux-2.6.18-nfs/nfsd.txt"))
    assert state.subjects[0].values == {"threads": 128}


def test_the_file_and_nfsstat_agree() -> None:
    """A second view: nfsstat reads the same file with a parser of its own."""
    file, tool = only("linux-6.1-nfs/nfsd.txt"), only("nfs-utils-2.6.2/nfsstat-s.txt")
    assert tool["rpc"]["calls"] == file["rpc"]["calls"] == 1948
    same = [name for name in tool["proc4ops"] if name in file["proc4ops"]]
    assert len(same) > 45
    for name in same:
        assert tool["proc4ops"][name] == file["proc4ops"][name], name
    # nfsstat 2.6.2 does not know the last four operations, and shortens long names
    assert sum(tool["proc4ops"].values()) == sum(file["proc4ops"].values())
    listed = {
        counter.kind: counter.values
        for counter in counters(text_of("nfs-utils-2.6.2/nfsstat-l.txt"))
    }
    done = {name: count for name, count in tool["proc4ops"].items() if count}
    assert listed["nfsd"]["proc4ops"] == done


def test_a_client_s_file_and_nfsstat_agree() -> None:
    file, tool = only("linux-6.1-nfs/nfs.txt"), only("nfs-utils-2.6.2/nfsstat-c.txt")
    (counter,) = counters(text_of("linux-6.1-nfs/nfs.txt"))
    assert counter.kind == "nfs"
    counts = [count for count in file["proc4"].values() if count]
    assert counts == [count for count in tool["proc4"].values() if count]
    for name in ("read", "write", "commit", "access", "readdir", "create_session"):
        assert file["proc4"][name] == tool["proc4"][name] > 0


def test_the_pools() -> None:
    assert only("linux-6.1-nfs/pool_stats.txt") == {
        "packets-arrived": 3095, "sockets-enqueued": 3095, "threads-woken": 2137,
        "threads-timedout": 0,
    }  # fmt: skip
    pools = counters(text_of("linux-6.1-nfs/pool_stats-2.6.30.txt"))
    assert [pool.name for pool in pools] == ["pool 0", "pool 1"]
    assert pools[0].values["overloads-avoided"] == 20_310


def test_a_mount_s_file_and_the_command_agree() -> None:
    file, tool = (
        only("linux-6.1-nfs/mountstats.txt"),
        only("nfs-utils-2.6.2/mountstats-command.txt"),
    )
    assert file["bytes"]["server_written"] == tool["bytes"]["server_written"] == 62_914_560
    assert set(tool["operations"]) == set(file["operations"])
    for name, record in file["operations"].items():
        assert tool["operations"][name]["operations"] == record["operations"]
        assert tool["operations"][name]["execute_time"] == pytest.approx(
            record["execute_time"], abs=1e-3
        )
    assert file["operations"]["WRITE"]["queue_time"] == pytest.approx(79.025)
    (state,) = states(text_of("linux-6.1-nfs/mountstats.txt"))
    (mount,) = state.subjects
    assert (mount.kind, mount.name) == ("nfs", "/run/images")
    assert (mount.values["server"], mount.values["write_size"]) == ("127.0.0.1", 65_536)
    assert mount.values["connections"] == 4


def test_what_is_counted_of_a_mount_beside_its_operations() -> None:
    file = only("linux-6.1-nfs/mountstats.txt")
    tool, events = (only(f"nfs-utils-2.6.2/mountstats-{name}.txt") for name in ("command", "nfs"))
    assert tool["capabilities"] == file["capabilities"]
    assert tool["nfsv4"]["lease_time"] == file["nfsv4"]["lease_time"] == 90
    assert file["nfsv4"]["sessions"] is True
    assert file["program"] == "100003/4"
    assert len(file["transports"]) == 4
    assert sum(transport["sent"] for transport in file["transports"]) == 1948
    assert file["transports"][0]["pending"] == 951
    assert tool["rpc"] == {"sent": 485, "replies": 485, "bad_xids": 0, "backlog": 0}
    assert events["age"] == 2
    # the number at the end of one line is not glued to that at the beginning of the next
    assert events["events"]["extending_writes"] == 15_360
    assert events["events"]["silly_renames"] == 0
    assert events["events"].items() <= file["events"].items()
    write = tool["operations"]["WRITE"]
    assert write["average"]["bytes_sent"] * write["operations"] == write["bytes_sent"]
    assert write["average"]["queue_time"] == pytest.approx(0.082317708)


def test_an_operation_with_retransmissions_and_errors() -> None:
    text = text_of("nfs-utils-2.6.2/mountstats-rpc.txt").replace(
        "960 ops (197%) ", "960 ops (197%) \t3 retrans (0%) \t1 major timeouts \terrors: 2 (0%) ", 1
    )
    (row,) = counters(text)
    operations = cast("dict[str, dict[str, object]]", row.values["operations"])
    read_calls = operations["READ"]
    assert [read_calls[name] for name in ("retransmissions", "timeouts", "errors")] == [3, 1, 2]


def test_events_of_another_length_are_left_out() -> None:
    text = text_of("linux-6.1-nfs/mountstats.txt").replace("events:\t2 3 0 1", "events:\t2 3 0")
    (row,) = counters(text)
    assert "events" not in row.values


def test_lines_that_lack_figures_are_named() -> None:
    text = text_of("linux-2.6.18-nfs/nfsd.txt").replace("proc3 22 0 ", "proc3 22 ")
    (broken,) = unread_in(text)
    assert broken.reason == "proc3 says that 22 figures follow; 21 do"
    assert broken.place.first_line == 9
    assert "proc3" not in counters(text)[0].values


@pytest.mark.parametrize("prose", [
    "He came with 1 disk, the length 8 0 0, and rc 0 was returned.",
    "The command ended with rc 0 after 5 minutes",
    "The columns packets-arrived and threads-woken of pool_stats tell it.",
    "Use nfsstat -s: Server rpc stats: are first.",
])  # fmt: skip
def test_prose_is_no_output(prose: str) -> None:
    assert read(prose) == []


def test_a_live_file_and_a_pasted_one_are_read_alike() -> None:
    for name in ("linux-2.6.18-nfs/nfsd.txt", "linux-6.1-nfs/nfsd.txt"):
        assert parse_rpc(text_of(name).encode()) == only(name)
    # a kernel with a line more, one with a figure more, and a line that says nothing
    assert parse_rpc(b"io 1 2 3\nnew 4\nrpc x\nth 8 0\n") == {
        "io": {"read": 1, "written": 2}, "th": {"threads": 8, "all_busy": 0, "busy": []},
    }  # fmt: skip


@pytest.mark.parametrize("between", ["## Ticket 2", "$ zpool status", "root@nas1:~# zpool status"])
def test_what_stands_below_the_figures_of_a_mount_is_its_own(between: str) -> None:
    mount = text_of("nfs-utils-2.6.2/mountstats-nfs.txt")
    pool = (
        "  pool: tank\n state: ONLINE\n  scan: scrub repaired 0B with 0 errors\nconfig:\n\n"
        "\tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n"
        "\t  sda       ONLINE       0     0     0\n\nerrors: No known data errors\n"
    )
    tools = [state.tool for state in states(f"{mount}\n{between}\n\n{pool}")]
    assert tools[-1] == "zpool status"


def test_where_a_pod_mounts_its_volumes_is_no_list_of_exports() -> None:
    mounts = "    Mounts:\n      /var/www/html from data (rw)\n      /etc/keys from keys (ro)\n"
    assert not [state for state in states(mounts) if state.tool == "exports"]
    (exported,) = list(states("/var/www/html web1(rw,sync)\n"))
    assert exported.tool == "exports"


def test_options_of_a_mount_in_exports_are_said_as_such() -> None:
    text = (
        "# See exports(5) for more information.\n#\n# Use exportfs -r to reread\n\n"
        "/srv/images 172.20.0.0/24(rw,soft,intr,async) web1(ro,rsize=8192,sync)\n"
    )
    (exported,) = list(states(text))
    first, second = (export.values for export in exported.subjects)
    assert (first["clients"], first["async"]) == ("172.20.0.0/24", True)
    assert first["options_of_mounts"] == "soft,intr"
    assert "soft" not in first
    assert second["options_of_mounts"] == "rsize"
    assert states("/srv/images web1(rw,softly,async)\n") == [], "no option of either"
