"""Which defaults hold here, and where does each come from?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from iosonde.config import KEYS, ConfigValue, config_file, config_value
from iosonde.contract import VerbResult


@dataclass(frozen=True, slots=True)
class Configuration(VerbResult):
    """The defaults of iosonde that hold for this user."""

    SCHEMA = "iosonde.config/1"
    file: str
    """Where the configuration file is, or would be."""
    exists: bool
    """Whether it is there."""
    values: tuple[ConfigValue, ...]


def config() -> Configuration:
    """Every default: its value and where that comes from; passwords in URLs are hidden.

    Raises:
        UsageError: the configuration file is wrong; `where` has the line.
        Refused: root's file could be another user's work.
    """
    file = config_file()
    values = tuple(_hidden(config_value(key)) for key in KEYS)
    return Configuration(str(file), file.is_file(), values)


def _hidden(value: ConfigValue) -> ConfigValue:
    """The same without the password of a database."""
    from urllib.parse import urlsplit, urlunsplit

    if not isinstance(value.value, str) or "://" not in value.value:
        return value
    url = urlsplit(value.value)
    account, at, host = url.netloc.rpartition("@")
    name, colon, _ = account.partition(":")
    if not colon:
        return value
    return replace(value, value=urlunsplit(url._replace(netloc=f"{name}:***{at}{host}")))
