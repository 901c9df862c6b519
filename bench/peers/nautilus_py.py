from columns import CASH, FAST, SLOW, STOP, TARGET, TIE, WEIGHT, absent, columns, tell

try:
    from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
    from nautilus_trader.config import LoggingConfig
    from nautilus_trader.indicators import SimpleMovingAverage
    from nautilus_trader.model.currencies import USD
    from nautilus_trader.model.data import Bar, BarType
    from nautilus_trader.model.enums import AccountType, OmsType, OrderSide
    from nautilus_trader.model.identifiers import InstrumentId, Symbol, Venue
    from nautilus_trader.model.instruments import Equity
    from nautilus_trader.model.objects import Money, Price, Quantity
    from nautilus_trader.trading.strategy import Strategy
except ImportError as error:
    absent(f"nautilus_trader ({error})")

MINUTE_NS = 60_000_000_000
VENUE = Venue("XNAS")
WALK = Equity(
    instrument_id=InstrumentId(Symbol("WALK"), VENUE),
    raw_symbol=Symbol("WALK"),
    currency=USD,
    price_precision=2,
    price_increment=Price.from_str("0.01"),
    lot_size=Quantity.from_int(1),
    ts_event=0,
    ts_init=0,
)
MINUTES = BarType.from_str(f"{WALK.id}-1-MINUTE-LAST-EXTERNAL")


class Cross(Strategy):
    def __init__(self):
        super().__init__()
        self.fast = SimpleMovingAverage(FAST)
        self.slow = SimpleMovingAverage(SLOW)
        self.side = 0

    def on_start(self):
        self.register_indicator_for_bars(MINUTES, self.fast)
        self.register_indicator_for_bars(MINUTES, self.slow)
        self.subscribe_bars(MINUTES)

    def on_bar(self, bar):
        if not self.slow.initialized:
            return
        distance = self.fast.value - self.slow.value
        side = 1 if distance > TIE else -1 if distance < -TIE else self.side
        if side == self.side:
            return
        self.side = side
        if side > 0 and self.portfolio.is_flat(WALK.id):
            self.enter(float(bar.close))
        elif side < 0:
            if STOP:
                self.cancel_all_orders(WALK.id)
            self.close_all_positions(WALK.id)

    def enter(self, price):
        equity = float(self.portfolio.account(VENUE).balance_total(USD))
        quantity = Quantity.from_int(int(equity * WEIGHT / price))
        if not STOP:
            self.submit_order(self.order_factory.market(WALK.id, OrderSide.BUY, quantity))
            return
        orders = self.order_factory.bracket(
            WALK.id,
            OrderSide.BUY,
            quantity,
            sl_trigger_price=Price(price - STOP, 2),
            tp_price=Price(price + TARGET, 2),
        )
        self.submit_order_list(orders)


def price(figure):
    return Price(figure, 2)


time, opens, high, low, close, volume = columns()
bars = [
    Bar(MINUTES, price(opens[i]), price(high[i]), price(low[i]), price(close[i]), Quantity(volume[i], 0), at, at)
    for i, at in ((i, int(stamp) * 1_000_000 + MINUTE_NS) for i, stamp in enumerate(time))
]


def run():
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
    engine.add_venue(
        venue=VENUE,
        oms_type=OmsType.NETTING,
        account_type=AccountType.CASH,
        base_currency=USD,
        starting_balances=[Money(CASH, USD)],
    )
    engine.add_instrument(WALK)
    engine.add_data(bars)
    engine.add_strategy(Cross())
    engine.run()
    fills = sum(1 for order in engine.cache.orders() if order.is_closed and order.filled_qty > 0)
    engine.dispose()
    return fills


tell(run, close.size, 1, warm=False)
