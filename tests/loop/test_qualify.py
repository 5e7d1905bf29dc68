"""A study to a steady state on a real device: discarded and filled once, also if it is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.run import run
from tests.loop.devices import loop_device

pytestmark = [pytest.mark.root]
MIB = 2**20
STUDY = """\
targets: {device}
seconds: 0.1
order: declared
observe: false
prepare: {{discard: true, precondition: 1 pass}}
until: {{steady: true, passes: 5, track: {{rwmixread: 0}}, metric: iops}}
loads:
  - name: mix
    fio: {{rw: randrw, ioengine: libaio, direct: 1, bs: 4k, rwmixread: [100, 0], time_based: 1,
          runtime: 1}}
"""


def test_the_device_is_discarded_and_filled_once(tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite")
    with loop_device(tmp_path / "disk", 16 * MIB) as device:
        study = tmp_path / "study.yaml"
        study.write_text(STUDY.format(device=device))
        lines: list[str] = []

        def progress(event: object) -> None:
            if what := getattr(event, "what", ""):
                lines.append(str(what))

        counters = Path(f"/sys/block/{Path(device).name}/stat")
        before = [int(word) for word in counters.read_text().split()]
        measured = run(str(study), destroy=[device], store=store, progress=progress)
        after = [int(word) for word in counters.read_text().split()]
    assert [len(trial.trial.loops) for trial in measured.sheet.trials] == [5, 5]
    assert [(window.first, window.last) for window in measured.sheet.windows] == [(1, 5)]
    assert (after[13] - before[13]) * 512 == 16 * MIB  # sectors discarded
    assert (after[6] - before[6]) * 512 >= 16 * MIB  # and written
    assert sum("pass 1 of 1" in name for name in lines) == 1
