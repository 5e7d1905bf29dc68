"""tw_cli: fans, sensors and slots of an enclosure."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "tw-cli-composed" / "enclosure.txt").read_text()


def test_an_enclosure_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        (subject,) = [s for state in states(given) for s in state.subjects]
        assert (subject.kind, subject.name) == ("enclosure", "c2/e1"), shape
        assert subject.values == {
            "vendor": "LSI CORP", "product_id": "SAS2X28", "product_revision": "0713",
            "firmware_version": "55.06.20.001", "state": "alarm-activated",
            "fan0_status": "ok", "fan0_state": "on", "fan0_step": 6, "fan0_rpm": 5880,
            "fan1_status": "failed", "fan1_state": "off", "fan1_step": 0, "fan1_rpm": 0,
            "temp0_status": "ok", "temp0_temperature": 37,
            "pwrs0_status": "ok", "pwrs0_state": "on", "pwrs0_voltage": "ok",
            "pwrs0_current": "ok", "slot0_status": "ok", "slot0_port": "/c2/p4",
            "alm0_status": "activated", "alm0_state": "on", "alm0_audibility": "unmute",
        }, shape  # fmt: skip


def test_a_head_alone_and_prose() -> None:
    (entry,) = read("TempSensor    Status         Temperature     Identify\n")
    assert isinstance(entry, Unread)
    assert read("The TempSensor  is hot.\n") == []
    assert read("Fan         Status unknown\n") == []
