"""Stack files: order, hosts, and complaints with the file's line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from iosonde.change.build import planned
from iosonde.errors import UsageError
from iosonde.stack.file import stack_schema, understand
from iosonde.stack.rehearsal import lab_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "stacks"
STACKS = sorted(
    path for path in EXAMPLES.glob("*.yaml") if path.read_text().find("\nstack:") >= 0
    and "\nhosts:" in path.read_text()
)  # fmt: skip

HEAD = "stack: try\nhosts: {s1: {}, s2: {}}\nlayers:\n"


def complaint(layers: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        for _ in planned(understand(HEAD + layers, "f.yaml")):
            pass
    return caught.value


@pytest.mark.parametrize(
    ("layers", "where", "message"),
    [
        ("  a: {kind: disc, host: s1}\n", "f.yaml:4", "did you mean 'disk'"),
        ("  a: {kind: disk}\n", "f.yaml:4", "needs `host:`"),
        ("  a: {kind: disk, host: s3}\n", "f.yaml:4", "no host 's3'"),
        ("  a:\n    kind: disk\n    host: s1\n    sice: 1\n", "f.yaml:7", "no key"),
        ("  a: {kind: disk, host: s1}\n  m: {kind: md, level: 7, of: a}\n", "f.yaml:5", "level"),
        ("  m: {kind: md, level: 1, of: [x, y]}\n", "f.yaml:4", "no layer 'x'"),
        ("  A: {kind: disk, host: s1}\n", "f.yaml:4", "no name"),
        ("  f: {kind: xfs, of: g, mount: /f}\n  g: {kind: xfs, of: f, mount: /g}\n", "f.yaml:4",
         "one another"),
        ("  a: {kind: disk, host: s1}\n  b: {kind: disk, host: s2}\n"
         "  m: {kind: md, level: 1, of: [a, b]}\n", "f.yaml:6", "several hosts"),
        ("  a: {kind: disk, host: s1}\n  m: {kind: md, level: 5, of: [a]}\n", "layer m", "members"),
        ("  a: {kind: disk, host: s1}\n  t: {kind: thin, of: a}\n", "f.yaml:5", "no kind"),
        ("  a: {kind: disk, host: s1}\n  t: {kind: lvm, type: thin, of: a, size: 1 GiB}\n",
         "layer t", "thin-pool"),
        ("  a: {kind: disk, host: s1}\n  n: {kind: nvmeof, of: a, host: s2}\n", "f.yaml:5",
         "nvmeof_target"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(layers: str, where: str, message: str) -> None:
    problem = complaint(layers)
    assert problem.where == where
    assert message in f"{problem.message} {problem.hint}"


def test_layers_may_stand_in_any_order() -> None:
    stack = understand(
        HEAD + "  m: {kind: md, level: 1, of: [a, b]}\n  a: {kind: disk, host: s1}\n"
        "  b: {kind: disk, host: s1}\n",
        "f.yaml",
    )
    assert [site.name for site in stack.sites] == ["a", "b", "m"]
    assert {site.host for site in stack.sites} == {"s1"}


def test_hosts_are_in_the_lab_unless_they_say_otherwise() -> None:
    text = "stack: try\nhosts: {s1: {at: root@a, address: 10.1.1.1}, s2: {}}\nlayers:\n"
    text += "  a: {kind: disk, host: s1, path: /dev/sdb}\n"
    stack = understand(text, "f.yaml")
    assert stack.opens == {"s1": "root@a", "s2": "lab:try/s2"}
    assert stack.sites[0].addresses == {"s1": "10.1.1.1", "s2": "10.9.0.2"}
    assert not stack.sites[0].in_lab
    rehearsed = understand(text, "f.yaml", rehearse=True)
    assert rehearsed.opens["s1"] == "lab:try/s1"
    assert rehearsed.sites[0].in_lab
    other = understand(text, "f.yaml", at={"s2": "local"})
    assert other.opens["s2"] == "local"


@pytest.mark.parametrize(
    ("entry", "opens"),
    [
        ("{at: bob@a, become: sudo}", "sudo:bob@a"),
        ("{at: 'ssh:a', become: sudo}", "sudo:a"),
        ("{at: 'sudo:a', become: sudo}", "sudo:a"),
        ("{at: a, become: doas}", "doas:a"),
        ("{at: 'doas:a', become: sudo}", "doas:a"),
        ("{at: a}", "a"),
    ],
)
def test_sudo_makes_root_where_a_host_says_so(entry: str, opens: str) -> None:
    text = f"stack: try\nhosts: {{s1: {entry}}}\nlayers:\n"
    text += "  a: {kind: disk, host: s1, path: /dev/sdb}\n"
    assert understand(text, "f.yaml").opens == {"s1": opens}
    assert understand(text, "f.yaml", rehearse=True).opens == {"s1": "lab:try/s1"}


@pytest.mark.parametrize(
    "entry", ["{become: sudo}", "{at: local, become: doas}", "{at: a, become: su}"]
)
def test_sudo_on_other_hosts_and_other_programs_are_refused(entry: str) -> None:
    text = f"stack: try\nhosts:\n  s1: {entry}\nlayers:\n  a: {{kind: disk, host: s1}}\n"
    with pytest.raises(UsageError, match=r"become|makes root") as caught:
        understand(text, "f.yaml")
    assert caught.value.where == "f.yaml:3"


def test_a_file_system_aligns_to_the_striping_below() -> None:
    layers = "".join(f"  d{n}: {{kind: disk, host: s1}}\n" for n in range(6))
    layers += "  r6: {kind: md, level: 6, chunk_size: 128 KiB, of: [d0, d1, d2, d3, d4, d5]}\n"
    layers += "  lv: {kind: lvm, of: r6}\n  x: {kind: xfs, of: lv, mount: /x}\n"
    steps = {
        report.action: report.command for report in planned(understand(HEAD + layers, "f.yaml"))
    }
    assert "su=131072,sw=4" in steps["make an xfs file system"]
    ext = layers.replace("kind: xfs", "kind: ext4")
    steps = {report.action: report.command for report in planned(understand(HEAD + ext, "f.yaml"))}
    assert "stride=32,stripe_width=128" in steps["make an ext4 file system"]


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_the_examples_can_be_planned_and_keep_to_the_schema(path: Path) -> None:
    text = path.read_text()
    stack = understand(text, str(path))
    assert planned(stack)
    nodes = {node.name: len(node.disks) for node in lab_of(stack).nodes}
    assert set(nodes) == set(stack.hosts)
    assert sum(nodes.values()) == sum(site.kind in {"disk", "guest"} for site in stack.sites)
    document = json.loads(json.dumps(YAML(typ="safe").load(text)))
    jsonschema.validate(document, stack_schema())


@pytest.mark.parametrize(
    ("hosts", "hint"),
    [
        ("{h: {lab: {memry: 1 GiB}}}", "did you mean 'memory'?"),
        ("{h: {adress: 10.0.0.1}}", "did you mean 'address'?"),
        ("{h: {lab: {about: x}}}", "known: cpus, memory, remembers"),  # a key of the file's top
    ],
)
def test_a_misspelt_key_is_compared_with_those_of_its_own_place(hosts: str, hint: str) -> None:
    text = f"stack: s\nhosts: {hosts}\nlayers:\n  d: {{kind: disk, host: h}}\n"
    with pytest.raises(UsageError) as caught:
        understand(text, "s.yaml")
    assert caught.value.hint == hint
