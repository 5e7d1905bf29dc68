"""docker info, docker system df, kubectl get. Oracle: sums and shares that they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/guests-composed/containers.txt").read_text()


def test_an_engine_and_the_room_it_takes_in_every_shape() -> None:
    for shape, given in mangled(TEXT.replace("\n\n", "\n"), wraps=False):
        (engine,) = subjects_in(given, "docker info")
        values = engine.values
        states = (
            int(str(values[f"containers_{state}"])) for state in ("running", "paused", "stopped")
        )
        assert sum(states) == values["containers"], shape
        assert (values["client_version"], values["server_version"]) == ("24.0.7", "24.0.8"), shape
        assert values["storage_driver_data_space_used"] == 11_800_000_000, shape
        assert values["security_options"] == "apparmor, seccomp", shape
        assert values["total_memory"] == round(31.31 * 2**30), shape
        (room,) = counters(given, "docker system df")
        images = dict(room.values)["images"]
        assert isinstance(images, dict)
        share = int(str(images["reclaimable"])) / int(str(images["size"]))
        assert int(share * 100) / 100 == images["reclaimable_share"], shape


def test_a_line_that_was_chosen_of_docker_info() -> None:
    (engine,) = subjects_in(
        "$ docker info | grep Root\nDocker Root Dir: /srv/docker\n", "docker info"
    )
    assert engine.values == {"docker_root_dir": "/srv/docker"}


def test_volumes_claims_and_classes() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, "kubectl get")}
    volume = things["persistent_volume", "pvc-heron-0"]
    claim = things["persistent_volume_claim", str(volume["claim"])]
    assert volume["size"] == claim["size"] == 100 << 30
    assert things["persistent_volume", "pvc-newt-1"]["size"] == 500 * 10**9
    assert "size" not in things["persistent_volume_claim", "web/spare"]
    assert things["storage_class", "fast (default)"]["allowvolumeexpansion"] is True


def test_resources_of_longhorn_rook_and_openebs() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, "kubectl get")}
    attachment = things["volume_attachment", "csi-77ab"]
    assert (attachment["pv"], attachment["attached"]) == ("pvc-newt-1", False)
    volume = things["longhorn_volume", "pvc-crane-1"]
    assert (volume["robustness"], volume["size"], volume["data_engine"]) == (
        "degraded",
        1 << 30,
        "v1",
    )
    assert "node" not in things["longhorn_volume", "pvc-crane-3"]
    replica = things["longhorn_replica", "pvc-crane-1-r-4e5f6a7b"]
    assert (replica["state"], replica["disk"]) == ("stopped", "77c2")
    cluster = things["ceph_cluster", "rook-ceph"]
    assert (cluster["health"], cluster["message"]) == (
        "HEALTH_WARN",
        "Cluster created successfully",
    )
    pool = things["cstor_pool", "cspc-moor-x1"]
    assert (pool["size"], pool["available"], pool["allocated"]) == (
        28_800_074_000,
        28_800_000_000,
        74_000,
    )
    assert things["block_device", "blockdevice-01afcdbe"]["size"] == 40 << 30


def test_rows_whose_columns_are_lost_are_not_read() -> None:
    text = "\n".join(" ".join(line.split()) for line in TEXT.split("\n"))
    spare = [s for s in subjects_in(text, "kubectl get") if "spare" in s.name]
    assert spare == []


@pytest.mark.parametrize(
    "text",
    [
        "Storage Driver: overlay2\n",
        "$ kubectl version --short\nClient Version: v1.21.3\nServer Version: v1.21.3\n",
        "NAME STATUS AGE of the ACCESS MODES\n",
        "NAME   STATE   ROBUSTNESS   COMMENT\nvol    up      good         none\n",
        "RECLAIMABLE is what nobody uses\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    tools = {"docker info", "docker system df", "kubectl get"}
    assert not any(getattr(state, "tool", "") in tools
                   for output in read(text) for state in getattr(output, "states", ()))  # fmt: skip
