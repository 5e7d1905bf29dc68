"""Studies, stacks, loads, recordings and priors of strangers: bounded depth, size and time."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iosonde import limits
from iosonde.errors import StoreFailed, UsageError
from iosonde.exact import from_json
from iosonde.hosts.recording import open_recording
from iosonde.loads.named import declare_load
from iosonde.measure.study import read_study
from iosonde.stack.file import read_stack
from iosonde.stack.overrides import parse_overrides
from iosonde.store.rows import unpack
from iosonde.tune.campaign.declare import read_tune
from iosonde.tune.search.prior import read_prior
from iosonde.yamltext import load_yaml

_READERS: dict[str, Callable[[Path], Any]] = {
    "study": read_study, "tune": read_tune, "stack": read_stack,
    "load": lambda path: declare_load(str(path), where="x", directory=Path()),
}  # fmt: skip
_BOMBS = {
    "aliases": ("a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)
    ), "100,000 values with its aliases, the limit"),
    "merges": ("a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)
    ), "100,000 values with its aliases, the limit"),
    "itself": ("a: &a [*a]\n", "contains itself by the alias"),
    "lists": ("a: " + "[" * 100_000, "nested deeper than 50 levels, the limit"),
    "mappings": ("{a: " * 100_000, "nested deeper than 50 levels, the limit"),
    "dashes": ("- " * 100_000, "nested deeper than 50 levels, the limit"),
    "keys": ("? " * 100_000, "nested deeper than 50 levels, the limit"),
    "number": ("a: 0x" + "f" * 10_000, "a number of more than 1000 digits"),
    "tag": ("a: !!omap [{a: 1, b: 2}]\n", "invalid YAML"),
    "long": ("a: 1\n" + "# x\n" * (1 << 18), "longer than 1 MiB, the limit"),
}  # fmt: skip


def test_a_long_comment_takes_no_longer_than_its_length() -> None:
    comment = "# " + "x" * (1 << 19)
    begun = time.process_time()
    assert load_yaml(f"{comment}\na: 1\n", "x", lines=True) == {"a": 1}
    assert time.process_time() - begun < 8  # a minute and more where its square is taken


@pytest.mark.parametrize("kind", list(_READERS))
@pytest.mark.parametrize("bomb", list(_BOMBS))
def test_bombs_of_yaml_are_refused_with_the_limit(tmp_path: Path, kind: str, bomb: str) -> None:
    text, said = _BOMBS[bomb]
    path = tmp_path / "bomb.yaml"
    path.write_text(text)
    begun = time.process_time()
    with pytest.raises(UsageError, match=said):
        _READERS[kind](path)
    assert time.process_time() - begun < 5


def test_an_option_is_held_to_the_same_limits() -> None:
    with pytest.raises(UsageError, match=r"'a\.b' is nested deeper than 50 levels"):
        parse_overrides(["a.b=" + "[" * 5000])
    assert parse_overrides(["a.b=[1, {c: 2}]"]) == {"a.b": [1, {"c": 2}]}


def test_aliases_and_merge_keys_that_people_write_are_read() -> None:
    text = "base: &base {rw: read, bs: 4k}\nloads:\n" + "".join(
        f"  - <<: *base\n    iodepth: {depth}\n" for depth in range(1, 65)
    )
    for lines in (True, False):
        read = load_yaml(text, "x", lines=lines)
        assert dict(read["loads"][63]) == {"rw": "read", "bs": "4k", "iodepth": 64}


def test_a_long_study_is_read_up_to_the_limits() -> None:
    text = "".join(f"k{n}: {n}\n" for n in range(4_000))
    assert len(load_yaml(text, "x")) == 4_000


@pytest.mark.parametrize("kind", [*_READERS, "prior"])
@pytest.mark.parametrize(("name", "said"), [("/dev/zero", "device"), ("fifo", "FIFO")])
def test_what_has_no_end_is_no_declaration(
    tmp_path: Path, kind: str, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_BYTE_SECONDS", 0.2)
    os.mkfifo(tmp_path / "fifo.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    path = tmp_path / ("fifo.yaml" if name == "fifo" else "zero.yaml")
    with pytest.raises(UsageError, match=said):
        {**_READERS, "prior": read_prior}[kind](path)


def test_a_study_of_a_pipe_is_read(tmp_path: Path) -> None:
    ends = os.pipe()
    os.write(ends[1], b"targets: [/dev/sdx]\nloads: [random-read]\n")
    os.close(ends[1])
    study = read_study(Path(f"/dev/fd/{ends[0]}"))
    os.close(ends[0])
    assert [target.path for target in study.targets] == ["/dev/sdx"]


async def test_deep_json_is_an_error(tmp_path: Path) -> None:
    deep = '{"a":' * 100_000
    with pytest.raises(ValueError, match="too deep"):
        from_json(deep)
    (tmp_path / "index.json").write_text(deep)
    with pytest.raises(UsageError, match="not a recording"):
        await open_recording(str(tmp_path))
    with pytest.raises(UsageError, match="not a prior"):
        read_prior(tmp_path / "index.json")
    assert from_json(json.dumps({"a": [1]})) == {"a": [1]}


def test_a_record_of_a_store_that_unpacks_without_end_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "STORED", 1 << 20)
    whole = b'"' + b"x" * (1 << 20) + b'"'
    with pytest.raises(StoreFailed, match="unpacks to more than 1 MiB, the limit"):
        unpack(str, zlib.compress(whole))
    with pytest.raises(StoreFailed, match="damaged"):
        unpack(str, zlib.compress(whole[:1000])[:-5])
    assert unpack(str, zlib.compress(b'"ab"')) == "ab"
