"""Partition tables: three tools printed the same disk, and agree."""

from __future__ import annotations

import subprocess
from pathlib import Path
from textwrap import indent

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-2.38"


def text(name: str) -> str:
    return (PLACE / f"{name}.txt").read_text()


def starts(given: str) -> list[Scalar]:
    return [
        thing.values.get("start") for state in states(given) for thing in state.subjects
        if thing.kind == "partition"
    ]  # fmt: skip


@pytest.mark.parametrize("tool", ["fdisk-gpt", "parted-s", "sgdisk"])
def test_three_tools_agree(tool: str) -> None:
    for shape, given in mangled(text(tool), wraps=False):
        assert starts(given) == [2048 * 512, 204800 * 512], shape


def test_where_the_figure_is_rounded_there_is_no_start() -> None:
    assert starts(text("parted")) == [None, None]
    (state,) = states(text("parted"))
    first, second = (thing.values for thing in state.subjects if thing.kind == "partition")
    assert (first["start_printed"], first["end_printed"]) == ("1049kB", "105MB")
    assert (second["start_printed"], second["end_printed"]) == ("105MB", "314MB")
    exact = [thing for state in states(text("parted-s")) for thing in state.subjects]
    assert not any("start_printed" in thing.values for thing in exact)


def test_what_sgdisk_says_above_its_table() -> None:
    (state,) = states(text("sgdisk"))
    disk = state.subjects[0].values
    assert disk["disk_identifier"] == "BD0A879D-DA97-473B-8936-F086FBF18FA0"
    assert (disk["partition_entries"], disk["alignment_sectors"]) == (128, 2048)
    assert (disk["first_usable_sector"], disk["last_usable_sector"]) == (34, 614366)
    assert disk["free_sectors"] == 4029


def test_flags_of_a_disk() -> None:
    flagged = text("parted").replace("Disk Flags: \n", "Disk Flags: pmbr_boot\n")
    assert states(flagged)[0].subjects[0].values["disk_flags"] == "pmbr_boot"
    assert "disk_flags" not in states(text("parted"))[0].subjects[0].values


def test_what_is_off_the_grid() -> None:
    given = text("fdisk-dos").replace("512 bytes / 512 bytes\nI/O", "512 bytes / 4096 bytes\nI/O")
    aligned = [
        thing.values["aligned_to_sector"] for state in states(given) for thing in state.subjects
        if thing.kind == "partition"
    ]  # fmt: skip
    assert aligned == [True, False]


@pytest.mark.parametrize(
    "near_miss",
    [
        'fdisk_info(cxt, _("Disk %s: %s, %ju bytes, %ju sectors"),',
        "Disk /dev/sda: the disk with the system on it\n\nIt has 3 partitions.",
        "Sector size (logical/physical) should be 512/4096 for such drives.",
        "mount: Disk /dev/sdb1: wrong fs type",
    ],
)
def test_sources_and_prose_are_no_tables(near_miss: str) -> None:
    assert read(near_miss) == []


def test_the_disks_model_and_its_old_geometry() -> None:
    text = (
        "Disk /dev/sdx: 10.7 GB, 10737418240 bytes\n255 heads, 63 sectors/track, 1305 cylinders\n"
        "Units = cylinders of 16065 * 512 = 8225280 bytes\n"
    )
    ((disk,),) = [state.subjects for state in states(text)]
    assert (disk.values["heads"], disk.values["cylinders"]) == (255, 1305)
    new = (
        "Disk /dev/sdy: 3.64 TiB, 4000787030016 bytes, 7814037168 sectors\n"
        "Disk model: EXAMPLE WD40-68C \nUnits: sectors of 1 * 512 = 512 bytes\n"
        "Sector size (logical/physical): 512 bytes / 4096 bytes\n"
    )
    ((disk,),) = [state.subjects for state in states(new)]
    assert disk.values["model"] == "EXAMPLE WD40-68C"


