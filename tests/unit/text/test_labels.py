"""Labels that have no name of discovery's are kept by the tool's own words."""

from __future__ import annotations

from iosonde.text.labels import as_labelled


def test_values_by_their_labels() -> None:
    pairs = {"Reshape pos'n": "512 (1.00 MiB)", "- currently set to": "256", "# open": "1"}
    assert as_labelled(pairs | {"LV Size": "4 GiB"}, {"LV Size"}) == {
        "reshape_pos_n": "512 (1.00 MiB)", "currently_set_to": 256, "open": 1,
    }  # fmt: skip


def test_what_is_no_whole_number_stays_text_and_nothing_is_nothing() -> None:
    pairs = {"Checksum": "0012ab", "Version": "1.2", "Flags": " ", "---": "5", "Delta": "-3"}
    assert as_labelled(pairs) == {"checksum": "0012ab", "version": "1.2", "delta": -3}
    assert len(str(as_labelled({"Name": "n" * 999})["name"])) == 200
