/**
 * `node bench/plugin-isolation.ts [--smoke] [--json] [--isolation process|thread]`: the cost of a strategy in its own
 * process or thread, and the effect of a strategy that loops on the rest of the bot (docs/reliability.md I-16).
 * Rounds with and without a looping strategy alternate in one run. Exits with 1 if anything is slowed down by more
 * than the limit.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { createSystemClock } from '../src/app/clock/system-clock.ts';
import { createWorkerHost, type WorkerHost } from '../src/hosts/strategy/worker.ts';
import { decimal } from '../src/model/decimal.ts';
import { intentId, type OrderIntent } from '../src/model/order.ts';
import { securitySymbol } from '../src/model/symbol.ts';
import { millis } from '../src/model/time.ts';
import type { StrategyRequest } from '../src/ports/strategy-host.ts';
import { toObservable } from '../src/ports/to-observable.ts';
import { judge } from '../src/risk/risk-gate.ts';
import { factsOf, limitsOf } from '../test/fixtures/risk.ts';
import { median } from './compare.ts';

const { values: options } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    isolation: { type: 'string', default: 'process' },
  },
});

/** Pairs of rounds, and beats per round; a beat is one bar, one byte from outside and one verdict. */
const ROUNDS = options.smoke ? 1 : 5;
const BEATS = options.smoke ? 50 : 600;
const BEAT_MS = 5;
const STARTS = options.smoke ? 2 : 9;
const TRIPS = options.smoke ? 200 : 20_000;
/** Time-out of a strategy that may loop for a whole round; by default it would be ended after half a second. */
const SPIN_MS = 120_000;

const AAPL = securitySymbol('AAPL.US');
const clock = createSystemClock();
const root = join(import.meta.dirname, '..');

const hostOf = (file: string, params: Readonly<Record<string, string | number>>, answerMsMax = 500) =>
  createWorkerHost({
    file: join(root, file),
    params,
    symbols: [AAPL],
    clock,
    startsAt: millis(0),
    seed: 1,
    limits: { answerMsMax },
    isolation: options.isolation === 'thread' ? 'thread' : 'process',
  });
const neighbour = (): Promise<WorkerHost> =>
  hostOf('strategies/sma-cross.ts', { fast: 10, slow: 30, weight: 0.5 });
const spinner = (): Promise<WorkerHost> =>
  hostOf('test/fixtures/plugins/misbehaves.ts', { way: 'loops' }, SPIN_MS);

/** The bar at which the averages crossed, as the engine would send it. */
const question: StrategyRequest = {
  event: {
    kind: 'signal',
    symbol: AAPL,
    time: millis(60_000),
    name: 'cross',
    direction: 'up',
    strength: 0.01,
    values: { fast: 101, slow: 100 },
    barTime: millis(0),
    close: 102,
  },
  snapshot: {
    now: millis(60_000),
    equity: 100_000,
    symbols: {
      [AAPL]: {
        position: { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 },
        lastPrice: 102,
        security: { lotSize: 1, kind: 'stock', rate: 1 },
        values: { fast: 101, slow: 100 },
      },
    },
  },
};

const spinning: StrategyRequest = {
  event: {
    kind: 'bar',
    symbol: AAPL,
    time: millis(0),
    bar: { symbol: AAPL, period: '1m', time: millis(0), open: 1, high: 1, low: 1, close: 1, volume: 1 },
  },
  snapshot: question.snapshot,
};

const intent: OrderIntent = {
  id: intentId('AAAABBBBCCCCDDDD'),
  terms: {
    symbol: AAPL,
    side: 'buy',
    type: 'MO',
    quantity: decimal('10'),
    timeInForce: 'day',
  },
  reason: 'bench',
  decidedAt: millis(0),
};

/** Times of one round in milliseconds, per beat. */
interface Round {
  readonly barToDrafts: readonly number[];
  readonly outsideToVerdict: readonly number[];
}

/** A byte that arrives over loopback, as a kill or an answer of the venue would. */
interface Outside {
  /** Resolves when the byte has arrived and the gate has judged one order. */
  verdict(): Promise<void>;
  close(): void;
}

