"""What iosonde keeps on a host is its user's alone: nobody else's is believed, followed or run."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from iosonde import private_folder
from iosonde.change.at_work import holding
from iosonde.change.journal import Journal
from iosonde.change.keep import FileChange, write
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from iosonde.hosts.private import functions, require_private
from iosonde.hosts.ssh.process import command_line
from iosonde.lab.state import labs
from iosonde.measure.workplace import workplace
from tests.hostile.conftest import COMMAND, Stranger, clean_environment
from tests.loop.devices import loop_device

pytestmark = pytest.mark.root

Wrap = Callable[[Sequence[str | Path]], list[str]]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


# ---- what is private, by the shell on any host and by Python on this one


def _open(place: Path, _: Stranger) -> Path:
    place.mkdir()
    place.chmod(0o777)
    return place


def _of_a_group(place: Path, him: Stranger) -> Path:
    place.mkdir()
    os.chown(place, 0, him.gid)
    place.chmod(0o770)
    return place


def _sticky(place: Path, _: Stranger) -> Path:
    place.mkdir()
    place.chmod(0o1777)
    return place


def _his(place: Path, him: Stranger) -> Path:
    place.mkdir(mode=0o700)
    os.chown(place, him.uid, him.gid)
    return place


def _link(place: Path, _: Stranger) -> Path:
    place.with_name("there").mkdir(mode=0o700)
    place.symlink_to("there")
    return place


def _dangling(place: Path, _: Stranger) -> Path:
    place.symlink_to("nowhere")
    return place


def _file(place: Path, _: Stranger) -> Path:
    place.touch(0o600)
    return place


def _below_his(place: Path, him: Stranger) -> Path:
    inside = _his(place, him) / "ours"
    inside.mkdir(mode=0o700)
    return inside


def _to_be_made_below_his(place: Path, him: Stranger) -> Path:
    return _his(place, him) / "ours" / "deeper"


def _below_open(place: Path, him: Stranger) -> Path:
    inside = _open(place, him) / "ours"
    inside.mkdir(mode=0o700)
    return inside


def _by_his_link(place: Path, him: Stranger) -> Path:
    there = place.with_name("there")
    (there / "ours").mkdir(mode=0o700, parents=True)
    place.symlink_to("there")
    os.chown(place, him.uid, him.gid, follow_symlinks=False)
    return place / "ours"


def _by_a_link_to_his(place: Path, him: Stranger) -> Path:
    _below_his(place.with_name("his"), him)
    place.symlink_to("his")
    return place / "ours"


def _up_from_his(place: Path, him: Stranger) -> Path:
    place.with_name("ours").mkdir(mode=0o700)
    _his(place, him)
    place.with_name("link").symlink_to(f"{place.name}/../ours")
    return place.with_name("link") / "deeper"


def _in_a_ring(place: Path, _: Stranger) -> Path:
    place.symlink_to(place.name)
    return place / "ours"


ATTACKS = [
    _open, _of_a_group, _sticky, _his, _link, _dangling, _file, _below_his, _to_be_made_below_his,
    _below_open, _by_his_link, _by_a_link_to_his, _up_from_his, _in_a_ring,
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
async def test_a_place_that_others_can_change_is_refused(
    attack: Callable[[Path, Stranger], Path], open_folder: Path, stranger: Stranger
) -> None:
    place = attack(open_folder / "place", stranger)
    before = sorted(open_folder.rglob("*"))
    for make in (False, True):
        with pytest.raises(Refused, match="another user could"):
            await require_private(LocalHost(), str(place), make=make)
    with pytest.raises(Refused, match="another user could"):
        private_folder.make_private(place)
    assert sorted(open_folder.rglob("*")) == before


@pytest.mark.parametrize("plant", ["writable", "his", "link", "pipe"])
async def test_something_of_others_in_a_private_place_is_refused(
    plant: str, tmp_path: Path, stranger: Stranger
) -> None:
    place = tmp_path / "state" / "below"
    place.mkdir(parents=True)
    inside = place / "journal"
    if plant == "link":
        inside.symlink_to("/etc/hostname")
    elif plant == "pipe":
        os.mkfifo(inside, 0o600)
    else:
        inside.touch()
        inside.chmod(0o666 if plant == "writable" else 0o644)
        os.chown(inside, stranger.uid if plant == "his" else 0, 0)
    with pytest.raises(Refused, match="belongs to another user, is writable by others, or"):
        await require_private(LocalHost(), str(tmp_path / "state"))


async def test_places_that_are_ours_are_not(open_folder: Path) -> None:
    """Near misses: below a sticky one, by a link of ours, readable by others, with odd names."""
    sticky = open_folder / "sticky"
    sticky.mkdir()
    sticky.chmod(0o1777)
    open_folder.joinpath("link").symlink_to("sticky/../sticky")
    earlier = sticky / "of an earlier version"
    earlier.mkdir(mode=0o755)
    (earlier / "rollback").touch(0o755)
    for place in (sticky / "new" / "deeper", earlier, open_folder / "link" / "it's $HOME"):
        await require_private(LocalHost(), str(place))
        await require_private(LocalHost(), str(place), make=True)
        assert mode(place) == 0o700
        assert private_folder.make_private(place) == place


def test_what_is_roots_is_not_unsafe_to_others_but_out_of_reach(stranger: Stranger) -> None:
    script = f'{functions()}\n"$@"'
    asked = ["sh", "-c", script, "sh", "private_places", "/root"]
    done = stranger.run(*asked, check=False)
    assert (done.returncode, done.stderr) == (78, b"/root belongs to root\n")


def test_what_is_made_has_its_mode_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private_folder.make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


# ---- the journal of settings


_SET = (
    'mount -t tmpfs -o mode=755 tmpfs /var/lib && umask 000 && eval "$PLANT" && '
    '"$@"; told=$?; eval "$LOOK"; exit $told'
)


def _set(
    unshared: Wrap, device: str, home: Path, *, plant: str = ":", look: str = ":"
) -> subprocess.CompletedProcess[str]:
    """Change a setting with umask 000, in a mount namespace where /var/lib is empty."""
    name = f"{device.removeprefix('/dev/')}.nomerges"
    value = Path(f"/sys/block/{device.removeprefix('/dev/')}/queue/nomerges").read_text().strip()
    change = f"{name}={'1' if value != '1' else '2'}"
    return subprocess.run(
        unshared(["sh", "-c", _SET, "sh", *COMMAND, "set", change]),
        env={**clean_environment(home), "PLANT": plant, "LOOK": look},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip


_AS_HIM = "setpriv --reuid=64123 --regid=64123 --clear-groups"


def test_with_umask_0_nobody_else_can_replace_what_root_will_run(
    unshared: Wrap, device: str, tmp_path: Path
) -> None:
    look = (
        f'{_AS_HIM} sh -c \'cd /var/lib; for file in iosonde/*; do echo >>"$file" && echo written; '
        "done; mv iosonde other && echo moved; echo true >iosonde/rollback && echo replaced; "
        "ls iosonde && echo seen' 2>/dev/null; find /var/lib/iosonde -perm /077; "
        "sh /var/lib/iosonde/rollback"
    )
    done = _set(unshared, device, tmp_path, look=look)
    assert done.returncode == 0, done.stderr
    assert "back\t" in done.stdout, done.stdout
    for word in ("written", "moved", "replaced", "seen", "/var/lib"):
        assert word not in done.stdout, done.stdout


_PLANTS = {
    "of another owner": "mkdir -m 755 /var/lib/iosonde; chown 64123 /var/lib/iosonde",
    "open to all": "mkdir -m 777 /var/lib/iosonde",
    "a link": "mkdir -m 755 /var/lib/x; ln -s x /var/lib/iosonde",
    "a file open to all": "mkdir -m 755 /var/lib/iosonde; touch /var/lib/iosonde/journal; "
    "chmod 666 /var/lib/iosonde/journal",
    "a script of another owner": "mkdir -m 755 /var/lib/iosonde; touch /var/lib/iosonde/rollback; "
    "chown 64123 /var/lib/iosonde/rollback",
    "a journal that is a link": "mkdir -m 755 /var/lib/iosonde; echo old >/var/lib/victim; "
    "ln -s ../victim /var/lib/iosonde/journal",
    "in a directory of another owner": "chown 64123 /var/lib",
}


@pytest.mark.parametrize("plant", _PLANTS)
def test_a_planted_directory_of_state_is_refused(
    plant: str, unshared: Wrap, device: str, tmp_path: Path
) -> None:
    queue = Path(f"/sys/block/{device.removeprefix('/dev/')}/queue/nomerges")
    before = queue.read_text()
    trap = (
        f"{_PLANTS[plant]}; [ ! -d /var/lib/iosonde ] || [ -e /var/lib/iosonde/rollback ] || "
        "{ echo 'touch /var/lib/trapped' >/var/lib/iosonde/rollback; "
        "chmod 755 /var/lib/iosonde/rollback; }"
    )
    done = _set(unshared, device, tmp_path, plant=trap, look="ls /var/lib; cat /var/lib/victim")
    assert done.returncode == 3, done.stderr
    assert "another user could" in done.stderr
    assert "trapped" not in done.stdout
    assert plant != "a journal that is a link" or "old\n" in done.stdout
    assert queue.read_text() == before


def test_a_directory_of_an_earlier_version_is_taken_over(
    unshared: Wrap, device: str, tmp_path: Path
) -> None:
    plant = "mkdir -m 755 /var/lib/iosonde; (umask 022; touch /var/lib/iosonde/journal)"
    done = _set(unshared, device, tmp_path, plant=plant, look="stat -c %a /var/lib/iosonde")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "700"


# ---- the record of what was built, and its lock


async def test_a_record_that_another_user_wrote_is_not_read(
    open_folder: Path, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_folder / "built"
    monkeypatch.setattr("iosonde.change.journal.FOLDER", str(place))
    monkeypatch.setattr("iosonde.change.journal.LOCKS", str(open_folder / "locks"))
    await Journal.read(LocalHost(), "s")  # nothing is there
    _his(place, stranger)
    stranger.run("sh", "-c", f"echo '{{}}' > '{place}/s'")
    with pytest.raises(Refused, match="another user could"):
        await Journal.read(LocalHost(), "s")


async def test_nobody_else_can_hold_the_lock_of_a_stack(
    open_folder: Path, stranger: Stranger
) -> None:
    lock = open_folder / "locks" / "iosonde-s.lock"
    assert (await LocalHost().run(holding(str(lock), ["true"]))).status == 0
    assert lock.exists()
    assert stranger.run("flock", "-n", str(lock), "true", check=False).returncode != 0
    assert (await LocalHost().run(holding(str(lock), ["true"]))).status == 0


def test_the_lock_lies_in_a_directory_of_its_own() -> None:
    assert Journal(LocalHost(), "s").lock == "/run/iosonde/iosonde-s.lock"


# ---- directories for a while, files, what commands make


@pytest.mark.parametrize("attack", [_open, _his, _of_a_group, _by_his_link, _below_his])
async def test_a_temporary_directory_is_not_made_where_others_could_exchange_it(
    attack: Callable[[Path, Stranger], Path], open_folder: Path, stranger: Stranger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    place = attack(open_folder / "place", stranger)
    monkeypatch.setenv("TMPDIR", str(place))
    with pytest.raises(Refused, match="another user could"):
        async with workplace(LocalHost()):
            pass
    line = command_line(["cat"], 3, ("", ""))  # what an ssh host is given
    done = subprocess.run(["sh", "-c", line], input=b"abc", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (77, b"-\n")
    assert list(place.iterdir()) == []


async def test_a_temporary_directory_in_a_sticky_one_is_ours_alone(
    open_folder: Path, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = _sticky(open_folder / "place", stranger)
    monkeypatch.setenv("TMPDIR", str(place))
    async with workplace(LocalHost()) as directory:
        assert mode(Path(directory)) == 0o700
        assert stranger.run("mv", directory, f"{directory}.x", check=False).returncode != 0
    line = command_line(["cat"], 3, ("", ""))
    with subprocess.Popen(
        ["sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:  # its standard input stays open: at its end it would take its caller for lost
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"abc")
        running.stdin.flush()
        assert running.stdout.read() == b"-\nabc"
        assert running.wait() == 0
    assert list(place.iterdir()) == []


_UNDER_UMASK_0 = """\
import asyncio, os, sys
os.umask(0)
from iosonde.hosts.local import LocalHost
asyncio.run(LocalHost().run(["sh", "-c", 'mkdir "$1" && touch "$1/file"', "sh", sys.argv[1]]))
"""


def test_what_commands_make_is_not_open_to_all_under_umask_0(tmp_path: Path) -> None:
    place = tmp_path / "made"
    subprocess.run([sys.executable, "-c", _UNDER_UMASK_0, place], check=True)
    assert (mode(place), mode(place / "file")) == (0o755, 0o644)
    line = command_line(["sh", "-c", "umask"], 0, ("", ""))
    assert _printed_alive(line, umask=0) == "-\n0022\n"
    assert _printed_alive(line, umask=0o077) == "-\n0077\n"


def _printed_alive(line: str, umask: int) -> str:
    """Standard output of `line`, whose input stays open: the runner ends a command when it ends."""
    with subprocess.Popen(
        ["sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, umask=umask
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        assert process.wait(20) == 0
    return printed


async def test_configuration_that_is_a_link_is_changed_where_it_is(
    open_folder: Path, stranger: Stranger
) -> None:
    real, link = open_folder / "real", open_folder / "exports"
    real.write_text("old\n")
    real.chmod(0o640)
    link.symlink_to("real")
    await write(LocalHost(), [FileChange(str(link), "old\n", "new\n")])
    assert link.is_symlink()
    assert (real.read_text(), mode(real)) == ("new\n", 0o640)
    os.chown(link, stranger.uid, stranger.gid, follow_symlinks=False)
    with pytest.raises(Refused, match="another user could"):
        await write(LocalHost(), [FileChange(str(link), "new\n", "newer\n")])
    assert real.read_text() == "new\n"


# ---- the lab and the store


def test_a_lab_that_another_user_planted_is_not_there(
    open_folder: Path, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_folder / "lab"
    monkeypatch.setenv("IOSONDE_LAB", str(place))
    assert list(labs()) == []
    _his(place, stranger)
    with pytest.raises(Refused, match="another user could"):
        list(labs())
    place.rmdir()
    place.mkdir(mode=0o755)
    assert list(labs()) == []


_STORED = """\
import os, sys
os.umask(0)
from iosonde.store import open_store
store = open_store(sys.argv[1])
store.begin("study", {}, created=1.0, owner="")
for place, _, files in os.walk(os.path.dirname(os.path.dirname(sys.argv[1]))):
    for name in [place, *(f"{place}/{file}" for file in files)]:
        print(oct(os.lstat(name).st_mode & 0o777), name)
