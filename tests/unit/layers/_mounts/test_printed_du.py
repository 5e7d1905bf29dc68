"""du. Oracle: the real program, and the sizes of the files themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iosonde.layers._mounts.printed_du import Du
from tests.mangle import counters


def _sizes(text: str) -> dict[str, object]:
    rows = counters(text, Du.tool)
    return {name: sizes for row in rows for name, sizes in row.values.items()}


@pytest.mark.parametrize("flags", ["-s", "-sh", "-sm", "-s -B M", "-sb", "-sk"])
def test_the_real_program(tmp_path: Path, flags: str) -> None:
    for name, size in (("few.bin", 3 << 20), ("more.bin", 5 << 20)):
        (tmp_path / name).write_bytes(bytes([7]) * size)
    printed = subprocess.run(
        ["du", *flags.split(), "few.bin", "more.bin"], cwd=tmp_path,
        capture_output=True, text=True, check=True, env={"LC_ALL": "C"},
    ).stdout  # fmt: skip
    kind = "apparent_sizes" if "b" in flags else "sizes"
    taken = {
        name: (tmp_path / name).stat().st_blocks * 512 if kind == "sizes" else size
        for name, size in (("few.bin", 3 << 20), ("more.bin", 5 << 20))
    }
    sizes = _sizes(f"# du {flags} few.bin more.bin\n{printed}\n")[kind]
    assert isinstance(sizes, dict)
    assert sizes.keys() == taken.keys()
    for name, size in taken.items():
        assert sizes[name] == pytest.approx(size, abs=1 << 20)
        assert sizes[name] >= size  # du rounds up


@pytest.mark.parametrize(
    "text",
    [
        "$ cat list\n4\tfew.bin\n",
        "$ du -sh x\ndu: cannot access 'x': No such file or directory\n",
        "4\tfew.bin\n",
        "$ echo du -sh x\n",
        "$ du -sh x\n4: few.bin\n",
    ],
)
def test_what_is_none(text: str) -> None:
    assert _sizes(text) == {}


def test_the_command_may_go_on_with_a_pipe() -> None:
    text = "$ sudo du -sh /srv/* | sort -h\n1,5G\t/srv/a\n2.0T\t/srv/b c\n$ ls\n"
    assert _sizes(text) == {"sizes": {"/srv/a": 3 << 29, "/srv/b c": 2 << 40}}
