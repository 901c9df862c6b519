import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionPieces } from '#src/markets/bar-span.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { barAt } from '#src/model/bar.ts';
import { Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import type { OrderId } from '#src/model/order.ts';
import { DAY_MS, MINUTE_MS, millis, SECOND_MS } from '#src/model/time.ts';
import {
  CASH_ACCOUNT,
  type FillModel,
  type LatencyModel,
  MARGIN_ACCOUNT,
  type MarginModel,
  PRINT_FILLS,
  type SlippageModel,
} from '#src/simulation/models.ts';
import type { SimulatedAccount, SimulationEvent } from '#src/simulation/simulation.ts';
import { printsOf } from '../fixtures/prints-of.ts';
import {
  accountOf,
  at,
  type BarRow,
  bars,
  type Draft,
  fills,
  settleNow,
  terms,
  trialBalance,
  world,
} from './world.ts';

const OPEN = at('2024-03-05T09:30:00-05:00');
/** Start of the bars: twenty minutes before the close. */
const BEGIN = OPEN + 370 * MINUTE_MS;
const SYMBOLS = ['AAPL.US', 'IBM.US'] as const;

/** Minute bars in cents, some minutes missing, over the last half hour of one day and the first of the next. */
const someBars = fc
  .array(
    fc.record({
      skip: fc.boolean(),
      gap: fc.integer({ min: -150, max: 150 }),
      up: fc.nat(120),
      down: fc.nat(120),
      end: fc.integer({ min: 0, max: 100 }),
      volume: fc.nat(4_000),
    }),
    { minLength: 40, maxLength: 40 },
  )
  .map((steps) => {
    let last = 10_000;
    return steps.flatMap((step, minute): BarRow[] => {
      if (step.skip && minute > 0) return [];
      const open = Math.max(200, last + step.gap);
      const [high, low] = [open + step.up, Math.max(100, open - step.down)];
      last = Math.round(low + ((high - low) * step.end) / 100);
      const opens =
        minute < 20 ? OPEN + (370 + minute) * MINUTE_MS : OPEN + DAY_MS + (minute - 20) * MINUTE_MS;
      return [[opens, open / 100, high / 100, low / 100, last / 100, step.volume]];
    });
  });

interface Action {
  readonly kind: 'submit' | 'cancel' | 'replace';
  /** Seconds after the start of the bars. */
  readonly second: number;
  readonly draft: Draft;
  /** Index of the order that a cancel or replace addresses. */
  readonly which: number;
}

const cents = fc.integer({ min: 9_300, max: 10_700 }).map((price) => (price / 100).toFixed(2));
const quantity = fc.integer({ min: 1, max: 300 }).map(String);
const common = {
  symbol: fc.constantFrom(...SYMBOLS),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity,
};
const long = fc.constantFrom('day' as const, 'gtc' as const);
const aDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ ...common, type: fc.constant('MO' as const) }),
  fc.record({ ...common, type: fc.constant('LO' as const), price: cents, timeInForce: long }),
  fc.record({ ...common, type: fc.constant('MIT' as const), triggerPrice: cents, timeInForce: long }),
  fc.record({
    ...common,
    type: fc.constant('LIT' as const),
    triggerPrice: cents,
    price: cents,
    triggerCount: fc.nat(2),
  }),
  fc.record({
    ...common,
    type: fc.constant('TSLPPCT' as const),
    trailingPercent: fc.constantFrom('0.5', '1', '2.5'),
    limitOffset: fc.constantFrom('0', '0.25'),
  }),
);
const anAction: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom('submit', 'submit', 'submit', 'cancel', 'replace'),
  second: fc.oneof(fc.integer({ min: 0, max: 1_300 }), fc.integer({ min: 63_000, max: 65_500 })),
  draft: aDraft,
  which: fc.nat(20),
});

const aLatency: fc.Arbitrary<LatencyModel> = fc.constantFrom(
  { kind: 'none' },
  { kind: 'fixed', ms: 300 },
  { kind: 'uniform', minMs: 1, maxMs: 20_000 },
);

const OPENING_CASH = { USD: decimal('20000'), HKD: decimal('5000') };

interface Run {
  readonly log: readonly string[];
  readonly account: SimulatedAccount;
  readonly ids: readonly OrderId[];
}

interface Scenario {
  readonly rows: readonly [readonly BarRow[], readonly BarRow[]];
  readonly actions: readonly Action[];
  readonly participation: number | undefined;
  readonly latency: LatencyModel;
  readonly slippage: SlippageModel;
  readonly limitFills: NonNullable<FillModel['limitFills']>;
  readonly insideBars: 'close' | 'tick';
  readonly margin: MarginModel;
}

