"""Sweeps: many runs of a command over axes and seeds, here or on the workers of a Dask cluster."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from . import _relimit
from ._errors import PlanError, RelimitError
from ._results import Record

Progress = Callable[[int, int | None], object]


class Sweep(Record):
    """What a sweep has reached; ``rows()`` and ``to_frame()`` are its rows, in the order of the
    plan.
    """

    def rows(self) -> dict[str, list[Any]]:
        """The columns by name; a value that is missing is ``None``."""
        return _relimit.sweep_rows(self["settings"]["out"])[0]

    def to_frame(self) -> Any:
        """A pandas frame (polars where pandas is absent) of ``rows()``."""
        try:
            import pandas
        except ImportError:
            import polars

            return polars.DataFrame(self.rows(), strict=False)
        return pandas.DataFrame(self.rows())


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    retry: bool = False,
    prune: bool = False,
    unit: int | None = None,
    client: Any = None,
    progress: Progress | None = None,
) -> Sweep:
    """Runs what is missing of a plan, the path of a TOML file or a mapping of the same layout.

    The rows are a Parquet data set in ``out`` (default: the name of the plan with ``.sweep``);
    interrupted or killed, the
    same call goes on. With ``client``, a client of Dask, units of ``unit`` runs go to its workers,
    each with ``threads``
    threads (default 1): they need this package and ``out`` at the same path. A worker that dies
    loses at most the runs
    that it was at, and the rows are the same bytes whoever ran them.
    """
    if isinstance(plan, Mapping):
        if out is None:
            raise PlanError("out: a plan without a file has no name; give a folder", setting="out")
        name, text, folder = "plan", _toml(plan), os.getcwd()
    else:
        name = os.fspath(plan)
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise PlanError(f"{name}: cannot be read: {error}", setting="plan") from None
        folder = os.path.dirname(name) or "."
    place = (
        os.path.splitext(os.path.basename(name))[0] + ".sweep" if out is None else os.fspath(out)
    )
    keep = (retry, prune)
    if client is None:
        counts = _relimit.sweep(name, text, folder, place, threads, keep, None, progress)
    else:
        place = os.path.abspath(place)
        ask = (name, text, folder, place, threads, keep)
        counts = _relimit.sweep(*ask, unit or 0, None)
        if counts[4]:
            _on_workers(client, place, counts[4], threads or 1, progress)
            counts = _relimit.sweep(*ask[:5], (False, prune), unit or 0, None)
    runs, done, failed, reused, _ = counts
    return Sweep(
        {
            "schema": "relimit/sweep/1",
            "runs": runs,
            "done": done,
            "failed": failed,
            "reused": reused,
            "status": "complete" if done + failed == runs else "interrupted",
            "settings": {
                "plan": name,
                "out": place,
                "engine": "local" if client is None else "dask",
                "threads": threads,
            },
        }
    )


def _unit(place: str, index: int, threads: int) -> int:
    """A unit on a worker; one that another has is waited for, since that worker may die."""
    while True:
        done, busy = _relimit.sweep_unit(place, index, threads)
        if done:
            return index
        if busy is None:
            raise RelimitError(f"unit {index} of {place} was interrupted; call sweep again")
        time.sleep(1.0)


def _on_workers(
    client: Any, place: str, units: int, threads: int, progress: Progress | None
) -> None:
    # resources of a run are not known to Dask: a unit that is repeated finds its rows
    futures = client.map(
        _unit, [place] * units, range(units), [threads] * units, pure=False, retries=5
    )
    done = 0
    for future in futures:
        future.result()
        done += 1
        if progress is not None:
            progress(done, units)


def _toml(plan: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value, key)}\n" for key, value in plan.items())


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _value(value: Any, key: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(k)} = {_value(v, key)}" for k, v in value.items())
        return f"{{{inner}}}"
    if hasattr(value, "tolist"):
        return _value(value.tolist(), key)
    if isinstance(value, (list, tuple, range)):
        return f"[{', '.join(_value(v, key) for v in value)}]"
    raise PlanError(f"{key}: {value!r} is neither text, number, list nor mapping", setting=key)
