import { MINUTE_MS } from '../../model/time.ts';

/**
 * Delays of the order list reads after an unknown submit, in milliseconds; after the last one every 30 s.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export const SEARCH_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
export const SEARCH_EVERY_MS = 30_000;
export const ABANDON_AFTER_MS = 120_000;
export const ABANDON_READS_MIN = 6;
/** How long lists are searched for the tag of an abandoned order: five trading days and a weekend. */
export const WATCH_FOR_MS = 7 * 24 * 3_600_000;
/**
 * Delays of the reads of one order after activity, in milliseconds, if pushes may be lost.
 * @see docs/reliability.md, "Messages in unexpected order"
 */
export const DETAIL_DELAYS_MS = [1_000, 2_000, 4_000] as const;
export const LISTING_EVERY_MS = 5_000;
/**
 * Interval if the venue limits calls: seven reads per window of the call budget. Fills are known within 6 s, even
 * while an order is checked over a slow connection (I-3, I-17).
 */
export const COUNTED_LISTING_EVERY_MS = 4_500;
/**
 * Delay of the first read of a day order after its trading day, interval of further reads, and their number before
 * the alarm (T-49).
 */
export const DAY_OVER_AFTER_MS = 15 * MINUTE_MS;
export const DAY_OVER_EVERY_MS = MINUTE_MS;
export const DAY_OVER_READS_MAX = 3;
/** Calls of one read: the order or a list, and the executions. */
export const CALLS_PER_READ = 2;
/** Interval and maximum number of reads for charges that a list did not contain. */
export const CHARGES_EVERY_MS = 6_000;
export const CHARGES_READS_MAX = 20;
/**
 * Orders per day from which a read lists only open orders.
 * @see docs/reliability.md, "Reads on days with many orders"
 */
export const LONG_DAY_ORDERS = 500;
/** Maximum orders missing from the open ones that are read by id; if there are more, the whole day is listed. */
export const ENDED_SINGLY_MAX = 3;
/**
 * Interval of lists of the whole day, which alone show duplicates and external orders that ended between two reads.
 */
export const WHOLE_DAY_EVERY_MS = MINUTE_MS;
/**
 * Consecutive lists of open orders that omitted a working order of ours, after which the filter is not used any more.
 */
export const FILTER_MISSES_MAX = 10;
