import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  catchError,
  concatMap,
  EMPTY,
  firstValueFrom,
  from,
  interval,
  map,
  type Observable,
  Subject,
  timer,
  zip,
} from 'rxjs';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { takeLease } from '#src/app/run/lease.ts';
import { createBrokerClient } from '#src/broker/connect.ts';
import { createEngine, type Engine, type Stop } from '#src/engine/engine.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { quoteFact } from '#src/execution/gate/quote-fact.ts';
import { intentIdMint } from '#src/execution/orders/intent-ids.ts';
import { createInProcessHost } from '#src/hosts/strategy/in-process.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import { isLive } from '#src/model/order-state.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { HOUR_MS, MINUTE_MS, type Millis, millis } from '#src/model/time.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';
import type { OperatorCommand, OperatorRequest } from '#src/ports/operator.ts';
import type { MarketBatch } from '#src/ports/signal-source.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { dieOnTheWire, dyingBroker, dyingJournal, failBeyondDocument, type Stage } from './die.ts';
import type { BotPlan, Recovered } from './plan.ts';

/** So few records that some bots of each chain begin a new journal file before they recover (F-K10). */
const COMPACT_AFTER = 8;
/** Milliseconds of machine time between two steps of the session, and after the last one. */
const STEP_MS = 25;
const QUIET_STEPS = 8;
/** How long a bot that receives another command waits for events of its open orders. */
const SAY_AGAIN_MS = 500;
/** Working orders are cancelled after this time. */
const CANCEL_AFTER_MS = 10;
/** Price of a limit order that never fills, as a share of the last price. */
const FAR = 0.6;
/** Shares per order: whole lots of every symbol. */
const LOT = 100;
/** Orders of a session, which repeat. */
const NAMES = {
  orders: ['buy', 'rest', 'close'],
  algorithms: ['bracket', 'rest', 'close', 'buy', 'oco', 'twap', 'close'],
  parts: ['chase', 'iceberg', 'vwap', 'trail', 'close', 'rest', 'close'],
} as const;
/** Three slices within the session, with equal or different sizes. */
const TWAP = { minutes: 0.003, parts: 3 };
const VWAP = { minutes: 0.003, weights: [1, 2, 1] };
/** Distance of a trailing stop in percent, which the price does not reach within the session. */
const TRAIL = 40;
/** A limit that becomes marketable after some steps and then fills. */
const CHASE = { bound: { percent: 5 }, minutes: 0.002, atEnd: 'cross', everySeconds: 1 } as const;

const plan = JSON.parse(process.argv[2] ?? '') as BotPlan;
const stage: Stage = { during: 'recovery' };
dieOnTheWire(plan.kill);
if (plan.onlyDocumented) failBeyondDocument();
await run();

/** An operator's command after looking up an order: its id, or that it does not exist. */
function settling([intent = '', found]: readonly string[]): OperatorCommand {
  const outcome =
    found === undefined ? ({ kind: 'dead' } as const) : { kind: 'order' as const, orderId: orderId(found) };
  return { kind: 'settle', intentId: intentId(intent), outcome };
}

/** Recovers, prints its state on every request, waits for the command to continue, and submits its orders. */
async function run(): Promise<void> {
  const machine = createSystemClock();
  const lease = takeLease(plan.folder, `process ${process.pid} (crash harness)`);
  const file = openSqliteJournal(join(plan.folder, 'journal.db'), { compactAfter: COMPACT_AFTER });
  const done = ordersIn(file.replay());
  const client = createBrokerClient({
    httpUrl: plan.http,
    quoteWsUrl: plan.quoteWs,
    tradeWsUrl: plan.tradeWs,
    credentials: plan,
    profile: PROFILES.documented,
    machine,
    market: () => machine.now(),
    random: systemRandom,
    deployment: plan.deployment,
    facts: { callsPer30s: undefined },
    onlyDocumented: plan.onlyDocumented,
    paperOnly: true,
  });
  await client.connect();
  const symbols = plan.symbols.map(securitySymbol);
  const securities = await firstValueFrom(client.feed.securities(symbols));
  await firstValueFrom(client.feed.pull(symbols));
  const priceOf = (symbol: SecuritySymbol): number =>
    client.feed.latest(symbol)?.last.toNumber() ?? Number.NaN;
  const started = Promise.withResolvers<void>();
  const commands$ = new Subject<OperatorRequest>();
  const going = Promise.withResolvers<void>();
  const steps = Array.from({ length: plan.steps }, (_, index) => done + index);
  const steps$ = (): Observable<MarketBatch> =>
    zip(steps, interval(STEP_MS, schedulerOn(machine))).pipe(
      map(([step]) => momentOf(step, symbols, priceOf, machine.now())),
    );
  const engine = createEngine({
    clock: machine,
    source: {
      batches$: from(going.promise).pipe(concatMap(steps$)),
      received: () => ({ quotes: 0, bars: 0 }),
      lastPrice: () => Number.NaN,
      closeBefore: (symbol) => priceOf(symbol),
      values: () => ({}),
    },
    host: createInProcessHost({ strategy: scripted(started.resolve), params: {}, symbols }),
    broker: dyingBroker(client.broker, plan.kill),
    journal: dyingJournal(file, plan.kill, stage),
    securities: new Map(securities.map((security) => [security.symbol, security])),
    quote: (symbol) => {
      const quote = client.feed.latest(symbol);
      return quote === undefined ? undefined : quoteFact(quote);
    },
    pullQuote: (symbol) => client.feed.pull([symbol]).pipe(catchError(() => EMPTY)),
    currency: 'HKD',
    fx: { USDHKD: decimal('7.80') },
    limits: limitsOf({
      maxOrderNotional: { amount: decimal('100000000'), currency: 'HKD' },
      maxQuoteAge: HOUR_MS,
    }),
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: CANCEL_AFTER_MS },
    mintIntentId: intentIdMint(systemRandom),
    strategy: 'scripted',
    config: 'crash harness',
    commands$,
    // Starts count as far apart: another test covers the halt after too many crashes.
    lease: {
      epoch: lease.epoch,
      version: '1',
      configHash: 'scripted',
      machineAt: millis(lease.epoch * 11 * MINUTE_MS),
    },
  });
  const stop$ = new Subject<Stop>();
  const ended = new Promise<void>((resolve, reject) => {
    engine.run(stop$).subscribe({ error: reject, complete: resolve });
  });
  await Promise.race([started.promise, ended]);
  stage.during = 'session';
  const say = (): boolean => process.stdout.write(`${JSON.stringify(recovered(engine))}\n`);
  say();
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [word, ...rest] = line.split(' ');
    const request = { by: 'harness', reason: 'read at the venue' };
    if (word === 'settle') commands$.next({ ...request, command: settling(rest) });
    if (word === 'resume') commands$.next({ ...request, command: { kind: 'resume' } });
    if (line === 'go') going.resolve();
    else machine.at(millis(machine.now() + SAY_AGAIN_MS), 'timer', say);
  });
  await going.promise;
  await firstValueFrom(timer(STEP_MS * (plan.steps + QUIET_STEPS), schedulerOn(machine)));
  stop$.next({ reason: 'finished', message: '' });
  await ended;
  await client.close();
  file.close();
  lease.release();
  process.stdin.destroy();
}

