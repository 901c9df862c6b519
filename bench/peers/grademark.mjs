import { columns, fast, library, slow, tell } from './columns.mjs';

const { backtest, analyze, computeEquityCurve } = await library('grademark');
const { DataFrame } = await library('data-forge');

const { length, time, open, high, low, close, volume } = columns();
const mean = (period) => {
  const out = new Float64Array(length).fill(Number.NaN);
  let sum = 0;
  for (let bar = 0; bar < length; bar += 1) {
    sum += close[bar] - (bar >= period ? close[bar - period] : 0);
    if (bar >= period - 1) out[bar] = sum / period;
  }
  return out;
};

await tell(
  () => {
    const [quick, calm] = [mean(fast), mean(slow)];
    const rows = Array.from({ length }, (_, bar) => ({
      time: new Date(time[bar]),
      open: open[bar],
      high: high[bar],
      low: low[bar],
      close: close[bar],
      volume: volume[bar],
      distance: quick[bar] - calm[bar],
    }));
    const strategy = {
      entryRule: (enter, { bar }) => {
        if (bar.distance > 1e-6) enter();
      },
      exitRule: (exit, { bar }) => {
        if (bar.distance < -1e-6) exit();
      },
    };
    const trades = backtest(strategy, new DataFrame(rows).setIndex('time'));
    analyze(1_000, trades);
    computeEquityCurve(1_000, trades);
    return undefined;
  },
  length,
  1,
);
