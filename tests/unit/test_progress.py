"""What a run shows while it goes on: text of events, and the screen of a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from dataclasses import replace
from typing import Any

import pyte
import pytest
from rich.console import Console, Group

from iosonde.cli import output
from iosonde.cli.progress import RunView
from iosonde.cli.table import shortened_trial
from iosonde.cli.timetext import span, sparkline
from iosonde.measure import progress as events
from iosonde.measure.estimate import Estimate
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.plan import make_plan
from iosonde.measure.study import Study
from iosonde.records.load import Demand
from iosonde.statistics.estimates import halfwidth, summarise
from tests.unit.measure import build

TRIAL = "latency@/x"


def so_far(*figures: float, half: float | None = 0.012) -> events.HeadlineSoFar:
    mean = sum(figures) / len(figures)
    return events.HeadlineSoFar("read.iops", "1/s", len(figures), mean, half, figures)


def finished(index: int, rate: float, summary: events.HeadlineSoFar) -> events.LoopFinished:
    loop = build.loop(index, {"read.iops": rate, "read.bandwidth": rate * 4096})
    return events.LoopFinished(TRIAL, loop, summary)


def lines(view: RunView, *seen: events.ProgressEvent) -> list[str]:
    """What a log has of events."""
    return [str(said.text) for event in seen for said in view.take(event) if said.in_log]


def panel(view: RunView, after: float = 0.0, *, width: int = 80, plain: bool = False) -> list[str]:
    """The panel's lines so many seconds from now."""
    console = Console(width=width, color_system=None, force_terminal=True)
    with console.capture() as caught:
        rows = view.panel(time.monotonic() + after, width=width, plain=plain)
        console.print(Group(*rows))
    return [line.rstrip() for line in caught.get().splitlines()]


def test_a_log_has_mean_and_time_left_with_each_loop() -> None:
    view = RunView()
    said = lines(
        view, events.RunStarted("abc", 1, 3), events.TimeLeft(0.0, 12.0),
        finished(0, 4000.0, so_far(4000.0, half=None)), events.TimeLeft(4.0, 8.0),
        finished(1, 4200.0, so_far(4000.0, 4200.0)),
    )  # fmt: skip
    assert said[0].startswith("run abc: 1 trial, 3 loops each")
    assert said[1].startswith("0:12 left (")
    assert said[2].startswith(f"{TRIAL}: loop 1 of 3: read 15.6 MiB/s = 4,000 IOPS; 0:12 left (")
    assert "; mean 4,100 IOPS ± 1.2 %; 0:08 left (" in said[3]
    assert len(said) == 4  # a later time has no line of its own


def test_what_a_rule_ends_is_at_most() -> None:
    view = RunView()
    assert lines(view, events.TimeLeft(0.0, 64.0, at_most=True))[0].startswith("at most 1:04 left")
    assert not lines(RunView(), events.TimeLeft(0.0, None))
    assert "not known" in panel(_with(events.TimeLeft(0.0, None)))[0]


def _with(*seen: events.ProgressEvent) -> RunView:
    view = RunView()
    lines(view, *seen)
    return view


def test_the_panel_counts_down_between_events() -> None:
    view = _with(
        events.RunStarted("abc", 1, 5), events.TimeLeft(30.0, 90.0),
        finished(0, 4000.0, so_far(4000.0, 4200.0)), events.LoopStarted(TRIAL, 2, 4.0),
        events.DeviceActivity(TRIAL, "vda", 4410.0, 4410.0 * 4096, ("md0: resync 12.6 %",)),
    )  # fmt: skip
    shown = panel(view, after=2.0)
    assert " 26 %  1:28 left (" in shown[0]
    assert shown[1] == f"{TRIAL}  loop 3 of 5, 2 of 4 s"
    assert shown[2] == "  mean  4,100 IOPS ± 1.2 %  2 loops  ▃▆"
    assert shown[3] == "  now   vda  4,410 IOPS  17.2 MiB/s"
    assert shown[4] == "  md0: resync 12.6 %"
    assert "100 %  0:00 left" in panel(view, after=500.0)[0]
    assert "▃" not in panel(view, plain=True)[2]


