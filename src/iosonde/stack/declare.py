"""Reads what users declare in YAML; every complaint names file, line and key.

ruamel.yaml keeps the line of every key, pydantic says which key is wrong: together they make one
sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import join
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from ruamel.yaml.comments import CommentedBase

from iosonde.errors import UsageError
from iosonde.yamltext import load_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound=BaseModel)
_NAMED = 4  # keys of which it is said that they are wrong as well


def _line(tree: Any, path: Sequence[str | int]) -> int | None:
    """The line, from 1, of the deepest part of `path` that the file has."""
    line: int | None = None
    for step in path:
        if not isinstance(tree, CommentedBase) or not hasattr(tree, "lc"):
            break
        try:
            position = tree.lc.key(step) if isinstance(tree, dict) else tree.lc.item(step)
            line = position[0] + 1
            tree = tree[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            break
    return line


def _plain(tree: Any) -> Any:
    """Round-trip nodes as plain Python, so that nothing of the parser travels on."""
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(value) for value in tree]
    if isinstance(tree, bool) or tree is None:
        return tree
    for kind in (int, float, str):
        if isinstance(tree, kind):
            return kind(tree)
    return str(tree)


@dataclass(frozen=True, slots=True)
class Tree:
    """A YAML file as read: `values` as plain Python, `node` with the lines."""

    file: str
    values: dict[str, Any]
    node: Any

    def wrong(self, path: Sequence[str | int], message: str, hint: str = "") -> UsageError:
        """A complaint about a key, with the file's line."""
        line = _line(self.node, path)
        return UsageError(message, where=f"{self.file}:{line}" if line else self.file, hint=hint)


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """A kind of file that a verb takes; another kind given to it is called by its name.

    Args:
        verb: that takes it.
        what: it is called.
        key: that such a file has and no other kind.
    """

    verb: str
    what: str
    key: str


RUN_STUDY = DeclaredKind("run", "a study for `run`, which measures", "loads")
TUNE_STUDY = DeclaredKind("tune", "a study for `tune`, which searches for settings", "vary")
STACK_FILE = DeclaredKind("up", "a stack file, which `up` builds", "layers")


def require_kind(tree: Tree, wanted: DeclaredKind) -> None:
    """Refuse a file that is meant for another verb before its keys are called wrong.

    Raises:
        UsageError: it is; the hint has the command.
    """
    if wanted.key in tree.values:
        return
    for kind in (RUN_STUDY, TUNE_STUDY, STACK_FILE):
        if kind.key in tree.values:
            command = join(["iosonde", kind.verb, tree.file])
            raise tree.wrong([kind.key], f"this is {kind.what}", command)


def read_tree(text: str, file: str) -> Tree:
    """A YAML file whose top is a mapping.

    Raises:
        UsageError: it is none.
    """
    node = load_yaml(text, file, lines=True)
    if not isinstance(node, dict):
        raise UsageError("expected a mapping of keys to values at the top", where=f"{file}:1")
    return Tree(file, _plain(node), node)


def check_part(
    tree: Tree, path: Sequence[str | int], values: Mapping[str, Any], model: type[M]
) -> M:
    """A part of a file checked against its model.

    Args:
        tree: the file.
        path: keys that lead to the part.
        values: the part.
        model: what it must be.

    Raises:
        UsageError: it is not; where is "FILE:LINE".
    """
    try:
        return model.model_validate(values)
    except ValidationError as problem:
        raise _complaint(problem, tree.node, tree.file, model, path) from None


def read_declaration(text: str, file: str, model: type[M], kind: DeclaredKind | None = None) -> M:
    """A declaration checked against its model.

    Args:
        text: the file's content.
        file: its name, for messages.
        model: what it must be.
        kind: of file; None: any.

    Raises:
        UsageError: not YAML, of another kind, or not what `model` says; where is "FILE:LINE".
    """
    tree = read_tree(text, file)
    if kind:
        require_kind(tree, kind)
    return check_part(tree, [], tree.values, model)


def check_declaration(values: dict[str, Any], where: str, model: type[M]) -> M:
    """A declaration that stands in no file, such as the options of a command line.

    Raises:
        UsageError: not what `model` says.
    """
    return check_part(Tree(where, values, values), [], values, model)


def _complaint(
    problem: ValidationError,
    tree: Any,
    file: str,
    model: type[BaseModel],
    above: Sequence[str | int],
) -> UsageError:
    """The most telling complaint as one sentence; the others are named."""
    errors = [_Wrong.of(error, model, above) for error in problem.errors(include_url=False)]
    meant = {error.near for error in errors} - {""}
    errors = [error for error in errors if not (error.missing and error.path[-1] in meant)]
    first, *others = sorted(errors, key=lambda error: error.rank)
    line = _line(tree, first.path)
    message = first.message
    if others:
        names = list(dict.fromkeys(error.key for error in others))
        message += f"; also wrong: {', '.join(names[:_NAMED])}"
        message += f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return UsageError(message, where=f"{file}:{line}" if line else file, hint=first.hint)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A complaint: where, what, what to do; `near` is the key that was meant by a misspelt one."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    near: str = ""
    missing: bool = False

    @property
    def key(self) -> str:
        """As messages name it."""
        return ".".join(map(str, self.path)) or "the file"

    @property
    def rank(self) -> int:
        """Misspelt keys first: what else is wrong may follow from them."""
        return 0 if self.near else 2 if self.missing else 1

    @classmethod
    def of(cls, error: ErrorDetails, model: type[BaseModel], above: Sequence[str | int]) -> _Wrong:
        """One of pydantic's."""
        path = (*above, *(step for step in error["loc"] if not _is_branch(step)))
        key = ".".join(str(step) for step in path) or "the file"
        if error["type"] == "extra_forbidden":
            near, hint = _near(str(path[-1]), _model_at(model, error["loc"]))
            return cls(path, f"there is no key {key!r} here", hint, near)
        if error["type"] == "missing":
            return cls(path, f"the key {key!r} is missing", missing=True)
        reason, got = error["msg"].removeprefix("Value error, "), _shown(error["input"])
        return cls(path, f"{key}: {reason}" + ("" if got in reason else f", got {got}"))


def _is_branch(step: str | int) -> bool:
    """Pydantic names the branch of a union it tried ("function-before[…]", "str"): no key."""
    return isinstance(step, str) and ("[" in step or step in {"str", "int", "float", "bool"})


def _model_at(model: type[BaseModel], path: Sequence[str | int]) -> type[BaseModel] | None:
    """The model whose key the last step of a path was to be; None where it may be of several."""
    at: type[BaseModel] | None = model
    for step in path[:-1]:
        field = at.model_fields.get(str(step)) if at else None
        if field is not None:  # else a key of a mapping, or a place in a list
            models = set(_models(field.annotation))
            at = models.pop() if len(models) == 1 else None
    return at


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in the type of a field, through lists, mappings and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _near(key: str, model: type[BaseModel] | None) -> tuple[str, str]:
    """The key that was meant, empty where none is like it; and the hint."""
    from difflib import get_close_matches

    if model is None:
        return "", ""
    keys = sorted(field.alias or name for name, field in model.model_fields.items())
    near = get_close_matches(key, keys, n=1)
    if near:
        return near[0], f"did you mean {near[0]!r}?"
    return "", f"known: {', '.join(keys)}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
