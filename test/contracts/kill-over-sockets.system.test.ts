import { EMPTY, Subject, tap } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { type BrokerClient, createBrokerClient } from '#src/broker/connect.ts';
import { createEngine } from '#src/engine/engine.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import type { WorkerHost } from '#src/hosts/strategy/worker.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { OperatorRequest } from '#src/ports/operator.ts';
import type { MarketBatch } from '#src/ports/signal-source.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { workerFor } from '../fixtures/hosts.ts';
import { AAPL, security } from '../fixtures/market.ts';
import { acked, intentOf, termsOf } from '../fixtures/orders.ts';
import { barQuestion } from '../fixtures/questions.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { aVenue, CREDENTIALS } from '../venue/a-venue.ts';

const TENCENT = securitySymbol('700.HK');
const TERMS = termsOf({ symbol: TENCENT, type: 'LO', price: decimal('300') });
const ORDERS = 5;
/** Limits of docs/reliability.md, I-14: the first cancel, and the interval between the others. */
const FIRST_CANCEL_MS = 250;

/** So long that the cancels also come first on a machine that stalls. */
const PATIENT = { limits: { answerMsMax: 5_000 } };

/** Processor time of this thread. It never sleeps here, so this is elapsed time without the machine's stalls. */
function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/**
 * A bot with five open orders, whose strategy loops for ever from the first bar on; kills it and returns what the
 * kill did.
 */
async function loopingBot() {
  const machine = createSystemClock();
  const { venue } = await aVenue({ machine });
  const client: BrokerClient = createBrokerClient({
    ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: venue.tradeWs },
    ...{ credentials: CREDENTIALS, profile: PROFILES.documented, machine, random: systemRandom },
    ...{ deployment: 'TEST', market: () => millis(0) },
  });
  const host: WorkerHost = await workerFor('misbehaves', {
    params: { way: 'loops' },
    clock: machine,
    ...PATIENT,
  });
  open.push(client, host);
  const journal = createMemoryJournal();
  for (let index = 0; index < ORDERS; index += 1) {
    const id = intentId(`AAAABBBBCCCCDDD${'234567'[index]}`);
    const answer = await answerOf(client.broker.submit({ intentId: id, terms: TERMS }));
    if (answer.kind !== 'accepted') throw new Error(`The venue did not take an order: ${answer.message}`);
    for (const event of acked(intentOf(id, { terms: TERMS }), answer.orderId)) journal.append(event);
  }
  const cancelled: number[] = [];
  const events: SluiceEvent['kind'][] = [];
  const { broker } = client;
  const batches$ = new Subject<MarketBatch>();
  const commands$ = new Subject<OperatorRequest>();
  const engine = createEngine({
    clock: machine,
    source: {
      batches$,
      received: () => ({ quotes: 0, bars: 0 }),
      lastPrice: () => 300,
      closeBefore: () => 300,
      values: () => ({}),
    },
    host,
    broker: {
      ...broker,
      cancel: (id) => toObservable(broker.cancel(id)).pipe(tap(() => cancelled.push(ownMs()))),
    },
    journal,
    securities: new Map([TENCENT, AAPL].map((symbol) => [symbol, security(symbol)])),
    quote: () => undefined,
    pullQuote: () => EMPTY,
    currency: 'HKD',
    fx: {},
    limits: limitsOf(),
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined, whenStrategyFails: 'keep' },
    mintIntentId: () => intentId('AAAABBBBCCCCDDDZ'),
    strategy: 'misbehaves',
    config: 'by-hand.yaml',
    commands$,
    onEvent: ({ kind }) => events.push(kind),
  });
  engine.run(EMPTY).subscribe({ error: () => undefined });
  await eventually(() => batches$.observed, 'the bot to have recovered and to hear the market');
  return { engine, cancelled, commands$, batches$, events, host };
}

describe('over real sockets, a kill while a strategy loops without end', () => {
  it('has its first cancel answered within 250 ms and every order cancelled, while the strategy still loops (F-O01, F-G01, I-14, I-16)', async () => {
    const { engine, cancelled, commands$, batches$, host } = await loopingBot();
    batches$.next({ time: millis(0), marks: [], events: [barQuestion(2).event as never] });
    expect(host.state()).toBe('running');
    const killedAt = ownMs();
    commands$.next({
      command: { kind: 'kill', flatten: false, foreign: false },
      by: 'cli',
      reason: 'it loops',
    });
    while (cancelled.length < ORDERS) await new Promise((resolve) => setImmediate(resolve));
    expect((cancelled[0] ?? Number.NaN) - killedAt).toBeLessThan(FIRST_CANCEL_MS);
    expect((cancelled.at(-1) ?? Number.NaN) - killedAt).toBeLessThan(FIRST_CANCEL_MS + ORDERS * 25);
    expect(host.state()).toBe('running');
    await eventually(() => host.state() === 'quarantined', 'the strategy to be given up');
    await eventually(() => engine.state.gate.standing.state === 'killed', 'the kill to be journaled');
  });
});
