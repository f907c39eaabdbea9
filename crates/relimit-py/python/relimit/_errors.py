"""What a question can be refused for: one class for each group, with the facts as attributes."""

from __future__ import annotations

import re


class RelimitError(ValueError):
    """A question that cannot be answered; the message says what is wrong and what to do.

    ``cure`` is what to do, where the message tells it apart.
    """

    setting: str | None
    file: str | None
    row: int | None
    column: str | None
    value: str | None
    why: str | None
    cure: str | None

    def __init__(
        self,
        message: str,
        *,
        setting: str | None = None,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        value: str | None = None,
        why: str | None = None,
        cure: str | None = None,
    ) -> None:
        super().__init__(message)
        self.setting = setting
        self.file = file
        self.row = row
        self.column = column
        self.value = value
        self.why = why
        self.cure = cure

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (type(self), str(self), dict(vars(self))))


class PlanError(RelimitError):
    """A setting that cannot be used: ``setting``, ``value``, ``why``, ``cure``."""


class DataError(RelimitError):
    """Data that cannot be used: ``file``, ``row``, ``column``, ``value``, ``cure``, as far as
    known.
    """


class QuestionError(RelimitError):
    """A question that makes no sense for these data or this network."""


_CLASSES = {"PlanError": PlanError, "DataError": DataError, "QuestionError": QuestionError}


def _again(kind: type[RelimitError], message: str, facts: dict[str, object]) -> RelimitError:
    error = kind(message)
    vars(error).update(facts)
    return error


def keyword(flag: str) -> str:
    """The keyword argument of a flag of the command line."""
    word = flag.lstrip("-").replace("-", "_")
    return "lam" if word == "lambda" else word


def make(kind: str, message: str, facts: dict[str, object]) -> RelimitError:
    """The exception for an error of the engine, with keyword arguments in place of flags."""

    def words(text: str) -> str:
        return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda match: keyword(match[1]), text)

    facts = {key: words(v) if isinstance(v, str) else v for key, v in facts.items()}
    if isinstance(facts.get("setting"), str):
        facts["setting"] = keyword(str(facts["setting"]))
    return _again(_CLASSES[kind], words(message), facts)
