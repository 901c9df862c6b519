import type { SluiceEvent } from '../events/event.ts';

/** The memory that survives: an append has returned only once the record is on disk. */
export interface Journal {
  /** Appends in order; returns the record's number once it would survive a power cut. Throws JournalError otherwise. */
  append(event: SluiceEvent): number;
  /** Every record from the first to the last, in order. */
  replay(): Iterable<SluiceEvent>;
  close(): void;
}
