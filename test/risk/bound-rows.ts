import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import {
  fills,
  holding,
  limited,
  lostSince,
  lots,
  market,
  passedBefore,
  peak,
  quoted,
  type Row,
  selling,
  soldBefore,
} from './bound-row.ts';
import { ALIBABA, HK_MORNING } from './bounded.ts';

/** Limits on the account after an order. */
export const ACCOUNT_ROWS: readonly Row[] = [
  {
    rule: 'buy-limit',
    limit: 'useMargin: false',
    at: [lots(2)],
    beyond: [lots(3)],
    says: 'Wants 300 of "700.HK", buy limit is 200 in cash',
  },
  {
    rule: 'buy-limit',
    limit: 'useMargin: true',
    at: [lots(3)],
    beyond: [lots(4)],
    says: "buy limit is 300 with the venue's credit",
  },
  {
    rule: 'margin-headroom',
    limit: 'marginHeadroom: 90%',
    world: ({ world }) => {
      const half = { maintenance: decimal('0.5'), forced: decimal('0.5') };
      world.margins.set(TENCENT, { value: { initial: decimal('1'), ...half }, at: HK_MORNING });
    },
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'Order needs 1000.63 USD of margin, 1000.00 USD of the buy power may be used',
  },
  {
    rule: 'max-order-notional',
    limit: 'maxOrderNotional: 1000 USD',
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'Order is worth 1000.63 USD, limit is 1000.00 USD',
  },
  {
    rule: 'max-order-quantity',
    limit: 'maxOrderQuantity: 100 shares',
    at: [lots(1)],
    beyond: [lots(2)],
    says: 'Order is for 200 shares, limit is 100 shares',
  },
  {
    rule: 'max-position-weight',
    limit: 'maxPositionWeight: 20%',
    world: holding(1),
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: '"700.HK" would make up 20.0125% of equity, limit is 20%',
  },
  {
    rule: 'max-position-quantity',
    limit: 'maxPositionQuantity: 200 shares',
    world: holding(1),
    at: [lots(1)],
    beyond: [lots(2)],
    says: 'could become 300 shares, limit is 200 shares',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 20%',
    world: (rig) => rig.hold(ALIBABA, -100),
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'gross exposure could become 20.0063% of equity, limit is 20%',
  },
  {
    rule: 'max-net-exposure',
    limit: 'maxNetExposure: 10%',
    world: (rig) => rig.hold(ALIBABA, -100),
    at: [limited('80', 2)],
    beyond: [limited('80.05', 2)],
    says: 'net exposure could become 10.0125% of equity, limit is 10%',
  },
  {
    rule: 'daily-loss',
    limit: 'maxDailyLoss: 2%',
    at: [lots(1), lostSince('96', '9800')],
    beyond: [lots(1), lostSince('96.05', '9799.375')],
    moves: 'killed',
    says: 'The day has cost 2.0063% of equity, limit is 2%',
  },
  {
    rule: 'drawdown',
    limit: 'maxDrawdown: 20%',
    at: [lots(1), peak('12500')],
    beyond: [lots(1), peak('12500.01')],
    moves: 'reduce-only',
    says: 'Equity fell 20.0001% from its peak, limit is 20%',
  },
];

