/**
 * Compares `tpe` with Optuna and `cma-es` with the `cmaes` package by the median regret over twenty published
 * functions and thirty seeds.
 *
 * python3 -m venv venv && venv/bin/pip install optuna==5.0.0 cmaes==0.13.0
 * node bench/referees/search.ts --python venv/bin/python [--method tpe] [--seeds 30] [--json]
 *
 * Regret is the best value found minus the minimum of the function. Functions differ by orders of magnitude, so each
 * regret is divided by the package's median regret for that function; the medians over all functions and seeds are
 * then compared. Exits with 1 if ours is more than 5 % worse. The geometric mean of the ratios of medians is printed
 * as well. It varies more: some functions have two deep valleys, and chance decides which one the median seed finds.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Axis } from '#src/research/axes.ts';
import { Search, type SearchMethod } from '#src/research/search/search.ts';
import { TEST_FUNCTIONS, type TestFunction } from './functions.ts';

const METHODS = ['tpe', 'cma-es'] as const;
const TRIALS: Readonly<Record<SearchMethod, number>> = { tpe: 100, 'cma-es': 200 };
const ALLOWED = 1.05;
/** Regret below which a function counts as solved: our trials are stored with six digits. */
const SOLVED = 1e-9;

interface Referee {
  readonly versions: Readonly<Record<string, string>>;
  readonly least: Readonly<Record<string, readonly number[]>>;
  readonly checks: Readonly<Record<string, readonly (readonly [readonly number[], number])[]>>;
}

const { values: flags } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    method: { type: 'string' },
    seeds: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
});
const seeds = Number(flags.seeds);
let isWithin = true;
for (const method of METHODS) {
  if (flags.method !== undefined && flags.method !== method) continue;
  const referee = await refereeOf(method);
  const rows = TEST_FUNCTIONS.map((each) => {
    checkValues(each, referee);
    const theirs = (referee.least[each.name] ?? []).map((value) => Math.max(SOLVED, value - each.least));
    const ours = Array.from({ length: seeds }, (_, at) =>
      Math.max(SOLVED, leastFound(each, method, at + 1) - each.least),
    );
    return { name: each.name, ours, theirs, median: medianOf(ours), refereeMedian: medianOf(theirs) };
  });
  const shares = (of: 'ours' | 'theirs'): readonly number[] =>
    rows.flatMap((row) => row[of].map((regret) => regret / row.refereeMedian));
  const overall = medianOf(shares('ours')) / medianOf(shares('theirs'));
  const geometric = Math.exp(
    rows.reduce((sum, row) => sum + Math.log(row.median / row.refereeMedian), 0) / rows.length,
  );
  isWithin &&= overall <= ALLOWED;
  if (flags.json)
    console.log(
      JSON.stringify({
        method,
        trials: TRIALS[method],
        seeds,
        overall,
        geometric,
        rows,
        versions: referee.versions,
      }),
    );
  else {
    const { versions } = referee;
    const name = method === 'tpe' ? `Optuna ${versions['optuna']}` : `cmaes ${versions['cmaes']}`;
    console.log(
      `\n${method}, ${TRIALS[method]} trials, ${seeds} seeds: median regret compared with ${name}\n`,
    );
    console.log(`| Function | Sluice | ${name} |\n|---|---:|---:|`);
    for (const { name: of, median, refereeMedian } of rows)
      console.log(`| ${of} | ${median.toPrecision(3)} | ${refereeMedian.toPrecision(3)} |`);
    console.log(
      `\nMedian over all functions and seeds: ${overall.toFixed(3)} of theirs; geometric mean of the ratios: ${geometric.toFixed(3)}`,
    );
  }
}
process.exitCode = isWithin ? 0 : 1;

async function refereeOf(method: SearchMethod): Promise<Referee> {
  const child = spawn(flags.python, [fileURLToPath(new URL('./search_referee.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const functions = TEST_FUNCTIONS.map(({ name, bounds }) => ({ name, bounds }));
  child.stdin.end(JSON.stringify({ method, trials: TRIALS[method], seeds, functions }));
  return JSON.parse(await text(child.stdout));
}

/** Checks that both sides minimize the same functions. */
function checkValues({ name, valueAt }: TestFunction, { checks }: Referee): void {
  for (const [point, value] of checks[name] ?? [])
    if (Math.abs(valueAt(point) - value) > 1e-9 * Math.max(1, Math.abs(value)))
      throw new Error(`"${name}" is ${valueAt(point)} at [${point.join(', ')}], and ${value} in Python`);
}

function leastFound({ bounds, valueAt }: TestFunction, method: SearchMethod, seed: number): number {
  const axes = bounds.map(([from, to], at): Axis => ({ kind: 'continuous', name: `x${at}`, from, to }));
  const search = new Search({ axes, method, trials: TRIALS[method], seed });
  let least = Number.POSITIVE_INFINITY;
  for (let trials = search.next(); trials.length > 0; ) {
    const found = trials.map((params) => valueAt(axes.map(({ name }) => Number(params[name]))));
    least = Math.min(least, ...found);
    trials = search.next(found.map((value) => -value));
  }
  return least;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
