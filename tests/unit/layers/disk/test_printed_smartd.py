"""smartd's lines: the last word about a figure stands."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "smartd-composed" / "syslog.txt").read_text()


def test_a_log_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape in {"behind a host", "behind times"}:
            continue  # a log has its own
        disks = {disk.name: disk.values for state in states(given) for disk in state.subjects}
        assert disks["sdh"]["pending_sectors"] == 0, shape
        assert disks["sdh"]["uncorrectable_sectors"] == 3
        assert (disks["sdk"]["ata_errors"], disks["sdk"]["reallocated_sector_ct"]) == (7, 40)
        assert disks["sdm"]["temperature"] == 51


def test_its_host_and_a_mail_of_it() -> None:
    (state,) = states(TEXT)
    assert {disk.host for disk in state.subjects} == {"store3"}
    mail = (
        "The following warning was logged:\n\n"
        "Device: /dev/sda [SAT], FAILED SMART self-check. BACK UP DATA NOW!\n"
    )
    ((disk,),) = [state.subjects for state in states(mail)]
    assert disk.values["health_passed"] is False


def test_normalised_values_and_prose_are_no_figures() -> None:
    assert not states(
        "smartd[1]: Device: /dev/sda, SMART Usage Attribute: 194 Airflow changed from 112 to 113"
    )
    assert read("Currently unreadable (pending) sectors are those that a read has failed on.") == []


def test_a_mail_says_which_drive_it_is() -> None:
    event = "Device: /dev/nvme0, number of Error Log entries increased from 2519 to 2521\n"
    for info in (
        "\nDevice info:\nACME ZX 5, S/N:A1-B2, WWN:5-0-1, FW:1.0b, 2.00 TB\n",
        "Device info: ACME ZX 5, S/N:A1-B2, WWN:5-0-1, FW:1.0b, 2.00 TB\n",
    ):
        ((disk,),) = [state.subjects for state in states(event + info)]
        assert disk.values["error_log_entries"] == 2521
        named = [disk.values[name] for name in ("model", "serial", "wwn", "firmware", "size")]
        assert named == ["ACME ZX 5", "A1-B2", "5-0-1", "1.0b", 2 * 10**12]
    ((bare,),) = [state.subjects for state in states(f"{event}\nIt is the ACME, S/N: see below\n")]
    assert not {"model", "serial"} & bare.values.keys()
