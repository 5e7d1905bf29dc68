"""A build that was ended in the middle of a step, at every place where that can happen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from iosonde.change import build as module
from iosonde.change.build import Builder, Report
from iosonde.change.journal import Journal
from iosonde.change.take_away import take_away
from iosonde.hosts.host import Host
from iosonde.hosts.local import LocalHost
from iosonde.layers.md.kind import _CLEAR
from iosonde.layers.site import Site
from iosonde.layers.step import Step, exists, run
from iosonde.stack.file import read_stack

STACK = """\
stack: halves
hosts: {here: {at: local}}
layers:
  a: {kind: disk, host: here, file: FILE, size: 1 MiB}
"""


@dataclass
class Kind:
    """A layer of two files: the second is one that only the end of the first takes away."""

    folder: Path

    def plan(self, site: Site) -> tuple[Step, ...]:
        text, two = (str(self.folder / name) for name in ("one", "two"))
        away = (run("rm", "-f", text, two),)
        return (
            Step("make one", (run("touch", text),), exists(text), away),
            Step("mark it", (run("touch", two),), exists(two)),
        )

    async def place(self, host: Host, site: Site) -> str:
        return str(self.folder / "one")


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kind:
    made = Kind(tmp_path)
    monkeypatch.setattr(module, "builder", lambda _: made)
    monkeypatch.setattr("iosonde.change.journal.FOLDER", str(tmp_path / "built"))
    monkeypatch.setattr("iosonde.change.journal.LOCKS", str(tmp_path))
    return made


async def built(folder: Path) -> list[str]:
    """The states of the steps of one `up`."""
    file = folder / "stack.yaml"
    file.write_text(STACK.replace("FILE", str(folder / "disk")))
    stack, reports, host = read_stack(file), list[Report](), LocalHost()
    journals = {"here": await Journal.read(host, stack.name)}
    await Builder(stack, {"here": host}, journals, tell=reports.append).all()
    return [report.state for report in reports]


@pytest.mark.parametrize("begun", [1, 2])
@pytest.mark.parametrize("there", [False, True])
async def test_a_step_that_was_only_begun_is_still_ours(
    kind: Kind, tmp_path: Path, begun: int, there: bool
) -> None:
    assert await built(tmp_path) == ["done", "done"]
    record = tmp_path / "built" / "halves"
    lines = record.read_text().splitlines()
    begins = [number for number, line in enumerate(lines, 1) if '"begun"' in line]
    record.write_text("".join(f"{line}\n" for line in lines[: begins[begun - 1]]))
    if not there:
        (tmp_path / ("one", "two")[begun - 1]).unlink()
    states = await built(tmp_path)
    assert "found" not in states
    assert await built(tmp_path) == ["unchanged", "unchanged"]
    await take_away(
        {"here": LocalHost()}, {"here": await Journal.read(LocalHost(), "halves")}, tell=print
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stack.yaml"]


async def test_what_an_undo_has_to_leave_is_reported(kind: Kind, tmp_path: Path) -> None:
    lost = str(tmp_path / "lost")
    script = _CLEAR.replace("mdadm", "true")

    class Leaving(Kind):
        def plan(self, site: Site) -> tuple[Step, ...]:
            made = super().plan(site)[0]
            return (replace(made, undo=(*made.undo, run("sh", "-c", script, "sh", lost))),)

    kind.__class__ = Leaving
    await built(tmp_path)
    reports, host = list[Report](), LocalHost()
    journals = {"here": await Journal.read(host, "halves")}
    await take_away({"here": host}, journals, tell=reports.append)
    (report,) = reports
    assert report.state == "removed"
    assert report.note.startswith(f"{lost} cannot be read and keeps its superblock of the array")
