import { type EquityCurve, exposureOf } from '../events/curve/curve-input.ts';
import { type EstimatedPortfolio, estimated, type Portfolio } from '../events/portfolio.ts';
import { barCloser } from '../markets/bar-span.ts';
import type { BarColumns } from '../model/bar.ts';
import type { DatedRates } from '../model/dated-rates.ts';
import { rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';

/** What was held from one close on: every close at or after `from` is marked with it, until the next stretch. */
export interface Stretch {
  readonly from: Millis;
  readonly estimate: EstimatedPortfolio;
}

/** What the curve is computed from. */
export interface EquityInputs {
  /** One table per symbol. */
  readonly columns: readonly BarColumns[];
  /** Index of the first bar of each table that counts; those before it only warmed up. */
  readonly firstBars: readonly number[];
  /** In order of `from`; the first has what the account held at the start. */
  readonly stretches: readonly Stretch[];
  /** Instants at which equity counts though no bar may close then, ascending. */
  readonly alsoAt?: readonly Millis[];
  /** When shares of a symbol change: a close of before is worth that many of now. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** Equity after each instant at which bars closed or that was requested, computed column by column between fills. */
export function equityOverColumns(inputs: EquityInputs): EquityCurve {
  const { columns, firstBars, stretches, alsoAt = [] } = inputs;
  const pending = pendingChanges(inputs);
  const cursors = columns.map((table, at) => createCursor(table, firstBars[at] ?? 0));
  const bySymbol = new Map(cursors.map((cursor) => [cursor.symbol, cursor]));
  const size = cursors.reduce((sum, cursor) => sum + cursor.columns.length - cursor.index - 1, alsoAt.length);
  const time = new Float64Array(size);
  const value = new Float64Array(size);
  const exposure = new Float64Array(size);
  const marked = ({ estimate }: Stretch): Marked => markedBy(estimate, bySymbol);
  let [held, following, length, also] = [NOT_KNOWN, 0, 0, 0];
  let until: number = stretches[0] === undefined ? NEVER : Number.NEGATIVE_INFINITY;
  for (;;) {
    const at = Math.min(earliest(cursors), alsoAt[also] ?? NEVER);
    if (at === NEVER) break;
    while (alsoAt[also] === at) also += 1;
    stepThrough(cursors, at);
    if (pending.length > 0) rescalePendingPrices(pending, bySymbol, at);
    for (; until <= at; until = stretches[following]?.from ?? NEVER) {
      const stretch = stretches[following];
      if (stretch !== undefined && (stretches[following + 1]?.from ?? NEVER) > at) held = marked(stretch);
      following += 1;
    }
    if (held === NOT_KNOWN) throw new Error('Equity needs to know what the account held at the start');
    time[length] = at;
    mark(held, value, exposure, length);
    length += 1;
  }
  if (length === size) return { time, value, exposure };
  return { time: time.slice(0, length), value: value.slice(0, length), exposure: exposure.slice(0, length) };
}

interface PendingChange extends SplitAdjustment {
  readonly symbol: SecuritySymbol;
}

function pendingChanges({ splitAdjustments = new Map() }: EquityInputs): PendingChange[] {
  return [...splitAdjustments]
    .flatMap(([symbol, changes]) => changes.map((change: SplitAdjustment) => ({ ...change, symbol })))
    .sort((one, other) => one.at - other.at);
}

/** A price of before a change that has come, where no bar of after it has closed yet. */
function rescalePendingPrices(
  pending: PendingChange[],
  cursors: ReadonlyMap<SecuritySymbol, Cursor>,
  at: number,
): void {
  for (let next = pending[0]; next !== undefined && next.at <= at; next = pending[0]) {
    pending.shift();
    const cursor = cursors.get(next.symbol);
    const stamp = cursor?.columns.time[cursor.index];
    if (cursor !== undefined && stamp !== undefined && stamp < next.barsFrom) cursor.price /= next.ratio;
  }
}

/** What is held, and where each price is read. */
interface Marked {
  readonly cash: number;
  readonly holdings: readonly Held[];
}

interface Held {
  readonly quantity: number;
  readonly rate: number;
  /** Undefined for a symbol without bars: its worth is not known. */
  readonly cursor: Cursor | undefined;
}

const NOT_KNOWN: Marked = { cash: Number.NaN, holdings: [] };

/** Equity, and what is held over equity, at what prices are now; by index, as this is done at every bar. */
function mark({ cash, holdings }: Marked, value: Float64Array, exposure: Float64Array, at: number): void {
  let equity = cash;
  let gross = 0;
  for (let place = 0; place < holdings.length; place += 1) {
    const { quantity, rate, cursor } = holdings[place] as Held;
    const worth = quantity * (cursor?.price ?? Number.NaN) * rate;
    equity += worth;
    gross += Math.abs(worth);
  }
  value[at] = equity;
  exposure[at] = exposureOf(gross, equity);
}

function markedBy(
  { cash, holdings }: EstimatedPortfolio,
  cursors: ReadonlyMap<SecuritySymbol, Cursor>,
): Marked {
  return {
    cash,
    holdings: holdings.map(({ symbol, quantity, rate }) => ({
      quantity,
      rate,
      cursor: cursors.get(symbol),
    })),
  };
}

/** How far a table has been gone through. */
interface Cursor {
  readonly symbol: SecuritySymbol;
  readonly columns: BarColumns;
  readonly closes: (barOpen: Millis) => Millis;
  /** Newest bar that closed; the one before the first at the beginning. */
  index: number;
  /** When the bar after it closes; NEVER after the last. */
  next: Millis;
  /** Close of the newest bar; NaN before the first. */
  price: number;
}

function createCursor(columns: BarColumns, first: number): Cursor {
  const { symbol, period } = columns;
  const closes = barCloser(marketOf(symbol), period);
  const price = columns.close[first - 1] ?? Number.NaN;
  const cursor = { symbol, columns, closes, index: first - 1, next: NEVER, price };
  cursor.next = closeAfter(cursor);
  return cursor;
}

function earliest(cursors: readonly Cursor[]): number {
  let at: number = NEVER;
  for (let place = 0; place < cursors.length; place += 1) {
    const { next } = cursors[place] as Cursor;
    if (next < at) at = next;
  }
  return at;
}

function stepThrough(cursors: readonly Cursor[], at: number): void {
  for (let place = 0; place < cursors.length; place += 1) {
    const cursor = cursors[place] as Cursor;
    if (cursor.next === at) step(cursor);
  }
}

function step(cursor: Cursor): void {
  cursor.index += 1;
  cursor.price = cursor.columns.close[cursor.index] as number;
  cursor.next = closeAfter(cursor);
}

function closeAfter({ columns, closes, index }: Cursor): Millis {
  return index + 1 < columns.length ? closes(millis(columns.time[index + 1] as number)) : NEVER;
}

/** Cuts stretches where a rate changes: the same is held on, at another rate. `held` goes along with them where any does. */
export function fxAdjustedPeriods(
  stretches: readonly Stretch[],
  {
    held,
    dated,
    currency,
  }: { readonly held: readonly Portfolio[]; readonly dated: DatedRates; readonly currency: Currency },
): readonly Stretch[] {
  const { changes } = dated;
  if (changes.length === 0) return stretches;
  const rateAt =
    (at: Millis) =>
    (of: Currency): number =>
      rateBetween(of, currency, dated.asOf(at))?.toNumber() ?? Number.NaN;
  let next = 0;
  return stretches.flatMap((stretch, place) => {
    const portfolio = held[place];
    const until = stretches[place + 1]?.from ?? NEVER;
    while (next < changes.length && (changes[next] as Millis) <= stretch.from) next += 1;
    const cut: Stretch[] = [stretch];
    for (; next < changes.length && (changes[next] as Millis) < until; next += 1) {
      const from = changes[next] as Millis;
      if (portfolio !== undefined) cut.push({ from, estimate: estimated(portfolio, rateAt(from)) });
    }
    return cut;
  });
}