FDISK_DE = """Festplatte /dev/sdq: 931,51 GiB, 1000204886016 Bytes, 1953525168 Sektoren
Festplattenmodell: ACME HDD
Einheiten: Sektoren von 1 * 512 = 512 Bytes
Sektorgröße (logisch/physikalisch): 512 Bytes / 4096 Bytes
E/A-Größe (minimal/optimal): 4096 Bytes / 4096 Bytes
Festplattenbezeichnungstyp: gpt
Festplattenbezeichner: 1111

Gerät        Anfang       Ende   Sektoren  Größe Typ
/dev/sdq1      2048    1050623    1048576   512M EFI-System
/dev/sdq2   1050624 1953523711 1952473088   931G Linux-Dateisystem
"""
FDISK_ZH = """磁盘 /dev/sdq：1000.2 GB, 1000204886016 字节，1953525168 个扇区
Units = 扇区 of 1 * 512 = 512 bytes
扇区大小(逻辑/物理)：512 字节 / 4096 字节
I/O 大小(最小/最佳)：4096 字节 / 4096 字节
磁盘标签类型：gpt
磁盘标识符：0x0007076a

   设备 Boot      Start         End      Blocks   Id  System
/dev/sdq1   *        2048     1050623      524288   83  Linux
/dev/sdq2         1050624  1953523711   976236544   8e  Linux LVM
"""
FDISK_RU = """Диск /dev/sdq: 931,51 GiB, 1000204886016 байт, 1953525168 секторов
Единицы: секторов по 1 * 512 = 512 байт
Размер сектора (логический/физический): 512 байт / 4096 байт
Размер I/O (минимальный/оптимальный): 4096 байт / 4096 байт
Тип метки диска: gpt
Идентификатор диска: 0x1234

Устр-во      начало      Конец    Секторы Размер Тип
/dev/sdq1      2048    1050623    1048576   512M Linux
/dev/sdq2   1050624 1953523711 1952473088   931G Linux
"""
PARTED_DE = """Modell: ATA ACME (scsi)
Festplatte  /dev/sdq:  1953525168s
Sektorgröße (logisch/physisch): 512B/4096B
Partitionstabelle: gpt
Disk-Flags:

Nummer  Anfang    Ende         Größe        Dateisystem  Name  Flags
 1      2048s     1050623s     1048576s     ext4         data  raid
 2      1050624s  1953523711s  1952473088s
"""


@pytest.mark.parametrize("given", [FDISK_DE, FDISK_ZH, FDISK_RU, PARTED_DE])
def test_a_table_in_another_language(given: str) -> None:
    disk, *partitions = (thing for state in states(given) for thing in state.subjects)
    assert disk.values["partition_table"] == "gpt"
    assert disk.values["logical_block_size"] == 512
    assert disk.values["physical_block_size"] == 4096
    if given is not PARTED_DE:
        assert disk.values["size"] == 1000204886016
    assert [partition.name for partition in partitions] == ["sdq1", "sdq2"]
    assert starts(given) == [2048 * 512, 1050624 * 512]


def test_the_size_of_what_gdisk_prints() -> None:
    text = (
        "Disk /dev/sdq: 2000 sectors, 1000.0 KiB\nModel: ACME\n"
        "Sector size (logical/physical): 512/4096 bytes\n\n"
        "Number  Start (sector)    End (sector)  Size       Code  Name\n"
        "   1              34            1023   495.0 KiB   FD00  Linux RAID\n"
    )
    disk, partition = (thing for state in states(text) for thing in state.subjects)
    assert (disk.values["size"], disk.values["model"]) == (2000 * 512, "ACME")
    assert partition.values["size"] == 990 * 512
    assert "type" not in partition.values  # its code and its name have columns of their own
    assert partition.values["type_code"] == "FD00"


def test_a_sector_that_a_terminal_cut_is_left_out() -> None:
    text = (
        "Disk /dev/sdq: 1953525168 sectors, 931.5 GiB\n"
        "Sector size (logical/physical): 512/512 bytes\n"
        "Main partition table begins at sector 2 and ends at sector 3\n3\n"
        "First usable sector is 34, last usable sector is 1953525134\n"
        "Partitions will be aligned on 2048-sector boundaries\n"
    )
    (disk,) = (thing for state in states(text) for thing in state.subjects)
    assert "table_last_sector" not in disk.values
    whole = text.replace("sector 3\n3\n", "sector 33\n")
    (disk,) = (thing for state in states(whole) for thing in state.subjects)
    assert (disk.values["table_last_sector"], disk.values["last_usable_sector"]) == (33, 1953525134)


