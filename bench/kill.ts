import { judge } from '../src/risk/risk-gate.ts';
import { buying } from '../test/execution/a-buying-bot.ts';
import { intentOf } from '../test/fixtures/orders.ts';
import { factsOf, limitsOf } from '../test/fixtures/risk.ts';
import { createGateRig } from '../test/risk/a-gate.ts';
import type { Benchmark, Row } from './benchmark.ts';
import { compare } from './compare.ts';

const TRIALS = { full: 300, smoke: 20 } as const;
const ORDERS = 10;
const JUDGED = { full: 2_000, smoke: 100 } as const;

/**
 * Limits of docs/reliability.md I-14 in milliseconds, for the last new order: the 99th percentile and the maximum.
 */
const P99_MS = 50;
const WORST_MS = 250;

/**
 * How long a kill takes to block opening orders and to submit every cancel, and the cost of the gate compared with
 * its bare rules.
 */
export const kill: Benchmark = {
  name: 'kill',
  run: (scale) => [killRow(TRIALS[scale]), gateRow(JUDGED[scale])],
};

function killRow(trials: number): Row {
  const times: number[] = [];
  let missed = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    const bot = buying();
    for (let order = 0; order < ORDERS; order += 1) bot.quote(10);
    const began = performance.now();
    bot.command({ kind: 'kill', flatten: false, foreign: false });
    times.push(performance.now() - began);
    if (bot.venue.calls.filter((call) => call.startsWith('cancel')).length !== ORDERS) missed += 1;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(trials * 0.99) - 1] ?? Number.NaN;
  const worst = sorted.at(-1) ?? Number.NaN;
  return {
    id: 'kill',
    work: `From a kill to the last of ${ORDERS} cancels handed to the broker, journaled, the 99th of a hundred`,
    ours: p99,
    yardstick: P99_MS,
    unit: 'ms',
    ratio: p99 / P99_MS,
    goal: { is: 'at most', ratio: 1 },
    gates: [
      {
        what: 'every order is cancelled',
        holds: missed === 0,
        saw: `${missed} of ${trials} kills missed one`,
      },
      { what: `none takes ${WORST_MS} ms`, holds: worst <= WORST_MS, saw: `${worst.toFixed(2)} ms at worst` },
    ],
    notes: [
      'The yardstick is the promise, I-14; a broker that answers at once and a journal in memory: what the bot itself adds',
      'Over real sockets with a looping strategy: test/contracts/kill-over-sockets.system.test.ts',
    ],
  };
}

function gateRow(count: number): Row {
  const rig = createGateRig();
  const [intent, facts, limits] = [intentOf(), factsOf(), limitsOf()];
  let approved = 0;
  const { oursMs, yardstickMs, timeRatio, pairs } = compare(
    () => {
      for (let at = 0; at < count; at += 1) if (rig.judge(intent).kind === 'approved') approved += 1;
    },
    () => {
      for (let at = 0; at < count; at += 1) judge(intent, facts, limits);
    },
  );
  const asked = count * (pairs + 1);
  return {
    id: 'kill-gate',
    work: 'One verdict of the gate with its facts gathered, in time of the bare rules',
    ours: (oursMs * 1e3) / count,
    yardstick: (yardstickMs * 1e3) / count,
    unit: 'us each',
    ratio: timeRatio,
    goal: undefined,
    gates: [{ what: 'every verdict is the same', holds: approved === asked, saw: `${approved} of ${asked}` }],
    notes: ['A broker that answers at once: what is added is the gathering, not the wire'],
  };
}
