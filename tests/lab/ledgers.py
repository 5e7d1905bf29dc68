"""Studies that are run with --ledger on a stack of the lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lab.conftest import good


def study_of(directory: Path, stack: str, at: str, load: str) -> Path:
    """A study of one layer of a stack, whose text is put beside it as stack.yaml."""
    beside = directory / "stack.yaml"
    beside.write_text(stack)
    file = directory / "study.yaml"
    file.write_text(
        f"study: ledger\nstack: {beside}\nat: [{at}]\nrehearse: true\nloops: 1\nledger: true\n"
        f"loads: [{{fio: '{load}'}}]\n"
    )
    return file


def ledger(study: Path) -> Any:
    """What `iosonde run` says of its only trial."""
    return good("run", study, "--json", timeout=500).document["trials"][0]["ledger"]
