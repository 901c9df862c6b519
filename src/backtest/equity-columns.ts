import type { Portfolio } from '../events/portfolio.ts';
import { estimated, valueAt } from '../events/portfolio.ts';
import type { EquityCurve } from '../events/run-record.ts';
import { barClose } from '../markets/bar-span.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Currency } from '../model/money.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';

/** What was held from one close on: every close at or after `from` is marked with it, until the next stretch. */
export interface Stretch {
  readonly from: Millis;
  readonly portfolio: Portfolio;
}

/** What the curve is computed from. */
export interface EquityInputs {
  /** One table per symbol. */
  readonly columns: readonly BarColumns[];
  /** Index of the first bar of each table that counts; those before it only warmed up. */
  readonly firstBars: readonly number[];
  /** In order of `from`; the first says what the account held at the start. */
  readonly stretches: readonly Stretch[];
  readonly rate: (currency: Currency) => number;
}

/** Equity after each instant at which bars closed, computed column by column between fills. */
export function equityOverColumns(inputs: EquityInputs): EquityCurve {
  const size = inputs.columns.reduce(
    (sum, columns, at) => sum + columns.length - (inputs.firstBars[at] ?? 0),
    0,
  );
  const time = new Float64Array(size);
  const value = new Float64Array(size);
  const exposure = new Float64Array(size);
  const cursors = inputs.columns.map((columns, at) => createCursor(columns, inputs.firstBars[at] ?? 0));
  const prices = new Map<SecuritySymbol, Cursor>(cursors.map((cursor) => [cursor.symbol, cursor]));
  const price = (symbol: SecuritySymbol) => prices.get(symbol)?.price() ?? Number.NaN;
  const portfolios = inputs.stretches.map(({ portfolio }) => estimated(portfolio, inputs.rate));
  let stretch = 0;
  let length = 0;
  for (;;) {
    const at = cursors.reduce<number>((next, cursor) => Math.min(next, cursor.nextAt()), NEVER);
    if (at === NEVER) break;
    for (const cursor of cursors) if (cursor.nextAt() === at) cursor.step();
    while ((inputs.stretches[stretch + 1]?.from ?? NEVER) <= at) stretch += 1;
    const held = portfolios[stretch];
    if (held === undefined) throw new Error('Equity needs to know what the account held at the start');
    const valuation = valueAt(held, price);
    time[length] = at;
    value[length] = valuation.equity;
    exposure[length] = valuation.exposure;
    length += 1;
  }
  return { time: time.slice(0, length), value: value.slice(0, length), exposure: exposure.slice(0, length) };
}

interface Cursor {
  readonly symbol: SecuritySymbol;
  nextAt(): Millis;
  step(): void;
  price(): number;
}

function createCursor(columns: BarColumns, first: number): Cursor {
  const market = marketOf(columns.symbol);
  let index = first - 1;
  let next = closeOf(first);

  function closeOf(at: number): Millis {
    return at < columns.length ? barClose(market, columns.period, millis(columns.time[at] as number)) : NEVER;
  }

  return {
    symbol: columns.symbol,
    nextAt: () => next,
    step() {
      index += 1;
      next = closeOf(index + 1);
    },
    price: () => columns.close[index] ?? Number.NaN,
  };
}
