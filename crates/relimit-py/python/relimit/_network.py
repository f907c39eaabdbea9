"""A network of one hidden ReLU layer: its arrays, what it predicts, and the files that it is kept
in.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _relimit
from ._errors import QuestionError
from ._tables import Array, block


@dataclass(frozen=True, eq=False)
class Convention:
    """The loss and penalty of the library that trained a network, as ``certify`` is told."""

    library: str
    """``pytorch``, ``sklearn`` or ``keras``."""
    decay: float
    """``weight_decay``, ``alpha`` or the factor of ``l2``."""
    batch: str | None = None
    """Rows of a batch, or ``auto`` (scikit-learn)."""


@dataclass(frozen=True, eq=False)
class Network:
    """``f(x) = c relu(w x + b) + offset`` for raw inputs."""

    w: Array
    """Input weights, m x d, one row a neuron."""
    b: Array
    """Hidden biases, m."""
    c: Array
    """Output weights, outputs x m."""
    offset: Array
    """Output biases, one an output."""
    features: tuple[str, ...] | None = None
    """Names of the inputs."""
    target: str | None = None
    """Name of the one output."""
    convention: Convention | None = None
    """Loss and penalty that it was trained with, where its library says so."""
    notes: tuple[str, ...] = field(default=())
    """What was read, assumed or left out."""
    name: str = "network"
    """What messages call it."""

    def __post_init__(self) -> None:
        for key, dims in (("w", 2), ("b", 1), ("c", 2), ("offset", 1)):
            value = np.array(getattr(self, key), dtype=np.float64, order="C")
            if key == "c" and value.ndim == 1:
                value = value.reshape(1, -1)
            if key == "offset" and value.ndim == 0:
                value = value.reshape(1)
            if value.ndim != dims:
                raise QuestionError(f"{key}: {value.ndim} dimensions; {dims} are expected")
            value.flags.writeable = False
            object.__setattr__(self, key, value)
        (m, d), (k, over) = self.w.shape, self.c.shape
        if self.b.shape != (m,) or over != m or self.offset.shape != (k,):
            shapes = (
                f"w {self.w.shape}, b {self.b.shape}, c {self.c.shape}, offset {self.offset.shape}"
            )
            raise QuestionError(f"{shapes}: not the shapes of one network")
        if self.features is not None and len(self.features) != d:
            raise QuestionError(f"features: {len(self.features)} names for {d} inputs")
        for key in ("w", "b", "c", "offset"):
            if not np.isfinite(getattr(self, key)).all():
                raise QuestionError(f"{key}: a weight is not finite")

    @classmethod
    def of_parts(cls, parts: Sequence[Any], **more: Any) -> Network:
        """From the arrays and names that the engine gives."""
        w, b, c, offset, features, target = parts
        names = None if features is None else tuple(features)
        return cls(w, b, c, offset, names, target, **more)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """Reads a ``.safetensors``, ``.onnx`` or ``.npz`` file; pickles are never read."""
        parts, notices = _relimit.read_network(path)
        return cls.of_parts(parts, notes=tuple(notices), name=os.fspath(path))

    def given(self) -> tuple[Array, Array, Array, Array, list[str] | None, str | None, str]:
        """The network as the engine takes it."""
        names = None if self.features is None else list(self.features)
        return (self.w, self.b, self.c, self.offset, names, self.target, self.name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes ``.safetensors``, ``.onnx`` or ``.npz`` in double precision."""
        _relimit.save_network(path, self.given())

    @property
    def width(self) -> int:
        """Number of neurons."""
        return int(self.w.shape[0])

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return int(self.w.shape[1])

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return int(self.c.shape[0])

    def hidden(self, x: object) -> Array:
        """Preactivations ``x w' + b``, rows x m."""
        values, names = block(x, "x")
        if values.shape[1] != self.inputs:
            raise QuestionError(f"x has {values.shape[1]} columns for {self.inputs} inputs")
        if self.features is not None and hasattr(x, "columns") and set(names) == set(self.features):
            values = values[:, [names.index(name) for name in self.features]]
        out: Array = values @ self.w.T + self.b
        return out

    def predict(self, x: object) -> Array:
        """Outputs for rows of raw inputs: one number a row, or rows x outputs."""
        out: Array = np.maximum(self.hidden(x), 0.0) @ self.c.T + self.offset
        return out[:, 0] if self.outputs == 1 else out

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return {"w": self.w, "b": self.b, "c": self.c, "offset": self.offset}

    def to_sklearn(self, model: Any) -> Any:
        """Puts the weights into a fitted ``MLPRegressor`` and returns it."""
        from ._libraries import to_sklearn

        return to_sklearn(self, model)

    def to_torch(self, model: Any) -> Any:
        """Puts the weights into a PyTorch module of two linear layers and returns it."""
        from ._libraries import to_torch

        return to_torch(self, model)

    def to_keras(self, model: Any) -> Any:
        """Puts the weights into a Keras model of two ``Dense`` layers and returns it."""
        from ._libraries import to_keras

        return to_keras(self, model)

    def __repr__(self) -> str:
        return f"Network({self.inputs} inputs, {self.width} neurons, {self.outputs} outputs)"
