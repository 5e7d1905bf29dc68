"""Lines of the VMkernel's log: commands that failed, paths down, latency."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.text.document import Document
from iosonde.text.find import FoundOutput, find
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "esxi-composed"
LOG = (OUTPUTS / "vmkernel.txt").read_text()
LUN = "naa.60060160ccccddddeeeeffff00000007"


def _counted(text: str) -> dict[tuple[str, str], dict[str, object]]:
    return {
        (thing.kind, thing.name): dict(thing.values)
        for output in find(Document("text", text.encode()))
        if isinstance(output, FoundOutput)
        for thing in output.counters
        if thing.tool == "kernel log"
    }


def test_a_log_of_seven_and_eight() -> None:
    counted = _counted(LOG)
    assert set(counted) == {
        ("disk", "mpx.vmhba32:C0:T0:L0"), ("disk", LUN), ("disk", "naa.5000c500aabbccdd"),
        ("vmfs", "lun-seven"),
    }  # fmt: skip
    lun = counted["disk", LUN]
    assert lun["paths"] == ["vmhba3:C0:T2:L7"]
    assert lun["statuses"] == ["H:0x8 D:0x0 P:0x0"]
    assert lun["actions"] == ["EVAL"]
    assert (lun["average_microseconds"], lun["microseconds"]) == ([1940], [58213])
    assert (lun["all_paths_down"], lun["all_paths_down_ends"]) == (1, 1)
    medium = counted["disk", "naa.5000c500aabbccdd"]
    assert (medium["media_errors"], medium["sense_data"]) == (1, ["0x3 0x11 0x0"])
    assert medium["first"] == "2024-02-06T04:13:02.918Z"


@pytest.mark.parametrize(("line", "name", "counter", "value"), [
    ('Cmd(0x412e803c5a40) 0x1a, CmdSN 0x2f from world 0 to dev "naa.6005aa" failed H:0x0 D:0x2 '
     "P:0x0 Valid sense data: 0x5 0x20 0x0.", "naa.6005aa", "commands", ["0x1a"]),
    ("Mar 10 18:04:02 esx2 vmkernel: 1:08:22:15.031 cpu1:4514)NMP: nmp_CompleteCommandForPath: "
     'Command 0x2a (0x4100040ebc00) to NMP device "naa.6000eb" failed on physical path '
     '"vmhba33:C0:T14:L0" H:0x0 D:0x2 P:0x0 Valid sense data: 0x9 0x4 0x2.', "naa.6000eb",
     "sense_data", ["0x9 0x4 0x2"]),
    ("Mar  9 23:53:24 esx2 vmkernel: 2:14:39:54.069 cpu3:4300)ScsiDeviceIO: 1688: Command 0x28 to "
     'device "naa.6000097" failed H:0x1 D:0x0 P:0x3 Possible sense data: 0x0 0x0 0x0.',
     "naa.6000097", "failed_commands", 1),
    ("2014-03-14T16:22:52.801Z hv1.x.net vmkernel: cpu3:32800)NMP: nmp_ThrottleLogForDevice:2321: "
     'Cmd 0x1a (0x412fc2, 0) to dev "mpx.vmhba1:C0:T0:L0" on path "vmhba1:C0:T0:L0" Failed: H:0x0 '
     "D:0x2 P:0x0 Valid sense data: 0x5 0x20 0x0. Act:NONE", "mpx.vmhba1:C0:T0:L0", "actions",
     ["NONE"]),
    ("2024-02-06T04:13:02.918Z In(182) vmkernel: cpu7:2098575)NMP: nmp_ThrottleLogForDevice:3825: "
     "last error status from device naa.6000c1 repeated 40 times", "naa.6000c1", "repeated", [40]),
    ("2024-02-06T04:13:02.918Z vobd: [scsiCorrelator] 148071us: [esx.problem.storage.redundancy."
     "lost] Lost path redundancy to storage device naa.6000c2. Path vmhba1:C0:T0:L1 is down.",
     "naa.6000c2", "paths", ["vmhba1:C0:T0:L1"]),
    ("2024-02-06T04:13:02.918Z cpu2:2097213)WARNING: ScsiDevice: 1773: Device :naa.6000c3 has been "
     "removed or is permanently inaccessible.", "naa.6000c3", "permanent_losses", 1),
])  # fmt: skip
def test_forms_of_other_releases(line: str, name: str, counter: str, value: object) -> None:
    assert _counted(f"It said:\n\n{line}\n\nAnd now?\n")["disk", name][counter] == value


@pytest.mark.parametrize("text", [
    "The field H:0x0 D:0x2 P:0x0 is a combination of SCSI status codes.\n",
    "0 | vmkernel | 0x1a.* H:0x0 D:0x2 P:0x0 Valid sense data: 0x5 0x2[04] 0x0\n",
    "an APD start event is logged when all paths are down\n",
])  # fmt: skip
def test_prose_about_it_is_none(text: str) -> None:
    assert not _counted(text)


def test_what_is_said_of_it(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text(LOG)
    said = {(x.rule, x.severity): x.subject for x in explain(str(page)).findings}
    assert said["lost-device", "warning"].endswith(LUN)  # it came back
    assert said["io-errors", "error"].endswith("naa.5000c500aabbccdd")
    assert said["refused-commands", "note"].endswith("mpx.vmhba32:C0:T0:L0")
