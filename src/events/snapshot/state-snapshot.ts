import type { Fill } from '../../model/fill.ts';
import type { ExecutionId, IntentId } from '../../model/order.ts';
import { DAY_MS, type Millis } from '../../model/time.ts';
import type { KnownState, TrackedOrder } from '../bot-state.ts';
import type { JournalSnapshot } from '../event.ts';
import { stateOf, stateText } from './state-text.ts';

/** Format version of snapshots; increase it when the content of the fold changes. */
export const SNAPSHOT_FORM = 17;

/**
 * How long finished orders are kept after their last event, in milliseconds: longer than any order list reaches back.
 */
export const FINISHED_ORDERS_KEPT_MS = 30 * DAY_MS;

/** Most executions of other parties in a snapshot; the venue repeats only those of one day. */
const FOREIGN_EXECUTIONS_MAX = 100_000;

/** The state after archived records: all that a start needs of them. Field names are part of the journal's format. */
export interface StateSnapshot {
  readonly known: KnownState;
  /** Time of the last event of each order in the snapshot. */
  readonly heard: ReadonlyMap<IntentId, Millis>;
  /** By strategy with state: its executions, acknowledged or not. */
  readonly untold: ReadonlyMap<string, SnapshotFills>;
}

/** Executions that one strategy has acknowledged, and `fills` that it has not. */
export interface SnapshotFills {
  readonly fills: readonly Fill[];
  readonly told: ReadonlyMap<ExecutionId, Millis>;
}

/**
 * Writes the state at `at` as text. Omits orders that finished long ago, unless an active algorithm refers to them or
 * their charges are unknown.
 */
export function snapshotText({ known, heard, untold }: StateSnapshot, at: Millis): string {
  const referenced = new Set(
    [...known.algorithms.values()].flatMap(({ children, withdrawn }) => [
      ...[...children.values()].flat(),
      ...withdrawn,
    ]),
  );
  const isRecent = (time: Millis | undefined): boolean =>
    time !== undefined && time > at - FINISHED_ORDERS_KEPT_MS;
  const isKeptOrder = ({ intentId }: TrackedOrder): boolean =>
    isRecent(heard.get(intentId)) || referenced.has(intentId) || known.uncharged.has(intentId);
  const done = new Map([...known.done].filter(([, order]) => isKeptOrder(order)));
  const isKept = (intentId: IntentId): boolean => known.live.has(intentId) || done.has(intentId);
  const executions = new Set([...known.foreign.executions].slice(-FOREIGN_EXECUTIONS_MAX));
  return stateText({
    known: {
      ...known,
      done,
      byOrderId: new Map([...known.byOrderId].filter(([, intentId]) => isKept(intentId))),
      foreign: { ...known.foreign, executions },
    },
    heard: new Map([...heard].filter(([intentId]) => isKept(intentId))),
    untold: new Map(
      [...untold].map(([strategy, { fills, told }]) => [
        strategy,
        {
          fills: fills.filter(({ time }) => isRecent(time)),
          told: new Map([...told].filter(([, time]) => isRecent(time))),
        },
      ]),
    ),
  });
}

/** Cache of decoded snapshots: the fold reads each, and so does every strategy. */
const decoded = new WeakMap<JournalSnapshot, StateSnapshot>();

/** Returns the read-only content of a snapshot record. Throws RangeError for another format version. */
export function snapshotIn(event: JournalSnapshot): StateSnapshot {
  const before = decoded.get(event);
  if (before !== undefined) return before;
  const { form, state } = event;
  if (form !== SNAPSHOT_FORM)
    throw new RangeError(
      `Cannot resume from a state of form ${form}, this program writes form ${SNAPSHOT_FORM}`,
    );
  const snapshot = stateOf(state) as StateSnapshot;
  decoded.set(event, snapshot);
  return snapshot;
}

/** Replaces the content of collections in place, and sets other values; two levels deep, like the state of a fold. */
export function restore(target: object, source: object, depth = 2): void {
  for (const [name, value] of Object.entries(source)) {
    const stored: unknown = Reflect.get(target, name);
    if (stored instanceof Map && value instanceof Map) {
      stored.clear();
      for (const [key, each] of value) stored.set(key, each);
    } else if (stored instanceof Set && value instanceof Set) {
      stored.clear();
      for (const each of value) stored.add(each);
    } else if (Array.isArray(stored) && Array.isArray(value)) {
      stored.length = 0;
      for (const each of value) stored.push(each);
    } else if (depth > 1 && typeof stored === 'object' && stored !== null) {
      restore(stored, value, depth - 1);
    } else {
      Reflect.set(target, name, value);
    }
  }
}
