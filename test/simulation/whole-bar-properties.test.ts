import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import { isTerminalStatus, type OrderId } from '#src/model/order.ts';
import { calendarDay, DAY_MS } from '#src/model/time.ts';
import { CASH_ACCOUNT, PRINT_FILLS, type WholeBars } from '#src/simulation/models.ts';
import type { OrderExtras } from '#src/simulation/orders/order-extras.ts';
import {
  AAPL,
  at,
  type BarRow,
  bars,
  type Draft,
  detail,
  order,
  runUntil,
  terms,
  trialBalance,
  world,
} from './world.ts';

const FIRST_DAY = at('2024-01-02T00:00:00-05:00');

const aBar = fc
  .tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 80, max: 120 })))
  .map(([a = 0, b = 0, c = 0, d = 0]) => [a, Math.max(a, b, c, d), Math.min(a, b, c, d), d] as const);

/** An order of any type around 100, on either side, with exits if they are kept. */
const anOrder = fc.record({
  type: fc.constantFrom('MO', 'LO', 'MIT', 'LIT', 'TSLPPCT'),
  side: fc.constantFrom('buy', 'sell'),
  quantity: fc.integer({ min: 1, max: 40 }),
  price: fc.integer({ min: 85, max: 115 }),
  trigger: fc.integer({ min: 85, max: 115 }),
  exits: fc.boolean(),
  cancels: fc.boolean(),
});
type AnOrder = typeof anOrder extends fc.Arbitrary<infer T> ? T : never;

const aRule: fc.Arbitrary<WholeBars> = fc.record({
  kind: fc.constant('whole-bars'),
  queue: fc.constantFrom('submitted', 'closing-first'),
  positions: fc.constantFrom('net', 'tranches', 'hedged'),
  exits: fc.constantFrom('entry-bar', 'next-bar'),
  stopLimit: fc.constantFrom('limit-beyond', 'close-tells'),
  openingSpread: fc.constantFrom(ZERO, decimal('0.01')),
  billing: fc.constantFrom('order', 'part'),
});

function draftOf({ type, side, quantity, price, trigger }: AnOrder): Draft {
  const common = { type, side, quantity: String(quantity) } as const;
  const lasting = { ...common, timeInForce: 'gtc' } as const;
  switch (type) {
    case 'MO':
      return common;
    case 'LO':
      return { ...lasting, price: String(price) };
    case 'MIT':
      return { ...lasting, triggerPrice: String(trigger) };
    case 'LIT':
      return { ...lasting, price: String(price), triggerPrice: String(trigger) };
    default:
      return { ...lasting, trailingPercent: '5', limitOffset: '0' };
  }
}

function exitsOf({ side, exits }: AnOrder, rule: WholeBars): OrderExtras {
  if (!exits || rule.positions === 'net') return {};
  const [above, below] = [decimal('118'), decimal('82')];
  return side === 'buy' ? { stopLoss: below, takeProfit: above } : { stopLoss: above, takeProfit: below };
}

describe('orders that are matched against whole bars', () => {
  it('balance the books, never fill more than was ordered, and fill inside their bar except for the spread', () => {
    const days = fc.array(fc.tuple(aBar, fc.option(anOrder, { nil: undefined })), {
      minLength: 2,
      maxLength: 25,
    });
    const ends = fc.constantFrom('none', 'forced', 'equity');
    const covers = fc.constantFrom('rehearsed', 'at-fill');
    fc.assert(
      fc.property(days, aRule, covers, fc.boolean(), ends, (plan, rule, cover, splits, closeOut) => {
        const rows = plan.map(([bar], day): BarRow => [FIRST_DAY + day * DAY_MS, ...bar]);
        const commission = { kind: 'percent', rate: decimal('0.001'), minimum: decimal('1') } as const;
        const { simulation, account } = world({
          bars: [bars('AAPL.US', '1d', rows)],
          start: '2024-01-02T00:00:00-05:00',
          accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('3000') }, fx: {}, short: true }],
          corporateActions: splits
            ? [{ kind: 'split', symbol: AAPL, exDay: calendarDay('2024-01-06'), ratio: decimal('0.3') }]
            : [],
          models: {
            fills: { ...PRINT_FILLS, hours: 'bars', matching: rule, checkTicks: false, checkLots: false },
            margin: { ...CASH_ACCOUNT, cover, closeOut },
            charges: withCommission(CHARGE_SCHEDULES.none, commission),
          },
        });
        const sent: OrderId[] = [];
        for (const [day, [, wanted]] of plan.entries()) {
          runUntil(simulation, FIRST_DAY + (day + 1) * DAY_MS - 1);
          const last = sent.at(-1);
          if (wanted?.cancels === true && last !== undefined) account.cancel(last);
          const submission =
            wanted === undefined
              ? undefined
              : account.submit(terms(draftOf(wanted)), '', exitsOf(wanted, rule));
          if (submission?.kind === 'accepted') sent.push(submission.orderId);
          expect(trialBalance(account)).toEqual({ USD: '0' });
        }
        const executions = [...account.executionsBefore(), ...account.executionsToday()];
        for (const { time, price } of executions) {
          const [, , high, low] = rows[Math.floor((time - FIRST_DAY) / DAY_MS)] ?? [0, 0, 0, 0];
          const slack = rule.openingSpread.plus(1);
          // A stop-limit order that trades at its stop after a gap may be outside; its status shows this.
          if (rule.stopLimit === 'limit-beyond') continue;
          expect(price.lte(slack.times(high)) && price.gte(decimal('2').minus(slack).times(low))).toBe(true);
        }
        for (const id of sent) {
          const { executedQuantity, terms: last, status } = detail(account, id);
          expect(executedQuantity.lte(last.quantity)).toBe(true);
          expect(isTerminalStatus(status) || executedQuantity.lt(last.quantity)).toBe(true);
        }
        const held = executions.reduce(
          (sum, { side, quantity }) => (side === 'buy' ? sum.plus(quantity) : sum.minus(quantity)),
          new Decimal(0),
        );
        if (!splits) expect((account.positions()[0]?.quantity ?? ZERO).toString()).toBe(held.toString());
      }),
      { numRuns: 300 },
    );
  });
});

describe('hours taken from the bars', () => {
  it('match orders on a day that the calendar has as closed', () => {
    const sunday: BarRow = ['2024-01-07T10:00:00-05:00', 90, 91, 89, 90];
    const friday: BarRow = ['2024-01-05T10:00:00-05:00', 100, 101, 99, 100];
    const models = { fills: { ...PRINT_FILLS, hours: 'bars' } as const };
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', [friday, sunday])],
      start: '2024-01-05T10:00:00-05:00',
      models,
    });
    runUntil(simulation, '2024-01-05T10:01:00-05:00');
    const id = order(account, { quantity: '5', price: '95' });
    runUntil(simulation, '2024-01-08T00:00:00-05:00');
    expect(detail(account, id)).toMatchObject({ status: 'FilledStatus', executedPrice: decimal('90') });
  });
});
