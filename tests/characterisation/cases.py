"""The table of cases: what is asked, by name.

A case is one command or several, one a line, run one after the other in a folder of their own with
a copy of the same store. `{sample}` stands for the id of that run (`stored.py`). Two more kinds of
case are no commands: `plan FILE` shows every step of a stack with its scripts, and `rule NAME` what
a rule finds in the case that it has in tests/contract/rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from iosonde.cli import VERBS
from iosonde.report import FORMATS
from tests.characterisation.stored import ROOT
from tests.contract.rules import CASES as RULES

_STACKS = "examples/stacks"
_OWN = "inputs/stacks"
_WRITES = "'fio --name x --rw randwrite --bs 4k --direct 1 --size 64m --number_ios 1000'"
_READS = "'fio --name x --rw read --bs 64k --direct 1 --ioengine libaio --iodepth 8 --size 16m'"


def _stem(path: str) -> str:
    return Path(path).name.partition(".")[0]


def _stacks() -> list[str]:
    """Files that declare a stack: the examples, and those of the kinds that no example has."""
    files = sorted((ROOT / _STACKS).glob("*.yaml"))
    examples = [f"{_STACKS}/{file.name}" for file in files if "\nhosts:" in file.read_text()]
    own = sorted((ROOT / "tests/characterisation" / _OWN).glob("*.yaml"))
    return examples + [f"{_OWN}/{path.name}" for path in own]


def _help() -> dict[str, str]:
    return {
        "verbs": "--help", "no-verb": "", "version": "--version", "unknown-verb": "shwo",
        "unknown-option": "list --jsn", "missing-argument": "up",
        **{verb: f"{verb} --help" for verb in VERBS},
    }  # fmt: skip


def _up() -> dict[str, str]:
    cases = {_stem(file): f"up {file} --dry-run" for file in _stacks()}
    for name in ("aoe-san", "anvil", "nvme-fabric-iser"):
        cases[f"{name}-json"] = f"up {_STACKS}/{name}.yaml --dry-run --json"
    cases["rehearsed"] = f"up {_OWN}/caches.yaml --dry-run --rehearse"
    cases["set"] = (
        f"up {_STACKS}/aoe-san.yaml --dry-run --set r10.chunk_size=16k --set aoe.mtu=9000"
    )
    cases["set-unknown-key"] = f"up {_STACKS}/aoe-san.yaml --dry-run --set r10.chunksize=16k"
    cases["set-unknown-layer"] = f"up {_STACKS}/aoe-san.yaml --dry-run --set r11.level=5"
    cases["host-without-address"] = f"up {_STACKS}/loop.yaml --dry-run --host here"
    cases["unknown-host"] = f"up {_STACKS}/loop.yaml --host here=nowhere"
    cases["study-for-stack"] = f"up {_STACKS}/anvil-tune.yaml --dry-run"
    return cases


def _down() -> dict[str, str]:
    hosts = {
        "loop": ("here",), "hypervisor-raid5": ("hv",), "aoe-san": ("storage", "diskless"),
        "anvil": ("s1", "s2", "vm"),
    }  # fmt: skip
    cases = {}
    for name, names in hosts.items():
        at = " ".join(f"--host {host}={host}@built-{name}" for host in names)
        cases[name] = f"down {_STACKS}/{name}.yaml --dry-run {at}"
    cases["loop-json"] = f"{cases['loop']} --json"
    cases["nothing-built"] = f"down {_STACKS}/loop.yaml --dry-run --host here=filer"
    cases["unreachable"] = f"down {_STACKS}/loop.yaml --dry-run --host here=nowhere"
    return cases


def _predict() -> dict[str, str]:
    san, raid5 = f"--stack {_STACKS}/aoe-san.yaml", f"--stack {_STACKS}/hypervisor-raid5.yaml"
    cases = {
        f"ledger-{_stem(file)}": f"predict --stack {file} --load {_WRITES} --ledger"
        for file in _stacks()
        if _stem(file) != "guest"
    }
    for name in ("anvil", "aoe-san", "hypervisor-raid", "nfs-datastore", "nvme-fabric"):
        cases[f"json-{name}"] = (
            f"predict --stack {_STACKS}/{name}.yaml --load {_WRITES} --ledger --json"
        )
    for name in ("caches", "controllers"):
        cases[f"json-{name}"] = f"predict --stack {_OWN}/{name}.yaml --load {_READS} --at " + (
            "hot --json" if name == "caches" else "r6 --json"
        )
    disks = "--device disk=limits:iops=200"
    return cases | {
        "plain": f"predict {san} --load {_WRITES}",
        "reads": f"predict {san} --load {_READS} --ledger",
        "at": f"predict {san} --load {_WRITES} --at r10 --ledger",
        "what-if": f"predict {san} --load {_WRITES} --set aoe.mtu=1500,4200,9000",
        "what-if-json": f"predict {san} --load {_WRITES} --set aoe.mtu=1500,4200 --json",
        "two-settings": f"predict {raid5} --at r5 --load {_WRITES} --set r5.level=5,10 "
        "--set r5.chunk_size=16k,64k",
        "failed-member": f"predict {raid5} --at r5 --load {_READS} --set r5.failed=0 --ledger",
        "stripe-cache": f"predict {raid5} --at r5 --load {_WRITES} "
        "--set r5.stripe_cache_size=17,256",
        "bitmap": f"predict {raid5} --at r5 --load {_WRITES} --set r5.bitmap=internal --ledger",
        "split": f"predict {raid5} --at r5 --load {_READS} --set r5.max_sectors_kb=16 --ledger",
        "time": f"predict {raid5} --at r5 --load certification {disks}",
        "time-json": f"predict {raid5} --at r5 --load iops {disks} --json",
        "time-what-if": f"predict {raid5} --at r5 --load latency --device disk=7k2-sata "
        "--set r5.level=5,10",
        "no-time": f"predict {raid5} --at r5 --load {_WRITES} --json",
        "search": f"predict {raid5} --at r5 --load iops {disks} --set r5.level=0,5,10 --search",
        "search-json": f"predict {raid5} --at r5 --load iops {disks} --set r5.level=0,5,10 "
        "--search --json",
        "buffered": f"predict {raid5} --load 'fio --name x --rw write --bs 4k --size 1m' --ledger",
        "trace": f"predict {san} --load tests/outputs/fio-3.33-logs/mixed.iolog2 --at r10 --ledger",
        "named-load": f"predict {san} --load write-iops --requests 50",
        "unknown-load": f"predict {san} --load write-iopss",
        "unknown-layer": f"predict {san} --load write-iops --at r11",
        "unknown-key": f"predict {san} --load write-iops --set r10.chunksize=4k",
        "unknown-value": f"predict {san} --load write-iops --set r10.chunk_size=4parsec",
        "unknown-device": f"predict {raid5} --at r5 --load iops --device disk=tape",
        "unknown-device-json": f"predict {raid5} --at r5 --load iops --device disk=tape --json",
        "no-stack": f"predict --load {_WRITES}",
        "missing-stack": f"predict --stack gone.yaml --load {_WRITES}",
    }


_TEXTS = {
    **{name: f"tests/outputs/{name}/{file}" for name, file in {
        "bonnie-2.00": "table.txt", "dd-9.1": "three.txt", "ioping-1.3": "two.txt",
        "fio-2.1.3": "random-write.out", "fio-3.1": "jobs.out", "fio-3.33-terse": "version-3.out",
        "fio-3.19-page": "eight-results.txt", "fio-3.42": "three-jobs.out",
        "hap-fio-tester": "strip-sizes.txt", "iozone-3.489": "operations.txt",
        "bcache-6.1": "status.txt", "dmsetup-1.02.185": "status.txt",
        "drbd-8.4.11": "status-sync.txt", "drbd-composed": "status-9.txt",
        "ethtool-6.1": "features.txt", "flashcache-composed": "status-3.1.txt",
        "interrupts-composed": "shared.txt", "iotop-page": "totals.txt",
        "iproute2-6.1": "ip-s-link.txt", "linux-2.6.18-nfs": "commands.txt",
        "linux-6.1-nfs": "mountstats.txt", "lsblk-2.38": "lsblk-t.txt", "lvm-2.03.16": "lvs.txt",
        "md-6.1": "detail-md0.txt", "megacli-8": "ldinfo.txt", "net-tools-1.60": "ifconfig.txt",
        "nfs-utils-2.6.2": "nfsstat-m.txt", "nvme-cli": "list-2.x.txt",
        "pciutils-3.7": "nvme.txt", "ssacli-2": "config-detail.txt",
        "storcli-7": "vall-show-all.txt",
        "sysstat-12.6": "iostat-x.txt", "util-linux-2.38.1": "findmnt.txt",
        "vmstat-4.0.2": "vmstat.txt", "coreutils-9.1": "df-hT.txt",
    }.items()},
    "fio-text": "tests/outputs/fio-3.33-normal/mixed.out",
    "fio-group": "tests/outputs/fio-3.33-normal/groups.out",
    "examine": "tests/outputs/md-6.1/examine.txt",
    "mdstat": "tests/outputs/md-6.1/mdstat-busy.txt",
    "megacli-battery": "tests/outputs/megacli-8/nobbu.txt",
    "storcli-json": "tests/outputs/storcli-7/vall-show-all.json",
    "iozone-throughput": "tests/outputs/iozone-3.489/throughput.txt",
    "nfs-exports": "tests/outputs/linux-2.6.18-nfs/exports.txt",
    "nfs-sysctl": "tests/outputs/linux-2.6.18-nfs/sysclt.txt",
    "dm-cache": "tests/outputs/dmsetup-1.02.185/table.txt",
    "ticket": "inputs/texts/ticket.txt",
    "html": "inputs/texts/page.html",
}  # fmt: skip


def _import() -> dict[str, str]:
    cases = {name: f"import --dry-run --json {file}" for name, file in _TEXTS.items()}
    for name in ("fio-text", "ticket", "hap-fio-tester", "md-6.1"):
        cases[f"{name}-table"] = f"import --dry-run {_TEXTS[name]}"
    return cases | {
        "host-table": "import --dry-run tests/outputs/uml-md-lvm/all.txt",
        "nothing": "import inputs/texts/prose.txt",
        "nothing-json": "import inputs/texts/prose.txt --json",
        "missing": "import gone.txt",
        "one-of-two": "import inputs/texts/ticket.txt gone.txt",
        "one-of-two-json": "import --json inputs/texts/ticket.txt gone.txt",
        "strict": "import --dry-run --strict tests/outputs/fio-3.33-logs/plain_lat.1.log",
        "kept": "import inputs/texts/ticket.txt\nimport inputs/texts/ticket.txt\nlist",
        "directory": "import tests/outputs",
    }


def _explain() -> dict[str, str]:
    cases = {name: f"explain {file}" for name, file in _TEXTS.items()}
    for name in ("ticket", "hap-fio-tester", "fio-text", "megacli-battery", "linux-2.6.18-nfs"):
        cases[f"{name}-json"] = f"explain {_TEXTS[name]} --json"
    return cases | {
        "rules": "explain --rules",
        "host-text": "explain tests/outputs/uml-md-lvm/all.txt",
        "host-text-json": "explain tests/outputs/uml-md-lvm/all.txt --json",
        "nothing": "explain inputs/texts/prose.txt",
        "nothing-json": "explain inputs/texts/empty.txt --json",
        "unknown": "explain nothing-of-this-name",
        "run": "explain {strip-512}", "run-json": "explain {sample} --json",
        "imported": "explain {page}", "tester": "explain {tester}",
        "two": "explain {page} inputs/texts/ticket.txt",
        "waterfall": "explain {page} --waterfall",
        "waterfall-json": "explain {page} --waterfall --json",
        "order": "explain {page} --waterfall --order local --order network",
        **{f"host-{name}": f"explain ssh:{name}" for name in ("desk", "filer", "db1", "app1")},
        **{f"recorded-{name}": f"explain recording:tests/recordings/{name}"
           for name in ("uml-md-trouble", "uml-mapped", "vm_loops")},
    }  # fmt: skip


def _show() -> dict[str, str]:
    places = sorted((ROOT / "tests/recordings").glob("*/index.json"))
    recorded = {
        place.parent.name: f"recording:tests/recordings/{place.parent.name}" for place in places
    }
    hosts = {**recorded, **{name: name for name in ("desk", "filer", "db1", "app1")}}
    cases = {name: f"show {host}" for name, host in hosts.items()}
    for name in ("uml-mapped", "uml-md-trouble", "vm_loops", "filer", "app1"):
        cases[f"{name}-json"] = f"show {hosts[name]} --json"
    return cases | {
        "settings": f"show --settings {hosts['uml-md-lvm-xfs']}",
        "dot": f"show --dot {hosts['uml-mapped']}",
        "mermaid": f"show --mermaid {hosts['uml-md-lvm-xfs']}",
        "two": "show desk filer", "two-json": f"show app1 {hosts['uml-nfs']} --json",
        "both": "show desk --json --dot", "unknown": "show nowhere",
        "unknown-json": "show nowhere --json", "no-recording": "show recording:gone",
    }  # fmt: skip


def _settings() -> dict[str, str]:
    return {
        "desk": "settings ssh:desk", "filer": "settings ssh:filer --all", "db1": "settings ssh:db1",
        "desk-json": "settings ssh:desk --json", "app1-json": "settings ssh:app1 --json",
        "layer": "settings desk nvme0n1", "unknown-layer": "settings desk nvme9n9",
        "unknown-host": "settings ssh:nowhere", "three-words": "settings desk nvme0n1 more",
        "recording": "settings recording:tests/recordings/vm_loops",
        "set": "set --host desk nvme0n1.scheduler=mq-deadline vm.dirty_ratio=10 --dry-run",
        "set-json": "set --host desk nvme0n1.scheduler=mq-deadline --dry-run --json",
        "set-unknown-value": "set --host desk nvme0n1.scheduler=fast --dry-run",
        "set-unknown-name": "set --host desk nvme0n1.schedular=none --dry-run",
        "set-no-value": "set --host desk nvme0n1.scheduler --dry-run",
        "set-confirm": "set --host desk vm.dirty_ratio=10 --dry-run --confirm 1",
        "persist-diff": "persist desk --diff",
    }  # fmt: skip


def _tune() -> dict[str, str]:
    return {
        "loop": "tune examples/loop.yaml --dry-run",
        "loop-json": "tune examples/loop.yaml --dry-run --json",
        "anvil": f"tune {_STACKS}/anvil-tune.yaml --dry-run",
        "anvil-json": f"tune {_STACKS}/anvil-tune.yaml --dry-run --json",
        "aoe-mtu": f"tune {_STACKS}/aoe-san-mtu.yaml --dry-run",
        "budget": "tune examples/loop.yaml --dry-run --budget 30s --strategy sweep",
        "live": "tune inputs/studies/queue.yaml --dry-run",
        "live-json": "tune inputs/studies/queue.yaml --dry-run --json",
        "unknown-metric": "tune inputs/wrong/goal.yaml --dry-run",
        "unknown-metric-json": "tune inputs/wrong/goal.yaml --dry-run --json",
        "unknown-load": "tune inputs/wrong/load.yaml --dry-run",
        "unknown-key": "tune inputs/wrong/study-key.yaml --dry-run",
        "unknown-strategy": "tune examples/loop.yaml --dry-run --strategy luck",
        "stack-for-study": f"tune {_STACKS}/loop.yaml --dry-run",
        "no-study": "tune", "resume-plan": "tune --resume --dry-run",
        "confirm": "tune examples/loop.yaml --dry-run --confirm 1",
        "nothing-to-resume": "tune --resume {sample}",
    }  # fmt: skip


def _run() -> dict[str, str]:
    return {
        "two-targets": "run examples/two-targets.yaml --dry-run",
        "two-targets-json": "run examples/two-targets.yaml --dry-run --json",
        "demo": "demo --dry-run",
        "stages": f"run {_STACKS}/anvil-stages.yaml --dry-run",
        "mix": f"run {_STACKS}/nfs-datastore-mix.yaml --dry-run",
        "hdparm": f"run {_STACKS}/nvme-fabric-hdparm.yaml --dry-run",
        "iozone": f"run {_STACKS}/hypervisor-raid-iozone.yaml --dry-run",
        "matrix": "run inputs/studies/matrix.yaml --dry-run",
        "command": "run --fio 'fio --name a --rw randread --bs 4k --size 1g' --target desk:/srv "
        "--dry-run",
        "named": "run --load latency --target desk:/srv --seconds 10 --dry-run",
        "unknown-load": "run --load latenzy --target desk:/srv --dry-run",
        "unknown-option": "run --fio 'fio --name a --rww randread' --target desk:/srv --dry-run",
        "no-target": "run --load latency", "nothing": "run",
        "bad-size": "run --load latency --target desk:/srv --size huge --dry-run",
        "bad-until": "run --load latency --target desk:/srv --until soon --dry-run",
        "nothing-to-resume": "run --resume {sample}",
    }  # fmt: skip


def _stored() -> dict[str, str]:
    cases = {
        "list": "list",
        "list-json": "import inputs/texts/page.html --store s.sqlite\nlist --json --store s.sqlite",
        "list-missing-store": "list --store gone.sqlite",
        "delete": "list --delete {once}\nlist", "delete-unknown": "list --delete zzzzzzzz",
        "compare": "compare {strip-512} {strip-256}",
        "compare-three": "compare {strip-512} {strip-256} {strip-1024}",
        "compare-json": "compare {strip-512} {strip-256} {strip-1024} --json",
        "compare-undecided": "compare {repeat} {cached} --margin 1%",
        "compare-nodes": "compare {repeat}/node1 {repeat}/node2 --margin 5%",
        "compare-simultaneous": "compare {strip-64} {strip-128} --simultaneous",
        "compare-gate": "compare {strip-256} {strip-512} --gate write.bandwidth:5",
        "compare-gate-json": "compare {strip-256} {strip-512} --gate write.bandwidth:5 --json",
        "compare-metric": "compare {sample} {failed} --metric write.iops --trial slow",
        "compare-unknown-metric": "compare {strip-512} {strip-256} --metric write.speed",
        "compare-unknown-gate": "compare {strip-512} {strip-256} --gate write.speed:5",
        "compare-unknown-run": "compare {strip-512} zzzzzzzz",
        "compare-unknown-json": "compare {strip-512} zzzzzzzz --json",
        "compare-one": "compare {strip-512}", "compare-empty": "compare {empty} {sample}",
        "compare-margin": "compare {strip-512} {strip-256} --margin wide",
        "report-unknown": "report zzzzzzzz", "report-format": "report {once} -f word -o -",
        "report-file": "report {once} -o page.html",
        "report-json": "report {once} -o page.html --json",
        "export-unknown": "export zzzzzzzz", "export-format": "export {once} -f xlsx",
        "export-raw": "export {page} --raw", "export-last": "export last -f csv",
    }  # fmt: skip
    for run in ("sample", "once", "empty", "race", "sweep", "model", "flat", "cut", "iozone"):
        cases[f"report-{run}-markdown"] = f"report {{{run}}} -f markdown -o -"
    for run in ("once", "race", "page"):
        cases[f"report-{run}-html"] = f"report {{{run}}} -f html -o -"
    cases["report-two-markdown"] = "report {strip-512} {strip-256} -f markdown -o -"
    cases["report-two-html"] = "report {strip-512} {strip-256} -f html -o -"
    for form in sorted(set(FORMATS) - {"svg", "png", "html"}):
        for run in ("once", "failed", "page", "flat", "strip-512"):
            cases[f"export-{run}-{form}"] = f"export {{{run}}} -f {form}"
    return cases


def _other() -> dict[str, str]:
    logs = "tests/outputs/fio-3.33-logs"
    return {
        "loads": "loads", "loads-json": "loads --json", "load": "loads latency",
        "load-unknown": "loads latenzy", "schemas": "schema", "schema-show": "schema show",
        "schema-unknown": "schema shwo",
        "log": f"log {logs}/plain_lat.1.log", "log-json": f"log {logs}/offset_bw.1.log --json",
        "log-histogram": f"log {logs}/hist_clat_hist.1.log",
        "log-iolog": f"log {logs}/mixed.iolog3",
        "log-strict": "log inputs/texts/rows.csv --strict", "log-missing": "log gone.log",
        "trace-formats": "trace formats", "trace-formats-json": "trace formats --json",
        "trace": f"trace describe {logs}/mixed.iolog2",
        "trace-json": "trace describe tests/outputs/blktrace-1.2/vdb.blktrace.0 --json",
        "trace-unknown": "trace describe inputs/texts/prose.txt", "trace-action": "trace draw x",
        "calibrate": "calibrate desk:/dev/nvme0n1 --name n --dry-run",
        "lab-list": "lab list", "lab-list-json": "lab list --json", "lab-action": "lab upp",
        "lab-down": "lab down nolab", "lab-unknown-node": "lab cut n1",
        "lab-no-node": "lab kill", "lab-both": f"lab up {_STACKS}/loop.yaml --nodes 2",
        "lab-bad-stack": "lab up inputs/wrong/unknown-kind.yaml",
        "lab-bad-size": "lab up --nodes 1 --size huge",
        "rollback": "rollback filer",
    }  # fmt: skip


def _wrong() -> dict[str, str]:
    files = sorted((ROOT / "tests/characterisation/inputs/wrong").glob("*.yaml"))
    studies = {"goal", "load", "study-key"}
    stacks = [file.stem for file in files if file.stem not in studies]
    cases = {name: f"up inputs/wrong/{name}.yaml --dry-run" for name in stacks}
    for name in ("misspelt-key", "no-yaml", "unknown-kind"):
        cases[f"{name}-json"] = f"{cases[name]} --json"
    return cases | {
        "missing": "up gone.yaml --dry-run",
        "no-study": "run inputs/wrong/study-key.yaml --dry-run",
        "no-store": "list --store inputs/texts",
    }  # fmt: skip


_GROUPS = {
    "help": _help, "up": _up, "down": _down, "predict": _predict, "import": _import,
    "explain": _explain, "show": _show, "settings": _settings, "tune": _tune, "run": _run,
    "stored": _stored, "other": _other, "wrong": _wrong,
}  # fmt: skip


def _numbered(rules: Iterable[str]) -> dict[str, str]:
    return {name: f"rule {name}" for name in rules}


def cases() -> dict[str, str]:
    """Name of a case, "group/name", → its commands."""
    values = {f"{group}/{name}": text for group, made in _GROUPS.items()
             for name, text in made().items()}  # fmt: skip
    values |= {f"plans/{_stem(file)}": f"plan {file}" for file in _stacks()}
    values |= {
        f"rules/{name}": message for name, message in _numbered(rule.rule for rule in RULES).items()
    }
    return values
