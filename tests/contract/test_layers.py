"""Each kind of layer is one file, one row and one page, and keeps to the Protocol."""

from __future__ import annotations

import inspect
import string
from importlib import import_module
from pathlib import Path

import pytest

import iosonde.layers
from iosonde.layers import LAYERS
from iosonde.layers.layer import Layer, Scene
from iosonde.records.stack import StackLayer
from iosonde.settings import MECHANISMS

ROOT_NAME = iosonde.layers.__name__
DOCS = Path(__file__).parents[2] / "docs" / "layers"


@pytest.mark.parametrize("kind", sorted(LAYERS))
class TestEachKind:
    def test_its_class_bears_the_name_of_its_row(self, kind: str) -> None:
        assert LAYERS.load(kind).kind == kind

    def test_it_satisfies_the_protocol(self, kind: str) -> None:
        made: Layer = LAYERS.load(kind)()
        expected = inspect.signature(Layer.discover)
        assert inspect.iscoroutinefunction(made.discover)
        assert list(inspect.signature(type(made).discover).parameters) == list(expected.parameters)

    def test_its_docstring_names_a_source(self, kind: str) -> None:
        name = LAYERS[kind].partition(":")[0]
        folder = name.rpartition(".")[0]
        documents = [import_module(text).__doc__ for text in (name, folder) if text != ROOT_NAME]
        assert any("Source:" in (document or "") for document in documents)

    def test_its_settings_name_known_mechanisms_once_each(self, kind: str) -> None:
        settings = LAYERS.load(kind).settings
        names = [setting.name for setting in settings]
        assert len(names) == len(set(names))
        for setting in settings:
            assert setting.mechanism in MECHANISMS or (not setting.mechanism and setting.discovered)
            for address in (setting.address, *setting.former):
                fields = {field for _, field, _, _ in string.Formatter().parse(address) if field}
                assert all(field.isidentifier() for field in fields)

    def test_it_has_a_page_that_lists_its_settings(self, kind: str) -> None:
        page = DOCS / f"{kind}.md"
        assert page.exists(), f"write docs/layers/{kind}.md"
        text = page.read_text()
        if any(setting.name == "scheduler" for setting in LAYERS.load(kind).settings):
            # the settings of the scheduler itself are the same for all: one page tells of them
            lines = (DOCS / "disk.md").read_text().splitlines()
            text += "".join(line for line in lines if line.endswith(" own |") or "'s own:" in line)
        missing = [
            setting.name
            for setting in LAYERS.load(kind).settings
            if f"`{setting.name}`" not in text
        ]
        assert not missing, f"docs/layers/{kind}.md says nothing of {missing}"

    async def test_on_an_empty_host_it_finds_nothing_and_does_not_fail(self, kind: str) -> None:
        from tests.empty_host import EmptyHost

        scene = Scene(host=EmptyHost(), devices={}, mounts=(), swaps=())
        layers: tuple[StackLayer, ...] = await LAYERS.load(kind)().discover(scene)
        assert layers == ()


@pytest.mark.parametrize("name", sorted(MECHANISMS))
async def test_a_mechanism_finds_nothing_on_an_empty_host(name: str) -> None:
    from tests.empty_host import EmptyHost

    mechanism = MECHANISMS.load(name)
    assert mechanism.name == name
    assert await mechanism().get(EmptyHost(), []) == {}
