"""Trains the PyTorch networks of this folder and writes their state dictionaries, an ONNX export and their outputs.

Needs torch, numpy and safetensors. Written with torch 1.13.1 (Debian 12), numpy 1.24.2 and safetensors 0.8.0.
"""

import csv
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

HERE = Path(__file__).parent


def table(name, drop=()):
    with open(HERE.parent / "data" / name, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], dtype=float)


def trees():
    """Volume of cherry trees from girth and height, standardised; SGD with weight decay on everything."""
    torch.manual_seed(1)
    names, data = table("trees.csv")
    z = (data - data.mean(0)) / data.std(0)
    x, y = torch.tensor(z[:, :2], dtype=torch.float32), torch.tensor(z[:, 2:], dtype=torch.float32)
    net = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1))
    step = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.01)
    for _ in range(20000):
        step.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        step.step()
    save_file(net.state_dict(), HERE / "trees_torch.safetensors")
    torch.onnx.export(net, x[:1], HERE / "trees_torch.onnx", input_names=["x"], output_names=["y"],
                      dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})
    with torch.no_grad():
        outputs = net(x).numpy()
    with open(HERE / "trees_torch.csv", "w") as file:
        file.write("girth,height,output\n")
        for row, f in zip(x.numpy(), outputs):
            file.write(",".join(repr(float(v)) for v in (*row, *f)) + "\n")


def no_output_bias():
    """bias=False on the output layer, on the first layer, and a hidden bias as long as the output has entries."""
    rng = np.random.default_rng(0)
    w, b, c = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=(2, 4))
    double = lambda v: torch.tensor(v, dtype=torch.float64)
    parts = {"net.0.weight": double(w), "net.0.bias": double(b), "net.2.weight": double(c)}
    save_file(parts, HERE / "no_output_bias.safetensors")
    save_file({k: v for k, v in parts.items() if "bias" not in k}, HERE / "no_biases.safetensors")
    two = {"0.weight": double(w[:2]), "0.bias": double(b[:2]), "2.weight": double(c[:, :2].copy())}
    save_file(two, HERE / "two_neurons_two_outputs.safetensors")
    three = {"0.weight": double(w), "2.weight": double(rng.normal(size=(4, 4))), "4.weight": double(c)}
    save_file(three, HERE / "three_layers.safetensors")
    x = rng.normal(size=(5, 3))
    relu = lambda z: np.maximum(z, 0)
    outputs = {
        "no_output_bias": relu(x @ w.T + b) @ c.T,
        "no_biases": relu(x @ w.T) @ c.T,
        "two_neurons_two_outputs": relu(x @ w[:2].T + b[:2]) @ c[:, :2].T,
    }
    with open(HERE / "no_output_bias.csv", "w") as file:
        file.write("file,x0,x1,x2,y0,y1\n")
        for name, y in outputs.items():
            for row, f in zip(x, y):
                file.write(",".join([name, *(repr(float(v)) for v in (*row, *f))]) + "\n")


trees()
no_output_bias()
