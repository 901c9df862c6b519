import { FILLED_BY, type FillColumns } from '../events/curve/fill-columns.ts';
import type { RunRecord } from '../events/run-record.ts';
import type { BookedFill } from '../model/fill.ts';
import type { IntentId } from '../model/order.ts';
import { millis } from '../model/time.ts';
import { wholeSeconds } from '../model/whole-seconds.ts';
import type { RoundTrip } from './trades.ts';

/** What closed a trade: an exit of its bracket, another order of the bot, an external order, or a delisting. */
export type ExitReason =
  | 'stop'
  | 'trailing-stop'
  | 'target'
  | 'close'
  | 'order'
  | 'external'
  | 'corporate-action';

export const EXIT_DEFINITION =
  "Exit reason: the bracket's stop, trailing stop, target, or market close of a position; another order of the bot; an order from outside the bot; or a corporate action";

const REASONS: Readonly<Record<string, ExitReason>> = {
  stop: 'stop',
  trail: 'trailing-stop',
  target: 'target',
  close: 'close',
};

/**
 * The fills of one symbol and direction within a second. An exit among them is the reason: an order at the same time
 * may open the next trade.
 */
class ReasonsOfFills {
  readonly #byFill = new Map<string, ExitReason>();

  note(symbol: string, at: number, sells: boolean, reason: ExitReason): void {
    const key = `${symbol} ${at} ${sells}`;
    const before = this.#byFill.get(key);
    const isExit = before !== undefined && before !== 'order' && before !== 'external';
    if (!isExit || (reason !== 'order' && reason !== 'external')) this.#byFill.set(key, reason);
  }

  of({ symbol, closedAt, direction }: ClosedTrade): ExitReason {
    return this.#byFill.get(`${symbol} ${closedAt} ${direction === 'long'}`) ?? 'corporate-action';
  }
}

type ClosedTrade = Pick<RoundTrip, 'symbol' | 'closedAt' | 'direction'>;

/** Returns a function that gives the reason why a trade of the run was closed. */
export function exitReasonsOf(
  record: Pick<RunRecord, 'fillColumns' | 'decisions' | 'earlierOrders' | 'securities'>,
): (trade: ClosedTrade) => ExitReason {
  if (record.fillColumns !== undefined) return columnReasons(record.fillColumns, record.securities);
  const slots = new Map<IntentId, string>();
  for (const [intentId, { link }] of record.earlierOrders ?? [])
    if (link?.exit === true) slots.set(intentId, link.slot);
  const reasons = new ReasonsOfFills();
  const note = ({ symbol, time, side }: BookedFill, reason: ExitReason): void =>
    reasons.note(symbol, time, side === 'sell', reason);
  for (const decision of record.decisions ?? []) {
    if (decision.kind === 'intent-drafted' && decision.link?.exit === true)
      slots.set(decision.intentId, decision.link.slot);
    else if (decision.kind === 'order-filled')
      note(decision.fill, REASONS[slots.get(decision.intentId) ?? ''] ?? 'order');
    else if (decision.kind === 'foreign-filled') note(decision.fill, 'external');
  }
  return (trade) => reasons.of(trade);
}

/** The same for fills in columns, which contain their reason. */
function columnReasons(
  { security, at, by, quantity, length }: FillColumns,
  securities: RunRecord['securities'],
): ReturnType<typeof exitReasonsOf> {
  const reasons = new ReasonsOfFills();
  for (let row = 0; row < length; row += 1) {
    const symbol = securities[security[row] as number]?.symbol ?? '';
    const reason = REASONS[FILLED_BY[by[row] as number] ?? ''] ?? 'order';
    const sells = (quantity[row] as number) < 0;
    reasons.note(symbol, wholeSeconds(millis(at[row] as number)), sells, reason);
  }
  return (trade) => reasons.of(trade);
}
