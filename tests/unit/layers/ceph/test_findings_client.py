"""What the kernel's client of Ceph says again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

_OPEN = "libceph: osd3 (1)10.7.0.9:6801 socket closed (con state OPEN)"
_REFUSED = "libceph: osd4 (1)10.7.0.9:6813 connect error"
_LOST = "libceph: mon0 (1)10.7.0.8:6789 session lost, hunting for new mon"


def _said(tmp_path: Path, *lines: tuple[float, str]) -> list[str]:
    path = tmp_path / "log.txt"
    path.write_text("".join(f"[{second:12.6f}] {line}\n" for second, line in lines))
    return [finding.message for finding in explain(str(path)).findings]


def test_daemons_that_come_and_go(tmp_path: Path) -> None:
    lines = [
        (1000.0, _OPEN), (1001.0, _OPEN), (1003.0, _OPEN),
        (1010.0, "libceph: osd0 down"), (1020.0, "libceph: osd0 up"),
        (1030.0, "libceph: osd0 down"), (1031.0, _LOST), (1035.0, _LOST),
        (1040.0, _REFUSED), (1041.0, _REFUSED), (1043.0, _REFUSED),
    ]  # fmt: skip
    (message,) = _said(tmp_path, *lines)
    assert message.startswith(
        "The kernel's log says of Ceph: osd0 went down 2 times; osd4 had 3 failed connections; "
        "osd3 closed its connection 3 times; sessions with monitors were lost 2 times."
    )


@pytest.mark.parametrize("lines", [
    ((1000.0, _OPEN), (1900.0, _OPEN), (2800.0, _OPEN), (3700.0, _OPEN)),
    ((1000.0, "libceph: osd0 down"), (1030.0, "libceph: osd0 up"), (1031.0, "libceph: osd1 down"),
     (1060.0, "libceph: osd1 up")),
    ((1000.0, _REFUSED), (1001.0, _REFUSED), (1005.0, _LOST)),
])  # fmt: skip
def test_idle_connections_and_daemons_that_are_started_anew(
    tmp_path: Path, lines: tuple[tuple[float, str], ...]
) -> None:
    assert _said(tmp_path, *lines) == []
