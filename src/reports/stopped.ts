import type { RunRecord } from '../events/run-record.ts';
import type { GateState } from '../model/gate.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** That a gate let nothing open any more, from when on, by what, and for how much of the run. */
export interface Stopped {
  readonly since: Millis;
  readonly state: GateState;
  readonly rule: string;
  readonly reason: string;
  /** Share of the run's closes that came after. */
  readonly share: number;
  /** The line under `risk` by which the limit no longer stops a run; undefined where no limit of a config did. */
  readonly line: string | undefined;
}

/** The widest value that a config may give to the limit behind each rule that moves the gate. */
const WIDEST: Readonly<Record<string, string>> = {
  'daily-loss': 'maxDailyLoss: 100%',
  drawdown: 'maxDrawdown: 100%',
  runaway: 'maxUnattendedFills: 10000',
  'repeated-breach': 'maxBreaches: 1000',
};

/** State of a run's gate at its end if it no longer opened; undefined if it let orders through, or is not known. */
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

/** Sums up the stops after which an assumed operator resumed, by rule, the most frequent first; empty where there are none. */
export function stopsOf({ stops = [] }: Pick<RunRecord, 'stops'>): readonly StopsByRule[] {
  const byRule = new Map<string, StopsByRule>();
  for (const { rule, reason, at } of stops) {
    const before = byRule.get(rule) ?? { rule, count: 0, firstAt: at, reason, line: WIDEST[rule] };
    byRule.set(rule, { ...before, count: before.count + 1 });
  }
  return [...byRule.values()].sort((one, other) => other.count - one.count);
}

/** Text of a report about the stops; `firstAt` as an instant or its ISO-8601 text, `line` absent or null where there is none. */
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
  const often = total === 1 ? 'once, and it' : `${countText(total)} times, and each time it`;
  const what = `Risk limits stopped this run ${often} went on with the next trading day, as an operator would have it (${each.join('; ')})`;
  const lines = stops.flatMap(({ line }) => (line === undefined || line === null ? [] : [`"${line}"`]));
  if (lines.length === 0) return what;
  return `${what}. To see the strategy without that, write ${lines.join(' and ')} under "risk:" in ${config}`;
}

/** Text of a report about the stopped gate; `since` as an instant or its ISO-8601 text. */
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
