import type { Decimal } from './decimal.ts';
import type { Market, SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/**
 * What the gate lets through at all, from the mildest to the strictest: everything that the limits bear (`active`), only
 * what reduces exposure (`reduce-only`), nothing that a strategy asks for (`halted`), and the same with every open order
 * to be cancelled (`killed`). An operator's flatten passes in every state.
 */
export const GATE_STATES = ['active', 'reduce-only', 'halted', 'killed'] as const;
export type GateState = (typeof GATE_STATES)[number];

/** Origins of gate changes: a person, one of the gate's own rules, or the comparison of our books with the venue's. */
export const GATE_ACTORS = ['operator', 'gate', 'books'] as const;
export type GateActor = (typeof GATE_ACTORS)[number];

/** The state of the gate, its origin and reason. */
export interface GateStanding {
  readonly state: GateState;
  readonly by: GateActor;
  /** The rule that moved it, or what the operator used: `daily-loss`, `resume`. */
  readonly rule: string;
  readonly reason: string;
  readonly since: Millis;
}

/**
 * One cause that restricts the gate, for the whole account or for one symbol. Each cause has one entry; the strictest entry of the
 * account is what the gate goes by, and the end of a cause removes its own entry and no other.
 */
export interface Restriction {
  /** What restricts: `operator`, `kill`, `schedule`, a rule such as `daily-loss`, or a finding such as `books-differ`. */
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

/** The cause of a schedule's closed hours, of a market or of the whole bot: nothing opens, and the gate's own state stays as it is. */
export function scheduleCause(market?: Market): string {
  return market === undefined ? SCHEDULE_CAUSE : `${SCHEDULE_CAUSE} ${market}`;
}

/** True for the closed hours of a schedule, of one market or of all. */
export function isScheduleCause(cause: string): boolean {
  return cause === SCHEDULE_CAUSE || cause.startsWith(`${SCHEDULE_CAUSE} `);
}

/** Key of a restriction in the set: one entry a cause, and one a cause and symbol. */
export function restrictionKey({ cause, symbol }: Pick<Restriction, 'cause' | 'symbol'>): string {
  return symbol === undefined ? cause : `${cause} ${symbol}`;
}

/** What a transition restricts by: the cause that it names, else the rule behind it; an operator's commands share one entry, but for the kill. */
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

/** True when one state lets less through than another. */
export function isStricter(one: GateState, other: GateState): boolean {
  return GATE_STATES.indexOf(one) > GATE_STATES.indexOf(other);
}

/** The restriction that the account goes by: of the strictest the one that came first; undefined when there is none. */
export function strictestOf(restrictions: Iterable<Restriction>): Restriction | undefined {
  let strictest: Restriction | undefined;
  for (const each of restrictions) {
    if (each.symbol !== undefined || isScheduleCause(each.cause)) continue;
    if (strictest === undefined || isStricter(each.state, strictest.state)) strictest = each;
  }
  return strictest;
}

/** Restrictions with the strictest first; those of one state keep their order. */
export function byStrictness(restrictions: readonly Restriction[]): readonly Restriction[] {
  return restrictions.toSorted(
    (one, other) => GATE_STATES.indexOf(other.state) - GATE_STATES.indexOf(one.state),
  );
}

/** A kill of the kill file; the file does not say since when. */
export function markedRestriction(reason: string): Restriction {
  return { cause: 'kill', state: 'killed', by: 'operator', rule: 'kill', reason, since: 0 as Millis };
}

/** Restrictions together with the kill that the kill file names, unless one of them is that kill. */
export function withMarkedKill(
  restrictions: readonly Restriction[],
  reason: string | undefined,
): readonly Restriction[] {
  const isKilled = restrictions.some(({ state }) => state === 'killed');
  return reason === undefined || isKilled ? restrictions : [...restrictions, markedRestriction(reason)];
}

/** The state of the gate under a restriction. */
export function standingOf({ state, by, rule, reason, since }: Restriction): GateStanding {
  return { state, by, rule, reason, since };
}

/** The initial state of the gate. */
export const GATE_AT_START: GateStanding = {
  state: 'active',
  by: 'operator',
  rule: 'start',
  reason: '',
  since: 0 as Millis,
};

/** What an operator put down with a resume: losses and drawdown count from here on. */
export interface Resumed {
  readonly at: Millis;
  /** Equity then, in the account's currency; undefined when it was not known. */
  readonly equity: Decimal | undefined;
}
