"""Every reader that meets a stranger's bytes, with samples of what it reads.

A reader takes bytes and returns nothing. What it may raise is an IosondeError, and a ValueError
where its own documentation says so; anything else is a finding.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, overload
from unittest.mock import patch

from typing_extensions import override

from iosonde.cli.imported import json_texts
from iosonde.records.load import RawOutput
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find
from iosonde.text.search import outputs
from iosonde.verbs.import_ import output_of

_TESTS = Path(__file__).parents[1]
_EXAMPLES = _TESTS.parent / "examples"


@dataclass(frozen=True)
class Reader:
    """A reader.

    Args:
        name: for the command line and for reports.
        read: given an input.
        samples: inputs to damage.
        expected: what it may raise beside an IosondeError.
    """

    name: str
    read: Callable[[bytes], object]
    samples: Sequence[bytes]
    expected: tuple[type[Exception], ...] = ()


@cache
def _texts() -> tuple[bytes, ...]:
    """The real outputs of tools, each up to 60 KB."""
    paths = sorted((_TESTS / "outputs").glob("*/*"))
    contents = [
        path.read_bytes() for path in paths if path.suffix in {".txt", ".out", ".md", ".json"}
    ]
    return tuple(text for text in contents if len(text) < 60_000)


@cache
def _by_tool() -> Mapping[str, tuple[bytes, ...]]:
    """Texts by the class of output that is found in them."""
    classes = {output.tool: type(output).__name__ for output in outputs()}
    holding: dict[str, list[bytes]] = {type(output).__name__: [] for output in outputs()}
    for text in _texts():
        tools = {
            output.tool
            for output in find(of_bytes("sample", text))
            if isinstance(output, FoundOutput)
        }
        for tool in tools:
            if tool in classes:
                holding[classes[tool]].append(text)
    for output in outputs():
        if not holding[type(output).__name__]:
            holding[type(output).__name__] = [
                text
                for text in _texts()
                if any(anchor.encode() in text for anchor in output.anchors)
            ] or ["\n".join(output.anchors).encode()]
    return {name: tuple(texts) for name, texts in holding.items()}


class _OfTool(Sequence[bytes]):
    """Texts that a class of output is found in; they are looked for when one is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[bytes]: ...
    @override
    def __getitem__(self, at: int | slice) -> bytes | Sequence[bytes]:
        return _by_tool()[self._name][at]

    @override
    def __len__(self) -> int:
        return len(_by_tool()[self._name])


def _search(data: bytes) -> None:
    for output in find(of_bytes("input", data)):
        output_of(output, make=json_texts, keep=True)


def _yaml(read: Callable[[str], object], data: bytes) -> None:
    read(data.decode("utf-8", errors="surrogateescape"))


