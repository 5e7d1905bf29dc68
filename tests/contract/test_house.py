"""Each rule of tools/house.py sees what breaks it, and not what only looks so.

That they hold is what `make check` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tools import house


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return house.sources(house.SOURCE)


@pytest.fixture(scope="module")
def tests() -> dict[str, str]:
    return house.sources(house.TESTS)


@pytest.mark.parametrize(
    ("planted", "name"),
    [
        ('if layer.kind == "drbd":\n    pass\n', "drbd"),
        ("KINDS = {'loop', 'zram2'}\n", "loop"),
        ("_BCACHE_STATE = ()\n", "bcache"),
        ("def with_dm_cache() -> None: ...\n", "dm_cache"),
        ("from iosonde.layers.hwraid.ledger import KIND\n", "hwraid"),
        ("def later() -> None:\n    from iosonde.layers.disk.kind import Disk\n", "disk"),
    ],
)
def test_an_engine_that_names_a_technology_is_seen(planted: str, name: str) -> None:
    assert house.named({"stack/planted.py": planted}) == {"stack/planted.py": {name}}


@pytest.mark.parametrize(
    ("path", "planted", "name"),
    [
        ("layers/xfs/findings.py", 'below = case.of_kind("disk")\n', "disk"),
        ("layers/xfs/findings.py", 'if state.kind in {"link", "wire"}:\n    pass\n', "link"),
        ("layers/xfs/findings.py", 'KINDS = ("loop", "partition2")\n', "loop"),
        ("layers/xfs/kind.py", 'below = scene.identity("partition", name)\n', "partition"),
        ("layers/xfs/kind.py", 'kind = LAYERS["guest"]\n', "guest"),
        ("layers/xfs/kind.py", 'match kind:\n    case "filesystem":\n        pass\n', "filesystem"),
        ("layers/xfs/facts.py", 'found_in = {"disk": 1, "page": 2}\n', "disk"),
        ("layers/xfs/printed.py", 'if subject.kind == "disk":\n    pass\n', "disk"),
        ("layers/xfs/printed.py", 'place = LAYERS.load("link")\n', "link"),
        ("layers/xfs/printed.py", 'PrintedSubject("md", name, values)\n', "md"),
        ("layers/xfs/printed.py", "from iosonde.layers.disk.facts import subjects\n", "disk"),
        ("text/printed.py", 'kind = "disk"\n', "disk"),
        ("text/printed.py", 'def drawn(of_kinds):\n    return {"disk": 1}\n', "disk"),
        ("report/rows.py", 'if "disk" in kinds:\n    pass\n', "disk"),
        ("layers/xfs/printed_of_no_table.py", 'kind = "disk"\n', "disk"),
        ("loads/yabs.py", 'if "disk" in {each.kind for each in states}:\n    pass\n', "disk"),
        (
            "layers/xfs/findings.py",
            'Rule("a", "b", lambda case: case.of_kind("disk"))\n',
            "disk",
        ),
    ],
)
def test_a_kind_that_is_asked_for_is_a_name_wherever_it_stands(
    path: str, planted: str, name: str
) -> None:
    assert set(house.names_in(planted, path)) == {name}


@pytest.mark.parametrize(
    ("path", "planted"),
    [
        ("layers/md/facts.py", 'PrintedSubject("disk", name, values)\n'),
        ("layers/md/facts.py", 'yield self.counted("disk" if whole else "partition", name)\n'),
        ("layers/md/facts.py", 'name = match["disk"] or volume["partition"]\n'),
        ("layers/md/kind.py", 'run("rdma", "link", "add")\nCheck(("rdma", "link", "show"))\n'),
        ("layers/md/kind.py", 'if device.type != "disk" or device.type == "loop":\n    pass\n'),
        ("monitors/printed_iostat.py", 'kind = "disks" if name in groups else "disk"\n'),
        ("monitors/printed_atop.py", 'KINDS = {"DSK": "disk", "NET": "link"}\n'),
        ("loads/yabs.py", 'where = {"partition": device}\n'),
        ("layers/multipath/kernel_log_esxi.py", 'SAID = (("APD ", "disk", "all_paths_down"),)\n'),
        ("layers/md/findings.py", 'Rule("degraded", "disk", says, source, find)\n'),
        ("layers/md/facts.py", 'kind = kind_by_type("loop")\n'),
        ("layers/md/facts.py", 'if "partition" in facts or "disk" not in facts:\n    pass\n'),
        ("report/rows.py", 'yield {"loop": number}\n'),
    ],
)
def test_words_of_a_text_and_of_its_records_are_no_names(path: str, planted: str) -> None:
    assert set(house.names_in(planted, path)) == set()


def test_a_word_where_no_kind_is_spoken_of_is_listed() -> None:
    texts = {
        "report/rows.py": 'yield {"loop": number}\n',
        "report/kinds.py": 'KINDS = {"loop": number}\n',
        "layers/facts.py": 'yield {"loop": number}\n',
    }
    assert house.homonyms(texts) == {"report/rows.py": {"loop"}}
    assert house.named(texts) == {"report/kinds.py": {"loop"}, "layers/facts.py": {"loop"}}


@pytest.mark.parametrize(
    "planted",
    [
        '_NAMED_TYPES = ((re.compile("sd"), "disk"),)\n',
        'def device_type(kernel):\n    return "disk" if kernel else ""\n',
    ],
)
def test_a_type_of_a_device_is_listed_and_is_no_name(planted: str) -> None:
    other = planted.replace("TYPES", "KINDS").replace("type", "kind")
    texts = {"layers/_a.py": planted, "layers/_b.py": other, "layers/disk/kind.py": planted}
    assert house.homonyms(texts) == {"layers/_a.py": {"disk"}}
    assert house.named(texts) == {"layers/_b.py": {"disk"}}


@pytest.mark.parametrize(
    "planted",
    [
        '"""DRBD and md, in prose."""\n',
        "# md stands here\n",
        'hint = "see `mdadm --detail`"\n',
        "for loop in loops:\n    link(loop)\n",
        "from iosonde.layers._ledger.rule import accounting_of\n",
        "from iosonde.layers.layer import Layer\n",
        'kind = "lvmish"\n',
    ],
)
def test_prose_and_words_of_the_language_are_no_names(planted: str) -> None:
    assert house.named({"stack/near.py": planted}) == {}


@pytest.mark.parametrize(
    ("path", "planted"),
    [
        ("layers/md/kind.py", 'kind = "md"\n'),
        ("layers/iscsi/ledger.py", 'kind = "iscsi_target"\n'),
        ("layers/zram.py", 'kind = "zram"\n'),
        ("layers/ceph/facts.py", "from iosonde.layers.ceph.facts_status import status\n"),
        (
            "monitors/__init__.py",
            'SAMPLERS = {"link": "iosonde.layers.link.sampled:LinkSampler"}\n',
        ),
    ],
)
def test_a_technology_names_itself_and_has_its_rows(path: str, planted: str) -> None:
    assert house.named({path: planted}) == {}


@pytest.mark.parametrize(
    ("path", "planted", "name"),
    [
        ("layers/xfs/kind.py", 'kind = "md"\n', "md"),
        ("layers/dm_cache/kind.py", 'below = case.of_kind("dm")\n', "dm"),
        ("layers/_raid/below.py", 'if lower.kind == "loop":\n    pass\n', "loop"),
        ("monitors/cpu.py", "from iosonde.layers.ceph.facts_status import status\n", "ceph"),
    ],
)
def test_a_technology_that_names_another_is_seen(path: str, planted: str, name: str) -> None:
    assert house.named({path: planted}) == {path: {name}}


def test_two_public_classes_of_one_name_are_seen() -> None:
    texts = {
        "layers/a.py": "class Same: ...\nclass _Own: ...\n",
        "report/b.py": "class Same: ...\n",
    }
    assert house.classes_twice(texts) == {"Same"}
    near = {**texts, "report/b.py": "class _Own: ...\ndef made():\n    class Same: ...\n"}
    assert house.classes_twice(near) == frozenset()


def test_a_program_in_a_string_is_seen() -> None:
    def written(lines: int) -> str:
        return "\n".join(f'echo "$1" "$2" {number}' for number in range(lines))

    planted = {"long.py": f'"""Says $1 and $2."""\n_SCRIPT = """\n{written(6)}\n"""\n'}
    assert house.shell(planted) == {"long.py": 6}
    assert house.shell({"short.py": f'_SCRIPT = """\n{written(5)}\n"""\n'}) == {}
    assert house.shell({"prose.py": f'"""\n{written(6)}\n"""\n'}) == {}


@pytest.mark.parametrize(
    "planted",
    [
        "def f(one: int) -> None: ...\n",
        "names = [found.name for found in devices]\n",
        "def f() -> None:\n    known = set()\n",
        "def f() -> None:\n    for told, _ in rows: ...\n",
        "try: ...\nexcept OSError as told: ...\n",
        "if words := text.split(): ...\n",
        "match value:\n    case [*one]: ...\n",
        "_WORDS = frozenset()\n",
        "class _Found: ...\n",
        "def known() -> None: ...\n",
        "class Column:\n    async def _told(self) -> None: ...\n",
        "class Column:\n    words: bool = False\n",
        "def f(self) -> None:\n    self._known = {}\n",
        "from iosonde.text.torn import torn_words as words\n",
    ],
)
def test_a_variable_that_says_nothing_is_seen(planted: str) -> None:
    assert len(house.vague(planted)) == 1


@pytest.mark.parametrize(
    "right",
    [
        "class Column:\n    word_count: int = 1\n",
        "def as_found() -> None: ...\n",
        "def f(device: int) -> int:\n    return device.one(found=1)\n",
        "from iosonde.text.torn import words\n",
        '"""one, found"""\n',
    ],
)
def test_a_name_that_says_more_or_is_of_others_is_right(right: str) -> None:
    assert house.vague(right) == []


def test_a_module_whose_name_says_nothing_is_seen() -> None:
    vague = ["loads/fio/words.py", "stack/found_layers.py", "unit/known/test_table.py"]
    right = ["text/foundation.py", "predict/discovered.py", "unit/text/test_one_line.py"]
    assert house.vague_modules([*vague, *right]) == vague


def test_a_long_module_is_seen() -> None:
    texts = {"text/long.py": "pass\n" * 451, "text/full.py": "pass\n" * 450}
    assert house.long_modules(texts) == {"text/long.py": 451}


@pytest.mark.parametrize(
    ("before", "count", "expected"),
    [
        ("", 61, ["1: f, 61 lines"]),
        ("", 60, []),
        ('    """What.\n\n    And how.\n    """\n    # why\n\n', 60, []),
        ('    """What."""\n    # why\n\n', 61, ["1: f, 61 lines"]),
    ],
)
def test_a_long_function_is_seen(before: str, count: int, expected: list[str]) -> None:
    """A docstring, a comment and a blank line are no code, nor is what stands before the body."""
    text = f"def f(\n    a: int,\n) -> None:\n{before}" + "    print(a)\n\n" * count
    assert house.long_functions(text) == expected
    assert house.long_functions(f"async {text}") == expected


def test_an_aspect_without_a_test_is_seen() -> None:
    texts = {"layers/md/printed_mdstat.py": "", "layers/md/kind.py": "", "stack/findings.py": ""}
    assert house.untested(texts, {}) == {"layers/md/printed_mdstat.py"}
    for name, text in (
        ("unit/a.py", "from iosonde.layers.md.printed_mdstat import Mdstat\n"),
        ("unit/a.py", "from iosonde.layers.md import printed_mdstat\n"),
        ("unit/a.py", "import iosonde.layers.md.printed_mdstat\n"),
        ("unit/layers/md/test_printed.py", ""),
    ):
        assert house.untested(texts, {name: text}) == frozenset()
    beside = {"unit/layers/lvm/test_printed.py": "from iosonde.layers.md import kind\n"}
    assert house.untested(texts, beside) == {"layers/md/printed_mdstat.py"}


def _without_a_name(texts: dict[str, str]) -> None:
    texts["layers/drbd/kind.py"] = ""


def _with_a_vague_name(texts: dict[str, str]) -> None:
    texts["stack/label.py"] += "one = 1\n"


def test_tests_name_things_for_what_they_hold_as_well() -> None:
    tests = {"unit/test_label.py": "found = 1\n", "unit/test_table.py": "findings = 1\n"}
    named = [problem for problem in house.problems({}, tests) if "name it for" in problem]
    assert named == ["tests/unit/test_label.py:1: found: name it for what it holds or does"]


def _with_a_vague_module(texts: dict[str, str]) -> None:
    texts["stack/found.py"] = ""


def _with_a_name(texts: dict[str, str]) -> None:
    texts["stack/label.py"] += 'kind = "zram"\n'


def _with_many_lines(texts: dict[str, str]) -> None:
    texts["stack/label.py"] += "\n" * 450


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without_a_name, "layers/drbd/kind.py: disk: holds by now"),
        (_with_a_name, "zram: it names"),
        (_with_many_lines, "lines, 450 at most"),
        (_with_a_vague_name, ": one: name it for what it holds"),
        (_with_a_vague_module, "stack/found.py: name it for what it holds"),
    ],
)
def test_the_tables_say_no_more_and_no_less_than_there_is(
    texts: Mapping[str, str], change: Callable[[dict[str, str]], None], said: str
) -> None:
    changed = {
        name: text for name, text in texts.items() if name.startswith(("stack/", "layers/drbd/k"))
    }
    before = set(house.problems(changed, {}))
    change(changed)
    assert any(said in problem for problem in set(house.problems(changed, {})) - before)
