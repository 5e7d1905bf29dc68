"""Each setting of each kind of layer can be set, read and put back, or says why not."""

from __future__ import annotations

import string

import pytest

from iosonde.layers import LAYERS
from iosonde.layers.layer import LayerSetting
from iosonde.settings import MECHANISMS
from iosonde.settings.host_wide import DECLARED
from tests.empty_host import EmptyHost

OFFERED = [
    *(
        (kind, layer_setting)
        for kind in sorted(LAYERS)
        for layer_setting in LAYERS.load(kind).settings
    ),
    *(("host", layer_setting) for layer_setting in DECLARED),
]


class Any(dict[str, str]):
    """Stands for every fact of a layer."""

    def __missing__(self, key: str) -> str:
        return f"{key}1"


def address_of(setting: LayerSetting) -> str:
    return setting.address.format_map(Any())


@pytest.mark.parametrize(("kind", "setting"), OFFERED, ids=lambda it: getattr(it, "name", it))
class TestEachSetting:
    def test_it_can_be_set_and_looked_at_or_says_why_not(
        self, kind: str, setting: LayerSetting
    ) -> None:
        if setting.why_not:
            assert setting.needs != "nothing"
            return
        mechanism, address = MECHANISMS.load(setting.mechanism)(), address_of(setting)
        value = next(iter(setting.choices), "1")
        change, look = mechanism.change(address, value), mechanism.look(address)
        assert all(isinstance(word, str) and word for word in (*change, *look))
        assert all(word.isprintable() for word in (*change, *look)), "the journal holds lines"
        if setting.mechanism not in {
            "remount",
            "hwraid",
        }:  # they have words of their own for values
            assert any(value in word for word in change), "the value is what is written"
        subject = address.split(" ")[-1 if setting.mechanism == "remount" else 0].split(".")[-1]
        assert any(subject in word for word in change)
        assert any(subject in word for word in look)
        assert change != mechanism.change(address, f"{next(reversed(setting.choices), '2')}")

    def test_what_it_may_be_is_declared_or_told_by_the_host(
        self, kind: str, setting: LayerSetting
    ) -> None:
        if setting.choices:
            assert len(set(setting.choices)) == len(setting.choices) > 1
            assert set(setting.unsafe) < set(setting.choices)
        if isinstance(setting.low, int) and isinstance(setting.high, int):
            assert setting.low < setting.high
        for limit in (setting.low, setting.high):
            if isinstance(limit, str):  # a place of the same mechanism
                assert {field for _, field, _, _ in string.Formatter().parse(limit) if field}

    def test_what_it_disturbs_is_a_setting_of_the_same_kind(
        self, kind: str, setting: LayerSetting
    ) -> None:
        names = {other.name for where, other in OFFERED if where == kind}
        texts = {"nr_requests", "wbt_lat_usec"}  # of which a kind may lack some
        assert set(setting.disturbs) <= names | texts
        assert setting.name not in setting.disturbs

    async def test_its_host_is_asked_only_what_it_has(
        self, kind: str, setting: LayerSetting
    ) -> None:
        if not setting.mechanism:  # a fact of the layer, which discovery has told already
            assert setting.discovered
            assert setting.why_not
            return
        mechanism, address = MECHANISMS.load(setting.mechanism)(), address_of(setting)
        host = EmptyHost()
        assert await mechanism.get(host, [address]) == {}
        assert await mechanism.offered(host, [address]) == {}
        assert await mechanism.kept(host, [address]) == {}
