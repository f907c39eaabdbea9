"""Pictures of answers with matplotlib, which is imported when one is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import QuestionError
from ._network import Network
from ._results import Result


def draw(result: Result, ax: Any = None) -> Any:
    """The fit over one feature, or outputs against labels; patterns by their number of active
    rows; neurons.
    """
    command = result["command"]
    if command == "check":
        raise QuestionError("check: a verdict has no picture; look at statement")
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots()
    if command == "study":
        _path(result, ax)
    elif command == "patterns":
        columns = result.rows()
        ax.bar(columns["active_rows"], columns["patterns"], color="0.35")
        ax.set_xlabel("rows on which a neuron is active")
        ax.set_ylabel("patterns")
    elif command in ("certify", "collapse"):
        _neurons(result, ax)
    else:
        _fit(result, ax)
    return ax


def _fit(result: Result, ax: Any) -> None:
    data = result.to_dict()
    labels = np.array(data["data"]["labels"], dtype=float)
    held, net = result.held(), result.network
    if isinstance(net, Network) and net.outputs == 1 and net.inputs == 1 and held is not None:
        x, y = held
        x, y = x[~np.isnan(x[:, 0])], y[~np.isnan(x[:, 0])]
        ax.plot(x[:, 0], y[:, 0], ".", color="0.6")
        grid = np.linspace(x.min(), x.max(), 513)
        kinks = [-b / w for w, b in zip(net.w[:, 0], net.b, strict=True) if w != 0]
        grid = np.unique([*grid, *(k for k in kinks if x.min() <= k <= x.max())])
        ax.plot(grid, net.predict(grid), color="tab:blue")
        ax.set_xlabel(net.features[0] if net.features else "x")
        ax.set_ylabel(net.target or "y")
        return
    outputs = result.fitted()
    if outputs is None:
        ax.plot(np.arange(len(labels)), labels, ".", color="0.35")
        ax.set_xlabel("row")
        ax.set_ylabel("label")
        return
    ax.plot(labels, outputs[:, 0], ".", color="tab:blue")
    ends = [labels.min(), labels.max()]
    ax.plot(ends, ends, color="0.6", linewidth=1)
    ax.set_xlabel("label")
    ax.set_ylabel("output")


def _path(result: Result, ax: Any) -> None:
    """Loss of the best networks against their weight decay."""
    answers = [fitted["answer"] for fitted in result.to_dict()["optimum"]]
    ax.plot([a["lambda"] for a in answers], [a["loss"] for a in answers], "o-", color="tab:blue")
    ax.set_xscale("log")
    ax.set_xlabel("weight decay")
    ax.set_ylabel("loss of the best network")


def _neurons(result: Result, ax: Any) -> None:
    if result["command"] == "certify":
        levels = result.to_dict()["levels"]
        ax.barh(
            [level["name"] for level in levels], [level["loss"] for level in levels], color="0.7"
        )
        ax.axvline(result["loss"], color="tab:blue")
        ax.set_xlabel("loss")
        return
    bars = {"before": result["width"], "after": result["effective_width"]}
    ax.bar(list(bars), list(bars.values()), color=["0.7", "tab:blue"])
    ax.set_ylabel("neurons")
