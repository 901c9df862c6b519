import { FULL_MARGIN } from '#src/markets/margin.ts';
import { algorithmId } from '#src/model/algorithm.ts';
import { decimal } from '#src/model/decimal.ts';
import type { GateState } from '#src/model/gate.ts';
import { millis } from '#src/model/time.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { holding, limited, lots, quoted, type Row, selling, type World } from './bound-row.ts';
import { ALIBABA, HK_MORNING } from './bounded.ts';

const gateAt =
  (state: GateState): World =>
  (rig) =>
    rig.tell({
      kind: 'gate-moved',
      at: HK_MORNING,
      state,
      by: 'books',
      rule: 'books',
      reason: 'they differ',
    });
const haltedIn =
  (symbol: typeof TENCENT): World =>
  (rig) =>
    rig.tell({
      kind: 'symbol-halted',
      at: HK_MORNING,
      symbol,
      rule: 'cancel-refused',
      reason: 'three cancels did nothing',
    });
const opening =
  (command: 'stop-opening' | 'start-opening'): World =>
  (rig) =>
    rig.tell({
      kind: 'operator-commanded',
      at: HK_MORNING,
      command,
      by: 'schedule',
      reason: 'the day ends',
      taken: true,
      message: '',
    });
const bothOf =
  (...worlds: readonly World[]): World =>
  (rig) => {
    for (const world of worlds) world(rig);
  };
const answeredIn =
  (ms: number): World =>
  ({ world }) => {
    world.estimateTakesMs = ms;
  };
const comparedBefore =
  (ms: number): World =>
  ({ world }) => {
    world.books = { value: [], at: millis(HK_MORNING - ms) };
  };
const marginBefore =
  (ms: number): World =>
  ({ world }) =>
    void world.margins.set(TENCENT, { value: FULL_MARGIN, at: millis(HK_MORNING - ms) });
const callsFree =
  (count: number): World =>
  ({ world }) => {
    world.callsFree = count;
  };

/** The restriction of the gate, and whether its facts are known and recent. */
export const FACT_ROWS: readonly Row[] = [
  {
    rule: 'gate-state',
    world: bothOf(holding(1), gateAt('reduce-only')),
    at: [selling(1)],
    beyond: [lots(1)],
    says: 'Gate is reduce-only by books: they differ',
  },
  {
    rule: 'gate-state',
    world: holding(1),
    at: [selling(1)],
    beyond: [selling(1), gateAt('halted')],
    says: 'Gate is halted by books: they differ',
  },
  {
    rule: 'symbol-halt',
    at: [lots(1), haltedIn(ALIBABA)],
    beyond: [lots(1), haltedIn(TENCENT)],
    says: 'Nothing is opened in "700.HK": three cancels did nothing',
  },
  {
    rule: 'opening-stopped',
    at: [lots(1), bothOf(opening('stop-opening'), opening('start-opening'))],
    beyond: [lots(1), opening('stop-opening')],
    says: 'Nothing is opened now: the day ends (schedule)',
  },
  {
    rule: 'known-security',
    at: [lots(1), quoted({ status: 'normal' })],
    beyond: [lots(1), quoted({ status: 'suspended' })],
    says: 'Trading of "700.HK" is suspended',
  },
  {
    rule: 'unknown-order',
    at: [lots(1), (rig) => rig.open(ALIBABA, 'unknown')],
    beyond: [lots(1), (rig) => rig.open(TENCENT, 'unknown')],
    says: 'An older order of "700.HK" to buy is unknown',
  },
  {
    rule: 'books-agree',
    at: [lots(1), comparedBefore(0)],
    beyond: [
      lots(1),
      ({ world }) => {
        world.books = { value: ['700.HK is 100 here and 0 at the venue'], at: HK_MORNING };
      },
    ],
    says: "Our books are not known to be the venue's: 700.HK is 100 here and 0 at the venue",
  },
  {
    rule: 'unheard-quote',
    at: [lots(1)],
    beyond: [
      lots(1),
      ({ world }) => {
        world.unheard = 'the quote connection is down';
      },
    ],
    says: 'Quotes of "700.HK" do not arrive: the quote connection is down',
  },
  {
    rule: 'known-facts',
    at: [lots(1), ({ venue }) => void venue.answers.silent.add('positions')],
    beyond: [lots(1), ({ venue }) => void venue.answers.silent.add('balance')],
    says: 'No answer about balance (500: down)',
  },
  {
    rule: 'stale-estimate',
    limit: 'maxEstimateAge: 5s',
    at: [lots(1), answeredIn(5_000)],
    beyond: [lots(1), answeredIn(5_001)],
    says: 'The buy-limit estimate for "700.HK" is 5001 ms old, limit is 5000 ms',
  },
  {
    rule: 'stale-balance',
    limit: 'maxBalanceAge: 10s',
    also: 'maxEstimateAge: 1m',
    at: [lots(1), answeredIn(10_000)],
    beyond: [lots(1), answeredIn(10_001)],
    says: 'The account balance for "700.HK" is 10001 ms old, limit is 10000 ms',
  },
  {
    rule: 'stale-positions',
    limit: 'maxPositionsAge: 1m',
    at: [lots(1), comparedBefore(60_000)],
    beyond: [lots(1), comparedBefore(60_001)],
    says: 'The comparison of positions for "700.HK" is 60001 ms old, limit is 60000 ms',
  },
  {
    rule: 'stale-margin',
    limit: 'maxMarginAge: 4m',
    at: [lots(1), marginBefore(240_000)],
    beyond: [lots(1), marginBefore(240_001)],
    says: 'The margin ratio for "700.HK" is 240001 ms old, limit is 240000 ms',
  },
  {
    rule: 'call-budget',
    at: [lots(1), callsFree(4)],
    beyond: [lots(1), callsFree(3)],
    says: 'No 4 calls are free for an order that opens: 25 of 28 in 31 s are used (9 by opens, 16 by reads, 0 by cancels), and 10 are reserved for cancels, exits and polls',
  },
  {
    rule: 'call-budget',
    world: marginBefore(0),
    at: [lots(1), callsFree(3)],
    beyond: [lots(1), callsFree(2)],
    says: 'No 3 calls are free for an order that opens: 26 of 28 in 31 s are used (10 by opens, 16 by reads, 0 by cancels), and 10 are reserved for cancels, exits and polls',
  },
];

