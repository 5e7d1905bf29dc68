"""Undoing steps of kinds whose devices this machine's kernel lacks, on a host that is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from iosonde.change import undo as module
from iosonde.change.guard import Permission
from iosonde.change.identity import CHANGED, Facts, Likeness, likeness
from iosonde.change.journal import Journal, Made
from iosonde.change.undo import recognise, undo
from iosonde.errors import HostFailed, IosondeError, Refused
from iosonde.hosts.host import Completed, Host
from iosonde.layers.site import Site
from iosonde.layers.step import Step
from iosonde.stack.file import builder, read_stack

STACK = """\
stack: s
hosts: {{a: {{at: local, address: 10.0.0.1}}, b: {{at: local, address: 10.0.0.2}}}}
layers:
  d1: {{kind: disk, host: a, path: /dev/d1}}
  d2: {{kind: disk, host: a, path: /dev/d2}}
  e1: {{kind: disk, host: b, path: /dev/e1}}
  x: {{{layer}}}
"""
MD = "kind: md, level: 1, of: [d1, d2]"
LVM = "kind: lvm, of: [d1, d2]"
DRBD = "kind: drbd, of: [d1, e1]"
PARTITION = "kind: partition, of: d1"
EXT4 = "kind: ext4, of: d1, mount: /m"
OldAndNew = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass
class Played:
    """A host with the devices that it is given; each command but those that look is recorded.

    `devices` are paths with what each is and what is on it, `links` other names of them, `outputs`
    what commands print whose arguments hold a word. A command with a word of `takes` takes away the
    devices and outputs named there.
    """

    devices: dict[str, OldAndNew]
    outputs: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    takes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    boot: str = "boot 2"
    ran: list[tuple[str, ...]] = field(default_factory=list)
    swaps: dict[str, OldAndNew] = field(default_factory=dict)
    name: str = "a"

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        arguments = tuple(argv)
        if "iosonde-identity" not in arguments:
            status = 0 if self._shows(arguments) else 1
            return Completed(arguments, status, self._shows(arguments).encode(), b"", 0.0)
        verb, *rest = arguments[arguments.index("iosonde-identity") + 1 :]
        if verb == "run":
            return self._run(arguments, rest)
        if verb == "find":
            names = [self._lines(path, its, {}) for path, (its, _) in self.devices.items()]
        else:
            names = [self._read(*rest[at : at + 3]) for at in range(0, len(rest), 3)]
        return Completed(arguments, 0, "".join([f"{self.boot}\n", *names]).encode(), b"", 0.0)

    def _shows(self, argv: Sequence[str]) -> str:
        for word, text in self.outputs.items():
            if any(word in name for name in argv):
                return text
        return ""

    def _read(self, what: str, name: str, ask: str) -> str:
        path = self.links.get(name, name)
        if what == "output":
            text = self._shows([ask])
            return self._lines(name, {"output": text} if text else {}, {})
        its, carries = self.devices.get(path, ({}, {}))
        return self._lines(path if its else "", its, carries)

    @staticmethod
    def _lines(path: str, its: Mapping[str, str], carries: Mapping[str, str]) -> str:
        lines = [
            "".join(f"{key}\t{value}\n" for key, value in values.items())
            for values in (its, carries)
        ]
        return f"@ {path}\n{lines[0]}=\n{lines[1]}"

    def _run(self, arguments: tuple[str, ...], rest: list[str]) -> Completed:
        self.devices |= self.swaps  # between the comparison and the command
        count, rest = int(rest[0]), rest[1:]
        for _ in range(count):
            (what, _, path, ask, its, carries), rest = rest[:6], rest[6:]
            now = self._read(what, path, ask).partition("\n")[2].split("=\n")
            if now[0].strip() not in {"", its} or now[1].strip() not in {"", carries}:
                return Completed(arguments, CHANGED, b"", f"{path} is another now".encode(), 0.0)
        self.ran.append(tuple(rest))
        for word, names in self.takes.items():
            if any(word in text for text in rest):
                for name in names:
                    self.devices.pop(name, None)
                    self.outputs.pop(name, None)
        return Completed(arguments, 0, b"", b"", 0.0)


def steps(tmp_path: Path, layer: str) -> list[Step]:
    """The steps of the layer x that are undone."""
    file = tmp_path / "stack.yaml"
    file.write_text(STACK.format(layer=layer))
    (site,) = [place for place in read_stack(file).sites if place.name == "x"]
    return [step for step in builder(site.kind).plan(_standing(site)) if step.undo]


def _standing(site: Site) -> Site:
    below = tuple(_standing(place) for place in site.below)
    return replace(site, below=below, device=f"/dev/{site.name}")


def recorded(step: Step, after: Mapping[str, OldAndNew], boot: str = "boot 1") -> Made:
    """A step that is done, on things that were as said then."""
    assert step.there is not None
    facts = {name: Facts(name, boot, *pair) for name, pair in after.items()}
    return Made(
        "x", 1, 1, step.does, step.there, step.undo, step.destroys, "done", (), step.shared,
        step.subjects, {}, facts, boot,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The devices that the guard was asked for; it allows them."""
    paths: list[str] = []

    async def check(
        host: Host, path: str, *, writes: bool, permissions: Sequence[Permission]
    ) -> None:
        assert writes
        # What the device itself carries was compared; its partitions may carry nothing.
        assert [
            (permission.path, permission.signatures, permission.compared)
            for permission in permissions
        ] == [(path, frozenset(), True)]
        paths.append(path)

    monkeypatch.setattr(module, "check_target", check)
    monkeypatch.setattr(module, "_PAUSE", 0.001)
    return paths


