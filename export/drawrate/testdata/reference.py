"""Reference values for intervals and differences, written to reference.json.

Pinned: Python 3.11, statsmodels 0.15.0, scipy 1.17.1, numpy 2.4.6, mpmath 1.3.0
Run:    python -m venv /tmp/v
        /tmp/v/bin/pip install statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6 mpmath==1.3.0
        /tmp/v/bin/python reference.py

Everything is statsmodels' but the Miettinen-Nurminen rows, which come from the
paper's closed form in 50-digit arithmetic. statsmodels 0.15.0 cannot serve: its
score_test_proportions_2indep has count0*diff in the cubic's linear coefficient
where the paper has nobs0*diff, so for 56/70 against 48/80 it gives 0.0526 to
0.3440 where Newcombe (1998, table II) prints 0.0528 to 0.3382; and its solver
fails where no game or every game is drawn.

One interval row:   [draws, games, level, method, low, high]
One difference row: [draws1, games1, draws2, games2, level, method, low, high]
"""

import json
import pathlib
import warnings

from mpmath import acos, cos, erfinv, mp, mpf, pi, sign, sqrt
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

warnings.simplefilter("error", RuntimeWarning)
mp.dps = 50

LEVELS = [0.8, 0.95, 0.99, 0.999, 0.999999]
GAMES = [1, 2, 3, 7, 10, 18, 55, 208, 1000, 4321, 136_634, 1_000_000, 10_000_000]
# The names statsmodels uses, and ours.
RATES = {"wilson": "wilson", "jeffreys": "jeffreys", "beta": "clopper_pearson"}

PAIRS = [
    (56, 70, 48, 80),  # Newcombe 1998, table II (a)
    (9, 10, 3, 10),
    (6, 7, 2, 7),
    (5, 56, 0, 29),
    (0, 10, 0, 20),
    (0, 10, 0, 10),
    (10, 10, 0, 20),
    (10, 10, 0, 10),
    (10, 10, 10, 10),
    (0, 105, 0, 101),
    (0, 1, 1, 1),
    (1, 2, 1, 3),
    (155, 208, 44, 55),
    (40, 1000, 745, 1000),
    (0, 1000, 18, 1000),
    (1000, 1000, 982, 1000),
    (500, 1000, 500, 100_000),
    (1, 10_000_000, 5, 10_000_000),
    (180_000, 10_000_000, 500, 10_000_000),
    (5_000_000, 10_000_000, 4_999_000, 9_999_999),
    (0, 10_000_000, 10_000_000, 10_000_000),
]


def draws_of(games):
    some = {0, 1, 2, 6, games // 7, games // 3, games // 2, games - 2, games - 1, games}
    return sorted(d for d in some if 0 <= d <= games)


def intervals():
    for games in GAMES:
        for draws in draws_of(games):
            for level in LEVELS:
                for theirs, ours in RATES.items():
                    low, high = proportion_confint(draws, games, 1 - level, method=theirs)
                    yield [draws, games, level, ours, float(low), float(high)]


def constrained(d1, n1, d2, n2, delta):
    """Miettinen and Nurminen 1985, appendix I: rates under p1 - p2 = delta."""
    n, d = n1 + n2, d1 + d2
    l3, l2 = mpf(n), (n1 + 2 * n2) * delta - n - d
    l1, l0 = (n2 * delta - n - 2 * d2) * delta + d, d2 * delta * (1 - delta)
    q = l2**3 / (3 * l3) ** 3 - l1 * l2 / (6 * l3**2) + l0 / (2 * l3)
    root = sqrt(max(mpf(0), l2**2 / (3 * l3) ** 2 - l1 / (3 * l3)))
    p = (sign(q) or 1) * root
    a = (pi + acos(max(-1, min(1, q / p**3)))) / 3 if p else mpf(0)
    p2 = min(mpf(1), max(mpf(0), 2 * p * cos(a) - l2 / (3 * l3)))
    return min(mpf(1), max(mpf(0), p2 + delta)), p2


def miettinen_nurminen(d1, n1, d2, n2, level):
    z = sqrt(mpf(2)) * erfinv(mpf(level))
    d = mpf(d1) / n1 - mpf(d2) / n2

    def rejected(delta):
        p1, p2 = constrained(d1, n1, d2, n2, delta)
        var = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
        return (d - delta) ** 2 > z**2 * var

    def edge(inside, outside):
        for _ in range(100):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
        return float(inside)

    return edge(d, mpf(-1)), edge(d, mpf(1))


def differences():
    for d1, n1, d2, n2 in PAIRS:
        for level in LEVELS:
            low, high = confint_proportions_2indep(
                d1, n1, d2, n2, method="newcomb", compare="diff", alpha=1 - level
            )
            yield [d1, n1, d2, n2, level, "newcombe", float(low), float(high)]
            yield [d1, n1, d2, n2, level, "miettinen_nurminen", *miettinen_nurminen(d1, n1, d2, n2, level)]


def main():
    rows = {"intervals": list(intervals()), "differences": list(differences())}
    text = "{\n" + ",\n".join(
        json.dumps(name) + ": [\n" + ",\n".join(json.dumps(row) for row in part) + "\n]"
        for name, part in rows.items()
    ) + "\n}\n"
    pathlib.Path(__file__).with_name("reference.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
