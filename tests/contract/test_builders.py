"""Each kind that can be declared plans steps that can be seen, undone, and shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.change.build import planned
from iosonde.layers.site import Declared, Site
from iosonde.stack.file import buildable, builder, read_stack, stack_schema

ROOT = Path(__file__).parents[2]
STACKS = sorted(
    path for path in (ROOT / "examples" / "stacks").glob("*.yaml") if "\nhosts:" in path.read_text()
)


@pytest.mark.parametrize("kind", sorted(buildable()))
class TestEachKind:
    def test_its_declaration_bears_its_name_and_refuses_other_keys(self, kind: str) -> None:
        model = buildable()[kind].declaration
        assert issubclass(model, Declared)
        assert model.model_fields["kind"].default == kind
        assert model.model_config["extra"] == "forbid"
        assert model.__doc__

    def test_its_page_shows_how_it_is_declared(self, kind: str) -> None:
        text = (ROOT / "docs" / "layers" / f"{kind}.md").read_text()
        assert "## Declared" in text
        assert f"kind: {kind}" in text

    def test_it_is_in_the_schema(self, kind: str) -> None:
        assert f"layer_{kind}" in stack_schema()["$defs"]

    def test_it_says_where_a_load_can_be_applied(self, kind: str) -> None:
        assert builder(kind).probe in {"device", "mount", ""}


@pytest.mark.parametrize("file", STACKS, ids=lambda path: path.stem)
def test_steps_of_the_examples_can_be_seen_and_undone(file: Path) -> None:
    stack = read_stack(file)
    assert planned(stack)
    for site in stack.sites:
        for step in builder(site.kind).plan(_standing(site)):
            assert step.do
            assert all(command.argv for command in (*step.do, *step.undo))
            if step.there is None:
                assert not step.undo, f"{site.name}: what cannot be seen cannot be undone"
                assert not step.destroys
            if step.destroys:
                assert step.undo, f"{site.name}: {step.does}"


def _standing(site: Site) -> Site:
    below = tuple(_standing(place) for place in site.below)
    return replace(site, below=below, device=f"/dev/{site.name}")
