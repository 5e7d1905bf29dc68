"""Commands without the secrets that somebody pasted with them: `password=…`, `-p…`, `u:…@host`.

Everything else of a command stays as it is. A name that only leads to a secret (`password_file=`,
`credentials=`, `secretfile=`, `--token-id`) keeps its value.

Source: bash(1), QUOTING; mount.cifs(8), username and password; mount.ceph(8), secret; iscsiadm(8),
-n and -v; mysql(1), -p without a blank; psql(1), -W, which takes no value; sshpass(1); ipmitool(1),
-P; redis-cli, -a; smbclient(1), -U; curl(1), -u; hdparm(8), --security-*, where NULL is no
password; nvme-connect(1), --dhchap-secret; RFC 3986, 3.2.1; cryptsetup(8), a passphrase from the
standard input.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MASK = "…"
"""What stands in the place of a secret."""
_HINTS = (
    "pass", "pwd", "secret", "token", "psk", "key", "://", "dhhc-1:", "bearer", "security-",
    "cryptsetup", "sudo", "mysql", "mariadb", "mongo", "redis", "ipmitool", "racadm", "esxcli",
    "curl", "smb", "rpcclient", "user", "==",
)  # fmt: skip
"""What a line with a secret holds, in lower case; looked for before any pattern is tried."""
_SIGN = re.compile(r"[-=:|']|earer ")
"""What stands before or around a secret, which prose with one of the hints mostly has not."""
_WORD = re.compile(
    r"(?:\\.|\"(?:\\.|[^\"\\])*+(?:\"|$)|'[^']*+(?:'|$)|[^\s;|&()<>\"'\\])++|[;|&()<>]++"
)
_NAME = (
    r"(?:(?:[\w.-]{0,60}[._-]|pg|rsync_|s3|chap)?"
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|psk"
    r"|(?:api|account|secret(?:[._-]?access)?)[._-]?key)"
    r"(?:_in)?[12]?|(?:[\w.-]{0,60}[._-])?(?:pass|http_s3_key))"
)
_ASSIGNED = re.compile(
    rf"(?i:(?<![\w.-]){_NAME})(?:\\?[\"']:\s?|=)(?P<escape>\\?)(?P<quote>[\"']?)"
)
_SPACED = re.compile(rf"(?i:(?<![\w.-]){_NAME})\s=\s(?P<value>[^\s\"';|&]+)")
_NOW = re.compile(
    r"(?i:passw(?:or)?d|passphrase|secret)\w{0,20}\s(?:is now|is|to)\s(?P<value>'[^']+')"
)
_OPTION = re.compile(rf"--?(?!no-|ask-)(?:[a-z\d]{{1,20}}-){{0,3}}{_NAME}")
_NEXT = re.compile(r",(?=[a-z_]{2,30}(?:[=,\"']|$))")
"""A comma before a mount's next option, not within a password."""
_BY_FORM = re.compile(
    r"(?<=DHHC-1:\d\d:)[\w+/=]{8,200}|(?<=NVMeTLSkey-1:\d\d:)[\w+/=]{8,200}"
    r"|(?<![\w+/])AQ[\w+/]{38}==|(?<=[?&]sig=)[^\s&\"']{1,200}"
    r"|(?<=[Bb]earer )[^\s\"']{1,400}"
    r"|(?<=://)(?P<kept>[^\s/:@\"']{0,60}:)[^\s/\"']{1,200}(?=@)"
    r"|(?<=\becho )(?P<option>-\w{1,4} )?[^|;&]{1,200}?(?P<blank>\s?)(?=\|\s?(?:sudo\s+)?"
    r"(?:cryptsetup|sudo\s+-S|zfs\s+(?:create|load-key)|chpasswd|smbpasswd|passwd|su\b))"
)
"""Secrets by their own form, or by what stands around them."""
_SECURITY = re.compile(r"--security-(?:set-pass|unlock|disable|erase(?:-enhanced)?)")
_NODE = re.compile(
    r"[\"']?[\w.]{1,80}\.password(?:_in)?[\"']?|--name=[\w.]{1,80}\.password(?:_in)?"
)
_ACCOUNT = re.compile(r"(?P<kept>(?:user(?:name)?=|^[\"']?)[\w.@\\/-]{1,60}[%:])[^\"',]+")
_OWN = {
    "-p": re.compile(r"sshpass|mongo\w*|racadm\w*|esxcli"),
    "-a": re.compile(r"redis-.+"),
    "-P": re.compile(r"ipmitool"),
    "-pw": re.compile(r"plink|pscp|psftp"),
}
"""Options whose value is a password, of some programs."""
_GLUED = re.compile(r"(?:mysql|mariadb)[\w-]*|sshpass")
"""Programs that take -pPASSWORD in one word."""
_NO_VALUE = re.compile(r"(?:mysql|mariadb|psql|pg)[\w-]*|(?:create|drop)(?:db|user)")
"""Programs whose --password takes a value only behind an equals sign."""
_ACCOUNTS = {
    "-u": re.compile(r"curl"), "--user": re.compile(r"curl"),
    "-U": re.compile(r"smb\w+|rpcclient|net"), "-o": re.compile(r"mount(?:\.cifs|\.smb3)?"),
}  # fmt: skip
"""Options whose value is a user, with a password behind a sign."""
_BEFORE = frozenset({"sudo", "time", "nice", "env", "exec", "nohup", "doas"})


