"""The harness works on every reader, finds what it is for, and gives the same for the same seed."""

from __future__ import annotations

import random
import re
import time

import pytest

from tests.fuzz.mutate import LONGEST, damaged
from tests.fuzz.patterns import SLOW, pace, patterns, slowest
from tests.fuzz.readers import Reader, readers
from tests.fuzz.run import attempt, fuzz, smaller


@pytest.mark.xdist_group("samples of tools")  # looked for once
@pytest.mark.parametrize("name", list(readers()))
def test_a_reader_takes_its_samples_and_some_damage(name: str) -> None:
    reader = readers()[name]
    assert reader.samples
    noise = random.Random(14)
    inputs = [*reader.samples[:5]]
    inputs += [damaged(noise.choice(reader.samples), reader.samples, noise) for _ in range(5)]
    for data in inputs:
        problem, _ = attempt(reader, data)
        assert not problem, (problem, data[:200])


def test_damage_is_the_same_for_a_seed_and_bounded() -> None:
    samples = [b"read: IOPS=100, BW=4MiB/s\n" * 20, b'{"a": [1, 2, {"b": 3.5}]}']
    each = [[damaged(samples[0], samples, noise) for _ in range(300)]
            for noise in (random.Random(1), random.Random(1), random.Random(2))]  # fmt: skip
    assert each[0] == each[1] != each[2]
    assert max(map(len, each[0])) <= LONGEST


def test_what_is_wrong_is_found_and_made_small() -> None:
    def read(data: bytes) -> None:
        if b"7" in data:
            raise KeyError("iosonde")

    reader = Reader("wrong", read, [b"123456789"])
    outcome = fuzz(reader, 0.2, seed=1)
    ((problem, data),) = outcome.findings.items()
    assert problem == "KeyError: outside"
    assert smaller(reader, data, problem) == b"7"


def test_what_is_slow_is_found() -> None:
    def read(_data: bytes) -> None:
        re.fullmatch("(a|a)*b", "a" * 40)

    begun = time.process_time()
    problem, took = attempt(Reader("slow", read, [b""]), b"")
    assert problem.startswith("slow")
    assert 1.5 < took < 6
    assert time.process_time() - begun < 6


@pytest.mark.slow
def test_patterns_that_are_too_slow_are_found() -> None:
    assert len(patterns()) > 400
    assert slowest(re.compile(r"(?:\S*/)*fio\b"))[0] > SLOW
    assert slowest(re.compile(r"[a-z]+=\d+"))[0] < SLOW


ROOMS = ("layers._", "layers.b", "layers.d", "layers.e", "layers.", "loads.", "monitors.", "")
"""How the names of modules begin, the last: all others. A name is of the first that fits."""


@pytest.mark.slow
@pytest.mark.timeout(900)  # a quarter of a minute of a processor, of which others may have the most
@pytest.mark.parametrize("room", ROOMS)
def test_no_pattern_takes_more_than_the_square_of_a_line(room: str) -> None:
    """A thousand characters within a quarter of a second, or as much longer as `pace` says.

    A line has at most eight thousand.

    Each expression has a quarter of its 900 texts here: they are alike, and an expression that is
    slow is so on many. `test_no_text_makes_a_pattern_slow` has all.
    """
    assert not _slow_patterns(room, of=4)


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("room", ROOMS)
def test_no_text_makes_a_pattern_slow(room: str) -> None:
    assert not _slow_patterns(room, of=1)


def _slow_patterns(room: str, *, of: int) -> dict[str, tuple[float, str]]:
    """Expressions of a room that are too slow: seconds, and the beginning of a text."""
    slow = {}
    for name, pattern in patterns().items():
        if next(at for at in ROOMS if name.removeprefix("iosonde.").startswith(at)) != room:
            continue
        took, text = slowest(pattern, of=of)
        if took > SLOW and min(slowest(pattern, of=of)[0] for _ in range(2)) > SLOW * pace():
            slow[name] = (round(took, 2), text)
    return slow
