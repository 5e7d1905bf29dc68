"""No rule ends in an error of Python because a value is missing, or is none that a tool prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.explain import judge
from iosonde.explain.gather import of_document, together
from iosonde.records.evidence import EvidenceSet
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from iosonde.text.archive import Passed, open_documents

_SAMPLES = sorted((Path(__file__).parents[1] / "outputs").glob("*/*"))
_MOST_NAMES = 60
_ODD: tuple[Scalar, ...] = ("x", "", 0, -1, True, 3.5, 10**30)


def _evidence(sample: Path) -> EvidenceSet:
    """What rules see of a sample; nothing where it holds no output."""
    try:
        documents = open_documents(str(sample), Passed())
        return together([of_document(document)[0] for document in documents])
    except UsageError:
        return EvidenceSet()


def _changed(case: EvidenceSet) -> Iterator[tuple[str, EvidenceSet]]:
    """The case without each of its values, and with an odd one in its place."""
    names = sorted({name for row in (*case.states, *case.counters) for name in row.values})
    for name in names[:_MOST_NAMES]:
        yield f"without {name}", _with(case, name, {})
        for odd in _ODD:
            yield f"{name}={odd!r}", _with(case, name, {name: odd})


def _with(case: EvidenceSet, name: str, put: Mapping[str, Scalar]) -> EvidenceSet:
    def values(old: Mapping[str, Any]) -> dict[str, Any]:
        if name not in old:
            return dict(old)
        return {key: value for key, value in old.items() if key != name} | dict(put)

    return replace(
        case,
        states=tuple(replace(row, values=values(row.values)) for row in case.states),
        counters=tuple(replace(row, values=values(row.values)) for row in case.counters),
    )


def _failures(samples: list[Path]) -> list[str]:
    failures = []
    for sample in samples:
        for what, case in _changed(_evidence(sample)):
            for rule in judge.rules():
                try:
                    list(rule.find(case))
                except Exception as problem:
                    failures.append(f"{sample.name}: {rule.name} {what}: {problem!r}")
    return failures


def test_a_rule_that_fails_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = next(path for path in _SAMPLES if path.name == "fstab.txt")
    name = next(iter(_evidence(sample).states[0].values))

    def find(case: EvidenceSet) -> Iterator[Finding]:
        assert case.states[0].values[name] is not None
        return iter(())

    rule = replace(judge.rules()[0], find=find)
    monkeypatch.setattr(judge, "rules", lambda: (rule,))
    assert [failure for failure in _failures([sample]) if f"without {name}: KeyError" in failure]


@pytest.mark.slow
def test_rules_bear_missing_and_odd_values() -> None:
    assert not _failures(_SAMPLES[::16])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_rules_bear_odd_values_of_every_sample() -> None:
    assert not _failures(_SAMPLES)