/** Limits on the numbers of orders and fills. */
export const FLOW_ROWS: readonly Row[] = [
  {
    rule: 'max-open-orders',
    limit: 'maxOpenOrders: 3',
    at: [lots(1), (rig) => rig.open(ALIBABA, 'acked', 'unknown')],
    beyond: [lots(1), (rig) => rig.open(ALIBABA, 'acked', 'unknown', 'sending')],
    says: 'Would be open order number 4, limit is 3',
  },
  {
    rule: 'order-rate',
    limit: 'maxOrderRate: 2/min',
    at: [lots(1), passedBefore(60_000, 1)],
    beyond: [lots(1), passedBefore(59_999, 1)],
    says: 'Would be order number 3 within a minute, limit is 2',
  },
  {
    rule: 'duplicate-order',
    limit: 'maxRepeats: 2',
    at: [lots(1), passedBefore(1)],
    beyond: [lots(1), passedBefore(2, 1)],
    says: 'Would be the same order for the 3rd time within 1 min, limit is 2',
  },
  {
    rule: 'duplicate-order',
    limit: 'repeatWindow: 30s',
    also: 'maxRepeats: 1',
    at: [lots(1), passedBefore(30_000)],
    beyond: [lots(1), passedBefore(29_999)],
    says: 'Would be the same order for the 2nd time within 30 s, limit is 1',
  },
  {
    rule: 'close-rate',
    limit: 'maxOrderRate: 2/min',
    world: holding(3),
    at: [selling(1), soldBefore(60_000, 1)],
    beyond: [selling(1), soldBefore(59_999, 1)],
    says: 'Would be order number 3 to sell "700.HK" within a minute, limit is 2',
  },
  {
    rule: 'runaway',
    limit: 'maxUnattendedFills: 2',
    world: fills(1, 86_400_000),
    at: [lots(1), fills(2)],
    beyond: [lots(1), fills(3)],
    moves: 'killed',
    says: '3 fills within 24 h and no operator in between, limit is 2',
  },
];

/** Limits on the order itself and on its facts. */
export const ORDER_ROWS: readonly Row[] = [
  {
    rule: 'price-collar',
    limit: 'priceCollar: 5%',
    at: [limited('84')],
    beyond: [limited('84.05')],
    says: 'Price 84.05 is 5.0625% from the last price 80',
  },
  {
    rule: 'price-collar',
    limit: 'priceCollar: 5%',
    at: [limited('76')],
    beyond: [limited('75.95')],
    says: 'Price 75.95 is 5.0625% from the last price 80',
  },
  {
    rule: 'quote-jump',
    limit: 'maxQuoteJump: 20%',
    at: [lots(1)],
    beyond: [lots(1), quoted({ value: decimal('79.95') })],
    says: 'Quote 79.95 of "700.HK" is 20.05% from its newest close 100',
  },
  { rule: 'lot-and-tick', at: [lots(1)], beyond: [{ quantity: decimal('101') }], says: 'lot of 100' },
  { rule: 'lot-and-tick', at: [limited('80.05')], beyond: [limited('80.06')], says: 'tick of 0.05' },
  {
    rule: 'session',
    limit: 'maxSession: rth-only',
    at: [{ symbol: AAPL, outsideRth: 'rth-only' }],
    beyond: [{ symbol: AAPL, outsideRth: 'any-time' }],
    says: 'Wants to trade in "any-time", allowed is "rth-only"',
  },
  {
    rule: 'session',
    limit: 'maxSession: any-time',
    at: [{ symbol: AAPL, outsideRth: 'any-time' }],
    beyond: [{ symbol: AAPL, outsideRth: 'overnight' }],
    says: 'Wants to trade in "overnight", allowed is "any-time"',
  },
  {
    rule: 'stale-quote',
    limit: 'maxQuoteAge: 3s',
    at: [lots(1), quoted({ at: millis(HK_MORNING - 3_000) })],
    beyond: [lots(1), quoted({ at: millis(HK_MORNING - 3_001) })],
    says: 'is 3001 ms old, limit is 3000 ms',
  },
  {
    rule: 'crossed-book',
    at: [market, quoted({ bid: decimal('79.95'), ask: decimal('80') })],
    beyond: [market, quoted({ bid: decimal('80'), ask: decimal('80') })],
    says: 'is locked: bid 80, ask 80',
  },
  {
    rule: 'restricted',
    limit: 'restricted: [700.HK]',
    world: holding(1),
    at: [selling(1)],
    beyond: [lots(1)],
    says: '"700.HK" is on the restricted list',
  },
  {
    rule: 'no-short',
    limit: 'allowShort: false',
    world: holding(1),
    at: [selling(1)],
    beyond: [selling(2)],
    says: 'Wants to sell 200 of "700.HK", held and free is 100',
  },
];
