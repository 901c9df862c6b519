import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRun } from '../src/app/load/load-run.ts';
import { changedConfig } from '../src/app/research/config-changes.ts';
import { runSweep } from '../src/app/research/sweep.ts';
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { performanceOf } from '../src/reports/performance.ts';
import { atLeast, atMost, type Benchmark, type Gate, type Row, type Scale } from './benchmark.ts';
import { median, timed } from './compare.ts';
import { machineScaling } from './machine-scaling.ts';
import { type SweepPeerName, sweepPeer } from './peers.ts';
import { processesMs } from './processor-time.ts';
import { projectBars, settle, writeProject } from './project.ts';

const SIZES: Readonly<Record<Scale, Size>> = {
  full: { bars: 100_000, values: 20, rounds: 3 },
  smoke: { bars: 2_500, values: 3, rounds: 1 },
};
interface Size {
  readonly bars: number;
  /** Values of each of the two axes. */
  readonly values: number;
  readonly rounds: number;
}

/** Another library's sweep: its values per axis, and the goal for the ratio of processor times. */
interface Rival {
  readonly name: SweepPeerName;
  readonly about: string;
  readonly fastValues: number;
  readonly slowValues: number;
  readonly goal?: number;
}

const RIVALS: readonly Rival[] = [
  {
    name: 'backtesting',
    about: "backtesting.py's optimize, on all cores",
    ...{ fastValues: 2, slowValues: 4, goal: 60 },
  },
  {
    name: 'vectorbt',
    about:
      "vectorbt's grid: each average once, 100 trials in one simulation of 100,000 bars, total return alone",
    ...{ fastValues: 20, slowValues: 20, goal: 1 },
  },
  {
    name: 'optuna',
    about: 'Optuna with its TPE sampler, each trial a run of backtesting.py',
    fastValues: 2,
    slowValues: 3,
  },
];

/** Share of the trials that each process runs before a sweep is measured, so that its code is compiled. */
const WARM_SHARE = 0.1;

/** Milliseconds per trial of a warm sweep, and of the whole call. */
interface Measured {
  readonly msPerTrial: number;
  /** Processor time of all processes, if the system provides it. */
  readonly cpuMsPerTrial: number | undefined;
  readonly wholeMs: number;
  readonly result: string;
  readonly failed: number;
}

