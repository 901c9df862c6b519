import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Benchmark, Row, Scale } from './benchmark.ts';

const CHILD = join(import.meta.dirname, 'alone.ts');

/**
 * Rows of a benchmark that ran in its own process, as a backtest does: what one strategy's hooks taught the compiler,
 * the next one's would pay for. Rejects when the process ends without rows.
 */
export function inItsOwnProcess(
  { name }: Pick<Benchmark, 'name'>,
  scale: Scale,
  bars?: number,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    // Structured clones keep what is undefined or not a number.
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
