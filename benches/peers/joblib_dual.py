"""A grid of gradient descents in duals, as one writes it with numpy and joblib: random rows, the Gram product, steps until the loss is small.

usage: joblib_dual.py DIMENSIONS SEEDS (comma separated; a number)
Two neurons of signs + and -, 20 rows, labels 1 and -1 in halves, start 1e-4, step 1/(2 |G|); no certificate and no distance to the smallest
network, which would take a solver more.
"""
import sys

import numpy as np
from joblib import Parallel, __version__, delayed
from serve import serve

dimensions, seeds = [int(d) for d in sys.argv[1].split(",")], int(sys.argv[2])
N = 20


def one(d, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((N, d))
    y = np.repeat([1.0, -1.0], N // 2)
    c = np.array([1.0, -1.0])
    g = x @ x.T
    eta = 0.5 / np.linalg.eigvalsh(g)[-1]
    z = np.full((N, 2), 1e-4)
    alpha = np.linalg.solve(g, z)
    for step in range(100_000):
        r = y - np.maximum(z, 0) @ c
        if 0.5 * r @ r < 1e-20:
            break
        delta = eta * (z > 0) * r[:, None] * c
        alpha += delta
        z += g @ delta
    return float(np.linalg.norm(alpha.T @ x)), step


def run():
    grid = [(d, seed) for d in dimensions for seed in range(seeds)]
    found = Parallel(n_jobs=1)(delayed(one)(d, seed) for d, seed in grid)
    return {"runs": len(found), "norm": float(np.mean([norm for norm, _ in found])), "steps": float(np.mean([s for _, s in found]))}


serve(run, note=f"joblib {__version__}")
