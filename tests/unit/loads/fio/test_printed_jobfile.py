"""Job files of fio as pages, tickets and terminals show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.loads import LOADS
from iosonde.records.printed import PrintedLoad, Unread
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read

SAMPLE = Path(__file__).parents[3] / "outputs" / "fio-3.33-jobfile"
TEXT = (SAMPLE / "two.txt").read_text()
COMMAND = (SAMPLE / "command").read_text().strip()


def loads(text: str) -> list[PrintedLoad]:
    return [load for each in read(text) if isinstance(each, FoundOutput) for load in each.loads]


def test_a_job_file_is_the_command_line_that_fio_makes_of_it() -> None:
    assert loads(TEXT) == [PrintedLoad("fio", COMMAND)]


def test_a_job_file_in_every_shape() -> None:
    for shape, text in mangled(TEXT):
        assert [load.command for load in loads(text)] == [COMMAND], shape


def test_a_job_file_can_be_run() -> None:
    (load,) = loads("[a b]\nrw = write\nsize=8m\nfilename=/srv/a b\n")
    assert load.command == "fio '--name=a b' --rw=write --size=8m '--filename=/srv/a b'"
    engine = LOADS.load("fio")()
    assert engine.demand(engine.declare(load.command, name="x", where="page:1")).writes


def test_a_file_that_a_shell_pipes_to_fio_ends_with_its_quote() -> None:
    (load,) = loads("echo '\n[a]\nrw=write\nsize=8m\nnumjobs=8' | fio --output-format=json -\n")
    assert load.command == "fio --name=a --rw=write --size=8m --numjobs=8"


def test_two_files_below_each_other_are_two_loads() -> None:
    first = "[global]\nrw=read\nbs=1m\n[a]\nsize=1g\n"
    second = "[global]\nrw=write\n\n[b]\nsize=2g\n"
    assert [load.command for load in loads(f"{first}\n{second}")] == [
        "fio --rw=read --bs=1m --name=a --size=1g", "fio --rw=write --name=b --size=2g",
    ]  # fmt: skip


def test_a_second_global_in_one_file_holds_from_there_on() -> None:
    (load,) = loads("[global]\nrw=read\n[a]\nbs=1m\n[global]\nbs=4k\n[b]\nsize=1g\n")
    assert load.command == (
        "fio --rw=read --name=a --bs=1m --name=global --bs=4k --name=b --size=1g"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[global]\nrw=read\nbs=4k\n\nand so on\n", "no job follows its [global]"),
        ("[a]\nrw=read\ninclude more.fio\n\n", None),
        ("[a]\nrw=read\nsize=1g\n[b\n", None),
    ],
)
def test_what_is_cut_off(text: str, reason: str | None) -> None:
    every = read(text)
    assert len(every) == 1
    if reason:
        assert isinstance(every[0], Unread)
        assert every[0].reason == reason


@pytest.mark.parametrize(
    "text",
    [
        "[global]\nworkgroup = X\nsecurity = user\n\n[share]\npath = /srv\n",  # Samba
        "[global]\nfsid = 1\n[client]\nrbd cache = true\n",  # Ceph
        'config["rw"]\nrw=mode\nioengine = "libaio"\n',
        "[mount]\nrw=1\n",
        "def job():\n    rw=randread\n    return rw\n",
        "The option rw=randread is what you want.\n",
        "[1] see rw=read in the manual\n",
        "a: (g=0): rw=read, bs=4k, ioengine=libaio, iodepth=1\n\n",
    ],
)
def test_what_is_no_job_file(text: str) -> None:
    assert loads(text) == []


def test_a_file_with_a_command_in_it_is_one() -> None:
    text = (
        '[global]\nioengine=libaio\nexec_prerun="echo 3 > /proc/sys/vm/drop_caches"\nbs=4m\n\n'
        "[a]\nstonewall\nrw=write\n\n[b]\nstonewall\nrw=read\n"
    )
    loads = [load for output in read(text) for load in getattr(output, "loads", ())]
    assert len(loads) == 1
    assert "--name=b" in loads[0].command
    assert "--bs=4m" in loads[0].command