/** A sweep with two jobs compared with one, and a trial compared with the same backtest in a warm process. */
export const sweep: Benchmark = {
  name: 'sweep',
  async run(scale, bars = SIZES[scale].bars) {
    const { values, rounds } = SIZES[scale];
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sweep-'));
    try {
      const path = join(folder, writeProject(folder, { bars, symbols: 1 }));
      const axes = {
        fast: Array.from({ length: values }, (_, at) => 2 + 2 * at),
        slow: Array.from({ length: values }, (_, at) => 50 + 5 * at),
      };
      await loadRun(path, folder);
      settle();
      const [one, two, alone, machine]: [Measured[], Measured[], number[], number[]] = [[], [], [], []];
      for (let round = 0; round < rounds; round += 1) {
        one.push(await measured(path, folder, { axes, jobs: 1 }));
        two.push(await measured(path, folder, { axes, jobs: 2 }));
        alone.push(await backtestMs(path, folder, axes));
        machine.push(await machineScaling());
      }
      const rivals = RIVALS.map((rival) => rivalRow(rival, bars, axes, one));
      return [...rowsOf({ one, two, alone, machine }, { trials: values ** 2, bars }), ...rivals];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Axes = Readonly<Record<'fast' | 'slow', readonly number[]>>;

interface Reached {
  readonly at: number;
  readonly done: number;
  readonly cpuMs: number | undefined;
}

async function measured(
  path: string,
  folder: string,
  { axes, jobs }: { readonly axes: Axes; readonly jobs: number },
): Promise<Measured> {
  let warm: Reached | undefined;
  let last: Reached = { at: 0, done: 0, cpuMs: undefined };
  const began = performance.now();
  const end = await runSweep(
    path,
    folder,
    { axes, jobs, fresh: true },
    {
      onProgress: ({ done, total }) => {
        const isWarm = warm === undefined && done >= WARM_SHARE * total * jobs;
        // The processes of the trials run until the last outcome is read.
        last = { at: performance.now(), done, cpuMs: isWarm || done === total ? processesMs() : undefined };
        if (isWarm) warm = last;
      },
    },
  );
  const wholeMs = performance.now() - began;
  if (end.kind !== 'finished' || warm === undefined) throw new Error('The sweep did not finish');
  return {
    msPerTrial: (last.at - warm.at) / (last.done - warm.done),
    cpuMsPerTrial:
      last.cpuMs === undefined || warm.cpuMs === undefined
        ? undefined
        : (last.cpuMs - warm.cpuMs) / (last.done - warm.done),
    wholeMs,
    result: readFileSync(join(folder, end.files.json), 'utf8'),
    failed: end.report.findings.failed.length,
  };
}

/**
 * Milliseconds per backtest with its figures, over the same parameters in this process, after as many warm-up runs.
 */
async function backtestMs(path: string, folder: string, axes: Axes): Promise<number> {
  const { config, setup } = await loadRun(path, folder);
  const all = axes.fast.flatMap((fast) => axes.slow.map((slow) => ({ fast, slow })));
  const times = all.map((params) =>
    timed(() =>
      performanceOf(runBacktest({ ...setup, params: changedConfig(config, setup, { params }).params })),
    ),
  );
  const counted = times.slice(Math.ceil(WARM_SHARE * times.length));
  return counted.reduce((sum, ms) => sum + ms, 0) / counted.length;
}

function rowsOf(
  {
    one,
    two,
    alone,
    machine,
  }: {
    readonly one: readonly Measured[];
    readonly two: readonly Measured[];
    readonly alone: readonly number[];
    readonly machine: readonly number[];
  },
  { trials, bars }: { readonly trials: number; readonly bars: number },
): readonly Row[] {
  const perTrial = (of: readonly Measured[]): number => median(of.map(({ msPerTrial }) => msPerTrial));
  const [ours, single] = [perTrial(two), perTrial(one)];
  const whole = median(one.map((each, at) => each.wholeMs / (two[at]?.wholeMs ?? Number.NaN)));
  const results = new Set([...one, ...two].map(({ result }) => result)).size;
  const failed = Math.max(...[...one, ...two].map((each) => each.failed));
  const gates: readonly Gate[] = [
    {
      what: 'the result has the same bytes with one job and two',
      holds: results === 1,
      saw: `${results} results`,
    },
    { what: 'no trial failed', holds: failed === 0, saw: String(failed) },
  ];
  const work = `${trials} trials of a cross of averages over ${bars} minute bars`;
  const note = `Median of ${one.length}; the first ${Math.ceil(WARM_SHARE * trials)} trials of each process are not counted`;
  return [
    {
      id: 'sweep-jobs',
      work: `${work}: trials a second of two jobs, compared with one`,
      ours: 1_000 / ours,
      yardstick: 1_000 / single,
      unit: '1/s',
      ratio: median(one.map(({ msPerTrial }, at) => msPerTrial / (two[at]?.msPerTrial ?? Number.NaN))),
      goal: atLeast(1.8),
      gates,
      notes: [
        `${note}; the whole call, with the start of its processes, is ${whole.toFixed(2)} times as fast`,
        `Two bare loops compared with one, on the same ${availableParallelism()} cores at the same time: ${median(machine).toFixed(2)}`,
      ],
    },
    {
      id: 'sweep-trial',
      work: `${work}: a trial of one job, compared with the same backtest with its figures in a warm process`,
      ours: single,
      yardstick: median(alone),
      unit: 'ms',
      ratio: median(one.map(({ msPerTrial }, at) => msPerTrial / (alone[at] ?? Number.NaN))),
      goal: atMost(1.15),
      gates: [],
      notes: [note],
    },
  ];
}

/** The account of `writeProject`. */
const ACCOUNT = { cash: 1e9, weight: 0.25 };

/** A library's sweep over some of the same trials on the same bars. */
function rivalRow(
  { name, about, fastValues, slowValues, goal }: Rival,
  count: number,
  axes: Axes,
  ours: readonly Measured[],
): Row {
  const question = { ...ACCOUNT, fast: axes.fast.slice(0, fastValues), slow: axes.slow.slice(0, slowValues) };
  const answer = sweepPeer(name, projectBars(count), question);
  const row = {
    id: `sweep-${name}`,
    work: `a trial of that sweep, compared with one of ${about}`,
    goal: goal === undefined ? undefined : atLeast(goal),
  };
  if (answer.kind === 'absent')
    return {
      ...row,
      ...{
        ours: undefined,
        yardstick: undefined,
        unit: 'ms',
        ratio: undefined,
        gates: [],
        notes: [answer.why],
      },
    };
  const cpu = ours.flatMap(({ cpuMsPerTrial }) => cpuMsPerTrial ?? []);
  const isCpu = cpu.length === ours.length;
  const own = median(isCpu ? cpu : ours.map(({ msPerTrial }) => msPerTrial));
  const theirs = isCpu ? answer.cpuMsPerTrial : answer.msPerTrial;
  const closed = closedTrades(ours[0]?.result ?? '');
  const differing = answer.closed.filter(([fast, slow, trades]) => closed.get(`${fast},${slow}`) !== trades);
  return {
    ...row,
    ours: own,
    yardstick: theirs,
    unit: isCpu ? 'ms cpu' : 'ms',
    ratio: theirs / own,
    gates: [
      {
        what: 'every trial closes as many trades in both',
        holds: answer.closed.length > 0 && differing.length === 0,
        saw: `${differing.length} of ${answer.closed.length} differ`,
      },
    ],
    notes: [
      `${name} ${answer.version}, ${answer.closed.length} trials; ours with one job, of ${ours.length} sweeps the median, after its first trials`,
      ...(isCpu ? ['Processor time of all processes, without the start of theirs'] : []),
    ],
  };
}

/** Closed trades of each trial in a result file, by its two averages. */
function closedTrades(result: string): ReadonlyMap<string, number> {
  const {
    trials,
  }: { trials: { params: { fast: number; slow: number }; figures: { closedTrades: number } }[] } =
    JSON.parse(result);
  return new Map(
    trials.map(({ params, figures }) => [`${params.fast},${params.slow}`, figures.closedTrades]),
  );
}
