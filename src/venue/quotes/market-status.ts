import { dayOf, sessionAt, sessionsOf } from '../../markets/sessions.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { type Handler, ok } from '../calls/call.ts';
import type { MarketHours } from '../venue-options.ts';

export interface StatusParts {
  readonly simulation: Pick<Simulation, 'now' | 'securities'>;
  readonly hours: MarketHours;
}

/** The broker's codes of the phases of a trading day. @see docs/wire-protocol.md, "Calls" */
const US_STATUS = { pre: 201, regular: 202, post: 203, closed: 204, overnight: 207 } as const;
const OTHER_STATUS = {
  'opening-auction': 102,
  regular: 105,
  break: 106,
  'closing-auction': 107,
  closed: 108,
} as const;

/**
 * Returns the current phase of each market of the venue. Quotes are not delayed, so the delayed status is the same.
 */
export function marketStatusHandler({ simulation, hours }: StatusParts): Handler<'marketStatus'> {
  return () => {
    const now = simulation.now();
    const timestamp = String(Math.floor(now / SECOND_MS));
    const markets = new Set(simulation.securities().map(({ symbol }) => marketOf(symbol)));
    const rows = [...markets].toSorted().map((market) => {
      const status = statusOf(market, now, hours);
      return {
        market,
        trade_status: status,
        timestamp,
        delay_trade_status: status,
        delay_timestamp: timestamp,
        sub_status: 0,
        delay_sub_status: 0,
      };
    });
    return ok({ market_time: rows });
  };
}

function statusOf(market: string, now: Millis, hours: MarketHours): number {
  const kind = hours === 'always' ? 'regular' : sessionAt(market, now)?.kind;
  if (market === 'US') {
    if (kind === 'pre' || kind === 'post' || kind === 'overnight' || kind === 'regular')
      return US_STATUS[kind];
    return US_STATUS.closed;
  }
  if (kind === 'regular' || kind === 'opening-auction' || kind === 'closing-auction')
    return OTHER_STATUS[kind];
  return isBreak(market, now) ? OTHER_STATUS.break : OTHER_STATUS.closed;
}

function isBreak(market: string, now: Millis): boolean {
  const regular = sessionsOf(market, dayOf(market, now)).filter((session) => session.kind === 'regular');
  return regular.some((session) => session.close <= now) && regular.some((session) => session.open > now);
}
