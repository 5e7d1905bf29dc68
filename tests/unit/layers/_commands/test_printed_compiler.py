"""Messages of compilers. Oracle: gcc itself, which prints them as JSON, too."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_compiler import Compiler
from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[3] / "outputs" / "builds-composed"
TEXT, LINKER = ((OUTPUTS / f"{name}.txt").read_text() for name in ("compiler", "linker"))
SOURCE = """\
#include <stddef.h>
static int unused_function(int depth) { return depth; }
int main(void) {
    int unused;
    unsigned char small = 4096;
    return missing(small) + "text";
}
"""


def _values(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, Compiler.tool)]


def test_counts_by_severity_and_places() -> None:
    (values,) = _values(TEXT)
    assert {name: values[name] for name in ("errors", "warnings", "notes", "sparse")} == {
        "errors": 1, "warnings": 2, "notes": 1, "sparse": 1,
    }  # fmt: skip
    messages = values["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {
        "file": "fs/pond/heron.c", "line": 221, "column": 17, "severity": "error",
        "message": "implicit declaration of function 'heron_land'; did you mean 'heron_lend'?",
        "option": "-Werror=implicit-function-declaration",
    }  # fmt: skip
    assert messages[2] == {
        "file": "fs/pond/newt.c", "line": 77, "function": "newt_swim", "severity": "warn",
        "message": "inconsistent indenting",
    }  # fmt: skip
    assert messages[3]["severity"] == "sparse"
    assert messages[3]["line"] == 80
    assert values["make_errors"] == [
        {"target": "scripts/Makefile.build:229: fs/pond/heron.o", "how": "Error", "status": 1,
         "level": 3},
        {"target": "Makefile:240: __sub-make", "how": "Error", "status": 2},
    ]  # fmt: skip


def test_linker_modpost_and_configure() -> None:
    (values,) = _values(LINKER)
    undefined = {"severity": "error", "message": "undefined reference to `__divdi3'"}
    assert values == {
        "errors": 4,
        "messages": [
            {"file": "heron.c", "section": ".text.pond_rate+0x48", **undefined},
            {"file": "fs/pond/heron.c", "line": 310, **undefined},
            {"program": "modpost", "severity": "error",
             "message": '"pond_depth" [fs/pond/newt.ko] undefined!'},
            {"program": "configure", "severity": "error",
             "message": "libpond 3.1 or later is needed"},
        ],
    }  # fmt: skip


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_gcc_counts_the_same_in_its_json(tmp_path: Path) -> None:
    (tmp_path / "heron.c").write_text(SOURCE)
    command = ["gcc", "-Wall", "-Wextra", "-c", "heron.c", "-o", "heron.o"]
    printed = [
        subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        ).stderr
        for more in ([], ["-fdiagnostics-format=json"])
    ]  # fmt: skip
    rows = json.loads(printed[1].splitlines()[0])
    (values,) = _values(printed[0])
    for kind in ("error", "warning"):
        assert values.get(f"{kind}s", 0) == sum(row["kind"] == kind for row in rows)
    messages = values["messages"]
    assert isinstance(messages, list)
    assert [(row["line"], row["message"]) for row in messages] == [
        (row["locations"][0]["caret"]["line"], row["message"].replace("‘", "'").replace("’", "'"))
        for row in rows
    ]


def test_a_message_that_a_mail_broke_is_whole() -> None:
    for width in (72, 78):
        assert _values(folded(TEXT, width))[0]["messages"] == _values(TEXT)[0]["messages"]


@pytest.mark.parametrize(
    "text",
    [
        "Subject: [pond 7/12] fs/pond/heron.c:61:22: warning: unused\n variable 'reed'\n",
        "Subject: [pond:for-next 7/12]\n fs/pond/heron.c:61:22: warning: unused\n",
        '+\tpr_err("fs/pond/heron.c:61: error: no heron");\n',
        "WARNING: CPU: 1 PID: 234 at fs/pond/heron.c:61 pond_fill+0x12/0x30\n",
        "The line heron.c:61 of the pond gives: warning: a heron\n",
        "/dev/sda1: error: no such pond\n",
        "mkfs: heron.pond: error: cannot land\n",
    ],
)
def test_what_no_compiler_printed(text: str) -> None:
    assert _values(text) == []


def test_the_text_below_is_no_part_of_it() -> None:
    for below in ("The build fails since then.\n", "\nThe build fails since then.\n", "\n# ls\n"):
        (values,) = _values(TEXT + below)
        assert values == _values(TEXT)[0]


@pytest.mark.parametrize("text", [TEXT, LINKER.replace(">> ", "   ")])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        rows = _values(changed)
        assert sum(int(str(row.get("errors", 0))) for row in rows) == _values(text)[0]["errors"], (
            shape
        )
        for name in ("warnings", "sparse", "messages"):
            if name in _values(text)[0] and len(rows) == 1:
                assert rows[0][name] == _values(text)[0][name], shape


def test_a_paragraph_without_a_command() -> None:
    lines = TEXT.splitlines()
    (values,) = _values("\n".join(lines[5:9]))
    assert values["errors"] == 1
    assert "warnings" not in values
