"""Rows that other packages add to tables, by entry points."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SAMPLE = Path("examples/plugin").resolve()

ADDED = """
import json, sys
from iosonde.explain.judge import findings
from iosonde.layers import LAYERS
from iosonde.loads import LOADS
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.load import RawOutput
from iosonde.report import FORMATS
said = b"104857600 bytes (105 MB, 100 MiB) copied, 0.25 s, 419 MB/s"
cat = LOADS.load("cat")()
state = StateEvidence("ramdisk", "ram0", "db1", {}, "here", "db1")
print(json.dumps({
    "kind": LAYERS.load("ramdisk").kind,
    "own": LAYERS.load("md").kind,
    "metrics": cat.parse(RawOutput(0, b"", said)).metrics,
    "rules": [one.rule for one in findings(EvidenceSet(states=(state,)))],
    "suffix": FORMATS.load("tsv").suffix,
}))
"""


def _installed(place: Path, *, rename: tuple[str, str] = ("", "")) -> Path:
    """The sample as an installer lays it out: its modules, and a folder of metadata.

    Source: PyPA, "Recording installed projects" and "Entry points specification".
    """
    project = tomllib.loads((SAMPLE / "pyproject.toml").read_text())["project"]
    shutil.copytree(SAMPLE / "iosonde_ramdisk", place / "iosonde_ramdisk")
    folder = place / "iosonde_ramdisk-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items())
        for group, rows in project["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text(
        "\n".join(lines).replace(*rename) if rename[0] else "\n".join(lines)
    )
    return place


def _ran(program: str, place: Path) -> subprocess.CompletedProcess[str]:
    start = f"import sys; sys.path.insert(0, {str(place)!r})\n{program}"
    return subprocess.run(
        [sys.executable, "-c", start], capture_output=True, text=True, check=False
    )


def test_the_sample_adds_a_layer_a_load_a_rule_and_a_format(tmp_path: Path) -> None:
    ended = _ran(ADDED, _installed(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {
        "kind": "ramdisk", "own": "md", "metrics": {"read.bandwidth": 419430400.0},
        "rules": ["ramdisk-target"], "suffix": ".tsv",
    }  # fmt: skip


def test_without_the_package_nothing_of_it_is_there(tmp_path: Path) -> None:
    ended = _ran(ADDED, tmp_path)
    assert "there is no load engine 'cat'" in ended.stderr


@pytest.mark.parametrize(
    ("rename", "said"),
    [(("ramdisk = iosonde_ramdisk.layer", "md = iosonde_ramdisk.layer"),
      "the layer kind 'md' of package iosonde-ramdisk has a name that is taken (choose another "
      "name for it, or uninstall iosonde-ramdisk)"),
     (("iosonde_ramdisk.layer:Ramdisk", "iosonde_ramdisk.gone:Ramdisk"),
      "the layer kind 'ramdisk' of package iosonde-ramdisk cannot be loaded: ModuleNotFoundError"),
     (("iosonde_ramdisk.layer:Ramdisk", "iosonde_ramdisk.layer:Gone"),
      "cannot be loaded: AttributeError")],
    ids=["a name that is taken", "no module", "no class"],
)  # fmt: skip
def test_a_package_that_does_not_fit_is_named(
    tmp_path: Path, rename: tuple[str, str], said: str
) -> None:
    show = "from iosonde.layers import LAYERS\n[LAYERS.load(name) for name in LAYERS]"
    ended = _ran(show, _installed(tmp_path, rename=rename))
    assert ended.returncode == 1
    assert said in ended.stderr
