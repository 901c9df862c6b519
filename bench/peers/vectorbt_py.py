from columns import CASH, CHARGE, FAST, SLOW, TIE, WEIGHT, absent, columns, tell

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


def run():
    distance = bars.rolling(FAST).mean() - bars.rolling(SLOW).mean()
    portfolio = vectorbt.Portfolio.from_signals(
        bars,
        distance > TIE,
        distance < -TIE,
        price=prices,
        size=WEIGHT,
        size_type="percent",
        fees=CHARGE,
        init_cash=CASH,
        freq="1min",
    )
    portfolio.final_value()
    portfolio.max_drawdown()
    return int(portfolio.orders.count())


tell(run, close.size)