@contextmanager
def _file(name: str, data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


def _by_file(name: str, read: Callable[[Path], object], data: bytes) -> None:
    with _file(name, data) as path:
        read(path)


def _declarations() -> Iterator[Reader]:
    from iosonde.loads.named import declare_load, names, text_of
    from iosonde.measure.plan import make_plan
    from iosonde.measure.study import read_study
    from iosonde.stack.file import read_stack
    from iosonde.tune.campaign.declare import read_tune

    files = [path.read_bytes() for path in sorted(_EXAMPLES.rglob("*.yaml"))]
    kinds = {
        "stack": [text for text in files if b"layers:" in text],
        "tune": [text for text in files if b"vary:" in text],
        "study": [text for text in files if b"loads:" in text],
    }
    named = [text_of(name).encode() for name in names()]
    here = Path()

    def study(path: Path) -> None:
        make_plan(read_study(path), where=str(path))

    def load(path: Path) -> None:
        declare_load(str(path), where="x", directory=here)

    for name, samples, read in (
        ("stack file", kinds["stack"], read_stack), ("tune study", kinds["tune"], read_tune),
        ("study", kinds["study"], study), ("load file", named, load),
    ):  # fmt: skip
        yield Reader(name, partial(_by_file, "x.yaml", read), samples or named)


_FIO_JOBS = (
    b"[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=64m\n\n[a]\nrw=randread\niodepth=32\n"
    b"[b]\nstonewall\nrw=randrw\nrwmixread=70\nbssplit=4k/60:64k/40\nrate_iops=100,200\n",
    b"; comment\n[job]\nfilename=/dev/sdx\nrw=write\nbs=1M\nfsync=32\n"
    b"random_distribution=zipf:1.2\nruntime=30s\ntime_based\nnumjobs=4\ngroup_reporting\n",
)
_COMMANDS = (
    b"fio --name=a --rw=randread --bs=4k --iodepth=32 --ioengine=libaio --direct=1 --size=1g",
    b"fio --name=a --filename=/dev/sdx --rw=randrw --rwmixread=70 --bssplit=4k/60:64k/40,8k/100 "
    b"--runtime=30 --time_based --name=b --rw=write --bs=1M --fsync=1",
    b"iozone -a -s 1g -r 64k -i 0 -i 1 -f /tmp/x",
    b"hdparm -tT --direct /dev/sdx",
)


def _loads() -> Iterator[Reader]:
    from iosonde.loads import LOADS
    from iosonde.loads.fio.result import find_document, whole_document
    from iosonde.loads.load import result_of

    fio, iozone, hdparm = (LOADS.load(name)() for name in ("fio", "iozone", "hdparm"))

    def declare(engine: Any, data: bytes) -> None:
        load = engine.declare(data.decode(errors="surrogateescape"), name="x", where="x")
        engine.demand(load)

    def result(engine: Any, data: bytes) -> None:
        result_of(engine, RawOutput(0, data, b"", {}))

    def document(data: bytes) -> None:
        text = data.decode(errors="replace")
        find_document(text)
        whole_document(text)

    json_texts = [text for text in _texts() if b'"fio version"' in text or b'"jobs"' in text]
    made = [_fio_json()]
    yield Reader("fio job file", partial(declare, fio), _FIO_JOBS)
    yield Reader("fio command line", partial(declare, fio), _COMMANDS[:2])
    yield Reader("iozone command line", partial(declare, iozone), _COMMANDS[2:3])
    yield Reader("hdparm command line", partial(declare, hdparm), _COMMANDS[3:])
    yield Reader("fio result", partial(result, fio), made + json_texts)
    yield Reader("fio result in text", document, made + json_texts)
    iozone_texts = [text for text in _texts() if b"Iozone" in text or b"iozone" in text]
    yield Reader("iozone result", partial(result, iozone), iozone_texts)
    hdparm_texts = [text for text in _texts() if b"Timing" in text]
    yield Reader("hdparm result", partial(result, hdparm), hdparm_texts)


def _fio_json() -> bytes:
    side = {
        "io_bytes": 4096, "io_kbytes": 4, "bw_bytes": 4096, "bw": 4, "iops": 1.0, "runtime": 1000,
        "total_ios": 1, "short_ios": 0, "drop_ios": 0, "bw_min": 1, "bw_max": 2, "bw_mean": 1.5,
        "iops_mean": 1.0, "iops_stddev": 0.0, "bw_dev": 0.0, "bw_samples": 1,
        "clat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "N": 2,
                    "percentile": {"50.000000": 1, "99.000000": 2}, "bins": {"1000": 1, "2000": 1}},
        "slat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "N": 2},
        "lat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "N": 2},
    }  # fmt: skip
    job = {
        "jobname": "a", "groupid": 0, "error": 0, "eta": 0, "elapsed": 1,
        "job options": {"rw": "randread", "bs": "4k", "name": "a"}, "read": side, "write": side,
        "trim": side, "sync": {"total_ios": 0, "lat_ns": {"min": 0, "max": 0, "mean": 0, "N": 0}},
        "job_runtime": 1000, "usr_cpu": 1.0, "sys_cpu": 2.0, "ctx": 3, "majf": 0, "minf": 1,
        "iodepth_level": {"1": 100.0}, "latency_us": {"2": 1.0}, "latency_ms": {"2": 0.0},
    }  # fmt: skip
    document = {
        "fio version": "fio-3.33", "timestamp": 1, "timestamp_ms": 1000, "time": "x",
        "global options": {"ioengine": "libaio"}, "jobs": [job],
        "disk_util": [{"name": "sda", "read_ios": 1, "write_ios": 2, "read_ticks": 1, "util": 1.0}],
    }  # fmt: skip
    return json.dumps(document, indent=1).encode()


