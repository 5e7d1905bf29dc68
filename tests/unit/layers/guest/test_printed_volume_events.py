"""Events of Kubernetes about volumes, and what is said of volumes and claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.guest.findings_claims import RULES
from iosonde.layers.guest.printed_volume_events import VolumeEvents
from iosonde.verbs.explain import explain
from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[3] / "outputs" / "guests-composed"
TEXT = (OUTPUTS / "volume-events.txt").read_text()


def _events(text: str) -> list[tuple[str, object, object, object]]:
    return [
        (each.name, each.values["reason"], each.values["times"], each.values.get("over"))
        for each in counters(text)
        if each.tool == VolumeEvents.tool
    ]


def test_each_event_with_how_often_it_came() -> None:
    assert _events(TEXT) == [
        ("", "FailedAttachVolume", 8, "12m"), ("", "FailedMount", 5, "10m"),
        ("persistentvolumeclaim/db-1", "ProvisioningFailed", 1, None),
    ]  # fmt: skip


def test_a_mangled_text() -> None:
    for _, text in mangled(TEXT):
        assert {reason for _, reason, _, _ in _events(text)} <= {
            "FailedAttachVolume", "FailedMount", "ProvisioningFailed"
        }  # fmt: skip


@pytest.mark.parametrize("text", [
    "  Normal   SuccessfulAttachVolume  2m  attachdetach-controller  AttachVolume.Attach ok\n",
    "We see FailedMount again and again, what can it be?\n",
])  # fmt: skip
def test_what_is_no_failure(text: str) -> None:
    assert _events(text) == []


def test_the_findings_name_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    attach, mount, make = explain(str(tmp_path / "text")).findings
    assert {rule.name for rule in RULES} >= {attach.rule, mount.rule, make.rule}
    assert attach.message.startswith(
        "Kubernetes reports FailedAttachVolume 8 times over 12m: Multi"
    )
    assert attach.remedy.startswith("the volume is attached to another node")
    assert "csi-provisioner" in make.remedy


CLAIMS = (
    "$ kubectl get pvc\n"
    "NAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\n"
    "db-0   Bound     pvc-1    10Gi       RWO            fast           3d\n"
    "db-1   {status}                                        fast           {age}\n"
)


@pytest.mark.parametrize(("status", "age", "severities"), [
    ("Pending", "12m", ["warning"]), ("Pending", "2d3h", ["warning"]), ("Pending", "9s ", []),
    ("Lost   ", "12m", ["error"]),
])  # fmt: skip
def test_a_claim_waits_for_long_or_is_lost(
    tmp_path: Path, status: str, age: str, severities: list[str]
) -> None:
    (tmp_path / "text").write_text(CLAIMS.format(status=status, age=age))
    findings = explain(str(tmp_path / "text")).findings
    assert [finding.severity for finding in findings] == severities
    assert {finding.rule for finding in findings} <= {"failed-volume"}
