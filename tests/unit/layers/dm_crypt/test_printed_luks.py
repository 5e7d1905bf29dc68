"""luksDump. Oracle: where LUKS2 data begin follows from the areas; keyslots do not overlap."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.dm_crypt.printed_luks import LuksDump
from iosonde.records.printed import Unread
from tests.mangle import mangled, read, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "cryptsetup-2.6"
FIRST, SECOND = ((OUTPUTS / name).read_text() for name in ("luks1.txt", "luks2.txt"))
TOKENS = """\
Keyslots:
  3: luks2 (unbound)
\tKey:        256 bits
\tArea offset:32768 [bytes]
Tokens:
  0: systemd-tpm2
\ttpm2-hash-pcrs:   7
\ttpm2-blob:  00 9e 00
\t            20 a1
\tKeyslot:    3
Digests:
  0: pbkdf2
\tHash:       sha256
"""


def _subjects(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {
        (subject.kind, subject.name): dict(subject.values)
        for subject in subjects_in(text, LuksDump.tool)
    }


def test_luks1() -> None:
    subjects = _subjects(FIRST)
    assert subjects == {
        ("dm_crypt", "vdq3"): {
            "format": "LUKS1", "cipher": "aes-xts-plain64", "key_bits": 512, "mk_iterations": 1000,
            "data_offset": 2 << 20, "hash_spec": "sha256", "keyslots": 1,
            "uuid": "11cb05f0-8a02-48c1-9e40-2fbf4d6584af",
        },
        ("luks_keyslot", "vdq3 0"): {
            "iterations": 1000, "key_material_offset": 4096, "af_stripes": 4000,
        },
    }  # fmt: skip


def test_luks2() -> None:
    subjects = _subjects(SECOND)
    header = subjects["dm_crypt", "vdr2"]
    first, second = subjects["luks_keyslot", "vdr2 0"], subjects["luks_keyslot", "vdr2 1"]
    assert header["data_offset"] == 2 * int(str(header["metadata_area"])) + int(
        str(header["keyslots_area"])
    )
    assert int(str(first["area_offset"])) == 2 * int(str(header["metadata_area"]))
    assert second["area_offset"] == int(str(first["area_offset"])) + int(str(first["area_length"]))
    assert (header["cipher"], header["sector_size"]) == ("aes-xts-plain64", 4096)
    assert (header["keyslots"], header["digest_iterations"]) == (2, 1000)
    assert not {"label", "subsystem", "flags", "size"} & header.keys()
    assert (first["pbkdf"], first["iterations"]) == ("pbkdf2", 1000)
    assert (second["pbkdf"], second["time_cost"], second["threads"]) == ("argon2id", 4, 2)
    assert second["memory"] == 64000 * 1024


@pytest.mark.parametrize("text", [FIRST, SECOND])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text):
        assert _subjects(changed) == _subjects(text), shape


def test_no_secret_is_kept() -> None:
    for text in (FIRST, SECOND):
        kept = str(_subjects(text))
        rows = [line for line in text.split("\n") if line.count(" ") > 10]
        assert rows
        assert not [row for row in rows if row.split()[-8:] and " ".join(row.split()[-8:]) in kept]


def test_its_end_alone() -> None:
    lines = SECOND.split("\n")
    cut = "\n".join(lines[lines.index("  1: luks2") :])
    subjects = _subjects(cut)
    assert subjects["luks_keyslot", "1"] == _subjects(SECOND)["luks_keyslot", "vdr2 1"]
    assert subjects["dm_crypt", ""] == {
        "format": "LUKS2", "keyslots": 1, "digest_hash": "sha256", "digest_iterations": 1000,
    }  # fmt: skip


def test_its_beginning_alone_says_no_number_of_keyslots() -> None:
    cut = "\n".join(SECOND.split("\n")[:30])
    assert "keyslots" not in _subjects(cut)["dm_crypt", "vdr2"]
    assert "keyslots" not in _subjects("\n".join(FIRST.split("\n")[:22]))["dm_crypt", "vdq3"]


def test_tokens_and_a_keyslot_without_segment() -> None:
    subjects = _subjects(TOKENS)
    assert subjects["luks_keyslot", "3"]["type"] == "luks2 unbound"
    assert subjects["dm_crypt", ""] == {
        "format": "LUKS2", "keyslots": 1, "token_0_type": "systemd-tpm2", "token_0_keyslot": 3,
        "token_0_tpm2_hash_pcrs": 7, "digest_hash": "sha256",
    }  # fmt: skip


def test_a_head_alone() -> None:
    (entry,) = read("LUKS header information for /dev/sdq2\n\n")
    assert isinstance(entry, Unread)


@pytest.mark.parametrize(
    "text",
    [
        "The LUKS header information for /dev/sdq2 was lost, so no MK iterations are there.\n",
        "Key Slot 0: ENABLED\nand the Keyslots area: is 16 MiB by default\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _subjects(text) == {}
