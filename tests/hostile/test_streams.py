"""Standard output and error that are full, closed or read by nobody end no verb."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND
from tests.hostile.test_output_files import PRINTED

Iosonde = Callable[..., Ended]

TRACE = re.compile(r"Traceback|Exception ignored|Error:|lost sys.std", re.IGNORECASE)
WHY = "iosonde: standard output did not take what was written to it: "
RUN = "run --load latency --target . --loops 1 --seconds 1 --size 1m"


@pytest.fixture
def shell(environment: Mapping[str, str], tmp_path: Path) -> Callable[..., Ended]:
    """A line of bash in which `iosonde` is the command; the status is that of its last command."""

    def run(line: str) -> Ended:
        script = f'iosonde() {{ "${{command[@]}}" "$@"; }}; command=("$@"); {line}'
        done = subprocess.run(
            ["bash", "-c", script, "bash", *COMMAND], env=dict(environment), cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def stored(imported: Callable[..., None], tmp_path: Path) -> None:
    """Two runs in the store, and the text of a third."""
    for name, more in (("a.txt", ""), ("b.txt", "\nsecond\n")):
        (tmp_path / name).write_text(PRINTED + more)
    imported("a.txt", "b.txt")
    (tmp_path / "c.txt").write_text(PRINTED + "\nthird\n")


PRINTING = (
    "--help", "--version", "list --help", "list", "list --json", "loads latency", "schema run",
    "report last -f markdown -o -", "export last -f parquet", "import --json --again c.txt",
    "explain last",
)  # fmt: skip


def every(line: str) -> str:
    """A shell line that tries all of them, and says how each ended."""
    return "\n".join(
        f"{line.replace('VERB', verb)}; echo {verb.split()[0]} ${{PIPESTATUS[0]}} >>ended"
        for verb in PRINTING
    )


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("stream", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "it is closed")],
)
def test_an_answer_that_is_lost_is_told_by_a_sentence_and_exit_code_4(
    shell: Iosonde, tmp_path: Path, stream: str, reason: str
) -> None:
    done = shell(every(f"iosonde VERB {stream}"))
    endings = (tmp_path / "ended").read_text().splitlines()
    assert endings == [f"{verb.split()[0]} 4" for verb in PRINTING]
    assert done.stderr.count(f"{WHY}{reason}\n") == len(PRINTING)
    assert not TRACE.search(done.stderr), done.stderr


@pytest.mark.usefixtures("stored")
def test_a_reader_that_goes_early_is_no_failure_and_nothing_is_said(
    shell: Iosonde, tmp_path: Path
) -> None:
    done = shell(every("iosonde VERB 2>>said | true"))
    endings = (tmp_path / "ended").read_text().splitlines()
    assert endings == [f"{verb.split()[0]} 0" for verb in PRINTING]
    assert done.stderr == ""
    said = (tmp_path / "said").read_text()
    assert "iosonde:" not in said
    assert not TRACE.search(said), said


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-", "2> >(true)"])
def test_messages_that_are_lost_change_neither_the_answer_nor_the_exit_code(
    shell: Iosonde, stream: str
) -> None:
    done = shell(
        f"iosonde report last {stream}; echo $?; iosonde list --json {stream}; echo $?;"
        f" iosonde report none {stream}; echo $?; iosonde import --strict none {stream}; echo $?"
    )
    lines = done.stdout.splitlines()
    reported = lines.index("0")
    assert lines[-3:] == ["0", "2", "2"]
    assert len(json.loads("\n".join(lines[reported + 1 : -3]))["runs"]) == 2


def test_an_error_as_json_that_is_lost_is_told_as_text_and_keeps_its_exit_code(
    shell: Iosonde,
) -> None:
    done = shell("iosonde report none --json >/dev/full")
    assert done.status == 2
    assert "there is no run 'none'" in done.stderr


@pytest.mark.parametrize(
    ("streams", "status"),
    [
        ("--trace 2>/dev/full", 0), ("2>&-", 0), ("2> >(true)", 0), ("--json >/dev/full", 4),
        (">/dev/full 2>/dev/full", 4), ("--trace >&- 2>&- <&-", 4), ("| true", 0),
    ],
)  # fmt: skip
def test_a_run_goes_on_and_is_stored_whatever_becomes_of_its_streams(
    shell: Iosonde, iosonde: Iosonde, streams: str, status: int
) -> None:
    done = shell(f"iosonde {RUN} {streams}; exit ${{PIPESTATUS[0]}}")
    assert done.status == status, done.stderr
    assert not TRACE.search(done.stderr), done.stderr
    assert (WHY in done.stderr) == (status == 4 and "2>" not in streams)
    (run,) = iosonde("list", "--json").json["runs"]
    assert run["state"] == "finished"
    assert len(run["trials"][0]["metrics"]["read.iops"]["loops"]) == 1


def test_an_import_is_stored_whole_when_its_reader_goes_early(
    shell: Iosonde, iosonde: Iosonde, tmp_path: Path
) -> None:
    (tmp_path / "many.txt").write_text(
        "\n\n".join(PRINTED.replace("md127", f"md{number}") for number in range(400))
    )
    done = shell("iosonde import --json many.txt | head -c 10; exit ${PIPESTATUS[0]}")
    assert (done.status, done.stderr) == (0, "")
    (run,) = iosonde("list", "--json").json["runs"]
    assert run["state"] == "finished"
    assert len(run["trials"]) == 400


# What looks alike and is right.


@pytest.mark.usefixtures("stored")
def test_a_reader_of_all_gets_all(shell: Iosonde) -> None:
    assert len(json.loads(shell("iosonde list --json | cat").stdout)["runs"]) == 2
    assert shell("iosonde --help | head -1").stdout.startswith("Usage: iosonde")
    assert shell("iosonde report last -o x.html >/dev/null").status == 0
    assert shell("iosonde report last -o x.html >&-").status == 4, "it prints an answer"
    assert shell("iosonde list >/dev/null").status == 0


def test_an_answer_of_no_and_a_refusal_keep_their_exit_codes(shell: Iosonde) -> None:
    assert shell("iosonde >/dev/null").status == 2
    assert shell("iosonde report none >/dev/full").status == 2
    assert shell("iosonde nonsense | true; exit ${PIPESTATUS[0]}").status == 2


def test_a_stream_that_does_not_wait_loses_nothing(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """A terminal or pipe is shared with programs that may set O_NONBLOCK on it."""
    there, here = os.pipe()
    os.set_blocking(here, False)
    fcntl.fcntl(here, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [*COMMAND, "explain", "--rules", "--json"], env=dict(environment), cwd=tmp_path,
        stdout=here, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(here)
    held = bytearray(4)
    while process.poll() is None and int.from_bytes(held, sys.byteorder) < 4096:
        time.sleep(0.02)
        fcntl.ioctl(there, termios.FIONREAD, held)  # ioctl_list(2): bytes that the pipe holds
    with os.fdopen(there, "rb") as reading:
        content = reading.read()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0
    assert len(content) > 4096, "more than the pipe holds"
    assert json.loads(content)["rules"]
