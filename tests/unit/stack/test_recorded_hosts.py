"""Discovery replayed from recordings of real hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.hosts import open_host
from iosonde.hosts.recording import Recorder
from iosonde.records.stack import StackLayer
from iosonde.stack.discover import discover
from tests.recordings.nvme_crypt import nvme_crypt

RECORDINGS = Path(__file__).parents[2] / "recordings"


async def test_loops_on_a_virtual_machine() -> None:
    capture = await discover([await open_host(f"recording:{RECORDINGS / 'vm_loops'}")])
    layers = {layer.id: layer for layer in capture.layers}
    disk, first, second = (
        layers[f"vm/{name}"] for name in ("loop:loop0", "partition:loop0p1", "partition:loop0p2")
    )
    assert disk.facts["physical_block_size"] == 4096
    assert disk.facts["backing_file"] == "/srv/iosonde-scratch/image"
    assert first.facts["start"] == 2048 * 512
    assert first.hazards == ("mounted",)
    assert second.hazards == ("swap",)
    assert first.below == second.below == (disk.id,)
    assert layers["vm/disk:vda"].settings["scheduler"] == "mq-deadline"


async def test_what_is_recorded_is_replayed_the_same(tmp_path: Path) -> None:
    recorder = Recorder(nvme_crypt().host(), tmp_path / "desk")
    recorded = await discover([recorder])
    await recorder.close()
    replayed = await discover([await open_host(f"recording:{tmp_path / 'desk'}")])

    def shape(layers: tuple[StackLayer, ...]) -> set[str]:
        return {repr(layer) for layer in layers}

    assert shape(replayed.layers) == shape(recorded.layers)
    assert replayed.gaps == recorded.gaps
    assert replayed.hosts == recorded.hosts
    assert replayed.host_wide == recorded.host_wide


async def test_a_recording_that_is_not_there_is_called_so(tmp_path: Path) -> None:
    for name in ("gone", "gone.tar.gz"):
        with pytest.raises(UsageError, match="there is no such recording") as caught:
            await open_host(f"recording:{tmp_path / name}")
        assert caught.value.where == str(tmp_path / name)
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(UsageError, match="neither a directory nor a tar archive"):
        await open_host(f"recording:{tmp_path / 'text'}")
