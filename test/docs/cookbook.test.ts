import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backtest } from '@sluice-trading/sluice/backtest';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './snippets.ts';

const COOKBOOK = join(ROOT, 'docs/cookbook');
const CONFIGS = readdirSync(join(COOKBOOK, 'config'));
const NAMES = CONFIGS.map((file) => basename(file, '.yaml'));

describe('the cookbook', () => {
  it('has at least 20 strategies, each with a config of its name and a row in its table', () => {
    expect(readdirSync(join(COOKBOOK, 'strategies'))).toEqual(NAMES.map((name) => `${name}.ts`));
    expect(NAMES.length).toBeGreaterThanOrEqual(20);
    const page = readFileSync(join(ROOT, 'docs/cookbook.md'), 'utf8');
    const rows = [
      ...page.matchAll(
        /^\| \[`([a-z-]+)`\]\(cookbook\/strategies\/\1\.ts\) .*cookbook\/config\/\1\.yaml\)/gm,
      ),
    ];
    expect(rows.map(([, name]) => name).toSorted()).toEqual(NAMES);
  });

  it.each(NAMES)('%s trades on the shipped data, within its limits', async (name) => {
    const config = join(COOKBOOK, 'config', `${name}.yaml`);
    expect(parse(readFileSync(config, 'utf8')).strategy).toBe(name);
    const { performance, record } = await backtest(config, { project: COOKBOOK, decisions: true });
    expect(record.flow.fills).toBeGreaterThanOrEqual(10);
    expect(performance.finalEquity).toBeGreaterThan(0);
    // In a minute without a bar, a slice of an order is denied. Every other denial is a mistake of the recipe.
    expect(record.decisions).toBeDefined();
    const denials = (record.decisions ?? []).filter((decision) => decision.kind === 'intent-denied');
    expect(denials.filter(({ rule }) => rule !== 'stale-quote').map(({ reason }) => reason)).toEqual([]);
    expect(denials.length).toBeLessThan(record.flow.fills / 10);
  });
});
