"""Limits of processes: of a file, a shell and a process."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
FILE, SHELL, PROCESS = (
    (PLACE / f"{name}.txt").read_text() for name in ("limits.conf", "ulimit", "process-limits")
)


def limits(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_file_in_every_shape() -> None:
    for shape, given in mangled(FILE):
        assert limits(given) == {
            "*": {"soft.nofile": 65536, "hard.nofile": 131072},
            "oracle": {"soft.memlock": 134217728 << 10, "hard.memlock": 134217728 << 10},
            "@dba": {"hard.nproc": "unlimited"},
        }, shape


def test_a_shell_in_every_shape() -> None:
    for shape, given in mangled(SHELL):
        values = limits(given)[""]
        assert (values["max_locked_memory"], values["pipe_size"]) == (64 << 10, 4096), shape
        assert (values["open_files"], values["pending_signals"]) == (4096, 127873)
        assert values["file_size_blocks"] == "unlimited"


def test_a_process() -> None:
    for shape, given in mangled(PROCESS, wraps=False):
        values = limits(given)[""]
        assert (values["soft.open_files"], values["hard.open_files"]) == (1024, 524288), shape
        assert values["soft.locked_memory"] == 8388608
        assert values["hard.cpu_time_seconds"] == "unlimited"


def test_an_echo_and_prose() -> None:
    assert limits('echo "root soft nofile 4096" >> /etc/security/limits.conf\n') == {
        "root": {"soft.nofile": 4096}
    }
    assert read("Set nofile to 65536 and memlock too.\nWe need nproc and open files  here\n") == []
