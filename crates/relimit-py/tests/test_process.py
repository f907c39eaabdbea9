"""Threads, workers, Ctrl-C and memory."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import relimit

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(200, 8)), RNG.normal(size=200)
SMALL = (X[:12, :1], Y[:12])


def objective(_=None):
    return relimit.optimum(*SMALL, lam=0.01).objective


def test_threads_call_at_once_and_the_interpreter_is_free():
    wanted = objective()
    found, ticks, done = [], [], threading.Event()

    def long():
        relimit.optimum(X, Y, lam="0.01max", budget="1s", threads=1)
        done.set()

    worker = threading.Thread(target=long)
    worker.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        found.append(objective())
    worker.join()
    assert len(ticks) > 5, "this thread ran while the engine worked in the other"
    assert set(found) == {wanted}


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_workers_have_the_same_numbers(method):
    wanted = objective()
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(objective, range(4)) == [wanted] * 4


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_a_long_call():
    code = """
        import numpy as np, relimit
        rng = np.random.default_rng(1)
        print("ready", flush=True)
        try:
            x, y = rng.normal(size=(200, 8)), rng.normal(size=200)
            relimit.optimum(x, y, lam="0.01max", max_nodes=10**9)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert program.poll() is None, "still working"
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=60)
    assert out == "interrupted\n"


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_memory_is_flat():
    x, y = np.ones((1000, 50)) * np.arange(1000)[:, None], np.arange(1000.0)

    def call():
        with pytest.raises(relimit.PlanError):
            relimit.optimum(x, y, lam=-1)
        relimit.optimum(*SMALL, lam=1.0)
        relimit.collapse({"w": np.eye(30), "b": np.ones(30), "c": np.ones((1, 30)), "offset": 0.0})

    for _ in range(100):
        call()
    before = resident()
    for _ in range(1000):
        call()
    # a table that leaked once a call would be 400 MB
    assert resident() - before < 4e6


def test_progress_is_told_and_its_errors_end_the_call():
    told = []
    calls = {
        "train": {"lam": 0.1, "beta": 10.0, "width": 2000, "steps": 400, "threads": 1},
        "optimum": {"lam": "0.01max", "max_nodes": 10**9},
        "study": {"budget": "2s"},
    }
    relimit.train(X, Y, **calls["train"], progress=lambda *seen: told.append(seen))
    assert len(told) > 1
    assert [all for _, all in told] == [400] * len(told)
    counts = [done for done, _ in told]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]

    class Enough(Exception):
        pass

    def stop(done, all):
        raise Enough

    for command, settings in calls.items():
        with pytest.raises(Enough):
            getattr(relimit, command)(X, Y, **settings, progress=stop)
