from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.measure.study import Study
from iosonde.stack.declare import (
    RUN_STUDY,
    STACK_FILE,
    TUNE_STUDY,
    read_declaration,
    read_tree,
    require_kind,
)

GOOD = """\
study: two
targets: [/mnt/a, {host: web1, path: /mnt/b, name: b}]
loads:
  - latency
  - fio: {bs: 4k, rw: randread}
until: {halfwidth: 2%}
seconds: 90s
prepare: {precondition: 2 passes, bs: 128k}
"""


def test_a_study_is_read_with_its_units() -> None:
    study = read_declaration(GOOD, "s.yaml", Study)
    assert [(probe.host, probe.path, probe.name) for probe in study.targets] == [
        ("local", "/mnt/a", ""),
        ("web1", "/mnt/b", "b"),
    ]
    assert study.until is not None
    assert (study.until.halfwidth, study.until.max_seconds) == (0.02, 600)
    assert study.seconds == 90
    assert (study.prepare.precondition, study.prepare.bs) == (2, 131072)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targets: /a\nloads: [x]\nlops: 5\n", r"s.yaml:3: there is no key 'lops' here .*'loops'"),
        ("targets: /a\n", r"s.yaml: the key 'loads' is missing"),
        ("targets: /a\nloads: [x]\nseconds: soon\n", r"s.yaml:3: seconds: 'soon' is not a time"),
        ("targets: /a\nloads: [x]\nloops: 0\n", r"s.yaml:3: loops: .*greater than or equal to 1"),
        ("targets: /a\nloads: [x]\nprepare:\n  bs: 4q\n", r"s.yaml:4: prepare.bs: '4q' is not a s"),
        ("targets: /a\nloads: [x]\nuntil: {max_seconds: 9}\n", r"s.yaml:3: until: say `halfwidth"),
        ("targets: /a\nload: x\nlops: 3\n", r":2: there is no key 'load' here; .*: lops .*'loads'"),
        ("target: /a\nbs: 4k\n", r":1: there is no key 'target' here; also wrong: bs, loads"),
        ("targets: /a\nzzz: x\n", r":2: there is no key 'zzz' here; also wrong: loads .*known"),
        ("targets: /a\nloads: [x]\nseconds: soon\n", r"write it as 60, 90s or 2min\)$"),
        ("targets: [\n", r"s.yaml:\d: this is invalid YAML"),
        ("- a\n", r"s.yaml:1: expected a mapping"),
        ("", r"s.yaml:1: expected a mapping"),
        ("targets: \0\n", r"s.yaml.*: this is invalid YAML"),
        ("a: 1\na: 2\n", r"s.yaml:2: this is invalid YAML: found duplicate key"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_declaration(text, "s.yaml", Study)
    import re

    assert re.search(message, str(caught.value)), str(caught.value)


STUDIES = {
    "run": "study: s\ntargets: [/dev/sdx]\nloads: [latency]\n",
    "tune": "study: s\ntarget: /dev/sdx\nload: latency\nvary: {sdx.scheduler: all}\n",
    "up": "stack: s\nhosts: {h: {at: local}}\nlayers: {}\n",
}


@pytest.mark.parametrize("verb", STUDIES)
def test_a_file_of_another_kind_is_called_by_its_name(verb: str) -> None:
    kinds = {kind.verb: kind for kind in (RUN_STUDY, TUNE_STUDY, STACK_FILE)}
    tree = read_tree(STUDIES[verb], "my file.yaml")
    require_kind(tree, kinds.pop(verb))
    for other in kinds.values():
        with pytest.raises(UsageError) as caught:
            require_kind(tree, other)
        assert f"`{verb}`" in str(caught.value)
        assert caught.value.hint == f"iosonde {verb} 'my file.yaml'"
    require_kind(read_tree("study: s\n", "s.yaml"), RUN_STUDY)
