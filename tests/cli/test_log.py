"""`iosonde log` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.forked import Ended, call

LOGS = Path(__file__).parents[1] / "outputs" / "fio-3.33-logs"


def log(*arguments: str | Path, text: bytes = b"") -> Ended:
    return call("log", *arguments, stdin=text)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in LOGS.iterdir() if path.name != "SOURCE")
)
def test_json_holds_to_its_schema(name: str) -> None:
    done = log(LOGS / name, "--json")
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema("error" if "hist" in name else "log"))
    assert done.status == (2 if "hist" in name else 0)


def test_the_table_fits_a_terminal_and_names_what_matters() -> None:
    done = log(LOGS / "offset_lat.1.log", LOGS / "mixed.iolog3")
    text = done.stdout
    assert max(len(line) for line in text.splitlines() if str(LOGS) not in line) <= 80
    for choice in ("off the 4 KiB grid", "p99.9", "16 KiB", "read", "write", "sync 10"):
        assert choice in text, text
    assert done.stderr == ""


def test_bad_lines_are_told_on_standard_error_or_refused() -> None:
    text = b"1, 5000, 0, 4096, 8192, 0\n2, 50"
    lenient, strict = log("-", text=text), log("-", "--strict", text=text)
    assert lenient.status == 0
    assert "1 bad line left out (line 2: the file ends within this line" in lenient.stderr
    assert strict.status == 2
    assert "/dev/stdin:2: the file ends within this line" in strict.stderr
    assert log("-", "--kind", "speed", text=text).status == 2


def test_an_empty_log_as_fio_writes_it_has_no_samples(tmp_path: Path) -> None:
    empty = tmp_path / "x_slat.1.log"
    empty.touch()
    done = log(empty)
    assert (done.status, "no samples" in done.stdout) == (0, True)
    assert log(empty, "--strict").status == 2
