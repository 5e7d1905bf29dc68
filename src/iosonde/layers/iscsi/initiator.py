"""The importing side: a session of open-iscsi, whose LUN 0 is a block device."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers.iscsi.target import IscsiTargetDeclared, iqn
from iosonde.layers.layer import (
    BlockDevice,
    Layer,
    LayerSetting,
    NetworkCrossing,
    Scene,
    TargetLoss,
    queue_settings,
)
from iosonde.layers.site import Builds, Declared, Duration, Site, Size
from iosonde.layers.step import Check, Command, Step, modules, run, soft_roce
from iosonde.records.stack import Scalar, StackLayer

_PATIENCE = 60.0
_SESSION = 'grep -lxF "$1" /sys/class/iscsi_session/session*/targetname'


class IscsiInitiatorDeclared(Declared):
    """A session with the target below, over `transport`.

    `replacement_timeout` is how long a lost session is waited for before I/O fails; the others are
    keys of iscsid.conf(5) of the same names (`queue_depth`, `cmds_max`, burst lengths in bytes).
    """

    unread = dict.fromkeys(
        (
            "replacement_timeout", "queue_depth", "cmds_max", "first_burst_length",
            "max_burst_length", "immediate_data", "initial_r2t", "sessions",
        ),
        "target and initiator agree on it, and `iosonde tune` sets it while the session stands",
    )  # fmt: skip

    kind: Literal["iscsi"] = "iscsi"
    transport: Literal["tcp", "iser"] = "tcp"
    replacement_timeout: Duration = 30.0
    queue_depth: int | None = Field(default=None, ge=1, le=1024)
    cmds_max: int | None = Field(default=None, ge=2, le=2048)
    first_burst_length: Size | None = None
    max_burst_length: Size | None = None
    immediate_data: bool | None = None
    initial_r2t: bool | None = None
    sessions: int = Field(default=1, ge=1, le=16)
    rxe: str = Field(default="", pattern=r"^[\w.-]*$")


def _keys(declared: IscsiInitiatorDeclared) -> dict[str, str]:
    """Keys of the node record that were declared (open-iscsi's README, "node.session…")."""
    yes = {True: "Yes", False: "No", None: None}
    keys: dict[str, object] = {
        "node.startup": "manual",
        "node.session.timeo.replacement_timeout": f"{declared.replacement_timeout:.0f}",
        "node.session.queue_depth": declared.queue_depth,
        "node.session.cmds_max": declared.cmds_max,
        "node.session.iscsi.FirstBurstLength": declared.first_burst_length,
        "node.session.iscsi.MaxBurstLength": declared.max_burst_length,
        "node.session.iscsi.ImmediateData": yes[declared.immediate_data],
        "node.session.iscsi.InitialR2T": yes[declared.initial_r2t],
        "node.session.nr_sessions": declared.sessions if declared.sessions > 1 else None,
    }
    return {name: str(value) for name, value in keys.items() if value is not None}


_QUEUE = (
    "scheduler", "nr_requests", "rq_affinity", "read_ahead_kb", "nomerges", "max_sectors_kb",
    "write_cache",
)  # fmt: skip
_BURST = 16777215  # RFC 7143, 13.13 and 13.14


def _record(name: str, key: str, unit: str = "", **more: Any) -> LayerSetting:
    """A key of the node record: a change logs out and in again, and the disk is a new one then."""
    return LayerSetting(
        name, "iscsiadm", f"{{iqn}} {{portal}} node.{key}", unit, needs="reconnect", risk="cut",
        apart=True, lasts=True, disturbs=(*_QUEUE, "queue_depth", "recovery_tmo"), **more,
    )  # fmt: skip


class IscsiInitiator(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "iscsi"
    crossing = NetworkCrossing()
    settings = (
        *queue_settings(*_QUEUE),
        LayerSetting(
            "queue_depth", "sysfs", "/sys/block/{name}/device/queue_depth", low=1, risk="stall"
        ),
        LayerSetting(
            "recovery_tmo", "sysfs", "/sys/class/iscsi_session/{session}/recovery_tmo", "s", low=0,
            risk="stall",
        ),
        _record("session_queue_depth", "session.queue_depth", low=1, high=1024),
        _record("cmds_max", "session.cmds_max", low=2, high=2048),
        _record("first_burst_length", "session.iscsi.FirstBurstLength", "B", low=512, high=_BURST),
        _record("max_burst_length", "session.iscsi.MaxBurstLength", "B", low=512, high=_BURST),
        _record("immediate_data", "session.iscsi.ImmediateData", choices=("Yes", "No")),
        _record("initial_r2t", "session.iscsi.InitialR2T", choices=("Yes", "No")),
        _record("max_outstanding_r2t", "session.iscsi.MaxOutstandingR2T", low=1, high=65535),
        _record("sessions", "session.nr_sessions", low=1, high=16),
    )  # fmt: skip
    fixed_settings = (
        "reconnect",
        "the initiator and the target agreed on it at login",
    )
    stands_on = "iscsi_target"
    # drivers/scsi/scsi_transport_iscsi.c, iscsi_session_state_names: "LOGGED_IN", "FAILED",
    # "FREE"; iscsid.conf
    target_loss = TargetLoss(
        lambda state: state.upper() == "LOGGED_IN",
        "I/O waits until node.session.timeo.replacement_timeout has passed, and fails then",
        "`iscsiadm -m session -P 1` shows it; the daemon logs in again by itself",
    )
    named_alike = ("iqn",)
    renamed_by_login = True
    declaration = IscsiInitiatorDeclared
    probe = "device"

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Disks of a session, of which lsblk says that they are iSCSI's."""
        layers = []
        for device in scene.devices.values():
            session = await _session(scene, device)
            if session is None:
                continue
            place = f"/sys/class/iscsi_session/session{session}"
            names = ("targetname", "state", "first_burst_len", "max_burst_len")
            texts = await scene.texts([f"{place}/{name}" for name in names])
            attributes = {path.rsplit("/", 1)[1]: text for path, text in texts.items()}
            facts: dict[str, Scalar] = {
                "iqn": attributes.get("targetname"),
                "state": attributes.get("state"),
            }
            facts["session"] = f"session{session}"
            connected = await scene.host.glob(
                f"/sys/class/iscsi_connection/connection{session}:*/persistent_address"
            )
            if connected:
                port = connected[0].replace("persistent_address", "persistent_port")
                own = await scene.texts([connected[0], port])
                facts["address"] = own.get(connected[0])
                if connected[0] in own and port in own:
                    facts["portal"] = f"{own[connected[0]]}:{own[port]}"
            state = attributes.get("state", "")
            layers.append(
                scene.device_layer(
                    self.kind,
                    device,
                    facts={name: value for name, value in facts.items() if value},
                    settings={name: attributes[name] for name in names[2:] if name in attributes},
                    hazards=() if state in {"LOGGED_IN", ""} else (state.lower(),),
                )
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared, target = site.declared_as(IscsiInitiatorDeclared), site.only
        exported = target.declared
        if not isinstance(exported, IscsiTargetDeclared):
            raise site.wrong("an iSCSI initiator stands `of` a layer of kind iscsi_target")
        if declared.transport == "iser" and not exported.iser:
            raise site.wrong(f"the target {target.name} has no portal for iSER: add `iser: true`")
        name = iqn(target)
        node = ("iscsiadm", "--mode", "node", "--targetname", name, "--portal", _portal(site))
        interface = "iser" if declared.transport == "iser" else "default"
        update = tuple(
            Command((*node, "--op", "update", "--name", key, "--value", value))
            for key, value in _keys(declared).items()
        )
        return (
            modules("ib_iser" if declared.transport == "iser" else "iscsi_tcp"),
            *(soft_roce(declared.rxe) if declared.rxe else ()),
            Step(
                "start iscsid",
                (run("iscsid"),),
                Check(("pidof", "iscsid")),
                (run("iscsiadm", "--killiscsid", "0"),),
                shared=True,
            ),
            Step(
                f"record the target {target.name} on {target.host}",
                (Command((*node, "--interface", interface, "--op", "new")), *update),
                Check(node),
                (Command((*node, "--op", "delete")),),
            ),
            Step(
                "log in",
                (Command((*node, "--login"), timeout=_PATIENCE),),
                Check(("sh", "-c", _SESSION, "sh", name)),
                (Command((*node, "--logout"), timeout=_PATIENCE, may_fail=True),),
            ),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """Udev's name by the path."""
        path = f"/dev/disk/by-path/ip-{_portal(site)}-iscsi-{iqn(site.only)}-lun-0"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path


async def _session(scene: Scene, device: BlockDevice) -> str | None:
    """The number of the session that a disk belongs to (scsi_transport_iscsi.c)."""
    if device.type != "disk" or device.lsblk.get("tran") != "iscsi":
        return None
    name = device.name
    sessions = await scene.host.glob(
        f"/sys/class/iscsi_session/session*/device/target*/*/block/{name}"
    )
    return sessions[0].split("/")[4].removeprefix("session") if sessions else None


def _portal(site: Site) -> str:
    declared, target = site.declared_as(IscsiInitiatorDeclared), site.only
    port = target.declared_as(IscsiTargetDeclared).port + (declared.transport == "iser")
    return f"{site.address(target.host)}:{port}"
