"""fio's latency bins as a `Histogram`.

Source:
    fio 3.33, stat.c, plat_idx_to_val(), add_ddir_lat_json(). JSON+ of fio 2.2.12 to
    2.19 numbered the bins instead of naming their latency, and put the three FIO_IO_U_PLAT_*
    constants among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from iosonde.records.load import Histogram
from iosonde.records.stack import Json

_BITS = "FIO_IO_U_PLAT_BITS"


def bins(stat: Mapping[str, Json], scale: float) -> Counter[float]:
    """Seconds → count, from one `clat_ns` (or older `clat`) object; empty where it has no bins.

    Args:
        stat: the object.
        scale: seconds per unit of its figures.
    """
    listed = stat.get("bins")
    if not isinstance(listed, dict):
        return Counter()
    bits = listed.get(_BITS)
    counts: dict[float, int] = {}  # of a Counter, each new key costs a call
    for key, count in listed.items():
        if not key.isdigit() or not isinstance(count, int) or count <= 0:
            continue
        value = (_middle(int(key), bits) if isinstance(bits, int) else float(key)) * scale
        counts[value] = counts.get(value, 0) + count
    return Counter(counts)


def _middle(index: int, bits: int) -> float:
    """The latency that stands for bin `index`: the middle of its range."""
    per_group = 1 << bits
    if index < per_group << 1:
        return float(index)
    shift = (index >> bits) - 1
    base = 1 << (shift + bits)
    return base + (index % per_group + 0.5) * (1 << shift)


def histogram(counts: Mapping[float, int]) -> Histogram:
    """Bins in ascending order."""
    ordered = sorted(counts.items())
    return Histogram(
        values=tuple(value for value, _ in ordered), counts=tuple(count for _, count in ordered)
    )
