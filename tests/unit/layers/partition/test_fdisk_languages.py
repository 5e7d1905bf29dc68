"""fdisk's listings in other languages. Oracle: the same disk in English, and sums of sectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.partition import fdisk_languages
from iosonde.records.printed import PrintedState
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-composed"
LISTINGS = (PLACE / "fdisk-languages.txt").read_text().strip().split("\n\n$ ")
ENGLISH, *OTHERS = (
    f"{head}\n\n{rows}\n"
    for head, rows in zip(
        "\n\n$ ".join(LISTINGS).split("\n\n")[::2], "\n\n".join(LISTINGS).split("\n\n")[1::2],
        strict=True,
    )
)  # fmt: skip


def facts(state: PrintedState) -> dict[str, dict[str, Scalar]]:
    """What is said of each thing; the names of types are translated."""
    return {
        subject.name: {name: value for name, value in subject.values.items() if name != "type"}
        for subject in state.subjects
    }


def test_the_english_listing() -> None:
    (state,) = states(ENGLISH)
    said = facts(state)
    assert said["sdq"] == {
        "size": 11721045168 * 512, "partition_table": "gpt", "logical_block_size": 512,
        "physical_block_size": 4096, "io_min": 4096, "io_opt": 262144, "model": "HERON PX 6T",
        "disk_identifier": "5E0C1A77-0D2B-4C3E-8F11-0A1B2C3D4E5F", "heads": 255,
        "sectors_per_track": 63, "cylinders": 729601,
    }  # fmt: skip
    assert said["sdq1"]["size"] == 1048576 * 512
    assert said["sdq2"]["start"] == 1050688 * 512
    # 2048 sectors are 4 times 256 KiB, 1050688 are 2052 times as much and 64 more.
    assert [said[name]["aligned_to_stripe"] for name in ("sdq1", "sdq2")] == [True, False]


@pytest.mark.parametrize("listing", OTHERS, ids=lambda text: text[7:12].strip())
def test_other_languages_say_the_same(listing: str) -> None:
    (english,) = states(ENGLISH)
    for shape, given in mangled(listing, wraps=False):
        (state,) = states(given)
        assert facts(state) == facts(english), shape


def test_twenty_languages_are_compared() -> None:
    assert len(OTHERS) == 19


def test_sizes_of_io_are_no_sectors_and_an_equal_optimum_is_none() -> None:
    torn = ENGLISH.replace("Sector size (logical/physical): 512 bytes / 4096 bytes\n", "")
    disk = states(torn)[0].subjects[0].values
    assert "logical_block_size" not in disk
    assert disk["io_opt"] == 262144
    equal = ENGLISH.replace("262144", "4096")
    disk, first, _ = (subject.values for subject in states(equal)[0].subjects)
    assert disk["io_min"] == 4096
    assert "io_opt" not in disk
    assert "aligned_to_stripe" not in first


def test_a_grid_that_is_shifted_is_taken_off() -> None:
    """A disk of 4 KiB sectors whose first lies 3584 bytes in: sector 63 is on its grid."""
    shifted = ENGLISH.replace("Disklabel type", "Alignment offset: 3584 bytes\nDisklabel type")
    shifted = shifted.replace(
        "     2048     1050623     1048576", "       63     1050623     1050561"
    )
    disk, first, second = (subject.values for subject in states(shifted)[0].subjects)
    assert disk["alignment_offset"] == 3584
    assert (first["aligned_to_sector"], second["aligned_to_sector"]) == (True, False)


@pytest.mark.parametrize(("line", "geometry"), [
    ("255 Köpfe, 63 Sektoren/Spur, 60801 Zylinder, zusammen 976773168 Sektoren", (255, 63, 60801)),
    ("ヘッド 255, セクタ 63, シリンダ 60801", (255, 63, 60801)),
    ("głowic: 16, sektorów/ścieżkę: 63, cylindrów: 1023", (16, 63, 1023)),
    ("Disk /dev/sdq: 2610 cylinders, 255 heads, 63 sectors/track", (255, 63, 2610)),
    ("we have 255 heads, 63 tracks and 3 cylinders", None),
])  # fmt: skip
def test_geometry(line: str, geometry: tuple[int, int, int] | None) -> None:
    names = ("heads", "sectors_per_track", "cylinders")
    expected = dict(zip(names, geometry, strict=True)) if geometry else {}
    assert fdisk_languages.geometry(line) == expected


@pytest.mark.parametrize(
    "near_miss",
    [
        "Диск /dev/sdq: не виден в системе, 3 раза перезагружал",
        "Dysk /dev/sdq: kupiony w 2019, bajtów na nim nie widać",
        "Die Festplatte /dev/sdq: 2 Stück davon",
        'msgstr "Festplatte %s: %s, %ju Bytes, %ju Sektoren"',
    ],
)
def test_prose_in_other_languages_is_no_table(near_miss: str) -> None:
    assert read(near_miss) == []


def test_a_bare_listing_in_a_mail_without_its_command() -> None:
    polish = next(text for text in OTHERS if "Dysk" in text).split("\n", 1)[1]
    for shape, given in mangled(polish, wraps=False):
        (state,) = states(f"Cześć,\n\nmam taki dysk:\n\n{given}\n\nPozdrawiam")
        assert state.subjects[0].values["size"] == 11721045168 * 512, shape


CYLINDERS = """Disk /dev/sdr: 54.91 MiB, 57577472 bytes, 112456 sectors
Geometry: 255 heads, 63 sectors/track, 7 cylinders
Units: cylinders of 16065 * 512 = 8225280 bytes
Sector size (logical/physical): 512 bytes / 512 bytes
I/O size (minimum/optimal): 512 bytes / 512 bytes
Disklabel type: dos

