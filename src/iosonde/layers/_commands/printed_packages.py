"""Which packages a host has, and in which version: dpkg, apt, rpm and pacman.

Source: dpkg 1.21, src/query/main.c (list1package(): columns as wide as the terminal lets them, cut
there; the head's dashes are as wide), lib/dpkg/dump.c (fields of `dpkg -s`); apt 2.6,
apt-private/private-show.cc (Policy()), private-list.cc; rpm 4.18, `rpm -q` prints
NAME-VERSION-RELEASE.ARCH; pacman 6.0, src/pacman/package.c (dump_pkg_full(), -Q: "%s %s").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows

_ARCHITECTURE = (
    r"(?:all|amd64|i386|arm64|armhf|armel|s390x|ppc64(?:el)?|riscv64|mips\w{0,6}|loong64|sparc64"
    r"|powerpc)"
)
_VERSION = r"(?:\d{1,6}:)?\d[\w.+~:-]{0,120}"
_DPKG_NAME = r"[a-z0-9][a-z0-9+.-]{1,120}"
_DPKG_ROW = re.compile(
    rf"\s*(?P<want>[uirph])(?P<status>[ncHUFWti])(?P<error>[ R]) (?P<name>{_DPKG_NAME}"
    rf"(?::{_ARCHITECTURE})?) {{1,90}}(?P<version>{_VERSION})(?P<after> {{1,90}})"
    rf"(?:(?P<architecture>{_ARCHITECTURE})(?= |$))?"
)
_NOTHING_ROW = re.compile(rf"\s*un[ R] {_DPKG_NAME}\s+<\w{{1,9}}>")
_DPKG_HEAD = re.compile(r"\s*(?:Desired=|\| Status=|\|/ Err\?=|\|\|/ Name|\+\+\+-)")
_WIDTHS = re.compile(r"\s*\+\+\+-=+-(?P<version>=+)")
_CUTTING = frozenset({12, 14})
"""Widths of the versions' column where dpkg prints for 80 columns, and cuts them."""
_STATES = {
    "n": "not installed", "c": "config files", "H": "half installed", "U": "unpacked",
    "F": "half configured", "W": "triggers awaited", "t": "triggers pending", "i": "installed",
}  # fmt: skip
_RPM = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][\w.+-]{0,100})-(?P<version>[\w.+~^]{1,80})-"
    r"(?P<release>[\w.+~^]{1,80}?)(?:\.(?P<architecture>x86_64|aarch64|noarch|i[3-6]86|ppc64(?:le)?"
    r"|s390x|armv7hl|riscv64|src))?\s*$"
)
_RPM_MISSING = re.compile(r"\s*package (?P<name>[\w.+-]{1,100}) is not installed\s*$")
_PACMAN = re.compile(
    rf"\s*(?:local/)?(?P<name>[a-z0-9@_+][\w@.+-]{{0,100}}) (?P<version>{_VERSION}"
    r"-\d{1,5}(?:\.\d{1,3})?)\s*$"
)
_QUERY = re.compile(rf"\s*(?P<name>{_DPKG_NAME}(?::{_ARCHITECTURE})?)\s+(?P<version>{_VERSION})$")
_APT_ROW = re.compile(
    rf"\s*(?P<name>{_DPKG_NAME})/[\w.,/-]{{1,90}} (?P<version>{_VERSION}) "
    rf"(?P<architecture>{_ARCHITECTURE})(?: \[(?P<state>[a-z][^\]]{{2,80}})\])?\s*$"
)
_FIELD = re.compile(r"\s*(?P<name>Package|Status|Architecture|Version): (?P<value>\S.{0,120})$")
_KEY = re.compile(r"\s*[A-Z][\w-]{1,40}:(?: |$)")
_POLICY = re.compile(rf"\s*(?P<name>{_DPKG_NAME}(?::{_ARCHITECTURE})?):\s*$")
_POLICY_FIELD = re.compile(r"\s+(?P<name>Installed|Candidate): (?P<value>\S{1,120})\s*$")
_POLICY_TABLE = re.compile(r"\s+(?:Version table:|Pinned |\*\*\* \S|\S+ -?\d+$|-?\d+ \S)")
_CALLS = {
    "rpm -q": _RPM, "pacman -Q": _PACMAN, "dpkg-query -W": _QUERY, "dpkg-query --show": _QUERY,
}  # fmt: skip
_CALLED = re.compile(
    r"(?:^|[#$>] *|\s)(?P<call>rpm -q\w{0,4}|pacman -Q|dpkg-query (?:-W|--show))(?=\s|$)"
)
_MOST = 3000


