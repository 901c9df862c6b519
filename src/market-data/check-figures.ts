import { dayOf } from '../markets/sessions.ts';
import { isOnTick, tickLadder } from '../markets/ticks.ts';
import type { BarColumns } from '../model/bar.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import type { Remark } from './check.ts';
import { likelySplit } from './likely-split.ts';

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** A price this near to a whole number of ticks (in ticks) is on one; further away Decimal decides. */
const NEAR_TICK = 1e-9;

/** Prices off the ladder that was in force on their day; the first such price of each bar is named. */
export function* offTicks(columns: BarColumns, security: Security): Generator<Remark> {
  const market = marketOf(columns.symbol);
  let day: CalendarDay | undefined;
  let bands: readonly Band[] = [];
  for (let row = 0; row < columns.length; row++) {
    const today = dayOf(market, columns.time[row] as Millis);
    if (today !== day) {
      day = today;
      bands = tickLadder({ market, kind: security.kind }, today).map(({ from, tick }) => ({
        from: Number(from),
        tick: Number(tick),
        exact: tick,
      }));
    }
    for (const name of PRICES) {
      const price = columns[name][row] as number;
      const band = bands.findLast(({ from }) => price >= from) ?? bands[0];
      if (band === undefined || isOn(price, band)) continue;
      const message = `${name} ${price} is not on the tick of ${band.exact} that ruled on ${day}`;
      yield { kind: 'off-tick', row, message };
      break;
    }
  }
}

interface Band {
  readonly from: number;
  readonly tick: number;
  readonly exact: Decimal;
}

function isOn(price: number, band: Band): boolean {
  const ticks = price / band.tick;
  if (Math.abs(ticks - Math.round(ticks)) <= NEAR_TICK) return true;
  return isOnTick(new Decimal(String(price)), band.exact);
}

/** Bars in which nothing is said to have traded. */
export function* zeroVolumes({ volume, length }: BarColumns): Generator<Remark> {
  for (let row = 0; row < length; row++) {
    if (volume[row] === 0) yield { kind: 'zero-volume', row, message: 'A bar without volume' };
  }
}

/** A move is odd when it is this many times the median move and larger than ten per cent. */
const ODD_TIMES = 20;
const ODD_MIN = Math.log(1.1);

/** Jumps over the days' border that look like splits, and bars that jump or reach further than any sane one. */
export function* oddMoves(columns: BarColumns): Generator<Remark> {
  const { open, high, low, close, length } = columns;
  const market = marketOf(columns.symbol);
  const reach = (row: number): number => Math.log((high[row] as number) / (low[row] as number));
  const jump = (row: number): number => Math.log((open[row] as number) / (close[row - 1] as number));
  const limitOf = (moves: readonly number[]): number => Math.max(ODD_MIN, ODD_TIMES * median(moves));
  const rows = Array.from({ length }, (_, row) => row);
  const reachLimit = limitOf(rows.map(reach));
  const jumpLimit = limitOf(rows.slice(1).map((row) => Math.abs(jump(row))));
  for (const row of rows) {
    const moved = row === 0 ? 0 : jump(row);
    const isNewDay =
      Math.abs(moved) > ODD_MIN &&
      dayOf(market, columns.time[row] as Millis) !== dayOf(market, columns.time[row - 1] as Millis);
    const split = isNewDay ? likelySplit(moved) : undefined;
    const prices = `from ${close[row - 1]} to ${open[row]}`;
    if (split !== undefined) {
      yield {
        kind: 'split',
        row,
        message: `Opened ${prices}, like a ${split} split that was not adjusted for`,
      };
    } else if (Math.abs(moved) > jumpLimit) {
      yield { kind: 'outlier', row, message: `Jumped ${prices}` };
    }
    if (reach(row) > reachLimit) {
      yield { kind: 'outlier', row, message: `Reached from low ${low[row]} to high ${high[row]}` };
    }
  }
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >>> 1] ?? 0;
}
