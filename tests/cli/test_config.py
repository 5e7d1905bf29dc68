"""The configuration file: what it sets, what comes before it, and what is no such file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from iosonde import limits
from iosonde.cli.main import command_of
from iosonde.config import KEYS, read_config
from iosonde.errors import UsageError
from iosonde.measure.study import Study
from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

Run = Callable[..., Ended]
STRANGER = 65534


@pytest.fixture
def file(environment: dict[str, str], tmp_path: Path) -> Path:
    """Where the file belongs; the environment says nothing else."""
    del environment["IOSONDE_STORE"]
    place = tmp_path / ".config" / "iosonde"
    place.mkdir(parents=True)
    return place / "config.yaml"


def origins(ended: Ended) -> dict[str, tuple[object, str, str | None]]:
    assert ended.status == 0, ended.stderr
    jsonschema.validate(ended.json, schema("config"))
    rows = ended.json["values"]
    return {row["key"]: (row["value"], row["origin"], row["where"]) for row in rows}


def test_each_default_is_that_of_the_option_it_stands_for() -> None:
    options = {
        (verb, option.name): option.default
        for verb in ("set", "tune", "compare") for option in command_of(verb).params
    }  # fmt: skip
    assert options["set", "confirm"] == options["tune", "confirm"] == KEYS["confirm"].default()
    assert options["compare", "margin"] == KEYS["margin"].default()
    assert Study.model_fields["loops"].default == KEYS["loops"].default()


def test_values_come_from_environment_then_file_then_default(
    iosonde: Run, file: Path, environment: dict[str, str]
) -> None:
    assert {origin for _, origin, _ in origins(iosonde("config", "--json")).values()} == {"default"}
    file.write_text("# mine\nloops: 3\nstore: ~/runs.sqlite\nlab: /srv/lab\n")
    environment["IOSONDE_LAB"] = "/other"
    shown = origins(iosonde("config", "--json"))
    assert shown["store"] == (f"{environment['HOME']}/runs.sqlite", "file", f"{file}:3")
    assert shown["loops"] == (3, "file", f"{file}:2")
    assert shown["lab"] == ("/other", "environment", "IOSONDE_LAB")
    assert shown["margin"] == ("2%", "default", None)
    assert iosonde("config").stdout.startswith("3 of 5 defaults are set here")


def test_a_file_elsewhere_by_xdg_and_never_by_a_relative_path(
    iosonde: Run, file: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "etc" / "iosonde" / "config.yaml"
    other.parent.mkdir(parents=True)
    other.write_text("loops: 9\n")
    file.write_text("loops: 3\n")
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "etc")
    assert origins(iosonde("config", "--json"))["loops"][0] == 9
    environment["XDG_CONFIG_HOME"] = "etc"
    assert origins(iosonde("config", "--json"))["loops"][0] == 3


@pytest.mark.slow
def test_loops_are_the_options_then_the_studys_then_the_files(
    iosonde: Run, file: Path, tmp_path: Path
) -> None:
    file.write_text(f"loops: 2\nstore: {tmp_path}/kept.sqlite\n")
    load = ("--target", "scratch", "--load", "latency", "--seconds", "1", "--size", "1m")
    study = "targets: scratch\nloads: [latency]\nseconds: 1\nsize: 1m\n"
    (tmp_path / "silent.yaml").write_text(study)
    (tmp_path / "says.yaml").write_text(f"{study}loops: 1\n")
    for arguments, loops in (
        (load, 2), (("silent.yaml", "--loops", "1"), 1), (("silent.yaml",), 2),
        (("says.yaml",), 1),
    ):  # fmt: skip
        ended = iosonde("run", *arguments, "--json")
        assert ended.status == 0, ended.stderr
        assert iosonde("list").stdout.splitlines()[-1].split()[-1] == str(loops), arguments
    assert (tmp_path / "kept.sqlite").exists()
    assert not (tmp_path / ".local").exists()


def test_an_option_comes_before_the_file(iosonde: Run, file: Path) -> None:
    file.write_text("confirm: 4000\n")
    wrong = iosonde("set", "no.such=1")
    assert (wrong.status, "config.yaml:1: confirm: expected" in wrong.stderr) == (2, True)
    assert "has no setting 'no.such'" in iosonde("set", "--confirm", "30", "no.such=1").stderr
    assert iosonde("set", "--help").status == 0


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("loops: 3\nlops: 4\n", 2, "there is no key 'lops'"),
        ("\nloops: 0\n", 2, "loops: expected a whole number from 1 to 10,000, got 0"),
        ("loops: yes\n", 1, "loops: expected a whole number"),
        ("loops: 2.5\n", 1, "loops: expected a whole number"),
        ("loops:\n", 1, "loops: expected a whole number"),
        ("confirm: 4.9\n", 1, "confirm: expected a number of seconds from 5 to 3600, got 4.9"),
        ("confirm: .nan\n", 1, "confirm: expected a number of seconds"),
        ("margin: 100%\n", 1, "margin: expected a share between 0 and 100 %"),
        ("margin: [1]\n", 1, "margin: expected a share"),
        ("store: runs.sqlite\n", 1, "store: expected an absolute path"),
        ("store: ~root/runs.sqlite\n", 1, "store: expected an absolute path"),
        ('lab: "/a\\0b"\n', 1, "lab: expected an absolute path"),
        ("loops: 1\nloops: 2\n", 2, "loops"),
        ("- loops\n", 1, "expected a mapping of keys"),
        ("loops: 3\n'\\u009b31m': 1\n", 2, "there is no key"),
        ("a: b: c\n", 1, "invalid YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    iosonde: Run, file: Path, text: str, line: int, said: str
) -> None:
    file.write_text(text)
    ended = iosonde("config", "--json")
    assert ended.status == 2
    error = ended.json["error"]
    assert error["where"] == f"{file}:{line}"
    assert said in error["message"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}\n", "confirm: 5\nmargin: 0.1\n"])
def test_what_is_not_wrong_is_taken(iosonde: Run, file: Path, text: str) -> None:
    file.write_text(text)
    assert origins(iosonde("config", "--json"))["loops"] == (5, "default", None)


def test_other_things_than_a_file_of_text_are_refused(iosonde: Run, file: Path) -> None:
    def refused() -> str:
        ended = iosonde("config")
        assert (ended.status, ended.stdout) == (2, "")
        assert str(file) in ended.stderr
        return ended.stderr

    file.mkdir()
    assert "is a directory" in refused()
    file.rmdir()
    os.mkfifo(file)
    assert "is a FIFO" in refused()
    file.unlink()
    file.symlink_to("/dev/zero")
    assert "is a character device" in refused()
    file.unlink()
    file.symlink_to(file.name)
    assert "cannot be read: Too many levels of symbolic links" in refused()
    file.unlink()
    file.write_bytes(b"loops: 3\n\n# \xff\n")
    assert f"{file}:3: expected text in UTF-8" in refused()
    file.write_bytes(b"#" * (limits.CONFIGURATION + 1))
    assert "is longer than 16 KiB" in refused()
    file.write_bytes(b"#" * limits.CONFIGURATION)
    assert iosonde("config").status == 0


def test_links_to_nothing_and_to_dev_null_set_nothing(iosonde: Run, file: Path) -> None:
    for target in ("gone", "/dev/null"):
        file.symlink_to(target)
        assert origins(iosonde("config", "--json"))["loops"][1] == "default"
        file.unlink()


def test_a_password_is_not_shown(iosonde: Run, file: Path) -> None:
    file.write_text("store: postgresql://bench:s3cr@t@db1:5432/runs\n")
    ended = iosonde("config", "--json")
    assert origins(ended)["store"][0] == "postgresql://bench:***@db1:5432/runs"
    assert "s3cr" not in ended.stdout
    file.write_text("store: postgresql://bench@db1/runs\n")
    assert origins(iosonde("config", "--json"))["store"][0] == "postgresql://bench@db1/runs"


@pytest.mark.root
def test_what_this_user_may_not_read_is_refused_and_what_he_may_not_see_is_none() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text("loops: 3\n")
        for folder_mode, mode, said in (
            (0o755, 0o644, "['loops']"), (0o700, 0o644, "[]"),
            (0o755, 0o600, f"{file}: cannot be read: Permission denied "
             "(start iosonde as a user who may read it)"),
        ):  # fmt: skip
            Path(folder).chmod(folder_mode)
            file.chmod(mode)
            assert _read_by_a_stranger(file) == said


def _read_by_a_stranger(file: Path) -> str:
    """The keys that another user finds set, or the complaint."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        try:
            said = str(list(read_config(file)))
        except UsageError as problem:
            said = str(problem)
        os.write(sink, said.encode())
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


def _his(file: Path) -> None:
    os.chown(file, STRANGER, 0)


def _his_folder(file: Path) -> None:
    os.chown(file.parent, STRANGER, 0)


def _writable(file: Path) -> None:
    file.chmod(0o606)


def _of_a_group(file: Path) -> None:
    file.chmod(0o660)


def _open_folder(file: Path) -> None:
    file.parent.chmod(0o777)


def _link_to_his(file: Path) -> None:
    other = file.with_name("his.yaml")
    file.rename(other)
    os.chown(other, STRANGER, 0)
    file.symlink_to(other.name)


@pytest.mark.root
@pytest.mark.parametrize(
    "attack", [_his, _his_folder, _writable, _of_a_group, _open_folder, _link_to_his]
)
def test_root_takes_no_file_that_another_user_could_have_written(
    iosonde: Run, file: Path, attack: Callable[[Path], None]
) -> None:
    file.write_text("loops: 3\n")
    file.chmod(0o644)
    assert origins(iosonde("config", "--json"))["loops"][0] == 3
    attack(file)
    ended = iosonde("config")
    assert (ended.status, ended.stdout) == (3, "")
    assert "another user could change" in ended.stderr
    file.unlink()
    assert iosonde("config").status == 0
