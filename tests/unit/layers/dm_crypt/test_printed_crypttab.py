"""Lines of /etc/crypttab. Oracle: the columns of the file, split at blanks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import folded, mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "cryptsetup-composed" / "crypttab.txt").read_text()


def _mappings(text: str) -> dict[str, dict[str, Any]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, "crypttab")}


def test_the_columns() -> None:
    rows = [line.split() for line in TEXT.splitlines()[2:]]
    mappings = _mappings(TEXT)
    assert list(mappings) == [row[0] for row in rows]
    for name, source, key, options in rows:
        values = mappings[name]
        assert values["device"] == source.removeprefix("/dev/")
        assert (values["options"], values.get("key_file", "none")) == (options, key)


def test_what_the_options_say() -> None:
    root, data, swap = _mappings(TEXT).values()
    assert root["discard"] is True
    assert (data["keyslot"], data["keyfile_size"]) == (1, 4096)
    assert (swap["swap"], swap["cipher"], swap["key_bits"], swap["offset"]) == (
        True, "aes-xts-plain64", 512, 1 << 20,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "/dev/mapper/crypt /mnt none luks,discard\n",
        "we use /dev/sda3 none luks,discard,something\n",
        "# home UUID=1b0f6c3e-9a4d none luks\n",
        "cryptsetup /dev/sda3 /root/key luksOpen\n",
        "dd if=/dev/urandom of=/dev/sda\n",
        "swap /dev/sda3 /dev/urandom bs=4096\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _mappings(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _mappings(changed) == _mappings(TEXT), shape


def test_folded_by_a_mail() -> None:
    assert _mappings(folded(TEXT, 72)) == _mappings(TEXT)


def test_a_line_alone() -> None:
    assert _mappings("luks-1 UUID=1b0f6c3e-9a4d none luks\n") == {
        "luks-1": {"device": "UUID=1b0f6c3e-9a4d", "options": "luks"}
    }
