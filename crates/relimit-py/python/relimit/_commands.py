"""The commands as functions: data first, then the words of the command line as keywords.

``x`` is an array or a frame, and ``y`` holds its labels (or ``target`` names them in the frame);
or ``x`` is the path of
a file and ``target`` names its columns; or ``synthetic`` names a generator. ``None`` is the
default of the command line.
Rows of arrays count from 1 in answers and messages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ._ask import ask
from ._errors import QuestionError
from ._libraries import network as as_network
from ._network import Network
from ._results import Result
from ._tables import table

Names = str | Sequence[str] | None
Number = float | str | None
Progress = Callable[[int, int | None], object]
"""Called a few times a second with a count (steps, sections) and the last one where it is known;
what it raises ends the call. 0 where a command counts nothing."""


def _words(settings: dict[str, Any], *without: str) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key not in without}


def _list(names: Names) -> str | list[str] | None:
    return names if names is None or isinstance(names, str) else list(names)


def limit(
    x: object = None,
    y: object = None,
    *,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    loss: str | None = None,
    bias: str | None = None,
    offset: str | None = None,
    signs: str | None = None,
    step: Number = None,
    step_constant: Number = None,
    flow: bool | None = None,
    start: str | None = None,
    starts: int | None = None,
    relu_at_zero: bool | int | None = None,
    steps: int | None = None,
    compare_steps: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    gap: Number = None,
    max_nodes: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Where gradient descent or gradient flow ends, with the gap to the smallest network that
    fits the same rows.
    """
    words = _words(locals(), "progress", "x", "y", "target")
    return ask("limit", words, table(x, y, target=_list(target)), progress=progress)


def patterns(
    x: object = None,
    *,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    synthetic: str | None = None,
    bias: str | None = None,
    decimals: bool | None = None,
    ternary: bool | None = None,
    limit: int | None = None,
    check: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """How many activation patterns the data can produce, exactly, and what keeps rows from
    general position.
    """
    words = _words(locals(), "progress", "x", "target")
    return ask("patterns", words, table(x, target=_list(target)), progress=progress)


def optimum(
    x: object = None,
    y: object = None,
    *,
    lam: Number = None,
    weight: object = None,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    loss: str | None = None,
    bias: str | None = None,
    offset: str | None = None,
    path: bool | None = None,
    trace: bool | None = None,
    seed: int | None = None,
    threads: int | None = None,
    gap: Number = None,
    max_nodes: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """The global minimum of the regularised loss over networks of every width, with a certified
    gap.
    """
    words = _words(locals(), "progress", "x", "y", "weight", "target")
    return ask("optimum", words, table(x, y, weight, _list(target)), progress=progress)


def gibbs(
    x: object = None,
    y: object = None,
    *,
    lam: Number = None,
    beta: Number | Sequence[float] = None,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    loss: str | None = None,
    bias: str | None = None,
    angle: Number = None,
    near: Number | Sequence[float] = None,
    samples: int | None = None,
    grid: int | None = None,
    particles: int | None = None,
    seed: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """The stationary law of noisy gradient descent at inverse temperature ``beta``."""
    words = _words(locals(), "progress", "x", "y", "target")
    return ask("gibbs", words, table(x, y, target=_list(target)), progress=progress)


def train(
    x: object = None,
    y: object = None,
    *,
    lam: Number = None,
    beta: Number = None,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    loss: str | None = None,
    bias: str | None = None,
    offset: str | None = None,
    width: int | None = None,
    scaling: str | None = None,
    unit: str | None = None,
    layers: str | None = None,
    anneal: Number = None,
    step: Number = None,
    halve_at: int | None = None,
    steps: int | None = None,
    batch: str | int | None = None,
    start: str | None = None,
    starts: int | None = None,
    rays: bool | None = None,
    precision: str | None = None,
    tolerance: Number = None,
    seed: int | None = None,
    threads: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Noisy or plain gradient descent of a finite network with weight decay."""
    words = _words(locals(), "progress", "x", "y", "target")
    return ask("train", words, table(x, y, target=_list(target)), progress=progress)


def certify(
    model: object,
    x: object = None,
    y: object = None,
    *,
    lam: Number = None,
    convention: str | None = None,
    batch: str | int | None = None,
    optimizer: object = None,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    loss: str | None = None,
    bias: str | None = None,
    offset: str | None = None,
    takes: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    gap: Number = None,
    max_nodes: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """How far a trained network is from the best possible, and what blocks it.

    ``model`` is whatever :func:`relimit.network` takes. Loss and weight decay are those of its
    library where they can be
    read off it and nothing else is said; ``settings`` of the answer shows them.
    """
    words = _words(locals(), "progress", "model", "x", "y", "optimizer", "target")
    if _file(model) and (x is None or _file(x)):
        return ask(
            "certify", {**words, "net": model}, table(x, y, target=_list(target)), None, progress
        )
    net = as_network(model, optimizer=optimizer)
    said = (lam, convention, batch, loss, bias, offset)
    if net.convention is not None and all(value is None for value in said):
        told = net.convention
        words.update(convention=told.library, lam=told.decay, batch=told.batch)
    return ask("certify", words, _judged(net, x, y, _list(target)), net, progress)


def collapse(
    model: object,
    x: object = None,
    *,
    box: str | Sequence[tuple[float, float]] | None = None,
    tolerance: Number = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
) -> Result:
    """The narrowest network that computes the same function on the range of ``x``, on ``box``, or
    everywhere.

    ``result.network`` is that network; ``to_sklearn``, ``to_torch`` and ``to_keras`` put it back.
    """
    words = _words(locals(), "model", "x")
    if _file(model) and (x is None or _file(x)):
        return ask("collapse", {**words, "net": model}, table(x))
    net = as_network(model)
    return ask("collapse", words, _judged(net, x, None, None), net)


def study(
    x: object = None,
    y: object = None,
    *,
    target: Names = None,
    columns: Names = None,
    drop: Names = None,
    rows: str | None = None,
    missing: str | None = None,
    scale: str | None = None,
    target_scale: str | None = None,
    synthetic: str | None = None,
    bias: str | None = None,
    lam: Number | Sequence[float | str] = None,
    beta: Number | Sequence[float] = None,
    signs: str | None = None,
    seed: int | None = None,
    budget: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Everything that relimit knows about a data set within ``budget`` (60 s), with the theorem
    ledger.

    ``result.save("page.html")`` writes the page of the command line.
    """
    words = _words(locals(), "progress", "x", "y", "target")
    return ask("study", words, table(x, y, target=_list(target)), progress=progress)


def check(certificate: str | os.PathLike[str]) -> Result:
    """A certificate verified again in exact arithmetic; ``verdict`` is ``holds`` or ``fails``."""
    return ask("check", {"certificate": certificate})


def _file(given: object) -> bool:
    return isinstance(given, (str, os.PathLike))


def _judged(net: Network, x: object, y: object, target: str | list[str] | None) -> Any:
    """The table that a network is asked about: columns without names are its inputs, in their
    order.
    """
    asked = table(x, y, target=target)
    if asked.blocks and net.features is not None and not hasattr(x, "columns"):
        d = asked.blocks[0].shape[1]
        if d != net.inputs:
            raise QuestionError(
                f"x has {d} columns for {net.inputs} inputs ({', '.join(net.features)})"
            )
        rest = asked.columns[d:]
        return type(asked)(None, asked.blocks, [*net.features, *rest], asked.targets, asked.weight)
    return asked
