import { charge, columns, fast, library, slow, tell } from './columns.mjs';

const kit = await library('backtest-kit');
const { length, time, open, high, low, close, volume } = columns();

/** Bars at either end that no candle may be asked for beyond. */
const EDGE = 60;
const MINUTE_MS = 60_000;
/** The kit counts minutes without a break, so that its stamps are not those of the exchange. */
const start = Math.floor(time[0] / MINUTE_MS) * MINUTE_MS;
const at = (when) => Math.round((Number(when) - start) / MINUTE_MS);
const candle = (bar) => ({
  timestamp: start + bar * MINUTE_MS,
  open: open[bar],
  high: high[bar],
  low: low[bar],
  close: close[bar],
  volume: volume[bar],
});
const mean = (period, bar) =>
  close.subarray(bar - period + 1, bar + 1).reduce((sum, price) => sum + price, 0) / period;
const distance = Float64Array.from(close, (_, bar) => (bar < slow ? 0 : mean(fast, bar) - mean(slow, bar)));

for (const name of Object.keys(kit)) if (/^Persist.*Adapter$/.test(name)) kit[name].useDummy?.();
for (const name of ['Markdown', 'Report', 'Storage', 'Notification', 'Log', 'Memory', 'Dump'])
  kit[name]?.disable?.();
kit.setConfig({
  CC_PERCENT_SLIPPAGE: 0,
  CC_PERCENT_FEE: charge * 100,
  CC_AVG_PRICE_CANDLES_COUNT: 1,
  CC_MAX_STOPLOSS_DISTANCE_PERCENT: 99,
  CC_MIN_TAKEPROFIT_DISTANCE_PERCENT: 0.5,
  CC_MAX_SIGNAL_LIFETIME_MINUTES: Number.POSITIVE_INFINITY,
});
kit.addExchangeSchema({
  exchangeName: 'columns',
  formatPrice: async (_symbol, price) => String(price),
  formatQuantity: async (_symbol, quantity) => String(quantity),
  getCandles: async (_symbol, _interval, since, limit) => {
    const from = Math.max(0, at(since));
    return Array.from({ length: Math.max(0, Math.min(length, at(since) + limit) - from) }, (_, index) =>
      candle(from + index),
    );
  },
});
kit.addFrameSchema({
  frameName: 'whole',
  interval: '1m',
  startDate: new Date(start + EDGE * MINUTE_MS),
  endDate: new Date(start + (length - EDGE) * MINUTE_MS),
});
kit.addStrategySchema({
  strategyName: 'w1',
  interval: '1m',
  getSignal: async (_symbol, when, price) =>
    distance[at(when) - 1] > 1e-6
      ? {
          position: 'long',
          priceTakeProfit: price * 50,
          priceStopLoss: price * 0.02,
          minuteEstimatedTime: Number.POSITIVE_INFINITY,
          cost: 100,
        }
      : null,
  callbacks: {
    onActivePing: async (symbol, _data, _price, when) => {
      if (distance[at(when) - 1] < -1e-6) await kit.commitClosePending(symbol, { id: 'x' });
    },
  },
});

await tell(
  async () => {
    const steps = kit.Backtest.run('WALK', {
      strategyName: 'w1',
      exchangeName: 'columns',
      frameName: 'whole',
    });
    for await (const _step of steps);
    return undefined;
  },
  length,
  1,
);
process.exit(0);
