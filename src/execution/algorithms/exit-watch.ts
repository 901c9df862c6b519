import type { BotState, RegainedShares } from '../../events/bot-state.ts';
import type { SluiceEvent } from '../../events/event.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { availableHolding, openedBy } from '../../events/records/bracket-shares.ts';
import { Decimal, type Quantity } from '../../model/decimal.ts';
import type { Alarm } from '../../model/notice.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { type CoverageSources, type MissingExit, missingExitsOf } from './exit-coverage.ts';

type MissingSince = MissingExit & { readonly since: Millis };

/**
 * Raises the alarm `exits-missing`, once each time, if an exit of a bracket's spec does not work at the venue for
 * longer than `STOP_MISSING_MS`, and if a bracket ends while its position is held.
 */
export interface ExitWatch {
  /** Checks the algorithms that an event concerns; called with every event after it was folded. */
  handle(event: SluiceEvent): void;
  /** Called with every event of earlier processes, before it is folded. */
  replayed(event: SluiceEvent): void;
  /** Called when a bracket is about to end, with the reason; its position may remain. */
  ended(algorithm: TrackedAlgorithm, why: string): void;
  /** Missing exits, oldest first. */
  missing(): readonly MissingSince[];
  close(): void;
}

/** How long a stop or trail may be missing before an alarm: the time to send an order and have it acknowledged. */
const STOP_MISSING_MS = 2 * SECOND_MS;
/** For a target, which does not protect, and grows with its entry in steps of five seconds. */
const TARGET_MISSING_MS = 15 * SECOND_MS;
/** For positions that are being closed: exits are cancelled then, and a flatten takes time. */
export const CLOSING_MS = MINUTE_MS;

interface ExitWatchParts {
  readonly state: BotState;
  readonly sources: CoverageSources;
  readonly clock: Clock;
  readonly alarms: Alarms;
  /** No timer is set beyond this instant. */
  readonly until: Millis;
}

/**
 * Creates the watch. It checks one algorithm at a time, on events that concern it; a timer is set only while an exit
 * is missing.
 */
