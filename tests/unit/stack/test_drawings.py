"""The drawings, with names that try to break out of each language."""

from __future__ import annotations

import re
from io import StringIO

from rich.console import Console

from iosonde.records.stack import Capture, Gap, HostFacts, StackLayer
from iosonde.stack import dot, mermaid
from iosonde.stack.draw import draw

EVIL = '/mnt/a"b\\c<br>[bold]#1;`x`|{y}\n\x1b[31mé 𝄞'
LAYERS = (
    StackLayer(
        "h/ext4:x", "ext4", "h", "/dev/md0", 2048, ("h/md:md0",), EVIL,
        settings={"opts": "rw,noatime", "secret": None},
    ),
    StackLayer("h/lvm:y", "lvm", "h", "/dev/mapper/vg-y", 4096, ("h/md:md0",)),
    StackLayer("h/md:md0", "md", "h", "/dev/md0", 1 << 40, ("h/disk:sda", "h/disk:sdb"),
               facts={"level": "raid5", "chunk_size": 524288}, hazards=("degraded", "held by y")),
    StackLayer("h/disk:sda", "disk", "h", "/dev/sda", 1 << 40,
               facts={"model": "X[/]Y", "transport": "sata", "rotational": True,
                      "logical_block_size": 512, "physical_block_size": 4096}),
    StackLayer("h/disk:sdb", "disk", "h", "/dev/sdb", None),
)  # fmt: skip
CAPTURE = Capture(
    0.0, (HostFacts("h", "6.1", 1, 1 << 30),), LAYERS,
    {"h.vm.dirty_ratio": 20}, (Gap("h", "signatures", "not root", "run as root"),),
)  # fmt: skip


def drawn(*, settings: bool = False, width: int = 300) -> list[str]:
    text = StringIO()
    console = Console(file=text, width=width, highlight=False)
    console.print(draw(CAPTURE, settings=settings))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_the_tree_draws_a_shared_layer_once_whole() -> None:
    lines = drawn()
    assert lines[0] == "h: Linux 6.1, 1 CPU, 1 GiB"
    whole = [line for line in lines if "raid5" in line]
    assert len(whole) == 1
    assert "1 TiB  raid5, chunk 512 KiB  [degraded]  [held by y]" in whole[0]
    assert sum("↑ drawn above" in line for line in lines) == 1
    assert sum("sda  disk" in line for line in lines) == 1
    assert any("X[/]Y, sata, rotating, 512/4096 B" in line for line in lines)
    assert not any("\x1b" in line for line in lines)
    assert '/mnt/a"b\\c<br>[bold]#1;`x`|{y}\\n\\x1b[31mé' in lines[1]
    assert lines[-1] == "not read: signatures: not root (run as root)"


def test_the_tree_shows_settings_only_when_asked() -> None:
    assert not any("noatime" in line for line in drawn())
    shown = drawn(settings=True)
    assert any("opts=rw,noatime  secret=?" in line for line in shown)
    assert any("vm.dirty_ratio=20" in line for line in shown)


def test_a_narrow_terminal_folds_and_loses_nothing() -> None:
    def names_only(lines: list[str]) -> str:
        return re.sub(r"[\s│├└─]", "", "".join(lines))

    assert names_only(drawn(width=40, settings=True)) == names_only(drawn(settings=True))


def test_dot_strings_cannot_be_left() -> None:
    text = dot.to_dot(CAPTURE)
    # Every quoted string taken away, only DOT's own words and signs remain.
    bare = re.sub(r'"(?:[^"\\\n]|\\.)*"', "S", text)
    assert re.fullmatch(r"[\w\s{}\[\]=,;>-]*", bare), bare
    assert bare.count("S -> S;") == 4
    assert "\x1b" not in text


def test_mermaid_labels_cannot_be_left() -> None:
    text = mermaid.to_mermaid(CAPTURE)
    for line in text.splitlines():
        assert line.count('"') in {0, 2}, line
    label = next(line for line in text.splitlines() if "n0[" in line)
    assert "#34;b#92;c#60;br#62;#91;bold#93;#35;1#59;#96;x#96;#124;" in label
    assert text.count("-->") == 4
    assert "class n2 fault" in text
