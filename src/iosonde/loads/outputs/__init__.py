"""What load tools print for people, one file per output; `iosonde import` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.passage import Output

OUTPUTS: Table[type[Output]] = Table(
    "output of a load tool",
    {
        "bonnie": "iosonde.loads.outputs.bonnie:Bonnie",
        "dd": "iosonde.loads.outputs.dd:Dd",
        "ioping": "iosonde.loads.outputs.ioping:Ioping",
        "fio_command": "iosonde.loads.outputs.fio_command:FioCommand",
        "fio_json": "iosonde.loads.outputs.fio_json:FioJson",
        "fio_terse": "iosonde.loads.outputs.fio_terse:FioTerse",
        "fio_text": "iosonde.loads.outputs.fio_text:FioText",
        "hdparm": "iosonde.loads.outputs.hdparm:Hdparm",
        "iozone": "iosonde.loads.outputs.iozone:Iozone",
        "iozone_command": "iosonde.loads.outputs.iozone_command:IozoneCommand",
        "loop_tester": "iosonde.loads.outputs.loop_tester:LoopTester",
    },
)
