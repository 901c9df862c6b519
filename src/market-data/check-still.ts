import type { BarColumns } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import type { Remark } from './check.ts';
import { writeStamp } from './stamp.ts';

/** Stretches of bars with volume 0, each reported once. */
export function* zeroVolumes({ volume, time, length }: BarColumns): Generator<Remark> {
  for (const { first, bars } of stretches(length, (row) => volume[row] === 0)) {
    const until = writeStamp(time[first + bars - 1] as number);
    const several =
      bars === length ? `None of ${bars} bars has a volume` : `${bars} bars without volume, to ${until}`;
    yield { kind: 'zero-volume', row: first, message: bars === 1 ? 'A bar without volume' : several };
  }
}

/** Minimum number of consecutive bars with the same five figures that counts as a frozen feed. */
const SAME_BARS = 3;
/** The same of bars shorter than a day at one price: a quiet share trades one lot a minute for a while. */
const SAME_FLAT_BARS = 20;

/** Stretches of bars that repeat each other figure by figure; without any volume they are found as that. */
export function* repeated(columns: BarColumns): Generator<Remark> {
  const { open, high, low, close, volume, time, length, period } = columns;
  const isSame = (row: number): boolean =>
    row > 0 &&
    volume[row] !== 0 &&
    [open, high, low, close, volume].every((figures) => figures[row] === figures[row - 1]);
  for (const { first, bars: repeats } of stretches(length, isSame)) {
    const bars = repeats + 1;
    const isQuiet = intradayMs(period) !== undefined && high[first] === low[first];
    if (bars < (isQuiet ? SAME_FLAT_BARS : SAME_BARS)) continue;
    const from = writeStamp(time[first - 1] as number);
    const message = `The same figures in ${bars} bars from ${from} on: did the feed stand still?`;
    yield { kind: 'repeated', row: first, message };
  }
}

/** Fewest bars by which a whole series is judged. */
const SERIES_MIN = 20;

/** A series of days or more in which each bar is a single price: of a file that knew closes only. */
export function* closesOnly({ high, low, length, period }: BarColumns): Generator<Remark> {
  if (length < SERIES_MIN || intradayMs(period) !== undefined) return;
  if (!high.subarray(0, length).every((price, row) => price === low[row])) return;
  const message = `Each of ${length} bars is a single price: orders at other prices, and stops, would meet nothing`;
  yield { kind: 'closes-only', row: 0, message };
}

interface Stretch {
  readonly first: number;
  readonly bars: number;
}

/** The longest stretches of rows of which something is true. */
function* stretches(length: number, isTrue: (row: number) => boolean): Generator<Stretch> {
  let first = 0;
  for (let row = 0; row <= length; row++) {
    if (row < length && isTrue(row)) continue;
    if (row > first) yield { first, bars: row - first };
    first = row + 1;
  }
}

const WHOLE_SHARES: readonly SecurityKind[] = ['stock', 'etf', 'reit'];

/** True for what is traded in whole shares; false where nothing is known of it. */
export function tradesWholeShares(security: Pick<Security, 'kind' | 'lotSize'> | undefined): boolean {
  return security !== undefined && WHOLE_SHARES.includes(security.kind) && security.lotSize >= 1;
}

/** Volumes that are no whole number of shares: adjusted for splits, or in another unit. Reported once, at the first. */
export function* fractionalVolumes({ volume, length }: BarColumns): Generator<Remark> {
  let [count, first] = [0, 0];
  for (let row = 0; row < length; row++) {
    if (Number.isInteger(volume[row])) continue;
    if (count === 0) first = row;
    count++;
  }
  if (count === 0) return;
  const message = `${plural(count, 'bar')} with a fractional volume, here ${volume[first]}: adjusted for splits, or not in shares?`;
  yield { kind: 'fractional-volume', row: first, message };
}
