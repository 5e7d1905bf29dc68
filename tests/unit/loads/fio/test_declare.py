"""What users write becomes a job that touches the target and nothing else."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.errors import IosondeError, UsageError
from iosonde.loads.fio import Fio
from iosonde.loads.fio.job import job_of, read_command_line
from iosonde.loads.fio.options import OPTION_NAMES, PROFILE_NAMES
from iosonde.records.load import Load, Target, TargetKind

FIO = Fio()
TARGET = Target("local", "/data/scratch", TargetKind.FILE)


def declare(spec: object, name: str = "load") -> Load:
    return FIO.declare(spec, name=name, where="here")  # type: ignore[arg-type]


def options(load: Load) -> dict[str, str | None]:
    return dict(option for section in job_of(load).sections for option in section.options)


PASTED = (
    "fio --name certification --ioengine libaio --direct 1 --bs 4M --rw randwrite --size 2g "
    "--iodepth 64 --numjobs 4 --runtime 30 --time_based --group_reporting"
)


@pytest.mark.parametrize(
    "text",
    [
        PASTED,
        PASTED.removeprefix("fio "),
        PASTED.replace("--", "-"),
        PASTED.replace("--name certification", "--name=certification").replace(" 4M", "=4M"),
        "sudo /usr/bin/" + PASTED,
        "root@anvil:~# " + PASTED,
        "$ " + PASTED.replace(" --rw", " \\\n  --rw"),
        PASTED.replace("--name certification", "–-name certification").replace("–-", "--"),
        PASTED.replace("certification", "“certification”"),
        PASTED.replace("time_based", "time\\_based"),
    ],
)
def test_a_command_line_is_read_however_it_was_pasted(text: str) -> None:
    load = declare(text)
    assert load.name == "certification"
    values = options(load)
    assert (values["bs"], values["rw"], values["iodepth"]) == ("4M", "randwrite", "64")
    assert "group_reporting" in values
    demand = FIO.demand(load)
    assert (demand.writes, demand.reads, demand.direct) == (True, False, True)
    assert (demand.size, demand.seconds) == (2 * 2**30, 30)


def test_a_job_file_and_a_mapping_mean_the_same() -> None:
    text = (
        "[global]\ndirect=1\nbs=4k\n\n[a]\nrw=read\nsize=1m\n; note\n"
        "[b]\nstonewall\nrw=write\nsize=2m\n"
    )
    mapping = {
        "global": {"direct": True, "bs": "4k"},
        "a": {"rw": "read", "size": "1m"},
        "b": {"stonewall": True, "rw": "write", "size": "2m"},
    }
    for spec in (text, mapping):
        demand = FIO.demand(declare(spec))
        assert (demand.reads, demand.writes, demand.direct) == (True, True, True)
        assert demand.size == 2 * 2**20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fio --name=a --rw=write -timebased", "did you mean 'time_based'"),
        ("fio --name=a --rw=write --endfsync=1", "did you mean 'end_fsync'"),
        ("fio --name=a --rw=sideways", "rw=sideways is not an I/O direction"),
        ("fio --name=a --rw=read; rm -rf /", "';' is for a shell"),
        ("fio --name=a --rw=read | tee log", "'|' is for a shell"),
        ("dd if=/dev/zero of=/dev/sda", "this is not a fio command"),
        ("fio", "the fio command has no options"),
        ("fio --name=a --rw=read --size=much", "much"),
        ("fio 'unclosed", "cannot be split into words"),
    ],
)
def test_what_cannot_be_meant_is_told(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        declare(text)
    assert message in str(caught.value)
    assert caught.value.where.startswith("here")


@pytest.mark.parametrize(
    ("beginning", "option"),
    [("-time_base", "time_based"), ("--runti=3", "runtime"), ("--ioengin=sync", "ioengine"),
     ("--ioe=sync", "ioengine"), ("-run=3", "runtime"), ("-gr", "group_reporting")],
)  # fmt: skip
def test_a_command_may_have_the_beginning_of_an_option(beginning: str, option: str) -> None:
    assert option in options(declare(f"fio --name=a --rw=read --size=1m {beginning}"))


BEGINNINGS = ["time_bas", "tim", "iode", "numj", "numjo", "direc", "runt", "ru", "ioe", "siz", "gr",
              "block", "blocks", "randre", "rw", "invalid", "fsy", "write_b"]  # fmt: skip


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_beginnings_are_those_that_fio_itself_takes(beginning: str) -> None:
    command = ["fio", "--parse-only", "--name=a", "--size=1m", f"--{beginning}"]
    # What needs a value and has none is told from what is not known.
    said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stderr
    is_taken = "ambiguous" not in said and "unrecognized option" not in said.split("\n")[0]
    (section,), _ = read_command_line(f"fio --{beginning}", name="a", where="here")
    ((key, _),) = section.options
    assert is_taken is (key in OPTION_NAMES or key in PROFILE_NAMES)


def test_a_job_file_has_whole_names_alone() -> None:
    with pytest.raises(UsageError, match="did you mean 'ioengine'"):
        declare("[a]\nrw=read\nioengin=sync\n")


@pytest.mark.parametrize("option", ["exec_prer=id", "write_iol=/tmp/x", "ioengin=exec"])
def test_the_beginning_of_what_is_refused_is_refused(option: str) -> None:
    with pytest.raises(UsageError):
        declare(f"fio --name=a --rw=read --{option}")


@pytest.mark.parametrize(
    "option",
    [
        "exec_prerun=id", "exec_postrun=id", "opendir=/etc", "read_iolog=/tmp/x", "client=box",
        "server", "ioengine=net", "ioengine=external:/tmp/x.so", "ioengine=exec", "include=/etc/x",
        "verify_state_load=1", "mem=mmaphuge:/etc/x", "nrfiles=8", "filename_format=x",
        "cgroup=x", "profile=act", "write_iolog=/tmp/x", "replay_redirect=/dev/sda",
        "buffer_pattern='/etc/shadow'", "lockfile=readwrite", "unique_filename=0",
        "filename=/dev/sda:/dev/sdb", "file_append=1", "trigger=id",
    ],
)  # fmt: skip
def test_what_would_escape_the_guard_is_refused(option: str) -> None:
    with pytest.raises(UsageError):
        declare(f"[job]\nrw=read\n{option}\n")


@pytest.mark.parametrize(
    "option",
    ["filename=/dev/sda", "directory=/etc", "allow_file_create=1", "unlink=1", "eta=always",
     "output=/etc/passwd", "allow_mounted_write=1"],
)  # fmt: skip
def test_what_iosonde_decides_is_left_out_with_a_note(option: str) -> None:
    load = declare(f"fio --name=job --rw=read --size=1m --{option}")
    key, _, value = option.partition("=")
    assert key not in options(load)
    assert any(note.startswith(key) for note in job_of(load).notes)
    command = FIO.command(load, TARGET, directory="/tmp/d", seconds=None)
    text = " ".join([*command.argv, *(content.decode() for content in command.files.values())])
    assert "/etc" not in text
    assert "/dev/sda" not in text
    assert value in {"1", "always"} or value not in text


def test_the_command_touches_the_target_and_our_directory_alone() -> None:
    load = declare("fio --name=a --rw=read --size=1m --write_bw_log=/etc/x --log_avg_msec=1000")
    command = FIO.command(load, TARGET, directory="/tmp/d", seconds=5)
    assert command.argv[0] == "fio"
    assert "--filename=/data/scratch" in command.argv
    assert "--allow_file_create=0" in command.argv
    assert "--readonly" in command.argv
    paths = (*command.files, *command.outputs)
    assert all(path.startswith("/tmp/d/") for path in paths)
    job = command.files["/tmp/d/job.fio"].decode()
    assert "/etc" not in job
    assert "runtime=5" in job
    assert "time_based" in job
    assert command.timeout is not None
    assert command.timeout > 5


def test_a_path_fio_would_cut_is_refused() -> None:
    load = declare("fio --name=a --rw=read")
    for path in ("/data/a;b", "/data/a#b", "relative", "/data/a\\b", "/data/a\nb"):
        with pytest.raises(UsageError, match="fio cannot open"):
            FIO.command(load, Target("local", path, TargetKind.FILE), directory="/tmp/d", seconds=1)


@pytest.mark.parametrize(
    ("spec", "reads", "writes", "size"),
    [
        ({"rw": "randrw", "size": "1m"}, True, True, 2**20),
        ({"rw": "trim", "size": "1m"}, False, True, 2**20),
        ({"readwrite": "write", "size": "1m", "verify": "crc32c"}, True, True, 2**20),
        ({"rw": "write", "verify": "crc32c", "do_verify": 0, "size": "1m"}, False, True, 2**20),
        ({"rw": "read", "size": "1m", "offset": "3m"}, True, False, 4 * 2**20),
        ({"rw": "read", "size": "1m", "numjobs": 4, "offset_increment": "2m"}, True, False,
         7 * 2**20),
        ({"rw": "read"}, True, False, None),
        ({"size": "1m"}, True, False, 2**20),
    ],
)  # fmt: skip
def test_what_a_job_demands(
    spec: dict[str, object], reads: bool, writes: bool, size: int | None
) -> None:
    demand = FIO.demand(declare(spec))
    assert (demand.reads, demand.writes, demand.size) == (reads, writes, size)


def test_options_of_a_load_can_be_changed() -> None:
    load = declare({"global": {"bs": "4k"}, "a": {"rw": "read", "size": "1g"}})
    changed = FIO.adjust(load, {"blocksize": "8k", "iodepth": 4, "size": "2m"}, where="here")
    assert options(changed) == {"blocksize": "8k", "rw": "read", "size": "2m", "iodepth": "4"}
    assert changed.name == load.name
    with pytest.raises(UsageError, match="exec_prerun is not allowed"):
        FIO.adjust(load, {"exec_prerun": "id"}, where="here")


@given(st.text(max_size=120))
def test_no_text_makes_it_crash(text: str) -> None:
    for spec in (text, f"fio {text}", f"[job]\n{text}"):
        try:
            load = declare(spec)
        except IosondeError:
            continue
        FIO.demand(load)


ARGUMENTS = st.sampled_from(
    ["--name=a", "--rw=randrw", "--size=1m", "--filename=/etc/passwd", "--exec_prerun=id", "-bs",
     "4k", "--direct", "=", "--", "--numjobs=99999999999999999999", "--runtime=1:2:3:4:5", "--size",
     "-1", "--offset=100%", "--thinktime", "--ioengine=rbd", "--section=x", "[a]", "job.fio"]
)  # fmt: skip


@given(st.lists(ARGUMENTS, max_size=12))
def test_no_mix_of_words_escapes_the_target(arguments: list[str]) -> None:
    try:
        load = declare("fio " + " ".join(arguments))
        command = FIO.command(load, TARGET, directory="/tmp/d", seconds=1)
    except IosondeError:
        return
    text = " ".join([*command.argv, *(part.decode() for part in command.files.values())])
    assert "/etc" not in text
    assert "exec_prerun" not in text


@pytest.mark.parametrize(
    ("options", "directions"),
    [
        ("rw=read", ("read",)),
        ("rw=randrw\nfdatasync=1", ("read", "write", "sync")),
        ("rw=write\nfdatasync=0", ("write",)),
        ("rw=write\nverify=md5", ("read", "write")),
        ("rw=write\nverify=md5\ndo_verify=0", ("write",)),
        ("rw=trimwrite", ("write", "trim")),
    ],
)
def test_what_a_job_gives_figures_of(options: str, directions: tuple[str, ...]) -> None:
    load = FIO.declare(f"[a]\n{options}\n", name="a", where="here")
    assert FIO.demand(load).directions == directions
