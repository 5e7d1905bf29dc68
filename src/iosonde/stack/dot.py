"""Writes a capture in Graphviz's language, one cluster per host.

Source: https://graphviz.org/doc/info/lang.html (quoted strings: backslash and quote escaped).
"""

from __future__ import annotations

from iosonde.records.stack import Capture, StackLayer
from iosonde.stack import label
from iosonde.units import show_bytes
from iosonde.visible import visible


def quoted(*lines: str) -> str:
    r"""Lines as one quoted string of DOT, a line break being `\n`."""
    clean = map(visible, lines)
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in clean]
    return '"' + "\\n".join(escaped) + '"'


def to_dot(capture: Capture) -> str:
    """A digraph: an arrow from each layer to what it stands on."""
    lines = [
        "digraph stack {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];',
    ]
    for index, host in enumerate(capture.hosts):
        lines += [f"  subgraph cluster_{index} {{", f"    label={quoted(label.host_title(host))};"]
        lines += [f"    {_node(layer)}" for layer in capture.layers if layer.host == host.name]
        lines.append("  }")
    ids = {layer.id for layer in capture.layers}
    for layer in capture.layers:
        lines += [
            f"  {quoted(layer.id)} -> {quoted(under)};" for under in layer.below if under in ids
        ]
    return "\n".join([*lines, "}", ""])


def _node(layer: StackLayer) -> str:
    size = [show_bytes(layer.size)] if layer.size is not None else []
    text = [f"{layer.kind} {label.name(layer)}", " ".join(size), ", ".join(label.brief(layer))]
    hazards = ", ".join(layer.hazards)
    shown = [line for line in (*text, hazards) if line]
    grave = any(label.is_grave(word) for word in layer.hazards)
    colour = ', color=red, fillcolor="#ffe8e8"' if grave else ""
    return f"{quoted(layer.id)} [label={quoted(*shown)}{colour}];"
