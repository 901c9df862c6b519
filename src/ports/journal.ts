import type { SluiceEvent } from '../events/event.ts';

/**
 * Records of an order before it is sent. No byte is sent for them, so they may wait for the sync of the next record:
 * the attempt, or the denial. A power cut before that ends the run a moment earlier.
 */
export const DECISIONS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'intent-drafted',
  'equity-peaked',
  'intent-armed',
]);

/** A durable log: an append returns after the record is on disk. */
export interface Journal {
  /**
   * Appends in order; returns the record's number when it, and all before it, would survive a power cut. A record of
   * `DECISIONS` may survive only the process until the next other record is appended. Throws JournalError otherwise.
   */
  append(event: SluiceEvent): number;
  /** Every record from the first to the last, in order. */
  replay(): Iterable<SluiceEvent>;
  close(): void;
}
