"""Images with errors. Oracle: qemu-img.c, which says that leaks do no harm to data."""

from __future__ import annotations

from iosonde.layers.guest.findings import RULES
from tests.contract.rules.case import case, counted, state


def test_errors_and_marks() -> None:
    own = case(
        counted("qemu-img check", "guest", "a.qcow2", {"corruptions": 1, "leaks": 4}),
        counted("qemu-img check", "guest", "b.qcow2", {"check_errors": 0, "leaks": 4}),
        state("guest", "c.qcow2", {"corrupt": True}),
    )
    messages = [finding.message for finding in RULES[0].find(own)]
    assert len(messages) == 2
    assert "1 error in the image a.qcow2" in messages[0]
    assert "c.qcow2" in messages[1]


def test_disks_in_error() -> None:
    own = case(
        state("guest", "vda", {"error": "no space"}),
        state("guest", "vdb", {"path": "/srv/b.qcow2"}),
    )
    (finding,) = RULES[1].find(own)
    assert "no space" in finding.message
    assert "free or add space" in finding.remedy
