"""The numbers are those of the command line, to the bit."""

import numpy as np
import pytest
import relimit
from conftest import ROOT

MCYCLE = "examples/data/mcycle.csv"
TREES = "examples/data/trees.csv"
GLUCOSE = "examples/data/glucose_spectra.csv"
NET = "examples/networks/trees_torch.safetensors"
NET_DATA = "examples/networks/trees_torch.csv"


def same(ours, program, path=""):
    """Equal but for what names the file or the machine."""
    assert type(ours) is type(program), path
    if isinstance(ours, dict):
        assert sorted(ours) == sorted(program), path
        for key in ours:
            if key not in ("elapsed", "seconds"):
                same(ours[key], program[key], f"{path}/{key}")
    elif isinstance(ours, list):
        assert len(ours) == len(program), path
        for k, (a, b) in enumerate(zip(ours, program, strict=True)):
            same(a, b, f"{path}/{k}")
    else:
        assert ours == program, path


CALLS = [
    ("limit", MCYCLE, "accel", {"rows": "0:12", "bias": "penalised"}),
    ("limit", GLUCOSE, "glucose", {"target_scale": "standardise", "step_constant": 30}),
    ("limit", GLUCOSE, "glucose", {"flow": True, "rows": "0:8"}),
    ("patterns", TREES, "Volume", {"bias": "penalised"}),
    ("optimum", MCYCLE, "accel", {"lam": "0.05max", "scale": "standardise"}),
    ("optimum", TREES, "Volume", {"lam": 100.0, "offset": "free"}),
    ("gibbs", MCYCLE, "accel", {"lam": 0.05, "beta": 100.0, "rows": "0:30"}),
    ("train", MCYCLE, "accel", {"width": 20, "steps": 50, "beta": "inf", "scale": "standardise"}),
]


@pytest.mark.parametrize(("command", "file", "target", "settings"), CALLS)
def test_files_are_answered_as_by_the_program(
    command, file, target, settings, program, monkeypatch
):
    monkeypatch.chdir(ROOT)
    words = []
    for key, value in settings.items():
        flag = "--" + key.replace("_", "-").replace("lam", "lambda")
        words += [flag] if value is True else [flag, str(value)]
    theirs = program(command, file, "--target", target, *words)
    ours = getattr(relimit, command)(file, target=target, **settings)
    same(ours.to_dict(), theirs)


def test_networks_are_judged_as_by_the_program(program, monkeypatch):
    monkeypatch.chdir(ROOT)
    words = ["--target", "output", "--max-nodes", "50", "--convention", "pytorch"]
    theirs = program("certify", NET, NET_DATA, *words, "--lambda", "0.01")
    settings = {"target": "output", "max_nodes": 50, "convention": "pytorch", "lam": 0.01}
    ours = relimit.certify(NET, NET_DATA, **settings).to_dict()
    same(ours, theirs)
    theirs = program("collapse", NET, NET_DATA, "--drop", "output", "--tolerance", "0.02")
    ours = relimit.collapse(NET, NET_DATA, drop="output", tolerance=0.02).to_dict()
    same(ours, theirs)


@pytest.mark.parametrize("command", ["optimum", "gibbs", "train"])
def test_arrays_have_the_numbers_of_their_file(command, program, mcycle):
    x, y = mcycle
    settings = {"train": {"width": 10, "steps": 20}}.get(command, {})
    words = [w for key, value in settings.items() for w in (f"--{key}", str(value))]
    theirs = program(command, MCYCLE, "--target", "accel", "--lambda", "30", *words)
    ours = getattr(relimit, command)(x, y, lam=30, **settings)
    assert ours.outputs.tolist() == theirs["outputs"]
    assert ours.objective == theirs["objective"]
    # Fortran order, strides and whole numbers change nothing
    wide = np.asfortranarray(np.repeat(x, 2, axis=1))[:, 1:]
    assert (
        getattr(relimit, command)(wide, list(y), lam="30", **settings).outputs.tolist()
        == theirs["outputs"]
    )


def test_three_points_have_the_optimum_of_theory():
    # the law at beta = 100 from an independent solution of the one-dimensional dual
    law = relimit.gibbs([-1.0, 0.0, 1.0], [1.0, -0.5, 0.8], lam=0.05, beta=100)
    np.testing.assert_allclose(law.outputs, [0.85195, -0.09544, 0.65244], atol=1e-5)


def test_the_network_of_an_optimum_has_its_objective(mcycle):
    x, y = mcycle
    best = relimit.optimum(x, y, lam=30.0)
    net = best.network
    np.testing.assert_allclose(net.predict(x), best.outputs, rtol=1e-10, atol=1e-10)
    loss = ((net.predict(x) - y) ** 2).sum() / (2 * len(y))
    decay = 15.0 * sum((v**2).sum() for v in (net.w, net.b, net.c))
    assert loss + decay == pytest.approx(best.objective, rel=1e-9)
    assert best.dual <= best.objective
    assert best.status == "certified"


def test_weights_are_copies_and_labels_may_be_many(trees):
    x, y = trees
    labels = np.column_stack([y, x[:, 0] * x[:, 1]])
    copies = np.arange(len(y)) % 3
    twice = np.repeat(np.arange(len(y)), copies)
    weighted = relimit.optimum(x, labels, weight=copies, lam=100.0, max_nodes=50)
    repeated = relimit.optimum(x[twice], labels[twice], lam=100.0, max_nodes=50)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-7)
    assert weighted.network.predict(x).shape == (len(y), 2)


def test_the_outputs_of_a_limit_have_its_loss():
    found = relimit.limit(ROOT / GLUCOSE, target="glucose", target_scale="centre", rows="0:9")
    residuals = found.fitted()[:, 0] - found.data.labels
    assert (residuals**2).sum() / 2 == pytest.approx(found.limit.loss, abs=1e-12)
    words = {"signs": [1, -0.5], "bias": "penalised"}
    found = relimit.limit([1.0, 2.0, 4.0], [0.0, 1.0, 1.5], **words)
    frame = found.to_frame()
    assert ((frame.output - frame.label) ** 2).sum() / 2 == pytest.approx(
        found.limit.loss, abs=1e-12
    )
