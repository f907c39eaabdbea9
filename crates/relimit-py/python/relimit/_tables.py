"""Arrays and frames as tables: columns of double precision with names, or a refusal that says
why.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import DataError, QuestionError

Array = NDArray[np.float64]
NAME = "arrays"


@dataclass(frozen=True)
class Table:
    """What a question is about: a file, or blocks of columns in memory."""

    path: str | None
    blocks: list[Array]
    columns: list[str]
    targets: list[str] | None
    weight: str | None

    @property
    def given(self) -> tuple[list[Array], list[str], str] | None:
        """The table as the engine takes it."""
        return (self.blocks, self.columns, NAME) if self.blocks else None


def table(
    x: object,
    y: object = None,
    weight: object = None,
    target: str | list[str] | None = None,
) -> Table:
    """The table of features ``x`` with labels ``y`` or the columns ``target``, and sample
    weights.
    """
    targets = [target] if isinstance(target, str) else target
    if x is None or isinstance(x, (str, os.PathLike)):
        if y is not None:
            raise QuestionError("y: a file holds its labels; name their columns as target")
        if weight is not None and not isinstance(weight, str):
            raise QuestionError("weight: a file holds its weights; name their column")
        path = None if x is None else os.fspath(x)
        return Table(path, [], [], targets, weight)
    features, names = block(x, "x")
    if y is None:
        absent = [name for name in targets or [] if name not in names]
        if absent:
            raise QuestionError(
                f"target {absent[0]}: no such column; the columns are {', '.join(names)}"
            )
        column = weight if isinstance(weight, str) else None
        if weight is None or column:
            return Table(None, [features], names, targets, column)
        blocks, columns = [features], list(names)
    else:
        if targets:
            raise QuestionError("target: the labels are given as y; give one of the two")
        labels, given = block(y, "y")
        _same_rows(features, labels, "y")
        many = labels.shape[1] > 1
        plain = given if named(y) else [f"y{k}" if many else "y" for k in range(labels.shape[1])]
        targets = [_free(name, names) for name in plain]
        blocks, columns = [features, labels], [*names, *targets]
    if weight is None:
        return Table(None, blocks, columns, targets, None)
    if isinstance(weight, str):
        return Table(None, blocks, columns, targets, weight)
    copies, _ = block(weight, "weight")
    if copies.shape[1] != 1:
        raise QuestionError(f"weight: {copies.shape[1]} columns; give one number for each row")
    _same_rows(features, copies, "weight")
    name = _free("weight", columns)
    return Table(None, [*blocks, copies], [*columns, name], targets, name)


def block(values: object, what: str) -> tuple[Array, list[str]]:
    """Columns of double precision and their names."""
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):
        return _frame(values, what)
    array = numbers(values, what)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    name = getattr(values, "name", None)
    if array.shape[1] == 1 and isinstance(name, str) and name:
        return array, [name]
    return array, [f"{what}{k}" for k in range(array.shape[1])]


def named(values: object) -> bool:
    """Whether values bring the names of their columns."""
    return hasattr(values, "columns") or isinstance(getattr(values, "name", None), str)


def numbers(values: object, what: str) -> Array:
    """An array of one or two dimensions in double precision; a C-contiguous one is not copied."""
    if isinstance(values, np.ma.MaskedArray):
        raise DataError(f"{what}: a masked array; give its rows without masked values", column=what)
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise DataError(f"{what}: a sparse matrix; give {what}.toarray()", column=what)
    detach = getattr(values, "detach", None)
    if callable(detach):
        values = detach().cpu().numpy()
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{what}: no rectangular array: {error}", column=what) from None
    if array.dtype.kind == "c":
        raise DataError(
            f"{what}: complex numbers; give real and imaginary parts as columns", column=what
        )
    if array.dtype.kind not in "biuf":
        array = _parsed(values, array, what)
    if array.ndim not in (1, 2):
        cure = "give one row an example and one column a feature"
        raise DataError(
            f"{what}: {array.ndim} dimensions {array.shape}; {cure}", column=what, cure=cure
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _parsed(values: object, array: NDArray[Any], what: str) -> NDArray[Any]:
    """Extension types of numbers, whose missing values become NaN; anything else is refused."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    convert = getattr(values, "to_numpy", None)
    if kind in "biuf" and callable(convert):
        return np.asarray(convert(dtype=np.float64, na_value=np.nan))
    first = array.reshape(-1)[0] if array.size else None
    cure = "convert it with astype(float), or leave the column out"
    raise DataError(
        f"{what}: values of type {array.dtype}, the first {first!r}, where numbers are "
        f"expected; {cure}",
        column=what,
        value=repr(first),
        cure=cure,
    )


def _frame(frame: Any, what: str) -> tuple[Array, list[str]]:
    names = [str(name) for name in frame.columns]
    if not names:
        raise DataError(f"{what}: a frame without columns", column=what)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{what}: two columns are called '{twice}'; rename one", column=twice)
    columns = [numbers(frame[key], f"{what}['{key}']") for key in frame.columns]
    return np.ascontiguousarray(np.column_stack(columns)), names


def _same_rows(features: Array, other: Array, what: str) -> None:
    if len(features) != len(other):
        raise DataError(
            f"x has {len(features)} rows and {what} has {len(other)}; give as many", column=what
        )


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name