def test_a_trial_that_has_ended_leaves_the_panel_when_another_begins() -> None:
    view = _with(events.LoopStarted(TRIAL, 0, 1.0), finished(0, 1.0, so_far(1.0)))
    assert panel(view)[0] == f"{TRIAL}  loop 1 done"
    lines(view, events.TrialPreparing("b@/x", "laying out 2 GiB"))
    assert panel(view)[0] == "b@/x  laying out 2 GiB, 0 s"


def test_no_line_of_the_panel_is_wider_than_the_terminal() -> None:
    name = "a-long-name-of-a-load@/" + "deep/" * 20
    view = _with(
        events.TimeLeft(0.0, 90.0, at_most=True), events.LoopStarted(name, 0, 4.0),
        replace(finished(0, 5.0, so_far(*[5.0] * 30)), trial=name),
        events.LoopStarted(name, 1, 4.0),
        events.DeviceActivity(name, "nvme0n1", 4410.0, 1e9, ("md0: resync " * 9,)),
    )  # fmt: skip
    for width in (80, 60, 40):
        shown = panel(view, width=width)
        assert len(shown) == 5
        assert all(len(line) <= width for line in shown), shown


LONG = "pts-iops rwmixread=65 bs=128k@/mnt/data/on/a/long/path/below/it/scratch"


def _both_ways(trial: str) -> events.LoopFinished:
    rates = {"read.iops": 4200.0, "write.iops": 2200.0}
    rates |= {"read.bandwidth": 4200.0 * 131072, "write.bandwidth": 2200.0 * 131072}
    return events.LoopFinished(trial, build.loop(0, rates), so_far(4000.0))


@pytest.mark.parametrize("width", [100, 80, 70])
def test_a_finished_loop_is_one_line_of_the_terminal(width: int) -> None:
    for trial, event in ((LONG, _both_ways(LONG)), (TRIAL, finished(0, 4000.0, so_far(4000.0)))):
        (said,) = (line for line in RunView().take(event) if line.on_screen)
        shown = str(said.fitted(width))
        assert len(shown) <= width
        assert {"rwmixread=65", "bs=128k@"} <= set(
            shown.replace("@", "@ ").split()
        ) or trial == TRIAL
        assert "loop 1: read " in shown
        assert shown.endswith(" IOPS")
        assert ("…" in shown) is (trial == LONG)
    assert (
        "read 525 MiB/s = 4,200 IOPS, write 275 MiB/s = 2,200 IOPS"
        in lines(RunView(), _both_ways(LONG))[0]
    )  # a log keeps all


@pytest.mark.parametrize(
    ("width", "name"),
    [
        (99, "m bs=4k@/mnt/data/scratch"), (25, "m bs=4k@/mnt/data/scratch"),
        (24, "m bs=4k@…nt/data/scratch"), (13, "m bs=4k@…atch"),
        (11, "bs=4k@…atch"), (10, "bs=4k@…tch"), (7, "m b…tch"),
    ],
)  # fmt: skip
def test_a_name_gives_up_its_place_before_its_point(width: int, name: str) -> None:
    assert shortened_trial("m bs=4k@/mnt/data/scratch", width) == name
    assert len(name) <= width


