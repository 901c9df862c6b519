from columns import CHARGE, FAST, SLOW, TIE, absent, columns, tell

try:
    import backtrader
    import pandas
except ImportError:
    absent("backtrader, pandas")

time, opens, high, low, close, volume = columns()
bars = pandas.DataFrame(
    {"open": opens, "high": high, "low": low, "close": close, "volume": volume},
    index=pandas.to_datetime(time, unit="ms"),
)
fills = 0


class Cross(backtrader.Strategy):
    def __init__(self):
        self.fast = backtrader.ind.SMA(self.data.close, period=FAST)
        self.slow = backtrader.ind.SMA(self.data.close, period=SLOW)

    def next_open(self):
        distance = self.fast[-1] - self.slow[-1]
        if not self.position:
            if distance > TIE:
                self.buy(size=self.broker.getcash() * (1 - 1e-9) / (self.data.open[0] * (1 + CHARGE)))
        elif distance < -TIE:
            self.close()

    def notify_order(self, order):
        global fills
        if order.status == order.Completed:
            fills += 1


def run():
    global fills
    fills = 0
    engine = backtrader.Cerebro(cheat_on_open=True)
    engine.broker.set_coc(False)
    engine.broker.setcash(1e9)
    engine.broker.setcommission(commission=CHARGE)
    engine.adddata(backtrader.feeds.PandasData(dataname=bars))
    engine.addstrategy(Cross)
    engine.run()
    return fills


tell(run, close.size, 1, warm=False)
