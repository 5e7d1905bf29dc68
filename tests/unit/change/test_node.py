"""What a path is, told by the host's stat."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.change.node import look_at
from iosonde.hosts import open_host


@pytest.mark.parametrize("name", ["option", "stat: unrecognized option", "-L", "a\nb"])
async def test_a_path_that_is_not_there_is_left_out_whatever_its_name(
    tmp_path: Path, name: str
) -> None:
    host = await open_host("local")
    missing, there = str(tmp_path / name), str(tmp_path)
    assert await look_at(host, [missing]) == {}
    assert list(await look_at(host, [missing, there])) == [there]
