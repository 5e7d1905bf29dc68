"""All commands that a declared stack stands for: how each step is made, seen and undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from iosonde.layers.site import Site
from iosonde.layers.step import Command, Step
from iosonde.stack.file import builder, read_stack


def standing(site: Site) -> Site:
    """A layer whose device is there, as all those below it."""
    below = tuple(standing(place) for place in site.below)
    return replace(site, below=below, device=f"/dev/{site.name}")


def plan(file: Path) -> str:
    """The steps of a stack with their commands in full, scripts and standard input included."""
    lines: list[str] = []
    for site in read_stack(file).sites:
        lines.append(f"== {site.name}: {site.kind} on {site.host}")
        for step in builder(site.kind).plan(standing(site)):
            lines += [
                f"-- {step.does}" + (f" (on {step.host})" if step.host else ""),
                *_commands_of(step),
            ]
    return "\n".join(lines) + "\n"


def _commands_of(step: Step) -> Iterator[str]:
    yield from _commands("do", step.do)
    if step.there:
        yield from _line_of("there", step.there.argv)
        yield from (f"  shows {text!r}" for text in step.there.shows)
    yield from _commands("undo", step.undo)
    yield from _commands("again", step.again)
    yield from (f"destroys {path}" for path in step.destroys)
    yield from (f"touches {touch}" for touch in step.touches)
    if step.shared or step.turn:
        yield f"shared {step.shared}, turn {step.turn!r}"


def _commands(what: str, commands: Iterable[Command]) -> Iterator[str]:
    for command in commands:
        marks = " may fail" * command.may_fail + " loses data" * command.wipes
        yield from _line_of(f"{what} ({command.timeout:g} s{marks})", command.argv)
        if command.stdin:
            yield from _indented(command.stdin, "  < ")


def _line_of(what: str, argv: Iterable[str]) -> Iterator[str]:
    """A command in one line; a word of several lines (a script) stands below it."""
    arguments = list(argv)
    long = [word for word in arguments if "\n" in word]
    yield f"{what}: " + " ".join("<script>" if word in long else repr(word) for word in arguments)
    for word in long:
        yield from _indented(word, "  | ")


def _indented(text: str, mark: str) -> Iterator[str]:
    return ((mark + line).rstrip() for line in text.split("\n"))
