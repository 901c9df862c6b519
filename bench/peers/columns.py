"""Reads the bars of W1, times a run of them, and says what came of it as one line of JSON."""
import json
import statistics
import sys
import time

FILE, FAST, SLOW, CHARGE = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
NOT_INSTALLED = 3
TIE = 1e-6


def absent(library):
    print(library)
    sys.exit(NOT_INSTALLED)


def columns():
    import numpy

    flat = numpy.fromfile(FILE, dtype=numpy.float64)
    return flat.reshape(6, -1)


def tell(run, bars, rounds=3, warm=True):
    """`run` returns its number of fills, or None when they are not to be compared."""
    fills = run() if warm else None
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        fills = run()
        times.append((time.perf_counter() - began) * 1e3)
    print(json.dumps({"ms": statistics.median(times), "bars": bars, "fills": fills}))
