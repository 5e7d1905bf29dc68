"""A store is a regular file; what is measured survives that file's deletion, move and full disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from iosonde.errors import Refused, StoreFailed, UsageError
from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.store.database import Database, StoreFile
from iosonde.store.owner import this_process
from iosonde.store.sql import SqlStore
from iosonde.store.sqlite import connect
from iosonde.store.store import Store
from tests.cli.conftest import Ended
from tests.cli.test_run import start, wait_for
from tests.contract.test_stores import TRIAL, loop
from tests.hostile.conftest import COMMAND, Stranger

Iosonde = Callable[..., Ended]
RUN = ("run", "--load", "latency", "--target", ".", "--seconds", "1", "--size", "1m")


def digest(device: str) -> str:
    return hashlib.sha256(Path(device).read_bytes()).hexdigest()


@pytest.mark.root
def test_no_spelling_of_a_device_makes_it_a_store(
    device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["mkfs.ext4", "-q", device], check=True, capture_output=True)
    before = digest(device)
    (tmp_path / "link").symlink_to(device)
    (tmp_path / "beside-wal").symlink_to(device)
    (tmp_path / "later-shm").symlink_to(device)
    monkeypatch.setenv("IOSONDE_STORE", device)
    for place in (
        None, device, f"sqlite:///{device}", f"sqlite+pysqlite:///{device}", f"/../{device}",
        str(tmp_path / "link"), str(tmp_path / "beside"), f"sqlite:///{tmp_path}/later",
        f"/proc/self/root{device}",
    ):  # fmt: skip
        with pytest.raises(UsageError, match=r"a store is a file, this is (a block device|a link)"):
            open_store(place)
        assert digest(device) == before, place
    with closing(open_store(str(tmp_path / Path(device).name) + "?mode=rw")) as store:
        assert store.runs() == ()
    assert digest(device) == before


@pytest.mark.root
def test_list_does_not_touch_a_device(iosonde: Iosonde, device: str) -> None:
    before = digest(device)
    for verb in (["list"], ["list", "--delete", "last"], ["report", "last"], [*RUN]):
        ended = iosonde(*verb, "--store", device)
        assert (ended.status, ended.stdout) == (2, "")
        assert "a store is a file, this is a block device" in ended.stderr
    assert digest(device) == before


def test_nothing_else_than_a_regular_file_is_a_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "directory").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for place, kind in (
            ("/dev/null", "a character device"), ("/dev/zero", "a character device"),
            (str(tmp_path / "fifo"), "a FIFO"), (str(tmp_path / "socket"), "a socket"),
            (str(tmp_path / "directory"), "a directory"),
        ):  # fmt: skip
            with pytest.raises(UsageError, match=f"this is {kind}"):
                open_store(place)
    for place in ("sqlite://", "sqlite:///", "sqlite://host/x"):
        with pytest.raises(UsageError, match="expected sqlite:///PATH"):
            open_store(place)


def test_a_file_swapped_between_the_look_and_the_opening_is_not_written_to(tmp_path: Path) -> None:
    place, other = tmp_path / "store.sqlite", tmp_path / "other"
    for content in (b"", b"canary" * 1000):
        other.write_bytes(content)
        database = connect(str(place))
        place.unlink()
        place.symlink_to(other)
        with pytest.raises(UsageError, match="became another file"):
            SqlStore(database, str(place))
        assert other.read_bytes() == content
        place.unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]


@pytest.mark.root
def test_a_link_of_another_user_and_a_directory_open_to_all_are_refused(
    stranger: Stranger, tmp_path: Path
) -> None:
    link = tmp_path / "store.sqlite"
    link.symlink_to(tmp_path / "canary")
    os.chown(link, stranger.uid, stranger.gid, follow_symlinks=False)
    with pytest.raises(Refused, match="link of another user"):
        open_store(str(link))
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(Refused, match="every user may put links beside a store"):
        open_store(str(tmp_path / "open" / "store.sqlite"))
    assert not (tmp_path / "canary").exists()
    assert list((tmp_path / "open").iterdir()) == []


# What is measured is not lost.


def begun(store: Store) -> str:
    run = store.begin("study", {}, created=1.0, owner=this_process())
    store.add_trial(run.id, TRIAL)
    store.add_loop(run.id, "t1", loop(0))
    return run.id


def loops(place: str, run: str) -> int:
    with closing(open_store(place)) as store:
        return len(store.load(run).trials[0].loops)


def delete_file(place: Path) -> None:
    place.unlink()


def delete_all_files(place: Path) -> None:
    for path in place.parent.glob("store.sqlite*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def delete_directory(place: Path) -> None:
    shutil.rmtree(place.parent)


def rename_directory(place: Path) -> None:
    place.parent.rename(place.parent.with_name("renamed"))


def move_file(place: Path) -> None:
    place.rename(place.with_name("moved.sqlite"))


@pytest.mark.parametrize(
    "loss", [delete_file, delete_all_files, delete_directory, rename_directory, move_file]
)
@pytest.mark.parametrize("when", ["between loops", "before the end"])
def test_a_store_that_goes_in_mid_run_is_made_anew_at_its_place(
    loss: Callable[[Path], None], when: str, tmp_path: Path
) -> None:
    place = tmp_path / "folder" / "store.sqlite"
    heard: list[str] = []
    store = open_store(str(place), tell=heard.append)
    earlier, run = begun(store), begun(store)
    store.finish(earlier, RunState.FINISHED)
    if when == "between loops":
        loss(place)
        store.add_loop(run, "t1", loop(1))
        assert loops(str(place), run) == 2, "before the next loop begins"
    else:
        store.add_loop(run, "t1", loop(1))
        loss(place)
    store.finish(run, RunState.FINISHED)
    assert store.load(run).state is RunState.FINISHED
    store.close()
    assert store.rescued is not None
    assert heard == [str(store.rescued)]
    assert ("was moved" if loss in {rename_directory, move_file} else "was deleted") in heard[0]
    assert "all of it is now in a new file of that name" in heard[0]
    assert (loops(str(place), run), loops(str(place), earlier)) == (2, 1)
    left = sorted(path.name for path in place.parent.iterdir())
    assert left == ["store.sqlite"] or left == ["moved.sqlite", "store.sqlite"], left


def test_a_store_that_is_replaced_goes_beside_and_leaves_the_new_one_alone(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    run = begun(store)
    place.rename(tmp_path / "old")
    for choice in ("-wal", "-shm"):
        Path(f"{place}{choice}").unlink()
    other = open_store(str(place))
    theirs = begun(other)
    store.add_loop(run, "t1", loop(1))
    other.add_loop(theirs, "t1", loop(1))
    store.finish(run, RunState.FINISHED)
    store.close()
    other.add_loop(theirs, "t1", loop(2))
    other.close()
    assert "all of it is now in" in str(store.rescued)
    assert loops(str(tmp_path / "store.sqlite.rescued-1"), run) == 2
    assert loops(str(place), theirs) == 3


def is_full(store: Store) -> None:
    """No page more fits into the store's file, as on a full disk."""
    assert isinstance(store, SqlStore)
    raw = store._database.engine.raw_connection()
    raw.cursor().execute("PRAGMA max_page_count = 1")
    raw.close()


