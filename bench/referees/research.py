"""Expected figures of test/research, from arch and skfolio.

    python -m venv venv && venv/bin/pip install arch==8.0.0 skfolio==1.12.2
    venv/bin/python bench/referees/research.py

Writes test/research/data/arch.json and test/research/data/skfolio.json.
"""

import hashlib
import json
import random
from importlib.metadata import version
from pathlib import Path

import numpy as np
from arch.bootstrap import SPA, RealityCheck
from skfolio.model_selection import CombinatorialPurgedCV

OUT = Path(__file__).resolve().parents[2] / "test" / "research" / "data"
MODULUS = 2**31


def drawn(seed, count):
    """The random generator of ANSI C, which the test repeats exactly."""
    values = np.empty(count)
    state = seed
    for at in range(count):
        state = (1103515245 * state + 12345) % MODULUS
        values[at] = state / MODULUS
    return values


def ability(seed, days, trials, block, reps, drift):
    noise = drawn(seed, days * trials).reshape(days, trials)
    excess = (noise - 0.5) * 0.02 + drift * (np.arange(trials) - trials / 2)
    # The model's loss is minus its return; the benchmark's loss is 0.
    case = dict(seed=seed, days=days, trials=trials, block=block, reps=reps, drift=drift)
    indices = np.floor(drawn(seed + 1, days * reps) * days).astype(int).reshape(reps, days)

    def run(cls):
        test = cls(np.zeros(days), -excess, block_size=block, reps=reps, seed=1)
        position = iter(indices)
        # Shared resamples replace those that arch draws.
        test.bootstrap.update_indices = lambda: next(position)
        test.compute()
        return test

    spa, check = run(SPA), run(RealityCheck)
    return case | dict(
        lower=float(spa.pvalues["lower"]),
        consistent=float(spa.pvalues["consistent"]),
        upper=float(spa.pvalues["upper"]),
        realityCheck=float(check.pvalues["upper"]),
        variances=[float(v) for v in spa._loss_diff_var],
    )


def splits():
    chance = random.Random(18)
    rows = []
    while len(rows) < 500:
        groups = chance.randint(3, 10)
        test = chance.randint(2, groups - 1)
        days = chance.randint(groups * 3, 400)
        longest = days // groups - 2
        if longest < 0:
            continue
        purge = chance.randint(0, longest)
        embargo = chance.randint(0, longest - purge)
        cv = CombinatorialPurgedCV(
            n_folds=groups, n_test_folds=test, purged_size=purge, embargo_size=embargo
        )
        text = []
        for train, tests in cv.split(np.zeros((days, 1))):
            text.append(",".join(map(str, train)) + "|" + ";".join(",".join(map(str, t)) for t in tests))
        text.append(";".join(",".join(map(str, path)) for path in cv.recombined_paths.T))
        digest = hashlib.sha256("\n".join(text).encode()).hexdigest()[:16]
        rows.append([days, groups, test, purge, embargo, digest])
    return rows


def write(name, note, body):
    (OUT / name).write_text(json.dumps({"note": note, **body}, separators=(",", ":")) + "\n")


write(
    "arch.json",
    f"arch {version('arch')} (NCSA licence), numpy {version('numpy')}; bench/referees/research.py",
    {
        "cases": [
            ability(7, 160, 6, 10, 500, 0.0002),
            ability(11, 251, 20, 16, 500, 0.0),
            ability(23, 500, 12, 5, 400, 0.0001),
            ability(31, 90, 40, 3, 400, 0.00005),
            ability(41, 120, 5, 12, 400, 0.0004),
        ]
    },
)
write(
    "skfolio.json",
    f"skfolio {version('skfolio')} (BSD-3-Clause); bench/referees/research.py",
    {"columns": ["days", "groups", "test", "purge", "embargo", "digest"], "rows": splits()},
)