def test_what_a_trial_does_is_seen_beside_a_long_name() -> None:
    view = _with(events.LoopStarted(LONG, 0, 60.0))
    assert panel(view, after=7.0)[0].endswith("scratch  loop 1, 7 of 60 s")
    assert panel(view, after=7.0)[0].startswith("pts-iops rwmixread=65 bs=128k@…")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (9.4, "0:09"), (64, "1:04"), (7390, "2:03:10")]
)
def test_spans(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_a_sparkline_is_flat_where_hardly_anything_varies() -> None:
    assert sparkline([100.0, 101.0, 99.0]) == "▅▅▄"
    assert sparkline([50.0, 100.0, 150.0]) == "▁▅█"
    assert sparkline([5.0]) == ""
    assert sparkline([0.0, 0.0]) == "▄▄"


def test_the_running_mean_is_that_of_all_loops() -> None:
    rates = [1000.0 + (index * 37) % 101 for index in range(40)]
    trial = GrowingTrial(build.trial([]))
    demand = Demand(reads=True, writes=False, size=None, seconds=1.0, direct=True, tools=())
    for index, rate in enumerate(rates):
        loop = build.loop(index, {"read.iops": rate, "read.bandwidth": rate * 4096})
        trial.add(loop, demand, None)
    whole = summarise("read.iops", "1/s", rates)  # computed from all of them at once
    assert trial.so_far.mean == pytest.approx(whole.mean)
    assert trial.so_far.halfwidth == pytest.approx(halfwidth(whole))
    assert trial.so_far.recent == tuple(rates[-30:])


def _estimate(*, goes_on: bool = True, **study: Any) -> Estimate:
    given = {"targets": ["/x"], "loads": ["fio --rw=read --name=a"], **study}
    return Estimate(make_plan(Study(**given), where="here"), {}, lambda _: goes_on, lambda: 0.0)


def test_time_left_of_fixed_loops_and_the_most_of_others() -> None:
    fixed = _estimate(loops=4, seconds=20.0).time_left({})
    assert fixed == events.TimeLeft(0.0, 88.0, at_most=False)
    until = _estimate(seconds=20.0, until={"halfwidth": "2%", "max_seconds": "100s"}).time_left({})
    assert until == events.TimeLeft(0.0, 110.0, at_most=True)
    required = _estimate(
        loops=5, seconds=20.0, require={"read.iops": "> 1k"}, max_seconds="40s"
    ).time_left({})
    assert required == events.TimeLeft(0.0, 110.0, at_most=True)
    assert _estimate(goes_on=False, loops=4, seconds=20.0).time_left({}).left == 0.0


class Clocked:
    """A run of loops that take 1.25 s on a clock of ours: what is told of its rest, and the truth.

    It asks as a run does: before each loop, and after it.
    """

    def __init__(self, *, prepare: float, pause: float, **study: Any) -> None:
        given = {"loads": ["fio --rw=read --name=a"], "seconds": 1.0, **study}
        self.clock = 0.0
        self.plan = make_plan(Study(**given), where="here")
        self.passes = self.plan.study.until.passes if self.plan.study.until else None
        self.most = self.passes or self.plan.study.loops
        self.trials: dict[str, GrowingTrial] = {}
        self.reported: list[tuple[float, float | None]] = []
        self.estimate = Estimate(self.plan, {}, self.goes_on, lambda: self.clock)
        self.prepare, self.pause = prepare, pause

    def goes_on(self, trial: str) -> bool:
        return trial not in self.trials or len(self.trials[trial]) < self.most

    def ask(self) -> None:
        self.reported.append((self.clock, self.estimate.time_left(self.trials).left))

    def loop(self, trial: str) -> None:
        self.ask()
        self.clock += 1.25
        made = build.loop(len(self.trials[trial]), {"read.iops": 1.0})
        demand = Demand(reads=True, writes=False, size=None, seconds=1.0, direct=True, tools=())
        self.trials[trial].add(replace(made, elapsed=1.25), demand, None)
        self.ask()
        self.clock += self.pause

    def run(self) -> None:
        for part in self.plan.rounds:
            if part[0].id not in self.trials:
                self.clock += self.prepare
            for planned in part:
                self.trials[planned.id] = GrowingTrial(build.trial([], ident=planned.id))
            while any(self.goes_on(planned.id) for planned in part):
                for planned in part:
                    self.loop(planned.id)
        self.clock -= self.pause

    def off(self) -> list[float | None]:
        """Of each moment by how many seconds it was wrong; None: nothing was told."""
        self.run()
        return [left and abs(left - (self.clock - at)) for at, left in self.reported]


@pytest.mark.parametrize(
    ("prepare", "pause", "study"),
    [
        (30.0, 0.3, {"targets": ["/x"], "loops": 10}),  # laying out is no pause between loops
        (30.0, 0.3, {"targets": ["/x", "/y", "/z"], "loops": 3}),  # and comes for each target
        (0.1, 6.0, {"targets": ["/x"], "loops": 10}),
        (
            0.1, 0.3,  # a loop takes longer than it counts, so that 25 take more than 25 s
            {"targets": ["/x"], "until": {"steady": True, "passes": 25},
             "loads": [{"name": "m", "fio": {"rw": "randread", "bs": ["4k"]}}]},
        ),
    ],
)  # fmt: skip
def test_time_left_is_told_when_it_is_known_and_is_true_then(
    prepare: float, pause: float, study: dict[str, Any]
) -> None:
    run = Clocked(prepare=prepare, pause=pause, **study)
    off = run.off()
    assert off[:2] == [None, None]  # before and after the first loop
    most = 1.01 * pause + 0.02 * run.clock
    assert all(seconds is not None and seconds <= most for seconds in off[2:]), off


def test_quiet_leaves_out_notes_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    from iosonde.cli.progress import drawn

    for quiet in (False, True):
        output.set_volume(quiet=quiet)
        try:
            with drawn(RunView()) as progress:
                progress(events.RunStarted("abc", 1, 3))
            output.write_message("a note")
            output.err().print("another")
        finally:
            output.set_volume()
        said = capsys.readouterr().err
        assert bool(said) is not quiet


# ── a real terminal ───────────────────────────────────────────────────────────────────────────

DRIVER = """
import os, sys
from iosonde.cli.progress import RunView, drawn
from iosonde.measure import progress as events
from iosonde.records.load import LoadResult, RawOutput
from iosonde.records.run import Loop
TRIAL = "latency@/x"
so_far = events.HeadlineSoFar("read.iops", "1/s", 2, 4100.0, 0.012, (4000.0, 4200.0))
rates = LoadResult({"read.iops": 4000.0, "read.bandwidth": 4000.0 * 4096}, {})
loop = Loop(0, 0.0, 1.0, rates, RawOutput(0, b"", b"", {}))
try:
    with drawn(RunView()) as progress:
        progress(events.RunStarted("abc", 1, 5))
        progress(events.TimeLeft(30.0, 90.0))
        progress(events.LoopFinished(TRIAL, loop, so_far))
        progress(events.LoopStarted(TRIAL, 1, 4.0))
        progress(events.DeviceActivity(TRIAL, "vda", 4410.0, 1e7, ()))
        progress._live.refresh()
        os.write(1, b"@")  # look at the screen now
        sys.stdin.readline()
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
"""


ENDER = f"""
import signal
from iosonde.verbs import signals
signals.take_signals()
signals.begin_work()
def send():
    try:
        signal.raise_signal(signal.SIGINT)
    except signals.Interrupted:  # the first one
        pass
{DRIVER.replace("raise KeyboardInterrupt", "send(); send(); signals._signals.since = 0; send()")}
"""


def test_the_third_interruption_shows_the_cursor_again() -> None:
    ours, theirs = pty.openpty()
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    with subprocess.Popen(
        [sys.executable, "-c", ENDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=theirs, env={**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "80"},
    ) as process:  # fmt: skip
        os.close(theirs)
        process.communicate(b"\n", timeout=60)
    drawn = b""
    while True:
        try:
            drawn += os.read(ours, 65536)
        except OSError:  # EIO: nobody has the other end any more
            break
    os.close(ours)
    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(drawn)
    assert b"\x1b[?25l" in drawn  # it was hidden
    assert not screen.cursor.hidden
    assert process.returncode == 130
    assert any("ended at once" in line for line in _text(screen))


@pytest.mark.parametrize("columns", [80, 60])
def test_the_panel_on_a_terminal_and_what_is_left_of_it(columns: int) -> None:
    """The kernel's pseudo-terminal, and pyte's reading of what was written to it."""
    screen = pyte.Screen(columns, 24)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=theirs, env={**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": str(columns)},
    ) as process:  # fmt: skip
        os.close(theirs)
        assert process.stdin
        assert process.stdout
        assert process.stdout.read(1) == b"@"
        while not any("now " in line for line in _text(screen)):
            stream.feed(os.read(ours, 65536))
        during, hidden = _text(screen), screen.cursor.hidden
        process.stdin.write(b"\n")
        process.stdin.close()
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # EIO: nobody has the other end any more
                break
            stream.feed(more)
    os.close(ours)
    bar = next(line for line in during if " %  " in line)
    assert re.search(r" 2\d %  1:[23]\d left \(", bar)
    assert bar.startswith("━")
    assert len(bar) <= columns
    assert re.fullmatch(f"{TRIAL}  loop 2 of 5, \\d.* s", during[-3])
    assert during[-2:] == [
        "  mean  4,100 IOPS ± 1.2 %  2 loops  ▃▆",
        "  now   vda  4,410 IOPS  9.54 MiB/s",
    ]  # fmt: skip
    assert hidden
    after = _text(screen)
    assert after[-1] == "interrupted"
    assert not any("left (" in line or "now " in line for line in after)
    assert not screen.cursor.hidden


def _text(screen: Any) -> list[str]:
    return [line.rstrip() for line in screen.display if line.strip()]
