import type { RunRecord } from '../events/run-record.ts';
import type { BookedFill } from '../model/fill.ts';
import type { IntentId } from '../model/order.ts';
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

/** Returns a function that gives the reason for which a trade of the run was closed. */
export function exitReasonsOf(
  record: Pick<RunRecord, 'fillColumns' | 'decisions'>,
): (trade: Pick<RoundTrip, 'symbol' | 'closedAt'>) => ExitReason {
  // Runs whose fills are columns have no brackets, and their decisions cost a run of the full engine.
  if (record.fillColumns !== undefined) return () => 'order';
  const slots = new Map<IntentId, string>();
  // A trade closes with the last fill of its symbol at that instant.
  const byFill = new Map<string, ExitReason>();
  const key = (symbol: string, at: number): string => `${symbol} ${at}`;
  const note = ({ symbol, time }: BookedFill, reason: ExitReason): void =>
    void byFill.set(key(symbol, time), reason);
  for (const decision of record.decisions) {
    if (decision.kind === 'intent-drafted' && decision.link?.exit === true)
      slots.set(decision.intentId, decision.link.slot);
    else if (decision.kind === 'order-filled')
      note(decision.fill, REASONS[slots.get(decision.intentId) ?? ''] ?? 'order');
    else if (decision.kind === 'foreign-filled') note(decision.fill, 'external');
  }
  return ({ symbol, closedAt }) => byFill.get(key(symbol, closedAt)) ?? 'corporate-action';
}
