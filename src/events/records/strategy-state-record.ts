import type { Fill } from '../../model/fill.ts';
import type { KeptState, StateNote } from '../../model/kept-state.ts';
import type { ExecutionId } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import type { SluiceEvent } from '../event.ts';
import { type SnapshotFills, snapshotIn } from '../snapshot/state-snapshot.ts';

/** Creates the fold of strategies' states. */
export function createStateFold() {
  const kept = new Map<string, KeptState>();

  function apply(event: SluiceEvent): void {
    const note = noteOf(event);
    if (note?.state !== undefined) kept.set(note.strategy, note.state);
  }

  return { kept, apply };
}

/** Returns the strategy state in an event; undefined if there is none. */
export function noteOf(event: SluiceEvent): StateNote | undefined {
  switch (event.kind) {
    case 'state-kept':
    case 'intent-drafted':
    case 'algorithm-started':
      return event.note;
    default:
      return undefined;
  }
}

/** Executions in a journal that a strategy with state has not acknowledged. */
export interface UnacknowledgedFills {
  apply(event: SluiceEvent): void;
  /** In booking order. */
  fills(): readonly Fill[];
  /** Acknowledged executions, with the time of acknowledgement. */
  acknowledged(): ReadonlyMap<ExecutionId, Millis>;
}

/** Creates a reader for one strategy; it must receive the journal from its first record. */
export function createUnacknowledgedFills(strategy: string): UnacknowledgedFills {
  const pending = new Map<ExecutionId, Fill>();
  const told = new Map<ExecutionId, Millis>();
  let hasState = false;

  function restoreSnapshot(known: SnapshotFills | undefined): void {
    if (known === undefined) return;
    hasState = true;
    for (const fill of known.fills) pending.set(fill.executionId, fill);
    for (const [executionId, at] of known.told) told.set(executionId, at);
  }

  function apply(event: SluiceEvent): void {
    if (event.kind === 'journal-carried') {
      restoreSnapshot(snapshotIn(event).untold.get(strategy));
      return;
    }
    const note = noteOf(event);
    if (note?.strategy === strategy) hasState = true;
    if (note?.strategy === strategy && note.told !== undefined) {
      pending.delete(note.told);
      told.set(note.told, event.at);
    }
    if (event.kind !== 'order-filled' || !hasState || told.has(event.fill.executionId)) return;
    pending.set(event.fill.executionId, event.fill);
  }

  return { apply, fills: () => [...pending.values()], acknowledged: () => told };
}
