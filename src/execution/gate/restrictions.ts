import type { BotState } from '../../events/bot-state.ts';
import { haltedSymbols } from '../../events/records/gate-record.ts';
import type { Decimal } from '../../model/decimal.ts';
import {
  byStrictness,
  causeOf,
  type GateStanding,
  isScheduleCause,
  isStricter,
  markedRestriction,
  type Restriction,
  restrictionKey,
  standingOf,
  strictestOf,
  withMarkedKill,
} from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GateTransition, GateTransitionResult } from '../../risk/gate-state.ts';
import type { Recorder } from '../recorder.ts';

/** A kill marked in the bot's folder, which any process may write. */
export interface MarkedKill {
  readonly reason: string;
  /** Distinguishes one mark from the next. */
  readonly id: string;
}

/** Access to the kill file. */
export interface KillMarkReader {
  /** Returns the marked kill; undefined if there is none or it was lifted. */
  read(): MarkedKill | undefined;
  /** Lifts this kill; a kill that was marked later remains. */
  lift(kill: MarkedKill): void;
}

/** Restrictions in force when a resume was requested: the resume ends only these. */
export interface SeenRestrictions {
  readonly serial: number;
  readonly mark: MarkedKill | undefined;
}

/**
 * The set of all restrictions, changed only here: by commands, rules, recovery, reconciliation and kills. A
 * restriction is in force once begun, and journaled afterwards.
 */
export type Restrictions = ReturnType<typeof createRestrictions>;

/** Returns the causes observed now; called before every order that opens. */
type ObservedSource = () => Iterable<Restriction>;

interface RestrictionParts {
  readonly recorder: Pick<Recorder, 'record'> & { readonly state: Pick<BotState, 'gate'> };
  readonly clock: Pick<Clock, 'now'>;
  /** Absent if no other process can mark a kill. */
  readonly killMark?: KillMarkReader | undefined;
}

