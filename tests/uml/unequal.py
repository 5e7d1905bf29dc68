"""Run by pytest inside a guest of tools/uml/run: what stands is not what is declared."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.uml.undone import COMMAND, B, C, D, Stack, stack, tool

__all__ = ["stack"]

STRIPES = "  r: {kind: md, level: 0, of: [a, b], chunk_size: 256 KiB}\n"
VOLUME = "  v: {kind: lvm, type: striped, of: [c, d], stripe_size: 64 KiB}\n"


def test_another_chunk_is_refused_with_both_values(stack: Stack) -> None:
    stack.up(STRIPES + VOLUME)
    stack.declare(STRIPES.replace("256 KiB", "262144") + VOLUME)  # the same in another spelling
    assert "unchanged" in stack.run("up")
    said = stack.run("up", "--set", "r.chunk_size=64 KiB", status=3)
    assert "chunk_size is declared 64 KiB and built with 256 KiB" in said
    said = stack.run("up", "--set", "v.stripe_size=16 KiB", status=3)
    assert "stripe_size is declared 16 KiB and built with 64 KiB" in said
    stack.down()


def test_an_array_made_by_hand_is_compared_with_what_it_is(stack: Stack) -> None:
    tool("mdadm", "--create", "/dev/md/un-r", "--run", "--level=1", "--raid-devices=2",
         "--metadata=1.2", "--bitmap=internal", "--assume-clean", C, D)  # fmt: skip
    array = "  r: {kind: md, level: 1, of: [c, d], bitmap: BITMAP}\n"
    stack.declare(array.replace("BITMAP", "internal"))
    assert "was there, not made by iosonde" in stack.run("up")
    stack.declare(array.replace("BITMAP", "none"))
    assert "bitmap is declared none and standing internal" in stack.run("up", status=3)
    stack.declare(array.replace("BITMAP", "internal").replace("[c, d]", "[a, c]"))
    assert "of is declared a (/dev/ubda), c (/dev/ubdc) and" in stack.run("up", status=3)
    tool("mdadm", "--stop", "/dev/md/un-r")
    tool("mdadm", "--zero-superblock", C, D)


MIRROR = "  r: {kind: md, level: 1, of: [a, b], assume_clean: true}\n"
FIO = "fio --name=x --rw=randread --bs=4k --direct=1 --size=8m --time_based --ioengine=psync"


def test_up_on_a_degraded_array_says_so_and_repairs_it(stack: Stack) -> None:
    stack.up(MIRROR)
    tool("mdadm", "--quiet", "/dev/md/un-r", "--fail", B)
    said = stack.run("up", status=4)
    assert "the stack is built, but degraded: r (/dev/md/un-r): degraded, ubdb faulty" in said
    stack.run("up", "--repair")
    assert "Failed Devices : 0" in tool("mdadm", "--detail", "/dev/md/un-r")
    assert "Active Devices : 2" in tool("mdadm", "--detail", "/dev/md/un-r")
    stack.run("up")
    tool("mdadm", "--quiet", "/dev/md/un-r", "--fail", B, "--remove", B)
    tool("mdadm", "--zero-superblock", B)  # as a new disk in its place
    assert "it is another disk" in stack.run("up", "--repair", status=4)
    stack.down()


def test_an_array_that_degrades_in_mid_run(stack: Stack, tmp_path: Path) -> None:
    stack.up(MIRROR)
    store = ("--store", f"sqlite:///{tmp_path}/runs.db")
    run = subprocess.Popen(
        [*COMMAND, "run", "--fio", FIO, "--target", "/dev/md/un-r", "--loops", "9", "--seconds",
         "3", *store],
        env={**os.environ, "COLUMNS": "200"}, text=True, cwd=tmp_path,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert run.stderr is not None
    seen = ""
    for line in run.stderr:
        seen += line
        if "loop 2 of 9" in line:
            tool("mdadm", "--quiet", "/dev/md/un-r", "--fail", B)
            break
    out, rest = run.communicate(timeout=200)
    said = " ".join((seen + rest).split())
    assert run.returncode == 4, out + said
    assert "is degraded, ubdb faulty" in said
    assert "The stack below changed between 2" in said
    name = seen.partition(" run ")[2].partition(":")[0]
    completed = subprocess.run(
        [*COMMAND, "explain", name, *store], cwd=tmp_path, text=True, check=False,
        capture_output=True, env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    assert "(md) is degraded, ubdb faulty" in " ".join(completed.stdout.split()), completed
    assert "1 loop is left out of all figures" in " ".join(completed.stdout.split())
    stack.down()
