"""Runs TA-Lib over the bars that ask.ts prints, and prints its values as CSV (values.csv)."""
import json
import sys

import numpy
import talib

asked = json.load(sys.stdin)
every = asked["every"]
print(f"# TA-Lib {talib.__ta_version__.decode().split(' ')[0]} on the made-up bars of markets.ts:")
print("# node test/signals/talib/ask.ts | python3 test/signals/talib/make.py > test/signals/talib/values.csv")
print(f"# first: bar of the first value; then that bar's value and every {every}th after it")
print("market,call,output,first,values")
for market, bars in asked["markets"].items():
    columns = {name: numpy.array(values, dtype=float) for name, values in bars.items()}
    for call in asked["calls"]:
        out = getattr(talib, call["fn"])(*[columns[name] for name in call["inputs"]], **call["params"])
        for index, column in enumerate(out if isinstance(out, (list, tuple)) else [out]):
            known = numpy.flatnonzero(~numpy.isnan(column.astype(float)))
            if len(known) == 0:
                print(market, call["id"], "has no value", file=sys.stderr)
                continue
            first = int(known[0])
            values = " ".join(f"{value:.11g}" for value in column[first::every])
            print(f"{market},{call['id']},{index},{first},{values}")
