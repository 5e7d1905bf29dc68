"""What an author wrote between two measurements, by which the second may be of another set-up.

That somebody measured once more as before is known where nothing stands between but commands that
show something or begin every run alike, or where the text says so. A label, a point of a list, a
comment, a sentence or a program of unknown effect may each name another set-up: then it is not
known, and measurements are not taken for repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from iosonde.text.cursor import prompt_in
from iosonde.text.programs import NO_FIGURES, is_program
from iosonde.text.prose import is_sentence
from iosonde.text.rate_limits import may_say_limit, says_limit
from iosonde.text.shell import called, command_at, is_prompt, program_of

_LINE = 400  # characters that are looked at
_DONE = re.compile(
    r"\b(?:changed|replaced|moved|switched|enabl\w+|disabl\w+|added|removed|set|installed|upgraded"
    r"|rebooted|formatted|re-?created|remounted|mounted|turned|tuned|increased|decreased|raised"
    r"|lowered|swapped|geändert|ausgetauscht|gewechselt|aktiviert|deaktiviert)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\W{0,6}(?:(?:and|but|now|then|next|same|the|test|tests|tested|results?|here|is|this|that)"
    r"[ ,:]{1,3}){0,4}"
    r"(?:with|without|after|before|using|when|changed|set|switch(?:ed|ing)"
    r"|enabl(?:ed|ing)|disabl(?:ed|ing)|mounted|remounted|replac(?:ed|ing)|add(?:ed|ing)"
    r"|remov(?:ed|ing)|turn(?:ed|ing)|increas(?:ed|ing)|decreas(?:ed|ing)|default|mit|ohne|nach"
    r"|vor|avec|sans|con|sin|senza)\b[ :=]"
    r"|\W{0,6}(?:and |but |now |then |same |the )?(?:on|over|via|from|for|auf|sur)\b"
    r" [^:]{2,60}:$",
    re.IGNORECASE,
)
_RUN = r"(?:run|try|pass|attempt|iteration|round|loop|lauf|durchlauf|versuch|essai|прогон)"
_AGAIN = re.compile(
    r"\b(?:again|repeat\w*|re-?(?:run|test)\w*|(?:once|one) more|more runs|\d ?(?:times|runs)|twice"
    r"|(?:another|next|last|first|second|third|fourth|fifth|\d{1,2}(?:st|nd|rd|th))"
    rf" (?:{_RUN}|one|time)|{_RUN} ?(?:#|no\.?|number)? ?\d|same (?:test|command|thing|result|run)"
    r"|noch ?(?:ein)?mal|wieder|erneut|encore|nochmals|otra vez|ещё раз|снова)\b",
    re.IGNORECASE,
)
"""What says that it is done again as it was."""
_NTH_TEST = re.compile(
    r"\W{0,6}(?:(?:the )?(?:first|second|third|fourth|fifth|1st|2nd|3rd|[4-9]th)"
    r" (?:tests?|benchmarks?|measurements?)"
    r"|(?:erste|zweite|dritte|vierte|fünfte|[1-9]\.)[rs]? (?:test|messung)"
    r"|(?:premier|première|deuxième|second|seconde|troisième|[1-9](?:er|ère|e|ème)) (?:test|mesure)"
    r"|(?:primer|primera|segundo|segunda|tercer|tercera|[1-9][ºª]) (?:test|prueba)"
    r"|(?:primo|secondo|terzo|prima|seconda|terza) (?:test|prova)"
    r"|(?:первый|второй|третий|четв[её]ртый|пятый|[1-9](?:-?й|-?ый|-?ой)) (?:тест|замер)"
    r"|第 ?(?:[一二三四五六七八九十]|\d{1,2}) ?[次遍轮回](?:测试|測試|运行|執行|执行|テスト)?"
    r"|(?:[1-9]|[一二三四五]) ?回目(?:の?テスト)?)\W{0,6}",
    re.IGNORECASE,
)
"""A line that numbers a test and says nothing else: what is tested is what was tested before."""
_OTHERWISE = re.compile(
    r"\b(?:with|without|using|on|over|via|under|after|but|mit|ohne|auf|nach|avec|sans|con|sin)\b"
    r"(?! (?:the |exactly )?same\b)",
    re.IGNORECASE,
)
"""What says that it was done again in another way: `the same again with caching`."""
_VERBOSE = re.compile(
    r"(?:removed|renamed|copied)(?: directory:)? [`'\"‘][^\n]{1,200}['\"’]"
    r"|(?:mkdir|install): created directory ['\"‘][^\n]{1,200}['\"’]"
)
"""What `rm -v`, `mv -v` and `mkdir -v` print, in the words of a person."""
_ROW = re.compile(r"\S+(?:\s+[\d.,%]+)+$|\S+: \(g=\d")
"""A row of a table, and the line with which fio begins a job: named `before` or `after`."""
_FRAME = re.compile(
    r"\W*(?:the )?(?:outputs?|results?|log|code|copy(?: code)?|bash|shell|console|text|quote"
    r"|expand|ausgabe|ergebnis(?:se)?|zitat)\W*",
    re.IGNORECASE,
)
"""What stands above outputs whatever was measured, and what pages leave around a block."""
_MAIL = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Message-I[Dd]|In-Reply-To|References|Reply-To|Lines"
    r"|MIME-Version|User-Agent|X-[\w-]{2,30}|Content-[\w-]{2,30}): "
)
_WORD = r"(?=[^\n]{0,80}?[^\W\d_])"
_COMMENT = re.compile(rf"(?:#{{1,6}}|//|/\*|--|;{{1,2}}|REM\b) ?(?![!\[]){_WORD}")
_ITEM = re.compile(rf"(?:[-*+•·–]|\(?(?:\d{{1,2}}|[a-zA-Z])[.)、]) ?{_WORD}")
_DRAWN = re.compile(rf"(?P<sign>[-=*>~_#+])(?P=sign){{1,20}} ?(?![-=*>~_#+]){_WORD}")
_LABEL = re.compile(rf"{_WORD}[^\n]{{1,120}}[:：]")
_ALONE = re.compile(rf"{_WORD}[\w\"'(+/.-][^=|;{{}}<>\[\]$@\\]{{1,79}}")
"""A line of few words, which stands alone."""
_FEW = 9  # words
_LINES = 4  # of a note that names a set-up; more are a tool's output
_OPERANDS = 3  # words of a command that has two
_SCRIPT = re.compile(
    r"(?:(?:sudo|time|ba?sh) )*(?:\.{1,2}/|~/|/)[\w./-]{1,100}(?: [\w./=,-]{1,60})*"
)
_SUFFIX = re.compile(r"\.(?:sh|py|pl|rb|exe|bat)\b")
_PARTS = re.compile(r"&&|\|\||[;|&\n]")
_ASSIGNS = re.compile(r"(?:\w+=\S*\s+)+")
_ECHOED = re.compile(r"echo(?: -[en]{1,2})? [\"']?(?P<text>[^\"'>|;&]{2,100})[\"']?$")
_HARMLESS = frozenset({
    "bonnie++", "break", "case", "do", "done", "else", "esac", "false", "fi", "for", "if", "iperf",
    "iperf3", "lshw", "lsusb", "nproc", "popd", "pushd", "seq", "set", "sleep", "sync", "tailf",
    "test", "then", "time", "true", "tput", "umount", "unset", "wait", "watch", "while",
})  # fmt: skip
"""Words of a shell and programs that change nothing by which a run differs from the one before."""


def says_change(text: str) -> bool:
    """Whether somebody says what is different, and not that it is done again."""
    if text.startswith(("#!", "/", "<", "{", "[")) or _ROW.match(text):
        return False
    if _VERBOSE.fullmatch(text):
        return False
    says = _CONDITION.match(text) or (is_sentence(text) and _DONE.search(text))
    return bool(says) and not is_repetition(text)


@lru_cache(1024)
def is_repetition(text: str) -> bool:
    """Whether somebody says that it is done again as it was: `Run 2:`, `and once more`."""
    if _NTH_TEST.fullmatch(text):
        return True
    return _AGAIN.search(text) is not None and _OTHERWISE.search(text) is None


def written_between(lines: Sequence[str], outputs: Collection[int] = ()) -> list[str]:
    """What an author wrote, and programs of unknown effect, in their order.

    Empty where it says of the second measurement that it is the first one again. What says that
    something was changed is returned even then.

    Args:
        lines: clean ones, from the one below a measurement to the one above the next.
        outputs: indices of lines that other outputs have.
    """
    written = list(_written(lines, outputs))
    # A numbered test is the same one only where nothing else is said of it.
    if written and is_repetition(written[-1]) and not _NTH_TEST.fullmatch(written[-1]):
        return [text for text in written if says_change(text) or says_limit(text)]
    return [text for text in written if not is_repetition(text)]


def _written(lines: Sequence[str], outputs: Collection[int]) -> Iterator[str]:
    below_command = False
    limits = may_say_limit("\n".join(lines))
    for at, line in enumerate(lines):
        text = line[:_LINE].strip().strip("`")
        if not text or at in outputs:
            below_command = False
        elif limits and says_limit(text):
            yield text
        elif command := _command(text):
            yield from _of_unknown_effect(command)
            below_command = True
        elif not is_prompt(text) and _is_authors(lines, at, text, below=below_command):
            yield text


def _command(text: str) -> str:
    """The command in a line, at a prompt or at none; empty where there is none."""
    command = command_at([text], 0)
    if command is not None:
        return command.text
    prompt = prompt_in(text)
    if prompt is not None and not text.startswith("#"):
        return prompt.command
    is_script = _SCRIPT.fullmatch(text) and (text.startswith(".") or _SUFFIX.search(text))
    return text if is_script or called(text) or _is_plain_call(text) else ""


def _is_plain_call(text: str) -> bool:
    """Whether a line is a program and one or two operands: `rm test`, `sysctl vm.dirty_ratio`."""
    name = program_of(text)
    if not (name in NO_FIGURES or name in _HARMLESS or name == "sysctl"):
        return False
    few = len(text.split()) <= _OPERANDS
    return few and not text.endswith(":") and _OTHERWISE.search(text) is None


def _of_unknown_effect(command: str) -> Iterator[str]:
    """What a command echoes, or itself where it starts a program that is not known."""
    if echoed := _ECHOED.match(command):
        yield echoed["text"].strip()
        return
    for part in _PARTS.split(command):
        name = program_of(_ASSIGNS.sub("", part.strip(" (){}")))
        is_known = is_program(name) or name in NO_FIGURES or name in _HARMLESS
        if name and not is_known and not name.startswith(("mkfs.", "-", "$", "[", "#", "/dev/")):
            yield command
            return


def _is_authors(lines: Sequence[str], at: int, text: str, *, below: bool) -> bool:
    """Whether a line that no output has was written by a person.

    Args:
        lines: around it.
        at: its index.
        text: the line.
        below: it stands right below a command, and so may be printed by that.
    """
    if text.startswith(("#!", "/dev/", "<", "{", "[")) or _ROW.match(text):
        return False
    if _MAIL.match(text) or _FRAME.fullmatch(text):
        return False
    if not below and (_ITEM.match(text) or _DRAWN.match(text) or is_sentence(text)):
        return True
    if _COMMENT.match(text) or says_change(text) or is_repetition(text):
        return True
    return not below and (_LABEL.fullmatch(text) is not None or _is_alone(lines, at))


def _is_alone(lines: Sequence[str], at: int) -> bool:
    """Whether a line of few words, or a few of them, has nothing beside it but blank lines.

    Below them a command may stand; above them an output only where that is known.
    """
    first = last = at
    while first > 0 and at - first < _LINES and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and last - at < _LINES and _goes_on(lines[last + 1]):
        last += 1
    if last - first >= _LINES:
        return False
    return all(_is_of_few_words(line.strip()) for line in lines[first : last + 1])


def _goes_on(below: str) -> bool:
    return bool(below.strip()) and prompt_in(below.strip()) is None


def _is_of_few_words(text: str) -> bool:
    few = len(text.split()) <= _FEW and "  " not in text
    return few and _ALONE.fullmatch(text) is not None