/**
 * Buys at the market, works an order until it is cancelled, or sells the position. With algorithms: buys with a stop
 * and a target, sells with an OCO of two limits, buys by TWAP, and closes a position under exits. With parts: buys by
 * iceberg and VWAP, with a trailing stop, and by a chase.
 */
function scripted(onStart: () => void) {
  return defineStrategy({
    name: 'scripted',
    params: {},
    onStart: () => {
      onStart();
      return undefined;
    },
    onSignal: ({ name, symbol, close }) => {
      if (name === 'rest')
        return orderDrafts.buy(symbol, LOT, { type: 'LO', price: Math.floor(close * FAR) });
      if (name === 'bracket')
        return orderDrafts.bracket(orderDrafts.buy(symbol, LOT), {
          stop: Math.floor(close * FAR),
          target: Math.ceil(close / FAR),
        });
      if (name === 'oco')
        return orderDrafts.oco([
          orderDrafts.sell(symbol, LOT, { type: 'LO', price: Math.ceil(close / FAR) }),
          orderDrafts.sell(symbol, LOT, { type: 'MIT', triggerPrice: Math.floor(close * FAR) }),
        ]);
      if (name === 'iceberg') return orderDrafts.iceberg(orderDrafts.buy(symbol, 3 * LOT), { shown: LOT });
      if (name === 'vwap') return orderDrafts.vwap(orderDrafts.buy(symbol, 4 * LOT), VWAP);
      if (name === 'trail')
        return orderDrafts.bracket(orderDrafts.buy(symbol, LOT), { trail: { percent: TRAIL } });
      if (name === 'chase') return orderDrafts.chase(orderDrafts.buy(symbol, LOT), CHASE);
      if (name === 'twap') return orderDrafts.twap(orderDrafts.buy(symbol, 3 * LOT), TWAP);
      return name === 'buy' ? orderDrafts.buy(symbol, LOT) : orderDrafts.close(symbol);
    },
  });
}

function momentOf(
  step: number,
  symbols: readonly SecuritySymbol[],
  priceOf: (symbol: SecuritySymbol) => number,
  time: Millis,
): MarketBatch {
  const names = NAMES[plan.session];
  const name = names[step % names.length] ?? 'buy';
  // An algorithm needs the next steps for its own symbol.
  const place = plan.session === 'orders' ? step : Math.floor(step / names.length);
  const symbol = symbols[place % symbols.length] as SecuritySymbol;
  const [direction, strength, values] = ['up' as const, 1, {}];
  const close = priceOf(symbol);
  const signal = { kind: 'signal' as const, name, symbol, time, barTime: time, close };
  return { time, marks: [], events: [{ ...signal, direction, strength, values }] };
}

function recovered({ state }: Engine): Recovered {
  const { portfolio, live, done } = state;
  return {
    cash: Object.fromEntries([...portfolio.cash].map(([currency, amount]) => [currency, String(amount)])),
    positions: Object.fromEntries(
      [...portfolio.holdings].map(([symbol, { quantity }]) => [symbol, String(quantity)]),
    ),
    gate: state.gate.standing.state,
    algorithms: state.algorithms.size,
    orders: [...live.values(), ...done.values()].map(({ intentId, facets }) => ({
      intentId,
      submission: facets.submission.kind,
      orderId: facets.submission.kind === 'acked' ? facets.submission.orderId : undefined,
      executed: String(facets.executed),
      live: isLive(facets),
    })),
  };
}

/** Number of orders in a journal. */
function ordersIn(events: Iterable<SluiceEvent>): number {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.state.live.size + fold.state.done.size;
}
