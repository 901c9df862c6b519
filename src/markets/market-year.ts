import type { DayNumber } from './day-number.ts';

/** A day on which only a part of the regular session is held. */
export interface ShortDay {
  readonly name: string;
  /** `morning`: it ends early. `afternoon`: it begins late, at `opensAt` (minutes after local midnight) if given. */
  readonly held: 'morning' | 'afternoon';
  readonly opensAt?: number;
}

/** What is special in one year of one market; weekends and ordinary days are not listed. */
export interface MarketYear {
  readonly closed: ReadonlyMap<DayNumber, string>;
  readonly short: ReadonlyMap<DayNumber, ShortDay>;
}
