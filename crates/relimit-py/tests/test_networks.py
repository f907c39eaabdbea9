"""Networks out of live objects and back: the same function, the conventions read off."""

import warnings

import numpy as np
import pytest
import relimit
from conftest import NETS, same_verdict
from relimit import Network, QuestionError
from sklearn.neural_network import MLPClassifier, MLPRegressor

RNG = np.random.default_rng(5)
X = RNG.normal(size=(50, 3))
Y = np.abs(X[:, 0]) - X[:, 1]


def fitted(**settings):
    settings = {"hidden_layer_sizes": (8,), "solver": "lbfgs", "max_iter": 300, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPRegressor(random_state=0, **settings).fit(X, Y)


def test_scikit_learn_in_and_out():
    model = fitted(alpha=0.5)
    net = relimit.network(model)
    np.testing.assert_allclose(net.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    judged = relimit.certify(model, X, Y, max_nodes=5)
    assert judged.settings.convention == "sklearn"
    # scikit-learn's own loss: half the mean of squares plus alpha/2 over n, without the biases
    assert judged.objective == pytest.approx(model.loss_, rel=1e-9)
    narrow = relimit.collapse(model, X)
    before = model.predict(X)
    narrow.network.to_sklearn(model)
    assert model.coefs_[0].shape[1] == narrow.effective_width
    np.testing.assert_allclose(model.predict(X), before, rtol=1e-12, atol=1e-12)


def test_a_batch_doubles_the_decay_when_it_halves():
    nets = [fitted(alpha=0.5, solver="adam", batch_size=size, max_iter=5) for size in (25, 50)]
    lams = [relimit.certify(net, X, Y, max_nodes=1)["lambda"] for net in nets]
    assert lams[0] == pytest.approx(2 * lams[1])


def test_what_is_no_such_network_is_refused():
    says = [
        (fitted(activation="tanh"), "activation tanh"),
        (fitted(hidden_layer_sizes=(4, 4)), "2 hidden layers"),
        (MLPRegressor(), "not fitted"),
        (object(), "no network that is known"),
        ({"a.weight": np.ones((2, 2))}, "1 layers with weights"),
        (
            {"w": np.ones((2, 3)), "b": np.ones(3), "c": np.ones((1, 2)), "offset": 0.0},
            "not the shapes",
        ),
        ({"w": [[np.nan]], "b": [0.0], "c": [1.0], "offset": 0.0}, "not finite"),
    ]
    classifier = MLPClassifier((3,), max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        says.append((classifier.fit(X, Y > 0), "output activation logistic"))
    for model, part in says:
        with pytest.raises(QuestionError, match=part):
            relimit.network(model)
    with pytest.raises(QuestionError, match="2 columns for 3 inputs"):
        relimit.network(fitted()).predict(X[:, :2])


def test_files_of_other_programs_predict_what_they_did():
    table = np.genfromtxt(NETS / "stackloss_sklearn.csv", delimiter=",", skip_header=1)
    for ending, tolerance in (("npz", 1e-12), ("onnx", 1e-4)):
        net = Network.read(NETS / f"stackloss_sklearn.{ending}")
        np.testing.assert_allclose(net.predict(table[:, :2]), table[:, 2:], atol=tolerance)


def test_state_dicts_may_lack_biases():
    safetensors = pytest.importorskip("safetensors.numpy")
    for name in ("no_biases", "no_output_bias"):
        state = safetensors.load_file(NETS / f"{name}.safetensors")
        ours, file = relimit.network(state), Network.read(NETS / f"{name}.safetensors")
        for key, value in file.to_dict().items():
            np.testing.assert_array_equal(ours.to_dict()[key], value)
    state = safetensors.load_file(NETS / "three_layers.safetensors")
    with pytest.raises(QuestionError, match="3 layers"):
        relimit.network(state)


def test_arrays_for_a_network_with_names_are_its_inputs():
    net = Network(np.eye(2), [0.0, 0.0], [1.0, 1.0], 0.0, features=("a", "b"))
    judged = relimit.certify(net, X[:, :2], np.maximum(X[:, :2], 0).sum(axis=1))
    assert judged.loss == pytest.approx(0.0, abs=1e-25)
    with pytest.raises(QuestionError, match=r"3 columns for 2 inputs \(a, b\)"):
        relimit.certify(net, X, Y)


def test_collapse_merges_equal_neurons():
    net = Network([[1.0], [2.0], [1.0]], [0.5, 1.0, 3.0], [1.0, 1.0, 1.0], 0.0)
    narrow = relimit.collapse(net)
    assert narrow.effective_width == 2
    grid = np.linspace(-5, 5, 41)
    np.testing.assert_allclose(narrow.network.predict(grid), net.predict(grid), atol=1e-12)
    assert relimit.collapse(net, box=[(-1, 1)]).effective_width <= 2


def test_a_trained_model_and_its_files_are_one_network(standard):
    model = MLPRegressor(hidden_layer_sizes=(30,), alpha=0.2, solver="lbfgs", max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(*standard)
    Network.read(NETS / "mcycle_sklearn.safetensors").to_sklearn(model)
    files = ["mcycle_sklearn.safetensors", "mcycle_sklearn.onnx"]
    words = {"convention": "sklearn", "lam": 0.2}
    before = model.predict(standard[0])
    for narrow, apart in same_verdict(model, files, standard, words):
        after = narrow.to_sklearn(model).predict(standard[0])
        np.testing.assert_allclose(after, narrow.predict(standard[0]), rtol=0, atol=1e-12)
        np.testing.assert_allclose(after, before, rtol=0, atol=apart + 1e-12)
