"""Fifty starts of scikit-learn's MLPRegressor: the least objective that one of them reaches.

usage: restarts.py X.npy y.npy ALPHA WIDTH
Half the mean of squares plus ALPHA/(2n) times the squares of the weights, the biases free; lbfgs until it stops by itself.
"""
import sys
import warnings

import numpy as np
import sklearn
from serve import serve
from sklearn.neural_network import MLPRegressor

x, y, alpha, width = np.load(sys.argv[1]), np.load(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
warnings.simplefilter("ignore")


def run():
    settings = {"hidden_layer_sizes": (width,), "alpha": alpha, "solver": "lbfgs", "max_iter": 10_000}
    nets = [MLPRegressor(random_state=seed, **settings).fit(x, y) for seed in range(50)]
    losses = sorted(net.loss_ for net in nets)
    return {"best": float(losses[0]), "median": float(losses[25]), "within": sum(bool(v <= losses[0] * (1 + 1e-4)) for v in losses)}


serve(run, note=f"scikit-learn {sklearn.__version__}")
