"""A drive's own log: read in every form, asked on a host, watched around a loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from iosonde.errors import CommandTimeout
from iosonde.hosts.host import Completed
from iosonde.layers.disk.facts_health import (
    ALARMS,
    HEALTH_UNITS,
    health_of_nvme,
    health_of_smartctl,
)
from iosonde.layers.disk.health import pcie_link, read_health
from iosonde.measure.flags import flags_of
from iosonde.records.load import Demand, Target, TargetKind
from iosonde.records.run import HEALTH, Series
from iosonde.records.stack import Capture, Scalar, StackLayer
from iosonde.stack.health import drives_under, with_health
from tests.empty_host import EmptyHost
from tests.mangle import read, states, subjects_in
from tests.unit.measure.build import loop, trial

DEMAND = Demand(writes=True, reads=False, direct=True, size=None, seconds=60.0, tools=())
SAMPLES = Path(__file__).parents[3] / "outputs" / "smart-composed"


def values(name: str) -> Mapping[str, Scalar]:
    (state,) = states((SAMPLES / name).read_text())
    (subject,) = state.subjects
    return subject.values


def test_every_form_of_one_log_says_the_same() -> None:
    text = values("smartctl-nvme.txt")
    log = json.loads((SAMPLES / "smartctl-nvme.json").read_text())
    plain = log["nvme_smart_health_information_log"]
    assert text["media_wear"] == plain["percentage_used"] / 100
    assert text["written"] == plain["data_units_written"] * 512_000
    assert text["warning_temperature_time"] == plain["warning_temp_time"] * 60
    assert text["temperature"] == 71
    assert text["throttle_time"] == 840
    for name in ("smartctl-nvme.json", "nvme-smart-log.txt", "nvme-smart-log.json"):
        other = values(name)
        common = text.keys() & other.keys()
        assert len(common) > 12
        assert {key: text[key] for key in common} == {key: other[key] for key in common}


def test_ata_attributes_are_read_in_both_forms() -> None:
    text = values("smartctl-ata.txt")
    assert (text["reallocated_sectors"], text["pending_sectors"]) == (8, 16)
    assert text["interface_errors"] == 3
    fields = values("smartctl-ata.json")
    assert fields["media_wear"] == 0.11
    assert fields["written"] == 4_000_000 * 512
    assert fields["warning_temperature_time"] == 5 * 60
    assert (fields["interface_speed"], fields["interface_speed_max"]) == (3e9, 6e9)
    assert fields["unsafe_shutdowns"] == 7


def _read(text: str) -> Mapping[str, Scalar]:
    subjects = subjects_in(text)
    return subjects[0].values if subjects else {}


def test_what_smartctl_says_a_drive_is() -> None:
    text = values("smartctl-ata.txt")
    assert (text["model"], text["size"]) == ("EXAMPLE HD4000", 4_000_787_030_016)
    assert (text["health"], text["power_on_hours"]) == ("PASSED", 8312)
    assert text["sata_version"] == "SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)"
    assert values("smartctl-nvme.txt")["size"] == 960_197_124_096


HEAD = "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)\n\n"


@pytest.mark.parametrize(("text", "name", "value"), [
    ("187 Reported_Uncorrect      -O--CK   099   099   000    -    7\n", "reported_uncorrect", 7),
    ("[COLOR=Red]197 Current_Pending_Sector  0x0032   200   193   000    Old_age   Always       -"
     "       **21**[/COLOR]\n", "pending_sectors", 21),
    ("ID# ATTRIBUTE_NAME\tFLAG\tVALUE\tWORST\tTHRESH\tTYPE\tUPDATED\tWHEN_FAILED\tRAW_VALUE\n"
     "  9 Power_On_Hours\t\t0x0032\t053\t053\t000\tOld_age\tAlways\t-\t\t412\n",
     "power_on_hours", 412),
    ("SMART/Health Information (NVMe Log 0x02)\nCritical Warning: 0x00\nAvailable Spare:    91%\n",
     "spare", 0.91),
    (f"{HEAD}SCT Error Recovery Control:\n           Read:     70 (7.0 seconds)\n"
     "          Write: Disabled\n", "read_recovery_limit", 7.0),
    (f"{HEAD}SMART Error Log Version: 1\nATA Error Count: 31 (device log contains only the most\n",
     "ata_errors", 31),
    (f"{HEAD}  40 51 08 b0  Error: UNC 8 sectors at LBA = 0x0000c8b0 = 51376\n", "last_error",
     "UNC 8 sectors at LBA = 0x0000c8b0 = 51376"),
    (f"{HEAD}# 1  Short offline       Completed: read failure       90%      2127         571\n",
     "self_test_lba", 571),
    (f"{HEAD}# 1  Extended offline    Completed without error       00%      2127         -\n",
     "self_test", "Completed without error"),
    ("Pending Defects log (GP Log 0x0c)\nIndex                LBA    Hours\n"
     "    0            2279196    541\n    1            2279197    541\n", "pending_defects", 2),
    (f"{HEAD}SMART Health Status: OK\nElements in grown defect list: 5\n",
     "reallocated_sectors", 5),
    (f"{HEAD}Rotation Rate:        7200 rpm\nWriteback Cache is:   Disabled\n", "write_cache",
     "Disabled"),
])  # fmt: skip
def test_parts_of_smartctl(text: str, name: str, value: Scalar) -> None:
    assert _read(text)[name] == value


@pytest.mark.parametrize("text", [
    "5 Reallocated_Sector_Ct is what to look at, says everyone.\n",
    "The ID# ATTRIBUTE_NAME column names the attribute.\n",
    '{ 187, "Reported_Uncorrect      ", RAW48 },\n',
    "My Current_Pending_Sector 0x0032 is 200, I think\n",
])  # fmt: skip
def test_talk_of_attributes_is_no_output(text: str) -> None:
    assert _read(text) == {}


@pytest.mark.parametrize(
    "tree",
    [
        [], 7, {}, {"nvme_smart_health_information_log": []},
        {"ata_smart_attributes": {"table": 3}},
        {"ata_smart_attributes": {"table": [None, {"id": "5", "raw": {"value": 3}}]}},
        {"ata_device_statistics": {"pages": [{"table": [{"name": ["x"], "value": 1}]}]}},
        {"nvme_smart_health_information_log": {"media_errors": -1, "percentage_used": True,
                                               "power_cycles": "7", "unsafe_shutdowns": 2**70,
                                               "data_units_written": 2**60, "power_on_hours": 1.5}},
        {"interface_speed": {"max": {"units_per_second": 2**62, "bits_per_unit": 2**62}}},
        {"temperature": {"current": "\x1b[31mhot"}},
    ],
)  # fmt: skip
def test_what_no_drive_can_mean_is_left_out(tree: object) -> None:
    assert health_of_smartctl(json.dumps(tree)) == {}


def test_counters_that_nvme_cli_prints_as_text_are_numbers() -> None:
    log = (SAMPLES.parent / "nvme-cli-2.3" / "smart-log.json").read_text()
    health = health_of_nvme(log)
    assert (health["written"], health["read"]) == (143 * 512_000, 9 * 512_000)
    assert (health["media_errors"], health["unsafe_shutdowns"]) == (0, 0)
    assert (health["critical_warning"], health["temperature"]) == (2, 50)
    for text in ("-1", "1e3", "0x10", " 7", "٣", "9" * 40, ""):
        assert health_of_nvme(json.dumps({"media_errors": text})) == {}


def test_a_figure_of_5000_digits_is_no_figure() -> None:
    with pytest.raises(ValueError, match="digits"):
        health_of_nvme('{"media_errors": ' + "9" * 5000 + "}")


def test_alarms_are_figures() -> None:
    assert ALARMS.keys() <= HEALTH_UNITS.keys()


def test_a_pcie_link_is_read_as_lspci_has_it() -> None:
    link = pcie_link("8.0 GT/s PCIe", "2", "16.0 GT/s PCIe", "4")
    assert (link["link_width"], link["link_width_max"]) == (2, 4)
    assert link["bandwidth"] == 1969230769  # 8e9 * 128 / 130 / 8 * 2
    assert pcie_link("Unknown", "255", "16.0 GT/s PCIe", "4") == {}


@dataclass
class Drive(EmptyHost):
    """A host on which one tool answers, or hangs."""

    answers: dict[str, list[bytes]] = field(default_factory=dict)
    hangs: bool = False
    asked: list[Sequence[str]] = field(default_factory=list)

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        self.asked.append(argv)
        if self.hangs:
            raise CommandTimeout("smartctl did not end", where=self.name)
        rest = self.answers.get(argv[0])
        if not rest:
            return await super().run(argv, check=check)
        return Completed(tuple(argv), 64, rest.pop(0) if len(rest) > 1 else rest[0], b"", 0.1)


def log(**more: int) -> bytes:
    plain = {"critical_warning": 0, "temperature": 311, "thm_temp1_total_time": 5, **more}
    return json.dumps(plain).encode()


def test_tools_that_are_not_there_or_hang_give_nothing() -> None:
    assert asyncio.run(read_health(Drive(), "/dev/nvme0n1", "nvme")) == {}
    assert asyncio.run(read_health(Drive(hangs=True), "/dev/sda", "sata")) == {}
    broken = Drive(answers={"smartctl": [b"Permission denied"]})
    assert asyncio.run(read_health(broken, "/dev/sda", "sata")) == {}


def test_virtual_and_usb_disks_are_not_asked() -> None:
    host = Drive(answers={"smartctl": [log()]})
    for transport in ("virtio", "usb", ""):
        assert asyncio.run(read_health(host, "/dev/sda", transport)) == {}
    assert host.asked == []


def capture() -> Capture:
    layer = StackLayer(
        "nothing/disk:nvme0n1", "disk", "nothing", "/dev/nvme0n1", 1 << 30,
        facts={"kernel_name": "nvme0n1", "transport": "nvme"},
    )  # fmt: skip
    return Capture(taken=1.0, hosts=(), layers=(layer,))


@pytest.mark.parametrize(("bits", "flagged"), [(2, True), (3, True), (1, False), (0, False)])
def test_a_warning_of_temperature_flags_the_trial(bits: int, flagged: bool) -> None:
    series = tuple(
        Series(HEALTH, "nvme0n1", "critical_warning", "", (1.0, 61.0), values)
        for values in ((0.0, 0.0), (float(bits), float(bits)))
    )
    measured = trial(
        [loop(at, {"write.iops": 9.0}, series=(each,)) for at, each in enumerate(series)],
        capture=capture(),
    )
    assert ("temperature-throttling" in flags_of(measured, DEMAND, None)) is flagged


@pytest.mark.parametrize(("after", "flagged"), [(45, True), (5, False)])
def test_a_rise_during_a_loop_flags_the_trial(after: int, flagged: bool) -> None:
    host = Drive(answers={"nvme": [log(), log(), log(thm_temp1_total_time=after)]})
    target = Target("nothing", "/dev/nvme0n1", TargetKind.DEVICE)

    async def watched() -> tuple[Capture, tuple[Series, ...]]:
        whole = await with_health(capture(), [host])
        drives = drives_under(whole, target, [host])
        assert drives is not None
        before = await drives.read(10.0)
        return whole, drives.series(before, await drives.read(70.0))

    whole, series = asyncio.run(watched())
    (time,) = [readings for readings in series if readings.name == "throttle_time"]
    assert (time.sampler, time.subject, time.unit) == (HEALTH, "nvme0n1", "s")
    assert (time.times, time.values) == ((10.0, 70.0), (5, after))
    measured = trial([loop(0, {"write.iops": 9.0}, series=series)], capture=whole)
    flags = flags_of(measured, DEMAND, None)
    assert ("temperature-throttling" in flags) == flagged


def test_a_drive_that_never_answered_is_not_watched() -> None:
    whole = asyncio.run(with_health(capture(), [Drive()]))
    assert whole == capture()
    target = Target("nothing", "/dev/nvme0n1", TargetKind.DEVICE)
    assert drives_under(whole, target, [Drive()]) is None


ROWS = """ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       8
  9 Power_On_Hours          0x0032   095   095   000    Old_age   Always       -       24700
