import type { BarColumns } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import type { RowFinding } from './check.ts';
import { writeStamp } from './stamp.ts';

/** Finds runs of bars with volume 0 and reports each once. */
export function* findZeroVolume({ volume, time, length }: BarColumns): Generator<RowFinding> {
  for (const { first, bars } of runsOf(length, (row) => volume[row] === 0)) {
    const until = writeStamp(time[first + bars - 1] as number);
    const several =
      bars === length ? `None of ${bars} bars has a volume` : `${bars} bars without volume, to ${until}`;
    yield { kind: 'zero-volume', row: first, message: bars === 1 ? 'A bar without volume' : several };
  }
}

/** Minimum number of consecutive bars with the same five figures that counts as a frozen feed. */
const REPEATED_BARS_MIN = 3;
/** The same for intraday bars at a single price: a quiet share may trade one lot per minute for a while. */
const REPEATED_FLAT_BARS_MIN = 20;

/** Finds runs of identical bars. Bars without volume are left to `zeroVolumes`. */
export function* findRepeated(columns: BarColumns): Generator<RowFinding> {
  const { open, high, low, close, volume, time, length, period } = columns;
  const isSame = (row: number): boolean =>
    row > 0 &&
    volume[row] !== 0 &&
    [open, high, low, close, volume].every((figures) => figures[row] === figures[row - 1]);
  for (const { first, bars: repeats } of runsOf(length, isSame)) {
    const bars = repeats + 1;
    const isQuiet = intradayMs(period) !== undefined && high[first] === low[first];
    if (bars < (isQuiet ? REPEATED_FLAT_BARS_MIN : REPEATED_BARS_MIN)) continue;
    const from = writeStamp(time[first - 1] as number);
    const message = `${bars} identical bars from ${from} on: was the feed frozen?`;
    yield { kind: 'repeated', row: first, message };
  }
}

const SERIES_MIN = 20;

/** Finds a series of daily or longer bars in which every bar is a single price: its source contained closes only. */
export function* findClosesOnly({ high, low, length, period }: BarColumns): Generator<RowFinding> {
  if (length < SERIES_MIN || intradayMs(period) !== undefined) return;
  if (!high.subarray(0, length).every((price, row) => price === low[row])) return;
  const message = `Each of ${length} bars is a single price: orders at other prices, and stops, cannot fill`;
  yield { kind: 'closes-only', row: 0, message };
}

interface Run {
  readonly first: number;
  readonly bars: number;
}

function* runsOf(length: number, isTrue: (row: number) => boolean): Generator<Run> {
  let first = 0;
  for (let row = 0; row <= length; row++) {
    if (row < length && isTrue(row)) continue;
    if (row > first) yield { first, bars: row - first };
    first = row + 1;
  }
}

const WHOLE_SHARES: readonly SecurityKind[] = ['stock', 'etf', 'reit'];

/** True for a security that trades in whole shares; false if it is unknown. */
export function tradesWholeShares(security: Pick<Security, 'kind' | 'lotSize'> | undefined): boolean {
  return security !== undefined && WHOLE_SHARES.includes(security.kind) && security.lotSize >= 1;
}

/**
 * Finds volumes that are not whole numbers, because they are split-adjusted or in another unit. Reports them once, at
 * the first bar.
 */
export function* findFractionalVolume({ volume, length }: BarColumns): Generator<RowFinding> {
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