def test_old_fdisk_counts_blocks_and_cylinders() -> None:
    table = (
        "Disk /dev/sdq: 500.1 GB, 500107862016 bytes\n"
        "255 heads, 63 sectors/track, 60801 cylinders\n"
        "Units = {units}\nSector size (logical/physical): 512 bytes / 512 bytes\n\n"
        "   Device Boot      Start         End      Blocks   Id  System\n{row}\n"
    )
    in_sectors = table.format(
        units="sectors of 1 * 512 = 512 bytes",
        row="/dev/sdq1   *        2048     1050623      524288   83  Linux",
    )
    in_cylinders = table.format(
        units="cylinders of 16065 * 512 = 8225280 bytes",
        row="/dev/sdq1   *           1          13      104391   83  Linux",
    )
    sizes = []
    for given in (in_sectors, in_cylinders):
        _, partition = (thing for state in states(given) for thing in state.subjects)
        sizes.append((partition.values["size"], partition.values.get("start")))
    assert sizes == [(512 << 20, 2048 * 512), (104391 * 1024, None)]


OLD = """Disk /dev/sdq: 298.9 GB, 298999349248 bytes
255 heads, 63 sectors/track, 36351 cylinders
Units = cylinders of 16065 * 512 = 8225280 bytes
Disk identifier: 0x0badcafe

   Device Boot      Start         End      Blocks   Id  System
/dev/sdq1   *           1         131     1052226   83  Linux
/dev/sdq2             132       17624   140512522+  83  Linux
"""
SECTORS = """Model: Heron Pond (scsi)
Disk /dev/sdq: 32212254720s
Sector size (logical/physical): 512B/4096B
Partition Table: gpt

Number  Start  End           Size          File system  Name   Flags
 1      2048s  10737416191s  10737414144s               disks
"""


def test_blocks_of_an_old_table_are_kib_in_whatever_unit_the_places_are() -> None:
    """131 cylinders of 16065 sectors less the first track are 1052226 blocks of two sectors."""
    for shape, given in mangled(OLD, wraps=False):
        (state,) = states(given)
        disk, first, second = state.subjects
        assert disk.values["disk_identifier"] == "0x0badcafe", shape
        assert first.values["blocks"] == (131 * 16065 - 63) // 2
        assert first.values["size"] == 1052226 * 1024
        assert second.values["blocks"] == 140512522
        assert "start" not in first.values


def test_a_disk_that_parted_says_in_sectors_and_its_model_above() -> None:
    (entry,) = read(f"(parted) print\n{SECTORS}")
    assert entry.place.first_line <= 2
    (state,) = states(SECTORS)
    disk, part = state.subjects
    assert disk.values["model"] == "Heron Pond (scsi)"
    assert (disk.values["sectors"], disk.values["size"]) == (32212254720, 32212254720 * 512)
    assert part.values["size"] == 10737414144 * 512
    (cut,) = states(SECTORS.replace("Sector size (logical/physical): 512B/4096B\n", "Units: s\n"))
    assert "size" not in cut.subjects[0].values
    assert cut.subjects[0].values["sectors"] == 32212254720


@pytest.mark.parametrize(("line", "size"), [
    ("Disk /dev/sdq: 8344 MB, 8344002560 bytes", 8344002560),
    ("Disk /dev/sdq: 7.8 GiB, 8344002560 bytes, 16296880 sectors", 8344002560),
    ("Disk /dev/sdq: I bought it in 2019, 4 of them", None),
])  # fmt: skip
def test_the_line_of_a_disk_alone(line: str, size: int | None) -> None:
    sizes = [state.subjects[0].values["size"] for state in states(f"# fdisk -l /dev/sdq\n{line}\n")]
    assert sizes == ([size] if size else [])


