"""Which runs are others held against?"""

from __future__ import annotations

from dataclasses import dataclass, field

from iosonde.contract import HIDDEN, VerbResult
from iosonde.errors import StoreFailed, UsageError
from iosonde.store import open_store
from iosonde.store.naming import LAST, check_label


@dataclass(frozen=True, slots=True)
class Baseline:
    """A run that others are held against."""

    name: str
    run: str
    study: str
    created: float
    """Of the run, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Baselines(VerbResult):
    """All baselines of the store, by name."""

    SCHEMA = "iosonde.baseline/1"
    baselines: tuple[Baseline, ...]
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


def baseline(
    action: str = "list", name: str = "", run: str = LAST, *, store: str | None = None
) -> Baselines:
    """Set, list or remove baselines; those there are then.

    Args:
        action: "set", "list" or "remove".
        name: of the baseline.
        run: that becomes it: id, name, tag or "last".
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no such action, baseline or run, or no valid name.
    """
    if action not in {"set", "list", "remove"}:
        raise UsageError(f"baselines have no {action!r}; expected set, list or remove")
    if action != "list" and not name:
        raise UsageError("say which baseline", hint=f"iosonde baseline {action} NAME")
    kept = open_store(store)
    try:
        if action == "set":
            kept.set_baseline(check_label(name, "name"), run)
        elif action == "remove":
            kept.remove_baseline(name)
        named = kept.baselines()
        lines = {line.id: line for line in kept.heads()}
    finally:
        kept.close()
    listed = tuple(
        Baseline(each, of, lines[of].study, lines[of].created)
        for each, of in named.items() if of in lines
    )  # fmt: skip
    return Baselines(listed, rescued=kept.rescued)


def run_of(name: str, store: str | None) -> str:
    """The id of a baseline's run.

    Raises:
        UsageError: there is no such baseline.
    """
    runs = {baseline.name: baseline.run for baseline in baseline(store=store).baselines}
    if name not in runs:
        raise UsageError(
            f"there is no baseline {name!r}", where="--baseline",
            hint=f"baselines: {', '.join(runs) or 'none'}; iosonde baseline set {name} RUN",
        )  # fmt: skip
    return runs[name]
