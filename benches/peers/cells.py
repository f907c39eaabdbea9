"""Activation patterns for the peers that need a list of them; making the list is outside every timing."""
import numpy as np
from scipy.optimize import linprog


def masks(x, wanted):
    """0/1 activation patterns of the rows of x with an active row, and a direction for each.

    wanted is `all`, by a tree with one HiGHS program a branch, or K: the first K met among random directions.
    """
    if wanted == "all":
        return every(x)
    u = np.random.default_rng(3).standard_normal((40 * int(wanted), x.shape[1]))
    found, first = np.unique(u @ x.T > 0, axis=0, return_index=True)
    order = np.argsort(first)
    order = order[found[order].any(axis=1)][: int(wanted)]
    return found[order].astype(float), u[first[order]]


def every(x):
    rows = x / np.linalg.norm(x, axis=1, keepdims=True)
    n, dim = rows.shape

    def direction(signs):
        # max t subject to s_i x_i.u >= t, |u|_inf <= 1, t <= 1
        a = np.hstack([-np.array(signs)[:, None] * rows[: len(signs)], np.ones((len(signs), 1))])
        box = [(-1, 1)] * dim + [(None, 1)]
        best = linprog(np.append(np.zeros(dim), -1.0), A_ub=a, b_ub=np.zeros(len(signs)), bounds=box, method="highs")
        return best.x[:dim], best.x[dim]

    level = [([1], rows[0]), ([-1], -rows[0])]
    for k in range(1, n):
        deeper = []
        for signs, u in level:
            side = 1 if rows[k] @ u > 0 else -1
            deeper.append((signs + [side], u))
            other, t = direction(signs + [-side])
            if t > 1e-9:
                deeper.append((signs + [-side], other))
        level = deeper
    active = [(np.array(signs) > 0, u) for signs, u in level if max(signs) > 0]
    return np.array([m for m, _ in active], dtype=float), np.array([u for _, u in active])
