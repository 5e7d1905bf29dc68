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


@pytest.mark.parametrize(("text", "seconds"), [("1:02:03", 3723), ("2:05", 125), ("7", 7)])
def test_clocks_are_seconds(text: str, seconds: int) -> None:
    assert units.clock_seconds(text) == seconds


def test_shares() -> None:
    assert units.parse_fraction("2 %") == pytest.approx(0.02)
    assert units.parse_fraction(0.02) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "s", "–"),
        (117e6, "B/s", "112 MiB/s"),
        (88_600, "1/s", "88,600 IOPS"),
        (953.4, "1/s", "953 IOPS"),
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


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (units.MIB - 1, "B", "1.00 MiB"),
        (1023.7 * units.KIB, "B/s", "1.00 MiB/s"),
        (units.MIB, "B", "1 MiB"),
        (1023 * units.KIB, "B", "1023 KiB"),
        (1023.4 * units.KIB, "B", "1023 KiB"),
        (9.997 * units.MIB, "B", "10.0 MiB"),
        (99.97 * units.MIB, "B", "100 MiB"),
        (0.9999996, "s", "1.00 s"),
        (9.9999e-4, "s", "1.00 ms"),
        (9.9999e-7, "s", "1.00 µs"),
        (999e-6, "s", "999 µs"),
        (0.999, "s", "999 ms"),
        (119.6, "s", "2 min"),
        (119.4, "s", "119 s"),
        (7190.0, "s", "2 h 00 min"),
        (-7800.0, "s", "−2 h 10 min"),
        (-9.9999e-4, "s", "−1.00 ms"),
        (999_960.0, "1/s", "1.00 M IOPS"),
        (999_400.0, "1/s", "999,000 IOPS"),
        (9_999.6, "1/s", "10,000 IOPS"),
        (9_782.6, "1/s", "9,780 IOPS"),
        (9.997, "1/s", "10 IOPS"),
        (0.99999, "fraction", "99.999 %"),
        (0.9997, "fraction", "99.97 %"),
        (0.9999999, "fraction", "over 99.999 %"),
        (-0.99999, "fraction", "−99.999 %"),
        (0.994, "fraction", "99.4 %"),
        (1.0, "fraction", "100 %"),
        (1.0004, "fraction", "100 %"),
        (9.996, "fraction", "1000 %"),
        (9.994, "fraction", "999 %"),
        (0.000166, "fraction", "0.0166 %"),
        (0.00001, "fraction", "0 %"),
        (float("nan"), "fraction", "nan %"),
    ],
)
def test_a_unit_is_chosen_by_what_is_printed(value: float, unit: str, text: str) -> None:
    assert units.show(value, unit) == text


@pytest.mark.parametrize("unit", ["B", "B/s", "s", "1/s"])
def test_no_printed_figure_reaches_the_next_unit(unit: str) -> None:
    """Read back, each lies within its last digit; none is "1024 KiB", "1000 ms" or "1000 k/s"."""
    scales = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "ns": 1e-9,
              "µs": 1e-6, "ms": 1e-3, "s": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "": 1.0}  # fmt: skip
    top = 1024 if unit.startswith("B") else 1000
    begin = 1.0123e-8 if unit == "s" else 1.0123
    for step in range(2500):
        value = begin * 1.0089**step
        shown = units.show(value, unit).replace(",", "").removesuffix("/s")
        number, _, name = shown.removesuffix("IOPS").strip().partition(" ")
        if (unit == "s" and value > 100) or name not in scales:
            break  # minutes and hours; beyond the last prefix
        whole = 0.5 if unit == "1/s" and not name else 0.0
        assert float(number) < (1e6 if whole else 120 if name == "s" else top), value
        assert float(number) * scales[name] == pytest.approx(value, rel=0.006, abs=whole), value


def test_changes_have_their_sign_and_leave_a_rest() -> None:
    assert units.show_change(0.023) == "+2.3 %"
    assert units.show_change(-0.0775) == "−7.8 %"
    assert units.show_change(-0.99999) == "−99.999 %"
    assert units.show_change(-1.0) == "−100 %"


def test_a_unit_that_both_ends_have_is_shown_once() -> None:
    assert units.show_range(47_700, 48_600, "1/s") == "47,700 … 48,600 IOPS"
    assert units.show_range(0.0009, 0.002, "s") == "900 µs … 2 ms"
    assert units.show_range(3600, 8000, "s") == "60 min … 2 h 13 min"
    assert units.show_range(7980, 8040, "s") == "2 h 13 min … 2 h 14 min"
    assert units.show_changes(-0.612, 0.39) == "−61.2 … +39.0 %"


def test_a_spread_wider_than_its_figure_tells_no_more_than_that() -> None:
    assert units.show_spread(0.0166) == "± 1.66 %"
    assert units.show_spread(1.81) == "± 100 % or more"


def test_evidence_is_never_in_exponents() -> None:
    assert units.show_evidence(269.0, "B/s") == "269 B/s"
    assert units.show_evidence(12345.6, "") == "12,346"
    assert units.show_evidence(70.25 * units.KIB, "B/s") == "0.068604 MiB/s"


def test_an_interval_of_what_cannot_be_negative() -> None:
    assert units.show_interval(None, "s") == "–"
    assert units.show_interval((0.001, 0.002), "s") == "1 … 2 ms"
    assert units.show_interval((-0.0677, 0.152), "s") == "up to 152 ms"


def test_a_share_of_nearly_nothing_is_not_a_hundred_digits() -> None:
    assert units.show_fraction(1e98) == "over 1000000 %"
    assert units.show_fraction(-1e98) == "−over 1000000 %"
    assert units.show_change(1e98) == "over +1000000 %"
    assert units.show_fraction(9999.0) == "999900 %"
    assert units.show_change(99.0) == "+9900 %"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8.00EiB", 2.0**63), ("8E", 8e18), ("1.5 EB", 1.5e18), ("2P", 2e15), ("88.6k", 88_600.0),
        ("1E6", 1e6), ("12 Errors", 12.0), ("12 Each", 12.0),
    ],
)  # fmt: skip
def test_a_printed_number_has_its_prefix(text: str, number: float) -> None:
    assert units.printed(text)[0] == number


def test_the_largest_size_of_a_file_system_is_shown_as_it_was_printed() -> None:
    assert units.show_bytes(2**63) == "8 EiB"
