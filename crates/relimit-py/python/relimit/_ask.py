"""The way from keyword arguments to the engine and back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _relimit
from ._errors import PlanError
from ._network import Network
from ._results import Result
from ._tables import Table

_encode = json.JSONEncoder(allow_nan=False).encode


def ask(
    command: str,
    settings: dict[str, Any],
    table: Table | None = None,
    network: Network | None = None,
    progress: Callable[[int, int | None], object] | None = None,
) -> Result:
    """Asks ``command``; settings that are ``None`` keep the default of the command line."""
    words = {key: word(key, value) for key, value in settings.items() if value is not None}
    if "lam" in words:
        words["lambda"] = words.pop("lam")
    given = None
    if table is not None:
        given = table.given
        if table.path is not None:
            words["data"] = table.path
        if table.targets:
            words["target"] = table.targets
        if table.weight is not None:
            words["weight"] = table.weight
    held = None if network is None else network.given()
    wants = command not in ("patterns", "certify", "study", "check")
    answer, parts = _relimit.ask(command, _encode(words), given, held, wants, progress)
    found = None if parts is None else Network.of_parts(parts)
    return Result(answer, found, table)


def word(key: str, value: Any) -> Any:
    """A setting as JSON: numpy's numbers as numbers, infinity as its word."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.generic):
        return word(key, value.item())
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise PlanError(f"{key}: not a number", setting=key, value="nan")
        return "inf" if value > 0 else "-inf"
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if key == "box" and isinstance(value, Iterable):
        return ",".join(
            f"{low!r}:{high!r}" for low, high in ((float(a), float(b)) for a, b in value)
        )
    if isinstance(value, Iterable):
        return [word(key, item) for item in value]
    raise PlanError(
        f"{key}: {value!r} is neither text, number nor list", setting=key, value=repr(value)
    )
