"""Data and the program that the package is compared with."""

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import relimit

ROOT = Path(__file__).resolve().parents[3]


def read(name):
    """A data set of the examples: names and numbers."""
    with open(ROOT / "examples/data" / name, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], dtype=float)


@pytest.fixture(scope="session")
def mcycle():
    _, data = read("mcycle.csv")
    return data[:, :1], data[:, 1]


@pytest.fixture(scope="session")
def trees():
    _, data = read("trees.csv")
    return data[:, :2], data[:, 2]


@pytest.fixture(scope="session")
def program():
    """The command line's answer, as JSON."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

    def ask(*words, cwd=ROOT):
        command = [target / "release/relimit", *words, "--json"]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), done.stderr
        return json.loads(done.stdout)

    return ask


NETS = ROOT / "examples/networks"


@pytest.fixture(scope="session")
def standard(mcycle):
    """Time and acceleration as the networks ``mcycle_*`` have seen them."""
    x, y = mcycle
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


def same_verdict(live, files, standard, words, **more):
    """Asks about a live object and about its files: the same verdicts, to the bit. What it
    collapses to, exactly and with kinks .01 apart as one, is returned with the difference.

    ``words`` are the loss and penalty that a live object says by itself.
    """
    x, y = standard
    effort = {"max_nodes": 40}
    nets = [live, *(NETS / file for file in files)]
    judged = [relimit.certify(live, x, y, **effort, **more)]
    judged += [relimit.certify(net, x, y, **effort, **words) for net in nets[1:]]
    keys = ["objective", "loss", "lambda", "lower_bound", "gap", "status", "levels"]
    first, *others = judged
    assert first.objective > first.lower_bound > 0
    for other in others:
        for key in keys:
            assert other.to_dict()[key] == first.to_dict()[key], key
    exact, close = ([relimit.collapse(net, x, tolerance=t) for net in nets] for t in (None, 0.01))
    for narrow in (exact, close):
        assert len({(n.width, n.effective_width, n.max_difference) for n in narrow}) == 1
    # weight decay has brought neurons onto few rays, up to what was left of the training
    assert close[0].effective_width < close[0].width / 2
    return (exact[0].network, 0.0), (close[0].network, close[0].max_difference)
