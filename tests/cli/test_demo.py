"""`iosonde demo`: a first measurement after the line that installs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from iosonde import extras
from iosonde.cli import output
from iosonde.cli.main import main
from iosonde.measure.named import bundled_values
from iosonde.verbs import demo as verb
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

Demo = Callable[..., Ended]


@pytest.fixture
def demo(
    environment: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Demo:  # fmt: skip
    """`demo("--json")` in an empty directory, with two loops of small files."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    values = bundled_values("demo")
    values["loads"] = [{**load, "size": "1m"} for load in values["loads"]]
    monkeypatch.setattr(verb, "bundled_values", lambda name: {**values, "loops": 2})

    def run(*arguments: str) -> Ended:
        with pytest.raises(SystemExit) as end:
            main(["demo", *arguments])
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ended(end.value.code, printed.out, printed.err)

    return run


def test_demo_measures_here_and_writes_a_page(demo: Demo, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()  # what has the study's name changes nothing
    ended = demo()
    assert ended.status == 0, ended.stderr
    assert "next: iosonde report" in ended.stdout
    assert "<html" in (tmp_path / "iosonde-demo.html").read_text()
    left = {path.name for path in tmp_path.iterdir()} - {"demo", "iosonde-demo.html"}
    assert {name for name in left if not name.startswith("store.sqlite")} == set()


def _suggested(printed: str) -> list[str]:
    """The commands of the line that begins with `next:`, and of those below it."""
    commands = printed.partition("\nnext: ")[2]
    return [line.strip() for line in commands.replace(" · ", "\n").splitlines()]


@pytest.mark.slow
def test_what_is_suggested_next_can_be_run_as_it_stands(demo: Demo, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "own.sqlite")]
    runs: list[str] = []
    for place in ("one", "one", "two"):
        (tmp_path / place).mkdir(exist_ok=True)
        ended = demo(place, "--report", f"{len(runs)}.html", *store)
        runs.append(ended.stdout.partition("\nrun ")[2].split()[0])
        suggested = _suggested(ended.stdout.partition("\nreport: ")[0])
        expected = [["report", runs[-1]], ["explain", runs[-1]]]
        expected += [["compare", *runs]] if len(runs) == 2 else []  # the third is of another place
        assert suggested == [shlex.join(["iosonde", *argv, *store]) for argv in expected]
    for command in suggested:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(command)[1:])
        assert end.value.code in {0, 1}, command


@pytest.mark.slow
def test_verbose_adds_the_commands_of_the_loads(demo: Demo, tmp_path: Path) -> None:
    for number, options in enumerate(([], ["-v"])):
        ended = demo(*options, "--report", f"{number}.html")
        assert ended.stderr.count(": fio --output=") == 2 * bool(options)  # one of each load
        output.set_volume()


@pytest.mark.parametrize("verb", ["compare", "predict"])
def test_verbs_that_have_nothing_to_add_do_not_offer_verbose(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([verb, "-v"])
    assert end.value.code == 2
    assert "no option -v" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["help", verb])
    assert "--verbose" not in capsys.readouterr().out


def test_without_the_extra_it_measures_and_says_how_to_have_a_page(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(extras.EXTRAS, "report", ("no_such_package",))
    ended = demo("--json")
    assert ended.status == 0, ended.stderr
    run = json.loads(ended.stdout)
    jsonschema.validate(run, schema("run"))
    assert [trial["load"]["name"] for trial in run["trials"]] == ["latency", "sequential-write"]
    assert "'iosonde[report]'" in ended.stderr
    assert not (tmp_path / "iosonde-demo.html").exists()
    refused = demo("--report", "mine.html")
    assert (refused.status, refused.stdout) == (2, "")
    assert "'iosonde[report]'" in refused.stderr


def test_a_page_that_cannot_be_written_is_refused_before_measuring(
    demo: Demo, tmp_path: Path
) -> None:
    (tmp_path / "iosonde-demo.html").mkdir()
    ended = demo()
    assert (ended.status, ended.stdout) == (2, ""), ended.stderr
    assert "iosonde-demo.html" in ended.stderr


def test_a_place_that_is_not_there_ends_before_anything_is_measured(demo: Demo) -> None:
    ended = demo("nosuch/place")
    assert (ended.status, ended.stdout) == (4, "")
    assert "nosuch" in ended.stderr
