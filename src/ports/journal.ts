import type { SluiceEvent } from '../events/event.ts';

/**
 * Records of an order before it is sent, without a separate disk sync: the sync of the next record (the attempt,
 * or the denial) covers them. A power cut before that has the same effect as one before the decision.
 */
export const DEFERRED_SYNC_KINDS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'intent-drafted',
  'equity-peaked',
  'intent-armed',
]);

/** A durable log: an append returns after the record is on disk. */
export interface Journal {
  /**
   * Appends in order; returns the record's number when it, and all before it, would survive a power cut. A record of
   * `DEFERRED_SYNC_KINDS` survives only a crash of the process until the next other record is appended. Throws
   * JournalError if it cannot.
   */
  append(event: SluiceEvent): number;
  /** Every record from the first to the last, in order. */
  replay(): Iterable<SluiceEvent>;
  close(): void;
}
