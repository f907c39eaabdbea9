"""PyTorch modules: in, out, the decay read off the optimiser, and the callback.

These need torch: ``cargo xtask torch`` runs them with Debian's.
"""

import numpy as np
import pytest
import relimit
import torch
from conftest import NETS, same_verdict
from relimit import Network, QuestionError
from torch import nn

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 2))
Y = np.abs(X[:, 0])


def model(width=6, dtype=torch.float64, **more):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 1, **more)).to(dtype)


def outputs(net, dtype=torch.float64):
    with torch.no_grad():
        return net(torch.tensor(X.tolist(), dtype=dtype))[:, 0].tolist()


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_in_and_out(dtype, tolerance):
    net = model(dtype=dtype)
    with torch.no_grad():
        net[0].weight[1], net[0].bias[1] = 2 * net[0].weight[0], 2 * net[0].bias[0]
    before = outputs(net, dtype)
    np.testing.assert_allclose(relimit.network(net).predict(X), before, atol=tolerance)
    state = relimit.network(dict(net.state_dict()))
    np.testing.assert_array_equal(state.predict(X), relimit.network(net).predict(X))
    narrow = relimit.collapse(net, box="everywhere")
    assert narrow.effective_width == 5
    narrow.network.to_torch(net)
    assert net[0].out_features == net[2].in_features == 5
    np.testing.assert_allclose(outputs(net, dtype), before, atol=tolerance)


def test_the_decay_is_that_of_the_optimizer():
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.01)
    judged = relimit.certify(net, X, Y, optimizer=optimizer, max_nodes=1)
    assert judged.settings.convention == "pytorch"
    # MSELoss is the mean of squares; weight_decay adds half of itself times all squares
    squares = sum(float((p.detach() ** 2).sum()) for p in net.parameters())
    theirs = np.mean((np.array(outputs(net)) - Y) ** 2) + 0.005 * squares
    # half-mean is half of it, with lambda half the weight decay
    assert judged.lam == 0.005
    assert judged.objective == pytest.approx(theirs / 2, rel=1e-9)
    notes = relimit.network(net, optimizer=torch.optim.AdamW(net.parameters())).notes
    assert "decoupled" in notes[0]


def test_other_modules_are_refused():
    for net, part in [
        (nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)), "is a Tanh"),
        (
            nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1), nn.ReLU()),
            "Linear ReLU Linear",
        ),
        (nn.Linear(2, 1), "Linear"),
    ]:
        with pytest.raises(QuestionError, match=part):
            relimit.network(net)
    with pytest.raises(QuestionError, match="output layer has no biases"):
        relimit.Network(np.eye(2), [0, 0], [1, 1], 1.0).to_torch(model(bias=False))


def test_the_callback_sees_dead_neurons_and_that_they_stay():
    net = model()
    with torch.no_grad():
        net[0].bias[2] = -100.0
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.01)
    x, y = (
        torch.tensor(X.tolist(), dtype=torch.float64),
        torch.tensor(Y.tolist(), dtype=torch.float64),
    )
    told = []
    watch = relimit.Watch(net, X, Y, optimizer=optimizer, every=20, report=told.append, max_nodes=5)
    for epoch in range(41):
        watch(epoch)
        optimizer.zero_grad()
        ((net(x)[:, 0] - y) ** 2).mean().backward()
        optimizer.step()
    assert [seen.epoch for seen in told] == [0, 20, 40]
    assert all(2 in seen.dead and 2 in seen.frozen for seen in told)
    assert told[-1].objective < told[0].objective
    assert all(seen.lower_bound <= seen.objective and seen.gap >= 0 for seen in told)
    adam = torch.optim.Adam(net.parameters())
    assert relimit.Watch(net, X, Y, optimizer=adam, max_nodes=5)(0).frozen == ()


@pytest.mark.parametrize(
    ("name", "dtype", "tolerance"),
    [("mcycle_torch64", torch.float64, 1e-12), ("mcycle_torch", torch.float32, 1e-5)],
)
def test_a_trained_module_and_its_files_are_one_network(name, dtype, tolerance, standard):
    net = nn.Sequential(nn.Linear(1, 24), nn.ReLU(), nn.Linear(24, 1)).to(dtype)
    Network.read(NETS / f"{name}.safetensors").to_torch(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, weight_decay=0.002)
    files = [f"{name}.safetensors", f"{name}.onnx"]
    words = {"convention": "pytorch", "lam": 0.002}
    x = torch.tensor(standard[0].tolist(), dtype=dtype)
    with torch.no_grad():
        before = net(x)
        for narrow, apart in same_verdict(net, files, standard, words, optimizer=optimizer):
            after = narrow.to_torch(net)(x)
            told = torch.tensor(narrow.predict(standard[0]).tolist(), dtype=torch.float64)
            assert float((after[:, 0].double() - told).abs().max()) < tolerance
            assert float((after - before).abs().max()) < apart + tolerance
    assert net[0].out_features < 12
