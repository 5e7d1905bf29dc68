"""nvme id-ctrl and id-ns of one drive: the two say the same size."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "nvme-cli"
CONTROLLER, SPACE = ((SAMPLES / f"id-{name}.txt").read_text() for name in ("ctrl", "ns"))


def test_both_in_every_shape() -> None:
    for (shape, controller), (_, space) in zip(
        mangled(CONTROLLER, wraps=False), mangled(SPACE, wraps=False), strict=True
    ):
        ((drive,),) = [state.subjects for state in states(controller)]
        assert (drive.values["model"], drive.values["mdts"]) == ("EXAMPLE NVME 2TB", 8), shape
        assert drive.values["warning_temperature"] == 80
        assert drive.values["volatile_write_cache"] is True
        ((namespace,),) = [state.subjects for state in states(space)]
        assert namespace.values["size"] == drive.values["size"]
        assert namespace.values["logical_block_size"] == 512
        assert namespace.values["used"] == int(str(drive.values["size"])) // 2


def test_its_device_and_prose() -> None:
    ((drive,),) = [s.subjects for s in states("# nvme id-ctrl /dev/nvme3\n" + CONTROLLER)]
    assert drive.name == "nvme3"
    assert read("NVME Identify Controller is an admin command.") == []


def test_rows_that_grep_chose() -> None:
    text = "# nvme id-ctrl /dev/nvme3 | grep -E 'vwc|mdts'\nmdts      : 5\nvwc       : 0x6\n"
    ((drive,),) = [state.subjects for state in states(text)]
    assert (drive.name, drive.values) == ("nvme3", {"mdts": 5, "volatile_write_cache": False})
    text = "# nvme id-ns /dev/nvme3n1 | grep lbaf\nlbaf  0 : ms:0   lbads:9  rp:0x2\n"
    text += "lbaf  1 : ms:8   lbads:12 rp:0 (in use)\n"
    ((space,),) = [state.subjects for state in states(text)]
    assert (space.name, space.values) == (
        "nvme3n1",
        {"logical_block_size": 4096, "metadata_size": 8},
    )
    assert states("You can see it by nvme id-ctrl /dev/nvme3 | grep vwc\nThanks : a lot\n") == []


def test_hexadecimal_figures_without_a_mark_are_not_decimal() -> None:
    old = "NVME Identify Controller:\nmn      : A\n"
    old += "ver     : 10300\nrtd3r   : 7a120\nrtd3e   : 989680\n"
    new = old.replace("10300", "0x10300").replace("7a120", "0x7a120").replace("989680", "0x989680")
    (before,), (since,) = states(old), states(new)
    assert before.subjects == since.subjects
    assert (before.subjects[0].values["ver"], before.subjects[0].values["rtd3e"]) == (
        "0x10300", "0x989680",
    )  # fmt: skip
    ((drive,),) = [s.subjects for s in states(f"{old}cntlid  : 0\nacl     : 10\n")]
    assert (drive.values["cntlid"], drive.values["acl"]) == (0, 10)


def test_a_field_that_grep_left_may_stand_in_a_remark() -> None:
    (state,) = states("```\nnvme id-ctrl /dev/nvme0 | grep oacs\n# oacs : 0xf\n```\n")
    (controller,) = state.subjects
    assert (controller.name, controller.values) == ("nvme0", {"oacs": "0xf"})
    assert not states("nvme id-ctrl /dev/nvme0\n# oacs : 0xf\n")
    (state,) = states("tnvmcap : 960998932480\nunvmcap : 0\n")
    assert state.subjects[0].values == {
        "size": 960998932480, "tnvmcap": 960998932480, "unvmcap": 0,
    }  # fmt: skip