def without_secrets(command: str) -> str:
    """The command with `MASK` for each secret in it.

    Args:
        command: as it was typed, or a sentence with parts of commands.
    """
    lowered = command.lower()
    if not any(hint in lowered for hint in _HINTS) or not _SIGN.search(command):
        return command
    command = _BY_FORM.sub(_keeping, command)
    for form in (_SPACED, _NOW):
        command = form.sub(lambda match: match[0].removesuffix(match["value"]) + MASK, command)
    matches = list(_WORD.finditer(command))
    shell_words = [match[0] for match in matches]
    program, parts, at = "", list[str](), 0
    node = any(map(_NODE.fullmatch, shell_words))
    for index, match in enumerate(matches):
        if index == 0 or shell_words[index - 1][0] in ";|&(" or program in _BEFORE:
            program = match[0].rpartition("/")[2]
            program = "sudo" if "=" in program else program  # an assignment stands before it, too
        parts += (
            command[at : match.start()],
            _masked(shell_words[max(index - 1, 0) : index + 1], program, node=node),
        )
        at = match.end()
    return "".join(parts) + command[at:]


def _keeping(match: re.Match[str]) -> str:
    kept = match["kept"] or match["option"] or ""
    return f"{kept}{MASK}{match['blank'] or ''}"


def _masked(pair: Sequence[str], program: str, *, node: bool) -> str:
    """The second of two words without its secret; `node`: its command names one of iSCSI."""
    word, before = pair[-1], pair[0] if len(pair) > 1 else ""
    if _is_value(word, before, program, node=node):
        return MASK
    if word.startswith("--value=") and node:
        return f"--value={MASK}"
    if word.startswith("-p") and _GLUED.fullmatch(program) and len(word) > 2:
        return f"-p{MASK}"
    if before in _ACCOUNTS and _ACCOUNTS[before].fullmatch(program):
        word = _ACCOUNT.sub(lambda match: match["kept"] + MASK, word, count=1)
    return _assigned(word)


def _is_value(word: str, before: str, program: str, *, node: bool) -> bool:
    """Whether a word is the value of the option before it, and a secret."""
    if not before.startswith("-") or word == "\\" or word[0] in "-;|&<>()":
        return False
    if _SECURITY.fullmatch(before):
        return word != "NULL"
    if before in {"-v", "--value"}:
        return node
    if before in _OWN:
        return _OWN[before].fullmatch(program) is not None
    return _OPTION.fullmatch(before) is not None and not _NO_VALUE.fullmatch(program)


def _assigned(word: str) -> str:
    """A word without the secrets set in it: `user=u,password=x`, `{"token": "x"}`."""
    parts, at = list[str](), 0
    for match in _ASSIGNED.finditer(word):
        if match.start() < at:
            continue
        first = match.end()
        parts.append(word[at:first])
        at = _end(word, match)
        parts.append(MASK if at > first else "")
    return "".join(parts) + word[at:]


def _end(word: str, match: re.Match[str]) -> int:
    """Where a value ends: at its quote or the one around it, or before a mount's next option."""
    first = match.end()
    quote = next((sign for sign in "\"'" if word.count(sign, 0, match.start()) % 2), "")
    if inner := match["quote"]:
        end = word.find(match["escape"] + inner, first)
        return end if end >= 0 else len(word)
    end = word.find(quote, first) if quote else len(word)
    end = end if end >= 0 else len(word)
    name = match[0].rstrip("=")
    if quote and name.isupper() and (blank := word.find(" ", first, end)) >= 0:
        return blank  # sh -c 'PGPASSWORD=x pgbench'
    option = _NEXT.search(word, first, end)
    return option.start() if option else end
