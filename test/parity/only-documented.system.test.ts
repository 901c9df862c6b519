import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRun } from '../../src/app/load/load-run.ts';
import { backtestAlone } from '../../src/app/research/backtest.ts';
import { runPaper } from '../../src/app/run/run-paper.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { compareRuns } from '../../src/reports/parity.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-documented-'));
mkdirSync(join(project, 'node_modules'));
mkdirSync(join(project, 'strategies'));
linkPackage(root, project);
symlinkSync(join(root, 'backtest-data'), join(project, 'backtest-data'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const minimal = (config: BotConfig): BotConfig => ({ ...config, onlyDocumented: true });

/** Runs a config in both ways on the documented API, and its backtest on the whole API. */
async function run(config: string) {
  const loaded = await loadRun(join(project, config), project, minimal);
  const paper = await runPaper({ ...loaded, project });
  const whole = backtestAlone(await loadRun(join(project, config), project));
  return { backtest: backtestAlone(loaded), paper, whole };
}

function writeConfig(name: string, text: string): string {
  writeFileSync(join(project, name), text);
  return name;
}

/**
 * Trades with market orders and with near and far limits, orders again on fills, and requests cancels, which the API
 * lacks.
 */
const PLUGIN = `
import { defineStrategy } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'mixed',
  params: {},
  onBar: ({ symbol, bar, time }, { orders, position }) => {
    const minute = Math.floor(time / 60000) % 1440 - 90;
    const held = position(symbol).quantity;
    if (minute === 2 || minute === 20) return orders.buy(symbol, 1500);
    if (minute === 10) return orders.buy(symbol, 500, { type: 'LO', price: Math.ceil(bar.high * 50) / 50 });
    if (minute === 15) return orders.bracket(orders.buy(symbol, 500), { stop: bar.low * 0.98 });
    if (minute === 35 && held > 0) return orders.sell(symbol, held);
    return undefined;
  },
  onFill: ({ symbol, fill }, { orders, position }) =>
    fill.side === 'buy' && position(symbol).quantity < 3000 ? orders.buy(symbol, 500) : undefined,
});
`;

describe('backtest and paper on an API that has only what the source document describes', () => {
  it('have the same decisions, orders, fills and equity: a shipped config of minutes', async () => {
    const shipped = readFileSync(join(root, 'config/hk-intraday.yaml'), 'utf8');
    const days = shipped.replace(/to: 2025-\d\d-\d\d/, 'to: 2025-09-02').replace(/ +cancelAfter: .*/, '');
    const { backtest, paper, whole } = await run(writeConfig('intraday.yaml', days));
    const parity = compareRuns(backtest, paper);
    expect(parity).toMatchObject({ kind: 'equal' });
    if (parity.kind !== 'equal') return;
    expect(parity.counts.fills).toBeGreaterThan(0);
    // Executions do not depend on how they become known.
    const traded = ({ decisions }: typeof paper) =>
      decisions.flatMap((each) =>
        each.kind === 'order-filled' ? [`${each.fill.side} ${each.fill.quantity} at ${each.fill.price}`] : [],
      );
    expect(traded(paper)).toEqual(traded(whole));
    expect(Array.from(paper.equity.value).at(-1)).toBeCloseTo(Array.from(whole.equity.value).at(-1) ?? 0, 2);
  });

  it('decide the same if fills come in parts and the strategy reacts to them', async () => {
    writeFileSync(join(project, 'strategies', 'mixed.ts'), PLUGIN);
    const config = [
      'strategy: mixed',
      'symbols: [DEMO.HK]',
      'period: 1m',
      'account: { currency: HKD, cash: { HKD: 1000000 } }',
      'data: { from: 2025-09-01, to: 2025-09-01 }',
      'risk: { maxOrderNotional: 1000000 HKD, maxPositionWeight: 100% }',
      'simulation: { participation: 10% }',
    ];
    const { backtest, paper } = await run(writeConfig('mixed.yaml', config.join('\n')));
    const parity = compareRuns(backtest, paper);
    expect(parity).toMatchObject({ kind: 'equal' });
    if (parity.kind !== 'equal') return;
    expect(parity.counts.fills).toBeGreaterThan(5);
    expect(paper.decisions.some((each) => each.kind === 'intent-drafted' && each.cause.kind === 'fill')).toBe(
      true,
    );
  });
});
