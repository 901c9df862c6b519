import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest } from '../../src/app/backtest-library.ts';
import { loadRun } from '../../src/app/load-run.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import type { RunSetup } from '../../src/backtest/setup.ts';
import { dayOf } from '../../src/markets/sessions.ts';
import { marketOf } from '../../src/model/symbol.ts';
import { millis } from '../../src/model/time.ts';
import type { Gate, Scale } from '../benchmark.ts';
import { median } from '../compare.ts';
import { type Outcome, outcomeOf, sameOutcome } from '../outcome.ts';
import { type Peer, peers } from '../peers.ts';
import { settle, writeData } from '../project.ts';
import { CASH, type Shape, type ShapeMarket } from './shape.ts';

/** What a shape took, processor time in milliseconds. */
export interface ShapeRun {
  readonly bars: number;
  readonly fills: number;
  readonly cpuMs: number;
  /** The same run with `trades: false`. */
  readonly idleMs: number;
  readonly loopMs: number;
  /** `backtest(config)` of `sluice/backtest`: YAML, strategy and cached bars read as well. Undefined in a smoke run. */
  readonly packageMs: number | undefined;
  /** Other libraries on the same bars. None in a smoke run. */
  readonly peers: readonly Peer[];
  readonly gates: readonly Gate[];
}

const ROUNDS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
/** Every sample repeats its work until it takes about this long. */
const SAMPLE_MS: Readonly<Record<Scale, number>> = { full: 60, smoke: 0 };
/** Rounds before the first that counts, as far as they take no longer than this. */
const WARM_UPS = 12;
const WARM_UP_MS: Readonly<Record<Scale, number>> = { full: 4_000, smoke: 0 };

/**
 * Runs a shape from its YAML, without its orders, and as a hand-written loop, in turn. The config is loaded as `sluice/backtest` loads it;
 * what is timed begins with the loaded config and the bars in memory, and ends with the statistics.
 */
export async function runShape(shape: Shape, bars: number, scale: Scale): Promise<ShapeRun> {
  const market = shape.market(Math.min(bars, shape.barsMax ?? bars));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shape-'));
  try {
    writeShape(folder, shape, market);
    const setupOf = async (trades: boolean): Promise<RunSetup> => {
      const { setup } = await loadRun(join(folder, configOf(shape, trades)), folder);
      return { ...setup, history: market.history };
    };
    const [trading, idle] = [await setupOf(true), await setupOf(false)];
    const outcomes: { ours?: Outcome; loop?: Outcome } = {};
    const [cpuMs, idleMs, loopMs] = inTurn(
      [
        () => {
          outcomes.ours = outcomeOf(runBacktest(trading));
        },
        () => outcomeOf(runBacktest(idle)),
        () => {
          outcomes.loop = shape.loop(market.history);
        },
      ],
      scale,
    );
    const { ours, loop } = outcomes;
    if (ours === undefined || loop === undefined) throw new Error(`Shape "${shape.id}" did not run`);
    const packageMs =
      scale === 'full' ? await throughPackage(join(folder, configOf(shape, true)), folder) : undefined;
    return {
      bars: market.history.reduce((sum, { length }) => sum + length, 0),
      fills: loop.fills,
      ...{ cpuMs, idleMs, loopMs, packageMs },
      peers: scale === 'full' ? peersOf(shape, market) : [],
      gates: sameOutcome(ours, loop),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function peersOf({ peers: wanted }: Shape, { history: [bars] }: ShapeMarket): readonly Peer[] {
  return wanted === undefined || bars === undefined ? [] : peers(bars, wanted.rules, wanted.names);
}

/** Medians of each work's processor time; the one that begins changes every round. */
function inTurn<const W extends readonly (() => unknown)[]>(
  works: W,
  scale: Scale,
): { readonly [K in keyof W]: number } {
  const began = performance.now();
  let once = works.map((work) => processorMs(work, 1));
  for (let more = 1; more < WARM_UPS && performance.now() - began < WARM_UP_MS[scale]; more += 1)
    once = works.map((work) => processorMs(work, 1));
  const repeats = once.map((ms) => Math.max(1, Math.ceil(SAMPLE_MS[scale] / Math.max(ms, 0.05))));
  const samples: number[][] = works.map(() => []);
  for (let round = 0; round < ROUNDS[scale]; round += 1)
    for (let turn = 0; turn < works.length; turn += 1) {
      const at = (round + turn) % works.length;
      samples[at]?.push(processorMs(works[at] as () => unknown, repeats[at] as number));
    }
  return samples.map(median) as unknown as { readonly [K in keyof W]: number };
}

/** Processor time of this process, collector and compiler included, for one of several repetitions. */
function processorMs(work: () => unknown, repeats: number): number {
  const before = process.cpuUsage();
  for (let left = repeats; left > 0; left -= 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / repeats;
}

async function throughPackage(config: string, project: string): Promise<number> {
  await backtest(config, { project });
  settle();
  await backtest(config, { project });
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS.full; round += 1) {
    const before = process.cpuUsage();
    await backtest(config, { project });
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / 1e3);
  }
  return median(samples);
}

const configOf = ({ id }: Shape, trades: boolean): string => `config/${id}${trades ? '' : '-idle'}.yaml`;

/** A project as a user has it: the package in node_modules, the strategy, its config, and the bars as CSV. */
export function writeShape(folder: string, shape: Shape, { securities, history }: ShapeMarket): void {
  for (const part of ['config', 'strategies', 'node_modules']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true,"type":"module"}\n');
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/sluice'), 'dir');
  const strategy = `${shape.id}.ts`;
  copyFileSync(join(import.meta.dirname, 'strategies', strategy), join(folder, 'strategies', strategy));
  writeData(folder, securities, history);
  for (const trades of [true, false])
    writeFileSync(join(folder, configOf(shape, trades)), yamlOf(shape, { securities, history }, trades));
}

function yamlOf(
  { id, config, risk = [] }: Shape,
  { securities, history }: ShapeMarket,
  trades: boolean,
): string {
  const [security] = securities;
  const [bars] = history;
  if (security === undefined || bars === undefined)
    throw new RangeError('A shape needs a security with bars');
  const day = (at: number | undefined): string => dayOf(marketOf(security.symbol), millis(at ?? Number.NaN));
  const { currency } = security;
  return `strategy: ${id}
symbols: [${securities.map(({ symbol }) => symbol).join(', ')}]
period: ${bars.period}
params: { trades: ${trades} }
account: { currency: ${currency}, cash: { ${currency}: ${CASH} } }
data: { from: ${day(bars.time[0])}, to: ${day(bars.time.at(-1))} }
${config}
${WIDE_LIMITS.replaceAll('CURRENCY', currency)}${risk.map((line) => `  ${line}\n`).join('')}`;
}

/** Limits that nothing reaches; the gate judges every order by them all the same. */
const WIDE_LIMITS = `risk:
  maxOrderNotional: 1000000000 CURRENCY
  maxOrderQuantity: 1000000000 shares
  maxPositionWeight: 500%
  maxPositionQuantity: 1000000000 shares
  maxGrossExposure: 500%
  maxNetExposure: 500%
  maxOrderRate: 1000/min
  maxRepeats: 1000
  maxOpenOrders: 1000
  maxDailyLoss: 100%
  maxDrawdown: 100%
  maxUnattendedFills: 10000
`;
