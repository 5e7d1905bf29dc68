"""Lines of strace. Oracle: dd copied a file of 5000 bytes, 1000 at a time, and strace -c's head."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.monitors.printed_strace_calls import StraceCalls
from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "strace-6.1"
TEXT = (OUTPUTS / "calls.txt").read_text()
DD, OTHER = TEXT.split("# strace -f")


def _calls(text: str) -> dict[str, dict[str, object]]:
    return {row.name: dict(row.values) for row in counters(text, StraceCalls.tool)}


def test_a_copy() -> None:
    calls = _calls(DD)
    assert (calls["read"]["calls"], calls["read"]["bytes"]) == (5 + 1, 5000)
    assert (calls["write"]["calls"], calls["write"]["bytes"]) == (5 + 3, 5000 + 31 + 60 + 1)
    assert calls["openat"]["error_names"] == {"ENOENT": 3}
    assert (calls["openat"]["calls"], calls["openat"]["errors"]) == (5, 3)
    assert calls["read"]["seconds"] == pytest.approx(54e-6)
    assert calls["read"]["longest"] == pytest.approx(14e-6)
    assert calls["exit_group"] == {"calls": 1, "errors": 0}
    failed = calls[""]["failed_calls"]
    assert isinstance(failed, list)
    assert [" = -1 ENOENT (No such file or directory) <0.0" in line for line in failed] == [
        True
    ] * 3


def test_processes_and_unfinished_calls() -> None:
    calls = _calls(f"# strace -f{OTHER}")
    assert calls["fsync"] == {"calls": 1, "errors": 1, "error_names": {"EIO": 1}}
    assert calls["futex"] == {"calls": 0, "errors": 0, "unfinished": 1}
    assert calls["getppid"] == {"calls": 1, "errors": 0}
    assert calls["openat"]["errors"] == 1


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape == "behind times":  # a date and two times: no tool's form
            continue
        assert _calls(changed) == _calls(TEXT), shape


def test_broken_by_a_mail() -> None:
    parts = [line for line in folded(DD, 72).split("\n") if line]
    calls = _calls("\n".join(parts))
    assert {name: values["calls"] for name, values in calls.items() if name} == {
        name: values["calls"] for name, values in _calls(DD).items() if name
    }
    assert calls["write"] == _calls(DD)["write"]


def test_one_line() -> None:
    calls = _calls(
        "It says\n\npread64(13, 0x627c34c8d200, 4096, 0) = -1 EIO (Input/output error)\n"
    )
    assert calls["pread64"] == {
        "calls": 1, "errors": 1, "error_names": {"EIO": 1}, "bytes": 0,
    }  # fmt: skip
    assert _calls("# ltrace ./a\nmalloc(32)           = 0x55d0c0\n")["malloc"]["calls"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "\tx = f(a)    = 0\n\tif (read(0) == 5)\n\t\tw = sizeof(y) = 3;\n",
        "open(2) = the call\nread(3) = another\n",
        "In f(x) = 3 we see that g(x) = 4.\n",
        "atomic_read(&v) = 5\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _calls(text) == {}


def test_the_table_of_ltrace() -> None:
    text = (
        "% time     seconds  usecs/call     calls      function\n"
        "------ ----------- ----------- --------- --------------------\n"
        " 75.00    0.000300         100         3 malloc\n"
        " 25.00    0.000100          50         2 free\n"
        "------ ----------- ----------- --------- --------------------\n"
        "100.00    0.000400                     5 total\n"
    )
    rows = {row.name: row.values for row in counters(text)}
    assert rows["malloc"] == {
        "share": 0.75, "seconds": 0.0003, "calls": 3, "errors": 0, "seconds_per_call": 100e-6,
    }  # fmt: skip
    assert "seconds_per_call" not in rows[""]
    assert rows[""]["calls"] == 5
