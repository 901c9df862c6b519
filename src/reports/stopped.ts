import type { RunRecord } from '../events/run-record.ts';
import type { GateState } from '../model/gate.ts';
import type { Millis } from '../model/time.ts';

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

/** How a run's gate stood at its end, where it had stopped opening; undefined where it lets orders through, or nobody knows. */
export function stoppedOf({ gate, equity }: Pick<RunRecord, 'gate' | 'equity'>): Stopped | undefined {
  if (gate === undefined || gate.state === 'active') return undefined;
  const { since, state, rule, reason } = gate;
  const after = equity.time.reduce((count, time) => (time > since ? count + 1 : count), 0);
  return { since, state, rule, reason, share: after / Math.max(1, equity.time.length), line: WIDEST[rule] };
}

/** What a report says of it; `since` as an instant or its ISO-8601 text. */
export function stoppedText(
  { since, state, rule, reason, share, line }: Omit<Stopped, 'since'> & { readonly since: Millis | string },
  config: string,
): string {
  const day = new Date(since).toISOString().slice(0, 10);
  const closes = `${Math.round(share * 100)}% of the closes of this run`;
  const what = `Nothing opened after ${day} (${closes}): the gate is ${state} by ${rule}: ${reason}, and nobody resumed it`;
  if (line === undefined) return what;
  return `${what}. To see the strategy without this limit, write "${line}" under "risk:" in ${config}`;
}
