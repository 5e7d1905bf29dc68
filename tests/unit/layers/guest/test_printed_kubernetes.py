"""kubectl describe. Oracle: what `kubectl get` says of the same things."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs/guests-composed"
TEXT = (OUTPUTS / "kubernetes.txt").read_text()
TOOL = "kubectl describe"


def test_as_the_lists_have_them_in_every_shape() -> None:
    lists = (OUTPUTS / "containers.txt").read_text()
    listed = {(s.kind, s.name): s.values for s in subjects_in(lists, "kubectl get")}
    for shape, given in mangled(TEXT, wraps=False):
        things = {(s.kind, s.name): s.values for s in subjects_in(given, TOOL)}
        assert set(things) == {
            ("persistent_volume_claim", "db/data-heron"), ("persistent_volume_claim", "web/spare"),
            ("persistent_volume", "pvc-heron-0"), ("storage_class", "fast"),
        }, shape  # fmt: skip
        claim = "persistent_volume_claim", "db/data-heron"
        volume = "persistent_volume", "pvc-heron-0"
        for thing in (claim, volume):
            common = things[thing].keys() & listed[thing].keys()
            assert len(common) > 4, shape
            assert all(things[thing][name] == listed[thing][name] for name in common), shape
        assert things[claim]["used_by"] == "heron-0, heron-backup-x7", shape
        assert things[volume]["source_type"] == "CSI", shape
        assert things[volume]["volume_handle"] == "0001-0009-pond-heron", shape


def test_classes_and_what_failed() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, TOOL)}
    fast = things["storage_class", "fast"]
    assert fast["mount_options"] == "discard, noatime"
    assert (fast["default"], fast["allowvolumeexpansion"]) == (True, True)
    spare = things["persistent_volume_claim", "web/spare"]
    assert spare["warning"] == 'ProvisioningFailed: storageclass.storage.k8s.io "slow" not found'
    assert not {"size", "volume", "access_modes", "used_by"} & spare.keys()


@pytest.mark.parametrize(
    "text",
    [
        "Name:       web-0\nNamespace:  web\nNode:       n1\nStatus:     Running\n",
        "Access Modes:  RWO of a claim without its name\n",
        "Name:          a\n\nsome other text\nAccess Modes:  RWO\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, TOOL)
