"""Gradient descent in duals, as one writes it in numpy: z <- z + eta c_j G (mask * r), Gram product included.

usage: numpy_dual.py X.npy y.npy C ETA EPS STEPS TOL
C: output weights, comma separated; start z = EPS for every neuron and example; ETA the step of the half-sum loss;
stops after STEPS steps, or before once the half-sum loss is below TOL (0: never looks).
"""
import sys

import numpy as np
from serve import serve

x, y = np.load(sys.argv[1]), np.load(sys.argv[2])
c = np.array([float(v) for v in sys.argv[3].split(",")])
eta, eps, steps, tol = float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]), float(sys.argv[7])


def run():
    g = x @ x.T
    z = np.full((len(y), len(c)), eps)
    alpha = np.linalg.solve(g, z)
    k = 0
    while k < steps:
        r = y - np.maximum(z, 0) @ c
        if tol > 0 and 0.5 * r @ r < tol:
            break
        delta = eta * (z > 0) * r[:, None] * c
        alpha += delta
        z += g @ delta
        k += 1
    r = y - np.maximum(z, 0) @ c
    return {"steps": k, "loss": float(0.5 * r @ r), "norm": float(np.linalg.norm(alpha.T @ x))}


serve(run)
