"""Reads bars and the lists of a sweep, measures its time, and prints its result as one line of JSON."""
import json
import resource
import sys
import time

FILE = sys.argv[1]
FASTS, SLOWS = ([int(value) for value in text.split(",")] for text in sys.argv[2:4])
# Opening cash, share of equity per position.
CASH, WEIGHT = (float(figure) for figure in sys.argv[4:6])
NOT_INSTALLED = 3
# Averages of prices around 1,000 that differ by less are equal: the difference is rounding.
TIE = 1e-6


def absent(library):
    print(library)
    sys.exit(NOT_INSTALLED)


def columns():
    import numpy

    flat = numpy.fromfile(FILE, dtype=numpy.float64)
    return flat.reshape(6, -1)


def processor():
    """Seconds of processor time of this process and of its child processes that have ended."""
    parts = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def tell(sweep, version, warm=None):
    """`sweep` returns the closed trades of each trial by a key that begins with its fast and slow windows."""
    if warm is not None:
        warm()
    began, used = time.perf_counter(), processor()
    closed = sweep()
    wall, spent = time.perf_counter() - began, processor() - used
    print(
        json.dumps(
            {
                "msPerTrial": wall * 1e3 / len(closed),
                "cpuMsPerTrial": spent * 1e3 / len(closed),
                "version": version,
                "closed": [[key[0], key[1], count] for key, count in closed.items()],
            }
        )
    )
