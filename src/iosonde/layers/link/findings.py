"""Network and PCIe links: what they can carry, and what goes wrong on them.

Source: IEEE 802.3 clause 4.2.3 (preamble 8, frame check 4, gap 12 bytes beside the header of 14: 38
in all); RFC 791 (IP header 20), RFC 9293 (TCP header 20), RFC 7323 (time stamps 12, on by default
in Linux); AoE: Linux drivers/block/aoe/aoecmd.c (24 bytes of header, 14 of them Ethernet's, and 12
of ATA).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.layers import LAYERS
from iosonde.layers._names import transport_by_name
from iosonde.records.evidence import (
    CounterEvidence,
    EvidenceSet,
    Rule,
    StateEvidence,
    TrialEvidence,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding

if TYPE_CHECKING:
    from iosonde.layers.layer import NetworkCrossing

_OTHERS = frozenset({"cifs", "smb3", "ceph", "rbd"})
"""What goes over a network and is no kind of layer here."""
_STANDARD_MTU = 1500
_ETHERNET = 38  # header, check sequence, preamble and gap
_TCP = 52  # IP, TCP and its time stamps
_NEAR = (0.93, 1.01)
"""Shares of the limit that count as reaching it: protocols above TCP take some more."""


def tcp_payload(speed: float, mtu: int) -> float:
    """Bytes/s of payload that TCP gets through a link. `speed` in bytes/s, `mtu` in bytes."""
    return speed * (mtu - _TCP) / (mtu + _ETHERNET)


def payload(speed: float, mtu: int, crossings: Iterable[NetworkCrossing]) -> float:
    """Bytes/s of payload through a link by what has frames of its own, else by TCP."""
    frame = next((crossing.frame for crossing in crossings if crossing.frame), None)
    if frame is None:
        return tcp_payload(speed, mtu)
    data, whole = frame(mtu)
    return speed * data / (whole + _ETHERNET)


@cache
def _crossing(kind: str) -> NetworkCrossing | None:
    """How the I/O of a kind goes over a network; None where it stays on its host."""
    from iosonde.layers.layer import NetworkCrossing  # with asyncio, which few texts need

    if kind in _OTHERS:
        return NetworkCrossing()
    return LAYERS.load(kind).crossing if kind in LAYERS else None


@dataclass(frozen=True, slots=True)
class _Link:
    name: str
    speed: int
    mtu: int | None
    where: str

    @property
    def called(self) -> str:
        """`eth0 (1 Gbit/s, MTU 1500)`."""
        bits = self.speed * 8
        rate = f"{bits / 1e9:g} Gbit/s" if bits >= 1e9 else f"{bits / 1e6:g} Mbit/s"
        return f"{self.name} ({rate}, MTU {self.mtu or _STANDARD_MTU})"


# ── link-limit ────────────────────────────────────────────────────────────────────────────────


def _limit(case: EvidenceSet) -> Iterator[Finding]:
    for trial in case.trials:
        layers = _crossed(case, trial)
        if not layers:
            continue
        for name, metric in trial.metrics.items():
            if not name.endswith(".bandwidth") or name.startswith("cached"):
                continue
            if "write" not in name and not any(map(_reads_cross, layers)):
                continue  # they are of its own copy
            for link in _links(case, trial):
                reached = _reached(trial, name, metric.mean, link, layers)
                if reached:
                    yield reached
                    break


def _reads_cross(kind: str) -> bool:
    """Whether what is read goes over a link, as it does where that is all that is known."""
    crossing = _crossing(kind)
    return crossing is None or crossing.reads


def _crossed(case: EvidenceSet, trial: TrialEvidence) -> set[str]:
    """The kinds of network layers between a trial's target and its drives; empty: none known."""
    below = {kind for kind, _ in trial.stands_on if kind == "link" or _crossing(kind)}
    if below or trial.stands_on:
        return below
    if trial.target.startswith("/dev/"):
        kind = transport_by_name(trial.target)
        if kind and _crossing(kind):
            return {kind}
    near = [
        state
        for state in case.states
        if state.source == trial.source and trial.host in {"", state.host} and _crossing(state.kind)
    ]
    if not trial.target:
        return {state.kind for state in near}
    return {
        state.kind
        for state in near
        if state.name == trial.target.removeprefix("/dev/")
        or (state.name.startswith("/") and f"{trial.target}/".startswith(f"{state.name}/"))
    }


def _links(case: EvidenceSet, trial: TrialEvidence) -> Iterator[_Link]:
    """The links of a trial's host whose speed is known; those it stands on where that is known."""
    own = {device for kind, device in trial.stands_on if kind == "link"}
    near = [
        state
        for state in case.of_kind("link")
        if state.source == trial.source
        and (state.host == trial.host or "" in {state.host, trial.host})
    ]
    for name in dict.fromkeys(state.name for state in near):
        if own and name not in own:
            continue
        alike = [state for state in near if state.name == name]
        speeds = [(state.values["speed"], state.where) for state in alike
                  if isinstance(state.values.get("speed"), int)]  # fmt: skip
        mtus = [state.values["mtu"] for state in alike if isinstance(state.values.get("mtu"), int)]
        if speeds and isinstance(speeds[0][0], int) and speeds[0][0] > 0:
            mtu = mtus[0] if mtus and isinstance(mtus[0], int) else None
            yield _Link(name, speeds[0][0], mtu, speeds[0][1])


