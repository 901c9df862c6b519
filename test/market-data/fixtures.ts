import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { columnsOfRows } from '#src/model/bar-columns.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { decimal } from '../../src/model/decimal.ts';
import type { Period } from '../../src/model/period.ts';
import type { Security } from '../../src/model/security.ts';
import { securitySymbol } from '../../src/model/symbol.ts';

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-market-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes a file with its folders; returns its path. */
export function put(dir: string, name: string, content: string | Uint8Array): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** The text of a bar file with these rows. */
export const barText = (...rows: readonly string[]): string =>
  `${['timestamp,open,high,low,close,volume', ...rows].join('\n')}\n`;

/** A bar as a test writes it: stamp, open, high, low, close, volume. */
export type BarRow = readonly [string, number, number, number, number, number];

export function columnsOf(symbol: string, period: Period, rows: readonly BarRow[]): BarColumns {
  const figures = rows.map(([stamp, ...rest]) => [Date.parse(stamp), ...rest]);
  return columnsOfRows({ symbol: securitySymbol(symbol), period }, figures);
}

/** A share with default facts. */
export function aSecurity(symbol: string, facts: Partial<Security> = {}): Security {
  return {
    symbol: securitySymbol(symbol),
    names: { en: 'Some Share', zhCn: '某股', zhHk: '某股' },
    kind: 'stock',
    board: symbol.endsWith('.HK') ? 'HKEquity' : 'USMain',
    currency: symbol.endsWith('.HK') ? 'HKD' : 'USD',
    lotSize: 100,
    margin: { initial: decimal('0.35'), maintenance: decimal('0.3'), forced: decimal('0.25') },
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'written by hand for a test' },
    ...facts,
  };
}
