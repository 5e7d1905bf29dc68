"""What a prior has a campaign look at first: read once, when it begins, and kept with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from iosonde.errors import UsageError
from iosonde.records.stack import Scalar
from iosonde.tune.campaign.declare import TuneFile
from iosonde.tune.search import STRATEGIES
from iosonde.tune.search.prior import read_prior, with_prior
from iosonde.tune.search.space import Space


@dataclass(frozen=True, slots=True)
class First:
    """The candidates that are looked at first, and the sentence that says so, or why none are."""

    prior: str = ""
    hopeful: tuple[Mapping[str, Scalar], ...] = ()
    sentence: str = ""


def first_of(file: TuneFile, space: Space, strategy: str) -> First:
    """What the study's prior puts first for a strategy; nothing where it names none.

    Raises:
        UsageError: it cannot be read, is no prior, or is about other settings.
    """
    if not file.study.prior:
        return First()
    prior = _place(file)
    ranking = read_prior(prior)
    varied = {setting.name for setting in space.vary}
    if not any(varied & set(ranked) for ranked in ranking):
        ranked_names = dict.fromkeys(name for ranked in ranking for name in ranked)
        raise UsageError(
            "the prior ranks no setting that the study varies", where=str(prior),
            hint=f"it ranks {', '.join(ranked_names) or 'nothing'}; the study varies "
            f"{', '.join(sorted(varied))}",
        )  # fmt: skip
    hoped = with_prior(space, ranking)
    hopeful = tuple(map(space.settings, hoped.hopeful))
    if not hopeful:
        why = "what it ranks is in force already, or is not to be tried"
    elif not STRATEGIES.load(strategy).looks_first(hoped):
        why = f"{strategy} measures in an order of its own (`strategy: model` does not)"
    else:
        listed = "; ".join(map(_listing, hopeful))
        return First(str(prior), hopeful, f"looked at first, as {prior} ranks them: {listed}")
    return First(str(prior), (), f"the prior {prior} changes nothing: {why}")


def hoping(space: Space, hopeful: tuple[Mapping[str, Scalar], ...]) -> Space:
    """The space, with what was kept of a prior to be looked at first."""
    return replace(space, hopeful=tuple(map(space.candidate, hopeful)))


def _place(file: TuneFile) -> Path:
    """The prior's file: relative to the study's directory."""
    study = Path(file.file)
    directory = study.parent if study.is_file() else Path()
    return (directory / Path(file.study.prior).expanduser()).absolute()


def _listing(settings: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{name}={'as it comes' if value is None else value}"
                     for name, value in settings.items())  # fmt: skip
