"""df in other languages. Oracle: every language says the same of the same file system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mangle import mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "languages-debian-12"
TABLES = re.split(r"(?m)^(?=\$ )", (OUTPUTS / "df.txt").read_text())[1:]
SIZES = {"size": 40 << 30, "used": 30 << 30, "available": 10 << 30, "used_share": 0.75}
INODES = {
    "inodes": 2621440, "inodes_used": 1966080, "inodes_free": 655360, "inodes_used_share": 0.75,
}  # fmt: skip


def _mounts(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(subject.kind, subject.name, dict(subject.values)) for subject in subjects_in(text)]


def test_every_language() -> None:
    assert len({table.split()[4] for table in TABLES}) == 41
    for table in TABLES:
        option = table.split()[2]
        kind = "ext4" if "T" in option else "filesystem"
        figures = INODES if option == "-i" else SIZES
        assert _mounts(table) == [(kind, "/srv", {"device": "/dev/vdq1", **figures})], table


def test_heads_alone_without_a_command() -> None:
    for table in TABLES:
        if table.split()[2] == "-h":
            assert _mounts(table.partition("\n")[2])[0][2]["size"] == 40 << 30, table


@pytest.mark.parametrize("language", ["fr", "pl", "ja", "uk"])
def test_every_shape(language: str) -> None:
    (text,) = [table for table in TABLES if table.startswith(f"$ df -k # {language}\n")]
    for shape, changed in mangled(text, wraps=False):
        if shape != "quoted-printable" or language != "fr":  # two escapes are too few to see it
            assert _mounts(changed) == _mounts(text), shape


@pytest.mark.parametrize(
    "text",
    [
        "Filsystem Storlek Använt Ledigt Anv% och så vidare\n/dev/vdq1 40G 30G 10G 75% /srv\n",
        "Das Dateisystem ist voll, siehe Verw% Eingehängt auf\n",
        "Filsystem      Größe Benutzt Verf. Verw% Eingehängt auf\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not [output for output in read(text) if "kind='filesystem'" in repr(output)]
