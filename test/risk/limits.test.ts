import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '#src/config/plugins/package-root.ts';
import { decimal } from '#src/model/decimal.ts';
import { defaultLimits, LIMITS } from '#src/risk/limits.ts';
import { RULES } from '#src/risk/rules.ts';
import { limitTable } from './limit-table.ts';

const doc = readFileSync(join(packageRoot(), 'docs', 'risk.md'), 'utf8');

describe('the strict defaults', () => {
  it('apply where a config sets none (I-5, I-15)', () => {
    expect(defaultLimits('HKD')).toEqual({
      maxOrderNotional: { amount: decimal('20000'), currency: 'HKD' },
      maxOrderQuantity: decimal('10000'),
      maxPositionWeight: decimal('0.2'),
      maxPositionQuantity: decimal('20000'),
      maxGrossExposure: decimal('1'),
      maxNetExposure: decimal('1'),
      maxOpenOrders: 10,
      maxOrderRate: 10,
      maxRepeats: 3,
      repeatWindow: 60_000,
      priceCollar: decimal('0.05'),
      maxQuoteJump: decimal('0.2'),
      maxSession: 'rth-only',
      restricted: [],
      allowShort: false,
      useMargin: false,
      marginHeadroom: decimal('0.05'),
      maxDailyLoss: decimal('0.02'),
      maxDrawdown: decimal('0.2'),
      maxUnattendedFills: 200,
      maxBreaches: 10,
      breachWindow: 60_000,
      maxQuoteAge: 3_000,
      maxEstimateAge: 5_000,
      maxBalanceAge: 10_000,
      maxPositionsAge: 60_000,
      maxMarginAge: 900_000,
    });
  });

  it('are within what a config may have', () => {
    for (const [name, { unit, default: value, max }] of Object.entries(LIMITS)) {
      const written = unit === 'share' ? Number(value) * 100 : Number(value);
      if (['flag', 'sessions', 'symbols'].includes(unit)) continue;
      expect(written > 0 && written <= max, name).toBe(true);
    }
  });
});

describe('docs/risk.md', () => {
  it('has the table that the declarations generate', () => {
    expect(doc).toContain(limitTable());
  });

  it('names every rule, and the table no unknown rule', () => {
    const rules = RULES.map(({ name }) => name);
    for (const rule of rules) expect(doc, rule).toContain(`\`${rule}\``);
    for (const { rule } of Object.values(LIMITS)) expect([...rules, 'repeated-breach']).toContain(rule);
    expect(new Set(rules).size).toBe(rules.length);
  });
});
