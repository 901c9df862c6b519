from sweep_columns import CASH, FASTS, SLOWS, TIE, WEIGHT, absent, columns, tell

try:
    import numpy
    import pandas
    import vectorbt
except ImportError:
    absent("vectorbt")

time, opens, high, low, close, volume = columns()
bars = pandas.Series(close, index=pandas.to_datetime(time, unit="ms"))
# An order decided at a bar's close fills at the next open.
prices = pandas.Series(numpy.append(opens[1:], close[-1]), index=bars.index)
# Columns of one simulation, so that each of its arrays stays below 80 MB.
AT_ONCE = max(1, 10_000_000 // close.size)


def part(pairs):
    averages = {window: bars.rolling(window).mean().to_numpy() for window in {each for pair in pairs for each in pair}}
    distance = numpy.column_stack([averages[fast] - averages[slow] for fast, slow in pairs])
    # Averages that differ on their first bar have not crossed.
    crossed = distance > TIE
    crossed[1:] &= distance[:-1] <= TIE
    below = distance < -TIE
    # No open follows the last bar.
    crossed[-1] = below[-1] = False
    portfolio = vectorbt.Portfolio.from_signals(
        bars,
        pandas.DataFrame(crossed, index=bars.index, columns=range(len(pairs))),
        pandas.DataFrame(below, index=bars.index, columns=range(len(pairs))),
        price=prices,
        size=WEIGHT,
        size_type="percent",
        init_cash=CASH,
        freq="1min",
    )
    # The cheapest objective of the library.
    portfolio.total_return()
    return {pair: int(count) // 2 for pair, count in zip(pairs, portfolio.orders.count())}


def sweep():
    pairs = [(fast, slow) for fast in FASTS for slow in SLOWS]
    found = {}
    for start in range(0, len(pairs), AT_ONCE):
        found.update(part(pairs[start : start + AT_ONCE]))
    return found


tell(sweep, vectorbt.__version__, warm=lambda: part([(FASTS[0], SLOWS[0])]))
