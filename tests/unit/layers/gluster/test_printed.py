"""Gluster's tools. Oracle: counts of bricks, sums of entries, times and sizes of the cli."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "gluster-composed"
INFO, STATUS, DETAIL, HEAL, SUMMARY, PEERS, REBALANCE, POOL, HEAL_OLD, PAIR = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in (
        "info",
        "status",
        "detail",
        "heal",
        "heal-summary",
        "peers",
        "rebalance",
        "pool",
        "heal-old",
        "info-pair",
    )
)


def things(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(s.kind, s.name): dict(s.values) for state in states(text) for s in state.subjects}


def test_volumes_and_their_bricks() -> None:
    for shape, given in mangled(INFO):
        read = things(given)
        homes, scratch = read["gluster_volume", "homes"], read["gluster_volume", "scratch"]
        assert (homes["type"], homes["layout"], homes["bricks"]) == (
            "Distributed-Replicate", "2 x (2 + 1)", 6,
        ), shape  # fmt: skip
        assert homes["performance.cache-size"] == "256MB", shape
        assert (scratch["status"], scratch["bricks"]) == ("Stopped", 1), shape
        own = [v for (kind, _), v in read.items() if kind == "gluster_brick"]
        assert sum(values["volume"] == "homes" for values in own) == homes["bricks"], shape
        assert sum("arbiter" in values for values in own) == 2
        long = "10.9.8.7:/bricks/s/a_very_long_directory_name_of_a_generated_volume/brick"
        assert read["gluster_brick", long] == {"volume": "scratch", "number": 1}, shape


def test_a_brick_that_is_down() -> None:
    for shape, given in mangled(STATUS):
        read = things(given)
        homes = read["gluster_volume", "homes"]
        assert (homes["bricks_online"], homes["bricks_offline"]) == (2, 1), shape
        assert (homes["task"], homes["task_status"]) == ("Rebalance", "in progress"), shape
        assert read["gluster_brick", "elm:/bricks/b1/homes"] == {
            "volume": "homes", "state": "offline"
        }, shape  # fmt: skip
        long = "ash:/bricks/arb/a_long_directory_name_of_a_volume/homes"
        assert read["gluster_brick", long] == {
            "volume": "homes", "state": "online", "tcp_port": 49153, "rdma_port": 0, "pid": 4321,
        }, shape  # fmt: skip
        assert read["gluster_daemon", "Self-heal Daemon on elm"]["state"] == "offline", shape


def test_the_ports_of_old_and_new_versions() -> None:
    old = (
        "Status of volume: v\nGluster process\t\t\t\t\t\tPort\tOnline\tPid\n"
        "------------------------------------------------------------------------------\n"
        "Brick a:/b\t\t\t\t\t\t49152\tY\t77\nNFS Server on localhost\t\t\t\t2049\tY\t78\n"
    )
    assert things(old)["gluster_brick", "a:/b"]["pid"] == 77
    assert things(old)["gluster_daemon", "NFS Server on localhost"]["tcp_port"] == 2049


def test_details_of_bricks() -> None:
    for shape, given in mangled(DETAIL):
        read = things(given)
        brick = read["gluster_brick", "oak:/bricks/s/brick"]
        assert (brick["size"], brick["available"]) == (100 << 30, round(95.5 * (1 << 30))), shape
        assert (brick["file_system"], brick["free_inodes"]) == ("xfs", 52428789), shape
        assert read["gluster_volume", "scratch"]["bricks_offline"] == 1, shape


def test_entries_to_heal() -> None:
    for shape, given in mangled(HEAL):
        read = things(given)
        assert read["gluster_brick", "oak:/bricks/b1/homes"] == {
            "state": "connected", "entries_to_heal": 3, "split_brain": 1,
            "entries": "/projects/plan.odt\n<gfid:0f0f0f0f-aaaa-bbbb-cccc-ddddeeeeffff>\n"
            "/projects/with a blank.txt",
        }, shape  # fmt: skip
        down = read["gluster_brick", "elm:/bricks/b1/homes"]
        assert down == {"state": "transport endpoint is not connected"}, shape
    for shape, given in mangled(SUMMARY):
        brick = things(given)["gluster_brick", "oak:/bricks/b1/homes"]
        parts = ("heal_pending", "split_brain", "possibly_healing")
        assert brick["entries_to_heal"] == sum(int(str(brick[f"entries_{p}"])) for p in parts)
        assert brick["entries_split_brain"] == 2, shape


def test_an_old_list_with_times() -> None:
    for shape, given in mangled(HEAL_OLD):
        read = things(given)
        assert read["gluster_brick", "oak:/bricks/b1/homes"] == {
            "entries_split_brain": 2, "entries": "/projects/plan.odt",
        }, shape  # fmt: skip
        assert read["gluster_brick", "elm:/bricks/b1/homes"] == {"entries_split_brain": 0}, shape


def test_a_thin_arbiter() -> None:
    for shape, given in mangled(PAIR):
        read = things(given)
        assert read["gluster_volume", "thin"]["thin_arbiter_path"] == "ash:/bricks/thin", shape
        assert read["gluster_volume", "thin"]["nfs.disable"] == "on", shape


def test_a_peer_that_is_away() -> None:
    for shape, given in mangled(PEERS):
        read = things(given)
        assert read["gluster", "gluster"] == {"peers": 2, "peers_disconnected": 1}, shape
        elm = read["gluster_peer", "elm"]
        assert (elm["connection"], elm["other_names"]) == ("disconnected", "10.9.8.6"), shape
        assert read["gluster_peer", "ash"]["connection"] == "connected", shape


def test_peers_of_old_versions() -> None:
    old = PEERS.replace("Uuid: ", "Port: 24007\nUuid: ")
    assert things(old)["gluster_peer", "ash"] == {
        "port": 24007, "id": "25b6ed92-6355-425a-adc9-25202419bf9a",
        "state": "Peer in Cluster", "connection": "connected",
    }  # fmt: skip


def test_the_list_of_a_pool() -> None:
    for shape, given in mangled(POOL):
        read = things(given)
        assert read["gluster_peer", "elm"]["connection"] == "disconnected", shape
        assert read["gluster_peer", "localhost"]["connection"] == "connected", shape


def test_how_far_a_rebalance_is() -> None:
    for shape, given in mangled(REBALANCE):
        read = things(given)
        assert read["gluster_rebalance", "localhost"] == {
            "files": 118, "moved": 3 << 29, "scanned": 942, "failures": 3, "skipped": 17,
            "state": "in progress", "elapsed": 3600 + 2 * 60 + 12,
        }, shape  # fmt: skip
        assert read["gluster_rebalance", "elm"]["moved"] == 0, shape
        volume = read["gluster_volume", "homes"]
        assert (volume["rebalance"], volume["time_left"]) == (
            "completed, in progress", 41 * 60 + 7,
        ), shape  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Volume Name: homes\nwhich is what we call it\n",
        "The Number of entries: 3 is too high.\nNumber of entries: 7\n",
        "Status of volume: bad\nGluster process is down since 3 days\n",
        "Number of Peers: 3\n",
        "UUID Hostname State\nof a peer\n",
        "Node Rebalanced-files size\nnode1 12 files\n",
    ],
)
def test_words_about_it_are_none(text: str) -> None:
    assert not [kind for kind, _ in things(text) if kind != "gluster"]
