import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { type Decimal, decimal } from '#src/model/decimal.ts';
import type { OrderDetail, OrderId, OrderTerms } from '#src/model/order.ts';
import type { Period } from '#src/model/period.ts';
import type { Security, SecurityKind } from '#src/model/security.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { type Millis, millis } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import type {
  SimulatedAccount,
  Simulation,
  SimulationEvent,
  Submission,
} from '#src/simulation/simulation.ts';
import type { SimulationModels, SimulationOptions } from '#src/simulation/simulation-options.ts';
import { columnsOf } from '../fixtures/market.ts';

/** Reads "2024-03-05T10:00:00-05:00" as an instant. */
export function at(text: string): Millis {
  return millis(Date.parse(text));
}

export function security(symbol: string, facts: Partial<Omit<Security, 'symbol'>> = {}): Security {
  const hongKong = symbol.endsWith('.HK');
  const kind: SecurityKind = 'stock';
  return {
    symbol: securitySymbol(symbol),
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind,
    board: hongKong ? 'HKEquity' : 'USMain',
    currency: hongKong ? 'HKD' : 'USD',
    lotSize: hongKong ? 100 : 1,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'by hand' },
    ...facts,
  };
}

/** A bar as written in a test: its opening time, open, high, low, close and volume. */
export type BarRow = readonly [
  opens: string | number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume?: number,
];

export function bars(symbol: string, period: Period, rows: readonly BarRow[]): BarColumns {
  const stamped = rows.map(
    ([opens, ...rest]) => [typeof opens === 'string' ? at(opens) : opens, ...rest] as const,
  );
  return columnsOf(securitySymbol(symbol), period, stamped);
}

export type WorldOptions = Partial<Omit<SimulationOptions, 'models' | 'bars' | 'start'>> & {
  readonly bars: readonly BarColumns[];
  readonly start: string;
  readonly models?: Partial<SimulationModels>;
};

/** A simulation with one account `a` of 100,000 USD and 500,000 HKD, no charges, no latency, no credit. */
export function world(options: WorldOptions): {
  readonly simulation: Simulation;
  readonly account: SimulatedAccount;
} {
  const { models, start, ...rest } = options;
  const simulation = createSimulation({
    securities: options.bars.map(({ symbol }) => security(symbol)),
    accounts: [
      {
        id: 'a',
        currency: 'USD',
        cash: { USD: decimal('100000'), HKD: decimal('500000') },
        fx: { USDHKD: decimal('7.80') },
      },
    ],
    quotes: false,
    seed: 1,
    ...rest,
    start: at(start),
    models: {
      fills: PRINT_FILLS,
      charges: CHARGE_SCHEDULES.none,
      latency: NO_LATENCY,
      margin: CASH_ACCOUNT,
      ...models,
    },
  });
  return { simulation, account: accountOf(simulation, 'a') };
}

/** The same with matching against the current tick, for tests that send orders between ticks. */
export function tickWorld(options: WorldOptions): ReturnType<typeof world> {
  const { fills = PRINT_FILLS, ...models } = options.models ?? {};
  return world({ ...options, models: { ...models, fills: { ...fills, insideBars: 'tick' } } });
}

export function accountOf(simulation: Simulation, id: string): SimulatedAccount {
  const account = simulation.account(id);
  if (account === undefined) throw new Error(`No account "${id}" in this world`);
  return account;
}

/** Events of a world that has advanced, each with its time. */
export interface Happened {
  readonly time: Millis;
  readonly event: SimulationEvent;
}

/** Runs all events before `until`, then stays at `until`. */
export function runUntil(simulation: Simulation, until: string | number): readonly Happened[] {
  const end = typeof until === 'string' ? at(until) : millis(until);
  const happened: Happened[] = [];
  for (;;) {
    const own = simulation.nextVenueEventAt();
    const print = simulation.nextPrintAt();
    if (Math.min(own, print) >= end) break;
    const events = own <= print ? simulation.stepVenueEvent() : simulation.stepPrint();
    for (const event of events) happened.push({ time: simulation.now(), event });
  }
  simulation.moveTo(end);
  return happened;
}

