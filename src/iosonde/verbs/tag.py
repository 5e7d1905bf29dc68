"""Which names and tags does a run have?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from iosonde.contract import HIDDEN, NULL, VerbResult
from iosonde.errors import StoreFailed
from iosonde.store import open_store
from iosonde.store.naming import check_label


@dataclass(frozen=True, slots=True)
class LabelledRun(VerbResult):
    """By what a run can be asked for, besides its id."""

    SCHEMA = "iosonde.tag/1"
    id: str
    name: str = field(metadata=NULL)
    tags: tuple[str, ...]
    study: str
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


def tag(
    run: str,
    *add: str,
    remove: Sequence[str] = (),
    name: str | None = None,
    store: str | None = None,
) -> LabelledRun:
    """Name a run, or mark it with tags; what it has then.

    Args:
        run: id, name, tag, or "last".
        add: tags, which other runs may have too.
        remove: tags of the run that it is to lose.
        name: that no other run has; empty: none; None: as it is.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no such run or tag, no valid name or tag, or another run has the name.
    """
    new = [check_label(text, "tag") for text in add]
    if name:
        check_label(name, "name")
    kept = open_store(store)
    try:
        if new or remove or name is not None:
            labelled = kept.label(run, name=name, add=new, remove=remove)
        else:
            labelled = kept.find(run)
    finally:
        kept.close()
    return LabelledRun(
        labelled.id, labelled.name, labelled.tags, labelled.study, rescued=kept.rescued
    )
