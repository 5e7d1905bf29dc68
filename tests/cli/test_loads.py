"""`iosonde loads` as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jsonschema

from iosonde.loads.named import names
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

Run = Callable[..., Ended]


def test_the_list_names_every_load_and_what_it_does(iosonde: Run) -> None:
    ended = iosonde("loads")
    assert ended.status == 0
    rows = {line.split()[0]: line for line in ended.stdout.splitlines() if line.strip()}
    assert set(names()) <= set(rows)
    assert "writes" in rows["certification"]
    assert "2 GiB" in rows["certification"]
    assert "reads+writes" in rows["integrity"]


def test_json_holds_to_its_schema(iosonde: Run) -> None:
    for arguments in (("loads", "--json"), ("loads", "integrity", "--json")):
        jsonschema.validate(iosonde(*arguments).json, schema("loads"))
    (only,) = iosonde("loads", "integrity", "--json").json["loads"]
    assert (only["reads"], only["writes"], only["seconds"]) == (True, True, None)


def test_a_printed_load_can_be_run_as_a_file(iosonde: Run, tmp_path: Path) -> None:
    text = iosonde("loads", "latency").stdout
    (tmp_path / "mine.yaml").write_text(text.replace("bs: 4k", "bs: 8k"))
    study = "targets: scratch\nloads: [mine.yaml]\nseconds: 1\nloops: 1\n"
    (tmp_path / "study.yaml").write_text(study)
    ended = iosonde("run", "study.yaml", "--dry-run")
    assert ended.status == 0, ended.stderr
    assert "bs=8k" in ended.stdout


def test_a_name_nearly_right(iosonde: Run) -> None:
    ended = iosonde("loads", "certificaton")
    assert ended.status == 2
    assert "did you mean 'certification'" in ended.stderr


def test_what_is_left_out_of_a_pasted_command_is_told(iosonde: Run) -> None:
    fio = "fio --name=x --filename=/dev/sda --rw=write --size=1m --bs=4kib"
    ended = iosonde("run", "--fio", fio, "--target", "scratch", "--dry-run", "--json")
    assert ended.status == 0, ended.stderr
    assert "/dev/sda" not in ended.stdout
    assert ended.json["schema"] == "iosonde.plan/1"
    assert "x: filename is left out: the target says where the load is applied" in ended.stderr
    assert "bs=4kib: fio reads KiB as 1000 bytes" in ended.stderr


def test_a_load_with_a_published_limit_is_judged_by_it_where_it_is_alone(
    iosonde: Callable[..., Ended], tmp_path: Path
) -> None:
    options = ("--target", str(tmp_path), "--loops", "3", "--seconds", "1", "--max-seconds", "4")
    alone = iosonde("run", "--load", "etcd-wal", *options, "--require", "write.iops > 1")
    assert "sync.latency.p99 < 10 ms" not in alone.stdout  # the study says it itself
    judged = iosonde("run", "--load", "etcd-wal", "--target", str(tmp_path), "--loops", "3",
                     "--seconds", "1")  # fmt: skip
    assert "sync.latency.p99 < 10 ms" in judged.stdout.splitlines()[0]
    assert judged.status in {0, 1, 5}
