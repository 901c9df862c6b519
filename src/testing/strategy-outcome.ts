import type { SluiceEvent } from '../events/event.ts';
import { noteOf } from '../events/records/strategy-state-record.ts';
import type { RunRecord } from '../events/run-record.ts';
import type { ReadStatus } from '../model/order.ts';
import { type PlainData, stateOf } from '../strategy/state.ts';

/** Final status of an order that the strategy requested; `asked` if none was reached before the end of the run. */
export type OrderFate =
  | 'asked'
  | 'denied'
  | 'refused'
  | 'working'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'rejected'
  | 'unknown';

/** An order that the strategy requested, and its outcome; figures are numbers, for comparisons. */
export interface ObservedOrder {
  /** ISO 8601, UTC, market time. */
  readonly time: string;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly reason: string;
  readonly fate: OrderFate;
  /** The reason of the gate or the venue; empty if there is none. */
  readonly why: string;
  /** Name of the rule that denied it. */
  readonly rule: string | undefined;
  readonly filled: number;
}

/** One execution; figures are numbers, for comparisons. */
export interface FillRecord {
  readonly time: string;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly price: number;
}

/** Result of a strategy in a market situation. */
export interface StrategyOutcome {
  /** In the order in which they were requested. */
  readonly orders: readonly ObservedOrder[];
  readonly fills: readonly FillRecord[];
  /** Signed quantity at the end; of the first symbol unless another is given. */
  position(symbol?: string): number;
  /** The strategy's state at the end; undefined if it declares no `state`. */
  readonly state: PlainData | undefined;
  /** Equity after the last close, in the account's currency. */
  readonly equity: number;
  /** What the strategy threw; it was not called again. */
  readonly error: string | undefined;
  /** The whole run; undefined if the strategy threw. */
  readonly record: RunRecord | undefined;
}

/** Returns the orders in the order in which they were requested. */
export function ordersIn(events: readonly SluiceEvent[]): readonly ObservedOrder[] {
  const orders = new Map<string, ObservedOrder>();
  const change = (id: string, by: Partial<ObservedOrder>): void => {
    const order = orders.get(id);
    if (order !== undefined) orders.set(id, { ...order, ...by });
  };
  for (const event of events) {
    switch (event.kind) {
      case 'intent-drafted':
        orders.set(event.intentId, drafted(event));
        break;
      case 'intent-armed':
        if (event.quantity !== undefined) change(event.intentId, { quantity: event.quantity.toNumber() });
        break;
      case 'intent-denied':
        change(event.intentId, { fate: 'denied', rule: event.rule, why: event.reason });
        break;
      case 'submit-refused':
        change(event.intentId, { fate: 'refused', why: event.message });
        break;
      case 'submit-unknown':
        change(event.intentId, { fate: 'unknown', why: event.message });
        break;
      case 'submit-acked':
        change(event.intentId, { fate: 'working' });
        break;
      case 'order-moved':
        change(event.intentId, { fate: fateOf(event.status), why: event.message });
        break;
      case 'order-filled': {
        const before = orders.get(event.intentId)?.filled ?? 0;
        change(event.intentId, { filled: before + event.fill.quantity.toNumber() });
        break;
      }
      default:
        break;
    }
  }
  return [...orders.values()];
}

export function fillsIn(events: readonly SluiceEvent[]): readonly FillRecord[] {
  return events.flatMap((event) => {
    if (event.kind !== 'order-filled') return [];
    const { time, symbol, side, quantity, price } = event.fill;
    return [{ time: instant(time), symbol, side, quantity: quantity.toNumber(), price: price.toNumber() }];
  });
}

/** Returns the strategy's state after the last event; undefined if it has none. */
export function stateAfter(events: readonly SluiceEvent[]): PlainData | undefined {
  const newest = events.findLast((event) => noteOf(event)?.state !== undefined);
  const lastState = newest === undefined ? undefined : noteOf(newest)?.state;
  return lastState === undefined ? undefined : stateOf(lastState.text);
}

/** Returns the signed quantity of a symbol after the fills. */
export function heldAfter(fills: readonly FillRecord[], symbol: string): number {
  return fills
    .filter((fill) => fill.symbol === symbol)
    .reduce((held, { side, quantity }) => held + (side === 'buy' ? quantity : -quantity), 0);
}

function drafted({ at, terms, reason }: Extract<SluiceEvent, { kind: 'intent-drafted' }>): ObservedOrder {
  const { symbol, side, quantity } = terms;
  const nothing = { fate: 'asked', why: '', rule: undefined, filled: 0 } as const;
  return { time: instant(at), symbol, side, quantity: quantity.toNumber(), reason, ...nothing };
}

const FATES: Partial<Readonly<Record<ReadStatus, OrderFate>>> = {
  FilledStatus: 'filled',
  RejectedStatus: 'rejected',
  CanceledStatus: 'canceled',
  PartialWithdrawal: 'canceled',
  ExpiredStatus: 'expired',
};

function fateOf(status: ReadStatus): OrderFate {
  return FATES[status] ?? 'working';
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
