"""The convex program of a two-layer ReLU network over given activation patterns, cvxpy and Clarabel, as a user would write it.

usage: cvxpy_cells.py X.npy y.npy LAMBDA PATTERNS
min 1/(2n) |sum_k D_k X (v_k - w_k) - y|^2 + LAMBDA sum_k (|v_k| + |w_k|) with (2 D_k - 1) X v_k >= 0, and so for w_k;
PATTERNS is `all`, every cell of the data, or K, the first K met among random directions. Modelling counts, as it does for a user; enumeration does not.
"""
import resource
import sys

import clarabel
import cvxpy as cp
import numpy as np
from cells import masks
from serve import serve

x, y = np.load(sys.argv[1]), np.load(sys.argv[2])
lam, wanted = float(sys.argv[3]), sys.argv[4]
n, dim = x.shape
p = masks(x, wanted)[0]
s = 2 * p - 1


def run():
    v, w = cp.Variable((len(p), dim)), cp.Variable((len(p), dim))
    f = cp.sum(cp.multiply(p, (v - w) @ x.T), axis=0)
    penalty = cp.sum(cp.norm(v, axis=1)) + cp.sum(cp.norm(w, axis=1))
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(f - y) / (2 * n) + lam * penalty),
        [cp.multiply(s, v @ x.T) >= 0, cp.multiply(s, w @ x.T) >= 0],
    )
    problem.solve(solver="CLARABEL")
    solver = float(problem.solver_stats.solve_time)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"objective": float(problem.value), "patterns": len(p), "solver": solver, "bytes": peak, "status": problem.status}


serve(run, note=f"cvxpy {cp.__version__}, clarabel {clarabel.__version__}")
