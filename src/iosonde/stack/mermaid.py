"""Writes a capture as a Mermaid flowchart, one subgraph per host.

Every sign that Mermaid or Markdown could read as its own is written as an entity code.

Source: https://mermaid.js.org/syntax/flowchart.html (special characters, entity codes).
"""

from __future__ import annotations

from iosonde.records.stack import Capture, StackLayer
from iosonde.stack import label
from iosonde.units import show_bytes
from iosonde.visible import visible

# Letters, digits and these stand for themselves in a quoted label; all others become #CODE;.
_PLAIN = frozenset(" .,:/-+=%")


def quoted(*lines: str) -> str:
    """Lines as one quoted label, a line break being <br/>."""
    return '"' + "<br/>".join(_escaped(line) for line in lines) + '"'


def _escaped(line: str) -> str:
    return "".join(
        sign if sign.isalnum() or sign in _PLAIN else f"#{ord(sign)};" for sign in visible(line)
    )


def to_mermaid(capture: Capture) -> str:
    """A flowchart from top to bottom: an arrow from each layer to what it stands on."""
    names = {layer.id: f"n{index}" for index, layer in enumerate(capture.layers)}
    lines = ["flowchart TD"]
    for index, host in enumerate(capture.hosts):
        lines.append(f"  subgraph h{index} [{quoted(label.host_title(host))}]")
        lines.append("    direction TB")
        lines += [
            f"    {names[layer.id]}[{quoted(*_label_lines(layer))}]"
            for layer in capture.layers
            if layer.host == host.name
        ]
        lines.append("  end")
    for layer in capture.layers:
        lines += [
            f"  {names[layer.id]} --> {names[lower]}" for lower in layer.below if lower in names
        ]
    faulty = [
        names[layer.id] for layer in capture.layers if any(map(label.is_grave, layer.hazards))
    ]
    if faulty:
        lines += ["  classDef fault stroke:#c00,fill:#ffe8e8", f"  class {','.join(faulty)} fault"]
    return "\n".join([*lines, ""])


def _label_lines(layer: StackLayer) -> list[str]:
    size = show_bytes(layer.size) if layer.size is not None else ""
    lines = [
        f"{layer.kind} {label.name(layer)}",
        size,
        ", ".join(label.brief(layer)),
        ", ".join(layer.hazards),
    ]
    return [line for line in lines if line]
