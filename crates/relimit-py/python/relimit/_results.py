"""Answers as frozen objects: the keys of the JSON are attributes, and there is a picture, a table
and a file of each.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _relimit
from ._errors import QuestionError
from ._network import Network
from ._tables import Table

SCALARS = (str, int, float, bool)


class Record:
    """A JSON object with its keys as attributes (``lam`` for ``lambda``); it cannot be changed.

    Lists of numbers are arrays that cannot be written to, lists of objects are tuples of records.
    """

    __slots__ = ("_data",)
    _data: dict[str, Any]

    def __init__(self, data: dict[str, Any]) -> None:
        object.__setattr__(self, "_data", data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return wrap(self._data["lambda" if name == "lam" else name])
        except KeyError:
            known = ", ".join(self._data)
            raise AttributeError(f"no '{name}' in this answer; there are {known}") from None

    def __getitem__(self, key: str) -> Any:
        return wrap(self._data[key])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("answers cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("answers cannot be changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __len__(self) -> int:
        return len(self._data)

    def keys(self) -> list[str]:
        """The keys of the JSON object."""
        return list(self._data)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *("lam" if key == "lambda" else key for key in self._data)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._data == other._data

    def __hash__(self) -> int:
        return hash(json.dumps(self._data, sort_keys=True))

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._data,))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_short(self._data)})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object, as a copy."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy


class Result(Record):
    """The answer of a command; ``network`` is the network that results, where there is one."""

    __slots__ = ("_found", "_table")
    _found: Network | None
    _table: Table | None

    def __init__(
        self, data: dict[str, Any], found: Network | None = None, table: Table | None = None
    ) -> None:
        super().__init__(data)
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_table", table)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._data, self._found, self._table))

    @property
    def network(self) -> Any:
        """The network for raw inputs that results, or ``None``.

        Of ``certify`` what the answer says of the one that was asked about.
        """
        if self._found is not None:
            return self._found
        if "network" in self._data:
            return wrap(self._data["network"])
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the answer as ``.json``, a study as a page ``.html``, or the network that results
        as ``.safetensors``, ``.onnx`` or ``.npz``.
        """
        name = os.fspath(path)
        if name.endswith(".json"):
            _write(name, json.dumps(self._data) + "\n")
        elif name.endswith(".html") and self._data["command"] == "study":
            _write(name, _relimit.study_page(json.dumps(self._data)))
        elif self._found is None:
            raise QuestionError(f"{name}: no network results here; save the answer as .json")
        else:
            self._found.save(name)

    def rows(self) -> dict[str, list[Any]]:
        """The columns of ``to_frame``: one row an example, or a neuron, or a number of active
        rows, or an entry of the ledger.
        """
        data = self._data
        if data["command"] == "study":
            return _columns(data["ledger"])
        if data["command"] == "check":
            return _columns([{k: data[k] for k in ("kind", "verdict", "statement", "fault")}])
        if data["command"] == "patterns":
            counts = data["active_counts"] or []
            return {"active_rows": list(range(len(counts))), "patterns": list(counts)}
        if data["command"] in ("certify", "collapse"):
            return _columns(data["neurons"])
        columns = {"row": data["data"]["rows"], "label": data["data"]["labels"]}
        outputs = self.fitted()
        if outputs is not None:
            for k in range(outputs.shape[1]):
                columns["output" if outputs.shape[1] == 1 else f"output{k}"] = outputs[
                    :, k
                ].tolist()
        return columns

    def fitted(self) -> Any:
        """Outputs on the rows, rows x outputs, in the units of ``data.labels``, or ``None``."""
        data = self._data
        if data.get("outputs") is not None:
            more = [t.get("outputs") for t in data.get("further_targets") or []]
            columns = [data["outputs"], *(v for v in more if v is not None)]
            return np.array(columns, dtype=float).T
        if data["command"] == "limit":
            z = np.array(data["limit"]["preactivations"], dtype=float)
            return (np.maximum(z, 0.0).T @ _signs(data["settings"]["signs"]))[:, None]
        held = self.held()
        raw = data["settings"].get("target_scale") == "none"
        if self._found is not None and held is not None and raw:
            x, y = held
            if len(x) == len(data["data"]["labels"]):
                return np.asarray(self._found.predict(x)).reshape(y.shape)
        return None

    def to_frame(self) -> Any:
        """A pandas frame (polars where pandas is absent) of ``rows()``."""
        columns = self.rows()
        try:
            import pandas
        except ImportError:
            import polars

            return polars.DataFrame(columns, strict=False)
        return pandas.DataFrame(columns)

    def plot(self, ax: Any = None) -> Any:
        """A picture with matplotlib; the axes are returned. A verdict on a certificate has none."""
        from ._plots import draw

        return draw(self, ax)

    def held(self) -> tuple[Any, Any] | None:
        """The features and labels in memory that the question was about, raw, or ``None``."""
        table = self._table
        if table is None or not table.blocks or not table.targets:
            return None
        all_columns = np.column_stack(table.blocks)
        taken = [*table.targets, table.weight]
        features = [k for k, name in enumerate(table.columns) if name not in taken]
        labels = [table.columns.index(name) for name in table.targets]
        return all_columns[:, features], all_columns[:, labels]

    def _repr_html_(self) -> str:
        facts = {k: v for k, v in self._data.items() if isinstance(v, SCALARS) and k != "schema"}
        for group in ("limit", "gap", "min_norm"):
            inner = self._data.get(group)
            if isinstance(inner, dict):
                more = {f"{group}.{k}": v for k, v in inner.items() if isinstance(v, SCALARS)}
                facts.update(more)
        lines = (
            f"<tr><th style='text-align:left'>{html.escape(k)}</th>"
            f"<td style='text-align:left'>{html.escape(_value(v))}</td></tr>"
            for k, v in facts.items()
        )
        title = html.escape(f"relimit {self._data.get('command', '')}")
        return f"<table><caption>{title}</caption>{''.join(lines)}</table>"


def _write(path: str, text: str) -> None:
    """Writes beside the file and renames, so that what was there is never half lost."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)


def _signs(text: str) -> Any:
    """Output weights from the word of the command line."""
    if set(text) <= {"+", "-"}:
        return np.array([1.0 if sign == "+" else -1.0 for sign in text])
    return np.array([float(part) for part in text.split(",")])


def wrap(value: Any) -> Any:
    """Objects as records, lists of numbers as arrays, other lists as tuples."""
    if isinstance(value, dict):
        return Record(value)
    if not isinstance(value, list):
        return value
    if value and _numeric(value):
        array = np.array(value)
        array.flags.writeable = False
        return array
    return tuple(wrap(item) for item in value)


def _numeric(value: list[Any]) -> bool:
    """Whether a list holds numbers alone, or rows of numbers of one length."""
    if all(type(v) in (int, float) for v in value):
        return True
    if not all(isinstance(v, list) and len(v) == len(value[0]) and v for v in value):
        return False
    return all(type(number) in (int, float) for row in value for number in row)


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    keys = list(dict.fromkeys(key for record in records for key in record))
    return {key: [record.get(key) for record in records] for key in keys}


def _value(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _short(data: dict[str, Any]) -> str:
    shown = [
        f"{k}={_value(v)}" for k, v in data.items() if isinstance(v, SCALARS) and k != "schema"
    ]
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")
