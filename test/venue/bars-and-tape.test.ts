import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bar } from '#src/model/bar.ts';
import type { Period } from '#src/model/period.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, millis, SECOND_MS } from '#src/model/time.ts';
import { barOfRow, lengthOf, rowAt, type VisibleBarsParts, visibleBars } from '#src/venue/quotes/candles.ts';
import { PrintLog } from '#src/venue/quotes/print-log.ts';
import { steadySpan, syntheticHistory } from '#src/venue/synthetic/synthetic-history.ts';
import { type SyntheticHours, syntheticMarket } from '#src/venue/synthetic/synthetic-market.ts';
import { during, LIVING_START, livingSimulation } from './living-market.ts';

const SYMBOLS = ['700.HK', 'AAPL.US', 'SPY.US', 'AAPL260515C190000.US'].map(securitySymbol);

/** The market of a week, in which simulations begin at random times. */
const market = (hours: SyntheticHours) =>
  syntheticMarket({ seed: 11, hours, start: LIVING_START, daysAhead: 3 });
const MARKETS = { always: market('always'), real: market('real') };

type Figures = Pick<Bar, 'open' | 'high' | 'low' | 'close' | 'volume'>;

/** A market of `hours`, what its clients read, and the ticks that were pushed to them. */
function watched(hours: SyntheticHours, start: number) {
  const market = MARKETS[hours];
  const simulation = livingSimulation(hours, millis(start), market);
  const history = syntheticHistory(market, hours);
  const parts: VisibleBarsParts = { simulation, history, hours: hours === 'always' ? 'always' : 'calendar' };
  const prints = new Map<
    string,
    { readonly at: number; readonly price: number; readonly volume: number }[]
  >();
  const run = (ms: number): void => {
    for (const event of during(simulation, ms)) {
      if (event.kind !== 'quote') continue;
      const { symbol, time, last, volume } = event.quote;
      const reported = prints.get(symbol) ?? [];
      prints.set(symbol, reported);
      reported.push({ at: time, price: last.toNumber(), volume: volume.toNumber() });
    }
  };
  const folded = (symbol: string, from: number, until: number): Figures | undefined => {
    const within = (prints.get(symbol) ?? []).filter(({ at }) => at >= from && at < until);
    const prices = within.map(({ price }) => price);
    const [open] = prices;
    const close = prices.at(-1);
    if (open === undefined || close === undefined) return undefined;
    const volume = within.reduce((sum, print) => sum + print.volume, 0);
    return { open, high: Math.max(...prices), low: Math.min(...prices), close, volume };
  };
  return { simulation, parts, run, folded };
}

const figuresOf = ({ open, high, low, close, volume }: Figures): Figures => ({
  open,
  high,
  low,
  close,
  volume,
});

describe('bars of the embedded venue', () => {
  it.each(['always', 'real'] as const)(
    'are the sum of the pushed ticks, closed and open, hours %s',
    (hours) => {
      fc.assert(
        fc.property(
          // A minute's boundary in the US session of a Thursday, or before and after its close.
          fc
            .integer({ min: -120, max: 400 })
            .map((minute) => LIVING_START - 30 * SECOND_MS + minute * MINUTE_MS),
          fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
          (start, waits) => {
            // Opens just before the first minute, so that all its ticks are pushed.
            const { simulation, parts, run, folded } = watched(hours, start - 1);
            for (const seconds of waits) {
              run(seconds * SECOND_MS);
              for (const symbol of SYMBOLS) {
                const shown = visibleBars(parts, symbol, '1m');
                if (shown === undefined) throw new Error('no minutes');
                for (let row = rowAt(shown, start); row < lengthOf(shown); row += 1) {
                  const bar = barOfRow(shown, row);
                  expect(figuresOf(bar), `${symbol} ${row}`).toEqual(
                    folded(symbol, bar.time, bar.time + MINUTE_MS),
                  );
                }
                const newest = barOfRow(shown, lengthOf(shown) - 1);
                const last = simulation.quote(symbol)?.last.toNumber();
                expect(newest.close).toBe(last);
              }
            }
          },
        ),
        { numRuns: 8 },
      );
    },
    120_000,
  );

  it('consist of trades of at least one share: a price without trades is no trade', () => {
    const simulation = livingSimulation('always', LIVING_START, MARKETS.always);
    const log = new PrintLog();
    let silent = 0;
    for (const event of during(simulation, HOUR_MS)) {
      if (event.kind !== 'quote') continue;
      const trade = log.record(event.quote);
      if (event.quote.volume.gt(0)) expect(trade?.volume).toEqual(event.quote.volume);
      else {
        expect(trade).toBeUndefined();
        silent += 1;
      }
    }
    expect(silent).toBeGreaterThan(0);
    for (const symbol of SYMBOLS)
      expect(log.tradesOf(symbol, 1_000).filter(({ volume }) => !volume.gt(0))).toEqual([]);
  });

  it('show the open bar of every period, folded from the minutes so far', () => {
    const periods: readonly Period[] = ['5m', '15m', '1h', '4h', '1d', '1w', '1M', '1Y'];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: DAY_MS / SECOND_MS }), (second) => {
        const { simulation, parts } = watched('always', LIVING_START + second * SECOND_MS);
        for (const symbol of SYMBOLS) {
          const minutes = visibleBars(parts, symbol, '1m');
          if (minutes === undefined) throw new Error('no minutes');
          for (const period of periods) {
            const shown = visibleBars(parts, symbol, period);
            if (shown?.open === undefined) throw new Error(`no open bar of ${period}`);
            const { from } = steadySpan({ symbol }, period, simulation.now());
            expect(shown.open.time).toBe(from);
            if (period === '1w' || period === '1M' || period === '1Y') continue;
            const rows = Array.from({ length: lengthOf(minutes) - rowAt(minutes, from) }, (_, row) =>
              barOfRow(minutes, rowAt(minutes, from) + row),
            );
            expect(figuresOf(shown.open)).toEqual({
              open: rows[0]?.open,
              high: Math.max(...rows.map(({ high }) => high)),
              low: Math.min(...rows.map(({ low }) => low)),
              close: rows.at(-1)?.close,
              volume: rows.reduce((sum, { volume }) => sum + volume, 0),
            });
          }
          const [week, day] = [
            visibleBars(parts, symbol, '1w')?.open,
            visibleBars(parts, symbol, '1d')?.open,
          ];
          expect(week?.close).toBe(day?.close);
          expect(week?.high).toBeGreaterThanOrEqual(day?.high ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('shows no open bar while the exchange is closed, and none before its first tick', () => {
    const { parts } = watched('real', Date.parse('2026-03-07T15:00:00Z'));
    for (const symbol of SYMBOLS)
      for (const period of ['1m', '1h', '1d'] as const)
        expect(visibleBars(parts, symbol, period)?.open).toBeUndefined();
  });
});