def test_a_run_whose_store_is_full_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOSONDE_STORE", str(tmp_path / "home" / "store.sqlite"))
    heard: list[str] = []
    place = str(tmp_path / "store.sqlite")
    store = open_store(place, tell=heard.append)
    begun(store)
    run = begun(store)
    is_full(store)
    for index in range(1, 300):
        store.add_loop(run, "t1", loop(index))
    store.finish(run, RunState.FINISHED)
    assert len(store.load(run).trials[0].loops) == 300
    store.close()
    new = tmp_path / "home" / f"iosonde-rescued-{run}.sqlite"
    assert len(heard) == 1
    assert f"database or disk is full; run {run} goes on in {new}" in heard[0]
    assert loops(str(new), run) == 300
    with closing(open_store(str(new))) as rescued:
        assert [line.id for line in rescued.runs()] == [run]


def test_where_no_disk_takes_anything_the_run_ends_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iosonde.store.transactions.other_folders", lambda home: iter(()))
    store = open_store(str(tmp_path / "a" / "store.sqlite"))
    run = begun(store)
    is_full(store)
    with pytest.raises(StoreFailed, match="database or disk is full"):  # noqa: PT012
        for index in range(1, 300):
            store.add_loop(run, "t1", loop(index))
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "a").write_text("no directory any more")
    with pytest.raises(StoreFailed, match="was deleted while it was in use, and no disk"):
        store.add_loop(run, "t1", loop(300))
    store.close()


