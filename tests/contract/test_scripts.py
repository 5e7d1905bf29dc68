"""Shell programs are sent as they stand in their files, which shellcheck reads."""

from __future__ import annotations

import re

import pytest

from iosonde.layers._caches.building import HEADER
from iosonde.scripts import program


def test_what_is_for_readers_alone_is_not_sent() -> None:
    text = program("iosonde.layers", "_caches/functions.sh", then="gone x")
    assert text.startswith("header=")
    assert text.endswith("\n\ngone x")
    assert "shellcheck" not in text


@pytest.mark.parametrize(
    "name", ["_caches/functions.sh", "dm_cache/layout.sh", "dm_cache/stands.sh"]
)
def test_the_label_takes_as_much_room_for_the_shell_as_for_python(name: str) -> None:
    assert re.search(rf"\b{HEADER}\b", program("iosonde.layers", name))
