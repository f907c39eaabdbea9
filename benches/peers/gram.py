"""The Gram matrix of the rows of X by OpenBLAS. usage: gram.py dsyrk|matmul X.npy"""
import sys

import numpy as np
from scipy.linalg.blas import dsyrk
from serve import serve

way, x = sys.argv[1], np.load(sys.argv[2])


def run():
    # X is row-major, so its transpose is what Fortran sees: no copy. numpy itself calls syrk for X @ X.T.
    g = dsyrk(1.0, x.T, trans=1, lower=1) if way == "dsyrk" else x @ x.T
    return {"trace": float(np.trace(g)), "lower": float(np.tril(g).sum())}


serve(run, "scipy" if way == "dsyrk" else "numpy")