/** Creates the set of restrictions: those of the journal, and those not yet journaled. */
export function createRestrictions({ recorder, clock, killMark }: RestrictionParts) {
  const { gate } = recorder.state;
  /** Restrictions in force that are not yet journaled, by key. */
  const pending = new Map<string, Restriction>();
  /** Serial number of the latest imposition of each key. */
  const imposedAt = new Map<string, number>();
  const sources: ObservedSource[] = [];
  let serial = 0;

  /** Returns the first observed restriction that applies to a symbol and passes a test. */
  function firstObserved(
    symbol: SecuritySymbol,
    accepts: (restriction: Restriction) => boolean,
  ): Restriction | undefined {
    for (const source of sources)
      for (const each of source())
        if ((each.symbol === undefined || each.symbol === symbol) && accepts(each)) return each;
    return undefined;
  }

  /** All restrictions now, including observed ones; the strictest first, then the oldest. */
  function all(): readonly Restriction[] {
    const held = new Map(gate.restrictions);
    for (const [key, each] of pending) {
      const known = held.get(key);
      if (known === undefined || isStricter(each.state, known.state)) held.set(key, each);
    }
    for (const source of sources) for (const each of source()) held.set(restrictionKey(each), each);
    return byStrictness(withMarkedKill([...held.values()], killMark?.read()?.reason));
  }

  /** The strictest imposed restriction of the account, journaled or not; observed causes are excluded. */
  function standing(): GateStanding {
    const waiting = strictestOf(pending.values());
    const known =
      waiting !== undefined && isStricter(waiting.state, gate.standing.state)
        ? standingOf(waiting)
        : gate.standing;
    if (known.state === 'killed') return known;
    const marked = killMark?.read();
    if (marked === undefined) return known;
    return standingOf(markedRestriction(marked.reason));
  }

  /**
   * Puts a restriction in force; the result removes it from the pending ones, once the journal has it or needs no
   * second entry.
   */
  function hold(restriction: Restriction): () => void {
    const key = restrictionKey(restriction);
    const known = gate.restrictions.get(key) ?? pending.get(key);
    const isNew = known === undefined || isStricter(restriction.state, known.state);
    // A repeated command is a new decision of the operator; a rule that finds the same again is not.
    if (isNew || restriction.by === 'operator') {
      serial += 1;
      imposedAt.set(key, serial);
    }
    const waiting = pending.get(key);
    if (waiting === undefined || isStricter(restriction.state, waiting.state)) pending.set(key, restriction);
    return () => {
      if (pending.get(key) === restriction) pending.delete(key);
    };
  }

  function isKnown(restriction: Restriction): boolean {
    const known = gate.restrictions.get(restrictionKey(restriction));
    return known !== undefined && !isStricter(restriction.state, known.state);
  }

  /** Puts a restriction in force, and returns a function that journals it. */
  function begin(transition: GateTransition, equity?: Decimal): () => GateTransitionResult {
    const { to: state, by, rule, reason, cause } = transition;
    if (state === 'active') throw new Error(`A restriction by "${rule}" cannot be "active"`);
    const restriction: Restriction = {
      cause: causeOf(transition),
      state,
      by,
      rule,
      reason,
      since: clock.now(),
    };
    const written = hold(restriction);
    return () => {
      const isNew = !isKnown(restriction);
      if (isNew)
        recorder.record({
          kind: 'gate-moved',
          at: clock.now(),
          state,
          by,
          rule,
          reason,
          ...omitUndefined({ equity, cause }),
        });
      written();
      return isNew ? { kind: 'moved', standing: standing() } : UNCHANGED;
    };
  }

  /** Blocks opening in a symbol, and returns a function that journals this. */
  function haltSymbol(symbol: SecuritySymbol, rule: string, reason: string): () => void {
    const common = { symbol, rule, reason };
    const restriction: Restriction = {
      cause: rule,
      state: 'reduce-only',
      by: 'gate',
      since: clock.now(),
      ...common,
    };
    const written = hold(restriction);
    return () => {
      if (!isKnown(restriction)) recorder.record({ kind: 'symbol-halted', at: clock.now(), ...common });
      written();
    };
  }

  function endAll(
    { by, rule, reason }: GateTransition,
    ends: readonly string[],
    equity?: Decimal,
  ): GateTransitionResult {
    recorder.record({
      kind: 'gate-moved',
      at: clock.now(),
      state: 'active',
      by,
      rule,
      reason,
      ends,
      ...omitUndefined({ equity }),
    });
    return { kind: 'moved', standing: standing() };
  }

  /** Ends the restrictions that an operator saw, and lifts the kill that was marked then. */
  function resume(
    transition: GateTransition,
    seen: SeenRestrictions,
    equity: Decimal | undefined,
  ): GateTransitionResult {
    const later = supersededBy(seen);
    if (later !== undefined) return { kind: 'refused', why: `Cannot resume: ${later}` };
    if (transition.reason.trim() === '') return { kind: 'refused', why: 'Cannot resume without a reason' };
    const ends = [...gate.restrictions].flatMap(([key, { cause, symbol }]) =>
      symbol === undefined && !isScheduleCause(cause) && (imposedAt.get(key) ?? 0) <= seen.serial
        ? [key]
        : [],
    );
    if (ends.length === 0 && seen.mark === undefined) return UNCHANGED;
    const move = endAll(transition, ends, equity);
    if (seen.mark !== undefined) killMark?.lift(seen.mark);
    return move;
  }

  /** Returns why a resume is superseded by a later kill; otherwise undefined. */
  function supersededBy(seen: SeenRestrictions): string | undefined {
    const kills = [...pending, ...gate.restrictions].filter(([, { state }]) => state === 'killed');
    const later = kills.find(([key]) => (imposedAt.get(key) ?? 0) > seen.serial)?.[1];
    const marked = killMark?.read();
    const isMarkedLater = marked !== undefined && marked.id !== seen.mark?.id;
    if (later === undefined && !isMarkedLater) return undefined;
    return `a kill came after the resume: ${later?.reason ?? marked?.reason}`;
  }

  return {
    standing,
    all,
    /** The first observed restriction on opening in a symbol; undefined if there is none. */
    observed: (symbol: SecuritySymbol) => firstObserved(symbol, () => true),
    /** The same for one rule. */
    observedBy: (rule: string, symbol: SecuritySymbol) => firstObserved(symbol, (each) => each.rule === rule),
    /**
     * Adds a source of causes that this process observes and that end without a command, such as a lost connection.
     * They are not journaled, as a restart observes them again. Each blocks opening while it lasts.
     */
    observe: (source: ObservedSource): void => void sources.push(source),
    /** Returns why nothing may open in a symbol; otherwise undefined. */
    symbolHalt: (symbol: SecuritySymbol) =>
      haltedSymbols(gate).get(symbol)?.reason ??
      [...pending.values()].find((each) => each.symbol === symbol)?.reason,
    begin,
    /** Puts a restriction in force and journals it. */
    impose: (transition: GateTransition, equity?: Decimal) => begin(transition, equity)(),
    haltSymbol,
    /** Ends only the restriction of this cause; for causes that end without a command. */
    end: (cause: string, transition: GateTransition) =>
      gate.restrictions.has(cause) ? endAll(transition, [cause]) : UNCHANGED,
    /** Returns the restrictions in force now. */
    seen: (): SeenRestrictions => ({ serial, mark: killMark?.read() }),
    supersededBy,
    resume,
  };
}

const UNCHANGED: GateTransitionResult = { kind: 'stays' };
