"""All open cells of the hyperplanes x_i.u = 0: one sign vector each, by an incremental tree of HiGHS programs.

Shared by the peers that need every activation pattern; enumeration is outside every timing.
"""
import numpy as np
from scipy.optimize import linprog


def masks(x):
    """The 0/1 activation patterns of the rows of x with at least one active row, and a direction for each."""
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
