import type { IntentId } from '../../model/order.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { SluiceEvent } from '../event.ts';
import { createFold } from '../fold.ts';
import {
  createUnacknowledgedFills,
  noteOf,
  type UnacknowledgedFills,
} from '../records/strategy-state-record.ts';
import { snapshotIn, snapshotText } from './state-snapshot.ts';

/** Computes the snapshot that replaces archived records, record by record. */
export interface SnapshotBuilder {
  apply(event: SluiceEvent): void;
  /** Returns the state after all records so far, and the time of the last. */
  result(): { readonly state: string; readonly at: Millis };
}

/** Starts before the first record; the first may be a snapshot. */
export function createSnapshotBuilder(): SnapshotBuilder {
  const fold = createFold();
  const lastEventAt = new Map<IntentId, Millis>();
  const fillsByStrategy = new Map<string, UnacknowledgedFills>();
  let at = millis(0);

  function trackFillsOf(strategy: string): void {
    if (!fillsByStrategy.has(strategy)) fillsByStrategy.set(strategy, createUnacknowledgedFills(strategy));
  }

  function apply(event: SluiceEvent): void {
    at = event.at;
    if (event.kind === 'journal-carried') {
      const snapshot = snapshotIn(event);
      for (const [intentId, time] of snapshot.heard) lastEventAt.set(intentId, time);
      for (const strategy of snapshot.untold.keys()) trackFillsOf(strategy);
    }
    fold.apply(event);
    if ('intentId' in event) lastEventAt.set(event.intentId, at);
    const note = noteOf(event);
    if (note !== undefined) trackFillsOf(note.strategy);
    for (const fills of fillsByStrategy.values()) fills.apply(event);
  }

  /** Filters a strategy's fills: in a bot with several, each receives only its own. */
  function fillsOf(strategy: string, fills: UnacknowledgedFills) {
    const own = fills.fills().filter(({ intentId }) => {
      const owner = fold.state.order(intentId)?.strategy;
      return owner === undefined || owner === strategy;
    });
    return { fills: own, told: fills.acknowledged() };
  }

  return {
    apply,
    result() {
      const snapshotFills = new Map(
        [...fillsByStrategy].map(([name, fills]) => [name, fillsOf(name, fills)]),
      );
      return {
        state: snapshotText({ known: fold.known(), heard: lastEventAt, untold: snapshotFills }, at),
        at,
      };
    },
  };
}
