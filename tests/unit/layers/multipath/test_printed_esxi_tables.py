"""Tables of esxcli. Oracle: the cells themselves."""

from __future__ import annotations

import pytest

from tests.mangle import states, subjects_in

ADAPTERS = """\
Adapter  Adapter Qualified Name           Transport Type  Driver      Associated Devices
-------  -------------------------------  --------------  ----------  ------------------
vmhba65  aqn:nvmetcp:00-11-22-33-44-55-T  TCP             nvmetcp     vmnic0
vmhba66  aqn:qlnativefc:21000011223344aa  FC              qlnativefc
"""


def test_adapters_of_nvme() -> None:
    first, second = subjects_in(ADAPTERS)
    assert (first.kind, first.name) == ("controller", "vmhba65")
    assert first.values == {
        "driver": "nvmetcp", "transport": "tcp", "devices": "vmnic0",
        "aqn": "aqn:nvmetcp:00-11-22-33-44-55-T",
    }  # fmt: skip
    assert second.values == {
        "driver": "qlnativefc", "transport": "fc", "aqn": "aqn:qlnativefc:21000011223344aa",
    }  # fmt: skip


@pytest.mark.parametrize("text", [
    "The Adapter Qualified Name is what ESXi calls it.\n",
    ADAPTERS.replace("aqn:", "the:"),
    ADAPTERS.replace("-", ""),
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not states(text)
