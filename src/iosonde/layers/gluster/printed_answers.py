"""What gluster answers to commands that change something: of peers, volumes and snapshots.

Source: glusterfs 3.4 to 11, cli/src/cli-rpc-ops.c (gf_cli_probe_cbk(): "peer probe: success",
"peer probe: failed: %s"; gf_cli_start_volume_cbk(): "volume start: %s: success";
gf_cli_set_volume_cbk(), gf_cli_remove_brick_cbk(): "volume remove-brick %s: success", then "ID: ";
gf_cli_snapshot(): "snapshot create: success: Snap … created successfully") and
cli/src/cli-cmd-parser.c (the question whether a volume of two copies is wanted). Up to 3.3
"Creation of volume %s has been successful", today still "Starting volume profile on %s has been
successful".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import is_full

_VOLUME_VERB = (
    r"(?:create|delete|start|stop|set|reset|add-brick|log-rotate|rebalance|"
    r"replace-brick|reset-brick|barrier|quota|remove-brick(?: (?:start|stop|commit(?: force)?))?)"
)
_SNAPSHOT_VERB = r"(?:create|clone|restore|delete|activate|deactivate|config)"
_ANSWER = re.compile(
    rf"\s*(?P<verb>peer (?:probe|detach)|volume {_VOLUME_VERB}|snapshot {_SNAPSHOT_VERB}) ?: "
    r"(?:(?P<name>(?!success|failed)[\w.-]{1,200}): )?(?P<result>success|failed)(?![\w-])"
    r"(?P<message>.{0,400}?)\s*$"
)
_SENTENCE = re.compile(
    r"\s*(?P<verb>(?:Creation|Deletion) of volume"
    r"|(?:Starting|Stopping|Deleting) volume"
    r"(?: profile on)?|volume profile on|[Ss]tarting rebalance on volume) "
    r"(?P<name>[\w.-]{1,200}) has been (?P<result>successful|unsuccessful)"
    r"(?P<message>.{0,300}?)\s*$"
)
_WARNING = re.compile(r"\s*(?P<warning>Replica 2 volumes are prone to split-brain\..{0,250}?)\s*$")
_QUESTION = re.compile(r"\s*(?:Do you (?:still )?want to continue\?|\(y/n\) [yn])")
_ID = re.compile(r"\s*ID: (?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$")
_CALLED = re.compile(
    r"\b(?P<what>peer|volume|snapshot) (?P<verb>[a-z]{3,12}(?:-brick|-rotate)?) "
    r"(?P<name>[\w.:-]{1,200})"
)
_VERBS = {
    "Creation of volume": "volume create", "Deletion of volume": "volume delete",
    "Starting volume": "volume start", "Stopping volume": "volume stop",
    "Deleting volume": "volume delete", "Starting volume profile on": "volume profile start",
    "Stopping volume profile on": "volume profile stop", "volume profile on": "volume profile",
    "Starting rebalance on volume": "volume rebalance",
    "starting rebalance on volume": "volume rebalance",
}  # fmt: skip
_KINDS = {"peer": "gluster_peer", "volume": "gluster_volume", "snapshot": "gluster_snapshot"}
_COLUMN = 66  # where mails break their lines, at least
_ABOVE = 10  # lines above an answer in which the question is looked for


class GlusterAnswers(StateOutput):
    tool = "gluster"
    answers = True
    anchors = (
        "peer probe: ", "peer detach: ", "volume create: ", "volume delete: ", "volume start: ",
        "volume stop: ", "volume set: ", "volume reset: ", "volume add-brick: ",
        "volume remove-brick ", "volume remove-brick: ", "volume replace-brick: ",
        "volume reset-brick: ", "volume rebalance: ", "volume quota : ", "volume log-rotate: ",
        "snapshot create: ", "snapshot clone: ", "snapshot restore: ", "snapshot delete: ",
        "snapshot activate: ", "snapshot deactivate: ", " has been successful",
        " has been unsuccessful", "volume barrier: ",
    )  # fmt: skip
    commands = ("gluster",)
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _answer(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - _ABOVE, 0) - 1, -1):
            line = cursor.line(index)
            if _WARNING.match(line) or _QUESTION.match(line):
                first = index
            elif line and not is_full(len(line), cursor.line(index + 1), _COLUMN):
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        answer, at = None, first
        for at in range(first, first + _ABOVE + 1):
            line = cursor.line(at)
            if answer := _answer(line):
                break
            if warning := _WARNING.match(line):
                values["warning"] = warning["warning"]
        if answer is None:
            return first, ()
        verb = _VERBS.get(answer["verb"], answer["verb"])
        name, message = (
            answer["name"] or _called(verb, prompt.command),
            answer["message"].rstrip(" ."),
        )
        rest = cursor.line(at + 1)
        if message and not prompt_in(rest) and _goes_on(cursor.line(at), rest):
            message, at = f"{message} {rest.strip()}", at + 1
        done = answer["result"] in {"success", "successful"}
        values[re.sub("[ -]", "_", verb)] = "success" if done else "failed"
        if message:
            values["message"] = f"{answer['result']}{message}"
        below = at + 1 if cursor.line(at + 1) else at + 2
        if task := _ID.match(cursor.line(below)):
            values["task_id"], at = task["id"], below
        kind = _KINDS[verb.partition(" ")[0]]
        return at, [PrintedSubject(kind, name, values, prompt.host)]


def _answer(line: str) -> re.Match[str] | None:
    return _ANSWER.match(line) or _SENTENCE.match(line)


def _goes_on(line: str, below: str) -> bool:
    """Whether a mail broke an answer there."""
    return bool(below.strip()) and not _answer(below) and is_full(len(line), below, _COLUMN)


def _called(verb: str, command: str) -> str:
    """What the command names, if it is the one that is answered: "success" alone names nothing."""
    called = _CALLED.search(command)
    if called is None or f"{called['what']} {called['verb']}" not in verb:
        return ""
    return "" if called["name"] in {"start", "stop", "commit"} else called["name"]