def _reached(
    trial: TrialEvidence, metric: str, rate: float, link: _Link, layers: set[str]
) -> Finding | None:
    mtu = link.mtu or _STANDARD_MTU
    crossings = [crossing for crossing in map(_crossing, layers) if crossing]
    limit = payload(link.speed, mtu, crossings)
    share = rate / limit
    if not _NEAR[0] <= share <= _NEAR[1]:
        return None
    gain = payload(link.speed, 9000, crossings) / limit - 1
    jumbo = (
        f"; jumbo frames on every port between both ends would add {units.show_fraction(gain)}"
        if mtu < 9000 and gain > 0.01
        else ""
    )
    assumed = "" if link.mtu else ", which nothing says and Ethernet has by default"
    return Finding(
        "link-limit", "warning", trial.label,
        f"{units.show_bandwidth(rate)} ({metric}) is {units.show_fraction(share)} of the payload "
        f"that {link.called} can carry: the network is what was measured, not the storage behind "
        "it.",
        (
            Evidence(metric, rate, "B/s", trial.where),
            Evidence(f"speed of {link.name}", link.speed, "B/s", link.where),
            Evidence("MTU", mtu, "B", f"{link.where}{assumed}"),
            Evidence("payload at this speed and MTU", round(limit), "B/s", "computed"),
        ),
        "a faster link or a second path (nconnect for NFS, multipath for iSCSI and NVMe-oF; one "
        f"TCP connection uses one link of a bond){jumbo}",
        "iperf3 between both ends gives the same rate, and the same load on the server itself more",
    )  # fmt: skip


# ── link-speed ────────────────────────────────────────────────────────────────────────────────


