import { describe, expect, it } from 'vitest';
import { type Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import type { OrderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { SimulationEvent } from '#src/simulation/simulation.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { ARE_OTHER_CASES, randomCases } from '../fixtures/random-cases.ts';
import { DONE, Judge } from './judge.ts';
import { NAMES, type RandomMarket, type Request, randomMarket } from './random-market.ts';
import { accountOf, terms, trialBalance, world } from './world.ts';

/** Number of markets; a larger one uses the same seeds and the following ones. */
const WORLDS = Number(process.env['SLUICE_ORDER_WORLDS'] ?? randomCases(75, 75));
const FIRST_SEED = Number(process.env['SLUICE_ORDER_SEED'] ?? (ARE_OTHER_CASES ? 76 : 1));
/** Markets tried in search of a violation. */
const BROKEN_MAX = 5;

interface Play {
  readonly log: readonly string[];
  readonly seen: ReadonlySet<string>;
}

/**
 * Plays a market to its end, with a step for every tick or only for those that matter; returns all events as lines.
 */
function play(market: RandomMarket, quotes: boolean): Play {
  const { tapes, actions, requests, models, short, start } = market;
  const { simulation } = world({
    ...{ bars: tapes, corporateActions: actions, quotes, models },
    start: new Date(start).toISOString(),
    accounts: [
      {
        ...{ id: 'a', currency: 'USD', short, fx: { USDHKD: decimal('7.80') } },
        cash: { USD: decimal('60000'), HKD: decimal('200000') },
      },
    ],
  });
  const account = accountOf(simulation, 'a');
  const judge = new Judge(market, () => simulation.now());
  const ids: OrderId[] = [];
  const log: string[] = [];
  const hear = (events: readonly SimulationEvent[]): void => {
    for (const event of events) {
      if (event.kind === 'quote') continue;
      judge.hear(event);
      log.push(JSON.stringify([simulation.now(), event.change]));
    }
  };
  const runTo = (end: number): void => {
    for (;;) {
      const [own, print] = [simulation.nextVenueEventAt(), simulation.nextPrintAt()];
      if (Math.min(own, print) >= end) break;
      hear(own <= print ? simulation.stepVenueEvent() : simulation.stepPrint());
    }
    if (Number.isFinite(end)) simulation.moveTo(millis(end));
  };
  const ask = (request: Request): void => {
    if (request.kind === 'status') {
      judge.status(request.name, request.halted);
      const status = request.halted ? ('halted' as const) : ('normal' as const);
      hear(simulation.inject({ kind: 'status', symbol: securitySymbol(request.name), status }));
      return;
    }
    if (request.kind === 'submit') {
      const answer = account.submit(terms(request.draft), '');
      log.push(JSON.stringify(answer));
      if (answer.kind === 'refused') return;
      ids.push(answer.orderId);
      judge.sent(answer.orderId);
      return;
    }
    const id = ids[request.which % Math.max(1, ids.length)];
    if (id === undefined) return;
    if (request.kind === 'cancel') log.push(JSON.stringify(account.cancel(id)));
    else {
      const { quantity = '100', price, triggerPrice } = request.draft;
      const figures = {
        ...(price === undefined ? {} : { price: decimal(price) }),
        ...(triggerPrice === undefined ? {} : { triggerPrice: decimal(triggerPrice) }),
      };
      log.push(JSON.stringify(account.replace(id, { quantity: decimal(quantity), ...figures })));
    }
  };
  for (const request of requests) {
    runTo(request.at);
    ask(request);
    log.push(
      JSON.stringify([
        simulation.quote(securitySymbol(NAMES[0]))?.last,
        account.balance(),
        account.positions(),
      ]),
    );
  }
  runTo(Number.POSITIVE_INFINITY);
  expect(trialBalance(account)).toEqual({ USD: '0', HKD: '0' });
  if (actions.every(({ kind }) => kind !== 'split')) expect(heldBy(account)).toEqual(netOf(account));
  expect(account.ordersToday().filter(({ status }) => !DONE.has(status))).toEqual([]);
  log.push(JSON.stringify(account.books()));
  return { log, seen: judge.seen };
}

type Account = ReturnType<typeof accountOf>;

function heldBy(account: Account): Record<string, string> {
  return Object.fromEntries(account.positions().map(({ symbol, quantity }) => [symbol, quantity.toString()]));
}

function netOf(account: Account): Record<string, string> {
  const net = new Map<string, Decimal>();
  for (const { symbol, side, quantity } of [...account.executionsBefore(), ...account.executionsToday()])
    net.set(symbol, (net.get(symbol) ?? ZERO).plus(side === 'buy' ? quantity : quantity.neg()));
  return Object.fromEntries(
    [...net].filter(([, sum]) => !sum.isZero()).map(([symbol, sum]) => [symbol, sum.toString()]),
  );
}

describe('orders of all types in random markets', () => {
  it('fill only where, when and at what they may, equally at a venue that emits every tick and in a backtest that skips ticks', () => {
    const seen = new Set<string>();
    const broken: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WORLDS && broken.length < BROKEN_MAX; seed += 1) {
      const market = randomMarket(seed);
      try {
        const venue = play(market, true);
        expectEqual(play(market, false).log, venue.log);
        if (seed % 10 === 0) expectEqual(play(randomMarket(seed), true).log, venue.log);
        for (const type of venue.seen) seen.add(type);
      } catch (cause) {
        broken.push(`Market of seed ${seed}: ${cause instanceof Error ? cause.message : cause}`);
      }
    }
    expect(broken).toEqual([]);
    expect([...seen].sort()).toEqual([
      'ALO',
      'AO',
      'ELO',
      'LIT',
      'LO',
      'MIT',
      'MO',
      'ODD',
      'SLO',
      'TSLPAMT',
      'TSLPPCT',
    ]);
  }, 3_600_000);
});
