"""inxi: drives and partitions."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "inxi-composed" / "drives.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_drives_and_partitions_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        drive = values_by_name["nvme0n1"]
        assert (drive["vendor"], drive["model"]) == ("ACME", "FAST 1TB"), shape
        assert drive["size"] == round(931.51 * 2**30)
        assert (drive["block_size_physical"], drive["block_size_logical"]) == (4096, 512)
        assert (drive["speed"], drive["lanes"]) == ("31.6 Gb/s", 4)
        assert values_by_name[""]["storage_total"] == round(2.73 * 2**40)
        assert values_by_name["/"]["fstype"] == "ext4"
        assert values_by_name["/boot"]["size"] == 1014 << 20


def test_a_section_without_drives_and_prose() -> None:
    (entry,) = read("Drives:    Local Storage:\n\n")
    assert isinstance(entry, Unread)
    assert things("Drives: which Local Storage: is better?\n").keys() <= {""}


def test_a_section_s_word_in_a_line_of_its_own_and_lines_that_a_mail_broke() -> None:
    text = (
        "Drives:\n  Local Storage: total: 129.88 GiB used: 3.05 GiB (2.3%) \n"
        "  ID-1: /dev/sda type: USB vendor: Samsung model: Flash Drive FIT \n  size: 29.88 GiB \n"
        "  Message: No optical or floppy data found. \n"
        "Partition:\n  ID-1: / size: 29.11 GiB used: 2.83 GiB (9.7%) fs: ext4 dev: /dev/sda2 \n"
        "Info:\n  Processes: 158 Uptime: 14m Memory: 3.78 GiB used: 357.4 MiB (9.2%) \n"
    )
    said = {subject.name: subject.values for subject in subjects_in(text)}
    assert said["sda"] == {
        "type": "USB", "vendor": "Samsung", "model": "Flash Drive FIT",
        "size": round(29.88 * 2**30),
    }  # fmt: skip
    assert said["/"]["device"] == "/dev/sda2"
    assert "uptime" not in said["/"]
    broken = text.replace("Drives:\n  Local", "Drives:    Local").replace("dev: /dev", "dev:\n/dev")
    assert {subject.name: subject.values for subject in subjects_in(broken)} == said