def _slow(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.of_kind("link"):
        speed, most = state.values.get("speed"), state.values.get("speed_max")
        half = state.values.get("duplex") == "half"
        slow = isinstance(speed, int) and isinstance(most, int) and 0 < speed < most
        if not half and not slow:
            continue
        evidence = [Evidence(name, state.values[key], unit, state.where)
                    for name, key, unit in (("speed", "speed", "B/s"), ("duplex", "duplex", ""),
                                            ("fastest mode of the card", "speed_max", "B/s"))
                    if state.values.get(key) is not None]  # fmt: skip
        run = f" at {_bits(speed)}" if isinstance(speed, int) else ""
        could = f" although it could {_bits(most)}" if slow and isinstance(most, int) else ""
        both = ", and carries one direction at a time (half duplex)" if half else ""
        yield Finding(
            "link-speed", "warning", subject_of(state),
            f"{state.name} runs{run}{could}{both}: everything that crosses it is held to that.",
            tuple(evidence),
            "look at cable, port and the other end's settings, which must negotiate too; "
            f"ethtool -r {state.name} negotiates anew and interrupts the link for seconds",
            f"ethtool {state.name}, and iperf3 over it",
        )  # fmt: skip


def _bits(speed: int) -> str:
    bits = speed * 8
    return f"{bits / 1e9:g} Gbit/s" if bits >= 1e9 else f"{bits / 1e6:g} Mbit/s"


# ── link-errors ───────────────────────────────────────────────────────────────────────────────


def _errors(case: EvidenceSet) -> Iterator[Finding]:
    for counted in _physical(case):
        figures = {name: value for name, value in counted.values.items() if isinstance(value, int)}
        frames = figures.get("rx_packets", 0) + figures.get("tx_packets", 0)
        errors = figures.get("rx_errors", 0) + figures.get("tx_errors", 0)
        late = figures.get("collisions", 0)
        if errors + late <= 0 or frames <= 0:
            continue
        damage = (
            f"{_spaced(errors)} of {_spaced(frames)} frames (one in {_spaced(frames // errors)}) "
            "were damaged or lost"
            if errors
            else f"{_spaced(late)} collisions were counted, so the link is half duplex"
        )
        parts = ("rx_errors", "tx_errors", "rx_frame", "rx_overruns", "tx_carrier", "collisions")
        severe = late > 0 or errors / frames >= 1e-7
        yield Finding(
            "link-errors",
            "warning" if severe else "note",
            subject_of(counted),
            f"On {counted.name} {damage}: each costs a retransmission, during which the I/O of "
            "that connection waits.",
            tuple(
                Evidence(name, figures[name], "", counted.where)
                for name in parts
                if figures.get(name)
            ),
            f"ethtool -S {counted.name} tells which; change cable, transceiver and port one by "
            "one; where overruns alone grow, a larger ring (ethtool -G) helps and resets the link",
            "the same counters before and after a trial: they must not grow",
        )


def _spaced(figure: int) -> str:
    """A whole number with its digits in groups: 1 234 567."""
    return f"{figure:,}".replace(",", " ")


def _drops(case: EvidenceSet) -> Iterator[Finding]:
    for counted in _physical(case):
        figures = {name: value for name, value in counted.values.items() if isinstance(value, int)}
        for side in ("rx", "tx"):
            frames = figures.get(f"{side}_packets", 0)
            lost = figures.get(f"{side}_dropped", 0) + figures.get(f"{side}_missed", 0)
            if frames <= 0 or lost / frames < 1e-4:
                continue
            word = "received" if side == "rx" else "sent"
            yield Finding(
                "link-errors", "warning" if lost / frames >= 1e-3 else "note", subject_of(counted),
                f"{counted.name} dropped {units.show_fraction(lost / frames)} of the frames it "
                f"{word}: where they were storage's, their I/O waited for a retransmission.",
                (
                    Evidence(f"{side}_dropped", lost, "", counted.where),
                    Evidence(f"{side}_packets", frames, "", counted.where),
                ),
                f"a larger ring (ethtool -G {counted.name}, resets the link) or interrupts spread "
                "over more CPUs; frames of protocols that nobody listens to count as dropped too",
                "the counter before and after a trial, beside TCP's retransmissions (nstat "
                "TcpRetransSegs)",
            )  # fmt: skip


def _physical(case: EvidenceSet) -> Iterator[CounterEvidence]:
    """Counters of links that are no bond, bridge or VLAN: those repeat what is below them."""
    upper = {
        (state.source, state.host, str(state.values["master"]))
        for state in case.of_kind("link")
        if state.values.get("master")
    } | {
        (state.source, state.host, state.name)
        for state in case.of_kind("link")
        if state.values.get("lower") or state.below
    }
    for counted in case.counters:
        if counted.kind == "link" and (counted.source, counted.host, counted.name) not in upper:
            yield counted


# ── pcie-link ─────────────────────────────────────────────────────────────────────────────────


def _pcie(case: EvidenceSet) -> Iterator[Finding]:
    for state in case.with_value("bandwidth_max"):
        now, most = state.values.get("bandwidth"), state.values.get("bandwidth_max")
        if not isinstance(now, int | float) or not isinstance(most, int | float) or now >= most:
            continue
        model = state.values.get("model") or state.name
        place = f"in slot {state.name} " if state.kind == "pcie" else f"({state.name}) "
        yield Finding(
            "pcie-link", "warning", subject_of(state),
            f"{model} {place}is linked at {_lanes(state, '')} although it could do "
            f"{_lanes(state, '_max')}: {units.show_bandwidth(now)} each way at most, "
            f"{units.show_fraction(now / most)} of what it was built for.",
            (
                Evidence("link as it is", _lanes(state, ""), "", state.where),
                Evidence("link it could have", _lanes(state, "_max"), "", state.where),
                Evidence("bandwidth as it is", now, "B/s", state.where),
            ),
            "a slot with more lanes or of a newer generation, a new seat or riser, the slot's "
            "setting in the firmware; some drives lower the speed while idle, so look under load",
            "lspci -vv under load (LnkSta), and the drive's sequential reads against "
            f"{units.show_bandwidth(now)}",
        )  # fmt: skip


def _lanes(state: StateEvidence, ending: str) -> str:
    speed, width = (state.values.get(f"link_{figure}{ending}") for figure in ("speed", "width"))
    return f"{speed / 1e9:g} GT/s x{width}" if isinstance(speed, int | float) else f"x{width}"


RULES: tuple[Rule, ...] = (
    Rule(
        "link-limit", "link",
        "Throughput over a network within a few percent of the payload that its link can carry.",
        "IEEE 802.3 4.2.3, RFC 791, RFC 9293, RFC 7323; drivers/block/aoe/aoecmd.c",
        _limit,
    ),
    Rule(
        "link-speed", "link",
        "A link that agreed on less than its card can do, or on half duplex.",
        "ethtool(8); IEEE 802.3 clause 28 (auto-negotiation)",
        _slow,
    ),
    Rule(
        "link-errors", "link",
        "Frames that a link damaged or lost.",
        "Linux Documentation/networking/statistics.rst, struct rtnl_link_stats64",
        _errors,
    ),
    Rule(
        "link-errors", "link",
        "A share of frames that a link dropped.",
        "Linux Documentation/networking/statistics.rst, rx_dropped and rx_missed_errors",
        _drops,
    ),
    Rule(
        "pcie-link", "pcie, disk",
        "A PCIe link with fewer lanes or a lower speed than the device can have.",
        "PCI Express Base Specification 6.0, 7.5.3.6 and 7.5.3.8 (Link Capabilities and Status)",
        _pcie,
    ),
)  # fmt: skip
