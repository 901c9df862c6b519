import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Ended, sluice } from '../cli/run-sluice.ts';

let project = '';
/**
 * In a project without Sluice, plugins use the copy that inspects them: the built one in a command, the sources in a
 * test.
 */
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-kinds-'));
  mkdirSync(join(project, 'node_modules'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Folder of this test's project. */
export const projectOf = (): string => project;

/** Writes a file of the project that only its owner can read, as required for a `.env` with secrets. */
export function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text, { mode: 0o600 });
}

export const run = (...args: readonly string[]): Promise<Ended> => sluice(args, { cwd: project });

export const RULE = (
  judge: string,
  more = '',
): string => `import { defineRiskRule, param } from '@sluice-trading/sluice';
export default defineRiskRule({
  name: 'small-orders', doc: 'Orders are worth little', ${more}
  params: { most: param.number({ min: 1, max: 1e6, default: 9000, unit: 'USD', doc: 'Most that an order is worth' }) },
  judge: ${judge},
});
`;
export const HONEST =
  '({ notional }, { params }) => (notional?.gt(params.most) ? "Worth too much" : undefined)';
export const FILLS = (
  slippage: string,
): string => `import { defineFillModel, param } from '@sluice-trading/sluice';
export default defineFillModel({
  name: 'thin-book', doc: 'A spread, and a share of each print; no impact',
  params: { spread: param.number({ min: 0, max: 100, default: 5, unit: 'bps', doc: 'Half of the spread' }) },
  slippage: ${slippage},
  room: ({ volume }) => volume / 1e8,
});
`;
export const SPREAD = '(_fill, { params }) => params.spread / 10000';
export const CONFIG = (rule: string, fills: string): string => `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { weight: 10% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2018-01-02, to: 2018-12-31 }
risk: { rules: [{ use: ${rule}, params: { most: 8400 } }] }
simulation: { fills: { use: ${fills}, params: { spread: 3 } } }
`;
