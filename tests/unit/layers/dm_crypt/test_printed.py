"""cryptsetup status: sectors are of 512 bytes, as the tool's manual says."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "cryptsetup-composed" / "status.txt").read_text()


def test_a_mapping_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        ((crypt,),) = [state.subjects for state in states(given)]
        assert (crypt.kind, crypt.name) == ("dm_crypt", "vault"), shape
        assert crypt.values["cipher"] == "aes-xts-plain64"
        assert (crypt.values["key_bits"], crypt.values["sector_size"]) == (512, 4096)
        assert crypt.values["data_offset"] == 32768 * 512
        assert crypt.values["size"] == 400_000_000 * 512
        assert crypt.values["format"] == "LUKS2"


def test_inactive_cut_and_prose() -> None:
    ((crypt,),) = [s.subjects for s in states("/dev/mapper/old is inactive.")]
    assert crypt.values == {"state": "inactive"}
    (entry,) = read(TEXT.split("\n")[0] + "\n\n")
    assert isinstance(entry, Unread)
    assert read("The mapping is active and is in use. Do not remove it.") == []


def test_without_its_head() -> None:
    ((whole,),) = [state.subjects for state in states(TEXT)]
    rows = TEXT.split("\n")
    at = next(at for at, row in enumerate(rows) if " is active" in row)
    ((part,),) = [state.subjects for state in states("\n".join(rows[at + 1 :]))]
    assert part.name == ""
    assert {**part.values, "state": "active"} == whole.values
    assert states("  keysize: 512 bits\n  colour:  green\n") == []
