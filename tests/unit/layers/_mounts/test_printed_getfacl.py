"""getfacl. Oracle: the entries themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs/files-composed/getfacl.txt").read_text()


def test_who_owns_a_file_and_what_its_list_grants() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        first, second, third = counters(given, "getfacl")
        assert first.name == "srv/oak", shape
        assert first.values == {
            "owner": "nobody", "group": "domain users", "flags": "-s-",
            "acl": ["user::rwx", "user:anna:rwx (effective r-x)", "group::r-x", "mask::r-x",
                    "other::---", "default:user::rwx"],
        }, shape  # fmt: skip
        assert second.values["acl"] == ["user::rw-", "group::r--", "other::r--"], shape
        assert third.values["acl"] == [
            "owner@:rw-p--aARWcCos:-------:allow", "everyone@:r-----a-R-c--s:-------:allow",
        ], shape  # fmt: skip


@pytest.mark.parametrize("text", [
    "# file: srv/oak\n# owner: nobody\nuser.mime_type=\"text/plain\"\n",
    "# owner: the team that has it\nuser: see above\n",
    "user::rwx\ngroup::r-x\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not counters(text, "getfacl")
