import { type DayNumber, weekdayOf } from './day-number.ts';

const SUNDAY = 0;

/** A day with only part of the regular session. Times are minutes after local midnight. */
export type ShortDay =
  /** A planned half day, which ends as the market's hours state. */
  | { readonly name: string; readonly held: 'morning' }
  /** Begins with the afternoon session, or at `opensAt` if given. */
  | { readonly name: string; readonly held: 'afternoon'; readonly opensAt?: number }
  /** Ended at `closesAt`, without a closing auction. */
  | { readonly name: string; readonly held: 'until'; readonly closesAt: number };

/** Exceptional days of one market and year; weekends and ordinary days are not listed. */
export interface MarketYear {
  readonly closed: ReadonlyMap<DayNumber, string>;
  readonly short: ReadonlyMap<DayNumber, ShortDay>;
}

export type Holiday = readonly [DayNumber, string];

/** Moves holidays that fall on a Sunday or on another holiday to the next free day. */
export function withSubstitutes(holidays: readonly Holiday[]): Map<DayNumber, string> {
  const closed = new Map<DayNumber, string>();
  const moved: Holiday[] = [];
  for (const [day, name] of holidays) {
    if (weekdayOf(day) === SUNDAY || closed.has(day)) moved.push([day, name]);
    else closed.set(day, name);
  }
  for (const [day, name] of moved) {
    let free = day + 1;
    while (weekdayOf(free) === SUNDAY || closed.has(free)) free += 1;
    closed.set(free, `${name}, in substitution`);
  }
  return closed;
}
