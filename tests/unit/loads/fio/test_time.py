"""The time of jobs whose directions ran one after the other, and processor time per I/O."""

from __future__ import annotations

import json

import pytest

from iosonde.explain.gather import of_document
from iosonde.loads.fio.combine import span
from iosonde.loads.fio.result import find_document
from iosonde.records.evidence import EvidenceSet
from iosonde.text.document import of_bytes
from tests.unit.loads.fio import fio_runs

VERIFY = fio_runs.OUTPUTS / "fio-3.33-normal" / "verify.out"


@pytest.mark.parametrize(
    ("read", "write", "ios", "members", "seconds"),
    [
        (0.048, 0.083, (256, 256), 1, 0.131),  # wrote, then read it all back
        (0.9, 0.5, (256, 256), 1, 1.4),
        (0.1, 1.0, (20, 400), 1, 1.1),  # the verification was ended early
        (2.001, 2.001, (1400, 600), 1, 2.001),  # a mixed load
        (3.0, 2.0, (2000, 600), 1, 3.0),  # a mixed load that verified what it wrote
        (10.0, 30.0, (800, 900), 2, 30.0),  # a reader and a writer reported as a group
        (2.001, 2.002, (400, 400), 2, 2.002),  # the same at equal rates
        (0.048, 0.083, (512, 512), 2, 0.131),
        (0.0, 2.0, (0, 100), 1, 2.0),
    ],
)
def test_reads_that_took_another_time_came_after_the_writes(
    read: float, write: float, ios: tuple[int, int], members: int, seconds: float
) -> None:
    counts = dict(zip(("read", "write"), ios, strict=True))
    assert span({"read": read, "write": write}, counts, members) == pytest.approx(seconds)


def imported(text: str) -> EvidenceSet:
    """A verify load, as `import` and `explain` read it."""
    return of_document(of_bytes("page", text.encode()))[0]


def test_an_imported_verify_load_has_fios_own_processor_time() -> None:
    """fio's JSON is the oracle: shares of a core over job_runtime, and its two counts of I/Os."""
    text = VERIFY.read_text()
    document = find_document(text)
    assert document is not None
    jobs = document["jobs"]
    assert isinstance(jobs, list)
    job = jobs[0]
    assert isinstance(job, dict)
    record = json.loads(json.dumps(job))
    seconds = (record["usr_cpu"] + record["sys_cpu"]) / 100 * record["job_runtime"] / 1000
    ios = record["read"]["total_ios"] + record["write"]["total_ios"]
    before, _, rest = text.partition("\n{\n")
    without_json = before + rest.partition("\n}\n")[2]
    for form in (text, without_json):  # of the three forms in it the JSON is counted, else the text
        (trial,) = imported(form).trials
        assert trial.mean("cpu.per_io") == pytest.approx(seconds / ios, rel=0.02)


def test_phases_and_mixed_loads_divide_by_all_their_ios() -> None:
    """Near miss: a mixed load, for which cores ÷ Σ IOPS is right as well."""
    file = fio_runs.OUTPUTS / "fio-3.33-normal" / "mixed.out"
    for trial in (*fio_runs.normal(file), *fio_runs.from_json(file)):
        metrics = trial.loops[0].metrics
        cores = metrics["cpu.user"] + metrics["cpu.system"]
        rate = metrics["read.iops"] + metrics["write.iops"]
        assert metrics["cpu.per_io"] == pytest.approx(cores / rate, rel=0.01)
