import { TENCENT } from '../fixtures/market.ts';
import { holding, limited, lostSince, lots, passedBefore, type Row, selling } from './bound-row.ts';
import { ALIBABA } from './bounded.ts';

/** A strategy's own limits, on an account without limits. */
export const OWN_ROWS: readonly Row[] = [
  {
    rule: 'own-max-order-notional',
    limit: 'maxOrderNotional: 1000 USD',
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'Own limit of "one": Order is worth 1000.63 USD, limit is 1000.00 USD',
  },
  {
    rule: 'own-max-order-notional',
    limit: 'maxOrderNotional: 8000 HKD',
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'Order is worth 8005.00 HKD, limit is 8000.00 HKD',
  },
  {
    rule: 'own-max-order-quantity',
    limit: 'maxOrderQuantity: 100 shares',
    at: [lots(1)],
    beyond: [lots(2)],
    says: 'Order is for 200 shares, limit is 100 shares',
  },
  {
    rule: 'own-max-position-weight',
    limit: 'maxPositionWeight: 20%',
    world: holding(1),
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: '"700.HK" would make up 20.0125% of equity, limit is 20%',
  },
  {
    rule: 'own-max-position-quantity',
    limit: 'maxPositionQuantity: 300 shares',
    world: holding(1),
    at: [lots(1), (rig) => rig.open(TENCENT, 'acked')],
    beyond: [lots(1), (rig) => rig.open(TENCENT, 'acked', 'sending')],
    says: 'Position of "700.HK" could become 400 shares, limit is 300 shares',
  },
  {
    rule: 'own-max-gross-exposure',
    limit: 'maxGrossExposure: 20%',
    world: (rig) => rig.hold(ALIBABA, -100),
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'gross exposure could become 20.0063% of equity, limit is 20%',
  },
  {
    rule: 'own-max-net-exposure',
    limit: 'maxNetExposure: 10%',
    world: (rig) => rig.hold(ALIBABA, -100),
    at: [limited('80', 2)],
    beyond: [limited('80.05', 2)],
    says: 'net exposure could become 10.0125% of equity, limit is 10%',
  },
  {
    rule: 'own-max-open-orders',
    limit: 'maxOpenOrders: 2',
    at: [lots(1), (rig) => rig.open(ALIBABA, 'unknown')],
    beyond: [lots(1), (rig) => rig.open(ALIBABA, 'unknown', 'acked')],
    says: 'Would be open order number 3, limit is 2',
  },
  {
    rule: 'own-order-rate',
    limit: 'maxOrderRate: 2/min',
    at: [lots(1), passedBefore(60_000, 1)],
    beyond: [lots(1), passedBefore(59_999, 1)],
    says: 'Own limit of "one": Would be order number 3 within a minute, limit is 2',
  },
  {
    rule: 'own-daily-loss',
    limit: 'maxDailyLoss: 2%',
    at: [lots(1), lostSince('96', '9800')],
    beyond: [lots(1), lostSince('96.05', '9799.375')],
    says: 'The day has cost 2.0063% of equity, limit is 2%',
  },
  {
    rule: 'own-no-short',
    limit: 'allowShort: false',
    world: holding(1),
    at: [selling(1)],
    beyond: [selling(2)],
    says: 'Wants to sell 200 of "700.HK", held and free is 100',
  },
  {
    rule: 'own-restricted',
    limit: 'restricted: [700.HK]',
    world: holding(1),
    at: [selling(1)],
    beyond: [lots(1)],
    says: '"700.HK" is on the restricted list',
  },
];
