"""Keras models on the back end numpy: in, out, and the penalty read off."""

import os

import numpy as np
import pytest
import relimit
from conftest import NETS, same_verdict
from relimit import Network, QuestionError

os.environ["KERAS_BACKEND"] = "numpy"
keras = pytest.importorskip("keras", reason="keras is in tests/requirements.txt")
RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 2))
Y = np.abs(X[:, 0])


def model(width=6, l2=0.01, **more):
    def layer(units, **kind):
        return keras.layers.Dense(units, kernel_regularizer=keras.regularizers.L2(l2), **kind)

    net = keras.Sequential([keras.Input((2,)), layer(width, activation="relu"), layer(1, **more)])
    rng = np.random.default_rng(3)
    net.set_weights([rng.normal(size=v.shape) for v in net.get_weights()])
    return net


def test_the_same_function_and_penalty():
    net = model()
    np.testing.assert_allclose(
        relimit.network(net).predict(X), np.asarray(net.predict(X, verbose=0))[:, 0], atol=1e-5
    )
    judged = relimit.certify(net, X, Y, max_nodes=1)
    assert judged.settings.convention == "keras"
    # Keras: the mean of squares plus l2 times the squares of the kernels
    out = relimit.network(net).predict(X)
    kernels = [np.asarray(v, dtype=float) for v in net.get_weights() if v.ndim == 2]
    theirs = ((out - Y) ** 2).mean() + 0.01 * sum((v**2).sum() for v in kernels)
    # half-mean is half of it
    assert judged.objective == pytest.approx(theirs / 2, rel=1e-6)


def test_a_narrow_network_goes_back():
    net = model()
    first, second = net.layers
    kernel, bias = first.get_weights()
    kernel[:, 1], bias[1] = 2 * kernel[:, 0], 2 * bias[0]
    first.set_weights([kernel, bias])
    before = np.asarray(net.predict(X, verbose=0))
    narrow = relimit.collapse(net, box="everywhere")
    assert narrow.effective_width < 6
    wide = model()
    narrow.network.to_keras(wide)
    np.testing.assert_allclose(np.asarray(wide.predict(X, verbose=0)), before, atol=1e-5)
    assert second.get_weights()[0].shape == (6, 1)
    with pytest.raises(QuestionError, match="make it as wide"):
        narrow.network.to_keras(model(width=2))
    with pytest.raises(QuestionError, match="output layer has no biases"):
        relimit.Network(np.eye(2), [0, 0], [1, 1], 1.0).to_keras(model(use_bias=False))


def test_other_layers_are_refused():
    deep = keras.Sequential([keras.Input((2,)), *(keras.layers.Dense(3, "relu") for _ in "ab")])
    with pytest.raises(QuestionError, match="other activations"):
        relimit.network(deep)
    net = keras.Sequential([keras.Input((2,)), keras.layers.BatchNormalization()])
    with pytest.raises(QuestionError, match="is a BatchNormalization"):
        relimit.network(net)


def test_a_trained_model_and_its_files_are_one_network(standard, tmp_path):
    def layer(units, **more):
        return keras.layers.Dense(units, kernel_regularizer=keras.regularizers.L2(0.002), **more)

    net = keras.Sequential([keras.Input((1,)), layer(16, activation="relu"), layer(1)])
    Network.read(NETS / "mcycle_keras.safetensors").to_keras(net)
    # Keras writes ONNX through TensorFlow alone: the file is ours, of the live model
    relimit.network(net).save(tmp_path / "keras.onnx")
    words = {"convention": "keras", "lam": 0.002}
    files = ["mcycle_keras.safetensors", tmp_path / "keras.onnx"]
    before = np.asarray(net.predict(standard[0], verbose=0))[:, 0]
    for narrow, apart in same_verdict(net, files, standard, words):
        after = np.asarray(narrow.to_keras(net).predict(standard[0], verbose=0))[:, 0]
        np.testing.assert_allclose(after, narrow.predict(standard[0]), rtol=0, atol=1e-5)
        np.testing.assert_allclose(after, before, rtol=0, atol=apart + 1e-5)