export function createExitWatch({ state, sources, clock, alarms, until }: ExitWatchParts): ExitWatch {
  const missing = new Map<string, MissingSince>();
  const timers = new Map<string, Cancel>();
  let isOver = false;
  /** Brackets that ended shortly before an earlier process did, which may have ended before their alarms were due. */
  let endedBefore: { readonly at: Millis; readonly algorithm: TrackedAlgorithm; readonly why: string }[] = [];

  function replayed(event: SluiceEvent): void {
    if (endedBefore.length > 0) endedBefore = endedBefore.filter(({ at }) => event.at - at <= CLOSING_MS);
    if (event.kind !== 'algorithm-ended') return;
    const algorithm = state.algorithms.get(event.algorithmId);
    if (algorithm !== undefined) endedBefore.push({ at: event.at, algorithm, why: event.why });
  }

  function handle(event: SluiceEvent): void {
    for (const each of state.regained) handleRegained(each);
    if (event.kind === 'run-started') {
      for (const { algorithm, why } of endedBefore) ended(algorithm, why);
      endedBefore = [];
    }
    if (event.kind === 'algorithm-ended') {
      for (const [key, { algorithm }] of missing) if (algorithm === event.algorithmId) clear(key);
      return;
    }
    if (state.algorithms.size === 0) return;
    if (!('intentId' in event)) {
      if (CHANGES_POSITIONS.has(event.kind)) checkAll();
      return;
    }
    const order = state.order(event.intentId);
    const algorithm = order?.link && state.algorithms.get(order.link.algorithm);
    // A fill also affects older brackets of its symbol, and any order that is not an exit may close their positions.
    const mayClose = event.kind === 'order-moved' && order?.link?.exit !== true;
    if (mayClose || event.kind === 'order-filled' || event.kind === 'order-settled') checkAll();
    else if (algorithm !== undefined) check(algorithm);
  }

  /** Raises the alarm for shares whose bracket ended before a late fill showed that they are still held. */
  function handleRegained({ strategy, symbol, quantity }: RegainedShares): void {
    const hadExits = [...state.live.values(), ...state.done.values()].some(
      ({ link, terms, strategy: owner }) =>
        link?.exit === true && terms.symbol === symbol && owner === strategy,
    );
    if (!hadExits) return;
    const what = `${quantity} of "${symbol}" are held again by "${strategy}" without their exits: a fill before a trade by hand became known after it`;
    alarms.raise(alarmOf({ symbol, slot: 'all' }, what, clock.now()));
  }

  function checkAll(): void {
    for (const algorithm of state.algorithms.values()) check(algorithm);
  }

  function check(algorithm: TrackedAlgorithm): void {
    if (algorithm.spec.kind !== 'bracket') return;
    const found = new Map(
      missingExitsOf(algorithm, state, sources).map((each) => [`${algorithm.id} ${each.slot}`, each]),
    );
    for (const slot of SLOTS) {
      const key = `${algorithm.id} ${slot}`;
      const now = found.get(key);
      if (now === undefined) clear(key);
      else trackMissing(key, now);
    }
  }

  function trackMissing(key: string, exit: MissingExit): void {
    const before = missing.get(key);
    // While an order of the strategy closes the position, the time is longer; it starts again when the order is gone.
    const isNew = before === undefined || (before.isBeingClosed && !exit.isBeingClosed);
    missing.set(key, { ...exit, since: isNew ? clock.now() : before.since });
    if (!isNew) return;
    timers.get(key)?.();
    const allowed = exit.isBeingClosed
      ? CLOSING_MS
      : exit.slot === 'target'
        ? TARGET_MISSING_MS
        : STOP_MISSING_MS;
    schedule(key, allowed, () => {
      const still = missing.get(key);
      if (still === undefined) return;
      alarms.raise(missingExitAlarm(still, clock.now()));
    });
  }

  function schedule(key: string, ms: number, act: () => void): void {
    if (isOver || clock.now() + ms > until) return;
    timers.set(key, clock.at(millis(clock.now() + ms), 'timer', act));
  }

  function clear(key: string): void {
    missing.delete(key);
    timers.get(key)?.();
    timers.delete(key);
  }

  function ended(algorithm: TrackedAlgorithm, why: string): void {
    const { id, spec, overruled } = algorithm;
    if (spec.kind !== 'bracket') return;
    const { entry } = spec;
    const lot = sources.security(entry.symbol)?.lotSize;
    const opened = openedBy(algorithm, state);
    // Less is held if the strategy closed the position.
    if (lot === undefined || Decimal.min(opened, availableHolding(algorithm, entry, state)).lt(lot)) return;
    const isClosing = overruled !== undefined || state.gate.standing.state === 'killed';
    schedule(`ended ${id}`, isClosing ? CLOSING_MS : STOP_MISSING_MS, () => {
      timers.delete(`ended ${id}`);
      // Other brackets of the symbol protect only what they opened.
      const unprotected = Decimal.min(openedBy(algorithm, state), availableHolding(algorithm, entry, state));
      if (unprotected.lt(lot)) return;
      alarms.raise(
        alarmOf(
          { symbol: entry.symbol, slot: 'all' },
          `${unprotected} of "${entry.symbol}" are held without the exits that were asked for: ${why}`,
          clock.now(),
        ),
      );
    });
  }

  return {
    handle,
    replayed,
    ended,
    missing: () => [...missing.values()].toSorted((one, other) => one.since - other.since),
    close() {
      isOver = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}

export function missingExitAlarm(
  exit: Pick<MissingExit, 'symbol' | 'slot' | 'why'> & {
    readonly quantity: string | Quantity;
    readonly since: number;
  },
  at: Millis,
): Alarm {
  const seconds = Math.round((at - exit.since) / SECOND_MS);
  return alarmOf(
    exit,
    `${exit.quantity} of "${exit.symbol}" are held without a working ${exit.slot} for ${seconds} s: ${exit.why}`,
    at,
  );
}

function alarmOf(
  { symbol, slot }: { readonly symbol: SecuritySymbol; readonly slot: string },
  what: string,
  at: Millis,
): Alarm {
  return {
    code: 'exits-missing',
    message: `${what}. Place an exit at the venue, or close the position`,
    at,
    facts: { symbol, slot },
  };
}

const SLOTS: readonly MissingExit['slot'][] = ['stop', 'trail', 'target'];

const CHANGES_POSITIONS: ReadonlySet<SluiceEvent['kind']> = new Set([
  'run-started',
  'foreign-filled',
  'books-adopted',
  'corporate-action',
]);
