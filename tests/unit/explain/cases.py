"""Cases made of texts, and trials made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from iosonde.explain.gather import of_document
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from iosonde.statistics.estimates import summarise
from iosonde.text.document import of_bytes

OUTPUTS = Path(__file__).parents[2] / "outputs"


def case_of(text: str, name: str = "page") -> EvidenceSet:
    """What a text says."""
    return of_document(of_bytes(name, text.encode()))[0]


def loop_tester_page() -> str:
    """The logs of the loop tester under two headings."""
    place = OUTPUTS / "hap-fio-tester"
    strips, options = ((place / name).read_text() for name in ("strip-sizes.txt", "options.txt"))
    options = options.replace("| Read-Ahead | |", "| Read-Ahead | Repeat of 256 KiB |", 1)
    return f"# Strip sizes\n\n{strips}\n\n# Options\n\n{options}\n"


def network_page() -> str:
    """Eight results of fio and hdparm."""
    return (OUTPUTS / "fio-3.19-page" / "eight-results.txt").read_text()


def findings_named(rules: Iterable[Rule], case: EvidenceSet, name: str = "") -> list[Finding]:
    """The findings of some rules, of one name."""
    return [finding for rule in rules for finding in rule.find(case) if name in {"", finding.rule}]


def trial(
    figures: Mapping[str, Sequence[float]],
    *,
    label: str = "one",
    host: str = "",
    started: float | None = None,
    options: Mapping[str, Scalar] | None = None,
    **more: object,
) -> TrialEvidence:
    """A trial of some metrics, each with its loops; the first stands for it."""
    units = {"iops": "1/s", "bandwidth": "B/s", "user": "cores", "system": "cores"}
    metrics = {
        name: summarise(name, units.get(name.rpartition(".")[2], "s"), list(loops))
        for name, loops in figures.items()
    }
    length = max(len(loops) for loops in figures.values())
    fields: dict[str, object] = {
        "where": f"page:{label}", "source": "page", "tool": "fio", "headline": next(iter(figures)),
        "elapsed": (60.0,) * length, "heading": "series", **more,
    }  # fmt: skip
    return TrialEvidence(
        label=label, metrics=metrics, host=host, started=started, options=options or {},
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip
