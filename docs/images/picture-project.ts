import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The command line of this repository. */
export const MAIN = join(ROOT, 'src/cli/main.ts');

/** Generated minutes, with a stop and a trailing stop on each position; some orders are larger than their limit. */
const CONFIG = `strategy: momentum
symbols: [DEMO.HK]
period: 1m
params: { length: 6, stop: 0.8, trail: 1.5, weight: 20% }
account: { currency: HKD, cash: { HKD: 1000000 } }
data: { from: 2025-09-02, to: 2025-09-26, dir: ${join(ROOT, 'backtest-data')} }
risk:
  maxOrderNotional: 188000 HKD
  maxPositionWeight: 30%
charges: standard
`;

/** Makes a folder with `momentum.yaml`, whose bot the pictures show. */
export function pictureProject(): { readonly project: string; readonly close: () => void } {
  const project = mkdtempSync(join(tmpdir(), 'sluice-picture-'));
  symlinkSync(ROOT, join(project, 'node_modules'));
  writeFileSync(join(project, 'momentum.yaml'), CONFIG);
  return { project, close: () => rmSync(project, { recursive: true, force: true }) };
}
