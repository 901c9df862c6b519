"""The cross of averages as a strategy of backtesting.py with two parameters."""
from sweep_columns import CASH, TIE, WEIGHT, absent, columns

try:
    import backtesting
    import pandas
except ImportError:
    absent("backtesting, pandas")

VERSION = backtesting.__version__


def average(values, period):
    return pandas.Series(values).rolling(period).mean()


class Cross(backtesting.Strategy):
    fast = 10
    slow = 30

    def init(self):
        self.quick = self.I(average, self.data.Close, self.fast, plot=False)
        self.calm = self.I(average, self.data.Close, self.slow, plot=False)

    def next(self):
        distance = self.quick[-1] - self.calm[-1]
        if not self.position:
            # Averages that differ on their first bar have not crossed.
            if distance > TIE and self.quick[-2] - self.calm[-2] <= TIE:
                self.buy(size=WEIGHT)
        elif distance < -TIE:
            self.position.close()


def backtest():
    time, opens, high, low, close, volume = columns()
    bars = pandas.DataFrame(
        {"Open": opens, "High": high, "Low": low, "Close": close, "Volume": volume},
        index=pandas.to_datetime(time, unit="ms"),
    )
    return backtesting.Backtest(bars, Cross, cash=CASH, exclusive_orders=False)
