import { atLeast, type Benchmark, type Row } from './benchmark.ts';
import { inItsOwnProcess } from './own-process.ts';
import type { Peer } from './peers.ts';
import { runShape, type ShapeRun } from './shapes/run-shape.ts';
import type { Shape } from './shapes/shape.ts';
import { SHAPES } from './shapes/shapes.ts';

const BARS = { full: 100_000, smoke: 2_500 } as const;

/** Each shape as its own benchmark. */
export const SHAPE_BENCHMARKS: readonly Benchmark[] = SHAPES.map((shape) => ({
  name: shape.id,
  run: async (scale, bars) => [rowOf(shape, await runShape(shape, bars ?? BARS[scale], scale))],
}));

/** Eight kinds of strategies, each compared with a hand-written loop that makes the same fills. */
export const strategies: Benchmark = {
  name: 'strategies',
  async run(scale, bars) {
    const rows: Row[] = [];
    for (const shape of SHAPE_BENCHMARKS) rows.push(...(await inItsOwnProcess(shape, scale, bars)));
    return rows.map((row) => compared(row, rows[0]));
  },
};

function rowOf({ id, work, loopRatio }: Shape, run: ShapeRun): Row {
  const { bars, fills, cpuMs, idleMs, loopMs, packageMs, peers, gates } = run;
  return {
    id,
    work: `${work}: ${bars} bars, ${fills} fills`,
    ours: cpuMs,
    yardstick: loopMs,
    unit: 'ms cpu',
    ratio: loopMs / cpuMs,
    goal: atLeast(loopRatio),
    gates,
    notes: [
      `Without its orders ${idleMs.toFixed(2)} ms; ${(((cpuMs - idleMs) / fills) * 1e3).toFixed(2)} us a fill`,
      ...(packageMs === undefined ? [] : [`backtest(config), files included: ${packageMs.toFixed(1)} ms`]),
      ...peers.map((peer) => peerNote(peer, run)),
    ],
    figures: {
      ...{ bars, cpuMs, idleMs, loopMs, packageMs: packageMs ?? null, fills },
      ...{ loopRatio: loopMs / cpuMs, perFillRatio: null, perBarRatio: null },
      peers: Object.fromEntries(
        peers.flatMap((peer) => {
          const ratio = timesOurs(peer, run);
          return ratio === undefined ? [] : [[peer.name, ratio]];
        }),
      ),
    },
  };
}

/** Processor time per bar of a peer as a multiple of ours; undefined if it did not run. */
function timesOurs({ found }: Peer, { cpuMs, bars }: ShapeRun): number | undefined {
  return found.kind === 'ran' ? (found.cpuMs ?? found.ms) / found.bars / (cpuMs / bars) : undefined;
}

function peerNote(peer: Peer, run: ShapeRun): string {
  const { name, about, found } = peer;
  if (found.kind === 'absent') return `${name}: ${found.why}`;
  return `${name} takes ${timesOurs(peer, run)?.toFixed(1)} times as long: ${found.bars} bars, ${found.fills} fills (${about})`;
}

/** Adds the cost of a fill and of a bar without a decision, as multiples of those of s1. */
function compared(row: Row, first: Row | undefined): Row {
  const [own, base] = [costsOf(row), costsOf(first ?? row)];
  const perFillRatio = own.perFill / base.perFill;
  const perBarRatio = own.perBar / base.perBar;
  return {
    ...row,
    notes: [
      ...row.notes,
      `A fill costs ${perFillRatio.toFixed(2)} times one of s1, a bar without a decision ${perBarRatio.toFixed(2)} times`,
    ],
    figures: { ...row.figures, perFillRatio, perBarRatio },
  };
}

function costsOf({ figures = {} }: Row): { readonly perFill: number; readonly perBar: number } {
  const figure = (name: string): number => Number(figures[name]);
  const idleMs = figure('idleMs');
  return { perFill: (figure('cpuMs') - idleMs) / figure('fills'), perBar: idleMs / figure('bars') };
}
