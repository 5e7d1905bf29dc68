"""Draws a capture as a tree for the terminal: from what is used down to the disks."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from iosonde.records.stack import Capture, Gap, HostFacts, Scalar, StackLayer
from iosonde.stack import label
from iosonde.stack.model import Stack
from iosonde.units import show_bytes
from iosonde.visible import visible


def draw(capture: Capture, *, settings: bool = False) -> RenderableType:
    """The hosts' stacks, one tree each, then one line for each thing that could not be read.

    A layer under several others is drawn whole the first time and as a line with "↑" after.

    Args:
        capture: what was discovered.
        settings: show the values of all settings too.
    """
    parts: list[RenderableType] = [
        _host_tree(capture, host, settings=settings) for host in capture.hosts
    ]
    parts += [gap_line(gap, several=len(capture.hosts) > 1) for gap in capture.gaps]
    return Group(*parts)


def gap_line(gap: Gap, *, several: bool = False) -> Text:
    """One gap: what is missing, why, and what would bring it."""
    line = Text("not read: ", style="yellow")
    place = f"{gap.host}: " if several else ""
    line.append(visible(f"{place}{gap.what}: {gap.reason}"), style="default")
    if gap.remedy:
        line.append(visible(f" ({gap.remedy})"), style="dim")
    return line


def _host_tree(capture: Capture, host: HostFacts, *, settings: bool) -> Tree:
    own_layers = Stack(layer for layer in capture.layers if layer.host == host.name)
    stack = Stack(capture.layers)
    title = Text().append(label.host_title(host), style="bold")
    prefix = f"{host.name}."
    if settings:
        own = {
            key.removeprefix(prefix): value
            for key, value in capture.host_wide.items()
            if key.startswith(prefix)
        }
        _append_settings(title, own)
    tree = Tree(title, guide_style="dim")
    drawn: set[str] = set()
    for root in own_layers.roots():
        _branch(tree, stack, root, drawn, settings=settings, host=host.name)
    if not own_layers.layers:
        tree.add(Text("no storage found", style="dim"))
    return tree


def _branch(
    tree: Tree, stack: Stack, layer: StackLayer, drawn: set[str], *, settings: bool, host: str
) -> None:
    again = layer.id in drawn
    text = layer_line(layer, again=again)
    if layer.host != host:
        text.append(visible(f"  on {layer.host}"), style="magenta")
    if settings and not again:
        _append_settings(text, layer.settings)
    node = tree.add(text)
    drawn.add(layer.id)
    if not again:
        for under in stack.below(layer):
            _branch(node, stack, under, drawn, settings=settings, host=layer.host)


def layer_line(layer: StackLayer, *, again: bool = False) -> Text:
    """One layer in one line: kind, name, size, what it is, hazards."""
    text = Text()
    text.append(label.name(layer), style="bold" if layer.mount else "default")
    text.append(f"  {layer.kind}", style="cyan")
    if layer.mount and layer.device:
        text.append(visible(f" on {layer.device}"), style="dim")
    if again:
        text.append("  ↑ drawn above", style="dim")
        return text
    if layer.size is not None:
        text.append(f"  {show_bytes(layer.size)}", style="green")
    phrases = label.brief(layer)
    if phrases:
        text.append(f"  {', '.join(phrases)}", style="default")
    for hazard in layer.hazards:
        style = "bold red" if label.is_grave(hazard) else "yellow"
        text.append("  ")
        text.append(visible(f"[{hazard}]"), style=style)
    return text


def _append_settings(text: Text, settings: Mapping[str, Scalar]) -> None:
    if settings:
        pairs = "  ".join(label.setting(key, value) for key, value in settings.items())
        text.append(f"\n{pairs}", style="dim")
