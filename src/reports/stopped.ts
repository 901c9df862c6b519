import type { RunRecord } from '../events/run-record.ts';
import type { GateState } from '../model/gate.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** When and why a gate stopped opening orders, and for how much of the run. */
export interface Stopped {
  readonly since: Millis;
  readonly state: GateState;
  readonly rule: string;
  readonly reason: string;
  /** Share of the run's closes after the stop. */
  readonly share: number;
  /** The line under `risk` that lifts the limit; undefined if no limit of a config caused the stop. */
  readonly line: string | undefined;
}

/** The widest value that a config can give to the limit of each rule that changes the gate. */
const WIDEST: Readonly<Record<string, string>> = {
  'daily-loss': 'maxDailyLoss: 100%',
  drawdown: 'maxDrawdown: 100%',
  runaway: 'maxUnattendedFills: 10000',
  'repeated-breach': 'maxBreaches: 1000',
};

/**
 * Returns the gate's state at the end of a run if it opened no orders any more; undefined if it did, or is not known.
 */
export function stoppedOf({
  gate,
  equity,
  stops,
}: Pick<RunRecord, 'gate' | 'equity' | 'stops'>): Stopped | undefined {
  if (gate === undefined || gate.state === 'active') return undefined;
  const { since, state, rule, reason } = gate;
  const after = equity.time.reduce((count, time) => (time > since ? count + 1 : count), 0);
  // There was no next day on which the simulated operator could resume.
  if (stops !== undefined && after === 0) return undefined;
  return { since, state, rule, reason, share: after / Math.max(1, equity.time.length), line: WIDEST[rule] };
}

/** How often one rule stopped a run that was resumed each time. */
export interface StopsByRule {
  readonly rule: string;
  readonly count: number;
  readonly firstAt: Millis;
  readonly reason: string;
  /** As in Stopped. */
  readonly line: string | undefined;
}

/** Sums up the stops that a simulated operator resumed, by rule, the most frequent first. */
export function stopsOf({ stops = [] }: Pick<RunRecord, 'stops'>): readonly StopsByRule[] {
  const byRule = new Map<string, StopsByRule>();
  for (const { rule, reason, at } of stops) {
    const before = byRule.get(rule) ?? { rule, count: 0, firstAt: at, reason, line: WIDEST[rule] };
    byRule.set(rule, { ...before, count: before.count + 1 });
  }
  return [...byRule.values()].sort((one, other) => other.count - one.count);
}

/** Describes the stops; `firstAt` is a time or its ISO-8601 text, `line` absent or null if there is none. */
export function stopsText(
  stops: readonly (Omit<StopsByRule, 'firstAt' | 'line'> & {
    readonly firstAt: Millis | string;
    readonly line?: string | null | undefined;
  })[],
  config: string,
): string {
  const total = stops.reduce((sum, { count }) => sum + count, 0);
  const each = stops.map(({ rule, count, firstAt, reason }) => {
    const day = new Date(firstAt).toISOString().slice(0, 10);
    return `${countText(count)} by ${rule}, first on ${day}: ${reason}`;
  });
  const often = total === 1 ? 'once, and a' : `${countText(total)} times, and each time a`;
  const what = `Risk limits stopped this run ${often} simulated operator resumed it before the next trading day (${each.join('; ')})`;
  const lines = stops.flatMap(({ line }) => (line === undefined || line === null ? [] : [`"${line}"`]));
  if (lines.length === 0) return what;
  return `${what}. To see the strategy without that, write ${lines.join(' and ')} under "risk:" in ${config}`;
}

/** Describes the stopped gate; `since` is a time or its ISO-8601 text. */
export function stoppedText(
  { since, state, rule, reason, share, line }: Omit<Stopped, 'since'> & { readonly since: Millis | string },
  config: string,
): string {
  const day = new Date(since).toISOString().slice(0, 10);
  const closes = `${Math.round(share * 100)}% of the closes of this run`;
  const what = `Nothing opened after ${day} (${closes}): the gate is ${state} by ${rule}: ${reason}, and it was not resumed`;
  if (line === undefined) return what;
  return `${what}. To see the strategy without this limit, write "${line}" under "risk:" in ${config}`;
}
