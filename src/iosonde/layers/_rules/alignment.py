"""Alignment: partitions, data offsets and file systems against what lies below them.

Source:
    Linux ABI/stable/sysfs-block (alignment_offset, physical_block_size, logical_block_size);
    mkfs.xfs(8), su, sw and sector size; ext4(5), stride and stripe_width; pvcreate(8),
    --dataalignment; md(4), data offset.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._raid.arrays import Array, CaseArrays, near
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence, subject_of
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Scalar

_DOS_START = 63 * units.SECTOR
_FILE_SYSTEMS = ("xfs", "ext4", "ext3", "ext2")
_DEEP = 8  # layers below one another that are gone through
_THROUGH = frozenset({"lvm", "partition", "dm_crypt", "dm", "multipath"})


def _size(state: StateEvidence, name: str) -> int | None:
    value = state.values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


class _Stack:
    """What stands on what in a case, by names."""

    def __init__(self, case: EvidenceSet) -> None:
        self._states: dict[tuple[str, str], list[StateEvidence]] = {}
        for state in case.states:
            if state.kind not in _FILE_SYSTEMS:
                self._states.setdefault((state.source, state.name), []).append(state)
        self._arrays: dict[tuple[str, str], list[Array]] = {}
        for array in CaseArrays(case).arrays:
            self._arrays.setdefault((array.source, array.name), []).append(array)

    def names_below(self, state: StateEvidence) -> tuple[str, ...]:
        """Names of what a thing stands on, as discovery or its device tell."""
        if state.below:
            return state.below
        device = str(state.values.get("device") or "")
        return (device.removeprefix("/dev/"),) if device.startswith("/dev/") else ()

    def array(self, like: StateEvidence, name: str) -> Array | None:
        """The striped array of a name, where its geometry is known and was always the same."""
        arrays = [array for array in self._arrays.get((like.source, name), ()) if near(array, like)]
        return arrays[0] if len(arrays) == 1 and arrays[0].stripe else None

    def state(self, like: StateEvidence, name: str) -> StateEvidence | None:
        """What is known of a name on the same host."""
        states = [state for state in self._states.get((like.source, name), ()) if near(state, like)]
        return states[0] if states else None

    def array_under(self, state: StateEvidence) -> Array | None:
        """The first array below, through linear volumes and partitions."""
        names = self.names_below(state)
        for _ in range(_DEEP):
            if len(names) != 1:
                return None
            if array := self.array(state, names[0]):
                return array
            lower = self.state(state, names[0])
            if lower is None or lower.kind not in _THROUGH:
                return None
            names = lower.below
        return None

    def disks_under(self, state: StateEvidence) -> Iterator[StateEvidence]:
        """All disks below."""
        names, seen = [*self.names_below(state)], set[str]()
        while names and len(seen) < 256:
            name = names.pop()
            lower = self.state(state, name)
            if lower is None or name in seen:
                continue
            seen.add(name)
            if lower.kind == "disk":
                yield lower
            names += lower.below


def partitions(case: EvidenceSet) -> Iterator[Finding]:
    """Partitions off the grid of sectors or stripes."""
    stack = _Stack(case)
    for state in case.of_kind("partition"):
        start, block = _size(state, "start"), _size(state, "physical_block_size")
        if start is None:
            continue
        old = start == _DOS_START
        if state.values.get("aligned_to_sector") is False or (old and (block or 4096) > 512):
            yield _shifted(state, start, block, old=old)
        elif state.values.get("aligned_to_stripe") is False:
            array = stack.array_under(state)
            if array and _fits(start, array):
                continue
            width = state.values.get("stripe_width")
            yield Finding(
                rule="misaligned",
                severity="warning",
                subject=subject_of(state),
                message=f"{state.name} begins at {units.show_bytes(start)}, within a stripe of "
                f"{units.show_evidence(width, 'B')}: full stripes of what is on it straddle two.",
                evidence=(
                    Evidence("start", start, "B", state.where),
                    Evidence("stripe", width, "B", state.where),
                ),
                remedy="make the partition anew on a multiple of the stripe; its data must be "
                "moved",
                confirm="reads at the members during sequential writes of whole stripes",
            )


def _shifted(state: StateEvidence, start: int, block: int | None, *, old: bool) -> Finding:
    why = ", the 63-sector start of old partitioning tools" if old else ""
    size = units.show_bytes(block) if block else "4 KiB, where its disk has such"
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"{state.name} begins at sector {start // units.SECTOR}{why}, off the grid of the "
        f"disk's physical blocks of {size}: blocks on it straddle two of them, and a small write "
        "becomes a read and a write of both.",
        evidence=(
            Evidence("start", start, "B", state.where),
            *((Evidence("physical block size", block, "B", state.where),) if block else ()),
        ),
        remedy="make the partition anew at 1 MiB (parted does so by itself); its data must be "
        "moved",
        confirm="4 KiB random writes on the partition and on the disk",
    )


def file_systems(case: EvidenceSet) -> Iterator[Finding]:
    """File systems made for another stripe than the one below, or for none."""
    stack = _Stack(case)
    for state in case.of_kind(*_FILE_SYSTEMS):
        array = stack.array_under(state)
        if array is None:
            continue
        unit, width = _geometry(state)
        if unit is None and width is None:
            if array.parity and _was_asked(state):
                yield _made_for_none(state, array)
        elif (unit or array.chunk, width or array.stripe) != (array.chunk, array.stripe):
            yield _made_for_another(state, array, unit, width)


def _geometry(state: StateEvidence) -> tuple[int | None, int | None]:
    """Stripe unit and width in bytes, by the superblock, or by the options of an XFS mount."""
    unit, width = _size(state, "stripe_unit"), _size(state, "stripe_width")
    if state.kind == "xfs" and unit is None:
        options = [str(state.values.get(name) or "") for name in ("sunit", "swidth")]
        if all(text.isdecimal() and int(text) for text in options):
            return int(options[0]) * units.SECTOR, int(options[1]) * units.SECTOR
    return unit, width


def _was_asked(state: StateEvidence) -> bool:
    """Whether the superblock was read, so that what it does not say is not there."""
    answer: Scalar = state.values.get("allocation_groups")
    if state.kind != "xfs":
        answer = state.values.get("superblock_state")
    return answer is not None


def _made_for_none(state: StateEvidence, array: Array) -> Finding:
    return Finding(
        rule="misaligned",
        severity="note",
        subject=subject_of(state),
        message=f"{state.name} ({state.kind}) knows of no stripe, but stands on {array.called} "
        f"with one of {units.show_bytes(array.stripe or 0)}: files and logs begin anywhere in it.",
        evidence=(Evidence(f"stripe of {array.name}", array.stripe, "B", array.where),),
        remedy=_stripe_remedy(state, array),
        confirm="reads at the members during sequential writes of many files",
    )


def _made_for_another(
    state: StateEvidence, array: Array, unit: int | None, width: int | None
) -> Finding:
    own = [
        f"{phrase} {units.show_bytes(size)}"
        for phrase, size in (("a stripe of", width), ("units of", unit))
        if size
    ]
    evidence = [
        Evidence(f"{phrase} of the file system", size, "B", state.where)
        for phrase, size in (("stripe", width), ("unit", unit))
        if size
    ]
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"{state.name} ({state.kind}) was made for {' in '.join(own)}, but stands on "
        f"{array.called} with one of {units.show_bytes(array.stripe or 0)} in {array.strip}s of "
        f"{units.show_bytes(array.chunk or 0)}.",
        evidence=(
            *evidence,
            Evidence(f"stripe of {array.name}", array.stripe, "B", array.where),
            Evidence(f"{array.strip} of {array.name}", array.chunk, "B", array.where),
        ),
        remedy=_stripe_remedy(state, array),
        confirm="reads at the members during sequential writes",
    )


def _stripe_remedy(state: StateEvidence, array: Array) -> str:
    """How to tell a file system its stripe."""
    chunk, stripe = array.chunk or 0, array.stripe or 0
    if state.kind == "xfs":
        return (
            f"mount with sunit={chunk // units.SECTOR},swidth={stripe // units.SECTOR}; it counts "
            "for files written from then on"
        )
    block = _size(state, "block_size") or 4 * units.KIB
    return (
        f"`tune2fs -E stride={chunk // block},stripe_width={stripe // block} "
        f"{state.values.get('device') or 'DEVICE'}`; it counts for files written from then on"
    )


def data_offsets(case: EvidenceSet) -> Iterator[Finding]:
    """Where data begin on physical volumes and md members, against what is below them."""
    stack = _Stack(case)
    seen: set[tuple[str, str]] = set()
    for state in case.of_kind("lvm_pv", "lvm"):
        offset = _size(state, "data_offset")
        names = (state.name,) if state.kind == "lvm_pv" else state.below
        if offset is None or offset % units.SECTOR or len(names) != 1:
            continue  # no whole sectors: megabytes that were printed rounded
        array = stack.array(state, names[0])
        if array is None or _fits(offset, array):
            continue
        if (array.host, array.name) not in seen:
            seen.add((array.host, array.name))
            yield _volume_offset(array, offset, state.where)
    for state in case.of_kind("md", "md_member"):
        offset = _size(state, "data_offset")
        names = (state.name,) if state.kind == "md_member" else state.below
        lower = [under for name in names if (under := stack.state(state, name))]
        for under in lower:
            block = _size(under, "physical_block_size")
            if offset and block and offset % block:
                yield _member_offset(state, under, offset, block)
                break


def _fits(start: int, array: Array) -> bool:
    """Whether a start suits an array: on a stripe, or on a chunk where parity is none."""
    grid = array.stripe if array.parity else array.chunk
    return not grid or start % grid == 0


def _volume_offset(array: Array, offset: int, where: str) -> Finding:
    chunk, stripe = array.chunk or 1, array.stripe or 1
    within = offset % chunk != 0
    what = (
        f"a {array.strip} of {units.show_bytes(chunk)}: aligned requests straddle two members"
        if within
        else f"a stripe of {units.show_bytes(stripe)}: writes of whole stripes straddle two"
    )
    return Finding(
        rule="misaligned",
        severity="warning" if within else "note",
        subject=array.subject,
        message=f"The volumes on {array.called} begin at {units.show_bytes(offset)}, within "
        f"{what}.",
        evidence=(
            Evidence("data offset", offset, "B", where),
            Evidence(f"stripe of {array.name}", stripe, "B", array.where),
        ),
        remedy=f"`pvcreate --dataalignment {stripe}b` on a new volume; the data must be moved",
        confirm="reads at the members during sequential writes of whole stripes",
    )


def _member_offset(state: StateEvidence, member: StateEvidence, offset: int, block: int) -> Finding:
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"Data of {state.name} begin at {units.show_bytes(offset)} of {member.name}, off "
        f"the grid of its physical blocks of {units.show_bytes(block)}: small writes become a "
        "read and a write in the drive.",
        evidence=(
            Evidence("data offset", offset, "B", state.where),
            Evidence(f"physical block size of {member.name}", block, "B", member.where),
        ),
        remedy="make the array anew with `mdadm --create --data-offset=1M`; its data must be moved",
        confirm="4 KiB random writes on the array and on a member",
    )


def emulated_sectors(case: EvidenceSet) -> Iterator[Finding]:
    """Loads that write less than a physical block of a disk that shows smaller logical ones."""
    disks: dict[tuple[str, str], list[StateEvidence]] = {}
    for state in case.of_kind("disk"):
        block, logical = (_size(state, f"{kind}_block_size") for kind in ("physical", "logical"))
        if block and logical and logical < block:
            disks.setdefault((state.source, state.name), []).append(state)
    case_arrays = CaseArrays(case)
    for trial in case.trials if disks else ():
        load = case_arrays.load(trial)
        if not load.writes or not load.block or load.direct is False:
            continue
        for disk in _disks(trial, disks):
            block = _size(disk, "physical_block_size") or 1
            if load.block % block:
                yield _emulated(trial, disk, load.block, block)
                break


def _disks(
    trial: TrialEvidence, disks: dict[tuple[str, str], list[StateEvidence]]
) -> Iterator[StateEvidence]:
    names = [device for kind, device in trial.stands_on if kind == "disk"] or [trial.target]
    for name in names:
        for state in disks.get((trial.source, name.removeprefix("/dev/")), ()):
            if near(state, trial):
                yield state


def _emulated(trial: TrialEvidence, disk: StateEvidence, size: int, block: int) -> Finding:
    logical = _size(disk, "logical_block_size") or units.SECTOR
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(disk),
        message=f"{disk.name} writes physical blocks of {units.show_bytes(block)} and only shows "
        f"logical ones of {units.show_bytes(logical)}: writes of {units.show_bytes(size)} make it "
        "read what they do not fill.",
        evidence=(
            Evidence("block size of the load", size, "B", trial.where),
            Evidence("physical block size", block, "B", disk.where),
            Evidence("logical block size", logical, "B", disk.where),
        ),
        remedy=f"write in multiples of {units.show_bytes(block)}; what the program on top writes "
        "decides, not the load",
        confirm=f"the same load with blocks of {units.show_bytes(block)}: more IOPS, not fewer",
    )


def log_sectors(case: EvidenceSet) -> Iterator[Finding]:
    """XFS whose log writes less than a physical block."""
    stack = _Stack(case)
    for state in case.of_kind("xfs"):
        sector = _size(state, "sector_size")
        for disk in stack.disks_under(state) if sector else ():
            block = _size(disk, "physical_block_size")
            if sector and block and sector < block:
                yield Finding(
                    rule="misaligned",
                    severity="note",
                    subject=subject_of(state),
                    message=f"{state.name} (xfs) was made for sectors of "
                    f"{units.show_bytes(sector)}, but {disk.name} writes physical blocks of "
                    f"{units.show_bytes(block)}: its log may begin and end within one.",
                    evidence=(
                        Evidence("sector size", sector, "B", state.where),
                        Evidence("physical block size", block, "B", disk.where),
                    ),
                    remedy=f"`mkfs.xfs -s size={block}` on a new file system; the data must be "
                    "moved",
                    confirm="small writes with a sync each, on both",
                )
                break


_BLOCKS = "Linux ABI/stable/sysfs-block"
RULES: tuple[Rule, ...] = (
    Rule("misaligned", "partition", "Partitions that begin within a physical block or a stripe.",
         _BLOCKS, partitions),
    Rule("misaligned", "xfs, ext4", "File systems made for another stripe than the one below, or "
         "for none.", "mkfs.xfs(8); ext4(5); tune2fs(8)", file_systems),
    Rule("misaligned", "lvm, md", "Data of volumes or members that begin within a stripe, a chunk "
         "or a physical block.", "pvcreate(8), --dataalignment; md(4)", data_offsets),
    Rule("misaligned", "disk", "Writes smaller than a physical block (512e).", _BLOCKS,
         emulated_sectors),
    Rule("misaligned", "xfs, disk", "Logs in sectors smaller than a physical block.",
         "mkfs.xfs(8), -s size", log_sectors),
)  # fmt: skip
