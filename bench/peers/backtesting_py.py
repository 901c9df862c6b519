from columns import CASH, CHARGE, FAST, SLOW, STOP, TARGET, TIE, WEIGHT, absent, columns, tell

try:
    import pandas
    from backtesting import Backtest, Strategy
except ImportError:
    absent("backtesting, pandas")

time, opens, high, low, close, volume = columns()
bars = pandas.DataFrame(
    {"Open": opens, "High": high, "Low": low, "Close": close, "Volume": volume},
    index=pandas.to_datetime(time, unit="ms"),
)


def average(values, period):
    return pandas.Series(values).rolling(period).mean()


class Cross(Strategy):
    def init(self):
        self.fast = self.I(average, self.data.Close, FAST, plot=False)
        self.slow = self.I(average, self.data.Close, SLOW, plot=False)

    def next(self):
        distance = self.fast[-1] - self.slow[-1]
        crossed = not STOP or self.fast[-2] - self.slow[-2] <= TIE
        if not self.position:
            if distance > TIE and crossed:
                last = self.data.Close[-1]
                exits = {"sl": last - STOP, "tp": last + TARGET} if STOP else {}
                self.buy(size=WEIGHT, **exits)
        elif distance < -TIE:
            self.position.close()


def run():
    stats = Backtest(bars, Cross, cash=CASH, commission=CHARGE, exclusive_orders=False).run()
    still_open = len(stats["_strategy"]._broker.trades)
    return int(2 * len(stats["_trades"]) + still_open)


tell(run, close.size, 1, warm=False)