async def undone(host: Played, made: Made, *, half: bool = False) -> list[str]:
    """Undo a step; the commands that were run, as lines."""
    real = cast("Host", host)
    await undo(real, made, Journal(real, "s"), own={"ext4 1111"}, half=half)
    return [" ".join(names) for names in host.ran]


async def refusal(host: Played, made: Made, *, half: bool = False) -> str:
    """What is said where a step is not undone, and that nothing was run."""
    with pytest.raises(Refused) as raised:
        await undone(host, made, half=half)
    assert host.ran == []
    assert raised.value.evidence
    assert "by hand" in raised.value.hint
    return str(raised.value)


def disk(serial: str, kind: str = "", uuid: str = "") -> OldAndNew:
    return {"serial": serial}, {"type": kind, "uuid": uuid} if kind else {}


MEMBER = "linux_raid_member"
ARRAY = {
    "/dev/d1": disk("one", MEMBER, "aaaa"),
    "/dev/d2": disk("two", MEMBER, "aaaa"),
    "/dev/md/s-x": ({"md.uuid": "aaaa"}, {}),
}


def array(host: Played) -> Played:
    host.outputs["--detail"] = "MD_LEVEL=raid1 MD_DEVICES=2"
    host.takes["/dev/md127"] = ("--detail",)
    host.takes["/dev/md/s-x"] = ("--detail",)
    return host


async def test_an_array_is_stopped_and_its_members_are_cleared(
    tmp_path: Path, asked: list[str]
) -> None:
    (step,) = steps(tmp_path, MD)
    host = array(Played(dict(ARRAY)))
    stop, clear = await undone(host, recorded(step, ARRAY))
    assert stop.endswith("/dev/md/s-x")
    assert clear.endswith("/dev/d1 /dev/d2")
    assert asked == ["/dev/md/s-x", "/dev/d1", "/dev/d2"], "in this order: held members are refused"


