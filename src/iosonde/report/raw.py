"""What the loads of a run printed, loop by loop, as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.records.run import Loop, Run, Trial


def raw_outputs(runs: Sequence[Run]) -> bytes:
    """The raw outputs of all loops of runs, also of those that could not be read.

    Each part has a heading of its own; its bytes are those of the load.
    """
    return b"".join(
        part
        for run in runs
        for trial in run.trials
        for loop in sorted((*trial.loops, *trial.unread), key=lambda loop: loop.index)
        for part in _parts(run, trial, loop)
    )


def _parts(run: Run, trial: Trial, loop: Loop) -> Iterator[bytes]:
    """A loop's streams and files, each under its heading; empty ones are left out."""
    raw = loop.raw
    unread = f", not read: {loop.result.unread}" if loop.result.unread else ""
    yield _heading(f"run {run.id}, {trial.id}, loop {loop.index + 1}, status {raw.status}{unread}")
    streams = {"standard output": raw.stdout, "standard error": raw.stderr, **raw.files}
    for name, content in streams.items():
        if content:
            yield _heading(f"{name}, {len(content)} bytes", level=3)
            yield content if content.endswith(b"\n") else content + b"\n"


def _heading(text: str, level: int = 2) -> bytes:
    return ("=" * level + f" {' '.join(text.split())}\n").encode(errors="surrogateescape")
