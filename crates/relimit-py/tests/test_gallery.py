"""The calls of the gallery from Python: the answers of the command line, to the bit."""

import shlex

import pytest
import relimit
import tomllib
from conftest import ROOT
from test_numbers import same

PLANS = sorted((ROOT / "gallery").glob("*/plan.toml"))


def calls(plan):
    """The quick calls of a plan; of a grid the one with the first value of each axis."""
    read = tomllib.loads(plan.read_text())
    for run in read.get("run", []):
        if not run.get("slow"):
            yield run["call"]
    for grid in read.get("grid", []):
        if not grid.get("slow"):
            yield grid["call"].format(**{name: axis[0] for name, axis in grid["axes"].items()})


def keywords(words):
    """The command, the data and the keyword arguments of a command line."""
    command, *rest = shlex.split(words)
    data = None if rest[0].startswith("--") else rest.pop(0)
    settings = {}
    while rest:
        key = rest.pop(0).removeprefix("--").replace("-", "_")
        key = {"lambda": "lam"}.get(key, key)
        value = rest.pop(0) if rest and not rest[0].startswith("--") else True
        if key == "bias" and value is True:
            value = "penalised"
        value = int(value) if str(value).isdigit() else value
        settings[key] = [settings[key], value] if key in settings else value
    return command, data, settings


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.parent.name)
def test_calls_of_the_gallery_have_the_same_answers(plan, program, monkeypatch):
    monkeypatch.chdir(plan.parent)
    asked = 0
    for words in dict.fromkeys(calls(plan)):
        command, data, settings = keywords(words)
        same(
            getattr(relimit, command)(data, **settings).to_dict(),
            program(*shlex.split(words), cwd=plan.parent),
        )
        asked += 1
    assert asked > 0
