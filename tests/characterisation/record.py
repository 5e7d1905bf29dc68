"""What a case prints now, and what it printed when it was recorded."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from iosonde.contract import as_json
from iosonde.explain.judge import rules
from tests.characterisation.in_process import run
from tests.characterisation.plans import plan
from tests.characterisation.shown import shown, steady
from tests.characterisation.stored import ROOT, linked
from tests.contract.rules import CASES as RULES

EXPECTED = Path(__file__).parent / "expected"


def recorded(name: str) -> Path:
    """The file of a case."""
    return EXPECTED / f"{name}.txt"


def actual(text: str, folder: Path, store: Path, ids: Mapping[str, str]) -> str:
    """What the commands of a case print.

    Args:
        text: of the table.
        folder: of the case, not there yet.
        store: the folder of the prepared store, which is copied.
        ids: of its runs, by their names in the table.
    """
    what, _, rest = text.partition(" ")
    if what == "plan":
        return steady(plan(_input(rest)), folder)
    if what == "rule":
        return _rule(rest)
    linked(folder)
    for file in store.glob("store.sqlite*"):
        shutil.copy(file, folder)
    parts = []
    for line in text.split("\n"):
        message = line.format_map(_Ids(ids))
        parts.append(shown(line, run(shlex.split(message), folder), folder))
    return "".join(parts)


def _input(path: str) -> Path:
    return ROOT / ("tests/characterisation" if path.startswith("inputs/") else "") / path


class _Ids(dict[str, str]):
    """A name without a run stands for itself, in braces."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _rule(name: str) -> str:
    """The findings of a rule in its case, and in the near miss (none)."""
    (rule,) = (
        finding_rule
        for finding_rule in rules()
        if f"{finding_rule.name}.{finding_rule.find.__name__.strip('_')}" == name
    )
    (case,) = (rule_case for rule_case in RULES if rule_case.rule == name)
    documents = [as_json(finding) for finding in rule.find(case.case)]
    return steady(f"{case.fires}\n{json.dumps(documents, indent=2, ensure_ascii=False)}\n", ROOT)
