"""Draws a run's progress: a live panel on a terminal, a line an event elsewhere. Standard error."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from typing_extensions import override

from iosonde import units
from iosonde.cli.output import err, styled, write_message
from iosonde.measure.progress import Progress
from iosonde.records.run import Loop

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

SPEEDS = ("iops", "bandwidth")


def clock(moment: float) -> str:
    """Time of day; with the date where it is not today's."""
    then, now = time.localtime(moment), time.localtime()
    same_day = (then.tm_year, then.tm_yday) == (now.tm_year, now.tm_yday)
    return time.strftime("%H:%M" if same_day else "%a %d %b %H:%M", then)


def speed(loop: Loop) -> str:
    """`write 953 /s, 3.72 GiB/s` for each direction that did anything."""
    metrics, parts = loop.result.metrics, []
    for name, value in metrics.items():
        if name.endswith(".bandwidth") and value > 0:
            direction = name.rsplit(".", 1)[0]
            text = f"{direction.replace('_', ' ')} {units.show_bandwidth(value)}"
            if f"{direction}.iops" in metrics:
                text += f" = {units.show_iops(metrics[f'{direction}.iops'])}"
            parts.append(text)
    return ", ".join(parts) or "no I/O"


class LineProgress(Progress):
    """For logs and pipes: one line for what matters."""

    def __init__(self) -> None:
        self.run = ""
        self._loops: int | None = None
        self._end = ""

    @override
    def begins(self, run: str, trials: int, loops: int | None) -> None:
        self.run = run
        self._loops = loops
        each = f"{loops} loops each" if loops else "loops until precise enough"
        self._say(f"run {run}: {trials} trial{'s' * (trials != 1)}, {each}")

    @override
    def preparing(self, trial: str, what: str) -> None:
        self._say(f"{trial}: {what}")

    @override
    def loop_begins(self, trial: str, index: int, seconds: float | None) -> None: ...

    @override
    def live(
        self, trial: str, iops: float | None, bandwidth: float | None, background: tuple[str, ...]
    ) -> None: ...

    @override
    def loop_ended(self, trial: str, loop: Loop) -> None:
        of = f" of {self._loops}" if self._loops else ""
        going = f" (meanwhile: {'; '.join(loop.background)})" if loop.background else ""
        self._say(f"{trial}: loop {loop.index + 1}{of}: {speed(loop)}{going}")

    @override
    def ends_at(self, moment: float | None) -> None:
        if moment is not None and clock(moment) != self._end:
            self._end = clock(moment)
            self._say(f"ends about {self._end}")

    @override
    def warn(self, trial: str, sentence: str) -> None:
        self._say(f"{trial}: warning: {sentence}")

    @staticmethod
    def _say(text: str) -> None:
        write_message(f"{time.strftime('%H:%M:%S')}  {text}")

    def close(self) -> None:
        """Nothing is left on the screen."""


class LiveProgress(Progress):
    """For people at a terminal: finished loops scroll by, what runs now stays below them."""

    def __init__(self) -> None:
        from rich.live import Live

        self.run = ""
        self._console: Console = err()
        self._loops: int | None = None
        self._end: float | None = None
        self._now: dict[str, tuple[str, float, float | None]] = {}
        self._seen: dict[str, Text | str] = {}
        self._live: Live = Live(
            console=self._console,
            get_renderable=self._panel,
            refresh_per_second=1,
            transient=True,
        )
        self._live.start()

    @override
    def begins(self, run: str, trials: int, loops: int | None) -> None:
        self.run = run
        self._loops = loops
        each = f"{loops} loops each" if loops else "loops until precise enough"
        self._console.print(
            styled(
                "run [bold]{}[/bold]: {}, {}"
                "  [dim](Ctrl-C ends it cleanly; finished loops are kept)[/dim]",
                run,
                f"{trials} trial{'s' * (trials != 1)}",
                each,
            )
        )

    @override
    def preparing(self, trial: str, what: str) -> None:
        self._now[trial] = (what, time.monotonic(), None)

    @override
    def loop_begins(self, trial: str, index: int, seconds: float | None) -> None:
        of = f" of {self._loops}" if self._loops else ""
        self._now[trial] = (f"loop {index + 1}{of}", time.monotonic(), seconds)

    @override
    def live(
        self, trial: str, iops: float | None, bandwidth: float | None, background: tuple[str, ...]
    ) -> None:
        parts: list[str] = []
        if iops is not None:
            parts.append(units.show_iops(iops))
        if bandwidth is not None:
            parts.append(units.show_bandwidth(bandwidth))
        seen = styled("{}", "  ".join(parts))
        for text in background:
            seen.append_text(styled("  [yellow]{}[/yellow]", text))
        self._seen[trial] = seen

    @override
    def loop_ended(self, trial: str, loop: Loop) -> None:
        self._now.pop(trial, None)
        self._seen.pop(trial, None)
        of = f"/{self._loops}" if self._loops else ""
        self._console.print(styled("  {}  loop {}{}  {}", trial, loop.index + 1, of, speed(loop)))
        self._lines(f"    meanwhile: {text}" for text in loop.background)

    @override
    def ends_at(self, moment: float | None) -> None:
        self._end = moment

    @override
    def warn(self, trial: str, sentence: str) -> None:
        self._console.print(styled("  [yellow]{}: {}[/yellow]", trial, sentence))

    def _lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(styled("{}", line))

    def _panel(self) -> Table:
        from rich.table import Table

        table = Table.grid(padding=(0, 2))
        for trial, (what, begun, seconds) in list(self._now.items()):
            spent = time.monotonic() - begun
            span = f"{spent:.0f} s" + (f" of {seconds:.0f} s" if seconds else "")
            table.add_row(styled("  {}", trial), what, span, self._seen.get(trial, ""))
        if self._end is not None:
            table.add_row(styled("  [dim]ends about {}[/dim]", clock(self._end)))
        for text in self._below():
            table.add_row(styled("  [dim]{}[/dim]", text))
        return table

    def _below(self) -> tuple[str, ...]:
        """Further lines of the panel."""
        return ()

    def close(self) -> None:
        """Take the panel off the screen."""
        self._live.stop()