def _journals() -> Iterator[Reader]:
    from iosonde.change.journal import Journal
    from iosonde.change.settings_journal import parse_journal
    from iosonde.hosts.host import Completed

    class Kept:
        """A host whose every file holds the input."""

        name = "x"

        def __init__(self, data: bytes) -> None:
            self._data = data

        async def read(self, path: str) -> bytes:
            del path
            return self._data

        async def run(self, argv: Sequence[str], **_options: object) -> Completed:
            return Completed(tuple(argv), 0, b"", b"", 0.0)

    lines = [
        {"number": 1, "state": "begun", "layer": "a", "step": 0, "kind": "md", "undo": ["true"],
         "destroys": ["/dev/sdx"], "host": "x", "before": {}, "boot": "b"},
        {"number": 1, "state": "done", "after": {"/dev/sdx": {}}},
        {"number": 2, "state": "own", "contents": ["ext4 1"]}, {"number": 1, "state": "removed"},
    ]  # fmt: skip
    journal = "".join(json.dumps(line) + "\n" for line in lines).encode()

    def settings(data: bytes) -> None:
        parse_journal(data.decode(errors="surrogateescape"))

    def build(data: bytes) -> None:
        import iosonde.change.journal as module

        async def nothing(*_arguments: object, **_options: object) -> None:
            return None

        with (
            patch.multiple(module, require_private=nothing, finished=nothing),
            patch.object(Journal, "_write", nothing),
        ):
            asyncio.run(Journal.read(Kept(data), "x"))  # type: ignore[arg-type]

    rows = [
        "begin\t1\tb\t100\tme", "old\t1\t1\tvm.x\t=20\t=10\t=\t=", "look\t1\t1\t=cat\t=/x",
        "undo\t1\t1\t=sh\t=-c", "ready\t1\t101", "confirmed\t1\t102", "begin\t2\tb\t200\tme",
        "old\t2\t1\tsda.nr\t=1\t=2\t=/sys/x\t=8:0\t=lasts", "ready\t2\t201", "back\t2\t202",
    ]  # fmt: skip
    recorded = ["".join(f"{row}\n" for row in rows).encode()]
    yield Reader("settings journal", settings, recorded)
    yield Reader("build journal", build, [journal])


def _stored() -> Iterator[Reader]:
    from iosonde.hosts.recording import open_recording
    from iosonde.records.load import LoadResult
    from iosonde.records.run import Series
    from iosonde.records.stack import Capture
    from iosonde.store.rows import unpack
    from iosonde.tune.search.prior import read_prior

    kinds = (Capture, LoadResult, tuple[Series, ...])
    samples = [
        b'{"metrics":{"read.iops":1.0},"tool_version":"3.33","faults":[],"histograms":{}}',
        b'{"time":0.0,"hosts":[],"layers":[],"host_wide":{}}',
        b'[{"device":"sda","name":"util","times":[1.0],"values":[0.5]}]',
    ]

    def store(data: bytes) -> None:
        for kind in kinds:
            with suppress(ValueError):  # pydantic's ValidationError is one
                unpack(kind, data)

    def recording(path: Path) -> None:
        async def ask() -> None:
            host = await open_recording(str(path.parent))
            for question in (host.read("/proc/mounts"), host.run(["lsblk"]), host.glob("/sys/*")):
                with suppress(Exception):
                    await question

        asyncio.run(ask())

    indexes = [
        path.read_bytes()[:30_000] for path in sorted((_TESTS / "recordings").rglob("index.json"))
    ]
    prior = b'{"schema":"iosonde.prior/1","ranking":[{"settings":{"a.b":"1"}}]}'
    yield Reader("stored record", store, [*samples, *(zlib.compress(sample) for sample in samples)])
    yield Reader("recording", partial(_by_file, "index.json", recording), indexes)
    yield Reader("prior", partial(_by_file, "p.json", read_prior), [prior])


def _documents() -> Iterator[Reader]:
    from iosonde.text.clean import clean, from_quoted_printable, is_quoted_printable
    from iosonde.text.page import text_of_page
    from iosonde.text.pdf import text_of_pdf
    from tests.unit.text.test_find import PAIR, _pdf

    page = (
        f"<!DOCTYPE html>\n<html><body><h2>Local <b>disk</b></h2><p>x<table><tr><td>1<td>2</table>"
        f"<pre>{PAIR}</pre><script>a</script></html>"
    ).encode()
    mail = b"a=3D1=20\n> quoted =\nsoft\n" + PAIR.replace("=", "=3D").encode()

    def quoted(data: bytes) -> None:
        is_quoted_printable(data)
        from_quoted_printable(data)

    def unpack(data: bytes) -> None:
        of_bytes("x", b"\x1f\x8b" + data[2:])

    yield Reader("HTML page", text_of_page, [page])
    yield Reader("PDF", lambda data: text_of_pdf(data, "x"), [_pdf(PAIR.split("\n"))])
    yield Reader("mail", quoted, [mail])
    yield Reader("gzip", unpack, [gzip.compress(PAIR.encode())])
    yield Reader("line cleaner", lambda data: clean(data.decode(errors="replace")), _texts())
    yield Reader("any text", _search, _texts())


