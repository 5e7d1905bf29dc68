"""`iosonde run --interleave` and `compare` of its two arms, with a fio that waits for nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Ended

Iosonde = Callable[..., Ended]
OPTIONS = ("--load", "latency", "--size", "1m", "--seconds", "1", "--loops", "4")


@pytest.mark.slow
def test_two_targets_in_turns_are_compared_by_pairs(iosonde: Iosonde, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ended = iosonde("run", "--interleave", "./a", "./b", *OPTIONS)
    assert ended.status == 0, ended.stderr
    loops = [line for line in ended.stderr.splitlines() if ": loop " in line]
    order = [line.partition(": loop ")[0].rpartition("/")[2] for line in loops]
    assert "".join(order) in {first + second for first in ("abba", "baab")
                              for second in ("abba", "baab")}  # fmt: skip
    first = ended.stdout.splitlines()[0]
    assert first.startswith(f"{tmp_path}/b against {tmp_path}/a (in turns, 4 pairs, run ")
    compared = iosonde("compare", "last")
    assert compared.stdout.splitlines()[0] == first
    answer = iosonde("compare", "last", "--json").json
    jsonschema.validate(answer, iosonde("schema", "compare").json)
    assert {verdict["pairs"] for verdict in answer["verdicts"]} == {4}
    run = iosonde("export", "last", "--format", "json").json
    jsonschema.validate(run, iosonde("schema", "run").json)
    assert [trial["arm"] for trial in run["trials"]] == [f"{tmp_path}/a", f"{tmp_path}/b"]
    assert iosonde("report", "last", "-o", str(tmp_path / "page.html")).status == 0
    page = (tmp_path / "page.html").read_text()
    assert f"{tmp_path}/b against {tmp_path}/a (in turns, 4 pairs): " in page
    assert page.count("With one I/O in flight the IOPS are only") == 1
    turned = iosonde("compare", f"last/{tmp_path}/b", f"last/{tmp_path}/a").stdout
    assert turned.startswith(f"{tmp_path}/a against {tmp_path}/b (in turns")


def test_a_run_without_arms_is_not_compared_with_itself(iosonde: Iosonde, tmp_path: Path) -> None:
    assert iosonde("run", "--target", str(tmp_path), *OPTIONS).status == 0
    ended = iosonde("compare", "last")
    assert ended.status == 2
    assert "--interleave" in ended.stderr
    mixed = iosonde("run", "--interleave", "./a", "latency", *OPTIONS)
    assert mixed.status == 2
    assert "two targets, two loads or two values of settings" in mixed.stderr
