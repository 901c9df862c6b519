import type { NamedSecurity, WatchGroup } from '../../broker/orders/account-answers.ts';

/** Groups of the watchlist, in the user's order. */
export type WatchedGroups = readonly WatchGroup[];

/** Securities of a list, named in the requested language. */
export type NamedSymbols = readonly NamedSecurity[];
