"""Trains one network in each of three libraries on the same data: head acceleration against time, both standardised.

    python make_mcycle.py torch | keras | sklearn

Needs numpy, and torch with safetensors; keras with jax and safetensors; scikit-learn with skl2onnx and safetensors.
Written with torch 1.13.1 (Debian 12), keras 3.15.1 on jax 0.10.2, scikit-learn 1.9.1 and skl2onnx 1.20.0.
"""

import csv
import os
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def mcycle():
    with open(HERE.parent / "data/mcycle.csv", newline="") as file:
        data = np.array(list(csv.reader(file))[1:], dtype=float)
    z = (data - data.mean(0)) / data.std(0)
    return z[:, :1], z[:, 1]


def with_torch():
    """Twenty-four neurons in double and in single precision; SGD with weight decay on all parameters."""
    import torch
    from safetensors.torch import save_file

    for name, kind in (("mcycle_torch64", torch.float64), ("mcycle_torch", torch.float32)):
        torch.manual_seed(2)
        x, y = (torch.tensor(v, dtype=kind) for v in mcycle())
        net = torch.nn.Sequential(torch.nn.Linear(1, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1)).to(kind)
        step = torch.optim.SGD(net.parameters(), lr=0.05, weight_decay=0.002)
        for _ in range(30000):
            step.zero_grad()
            torch.nn.functional.mse_loss(net(x)[:, 0], y).backward()
            step.step()
        save_file(net.state_dict(), HERE / f"{name}.safetensors")
        torch.onnx.export(net, x[:1], HERE / f"{name}.onnx", input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})


def with_keras():
    """Sixteen neurons with l2 on the kernels; Adam, full batch, single precision. No ONNX: Keras writes it through
    TensorFlow alone."""
    os.environ["KERAS_BACKEND"] = "jax"
    import keras
    from safetensors.numpy import save_file

    keras.utils.set_random_seed(4)
    layer = lambda units, **more: keras.layers.Dense(units, kernel_regularizer=keras.regularizers.L2(0.002), **more)
    net = keras.Sequential([keras.Input((1,)), layer(16, activation="relu"), layer(1)])
    net.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
    x, y = mcycle()
    net.fit(x, y, batch_size=len(x), epochs=6000, verbose=0)
    w, b, c, offset = net.get_weights()
    parts = {"0.weight": w.T, "0.bias": b, "2.weight": c.T, "2.bias": offset}
    save_file({key: np.ascontiguousarray(v) for key, v in parts.items()}, HERE / "mcycle_keras.safetensors")


def with_sklearn():
    """Thirty neurons; lbfgs, double precision."""
    from safetensors.numpy import save_file
    from skl2onnx import to_onnx
    from sklearn.neural_network import MLPRegressor

    x, y = mcycle()
    net = MLPRegressor(hidden_layer_sizes=(30,), solver="lbfgs", alpha=0.2, max_iter=20000, random_state=1).fit(x, y)
    (w, c), (b, offset) = net.coefs_, net.intercepts_
    parts = {"0.weight": w.T, "0.bias": b, "2.weight": c.T, "2.bias": offset}
    save_file({key: np.ascontiguousarray(v) for key, v in parts.items()}, HERE / "mcycle_sklearn.safetensors")
    (HERE / "mcycle_sklearn.onnx").write_bytes(to_onnx(net, x[:1]).SerializeToString())


{"torch": with_torch, "keras": with_keras, "sklearn": with_sklearn}[sys.argv[1]]()
