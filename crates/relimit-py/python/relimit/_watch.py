"""A callback for training loops of PyTorch: dead neurons, patterns that cannot change any more,
the certified gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._commands import certify
from ._libraries import network
from ._results import Result
from ._tables import numbers


@dataclass(frozen=True)
class Seen:
    """What was seen at one epoch."""

    epoch: int
    dead: tuple[int, ...]
    """Neurons that no row activates."""
    always_on: tuple[int, ...]
    """Neurons that every row activates."""
    frozen: tuple[int, ...]
    """Dead neurons that no later step can wake, see :class:`Watch`."""
    objective: float
    """Loss and penalty of the network, in the scaling of ``result.settings.loss``."""
    lower_bound: float
    """What no network can be below."""
    gap: float
    """Their difference, absolute."""
    status: str
    """``certified`` where the lower bound is the least possible to the gap asked for."""
    result: Result
    """The whole answer of :func:`relimit.certify`."""


class Watch:
    """Looks at a PyTorch module while it is trained; call it once an epoch.

    >>> watch = relimit.Watch(model, x, y, optimizer=optimizer, every=10)  # doctest: +SKIP
    >>> for epoch in range(100):  # doctest: +SKIP
    ...     train_one_epoch(model)
    ...     watch(epoch)

    A dead neuron has no gradient on ``x``. It is ``frozen`` where the optimiser is plain ``SGD``
    on the rows ``x`` alone: no
    momentum, one weight decay below 1/step for all parameters, so that its weights only shrink
    towards 0 together and
    its pattern stays.
    With momentum, Adam or augmented rows it may move, and ``frozen`` is empty.

    ``settings`` (``lam``, ``convention``, ``scale``, ...) go to :func:`relimit.certify`.
    """

    def __init__(
        self,
        model: Any,
        x: object,
        y: object,
        *,
        optimizer: Any = None,
        every: int = 1,
        report: Callable[[Seen], object] | None = None,
        max_nodes: int = 200,
        **settings: Any,
    ) -> None:
        self.model = model
        self.x = numbers(x, "x")
        self.y = numbers(y, "y")
        self.optimizer = optimizer
        self.every = max(int(every), 1)
        self.report = report
        self.settings = {"max_nodes": max_nodes, **settings}
        self.history: list[Seen] = []

    def __call__(self, epoch: int) -> Seen | None:
        """Looks, unless this epoch is passed over."""
        if epoch % self.every:
            return None
        net = network(self.model, optimizer=self.optimizer)
        active = net.hidden(self.x) > 0
        dead = tuple(int(j) for j in np.flatnonzero(~active.any(axis=0)))
        asleep = set(np.flatnonzero(net.hidden(self.x).max(axis=0) < 0).tolist())
        result = certify(net, self.x, self.y, **self.settings)
        seen = Seen(
            epoch=epoch,
            dead=dead,
            always_on=tuple(int(j) for j in np.flatnonzero(active.all(axis=0))),
            frozen=tuple(j for j in dead if j in asleep) if self._plain() else (),
            objective=result["objective"],
            lower_bound=result["lower_bound"],
            gap=result["gap"],
            status=result["status"],
            result=result,
        )
        self.history.append(seen)
        if self.report is not None:
            self.report(seen)
        return seen

    def _plain(self) -> bool:
        """Whether a neuron without gradient can only shrink."""
        if type(self.optimizer).__name__ != "SGD":
            return False
        groups = self.optimizer.param_groups
        decays = {float(group.get("weight_decay", 0.0)) for group in groups}
        steps = [float(group["lr"]) * max(decays) for group in groups]
        same_step = len({float(group["lr"]) for group in groups}) == 1
        still = not any(group.get("momentum") for group in groups)
        return still and len(decays) == 1 and same_step and max(steps) < 1.0
