"""A run of which a part fails: what was measured is shown and kept, the rest is said."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import FAKE_FIO, Ended
from tests.cli.test_run import start, wait_for
from tests.unit.measure.test_workplace import KILLED

Iosonde = Callable[..., Ended]
GOOD = "fio --name=good --rw=read --bs=4k --size=1m"
BAD = "fio --name=bad --rw=read --bs=1000 --size=1m --direct=1"  # EINVAL: no whole sectors


def listed(iosonde: Iosonde) -> list[dict[str, object]]:
    records: list[dict[str, object]] = iosonde("list", "--json").json["runs"]
    return records


@pytest.mark.parametrize(
    ("target", "said"),
    [("no/such/dir/file", "there is no directory"), ("/dev/nosuchdisk", "there is no such device")],
)
def test_nothing_is_kept_of_a_run_whose_target_is_not_there(
    iosonde: Iosonde, target: str, said: str
) -> None:
    ended = iosonde("run", "--fio", GOOD, "--target", target, "--loops", "1", "--seconds", "0.1")
    assert ended.status in {3, 4}
    assert said in ended.stderr
    assert "run " not in ended.stdout
    assert listed(iosonde) == []


def test_nothing_is_kept_of_a_run_whose_tool_is_not_there(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "stat", "find", "perl", "env"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    path, environment["PATH"] = environment["PATH"], str(tools)
    ended = iosonde("run", "--load", "iozone -s 1m -i 0", "--target", str(tmp_path))
    environment["PATH"] = path
    if "iozone is not installed" not in ended.stderr:  # /usr/sbin and the like are always searched
        assert ended.status == 0, ended.stderr
        pytest.fail("the test's PATH has iozone")
    assert ended.status == 4
    assert listed(iosonde) == []


@pytest.mark.parametrize("place", ["directory", "a stack that is to be built"])
def test_an_option_that_fio_does_not_know_is_told_before_anything_is_made(
    iosonde: Iosonde, tmp_path: Path, place: str
) -> None:
    """The near miss, the same line with an option that fio has, is measured."""
    image, line = tmp_path / "image", "fio --name=a --rw=read --bzz=4k --size=1m"
    stack = tmp_path / "stack.yaml"
    stack.write_text(
        "stack: wrong\nhosts: {here: {at: local}}\n"
        f"layers:\n  d: {{kind: disk, file: {image}, size: 32 MiB}}\n"
    )
    study = tmp_path / "study.yaml"
    study.write_text(f"study: wrong\nstack: {stack}\nat: [d]\nloads: ['{line}']\nloops: 1\n")
    built = [str(study)]
    where = ["--fio", line, "--target", str(tmp_path)] if place == "directory" else built
    before = sorted(tmp_path.iterdir())
    ended = iosonde("run", *where, "--loops", "1", "--seconds", "0.2")
    assert ended.status == 2, ended.stdout + ended.stderr
    assert "fio does not read the load: Bad option <bzz=4k>" in ended.stderr
    assert not image.exists()
    rehearsed = iosonde("run", *where, "--loops", "1", "--dry-run")
    if place == "directory":
        assert (rehearsed.status, "Bad option <bzz=4k>" in rehearsed.stderr) == (2, True)
    else:
        assert rehearsed.status == 0, "a stack's hosts are not asked before it is built"
    made = {path.name for path in tmp_path.iterdir()} - {path.name for path in before}
    assert made <= {"store.sqlite"}
    assert listed(iosonde) == []
    if place == "directory":
        right = ["--fio", line.replace("--bzz", "--bs"), "--target", str(tmp_path)]
        assert iosonde("run", *right, "--loops", "1", "--seconds", "0.2").status == 0
        assert iosonde("run", *right, "--loops", "1", "--dry-run").status == 0


def test_what_was_measured_is_shown_beside_what_failed(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde(
        "run", "--fio", GOOD, "--fio", BAD, "--target", str(tmp_path), "--loops", "1",
        "--seconds", "0.2", "--size", "1m",
    )  # fmt: skip
    assert ended.status == 4
    assert " IOPS" in ended.stdout
    assert "Invalid argument" in ended.stderr
    (run,) = listed(iosonde)
    command = ended.stderr.rpartition("To go on: ")[2].strip()
    assert command == f"iosonde run --resume {run['id']}"
    again = iosonde(*shlex.split(command)[1:])
    assert again.status == 4  # the bad load fails again, and the good one is not repeated
    assert " IOPS" in again.stdout


def test_the_command_to_go_on_has_what_is_not_kept(iosonde: Iosonde, tmp_path: Path) -> None:
    place = str(tmp_path / "my store")
    ended = iosonde(
        "run", "--fio", GOOD, "--fio", BAD, "--target", str(tmp_path), "--loops", "1",
        "--seconds", "0.2", "--store", place, "--size", "1m", "--destroy", "/dev/nosuchdisk",
    )  # fmt: skip
    command = shlex.split(ended.stderr.rpartition("To go on: ")[2])
    assert command[4:] == ["--destroy", "/dev/nosuchdisk", "--store", place]


def test_json_has_the_run_where_a_part_of_it_failed(iosonde: Iosonde, tmp_path: Path) -> None:
    ended = iosonde(
        "run", "--fio", GOOD, "--fio", BAD, "--target", str(tmp_path), "--loops", "1",
        "--seconds", "0.2", "--size", "1m", "--json",
    )  # fmt: skip
    assert ended.status == 4
    assert ended.json["schema"] == "iosonde.run/1"
    assert ended.json["state"] == "failed"
    good, bad = ended.json["trials"]
    assert good["metrics"]["read.iops"]["loops"]
    assert bad["metrics"] == {}
    assert "Invalid argument" in bad["faults"][0]


@pytest.mark.parametrize("status", [0, 1], ids=["it is read", "it is not"])
def test_what_a_killed_run_left_is_taken_away_before_the_load_is_looked_at(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path, status: int
) -> None:
    """So a signal at any time after that, or a load that is refused, leaves nothing either."""
    place, tools = tmp_path / "tmp", tmp_path / "tools"
    for folder in (place, tools):
        folder.mkdir()
    environment["TMPDIR"] = str(place)
    subprocess.run([sys.executable, "-c", KILLED], env=environment, check=False)
    (left,) = place.iterdir()
    fio = tools / "fio"
    fio.write_text(
        f'#!/bin/sh\ncase " $* " in *" --parse-only "*) ls {place} >> {tmp_path}/seen; '
        f'[ {status} = 0 ] || exit 1; esac\nexec {FAKE_FIO}/fio "$@"\n'
    )
    fio.chmod(0o755)
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    (tmp_path / "file").write_bytes(bytes(2**20))
    ended = iosonde("run", "--fio", GOOD, "--target", "file", "--loops", "1", "--seconds", "0.1")
    assert (ended.status == 0) is (status == 0), ended.stderr
    assert left.name not in (tmp_path / "seen").read_text()
    assert list(place.iterdir()) == []


def test_a_look_at_a_load_that_is_killed_is_no_refusal_of_the_load(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    fio = tmp_path / "tools" / "fio"
    fio.parent.mkdir()
    fio.write_text("#!/bin/sh\nkill -9 $$\n")
    fio.chmod(0o755)
    environment["PATH"] = f"{fio.parent}:{environment['PATH']}"
    (tmp_path / "file").write_bytes(bytes(2**20))
    ended = iosonde("run", "--fio", GOOD, "--target", "file", "--loops", "1", "--seconds", "0.1")
    assert ended.status == 4, ended.stderr
    assert "does not read the load" not in ended.stderr
    assert "fio ended with status -9" in ended.stderr


@pytest.mark.slow
def test_one_failing_target_of_several_at_once_leaves_the_others_going(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    # The file of the first target is cut short after its first loop, so that its reads fail.
    first, second = tmp_path / "first", tmp_path / "second"
    for place in (first, second):
        place.write_bytes(bytes(2**20))
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: two\ntargets: [{first}, {second}]\nsimultaneous: true\nloops: 3\n"
        "loads: [{fio: 'fio --name=read --rw=read --bs=4k --size=1m --direct=1'}]\nseconds: 1\n"
    )
    running = start(environment, tmp_path, "run", str(study), "--json")
    wait_for(running, b"loop 2 of 3")
    first.write_bytes(b"")
    out, said = running.communicate(timeout=100)
    assert running.returncode == 4, said
    failed, whole = json.loads(out)["trials"]
    assert len(whole["metrics"]["read.iops"]["loops"]) == 3
    assert failed["faults"]


def test_output_that_cannot_be_read_is_kept_and_the_run_goes_on(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    fio = tools / "fio"
    fio.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec {FAKE_FIO}/fio --version\necho {{from 2040}}\n'
    )
    fio.chmod(0o755)
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    load = ["--target", str(tmp_path), "--loops", "2", "--seconds", "0.2", "--size", "1m"]
    ended = iosonde("run", "--fio", GOOD, *load)
    assert ended.status == 4
    (run,) = listed(iosonde)
    kept = f"its raw output is kept: `iosonde export {run['id']} --raw`"
    assert kept in ended.stderr
    shown = iosonde("export", str(run["id"]), "--raw")
    assert "{from 2040}" in shown.stdout
    again = iosonde("run", "--resume", str(run["id"]))  # one loop more, and no endless row of them
    assert again.status == 4
    assert iosonde("export", str(run["id"]), "--raw").stdout.count("\n{from 2040}\n") == 2
    fio.unlink()
    ended = iosonde("run", "--resume", str(run["id"]), "--json")
    assert ended.status == 0, ended.stderr
    (trial,) = ended.json["trials"]
    assert len(trial["metrics"]["read.iops"]["loops"]) == 2
    assert [fault[:6] for fault in trial["faults"]] == ["loop 1", "loop 2"]


@pytest.mark.parametrize(("size", "said"), [(0, "the file is empty"), (1267, "holds 1.24 KiB")])
def test_a_file_smaller_than_one_request_is_refused_before_the_run(
    iosonde: Iosonde, tmp_path: Path, size: int, said: str
) -> None:
    small = tmp_path / "small"
    small.write_bytes(bytes(size))
    ended = iosonde("run", "--load", "latency", "--target", str(small), "--seconds", "0.2")
    assert ended.status == 2
    assert said in ended.stderr
    assert "4 KiB at a time" in ended.stderr
    assert listed(iosonde) == []


def test_a_file_of_one_request_is_measured(iosonde: Iosonde, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(bytes(4096))
    ended = iosonde("run", "--fio", "fio --name=a --rw=read --bs=4k --size=4k", "--target",
                    str(small), "--loops", "1", "--seconds", "0.2")  # fmt: skip
    assert ended.status == 0, ended.stderr
    assert " IOPS" in ended.stdout


def test_a_dry_run_has_each_line_of_a_matrix_read_once(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    """Near miss: what is read last has a value that fio does not take, and is refused."""
    fio = tmp_path / "tools" / "fio"
    fio.parent.mkdir()
    fio.write_text(
        f'#!/bin/sh\ncase " $* " in *" --parse-only "*) text=$(cat); echo >>{tmp_path}/reads; '
        'case $text in *thinktime=odd*) echo "bad time" >&2; exit 1; esac; exit 0; esac\n'
        f'exec {FAKE_FIO}/fio "$@"\n'
    )
    fio.chmod(0o755)
    environment["PATH"] = f"{fio.parent}:{environment['PATH']}"
    for times, reads, status in (("1,2", 4, 0), ("1,odd", 2, 2)):
        (tmp_path / "reads").write_text("")
        line = f"fio --name=a --rw=read --size=1m --bs={{4k,8k,16k}} --thinktime={{{times}}}"
        ended = iosonde("run", "--fio", line, "--target", str(tmp_path), "--dry-run")
        assert ended.status == status, ended.stderr
        assert len((tmp_path / "reads").read_text()) == reads
