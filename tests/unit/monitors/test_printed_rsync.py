"""rsync's sums where the language parts thousands by dots and decimals by a comma.

The oracle is do_big_num() of lib/compat.c: the same figures with the signs exchanged; and the rate,
which is (sent + received) / (seconds + 0.5).
"""

from __future__ import annotations

import pytest

from tests.mangle import counters

ENGLISH = """\
# rsync -av --stats /srv/a/ /srv/b/
Number of files: 1,204 (reg: 1,200, dir: 4)
Number of created files: 12 (reg: 12)
Number of regular files transferred: 1,200
Total file size: 2,490,000,000 bytes
Total transferred file size: 2,490,000,000 bytes
Total bytes sent: 2,492,961,262
Total bytes received: 1,582,425

sent 2,492,961,262 bytes  received 1,582,425 bytes  17,629,284.01 bytes/sec
total size is 2,490,000,000  speedup is 1.00
"""
SIGNS = str.maketrans(",.", ".,")


@pytest.mark.parametrize("text", [ENGLISH, ENGLISH.translate(SIGNS)])
@pytest.mark.parametrize("since", ["# rsync", "sent "])
def test_figures_are_the_same_in_both_notations(text: str, since: str) -> None:
    (figures,) = counters(text[text.index(since) :])
    assert figures.values["sent"] == 2492961262
    assert figures.values["received"] == 1582425
    assert figures.values["bandwidth"] == pytest.approx((2492961262 + 1582425) / 141.5, rel=1e-6)
    if since == "# rsync":
        assert figures.values["files"] == 1204
        assert figures.values["size"] == figures.values["transferred_size"] == 2490000000


@pytest.mark.parametrize(("line", "rate"), [
    ("sent 43 bytes  received 135 bytes  14.24 bytes/sec", 14.24),
    ("sent 43 bytes  received 135 bytes  14,24 bytes/sec", 14.24),
    ("sent 147726 bytes  received 74 bytes  98533.33 bytes/sec", 98533.33),
    ("sent 4,240 bytes  received 120 bytes  8,720 bytes/sec", 8720),
    ("sent 4.240 bytes  received 120 bytes  8.720,00 bytes/sec", 8720),
])  # fmt: skip
def test_rates(line: str, rate: float) -> None:
    (figures,) = counters(line + "\n")
    assert figures.values["bandwidth"] == pytest.approx(rate)


@pytest.mark.parametrize("line", [
    "sent 5.83T bytes  received 1.61M bytes  102.84M bytes/sec",
    "sent 1,5 bytes  received 1.50K bytes  1.61K bytes/sec",
])  # fmt: skip
def test_a_figure_with_a_prefix_is_none(line: str) -> None:
    assert counters(line + "\n") == []
