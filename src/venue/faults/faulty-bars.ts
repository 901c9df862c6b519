import type { writeBars } from '../quotes/candles.ts';
import type { ReplyFault } from './fault-specs.ts';

type Rows = ReturnType<typeof writeBars>;

/**
 * Bars of an answer gone wrong: the last one another than it was (`changed`), one in the middle not there (`missing`), the
 * last one twice (`overlap`), or the newest first (`shuffled`).
 */
export function spoiltBars(form: Extract<ReplyFault, { knob: 'venue.bars' }>['form'], rows: Rows): Rows {
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
