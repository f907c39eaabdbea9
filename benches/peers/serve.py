"""A peer in a process of its own: says what it is, then times one batch for every number of repetitions it reads.

The caller unsets OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE and sets OPENBLAS_NUM_THREADS=1 before numpy loads.
"""
import json
import sys
import time

import numpy as np
import threadpoolctl


def serve(run, package="numpy", note=""):
    """run() does the work once and returns a dict of figures; CPU seconds per repetition are added to it.

    numpy and scipy each bring an OpenBLAS: package names the one whose figures these are. note names further packages.
    """
    libraries = [lib for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]
    blas = next(lib for lib in libraries if f"{package}.libs" in lib["filepath"])
    assert blas["num_threads"] == 1, blas
    say({"numpy": np.__version__, "blas": f"{blas['internal_api']} {blas['version']}", "kernel": blas["architecture"],
         "note": note})
    for line in sys.stdin:
        repetitions = int(line)
        start = time.process_time()
        for _ in range(repetitions):
            figures = run()
        say(figures | {"cpu": (time.process_time() - start) / repetitions})


def say(figures):
    print(json.dumps(figures), flush=True)
