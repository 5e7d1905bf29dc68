"""Names that cut lines or move fields where text of the kernel and of tools is read."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.change.node import look, look_at
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from iosonde.kerneltext import decoded, encoded, fields, lines, unescape
from iosonde.layers.nfs.settings_exports import edited as edited_exports
from iosonde.records.load import Load, Target, TargetKind
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.settings.remount import edited as edited_fstab
from iosonde.settings.remount import mounted_options
from iosonde.stack.scene import parse_mountinfo, parse_swaps
from iosonde.store import open_store, owner
from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND
from tests.loop.devices import tool
from tests.sample import sample_run

HOST = LocalHost()

NASTY = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\r", "\x1c", "\x1d", "\x1e", "\u2003",
         "\xa0", "\u3000", "\x1f", "\n", "\t", " - ", "\\040", "#"]  # fmt: skip
"""What str.splitlines or str.split takes for a separator, and what the kernel escapes."""


@contextmanager
def tmpfs(place: Path, source: str | bytes) -> Iterator[None]:
    """A mount whose source and place have any name; taken away by its place."""
    place.mkdir()
    tool("mount", "-t", "tmpfs", os.fsdecode(source), place)
    try:
        yield
    finally:
        subprocess.run(["umount", "--no-canonicalize", place], check=True)


def test_only_a_newline_ends_a_line_and_only_blanks_part_fields() -> None:
    odd = "".join(sign for sign in NASTY if sign not in {"\n", "\t", " - "})
    assert lines(f"a{odd}b\nc\n") == [f"a{odd}b", "c"]
    assert lines("a\n\nb") == ["a", "", "b"]
    assert (lines(""), lines("\n"), lines(b"a\rb\n")) == ([], [""], [b"a\rb"])
    assert fields(f"a{odd} b\t\tc ") == [f"a{odd}", "b", "c"]
    assert fields(b" a\x0bb \t c") == [b"a\x0bb", b"c"]


def test_every_byte_comes_back() -> None:
    every = bytes(range(256)) + "näme 雪 👩‍👩‍👧".encode()
    assert encoded(decoded(every)) == every
    assert unescape(r"caf\351\040x") == "caf\udce9 x"
    assert unescape(r"\303\244\134") == "ä\\"


@pytest.mark.parametrize("sign", NASTY)
async def test_stat_is_read_whatever_the_name(tmp_path: Path, sign: str) -> None:
    name, other = str(tmp_path / f"a{sign}b|c"), str(tmp_path / "plain")
    Path(name).mkdir()
    Path(other).write_bytes(b"12345")
    nodes = await look_at(HOST, [name, other, str(tmp_path / "none")])
    assert {path: node.kind for path, node in nodes.items()} == {name: "directory", other: "file"}
    assert nodes[other].size == 5


async def test_stat_is_read_where_a_name_is_no_utf8(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(raw)  # noqa: PTH102 - bytes
    node = await look(HOST, os.fsdecode(raw))
    assert node is not None
    assert node.kind == "directory"


@pytest.mark.root
@pytest.mark.parametrize("sign", [*NASTY, b"caf\xe9"])
async def test_no_name_of_a_mount_stops_a_writing_run(
    tmp_path: Path, device: str, sign: str | bytes
) -> None:
    name = os.fsdecode(sign)
    if name != "\n":  # mount(8) takes no newline in a place
        with tmpfs(tmp_path / f"x{name}y", f"s{name}t"):
            target = await _allowed(device)
    else:
        with tmpfs(tmp_path / "x", "s"):
            target = await _allowed(device)
    assert target == Target("local", device, TargetKind.DEVICE)


@pytest.mark.root
@pytest.mark.parametrize("sign", ["\u2028", "\u2003", "\r", " ", "\xe4"])
async def test_a_mount_of_the_device_is_seen_under_such_names(
    tmp_path: Path, device: str, sign: str
) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    place = tmp_path / f"x{sign}8:0 y"
    place.mkdir()
    tool("mount", device, place)
    try:
        with pytest.raises(Refused) as caught:
            await check_target(
                HOST, device, writes=True, permissions=parse_destroy([f"{device}=ext4"])
            )
    finally:
        tool("umount", place)
    assert caught.value.message == f"in use: mounted at {place}"


@pytest.mark.root
async def test_a_backing_file_with_blanks_at_its_end_is_followed(
    tmp_path: Path, device: str
) -> None:
    """Its name in sysfs ends at the newline: `strip` would lead to another file."""
    link = tmp_path / "image\u2003"
    link.write_bytes(b"")
    os.truncate(link, 2**20)
    loop = tool("losetup", "--find", "--show", link)
    try:
        shown = Path(f"/sys/block/{loop.removeprefix('/dev/')}/loop/backing_file").read_bytes()
        assert shown.decode().removesuffix("\n") == str(link)
        assert (await _allowed(device)).path == device
    finally:
        tool("losetup", "--detach", loop)


@pytest.mark.root
@pytest.mark.parametrize("label", ["x\u2028TYPE=swap", "TYPE=swap", "caf\udce9"])
@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="needs e2fsprogs")
async def test_a_label_is_no_signature(device: str, label: str) -> None:
    tool("mkfs.ext4", "-q", "-F", "-L", label, device)
    target = await check_target(
        HOST, device, writes=True, permissions=parse_destroy([f"{device}=ext4"])
    )
    assert target.path == device


async def _allowed(device: str) -> Target:
    return await check_target(HOST, device, writes=True, permissions=parse_destroy([device]))


# ── other readers of the same texts ───────────────────────────────────────────────────────────

RAW = [sign for sign in NASTY if sign not in {"\n", "\t", " - ", "\\040", "#"}]
"""What the kernel writes as it is."""


@pytest.mark.parametrize("sign", RAW)
def test_mounts_and_swaps_are_read_whatever_their_names(sign: str) -> None:
    line = f"36 28 8:17 / /srv/a{sign}b rw,noatime shared:1 - xfs /dev/s{sign}d rw,attr2"
    after = "37 28 8:18 / /mnt rw - ext4 /dev/sdc1 rw"
    mounts = parse_mountinfo(f"{line}\n{after}\n")
    assert [(mount.mount_point, mount.source) for mount in mounts] == [
        (f"/srv/a{sign}b", f"/dev/s{sign}d"), ("/mnt", "/dev/sdc1"),
    ]  # fmt: skip
    assert set(mounted_options(f"{line}\n{after}\n")) == {f"/srv/a{sign}b", "/mnt"}
    swaps = f"Filename Type Size Used Priority\n/sw{sign}ap    file\t\t1\t0\t-2\n"
    assert parse_swaps(swaps) == (f"/sw{sign}ap",)


@pytest.mark.parametrize("sign", RAW)
def test_only_the_line_that_is_meant_is_edited(sign: str) -> None:
    """A line of another mount must not look like one of `/data`."""
    other = f"/dev/a{sign}/data x /else xfs defaults 0 0"
    fstab = f"{other}\n/dev/sdb /data xfs defaults 0 0\n"
    changed = edited_fstab(fstab, "/data", "atime", "noatime").split("\n")
    assert changed[0] == other
    assert changed[2].startswith("/dev/sdb /data xfs ")
    exports = f"/srv{sign}/x *(ro)\n/srv *(rw,sync)\n"
    assert f"/srv{sign}/x *(ro)" in edited_exports(exports, "sync", "/srv", "async").split("\n")


def test_a_mount_without_a_source_has_all_its_fields() -> None:
    """The kernel prints nothing between two blanks for it."""
    (mount,) = parse_mountinfo("36 28 0:17 / /mnt rw - tmpfs  rw,size=4k\n")
    assert (mount.source, mount.super_options) == ("", ("rw", "size=4k"))


def test_a_process_of_any_name_may_have_an_owners_number(tmp_path: Path) -> None:
    """Field 2 of /proc/PID/stat is of whoever named the process, in any bytes."""
    program = tmp_path / "sleep"
    shutil.copy(shutil.which("sleep") or "", program)
    odd = os.fsencode(tmp_path) + b"/) R\xe9\n"
    os.rename(program, odd)  # noqa: PTH104 - bytes
    with subprocess.Popen([odd, "20"]) as process:
        try:
            here = owner.this_process().rsplit(":", 2)[0]
            assert owner.is_gone(f"{here}:{process.pid}:1")
            mine = owner._start_ticks(process.pid)
            assert not owner.is_gone(f"{here}:{process.pid}:{mine}")
        finally:
            process.kill()


# ── no source cuts text otherwise ─────────────────────────────────────────────────────────────

SOURCES = Path(owner.__file__).parents[1]
ROOMS = ("change", "hosts", "layers", "measure", "monitors", "settings", "stack", "trace")
"""They read text of the kernel and of tools, in which names stand."""
PASTED = re.compile(r"(printed|findings)(_\w+)?\.py")
"""What reads pasted texts, whose blanks and lines may be anything, and judges what was read."""
BARE_SPLIT = {
    "change/keeper/on_host.py": "figures behind the name in /proc/PID/stat",
    "change/settings_journal.py": "a value",
    "change/keep.py": "a value of a setting, compared with its blanks as one",
    "change/scan_host.py": "figures before the name in /proc/PID/maps, which stays whole",
    "change/scratch.py": "df",
    "change/tentative.py": "the same",
    "hosts/local.py": "the figure of a umask",
    "hosts/kin.py": "figures behind the name in /proc/PID/stat",
    "layers/_mapper/facts.py": "dmsetup table: devices by number; a command of dmsetup",
    "layers/_mapper/listing.py": "lines of dmsetup in a pasted text",
    "layers/btrfs/kind.py": "figures of error_stats",
    "layers/disk/facts.py": "lines of lsblk in a pasted text",
    "layers/flashcache/facts.py": "figures; its table: the kernel prints devices without blanks",
    "layers/guest/discovery.py": "process numbers",
    "layers/hwraid/facts_megacli.py": "blanks of a pasted text are taken out; nothing is cut there",
    "layers/hwraid/facts_ssacli.py": "the same",
    "layers/hwraid/facts_storcli.py": "the same",
    "layers/hwraid/discovery.py": "numbers of controllers",
    "layers/md/facts.py": "blanks of a pasted text are taken out; nothing is cut there",
    "layers/md/ledger.py": "numbers of lost members, as the user names them",
    "layers/nfs/facts.py": "names of operations, ours",
    "layers/xfs/facts.py": "the place of a log: internal, external or a device of one word",
    "layers/zram.py": "figures",
    "measure/counting.py": "commands of ours",
    "layers/link/sampled.py": "figures behind an interface's name, which has no blanks",
    "change/applier.py": "what a command printed, in a sentence",
    "settings/cpufreq.py": "names of governors",
    "layers/drbd/facts.py": "/proc/drbd, whose blanks do not matter",
    "layers/drbd/settings.py": "words of a configuration that iosonde edits by option",
    "settings/mechanism.py": "a value",
    "settings/modparam.py": "parameters of modules",
    "settings/sysctl.py": "values and figures",
    "settings/sysfs.py": "words that an attribute offers",
    "stack/discover.py": "figures; `ip -o address`",
    "stack/settable.py": "a value",
    "trace/record.py": "figures of du",
}


def _at_blanks(keywords: list[ast.keyword]) -> bool:
    """Whether no keyword of `split` names what it splits at."""
    named = [keyword.value for keyword in keywords if keyword.arg == "sep"]
    return all(isinstance(value, ast.Constant) and value.value is None for value in named)


def _cuts(source: str, name: str) -> set[str]:
    """Calls that cut lines or fields at more than the kernel means."""
    folders = name.split("/")
    pasted = PASTED.fullmatch(folders[-1]) or {"_rules", "_commands"} & set(folders)
    in_room = folders[0] in ROOMS and not pasted
    names = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr="splitlines"):  # called, or handed over to be called
                names.add("splitlines")
            case ast.Attribute(value=ast.Name(id="str"), attr="split" | "rsplit") if in_room:
                names.add("split at every blank of Unicode")
            case ast.Call(
                func=ast.Attribute(attr="split" | "rsplit"),
                args=[] | [ast.Constant(value=None), *_],
                keywords=keywords,
            ) if _at_blanks(keywords) and in_room and name not in BARE_SPLIT:
                names.add("split at every blank of Unicode")
    return names


def test_lines_and_fields_are_cut_in_one_place() -> None:
    wrong = {}
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        if names := _cuts(path.read_text(encoding="utf-8"), name):
            wrong[name] = sorted(names)
    assert wrong == {}, "cut by iosonde.kerneltext"


def test_every_exception_still_exists() -> None:
    assert [name for name in BARE_SPLIT if ".split(" not in (SOURCES / name).read_text()] == []


@pytest.mark.parametrize(
    ("planted", "name"),
    [("for line in text.splitlines(): pass", "stack/new.py"),
     ("text.splitlines(keepends=True)", "report/new.py"),
     ("words = line.split()", "change/new.py"), ("line.split(None, 1)", "settings/new.py"),
     ("line.rsplit()", "layers/new/discover.py"), ("map(str.splitlines, texts)", "report/new.py"),
     ("map(str.split, lines)", "stack/new.py"), ("line.split(sep=None)", "hosts/new.py"),
     ("line.split(maxsplit=1)", "hosts/new.py")],
)  # fmt: skip
def test_another_cut_would_be_seen(planted: str, name: str) -> None:
    assert _cuts(planted, name)
    assert not _cuts("line.split(' ')", name)
    assert not _cuts("line.split(sep=':')", name)


# ── bytes that are no UTF-8 ───────────────────────────────────────────────────────────────────

ODD = "caf\udce9"  # b"caf\xe9", as Python has it


@pytest.mark.parametrize("odd", [ODD, "a\0b", "\ufdd0dce9", "日本", "\ud800"])
def test_the_store_keeps_every_name(tmp_path: Path, odd: str) -> None:
    first = sample_run().run.trials[0]
    assert first.capture is not None
    layers = tuple(
        type(layer)(odd, layer.kind, odd, odd, layer.size, facts={odd: odd}) for layer in
        first.capture.layers
    )  # fmt: skip
    capture = replace(first.capture, layers=layers, host_wide={})
    trial = Trial(
        id=f"t@{odd}", host=odd, probe=odd, target=Target(odd, f"/x/{odd}", TargetKind.FILE),
        load=Load("fio", odd, {"line": odd}), command=odd, capture=capture, flags=(odd,),
        faults=(odd,),
    )  # fmt: skip
    loop: Loop = first.loops[0]
    store = open_store(str(tmp_path / "store.sqlite"))
    try:
        run = store.begin(odd, {"target": odd}, created=1.0, owner="")
        store.add_trial(run.id, trial)
        store.add_loop(run.id, trial.id, loop)
        store.finish(run.id, RunState.FINISHED)
        kept: Run = store.load(run.id)
        (line,) = store.runs()
    finally:
        store.close()
    assert (kept.study, kept.plan, line.study, line.hosts) == (odd, {"target": odd}, odd, (odd,))
    (sample,) = kept.trials
    assert sample.target == trial.target
    assert sample.capture == capture
    assert (sample.id, sample.host, sample.probe, sample.command) == (trial.id, odd, odd, odd)
    assert (sample.flags, sample.faults, sample.load.name) == ((odd,), (odd,), odd)
    assert sample.loops[0].result == loop.result


def test_a_directory_that_is_no_utf8_is_measured_kept_shown_and_resumed(
    iosonde: Callable[..., Ended], tmp_path: Path
) -> None:
    place = tmp_path / ODD
    place.mkdir()
    ran = iosonde("run", "--fio", "fio --name w --rw write --bs 64k --size 1m", "--target",
                  str(place), "--loops", "1", "--json")  # fmt: skip
    assert ran.status == 0, ran.stderr
    (trial,) = ran.json["trials"]
    assert trial["target"].startswith(f"{place}/")
    assert list(place.iterdir()) == []
    run = ran.json["id"]
    for arguments in (("list",), ("report", run, "-o", "page.html"), ("explain", run),
                      *(("export", "-f", name, run, "-o", f"out.{name}")
                        for name in ("csv", "json", "markdown", "parquet"))):  # fmt: skip
        ended = iosonde(*arguments)
        assert ended.status in {0, 1}, ended.stderr
        assert "Traceback" not in ended.stderr
    exported = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert exported["trials"][0]["target"] == trial["target"]
    assert "caf\\xe9" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    again = iosonde("run", "--resume", run)
    assert again.status == 2, again.stderr  # finished: but its plan was read


# ── odd circumstances ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "study",
    ['loads: [{fio: "fio --name a --rw read"}]\ntargets: ["/tmp/a\\0b"]\nloops: 1\n',
     'loads: [{fio: "fio --name a\\0b --rw read"}]\ntargets: [/tmp]\nloops: 1\n',
     'targets: ["local:/a\\0b"]\nloads: [{"f\\0io": "fio --name a --rw read"}]\n'],
    ids=["target", "load", "key"],
)  # fmt: skip
def test_nul_in_a_study_is_one_sentence(
    iosonde: Callable[..., Ended], tmp_path: Path, study: str
) -> None:
    (tmp_path / "study.yaml").write_text(study)
    ended = iosonde("run", "study.yaml")
    assert ended.status == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "NUL" in ended.stderr or "\\x00" in ended.stderr


def _in_a_deleted_directory(
    environment: Mapping[str, str], tmp_path: Path, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    return subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *COMMAND, *arguments], env=dict(environment),
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("loads",), ("--version",), ("show", "--json"), ("report", "last"),
     ("import", "none.txt"), ("run", "--load", "latency", "--target", "."),
     ("run", "--load", "latency", "--target", "/none/none"), ("run", "study.yaml")],
    ids=lambda record: record[0],
)  # fmt: skip
def test_a_deleted_working_directory_is_no_traceback(
    environment: Mapping[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = _in_a_deleted_directory(environment, tmp_path, *arguments)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode in {0, 2, 3, 4}
    assert done.returncode == 0 or done.stderr.count(b"iosonde: ") == 1
