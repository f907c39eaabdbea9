"""What is taken, and what is refused in which words."""

import numpy as np
import pandas as pd
import pytest
import relimit
from relimit import DataError, PlanError, QuestionError, RelimitError

X = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]])
Y = np.array([1.0, 0.5, -0.5, 0.8, 1.1])


def outputs(x, y=None, **settings):
    return relimit.optimum(x, y, lam=0.05, **settings).outputs.tolist()


def test_frames_lists_and_whole_numbers_are_taken():
    wanted = outputs(X, Y)
    frame = pd.DataFrame({"age": X[:, 0], "note": ["a"] * 5, "price": Y})
    assert outputs(frame[["age"]], frame["price"]) == wanted
    assert outputs(frame[["age", "price"]], target="price") == wanted
    assert outputs(frame[["age"]].astype("Int64"), Y) == wanted
    assert outputs(X.astype(np.int8), Y.reshape(-1, 1)) == wanted
    assert outputs(X[:, 0].tolist(), Y.tolist()) == wanted
    assert relimit.optimum(frame[["age"]], frame["price"], lam=0.05).network.features == ("age",)
    with pytest.raises(DataError, match=r"x\['note'\]: values of type"):
        outputs(frame[["age", "note"]], Y)


def test_polars_frames_are_taken():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"age": X[:, 0], "price": Y})
    assert outputs(frame, target="price") == outputs(X, Y)
    assert outputs(frame[["age"]], frame["price"]) == outputs(X, Y)


class Sparse:
    nnz = 1

    def toarray(self):
        return X


@pytest.mark.parametrize(
    ("x", "part"),
    [
        (np.ma.masked_array(X, mask=X > 1), "masked array"),
        (Sparse(), r"sparse matrix; give x.toarray\(\)"),
        (X + 1j, "complex numbers"),
        (np.array([["a"], ["b"], ["c"], ["d"], ["e"]]), "'a'"),
        (np.array([[object()]] * 5), "object"),
        (X.reshape(5, 1, 1), "3 dimensions"),
        (np.float64(3.0), "0 dimensions"),
        ([[1.0], [1.0, 2.0]], "no rectangular array"),
        (X[:3], "x has 3 rows and y has 5"),
    ],
)
def test_what_is_no_table_is_refused_before_the_engine(x, part):
    with pytest.raises(DataError, match=part) as refused:
        outputs(x, Y)
    assert refused.value.column or "rows" in part


def test_errors_carry_what_they_know():
    with pytest.raises(PlanError) as refused:
        relimit.optimum(X, Y, lam=-1)
    error = refused.value
    assert (error.setting, error.value) == ("lam", "-1")
    assert error.cure
    assert str(error).startswith("lam -1")
    assert "--" not in str(error)
    gaps = X.copy()
    gaps[3, 0] = np.nan
    with pytest.raises(DataError) as refused:
        relimit.optimum(gaps, Y)
    error = refused.value
    assert (error.row, error.column) == (4, "x0"), "rows count from 1"
    assert "--" not in str(error)
    with pytest.raises(DataError, match="no such file") as refused:
        relimit.optimum("gone.csv", target="y")
    assert refused.value.file == "gone.csv"
    with pytest.raises(QuestionError, match="no data"):
        relimit.optimum()
    with pytest.raises(PlanError, match="neither text, number nor list"):
        relimit.optimum(X, Y, lam=object())
    assert issubclass(DataError, RelimitError)
    assert issubclass(RelimitError, ValueError)


def test_rows_with_gaps_can_be_left_out():
    gaps = np.vstack([X, [[np.nan]]])
    assert outputs(gaps, [*Y, 3.0], missing="drop") == outputs(X, Y)


def test_answers_are_frozen_and_have_the_keys_of_the_json():
    best = relimit.optimum(X, Y, lam=0.05)
    assert best.lam == best["lambda"] == 0.05
    assert best.data.n == 5
    assert best.neurons[0].w.shape == (1,)
    with pytest.raises(AttributeError, match="cannot be changed"):
        best.objective = 0.0
    with pytest.raises(ValueError, match="read-only"):
        best.outputs[0] = 0.0
    with pytest.raises(AttributeError, match="no 'objectiv'"):
        _ = best.objectiv
    frame = best.to_frame()
    assert list(frame.columns) == ["row", "label", "output"]
    assert frame["output"].tolist() == best.outputs.tolist()
    assert "certified" in best._repr_html_()
    assert "objective" in dir(best)


def test_answers_are_saved_and_drawn(tmp_path):
    best = relimit.optimum(X, Y, lam=0.05)
    best.save(tmp_path / "a.json")
    for ending in ("npz", "safetensors", "onnx"):
        best.save(tmp_path / f"net.{ending}")
        back = relimit.Network.read(tmp_path / f"net.{ending}")
        assert back.predict(X).tolist() == best.network.predict(X).tolist()
    pytest.importorskip("matplotlib").use("Agg")
    ax = best.plot()
    assert len(ax.lines) == 2
    assert relimit.patterns(X).plot().patches
