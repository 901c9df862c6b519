import type { DayNumber } from './day-number.ts';

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
