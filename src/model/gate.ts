import type { Decimal } from './decimal.ts';
import type { Market, SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/**
 * Gate states, from least to most strict: everything within limits passes (`active`), only what reduces exposure
 * (`reduce-only`), nothing from strategies (`halted`), and likewise with all open orders cancelled (`killed`). An
 * operator's flatten passes in every state.
 */
export const GATE_STATES = ['active', 'reduce-only', 'halted', 'killed'] as const;
export type GateState = (typeof GATE_STATES)[number];

/** Origins of gate changes: a person, a rule of the gate, or reconciliation of our books with the venue's. */
export const GATE_ACTORS = ['operator', 'gate', 'books'] as const;
export type GateActor = (typeof GATE_ACTORS)[number];

/** The gate's state, with its origin and reason. */
export interface GateStanding {
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that set the state, or the operator's command: `daily-loss`, `resume`. */
  readonly rule: string;
  readonly reason: string;
  readonly since: Millis;
}

/**
 * A restriction of the gate by one cause, for the account or one symbol. The strictest account-wide restriction
 * decides; when a cause ends, only its own restriction is removed.
 */
export interface Restriction {
  /** `operator`, `kill`, `schedule`, a rule such as `daily-loss`, or a finding such as `books-differ`. */
  readonly cause: string;
  /** Absent: the whole account. */
  readonly symbol?: SecuritySymbol;
  readonly state: Exclude<GateState, 'active'>;
  readonly by: GateActor;
  readonly rule: string;
  readonly reason: string;
  readonly since: Millis;
}

const SCHEDULE_CAUSE = 'schedule';

/**
 * Returns the cause of a schedule's closed hours, of a market or the whole bot. It prevents opening without changing
 * the gate's own state.
 */
export function scheduleCause(market?: Market): string {
  return market === undefined ? SCHEDULE_CAUSE : `${SCHEDULE_CAUSE} ${market}`;
}

/** True for the closed hours of a schedule, of one market or all. */
export function isScheduleCause(cause: string): boolean {
  return cause === SCHEDULE_CAUSE || cause.startsWith(`${SCHEDULE_CAUSE} `);
}

/** Returns the key of a restriction: one entry per cause, or per cause and symbol. */
export function restrictionKey({ cause, symbol }: Pick<Restriction, 'cause' | 'symbol'>): string {
  return symbol === undefined ? cause : `${cause} ${symbol}`;
}

/**
 * Returns the cause of a transition: the given one, otherwise its rule. An operator's commands share one entry, except
 * the kill.
 */
export function causeOf({
  cause,
  by,
  rule,
}: {
  readonly cause?: string;
  readonly by: GateActor;
  readonly rule: string;
}): string {
  if (cause !== undefined) return cause;
  return by === 'operator' && rule !== 'kill' ? 'operator' : rule;
}

export function isStricter(one: GateState, other: GateState): boolean {
  return GATE_STATES.indexOf(one) > GATE_STATES.indexOf(other);
}

/**
 * Returns the account-wide restriction that decides: the first of the strictest; undefined if there is none. Schedules
 * do not count.
 */
export function strictestOf(restrictions: Iterable<Restriction>): Restriction | undefined {
  let strictest: Restriction | undefined;
  for (const each of restrictions) {
    if (each.symbol !== undefined || isScheduleCause(each.cause)) continue;
    if (strictest === undefined || isStricter(each.state, strictest.state)) strictest = each;
  }
  return strictest;
}

/** Sorts restrictions by strictness, strictest first; the sort is stable. */
export function byStrictness(restrictions: readonly Restriction[]): readonly Restriction[] {
  return restrictions.toSorted(
    (one, other) => GATE_STATES.indexOf(other.state) - GATE_STATES.indexOf(one.state),
  );
}

/** Returns the restriction of the kill file, which has no start time. */
export function markedRestriction(reason: string): Restriction {
  return { cause: 'kill', state: 'killed', by: 'operator', rule: 'kill', reason, since: 0 as Millis };
}

/** Adds the kill of the kill file, unless a restriction already kills. */
export function withMarkedKill(
  restrictions: readonly Restriction[],
  reason: string | undefined,
): readonly Restriction[] {
  const isKilled = restrictions.some(({ state }) => state === 'killed');
  return reason === undefined || isKilled ? restrictions : [...restrictions, markedRestriction(reason)];
}

export function standingOf({ state, by, rule, reason, since }: Restriction): GateStanding {
  return { state, by, rule, reason, since };
}

export const GATE_AT_START: GateStanding = {
  state: 'active',
  by: 'operator',
  rule: 'start',
  reason: '',
  since: 0 as Millis,
};

/** The baseline that an operator's resume sets for losses and drawdown. */
export interface Resumed {
  readonly at: Millis;
  /** Equity at that time, in the account's currency; undefined if unknown. */
  readonly equity: Decimal | undefined;
}
