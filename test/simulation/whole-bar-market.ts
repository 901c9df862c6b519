import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { ChargeSchedule } from '#src/markets/charges.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderId } from '#src/model/order.ts';
import { CASH_ACCOUNT, type CoverRule, PRINT_FILLS, type WholeBars } from '#src/simulation/models.ts';
import type { OrderExtras } from '#src/simulation/orders/order-extras.ts';
import type { SimulatedAccount, Simulation } from '#src/simulation/simulation.ts';
import { type BarRow, bars, type Draft, runUntil, terms, world } from './world.ts';

/** Bar matching in its simplest form: one queue, one position. */
export const RULE: WholeBars = {
  kind: 'whole-bars',
  queue: 'submitted',
  positions: 'net',
  exits: 'next-bar',
  stopLimit: 'close-tells',
  openingSpread: decimal('0'),
  billing: 'order',
};
/** Each order has its own position with its own exits. */
export const TRANCHES: Partial<WholeBars> = {
  queue: 'closing-first',
  positions: 'tranches',
  exits: 'entry-bar',
  stopLimit: 'limit-beyond',
};

/** Minutes of 4 January 2024 from 10:00 in New York on. */
export function minutes(...rows: readonly (readonly [number, number, number, number])[]): readonly BarRow[] {
  return rows.map(([open, high, low, close], minute) => [
    `2024-01-04T10:${String(minute).padStart(2, '0')}:00-05:00`,
    open,
    high,
    low,
    close,
  ]);
}

interface Rules {
  readonly rule?: Partial<WholeBars>;
  readonly cover?: CoverRule;
  readonly cash?: string;
  /** Whether the account borrows by the security's factors. */
  readonly borrows?: boolean;
  /** Time from submission to arrival of an order. */
  readonly latencyMs?: number;
  readonly charges?: ChargeSchedule;
}

/** A market that has closed its first bar, and whose orders are matched against whole bars. */
export function market(
  rows: readonly BarRow[],
  {
    rule = {},
    cover = 'at-fill',
    cash = '100000',
    borrows = false,
    latencyMs = 0,
    charges = CHARGE_SCHEDULES.none,
  }: Rules = {},
) {
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T10:00:00-05:00',
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal(cash) }, fx: {}, short: true }],
    models: {
      fills: { ...PRINT_FILLS, hours: 'bars', matching: { ...RULE, ...rule }, checkTicks: false },
      latency: { kind: 'fixed', ms: latencyMs },
      charges,
      margin: {
        ...CASH_ACCOUNT,
        kind: borrows ? 'margin' : 'cash',
        cover,
        marketBuffer: {},
        marketBufferElse: decimal('1'),
      },
    },
  });
  runUntil(simulation, '2024-01-04T10:01:00-05:00');
  return { simulation, account };
}

/** Submits an order and asserts that it is accepted. */
export function send(account: SimulatedAccount, draft: Draft, extras: OrderExtras = {}): OrderId {
  const submission = account.submit(terms(draft), '', extras);
  if (submission.kind === 'refused') throw new Error(submission.message);
  return submission.orderId;
}

/** Runs the rest of the hour. */
export function guardProcessExit(simulation: Simulation): void {
  runUntil(simulation, '2024-01-04T11:00:00-05:00');
}

/** A minute that opens and closes at 100. */
export const FLAT = [100, 101, 99, 100] as const;
