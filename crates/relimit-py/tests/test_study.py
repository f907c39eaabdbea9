"""Studies and certificates: the answers and pages of the command line."""

import json

import numpy as np
import pytest
import relimit
from conftest import ROOT
from relimit import DataError, QuestionError
from test_numbers import TREES, same

CERTIFICATES = ROOT / "examples/certificates"


def test_a_study_and_its_page_are_those_of_the_program(program, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    out = tmp_path / "study"
    words = ["--target", "Volume", "--rows", "0:10", "--lambda", "0.2max", "--seed", "3"]
    theirs = program("study", TREES, *words, "--out", str(out))
    ours = relimit.study(TREES, target="Volume", rows="0:10", lam=["0.2max"], seed=3)
    same(ours.to_dict(), theirs)
    ours.save(tmp_path / "page.html")
    ours.save(tmp_path / "result.json")
    assert (tmp_path / "page.html").read_bytes() == (out / "report.html").read_bytes()
    assert json.loads((tmp_path / "result.json").read_text()) == ours.to_dict()
    assert list(ours.to_frame()["verdict"]) == [entry["verdict"] for entry in theirs["ledger"]]
    pytest.importorskip("matplotlib").use("Agg")
    assert len(ours.plot().lines[0].get_xdata()) == 1


def test_rows_of_arrays_with_gaps_are_left_out_of_a_study(trees):
    x, y = trees
    gaps = np.vstack([x[:8], [[np.nan, 1.0]]])
    whole = relimit.study(x[:8], y[:8], lam="0.5max")
    found = relimit.study(gaps, [*y[:8], 3.0], lam="0.5max")
    assert found.optimum[0].answer.objective == whole.optimum[0].answer.objective
    assert "--missing" in [choice.flag for choice in found.choices]


@pytest.mark.parametrize("file", sorted(CERTIFICATES.iterdir()), ids=lambda file: file.stem)
def test_certificates_are_checked_as_by_the_program(file, program):
    found = relimit.check(file)
    same(found.to_dict(), program("check", str(file)))
    assert found.verdict == "holds"
    assert list(found.to_frame()["verdict"]) == ["holds"]


def test_a_wrong_certificate_fails_and_no_certificate_is_refused(tmp_path):
    claim = json.loads((CERTIFICATES / "optimum.json").read_text())
    claim["lower_bound"] *= 1.01
    (tmp_path / "more.json").write_text(json.dumps(claim))
    found = relimit.check(tmp_path / "more.json")
    assert found.verdict == "fails"
    assert found.fault
    with pytest.raises(QuestionError, match="no picture"):
        found.plot()
    with pytest.raises(DataError, match="no such file"):
        relimit.check(tmp_path / "gone.json")
    with pytest.raises(QuestionError, match="no network results here"):
        found.save(tmp_path / "page.html")
