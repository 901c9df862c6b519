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

/** A kill that is marked in the bot's folder, where any process may put it. */
export interface MarkedKill {
  readonly reason: string;
  /** Tells one marking from the next. */
  readonly id: string;
}

/** The kill file as the gate reads it. */
export interface KillMarkReader {
  /** The kill that is marked; undefined when none is, or when it was lifted. */
  read(): MarkedKill | undefined;
  /** Lifts this one kill; a kill that was marked after it stays. */
  lift(kill: MarkedKill): void;
}

/** What was in force when a resume was asked for: it ends these restrictions and none that came later. */
export interface SeenRestrictions {
  readonly serial: number;
  readonly mark: MarkedKill | undefined;
}

/**
 * Everything that restricts the gate, and the only place where that changes: commands, rules, recovery, the comparison of the books
 * and the kill path all come here. A restriction is in force from the call that begins it; the journal has it when it is written down.
 */
export interface Restrictions {
  /** The strictest restriction of the account that a command, a rule or a finding imposed, journaled or not yet. */
  standing(): GateStanding;
  /** Everything that restricts now, the observed causes included; the strictest first, and of these the oldest entry of the set. */
  all(): readonly Restriction[];
  /** The first observed cause that prevents opening in a symbol; undefined when there is none. */
  observed(symbol: SecuritySymbol): Restriction | undefined;
  /** The same of one rule. */
  observedBy(rule: string, symbol: SecuritySymbol): Restriction | undefined;
  /**
   * Adds a source of causes that this process observes and that end by themselves, such as a connection that is down. They are
   * not journaled: a restart observes them again. Nothing is opened while one lasts.
   */
  observe(source: ObservedSource): void;
  /** Why nothing is opened in a symbol; undefined when something may be. */
  symbolHalt(symbol: SecuritySymbol): string | undefined;
  /** In force from this call on; what it returns writes it down. */
  begin(transition: GateTransition, equity?: Decimal): () => GateTransitionResult;
  /** In force and written down when this returns. */
  impose(transition: GateTransition, equity?: Decimal): GateTransitionResult;
  /** One symbol opens nothing from this call on; what it returns writes it down. */
  haltSymbol(symbol: SecuritySymbol, rule: string, reason: string): () => void;
  /** Ends the restriction of one cause and no other; for causes that end by themselves. */
  end(cause: string, transition: GateTransition): GateTransitionResult;
  /** What is in force now. */
  seen(): SeenRestrictions;
  /** Why a resume may not end what it saw: a kill came after it; undefined when it may. */
  supersededBy(seen: SeenRestrictions): string | undefined;
  /** Ends the restrictions that an operator saw, and lifts the kill that was marked then. */
  resume(
    transition: GateTransition,
    seen: SeenRestrictions,
    equity: Decimal | undefined,
  ): GateTransitionResult;
}

/** Causes that are observed at this instant; asked before every order that opens. */
export type ObservedSource = () => Iterable<Restriction>;

/** What the set of restrictions works with. */
export interface RestrictionParts {
  readonly recorder: Pick<Recorder, 'record'> & { readonly state: Pick<BotState, 'gate'> };
  readonly clock: Pick<Clock, 'now'>;
  /** Absent: no kill is marked outside this process. */
  readonly killMark?: KillMarkReader | undefined;
}

/** Holds what the journal has, and what is on its way there. */
export function createRestrictions({ recorder, clock, killMark }: RestrictionParts): Restrictions {
  const { gate } = recorder.state;
  /** In force, and not in the journal yet; by key. */
  const pending = new Map<string, Restriction>();
  /** When each key was last imposed, counted. */
  const imposedAt = new Map<string, number>();
  const sources: ObservedSource[] = [];
  let serial = 0;

  /** The first observed cause that an order in a symbol meets and a test accepts. */
  function firstObserved(
    symbol: SecuritySymbol,
    accepts: (restriction: Restriction) => boolean,
  ): Restriction | undefined {
    for (const source of sources)
      for (const each of source())
        if ((each.symbol === undefined || each.symbol === symbol) && accepts(each)) return each;
    return undefined;
  }

  function all(): readonly Restriction[] {
    const held = new Map(gate.restrictions);
    for (const [key, each] of pending) {
      const known = held.get(key);
      if (known === undefined || isStricter(each.state, known.state)) held.set(key, each);
    }
    for (const source of sources) for (const each of source()) held.set(restrictionKey(each), each);
    return byStrictness(withMarkedKill([...held.values()], killMark?.read()?.reason));
  }

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

  /** Puts a restriction in force; the result takes it out of the waiting ones once the journal has it, or needs no second entry. */
  function hold(restriction: Restriction): () => void {
    const key = restrictionKey(restriction);
    const known = gate.restrictions.get(key) ?? pending.get(key);
    const isNew = known === undefined || isStricter(restriction.state, known.state);
    // A repeated command is a new decision of its operator; a rule that finds again what it found is none.
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
      return isNew ? { kind: 'moved', standing: standing() } : STAYS;
    };
  }

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
    if (ends.length === 0 && seen.mark === undefined) return STAYS;
    const move = endAll(transition, ends, equity);
    if (seen.mark !== undefined) killMark?.lift(seen.mark);
    return move;
  }

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
    observed: (symbol) => firstObserved(symbol, () => true),
    observedBy: (rule, symbol) => firstObserved(symbol, (each) => each.rule === rule),
    observe: (source) => sources.push(source),
    symbolHalt: (symbol) =>
      haltedSymbols(gate).get(symbol)?.reason ??
      [...pending.values()].find((each) => each.symbol === symbol)?.reason,
    begin,
    impose: (transition, equity) => begin(transition, equity)(),
    haltSymbol,
    end: (cause, transition) => (gate.restrictions.has(cause) ? endAll(transition, [cause]) : STAYS),
    seen: () => ({ serial, mark: killMark?.read() }),
    supersededBy,
    resume,
  };
}

const STAYS: GateTransitionResult = { kind: 'stays' };
