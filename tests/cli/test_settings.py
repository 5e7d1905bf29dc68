"""The verbs of settings as a user runs them, where nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

Run = Callable[..., Ended]


def test_settings_holds_to_its_schema_and_agrees_with_show(iosonde: Run) -> None:
    earlier = {
        record["id"]: record["settings"] for record in iosonde("show", "--json").json["layers"]
    }
    document = iosonde("settings", "--json").json
    jsonschema.validate(document, schema("settings"))
    shown = {
        record["id"]: record["settings"] for record in iosonde("show", "--json").json["layers"]
    }
    for layer, values in shown.items():  # what somebody else changes meanwhile tells nothing
        before = earlier.get(layer, {})
        shown[layer] = {name: it for name, it in values.items() if before.get(name, it) == it}
    common = [
        (setting, shown[setting["layer"]][setting["name"]])
        for setting in document["settings"]
        if setting["name"] in shown.get(setting["layer"], {})
        and setting["mechanism"] == "sysfs"
        and "/loop:" not in setting["layer"]  # other tests come and go with theirs
    ]
    assert common
    assert [setting["value"] for setting, _ in common] == [value for _, value in common]
    assert all(setting["settable"] or setting["why_not"] for setting in document["settings"])
    assert any(setting["name"] == "vm.dirty_ratio" for setting in document["settings"])
    wires = {path.parent.name for path in Path("/sys/class/net").glob("*/device")}
    mtus = {setting["layer"].partition("link:")[2]: setting for setting in document["settings"]
            if setting["name"] == "mtu"}  # fmt: skip
    assert wires <= mtus.keys()  # also those that no mounted file system needs
    for name, record in mtus.items():
        assert str(record["value"]) == Path(f"/sys/class/net/{name}/mtu").read_text().strip()


def test_a_layer_that_is_not_there_is_told(iosonde: Run) -> None:
    ended = iosonde("settings", "local", "nosuch")
    assert ended.status == 2
    assert "no layer 'nosuch'" in ended.stderr
    assert iosonde("settings", "a", "b", "c").status == 2
    assert "recording" in iosonde("settings", "recording:here").stderr
    ended = iosonde("settings", "nosuch.invalid")
    assert ended.status == 4
    assert "no layer of this host" in ended.stderr
    assert "layers are" in ended.stderr


def test_one_setting_may_be_asked_for_by_its_name(iosonde: Run) -> None:
    rows = iosonde("settings", "vm.dirty_ratio", "--json").json["settings"]
    assert [row["name"] for row in rows] == ["vm.dirty_ratio"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("vm.dirty_ratio",), "LAYER.NAME=VALUE"),
        (("vm.dirty_rat=1",), "did you mean vm.dirty_ratio"),
        (("vm.dirty_ratio=101",), "0…100"),
        (("vm.dirty_ratio=some",), "whole number"),
        (("vm.dirty_ratio=10", "vm.dirty_ratio=11"), "named twice"),
        (("vm.dirty_ratio=10", "--confirm", "1"), "--confirm"),
    ],
)
def test_what_cannot_be_set_is_told_before_anything_is_changed(
    iosonde: Run, arguments: tuple[str, ...], said: str
) -> None:
    ended = iosonde("set", *arguments, "--dry-run")
    assert ended.status == 2
    assert said in ended.stderr


def test_a_dry_run_shows_the_commands(iosonde: Run) -> None:
    now = next(
        record["value"]
        for record in iosonde("settings", "--json").json["settings"]
        if record["name"] == "vm.swappiness"
    )
    document = iosonde("set", f"vm.swappiness={(now + 1) % 100}", "--dry-run", "--json").json
    jsonschema.validate(document, schema("set"))
    assert [change["state"] for change in document["changes"]] == ["planned"]
    assert [line.split()[2] for line in document["commands"]] == [
        "begin",
        "arm",
        "change",
        "confirm",
    ]
    assert "/proc/sys/vm/swappiness" in document["commands"][2]


def test_showing_what_would_be_put_back_or_kept_changes_nothing(iosonde: Run) -> None:
    jsonschema.validate(iosonde("rollback", "--dry-run", "--json").json, schema("rollback"))
    document = iosonde("persist", "--diff", "--json").json
    jsonschema.validate(document, schema("persist"))
    assert document["done"] is False
