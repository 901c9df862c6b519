from columns import CASH, CHARGE, FAST, SLOW, STOP, TARGET, TIE, WEIGHT, absent, columns, tell

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
        self.exits = []

    def next_open(self):
        distance = self.fast[-1] - self.slow[-1]
        if not self.position:
            crossed = not STOP or self.fast[-2] - self.slow[-2] <= TIE
            if distance > TIE and crossed:
                self.enter(self.data.open[0])
        elif distance < -TIE:
            for order in self.exits:
                self.cancel(order)
            self.close()

    def enter(self, price):
        self.exits = []
        size = self.broker.getcash() * WEIGHT / (price * (1 + CHARGE))
        if not STOP:
            self.buy(size=size)
            return
        market = backtrader.Order.Market
        orders = self.buy_bracket(size=size, exectype=market, stopprice=price - STOP, limitprice=price + TARGET)
        self.exits = orders[1:]

    def notify_order(self, order):
        global fills
        if order.status == order.Completed:
            fills += 1


def run():
    global fills
    fills = 0
    engine = backtrader.Cerebro(cheat_on_open=True)
    engine.broker.set_coc(False)
    engine.broker.setcash(min(CASH, 1e9))
    engine.broker.setcommission(commission=CHARGE)
    engine.adddata(backtrader.feeds.PandasData(dataname=bars))
    engine.addstrategy(Cross)
    engine.run()
    return fills


tell(run, close.size, 1, warm=False)
