"""Hosts of a stack that cannot be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.change.open import opened
from iosonde.errors import HostFailed, UsageError
from iosonde.lab.state import Lab, LabNode
from iosonde.stack.file import understand

FILE = "stacks/nolab.yaml"


async def test_a_lab_that_does_not_run_is_named_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iosonde.lab.state.base", lambda: tmp_path)
    text = "stack: nolab\nhosts: {h: {}}\nlayers:\n  d: {kind: disk, host: h}\n"
    stack = understand(text, FILE)
    with pytest.raises(UsageError, match="there is no lab 'nolab'") as caught:
        async with opened(stack):
            pass
    assert "`iosonde lab up stacks/nolab.yaml`" in caught.value.hint


async def test_a_node_without_power_is_named_with_what_boots_it_and_builds_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iosonde.lab.state.base", lambda: tmp_path)
    node = LabNode("h", 1, 2201, ("d",), ())
    Lab("nolab", str(tmp_path), "tcg", complete=True, switch=(), nodes=(node,)).keep()
    stack = understand("stack: nolab\nhosts: {h: {}}\nlayers:\n  d: {kind: disk, host: h}\n", FILE)
    with pytest.raises(HostFailed, match="this node is not running") as caught:
        async with opened(stack):
            pass
    assert caught.value.where == "lab:nolab/h"
    assert "`iosonde lab start h --name nolab`" in caught.value.hint
    assert f"`iosonde up {FILE}`" in caught.value.hint
