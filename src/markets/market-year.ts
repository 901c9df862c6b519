import { type DayNumber, weekdayOf } from './day-number.ts';

const SUNDAY = 0;

/** A day on which only a part of the regular session is held. Times are minutes after local midnight. */
export type ShortDay =
  /** A half day that the exchange plans: it ends as its hours say. */
  | { readonly name: string; readonly held: 'morning' }
  /** It begins with the afternoon session, or at `opensAt` if given. */
  | { readonly name: string; readonly held: 'afternoon'; readonly opensAt?: number }
  /** It was ended at `closesAt`, without a closing auction. */
  | { readonly name: string; readonly held: 'until'; readonly closesAt: number };

/** What is special in one year of one market; weekends and ordinary days are not listed. */
export interface MarketYear {
  readonly closed: ReadonlyMap<DayNumber, string>;
  readonly short: ReadonlyMap<DayNumber, ShortDay>;
}

export type Holiday = readonly [DayNumber, string];

/** Gives each holiday its own day: one that falls on a Sunday or on another moves to the next free day. */
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
