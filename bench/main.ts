/**
 * `npm run bench [-- NAME...] [-- --smoke] [-- --json]`: runs the benchmarks, each beside a yardstick, in turn.
 * Ends with 1 when a gate does not hold; no figure is a gate, since figures belong to one machine.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { backtestThroughput } from './backtest-throughput.ts';
import type { Benchmark, BenchmarkResult, Comparison } from './benchmark.ts';
import { dataLoad } from './data-load.ts';
import { journal } from './journal.ts';
import { signing } from './signing.ts';

const BENCHMARKS: readonly Benchmark[] = [backtestThroughput, dataLoad, signing, journal];

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});

const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const known = BENCHMARKS.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no benchmark "${unknown.join('", "')}", want some of ${known}\n`);
  process.exit(2);
}

const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node.js ${process.versions.node}`;
const chosen = BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name));
const results: { readonly name: string; readonly result: BenchmarkResult }[] = [];
for (const benchmark of chosen) {
  const result = benchmark.run(options.smoke ? 'smoke' : 'full');
  results.push({ name: benchmark.name, result });
  if (!options.json) process.stdout.write(text(benchmark, result));
}
if (options.json) process.stdout.write(`${JSON.stringify({ machine, smoke: options.smoke, results })}\n`);
else
  process.stdout.write(
    `From one run on this machine (${machine}), medians of rounds in turn: compare ratios, never figures of two runs.\n`,
  );
if (results.some(({ result }) => result.gates.some(({ holds }) => !holds))) process.exitCode = 1;

function text({ name, about }: Benchmark, { comparisons, gates, notes }: BenchmarkResult): string {
  const lines = [
    `${name}: ${about}`,
    ...comparisons.map(comparisonText),
    ...gates.map(({ what, holds, saw }) => `  ${holds ? 'holds' : 'DOES NOT HOLD'}: ${what} (${saw})`),
    ...notes.map((note) => `  ${note}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

function comparisonText(comparison: Comparison): string {
  const { ours, oursMedian, yardstick, yardstickMedian, unit, timeRatio, rounds } = comparison;
  const figure = (value: number): string => value.toPrecision(3);
  const ratio = `takes ${figure(timeRatio)} times as long (median of ${rounds} pairs)`;
  return `  ${ours}: ${figure(oursMedian)} ${unit}; ${yardstick}: ${figure(yardstickMedian)} ${unit}; ${ratio}`;
}