/** An open order for a lot of another stock, whose replace to a higher price is in progress. */
const replacedAt =
  (price: string): World =>
  (rig) => {
    const [intentId] = rig.open(ALIBABA, 'acked');
    if (intentId === undefined) throw new Error('No order is open');
    const terms = termsOf({ symbol: ALIBABA, ...limited(price) });
    rig.tell({ kind: 'replace-sending', at: HK_MORNING, intentId, terms, numbers: [] });
  };
/** Orders to buy a lot of another stock, of which at most one is filled, as they belong to an OCO. */
const excluding =
  (count: number, exclusive: boolean): World =>
  (rig) => {
    for (let leg = 0; leg < count; leg += 1)
      rig.linked(ALIBABA, { algorithm: algorithmId('A'), slot: `leg-${leg}`, exclusive });
  };
const AMERICAN = { symbol: AAPL, type: 'LO', price: decimal('80') } as const;
/** Orders with reservations, which limit what the judged order can use. */
export const RESERVED_ROWS: readonly Row[] = [
  {
    rule: 'max-position-quantity',
    limit: 'maxPositionQuantity: 300 shares',
    at: [lots(1), (rig) => rig.open(TENCENT, 'acked', 'acked')],
    beyond: [lots(1), (rig) => rig.open(TENCENT, 'acked', 'acked', 'acked')],
    says: 'Position of "700.HK" could become 400 shares, limit is 300 shares',
  },
  {
    rule: 'max-position-quantity',
    limit: 'maxPositionQuantity: 200 shares',
    at: [lots(1), (rig) => rig.foreign(TENCENT, 'buy')],
    beyond: [lots(2), (rig) => rig.foreign(TENCENT, 'buy')],
    says: 'Position of "700.HK" could become 300 shares, limit is 200 shares',
  },
  {
    rule: 'max-open-orders',
    limit: 'maxOpenOrders: 2',
    at: [lots(1), (rig) => rig.foreign(ALIBABA, 'buy')],
    beyond: [
      lots(1),
      (rig) => {
        rig.foreign(ALIBABA, 'buy');
        rig.foreign(ALIBABA, 'sell');
      },
    ],
    says: 'Would be open order number 3, limit is 2',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 20%',
    at: [limited('80'), (rig) => rig.foreign(ALIBABA, 'buy')],
    beyond: [limited('80.05'), (rig) => rig.foreign(ALIBABA, 'buy')],
    says: 'gross exposure could become 20.0063% of equity, limit is 20%',
  },
  {
    rule: 'no-short',
    limit: 'allowShort: false',
    world: holding(2),
    at: [selling(1), (rig) => rig.foreign(TENCENT, 'sell')],
    beyond: [selling(2), (rig) => rig.foreign(TENCENT, 'sell')],
    says: 'Wants to sell 200 of "700.HK", held and free is 100',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 40%',
    at: [limited('80'), (rig) => rig.open(ALIBABA, 'acked', 'unknown', 'sending')],
    beyond: [limited('80.05'), (rig) => rig.open(ALIBABA, 'acked', 'unknown', 'sending')],
    says: 'gross exposure could become 40.0063% of equity, limit is 40%',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 90%',
    world: (rig) => rig.hold(TENCENT, 100),
    at: [{ ...AMERICAN, quantity: decimal('100') }],
    beyond: [{ ...AMERICAN, quantity: decimal('101') }],
    says: 'gross exposure could become 90.8% of equity, limit is 90%',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 21%',
    world: replacedAt('88'),
    at: [limited('80')],
    beyond: [limited('80.05')],
    says: 'gross exposure could become 21.0063% of equity, limit is 21%',
  },
  {
    rule: 'max-gross-exposure',
    limit: 'maxGrossExposure: 20%',
    at: [limited('80'), excluding(2, true)],
    beyond: [limited('80'), excluding(2, false)],
    says: 'gross exposure could become 30% of equity, limit is 20%',
  },
  {
    rule: 'daily-loss',
    limit: 'maxDailyLoss: 2%',
    world: holding(1),
    at: [lots(1), quoted({ value: decimal('60'), agreeing: 1, trusted: decimal('80') })],
    beyond: [lots(1), quoted({ value: decimal('60'), agreeing: 3, trusted: decimal('80') })],
    moves: 'killed',
    says: 'The day has cost 2.439% of equity, limit is 2%',
  },
  {
    rule: 'quote-jump',
    limit: 'maxQuoteJump: 20%',
    at: [lots(1), quoted({ value: decimal('60'), agreeing: 3, trusted: decimal('80') })],
    beyond: [lots(1), quoted({ value: decimal('60'), agreeing: 2, trusted: decimal('80') })],
    says: 'Quote 60 of "700.HK" is 25% from its last believed price 80',
  },
  {
    rule: 'no-short',
    limit: 'allowShort: false',
    world: bothOf(holding(2), (rig) => rig.passed(HK_MORNING, selling(1))),
    at: [selling(2)],
    beyond: [selling(3)],
    says: 'Wants to sell 300 of "700.HK", held and free is 200',
  },
];
