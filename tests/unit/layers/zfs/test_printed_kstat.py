"""Files of /proc/spl/kstat/zfs: a pool's requests, and counters of one data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
IO = (PLACE / "pool-io.txt").read_text()
OBJSET = (PLACE / "objset.txt").read_text()


def test_requests_of_a_pool_in_every_shape() -> None:
    for shape, given in mangled(IO):
        (counter,) = counters(given)
        assert (counter.tool, counter.kind) == ("zfs kstat io", "zpool"), shape
        assert counter.name == "tank", shape
        values = counter.values
        assert (values["nread"], values["nwritten"]) == (73400320, 9437184), shape
        assert (values["reads"], values["writes"]) == (1120, 288)
        assert (values["wtime"], values["wlentime"]) == (5.0, 12.5)
        assert (values["rtime"], values["rlentime"]) == (2.5, 4.25)
        assert (values["wcnt"], values["rcnt"]) == (3, 7)


def test_without_its_path_no_pool_is_named() -> None:
    (counter,) = counters(IO.split("\n", 2)[2])
    assert (counter.name, counter.values["reads"]) == ("", 1120)


@pytest.mark.parametrize("text", [
    IO.replace("wtime ", "qtime "),
    IO.replace(" 3        7 ", ""),
    IO.replace(" 1120 ", " many "),
])  # fmt: skip
def test_other_columns_and_figures_cut_off_are_unread(text: str) -> None:
    entries = [entry for entry in read(text) if isinstance(entry, Unread)]
    assert entries
    assert not any(counter.tool == "zfs kstat io" for counter in counters(text))


def test_a_data_set_is_called_by_its_whole_name() -> None:
    for shape, given in mangled(OBJSET):
        (counter,) = counters(given)
        values = counter.values
        assert values["dataset_name"] == "tank/home of all", shape
        assert (values["nwritten"], values["nread"], values["nunlinked"]) == (6651904, 315392, 4)


def test_names_of_the_fault_manager_have_hyphens() -> None:
    text = "0 1 0x01 2 192 8007 354329\nname   type data\nerpt-dropped  4 18\nfmri-set-failed 4 6\n"
    (counter,) = counters(text)
    assert counter.values == {"erpt-dropped": 18, "fmri-set-failed": 6}
