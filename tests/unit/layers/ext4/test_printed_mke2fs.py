"""mke2fs. Oracle: the real program, and what dumpe2fs says of the same image."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.layers.ext4 import mke2fs_languages
from iosonde.layers.ext4.printed_mke2fs import Mke2fs
from tests.mangle import mangled, read, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "e2fsprogs-1.47" / "mke2fs.txt").read_text()
MIB = 1 << 20


def _made(text: str) -> dict[str, dict[str, object]]:
    return {
        f"{subject.kind} {subject.name}": dict(subject.values)
        for subject in subjects_in(text, Mke2fs.tool)
    }


def _run(*argv: str | Path) -> str:
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=True,
                          env={"LC_ALL": "C"})  # fmt: skip
    return done.stderr + done.stdout


@pytest.mark.parametrize("verbose", [("-v",), ()])
def test_what_the_real_program_makes(tmp_path: Path, verbose: tuple[str, ...]) -> None:
    image = tmp_path / "disk.img"
    with image.open("wb") as file:
        file.truncate(64 * MIB)
    arguments: tuple[str | Path, ...] = (
        "-t", "ext4", *verbose, "-L", "pool", "-b", "4096",
        "-E", "stride=16,stripe_width=64", image,
    )  # fmt: skip
    said = _run("/sbin/mke2fs", *arguments)
    command = f"# mke2fs {' '.join(map(str, arguments))}\n"
    ((name, values),) = _made(command + said).items()
    assert name == f"ext4 {image}"
    superblock = f"# dumpe2fs -h {image}\n{_run('/sbin/dumpe2fs', '-h', image)}"
    ((of_dumpe2fs,),) = [state.subjects for state in states(superblock)]
    shared = values.keys() & of_dumpe2fs.values.keys()
    expected = {"blocks", "inodes", "block_size", "journal_size"}
    if verbose:
        expected |= {"reserved_blocks", "stripe_unit", "stripe_width", "fragment_size",
                     "first_block", "blocks_per_group", "fragments_per_group",
                     "inodes_per_group"}  # fmt: skip
        assert values["label"] == "pool"
    assert shared == expected
    assert {key: values[key] for key in shared} == {key: of_dumpe2fs.values[key] for key in shared}


def test_an_old_one_of_a_stripe() -> None:
    # Source: sparse_super keeps copies in groups 1 and those that are powers of 3, 5 and 7
    groups = sorted({1, *(base**power for base in (3, 5, 7) for power in range(1, 9))})
    copies = [32768 * group for group in groups if group < 1789]
    assert _made(TEXT) == {
        "ext4 md7": {
            "block_size": 4096, "stripe_unit": 512 << 10, "stripe_width": 3 * MIB,
            "inodes": 14655488, "blocks": 58599574, "reserved_blocks": 2929978,
            "block_groups": 1789, "journal_size": 128 * MIB, "mke2fs_version": "1.42.9",
            "mke2fs_date": "28-Dec-2013", "reserved_share": 0.05, "fragment_size": 4096,
            "first_block": 0, "max_blocks": 1 << 32, "blocks_per_group": 32768,
            "fragments_per_group": 32768, "inodes_per_group": 8192,
            "superblock_copies": " ".join(map(str, copies)),
        }
    }  # fmt: skip


@pytest.mark.parametrize("text", [
    "Creating filesystem with 12 blocks is quick\n",
    "Block size=4096 of course\n",
    "5% of the blocks are reserved for the super user\n",
    "Creating journal (I wait for it)\n",
])  # fmt: skip
def test_what_looks_like_it(text: str) -> None:
    assert not _made(text)


def test_nothing_but_a_label_is_unread() -> None:
    (entry,) = read("Filesystem label=\n")
    assert "nothing of the file system" in str(entry)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    if shape == "with blank lines":
        return  # its version stands alone there, and a reader of versions has it
    assert _made(text) == _made(TEXT), shape


@pytest.mark.parametrize("date", ["28-Dec-2013", "10-July-2018"])
def test_versions_name_their_month_short_or_long(date: str) -> None:
    """Source: e2fsprogs version.h, E2FSPROGS_DATE of 1.42.9 and 1.44.3."""
    (state,) = states(
        f"mke2fs 1.44.3 ({date})\nCreating filesystem with 4096 4k blocks and 1024 inodes\n"
    )
    assert state.subjects[0].values["mke2fs_version"] == "1.44.3"


FRENCH = """# mkfs.ext4 -L vide /dev/vg7/srv
mke2fs 1.42.13 (17-May-2015)
En train de créer un système de fichiers avec 1310720 4k blocs et 327680 i-noeuds.
UUID de système de fichiers=0c2ad4e8-6a54-4f13-b7d6-2d4f0c5b9a11
Superblocs de secours stockés sur les blocs :
	32768, 98304, 163840, 229376,
	294912

