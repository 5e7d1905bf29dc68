from __future__ import annotations

import pytest

from iosonde import units
from iosonde.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"),
    [("4096", 4096), ("4k", 4096), ("4 KiB", 4096), ("2g", 2 * units.GIB), ("1.5M", 1572864)],
)
def test_sizes_are_read_in_binary(text: str, size: int) -> None:
    assert units.parse_bytes(text) == size


def test_a_bad_size_says_where_and_how_to_write_it() -> None:
    with pytest.raises(UsageError, match=r"s.yaml:3: '4 apples' is not a size .*4k"):
        units.parse_bytes("4 apples", where="s.yaml:3")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60", 60), ("90s", 90), ("2 min", 120), ("250ms", 0.25), ("7.5 us", 7.5e-6)],
)
def test_times_are_seconds(text: str, seconds: float) -> None:
    assert units.parse_seconds(text) == pytest.approx(seconds)


def test_shares() -> None:
    assert units.parse_fraction("2 %") == pytest.approx(0.02)
    assert units.parse_fraction(0.02) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "s", "–"),
        (117e6, "B/s", "112 MiB/s"),
        (88_600, "1/s", "88.6 k/s"),
        (953.4, "1/s", "953 /s"),
        (84.2e-6, "s", "84.2 µs"),
        (66, "s", "66 s"),
        (3840, "s", "64 min"),
        (8000, "s", "2 h 13 min"),
        (0.0166, "fraction", "1.66 %"),
        (0.25, "cores", "0.25 cores"),
        (0, "s", "0 s"),
    ],
)
def test_figures_are_shown_in_the_unit_people_expect(
    value: float | None, unit: str, text: str
) -> None:
    assert units.show(value, unit) == text


def test_an_interval_of_what_cannot_be_negative() -> None:
    assert units.show_interval(None, "s") == "–"
    assert units.show_interval((0.001, 0.002), "s") == "1 ms … 2 ms"
    assert units.show_interval((-0.0677, 0.152), "s") == "up to 152 ms"
