import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest } from '../../src/app/backtest-library.ts';
import { loadRun } from '../../src/app/load/load-run.ts';
import { runBacktest } from '../../src/backtest/run-backtest.ts';
import type { RunSetup } from '../../src/backtest/setup.ts';
import type { Gate, Scale } from '../benchmark.ts';
import { median } from '../compare.ts';
import { type Peer, peers } from '../peers.ts';
import { alternate, processorMsOf } from '../processor-time.ts';
import { settle } from '../project.ts';
import { type RunResult, resultOf, sameResult } from '../run-result.ts';
import { configOf, writeBots } from './project.ts';
import type { Shape, ShapeMarket } from './shape.ts';

/** Processor time of a shape in milliseconds. */
export interface ShapeRun {
  readonly bars: number;
  readonly fills: number;
  readonly cpuMs: number;
  /** The same run with `trades: false`. */
  readonly idleMs: number;
  readonly loopMs: number;
  /**
   * `backtest(config)` of `@sluice-trading/sluice/backtest`, including the reads of YAML, strategy and cached bars.
   * Undefined in a smoke run.
   */
  readonly packageMs: number | undefined;
  /** Other libraries on the same bars. None in a smoke run. */
  readonly peers: readonly Peer[];
  readonly gates: readonly Gate[];
}

/** A shape's project, and its run with and without orders, on bars in memory. */
interface LoadedShape {
  readonly folder: string;
  readonly market: ShapeMarket;
  readonly trading: RunSetup;
  readonly idle: RunSetup;
}

/**
 * Writes a shape's project, loads its configs as `@sluice-trading/sluice/backtest` does, and removes the project
 * afterwards.
 */
export async function withShape<T>(
  shape: Shape,
  bars: number,
  use: (loaded: LoadedShape) => T | Promise<T>,
): Promise<T> {
  const market = shape.market(Math.min(bars, shape.barsMax ?? bars));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shape-'));
  try {
    writeBots(folder, [shape], market);
    const setupOf = async (trades: boolean): Promise<RunSetup> => {
      const { setup } = await loadRun(join(folder, configOf(shape, trades)), folder);
      return { ...setup, history: market.history };
    };
    return await use({ folder, market, trading: await setupOf(true), idle: await setupOf(false) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a shape from its YAML, without its orders, and as a hand-written loop, in alternation. The measured time
 * starts with the loaded config and the bars in memory, and ends with the statistics.
 */
export function runShape(shape: Shape, bars: number, scale: Scale): Promise<ShapeRun> {
  return withShape(shape, bars, async ({ folder, market, trading, idle }) => {
    const results: { ours?: RunResult; loop?: RunResult } = {};
    const [cpuMs, idleMs, loopMs] = alternate(
      [
        () => {
          results.ours = resultOf(runBacktest(trading));
        },
        () => resultOf(runBacktest(idle)),
        () => {
          results.loop = shape.loop(market.history);
        },
      ],
      scale,
    );
    const { ours, loop } = results;
    if (ours === undefined || loop === undefined) throw new Error(`Shape "${shape.id}" did not run`);
    const packageMs =
      scale === 'full' ? await throughPackage(join(folder, configOf(shape)), folder) : undefined;
    return {
      bars: market.history.reduce((sum, { length }) => sum + length, 0),
      fills: loop.fills,
      ...{ cpuMs, idleMs, loopMs, packageMs },
      peers: scale === 'full' ? peersOf(shape, market) : [],
      gates: sameResult(ours, loop),
    };
  });
}

function peersOf({ peers: wanted }: Shape, { history: [bars] }: ShapeMarket): readonly Peer[] {
  return wanted === undefined || bars === undefined ? [] : peers(bars, wanted.rules, wanted.names);
}

/** Warm-up calls of the package's function, and measured calls. */
const CALLS = { before: 5, counted: 5 } as const;

async function throughPackage(config: string, project: string): Promise<number> {
  await backtest(config, { project });
  settle();
  for (let call = 0; call < CALLS.before; call += 1) await backtest(config, { project });
  const samples: number[] = [];
  for (let call = 0; call < CALLS.counted; call += 1)
    samples.push(await processorMsOf(() => backtest(config, { project })));
  return median(samples);
}
