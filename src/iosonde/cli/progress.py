"""Draws what a run reports while it goes on: a panel on a terminal, dated lines elsewhere.

`RunView` makes text of events; `LiveProgress` and `LineProgress` put it on standard error.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, LiteralString, Protocol

from iosonde import units
from iosonde.cli.output import err, is_quiet, is_verbose, styled, write_message
from iosonde.cli.table import shortened_trial
from iosonde.cli.timetext import clock, span, sparkline
from iosonde.measure import progress as events
from iosonde.verbs.signals import speak_through

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.text import Text

    from iosonde.measure.progress import HeadlineSoFar, ProgressEvent, TimeLeft
    from iosonde.records.run import Loop

_NARROW = 50  # columns below which a bar has no room beside its figures
_NAME = 24  # cells of a trial's name that is cut
_DETAILED = 2  # trials at the same time that have lines of their own


def speed(loop: Loop, *, brief: bool = False) -> str:
    """`write 3.72 GiB/s = 953 IOPS` for each direction that did anything; `brief`: one of both."""
    metrics, parts = loop.result.metrics, []
    for name, value in metrics.items():
        if name.endswith(".bandwidth") and value > 0:
            direction = name.rsplit(".", 1)[0]
            text = f"{direction.replace('_', ' ')} {units.show_bandwidth(value)}"
            if brief and f"{direction}.iops" in metrics:
                text = (
                    f"{direction.replace('_', ' ')} {units.show_iops(metrics[f'{direction}.iops'])}"
                )
            elif f"{direction}.iops" in metrics:
                text += f" = {units.show_iops(metrics[f'{direction}.iops'])}"
            parts.append(text)
    return ", ".join(parts) or "no I/O"


def so_far_text(so_far: HeadlineSoFar) -> str:
    """`4,380 IOPS ± 1.2 %`: the mean of the loops so far, and half of its interval."""
    if not so_far.metric:
        return ""
    spread = "" if so_far.halfwidth is None else f" {units.show_spread(so_far.halfwidth)}"
    return f"{units.show(so_far.mean, so_far.unit)}{spread}"


@dataclass(frozen=True, slots=True)
class Said:
    """A line that an event gives: for logs, for a terminal, or both."""

    text: str | Text
    in_log: bool = True
    on_screen: bool = True
    parts: tuple[str, str, str] | None = None
    """Of a finished loop: its trial, what it reached, and the same in fewer words."""

    def fitted(self, width: int) -> str | Text:
        """The line for a terminal: where it is too wide, its figures stay and its name is cut."""
        if self.parts is None or len(str(self.text)) <= width:
            return self.text
        trial, *figures = self.parts
        room = [width - len(figure) - len("  : ") for figure in figures]
        at = next((at for at, cells in enumerate(room) if cells >= _NAME), len(room) - 1)
        name = shortened_trial(trial, max(room[at], _NAME))
        return styled("  {}: {}", name, figures[at])


def logged(text: str) -> Said:
    """A line for logs alone: the panel shows the same."""
    return Said(text, on_screen=False)


def scrolled(text: Text) -> Said:
    """A line for terminals alone: logs have more of it."""
    return Said(text, in_log=False)


@dataclass(frozen=True, slots=True)
class TrialNow:
    """What a trial does now, since a moment of the monotonic clock."""

    what: str
    since: float
    seconds: float | None = None
    device: str = ""
    background: tuple[str, ...] = ()
    ended: bool = False


class ProgressView(Protocol):
    """Text of what has happened so far."""

    run: str

    def take(self, event: ProgressEvent) -> list[Said]:
        """What an event adds; its lines."""

    def panel(self, now: float, *, width: int, plain: bool) -> list[RenderableType]:
        """The lines that stay on a terminal."""


class RunView:
    """Text of a run, from its events."""

    def __init__(self) -> None:
        self.run = ""
        self._loops: int | None = None
        self._left: tuple[float, TimeLeft] | None = None
        self._now: dict[str, TrialNow] = {}
        self._so_far: dict[str, HeadlineSoFar] = {}

    def take(self, event: ProgressEvent) -> list[Said]:
        """What an event adds; its lines."""
        said: list[Said] = []
        match event:
            case events.RunStarted():
                said = [self._started(event)]
            case events.TimeLeft():
                said = self._time(event)
            case events.TrialPreparing(trial, what):
                self._begin(trial, TrialNow(what, time.monotonic()))
                said = [logged(f"{trial}: {what}")]
            case events.TrialReady(trial, command):
                if is_verbose():
                    said = [Said(styled("{}: {}", trial, command))]
            case events.LoopStarted():
                self._loop_started(event)
            case events.DeviceActivity():
                self._activity(event)
            case events.LoopFinished():
                said = self._loop_finished(event)
            case events.RunWarning(trial, sentence):
                said = [Said(styled("[yellow]{}: warning: {}[/yellow]", trial, sentence))]
            case _:
                pass
        return said

    def _started(self, event: events.RunStarted) -> Said:
        self.run, self._loops = event.run, event.loops
        each = "as many loops as its rules ask for"
        if event.loops:
            each = f"{event.loops} loop{'s' * (event.loops != 1)} each"
        trials = f"{event.trials} trial{'s' * (event.trials != 1)}"
        return Said(
            styled(
                "run [bold]{}[/bold]: {}, {}  [dim](Ctrl-C ends it; finished loops are kept)[/dim]",
                event.run, trials, each,
            )
        )  # fmt: skip

    def _time(self, event: TimeLeft) -> list[Said]:
        first = self._left is None
        self._left = (time.monotonic(), event)
        text = self.left_text(time.monotonic())
        return [logged(text)] if first and text else []

    def left_text(self, now: float) -> str:
        """`1:04 left (06:31:20)`; empty where nobody knows."""
        if self._left is None or self._left[1].left is None:
            return ""
        since, said = self._left
        left = max(said.left or 0.0, 0.0)
        if not left and said.spent:
            return ""
        rest = max(left - (now - since), 0.0)
        end = time.time() + rest
        return f"{'at most ' * said.at_most}{span(rest)} left ({clock(end)})"

    def _share(self, now: float) -> float | None:
        """How much of the time is over, 0 to 1."""
        if self._left is None or self._left[1].left is None:
            return None
        since, said = self._left
        passed = min(now - since, said.left or 0.0)
        whole = said.spent + (said.left or 0.0)
        return (said.spent + passed) / whole if whole > 0 else None

    def _begin(self, trial: str, now: TrialNow) -> None:
        """A trial does something new; those that have ended meanwhile leave the panel."""
        ended = [name for name, doing in self._now.items() if doing.ended and name != trial]
        for name in ended:
            self._now.pop(name, None)
        self._now[trial] = now

    def _loop_started(self, event: events.LoopStarted) -> None:
        what = self._loop_name(event.index) if event.index >= 0 else "settling, not counted"
        self._begin(event.trial, TrialNow(what, time.monotonic(), event.seconds))

    def _loop_name(self, index: int) -> str:
        return f"loop {index + 1}" + (f" of {self._loops}" if self._loops else "")

    def _activity(self, event: events.DeviceActivity) -> None:
        before = self._now.get(event.trial)
        if before is None:
            return
        rates = [] if event.iops is None else [units.show_iops(event.iops)]
        rates += [] if event.bandwidth is None else [units.show_bandwidth(event.bandwidth)]
        device = f"{event.device}  {'  '.join(rates)}" if rates else ""
        self._now[event.trial] = replace(before, device=device, background=event.background)

    def _loop_finished(self, event: events.LoopFinished) -> list[Said]:
        trial, loop = event.trial, event.loop
        self._so_far[trial] = event.so_far
        what = f"{self._loop_name(loop.index)} done"
        self._now[trial] = TrialNow(what, time.monotonic(), ended=True)
        meanwhile = f" (meanwhile: {'; '.join(loop.background)})" if loop.background else ""
        line, brief = (
            f"{self._loop_name(loop.index)}: {speed(loop, brief=brief)}{meanwhile}"
            for brief in (False, True)
        )
        log = f"{trial}: {line}{self._log_tail(event.so_far)}"
        shown = Said(styled("  {}", f"{trial}: {line}"), in_log=False, parts=(trial, line, brief))
        return [logged(log), shown]

    def _log_tail(self, so_far: HeadlineSoFar) -> str:
        mean = f"; mean {so_far_text(so_far)}" if so_far.loops > 1 and so_far.metric else ""
        left = self.left_text(time.monotonic())
        return mean + (f"; {left}" if left else "")

    def panel(self, now: float, *, width: int, plain: bool) -> list[RenderableType]:
        """The lines that stay on a terminal: how far it is, and each trial that runs now.

        Args:
            now: on the monotonic clock.
            width: columns of the terminal.
            plain: the terminal has ASCII alone.
        """
        rows = [self._bar(now, width)] if self._left else []
        trials = list(self._now.items())
        for trial, doing in trials:
            what = _doing(doing, now)
            name = shortened_trial(self.name_of(trial), max(width - len(what) - 2, _NAME))
            rows.append(_line("[bold]{}[/bold]  {}", name, what))
            if len(trials) > _DETAILED:
                continue
            if trial in self._so_far and (text := so_far_text(self._so_far[trial])):
                of = self._so_far[trial]
                line = "" if plain else sparkline(of.recent)
                loops = f"{of.loops} loop{'s' * (of.loops != 1)}"
                rows.append(_line("  mean  {}  [dim]{}[/dim]  [cyan]{}[/cyan]", text, loops, line))
            if doing.device:
                rows.append(_line("  now   {}", doing.device))
            rows += [_line("  [yellow]{}[/yellow]", text) for text in doing.background]
        return rows

    def name_of(self, trial: str) -> str:
        """A trial as the panel calls it."""
        return trial

    def _bar(self, now: float, width: int) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        share, left = self._share(now), self.left_text(now)
        if share is None:
            return _line("[dim]time left is not known yet[/dim]")
        text = f"{int(share * 100):3d} %  {left}"
        row = Table.grid(padding=(0, 2, 0, 0))
        if width < _NARROW:
            return _line("{}", text)
        row.add_row(ProgressBar(total=1.0, completed=share, width=width - len(text) - 3), text)
        return row


def _doing(doing: TrialNow, now: float) -> str:
    if doing.ended:
        return doing.what
    spent = now - doing.since
    of = f" of {doing.seconds:.0f}" if doing.seconds and spent <= doing.seconds + 1 else ""
    return f"{doing.what}, {spent:.0f}{of} s"


def _line(template: LiteralString, *values: object) -> Text:
    """A line of the panel that is cut at the edge rather than wrapped."""
    text = styled(template, *values)
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


class QuietProgress:
    """For `--quiet`: nothing is shown; it is known what has happened."""

    def __init__(self, view: ProgressView) -> None:
        self.view = view

    @property
    def run(self) -> str:
        """Id of the run; empty until it begins."""
        return self.view.run

    def __call__(self, event: ProgressEvent) -> None:
        """Take an event."""
        self._show(self.view.take(event))

    def _show(self, said: list[Said]) -> None:
        del said

    def close(self) -> None:
        """Nothing is left on the screen."""


class LineProgress(QuietProgress):
    """For logs and pipes: a line with its time for what matters."""

    def _show(self, said: list[Said]) -> None:
        for line in said:
            if line.in_log:
                write_message(f"{time.strftime('%H:%M:%S')}  {line.text}")


class LiveProgress(QuietProgress):
    """For people at a terminal: finished loops scroll by, what runs now stays below them."""

    def __init__(self, view: ProgressView) -> None:
        from rich.live import Live

        super().__init__(view)
        self._console: Console = err()
        self._notice = ""
        self._live: Live = Live(
            console=self._console, get_renderable=self._panel, refresh_per_second=1,
            transient=True,
        )  # fmt: skip
        self._live.start()
        speak_through(self._announce)

    def _show(self, said: list[Said]) -> None:
        for line in said:
            if line.on_screen:
                self._console.print(line.fitted(self._console.width))

    def _announce(self, sentence: str) -> None:
        """Called by the handler of signals: the panel shows it when it is drawn next."""
        self._notice = sentence

    def _panel(self) -> RenderableType:
        from rich.console import Group

        plain = not self._console.encoding.lower().startswith("utf")
        rows = self.view.panel(time.monotonic(), width=self._console.width, plain=plain)
        if self._notice:
            rows.append(styled("[yellow]{}[/yellow]", self._notice))
        return Group(*rows)

    def close(self) -> None:
        """Take the panel off the screen."""
        speak_through(None)
        self._live.stop()


@contextmanager
def drawn(view: ProgressView) -> Iterator[QuietProgress]:
    """Progress on standard error as it suits there, taken off the screen however the block ends."""
    if is_quiet():
        progress = QuietProgress(view)
    elif sys.stderr.isatty() and not err().is_dumb_terminal:
        progress = LiveProgress(view)
    else:
        progress = LineProgress(view)
    try:
        yield progress
    finally:
        progress.close()
