"""Names and tags of runs, wherever a run is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended
from tests.unit.measure import build

Command = Callable[..., Ended]
LOAD = ("--load", "latency", "--target", ".", "--seconds", "1", "--size", "1m", "--loops", "2")


@pytest.fixture
def runs(environment: Mapping[str, str]) -> tuple[str, str]:
    """Two runs of one study, the first named before."""
    kept = open_store(environment["IOSONDE_STORE"])
    ids = []
    for place, name in enumerate(("before", "")):
        run = kept.begin("nightly", {}, created=1e9 + place, owner="", name=name, tags=("night",))
        kept.add_trial(run.id, build.trial(build.speeds([1e8 + place, 1.01e8, 1.02e8])))
        kept.finish(run.id, RunState.FINISHED)
        ids.append(run.id)
    kept.close()
    return ids[0], ids[1]


@pytest.mark.slow
def test_a_run_is_named_and_found_by_its_name(iosonde: Command) -> None:
    ended = iosonde("run", *LOAD, "--name", "mtu-9000", "--tag", "lab3", "--tag", "quiet", "--json")
    assert ended.status == 0, ended.stderr
    jsonschema.validate(ended.json, schema("run"))
    assert (ended.json["name"], ended.json["tags"]) == ("mtu-9000", ["lab3", "quiet"])
    assert ended.json["study"] == "study"
    for wanted in ("mtu-9000", "lab3"):
        exported = iosonde("export", wanted)
        assert exported.json["id"] == ended.json["id"]
        assert iosonde("report", wanted, "-o", "page.html").status == 0
    again = iosonde("run", *LOAD, "--name", "mtu-9000")
    assert again.status == 2
    assert f"the name 'mtu-9000' is taken by run {ended.json['id']}" in again.stderr
    assert iosonde("run", *LOAD, "--name", "mtu-9000", "--dry-run").status == 2
    assert len(iosonde("list", "--json").json["runs"]) == 1


def test_a_study_has_tags_and_the_command_line_adds_to_them(
    iosonde: Command, tmp_path: Path
) -> None:
    text = "study: nightly\ntargets: .\nloads: [latency]\nseconds: 1\nsize: 1m\nloops: 1\n"
    (tmp_path / "study.yaml").write_text(f"{text}tags: [ci]\n")
    ended = iosonde("run", "study.yaml", "--tag", "mtu", "--json")
    assert (ended.status, ended.json["tags"]) == (0, ["ci", "mtu"])
    (tmp_path / "study.yaml").write_text(f"{text}tags: [ci, 'a b']\n")
    ended = iosonde("run", "study.yaml", "--dry-run")
    assert ended.status == 2
    assert "study.yaml:7: tags.1: expected letters, digits and" in ended.stderr


def test_a_name_does_where_an_id_does(iosonde: Command, runs: tuple[str, str]) -> None:
    first, second = runs
    assert iosonde("tag", second, "--name", "after").status == 0
    assert iosonde("compare", "before", "after").stdout.startswith(f"{second} against {first}")
    assert iosonde("explain", "after").status == 0
    assert "there is no run 'befor'" in iosonde("report", "befor").stderr
    assert "did you mean 'before'?" in iosonde("report", "befor").stderr
    several = iosonde("explain", "night")
    assert (several.status, several.stdout) == (2, "")
    assert f"'night' is a tag of several runs: {second} (after), {first} (before)" in several.stderr
    assert iosonde("run", "--resume", "before").stderr.startswith(
        f"iosonde: run {first} is finished, so there is nothing to resume"
    )
    assert iosonde("completion", "bash", "--", "report", "").stdout.split()[:3] == [
        "last", "after", "before",
    ]  # fmt: skip


def test_tags_are_shown_added_and_removed(iosonde: Command, runs: tuple[str, str]) -> None:
    first, _ = runs
    ended = iosonde("tag", "before", "slow", "--remove", "night", "--json")
    jsonschema.validate(ended.json, schema("tag"))
    assert (ended.json["id"], ended.json["tags"]) == (first, ["slow"])
    assert iosonde("tag", "slow").stdout == f"run {first} of nightly: name before, tags slow\n"
    assert iosonde("tag", "slow", "--name", "").stdout.endswith(": no name, tags slow\n")


@pytest.mark.parametrize(
    "label", ["last", "local", "a b", "a/b", "\x1b[31m", "a\nb", "", "x" * 101]
)
def test_what_is_no_name_or_tag(iosonde: Command, runs: tuple[str, str], label: str) -> None:
    for row in (("tag", runs[0], label), ("tag", runs[0], "--name", label or " ")):
        ended = iosonde(*row)
        assert ended.status == 2, row
        assert "\x1b" not in ended.stderr
        assert iosonde("tag", runs[0]).stdout.endswith("name before, tags night\n")


def test_no_store_is_made_to_explain_a_host(
    iosonde: Command, environment: Mapping[str, str]
) -> None:
    assert iosonde("explain", "nosuchhost.invalid").status == 4
    assert not Path(environment["IOSONDE_STORE"]).exists()
