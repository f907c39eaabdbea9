"""All sign patterns of X u by an incremental tree with one linear program a branch, as a user would write it.

usage: enum_lp.py X.npy SECONDS
The witness of a node decides one side of the next row for free; the other side asks HiGHS, one warm-started model:
max t subject to s_i x_i.u >= t, -s_k x_k.u >= t, |u|_inf <= 1, t <= 1; there is a cell iff t > 1e-9. The sign of row 0 is
fixed and the count doubled. After SECONDS of CPU time the cells so far are what was counted.
"""
import os
import sys
import time

import highspy
import numpy as np
from serve import serve

# HiGHS prints a banner on descriptor 1, where the answers go: let it have standard error.
sys.stdout = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

x, limit = np.load(sys.argv[1]), float(sys.argv[2])
x = x / np.linalg.norm(x, axis=1, keepdims=True)
n, dim = x.shape
sys.setrecursionlimit(10000)


class Model:
    """Rows 0 .. n-1 are x_i.u - t >= 0, rows n .. 2n-1 are -x_i.u - t >= 0; a row is off with lower bound -inf."""

    def __init__(self):
        self.highs = highspy.Highs()
        self.highs.silent()
        self.off = -highspy.kHighsInf
        for _ in range(dim):
            self.highs.addVar(-1, 1)
        self.highs.addVar(self.off, 1)
        self.highs.changeColCost(dim, -1.0)
        columns = np.arange(dim + 1, dtype=np.int32)
        for sign in (1.0, -1.0):
            for row in x:
                self.highs.addRow(self.off, highspy.kHighsInf, dim + 1, columns, np.append(sign * row, -1.0))
        self.state = [0] * n
        self.programs = 0

    def put(self, i, sign):
        if self.state[i] == sign:
            return
        for old, low in ((self.state[i], self.off), (sign, 0.0)):
            if old:
                self.highs.changeRowBounds(i if old > 0 else n + i, low, highspy.kHighsInf)
        self.state[i] = sign

    def ask(self, signs):
        self.programs += 1
        for i in range(n):
            self.put(i, signs[i] if i < len(signs) else 0)
        self.highs.run()
        value = np.array(self.highs.getSolution().col_value)
        return value[:dim], value[dim]


def run():
    model, signs, start = Model(), [], time.process_time()
    found = [0, False]

    def grow(k, u):
        if k == n:
            found[0] += 1
            return
        if time.process_time() - start > limit:
            found[1] = True
            return
        side = 1 if x[k] @ u > 0 else -1
        signs.append(side)
        grow(k + 1, u)
        signs[-1] = -side
        if not found[1]:
            other, t = model.ask(signs)
            if t > 1e-9:
                grow(k + 1, other)
        signs.pop()

    signs.append(1)
    grow(1, x[0].copy())
    return {"cells": 2 * found[0], "programs": model.programs, "stopped": found[1]}


serve(run)
