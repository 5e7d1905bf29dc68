"""The answer of a prediction in one sentence: which settings are best, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from iosonde import units
from iosonde.predict.time import Time
from iosonde.predict.what_if import PredictedCombination

_ALIKE = 0.01  # costs that differ by less are the same
_LISTED = 3  # combinations named one by one


def predict_answer(combinations: Sequence[PredictedCombination]) -> str:
    """One sentence: rates where they are known of all, else what the disks have to do.

    Args:
        combinations: of settings, at least one.
    """
    times = [combination.time for combination in combinations]
    if None not in times:
        return _of_times(combinations, [time for time in times if time])
    return _of_disks(combinations)


def _of_times(combinations: Sequence[PredictedCombination], times: Sequence[Time]) -> str:
    best = max(range(len(times)), key=lambda at: times[at].iops)
    time = times[best]
    speed = f"{units.show_iops(time.iops)} (band {units.show_range(*time.band, '1/s')})"
    if len(times) == 1:
        return (
            f"{speed}, {units.show_bandwidth(time.bandwidth)}, {units.show_seconds(time.latency)} "
            f"each with {time.depth} in flight"
        )
    alike = [at for at, other in enumerate(times) if other.band[1] >= time.band[0]]
    name = _shown(combinations[best].chosen)
    if len(alike) == len(times):
        return f"no difference that the model can tell; fastest: {name}: {speed}"
    others = [combinations[at].chosen for at in alike if at != best]
    doubt = f"; not told apart from {_named(others, combinations)}" if others else ""
    slow = min(range(len(times)), key=lambda at: times[at].iops)
    worst = f"{_shown(combinations[slow].chosen)}: {units.show_iops(times[slow].iops)}"
    return f"fastest: {name}: {speed}{doubt}; slowest: {worst}"


def _of_disks(combinations: Sequence[PredictedCombination]) -> str:
    costs = [_cost(combination) for combination in combinations]
    best, worst = min(costs), max(costs)
    if len(costs) == 1:
        requests = combinations[0].prediction.requests
        if not combinations[0].prediction.disks():
            return f"no disk is reached: the layers above are counted, over {requests:,} requests"
        return f"{_cost_words(best)} a request, over {requests:,} requests"
    if _are_alike(best, worst):
        return f"no difference between {len(costs)} combinations: {_cost_words(best)} a request"
    pairs = list(zip(combinations, costs, strict=True))
    good = [combination.chosen for combination, cost in pairs if _are_alike(best, cost)]
    bad = [combination.chosen for combination, cost in pairs if _are_alike(worst, cost)]
    return (
        f"best: {_named(good, combinations)}: {_cost_words(best)} a request; "
        f"worst: {_named(bad, combinations)}: {_cost_words(worst)}"
    )


def _cost(combination: PredictedCombination) -> tuple[float, float]:
    """I/Os and bytes of all disks for a request."""
    disks, requests = combination.prediction.disks(), combination.prediction.requests or 1
    count = sum(disk.reads + disk.writes_band[0] for disk in disks)
    return count / requests, sum(disk.read_bytes + disk.write_bytes for disk in disks) / requests


def _are_alike(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return all(
        abs(figure - other) <= _ALIKE * max(figure, other)
        for figure, other in zip(first, second, strict=True)
    )


def _cost_words(cost: tuple[float, float]) -> str:
    count, size = cost
    number = f"{count:.3g}"
    return f"{number} disk I/O{'s' * (number != '1')} ({units.show_bytes(round(size))})"


def _shown(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items()) or "as declared"


def _named(
    settings: Sequence[Mapping[str, str]], combinations: Sequence[PredictedCombination]
) -> str:
    """Combinations in few words: `aoe.mtu 4132 or 9000`; what does not matter is left out."""
    names = list(settings[0])
    values = {name: list(dict.fromkeys(chosen[name] for chosen in settings)) for name in names}
    every = {name: {combination.chosen[name] for combination in combinations} for name in names}
    present = {tuple(chosen.values()) for chosen in settings}
    if present == set(product(*values.values())):
        kept = [name for name in names if set(values[name]) != every[name]] or names[:1]
        return ", ".join(f"{name} {_either(values[name])}" for name in kept)
    listed = "; ".join(_shown(chosen) for chosen in settings[:_LISTED])
    more = len(settings) - _LISTED
    return listed + (f" and {more} more" if more > 0 else "")


def _either(values: Sequence[str]) -> str:
    if len(values) == 1:
        return values[0]
    return f"{', '.join(values[:-1])} or {values[-1]}"