async def test_an_array_that_has_another_name_is_followed(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    devices = dict(ARRAY)
    devices["/dev/md127"] = devices.pop("/dev/md/s-x")
    devices["/dev/d3"] = devices.pop("/dev/d2")
    stop, clear = await undone(array(Played(devices)), recorded(step, ARRAY))
    assert stop.endswith("/dev/md127")
    assert clear.endswith("/dev/d1 /dev/d3")


async def test_an_array_of_the_same_name_is_not_stopped(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {**ARRAY, "/dev/md/s-x": ({"md.uuid": "ffff"}, {})}
    said = await refusal(array(Played(devices)), recorded(step, ARRAY))
    assert "ffff" in said
    assert "aaaa" in said


async def test_members_of_another_array_are_not_cleared(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {**ARRAY, "/dev/d2": disk("two", MEMBER, "ffff")}
    assert "ffff" in await refusal(array(Played(devices)), recorded(step, ARRAY))


async def test_an_array_whose_member_is_lost_is_taken_away(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {name: pair for name, pair in ARRAY.items() if name != "/dev/d2"}
    assert len(await undone(array(Played(devices)), recorded(step, ARRAY))) == 2


async def test_members_that_are_left_of_an_array_are_cleared(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {name: pair for name, pair in ARRAY.items() if "md" not in name}
    assert (await undone(Played(devices), recorded(step, ARRAY)))[-1].endswith("/dev/d1 /dev/d2")


@pytest.mark.parametrize("uuid", ["1111", "2222"])
async def test_what_others_put_on_an_array_is_not_lost_with_it(tmp_path: Path, uuid: str) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {**ARRAY, "/dev/md/s-x": ({"md.uuid": "aaaa"}, {"type": "ext4", "uuid": uuid})}
    host = array(Played(devices))
    if uuid == "1111":  # the stack's own
        assert len(await undone(host, recorded(step, ARRAY))) == 2
    else:
        assert "carries ext4 2222" in await refusal(host, recorded(step, ARRAY))


GROUP = {
    "/dev/d1": disk("one", "LVM2_member", "p1"),
    "/dev/d2": disk("two", "LVM2_member", "p2"),
    "s-x": ({"output": "vg-uuid"}, {}),
}


@pytest.mark.parametrize("uuid", ["vg-uuid", "other"])
async def test_a_volume_group_of_the_same_name_is_not_removed(tmp_path: Path, uuid: str) -> None:
    step = steps(tmp_path, LVM)[0]
    host = Played(dict(GROUP), outputs={"vgs": uuid}, takes={"vgremove": ("vgs",)})
    if uuid == "other":
        assert "other" in await refusal(host, recorded(step, GROUP))
    else:
        removed, physical = await undone(host, recorded(step, GROUP))
        assert removed == "vgremove s-x --devices /dev/d1,/dev/d2"
        assert physical == "pvremove /dev/d1 /dev/d2 --devices /dev/d1,/dev/d2"


async def test_lvm_sees_its_disks_under_their_new_names(tmp_path: Path) -> None:
    step = steps(tmp_path, LVM)[0]
    devices = {"/dev/d2": GROUP["/dev/d1"], "/dev/d1": GROUP["/dev/d2"]}
    host = Played(devices, outputs={"vgs": "vg-uuid"}, takes={"vgremove": ("vgs",)})
    removed, _ = await undone(host, recorded(step, GROUP))
    assert removed == "vgremove s-x --devices /dev/d2,/dev/d1"


@pytest.mark.parametrize("uuid", ["vg-uuid lv-uuid", "vg-uuid other"])
async def test_a_volume_of_the_same_name_is_not_removed(tmp_path: Path, uuid: str) -> None:
    step = steps(tmp_path, LVM)[1]
    after = {**GROUP, "s-x/x": ({"output": "vg-uuid lv-uuid"}, {})}
    host = Played(dict(GROUP), outputs={"lvs": uuid}, takes={"lvremove": ("lvs",)})
    if "other" in uuid:
        assert "other" in await refusal(host, recorded(step, after))
    else:
        assert len(await undone(host, recorded(step, after))) == 1


@pytest.mark.parametrize("uuid", ["device-id", "other"])
async def test_drbd_metadata_that_others_made_is_not_wiped(tmp_path: Path, uuid: str) -> None:
    step = next(action for action in steps(tmp_path, DRBD) if "metadata on /dev/d1" in action.does)
    after = {"/dev/d1": disk("one", "drbd", "device-id")}
    host = Played({"/dev/d1": disk("one", "drbd", uuid)}, {"get-gi": "x"}, takes={
        "wipefs": ("get-gi",)})  # fmt: skip
    if uuid == "other":
        assert "other" in await refusal(host, recorded(step, after))
    else:
        assert (await undone(host, recorded(step, after)))[-1].startswith("wipefs")


async def test_a_disk_that_replaced_drbds_is_not_wiped(tmp_path: Path) -> None:
    step = next(action for action in steps(tmp_path, DRBD) if "metadata on /dev/d1" in action.does)
    after = {"/dev/d1": disk("one", "drbd", "device-id")}
    host = Played({"/dev/d1": disk("new", "drbd", "device-id")}, {"get-gi": "x"})
    assert "serial new" in await refusal(host, recorded(step, after))


@pytest.mark.parametrize("uuid", ["ours", "theirs"])
async def test_a_partition_table_of_others_is_not_wiped(tmp_path: Path, uuid: str) -> None:
    table = steps(tmp_path, PARTITION)[0]
    after: dict[str, OldAndNew] = {
        "/dev/d1": ({"serial": "one"}, {"pttype": "gpt", "ptuuid": "ours"})
    }
    now: dict[str, OldAndNew] = {"/dev/d1": ({"serial": "one"}, {"pttype": "gpt", "ptuuid": uuid})}
    host = Played(now, {"--dump": "label-id: X"}, takes={"wipefs": ("--dump",)})
    if uuid == "theirs":
        assert "theirs" in await refusal(host, recorded(table, after))
    else:
        assert (await undone(host, recorded(table, after)))[-1].endswith("/dev/d1")


NAMELESS: dict[str, OldAndNew] = {"/dev/d1": ({"diskseq": "4"}, {"type": "ext4", "uuid": "1111"})}


async def wiped(
    tmp_path: Path, now: OldAndNew, boot: str = "boot 1", *, half: bool = False
) -> bool:
    """Whether a file system is wiped from a disk that has no number of its own."""
    step = steps(tmp_path, EXT4)[0]
    host = Played({"/dev/d1": now}, {"TYPE": "ext4"}, takes={"wipefs": ("TYPE",)})
    made = recorded(step, NAMELESS, boot)
    if half:
        made = replace(made, after={}, before={"/dev/d1": Facts("/dev/d1", boot, {"diskseq": "4"})})
    try:
        return bool(await undone(host, made, half=half))
    except Refused:
        assert host.ran == []
        return False


async def test_a_disk_without_a_number_of_its_own(tmp_path: Path) -> None:
    ours, other = {"type": "ext4", "uuid": "1111"}, {"type": "ext4", "uuid": "2222"}
    assert await wiped(tmp_path, ({"diskseq": "4"}, ours), "boot 2"), "of the same boot"
    assert not await wiped(tmp_path, ({"diskseq": "5"}, ours), "boot 2"), "attached anew"
    assert await wiped(tmp_path, ({"diskseq": "9"}, ours)), "by its content after a restart"
    assert not await wiped(tmp_path, ({"diskseq": "4"}, other)), "another's content"
    assert not await wiped(tmp_path, ({"diskseq": "4"}, other), "boot 2")


async def test_a_step_that_a_crash_cut_short(tmp_path: Path) -> None:
    ours = {"type": "ext4", "uuid": "1111"}
    assert await wiped(tmp_path, ({"diskseq": "4"}, ours), "boot 2", half=True)
    assert not await wiped(tmp_path, ({"diskseq": "5"}, ours), "boot 2", half=True)
    assert not await wiped(tmp_path, ({"diskseq": "4"}, ours), half=True), "only its name is left"


async def test_a_disk_that_is_swapped_after_it_was_looked_at_is_not_wiped(tmp_path: Path) -> None:
    step = steps(tmp_path, EXT4)[0]
    after = {"/dev/d1": disk("one", "ext4", "1111")}
    host = Played(dict(after), {"TYPE": "ext4"}, swaps={"/dev/d1": disk("other", "ext4", "1111")})
    assert "is another now" in await refusal(host, recorded(step, after))


async def test_what_is_in_use_is_not_wiped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(*_: object, **__: object) -> None:
        raise Refused("in use: mounted at /home", where="/dev/d1", evidence="/proc/1/mountinfo")

    monkeypatch.setattr(module, "check_target", check)
    step = steps(tmp_path, EXT4)[0]
    after = {"/dev/d1": disk("one", "ext4", "1111")}
    host = Played(dict(after), {"TYPE": "ext4"})
    assert "mounted at /home" in await refusal(host, recorded(step, after))


async def test_what_cannot_be_read_is_not_asked_for(tmp_path: Path, asked: list[str]) -> None:
    (step,) = steps(tmp_path, MD)
    devices = {**ARRAY, "/dev/d2": ({"serial": "two"}, {"type": "unreadable"})}
    assert len(await undone(array(Played(devices)), recorded(step, ARRAY))) == 2
    assert "/dev/d2" not in asked


async def test_it_must_be_gone_in_the_end(tmp_path: Path) -> None:
    step = steps(tmp_path, EXT4)[0]
    after = {"/dev/d1": disk("one", "ext4", "1111")}
    with pytest.raises(HostFailed, match="still there"):
        await undone(Played(dict(after), {"TYPE": "ext4"}), recorded(step, after))


async def test_up_takes_nothing_for_its_own_by_the_name(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, MD)
    host = cast("Host", Played({**ARRAY, "/dev/md/s-x": ({"md.uuid": "ffff"}, {})}))
    with pytest.raises(IosondeError, match="ffff"):
        await recognise(host, recorded(step, ARRAY), Journal(host, "s"))


async def test_up_goes_on_where_a_disk_of_an_array_was_replaced_and_down_leaves_that(
    tmp_path: Path,
) -> None:
    (step,) = steps(tmp_path, MD)
    host = array(Played({**ARRAY, "/dev/d2": disk("new", MEMBER, "aaaa")}))
    await recognise(cast("Host", host), recorded(step, ARRAY), Journal(cast("Host", host), "s"))
    assert "serial new" in await refusal(host, recorded(step, ARRAY))


@pytest.mark.parametrize(
    ("recorded_its", "now_its", "expected"),
    [
        ({"wwid": "1", "diskseq": "4"}, {"wwid": "1", "diskseq": "9"}, Likeness.SAME),
        ({"wwid": "1", "diskseq": "4"}, {"wwid": "2", "diskseq": "4"}, Likeness.OTHER),
        ({"loop.inode": "7", "loop.born": "1.5"}, {"loop.inode": "7", "loop.born": "1.5"},
         Likeness.SAME),
        ({"loop.inode": "7", "loop.born": "1.5"}, {"loop.inode": "7", "loop.born": "2.5"},
         Likeness.OTHER),
        ({"loop.inode": "7", "loop.offset": "0"}, {"loop.inode": "7", "loop.offset": "512"},
         Likeness.OTHER),
        ({"loop.inode": "7"}, {"loop.inode": "7"}, Likeness.ONLY_ITS_NAME),
        ({"partition": "1", "disk.serial": "a", "size": "8"},
         {"partition": "1", "disk.serial": "a", "size": "8"}, Likeness.SAME),
        ({"partition": "1", "disk.serial": "a", "size": "8"},
         {"partition": "1", "disk.serial": "a", "size": "9"}, Likeness.OTHER),
        ({"serial": "a", "size": "8"}, {"serial": "a", "size": "9"}, Likeness.SAME),
        ({"diskseq": "4"}, {"diskseq": "4"}, Likeness.ONLY_ITS_NAME),
    ],
)  # fmt: skip
def test_what_outlives_a_restart_tells(
    recorded_its: dict[str, str], now_its: dict[str, str], expected: Likeness
) -> None:
    then, now = Facts("/dev/a", "boot 1", recorded_its), Facts("/dev/a", "boot 2", now_its)
    assert likeness(then, now) is expected
