"""Command lines of fio as pages, tickets and terminals show them."""

from __future__ import annotations

import pytest

from iosonde.loads import LOADS
from iosonde.records.printed import PrintedLoad
from iosonde.text.find import FoundOutput
from tests.mangle import mangled, read

PLAIN = "fio --name=a --rw=randread --bs=4k --iodepth=32 --filename=/dev/sdz --size=1g"


def loads(text: str) -> list[PrintedLoad]:
    return [
        load for output in read(text) if isinstance(output, FoundOutput) for load in output.loads
    ]


@pytest.mark.parametrize(
    ("text", "command", "host"),
    [
        (PLAIN, PLAIN, ""),
        (f"$ {PLAIN}", PLAIN, ""),
        (f"[root@node7 ~]# {PLAIN} | tee log", PLAIN, "node7"),
        (f"root@node7:~# sudo {PLAIN} > out 2>&1", f"sudo {PLAIN}", "node7"),
        (f"We used `{PLAIN}` for all of them.", PLAIN, ""),
        (f"- `{PLAIN}`", PLAIN, ""), (f"2. {PLAIN}", PLAIN, ""), (f"12) {PLAIN}", PLAIN, ""),
        (f"RAID 10 (new):   {PLAIN}", PLAIN, ""), (f"[1]: {PLAIN}", PLAIN, ""),
        (f"随机读：{PLAIN}", PLAIN, ""), (f"Écriture : {PLAIN}", PLAIN, ""),
        (PLAIN.replace(" --", " \\\n    --"), PLAIN, ""),
        ("# " + PLAIN.replace("--iodepth", "--\niodepth"), PLAIN, ""),
        (PLAIN.replace(" --filename", "\n--filename"), PLAIN, ""),
        ("fio –name=a –rw=read", "fio --name=a --rw=read", ""),
        ("fio -name=x -timebased -endfsync=1", "fio -name=x -timebased -endfsync=1", ""),
        ("/usr/local/bin/fio --name a --rw write", "/usr/local/bin/fio --name a --rw write", ""),
        ("LD_PRELOAD=x.so fio --name=a --rw=read", "LD_PRELOAD=x.so fio --name=a --rw=read", ""),
    ],
)  # fmt: skip
def test_commands(text: str, command: str, host: str) -> None:
    assert loads(f"Before it.\n\n{text}\n\nAfter it.\n") == [PrintedLoad("fio", command, host)]


@pytest.mark.parametrize(
    "text",
    [
        "You can use fio --rw=read to see that, or fio --help.",
        "fio --version", "fio --help", "fio job.fio", "fio", "fio - a tester", "fio -- no option",
        "3.33 fio --name=a --rw=read",
        "$ cat fio --name=a", "fiona --name=a", "apt-get install fio --yes",
    ],
)  # fmt: skip
def test_what_is_no_command(text: str) -> None:
    assert read(f"{text}\n") == []


def test_two_commands_are_two_loads() -> None:
    other = PLAIN.replace("randread", "randwrite")
    assert [load.command for load in loads(f"{PLAIN}\n{other}\n")] == [PLAIN, other]


def test_a_command_can_be_run() -> None:
    engine = LOADS.load("fio")()
    (printed_load,) = loads(f"    # {PLAIN}\n")
    load = engine.declare(printed_load.command, name="imported", where="page:1")
    assert load.engine == "fio"
    assert engine.demand(load).reads


@pytest.mark.parametrize("text", [f"# {PLAIN}", f"$ {PLAIN}"])
def test_neither_quoting_nor_wrapping_changes_anything(text: str) -> None:
    for name, changed in mangled(text):
        if name in {"cut at 80", "cut at 72"}:
            continue  # a terminal's cut inside of a value cannot be told from two words
        assert [load.command for load in loads(changed)] == [PLAIN], name
