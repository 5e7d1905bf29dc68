"""A trace as Parquet, written batch by batch. By Polars.

The columns: `time` nanoseconds on the trace's clock, `op` (read, write, flush, discard), `device`
its name, `offset` and `length` bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from iosonde.errors import OutputFailed
from iosonde.extras import LazyModule
from iosonde.outputs import output_file
from iosonde.trace.read import OPS

if TYPE_CHECKING:
    import numpy as np

    from iosonde.trace.read import RequestBatch, Trace
else:
    np = LazyModule("numpy")

SCHEMA = pl.Schema(
    {
        "time": pl.UInt64(), "op": pl.Enum(OPS), "device": pl.Categorical(),
        "offset": pl.UInt64(), "length": pl.UInt64(),
    }
)  # fmt: skip


def write_parquet(trace: Trace, path: Path) -> int:
    """Write a trace's requests; the file appears under its name when it is whole.

    Returns:
        How many requests it has.

    Raises:
        UsageError, Refused, OutputFailed: see `iosonde.outputs.write_output`; reading the trace
            failed.
    """
    written = 0

    def frames(*_: Any) -> Iterator[pl.DataFrame]:
        nonlocal written
        for batch in trace.batches():
            written += len(batch)
            yield _frame(batch, trace.core.devices)

    with output_file(path, "the trace") as file:
        try:
            _sink(frames, Path(f"/proc/self/fd/{file.fileno()}"))
        except pl.exceptions.ComputeError as problem:  # Polars' own word for a full disk
            raise OutputFailed(f"the trace cannot be written: {problem}", where=str(path)) from None
    return written


def _sink(frames: Any, path: Path) -> None:
    from polars.io.plugins import register_io_source

    register_io_source(frames, schema=SCHEMA, is_pure=False).sink_parquet(path, compression="zstd")


def _frame(batch: RequestBatch, devices: list[str]) -> pl.DataFrame:
    names = np.array(devices, dtype=object)
    return pl.DataFrame(
        {
            "time": batch.times,
            "op": pl.Series(batch.ops).replace_strict(
                dict(enumerate(OPS)), return_dtype=pl.Enum(OPS)
            ),
            "device": pl.Series(names[batch.devices], dtype=pl.Categorical),
            "offset": batch.offsets,
            "length": batch.lengths,
        },
        schema=SCHEMA,
    )
