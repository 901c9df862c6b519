import type { SluiceEvent } from '../events/event.ts';

/**
 * Records of an order that is being decided on. No byte leaves for them, so they may wait for the sync of the record that
 * follows: the attempt, or the denial. A power cut before that ends the run a moment earlier.
 */
export const DECISIONS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'intent-drafted',
  'equity-peaked',
  'intent-armed',
]);

/** The memory that survives: an append has returned only once the record is on disk. */
export interface Journal {
  /**
   * Appends in order; returns the record's number once it, and all before it, would survive a power cut. One of `DECISIONS`
   * may survive the process alone until the next other record is appended. Throws JournalError otherwise.
   */
  append(event: SluiceEvent): number;
  /** Every record from the first to the last, in order. */
  replay(): Iterable<SluiceEvent>;
  close(): void;
}
