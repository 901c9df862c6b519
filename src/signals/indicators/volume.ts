import { checkWindow, named, series, warmupBarsOf } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { change, mul, sub } from './arithmetic.ts';
import { ema, vwma } from './averages.ts';
import { mapped, stepped } from './mapped.ts';
import { closeLocation, type TradedBars } from './price-bars.ts';
import { sum } from './windows.ts';

/**
 * On-balance volume: adds the volume of bars that close higher and subtracts that of bars that close lower. The level
 * depends on the first bar (it starts at that bar's volume); only its changes are meaningful.
 */
export function obv(bars: TradedBars): Series {
  const balance = stepped({
    name: 'obv',
    inputs: [bars.close, bars.volume],
    start: () => {
      let total = 0;
      let before = Number.NEGATIVE_INFINITY;
      return (close, volume) => {
        if (close > before) total += volume;
        else if (close < before) total -= volume;
        before = close;
        return total;
      };
    },
  });
  return named('obv', [], balance);
}

/** Accumulation/distribution: the running sum of close location x volume. Its level depends on the first bar fed. */
export function accumulationDistribution(bars: TradedBars): Series {
  const flow = mul(closeLocation(bars), bars.volume);
  const start = () => {
    let total = 0;
    return (value: number): number => {
      total += value;
      return total;
    };
  };
  return named('accumulationDistribution', [], stepped({ name: 'runningSum', inputs: [flow], start }));
}

const chaikinAverages =
  (fast: number, slow: number): Bind =>
  (line: Float64Array, out: Float64Array) => {
    const [fastRate, slowRate] = [2 / (fast + 1), 2 / (slow + 1)];
    const memory = { quick: 0, calm: 0, seen: 0 };
    return (from, to) => {
      for (let i = from; i < to; i++) {
        const now = line[i] as number;
        if (memory.seen === 0) {
          memory.quick = now;
          memory.calm = now;
        }
        memory.quick += (now - memory.quick) * fastRate;
        memory.calm += (now - memory.calm) * slowRate;
        if (memory.seen < slow) memory.seen++;
        out[i] = memory.seen < slow ? Number.NaN : memory.quick - memory.calm;
      }
    };
  };

/** Chaikin's oscillator: EMA(fast) - EMA(slow) of accumulation/distribution, both seeded with its first value. */
export function chaikinOscillator(bars: TradedBars, fast = 3, slow = 10): Series {
  checkWindow('chaikinOscillator', fast);
  checkWindow('chaikinOscillator', slow, fast + 1);
  const spec = {
    name: 'chaikinOscillator',
    inputs: [accumulationDistribution(bars)],
    params: [fast, slow],
    defined: slow - 1,
    settled: slow - 1 + warmupBarsOf(2 / (slow + 1)),
    bind: chaikinAverages(fast, slow),
  };
  return named('chaikinOscillator', [fast, slow], series(spec));
}

/** Chaikin's money flow: sum of close location x volume over the sum of volume; 0 where nothing traded. */
export function chaikinMoneyFlow(bars: TradedBars, n = 20): Series {
  const flow = sum(mul(closeLocation(bars), bars.volume), n);
  const share = mapped('flowShare', [flow, sum(bars.volume, n)], (part, whole) =>
    whole > 0 ? part / whole : 0,
  );
  return named('chaikinMoneyFlow', [n], share);
}

/**
 * Money flow index: the RSI of typical price x volume, with plain sums of `n` bars; bars with an equal typical price
 * count on neither side. 50 where no money flowed.
 */
export function mfi(bars: TradedBars, n = 14): Series {
  const move = change(bars.typical, 1);
  const flow = mul(bars.typical, bars.volume);
  const rising = mapped('inflow', [move, flow], (m, money) => (m > 0 ? money : 0));
  const falling = mapped('outflow', [move, flow], (m, money) => (m < 0 ? money : 0));
  const index = mapped('flowIndex', [sum(rising, n), sum(falling, n)], (up, down) =>
    up + down > 0 ? (100 * up) / (up + down) : 50,
  );
  return named('mfi', [n], index);
}

/** Elder's force index: EMA of the change of the close x volume. */
export function forceIndex(bars: TradedBars, n = 13): Series {
  return named('forceIndex', [n], ema(mul(change(bars.close, 1), bars.volume), n));
}

/** Ease of movement: the move of the median price x range per share traded (0 where nothing traded), averaged. */
export function easeOfMovement(bars: TradedBars, n = 14): Series {
  const range = sub(bars.high, bars.low);
  const ease = mapped('ease', [change(bars.median, 1), range, bars.volume], (move, width, volume) =>
    volume > 0 ? (move * width) / volume : 0,
  );
  return named('easeOfMovement', [n], mul(1 / n, sum(ease, n)));
}

/** Volume-weighted average of the typical price over the last `n` bars. */
export function rollingVwap(bars: TradedBars, n = 20): Series {
  return named('rollingVwap', [n], vwma(bars.typical, bars.volume, n));
}

const sessionAverage: Bind = (
  price: Float64Array,
  volume: Float64Array,
  session: Float64Array,
  out: Float64Array,
) => {
  const memory = { money: 0, shares: 0, day: Number.NaN };
  return (from, to) => {
    let money = memory.money;
    let shares = memory.shares;
    let day = memory.day;
    for (let i = from; i < to; i++) {
      if (session[i] !== day) {
        day = session[i] as number;
        money = 0;
        shares = 0;
      }
      money += (price[i] as number) * (volume[i] as number);
      shares += volume[i] as number;
      out[i] = shares > 0 ? money / shares : (price[i] as number);
    }
    memory.money = money;
    memory.shares = shares;
    memory.day = day;
  };
};

/** Minutes from 04:00 to 20:00 in New York: after this many bars a whole day is included wherever the feed begins. */
const LONGEST_DAY_BARS = 960;

/** VWAP: typical price weighted by volume since the exchange's day began; the price itself before anything traded. */
export function vwap(bars: TradedBars): Series {
  const inputs = [bars.typical, bars.volume, bars.session];
  return named('vwap', [], series({ name: 'vwap', inputs, settled: LONGEST_DAY_BARS, bind: sessionAverage }));
}