def test_free_space_as_the_real_parted_prints_it(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(64 << 20)
    layout = ["mklabel", "gpt", "mkpart", "a", "1MiB", "10MiB", "mkpart", "b", "20MiB", "30MiB"]
    subprocess.run(["parted", "-s", str(image), *layout], check=True, capture_output=True)
    asked = ["parted", "-s", str(image), "unit", "MiB", "print", "free"]
    printed = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    (state,) = states(printed.replace(str(image), "/dev/sdq"))
    disk, *parts = state.subjects
    assert [part.name for part in parts] == ["sdq1", "sdq2"]
    assert (disk.values["free_areas"], disk.values.get("model")) == (3, None)
    assert disk.values["free_places"] == (
        "0.02MiB to 1.00MiB (0.98MiB), 10.0MiB to 20.0MiB (10.0MiB), 30.0MiB to 64.0MiB (34.0MiB)"
    )


def test_an_old_sfdisk_names_its_unit_with_an_equals_sign() -> None:
    text = (
        "Disk /dev/sdt: 9729 cylinders, 255 heads, 63 sectors/track\n"
        "Units = cylinders of 8225280 bytes, blocks of 1024 bytes, counting from 0\n\n"
        "   Device Boot Start     End   #cyls    #blocks   Id  System\n"
        "/dev/sdt1   *      0+     12-     13-    104391   83  Linux\n"
        "/dev/sdt2         13    9728    9716   78043770   8e  Linux LVM\n"
    )
    named = {subject.name: subject.values for subject in states(text)[0].subjects}
    assert named["sdt1"]["size"] == 104391 * 1024
    assert (named["sdt2"]["first_cylinder"], named["sdt2"]["last_cylinder"]) == (13, 9728)


OLD_SFDISK = """\
Disk /dev/sdv: 30401 cylinders, 255 heads, 63 sectors/track
Warning: extended partition does not start at a cylinder boundary.
DOS and Linux will interpret the contents differently.
Units = mebibytes of 1048576 bytes, blocks of 1024 bytes, counting from 0

   Device Boot Start   End    MiB    #blocks   Id  System
/dev/sdv1   *     1    500    500     512000   83  Linux
/dev/sdv2       501  238473- 237973- 243683328    5  Extended
/dev/sdv3         0      -      0          0    0  Empty
/dev/sdv5       502   8693   8192    8388608   82  Linux swap / Solaris

Disk /dev/sdw: 1020 cylinders, 125 heads, 62 sectors/track
sfdisk: Warning: The partition table looks like it was made
  for C/H/S=*/54/9 (instead of 1020/125/62).
For this listing I'll assume that geometry.
Units: blocks of 1024 bytes, counting from 0

   Device Boot   Start       End    #blocks   Id  System
/dev/sdw1   *     1024   3953663    3952640    b  W95 FAT32
\t\tstart: (c,h,s) expected (4,11,6) found (0,32,33)
/dev/sdw2      3953664   3957759       4096   83  Linux
"""


def test_an_old_sfdisk_counts_mebibytes_or_blocks_between_its_warnings() -> None:
    for given in (OLD_SFDISK, indent(OLD_SFDISK, "    ")):
        named = {
            subject.name: subject.values for each in states(given) for subject in each.subjects
        }
        assert named.keys() == {"sdv", "sdv1", "sdv2", "sdv5", "sdw", "sdw1", "sdw2"}
        assert (named["sdv1"]["size"], named["sdv1"]["blocks"]) == (512000 * 1024, 512000)
        assert named["sdv5"]["size"] == 8388608 * 1024, "not 8192 sectors"
        assert named["sdw1"]["size"] == 3952640 * 1024
        assert named["sdw2"]["size"] == 4096 * 1024
        assert not {"first_sector", "last_sector"} & {*named["sdv5"], *named["sdw1"]}


def test_rows_of_an_old_sfdisk_alone_are_no_sectors() -> None:
    rows = (
        "/dev/sdv5       502   8693   8192    8388608   82  Linux swap / Solaris\n"
        "/dev/sdv6      8694  16885   8192    8388608   83  Linux\n"
    )
    assert states(rows) == []


PARTED = (
    "Model: ATA STORE (scsi)\nDisk /dev/sdq: 53.7GB\nSector size (logical/physical): 512B/512B\n"
    "Partition Table: msdos\nDisk Flags:\n\nNumber Start End Size Type File system Flags\n"
    " 1 1049kB 10.0GB 9999MB primary {}\n"
)


@pytest.mark.parametrize(("rest", "expected"), [
    ("ext4 boot, lba", {"fstype": "ext4", "flags": "boot, lba"}), ("ext4", {"fstype": "ext4"}),
    ("lvm", {"flags": "lvm"}), ("", {}),
])  # fmt: skip
def test_columns_whose_blanks_were_lost(rest: str, expected: dict[str, str]) -> None:
    (state,) = states(PARTED.format(rest))
    values = state.subjects[1].values
    assert values["role"] == "primary"
    assert {name: values[name] for name in ("fstype", "flags") if name in values} == expected
    assert "type" not in values


def test_words_in_doubt_stay_as_they_stand() -> None:
    (state,) = states(PARTED.format("some thing boot"))
    assert state.subjects[1].values["type"] == "primary some thing boot"


def test_rows_of_another_disk_are_not_below_this_one() -> None:
    (state,) = states(
        "Disk /dev/mapper/vg0-a: 261 cylinders, 255 heads, 63 sectors/track\n"
        "Units: cylinders of 8225280 bytes, blocks of 1024 bytes, counting from 0\n\n"
        "   Device Boot Start     End   #cyls    #blocks   Id  System\n"
        "/dev/sdq1   *      0+    130-    131-   1048576   83  Linux\n"
    )
    partition = next(thing for thing in state.subjects if thing.kind == "partition")
    assert partition.name == "sdq1"
    assert "below" not in partition.values


def test_types_and_names_of_a_table_of_gpt_as_fdisk_printed_it_once() -> None:
    (state,) = states(
        "Disk /dev/sdq: 6000.1 GB, 6000069312512 bytes, 11718885376 sectors\n"
        "Units = sectors of 1 * 512 = 512 bytes\n"
        "Sector size (logical/physical): 512 bytes / 512 bytes\nDisk label type: gpt\n\n"
        "#         Start          End    Size  Type            Name\n"
        " 1         2048  11718881279    5.5T  Linux filesyste stock\n"
        " 2  11718881280  11718883327      1M  EFI System      \n"
    )
    stock, efi = (thing.values for thing in state.subjects if thing.kind == "partition")
    assert (stock["type"], stock["label"]) == ("Linux filesyste", "stock")
    assert efi["type"] == "EFI System"
    assert "label" not in efi


CYLINDERS = """\
Disk /dev/sdq: 2003 MB, 2003828736 bytes
62 heads, 62 sectors/track, 1018 cylinders
Units = cylinders of 3844 * 512 = 1968128 bytes
Disk identifier: 0xa8990a01

   Device Boot      Start         End      Blocks   Id  System
/dev/sdq1               1        1018     1956595+  83  Linux
"""
FILLED = """\
Disk /dev/sdq: 2003 MByte, 2003828736 bytes 62 heads, 62 sectors/track, 1018
cylinders Units = cylinders of 3844 * 512 = 1968128 bytes Disk identifier:
0xa8990a01

Device Boot      Start         End      Blocks   Id  System
/dev/sdq1            1        1018     1956595+  83  Linux
"""


@pytest.mark.parametrize("text", [CYLINDERS, FILLED, CYLINDERS.replace("3844 *", "3844 \\*")])
def test_cylinders_also_where_the_lines_above_were_filled_up(text: str) -> None:
    (state,) = states(text)
    disk, partition = state.subjects
    assert disk.values["cylinder_size"] == 1_968_128
    assert disk.values["disk_identifier"] == "0xa8990a01"
    assert (disk.values["cylinders"], disk.values["size"]) == (1018, 2_003_828_736)
    assert (partition.name, partition.values["size"]) == ("sdq1", 1956595 * 1024)
    assert partition.values["last_cylinder"] == 1018


def test_a_number_alone_above_a_table_is_none_of_it() -> None:
    (state,) = states(CYLINDERS.replace("\n\n", "\n0xdeadbeef0\n\n"))
    assert [each.name for each in state.subjects] == ["sdq"]
