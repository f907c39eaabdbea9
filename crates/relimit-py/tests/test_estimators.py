"""The estimators are scikit-learn's, and what they say is proved."""

import pickle
import warnings

import numpy as np
import pytest
import relimit
from relimit import ReluLimit, ReluOptimum, ReluOptimumCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [
    ReluOptimum(max_nodes=20),
    ReluOptimumCV(lams=(0.2, 0.05), cv=2, max_nodes=5),
    ReluLimit(max_nodes=20, steps=1000),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_the_optimum_is_that_of_the_function(mcycle):
    x, y = mcycle
    model = ReluOptimum(lam=0.02, scale="standardise", target_scale="standardise").fit(x, y)
    settings = {"lam": "0.02max", "scale": "standardise", "target_scale": "standardise"}
    best = relimit.optimum(x, y, max_nodes=1000, **settings)
    assert model.status_ == best.status == "certified"
    assert (model.objective_, model.lower_bound_) == (best.objective, best.dual)
    assert model.gap_ <= 1e-8
    assert model.kinks_.tolist() == best.kinks.tolist()
    # the answer speaks of standardised labels, the estimator of those given
    wanted = y.mean() + y.std() * best.outputs
    np.testing.assert_allclose(model.predict(x), wanted, rtol=1e-9, atol=1e-9)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(x).tolist() == model.predict(x).tolist()
    assert again.result_ == model.result_


def test_what_is_not_certified_is_said():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 6)), rng.normal(size=40)
    with pytest.warns(ConvergenceWarning, match="not certified after"):
        model = ReluOptimum(lam=0.01, max_nodes=1).fit(x, y)
    assert model.status_ != "certified"
    assert model.lower_bound_ < model.objective_


def test_the_estimator_is_a_part_of_pipelines_and_searches(trees):
    x, y = trees
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ReluOptimum(offset="free", max_nodes=20)),
        {"reluoptimum__lam": [0.5, 0.05]},
        cv=3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(x, y)
    # a line explains 94 % of these volumes; a fit with a bend must not do worse on its own rows
    assert search.score(x, y) > 0.94
    assert search.best_params_["reluoptimum__lam"] == 0.05


def test_folds_choose_a_fine_share_where_there_is_no_noise():
    x = np.linspace(-1, 1, 41).reshape(-1, 1)
    y = np.abs(x[:, 0])
    model = ReluOptimumCV(lams=(0.5, 0.001)).fit(x, y)
    assert model.lam_share_ == 0.001
    assert model.errors_.shape == (2, 5)
    np.testing.assert_allclose(model.predict(x), y, atol=0.01)


def test_the_limit_is_that_of_the_function(trees):
    x, y = trees
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ReluLimit(scale="standardise").fit(x[:6], y[:6])
    run = relimit.limit(x[:6], y[:6], scale="standardise", bias="penalised")
    assert model.status_ == run.limit.status
    assert model.loss_ == run.limit.loss
    # the loss of the network that came back, by hand: half the sum of squares
    assert ((model.predict(x[:6]) - y[:6]) ** 2).sum() / 2 == pytest.approx(
        run.limit.loss, rel=1e-6
    )