const aScenario: fc.Arbitrary<Scenario> = fc.record({
  rows: fc.tuple(someBars, someBars),
  actions: fc
    .array(anAction, { minLength: 1, maxLength: 15 })
    .map((actions) => actions.toSorted((one, other) => one.second - other.second)),
  participation: fc.constantFrom(undefined, undefined, 0.1),
  latency: aLatency,
  slippage: fc.constantFrom<SlippageModel>(
    { kind: 'none' },
    { kind: 'fixed', ratio: decimal('0.0007') },
    { kind: 'ticks', ticks: 2 },
    { kind: 'square-root', coefficient: decimal('0.8') },
  ),
  limitFills: fc.constantFrom<Scenario['limitFills']>('touch', 'through', { chance: 0.5, seed: 1 }),
  insideBars: fc.constantFrom('close' as const, 'tick' as const),
  margin: fc.constantFrom<MarginModel>(
    CASH_ACCOUNT,
    { ...CASH_ACCOUNT, settledOnly: true },
    MARGIN_ACCOUNT,
    { ...MARGIN_ACCOUNT, closeOut: 'forced' },
    { ...MARGIN_ACCOUNT, closeOut: 'equity' },
    { ...MARGIN_ACCOUNT, closeOut: 'as-needed' },
  ),
});

const first = ([rows]: Scenario['rows']): readonly BarRow[] => rows;

/** Plays a scenario; every complete fill is followed by a market order in the other symbol at the same instant. */
function play(scenario: Scenario, quotes: boolean): Run {
  const { rows, actions, participation, latency, slippage, limitFills, insideBars, margin } = scenario;
  const { simulation } = world({
    bars: rows.map((each, place) => bars(SYMBOLS[place] as string, '1m', each)),
    start: new Date(first(rows)[0]?.[0] as number).toISOString(),
    quotes,
    seed: 7,
    models: {
      fills: { ...PRINT_FILLS, insideBars, participation, slippage, limitFills },
      charges: CHARGE_SCHEDULES.standard,
      latency,
      margin,
    },
    // So little cash that a few hundred shares sold short can ruin the account.
    accounts: [
      { id: 'a', currency: 'USD', cash: OPENING_CASH, fx: { USDHKD: decimal('7.80') }, short: true },
    ],
  });
  const account = accountOf(simulation, 'a');
  const ids: OrderId[] = [];
  const log: string[] = [];
  const submit = (draft: Draft, remark: string) => {
    const submission = account.submit(terms(draft), remark);
    if (submission.kind === 'accepted') ids.push(submission.orderId);
    log.push(`${simulation.now()} ${JSON.stringify(submission)}`);
  };
  const hear = (events: readonly SimulationEvent[]) => {
    for (const event of events) {
      if (event.kind === 'quote') continue;
      const { detail, execution } = event.change;
      log.push(JSON.stringify([simulation.now(), detail, execution, account.balance(), account.positions()]));
      if (detail.status !== 'FilledStatus' || detail.remark !== 'first') continue;
      submit(
        { symbol: SYMBOLS.find((symbol) => symbol !== detail.terms.symbol) ?? '', quantity: '7' },
        'second',
      );
    }
  };
  const runTo = (end: number) => {
    for (;;) {
      const [own, print] = [simulation.nextVenueEventAt(), simulation.nextPrintAt()];
      if (Math.min(own, print) >= end) break;
      hear(own <= print ? simulation.stepVenueEvent() : simulation.stepPrint());
    }
    simulation.moveTo(millis(end));
  };
  for (const { kind, second, draft, which } of actions) {
    runTo(BEGIN + second * SECOND_MS);
    const id = ids[which % Math.max(1, ids.length)];
    if (kind === 'submit' || id === undefined) submit(draft, 'first');
    else if (kind === 'cancel') log.push(JSON.stringify(account.cancel(id)));
    else log.push(JSON.stringify(account.replace(id, replacementOf(draft))));
    log.push(JSON.stringify(SYMBOLS.map((symbol) => simulation.quote(terms({ symbol }).symbol))));
    log.push(JSON.stringify(account.ordersToday()));
  }
  runTo(OPEN + 3 * DAY_MS);
  log.push(JSON.stringify(account.books()));
  return { log, account, ids };
}

function replacementOf(draft: Draft) {
  const price = draft.price === undefined ? {} : { price: decimal(draft.price) };
  return { quantity: decimal(draft.quantity ?? '1'), ...price };
}

