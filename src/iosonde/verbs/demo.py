"""A first measurement of a directory: the bundled study `demo`."""

from __future__ import annotations

from collections.abc import Callable

from iosonde.measure.named import bundled_values
from iosonde.measure.progress import Progress, unwatched
from iosonde.verbs.run import MeasuredRun, RunCommands, commands, ignore, run


def demo(
    place: str = ".",
    /,
    *,
    store: str | None = None,
    progress: Progress = unwatched,
    tell: Callable[[str], None] = ignore,
) -> MeasuredRun:
    """Measure a scratch file in a directory, which takes under two minutes.

    Args:
        place: the directory, DIR or HOST:DIR.
        store: a file or a PostgreSQL URL; None: the usual one.
        progress: hears of each event.
        tell: hears at once, as a sentence, what was read otherwise than written.

    Raises:
        UsageError, Refused, HostFailed, LoadFailed: as `iosonde.verbs.run.run`.
        Interrupted: a signal ended it; finished loops are kept.
    """
    values = {**bundled_values("demo"), "targets": [place]}
    return run(store=store, progress=progress, tell=tell, **values)


def demo_commands(place: str = ".", /, *, store: str | None = None) -> RunCommands:
    """What `demo` would run with the same arguments."""
    return commands(store=store, **{**bundled_values("demo"), "targets": [place]})
