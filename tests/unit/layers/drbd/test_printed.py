"""DRBD's own file and the status of its tools: two views of the same devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject
from iosonde.text.imported import settings_of
from tests.mangle import counters, mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "drbd-8.4.11"
KIB = 1024


def text(name: str) -> str:
    return (PLACE / name).read_text()


def subjects(given: str) -> list[PrintedSubject]:
    """The volumes: the module itself has no name."""
    return [subject for state in states(given) for subject in state.subjects if subject.name]


def test_the_file_and_the_status_agree() -> None:
    old, new = subjects(text("proc-done.txt")), subjects(text("status-verbose-done.txt"))
    assert (
        [subject.name for subject in old] == [subject.name for subject in new] == ["drbd0", "drbd1"]
    )
    for subject, other in zip(old, new, strict=True):
        for fact in ("role", "peer_role", "disk_state", "peer_disk_state", "connection",
                     "out_of_sync"):  # fmt: skip
            assert subject.values[fact] == other.values[fact], fact


def test_counters_of_both_agree() -> None:
    """ns is what was sent, nr received, dw written, dr read; all of them in KiB."""
    old, new = counters(text("proc-done.txt")), counters(text("status-verbose-done.txt"))
    names = {"ns": "sent", "nr": "received", "dw": "written", "dr": "read", "oos": "out-of-sync",
             "al": "al-writes", "bm": "bm-writes"}  # fmt: skip
    for counter, other in zip(old, new, strict=True):
        assert {name: counter.values[short] for short, name in names.items()} == {
            name: other.values[name] for name in names.values()
        }
    assert old[0].values["ns"] == 104920 * KIB


def test_a_resync_has_its_share_and_speed() -> None:
    subject, other = subjects(text("proc-sync.txt"))
    assert (subject.values["connection"], other.values["connection"]) == (
        "SyncSource",
        "SyncTarget",
    )
    assert subject.values["sync_share"] == pytest.approx(0.08)
    assert subject.values["sync_speed"] == 6460 * KIB
    assert subject.values["out_of_sync"] == 95900 * KIB
    (source, target) = subjects(text("status-sync.txt"))
    assert (source.name, source.values["replication"]) == ("ra", "SyncSource")
    assert target.values["disk_state"] == "Inconsistent"


def test_when_a_resync_ends_and_what_is_left_of_it() -> None:
    """finish: HH:MM:SS; the amounts behind the share are of KiB here: `(95900/102360)K`."""
    first, second = (subject.values for subject in subjects(text("proc-sync.txt")))
    assert (first["sync_time_left"], first["sync_left"]) == (14, 95900 * 1024)
    assert (first["sync_total"], second["sync_speed_wanted"]) == (102360 * 1024, 6400 * 1024)
    assert "sync_speed_wanted" not in first
    large = text("proc-sync.txt").replace("(95900/102360)K", "(95900/102360)M")
    assert subjects(large)[0].values["sync_left"] == 95900 * 1024**2


def test_flags_and_who_built_the_module() -> None:
    old = text("proc-sync.txt")
    first = subjects(old)[0].values
    assert (first["io_flags"], first["write_ordering"]) == ("r-----", "f")
    uneven = old.replace("speed: 6,460 (6,460)", "speed: 6,460 (5,120)", 1)
    assert subjects(uneven)[0].values["sync_speed_average"] == 5120 * 1024
    assert subjects(uneven)[0].values["sync_speed"] == 6460 * 1024
    git = f"GIT-hash: {'0f' * 20} build by a@b, 2019-03-04 05:06:07"
    built = old.replace("srcversion: 059B1B470318F053F5077D5", git)
    *_, module = states(built)[0].subjects
    assert (module.values["built_by"], module.values["built"]) == ("a@b", "2019-03-04 05:06:07")
    verbose = subjects(text("status-verbose-done.txt"))[0].values
    assert (verbose["write_ordering"], verbose["blocked"]) == ("flush", "no")
    assert verbose["peer_congested"] == "no"


def test_a_device_alone() -> None:
    (subject,) = subjects(text("proc-alone.txt"))
    assert subject.values["connection"] == "WFConnection"
    assert subject.values["peer_disk_state"] == "DUnknown"
    assert subject.values["protocol"] == "C"


def test_the_module_alone_as_9_says_it() -> None:
    text = (
        "# cat /proc/drbd\nversion: 9.1.4 (api:2/proto:110-121)\n"
        "GIT-hash: 1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d build by root@pond, 2022-02-01 10:00\n"
        "Transports (api:17): tcp (9.1.4) rdma (9.1.4)\n"
    )
    (state,) = states(text)
    assert state.subjects == (
        PrintedSubject("drbd", "", {
            "version": "9.1.4", "api": 2, "protocols": "110-121",
            "git_hash": "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
            "transports": "tcp (9.1.4) rdma (9.1.4)",
        }),
    )  # fmt: skip
    (old,) = states(text.replace("Transports", " 0: cs:Connected ro:Primary/Secondary ds:UpToDate/"
                                               "UpToDate C r-----\nTransports"))  # fmt: skip
    assert [subject.name for subject in old.subjects] == ["drbd0", ""]
    assert old.subjects[1] == state.subjects[0]


def test_several_volumes_and_peers() -> None:
    """Composed after drbdsetup.c: two volumes, one peer that is there and one that is not."""
    given = (
        "data role:Primary\n"
        "  volume:0 disk:UpToDate\n"
        "  volume:1 disk:UpToDate\n"
        "  alpha role:Secondary\n"
        "    volume:0 peer-disk:UpToDate\n"
        "    volume:1 replication:SyncSource peer-disk:Inconsistent done:12.50\n"
        "  beta connection:Connecting\n"
    )
    rows = [(subject.name, subject.values.get("peer"), subject.values.get("connection"),
              subject.values.get("peer_disk_state")) for subject in subjects(given)]  # fmt: skip
    assert rows == [
        ("data", "alpha", "Connected", "UpToDate"), ("data", "beta", "Connecting", None),
        ("data/1", "alpha", "Connected", "Inconsistent"), ("data/1", "beta", "Connecting", None),
    ]  # fmt: skip


def test_a_device_of_8_0() -> None:
    """Composed after DRBD 8.0, which says st: for the roles and has no oos."""
    (subject,) = subjects(
        "version: 8.0.14 (api:86/proto:86)\n"
        " 0: cs:Connected st:Secondary/Primary ds:UpToDate/UpToDate C r---\n"
        "    ns:0 nr:31 dw:31 dr:0 al:0 bm:0 lo:0 pe:0 ua:0 ap:0\n"
        "\tresync: used:0/61 hits:0 misses:0 starving:0 dirty:0 changed:0\n"
    )
    assert (subject.values["role"], subject.values["peer_role"]) == ("Secondary", "Primary")
    assert "out_of_sync" not in subject.values


@pytest.mark.parametrize("name", sorted(path.name for path in PLACE.glob("*.txt")))
def test_every_shape(name: str) -> None:
    def plain(given: str) -> list[tuple[str, object]]:
        rows: list[tuple[str, object]] = [
            (subject.name, dict(subject.values)) for subject in subjects(given)
        ]
        return rows + [(counter.name, dict(counter.values)) for counter in counters(given)]

    expected = plain(text(name))
    assert expected
    for shape, changed in mangled(text(name)):
        assert plain(changed) == expected, shape


THREE = (
    "r0 node-id:0 role:Primary suspended:no\n"
    "  volume:0 minor:0 disk:UpToDate quorum:yes blocked:no\n"
    "      size:10485404 read:1024 written:2048\n"
    "  node2 node-id:1 connection:Connected role:Secondary congested:no\n"
    "    volume:0 replication:Established peer-disk:UpToDate resync-suspended:no\n"
    "        received:0 sent:2048 out-of-sync:128 pending:0 unacked:0\n"
    "  node3 node-id:2 connection:Connected role:Secondary congested:no\n"
    "    volume:0 replication:Established peer-disk:Diskless peer-client:yes resync-suspended:no\n"
    "        received:0 sent:0 out-of-sync:0 pending:0 unacked:0\n"
)
"""Composed after drbdsetup.c 9.22, peer_device_status(): a diskless tie-breaker is the last."""


def test_no_peer_takes_the_place_of_another() -> None:
    (state,) = states(THREE)
    settings = settings_of(state)
    assert settings["drbd0.peer_disk_state"] == "UpToDate"
    assert settings["drbd0[node3].peer_disk_state"] == "Diskless"
    assert (settings["drbd0.out_of_sync"], settings["drbd0[node3].out_of_sync"]) == (128 * KIB, 0)
    assert [counter.values["peer"] for counter in counters(THREE)] == ["node2", "node3"]
    (output,) = states(text("status-done.txt")[: text("status-done.txt").index("\n\n")])
    assert all("[" not in name for name in settings_of(output))
