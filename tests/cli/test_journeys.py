"""The questions of docs/use/journeys.md: few commands, the answer in the first line."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "use" / "journeys.md").read_text(encoding="utf-8")
OUTPUTS = ROOT / "tests" / "outputs"
MOST = 3  # commands of a journey
RESULTS = (
    "frontend SSD", "storage drive", "NVMe-oF", "NVMe-oF mirrored and striped", "iSER",
    "iSER mirrored and striped", "iSER replicated", "iSER replicated and striped",
)  # fmt: skip
ANSWERS = {
    "run --interleave": r"(\S+) against (\S+) \(in turns, 5 pairs, run \w+\): .*write bandwidth.*",
    "explain iozone-page.txt": r"1 warning in 1 command: page-cache",
    "run --load": r"iozone at \S+: write [\d.]+ .iB/s ± .* %, 3 loops",
    "explain nfs-page.txt": r"7 warnings, 4 notes in .*: counter-wrap, export-unsafe, .*",
    "explain san.txt": r"1 error in .*: cache-whole-blocks",
    "predict --stack": r"best: aoe.mtu 8700 or 9000: 2 disk I/Os .*; worst: aoe.mtu 1500: 16 .*",
    "explain --waterfall": r"hdparm of fabric.md, .* keeps 110.6 % .*; most is lost at NVMe-oF: .*",
}
"""Beginning of a command → its first line, in the page and when it is run."""


def journeys() -> dict[str, list[tuple[str, str]]]:
    """Heading → its commands, each with the first line that it prints."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for section in PAGE.split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
        calls = [call for block in blocks for call in block.split("$ iosonde ")[1:]]
        groups[heading] = [_taken(call) for call in calls]
    return groups


def _taken(call: str) -> tuple[str, str]:
    """A command and its first line: the lines that belong to it are indented."""
    match = re.match(r"(.*(?:\n {4}.*)*)\n(.*)", call)
    assert match, call
    return match[1].replace("\\\n", " "), match[2]


COMMANDS = [call for calls in journeys().values() for call in calls]
_NAMES = ["-".join(command.split()[:2]) for command, _ in COMMANDS]


def pattern(command: str) -> str:
    """What its first line must be like."""
    return next(answer for begin, answer in ANSWERS.items() if command.startswith(begin))


def test_each_question_takes_a_few_commands() -> None:
    assert len(journeys()) == 5
    assert all(1 <= len(calls) <= MOST for calls in journeys().values())
    assert len(COMMANDS) == len(ANSWERS)


@pytest.fixture
def texts(tmp_path: Path) -> None:
    """The pages that the questions are about, and the stack."""
    nfs = OUTPUTS / "linux-2.6.18-nfs"
    names = ("df-h", "commands", "fstab", "exports", "sysctl", "sysconfig", "sysclt", "nfsd")
    (tmp_path / "nfs-page.txt").write_bytes(
        b"".join((nfs / f"{name}.txt").read_bytes() for name in names)
    )
    cache = OUTPUTS / "flashcache-2-page"
    (tmp_path / "san.txt").write_bytes(
        b"".join((cache / name).read_bytes() for name in ("status.txt", "table.txt"))
    )
    fabric = (OUTPUTS / "fio-3.19-page" / "eight-results.txt").read_text(encoding="utf-8")
    for number, name in enumerate(RESULTS, 1):
        fabric = fabric.replace(f"## Result {number}\n", f"## {name}\n")
    (tmp_path / "fabric.md").write_text(fabric, encoding="utf-8")
    (tmp_path / "iozone-page.txt").write_text(
        "iozone -+u -p -t 3 -l 3 -u 3 -r 10m -s 1g -i 0 -i 1 -i 2 -i 8 "
        "-F /vmraid/F1 /vmraid/F2 /vmraid/F3 -R -b ~/bench/test-thr3.xls\n"
    )
    shutil.copy(ROOT / "examples" / "stacks" / "aoe-san.yaml", tmp_path)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()


@pytest.mark.parametrize(("command", "first"), COMMANDS, ids=_NAMES)
def test_the_answer_is_in_the_first_line(
    command: str, first: str, iosonde: Callable[..., Ended], texts: None
) -> None:
    """In the page and when it is run: two directories stand for two settings of a device."""
    del texts
    assert re.fullmatch(pattern(command), first)
    if command.startswith("run --load"):
        return  # the real iozone: tests/cli/test_run_iozone.py
    command = command.replace("loop0.scheduler=none loop0.scheduler=mq-deadline", "./one ./other")
    done = iosonde(*shlex.split(command.replace("--target mnt", "")))
    assert done.status == 0, done.stderr
    assert re.fullmatch(pattern(command), done.stdout.splitlines()[0])
