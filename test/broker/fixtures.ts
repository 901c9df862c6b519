import { type BrokerClient, type BrokerClientOptions, createBrokerClient } from '#src/broker/connect.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { intentId, type OrderTerms } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { Alarms } from '#src/ports/alarms.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { CREDENTIALS, type FakeVenue } from './fake-venue.ts';
import { createHandClock, type HandClock } from './hand-clock.ts';

export const TENCENT = securitySymbol('700.HK');
export const APPLE = securitySymbol('AAPL.US');
export const INTENT = intentId('ABCDEFGHIJKLMNOP');
export const DEPLOYMENT = 'TEST';

export const TERMS: OrderTerms = {
  symbol: TENCENT,
  side: 'buy',
  type: 'LO',
  quantity: decimal('100'),
  timeInForce: 'day',
  price: decimal('412.4'),
};

/** The fields of an order that the venue sends; without them it cannot be read. */
export const ORDER_ROW = {
  order_id: '709043056541253632',
  status: 'NewStatus',
  quantity: '100',
  executed_quantity: '0',
  price: '412.4',
  executed_price: '0',
  submitted_at: '1700000000',
  side: 'Sell',
  symbol: '700.HK',
  order_type: 'LO',
  time_in_force: 'Day',
  currency: 'HKD',
};

export interface Bench {
  readonly client: BrokerClient;
  readonly clock: HandClock;
  readonly alarms: Alarm[];
}

/** A client of the fake venue, on a clock that only moves on request; its jitter is always half of the range. */
export function benchOn(venue: FakeVenue, more: Partial<BrokerClientOptions> = {}): Bench {
  const clock = createHandClock();
  const alarms: Alarm[] = [];
  const sink: Alarms = { raise: (alarm) => alarms.push(alarm) };
  const client = createBrokerClient({
    httpUrl: venue.httpUrl,
    quoteWsUrl: venue.quoteWsUrl,
    tradeWsUrl: venue.tradeWsUrl,
    credentials: CREDENTIALS,
    profile: PROFILES.documented,
    machine: clock,
    market: () => millis(1_705_330_800_000),
    random: { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
    deployment: DEPLOYMENT,
    alarms: sink,
    ...more,
  });
  return { client, clock, alarms };
}
