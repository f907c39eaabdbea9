"""pyscnn's augmented Lagrangian solver at its own tolerances over given activation patterns, and the network that it leaves.

usage: pyscnn_al.py X.npy y.npy LAMBDA PATTERNS (`all` or K, as for cvxpy_cells.py; a bias is a column of ones in X)
pyscnn minimises 1/(2n) |f - y|^2 + LAMBDA sum |.| over cone variables v_k, w_k of the patterns D_k. The figures hold the weights of the
ReLU network with one neuron for each nonzero v_k (c = +1) and w_k (c = -1), so that the caller can measure its gap.
"""
import os
import sys

# progress bars and warnings on descriptor 1, where the answers go: let them have standard error
sys.stdout = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import numpy as np
import torch
from cells import masks
from scnn.metrics import Metrics
from scnn.models import ConvexReLU
from scnn.optimize import optimize_model
from scnn.regularizers import NeuronGL1
from scnn.solvers import AL
from serve import serve

x, y, lam = np.load(sys.argv[1]), np.load(sys.argv[2]), float(sys.argv[3])
p, u = masks(x, sys.argv[4])


def run():
    model = ConvexReLU(u.T.copy())
    metrics = Metrics(metric_freq=25, model_loss=True)
    out, metrics = optimize_model(
        model, AL(model), metrics, x, y, regularizer=NeuronGL1(lam), return_convex=True, unitize_data=False,
        device="cpu", dtype="float64",
    )
    v, w = (np.asarray(block).reshape(-1, x.shape[1]) for block in out.get_parameters()[:2])
    units = [(row, sign) for rows, sign in ((v, 1.0), (w, -1.0)) for row in rows if np.any(row != 0)]
    return {
        "model_loss": float(np.ravel(metrics.model_loss)[-1]),
        "patterns": len(p),
        "weights": [float(t) for row, _ in units for t in row],
        "signs": [sign for _, sign in units],
    }


serve(run, note=f"pyscnn 0.0.10, torch {torch.__version__}")
