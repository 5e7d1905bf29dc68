"""df in several languages, of inodes, and what looks like its head."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import states, subjects_in


def _mounted(text: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text)}


@pytest.mark.parametrize("head", [
    "Filesystem     1K-blocks     Used Available Use% Mounted on",
    "文件系统          1K-块      已用     可用 已用% 挂载点",
    "Dateisystem    1K-Blöcke  Benutzt Verfügbar Verw% Eingehängt auf",
    "Sys. de fichiers blocs de 1K Utilisé Disponible Uti% Monté sur",
    "S.ficheros     bloques de 1K Usados Disponibles Uso% Montado en",
    "Файловая система 1K-блоков Использовано Доступно Использовано% Cмонтировано в",
])  # fmt: skip
def test_heads_in_the_languages_of_coreutils(head: str) -> None:
    text = f"{head}\n/dev/sdq1        4120476   824096   3066412  22% /srv/q\n"
    assert _mounted(text)["/srv/q"] == {
        "device": "/dev/sdq1", "size": 4120476 << 10, "used": 824096 << 10,
        "available": 3066412 << 10, "used_share": 0.22,
    }  # fmt: skip


def test_decimal_commas_and_how_full() -> None:
    text = "Dateisystem Größe Benutzt Verf. Verw% Eingehängt auf\n/dev/sdq1 3,5T 2,0T 1,5T 58% /q\n"
    values = _mounted(text)["/q"]
    assert (values["size"], values["used_share"]) == (round(3.5 * 2**40), 0.58)


@pytest.mark.parametrize("kind", ["fuse.fuse-overlayfs", "fuse.sshfs", "9p", "ext4"])
def test_types_have_hyphens_and_digits(kind: str) -> None:
    text = (
        f"Filesystem Type Size Used Avail Use% Mounted on\nsome-fs {kind} 939G 822G 117G 88% /q\n"
    )
    (subject,) = subjects_in(text)
    assert (subject.kind, subject.name) == (kind, "/q")
    assert (subject.values["size"], subject.values["used_share"]) == (939 << 30, 0.88)


def test_inodes_are_no_bytes() -> None:
    text = (
        "Filesystem       Inodes  IUsed    IFree IUse% Mounted on\n"
        "/dev/sdq1       2621440 118201  2503239    5% /q\n"
    )
    assert _mounted(text)["/q"] == {
        "device": "/dev/sdq1", "inodes": 2621440, "inodes_used": 118201,
        "inodes_free": 2503239, "inodes_used_share": 0.05,
    }  # fmt: skip


def test_rows_that_grep_left_without_their_head(tmp_path: Path) -> None:
    printed = subprocess.run(
        ["df", tmp_path], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}
    ).stdout
    row = printed.splitlines()[1]
    (point, values), *_ = _mounted(f"$ df | grep {row.split()[0]}\n{row}\n").items()
    status = os.statvfs(tmp_path)
    assert (point, values["size"]) == (row.split()[5], status.f_blocks * status.f_frsize)
    of_human = "# df -h | grep osd\n/dev/sdq1 1.8T 1.6T 237G 88% /q\n\n/dev/sdr1 1.8T 1G 2T 1% /r\n"
    assert _mounted(of_human)["/q"]["used_share"] == 0.88
    assert set(_mounted(of_human)) == {"/q", "/r"}
    for bare in ("df -h | grep osd", "df -h|grep -i 'osd'", "sudo df -h /q | tail -1"):
        assert set(_mounted(of_human.replace("# df -h | grep osd", f"\n```\n{bare}"))) == {
            "/q",
            "/r",
        }
    for prose in ("df -h | grep osd shows me:", "du -h | grep osd", "df -h | awk 1"):
        assert _mounted(of_human.replace("# df -h | grep osd", prose)) == {}
    assert _mounted(f"$ cat table | grep osd\n{row}\n") == {}
    assert _mounted(row) == {}


def test_rows_that_an_author_chose() -> None:
    row = "/dev/sdq1        96G  4.4G   91G   5% /q\n"
    head = "Filesystem       Size  Used Avail Use% Mounted on\n"
    whole = _mounted(f"# df -h\n{head}{row}")
    assert whole["/q"]["used_share"] == 0.05
    for chosen in (f"# df -h\n{row}", f"# df -h\n...\n{row}", f"# df -h\n{head}[...]\n{row}"):
        assert _mounted(chosen) == whole
    for bare in (f"mount /q\ndf -h\n...\n{row}", f"df -h\n{row}"):
        assert _mounted(bare) == whole
    assert _mounted(f"# df -m\n{row}") == {}  # whose unit is another
    assert _mounted(f"the df -h\n{row}") == {}


@pytest.mark.parametrize("text", [
    "文件系统 的 已用% 很高\n/dev/sdq1 is full\n",
    "Das Dateisystem ist zu 58 Verw% voll, sagt df\n",
    "The column IUse% Mounted on / shows 100%\n",
])  # fmt: skip
def test_talk_of_columns_is_no_table(text: str) -> None:
    assert _mounted(text) == {}


def test_a_file_system_of_exbibytes() -> None:
    text = "Filesystem  Size  Used Avail Use% Mounted on\n/dev/md7    8.0E  1.3T  8.0E   1% /mnt\n"
    (mount,) = subjects_in(text)
    assert (mount.values["size"], mount.values["used"]) == (2**63, round(1.3 * 2**40))


NOTES = (
    "- df -i\n  - oak  27044871168 8 27044871160 1% /srv/data\n"
    "- df -B128K\n  - oak  105644028 1 105644027 1% /srv/data\n"
    "- df -h\n  - oak  13T 128K 13T 1% /srv/data\n"
    "- df -h -B 1\n  - oak  13846974038016 131072 13846973906944 1% /srv/data\n"
)


def test_rows_without_a_head_by_the_options_of_their_command() -> None:
    inodes, blocks, human, exact = (dict(subject.values) for subject in subjects_in(NOTES, "df"))
    assert (inodes["inodes"], inodes["inodes_used"], inodes["device"]) == (27044871168, 8, "oak")
    assert (blocks["size"], blocks["used"]) == (105644028 << 17, 128 << 10)
    assert (human["size"], human["used"]) == (13 << 40, 128 << 10)
    assert (exact["size"], exact["used"]) == (13846974038016, 131072)
    assert not subjects_in(NOTES.replace("df -", "du -"), "df")
    assert not subjects_in("- df is slow\n  - oak  13T 128K 13T 1% /srv/data\n", "df")


PYDF = """\
$ pydf
Filesystem Size Used Avail Use%             Mounted on
/dev/sdv6   96G  43G   48G 44.7 [####.....] /
/dev/sdv8  195G 153G   32G 78.4 [#######..] /srv/media
"""


def test_a_bar_of_pydf_is_no_column() -> None:
    mounted = _mounted(PYDF)
    root, media = mounted["/"], mounted["/srv/media"]
    assert (root["size"], root["used_share"]) == (96 << 30, 0.447)
    assert (media["available"], media["used_share"]) == (32 << 30, 0.784)
    assert _mounted(PYDF.replace("[", "(").replace("]", ")")) == {}


def test_a_complaint_between_rows_ends_no_table() -> None:
    text = (
        "Filesystem     1K-blocks  Used Available Use% Mounted on\n"
        "/dev/sda1         100000 50000     50000  50% /\n"
        "df: /mnt/far: Stale file handle\n"
        "/dev/sdb1          10871 10625         0 100% /mnt\n"
        "df: /mnt/farther: No such file or directory\n"
    )
    assert [subject.name for state in states(text) for subject in state.subjects] == ["/", "/mnt"]


SEEN = (
    "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sdb1       3.0T  {}  2.9T   1% /data\n"
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (f"```\n# df -H\n```\n\nSample outputs:\n```\n{SEEN.format('211M')}```\n", 3.0e12),
        (f"```\n# df -h\n```\n\nSample outputs:\n```\n{SEEN.format('211M')}```\n", 3.0 * 2**40),
        (SEEN.format("123k"), 3.0e12),  # GNU's small k is 1000 bytes
        (SEEN.format("64.0k"), 3.0 * 2**40),  # old BusyBox' is not
        (SEEN.format("123K"), 3.0 * 2**40),
        (f"# df -H\n# df -h /data\n{SEEN.format('211M')}", 3.0 * 2**40),  # of another command
    ],
)
def test_what_the_letters_count(text: str, size: float) -> None:
    assert _mounted(text)["/data"]["size"] == size
