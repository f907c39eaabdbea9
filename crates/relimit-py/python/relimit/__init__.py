"""Exact, certified answers on where training takes two-layer ReLU networks.

>>> import relimit
>>> best = relimit.optimum([[-1.0], [0.0], [1.0]], [1.0, -0.5, 0.8], lam=0.05)
>>> best.status
'certified'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._commands import (
    certify,
    check,
    collapse,
    gibbs,
    limit,
    optimum,
    patterns,
    study,
    train,
)
from ._errors import DataError, PlanError, QuestionError, RelimitError
from ._libraries import network
from ._network import Convention, Network
from ._relimit import __version__
from ._results import Record, Result
from ._sweep import Sweep, sweep

if TYPE_CHECKING:
    from ._estimators import ReluLimit, ReluOptimum, ReluOptimumCV
    from ._watch import Watch

__all__ = [
    "Convention",
    "DataError",
    "Network",
    "PlanError",
    "QuestionError",
    "Record",
    "RelimitError",
    "ReluLimit",
    "ReluOptimum",
    "ReluOptimumCV",
    "Result",
    "Sweep",
    "Watch",
    "__version__",
    "certify",
    "check",
    "collapse",
    "gibbs",
    "limit",
    "network",
    "optimum",
    "patterns",
    "study",
    "sweep",
    "train",
]

_LATER = {
    "ReluLimit": "_estimators",
    "ReluOptimum": "_estimators",
    "ReluOptimumCV": "_estimators",
    "Watch": "_watch",
}


def __getattr__(name: str) -> Any:
    """Estimators import scikit-learn when they are asked for first."""
    if name not in _LATER:
        raise AttributeError(f"module 'relimit' has no attribute '{name}'")
    from importlib import import_module

    try:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    except ModuleNotFoundError as error:
        if error.name == "sklearn":
            raise ImportError(
                f"relimit.{name} needs scikit-learn: pip install scikit-learn"
            ) from None
        raise


def __dir__() -> list[str]:
    return sorted(__all__)