"""


def test_a_new_store_is_its_users_alone(tmp_path: Path) -> None:
    place = tmp_path / "data" / "iosonde" / "store.sqlite"
    message = subprocess.run(
        [sys.executable, "-c", _STORED, place], capture_output=True, text=True, check=True
    ).stdout
    assert "store.sqlite-wal" in message
    assert {line.split()[0] for line in message.splitlines()} == {"0o700", "0o600"}, message


def test_the_mode_of_a_store_that_is_there_stays(tmp_path: Path) -> None:
    from iosonde.store import open_store

    place = tmp_path / "store.sqlite"
    open_store(str(place)).close()
    place.chmod(0o640)
    open_store(str(place)).close()
    assert (mode(place), mode(tmp_path)) == (0o640, 0o700)


# It may read everything, because this Python may stand where only root does.
_AS_ANOTHER = (
    "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
    "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search",
)  # fmt: skip


_EMPTY = "mount -t tmpfs -o mode=755 none /var/lib"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("true", "nothing is changed: mkdir"),
        ("mkdir -m 700 /var/lib/iosonde", "belongs to root"),
    ],
)  # fmt: skip
def test_who_is_not_root_and_sets_something_is_told_so(
    tmp_path: Path, open_folder: Path, place: str, said: str
) -> None:
    with loop_device(tmp_path / "image", 32 << 20) as device:
        name = device.removeprefix("/dev/")
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", f'{_EMPTY}; {place}; exec "$@"', "sh", *_AS_ANOTHER,
             *COMMAND, "set", f"{name}.nomerges=2"],
            capture_output=True, text=True, check=False, cwd=open_folder,
            env=clean_environment(open_folder),
        )  # fmt: skip
        assert done.returncode == 4, done.stderr
        assert said in done.stderr
        assert "be root there" in done.stderr
        assert Path(f"/sys/block/{name}/queue/nomerges").read_text() == "0\n"
