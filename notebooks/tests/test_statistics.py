"""Protects the draw rates: statsmodels, from its own counts of the files, comes
to what `draughtlab stats --json` prints, to nine digits."""

import importlib.util
import itertools
import json
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
from conftest import NOTEBOOKS, VARIANTS, draughtlab
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

LEVELS = [0.8, 0.95, 0.999]
METHODS = {"wilson": "wilson", "jeffreys": "jeffreys", "clopper_pearson": "beta"}  # ours: theirs
TESTDATA = NOTEBOOKS.parent / "export" / "drawrate" / "testdata"


def near(value):
    return pytest.approx(value, abs=1e-9, rel=0)


def ends(interval):
    return (interval["low"], interval["high"])


@pytest.fixture(scope="module")
def games(run):
    """The games table, with the opening of each game as `stats` takes it."""
    frame = pd.read_parquet(run / "games", dtype_backend="numpy_nullable")
    prefix = [" ".join(m.split()[:n]) for m, n in zip(frame["moves"], frame["opening_plies"])]
    assert set(frame["opening"]) <= {"start", "random"}, "a study has no opening file"
    return frame.assign(cluster=frame["start_fen"] + " " + prefix)


@pytest.fixture(scope="module")
def reports(run):
    return {level: json.loads(draughtlab("stats", "--json", "--level", str(level), run)) for level in LEVELS}


def of(games, variant):
    own = games[games["variant"] == variant]
    return own, own[own["outcome"].notna()]


def row_of(report, variant):
    (row,) = [r for r in report["games"] if r["variant"] == variant]
    return row


@pytest.mark.parametrize("variant", VARIANTS)
def test_counts(games, reports, variant):
    own, finished = of(games, variant)
    row = row_of(reports[0.95], variant)
    assert row["games"] == len(own)
    assert row["finished"] == len(finished)
    assert [row["white"], row["draw"], row["black"]] == [(finished["outcome"] == o).sum() for o in (1, 0, -1)]
    assert row["unfinished"] == own["outcome"].isna().sum()
    assert row["distinct_games"] == len(own[["start_fen", "moves"]].drop_duplicates())
    assert row["openings"] == own["cluster"].nunique()
    assert row["mean_plies"] == near(finished["plies"].mean())
    counted = {(t["termination"], t["class"]): t["games"] for t in row["terminations"]}
    assert counted == own.groupby(["termination", "termination_class"]).size().to_dict()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_intervals(games, reports, variant, level):
    own, finished = of(games, variant)
    draws, n = int((finished["outcome"] == 0).sum()), len(finished)
    row = row_of(reports[level], variant)
    assert row["draw_rate"] == near(draws / n)
    for ours, theirs in METHODS.items():
        assert ends(row[ours]) == near(proportion_confint(draws, n, alpha=1 - level, method=theirs)), ours
    stopped = len(own) - n
    for name, d, total in [("left_out", draws, n), ("none_drawn", draws, len(own)), ("all_drawn", draws + stopped, len(own))]:
        bound = row["bounds"][name]
        assert (bound["draws"], bound["games"]) == (d, total)
        assert ends(bound["wilson"]) == near(proportion_confint(d, total, alpha=1 - level, method="wilson")), name


@pytest.mark.parametrize("level", LEVELS)
def test_differences(games, reports, level):
    rows = {(d["a"]["variant"], d["b"]["variant"]): d for d in reports[level]["differences"]}
    assert set(map(frozenset, rows)) == set(map(frozenset, itertools.combinations(VARIANTS, 2)))
    for pair, row in rows.items():
        finished = [of(games, v)[1]["outcome"] for v in pair]
        (d1, n1), (d2, n2) = ((int((o == 0).sum()), len(o)) for o in finished)
        assert row["difference"] == near(d1 / n1 - d2 / n2)
        want = confint_proportions_2indep(d1, n1, d2, n2, compare="diff", method="newcomb", alpha=1 - level)
        assert ends(row["newcombe"]) == near(want), pair


@pytest.mark.parametrize("variant", VARIANTS)
def test_spread_between_openings(games, reports, variant):
    """A regression on nothing but a constant, with errors clustered on openings."""
    _, finished = of(games, variant)
    drawn = (finished["outcome"] == 0).astype(float).to_numpy()
    clusters = pd.factorize(finished["cluster"])[0]
    row = row_of(reports[0.95], variant)["by_opening"]
    assert row["openings"] == clusters.max() + 1
    n, rate = len(drawn), drawn.mean()
    if not 0 < rate < 1:
        assert row["design_effect"] is None
        return
    fit = sm.OLS(drawn, np.ones(n)).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": True})
    assert row["standard_error"] == near(fit.bse[0])
    effect = fit.bse[0] ** 2 / (rate * (1 - rate) / n)
    assert row["design_effect"] == near(effect)
    assert row["effective_games"] == pytest.approx(n / max(1, effect), abs=1e-6)
    # Wilson's interval with Student's quantile and that number of games.
    t, m = scipy.stats.t.ppf(0.975, clusters.max()), n / max(1, effect)
    half = t * np.sqrt(rate * (1 - rate) / m + t * t / (4 * m * m))
    want = [(rate + t * t / (2 * m) + sign * half) / (1 + t * t / m) for sign in (-1, 1)]
    assert ends(row["interval"]) == near(tuple(want))


@pytest.mark.parametrize("variant", VARIANTS)
def test_bootstrap_of_openings(games, reports, variant):
    """Two bootstraps agree as well as random numbers let them: both seeds are
    fixed, so this passes always or never."""
    _, finished = of(games, variant)
    clusters = finished.assign(draw=finished["outcome"] == 0).groupby("cluster")["draw"].agg(["sum", "size"]).to_numpy(int)
    interval = row_of(reports[0.95], variant)["bootstrap"]
    draws, n = clusters.sum(axis=0)
    if draws in (0, n):
        assert interval is None
        return
    picks = np.random.default_rng(1).integers(len(clusters), size=(10_000, len(clusters)))
    resampled = clusters[picks].sum(axis=1)
    rates = resampled[:, 0] / resampled[:, 1]
    want = np.quantile(rates, [0.025, 0.975])
    # With few games the rates are steps of one draw, and a percentile between two
    # of them may fall on either.
    step = 1.1 / n
    assert ends(interval) == pytest.approx(tuple(want), abs=max(0.25 * rates.std(), step))


def test_the_study_keeps_what_stats_prints(run):
    assert json.loads((run / "stats.json").read_text()) == json.loads(draughtlab("stats", "--json", run))


@pytest.fixture(scope="module")
def reference():
    """The module that makes the reference values of the Go tests."""
    spec = importlib.util.spec_from_file_location("reference", TESTDATA / "reference.py")
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize("part", ["intervals", "differences"])
def test_reference_values_of_the_go_tests_are_current(reference, part):
    """The values in the repository are those its script makes with the pinned
    libraries, so that the Go tests compare with statsmodels and not with a typo."""
    kept = json.loads((TESTDATA / "reference.json").read_text())[part]
    made = getattr(reference, part)()
    for old, new in itertools.zip_longest(kept, made):
        assert old[:-2] == new[:-2]
        assert old[-2:] == pytest.approx(new[-2:], abs=1e-12, rel=0), old
