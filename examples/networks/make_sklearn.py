"""Trains the scikit-learn networks of this folder and writes their weights, an ONNX export and their outputs.

Needs numpy, scikit-learn and skl2onnx. Written with scikit-learn 1.9.1, numpy 2.x and skl2onnx 1.20.0.
"""

import csv
import warnings
from pathlib import Path

import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import make_regression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPRegressor

HERE = Path(__file__).parent
warnings.filterwarnings("ignore")


def save(name, net, features, target):
    np.savez(HERE / f"{name}.npz", w=net.coefs_[0].T, b=net.intercepts_[0], c=net.coefs_[1].T, offset=net.intercepts_[1],
             features=np.array(features), **({} if target is None else {"target": np.array(target)}))


def outputs(name, features, x, y):
    y = y.reshape(len(x), -1)
    with open(HERE / f"{name}.csv", "w") as file:
        file.write(",".join([*features, *(f"output{o}" for o in range(y.shape[1]))]) + "\n")
        for row, f in zip(x, y):
            file.write(",".join(repr(float(v)) for v in (*row, *f)) + "\n")


def table(name, features, x, y):
    with open(HERE / f"{name}.csv", "w") as file:
        file.write(",".join([*features, "y"]) + "\n")
        for row, v in zip(x, y):
            file.write(",".join(repr(float(u)) for u in (*row, v)) + "\n")


def stackloss():
    """Two outputs: loss and acid concentration from air flow and water temperature, standardised."""
    with open(HERE.parent / "data" / "stackloss.csv", newline="") as file:
        rows = list(csv.reader(file))
    data = np.array(rows[1:], dtype=float)
    z = (data - data.mean(0)) / data.std(0)
    x, y = z[:, :2], z[:, 2:]
    net = MLPRegressor(hidden_layer_sizes=(12,), solver="lbfgs", alpha=0.01, max_iter=5000, random_state=3).fit(x, y)
    save("stackloss_sklearn", net, rows[0][:2], None)
    outputs("stackloss_sklearn", rows[0][:2], x, net.predict(x))
    options = {id(net): {"zipmap": False}} if hasattr(net, "classes_") else None
    (HERE / "stackloss_sklearn.onnx").write_bytes(to_onnx(net, x[:1], options=options).SerializeToString())


def linear_data():
    """A hundred neurons on linear data, as in a public tutorial; stopped after 1000 iterations of Adam."""
    x, y = make_regression(n_samples=1000, n_features=10, noise=0.1, random_state=42)
    x, test_x, y, test_y = train_test_split(x, y, test_size=0.2, random_state=42)
    net = MLPRegressor(hidden_layer_sizes=(100,), max_iter=1000, random_state=42).fit(x, y)
    features = [f"x{k}" for k in range(10)]
    save("linear_sklearn", net, features, "y")
    table("linear_train", features, x, y)
    table("linear_test", features, test_x, test_y)
    mse = [np.mean((net.predict(u) - v) ** 2) for u, v in ((x, y), (test_x, test_y))]
    print("train and test MSE", *mse, "iterations", net.n_iter_)
    ones = np.c_[x, np.ones(len(x))]
    fit = np.linalg.lstsq(ones, y, rcond=None)[0]
    mse = [np.mean((np.c_[u, np.ones(len(u))] @ fit - v) ** 2) for u, v in ((x, y), (test_x, test_y))]
    print("least squares, train and test MSE", *mse, "standard deviation of y", np.r_[y, test_y].std())
    w = fit[:-1]
    np.savez(HERE / "linear_two.npz", w=np.array([w, -w]), b=np.zeros(2), c=np.array([[1.0, -1.0]]), offset=fit[-1:],
             features=np.array(features), target=np.array("y"))


def alpha():
    """What alpha means: five steps of lbfgs; loss_ is printed."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    net = MLPRegressor(hidden_layer_sizes=(5,), solver="lbfgs", alpha=1.0, max_iter=5, random_state=0).fit(x, y)
    features = ["x0", "x1", "x2"]
    save("alpha_sklearn", net, features, "y")
    table("alpha_train", features, x, y)
    print("loss_", repr(float(net.loss_)))


stackloss()
linear_data()
alpha()
