"""compsize. Oracle: the shares that it prints beside the sizes they are of."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.layers.btrfs.printed_compsize import Compsize
from tests.mangle import mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "compsize.txt").read_text()


def _values(text: str) -> dict[str, dict[str, float]]:
    return {
        subject.name: cast("dict[str, float]", dict(subject.values))
        for subject in subjects_in(text, Compsize.tool)
    }


def test_each_share_is_that_of_its_sizes() -> None:
    ((path, values),) = _values(TEXT).items()
    assert path == "/srv/pool/mail"
    assert (values["files"], values["extents"], values["inline"]) == (1204, 3007, 88)
    for name in ("", "none_", "zstd_"):
        share = values[f"{name}disk"] / values[f"{name}uncompressed"]
        assert values[f"{name}compressed_share"] == pytest.approx(share, abs=0.01)
    assert values["zstd_disk"] == 471 << 20
    assert values["none_disk"] + values["zstd_disk"] == pytest.approx(values["disk"], rel=0.02)


def test_a_head_alone_is_unread_and_talk_of_it_is_none() -> None:
    head = "Type       Perc     Disk Usage   Uncompressed Referenced\n"
    assert "no row follows" in str(read(head))
    assert not _values("The Disk Usage is 100%\n")
    assert not _values(f"{head}TOTAL is more than I thought\n")


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _values(text) == _values(TEXT), shape
