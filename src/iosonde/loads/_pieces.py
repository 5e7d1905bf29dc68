"""Cells of tables that hold several figures with their names: `IOPS=5928, BW=23.2MiB/s`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from iosonde.records.stack import Json

RATES = {
    **{f"{p}B": 1000.0**n for n, p in enumerate(("", "k", "M", "G", "T"))}, "KB": 1000.0,
    **{f"{p}iB": 1024.0**n for n, p in enumerate(("K", "M", "G", "T"), 1)}, "kiB": 1024.0,
}  # fmt: skip
"""Bytes of the units of rates, as written."""
_PIECE = re.compile(
    r"(?P<name>iops|bw|bandwidth|c?lat(?:ency)?) ?[=:] ?(?P<number>\d{1,15}(?:\.\d{1,6})?) ?"
    r"(?P<unit>[kKMGT]?i?B(?:/s|ps)|[num]?s(?:ec)?|µs|[kKM])?(?![\w.])[ ,;/]{0,4}",
    re.IGNORECASE,
)
"""A figure of a cell that holds several: `IOPS=5928, BW=23.2MiB/s, lat=21587.15usec`."""
_SEVERAL = 2


class Figures(Protocol):
    """Where figures are put: by metric, with half of their last digit, and as they stand there."""

    metrics: dict[str, float]
    steps: dict[str, float]
    details: dict[str, Json]


def pieces_of(cell: str) -> list[re.Match[str]]:
    """The figures of a cell that holds several with their names, and nothing else."""
    pieces = list(_PIECE.finditer(cell))
    is_whole = sum(len(piece[0]) for piece in pieces) == len(cell)
    return pieces if is_whole and len(pieces) >= _SEVERAL else []


def put_pieces(pieces: Sequence[re.Match[str]], way: str, sheet: Figures) -> int:
    """Puts the rates of such a cell; of a latency it is not known what it is the mean of.

    Returns:
        How many figures have no direction.
    """
    doubtful = 0
    for piece in pieces:
        name, unit = piece["name"].lower(), piece["unit"] or ""
        sheet.details[name] = piece[0].strip(" ,;/")
        metric = {"iops": "iops", "bw": "bandwidth", "bandwidth": "bandwidth"}.get(name)
        if metric is None:
            continue
        rate = unit.replace("ps", "").replace("/s", "")
        thousands = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
        scale = (thousands if metric == "iops" else RATES).get(rate)
        if scale is None or not way:
            doubtful += 1
            continue
        digits = len(piece["number"].partition(".")[2])
        sheet.metrics[f"{way}.{metric}"] = float(piece["number"]) * scale
        sheet.steps[f"{way}.{metric}"] = 0.5 * 10.0**-digits * scale
    return doubtful
