import type { SluiceEvent } from '../events/event.ts';
import { isTerminalStatus } from '../model/order.ts';

interface Open {
  readonly symbol: string;
  /** Signed quantity that the order may still execute. */
  rest: number;
}

/** A sale that was denied because the position is already sold or being sold. */
export interface Oversale {
  readonly at: number;
  readonly symbol: string;
  readonly quantity: number;
}

/** Positions that orders led to, or could have led to. */
export interface Holdings {
  /**
   * The largest position of any one symbol, long or short, that was held or would have been held if all open orders
   * had filled.
   */
  readonly most: number;
  readonly oversale: Oversale | undefined;
}

/** Tracks positions and orders through a run. */
export function holdingsIn(events: readonly SluiceEvent[]): Holdings {
  const open = new Map<string, Open>();
  let oversale: Oversale | undefined;
  const held = new Map<string, number>();
  let most = 0;
  const look = (symbol: string): void => {
    const rests = [...open.values()].filter((order) => order.symbol === symbol).map((order) => order.rest);
    const now = held.get(symbol) ?? 0;
    const longest = rests.filter((rest) => rest > 0).reduce((sum, rest) => sum + rest, now);
    const shortest = rests.filter((rest) => rest < 0).reduce((sum, rest) => sum + rest, now);
    most = Math.max(most, longest, -shortest);
  };
  for (const event of events) {
    switch (event.kind) {
      case 'intent-drafted': {
        const { symbol, side, quantity } = event.terms;
        open.set(event.intentId, {
          symbol,
          rest: side === 'buy' ? quantity.toNumber() : -quantity.toNumber(),
        });
        break;
      }
      case 'intent-armed': {
        const order = open.get(event.intentId);
        if (order !== undefined && event.quantity !== undefined)
          order.rest = Math.sign(order.rest) * event.quantity.toNumber();
        break;
      }
      case 'submit-sending':
        look(open.get(event.intentId)?.symbol ?? '');
        break;
      case 'intent-denied': {
        const { symbol = '', rest = 0 } = open.get(event.intentId) ?? {};
        open.delete(event.intentId);
        const buys = [...open.values()].filter((order) => order.symbol === symbol && order.rest > 0);
        const coming = buys.reduce((sum, order) => sum + order.rest, held.get(symbol) ?? 0);
        if (event.rule === 'no-short' && -rest > coming)
          oversale ??= { at: event.at, symbol, quantity: -rest };
        break;
      }
      case 'submit-refused':
        open.delete(event.intentId);
        break;
      case 'order-moved':
        if (isTerminalStatus(event.status)) open.delete(event.intentId);
        break;
      case 'order-filled': {
        const { symbol, side, quantity } = event.fill;
        const signed = side === 'buy' ? quantity.toNumber() : -quantity.toNumber();
        const order = open.get(event.intentId);
        if (order !== undefined) order.rest -= signed;
        held.set(symbol, (held.get(symbol) ?? 0) + signed);
        look(symbol);
        break;
      }
      default:
        break;
    }
  }
  return { most, oversale };
}
