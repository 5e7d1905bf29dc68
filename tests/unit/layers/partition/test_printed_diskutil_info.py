"""`diskutil info`. Oracle: sectors of 512 bytes beside the bytes, and what is used and free."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import PrintedSubject
from iosonde.verbs.explain import explain
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/macos-composed/diskutil-info.txt").read_text()


def things(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for subject in subjects_in(text)}


def test_a_disk_and_a_volume_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue
        named = things(given)
        disk, volume = named["disk0"], named["disk3s1"]
        assert (disk.kind, disk.values["model"]) == ("disk", "ACME SSD 0512"), shape
        assert disk.values["size"] == 977105064 * 512, shape
        assert disk.values["rotational"] is False, shape
        assert disk.values["health_passed"] is True, shape
        assert "label" not in disk.values, shape
        assert (volume.kind, volume.values["disk"]) == ("partition", "disk3"), shape
        assert volume.values["size"] == 31307776 * 512, shape
        used, free = volume.values["used"], volume.values["available"]
        assert int(str(used)) + int(str(free)) == volume.values["volume_size"], shape
        assert (volume.values["cluster_size"], volume.values["mounted"]) == (32768, True), shape
        assert not {"health_passed", "rotational"} & volume.values.keys(), shape


def test_a_disk_that_fails_is_said(tmp_path: Path) -> None:
    text = tmp_path / "info.txt"
    text.write_text(TEXT.replace("Verified", "Failing"))
    assert "disk0" in {finding.subject for finding in explain(str(text)).findings}
    text.write_text(TEXT)
    assert not explain(str(text)).findings


def test_what_is_none() -> None:
    assert not things("   Device Identifier:         disk4\n   Internal:   No\n")
    assert not things("The Device Identifier: disk4 is that of the stick.\n")