describe('a simulation', () => {
  it('gives the same whether every tick is a step or only those that matter', () => {
    fc.assert(
      fc.property(aScenario, (scenario) => {
        expect(play(scenario, true).log).toEqual(play(scenario, false).log);
      }),
      { numRuns: 60 },
    );
  });

  it('never fills more than ordered, keeps its books balanced, and conserves cash and shares', () => {
    fc.assert(
      fc.property(aScenario, (scenario) => {
        const { account, ids } = play(scenario, false);
        const executions = [...account.executionsBefore(), ...account.executionsToday()];
        for (const id of ids) {
          const detail = account.order(id);
          const executed = executions
            .filter(({ orderId }) => orderId === id)
            .reduce((sum, execution) => sum.plus(execution.quantity), ZERO);
          expect(detail?.executedQuantity.toString()).toBe(executed.toString());
          expect(detail?.executedQuantity.lte(detail.terms.quantity)).toBe(true);
        }
        expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
        expect(
          account
            .positions()
            .map(({ symbol, quantity: held }) => [symbol, held.toString()])
            .toSorted(),
        ).toEqual(netOf(executions));
        const flow = executions.reduce(
          (sum, { side, price, quantity: shares }) =>
            sum.plus(price.times(shares).times(side === 'buy' ? -1 : 1)),
          ZERO,
        );
        const book = (name: string) =>
          account.books().find((row) => row.account === name && row.currency === 'USD')?.amount ?? ZERO;
        expect(book('cash').plus(book('charges')).plus(book('written-off')).toString()).toBe(
          flow.plus(OPENING_CASH.USD).toString(),
        );
        expect(account.balance().cash.every(({ frozen }) => frozen.gte(0))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('fills a single order where a check of every tick does', () => {
    fc.assert(
      fc.property(
        someBars,
        cents,
        fc.boolean(),
        fc.nat(1_300),
        fc.boolean(),
        (rows, price, buys, second, limited) => {
          const columns = bars('AAPL.US', '1m', rows);
          const arrival = BEGIN + second * SECOND_MS;
          const { simulation, account } = world({
            // A price of the previous day: without a price nothing can be checked against the account.
            bars: [bars('AAPL.US', '1m', [[BEGIN - DAY_MS, 100, 100, 100, 100, 0], ...rows])],
            start: new Date(BEGIN - 1).toISOString(),
            accounts: [
              { id: 'a', currency: 'USD', cash: { USD: decimal('1000000000') }, fx: {}, short: true },
            ],
            models: { fills: { ...PRINT_FILLS, insideBars: 'tick' }, margin: MARGIN_ACCOUNT },
          });
          const from = Math.max(arrival, simulation.now());
          simulation.moveTo(millis(from));
          const draft: Draft = { side: buys ? 'buy' : 'sell', ...(limited ? { price } : {}) };
          account.submit(terms(draft), '');
          settleNow(simulation);
          while (
            Math.min(simulation.nextVenueEventAt(), simulation.nextPrintAt()) < Number.POSITIVE_INFINITY
          ) {
            if (simulation.nextVenueEventAt() <= simulation.nextPrintAt()) simulation.stepVenueEvent();
            else simulation.stepPrint();
          }
          expect(fills(account)).toEqual(walk(columns, from, buys, limited ? price : undefined));
        },
      ),
      { numRuns: 200 },
    );
  });
});

function netOf(
  executions: ReturnType<SimulatedAccount['executionsToday']>,
): readonly (readonly [string, string])[] {
  const net = new Map<string, Decimal>();
  for (const { symbol, side, quantity: shares } of executions) {
    net.set(symbol, (net.get(symbol) ?? ZERO).plus(side === 'buy' ? shares : shares.neg()));
  }
  const held = [...net].filter(([, quantity]) => !quantity.isZero());
  return held.map(([symbol, quantity]) => [symbol, quantity.toString()] as const).toSorted();
}

/** The rule in its simplest form: every tick of the order's day in sequence. */
function walk(
  columns: BarColumns,
  arrival: number,
  buys: boolean,
  limit: string | undefined,
): readonly string[] {
  const close = arrival < OPEN + 390 * MINUTE_MS ? OPEN + 390 * MINUTE_MS : OPEN + DAY_MS + 390 * MINUTE_MS;
  const level = limit === undefined ? undefined : new Decimal(limit);
  const allows = (price: number) => level === undefined || (buys ? level.gte(price) : level.lte(price));
  const reported = (time: number, price: number | string) => [
    `${new Date(Math.floor(time / SECOND_MS) * SECOND_MS).toISOString().slice(11, 19)} ${Number(price)} x 100`,
  ];
  let toldVolume = false;
  for (let index = 0; index < columns.length; index += 1) {
    const bar = barAt(columns, index);
    const isEmpty = toldVolume && bar.volume === 0;
    toldVolume ||= bar.volume > 0;
    if (isEmpty) continue;
    const pieces = sessionPieces('US', '1m', bar.time);
    const prints = printsOf(bar, pieces, 'nearer-first');
    for (const [step, { time, price }] of prints.entries()) {
      const until = prints[step + 1]?.time ?? bar.time + MINUTE_MS;
      if (time < arrival && arrival <= until && !(step === 3 && arrival === until)) {
        if (allows(price)) return reported(arrival, price);
      }
      if (time < arrival || time >= close || !allows(price)) continue;
      return reported(time, step === 0 || limit === undefined ? price : limit);
    }
  }
  return [];
}