def _host_texts() -> Iterator[Reader]:
    """What tools and the kernel of a host under test print: names in it are others'."""
    from iosonde.layers import _lsblk, zram
    from iosonde.layers._mapper import facts as dm
    from iosonde.layers._routes import route_device
    from iosonde.layers.drbd.facts import parse_volumes
    from iosonde.layers.guest.command_line import options
    from iosonde.layers.lvm.facts import parse_report as rows
    from iosonde.layers.nfs import facts as nfs
    from iosonde.layers.xfs import facts as xfs
    from iosonde.settings import modparam, sysctl, sysfs
    from iosonde.settings.ethtool_printed import _json as ethtool
    from iosonde.stack import scene

    def parsers(*each: Callable[[str], object]) -> Callable[[bytes], None]:
        def read(data: bytes) -> None:
            text = data.decode(errors="surrogateescape")
            for parse in each:
                with suppress(ValueError):  # "it is not lsblk's JSON"
                    parse(text)

        return read

    lsblk = b'{"blockdevices":[{"name":"sda","kname":"sda","type":"disk","size":1,"children":' \
        b'[{"name":"sda1","kname":"sda1","pkname":"sda","type":"part","size":1}]}]}'  # fmt: skip
    mounts = b"22 28 0:20 / /proc rw,nosuid shared:5 - proc proc rw\n" \
        b"28 1 254:0 / /a\\040b rw - ext4 /dev/vda rw\n"  # fmt: skip
    yield Reader("lsblk", parsers(_lsblk.parse_lsblk_json, _lsblk.parse_lsblk_pairs),
                 [lsblk, b'NAME="sda" KNAME="sda" TYPE="disk" SIZE="1"\n'])  # fmt: skip
    yield Reader("mounts and swaps", parsers(scene.parse_mountinfo, scene.parse_swaps), [mounts])
    yield Reader("layers' tools", parsers(
        dm.parse_targets, nfs.parse_exports, xfs.parse_sections, zram.parse_mm_stat,
        lambda text: list(parse_volumes(text)),
    ), _texts())  # fmt: skip
    yield Reader("reports in JSON", parsers(
        lambda text: rows(text.encode(errors="replace"), "lv"),
        lambda text: ethtool(text.encode(errors="replace")),
        lambda text: route_device(text.encode(errors="replace")),
        options,
    ), [b'{"report":[{"lv":[{"lv_name":"a","lv_uuid":"b"}]}]}', b'[{"dev":"eth0"}]',
        b'{"driver":"virtio-blk-pci","a":{"b":[1,2]}}', b"driver=x,a=b,,c"])  # fmt: skip
    yield Reader("settings' files", parsers(
        sysctl.parse_configuration, nfs.parse_section, sysfs.parse_attribute, sysfs.parse_rules,
        modparam.parse_options,
    ), [b"vm.dirty_ratio = 20\n# x\n", b"[nfsd]\nthreads=8\n", b"none [mq-deadline] bfq\n",
        b'ACTION=="add", KERNEL=="sda", ATTR{queue/scheduler}="none"\n',
        b"options nfs max_session_slots=64\n"])  # fmt: skip


def _core() -> Iterator[Reader]:
    """The core's readers by Python's face; `fuzz/` has them with the compiler's own guidance."""
    from iosonde.loads.fio.logs import read_fio_log
    from iosonde.trace.describe import describe
    from iosonde.trace.read import sources

    logs = sorted((_TESTS / "outputs" / "fio-3.33-logs").iterdir())
    log_samples = [path.read_bytes()[:20_000] for path in logs if path.suffix == ".log"]

    def log(path: Path) -> None:
        read_fio_log(path, threads=1)

    def trace(path: Path) -> None:
        describe(sources([str(path)])[0])

    traces = [
        b"fio version 2 iolog\n/x add\n/x open\n/x read 0 4096\n/x write 4096 4096\n/x close\n",
        b"fio version 3 iolog\n1 /x add\n2 /x read 0 4096\n3 /x datasync 0 0\n",
        b"128166372003061629,hm,1,Write,2216448,4096,1123\n",
        b"0,W,126703644672,4096,1577808000000046\n",
        b"1538323200,12910952,128,0,1063\n",
        b"  8,0    3        1     0.000000000   697  Q  WS 223490 + 8 [kjournald]\n",
        b"1, 2000, 0, 4096, 0, 0\n2, 2000, 1, 4096, 8192, 0\n",
    ]
    yield Reader("fio log", partial(_by_file, "x_lat.log", log), log_samples or traces)
    yield Reader("block trace", partial(_by_file, "x", trace), traces)


@cache
def readers() -> Mapping[str, Reader]:
    """All of them, by name."""
    every: list[Reader] = []
    for part in (_documents, _declarations, _loads, _journals, _stored, _host_texts, _core):
        every += part()
    names = [type(output).__name__ for output in outputs()]
    every += [Reader(f"output {name}", _search, _OfTool(name)) for name in names]
    return {reader.name: reader for reader in every}
