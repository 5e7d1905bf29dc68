"""What FreeBSD's kernel says of disks: the lines of CAM, its layer for SCSI, ATA and NVMe drives.

Each line begins with the device in brackets: `(da0:mps0:0:1:0): `. A request that is tried again
carried its data in the end, unless a line says that it was given up. A device that went away may
have been pulled on purpose: only a request that failed by that is a sign of trouble, and an error
other than EIO (5) is mostly a command that the device does not have.

Source: FreeBSD 14, sys/cam/cam.c, cam_error_print() and cam_status_table; sys/cam/cam_periph.c,
cam_periph_error() ("Retrying command, %d more tries remain", before 13 "Retrying command", and
"Error %d, %s"), cam_periph_release_locked_buses() ("Periph destroyed");
sys/cam/scsi/scsi_all.c, scsi_command_sbuf() and scsi_sense_sbuf(); sys/cam/ata/ata_all.c,
ata_command_sbuf() and ata_status_sbuf(); sys/dev/ahci/ahci.c, ahci_timeout() and
ahci_execute_transaction(); sys/dev/siis/siis.c and sys/dev/mvs/mvs.c, which print the first line of
the two.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_AT = r":[a-z_]{2,16}(?:-sim)?\d{1,4}(?::\d{1,5}){2}:(?:\d{1,5}|[\da-f]{8,16})\): +"
_DEVICE = rf"\((?P<name>(?:da|ada|nda|cd|ses|pass|a?probe|sa)\d{{1,4}}){_AT}"
_CHANNEL = r"(?P<name>(?:ahcich|siisch|mvsch)\d{1,4}): +"
_DISK = rf"\((?P<name>(?:da|ada|nda)\d{{1,4}}){_AT}"

MESSAGES = (
    KernelMessage(
        "): CAM status: Command timeout",
        rf"{_DISK}CAM status: (?P<statuses>Command timeout) *$", "disk", "timeouts", "device",
    ),
    KernelMessage(
        "): CAM status: ",
        rf"{_DEVICE}CAM status: (?P<statuses>[A-Z][A-Za-z /:()-]{{3,60}}?) *$",
        "disk", "failed_commands",
    ),
    KernelMessage(
        "): SCSI status: ",
        rf"{_DEVICE}SCSI status: (?P<scsi_statuses>[A-Z][A-Za-z -]{{1,40}}?) *$",
        "disk", "scsi_answers",
    ),
    KernelMessage(
        "): SCSI sense: ",
        rf"{_DEVICE}SCSI sense: (?:Deferred error: |Error code 0x[\da-f]+ )?"
        r"(?P<sense_keys>[A-Z][A-Za-z -]{2,30}?) asc:(?P<additional_sense_codes>"
        r"[\da-f]{1,2},[\da-f]{1,2}) \((?P<additional_senses>[^()]{3,100})\)",
        "disk", "senses",
    ),
    KernelMessage(
        "): ATA status: ",
        rf"{_DEVICE}ATA status: (?P<ata_statuses>[\da-f]{{2}} \([A-Z ]{{2,40}}\))"
        r"(?:, error: (?P<ata_errors>[\da-f]{2} \([A-Z_ ]{0,40}\)))?",
        "disk", "ata_answers",
    ),
    *(
        KernelMessage(
            literal,
            rf"{_DEVICE}(?P<commands>[A-Z][A-Z_]{{2,30}}(?:\(\d{{1,2}}\))?)\. "
            r"(?:CDB|ACB|NCB): ", "disk", "described_commands",
        )
        for literal in (". CDB: ", ". ACB: ", ". NCB: ")
    ),
    KernelMessage("): Retrying command", rf"{_DEVICE}Retrying command", "disk", "retried_commands"),
    KernelMessage(
        "): Error 5, ",
        rf"{_DISK}Error (?P<errors>5), "
        r"(?P<reasons>Unretryable error|Retries exhausted|Retry was blocked)",
        "disk", "io_errors", "data",
    ),
    KernelMessage(
        ", Periph was invalidated",
        rf"{_DISK}Error (?P<errors>\d{{1,3}}), (?P<reasons>Periph was invalidated)",
        "disk", "io_errors", "data",
    ),
    KernelMessage(
        "): Error ",
        rf"{_DEVICE}Error (?P<errors>\d{{1,3}}), "
        r"(?P<reasons>Unretryable error|Retries exhausted|Retry was blocked)",
        "disk", "refused_commands",
    ),
    KernelMessage(
        "imeout on slot ",
        rf"{_CHANNEL}(?:Poll t|T)imeout on slot (?P<slots>\d{{1,2}}) port (?P<ports>\d{{1,2}})\b",
        "disk", "slot_timeouts", "device",
    ),
    KernelMessage(
        " serr ",
        rf"{_CHANNEL}is [\da-f]{{8}} cs [\da-f]{{8}} ss [\da-f]{{8}} rs [\da-f]{{8}} "
        r"(?P<registers>tfd [\da-f]{2,4} serr [\da-f]{8}) cmd [\da-f]{8}",
        "disk", "described_timeouts",
    ),
    KernelMessage("Periph destroyed", rf"{_DEVICE}Periph destroyed", "disk", "removed_devices"),
    KernelMessage(": lost device", rf"{_DEVICE}lost device", "disk", "removed_devices"),
)  # fmt: skip
