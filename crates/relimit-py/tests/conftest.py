"""Data and the program that the package is compared with."""

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

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

    def ask(*words):
        command = [target / "release/relimit", *words, "--json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), done.stderr
        return json.loads(done.stdout)

    return ask
