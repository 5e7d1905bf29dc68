"""Logins over iSCSI that failed, and connections that were lost, as the initiator says.

Source: open-iscsi 2.1, usr/iscsi_err.c (codes of errors), usr/initiator.c (15: a session exists;
21: no objects found); etc/iscsid.conf (node.session.timeo.replacement_timeout); RFC 7143, 11.13.5
(Status-Class 2: 01 authentication, 02 authorization, 03 not found) and 6.3.5 (session
reinstatement: a second host with the same initiator name makes the target close the first one's).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_HARMLESS = frozenset({15, 21})
_AUTHORITY = (
    "compare the CHAP user and password of both ends (`iscsiadm -m node -o show`: node.session.auth"
    ".*; the target's own), and see that the target lets this initiator in (its name is in "
    "/etc/iscsi/initiatorname.iscsi; iscsid reads it when it starts)"
)
_NETWORK = (
    "see whether the portal is reached (`nc -zv ADDRESS 3260`), by its routes and firewalls, and "
    "whether the target's service runs"
)
_ABSENT = (
    "no target of that name is there, or not for this initiator: `iscsiadm -m discovery -t "
    "sendtargets -p ADDRESS` lists those that are"
)
_REMEDIES = {
    4: _NETWORK,
    8: _NETWORK,
    11: _NETWORK,
    12: "`modprobe iscsi_tcp`, and see `dmesg`",
    18: "start iscsid (`systemctl start iscsid`), and see its log",
    20: "start iscsid (`systemctl start iscsid`), and see its log",
    24: _AUTHORITY,
}
_REASONS = (("authori", _AUTHORITY), ("authenti", _AUTHORITY), ("not found", _ABSENT))
_OTHER = "the target's own log says why it refused; so does iscsid's (`journalctl -u iscsid`)"
_WAY = (
    "look at the network between (errors and drops of `ip -s link`, the MTU of all of it, the "
    "switch), and at the target's log and disks at that time; where it recurs every few seconds, "
    "another host has the same name in /etc/iscsi/initiatorname.iscsi, and the target serves one "
    "of them at a time"
)


def _refused(case: EvidenceSet) -> Iterator[Finding]:
    """Logins that iscsiadm or iscsid say failed."""
    for node in case.latest("iscsi", "login"):
        if node.values.get("login") is False and node.number("error_code") not in _HARMLESS:
            why = str(node.values.get("error") or "")
            yield Finding(
                "failed-login", "error", subject_of(node),
                f"The login to {node.name} at {node.values.get('portal')} failed"
                + (f": {why}" if why else "") + ". What stands on its disks is not there.",
                node.evidence("portal", "interface", "error_code", "error"),
                _REMEDIES.get(int(node.number("error_code")), _OTHER),
                "`iscsiadm -m session` lists it",
            )  # fmt: skip
    for log in case.counted("iscsid"):
        count = int(log.number("refused_logins") or log.number("failed_connects"))
        if not count or _came_up(case, log):
            continue
        reasons, places = (_listed(log, name) for name in ("reasons", "targets"))
        places = places or _listed(log, "portals")
        yield Finding(
            "failed-login", "error", subject_of(log) if log.name else log.host or "iscsid",
            f"iscsid counts {count:,} {'login' if count == 1 else 'logins'} that failed"
            + (f" to {', '.join(places)}" if places else "")
            + (f": {', '.join(reasons)}" if reasons else "")
            + f"{_when(log)}. What stands on those disks is not there.",
            (Evidence("failed logins", count, "", log.where),), _of_reasons(log, reasons),
            "`iscsiadm -m session` lists the target",
        )  # fmt: skip


def _came_up(case: EvidenceSet, log: CounterEvidence) -> bool:
    """Whether it is in operation again by the same log, or any where the lines name none."""
    return any(
        other.source == log.source and other.host == log.host
        and (not log.name or other.name == log.name)
        and (other.number("operational") or other.number("recoveries"))
        for other in case.counted("iscsid")
    )  # fmt: skip


def _of_reasons(log: CounterEvidence, reasons: list[str]) -> str:
    if not log.number("refused_logins"):
        return _NETWORK
    text = " ".join(reasons).lower()
    return next((remedy for word, remedy in _REASONS if word in text), _OTHER)


def _lost(case: EvidenceSet) -> Iterator[Finding]:
    """Connections that were lost while they were logged in, by iscsid or by the kernel alone."""
    by_kernel = {
        (log.source, log.host, log.name): log for log in case.counted("kernel log")
        if log.kind == "iscsi"
    }  # fmt: skip
    said = set[tuple[str, str, str]]()
    for log in case.counted("iscsid"):
        place = log.source, log.host, log.name
        count = int(log.number("lost_connections") or log.number("silent_targets"))
        beside = by_kernel.get(place)
        if count and not (beside and beside.number("connection_errors")):
            said.add(place)
            back = int(log.number("recoveries"))
            errors = _listed(log, "errors")
            yield _loss(
                log, count, (f" ({', '.join(errors)})" if errors else "") + _when(log),
                f"; iscsid had it back {_times(back)}" if back else "",
            )  # fmt: skip
    for place, log in by_kernel.items():
        closed = int(log.number("closed_connections"))
        if place not in said and not log.number("connection_errors") and _recurs(log, closed):
            yield _loss(log, closed, "", "")


def _loss(log: CounterEvidence, count: int, how: str, more: str) -> Finding:
    return Finding(
        "lost-connection", "warning", subject_of(log),
        f"{log.name} of iSCSI was lost {_times(count)}{how}{more}: requests waited meanwhile, and "
        "fail where it stays away for replacement_timeout (120 s, unless set).",
        log.evidence("lost_connections", "silent_targets", "closed_connections", "recoveries"),
        _WAY, "the log stays without such lines under the same load",
    )  # fmt: skip


def _recurs(log: CounterEvidence, closed: int) -> bool:
    """Whether one connection was closed again and again within a boot, as no logout does it.

    After a logout the next session has another number; the kernel's own time is one boot's.
    """
    times = log.values.get("times")
    listed = times.get("closed_connections") if isinstance(times, dict) else None
    is_uptime = isinstance(listed, list) and all(isinstance(time, float) for time in listed)
    return closed >= (2 if is_uptime and isinstance(listed, list) and len(listed) > 1 else 5)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _listed(log: CounterEvidence, name: str) -> list[str]:
    listed = log.values.get(name)
    return [str(each) for each in listed][:4] if isinstance(listed, list) else []


def _when(log: CounterEvidence) -> str:
    first, last = log.values.get("first"), log.values.get("last")
    if not first:
        return ""
    return f" at {first}" if first == last else f" from {first} to {last}"


RULES: tuple[Rule, ...] = (
    Rule("failed-login", "iscsi", "Logins over iSCSI that failed.",
         "open-iscsi usr/iscsi_err.c, usr/initiator.c; RFC 7143, 11.13.5", _refused),
    Rule("lost-connection", "iscsi", "Connections of iSCSI that were lost while in use.",
         "open-iscsi usr/initiator.c; RFC 7143, 6.3.5", _lost),
)  # fmt: skip