Device     Boot Start End Cylinders  Size Id Type     Start-C/H/S End-C/H/S Attrs
/dev/sdr1  *        1   2         2   16M 83 Linux          0/1/1  1/254/63 80
/dev/sdr2           3   7         4 31.4M  5 Extended       2/0/1  6/254/63
"""


def test_rows_of_a_new_fdisk_count_cylinders_and_no_blocks() -> None:
    """libfdisk/src/table.c: the column Cylinders; fdisk of 2.20 had Blocks there."""
    _, first, second = (subject.values for subject in states(CYLINDERS)[0].subjects)
    assert first == {
        "below": "sdr", "type": "83 Linux", "boot": True, "cylinders": 2, "size": 16 << 20,
        "first_cylinder": 1, "last_cylinder": 2,
    }  # fmt: skip
    assert second["cylinders"] == 4
    assert second["type"] == "5 Extended"
    bare = CYLINDERS.replace("  Size", "").replace("   16M", "").replace(" 31.4M", "")
    assert ["size" in subject.values for subject in states(bare)[0].subjects[1:]] == [False, False]


def test_what_fdisk_x_says_of_a_partition_of_gpt() -> None:
    given = ENGLISH.replace(
        "512M EFI System",
        "C12A7328-F81F-11D2-BA4B-00C93EC93B51 1D2C3B4A-1111-4222-8333-0A0B0C0D0E0F esp part",
    )
    first = states(given)[0].subjects[1].values
    assert first["type"] == "C12A7328-F81F-11D2-BA4B-00C93EC93B51"
    assert first["partuuid"] == "1D2C3B4A-1111-4222-8333-0A0B0C0D0E0F"
    assert first["label"] == "esp part"


OLD_SFDISK = """Disk /dev/sdq: 2610 cylinders, 255 heads, 63 sectors/track
Units: {units}, counting from 0

   Device Boot {head}   Id  System
{rows}
/dev/sdq3         0      -      0          0    0  Empty
"""


def test_sfdisk_before_2_26_rounds_all_but_blocks_and_sectors() -> None:
    mib = OLD_SFDISK.format(
        units="1MiB = 1024*1024 bytes, blocks of 1024 bytes",
        head="Start   End    MiB    #blocks",
        rows="/dev/sdq1   *     1   1024   1024    1048576   83  Linux\n"
        "/dev/sdq2      1025- 20479- 19455-  19921920   8e  Linux LVM",
    )
    sectors = OLD_SFDISK.format(
        units="sectors of 512 bytes",
        head="   Start       End   #sectors",
        rows="/dev/sdq1   *      2048   2099199    2097152  83  Linux\n"
        "/dev/sdq2       2099200  41943039   39843840  8e  Linux LVM",
    )
    for given in (mib, sectors):
        _, first, second = (subject.values for subject in states(given)[0].subjects)
        assert (first["size"], second["size"]) == (1024 << 20, 19455 << 20)
        assert first["type"] == "83 Linux"
        assert first.get("start") == (None if given is mib else 2048 * 512)


@pytest.mark.parametrize(
    "sentence",
    [
        "Disk {} doesn't contain a valid partition table",
        "Le disque {} ne contient pas une table de partitions valable",
        "Festplatte {} enthält keine gültige Partitionstabelle",
        "El disco {} no contiene una tabla de particiones válida",
        "O disco {} não contém uma tabela de partições válida",
    ],
)
def test_a_disk_without_a_table_in_every_language(sentence: str) -> None:
    text = (
        "Disk /dev/sdq: 8589 MB, 8589934592 bytes\nUnits = sectors of 1 * 512 = 512 bytes\n"
        "Sector size (logical/physical): 512 bytes / 512 bytes\n\n{}\n"
    )
    (state,) = states(text.format(sentence.format("/dev/sdq")))
    values = facts(state)["sdq"]
    assert values["partition_table"] == "none"
    assert str(values["message"]) in sentence
    (other,) = states(text.format(sentence.format("/dev/sdr")))  # what is said of another disk
    assert "partition_table" not in facts(other)["sdq"]
