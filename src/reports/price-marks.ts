import type { DrawnBar } from '../events/run-record.ts';
import { ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';

/** Number of fills of one symbol up to which each is marked; beyond it, fills of one bar are joined. */
export const MARKS_MAX = 1_000;

/**
 * Fills on a price chart: time, side, price, quantity, and the number of fills if there are several; the price is
 * then their mean weighted by quantity.
 */
export type Mark = readonly [
  time: number,
  side: 'buy' | 'sell',
  price: number,
  quantity: string,
  fills?: number,
];

/** Returns all fills as marks; if there are very many, at most two per drawn bar, one for each side. */
export function priceMarks(fills: readonly BookedFill[], bars: readonly DrawnBar[]): readonly Mark[] {
  if (fills.length <= MARKS_MAX) {
    return fills.map(({ time, side, price, quantity }) => [
      time,
      side,
      price.toNumber(),
      quantity.toString(),
    ]);
  }
  const marks: Mark[] = [];
  let bar = 0;
  let open = new Map<BookedFill['side'], BookedFill[]>();
  const close = (): void => {
    for (const joined of open.values()) marks.push(joinedMark(joined));
    open = new Map();
  };
  for (const fill of fills.toSorted((a, b) => a.time - b.time)) {
    let at = bar;
    while (at + 1 < bars.length && (bars[at + 1]?.[0] ?? 0) <= fill.time) at += 1;
    if (at > bar) close();
    bar = at;
    const joined = open.get(fill.side) ?? [];
    joined.push(fill);
    open.set(fill.side, joined);
  }
  close();
  return marks;
}

function joinedMark(fills: readonly BookedFill[]): Mark {
  const [first] = fills;
  if (first === undefined) throw new RangeError('Cannot mark no fills');
  const quantity = fills.reduce((sum, fill) => sum.plus(fill.quantity), ZERO);
  const notional = fills.reduce((sum, fill) => sum.plus(fill.quantity.times(fill.price)), ZERO);
  const price = Number(notional.div(quantity).toNumber().toPrecision(10));
  const mark = [first.time, first.side, price, quantity.toString()] as const;
  return fills.length === 1 ? mark : [...mark, fills.length];
}
