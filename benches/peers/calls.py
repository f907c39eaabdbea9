"""Calls of the Python package, a thousand in a repetition, and what importing it costs a fresh interpreter.

usage: calls.py patterns | refused | collapse
The package lies in the environment of `cargo xtask python`.
"""
import subprocess
import sys

import numpy as np
import relimit
from serve import serve

X = np.array([[-1.0], [0.0], [1.0]])
NET = relimit.Network([[1.0]], [0.5], [1.0], 0.0)
CALLS = {"patterns": lambda: relimit.patterns(X, threads=1), "collapse": lambda: relimit.collapse(NET, box="everywhere")}
IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def imported(name):
    command = [sys.executable, "-c", IMPORT.format(name)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(9))


figures = {"relimit": imported("relimit"), "numpy": imported("numpy")}
call = CALLS[sys.argv[1]]


def run():
    for _ in range(1000):
        call()
    return figures


serve(run, note=f"relimit {relimit.__version__}")