def test_a_run_says_at_once_and_at_its_end_that_its_store_was_deleted(
    environment: Mapping[str, str], iosonde: Iosonde, tmp_path: Path
) -> None:
    place = tmp_path / "kept" / "store.sqlite"
    process = start({**environment, "IOSONDE_STORE": str(place)}, tmp_path, *RUN, "--loops", "2")
    wait_for(process, b"loop 1 of 2")
    shutil.rmtree(place.parent)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert b" IOPS" in out, "the result is shown"
    said = err.decode()
    assert said.count("the store was deleted while it was in use; all of it is now in") == 2
    assert "Traceback" not in said
    listed = iosonde("list", "--json", "--store", str(place)).json["runs"]
    assert [record["state"] for record in listed] == ["finished"]
    assert len(listed[0]["trials"][0]["metrics"]["read.iops"]["loops"]) == 2


@pytest.mark.root
def test_a_run_goes_on_when_the_disk_of_its_store_is_full(
    environment: Mapping[str, str],
    unshared: Callable[[Sequence[str | Path]], list[str]],
    tmp_path: Path,
) -> None:
    (tmp_path / "full").mkdir()
    script = (
        "mount -t tmpfs -o size=1m none full\n"
        '("$@" >out 2>err; echo $? >status) & until grep -q "loop 1 of 3" err; do sleep 0.1; done\n'
        "cat /dev/zero >full/rest 2>&-; wait"
    )
    kept = {**environment, "IOSONDE_STORE": "full/store.sqlite", "XDG_DATA_HOME": str(tmp_path)}
    arguments = [*COMMAND, *RUN, "--loops", "3", "--json"]
    # --store, so that the default place is another disk's
    del kept["IOSONDE_STORE"]
    subprocess.run(
        unshared(["sh", "-c", script, "sh", *arguments, "--store", "full/store.sqlite"]),
        env=kept, cwd=tmp_path, timeout=60, check=True, capture_output=True,
    )  # fmt: skip
    said = (tmp_path / "err").read_text()
    assert (tmp_path / "status").read_text() == "4\n", said
    assert "disk is full; run" in said
    assert "Traceback" not in said
    (rescued,) = (tmp_path / "iosonde").glob("iosonde-rescued-*.sqlite")
    with closing(open_store(str(rescued))) as store:
        (line,) = store.runs()
        assert (line.state, line.loops) == (RunState.FINISHED, 3)


# What looks alike and is right.


def test_a_store_behind_a_link_of_ones_own_or_with_an_odd_name_is_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/store")
    (tmp_path / "folder").symlink_to("there")
    names = ("link", "folder/x", "a?b=c#d%20", ":memory:", "file:x", "日本", "-")
    for name in names:
        with closing(open_store(str(tmp_path / name))) as store:
            run = begun(store)
            store.finish(run, RunState.FINISHED)
            assert store.rescued is None
        assert loops(f"sqlite:///{tmp_path / name}", run) == 1
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["store", "x"]


def test_two_processes_share_a_store_and_neither_takes_it_for_lost(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    first, second = open_store(place), open_store(place)
    runs = begun(first), begun(second)
    for index in range(1, 5):
        first.add_loop(runs[0], "t1", loop(index))
        second.add_loop(runs[1], "t1", loop(index))
    second.close()
    first.add_loop(runs[0], "t1", loop(5))
    first.close()
    assert first.rescued is None
    assert second.rescued is None
    assert (loops(place, runs[0]), loops(place, runs[1])) == (6, 5)


def test_looking_at_the_file_drops_no_lock_of_sqlite(tmp_path: Path) -> None:
    """Closing a descriptor of the file, but one of O_PATH, would let others write (fcntl(2))."""
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    assert isinstance(store, SqlStore)
    database: Database = store._database
    with database.engine.connect().execution_options(writes=True) as writing, writing.begin():
        before = Path("/proc/locks").read_text().count(f":{place.stat().st_ino} ")
        StoreFile(str(place)).close()
        assert Path("/proc/locks").read_text().count(f":{place.stat().st_ino} ") == before > 0
    store.close()


def test_a_killed_run_leaves_a_store_that_opens(
    environment: Mapping[str, str], iosonde: Iosonde, tmp_path: Path
) -> None:
    process = start(environment, tmp_path, *RUN, "--loops", "3")
    wait_for(process, b"loop 1 of 3")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    (run,) = iosonde("list", "--json").json["runs"]
    assert run["state"] == "interrupted"
