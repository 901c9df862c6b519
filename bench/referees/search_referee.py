"""Minimum values that Optuna's TPE and the cmaes package find on twenty published functions.

Reads {"method", "trials", "seeds", "functions": [{"name", "bounds"}]} from standard input and writes
{"versions", "least": {name: [least value per seed]}, "checks": {name: [[point, value], ...]}} to standard output.
"""

import json
import math
import sys

import numpy as np

HARTMANN = [1, 1.2, 3, 3.2]
HARTMANN_3_A = [[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]
HARTMANN_3_P = [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
HARTMANN_6_A = [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
HARTMANN_6_P = [
    [1312, 1696, 5569, 124, 8283, 5886],
    [2329, 4135, 8307, 3736, 1004, 9991],
    [2348, 1451, 3522, 2883, 3047, 6650],
    [4047, 8828, 8732, 5743, 1091, 381],
]
SHEKEL_B = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5]
SHEKEL_C = [
    [4, 1, 8, 6, 3, 2, 5, 8, 6, 7],
    [4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6],
    [4, 1, 8, 6, 3, 2, 5, 8, 6, 7],
    [4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6],
]


def hartmann(x, a, p):
    return -sum(
        weight * math.exp(-sum(a[row][at] * (v - p[row][at] * 1e-4) ** 2 for at, v in enumerate(x)))
        for row, weight in enumerate(HARTMANN)
    )


def ackley(x):
    size = len(x)
    return (
        -20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x) / size))
        - math.exp(sum(math.cos(2 * math.pi * v) for v in x) / size)
        + 20
        + math.e
    )


def levy(x):
    w = [1 + (v - 1) / 4 for v in x]
    return (
        math.sin(math.pi * w[0]) ** 2
        + sum((v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2) for v in w[:-1])
        + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)
    )


def branin(x):
    return (
        (x[1] - 5.1 / (4 * math.pi**2) * x[0] ** 2 + 5 / math.pi * x[0] - 6) ** 2
        + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0])
        + 10
    )


def goldstein_price(p):
    x, y = p
    one = 1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
    other = 30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
    return one * other


def zakharov(x):
    line = sum(0.5 * (at + 1) * v for at, v in enumerate(x))
    return sum(v * v for v in x) + line**2 + line**4


FUNCTIONS = {
    "sphere-5": lambda x: sum(v * v for v in x),
    "sum-squares-4": lambda x: sum((at + 1) * v * v for at, v in enumerate(x)),
    "rosenbrock-3": lambda x: sum(100 * (b - a * a) ** 2 + (a - 1) ** 2 for a, b in zip(x, x[1:])),
    "rastrigin-3": lambda x: 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x),
    "ackley-4": ackley,
    "griewank-3": lambda x: sum(v * v for v in x) / 4000
    - math.prod(math.cos(v / math.sqrt(at + 1)) for at, v in enumerate(x))
    + 1,
    "levy-4": levy,
    "schwefel-2": lambda x: 418.9829 * len(x) - sum(v * math.sin(math.sqrt(abs(v))) for v in x),
    "styblinski-tang-3": lambda x: sum(v**4 - 16 * v * v + 5 * v for v in x) / 2,
    "branin": branin,
    "goldstein-price": goldstein_price,
    "hartmann-3": lambda x: hartmann(x, HARTMANN_3_A, HARTMANN_3_P),
    "hartmann-6": lambda x: hartmann(x, HARTMANN_6_A, HARTMANN_6_P),
    "six-hump-camel": lambda x: (4 - 2.1 * x[0] ** 2 + x[0] ** 4 / 3) * x[0] ** 2
    + x[0] * x[1]
    + (-4 + 4 * x[1] ** 2) * x[1] ** 2,
    "beale": lambda x: (1.5 - x[0] + x[0] * x[1]) ** 2
    + (2.25 - x[0] + x[0] * x[1] ** 2) ** 2
    + (2.625 - x[0] + x[0] * x[1] ** 3) ** 2,
    "booth": lambda x: (x[0] + 2 * x[1] - 7) ** 2 + (2 * x[0] + x[1] - 5) ** 2,
    "zakharov-4": zakharov,
    "dixon-price-4": lambda x: (x[0] - 1) ** 2 + sum((at + 2) * (2 * b * b - a) ** 2 for at, (a, b) in enumerate(zip(x, x[1:]))),
    "michalewicz-5": lambda x: -sum(math.sin(v) * math.sin((at + 1) * v * v / math.pi) ** 20 for at, v in enumerate(x)),
    "shekel-10": lambda x: -sum(
        1 / (sum((v - SHEKEL_C[at][column]) ** 2 for at, v in enumerate(x)) + b) for column, b in enumerate(SHEKEL_B)
    ),
}


def tpe(function, bounds, trials, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(
        lambda trial: function([trial.suggest_float(f"x{at}", low, high) for at, (low, high) in enumerate(bounds)]),
        n_trials=trials,
    )
    return study.best_value


def cma_es(function, bounds, trials, seed):
    """CMA-ES with restarts as in the documentation of cmaes, over shares of each axis."""
    from cmaes import CMA

    size = len(bounds)
    low = np.array([each[0] for each in bounds])
    span = np.array([each[1] for each in bounds]) - low
    unit = np.array([[0.0, 1.0]] * size)
    random = np.random.RandomState(seed)
    optimizer = CMA(mean=np.full(size, 0.5), sigma=1 / 6, bounds=unit, seed=seed)
    least, done = math.inf, 0
    while done < trials:
        solutions = []
        while len(solutions) < optimizer.population_size and done < trials:
            x = optimizer.ask()
            value = function(list(low + x * span))
            least = min(least, value)
            done += 1
            solutions.append((x, value))
        if len(solutions) < optimizer.population_size:
            break
        optimizer.tell(solutions)
        if optimizer.should_stop():
            optimizer = CMA(
                mean=random.rand(size), sigma=1 / 3, bounds=unit, seed=seed + done, population_size=optimizer.population_size * 2
            )
    return least


def main():
    job = json.load(sys.stdin)
    run = tpe if job["method"] == "tpe" else cma_es
    import cmaes
    import optuna

    least, checks = {}, {}
    for each in job["functions"]:
        name, bounds = each["name"], each["bounds"]
        function = FUNCTIONS[name]
        least[name] = [run(function, bounds, job["trials"], seed) for seed in range(1, job["seeds"] + 1)]
        random = np.random.RandomState(1)
        points = [[float(low + random.rand() * (high - low)) for low, high in bounds] for _ in range(20)]
        checks[name] = [[point, function(point)] for point in points]
    json.dump({"versions": {"optuna": optuna.__version__, "cmaes": cmaes.__version__}, "least": least, "checks": checks}, sys.stdout)


main()
