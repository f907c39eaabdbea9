"""Sweeps from Python, here and on workers of Dask: the rows of the command line, to the byte."""

import os
import signal
import subprocess
import threading
import time

import polars
import pytest
import relimit
from conftest import ROOT
from relimit import PlanError, QuestionError

PLAN = {
    "command": "train",
    "fixed": {
        "synthetic": "gaussian:n=30,d={d},labels=sign,seed={seed}",
        "width": 1000,
        "steps": 300,
        "lambda": 0.05,
        "beta": 100,
    },
    "axes": {"d": [2, 3]},
    "seeds": {"count": 30},
    "record": {"loss": "/loss", "ended": "/status"},
}
TEXT = """
command = "train"
[fixed]
synthetic = "gaussian:n=30,d={d},labels=sign,seed={seed}"
width = 1000
steps = 300
lambda = 0.05
beta = 100
[axes]
d = [2, 3]
[seeds]
count = 30
[record]
loss = "/loss"
ended = "/status"
"""


def files(out):
    return {path.name: path.read_bytes() for path in sorted((out / "rows.parquet").iterdir())}


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """The rows of the command line."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "plan.toml").write_text(TEXT)
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    command = [f"{target}/release/relimit", "sweep", "plan.toml", "--out", "rows"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "rows"


def test_rows_are_those_of_the_program(there, tmp_path):
    told = []
    found = relimit.sweep(PLAN, out=tmp_path / "rows", progress=lambda *seen: told.append(seen))
    assert (found.status, found.runs, found.done, found.failed) == ("complete", 60, 60, 0)
    assert files(tmp_path / "rows") == files(there)
    assert all(total in (None, 60) for _, total in told)
    rows = found.rows()
    frame = polars.read_parquet(tmp_path / "rows/rows.parquet/*.parquet")
    assert frame["loss"].to_list() == rows["loss"]
    assert frame["d"].to_list() == rows["d"] == [2] * 30 + [3] * 30
    assert found.to_frame()["status"].tolist() == ["done"] * 60
    again = relimit.sweep(there.parent / "plan.toml", out=tmp_path / "rows")
    assert again.reused == 60


def test_a_row_is_the_answer_of_its_call(there, tmp_path):
    rows = relimit.sweep(PLAN, out=there).rows()
    seed = int(rows["seed"][31])
    run = relimit.train(
        synthetic=f"gaussian:n=30,d=3,labels=sign,seed={seed}",
        width=1000,
        steps=300,
        lam=0.05,
        beta=100,
    )
    assert run.loss == rows["loss"][31]


def test_mistakes_are_told(tmp_path):
    with pytest.raises(QuestionError, match="did you mean 'train'"):
        relimit.sweep({**PLAN, "command": "trian"}, out=tmp_path / "a")
    with pytest.raises(PlanError, match="give a folder"):
        relimit.sweep(PLAN)
    with pytest.raises(PlanError, match="cannot be read"):
        relimit.sweep(tmp_path / "gone.toml")
    with pytest.raises(PlanError, match="neither text, number, list nor mapping"):
        relimit.sweep({**PLAN, "title": object()}, out=tmp_path / "a")


def test_dask_has_the_same_rows_when_a_worker_dies(there, tmp_path):
    distributed = pytest.importorskip("distributed", reason="it is in tests/requirements.txt")
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    out = tmp_path / "rows"
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        killed = threading.Event()

        def kill():
            units = out / "units"
            while not (units.is_dir() and any(units.glob("*.beat"))):
                time.sleep(0.01)
            os.kill(victim, signal.SIGKILL)
            killed.set()

        threading.Thread(target=kill, daemon=True).start()
        found = relimit.sweep(PLAN, out=out, client=client, unit=10)
        assert killed.is_set()
    assert (found.status, found.done) == ("complete", 60)
    assert files(out) == files(there)
