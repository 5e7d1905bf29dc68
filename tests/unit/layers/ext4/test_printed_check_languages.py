"""e2fsck in other languages than English. Oracle: the figures, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-composed" / "check-de.txt").read_text()


def _checks(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, "e2fsck")]


def test_a_check_in_german() -> None:
    assert _checks(TEXT) == [
        ("sdq2", {
            "e2fsck_version": "1.47.0", "e2fsck_date": "5-Feb-2023", "journal_recovered": True,
                "check_forced": True,
            "check_passes": "5", "modified_by_check": True, "blocks": 262144, "inodes": 65536,
            "free_blocks": 262144 - 99120, "free_inodes": 65536 - 1207, "non_contiguous": 0.007,
        })
    ]  # fmt: skip


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    ((name, values),) = _checks(text)
    assert (name, values["free_blocks"]) == ("sdq2", 163024), shape


@pytest.mark.parametrize(
    "line",
    [
        "/dev/sdb1 : propre, 11/4096 fichiers, 1500/16384 blocs",
        "/dev/sdb1: limpio, 11/4096 ficheros, 1500/16384 bloques",
        "/dev/sdb1: czysty, 11/4096 plików, 1500/16384 bloków",
        "/dev/sdb1: 没有问题，11/4096 文件，1500/16384 块",
        "/dev/sdb1: без помилок, 11/4096 файлів, 1500/16384 блоків",
        "/dev/sdb1: rent, 11/4096 filer, 1500/16384 block",
    ],
)
def test_summaries(line: str) -> None:
    assert _checks(line + "\n") == [
        ("sdb1", {"blocks": 16384, "inodes": 4096, "free_blocks": 14884, "free_inodes": 4085,
                  "superblock_state": "clean"})
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "/dev/sdb1 : ***** LE SYSTÈME DE FICHIERS A ÉTÉ MODIFIÉ *****",
        "***** 文件系统已被修改 *****",
    ],
)
def test_what_was_modified(line: str) -> None:
    ((_, values),) = _checks(line + "\n")
    assert values == {"modified_by_check": True}


@pytest.mark.parametrize(
    "text",
    ["Noch Fehler im Dateisystem, sagt er.\n", "Es sind 12/40 Dateien, 3/9 Blöcke davon alt.\n",
     "Paso 1: Verificando la instalación\n"],
)  # fmt: skip
def test_prose_is_none(text: str) -> None:
    assert not _checks(text)
