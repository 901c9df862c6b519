import { MINUTE_MS } from '../../model/time.ts';

/**
 * Reads of the listing after an unknown submit, in milliseconds after it; then every 30 s.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export const LOOK_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
export const LOOK_EVERY_MS = 30_000;
export const ABANDON_AFTER_MS = 120_000;
export const ABANDON_READS_MIN = 6;
/** The tag of an abandoned order is looked for during five trading days and the weekend between them. */
export const WATCH_FOR_MS = 7 * 24 * 3_600_000;
/**
 * Reads of one order after activity, where pushes may be lost.
 * @see docs/reliability.md, "Messages in unexpected order"
 */
export const DETAIL_AFTER_MS = [1_000, 2_000, 4_000] as const;
export const LISTING_EVERY_MS = 5_000;
/**
 * Where calls are counted: seven in a window of the call budget. What fills is known within six seconds, also behind an order
 * that is being judged on a slow line (I-3, I-17).
 */
export const COUNTED_LISTING_EVERY_MS = 4_500;
/** When a day order is looked at after the end of its trading day, and how often before a person hears of it (T-49). */
export const DAY_OVER_AFTER_MS = 15 * MINUTE_MS;
export const DAY_OVER_EVERY_MS = MINUTE_MS;
export const DAY_OVER_READS_MAX = 3;
/** Calls that one look takes: the order itself or a listing, and executions. */
export const CALLS_OF_A_LOOK = 2;
/** When charges are asked for that a listing did not tell, and how often at most. */
export const CHARGES_EVERY_MS = 6_000;
export const CHARGES_READS_MAX = 20;
/**
 * From this many orders a day on, a reading asks for open orders alone; those of ours that are missing there are read by their id, up to
 * so many, else the whole day is listed. The whole day is listed at least once a minute, as only that shows duplicates and external orders
 * that were filled between two readings.
 */
export const LONG_DAY_ORDERS = 500;
export const ENDED_SINGLY_MAX = 3;
export const WHOLE_DAY_EVERY_MS = MINUTE_MS;
