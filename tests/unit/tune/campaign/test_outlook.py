"""What `tune --dry-run` finds of a stack that is not built."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.verbs.tune import plan

_LOOP = Path("examples/loop.yaml").resolve()


def _study(folder: Path, before: str, after: str) -> str:
    study = folder / "study.yaml"
    text = _LOOP.read_text().replace("stacks/loop.yaml", f"{_LOOP.parent}/stacks/loop.yaml")
    assert before in text
    study.write_text(text.replace(before, after))
    return str(study)


def test_a_misspelt_setting_of_a_layer_that_is_not_built_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="disk has no setting 'nr_request'") as refused:
        plan(_study(tmp_path, "disk.nr_requests", "disk.nr_request"))
    assert refused.value.hint == "did you mean disk.nr_requests?"
    assert refused.value.where.endswith("study.yaml:10")


def test_a_setting_of_the_layer_is_planned(tmp_path: Path) -> None:
    planned = plan(_study(tmp_path, "disk.nr_requests", "disk.max_sectors_kb"))
    assert [each.name for each in planned.vary] == ["disk.scheduler", "disk.max_sectors_kb"]
