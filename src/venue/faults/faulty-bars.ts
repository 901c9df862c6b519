import type { writeBars } from '../quotes/candles.ts';
import type { ReplyFault } from './fault-specs.ts';

type Rows = ReturnType<typeof writeBars>;

/**
 * Corrupts the bars of an answer: changes the last one (`changed`), removes a middle one (`missing`), repeats the
 * last one (`overlap`), or reverses the order (`shuffled`).
 */
export function corruptedBars(form: Extract<ReplyFault, { knob: 'venue.bars' }>['form'], rows: Rows): Rows {
  const last = rows.at(-1);
  if (last === undefined) return rows;
  switch (form) {
    case 'changed':
      return [...rows.slice(0, -1), { ...last, close: last.high ?? '0', volume: (last.volume ?? 0n) + 1n }];
    case 'missing':
      return rows.filter((_, index) => index !== Math.floor(rows.length / 2));
    case 'overlap':
      return [...rows, last];
    case 'shuffled':
      return rows.toReversed();
  }
}
