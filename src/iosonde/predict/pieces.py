"""How many I/Os a device counts of those it gets, where it splits them itself.

md and device-mapper hand what lies behind a boundary of theirs back to themselves, and count it as
an I/O of its own. What a layer below gets is not changed by that.

Source: Linux 6.1, drivers/md/raid0.c (`raid0_make_request()`), raid10.c (`__make_request()`,
`raid10_make_request()`: not where each member holds all), raid5.c (`chunk_aligned_read()`: reads
of an array that lacks no member), md.c (`md_account_bio()`); dm.c (`dm_split_and_process_bio()`,
`max_io_len()`), dm-stripe.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from iosonde import _core
from iosonde.extras import LazyModule
from iosonde.layers._raid.geometry import near_copies
from iosonde.predict.stream import READ, WRITE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iosonde.predict.model import StackModel
    from iosonde.predict.requests import Requests
else:
    np = LazyModule("numpy")

_Places: TypeAlias = "NDArray[np.int64]"


def more_at_the_target(model: StackModel, requests: Requests) -> tuple[int, int]:
    """By how many reads and writes the top of a stack counts more than it was handed."""
    top = model.nodes[0]
    return (
        _more(_boundary(top, READ), top.limits.most, requests, READ),
        _more(_boundary(top, WRITE), top.limits.most, requests, WRITE),
    )


def _boundary(node: _core.Node, way: int) -> int:
    """Bytes between two boundaries at which a layer splits; 0: it does not."""
    match node.rule:
        case _core.Striped() as array:
            return array.chunk
        case _core.Raid10() as array if near_copies(array.layout) < len(node.below):
            return array.chunk
        case _core.Parity() as array if way == READ and not array.failed:
            return array.chunk
    return 0


def _more(chunk: int, limit: int | None, requests: Requests, way: int) -> int:
    own = requests.ops == way
    if not chunk or not own.any():
        return 0
    begin = requests.offsets[own].astype(np.int64)
    end = begin + requests.lengths[own].astype(np.int64)
    # What is too large is cut before, wherever it lies; those parts are counted already.
    most = limit or int((end - begin).max())
    more = 0
    while begin.size:
        stop = np.minimum(begin + most, end)
        more += int(_crossed(begin, stop, chunk).sum())
        begin, end = stop[stop < end], end[stop < end]
    return more


def _crossed(begin: _Places, end: _Places, chunk: int) -> _Places:
    """Boundaries within each range of bytes."""
    return (end - 1) // chunk - begin // chunk
