"""Commands at a shell's prompt in any text, and where the output of each ends.

Prompts are those that `iosonde.text.cursor.prompt_in` knows, at the beginning of a line. A number
sign alone also begins headings and comments: there the rest must be a command by what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from iosonde.text.cursor import rejoined
from iosonde.text.figures import pairs_of
from iosonde.text.pipe_tables import pipe_table_at
from iosonde.text.programs import NO_FIGURES, PROSE_VERBS, is_program
from iosonde.text.prompts import BEHIND, DIRECTLY, FIRST_OF_TWO, NAMED, PLAIN, PREFIX, host_of
from iosonde.text.prose import is_sentence
from iosonde.text.secrets import without_secrets

MOST = 400
"""Lines of one output that are looked at."""
_LONGEST = 2000  # characters of a line with a command
_WIDTH = 64  # characters at which mails break lines, less what quotes them
_GAP = 2  # blank lines within an output
CODE = 4
"""Blanks before a line of code in Markdown."""
_PROMPT = re.compile(
    rf"[ \t|`]*+{PREFIX}(?:{NAMED}|(?P<weak>{PLAIN}|{FIRST_OF_TWO}"
    r"|(?:\(?[A-Za-z][\w.-]{0,40}\)?[: ][~/\w.-]{1,60} ?[#$]|[~/][\w./-]{0,80} ?[#$%]"
    r"|\[[A-Za-z][\w.-]{0,40} [~/][\w./-]{0,60}\][#$]|\[root\][#$]"
    r"|\[[a-z]{1,20}@[\w.-]{1,80}:[~/][\w./-]{0,60}\](?= [a-z])|\]?[#$]|root#|\+"
    r"|(?P<bare>[a-z][\w.-]{0,30}[#%]|%|[$#]>))))"
    rf"(?:(?:{BEHIND}|{DIRECTLY}|(?<![^ \t|`][#$])(?<=[#$])(?P<close>)(?=[a-z]))"
    r"(?P<command>[\w./~({-].*)|[ \t]*)"
)
_SIGN = re.compile(r"[#$%>+\u250c\u279c\u276f\u03bb]|@[\w.-]{1,80}:[^\]]{1,60}\] ")
"""What a prompt ends with."""
_OF_ARRAYS = re.compile(r"IBM_|\S+::|(?:\S+ )?cli%")
"""How prompts of arrays begin, behind which no shell's program stands."""
_STARTS = re.compile(r"(?:sudo|time|nice|exec|env|LANG=\S+|LC_ALL=\S+)\s+")
_LOOP = re.compile(r"for \w{1,20} in [^;]{1,200}; ?do (?P<own>[^;]{2,300}); ?done\b")
"""A command for each of several things: what is printed is printed by that command."""
_PROGRAM = re.compile(r"(?:[\w.~-]*/)*[\w.+-]{1,40}")
_ARGUMENT = re.compile(r"\s(?:-{1,2}[A-Za-z0-9]|[\w.~-]*/\w|\|)")
_SHOWN = re.compile(
    r"(?:sudo )?(?:kubectl|oc|gluster|linstor|lxc|pct|pvesm|qm|virsh)(?: -n [\w-]{1,60})?"
    r"(?: (?:volume|resource|storage))? (?:describe|get|info|list|show|status|config|top)"
    r"(?: [\w.=-]{1,100}){0,4}"
    r"|(?:sudo )?dd (?:if|of)=\S.{0,400}"
    r"|(?:sudo )?(?:zpool (?:add|attach|clear|create|destroy|detach|export|import|offline|online"
    r"|remove|replace|scrub|set|trim|upgrade)"
    r"|zfs (?:allow|create|destroy|inherit|mount|recv|receive|rename|rollback|send|set|snapshot"
    r"|snap|unmount|umount))(?: [\w.=@/:,%{}+-]{1,100}){1,16}"
)
"""Commands that name what they show or change by words alone."""
_PROSE_IN_COMMAND = re.compile(
    r"\s(?:the|a|an|of|from|with|is|are|was|and|we|you|this|that|all|to|as|my|our"
    r"|for|in|on|by|not|when|does|can|it|its|be|has|have|returns)(?=[\s.,:]|$)"
)
_ALONE = frozenset({"free", "mount", "top"})
"""Words of prose that print figures without an argument."""
_WORD = re.compile(r"[A-Za-z]+[,;:.!]?")
_COMMENT = re.compile(
    r"\s*+(?:#++\s*+(?!\d)|//|\.{3}(?:\s|$)"
    r"|</?(?:h[1-6]|section|p|pre|div|[uo]l|li|br|em|hr|img|span|code)\b)"
)
"""How comments begin, what somebody left out, and the marks of a page."""
_DUMPED = re.compile(r"\| ?(?:hexdump|hd|xxd|od|strings|base64|(?:md5|sha\d{1,3})sum)\b[^|]{0,80}$")
"""What shows the bytes of a device, whatever read them."""
_SYNOPSIS = re.compile(r"\s--?[A-Za-z][\w-]{0,40}\|--?[A-Za-z]")
"""How a command may be called, and no call of it: `MegaCli adpBIOS -Enbl|-Dsbl`."""
_OPTION = re.compile(r"(?!-[r-][w-][xsS-][r-][w-][xsS-])--?\w")
"""An option, and no row of `ls -l`."""
_LONG_OPTION = re.compile(r"--[A-Za-z][\w-]*(?:=\S*)?(?: \\)?")
_HELP = re.compile(r"\s(?:--?help|-\?)(?=\s|$)")
_ASSIGNED = re.compile(r"\S+\s+=")  # a setting in a file, whose comments begin with a number sign
_OPERAND = re.compile(r"-{1,2}[A-Za-z][\w=,.-]*|[~.]{0,2}/\S+|missing|[a-z_-]{2,30}=\S+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_SIGNATURE = re.compile(r"-- ?|_{20,}|-{5}BEGIN .*|--=+.*==|On .{10,80} wrote:")
_ITEM = re.compile(r"(?:[-*•] ?|\d{1,2}[.)] )[A-Za-z]")
_NUMBERED = re.compile(r"\d{1,3}、")  # a point of a Chinese list
_HEADING = re.compile(r"#{1,6} [A-Z].*|={2,6} .* ={2,6}")
_SHOWING = frozenset({"dmesg", "journalctl", "cat", "grep", "egrep", "tail", "head", "zgrep"})
_CONFIGURATION = re.compile(
    r"/etc/|\.(?:conf|cfg|ini|ya?ml|json|xml|service|sh|py|c|h|rules|fio)\b"
)


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command in a text, the host its prompt names, and the index of its last line."""

    text: str
    host: str
    last: int


def prints_figures(command: str) -> bool:
    """Whether what a command prints may say something about a machine: no file's text, no usage."""
    is_other = shows_file(command) or asks_for_usage(command) or _DUMPED.search(command) is not None
    is_other = is_other or _SYNOPSIS.search(command) is not None
    return program_of(command) not in NO_FIGURES and not is_other


def asks_for_usage(command: str) -> bool:
    """Whether a command prints how it is called."""
    return _HELP.search(command) is not None


def shows_file(command: str) -> bool:
    """Whether a command shows the text of a file that somebody writes, such as a configuration."""
    return program_of(command) in _SHOWING and _CONFIGURATION.search(command) is not None


def shows_text(command: str) -> bool:
    """Whether a command shows a log or a file, so that the kernel's messages below it are its."""
    return program_of(command) in _SHOWING


def program_of(command: str) -> str:
    """The name of the program that a command starts."""
    if loop := _LOOP.match(command):
        command = loop["own"].strip()
    while starts := _STARTS.match(command):
        command = command[starts.end() :]
    parts = command.split(maxsplit=1)
    return parts[0].rpartition("/")[2] if parts else ""


@lru_cache(maxsize=1 << 7)  # two ask of each line
def _prompted(line: str) -> re.Match[str] | None:
    """What of a line is a prompt, and the command behind it; None where it begins with none."""
    if len(line) > _LONGEST or not _SIGN.search(line):
        return None
    return _PROMPT.fullmatch(line)


def is_prompt(line: str) -> bool:
    """Whether a line begins with a prompt, with a command behind it or without."""
    match = _prompted(line)
    if match is None:
        return False
    command, plain = match["command"], match["weak"] or ""
    if command is None:
        return bool(match["user"]) or plain.startswith("\u250c")
    return _is_command(match, command)


def is_shells_prompt(line: str) -> bool:
    """Whether a line is a prompt that names a user, and neither a share nor a mounted folder.

    Such a line is never the last one of an output: `root@db1:~#`, with a command or without.
    """
    match = _prompted(line)
    return match is not None and bool(match["user"]) and match["sign"] in {"#", "$"}


def command_at(lines: Sequence[str], at: int) -> ShellCommand | None:
    """The command at a prompt in a line, with the lines it goes on in.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    match = _prompted(lines[at])
    if match is None or not match["command"]:
        return None
    command = match["command"].strip().rstrip("`| ")
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if not _is_command(match, command) and not _prints(match, command, below):
        return None
    whole, last = whole_command(lines, at, command, is_mail=True)
    return ShellCommand(whole, host_of(match), last)


def whole_command(
    lines: Sequence[str], at: int, command: str, *, is_mail: bool = False
) -> tuple[str, int]:
    """A command with the lines it goes on in, and the index of the last of them.

    Args:
        lines: clean ones.
        at: index of the line that it begins in.
        command: what of that line is the command.
        is_mail: whether a mail may have broken it where nothing says so.
    """
    parts, last = [command], at
    while last + 1 < len(lines) and last - at < 20:
        more = lines[last + 1].strip()
        goes_on = parts[-1].endswith("\\") or _LONG_OPTION.fullmatch(more)
        if not more or not (goes_on or (is_mail and _is_wrapped(lines[last], more))):
            break
        parts.append(more)
        last += 1
    return without_secrets(rejoined(parts)), last


def _is_wrapped(line: str, more: str) -> bool:
    """Whether a mail broke a command between two lines: the second begins with an argument."""
    if len(line) > 40 and _OPTION.match(more):
        return True
    before, parts = line.split(), more.split()
    if len(line) + len(parts[0]) < _WIDTH or ": " in more:
        return False
    if before[-1] == "|":
        return True
    operands = parts[1:] if before[-1].startswith("-") else parts  # the first may be its value
    return all(map(_OPERAND.fullmatch, operands))


def called(line: str) -> bool:
    """Whether a line without a prompt is a command: a program and what it works on."""
    text = line.strip().strip("`").strip()
    if not text or ": " in text or " = " in text or text.startswith("/dev/"):
        return False
    if _SHOWN.fullmatch(text) and not _is_prose(text):
        return True
    name = program_of(text)
    own = text.removeprefix("sudo ").lstrip()
    by_path = own.startswith(("./", "/")) and _PROGRAM.fullmatch(own.split()[0]) is not None
    if not (by_path or is_program(name)):
        return False
    is_broken = own is not text and text.endswith(" \\")
    has_argument = is_broken or _ARGUMENT.search(text) is not None
    return has_argument and not _is_prose(text) and not _is_of_words(text)


def is_next_command(line: str, command: str) -> bool:
    """Whether a line below a command is the next one, at no prompt: `zpool create b mirror c d`."""
    again = program_of(line) == program_of(command) and ": " not in line
    return (again and _ARGUMENT.search(line) is not None) or called(line)


def indent_of(line: str) -> int:
    """How many blanks a line begins with; a tab counts as eight."""
    begin = line[: len(line) - len(line.lstrip())]
    return len(begin) + 7 * begin.count("\t")


def _is_command(match: re.Match[str], command: str) -> bool:
    first = command.split(maxsplit=1)[0]
    prompt = match["weak"] or match["sign"]
    sign = prompt[-1]
    of_array = _OF_ARRAYS.match(prompt) and first[0].islower() and not _is_prose(command)
    of_user = match["user"] and (sign != ">" or match["folder"])
    if of_array or of_user or ":\\" in prompt or _LOOP.match(command):
        return True
    if not _PROGRAM.fullmatch(first) or not any(char.isalpha() for char in first):
        return False
    is_comment = sign == "#" and _is_of_words(command)
    if first[0].isupper() or is_comment or _is_prose(command) or _ASSIGNED.match(command):
        return False
    name = program_of(command)
    has_argument = _ARGUMENT.search(command) is not None
    if sign == "+" or match["close"] is not None:
        return is_program(name) and has_argument
    if match["bare"]:
        return is_program(name)
    sure = sign in "$]" or not prompt.isascii()  # ESXi's has none behind its bracket
    return sure or is_program(name) or has_argument or first.startswith(("./", "/"))


def _prints(match: re.Match[str], command: str, below: str) -> bool:
    """Whether what may be a command after a number sign has a list below it, and no blank line."""
    if match["weak"] != "#" or not command[0].islower() or not pairs_of(below):
        return False
    if program_of(command) in PROSE_VERBS:
        return False
    return 1 < len(command.split()) < 6 and not _is_prose(command) and not _ASSIGNED.match(command)


def _is_prose(command: str) -> bool:
    return _PROSE_IN_COMMAND.search(_QUOTED.sub("''", command)) is not None


def _is_of_words(command: str) -> bool:
    """Whether a program that is a word of prose has other words behind it, as a comment has.

    The value of an option is none of them, and where another program stands behind it
    (`watch zpool status`) it is a command.
    """
    before, *behind = command.partition("|")[0].split()
    if before not in PROSE_VERBS:
        return False
    if not behind:
        return before not in _ALONE
    if any(is_program(part) and (part not in PROSE_VERBS or part in _ALONE) for part in behind):
        return False
    for part in behind:
        if _WORD.fullmatch(part) and not before.startswith("-"):
            return True
        before = part
    return False


def end_of_written(lines: Sequence[str]) -> int:
    """How many lines of an output are left without the comments and commands that end it.

    Such lines were written by the author of a script or of notes: they stand below a blank line or
    are all there is.
    """
    end = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line.strip() and not _is_written(line):
            break
        if not line.strip() or at == 0:
            end = at
    return end


def _is_written(line: str) -> bool:
    """Whether a line is a comment, or a command with an argument, and of no program's output."""
    text = line.strip()
    if _COMMENT.match(line) or (text[0] != "/" and called(line)):
        return True
    name = program_of(text)
    is_listed = name in NO_FIGURES and text.startswith((name, "sudo ")) and name not in PROSE_VERBS
    return is_listed and _ARGUMENT.search(text) is not None and ": " not in text


def end_of_output(lines: Sequence[str], depths: Sequence[int], command: ShellCommand) -> int:
    """Index of the last line of a command's output, outside of a fenced block; its own where none.

    It ends before the next prompt, where the marks of quoting change, and where prose begins.

    Args:
        lines: clean ones.
        depths: how many marks of quoting stood before each.
        command: whose output it is.
    """
    begun, last = command.last, command.last
    indent = indent_of(lines[begun])
    for at in range(begun + 1, min(begun + 1 + MOST, len(lines))):
        line = lines[at]
        if not line.strip():
            continue
        blank = at - last > 1
        if at - last > _GAP + 1 or depths[at] != depths[begun] or is_prompt(line):
            break
        text = line.strip()
        if _SIGNATURE.fullmatch(text) or _HEADING.fullmatch(text) or _NUMBERED.match(text):
            break
        if blank and (is_sentence(line) or (indent > 1 and indent_of(line) < indent)):
            break
        if blank and len(line.split()) < 4 and line.rstrip().endswith((",", ".", "!", "?")):
            break  # a greeting
        if blank and (_ITEM.match(line) or pipe_table_at(lines, at)):
            break  # what an author wrote
        if (
            is_sentence(line)
            and line.strip()[0].isupper()
            and indent_of(line) <= indent
            and (blank or indent < CODE)
        ):
            break
        last = at
    return last
