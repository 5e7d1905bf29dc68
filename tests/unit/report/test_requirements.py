"""What was required stands on the first screen of a page."""

from __future__ import annotations

from dataclasses import replace

from iosonde.records.requirement import RequirementResult
from iosonde.report.blocks import Tone
from iosonde.report.html import page_of
from tests.sample import sample_run


def test_requirements_are_the_first_badges() -> None:
    run = sample_run()
    results = (
        RequirementResult(
            "write.latency.p99 < 10 ms", "write.latency.p99", "fail", 0.012, (0.011, 0.013), 5, "t1"
        ),
        RequirementResult("read.iops > 20k", "read.iops", "undecided", None, None, 0, ""),
    )
    badges = page_of([replace(run, requirements=results)]).badges
    assert (badges[0].text, badges[0].tone) == (
        "fail: write.latency.p99 < 10 ms (11 … 13 ms, 5 loops), t1", Tone.BAD,
    )  # fmt: skip
    assert (badges[1].text, badges[1].tone) == (
        "undecided: read.iops > 20k (no trial has this metric)", Tone.UNSURE,
    )  # fmt: skip
    assert "read.iops > 20k" not in {badge.text for badge in page_of([run]).badges}