async function openOutside(): Promise<Outside> {
  const server = createServer((socket) => socket.pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The loopback server has no port');
  const socket: Socket = connect(address.port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return {
    async verdict() {
      socket.write('k');
      await once(socket, 'data');
      const { kind } = judge(intent, factsOf(), limitsOf());
      if (kind !== 'approved') throw new Error('The gate refused the order of the benchmark');
    },
    close() {
      socket.destroy();
      server.close();
    },
  };
}

async function since(began: number, done: Promise<unknown>): Promise<number> {
  await done;
  return performance.now() - began;
}

async function round(host: WorkerHost, outside: Outside, beats: number): Promise<Round> {
  const barToDrafts: number[] = [];
  const outsideToVerdict: number[] = [];
  for (let beat = 0; beat < beats; beat += 1) {
    await wait(BEAT_MS);
    barToDrafts.push(await since(performance.now(), firstValueFrom(toObservable(host.call(question)))));
    outsideToVerdict.push(await since(performance.now(), outside.verdict()));
  }
  return { barToDrafts, outsideToVerdict };
}

async function spinningRound(host: WorkerHost, outside: Outside): Promise<Round> {
  const bad = await spinner();
  const lost = firstValueFrom(toObservable(bad.call(spinning)));
  try {
    return await round(host, outside, BEATS);
  } finally {
    await bad.close();
    await lost;
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const starts: number[] = [];
for (let count = 0; count < STARTS; count += 1) {
  const began = performance.now();
  const host = await neighbour();
  starts.push(performance.now() - began);
  await host.close();
}

const host = await neighbour();
const outside = await openOutside();
await round(host, outside, 50);
const trips: number[] = [];
for (let count = 0; count < TRIPS; count += 1)
  trips.push(await since(performance.now(), firstValueFrom(toObservable(host.call(question)))));
const quiet: Round[] = [];
const spun: Round[] = [];
for (let count = 0; count < ROUNDS; count += 1) {
  quiet.push(await round(host, outside, BEATS));
  spun.push(await spinningRound(host, outside));
}
outside.close();
await host.close();

/** Allowed growth of the 99th percentile, in milliseconds. @see docs/reliability.md I-16 */
const GROWTH_MAX: Readonly<Record<keyof Round, number>> = { barToDrafts: 10, outsideToVerdict: 8 };
const SAID: Readonly<Record<keyof Round, string>> = {
  barToDrafts: 'bar to drafts, in the other worker',
  outsideToVerdict: 'byte from outside to verdict, on the main loop (gate and kill path)',
};

const findings = (['barToDrafts', 'outsideToVerdict'] as const).map((what) => {
  const all = (rounds: readonly Round[]): readonly number[] => rounds.flatMap((each) => each[what]);
  const figures = (rounds: readonly Round[]) => ({
    p50: percentile(all(rounds), 0.5),
    p99: percentile(all(rounds), 0.99),
    max: percentile(all(rounds), 1),
  });
  const [calm, busy] = [figures(quiet), figures(spun)];
  const growth = busy.p99 - calm.p99;
  return { what, calm, busy, growth, growthMax: GROWTH_MAX[what], holds: growth < GROWTH_MAX[what] };
});

const result = {
  machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node.js ${process.versions.node}`,
  isolation: options.isolation,
  startMs: median(starts),
  roundTripUs: { p50: percentile(trips, 0.5) * 1e3, p99: percentile(trips, 0.99) * 1e3 },
  findings,
};
process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : text());
if (findings.some(({ holds }) => !holds)) process.exitCode = 1;

function text(): string {
  const ms = (value: number): string => `${value.toPrecision(3)} ms`;
  const { startMs, roundTripUs, machine } = result;
  const lines = [
    `plugin-isolation: ${result.isolation}, ${machine}`,
    `  start until its strategy is ready: ${ms(startMs)} (median of ${STARTS})`,
    `  one question after the other: ${roundTripUs.p50.toFixed(1)} us p50, ${roundTripUs.p99.toFixed(1)} us p99`,
    ...findings.flatMap(({ what, calm, busy, growth, growthMax, holds }) => [
      `  ${SAID[what]}:`,
      `    quiet:    ${ms(calm.p50)} p50, ${ms(calm.p99)} p99, ${ms(calm.max)} at most`,
      `    spinning: ${ms(busy.p50)} p50, ${ms(busy.p99)} p99, ${ms(busy.max)} at most`,
      `    ${holds ? 'holds' : 'DOES NOT HOLD'}: p99 grows by ${ms(growth)}, may grow by ${growthMax} ms`,
    ]),
    `  ${ROUNDS} pairs of rounds of ${BEATS} beats, ${BEAT_MS} ms apart; other work on the machine shows in all of them`,
  ];
  return `${lines.join('\n')}\n`;
}