class Dpkg(StateOutput):
    tool = "dpkg -l"
    anchors = (
        "||/ Name", "ii  ", "rc  ", "hi  ", "iU  ", "iF  ", "[installed", "[upgradable from",
    )  # fmt: skip
    commands = ("dpkg", "dpkg-query", "apt", "COLUMNS")
    reach = 6
    nothing = "no package follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = cursor.at
        line = cursor.line(first)
        if not (_DPKG_ROW.match(line) or _APT_ROW.match(line) or _DPKG_HEAD.match(line)):
            return None
        while first > 0 and _DPKG_HEAD.match(cursor.line(first - 1)):
            first -= 1
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        width = 0
        packages: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            if widths_row := _WIDTHS.match(line):
                width = len(widths_row["version"])
            elif row := _DPKG_ROW.match(line):
                packages.append(_dpkg(row, width, prompt.host))
            elif row := _APT_ROW.match(line):
                packages.append(_apt(row, prompt.host))
            elif line and not _DPKG_HEAD.match(line) and not _NOTHING_ROW.match(line):
                if index > last + 1 or not packages or prompt_in(line):
                    break
                if not _is_rest(cursor.line(last), line):
                    break
                continue  # a mail broke the description
            elif index > last + 1:
                break
            last = index if line else last
        return last, packages


class PackageFields(StateOutput):
    tool = "dpkg -s"
    anchors = (
        "Status: install ", "Status: deinstall ", "Status: hold ", "  Installed: ",
    )  # fmt: skip
    commands = ("dpkg", "dpkg-query", "apt", "apt-cache")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 8, -1), -1):
            line = cursor.line(index)
            field = _FIELD.match(line)
            if (field and field["name"] == "Package") or _POLICY.match(line):
                return index
            if not (field or _KEY.match(line) or _POLICY_FIELD.match(line)):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        named = _POLICY.match(cursor.line(first))
        name, last = named["name"] if named else "", first
        for index, line in lines(cursor, first, 200):
            field, policy = _FIELD.match(line), _POLICY_FIELD.match(line)
            if not line or (field and field["name"].lower() in values):
                break
            if named and index > first and not policy and not _POLICY_TABLE.match(line):
                break
            if field and field["name"] == "Package":
                name = field["value"]
            elif field:
                key = "state" if field["name"] == "Status" else field["name"].lower()
                values[key] = field["value"]
            elif policy:
                values[policy["name"].lower()] = policy["value"]
            elif not named and not _KEY.match(line) and not line[0].isspace():
                break
            last = index
        if not name or not ("version" in values or "installed" in values or "state" in values):
            raise Unreadable("no version stands in it", last)
        return last, [PrintedSubject("package", name, values, prompt.host)]


class PackageNames(StateOutput):
    tool = "rpm -q"
    anchors = tuple(_CALLS)
    commands = ("rpm", "pacman", "dpkg-query")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        call = _CALLED.search(cursor.line(cursor.at))
        if call is None:
            return None
        form = _form(call["call"])
        below = (cursor.at + 1, cursor.at + 2)
        return next((row for row in below if _name(form, cursor.line(row))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        above = " ".join(cursor.line(first - step) for step in (2, 1))
        call = _CALLED.search(prompt.command) or _CALLED.search(above)
        if call is None:
            raise Unreadable("the command that printed it is not above it", first)
        form = _form(call["call"])
        packages: list[PrintedSubject] = []
        rows, last = close_rows(
            cursor, first, lambda line: _name(form, line), _MOST, no_prompts=True
        )
        for row in rows:
            values: dict[str, Scalar] = {
                name: text for name, text in row.groupdict().items() if text and name != "name"
            }
            values["state"] = "installed" if "version" in values else "not installed"
            packages.append(PrintedSubject("package", row["name"], values, prompt.host))
        return last, packages


def _form(call: str) -> re.Pattern[str]:
    """How a command prints a package."""
    return next(form for name, form in _CALLS.items() if call.startswith(name))


def _name(form: re.Pattern[str], line: str) -> re.Match[str] | None:
    """A package in a line below such a command."""
    return form.match(line) or (_RPM_MISSING.match(line) if form is _RPM else None)


def _is_rest(above: str, line: str) -> bool:
    """Whether a line is the rest of the description in the row above, which a mail broke."""
    return len(above) > 60 and len(line) < 60 and not line[0].isspace()


def _dpkg(row: re.Match[str], width: int, host: str) -> PrintedSubject:
    """A package of dpkg's table; its version only where the column cannot have cut it.

    Args:
        row: of the table.
        width: of the versions' column; 0: unknown.
        host: whose packages these are.
    """
    version = row["version"]
    fills = len(version) in _CUTTING and len(row["after"]) == 1 and width in {0, len(version)}
    values: dict[str, Scalar] = {"state": _STATES[row["status"]]}
    if not fills:
        values["version"] = version
    if row["architecture"]:
        values["architecture"] = row["architecture"]
    if row["want"] == "h":
        values["hold"] = True
    if row["error"] == "R":
        values["reinstall_required"] = True
    return PrintedSubject("package", row["name"], values, host)


def _apt(row: re.Match[str], host: str) -> PrintedSubject:
    """A package of `apt list`."""
    values: dict[str, Scalar] = {"version": row["version"], "architecture": row["architecture"]}
    values["state"] = row["state"] or "not installed"
    return PrintedSubject("package", row["name"], values, host)
