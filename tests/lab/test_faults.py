"""Faults in the middle of runs, for each example: what is finished is kept, the fault is named,

what the stack promises to keep is there, and everything can be taken away afterwards. The hosts
keep their own files over a loss of power, as real ones do.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import STACKS, good, iosonde, running, ssh, started

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(1500)]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done, how it is mended, and what `explain` says of the host `at` meanwhile.

    `mend` are verbs of the lab, and "up". `survives`: the load goes on, so that every loop is
    finished, unless the broken layer is on the load's own host, which sees it; `meanwhile`: once
    it is mended, which is done while it waits. `reads`: a command there that has every disk asked,
    where the load alone may not have.
    """

    do: tuple[str, ...]
    mend: tuple[tuple[str, ...], ...]
    rule: str = ""
    at: str = ""
    survives: bool = True
    meanwhile: bool = False
    reads: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """Of which stack, where the load runs, and the faults, one after the other."""

    stack: str
    host: str
    mount: str
    faults: tuple[Fault, ...]


def lost(what: str, host: str, *more: tuple[str, ...]) -> Fault:
    """A host without which the load cannot go on."""
    mend = {"cut": "heal", "kill": "start"}[what]
    return Fault((what, host), ((mend, host), *more, ("up",)), survives=False)


def broken(disk: str) -> Fault:
    """A disk that others make up for."""
    host = disk.partition("/")[0]
    scrub = (
        "cd /sys/block/md*/md && echo check > sync_action; "
        "until grep -q idle sync_action; do sleep 1; done"
    )
    return Fault(("fail", disk), (("heal", host),), "degraded", host, reads=scrub)


CASES = [
    Case("hypervisor-raid5", "hv", "/srv/vm",
         (lost("kill", "hv"), broken("hv/d2"))),
    Case("anvil", "vm", "/mnt/anvil",
         (broken("s1/a2"), Fault(("kill", "s2"), (("start", "s2"),), "degraded", "s1"))),
    Case("aoe-san", "diskless", "/mnt/san",
         # a file system whose device was gone has to be mounted anew: the host is restarted
         (broken("storage/d2"),
          lost("cut", "storage", ("kill", "diskless"), ("start", "diskless")))),
    Case("nfs-datastore", "client", "/mnt/vm",
         # a hard mount waits for its server
         (Fault(("kill", "server"), (("start", "server"), ("up",)), meanwhile=True),
          broken("server/d2"))),
    Case("nvme-fabric", "front", "/mnt/fabric",
         (Fault(("cut", "s1"), (("heal", "s1"),), "degraded", "front"),)),
]  # fmt: skip
FIO = "--rw=randwrite --bs=4k --size=8m --ioengine=libaio --direct=1"
LONGEST = 200.0
"""Seconds after the fault by which a run has ended, whatever happened: the time-outs of the loads
(docs/use/run.md), NFS and AoE together with what a slow machine adds."""


SHORT = {"hypervisor-raid5"}
"""Where it does not wait for time-outs of protocols."""


@pytest.fixture(
    params=[
        pytest.param(case, id=case.stack, marks=[] if case.stack in SHORT else [pytest.mark.long])
        for case in CASES
    ]
)
def standing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Case, Path]]:
    case: Case = request.param
    text = (STACKS / f"{case.stack}.yaml").read_text()
    remembering = re.sub(r"\{lab: \{", "{lab: {remembers: true, ", text)
    file = tmp_path / f"{case.stack}.yaml"
    file.write_text(remembering)
    with running(case.stack, file):
        good("up", file)
        yield case, file


def finished_loops() -> int:
    listed = iosonde("list", "--json")
    runs = json.loads(listed.out)["runs"] if listed.status == 0 else []
    return sum(len(trial["metrics"].get("write.iops", {}).get("loops", []))
               for run in runs for trial in run["trials"])  # fmt: skip


def run_through(case: Case, fault: Fault, file: Path) -> int:
    """Status of a run in whose middle the fault happens."""
    study = file.with_name("study.yaml")
    study.write_text(
        f"study: fault\ntargets: ['lab:{case.stack}/{case.host}:{case.mount}']\n"
        f"loops: 4\nseconds: 4\nloads: [{{fio: '--name=w {FIO}'}}]\n"
    )
    with started("run", str(study)) as process:
        limit = time.monotonic() + 120
        before = finished_loops()
        while finished_loops() == before:
            assert process.poll() is None, "the run ended before the fault"
            assert time.monotonic() < limit
            time.sleep(0.5)
        good("lab", *fault.do, "--name", case.stack)
        if fault.meanwhile:
            mend(case, fault, file)
        process.wait(LONGEST)
    return process.returncode


def write(case: Case, *more: str) -> None:
    argv = ("fio", "--name=v", f"--filename={case.mount}/kept", *FIO.split(), "--verify=crc32c",
            "--randrepeat=1", "--iodepth=4", *more)  # fmt: skip
    ssh(case.stack, case.host, *argv)


def test_faults_in_runs(standing: tuple[Case, Path], tmp_path: Path) -> None:
    case, file = standing
    write(case, "--do_verify=0", "--end_fsync=1")
    for fault in case.faults:
        happens(case, fault, file)
        if not fault.meanwhile:
            mend(case, fault, file)
        ssh(case.stack, case.host, "sh", "-c", "'echo 3 > /proc/sys/vm/drop_caches'")
        write(case, "--verify_only")
    take_away(case, file)


def mend(case: Case, fault: Fault, file: Path) -> None:
    for verb in fault.mend:
        if verb == ("up",):
            good("up", file)
        else:
            good("lab", *verb, "--name", case.stack)


def happens(case: Case, fault: Fault, file: Path) -> None:
    """The fault in a run: what is kept of it and said."""
    status = run_through(case, fault, file)
    run = last_run()
    loops = [loop for trial in run["trials"] for loop in trial["metrics"]["write.iops"]["loops"]]
    assert loops, "the finished loops are kept"
    said = iosonde("explain", "last", "--json").document["findings"]
    if fault.survives and fault.at == case.host:
        # The load goes on, and what it would measure from here on is another stack.
        assert status == 4
        assert "The stack below changed between" in " ".join(run["trials"][0]["faults"])
        assert len(loops) < 4, "the loop of the change is left out"
        assert "fault" in {record["rule"] for record in said}
    elif fault.survives:
        assert status == 0
        assert len(loops) == 4
    if fault.survives:
        if fault.reads:
            ssh(case.stack, fault.at, "sh", "-c", f"'{fault.reads}'", status=None)
        if fault.rule:
            document = iosonde("explain", f"lab:{case.stack}/{fault.at}", "--json").document
            assert fault.rule in {finding["rule"] for finding in document["findings"]}
    else:
        assert status == 4
        assert run["trials"][0]["faults"]
        assert "fault" in {record["rule"] for record in said}


def last_run() -> dict[str, Any]:
    (run, *_) = good("list", "--json").document["runs"]
    return dict(run)


def take_away(case: Case, file: Path) -> None:
    """Everything can be removed, at the latest when all hosts are there again."""
    good("down", file)
    assert good("down", file, "--json").document["steps"] == []
    listed = good("lab", "list", "--json").document["labs"]
    (lab,) = [record for record in listed if record["name"] == case.stack]
    for node in lab["nodes"]:
        if not node["running"]:
            continue  # a guest, which is gone with its layer
        ssh(case.stack, node["name"], "test", "!", "-e", "/var/lib/iosonde/built")
