import { dayOf } from '../markets/sessions.ts';
import { marketOf, securitySymbol } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import type { FillRecord } from './strategy-outcome.ts';

/** A period from flat to flat; without an end if it lasts to the end of the run. */
export interface HoldingPeriod {
  readonly symbol: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** Returns the holding periods of each symbol from the fills of a run. */
export function holdingPeriods(fills: readonly FillRecord[]): readonly HoldingPeriod[] {
  const open = new Map<string, { held: number; from: number }>();
  const stints: HoldingPeriod[] = [];
  for (const { symbol, side, quantity, time } of fills) {
    const at = Date.parse(time);
    const stint = open.get(symbol) ?? { held: 0, from: at };
    stint.held += side === 'buy' ? quantity : -quantity;
    if (stint.held !== 0) open.set(symbol, stint);
    else {
      open.delete(symbol);
      stints.push({ symbol, from: stint.from, to: at });
    }
  }
  return [...stints, ...[...open].map(([symbol, { from }]) => ({ symbol, from, to: undefined }))];
}

/** Number of closed positions in a calm run above which a position that is never closed is reported. */
const STINTS_MIN = 3;
/** Multiple of the longest holding period on a calm day that counts as endless. */
const FOR_EVER = 4;

/** The holding periods of a run and its closes, by which they are measured; nights do not count. */
export interface Held {
  readonly stints: readonly HoldingPeriod[];
  readonly closes: Float64Array;
}

/** Returns a holding period that does not end, while calm ones do, and lasts much longer than the longest of them. */
export function endlessStint(calm: Held, bad: Held): HoldingPeriod | undefined {
  if (calm.stints.filter(({ to }) => to !== undefined).length < STINTS_MIN) return undefined;
  const longest = Math.max(...calm.stints.map((stint) => barsOf(stint, calm.closes)));
  return bad.stints.find((stint) => stint.to === undefined && barsOf(stint, bad.closes) > longest * FOR_EVER);
}

function barsOf({ from, to = Number.POSITIVE_INFINITY }: HoldingPeriod, closes: Float64Array): number {
  return closes.filter((close) => close > from && close <= to).length;
}

/**
 * Returns the first night with a position, `2024-11-29`, if a calm run never holds overnight; otherwise undefined.
 */
export function oddNight(calm: readonly HoldingPeriod[], bad: readonly HoldingPeriod[]): string | undefined {
  if (calm.length === 0 || calm.some((stint) => nightOf(stint) !== undefined)) return undefined;
  return bad.map(nightOf).find((night) => night !== undefined);
}

function nightOf({ symbol, from, to }: HoldingPeriod): string | undefined {
  const market = marketOf(securitySymbol(symbol));
  const bought = dayOf(market, millis(from));
  return to !== undefined && dayOf(market, millis(to)) === bought ? undefined : bought;
}
