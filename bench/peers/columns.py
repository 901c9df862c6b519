"""Reads bars, measures the time of a run over them, and prints its result as one line of JSON."""
import json
import statistics
import sys
import time

FILE, FAST, SLOW = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
# Charge as a share of the traded amount, opening cash, share of equity per position.
CHARGE, CASH, WEIGHT = (float(figure) for figure in sys.argv[4:7])
# Distances of a position's exits from its price, in currency; 0 without.
STOP, TARGET = (float(figure) for figure in sys.argv[7:9])
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
    """`run` returns its number of fills, or None if they should not be compared."""
    fills = run() if warm else None
    wall, processor = [], []
    for _ in range(rounds):
        began, spent = time.perf_counter(), time.process_time()
        fills = run()
        wall.append((time.perf_counter() - began) * 1e3)
        processor.append((time.process_time() - spent) * 1e3)
    print(json.dumps({"ms": statistics.median(wall), "cpuMs": statistics.median(processor), "bars": bars, "fills": fills}))