197 Current_Pending_Sector  0x0032   100   100   000    Old_age   Always       -       1
198 Offline_Uncorrectable   0x0030   100   100   000    Old_age   Offline      -       0
199 UDMA_CRC_Error_Count    0x0032   200   200   000    Old_age   Always       -       0
"""


@pytest.mark.parametrize("said", [
    "The cable of this drive was new when it was put in here.\n\nPhone: 12 34\n",
    "Is that a drive which I should send back, or may it stay?\n",
])  # fmt: skip
def test_what_somebody_says_below_smartctl_is_not_of_it(said: str) -> None:
    array = "ARRAY /dev/md7 metadata=1.2 UUID=1a2b3c4d:5e6f7a8b:9c0d1e2f:3a4b5c6d\n"
    (drive, scan) = states(f"smartctl 7.3 2022-02-28 r5338\n\n{ROWS}\n{said}\n{array}")
    assert (drive.tool, scan.tool) == ("smartctl", "mdadm --scan")
    assert "phone" not in drive.subjects[0].values
    assert drive.subjects[0].values["reallocated_sectors"] == 8


def test_sentences_of_smartctl_s_own_do_not_end_it() -> None:
    own = "If Selective self-test is pending on power-up, resume after 0 minute delay.\n"
    text = f"smartctl 7.3 2022-02-28 r5338\n\n{ROWS}\n{own}\nSMART overall-health self-assessment "
    (drive,) = states(f"{text}test result: PASSED\n")
    assert drive.subjects[0].values["health"] == "PASSED"


_HEAD = "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.15.0] (local build)\n\n"
_TABLE = f"""\
{_HEAD}=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED

ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   200   200   140    Pre-fail  Always       -       3
197 Current_Pending_Sector  0x0032   200   200   000    Old_age   Always       -       1
"""
_ENDS = [
    _TABLE,
    f"{_TABLE}\nSMART Error Log Version: 1\nNo Errors Logged\n",
    f"{_TABLE}\nSMART Self-test log structure revision number 1\nNum  Test_Description    Status\n"
    "# 1  Short offline       Completed without error       00%     31040         -\n",
    f"{_TABLE}\nNote: selective self-test log revision number (0) not 1 implies that no selective "
    "self-test has ever been run\n",
    f"{_HEAD}Probable ATA device behind a SAT layer\n"
    "Try an additional '-d ata' or '-d sat' argument.\n",
]


@pytest.mark.parametrize("end", _ENDS[:4])
@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("remark", [
    "So the disk has no errors.",
    "The disk looks fine to me\nbut the array does not, and\nI do not know why.",
    "It has 3 reallocated sectors: is it dying?", "Any ideas?", "Thanks", "Then I did:",
    "Note: the disk is 5 years old.", "* sdb was replaced last week", "Update: replaced the cable",
])  # fmt: skip
def test_what_somebody_wrote_right_below_is_not_smartctl_s(end: str, gap: str, remark: str) -> None:
    (before,) = read(end)
    (after,) = read(f"{end}{gap}{remark}\n")
    assert after.place == before.place
    assert after.place.last_line == len(end.splitlines())


@pytest.mark.parametrize("end", _ENDS)
def test_what_smartctl_says_in_sentences_is_its_own(end: str) -> None:
    assert [output.place.last_line for output in read(end)] == [len(end.splitlines())]


def test_a_quoted_output_ends_where_the_quotation_does() -> None:
    drive = (
        "smartctl 5.40 2010-07-12 r3124 [x86_64-unknown-linux-gnu] (local build)\n\n"
        "=== START OF INFORMATION SECTION ===\nDevice Model:     WDC WD30EZRX-00MMMB0\n\n"
        "Warning: device does not support SCT Error Recovery Control command\n{mark}\n\n"
    )
    array = "/dev/md0:\n        Version : 1.2\n     Raid Level : raid10\n          State : clean\n"
    for mark in ('"', "\u201d", ""):
        tools = [state.tool for state in states(drive.format(mark=mark) + array)]
        assert tools == ["smartctl", "mdadm"], mark


def test_a_drive_that_does_not_answer_is_said_to() -> None:
    text = (
        "smartctl 6.5 2016-01-24 r4214 [x86_64-linux-4.15.0-36-generic] (local build)\n\n"
        "A mandatory SMART command failed: exiting. To continue, add one or\n"
        "more '-T permissive' options.\n"
    )
    (state,) = states(text)
    values = state.subjects[0].values
    assert values["smart_problem"] == "A mandatory SMART command failed"
    assert not any("mandatory" in name for name in values)
