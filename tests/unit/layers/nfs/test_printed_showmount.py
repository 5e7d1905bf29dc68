"""showmount -e and -a. Oracle: the rows of the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "nfs-utils-2.6.2" / "showmount.txt").read_text()


def _seen(text: str) -> list[tuple[str, str, str, dict[str, object]]]:
    return [(each.kind, each.name, each.host, dict(each.values))
            for each in subjects_in(text, "showmount")]  # fmt: skip


def test_what_is_exported_and_who_has_it() -> None:
    assert _seen(TEXT) == [
        ("export", "/export/heron", "nas", {"clients": "192.0.2.0/24,@trusted", "server": "nas"}),
        ("export", "/export/egret", "nas", {"clients": "(everyone)", "server": "nas"}),
        ("export", "/export/heron", "nas", {"mounted_by": "192.0.2.7 192.0.2.8", "server": "nas"}),
    ]


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _seen(changed) == _seen(TEXT), shape


def test_a_sentence_is_none() -> None:
    assert not _seen("The Export list for nas: it has /export and others.\n")
