import { dayOf } from '../markets/sessions.ts';
import { tickSize } from '../markets/ticks.ts';
import { Decimal, type Price } from '../model/decimal.ts';
import type { Quote } from '../model/quote.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';

/** One price level as the wire shows it. */
export interface WireLevel {
  readonly position: number;
  readonly price: string;
  readonly volume: bigint;
  readonly orderNum: bigint;
}

/**
 * The book of a market that is replayed from bars, which have no book: one level on each side, a tick from the last price,
 * with one lot, in one order. It is invented, orders do not fill against it, and a price at one tick has no bid.
 */
export function depthOf(
  security: Security,
  { last, time }: Quote,
): { readonly ask: WireLevel[]; readonly bid: WireLevel[] } {
  const market = marketOf(security.symbol);
  const facts = { market, kind: security.kind };
  const day = dayOf(market, time);
  const ask = last.plus(tickSize(facts, last, day));
  const below = Decimal.max(0, last.minus(tickSize(facts, last, day)));
  const bid = last.minus(tickSize(facts, below, day));
  return { ask: [levelAt(ask, security)], bid: bid.gt(0) ? [levelAt(bid, security)] : [] };
}

function levelAt(price: Price, { lotSize }: Security): WireLevel {
  return { position: 1, price: price.toFixed(), volume: BigInt(lotSize), orderNum: 1n };
}
