"""Estimators for scikit-learn: the certified optimum, the limit of descent, and the optimum with
lambda chosen by folds.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._ask import ask
from ._errors import DataError, PlanError
from ._network import Network
from ._results import Result
from ._tables import Array, Table


def _table(x: Array, y: Array, weight: Array | None, names: Any) -> Table:
    columns = [f"x{k}" for k in range(x.shape[1])] if names is None else [str(n) for n in names]
    labels = y.reshape(len(y), -1)
    targets = ["y"] if labels.shape[1] == 1 else [f"y{k}" for k in range(labels.shape[1])]
    while set(targets) & {*columns, "weight"}:
        targets = [f"{name}_" for name in targets]
    if weight is None:
        return Table(None, [x, labels], [*columns, *targets], targets, None)
    name = "weight"
    while name in columns:
        name += "_"
    blocks = [x, labels, weight.reshape(-1, 1)]
    return Table(None, blocks, [*columns, *targets, name], targets, name)


class _Relu(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """What the estimators have in common: checked data in, a network that predicts."""

    network_: Network
    result_: Result

    def _checked(self, x: Any, y: Any, many: bool) -> tuple[Array, Array]:
        x, y = validate_data(
            self,
            x,
            y,
            dtype=np.float64,
            order="C",
            multi_output=many,
            y_numeric=True,
            ensure_min_samples=2,
        )
        return x, np.ascontiguousarray(y, dtype=np.float64)

    def predict(self, X: Any) -> Array:
        """Outputs of the network for rows of features."""
        check_is_fitted(self)
        x = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        out = self.network_.predict(x)
        return out.reshape(-1, 1) if self._column and out.ndim == 1 else out

    def _kept(self, result: Result, y: Array) -> None:
        self.result_ = result
        self.network_ = result.network
        self._column = y.ndim == 2 and y.shape[1] == 1


class ReluOptimum(_Relu):
    """The network of any width with the least squared loss plus weight decay, with a proof of how
    far it can be off.

    Parameters
    ----------
    lam : float
        Weight decay.
    lam_unit : {"max", "one"}
        ``max``: ``lam`` is a share of the weight decay from which on no neuron pays; ``one``: a
        number.
    loss, bias, offset, scale, target_scale : str
        As :func:`relimit.optimum`.
    gap : float
        Relative gap that counts as certified.
    max_nodes : int
        Nodes that the search may visit. What is not certified by then is ``status_`` and a
        ``ConvergenceWarning``.
    seed : int
        Seed of local search.
    threads : int or None
        Threads; results do not depend on them.

    Attributes
    ----------
    network_ : Network
        The network.
    objective_, lower_bound_, gap_ : float
        Loss plus penalty, what no network can be below, and the relative distance of the two.
    status_ : str
        ``certified`` where ``gap_`` is at most ``gap``.
    kinks_ : ndarray or None
        Where the function of one feature bends.
    lam_, lam_max_ : float
        Weight decay, and the one from which on no neuron pays.
    result_ : Result
        The whole answer.
    """

    def __init__(
        self,
        lam: float = 0.05,
        *,
        lam_unit: str = "max",
        loss: str = "half-mean",
        bias: str = "penalised",
        offset: str = "none",
        scale: str = "none",
        target_scale: str = "none",
        gap: float = 1e-8,
        max_nodes: int = 1000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.lam = lam
        self.lam_unit = lam_unit
        self.loss = loss
        self.bias = bias
        self.offset = offset
        self.scale = scale
        self.target_scale = target_scale
        self.gap = gap
        self.max_nodes = max_nodes
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ReluOptimum:
        """Finds the network for features ``X`` (n x d), labels ``y`` (n, or n x outputs) and
        weights of the rows.
        """
        x, y = self._checked(X, y, many=True)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
        if self.lam_unit not in ("max", "one"):
            raise PlanError(
                f"lam_unit={self.lam_unit!r}: give 'max' or 'one'",
                setting="lam_unit",
                value=str(self.lam_unit),
            )
        words = {
            "lam": f"{float(self.lam)!r}max" if self.lam_unit == "max" else float(self.lam),
            "loss": self.loss,
            "bias": self.bias,
            "offset": self.offset,
            "scale": self.scale,
            "target_scale": self.target_scale,
            "gap": self.gap,
            "max_nodes": self.max_nodes,
            "seed": self.seed,
            "threads": self.threads,
        }
        names = getattr(self, "feature_names_in_", None)
        result = ask("optimum", words, _table(x, y, weight, names))
        self._kept(result, y)
        self.objective_ = result["objective"]
        self.lower_bound_ = result["dual"]
        self.gap_ = result["gap_relative"]
        self.status_ = result["status"]
        self.kinks_ = result["kinks"]
        self.lam_ = result["lambda"]
        self.lam_max_ = result["lambda_max"]
        if self.status_ != "certified":
            warnings.warn(
                f"not certified after {result['nodes']} nodes: the objective "
                f"{self.objective_:.6g} can be above the "
                f"least possible by at most "
                f"{self.objective_ - self.lower_bound_:.3g}; raise max_nodes or lam",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def __sklearn_tags__(self) -> Any:
        """Several outputs are fitted together."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ReluOptimumCV(_Relu):
    """As :class:`ReluOptimum`, with the share of lambda_max that predicts left-out rows best.

    Parameters
    ----------
    lams : sequence of float
        Shares of lambda_max to choose from.
    cv : int, splitter or None
        Number of folds, drawn by ``seed``, or as in scikit-learn; ``None`` is five folds.
    loss, bias, offset, scale, target_scale, gap, max_nodes, seed, threads
        As :class:`ReluOptimum`.

    Attributes
    ----------
    lam_share_ : float
        The share that was chosen.
    errors_ : ndarray
        Mean squared errors, one row a share and one column a fold; NaN for a fold whose labels to
        learn from are all equal, which is left out of the choice.
    network_, objective_, lower_bound_, gap_, status_, kinks_, lam_, lam_max_, result_
        As :class:`ReluOptimum`, on all rows.
    """

    def __init__(
        self,
        lams: Any = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
        *,
        cv: Any = None,
        loss: str = "half-mean",
        bias: str = "penalised",
        offset: str = "none",
        scale: str = "none",
        target_scale: str = "none",
        gap: float = 1e-8,
        max_nodes: int = 1000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.lams = lams
        self.cv = cv
        self.loss = loss
        self.bias = bias
        self.offset = offset
        self.scale = scale
        self.target_scale = target_scale
        self.gap = gap
        self.max_nodes = max_nodes
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ReluOptimumCV:
        """Chooses the share by cross-validation and finds the network for all rows."""
        x, y = self._checked(X, y, many=True)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
        shares = [float(share) for share in self.lams]
        if not shares:
            raise PlanError(
                "lams: empty; give at least one share of lambda_max", setting="lams", value=""
            )
        cv = 5 if self.cv is None else self.cv
        if isinstance(cv, (int, np.integer)):
            cv = KFold(int(cv), shuffle=True, random_state=self.seed)
        folds = list(check_cv(cv).split(x, y))
        one = ReluOptimum(
            loss=self.loss,
            bias=self.bias,
            offset=self.offset,
            scale=self.scale,
            target_scale=self.target_scale,
            gap=self.gap,
            max_nodes=self.max_nodes,
            seed=self.seed,
            threads=self.threads,
        )
        errors = np.empty((len(shares), len(folds)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for i, share in enumerate(shares):
                for k, (train, test) in enumerate(folds):
                    if (y[train] == y[train][0]).all():
                        errors[i, k] = np.nan
                        continue
                    part = None if weight is None else weight[train]
                    model = clone(one).set_params(lam=share).fit(x[train], y[train], part)
                    squares = (model.predict(x[test]) - y[test]) ** 2
                    rows = squares if squares.ndim == 1 else squares.mean(axis=1)
                    errors[i, k] = np.average(
                        rows, weights=None if weight is None else weight[test]
                    )
        self.errors_ = errors
        told = ~np.isnan(errors).any(axis=0)
        if not told.any():
            raise DataError(
                "y: the labels of every fold are all equal; give more rows or fewer folds"
            )
        self.lam_share_ = shares[int(np.argmin(errors[:, told].mean(axis=1)))]
        best = one.set_params(lam=self.lam_share_).fit(X if hasattr(X, "columns") else x, y, weight)
        self._kept(best.result_, y)
        for key in ("objective_", "lower_bound_", "gap_", "status_", "kinks_", "lam_", "lam_max_"):
            setattr(self, key, getattr(best, key))
        return self

    def __sklearn_tags__(self) -> Any:
        """Several outputs are fitted together."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ReluLimit(_Relu):
    """The network that gradient descent ends at, with fixed output weights: the limit itself, not
    a long run.

    Parameters
    ----------
    signs : str
        Output weights, for example ``+-`` or ``++--``.
    start : str
        Start of the hidden weights, for example ``orthant:0.001``.
    loss, bias, scale, target_scale : str
        As :func:`relimit.limit`, but for ``bias``, which is penalised by default here:
        without biases there need not be a start at which every row is active.
    step, step_constant, flow
        How the weights move; ``None`` is the default of :func:`relimit.limit`.
    steps : int or None
        Largest number of steps. A limit that is not reached by then is ``status_`` and a
        ``ConvergenceWarning``.
    max_nodes : int
        Nodes of the search for the smallest network that fits the same rows.
    seed : int
        Seed of random starts.

    Attributes
    ----------
    network_ : Network
        The network at the limit.
    status_ : str
        ``converged`` where the limit is proved.
    loss_ : float
        Loss at the limit.
    gap_ : float or None
        Relative distance to the smallest network that fits the same rows, where there is one.
    lower_bound_ : float or None
        What the norm of such a network cannot be below.
    kinks_ : ndarray or None
        Where the function of one feature bends.
    result_ : Result
        The whole answer.
    """

    def __init__(
        self,
        *,
        signs: str = "+-",
        start: str = "orthant:0.001",
        loss: str = "half-sum",
        bias: str = "penalised",
        scale: str = "none",
        target_scale: str = "none",
        step: float | None = None,
        step_constant: float | None = None,
        flow: bool = False,
        steps: int | None = None,
        max_nodes: int = 1000,
        seed: int = 0,
    ) -> None:
        self.signs = signs
        self.start = start
        self.loss = loss
        self.bias = bias
        self.scale = scale
        self.target_scale = target_scale
        self.step = step
        self.step_constant = step_constant
        self.flow = flow
        self.steps = steps
        self.max_nodes = max_nodes
        self.seed = seed

    def fit(self, X: Any, y: Any) -> ReluLimit:
        """Follows descent on features ``X`` (n x d) and labels ``y`` (n) to its end."""
        x, y = self._checked(X, y, many=False)
        words = self.get_params(deep=False)
        names = getattr(self, "feature_names_in_", None)
        result = ask("limit", words, _table(x, y, None, names))
        self._kept(result, y)
        end = result.limit
        self.status_ = end["status"]
        self.loss_ = end["loss"]
        self.gap_ = result.gap["relative"]
        self.lower_bound_ = result.min_norm["lower"]
        self.kinks_ = _kinks(self.network_)
        if self.status_ != "converged":
            warnings.warn(f"{self.status_}: {end['message']}", ConvergenceWarning, stacklevel=2)
        return self


def _kinks(net: Network) -> Array | None:
    """Where the units of a network of one input change sides, without those that cancel."""
    if net.inputs != 1:
        return None
    places: dict[float, float] = {}
    for w, b, c in zip(net.w[:, 0], net.b, net.c.T, strict=True):
        if w != 0 and np.any(c != 0):
            at = float(-b / w)
            places[at] = places.get(at, 0.0) + float(abs(w) * c.sum())
    return np.array(sorted(at for at, jump in places.items() if jump != 0.0))
