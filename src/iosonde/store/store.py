"""What every store can do. Runs are kept loop by loop: what is finished survives any end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from iosonde.errors import StoreFailed, UsageError
from iosonde.records.campaign import Campaign, Measurement, Result
from iosonde.records.printed import StoredExtra
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import Json, Scalar
from iosonde.store.lines import RunLine, RunOutline
from iosonde.store.packed import Packed


class NoSuchRun(UsageError):
    """The store has no run that is called so."""


class Store(Protocol):
    """Runs, their trials and loops.

    Every method is one transaction, durable when it returns. Ids of runs are short, unique and
    made by the store. Wherever a run is asked for, its id, its name, a tag that only one run has, a
    unique beginning of an id, and "last" for the newest are equally good.

    A store in a file that is deleted, moved or replaced while it is in use is taken to a new file,
    and so is a run whose store takes no more: what is measured is not lost.
    """

    @property
    def rescued(self) -> StoreFailed | None:
        """Why the store is in another file than it was opened in, for its user to end with."""
        ...

    def begin(
        self, study: str, plan: Mapping[str, Json], *, created: float, owner: str,
        name: str = "", tags: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        """A new run without trials, in state running.

        Raises:
            UsageError: another run has the name.
        """
        ...

    def require_free_name(self, name: str) -> None:
        """Look before anything is done whether a new run may have a name.

        Raises:
            UsageError: another run has it.
        """
        ...

    def label(
        self, run: str, *, name: str | None = None, add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        """Rename a run, mark it with tags and take tags from it; it comes without its trials.

        Args:
            run: as `find` takes it.
            name: None: as it is; empty: none.
            add: tags; those that it has already are passed over.
            remove: tags.

        Raises:
            UsageError: no such run, another run has the name, or it has no such tag.
        """
        ...

    def baselines(self) -> dict[str, str]:
        """Names of baselines, each with the id of its run."""
        ...

    def set_baseline(self, name: str, run: str) -> None:
        """A run becomes the baseline of a name, in place of the one that was.

        Raises:
            UsageError: no such run.
        """
        ...

    def remove_baseline(self, name: str) -> None:
        """Forget a baseline; its run stays.

        Raises:
            UsageError: no such baseline.
        """
        ...

    def find(self, run: str) -> Run:
        """The run that is meant, without its trials; see `load`."""
        ...

    def add_trial(self, run: str, trial: Trial) -> None:
        """A trial of a run, with its capture; loops it already holds are stored too."""
        ...

    def add_imported(self, run: str, packed: Sequence[Packed]) -> None:
        """What outputs held, in one transaction; a number goes before the ids of the trials."""
        ...

    def evidence(self, run: str) -> tuple[StoredExtra, ...]:
        """What was found beside the trials of an imported run, in its order.

        Raises:
            UsageError: no such run.
        """
        ...

    def imported(self, digest: str) -> str | None:
        """The run whose plan names a digest of what it was imported from; the newest, finished."""
        ...

    def add_loop(self, run: str, trial: str, loop: Loop, *, parser_version: int = 1) -> None:
        """A finished loop, with the version of the parser that read its raw output."""
        ...

    def mark(
        self, run: str, trial: str, *, flags: tuple[str, ...], faults: tuple[str, ...]
    ) -> None:
        """Replace a trial's flags and faults."""
        ...

    def add_measurement(
        self,
        run: str,
        measurement: Measurement,
        loop: Loop | None = None,
        *,
        parser_version: int = 1,
    ) -> None:
        """A measurement of a campaign together with its loop, where it gave one."""
        ...

    def add_result(self, run: str, result: Result) -> None:
        """How a campaign ended; a later one takes the place of an earlier."""
        ...

    def campaign(self, run: str) -> Campaign | None:
        """The campaign that a run is; None of a run that is none.

        Raises:
            UsageError: no such run.
        """
        ...

    def finish(self, run: str, state: RunState) -> None:
        """The end of a run."""
        ...

    def resume(self, run: str, *, owner: str) -> Run:
        """An interrupted or failed run goes on: its state becomes running, under a new owner.

        Raises:
            UsageError: it is finished, or still running elsewhere.
        """
        ...

    def load(self, run: str) -> Run:
        """A run whole. A run in state running whose owner is gone comes as interrupted.

        Raises:
            UsageError: no such run, or several that fit.
        """
        ...

    def heads(self) -> tuple[RunLine, ...]:
        """All runs, newest first, without their outlines."""
        ...

    def runs(self) -> tuple[RunLine, ...]:
        """All runs, newest first, with their outlines."""
        ...

    def outlines(self, runs: Sequence[str]) -> dict[str, RunOutline]:
        """Of runs by their ids; computed, and of those that have ended kept, where it is not yet.

        A run that is not there any more is left out.
        """
        ...

    def settings(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """The settings that are kept beside the outlines of runs, by `keep_settings`."""
        ...

    def keep_settings(self, settings: Mapping[str, Mapping[str, Scalar]]) -> None:
        """Keep beside the outlines of runs, by id, what was set when they were measured."""
        ...

    def first_trial(self, run: str) -> Trial | None:
        """The first trial of a run, without its loops; None: it has none.

        Raises:
            UsageError: no such run.
        """
        ...

    def forecast_models(self) -> dict[str, frozenset[str]]:
        """The models of devices that the forecasts kept beside each run rest on, as written."""
        ...

    def delete_all(self, runs: Sequence[str]) -> None:
        """Forget runs: all of them, or none.

        Raises:
            UsageError: as of `delete`, for any of them.
        """
        ...

    def delete(self, run: str) -> None:
        """Forget a run.

        Raises:
            UsageError: there is no such run, or another process measures it.
        """
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
