"""What the VMkernel of ESXi says of devices and their paths: failed commands, paths down, latency.

A failed command has the opcode (`0x2a`), a status of host, device and plugin (`H:0x0 D:0x2 P:0x0`)
and of a device that answered the sense key, additional code and qualifier (`Valid sense data: 0x5
0x24 0x0`). Senses that are "possible" or "invalid" are those of no answer. A line of ScsiDeviceIO
is about the device, after what NMP tried over its paths. Times are microseconds as printed.

Source:
    VMware vSphere Troubleshooting 6.0, "SCSI Sense Codes"; Broadcom KB 289902, 338435 and 337796
    (the fields of ESX 4.x, ESXi 5.x and later); KB 318927 ("performance has deteriorated"); KB
    318888 and 1009553 (APD, state in doubt); T10 SPC-4, table 49 (sense keys).
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, Trouble

_HEX = r"0[x×][\da-f]{1,4}"
_AT = (
    r"(?:vmkernel: )?(?:\d{1,4}:\d\d:\d\d:\d\d\.\d{3} )?"
    r"(?:cpu\d{1,4}:\d{1,10}(?: opID=[\w:-]{1,80})?\))?(?:WARNING: |ALERT: |ERROR: )?"
    r"(?:[A-Z]\w{2,30}: )?(?:[A-Za-z]\w{2,60}: ?)?(?:\d{1,5}: )?"
    r"(?:\[\w{3,40}\] \d{1,20}us: )?(?:\[[\w.]{3,80}\] )?"
)
_ID = r"[A-Za-z][\w.:-]{3,200}"
_DEVICE = rf"[\"'“‘„]?(?P<name>{_ID}?)[\"'”’“″]?"
_PATH = rf"[\"'“‘„]?(?P<paths>{_ID}?)[\"'”’“″]?"
_COMMAND = (
    rf"(?:Cmd\((?:0x[\da-f]{{1,16}})\) (?P<commands>{_HEX}),? "
    r"(?:cmdId\.initiator=0x[\da-f]{1,16} )?(?:CmdSN 0x[\da-f]{1,16} )?(?:from world \d{1,10} )?"
    r"to dev"
    rf"|Command (?P<opcodes>{_HEX}) to device) {_DEVICE} failed "
)
_STATUS = rf"(?P<statuses>H:{_HEX} D:{_HEX} P:{_HEX})"
_REST = (
    rf" {{0,2}}\.?(?:(?P<validity>[A-Z][a-z]+) sense data: (?P<sense_data>{_HEX} {_HEX} {_HEX}))?"
)
_OVER = (
    rf"Cmd (?P<commands>{_HEX}) \(0x[\da-f]{{1,16}}, \d{{1,10}}\) to dev {_DEVICE} on path {_PATH} "
    r"Failed:"
)
_OVER_OLD = (
    rf"Command (?P<commands>{_HEX}) \(0x[\da-f]{{1,16}}\) to NMP device {_DEVICE} ?failed on "
    rf"physical path {_PATH} "
)


def _valid(key: str) -> str:
    return rf" (?P<validity>Valid) sense data: (?P<sense_data>0[x×]{key} {_HEX} {_HEX})"


_OF_DEVICE: tuple[tuple[str, str, Trouble | None], ...] = (
    (_valid("3"), "media_errors", "data"),
    (_valid("4"), "hardware_errors", "data"),
    (_valid("5"), "refused_commands", None),
    (_REST, "failed_commands", None),
)
"""By sense key: medium error, hardware error, illegal request; all others."""
_SAID: tuple[tuple[str, str, str, str], ...] = (
    (
        "performance has deteriorated",
        rf"Device {_DEVICE} performance has deteriorated\. I/O latency increased from average "
        r"value of (?P<average_microseconds>\d{1,12}) microseconds to (?P<microseconds>\d{1,12})",
        "disk", "slow_answers",
    ),
    (
        "performance has improved",
        rf"Device {_DEVICE} performance has improved\. I/O latency reduced from "
        r"(?P<microseconds>\d{1,12}) microseconds to (?P<improved_microseconds>\d{1,12})",
        "disk", "recovered_latencies",
    ),
    ("APD ", rf"APD [Ss]tart for 0x[\da-f]{{1,16}} \[{_DEVICE}\]", "disk", "all_paths_down"),
    ("APD ", rf"APD [Tt]imeout (?:event )?for 0x[\da-f]{{1,16}} \[{_DEVICE}\]", "disk",
     "all_paths_down_timeouts"),
    ("APD ", rf"APD [Ee]xit (?:event )?for 0x[\da-f]{{1,16}} \[{_DEVICE}\]", "disk",
     "all_paths_down_ends"),
    (
        "entered the All Paths Down",
        rf"Device or filesystem with identifier {_DEVICE} has entered the All Paths Down Timeout "
        r"state after being in the All Paths Down state for (?P<down_seconds>\d{1,6}) seconds",
        "disk", "all_paths_down_timeouts",
    ),
    (
        "entered the All Paths Down",
        rf"Device or filesystem with identifier {_DEVICE} has entered the All Paths Down state",
        "disk", "all_paths_down",
    ),
    (
        "exited the All Paths Down",
        rf"Device or filesystem with identifier {_DEVICE} has exited the All Paths Down state",
        "disk", "all_paths_down_ends",
    ),
    (
        "is permanently inaccessible",
        rf"Device :?{_DEVICE} has been removed or is permanently inaccessible", "disk",
        "permanent_losses",
    ),
    (
        "state in doubt; requested fast",
        rf"NMP device {_DEVICE} state in doubt; requested fast path state update", "disk",
        "states_in_doubt",
    ),
    (
        "awaiting fast path state update",
        rf"Device {_DEVICE}: awaiting fast path state update", "disk", "blocked_requests",
    ),
    (
        "last error status from device",
        rf"last error status from device {_DEVICE} repeated (?P<repeated>\d{{1,9}}) times", "disk",
        "repeated_errors",
    ),
    (
        "Lost path redundancy to storage",
        rf"Lost path redundancy to storage device {_DEVICE}\. Path {_PATH} is down", "disk",
        "lost_redundancies",
    ),
    (
        "Lost connectivity to storage device",
        rf"Lost connectivity to storage device {_DEVICE}\. Path {_PATH} is down", "disk",
        "lost_connections",
    ),
    (
        "Waiting for timed out HB",
        r"'(?P<name>[^'\n]{1,80})': HB at offset (?P<offsets>\d{1,18}) - Waiting for timed out HB",
        "vmfs", "late_heartbeats",
    ),
    (
        "Lost access to volume",
        r"Lost access to volume (?P<uuids>[\da-f-]{8,60}) \((?P<name>[^()\n]{1,80})\) due to "
        r"connectivity issues", "vmfs", "lost_accesses",
    ),
    (
        "restored access to volume",
        r"Successfully restored access to volume (?P<uuids>[\da-f-]{8,60}) "
        r"\((?P<name>[^()\n]{1,80})\)", "vmfs", "restored_accesses",
    ),
)  # fmt: skip

MESSAGES = (
    *(
        KernelMessage(" failed H:0", rf"{_AT}{_COMMAND}{_STATUS}{rest}", "disk", counts, trouble)
        for rest, counts, trouble in _OF_DEVICE
    ),
    KernelMessage(
        " Failed:", rf"{_AT}{_OVER}(?: {_STATUS}{_REST}\.?(?: Act:(?P<actions>[A-Z_]{{3,20}}))?)?",
        "disk", "failed_on_path",
    ),
    KernelMessage(
        "nmp_ThrottleLogForDevice:",
        rf"{_AT}{_STATUS}{_REST}\.?(?: Act:(?P<actions>[A-Z_]{{3,20}}))?", "", "path_answers",
    ),
    KernelMessage(
        "failed on physical path", rf"{_AT}{_OVER_OLD}{_STATUS}{_REST}", "disk", "failed_on_path",
    ),
    *(
        KernelMessage(literal, _AT + pattern, kind, counts)
        for literal, pattern, kind, counts in _SAID
    ),
)  # fmt: skip
