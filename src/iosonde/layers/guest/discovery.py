"""Which virtual machines run on a host: QEMU's processes, and guests that the lab runs for it.

Source: proc(5), /proc/PID/cmdline; pgrep(1), which sees the first 15 letters of a name.
"""

from __future__ import annotations

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.layers.guest.command_line import disks_of
from iosonde.layers.layer import Scene
from iosonde.layers.step import Command, run
from iosonde.records.stack import Scalar, StackLayer

MARK = "/run/iosonde-guest-"
"""With a guest's label, what iosonde writes down of it on its host."""
ASK_ADDRESS, ASK_PORT = "10.0.2.100", 7000
"""Where a host of the lab asks for its guests (lab/guests.py)."""
_BOOT = 200.0  # seconds for an emulated machine on a busy host
# Says $3 to $1:$2; status 0 where the answer is $4.
_ASK = """\
exec 3<>"/dev/tcp/$1/$2" || { echo "this lab knows no guests of this host" >&2; exit 1; }
printf '%s\\n' "$3" >&3
read -r answer <&3
[ "$answer" = "$4" ] || { echo "${answer:-no answer}" >&2; exit 1; }
"""


def asking(line: str, answer: str) -> Command:
    """What a host of the lab runs to say "start NAME", "stop NAME" or "state NAME" to the lab.

    Its status is 0 where the lab gives that answer, "running" or "off".
    """
    return run("bash", "-c", _ASK, "bash", ASK_ADDRESS, str(ASK_PORT), line, answer, timeout=_BOOT)


async def running_disks(scene: Scene) -> list[StackLayer]:
    """The disks of all QEMU processes; those of others are seen by root alone."""
    done = await scene.ask("pgrep", "^(qemu-|kvm$)")
    pids = [word for word in kerneltext.decoded(done.stdout).split() if word.isdecimal()]
    texts = await scene.texts([f"/proc/{pid}/cmdline" for pid in pids]) if pids else {}
    disks: dict[str, StackLayer] = {}
    for path, text in texts.items():
        for disk in disks_of(tuple(text.split("\0"))):
            real = await _real(scene, disk.path)
            device = scene.device_at(real)
            if not disk.path.startswith("/") or (real.startswith("/dev/") and not device):
                continue
            name = f"{disk.guest}/{disk.drive}"
            if name in disks:  # two machines of one name
                name = f"{disk.guest}@{path.split('/')[2]}/{disk.drive}"
            disks[name] = StackLayer(
                id=scene.identity("guest", name),
                kind="guest",
                host=scene.host.name,
                device=name,
                size=device.size if device else None,
                below=(scene.on_device(device.name) if device else scene.on_mount(real),),
                facts=disk.facts(),
            )
    return list(disks.values())


async def _real(scene: Scene, path: str) -> str:
    try:
        return await scene.host.resolve(path)
    except HostFailed:
        return path


async def guests_of_lab(scene: Scene) -> list[StackLayer]:
    """The guests that iosonde's lab runs for this host, of those that iosonde wrote down here."""
    marks = [path for path in await scene.host.glob(f"{MARK}*") if not path.endswith(".pid")]
    guests = []
    for path, text in (await scene.texts(marks)).items():
        facts = _mark_facts(text)
        guest, path_below = str(facts.get("guest", "")), str(facts.pop("device", ""))
        state = await scene.host.run(asking(f"state {guest}", "running").argv, check=False)
        label = path.removeprefix(MARK)
        device = scene.device_at(await _real(scene, path_below))
        if guest and state.status == 0:
            guests.append(
                StackLayer(
                    id=scene.identity("guest", label),
                    kind="guest",
                    host=scene.host.name,
                    device=label,
                    size=device.size if device else None,
                    below=(scene.on_named(label),),
                    facts=facts,
                )
            )
    return guests


def _mark_facts(text: str) -> dict[str, Scalar]:
    """The facts in a mark: figures as numbers, iothread as a truth."""
    facts: dict[str, Scalar] = {}
    for line in kerneltext.lines(text):
        key, _, value = line.partition(" ")
        facts[key] = int(value) if value.isdecimal() and key != "serial" else value
    if "iothread" in facts:
        facts["iothread"] = facts["iothread"] == "yes"
    return facts
