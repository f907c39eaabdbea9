"""Situations that people met in public, with the numbers that other programs found for them."""

import warnings

import numpy as np
import pytest
import relimit
from conftest import NETS, read
from relimit import Network, QuestionError
from sklearn.neural_network import MLPRegressor


def fitted(x, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPRegressor(**settings).fit(x, y)


def test_one_relu_from_the_wrong_side_never_learns_one_relu(tmp_path):
    # stats.stackexchange.com/questions/379884: the loss ends at 1.25, with the right sign at 0
    x, y = [-2.0, -1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0]

    def limit(weight, step):
        np.save(tmp_path / "start.npy", [[weight]])
        words = {"bias": "none", "signs": "+", "loss": "mean", "step": step}
        return relimit.limit(x, y, start=tmp_path / "start.npy", **words)

    stuck = limit(-10.0, 0.1)
    assert stuck.limit.status == "converged"
    assert stuck.limit.loss == pytest.approx(1.25, abs=1e-12)
    assert limit(0.5, 0.1).limit.loss == pytest.approx(0.0, abs=1e-12)
    # a step of .45 crosses: 1 - 2.5 * .45 < 0
    assert limit(-10.0, 0.45).limit.loss == pytest.approx(0.0, abs=1e-12)


def test_three_points_that_cannot_be_fitted_can():
    # stats.stackexchange.com/questions/387150: values by cvxpy and Clarabel
    x, y = np.array([-1.0, 0.0, 1.0]), np.array([-0.2445248, 0.1232554, 0.1713998])
    for lam, value in ((0.01, 0.0041713358), (0.1, 0.0306633006)):
        best = relimit.optimum(x, y, lam=lam, loss="half-sum", bias="penalised")
        assert best.objective == pytest.approx(value, abs=1e-9)
    assert relimit.patterns(x, bias="penalised").patterns == 6
    # the posted layer had no activation: an affine network is refused by name, not taken for ReLU
    model = fitted(x[:, None], y, hidden_layer_sizes=(10,), activation="identity", solver="lbfgs")
    with pytest.raises(QuestionError, match="activation identity"):
        relimit.certify(model, x, y)


def test_a_constant_neuron_is_folded_into_the_bias():
    # github.com/EIDOSLAB/simplify/issues/7
    w, b = [[-0.0053, 0.3793], [0.0, 0.0]], [-0.2723, 0.1896]
    c, offset = [[-0.0140, 0.5607], [-0.0628, 0.1871]], [-0.2137, -0.1390]
    net = Network(w, b, c, offset)
    narrow = relimit.collapse(net).network
    assert narrow.width == 1
    folded = [-0.2137 + 0.5607 * 0.1896, -0.1390 + 0.1871 * 0.1896]
    np.testing.assert_allclose(narrow.offset, folded, atol=1e-15)
    x = np.random.default_rng(0).uniform(-1e3, 1e3, size=(1000, 2))
    np.testing.assert_allclose(narrow.predict(x), net.predict(x), rtol=0, atol=1e-12)
    dead = Network(w, [-0.2723, -0.1896], c, offset)
    assert relimit.collapse(dead).network.offset.tolist() == offset


def test_alpha_is_divided_by_the_rows_and_spares_the_biases():
    # github.com/scikit-learn/scikit-learn/issues/6780: the loss of five iterations
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    settings = {"hidden_layer_sizes": (5,), "solver": "lbfgs", "alpha": 1.0, "max_iter": 5}
    model = fitted(x, y, random_state=0, **settings)
    judged = relimit.certify(model, x, y, max_nodes=5)
    assert judged.objective == pytest.approx(model.loss_, abs=1e-10)
    assert judged.settings.convention == "sklearn"
    # the biases are outside the penalty: with them inside it is another, larger number
    inside = relimit.certify(model, x, y, lam=1 / 50, bias="penalised", max_nodes=5)
    more = sum((b**2).sum() for b in model.intercepts_) / (2 * 50)
    assert inside.objective - judged.objective == pytest.approx(more, rel=1e-9)


@pytest.mark.parametrize("name", ["no_output_bias", "no_biases"])
def test_a_missing_bias_is_zero_and_never_the_other_one(name):
    # github.com/Gurobi/gurobi-machinelearning/issues/315: outputs by numpy
    net = Network.read(NETS / f"{name}.safetensors")
    assert not net.offset.any()
    with open(NETS / "no_output_bias.csv") as file:
        rows = [line.strip().split(",")[1:] for line in file if line.startswith(f"{name},")]
    table = np.array(rows, dtype=float)
    np.testing.assert_allclose(net.predict(table[:, :3]), table[:, 3:], rtol=0, atol=1e-12)


def test_a_bias_of_another_length_is_refused_by_name():
    rng = np.random.default_rng(0)
    state = {"0.weight": rng.normal(size=(4, 3)), "0.bias": rng.normal(size=2)}
    with pytest.raises(QuestionError, match=r"w \(4, 3\), b \(2,\)"):
        relimit.certify({**state, "2.weight": rng.normal(size=(2, 4))}, np.eye(3), np.eye(3)[:, :2])


def test_a_network_that_loses_to_a_line_has_not_arrived():
    # sklearner.com: mean square 22.03 on the training rows where least squares has .009268
    _, data = read("../networks/linear_train.csv")
    x, y = data[:, :-1], data[:, -1]
    judged = relimit.certify(NETS / "linear_sklearn.npz", x, y, max_nodes=5, loss="mean")
    assert judged.loss == pytest.approx(22.0256, abs=1e-4)
    assert judged.best_known <= 0.009268 * 1.001
    assert judged.lower_bound <= judged.best_known


def test_pieces_are_counted_on_the_line_and_on_an_interval():
    # github.com/udlbook/udlbook/issues/120: by hand
    net = Network(np.ones((3, 1)), [-0.2, -0.5, -1.3], [2.0, -3.0, 1.0], 0.0)
    whole = relimit.collapse(net)
    assert sorted(-whole.network.b / whole.network.w[:, 0]) == pytest.approx([0.2, 0.5, 1.3])
    assert relimit.collapse(net, box=[(0, 1)]).effective_width == 2
    assert relimit.collapse(Network(net.w, net.b, [2.0, -3.0, 0.0], 0.0)).effective_width == 2
    twice = Network(net.w, [-0.2, -0.5, -0.5], [2.0, -3.0, 3.0], 0.0)
    assert relimit.collapse(twice).effective_width == 1


def test_cells_are_counted_and_not_the_samples():
    # github.com/VITA-Group/TENAS/issues/9: sum of binomials, less for a line that comes twice
    rng = np.random.default_rng(3)

    def lines(m, d):
        return rng.normal(size=(m, d + 1))

    def count(rows):
        return relimit.patterns(rows, bias="none").patterns

    ten = lines(10, 2)
    # rows and units change places: the patterns of m rows in d + 1 dimensions, half of the cells
    # of the homogeneous arrangement lying on each side of the plane at infinity
    assert count(np.vstack([ten, [0, 0, 1]])) == 2 * 56
    assert count(np.vstack([ten, ten[:1], [0, 0, 1]])) == 2 * 56
    assert count(np.vstack([ten[:9], [0, 0, 1]])) == 2 * 46
    assert count(np.vstack([lines(5, 1), [0, 1]])) == 2 * 6
    assert count(np.vstack([lines(8, 3), [0, 0, 0, 1]])) == 2 * 93
