"""What zfs and zpool refuse. Oracle: the arguments of the commands above."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "zfs-composed" / "answers.txt").read_text()
BUSY = "# zfs destroy tank/a\ncannot destroy 'tank/a': dataset is busy\n"


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(s.kind, s.name, dict(s.values)) for s in subjects_in(text, "zfs")]


def test_refusals_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert _things(given) == [
            ("dataset", "tank/home", {"failed": "destroy", "reason": "filesystem has children",
                                  "advice": "use '-r' to destroy the following datasets"}),
            ("zpool", "attic",
             {"failed": "import", "reason": "a pool with that name already exists"}),
            ("dataset", "tank/copy",
             {"failed": "receive", "reason": "destination 'tank/copy' exists",
                                  "advice": "must specify -F to overwrite it"}),
            ("dataset", "tank/nowhere", {"failed": "open", "reason": "dataset does not exist"}),
            ("zpool_device", "gptid/5f1b8c2e-3d44-11ee-a1b2-0cc47a000001",
             {"failed": "online", "reason": "no such device in pool"}),
            ("zpool_device", "sdx",
             {"failed": "replace", "reason": "device is too small", "other_device": "sdy"}),
        ], shape  # fmt: skip


def test_messages_stay_as_printed() -> None:
    (state,) = states(BUSY)
    assert state.messages == ("cannot destroy 'tank/a': dataset is busy",)
    assert state.command == "zfs destroy tank/a"


@pytest.mark.parametrize("text", [
    "# python3 run.py\ncannot import 'numpy': no module of that name\n",
    "cannot open 'tank/a': dataset does not exist\n",
    "ZFS says that it cannot destroy 'tank/a': it is busy\n",
    "# zfs destroy tank/a\ncannot destroy tank\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == []
