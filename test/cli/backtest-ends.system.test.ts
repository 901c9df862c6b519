import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { MAIN } from '../fixtures/built-package.ts';
import { stampsOf } from '../fixtures/some-bars.ts';
import { sluice } from './run-sluice.ts';

const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({ name: 'leaves', params: {}, onBar: () => process.exit(0) });
`;
const CONFIG = `strategy: leaves
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2020-01-02, to: 2020-04-17 }
`;

describe('a backtest that does not complete', () => {
  it('reports that a strategy ended the process', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'sluice-ends-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    mkdirSync(join(cwd, 'strategies'));
    writeFileSync(join(cwd, 'strategies/leaves.ts'), STRATEGY);
    writeFileSync(join(cwd, 'leaves.yaml'), CONFIG);
    const { code, out, err } = await sluice(['backtest', 'leaves.yaml'], { cwd });
    expect([code, out]).toEqual([6, '']);
    expect(err).toMatch(/^The process was ended before the run was over: a plugin called process\.exit/);
  });

  it('fails with one line if its report cannot be written', async () => {
    const child = spawn(process.execPath, [MAIN, 'backtest', 'config/sma-cross.yaml', '--json'], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    let err = '';
    child.stderr?.on('data', (text) => {
      err += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    expect(err).toMatch(/^Cannot write the output: ENOSPC: .* what is there is not all, .*\n$/);
  });
});

describe('a backtest of more bars than are read at once', () => {
  it('completes, with bars that it parses and with bars from the cache', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'sluice-many-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const days = { from: calendarDay('2024-01-02'), to: calendarDay('2024-02-15') };
    const rows = stampsOf(securitySymbol('SPX.US'), '1m', days).map(
      (at, row) => `${new Date(at).toISOString()},100,160,90,${100 + (row % 50)},1000`,
    );
    mkdirSync(join(cwd, 'backtest-data/SPX.US'), { recursive: true });
    cpSync('backtest-data/SPX.US/security.json', join(cwd, 'backtest-data/SPX.US/security.json'));
    writeFileSync(
      join(cwd, 'backtest-data/SPX.US/1m.csv'),
      `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`,
    );
    const { from, to } = days;
    writeFileSync(
      join(cwd, 'many.yaml'),
      CONFIG.replace('leaves', 'sma-cross')
        .replace('1d', '1m')
        .replace(/from: .*to: \S+/, `from: ${from}, to: ${to}`),
    );
    for (const read of ['parsed', 'cached']) {
      const { code, out, err } = await sluice(['backtest', 'many.yaml', '--json'], { cwd });
      expect([read, code, err]).toEqual([read, 0, '']);
      expect(JSON.parse(out).flow.bars).toBe(rows.length);
    }
  });
});