/** Runs all internal events of this instant. */
export function settleNow(simulation: Simulation): readonly SimulationEvent[] {
  const events: SimulationEvent[] = [];
  while (simulation.nextVenueEventAt() <= simulation.now()) events.push(...simulation.stepVenueEvent());
  return events;
}

type DecimalField =
  | 'quantity'
  | 'price'
  | 'triggerPrice'
  | 'limitOffset'
  | 'trailingAmount'
  | 'trailingPercent'
  | 'monitorPrice';

/** Order terms with figures as texts. */
export type Draft = Partial<Omit<OrderTerms, DecimalField | 'symbol'>> & {
  readonly [field in DecimalField]?: string;
} & { readonly symbol?: string };

/** A day order to buy 100 AAPL.US at the market, unless the draft overrides it. */
export function terms(draft: Draft = {}): OrderTerms {
  const {
    quantity,
    price,
    triggerPrice,
    limitOffset,
    trailingAmount,
    trailingPercent,
    monitorPrice,
    ...rest
  } = draft;
  return {
    side: 'buy',
    timeInForce: 'day',
    type: price === undefined ? 'MO' : 'LO',
    ...rest,
    symbol: securitySymbol(draft.symbol ?? 'AAPL.US'),
    quantity: decimal(quantity ?? '100'),
    ...figures({ price, triggerPrice, limitOffset, trailingAmount, trailingPercent, monitorPrice }),
  };
}

/** The given texts as decimals. */
function figures<Field extends string>(
  texts: { readonly [field in Field]: string | undefined },
): {
  readonly [field in Field]?: Decimal;
} {
  const read = Object.entries<string | undefined>(texts).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, decimal(text)] as const],
  );
  return Object.fromEntries(read) as { readonly [field in Field]?: Decimal };
}

/** Submits an order and asserts that it is accepted. */
export function order(account: SimulatedAccount, draft: Draft = {}): OrderId {
  const submission = account.submit(terms(draft), '');
  if (submission.kind === 'refused') throw new Error(`Refused: ${submission.message}`);
  return submission.orderId;
}

export function refusal(submission: Submission | { readonly kind: string }): {
  code: number;
  message: string;
} {
  if (submission.kind !== 'refused' || !('code' in submission)) throw new Error('Was not refused');
  return submission;
}

export function detail(account: SimulatedAccount, id: OrderId): OrderDetail {
  const found = account.order(id);
  if (found === undefined) throw new Error(`No order ${id}`);
  return found;
}

/** Fills as "hh:mm:ss price x quantity" in UTC, oldest first. */
export function fills(account: SimulatedAccount): readonly string[] {
  return [...account.executionsBefore(), ...account.executionsToday()].map(
    ({ time, price, quantity }) => `${new Date(time).toISOString().slice(11, 19)} ${price} x ${quantity}`,
  );
}

/** Sums of the books per currency: the trial balance. */
export function trialBalance(account: SimulatedAccount): Record<string, string> {
  const sums = new Map<string, Decimal>();
  for (const { currency, amount } of account.books()) {
    sums.set(currency, (sums.get(currency) ?? decimal('0')).plus(amount));
  }
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, sum.toString()]));
}

export const AAPL: SecuritySymbol = securitySymbol('AAPL.US');
export const TENCENT: SecuritySymbol = securitySymbol('700.HK');

/** Four days of one security: flat, up, down, and up again. */
export const FOUR_DAYS = [
  ['2024-03-04T00:00:00-05:00', 10, 10, 10, 10, 1_000],
  ['2024-03-05T00:00:00-05:00', 10, 12, 10, 12, 1_000],
  ['2024-03-06T00:00:00-05:00', 8, 8, 8, 8, 1_000],
  ['2024-03-07T00:00:00-05:00', 9, 9, 9, 9, 1_000],
] as const;
