import { FILLED_BY, type FillColumns } from '../events/curve/fill-columns.ts';
import type { RunRecord } from '../events/run-record.ts';
import type { BookedFill } from '../model/fill.ts';
import type { IntentId } from '../model/order.ts';
import { millis } from '../model/time.ts';
import { wholeSeconds } from '../model/whole-seconds.ts';
import type { RoundTrip } from './trades.ts';

/** What closed a trade: an exit of its bracket, another order of the bot, an order from outside the bot, or a delisting. */
export type ExitReason =
  | 'stop'
  | 'trailing-stop'
  | 'target'
  | 'close'
  | 'order'
  | 'external'
  | 'corporate-action';

export const EXIT_DEFINITION =
  "Closed by: the bracket's stop, trailing stop, target, or market close of a position; another order of the bot; an order from outside the bot; or a corporate action";

const REASONS: Readonly<Record<string, ExitReason>> = {
  stop: 'stop',
  trail: 'trailing-stop',
  target: 'target',
  close: 'close',
};

const key = (symbol: string, at: number): string => `${symbol} ${at}`;

/** Returns a function that gives the reason for which a trade of the run was closed. */
export function exitReasonsOf(
  record: Pick<RunRecord, 'fillColumns' | 'decisions' | 'earlierOrders' | 'securities'>,
): (trade: Pick<RoundTrip, 'symbol' | 'closedAt'>) => ExitReason {
  if (record.fillColumns !== undefined) return columnReasons(record.fillColumns, record.securities);
  const slots = new Map<IntentId, string>();
  for (const [intentId, { link }] of record.earlierOrders ?? [])
    if (link?.exit === true) slots.set(intentId, link.slot);
  // A trade closes with the last fill of its symbol at that instant.
  const byFill = new Map<string, ExitReason>();
  const note = ({ symbol, time }: BookedFill, reason: ExitReason): void =>
    void byFill.set(key(symbol, time), reason);
  for (const decision of record.decisions ?? []) {
    if (decision.kind === 'intent-drafted' && decision.link?.exit === true)
      slots.set(decision.intentId, decision.link.slot);
    else if (decision.kind === 'order-filled')
      note(decision.fill, REASONS[slots.get(decision.intentId) ?? ''] ?? 'order');
    else if (decision.kind === 'foreign-filled') note(decision.fill, 'external');
  }
  return ({ symbol, closedAt }) => byFill.get(key(symbol, closedAt)) ?? 'corporate-action';
}

/** The same of fills in columns, which hold a reason each. */
function columnReasons(
  { security, at, by, length }: FillColumns,
  securities: RunRecord['securities'],
): ReturnType<typeof exitReasonsOf> {
  const byFill = new Map<string, ExitReason>();
  for (let row = 0; row < length; row += 1) {
    const symbol = securities[security[row] as number]?.symbol ?? '';
    const reason = REASONS[FILLED_BY[by[row] as number] ?? ''] ?? 'order';
    byFill.set(key(symbol, wholeSeconds(millis(at[row] as number))), reason);
  }
  return ({ symbol, closedAt }) => byFill.get(key(symbol, closedAt)) ?? 'corporate-action';
}
