"""Noisy full-batch gradient descent with weight decay of a two-layer ReLU network, both layers and the biases trained.

f = (1/N) sum c relu(w.x + b), loss 1/(2n) sum (f - y)^2; a normal for every parameter at every step.
usage: train.py jax|numpy|torch X.npy Y.npy START.npy f32|f64 STEPS ETA LAMBDA BETA     (START: N x (1 + d + 1), rows c, w, b)
"""
import os
import sys

# One core, before any library counts them.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import numpy as np
from serve import serve

way, precision, steps = sys.argv[1], sys.argv[5], int(sys.argv[6])
eta, decay, beta = (float(v) for v in sys.argv[7:10])
kind = np.float32 if precision == "f32" else np.float64
x, y, start = (np.load(name) for name in sys.argv[2:5])
n, N = len(x), len(start)
X = np.hstack([x, np.ones((n, 1))]).astype(kind)
Y, C0, W0 = y.astype(kind), start[:, 0].astype(kind), start[:, 1:].astype(kind)
sigma = (2 * eta / beta) ** 0.5


def loss(c, W):
    f = np.maximum(X.astype(np.float64) @ np.asarray(W, np.float64).T, 0) @ np.asarray(c, np.float64) / N
    return {"loss": float(((f - Y) ** 2).sum() / (2 * n))}


def in_numpy():
    W, c, g = W0.copy(), C0.copy(), np.random.default_rng(2)
    for _ in range(steps):
        Z = X @ W.T
        H = np.maximum(Z, 0)
        r = (H @ c / kind(N) - Y) / kind(n)
        gc = r @ H
        gW = ((Z > 0) * r[:, None]).T @ X * c[:, None]
        c += kind(-eta) * (gc + kind(decay) * c) + kind(sigma) * g.standard_normal(N, dtype=kind)
        W += kind(-eta) * (gW + kind(decay) * W) + kind(sigma) * g.standard_normal(W.shape, dtype=kind)
    return loss(c, W)


def with_jax():
    import jax
    import jax.numpy as jnp

    if kind is np.float64:
        jax.config.update("jax_enable_x64", True)

    def objective(theta, X, Y):
        f = jax.nn.relu(X @ theta[1].T) @ theta[0] / N
        return N * jnp.sum((f - Y) ** 2) / (2 * n)

    def step(theta, key, X, Y):
        g = jax.grad(objective)(theta, X, Y)
        keys = jax.random.split(key)
        move = lambda v, g, key: v - eta * (g + decay * v) + sigma * jax.random.normal(key, v.shape, kind)
        return tuple(move(*each) for each in zip(theta, g, keys)), None

    @jax.jit
    def scan(theta, key, X, Y):
        return jax.lax.scan(lambda theta, key: step(theta, key, X, Y), theta, jax.random.split(key, steps))[0]

    theta, key = (jnp.asarray(C0), jnp.asarray(W0)), jax.random.key(0)

    def run():
        c, W = scan(theta, key, jnp.asarray(X), jnp.asarray(Y))
        return loss(c.block_until_ready(), W)

    run()  # compiled before the clock starts
    return run, f"JAX {jax.__version__} jit scan, threefry"


def with_torch():
    import torch

    torch.set_num_threads(1)
    X_, Y_ = torch.tensor(X), torch.tensor(Y)

    @torch.no_grad()
    def run():
        torch.manual_seed(0)
        W, c = torch.tensor(W0), torch.tensor(C0)
        for _ in range(steps):
            Z = X_ @ W.T
            H = torch.relu(Z)
            r = (H @ c / N - Y_) / n
            gc = r @ H
            gW = ((Z > 0) * r[:, None]).T @ X_ * c[:, None]
            c.mul_(1 - eta * decay).sub_(gc, alpha=eta).add_(torch.randn_like(c), alpha=sigma)
            W.mul_(1 - eta * decay).sub_(gW, alpha=eta).add_(torch.randn_like(W), alpha=sigma)
        return loss(c.numpy(), W.numpy())

    return run, f"PyTorch {torch.__version__}, gradient by hand"


run, note = {"jax": with_jax, "torch": with_torch, "numpy": lambda: (in_numpy, "numpy, standard_normal")}[way]()
serve(run, note=note)