Allocation des tables de groupe : complété
Écriture des tables d'i-noeuds : complété
Création du journal (32768 blocs) : complété
"""


def test_another_language_says_the_same() -> None:
    printed = FRENCH.replace(" :\n", "\u00a0: \n")  # as French has it
    for shape, text in mangled(printed, wraps=False):
        if shape == "with blank lines":
            continue
        ((name, values),) = _made(text).items()
        assert name == "ext4 vg7/srv", shape
        assert values == {
            "mke2fs_version": "1.42.13", "mke2fs_date": "17-May-2015", "block_size": 4096,
            "blocks": 1310720, "inodes": 327680, "journal_size": 128 * MIB,
            "uuid": "0c2ad4e8-6a54-4f13-b7d6-2d4f0c5b9a11",
            "superblock_copies": "32768 98304 163840 229376 294912",
        }, shape  # fmt: skip


def test_every_language_says_what_english_does() -> None:
    figures = ["4096", "8", "512"]
    for english, forms in mke2fs_languages._FORMS.items():
        count = english.count("{}")
        for form in forms:
            texts = ["5,00" if "%" in form and at else figures[at] for at in range(count)]
            if "UUID" in english:
                texts = ["0c2ad4e8-6a54-4f13-b7d6-2d4f0c5b9a11"]
            line = mke2fs_languages.in_english(form.format(*texts))
            expected = english.format(*(text.replace(",", ".") for text in texts))
            assert line == expected, form
    assert mke2fs_languages.in_english("Der Bloque ist 4 Blöcke lang") == (
        "Der Bloque ist 4 Blöcke lang"
    )


@pytest.mark.parametrize(("said", "discarded", "error"), [
    ("done", True, None), ("      0/26214400\b\b\b\b\b\bdone", True, None),
    ("failed - Operation not supported", False, "Operation not supported"),
    ("      0/26214400", None, None),
])  # fmt: skip
def test_whether_the_blocks_were_discarded(
    said: str, discarded: bool | None, error: str | None
) -> None:
    text = (
        f"# mkfs.ext4 /dev/sdx1\nmke2fs 1.46.5 (30-Dec-2021)\nDiscarding device blocks: {said}\n"
        "Creating filesystem with 5242368 4k blocks and 1310720 inodes\n"
    )
    ((_, values),) = _made(text).items()
    assert (values.get("discarded"), values.get("discard_error")) == (discarded, error)
    assert values["blocks"] == 5242368


HELD = (
    "# mkfs.ext4 /dev/grove/oak\nmke2fs 1.47.0 (5-Feb-2023)\n{held}\n"
    "Proceed anyway? (y,N) y\nCreating filesystem with 417792 4k blocks and 104624 inodes\n"
)


@pytest.mark.parametrize(("held", "kind"), [
    ("/dev/grove/oak contains a btrfs file system", "btrfs"),
    ("/dev/grove/oak contains a xfs file system labelled 'oak'", "xfs"),
    ("/dev/grove/oak contains an ext4 file system\n\tlast mounted on /oak on Tue Jan  2 2024",
     "ext4"),
    ("Found a dos partition table in /dev/grove/oak", "dos partition table"),
    ("/dev/grove/oak contains `LUKS encrypted file' data", "LUKS encrypted file"),
])  # fmt: skip
def test_what_the_device_held_before(held: str, kind: str) -> None:
    (state,) = states(HELD.format(held=held))
    assert state.subjects[0].values["contains"] == kind
    assert state.messages == (held.partition("\n")[0],)


def test_a_device_that_held_nothing() -> None:
    (state,) = states(HELD.replace("{held}\nProceed anyway? (y,N) y\n", ""))
    assert "contains" not in state.subjects[0].values
    assert not state.messages
