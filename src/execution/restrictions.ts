import type { Observable } from 'rxjs';
import { haltedSymbols } from '../events/gate-record.ts';
import type { Decimal } from '../model/decimal.ts';
import {
  causeOf,
  type GateStanding,
  isStricter,
  type Restriction,
  restrictionKey,
  SCHEDULE_CAUSE,
  standingUnder,
  strictestOf,
} from '../model/gate.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Clock } from '../ports/clock.ts';
import { atOnce, eachAs, inOrder, silent } from '../ports/steps.ts';
import type { GateMove, GateWish } from '../risk/gate-state.ts';
import type { Recorder } from './recorder.ts';

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
 * and the kill path all come here. A restriction is in force from the call that imposes it; the journal has it when its turn comes.
 */
export interface Restrictions {
  /** The strictest restriction of the account, journaled or not yet. */
  standing(): GateStanding;
  /** Why nothing is opened in a symbol; undefined when something may be. */
  symbolHalt(symbol: SecuritySymbol): string | undefined;
  /** In force from this call on; what it returns writes it down, and emits once. */
  impose(wish: GateWish, equity?: Decimal): Observable<GateMove>;
  /** The same for one symbol. */
  haltSymbol(symbol: SecuritySymbol, rule: string, reason: string): Observable<never>;
  /** Ends the restriction of one cause and no other; for causes that end by themselves. Emits once. */
  end(cause: string, wish: GateWish): Observable<GateMove>;
  /** What is in force now. */
  seen(): SeenRestrictions;
  /** Why a resume may not end what it saw: a kill came after it; undefined when it may. */
  supersededBy(seen: SeenRestrictions): string | undefined;
  /** Ends the restrictions that an operator saw, and lifts the kill that was marked then. Emits once. */
  resume(wish: GateWish, seen: SeenRestrictions, equity: Decimal | undefined): Observable<GateMove>;
}

/** What the set of restrictions works with. */
export interface RestrictionParts {
  readonly recorder: Recorder;
  readonly clock: Pick<Clock, 'now'>;
  /** Absent: no kill is marked beside this process. */
  readonly killMark?: KillMarkReader | undefined;
}

/** Holds what the journal has, and what is on its way there. */
export function createRestrictions({ recorder, clock, killMark }: RestrictionParts): Restrictions {
  const { gate } = recorder.state;
  /** In force, and not in the journal yet; by key. */
  const pending = new Map<string, Restriction>();
  /** When each key was last imposed, counted. */
  const imposedAt = new Map<string, number>();
  let serial = 0;

  function standing(): GateStanding {
    const waiting = strictestOf(pending.values());
    const known =
      waiting !== undefined && isStricter(waiting.state, gate.standing.state)
        ? standingUnder(waiting)
        : gate.standing;
    if (known.state === 'killed') return known;
    const marked = killMark?.read();
    if (marked === undefined) return known;
    const { reason } = marked;
    return { state: 'killed', by: 'operator', rule: 'kill', reason, since: known.since };
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

  function impose(wish: GateWish, equity?: Decimal): Observable<GateMove> {
    const { to: state, by, rule, reason, cause } = wish;
    if (state === 'active') throw new Error(`A restriction by "${rule}" cannot be "active"`);
    const restriction: Restriction = { cause: causeOf(wish), state, by, rule, reason, since: clock.now() };
    const written = hold(restriction);
    return inOrder<GateMove>(() => {
      if (isKnown(restriction)) {
        written();
        return atOnce(() => ({ kind: 'stays' }));
      }
      const event = {
        ...{ kind: 'gate-moved' as const, at: clock.now(), state, by, rule, reason },
        ...(equity === undefined ? {} : { equity }),
        ...(cause === undefined ? {} : { cause }),
      };
      return eachAs(recorder.record(event), () => {
        written();
        return { kind: 'moved', standing: standing() };
      });
    });
  }

  function haltSymbol(symbol: SecuritySymbol, rule: string, reason: string): Observable<never> {
    const since = clock.now();
    const restriction = {
      cause: rule,
      symbol,
      state: 'reduce-only',
      by: 'gate',
      rule,
      reason,
      since,
    } as const;
    const written = hold(restriction);
    return inOrder<never>(() => {
      if (isKnown(restriction)) {
        written();
        return silent(atOnce(() => undefined));
      }
      const event = { kind: 'symbol-halted' as const, at: clock.now(), symbol, rule, reason };
      return silent(eachAs(recorder.record(event), written));
    });
  }

  function ended(wish: GateWish, ends: readonly string[], equity?: Decimal): Observable<GateMove> {
    const { by, rule, reason } = wish;
    const event = {
      ...{ kind: 'gate-moved' as const, at: clock.now(), state: 'active' as const, by, rule, reason, ends },
      ...(equity === undefined ? {} : { equity }),
    };
    return eachAs(recorder.record(event), () => ({ kind: 'moved', standing: standing() }));
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
    symbolHalt: (symbol) =>
      haltedSymbols(gate).get(symbol)?.reason ??
      [...pending.values()].find((each) => each.symbol === symbol)?.reason,
    impose,
    haltSymbol,
    end: (cause, wish) =>
      inOrder<GateMove>(() =>
        gate.restrictions.has(cause) ? ended(wish, [cause]) : atOnce(() => ({ kind: 'stays' })),
      ),
    seen: () => ({ serial, mark: killMark?.read() }),
    supersededBy,
    resume: (wish, seen, equity) =>
      inOrder<GateMove>(() => {
        const later = supersededBy(seen);
        if (later !== undefined) return atOnce(() => ({ kind: 'refused', why: `Cannot resume: ${later}` }));
        if (wish.reason.trim() === '')
          return atOnce(() => ({ kind: 'refused', why: 'Cannot resume without a reason' }));
        const ends = [...gate.restrictions].flatMap(([key, { cause, symbol }]) =>
          symbol === undefined && cause !== SCHEDULE_CAUSE && (imposedAt.get(key) ?? 0) <= seen.serial
            ? [key]
            : [],
        );
        const lift = (move: GateMove): GateMove => {
          if (seen.mark !== undefined) killMark?.lift(seen.mark);
          return move;
        };
        if (ends.length === 0 && seen.mark === undefined) return atOnce(() => ({ kind: 'stays' }));
        return eachAs(ended(wish, ends, equity), lift);
      }),
  };
}
