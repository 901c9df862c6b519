import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Benchmark, Row, Scale } from './benchmark.ts';

const CHILD = join(import.meta.dirname, 'alone.ts');

/**
 * Rows of a benchmark that ran in its own process, as a backtest does, because code compiled for the hooks of one
 * strategy slows the next one. Rejects if the process ends without rows.
 */
export function inItsOwnProcess(
  { name }: Pick<Benchmark, 'name'>,
  scale: Scale,
  bars?: number,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    // Structured clones keep undefined and NaN, which JSON loses.
    const child = fork(CHILD, [name, scale, ...(bars === undefined ? [] : [String(bars)])], {
      serialization: 'advanced',
    });
    child.once('message', (rows: readonly Row[]) => resolve(rows));
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`The benchmark "${name}" ended without rows (${signal ?? `exit code ${code}`})`)),
    );
  });
}
