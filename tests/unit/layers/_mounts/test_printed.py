"""File systems and NFS mounts, with the link they go over."""

from __future__ import annotations

import json
from pathlib import Path

from iosonde.layers._routes import route_device
from iosonde.layers.ext4.kind import journal_mode
from iosonde.layers.link.facts import driver_facts
from iosonde.layers.nfs.facts import mount_facts
from iosonde.layers.xfs.kind import stripe_facts
from iosonde.records.stack import Scalar
from iosonde.settings.ethtool_printed import coalescing, features, rings
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under
from tests.recordings.nfs_client import nfs_client

TEXT_K = b"""Features for ens3:
rx-checksumming: on [fixed]
tcp-segmentation-offload: on
\ttx-tcp-segmentation: on
generic-receive-offload: off
large-receive-offload: off [fixed]
"""
TEXT_G = b"""Ring parameters for ens3:
Pre-set maximums:
RX:\t\t4096
TX:\t\t4096
Current hardware settings:
RX:\t\t512
RX Mini:\tn/a
TX:\t\t256
"""


def test_ethtool_as_text_and_as_json_say_the_same() -> None:
    as_json = json.dumps(
        [{"ifname": "ens3", "rx-checksumming": {"active": True, "fixed": True},
          "tcp-segmentation-offload": {"active": True}, "generic-receive-offload":
          {"active": False}, "large-receive-offload": {"active": False}}]
    ).encode()  # fmt: skip
    wanted = {"rx_checksum": True, "tso": True, "gro": False, "lro": False}
    assert features(TEXT_K) == wanted
    assert features(as_json) == wanted
    ring = json.dumps([{"ifname": "ens3", "rx-max": 4096, "rx": 512, "tx": 256}]).encode()
    assert rings(TEXT_G) == rings(ring) == {"rx_ring": 512, "tx_ring": 256}
    assert features(b"") == rings(b"garbage") == {}


def test_sources_of_nfs_mounts() -> None:
    options: dict[str, Scalar] = {"vers": "3", "soft": True, "rsize": "32768"}
    assert mount_facts("nas:/volume1/old backups", options) == {
        "server": "nas", "export": "/volume1/old backups", "version": "3", "read_size": 32768,
        "connections": 1, "hard": False, "sync": False,
    }  # fmt: skip
    assert mount_facts("[fe80::1]:/", {})["server"] == "fe80::1"
    assert route_device(b"") is None
    assert route_device(b'[{"dst": "10.0.0.1", "dev": "eth0"}]') == "eth0"


TEXT_C = b"""Coalesce parameters for ens3:
Adaptive RX: on  TX: n/a
stats-block-usecs: n/a
rx-usecs: 8
rx-frames: 128
rx-usecs-irq: n/a
tx-usecs: n/a
"""


def test_coalescing_as_text_and_as_json() -> None:
    as_json = json.dumps([{"ifname": "ens3", "adaptive-rx": True, "rx-usecs": 8,
                           "rx-frames": 128, "tx-usecs": None}]).encode()  # fmt: skip
    wanted = {"adaptive_rx": True, "rx_usecs": 8, "rx_frames": 128}
    assert coalescing(as_json) == wanted
    assert coalescing(TEXT_C) == wanted
    assert coalescing(b"") == {}


def test_the_driver_of_a_link() -> None:
    text = b"driver: mlx5_core\nversion: 6.1.0\nfirmware-version: 16.35 (MT_0)\nbus-info: 0:1.0\n"
    assert driver_facts(text) == {"driver": "mlx5_core", "firmware": "16.35 (MT_0)"}
    assert driver_facts(b"driver: virtio_net\nfirmware-version: \n") == {"driver": "virtio_net"}


OUTPUTS = Path(__file__).parents[3] / "outputs" / "ethtool-6.1"


def test_what_ethtool_says_of_a_virtio_card() -> None:
    def output(name: str) -> bytes:
        return (OUTPUTS / name).read_bytes()

    assert features(output("features.json")) == features(output("features.txt"))
    assert features(output("features.txt"))["tso"] is True
    assert rings(output("rings.txt")) == {"rx_ring": 256, "tx_ring": 256}
    assert coalescing(output("coalescing.txt")) == {
        "adaptive_rx": False, "rx_usecs": 0, "rx_frames": 1, "tx_usecs": 0, "tx_frames": 1,
    }  # fmt: skip
    assert driver_facts(output("driver.txt")) == {"driver": "virtio_net"}


async def test_an_nfs_client_down_to_its_link() -> None:
    machine = nfs_client()
    machine.command("ethtool", "-g", "ens3", stdout=TEXT_G.decode())
    capture = await discover([machine.host()])
    mounts = {layer.mount: layer for layer in capture.layers if layer.kind == "nfs"}
    assert set(mounts) == {"/srv/images", "/srv/old backups"}
    images = mounts["/srv/images"]
    assert (images.facts["server"], images.facts["version"]) == ("10.10.2.15", "4.2")
    assert (images.settings["rsize"], images.settings["nconnect"]) == ("1048576", "8")
    assert "soft mount" in mounts["/srv/old backups"].hazards
    below = layers_under(capture, "app1", "/srv/images/disk.img")
    assert [stack_layer.kind for stack_layer in below] == ["nfs", "link"]
    link = below[1]
    assert link.settings["mtu"] == 9000
    assert link.settings["rx_ring"] == 512
    assert link.facts["speed"] == 10_000_000_000 // 8
    assert any("ethtool -k" in gap.what for gap in capture.gaps)


def test_stripes_and_journals() -> None:
    options = ("rw", "attr2", "logbsize=256k", "sunit=1024", "swidth=3072", "noquota")
    assert stripe_facts(options) == {
        "stripe_unit": 524288, "stripe_width": 1572864, "log_buffer_size": 262144,
    }  # fmt: skip
    assert stripe_facts(("rw", "noquota")) == {}
    assert journal_mode("ext4", {"data": "journal"}) == "journal"
    assert journal_mode("ext4", {}) == "ordered"
    assert journal_mode("ext2", {}) is None
