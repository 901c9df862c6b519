/**
 * `npm run bench [-- NAME...] [-- --smoke] [-- --json] [-- --bars N]`: runs the benchmarks, each compared with a
 * yardstick and in its own process. Exits with 1 if a gate does not hold. Figures are no gates, as they depend on the
 * machine.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { from, mergeMap } from 'rxjs';
import { buildPackage } from '../.ci/build-package.ts';
import type { Row } from './benchmark.ts';
import { BENCHMARKS, NAMED } from './benchmarks.ts';
import { inItsOwnProcess } from './own-process.ts';
import { head, lineOf, remarksOf } from './table.ts';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    bars: { type: 'string' },
  },
});

const unknown = names.filter((name) => !NAMED.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const known = NAMED.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no benchmark "${unknown.join('", "')}", want some of ${known}\n`);
  process.exit(2);
}

const bars = options.bars === undefined ? undefined : Number(options.bars);
if (bars !== undefined && !(Number.isInteger(bars) && bars > 0)) {
  process.stderr.write(`Cannot run "--bars ${options.bars}", want a whole number above 0\n`);
  process.exit(2);
}

const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node.js ${process.versions.node}`;
const chosen = names.length === 0 ? BENCHMARKS : NAMED.filter(({ name }) => names.includes(name));
const rows: Row[] = [];
if (chosen.some(({ usesPackage }) => usesPackage === true)) await buildPackage();
if (!options.json) process.stdout.write(head());
// A measuring benchmark needs the machine to itself. Smoke runs measure nothing, and three at once finish sooner, as
// some only wait.
const rows$ = from(chosen).pipe(
  mergeMap(
    (benchmark) => inItsOwnProcess(benchmark, options.smoke ? 'smoke' : 'full', bars),
    options.smoke ? 3 : 1,
  ),
);
await rows$.forEach((found) => {
  rows.push(...found);
  if (!options.json) process.stdout.write(found.map(lineOf).join(''));
});
if (options.json)
  process.stdout.write(`${JSON.stringify({ machine, smoke: options.smoke, rows: rows.map(plain) })}\n`);
else {
  process.stdout.write(remarksOf(rows));
  process.stdout.write(`One run on this machine (${machine}): compare ratios, never figures of two runs.\n`);
}
if (rows.some(({ gates }) => gates.some(({ holds }) => !holds))) process.exitCode = 1;

/** Undefined figures are null in JSON; a goal is its text. */
function plain({ id, work, ours, yardstick, unit, ratio, goal, gates, notes, figures }: Row) {
  const known = (figure: number | undefined): number | null => figure ?? null;
  const wanted = goal === undefined ? null : `${goal.is === 'at least' ? '>=' : '<='} ${goal.ratio}`;
  return {
    id,
    work,
    ours: known(ours),
    yardstick: known(yardstick),
    unit,
    ratio: known(ratio),
    goal: wanted,
    gates,
    notes,
    ...figures,
  };
}
